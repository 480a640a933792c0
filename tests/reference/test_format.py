"""Another reader of bundles, written from docs/reference/format.md alone: it finds in every golden bundle what ours and HDF5's library find.

It is short, slow and strict. Numbers in brackets are the rules of that page. If it has to know anything that does not
stand there, the page is to be mended.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import h5py
import numpy as np
import pytest

import synthrelease
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile  # ours, to be compared
from synthrelease.errors import BundleError

NOWHERE = 2**64 - 1
TYPES = {
    "|u1": "10 00 00 00 01 00 00 00 00 00 08 00 00 00 00 00",
    "|i1": "10 08 00 00 01 00 00 00 00 00 08 00 00 00 00 00",
    "<i2": "10 08 00 00 02 00 00 00 00 00 10 00 00 00 00 00",
    "<i4": "10 08 00 00 04 00 00 00 00 00 20 00 00 00 00 00",
    "<i8": "10 08 00 00 08 00 00 00 00 00 40 00 00 00 00 00",
    "<f4": "11 20 1f 00 04 00 00 00 00 00 20 00 17 08 00 17 7f 00 00 00 00 00 00 00",
    "<f8": "11 20 3f 00 08 00 00 00 00 00 40 00 34 0b 00 34 ff 03 00 00 00 00 00 00",
}
FILTERS = """01 03 00 00 00 00 00 00
    02 00 08 00 01 00 01 00  73 68 75 66 66 6c 65 00  {:02x} 00 00 00  00 00 00 00
    01 00 08 00 01 00 01 00  64 65 66 6c 61 74 65 00  04 00 00 00 00 00 00 00
    03 00 10 00 00 00 00 00  66 6c 65 74 63 68 65 72  33 32 00 00 00 00 00 00"""
BLOCK = """synthrelease bundle 1
An HDF5 file with a privacy manifest, preceded by these 512 bytes of text.
SHA-256 of everything after them:
{}
By hand:   tail -c +513 FILE | sha256sum
In full:   synthrelease verify FILE
{}
"""


REFERENCES = bytes.fromhex("19 00 00 00 10 00 00 00 17 00 00 00 08 00 00 00")
PAIRS = (
    bytes.fromhex("16 02 00 00 10 00 00 00")
    + b"dataset".ljust(40, b"\0")
    + bytes.fromhex("17 00 00 00 08 00 00 00")
    + b"dimension".ljust(16, b"\0")
    + struct.pack("<I28x", 8)
    + bytes.fromhex("10 08 00 00 04 00 00 00 00 00 20 00")
)
OF_GROUPS = {"format", "format_version", "encoding_type", "encoding_version"}
OF_DATASETS = {"CLASS", "NAME", "role", "units", "long_name", "DIMENSION_LIST", "REFERENCE_LIST"}
Place = tuple[int, int]  # an address, and a number there


def must(condition: object) -> None:
    if not condition:
        raise ValueError("no bundle")


def up(size: int) -> int:
    return -(-size // 8) * 8


class Bundle:
    """What is in a file.

    Attributes:
        seeded: whether there was a test seed, as the text block says.
        groups: attributes by path.
        datasets: arrays by path.
        attributes: texts of datasets by path, CLASS and NAME among them.
        scales: paths of the scales along the axes of a dataset, by its path.
        users: of a scale, the datasets and axes that it stands along.
    """

    def __init__(self, raw: bytes) -> None:
        self.raw, self.taken, self.room = raw, [(0, 512)], 0
        self.groups: dict[str, dict[str, Any]] = {}
        self.datasets: dict[str, np.ndarray] = {}
        self.attributes: dict[str, dict[str, str]] = {}
        self.scales: dict[str, tuple[str, ...]] = {}
        self.users: dict[str, list[tuple[str, int]]] = {}
        self.headers: dict[int, str] = {}
        self.references: dict[str, tuple[tuple[Place, ...], tuple[Place, ...]]] = {}
        marks = ["Source of the noise: the operating system", "TEST SEED - DO NOT PUBLISH"]
        seal = hashlib.sha256(raw[512:]).hexdigest()
        blocks = {BLOCK.format(seal, mark).encode().ljust(511) + b"\n": mark == marks[1] for mark in marks}
        must(raw[:512] in blocks)  # F1, F2
        self.seeded = blocks[raw[:512]]
        self.superblock()
        self.dimensions()
        self.taken.append((len(raw), len(raw)))
        for (_, end), (start, _) in itertools.pairwise(sorted(self.taken)):
            must(end <= start)
            must(not any(raw[end:start]))  # H1, H2
        must(2 * (sum(stop - start for start, stop in self.taken) - self.room) >= len(raw))

    def take(self, address: int, size: int) -> bytes:
        must(address + 512 + size <= len(self.raw))
        must(all(address + 512 != start for start, _ in self.taken))
        self.taken.append((address + 512, address + 512 + size))
        return self.raw[address + 512 : address + 512 + size]

    def superblock(self) -> None:
        block = self.take(0, 96)
        header, tree, heap = (struct.unpack_from("<Q", block, at)[0] for at in (64, 80, 88))
        fixed = bytes.fromhex("89 48 44 46 0d 0a 1a 0a 00 00 00 00 00 08 08 00 04 00 10 00 00 00 00 00")
        fixed += struct.pack("<4Q", 512, NOWHERE, len(self.raw), NOWHERE)
        must(block == fixed + struct.pack("<6Q", 0, header, 1, tree, heap, 0)[:24] + block[80:])  # H3
        self.group("/", header, tree, heap)

    def messages(self, address: int) -> list[tuple[int, int, bytes]]:  # H4
        prefix = self.take(address, 16)
        number, size = struct.unpack("<xxHxxxxIxxxx", prefix)
        must(prefix == struct.pack("<HHIII", 1, number, 1, size, 0))
        found, blocks, count = [], [(address + 16, size)], 0
        for place, length in blocks:
            block, at = self.take(place, length), 0
            while at < length:
                kind, size, flags, rest = struct.unpack("<HHB3s", block[at : at + 8])
                body = block[at + 8 : at + 8 + size]
                must(size % 8 == 0 and len(body) == size and rest == bytes(3))
                count, at = count + 1, at + 8 + size
                if kind == 0x10:
                    must(size == 16 and flags == 0)
                    blocks.append(struct.unpack("<QQ", body))
                else:
                    found.append((kind, flags, body))
        must(count == number)
        return found

    def attribute(self, body: bytes) -> tuple[str, int | bytes | tuple[Place, ...]]:  # H5
        length, of_type, of_space = struct.unpack_from("<xxHHH", body)
        raw_name = body[8 : 8 + length - 1]
        must(raw_name.isascii())
        name, at = raw_name.decode(), 8 + up(length)
        kind, at = body[at : at + of_type], at + up(of_type)
        space, raw = body[at : at + of_space], body[at + of_space :]
        value: int | bytes | tuple[Place, ...]
        if name in ("DIMENSION_LIST", "REFERENCE_LIST"):  # H16, H18
            number = struct.unpack_from("<8xQ", space)[0]
            must(of_space == 24 and space == struct.pack("<BBB5xQQ", 1, 1, 1, number, number) and number > 0)
            raw = raw[: 16 * number]
            must(len(raw) == 16 * number and kind == (REFERENCES if name == "DIMENSION_LIST" else PAIRS))
            if name == "DIMENSION_LIST":
                value = tuple(struct.iter_unpack("<4xQI", raw))
                must(raw == b"".join(struct.pack("<IQI", 1, *place) for place in value))
            else:
                value = tuple(struct.iter_unpack("<Qi4x", raw))
                must(raw == b"".join(struct.pack("<Qi4x", *place) for place in value))
        else:
            must(space == b"\1".ljust(8, b"\0"))
            if name in ("format_version", "encoding_version"):
                must(kind == bytes.fromhex("10 08 00 00 08 00 00 00 00 00 40 00"))
                raw = raw[:8]
                value = struct.unpack("<q", raw)[0]
            else:
                ended = name in ("CLASS", "NAME")
                raw = raw[: struct.unpack_from("<I", kind, 4)[0]]
                must(name in OF_GROUPS | OF_DATASETS)
                must(kind == struct.pack("<BBHI", 0x13, not ended, 0, len(raw)))
                value = raw[:-1] if ended else raw
                must(re.fullmatch(rb"[\x20-\x7e]+", value) and raw == value + b"\0" * ended)
        again = struct.pack("<HHHH", 1, length, of_type, of_space) + raw_name.ljust(up(length), b"\0")
        again += kind.ljust(up(of_type), b"\0") + space + raw
        must(body == again.ljust(up(len(again)), b"\0"))
        return name, value

    def attributes_of(self, messages: list[tuple[int, int, bytes]], known: set[str]) -> dict[str, Any]:
        must(all(message[:2] == (0xC, 0) for message in messages))
        found = dict(self.attribute(body) for _, _, body in messages)
        must(len(found) == len(messages) and set(found) <= known)
        return found

    def group(self, path: str, header: int, tree: int, heap: int) -> None:
        messages = self.messages(header)
        must(messages.count((0x11, 0, struct.pack("<QQ", tree, heap))) == 1)
        own = [message for message in messages if message[0] != 0x11]
        must(len(own) == len(messages) - 1 and path.count("/") <= 8)
        self.groups[path] = self.attributes_of(own, OF_GROUPS)
        names, last, seen = self.names(heap), 0, []
        for node, before, after in self.leaves(tree, 0, 8, 32):
            block = self.take(node, 328)
            number = struct.unpack_from("<H", block, 6)[0]
            must(block[:6] == b"SNOD\1\0" and 1 <= number <= 8 and not any(block[8 + 40 * number :]))
            must(struct.unpack("<Q", before)[0] == last)
            for entry in range(number):
                last, address, kind, zero, rest = struct.unpack_from("<QQII16s", block, 8 + 40 * entry)
                must(last in names and zero == 0)
                seen.append(names[last])
                below = f"{path.rstrip('/')}/{names[last].decode()}"
                if kind == 1:
                    self.group(below, address, *struct.unpack("<QQ", rest))
                else:
                    must(kind == 0 and rest == bytes(16))
                    self.dataset(below, address)
            must(struct.unpack("<Q", after)[0] == last)
        must(seen == sorted(set(seen)) and set(seen) == set(names.values()))  # H8

    def names(self, heap: int) -> dict[int, bytes]:  # H6, H7
        head = self.take(heap, 32)
        size, free, place = struct.unpack("<8xQQQ", head)
        block = self.take(place, size)
        must(head[:8] == b"HEAP\0\0\0\0" and block[:8] == bytes(8))
        end = size if free == 1 else free
        must(free == 1 or block[free:] == struct.pack("<QQ", 1, size - free).ljust(size - free, b"\0"))
        names, at = {}, 8
        while at < end:
            names[at] = name = block[at : block.index(b"\0", at)]
            must(re.fullmatch(rb"[A-Za-z0-9._~%-]+", name) and name.strip(b"."))
            stop = at + up(len(name) + 1)
            must(block[at:stop] == name.ljust(stop - at, b"\0"))
            at = stop
        must(at == end <= size)
        return names

    def leaves(self, root: int, kind: int, key: int, most: int) -> list[tuple[int, bytes, bytes]]:  # H8, H12
        level: list[tuple[int, bytes | None, bytes | None]] = [(root, None, None)]
        height = None
        while True:
            below = []
            for place, (address, before, after) in enumerate(level):
                node = self.take(address, 24 + most * (8 + key) + key)
                own, number = struct.unpack_from("<BH", node, 5)
                beside = [level[n][0] if 0 <= n < len(level) else NOWHERE for n in (place - 1, place + 1)]
                must(node[:24] == struct.pack("<4sBBHQQ", b"TREE", kind, own, number, *beside))
                must(height in (None, own) and number <= most)
                must(number > 0 or (root == address and kind == own == 0))
                height, end = own, 24 + number * (8 + key) + key
                keys = [node[at : at + key] for at in range(24, end, 8 + key)]
                must(not any(node[end:]) and (before is None or (keys[0], keys[-1]) == (before, after)))
                children = [node[at + key : at + key + 8] for at in range(24, end - key, 8 + key)]
                below += [
                    (int.from_bytes(child, "little"), *pair)
                    for child, pair in zip(children, itertools.pairwise(keys), strict=True)
                ]
            if height == 0:
                return below
            assert height is not None
            level, height = list(below), height - 1

    def described(self, path: str, messages: list[tuple[int, int, bytes]]) -> list[tuple[int, int, bytes]]:
        """Keep what a dataset says of itself, and return the other messages by their type."""
        empty = [message for message in messages if message[0] == 0]
        must(all(flags == 0 and not any(body) for _, flags, body in empty))
        must(len(empty) <= 8 and sum(len(body) for _, _, body in empty) <= 512)
        found = self.attributes_of([message for message in messages if message[0] == 0xC], OF_DATASETS)
        self.references[path] = (found.pop("DIMENSION_LIST", ()), found.pop("REFERENCE_LIST", ()))
        self.attributes[path] = {name: value.decode() for name, value in found.items()}
        if "CLASS" in found:
            must(found["CLASS"] == b"DIMENSION_SCALE" and "NAME" in found)
        return sorted(message for message in messages if message[0] not in (0, 0xC))

    def dimensions(self) -> None:  # H16, H17, H18
        places = [place for axes, _ in self.references.values() for place in axes]
        must(len(set(places)) == len(places))
        led_to: dict[Place, int] = {}
        for address in sorted({address for address, _ in places}):
            must(address + 528 <= len(self.raw))
            size = struct.unpack_from("<8xQ", self.raw, address + 512)[0]
            must(4096 <= size <= 65536)
            heap, at, number = self.take(address, size), 16, 0
            must(heap[:16] == struct.pack("<4sB3xQ", b"GCOL", 1, size))
            while at + 24 <= size and heap[at : at + 2] != b"\0\0":
                number, header = number + 1, struct.unpack_from("<16xQ", heap, at)[0]
                must(heap[at : at + 24] == struct.pack("<HHIQQ", number, 0, 0, 8, header))
                led_to[address, number], at = header, at + 24
            free = struct.pack("<8xQ", size - at) if size - at >= 16 else b""
            must(heap[at:] == free.ljust(size - at, b"\0"))
            self.room += size - at - len(free)
        must(set(led_to) == set(places))
        must(all(header in self.headers for header in led_to.values()))
        where = {path: header for header, path in self.headers.items()}
        self.users = {path: [] for path in self.datasets}
        for path in sorted(self.datasets, key=where.__getitem__):
            self.scales[path] = tuple(self.headers[led_to[place]] for place in self.references[path][0])
            for axis, scale in enumerate(self.scales[path]):
                self.users[scale].append((path, axis))
        for path, (_, stated) in self.references.items():
            must(list(stated) == [(where[user], axis) for user, axis in self.users[path]])

    def dataset(self, path: str, header: int) -> None:
        self.headers[header] = path
        messages = self.described(path, self.messages(header))
        in_chunks = [(0xB, 1)] * (len(messages) == 5)
        must([message[:2] for message in messages] == [(1, 0), (3, 1), (5, 1), (8, 0), *in_chunks])
        space, encoded, fill, layout, *filters = (body for _, _, body in messages)
        rank = space[1]
        shape = struct.unpack_from(f"<{rank}Q", space, 8)
        must(space == struct.pack(f"<BBB5x{2 * rank}Q", 1, rank, 1, *shape, *shape) and 1 <= rank <= 8)  # H9
        must(all(1 <= side < 2**31 for side in shape))
        kinds = [name for name, form in TYPES.items() if bytes.fromhex(form) == encoded]
        width = struct.unpack_from("<I", encoded, 4)[0]
        if not kinds:
            must(encoded == struct.pack("<BBHI", 0x13, 0x11, 0, width) and 1 <= width <= 4096)
        kind = kinds[0] if kinds else f"S{width}"
        size = math.prod(shape) * width
        if size <= 2048:
            must(fill == bytes.fromhex("02 01 02 01 00 00 00 00") and filters == [])
            must(
                layout == (struct.pack("<BBH", 3, 0, size) + layout[4 : 4 + size]).ljust(up(4 + size), b"\0")
            )
            self.datasets[path] = np.frombuffer(layout[4 : 4 + size], dtype=kind).reshape(shape)
            return
        must(fill == bytes.fromhex("02 03 02 01 00 00 00 00"))
        must(size <= 2**40 and filters == [bytes.fromhex(FILTERS.format(width))])  # H10
        cut = 0  # the axis that is cut
        while cut < rank - 1 and math.prod(shape[cut + 1 :]) * width > 2**20:
            cut += 1
        row = math.prod(shape[cut + 1 :]) * width
        chunk = (*[1] * cut, max(1, min(shape[cut], 2**20 // row)), *shape[cut + 1 :])  # H11
        index = struct.unpack_from("<Q", layout, 3)[0]
        form = struct.pack(f"<BBBQ{rank + 2 - 1}I", 3, 2, rank + 1, index, *chunk, width)
        must(layout == form.ljust(up(len(form)), b"\0"))
        found = self.leaves(index, 1, 16 + 8 * rank, 64)
        numbers = [-(-side // part) for side, part in zip(shape, chunk, strict=True)]
        must(len(found) == math.prod(numbers))
        pieces, stored, end = [], 0, (1,) * (rank + 1)
        for (address, key, _), number in zip(found, itertools.product(*map(range, numbers)), strict=True):
            size = struct.unpack_from("<I", key)[0]
            place = [n * part for n, part in zip(number, chunk, strict=True)]
            must(12 <= size <= math.prod(chunk) * width * 9 // 8 + 64)
            must(key == struct.pack(f"<II{rank + 1}Q", size, 0, *place, 0))
            values = self.chunk(address, size, math.prod(chunk), width)
            used = min(chunk[cut], shape[cut] - place[cut]) * row
            must(not any(values[used:]))  # H13
            pieces.append(values[:used])
            stored += size
            if (*number, 0) >= end:
                end = (*(n + 1 for n in number), 1)
        last = [n * part for n, part in zip(end, (*chunk, width), strict=True)]
        must(found[-1][2] == struct.pack(f"<II{rank + 1}Q", 0, 0, *last))
        must(math.prod(shape) * width <= max(4096, 1100 * stored))  # H12
        self.datasets[path] = np.frombuffer(b"".join(pieces), dtype=kind).reshape(shape)

    def chunk(self, address: int, size: int, values: int, width: int) -> bytes:  # H13, H14
        raw = self.take(address, size)
        stream, words = zlib.decompressobj(), raw[:-4] + b"\0" * (len(raw) % 2)
        low = high = 0
        for word in struct.unpack(f">{len(words) // 2}H", words):
            low += word
            high += low
        sums = [65535 if total and not total % 65535 else total % 65535 for total in (low, high)]
        must(raw[-4:] == struct.pack("<I", sums[1] << 16 | sums[0]))
        planes = stream.decompress(raw[:-4], values * width + 1)
        must(stream.eof and not stream.unused_data and len(planes) == values * width)
        return np.frombuffer(planes, np.uint8).reshape(width, values).T.tobytes()


def digest(array: np.ndarray) -> str:  # D1
    head = f"{array.dtype.str} [{', '.join(map(str, array.shape))}]\n"
    return hashlib.sha256(head.encode() + array.tobytes()).hexdigest()


def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
    must(len(dict(found)) == len(found))
    return dict(found)


def manifest_of(bundle: Bundle) -> dict[str, Any]:  # M1, M2
    raw = bundle.datasets["/manifest"].tobytes()
    found: dict[str, Any] = json.loads(raw, object_pairs_hook=pairs)
    must(
        raw.decode()
        == json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n"
    )
    return found


def check_grid(values: np.ndarray) -> None:  # V2
    for row in values:
        exponent = max(math.frexp(float(np.abs(row).max()))[1], -100)
        steps = row.astype(np.float64) / 2.0 ** (exponent - 22)
        # The largest may have been rounded up to the power of two itself.
        must((steps == np.rint(steps)).all() or np.abs(row).max() == 2.0 ** (exponent - 1))
        must(not (np.signbit(row) & (row == 0)).any())


def check_multiples(output: Output, people: np.ndarray) -> None:  # V2
    for number, lattice in enumerate(output.p["lattice"]):
        step = lattice or 2.0 ** (math.frexp(max(map(abs, output.bounds(number))))[1] - 22)
        values = people[..., number]
        must((values == (np.rint(values / step) * step).astype(np.float32)).all())


def check_scanpaths(output: Output, scanpaths: np.ndarray) -> None:  # V2
    steps = scanpaths * [8, 8, 1, 1]
    must((steps == np.rint(steps)).all())
    there = scanpaths[..., 3] > 0
    must((np.diff(there.astype(int), axis=-1) <= 0).all() and there[..., 0].all())
    must(not scanpaths[~there].any())
    sides = output.p["screen"]["width_px"], output.p["screen"]["height_px"]
    must((scanpaths[..., :2] < sides).all() and (scanpaths >= 0).all())
    must(((np.diff(scanpaths[..., 2], axis=-1) > 0) | ~there[..., 1:]).all())


def blurred(cells: np.ndarray, p: dict[str, Any]) -> np.ndarray:  # V1
    for axis, side in enumerate((p["screen"]["height_px"], p["screen"]["width_px"])):
        n = cells.shape[axis]
        u = np.arange(n)[:, None]
        rows = np.cos(math.pi * u * (np.arange(n) + 0.5) / n) * np.where(
            u, math.sqrt(2 / n), math.sqrt(1 / n)
        )
        kernel = rows.T @ (np.exp(-0.5 * (p["blur_px"] * math.pi * u / side) ** 2) * rows)
        cells = np.apply_along_axis(lambda one, kernel=kernel: kernel @ one, axis, cells)
    return cells


def onto_simplex(x: np.ndarray) -> np.ndarray:
    low, high = x.min() - 1, x.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(x - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(x - high, 0)


def rows_of(p: dict[str, Any], mechanism: str) -> np.ndarray:
    """What a step of a series is made of, shape (integers, steps)."""
    length, blocks = p["length"], []
    for start in range(0, length, p["chunk"] or length):
        steps = min(p["chunk"] or length, length - start)
        t, own = np.arange(steps), [np.full(steps, math.sqrt(1 / steps))]
        for f in range(1, min(p["coefficients"] or 0, steps // 2 + 1)):
            angle = 2 * math.pi * f * t / steps
            half = 2 * f == steps
            own += [math.sqrt((2 - half) / steps) * np.cos(angle)]
            own += [] if half else [math.sqrt(2 / steps) * np.sin(angle)]
        block = np.eye(steps) if mechanism == "lpa" else np.array(own)
        blocks.append(np.cumsum(block, axis=1) if mechanism == "dcfpa" else block)
    out = np.zeros((sum(len(block) for block in blocks), length))
    row = step = 0
    for block in blocks:
        out[row : row + len(block), step : step + block.shape[1]] = block
        row, step = row + len(block), step + block.shape[1]
    return out


def statistic(name: str, x: np.ndarray, f: dict[str, Any], people: int | None) -> np.ndarray:
    half, centre, whole = (f["high"] - f["low"]) / 2, (f["high"] + f["low"]) / 2, 32768
    if name == "count":
        return x / (2 * whole)
    if name == "sum":
        return x * (max(f["high"], 0) - min(f["low"], 0)) / (2 * whole)
    if name == "histogram":
        return x / (whole * (people or 1))
    if name == "mean" and people is not None:
        return centre + half * x / whole / people
    m = np.clip(x[:1] / max(x[1], whole), -1, 1)
    if name == "mean":
        return centre + half * m
    s = np.clip(x[2:] / max(x[1], whole), -1, 1)
    return half**2 * np.clip((s + 1) / 2 - m**2, 0, 1)


def variance_of_everyone(x: np.ndarray, f: dict[str, Any], people: int) -> np.ndarray:
    m, s = np.clip(x[:1] / (32768 * people), -1, 1), np.clip(x[1:] / (2 * 32768 * people), 0, 1)
    return ((f["high"] - f["low"]) / 2) ** 2 * np.clip(s - m**2, 0, 1)


class Output:
    """An output's entry in the manifest, and its items: what it has for one stimulus, one recording and feature, …"""

    def __init__(self, bundle: Bundle, entry: dict[str, Any]) -> None:
        self.bundle, self.name, self.kind = bundle, entry["name"], entry["kind"]
        self.mechanism, self.public = entry["mechanism"]["name"], entry["mechanism"]["public_inputs"]
        self.p, self.people = entry["mechanism"]["parameters"], entry["mechanism"]["public_inputs"]["people"]
        self.noise, self.paths = entry["noise"], entry["paths"]
        self.below = f"/outputs/{quoted(self.name)}"

    @property
    def places(self) -> list[list[str]]:
        features = [feature["name"] for feature in self.p.get("features", [])]
        if self.kind == "statistics":
            return [features] if self.p["groups"] is None else [self.p["groups"], features]
        none: list[list[str]] = []
        return {
            "signals": [self.p.get("recordings"), features],
            "records": none,
            "people": none,
            "scanpaths": none,
        }.get(self.kind, [self.p.get("stimuli")])

    @property
    def indices(self) -> list[tuple[int, ...]]:
        return list(itertools.product(*(range(len(labels)) for labels in self.places)))

    def item(self, name: str, index: tuple[int, ...]) -> np.ndarray:
        return self.bundle.datasets[f"{self.below}/{name}"][index]

    @property
    def everyone(self) -> bool:
        return self.p.get("everyone_in_every_group", False)

    @property
    def divisor(self) -> int | None:
        """The public number of people that statistics are divided by."""
        return self.people if self.p["groups"] is None or self.everyone else None

    def derived(self) -> Iterator[tuple[str, tuple[int, ...], np.ndarray]]:
        """What the page derives by formulas: dataset, item, values."""
        if self.mechanism != "spectral":
            for index in self.indices:
                yield from ((name, index, values) for name, values in self.formulas[self.kind](index))

    @property
    def formulas(self) -> dict[str, Callable[[tuple[int, ...]], Iterator[tuple[str, np.ndarray]]]]:
        """What the page derives by formulas for an item, by kind."""
        kinds = ("heatmap", "areas", "signals", "statistics")
        return {kind: getattr(self, kind) for kind in kinds} | {
            "records": lambda _: iter(()),
            "scanpaths": lambda _: iter(()),
            "people": self.synthetic_people,
        }

    def heatmap(self, index: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
        yield "heatmap", blurred(self.item("noisy", index) / (self.people or 1), self.p)

    def areas(self, index: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
        viewers = self.public["viewers"]
        seen = None if viewers is None else max(viewers[index[0]], 1) * 32768
        for name in ("dwell", "transitions")[: 1 + self.p["transitions"]]:
            x = self.item(f"{name}/noisy", index).astype(float)
            apart = ~np.eye(len(x), dtype=bool) if x.ndim == 2 else np.ones(len(x), dtype=bool)
            total = max(x[apart].sum(), 32768)
            if seen is not None:
                total = min(total, seen) if x.ndim == 2 else seen
            shares, error = np.zeros(x.shape), float(self.noise["standard_deviation"]) / total
            label = self.p["stimuli"][index[0]]
            there = np.array([not a["stimuli"] or label in a["stimuli"] for a in self.p["areas"]])
            apart &= there if x.ndim == 1 else np.outer(there, there)
            k = apart.sum()
            w = 1 / (1 + k * (k + 1) * error**2)
            shares[apart] = onto_simplex(1 / k + w * (x[apart] / total - 1 / k))
            error *= math.sqrt(w * (k - 1) / k)
            yield f"{name}/shares", shares
            if name == "dwell" and seen is not None:
                yield "dwell/uncertainty", np.array(error)

    def signals(self, index: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
        f = self.p["features"][index[1]]
        rows, step = rows_of(self.p, self.mechanism), (f["high"] - f["low"]) / 65536
        step /= 1 if self.p["query"] == "each" else self.people
        yield "values", (f["high"] + f["low"]) / 2 + step * (self.item("noisy", index) @ rows)
        spread = np.sqrt((rows**2).sum(axis=0))
        yield "uncertainty", step * float(self.noise["standard_deviation"]) * spread

    def statistics(self, index: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
        f = self.p["features"][index[-1]]
        for name in self.p["statistics"]:
            place = quoted(name)
            if name.startswith("quantile:"):
                width = (f["high"] - f["low"]) / self.p["quantile_steps"]
                yield f"{place}/value", f["low"] + width * (self.item(f"{place}/chosen", index) + 0.5)
                continue
            x = self.item(f"{place}/noisy", index).astype(float)
            if name == "variance" and self.everyone:
                assert self.people is not None
                yield f"{place}/value", variance_of_everyone(x, f, self.people)
            else:
                yield f"{place}/value", statistic(name, x, f, self.divisor)

    def synthetic_people(self, index: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
        if len(self.p["recordings"]) > 1:
            value = self.contrasts(self.item("noisy/dependence", index).astype(float))
            yield "contrasts/value", value
            reach = 1.96 * self.item("contrasts/uncertainty", index).astype(float)
            yield "contrasts/interval", np.stack([value - reach, value + reach], axis=-1)

    def contrasts(self, x: np.ndarray) -> np.ndarray:
        """Differences of recordings from the first, shape (C - 1, F)."""
        features, recordings = len(self.p["features"]), len(self.p["recordings"])
        pairs, design = features * (features - 1) // 2, self.p["design"]
        blocks = [pairs, pairs, *[1, features - 1] * 4, (recordings - 1) * features, 1]
        weight, centre = (
            np.repeat(design[name], blocks)[-blocks[-2] - 1 :] for name in ("block_weights", "block_centres")
        )
        radius = math.isqrt(math.floor(design["shares"][2] * self.p["radius_grid_units"] ** 2))
        unit = radius * weight * self.people
        q, e = x[-blocks[-2] - 1 :] / unit, float(self.noise["standard_deviation"]) / unit
        kept = (q[-1] / e[-1] ** 2 + 0.95 / 0.12**2) / (1 / e[-1] ** 2 + 1 / 0.12**2)
        m = q[:-1] / min(max(kept, 0.2), 1) + centre[:-1]
        h = np.zeros((recordings, recordings - 1))
        for j in range(recordings - 1):
            g = 1 / math.sqrt((j + 1) * (j + 2))
            h[: j + 1, j], h[j + 1, j] = g, -(j + 1) * g
        return (h[1:] - h[0]) @ m.reshape(recordings - 1, features)

    def bounds(self, number: int) -> tuple[float, float]:
        """Ends of what the bins of people's marginals cover."""
        f, step = self.p["features"][number], self.p["lattice"][number]
        if step is None:
            return f["low"], f["high"]
        first, last = math.ceil(f["low"] / step - 1e-9), math.floor(f["high"] / step + 1e-9)
        return (first - 0.5) * step, (last + 0.5) * step

    def edges(self) -> Iterator[tuple[str, tuple[int, ...], np.ndarray]]:
        """Dataset, item and edges of bins, bit for bit."""
        for index in self.indices if "histogram" in self.p.get("statistics", []) else []:
            f = self.p["features"][index[-1]]
            yield "histogram/edge", index, bin_edges(f["low"], f["high"], self.p["bins"])
        for number in range(len(self.p["features"]) if self.kind == "people" else 0):
            yield "marginals/edge", (number,), bin_edges(*self.bounds(number), self.p["bins"])

    def axes(self) -> dict[str, tuple[str, Any, str]]:  # C3
        """Name, coordinates and unit of every axis that there can be, by its place."""
        p, half = self.p, np.float64(0.5)
        axes: dict[str, tuple[str, Any, str]] = {
            "moment": ("moment", ["mean", "standard_deviation"], ""),
            "part": ("part", ["weight", "spread"], ""),
            "bound": ("bound", ["lower", "upper"], ""),
            "stimulus": ("stimulus", p.get("stimuli"), ""),
            "recording": ("recording", p.get("recordings"), ""),
            "feature": ("feature", [f["name"] for f in p.get("features", [])], ""),
            "group": ("group", p.get("groups"), ""),
            "step": ("step", range(p.get("length") or 0), "steps"),
            "time_s": ("time_s", np.arange(p.get("length") or 0) * (p.get("step_s") or 1.0), "s"),
            "series": ("series", range(1, (self.people or 1) + 1), ""),
            "bin": ("bin", range(p.get("bins") or 0), ""),
            "record": ("record", range(p.get("rows") or 0), ""),
            "coefficient": ("coefficient", None, ""),
            "contrasts/recording": ("recording", p.get("recordings", [])[1:], ""),
            "other_feature": ("other_feature", [f["name"] for f in p.get("features", [])], ""),
            "order": ("order", range(1, p.get("cosines", 0) + 1), ""),
            "number": ("number", None, ""),
            "person": ("person", range(1, p.get("synthetic_people", 0) + 1), ""),
            "window": ("window", range(1, (p.get("windows") or 0) + 1), ""),
        }
        for name in ("area", "from_area", "to_area"):
            axes[name] = (name, [area["name"] for area in p.get("areas") or []], "")
        for name in p.get("statistics", []):
            axes[f"{quoted(name)}/integer"] = ("integer", range(self.integers(name)), "")
        if self.kind == "scanpaths":
            axes |= self.scanpath_axes()
        if "sampling_seed" in p and "scanpaths" in p:
            axes |= self.axes_of_scanpaths()
        if self.kind in ("heatmap", "scanpaths"):
            for name, number, side in (("y_px", "rows", "height_px"), ("x_px", "columns", "width_px")):
                axes[name] = (name, (np.arange(p[number]) + half) * (p["screen"][side] / p[number]), "px")
            if p.get("frames") is not None:
                start, end = p["window"]
                middles = start + (np.arange(p["frames"]) + half) * ((end - start) / p["frames"])
                axes["time"] = ("time", middles, "")
        for form in p.get("attributes", []):
            name, missing = quoted(form["name"]), form["missing"]
            if form["labels"] is not None:
                coordinates = form["labels"] + ["missing"] * missing
            else:
                edges = bin_edges(form["low"], form["high"], form["categories"] - missing)
                middles = (edges[:-1] + edges[1:]) / 2
                coordinates = np.array([*middles, *[math.nan] * missing])
            axes[f"bin_{name}"] = (name, coordinates, "")
        return axes

    def scanpath_axes(self) -> dict[str, tuple[str, Any, str]]:
        screen, half = self.p["screen"], 0.5
        rows = min(max(2 * round(40 * screen["height_px"] / screen["width_px"]), 20), 160)
        axes: dict[str, tuple[str, Any, str]] = {
            f"cell_{name}_px": (f"cell_{name}_px", (np.arange(cells) + half) * (screen[side] / cells), "px")
            for name, cells, side in (("y", rows, "height_px"), ("x", 80, "width_px"))
        }
        for place, cells in COORDINATES.items():
            name = place.partition("/")[2]
            axes[place] = (
                name,
                coordinate(name, self.p["prior_flat"], (np.arange(cells) + half) / cells),
                "",
            )
        axes["order/first_fixation"] = ("first_fixation", np.array([1, 2, 3, 4, 6, 9], dtype="<i4"), "")
        axes["block"] = ("block", ["saccades", "turns", "durations", "trials", "starts", "order"], "")
        return axes

    def axes_of_scanpaths(self) -> dict[str, tuple[str, Any, str]]:
        most = (
            self.p["tokens"]["fixations"] if "tokens" in self.p else math.floor(10 * self.p["viewing_time_s"])
        )
        return {
            "scanpath": ("scanpath", range(1, self.p["scanpaths"] + 1), ""),
            "fixation": ("fixation", range(1, most + 1), ""),
            "value": ("value", ["x_px", "y_px", "onset_ms", "duration_ms"], ""),
        }

    def integers(self, name: str) -> int:
        several = {"histogram": self.p["bins"], "mean": 1 + (self.divisor is None)}
        return {**several, "variance": 3 - self.everyone}.get(name, 1)

    def spectral_maps(self) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        noisy, p = "<i4 <i8", self.p
        mass = "effective number of participants that the integers are divided by"
        density = "relative fixation density (1 = uniform)"
        cells = ["stimulus", *["time"] * (p.get("frames") is not None), "y_px", "x_px"]
        yield "noisy", noisy, ["stimulus", "coefficient"], "noisy", "weighted cosine coefficients", ""
        yield "normalization", "<f4", ["stimulus", "moment"], "normalization", mass, "people"
        if p["prior"] == "maps":
            words = "cosine coefficients of the public map, times 1048576"
            yield "public_map", "<i4", ["stimulus", "coefficient"], "public", words, ""
            words = (
                "weight of the public maps, and variance about them relative to that about the centre bias"
            )
            yield "belief", "<f4", ["part"], "model", words, ""
        yield "heatmap", "<f4", cells, "estimate", density, ""
        yield "uncertainty", "<f4", cells, "uncertainty", f"standard deviation of the {density}", ""

    def maps_called_for(self) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        if self.mechanism == "spectral":
            yield from self.spectral_maps()
            return
        cells = ["stimulus", "y_px", "x_px"]
        counts = "counts per participant" if self.people else "counts"
        yield "noisy", "<i4 <i8", cells, "noisy", "noisy counts", ""
        yield "heatmap", "<f4", cells, "estimate", counts, ""

    def called_for(self) -> Iterator[tuple[str, str, list[str], str, str, str]]:  # C2
        """Dataset, types, places of its axes, role, name in words, unit."""
        noisy, p = "<i4 <i8", self.p
        mass = "effective number of participants that the integers are divided by"
        if self.kind == "heatmap":
            yield from self.maps_called_for()
        elif self.kind == "areas":
            integers = "noisy grid units that participants divide"
            looking, moves = ["stimulus", "area"], ["stimulus", "from_area", "to_area"]
            of_looking = "proportion of looking"
            yield "dwell/noisy", noisy, looking, "noisy", integers, ""
            yield "dwell/shares", "<f4", looking, "estimate", of_looking, ""
            if self.public["viewers"] is not None:
                words = f"standard deviation of the error in each {of_looking}, before impossible ones are corrected"
                yield "dwell/uncertainty", "<f4", ["stimulus"], "uncertainty", words, ""
            if p["transitions"]:
                yield "transitions/noisy", noisy, moves, "noisy", integers, ""
                words = "proportion of all moves on the stimulus"
                yield "transitions/shares", "<f4", moves, "estimate", words, ""
        elif self.kind == "signals":
            yield from self.signals_called_for(mass)
        elif self.kind == "statistics":
            for name in p["statistics"]:
                yield from self.statistic_called_for(name)
        elif self.kind == "people":
            yield from self.people_called_for()
        elif self.kind == "scanpaths":
            yield from self.spectral_maps()
            yield from self.scanpaths_called_for()
        else:
            yield from self.records_called_for()

    def signals_called_for(self, mass: str) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        places, each = ["recording", "feature"], ["series"] * (self.p["query"] == "each")
        of_feature = "in the unit of the feature"
        step = "step" if self.p["step_s"] is None else "time_s"
        (unit, *others) = {feature["unit"] or "" for feature in self.p["features"]}
        unit = "" if others or not unit.isascii() else unit
        change = " change" if self.p.get("baseline", "none") != "none" else ""
        words = f"value {of_feature}" if each else f"mean{change} {of_feature}"
        axes = [*places, *each, "coefficient"]
        yield "noisy", "<i4 <i8", axes, "noisy", "noisy coefficients", ""
        what = "error" if self.mechanism == "spectral" else "noise"
        deviation = f"standard deviation of the {what}, {of_feature}"
        yield "uncertainty", "<f4", [*places, step], "uncertainty", deviation, unit
        if self.mechanism == "spectral":
            yield "normalization", "<f4", [*places, "moment"], "normalization", mass, "people"
        yield "values", "<f4", [*places, *each, step], "estimate", words, unit

    def statistic_called_for(self, name: str) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        place, places = quoted(name), ["group", "feature"][self.p["groups"] is None :]
        square = "the square of " * (name == "variance")
        words = f"{name} over participants, in {square}the unit of the feature"
        if name in ("count", "histogram"):
            shares = name == "histogram" and self.divisor is not None
            words = f"{'proportion' if shares else 'number'} of participants"
        bins = ["bin"] * (name == "histogram")
        yield f"{place}/value", "<f4", [*places, *bins], "estimate", words, ""
        if name.startswith("quantile:"):
            yield f"{place}/chosen", "<i4", places, "choice", "number of the chosen interval", ""
            if self.p.get("quantile_intervals") and (self.divisor or "count" in self.p["statistics"]):
                words = "end of the interval that holds the exact value in 95 of 100 releases, if the data are like one of the public shapes"
                yield f"{place}/interval", "<f4", [*places, "bound"], "interval", words, ""
            return
        integers = f"{place}/integer"
        yield f"{place}/noisy", "<i4 <i8", [*places, integers], "noisy", "noisy sums in grid units", ""
        words = "end of the interval that holds the value without noise in 95 of 100 releases"
        yield f"{place}/interval", "<f4", [*places, *bins, "bound"], "interval", words, ""
        if bins:
            words = "edge of the bin in the unit of the feature; only the last bin holds its upper one"
            yield f"{place}/edge", "<f8", [*places, "bin", "bound"], "coordinate", words, ""

    def people_called_for(self) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        sums = "noisy sums in grid units"
        for name, axes in (
            ("coarse", ["feature", "order"]),
            ("fine", ["feature", "order"]),
            ("dependence", ["number"]),
        ):
            yield f"noisy/{name}", "<i4 <i8", axes, "noisy", sums, ""
        yield "marginals/density", "<f4", ["feature", "bin"], "estimate", "probability", ""
        words = "edge of the bin in the unit of the feature"
        yield "marginals/edge", "<f8", ["feature", "bin", "bound"], "coordinate", words, ""
        effects, pairs = ["recording", "feature"], ["feature", "other_feature"]
        for name, axes, words in (
            ("intraclass", ["feature"], "share of the variance between people"),
            ("autocorrelation", ["feature"], "correlation of successive windows about a person's level"),
            ("slopes", ["feature"], "share of the variance within people that is between recordings"),
            ("effects", effects, "effect of the recording on normal numbers of unit variance, shrunk"),
            ("between", pairs, "correlation of people's levels"),
            ("within", pairs, "correlation of values about a person's level"),
        ):
            yield f"{name}/value", "<f4", axes, "estimate", words, ""
        axes = ["person", "recording", "window", "feature"]
        yield "people", "<f4", axes, "record", "synthetic value in the unit of the feature", ""
        if len(self.p["recordings"]) > 1:
            axes = ["contrasts/recording", "feature"]
            words = "difference from the first recording in standard deviations"
            yield "contrasts/value", "<f4", axes, "estimate", words, ""
            words = "standard error of the difference, of noise, sampling and clipping"
            yield "contrasts/uncertainty", "<f4", axes, "uncertainty", words, ""
            words = "end of the interval that holds the population's difference in about 95 of 100 releases"
            yield "contrasts/interval", "<f4", [*axes, "bound"], "interval", words, ""

    def scanpaths_called_for(self) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        cells = ["stimulus", "cell_y_px", "cell_x_px"]
        weight = "logarithm of the weight, base 2, relative to the largest"
        yield "density", "<f4", cells, "model", "probability that a fixation is in the cell", ""
        yield "dynamics/noisy", "<i4 <i8", ["number"], "noisy", "noisy sums in grid units", ""
        blocks: dict[str, list[str]] = {}
        for place in ("order/first_fixation", *COORDINATES):
            blocks.setdefault(place.partition("/")[0], []).append(place)
        for block, places in blocks.items():
            yield f"{block}/density", "<f4", places, "model", "probability", ""
        words = "share of what is unknown without data that was learnt"
        yield "learnt", "<f4", ["block"], "model", words, ""
        for name, places in (
            ("first_order/attraction", cells),
            ("chain/start", cells),
            ("chain/attraction", cells),
            ("first_order/kernel", blocks["saccades"]),
            ("chain/kernel", blocks["saccades"]),
            ("chain/turns", blocks["turns"]),
            ("chain/order", blocks["order"]),
        ):
            yield name, "<f4", places, "model", weight, ""
        yield SCANPATHS

    def records_called_for(self) -> Iterator[tuple[str, str, list[str], str, str, str]]:
        for form in self.p["attributes"]:
            name, missing = quoted(form["name"]), ", the last one if it is missing" * form["missing"]
            kind = next(f"i{n}" for n in (1, 2, 4) if form["categories"] <= 2 ** (8 * n - 1))
            kind = np.dtype(f"<{kind}").str
            yield f"category/{name}", kind, ["record"], "record", f"number of the category{missing}", ""
            if form["labels"] is None:
                words = "a value in the bin of the category, at a public place in it that means nothing"
                stated = form["unit"]
                unit = stated if stated and stated.isascii() else unit_of(form["name"])
                yield f"value/{name}", "<f8", ["record"], "record", words, unit
        if self.p["fit"] == "dp":
            names = [quoted(form["name"]) for form in self.p["attributes"]]
            first, others = (names[:1], names[1:]) if self.p["per_task"] else ([], names)
            together = 2 if self.p["dependence"] == "tree" and len(others) > 1 else 1
            words = "noisy count, in which 32768 are one participant"
            sets = [[*first, *others_of] for others_of in itertools.combinations(others, together)]
            if "tokens" in self.p:
                m = self.p["tokens"]["fixations"]
                cells, durations = names[1 : m + 1], names[m + 1 :]
                pairs = [list(pair) for pair in itertools.pairwise(cells)] or [cells]
                sets = [*([names[0], *pair] for pair in pairs), *([name] for name in durations)]
            for members in sets:
                axes = [f"bin_{name}" for name in members]
                yield "/".join(["noisy", *members]), "<i4 <i8", axes, "noisy", words, ""
        if "tokens" in self.p:
            yield SCANPATHS


def unit_of(name: str) -> str:  # C2
    ending = re.search(r"(?:[ _.]|\[|\()([A-Za-z]+)[\])]?$", name)
    units = ("px", "mm", "cm", "um", "s", "ms", "us", "ns", "deg", "rad", "Hz", "kHz")
    by_ending = {unit.lower(): unit for unit in units} | {"percent": "%"}
    return by_ending.get(ending[1].lower(), "") if ending else ""


def bin_edges(low: float, high: float, bins: int) -> np.ndarray:
    return np.array([low + i * ((high - low) / bins) for i in range(bins)] + [high])


SCANPATHS = (
    "scanpaths",
    "<f4",
    ["stimulus", "scanpath", "fixation", "value"],
    "record",
    "place in px and time in ms of a synthetic fixation, all 0 after the last one",
    "",
)
COORDINATES = {
    "saccades/amplitude": 24,
    "saccades/direction": 16,
    "turns/ratio": 12,
    "turns/turn": 12,
    "durations/duration_ms": 60,
    "trials/rate_per_s": 40,
    "trials/fixated_share": 40,
    "starts/first_x": 40,
    "starts/first_y": 30,
    "order/level": 12,
}


def coordinate(name: str, flat: float, u: np.ndarray) -> np.ndarray:  # C3
    """Values at u, as the page names the file: found by halving."""
    text = (Path(synthrelease.__file__).parent / "kinds/scanpaths/dynamics_prior.json").read_text()
    known = json.loads(text)["coordinates"][name]
    warp = {"even": lambda v: v, "logarithm": np.log, "amplitude": lambda v: np.log1p(v / 0.05)}[
        known["warp"]
    ]
    low, high, quantiles = known["low"], known["high"], np.array(known["quantiles"])
    quantiles = np.maximum.accumulate(
        quantiles + 1e-9 * (quantiles[-1] - quantiles[0]) * np.arange(quantiles.size)
    )

    def share(v: np.ndarray) -> np.ndarray:
        public = np.interp(v, quantiles, np.linspace(0, 1, quantiles.size))
        return (1 - flat) * public + flat * (warp(v) - warp(low)) / (warp(high) - warp(low))

    ends = share(np.array([low, high]))
    below, above = np.full(u.shape, low), np.full(u.shape, high)
    for _ in range(60):
        middle = (below + above) / 2
        is_below = (share(middle) - ends[0]) / (ends[1] - ends[0]) < u
        below, above = np.where(is_below, middle, below), np.where(is_below, above, middle)
    return (below + above) / 2


def stored(coordinates: Any) -> np.ndarray:  # C3
    if isinstance(coordinates, np.ndarray):
        return coordinates if coordinates.dtype == "<i4" else coordinates.astype("<f8")
    if isinstance(coordinates, range):
        return np.array(coordinates, dtype="<i4")
    labels = [label.encode() for label in coordinates]
    return np.array(labels, dtype=f"S{max(map(len, labels))}")


def quoted(label: str) -> str:  # H7
    name = quote(label, safe="")
    return name.replace(".", "%2E") if set(name) == {"."} else name


def record_values(form: dict[str, Any], categories: np.ndarray) -> np.ndarray:  # V3
    bins, low, high, mask = form["categories"] - form["missing"], form["low"], form["high"], 2**64 - 1
    edges = bin_edges(low, high, bins).tolist()
    start = int.from_bytes(hashlib.sha256(form["name"].encode()).digest()[:8], "little")
    out = []
    for i, category in enumerate(categories.tolist()):
        z = ((i + 1) * 0x9E3779B97F4A7C15 + start) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        if category == bins:
            out.append(struct.unpack("<d", bytes.fromhex("7ff8000000000000")[::-1])[0])
            continue
        left, right = edges[category], edges[category + 1]
        out.append(min(left + (z >> 11) * 2.0**-53 * (right - left), math.nextafter(right, -math.inf)))
    return np.array(out)


BUNDLES = sorted((Path(__file__).parents[1] / "golden" / "bundles").glob("*.h5"))
each = pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.name)


@each
def test_what_the_page_says_is_what_ours_and_the_library_read(path: Path) -> None:
    other = Bundle(path.read_bytes())
    manifest = manifest_of(other)
    with BundleFile(path) as ours:
        assert manifest == ours.manifest()
        assert set(other.datasets) == set(ours.anatomy.datasets)
        assert other.groups == ours.anatomy.groups
        for name, form in ours.anatomy.datasets.items():
            array, found = ours.array(name), other.datasets[name]
            assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
            named = {"CLASS": "DIMENSION_SCALE", "NAME": form.axis} if form.axis else {}
            assert other.attributes[name] == {**form.attributes, **named}
            assert other.scales[name] == form.scales
    assert manifest["manifest_version"] == 1
    assert other.seeded == manifest["randomness"]["test_seed"]
    assert set(other.datasets) - {"/manifest"} == set(manifest["digests"])
    groups = {"/"}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: groups.add(f"/{name}") if isinstance(item, h5py.Group) else None)
        assert set(other.groups) == groups
        for group, attributes in other.groups.items():
            assert attributes == dict(file[group].attrs)
        for name, array in other.datasets.items():
            seen = file[name]
            assert digest(array) == manifest["digests"].get(name, digest(array))
            assert array.dtype == seen.dtype
            assert np.array_equal(array, seen[()], equal_nan=array.dtype.kind == "f")
            texts = {key: value.decode() for key, value in seen.attrs.items() if isinstance(value, bytes)}
            assert other.attributes[name] == texts
            axes = seen.attrs.get("DIMENSION_LIST", ())
            assert other.scales[name] == tuple(file[axis[0]].name for axis in axes)
            users = seen.attrs.get("REFERENCE_LIST", ())
            assert other.users[name] == [(file[user].name, axis) for user, axis in users]


@each
def test_a_file_holds_what_the_page_calls_for(path: Path) -> None:
    bundle = Bundle(path.read_bytes())
    manifest = manifest_of(bundle)
    root = {"format": b"synthrelease", "format_version": 1}
    groups: dict[str, Any] = {"/": root, "/outputs": {}}
    paths = {"/manifest"}
    assert (bundle.attributes["/manifest"], bundle.scales["/manifest"]) == ({}, ())
    for entry in manifest["outputs"]:
        output = Output(bundle, entry)
        kind = output.kind.encode()
        groups[output.below] = {"encoding_type": kind, "encoding_version": 1}
        paths |= check_called_for(output)
    assert set(bundle.datasets) == paths
    for name in paths - {"/manifest"}:
        for above in itertools.accumulate(
            name.split("/")[1:-1], lambda one, part: f"{one}/{part}", initial=""
        ):
            groups.setdefault(above or "/", {})
    assert bundle.groups == groups


def check_called_for(output: Output) -> set[str]:
    """Check datasets and axes of an output, and return their paths."""
    bundle, known, axes, paths = output.bundle, output.axes(), set(), set()
    for name, kinds, places, role, words, unit in output.called_for():
        place = f"{output.below}/{name}"
        units = {"units": unit} if unit else {}
        assert bundle.attributes[place] == {"role": role, "long_name": words, **units}
        assert bundle.scales[place] == tuple(f"{output.below}/{axis}" for axis in places)
        array = bundle.datasets[place]
        assert array.dtype.str in kinds.split()
        assert array.shape == tuple(len(bundle.datasets[axis]) for axis in bundle.scales[place])
        paths.add(place)
        axes |= set(places)
    for axis in axes:
        place, (name, coordinates, unit) = f"{output.below}/{axis}", known[axis]
        units = {"units": unit} if unit else {}
        assert bundle.attributes[place] == {"CLASS": "DIMENSION_SCALE", "NAME": name, **units}
        array = bundle.datasets[place]
        due = stored(range(len(array)) if coordinates is None else coordinates)
        if axis in COORDINATES:  # a table through which the program interpolates
            np.testing.assert_allclose(array, due, rtol=2e-4, atol=1e-6)
            due = array.astype("<f8")
        assert (array.dtype, array.tobytes()) == (due.dtype, due.tobytes()), place
        paths.add(place)
    assert output.paths == sorted(paths)
    return paths


@each
def test_values_keep_to_what_the_page_says(path: Path) -> None:
    bundle = Bundle(path.read_bytes())
    for entry in manifest_of(bundle)["outputs"]:
        output = Output(bundle, entry)
        for name in output.paths:
            array = bundle.datasets[name]
            dataset = name.removeprefix(f"{output.below}/")
            if output.kind == "people" and dataset == "people":
                check_multiples(output, array)
            elif output.kind == "scanpaths" and dataset.startswith(("first_order/", "chain/")):
                assert (array * 64 == np.rint(array * 64)).all()
            elif dataset == "scanpaths":
                check_scanpaths(output, array)
            elif array.dtype == np.float32:
                check_grid(array.reshape(grids(output, name, array), -1))
        for form in output.p.get("attributes", []):
            attribute = quoted(form["name"])
            places = [f"category/{attribute}", f"value/{attribute}"]
            if form["labels"] is None:
                categories, values = (bundle.datasets[f"{output.below}/{place}"] for place in places)
                assert record_values(form, categories).tobytes() == values.tobytes()


def grids(output: Output, path: str, array: np.ndarray) -> int:  # V2
    by_rows = output.p.get("query") == "each" and path.endswith("/values")
    name = path.removeprefix(f"{output.below}/")
    if output.kind == "scanpaths":
        by_stimulus = ("density", "heatmap", "uncertainty", "normalization")
        return len(array) if name in by_stimulus else 1
    if name in ("dwell/uncertainty", "between/value", "within/value"):
        return 1
    if output.kind == "people":
        return (
            len(array)
            if name == "marginals/density"
            else array[..., :1].size
            if name == "contrasts/interval"
            else array.size
        )
    return math.prod(array.shape[: len(output.places) + by_rows])


@each
def test_what_is_derived_follows_from_the_integers_as_the_page_says(path: Path) -> None:
    bundle, number = Bundle(path.read_bytes()), 0
    for entry in manifest_of(bundle)["outputs"]:
        output = Output(bundle, entry)
        for name, index, exact in output.derived():
            found, number = output.item(name, index).reshape(exact.shape), number + 1
            assert np.abs(found - exact).max() <= 2.0**-21 * np.abs(exact).max(), (name, index)
        for name, index, edges in output.edges():
            due = np.stack([edges[:-1], edges[1:]], axis=1)
            assert output.item(name, index).tobytes() == due.tobytes()
    by_source = (
        "records",
        "spectral",
        "scanpaths",
    )  # kind, or mechanism, of what the page names source files for
    entries = [(entry["kind"], entry["mechanism"]["name"]) for entry in manifest_of(bundle)["outputs"]]
    assert number > 0 or all(set(entry) & set(by_source) for entry in entries)


def changed(body: bytes, rng: np.random.Generator) -> bytes:
    """A bit, a byte that means something, or a word from elsewhere: mostly where there is something."""
    out, place = bytearray(body), int(rng.integers(len(body)))
    if rng.random() < 0.7:
        place = int(rng.choice(np.flatnonzero(np.frombuffer(body, np.uint8))))
    what = rng.integers(3)
    if what == 0:
        out[place] ^= 1 << rng.integers(8)
    elif what == 1:
        out[place] = int(rng.choice([0, 1, 8, 16, 96, 128, 255]))
    else:
        source = int(rng.integers(len(body) // 8)) * 8
        out[place // 8 * 8 : place // 8 * 8 + 8] = out[source : source + 8]
    return bytes(out)


@pytest.mark.thorough
def test_both_readers_refuse_the_same_files_though_they_are_sealed_anew(tmp_path: Path) -> None:
    """What neither refuses is among what a writer may choose, or a name, a shape, an attribute, that the manifest decides on."""
    names = ("areas", "statistics")
    originals = [path.read_bytes() for path in BUNDLES if path.stem in names]
    rng, refused, path = np.random.default_rng(3), 0, tmp_path / "r.h5"
    for number in range(1200):
        original = originals[number % len(names)]
        body = changed(original[512:], rng)
        seal = hashlib.sha256(body).hexdigest()
        block = BLOCK.format(seal, "Source of the noise: the operating system").encode().ljust(511) + b"\n"
        path.write_bytes(block + body)
        try:
            other = Bundle(block + body)
        except (ValueError, struct.error, zlib.error, IndexError):
            refused += 1
            with BundleFile(path) as file, pytest.raises(BundleError):
                [file.array(name) for name in file.anatomy.datasets]
            continue
        with BundleFile(path) as file:
            assert file.anatomy.groups == other.groups
            assert {name: file.array(name).tobytes() for name in file.anatomy.datasets} == {
                name: array.tobytes() for name, array in other.datasets.items()
            }
    assert refused > 900
