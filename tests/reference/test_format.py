"""Another reader of bundles, written from docs/format.md alone: it finds in every golden bundle what ours and HDF5's library find.

It reads formats 2 and 1. It is short, slow and strict. Numbers in brackets are the rules of that page. If it has to know anything that does not
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
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import h5py
import numpy as np
import pytest

import synthrelease
from synthrelease.bundle.bundle_file import BundleFile  # ours, to be compared
from synthrelease.errors import BundleError

NOWHERE = 2**64 - 1
MANIFESTS = {1: (1, 2), 2: (3,)}  # versions of manifests by that of the bundle
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
BLOCK = """synthrelease bundle {}
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
        raise ValueError("no bundle of version 1 or 2")


def up(size: int) -> int:
    return -(-size // 8) * 8


class Bundle:
    """What is in a file.

    Attributes:
        version: of the format, and `seeded` whether there was a test seed: both as the text block says.
        groups: attributes by path.
        datasets: arrays by path.
        attributes: texts of datasets by path, CLASS and NAME among them.
        scales: paths of the scales along the axes of a dataset, by its path.
        users: of a scale, the datasets and axes that it stands along.
    """

    def __init__(self, raw: bytes) -> None:
        self.raw, self.taken = raw, [(0, 512)]
        self.groups: dict[str, dict[str, Any]] = {}
        self.datasets: dict[str, np.ndarray] = {}
        self.attributes: dict[str, dict[str, str]] = {}
        self.scales: dict[str, tuple[str, ...]] = {}
        self.users: dict[str, list[tuple[str, int]]] = {}
        self.headers: dict[int, str] = {}
        self.references: dict[str, tuple[tuple[Place, ...], tuple[Place, ...]]] = {}
        marks = ["Source of the noise: the operating system", "TEST SEED - DO NOT PUBLISH"]
        seal = hashlib.sha256(raw[512:]).hexdigest()
        blocks = {
            BLOCK.format(version, seal, mark).encode().ljust(511) + b"\n": (version, mark == marks[1])
            for version in MANIFESTS
            for mark in marks
        }
        must(raw[:512] in blocks)  # F1, F2
        self.version, self.seeded = blocks[raw[:512]]
        self.superblock()
        self.dimensions()
        self.taken.append((len(raw), len(raw)))
        for (_, end), (start, _) in itertools.pairwise(sorted(self.taken)):
            must(end <= start)
            must(not any(raw[end:start]))  # H1, H2
        must(2 * sum(stop - start for start, stop in self.taken) >= len(raw))

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

    def described(self, path: str, attributes: list[tuple[int, int, bytes]]) -> None:
        found = self.attributes_of(attributes, OF_DATASETS)
        self.references[path] = (found.pop("DIMENSION_LIST", ()), found.pop("REFERENCE_LIST", ()))
        self.attributes[path] = {name: value.decode() for name, value in found.items()}
        if "CLASS" in found:
            must(found["CLASS"] == b"DIMENSION_SCALE" and "NAME" in found)

    def dimensions(self) -> None:  # H16, H17, H18
        places = [place for axes, _ in self.references.values() for place in axes]
        must(len(set(places)) == len(places))
        led_to: dict[Place, int] = {}
        for address in sorted({address for address, _ in places}):
            size = struct.unpack_from("<8xQ", self.raw, address + 512)[0]
            must(size >= 4096)
            heap, at, number = self.take(address, size), 16, 0
            must(heap[:16] == struct.pack("<4sB3xQ", b"GCOL", 1, size))
            while at + 24 <= size and heap[at : at + 2] != b"\0\0":
                number, header = number + 1, struct.unpack_from("<16xQ", heap, at)[0]
                must(heap[at : at + 24] == struct.pack("<HHIQQ", number, 0, 0, 8, header))
                led_to[address, number], at = header, at + 24
            free = struct.pack("<8xQ", size - at) if size - at >= 16 else b""
            must(heap[at:] == free.ljust(size - at, b"\0"))
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
        messages = self.messages(header)
        must(all(flags == 0 and not any(body) for kind, flags, body in messages if kind == 0))
        self.described(path, [message for message in messages if message[0] == 0xC])
        messages = sorted(message for message in messages if message[0] not in (0, 0xC))
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
        while self.version > 1 and cut < rank - 1 and math.prod(shape[cut + 1 :]) * width > 2**20:
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


def derived(bundle: Bundle, output: dict[str, Any]) -> dict[str, np.ndarray]:
    """What the page derives of an output by formulas, by path."""
    mechanism, kind, out = output["mechanism"], output["kind"], {}
    p, people = mechanism["parameters"], mechanism["public_inputs"]["people"]
    if mechanism["name"] == "spectral" or p.get("calibration") == "bozkir2021":
        return {}
    for path in output["paths"]:
        parts, x = path.split("/")[3:], bundle.datasets[path].astype(float)
        beside = path.rsplit("/", 1)[0]
        if parts[-1] == "noised" and kind == "heatmap":
            out[f"{beside}/heatmap"] = blurred(x / (people or 1), p)
        elif parts[-1] == "noised" and kind == "areas":
            viewers = mechanism["public_inputs"]["viewers"]
            seen = None if viewers is None else max(viewers[p["stimuli"].index(unquote(parts[0]))], 1) * 32768
            apart = ~np.eye(len(x), dtype=bool) if x.ndim == 2 else np.ones(len(x), dtype=bool)
            total = max(x[apart].sum(), 32768)
            if seen is not None:
                total = min(total, seen) if x.ndim == 2 else seen
            out[f"{beside}/shares"] = np.zeros(x.shape)
            out[f"{beside}/shares"][apart] = onto_simplex(x[apart] / total)
        elif parts[-1] == "noised" and kind == "signals":
            (f,) = (f for f in p["features"] if f["name"] == unquote(parts[1]))
            rows, step = rows_of(p, mechanism["name"]), (f["high"] - f["low"]) / 65536
            step /= 1 if p["query"] == "each" else people
            out[f"{beside}/values"] = (f["high"] + f["low"]) / 2 + step * (x @ rows)
            spread = np.sqrt((rows**2).sum(axis=0))
            out[f"{beside}/uncertainty"] = step * float(output["noise"]["standard_deviation"]) * spread
        elif kind == "statistics":
            (f,) = (f for f in p["features"] if f["name"] == unquote(parts[-2]))
            if parts[-1] == "noised":
                told = None if p["by"] is not None else people
                out[f"{beside}/value"] = statistic(unquote(parts[0]), x, f, told)
            elif parts[-1] == "chosen":
                width = (f["high"] - f["low"]) / p["quantile_steps"]
                out[f"{beside}/value"] = f["low"] + width * (x + 0.5)
    return out


def record_values(form: dict[str, Any], categories: np.ndarray) -> np.ndarray:  # V3
    bins, low, high, mask = form["categories"] - form["missing"], form["low"], form["high"], 2**64 - 1
    edges = [low + i * ((high - low) / bins) for i in range(bins)] + [high]
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
    other, ours = Bundle(path.read_bytes()), synthrelease.open_bundle(path, allow_test_seed=True)
    manifest = manifest_of(other)
    assert manifest == ours.manifest
    assert other.seeded == manifest["randomness"]["test_seed"]
    assert set(other.datasets) - {"/manifest"} == set(manifest["digests"])
    for name in ours.names:
        for key, array in ours[name].items():
            found = other.datasets[f"/outputs/{name}/{key}"]
            assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())
    groups = {"/"}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: groups.add(f"/{name}") if isinstance(item, h5py.Group) else None)
        assert set(other.groups) == groups
        for group, attributes in other.groups.items():
            assert attributes == dict(file[group].attrs)
        for name, array in other.datasets.items():
            assert digest(array) == manifest["digests"].get(name, digest(array))
            assert array.dtype == file[name].dtype
            assert np.array_equal(array, file[name][()], equal_nan=array.dtype.kind == "f")


