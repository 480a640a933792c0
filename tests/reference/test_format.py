"""Another reader of bundles, written from docs/format.md alone: it finds in every golden bundle what ours and HDF5's library find.

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


def must(condition: object) -> None:
    if not condition:
        raise ValueError("no bundle of version 1")


def up(size: int) -> int:
    return -(-size // 8) * 8


class Bundle:
    """`groups`: attributes by path. `datasets`: arrays by path. `seeded`: what the text block says."""

    def __init__(self, raw: bytes) -> None:
        self.raw, self.taken = raw, [(0, 512)]
        self.groups: dict[str, dict[str, Any]] = {}
        self.datasets: dict[str, np.ndarray] = {}
        marks = ["Source of the noise: the operating system", "TEST SEED - DO NOT PUBLISH"]
        seal = hashlib.sha256(raw[512:]).hexdigest()
        blocks = [BLOCK.format(seal, mark).encode().ljust(511) + b"\n" for mark in marks]
        must(raw[:512] in blocks)  # F1, F2
        self.seeded = raw[:512] == blocks[1]
        self.superblock()
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

    def attribute(self, body: bytes) -> tuple[str, int | bytes]:  # H5
        length, of_type, of_space = struct.unpack_from("<xxHHH", body)
        name = body[8 : 8 + length - 1]
        at = 8 + up(length)
        kind, at = body[at : at + of_type], at + up(of_type) + 8
        value: int | bytes
        if kind == bytes.fromhex("10 08 00 00 08 00 00 00 00 00 40 00"):
            raw = body[at : at + 8]
            value = struct.unpack("<q", raw)[0]
        else:
            must(of_type == 8 and kind[:4] == bytes.fromhex("13 01 00 00"))
            value = raw = body[at : at + struct.unpack("<I", kind[4:])[0]]
            must(re.fullmatch(rb"[\x21-\x7e]+", raw))
        again = struct.pack("<HHHH", 1, length, of_type, 8) + name.ljust(up(length), b"\0")
        again += kind.ljust(up(of_type), b"\0") + b"\1".ljust(8, b"\0") + raw
        must(of_space == 8 and re.fullmatch(rb"[a-z_]+", name) and body == again.ljust(up(len(again)), b"\0"))
        return name.decode(), value

    def group(self, path: str, header: int, tree: int, heap: int) -> None:
        messages = self.messages(header)
        must(messages.count((0x11, 0, struct.pack("<QQ", tree, heap))) == 1)
        own = [message for message in messages if message[0] != 0x11]
        must(len(own) == len(messages) - 1 and all(message[:2] == (0xC, 0) for message in own))
        self.groups[path] = dict(self.attribute(body) for _, _, body in own)
        must(len(self.groups[path]) == len(own) and path.count("/") <= 8)
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

    def dataset(self, path: str, header: int) -> None:
        messages = self.messages(header)
        if messages[-1][0] == 0:
            kind, flags, body = messages.pop()
            must((kind, flags) == (0, 0) and not any(body))
        in_chunks = [(0xB, 1)] * (len(messages) == 5)
        must([message[:2] for message in messages] == [(1, 0), (3, 1), (5, 1), *in_chunks, (8, 0)])
        space, encoded, fill, *filters, layout = (body for _, _, body in messages)
        rank = space[1]
        shape = struct.unpack_from(f"<{rank}Q", space, 8)
        must(space == struct.pack(f"<BBB5x{2 * rank}Q", 1, rank, 1, *shape, *shape) and 1 <= rank <= 4)  # H9
        must(all(1 <= side < 2**31 for side in shape))
        (kind,) = (name for name, form in TYPES.items() if bytes.fromhex(form) == encoded)
        width = int(kind[2])
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
        row = math.prod(shape[1:]) * width
        chunk = (max(1, min(shape[0], 2**20 // row)), *shape[1:])  # H11
        index = struct.unpack_from("<Q", layout, 3)[0]
        form = struct.pack(f"<BBBQ{rank + 2 - 1}I", 3, 2, rank + 1, index, *chunk, width)
        must(layout == form.ljust(up(len(form)), b"\0"))
        found = self.leaves(index, 1, 16 + 8 * rank, 64)
        must(len(found) == -(-shape[0] // chunk[0]))
        pieces, stored = [], 0
        for number, (address, key, _) in enumerate(found):
            size = struct.unpack_from("<I", key)[0]
            place = (chunk[0] * number, *[0] * rank)
            must(size >= 12 and key == struct.pack(f"<II{rank + 1}Q", size, 0, *place))
            pieces.append(self.chunk(address, size, math.prod(chunk), width))
            stored += size
        ends = [(chunk[0] * number, *chunk[1:], width) for number in (len(found) - 1, len(found))]
        must(found[-1][2] in [struct.pack(f"<II{rank + 1}Q", 0, 0, *end) for end in ends])
        must(math.prod(shape) * width <= max(4096, 1100 * stored))  # H12
        values = b"".join(pieces)
        must(not any(values[math.prod(shape) * width :]))  # H13
        self.datasets[path] = np.frombuffer(values, dtype=kind, count=math.prod(shape)).reshape(shape)

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