@each
def test_values_keep_to_what_the_page_says(path: Path) -> None:
    bundle = Bundle(path.read_bytes())
    for output in manifest_of(bundle)["outputs"]:
        parameters = output["mechanism"]["parameters"]
        by_rows = parameters.get("query") == "each"
        assert output["paths"] == sorted(output["paths"])
        for name in output["paths"]:
            array = bundle.datasets[name]
            if array.dtype == np.float32 and parameters.get("calibration") != "bozkir2021":
                check_grid(array if by_rows and name.endswith("/values") else array.reshape(1, -1))
        for form in parameters.get("attributes", []):
            place = f"/outputs/{output['name']}/{form['name']}"
            if form["labels"] is None:
                expected = record_values(form, bundle.datasets[f"{place}/category"])
                assert expected.tobytes() == bundle.datasets[f"{place}/value"].tobytes()


@each
def test_what_is_derived_follows_from_the_integers_as_the_page_says(path: Path) -> None:
    bundle = Bundle(path.read_bytes())
    for output in manifest_of(bundle)["outputs"]:
        for name, exact in derived(bundle, output).items():
            found = bundle.datasets[name]
            assert found.shape == exact.shape
            assert np.abs(found - exact).max() <= 2.0**-21 * np.abs(exact).max(), name


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
    originals = [path.read_bytes() for path in BUNDLES if path.stem in ("areas", "unprotected")]
    rng, refused, path = np.random.default_rng(3), 0, tmp_path / "r.h5"
    for number in range(600):
        body = changed(originals[number % 2][512:], rng)
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
    assert refused > 450
