"""Bundles with something changed, sealed anew: bytes of the file, values, the manifest; each repeatable by its number.

What is changed is drawn from the mutant's number alone, so that a failing one can be made again, whoever made the others.
"""

from __future__ import annotations

import copy
import functools
import io
import json
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
from forging import recompute_claims, recompute_sensitivities, stored_of
from layouts import NAMES, Layout, layout
from numpy.typing import NDArray

from synthrelease.bundle import writer
from synthrelease.bundle.content import Content, root_attributes
from synthrelease.bundle.layout import MANIFEST, SIGNATURE, USER_BLOCK, digest, user_block
from synthrelease.bundle.strict_hdf5.anatomy import Form, Region, Structure
from synthrelease.bundle.strict_hdf5.bundle_file import _fletcher32
from synthrelease.schemas import schema

Place = tuple[str | int, ...]
Random = np.random.Generator

_END = USER_BLOCK + 40  # where the superblock says how large the file is
_EDGES = (
    0,
    1,
    2,
    7,
    8,
    0x7F,
    0xFF,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
_LEAVES: tuple[Any, ...] = (
    *(0, 1, -1, 2, 3, 255, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30, -(2**63)),
    *(0.5, 1.5, 1e-300, 5e-324, 1e308, -0.0, 8.0, 0.1, True, False, None, [], {}, [None], [[]], {"a": 1}),
    *("", "0", "1", "-1", "0.0", "1e400", "1e-400", "1e308", "0x10", "nan", "inf", "1_000", "٣", " 1", "01"),
    *(
        "\u202e",
        "\x00",
        "\x1b[2J",
        "é",
        "ß",
        "/",
        "..",
        ".",
        "a/b",
        "%2F",
        "\ud800",
        "x" * 201,
        "x" * 5000,
        "1" * 5000,
    ),
)
_TINY_AND_HUGE = (5e-324, 1e-300, 1e-9, 0.002, 0.9999, 1e5, 1e9, 1e18, 1e300, 1.7e308)


@dataclass(frozen=True)
class Mutant:
    """A changed bundle.

    Attributes:
        number: gives everything else.
        layout: name of the bundle that was changed.
        kind: of the change.
        what: was changed, in words.
        raw: all bytes.
    """

    number: int
    layout: str
    kind: str
    what: str
    raw: bytes


def mutant(number: int, *, seed: int) -> Mutant:
    """Return the mutant of a number."""
    random = np.random.default_rng([seed, number])
    original = layout(NAMES[number % len(NAMES)])
    kinds = list(KINDS)
    weights = np.array([often for often, _ in KINDS.values()], dtype=float)
    kind = kinds[random.choice(len(kinds), p=weights / weights.sum())]
    while True:
        what, raw = KINDS[kind][1](original, random)
        if raw not in (
            original.raw,
            _written_anew(original.name),
        ):  # swapped with itself, or a number with an equal one
            return Mutant(number, original.name, kind, what, raw)


@functools.cache
def _written_anew(name: str) -> bytes:
    original = layout(name)
    return written(original, dict(original.arrays), text_of(original.manifest))


def sealed(body: bytes, *, marked: bool) -> bytes:
    """Return a file of these bytes, under a text block that fits them."""
    return user_block(body, test_seed=marked) + body


def _resealed(raw: bytes | bytearray, original: Layout) -> bytes:
    return sealed(bytes(raw[USER_BLOCK:]), marked=original.marked)


# --- bytes


def _some(random: Random, things: list[Any]) -> Any:
    return things[int(random.integers(len(things)))]


def _region(original: Layout, random: Random, *, values: bool = False) -> Region:
    """A part of the file: first what kind of part, since there are many more of some than of others."""
    kinds: dict[str, list[Region]] = {}
    for region in original.anatomy.regions[1:]:
        kind = region.structure.kind
        if values or kind != "values":
            kinds.setdefault(kind, []).append(region)
    ordered = sorted(
        kinds, key=lambda kind: str(Structure(kind))
    )  # so that a seed has the mutants that it had
    chosen: Region = _some(random, kinds[_some(random, ordered)])
    return chosen


def _told(place: int, original: Layout) -> str:
    region = next(one for one in original.anatomy.regions if one.start <= place < one.stop)
    return f"{region.structure}, byte {place - region.start}"


def _flips(original: Layout, random: Random) -> tuple[str, bytes]:
    region, changed = _region(original, random), bytearray(original.raw)
    places = random.integers(region.start, region.stop, int(random.integers(1, 4)))
    for place in places:
        changed[place] ^= 1 << int(random.integers(8))
    return _told(int(places[0]), original), _resealed(changed, original)


def _bytes(original: Layout, random: Random) -> tuple[str, bytes]:
    region, changed = _region(original, random), bytearray(original.raw)
    place = int(random.integers(region.start, region.stop))
    length = int(random.integers(1, 65))
    fill = _some(random, [random.bytes(length), bytes(length), b"\xff" * length, b" " * length])
    changed[place : place + length] = fill[: len(changed) - place]
    return _told(place, original), _resealed(changed, original)


def _number(original: Layout, random: Random) -> tuple[str, bytes]:
    """A number that is likely one: aligned, and not zero if there is another nearby."""
    region, changed = _region(original, random), bytearray(original.raw)
    size = int(_some(random, [2, 4, 8]))
    places = range(region.start, max(region.stop - size, region.start) + 1, size)
    used = [place for place in places if any(changed[place : place + size])]
    place = int(_some(random, used if used and random.random() < 0.8 else list(places)))
    old = int.from_bytes(changed[place : place + size], "little")
    starts = [one.start - USER_BLOCK for one in original.anatomy.regions]
    news = [
        old - 1,
        old + 1,
        old ^ (1 << int(random.integers(8 * size))),
        _some(random, list(_EDGES)),
        _some(random, starts),
    ]
    new = int(_some(random, news)) % 2 ** (8 * size)
    changed[place : place + size] = new.to_bytes(size, "little")
    return f"{_told(place, original)}: {old} → {new}", _resealed(changed, original)


def _numbers(original: Layout, random: Random) -> tuple[str, bytes]:
    whats = []
    raw = original.raw
    for _ in range(int(random.integers(2, 5))):
        what, raw = _number(_with(original, raw), random)
        whats.append(what)
    return "; ".join(whats), raw


def _with(original: Layout, raw: bytes) -> Layout:
    return Layout(
        original.name,
        raw,
        original.marked,
        original.manifest,
        original.anatomy,
        original.groups,
        original.arrays,
    )


def _splice(original: Layout, random: Random) -> tuple[str, bytes]:
    changed, one, other = (
        bytearray(original.raw),
        _region(original, random),
        _region(original, random, values=True),
    )
    size = min(one.stop - one.start, other.stop - other.start)
    changed[one.start : one.start + size] = original.raw[other.start : other.start + size]
    return f"{other.structure} over {one.structure}", _resealed(changed, original)


def _swap(original: Layout, random: Random) -> tuple[str, bytes]:
    changed, one = bytearray(original.raw), _region(original, random, values=True)
    size = one.stop - one.start
    alike = [r for r in original.anatomy.regions[1:] if r.stop - r.start == size]
    other = _some(random, alike)
    changed[one.start : one.stop], changed[other.start : other.stop] = (
        original.raw[other.start : other.stop],
        original.raw[one.start : one.stop],
    )
    return f"{one.structure} and {other.structure}", _resealed(changed, original)


def _ended(changed: bytearray, random: Random) -> bytearray:
    """Tell the superblock where the file ends now, mostly."""
    if random.random() < 0.7 and len(changed) >= _END + 8:
        struct.pack_into("<Q", changed, _END, len(changed))
    return changed


def _cut(original: Layout, random: Random) -> tuple[str, bytes]:
    place = int(random.integers(USER_BLOCK, len(original.raw)))
    if random.random() < 0.5:
        place = _some(random, list(original.anatomy.regions)).stop
    return f"cut at {place}", _resealed(_ended(bytearray(original.raw[:place]), random), original)


def _insert(original: Layout, random: Random) -> tuple[str, bytes]:
    place = int(random.integers(USER_BLOCK, len(original.raw)))
    if random.random() < 0.5:
        place = max(_some(random, list(original.anatomy.regions)).start, USER_BLOCK)
    length = int(_some(random, [1, 7, 8, 16, 512, 4096]))
    between = _some(random, [random.bytes(length), bytes(length)])
    changed = bytearray(original.raw[:place] + between + original.raw[place:])
    return f"{length} bytes at {place}", _resealed(_ended(changed, random), original)


def _trail(original: Layout, random: Random) -> tuple[str, bytes]:
    behind = _some(
        random, [b"\0", bytes(8), bytes(512), random.bytes(64), original.raw[USER_BLOCK:], original.raw]
    )
    return f"{len(behind)} bytes behind", _resealed(
        _ended(bytearray(original.raw + behind), random), original
    )


# --- chunks


def _chunk(original: Layout, random: Random) -> tuple[str, int, int, int]:
    path = _some(random, sorted(p for p, one in original.anatomy.datasets.items() if not one.is_compact))
    number = int(random.integers(len(original.anatomy.datasets[path].chunks)))
    return (path, number, *original.anatomy.datasets[path].chunks[number])


def _chunk_bytes(original: Layout, random: Random) -> tuple[str, bytes]:
    """Other packed bytes of the same number, with their right checksum: what unpacks them has to notice."""
    path, _, place, size = _chunk(original, random)
    packed = bytearray(original.raw[place : place + size - 4])
    at = int(random.integers(len(packed)))
    if random.random() < 0.5:
        packed[at] ^= 1 << int(random.integers(8))
    else:
        length = int(random.integers(1, 1 + min(16, len(packed) - at)))
        packed[at : at + length] = random.bytes(length)
    changed = (
        original.raw[:place]
        + packed
        + _fletcher32(bytes(packed)).to_bytes(4, "little")
        + original.raw[place + size :]
    )
    return f"packed byte {at} of {path}", _resealed(changed, original)


def _checksum(original: Layout, random: Random) -> tuple[str, bytes]:
    """A checksum that is not that of its bytes."""
    path, _, place, size = _chunk(original, random)
    changed = bytearray(original.raw)
    changed[place + size - 1 - int(random.integers(4))] ^= 1 << int(random.integers(8))
    return f"checksum of {path}", _resealed(changed, original)


def _chunk_stream(original: Layout, random: Random) -> tuple[str, bytes]:
    """Another deflate stream, of the same values or not, at the end of the file; nothing in its old place."""
    path, number, place, size = _chunk(original, random)
    planes = bytearray(zlib.decompress(original.raw[place : place + size - 4]))
    same, level = random.random() < 0.3, int(random.integers(0, 10))
    if not same:
        planes[int(random.integers(len(planes)))] ^= 1 << int(random.integers(8))
    stream = zlib.compressobj(level, zlib.DEFLATED, int(_some(random, [9, 12, 15])))
    packed = stream.compress(bytes(planes)) + stream.flush()
    behind = _some(random, [b"", b"", b"", b"\0", b"behind", packed])
    packed = packed[:-4] + random.bytes(4) if random.random() < 0.1 else packed + behind
    chunk = packed + _fletcher32(packed).to_bytes(4, "little")
    changed = bytearray(original.raw)
    changed[place : place + size] = bytes(size)
    index = next(r for r in original.anatomy.regions if r.structure == Structure("chunk-index", path))
    rank = len(original.anatomy.datasets[path].shape)
    key = index.start + 24 + number * (8 + 8 * (rank + 1) + 8)
    struct.pack_into("<I", changed, key, len(chunk))
    struct.pack_into("<Q", changed, key + 8 + 8 * (rank + 1), len(changed) - USER_BLOCK)
    changed += chunk
    struct.pack_into("<Q", changed, _END, len(changed))
    return (
        f"{'the same' if same else 'other'} values of {path} at level {level}, {len(behind)} behind",
        _resealed(changed, original),
    )


# --- values


def written(
    original: Layout, arrays: dict[str, NDArray[Any]], text: bytes, groups: dict[str, Any] | None = None
) -> bytes:
    """Return a bundle of these arrays and this manifest."""
    buffer = io.BytesIO()
    values = {**arrays, MANIFEST: np.frombuffer(text, dtype=np.uint8)}
    forms = {path: _form(original, path, values) for path in values}
    referred_to = {scale for form in forms.values() for scale in form.scales}
    scales_first = {
        path: forms[path]
        for path in sorted(forms, key=lambda path: (path not in referred_to, bool(forms[path].scales)))
    }
    content = Content(
        {"/": root_attributes(), **(original.groups if groups is None else groups)},
        scales_first,
        [(path, values[path]) for path in scales_first],
    )
    with patch.object(writer, "store"):  # of a manifest in the one form that it has
        writer.write_body(buffer, content, lambda _: {})
    return sealed(buffer.getvalue()[USER_BLOCK:], marked=original.marked)


def _form(original: Layout, path: str, arrays: Mapping[str, NDArray[Any]]) -> Form:
    """What a dataset is, whatever its values are by now; a scale that is gone stands along nothing."""
    array, known = arrays[path], original.anatomy.datasets.get(path)
    if known is None:
        return Form(dtype=array.dtype, shape=array.shape)
    there = all(scale in arrays for scale in known.scales) and len(known.scales) == array.ndim
    return replace(known.form, dtype=array.dtype, shape=array.shape, scales=known.scales if there else ())


def text_of(manifest: Any) -> bytes:
    """Return a manifest in the one form it has, even if it could have none."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    return text.encode("utf-8", "surrogatepass")


def _rewritten(
    original: Layout,
    arrays: dict[str, NDArray[Any]],
    groups: dict[str, Any] | None = None,
    *,
    manifest: Any = None,
) -> bytes:
    manifest = copy.deepcopy(original.manifest) if manifest is None else manifest
    listed = {path: array for path, array in sorted(arrays.items()) if path != SIGNATURE}
    manifest["digests"] = {path: digest(array) for path, array in listed.items()}
    return written(original, arrays, text_of(manifest), groups)


def _dataset(original: Layout, random: Random) -> str:
    kinds: dict[str, list[str]] = {}
    for path in sorted(original.arrays):
        output = path.split("/")[2] if path != SIGNATURE else ""
        kinds.setdefault(f"{output} {path.rpartition('/')[2]}", []).append(path)
    chosen: str = _some(random, kinds[_some(random, sorted(kinds))])
    return chosen


def _value(original: Layout, random: Random) -> tuple[str, bytes]:
    path = _dataset(original, random)
    array = original.arrays[path].copy()
    flat = array.reshape(-1)
    at = int(random.integers(flat.size))
    if array.dtype.kind == "S":
        flat[at] = _other_label(bytes(flat[at]), array.dtype.itemsize, random)
        if random.random() < 0.3:
            flat[at] = flat[int(random.integers(flat.size))]
    elif random.random() < 0.3:
        bits = flat[at : at + 1].view(np.uint8)
        bits[int(random.integers(bits.size))] ^= 1 << int(random.integers(8))
    elif array.dtype.kind == "f":
        old = flat[at]
        news = [
            math.nan,
            math.inf,
            -math.inf,
            0.0,
            -0.0,
            -old,
            np.nextafter(old, np.inf),
            old * (1 + 1e-6),
            old + 1,
            5e-324,
        ]
        with np.errstate(over="ignore", under="ignore"):
            flat[at] = _some(random, [*news, flat[int(random.integers(flat.size))]])
    else:
        limits = np.iinfo(array.dtype)
        news = [
            int(flat[at]) + 1,
            int(flat[at]) - 1,
            0,
            1,
            -1,
            limits.min,
            limits.max,
            int(flat[at]) * 2,
            -int(flat[at]),
        ]
        new = int(_some(random, [*news, flat[int(random.integers(flat.size))]]))
        flat[at] = min(max(new, limits.min), limits.max)
    return f"value {at} of {path}", _rewritten(original, {**original.arrays, path: array})


def _other_label(label: bytes, size: int, random: Random) -> bytes:
    """Another label, as long as there is room for at most."""
    letter = int(random.integers(len(label))) if label else 0
    changed = bytearray(label or b"x")
    changed[letter] ^= 1 << int(random.integers(8))
    others = [
        bytes(changed),
        label[:-1],
        label[::-1],
        label + b" ",
        label.upper(),
        label[:1] + b"\0" + label[1:],
        b"",
        b"/",
        b"\xff",
        "é".encode(),
        b"patient 17 was left-handed",
        random.bytes(size),
    ]
    chosen: bytes = _some(random, others)
    return chosen[:size]


def _types(array: NDArray[Any]) -> list[str]:
    if array.dtype.kind == "S":
        return [f"S{size}" for size in (1, array.dtype.itemsize + 1, 40, 4096)]
    return ["u1", "i1", "<i2", "<i4", "<i8", "<f4", "<f8"]


def _array(original: Layout, random: Random) -> tuple[str, bytes]:  # noqa: C901  a dozen of them
    path = _dataset(original, random)
    array, arrays = original.arrays[path], dict(original.arrays)
    what = _some(
        random,
        [
            "type",
            "turned",
            "cut",
            "longer",
            "order",
            "swapped",
            "gone",
            "more",
            "renamed",
            "flat",
            "zero",
            "noise",
        ],
    )
    alike = [one for one in arrays if arrays[one].shape == array.shape and arrays[one].dtype == array.dtype]
    match what:
        case "type":
            with np.errstate(invalid="ignore", over="ignore"):
                arrays[path] = array.astype(_some(random, _types(array)))
        case "turned":
            arrays[path] = np.ascontiguousarray(array.T)
        case "cut":
            arrays[path] = array[: max(1, len(array) - 1)]
        case "longer":
            arrays[path] = np.concatenate([array, array[-1:]])
        case "order":
            arrays[path] = array[random.permutation(len(array))]
        case "swapped":
            other = _some(random, alike)
            arrays[path], arrays[other] = arrays[other], arrays[path]
        case "gone":
            del arrays[path]
        case "more":
            arrays[f"{path}{_some(random, ['2', '/x', '~', '.'])}".replace("/x", "x")] = array
        case "renamed":
            arrays[f"{path}0"] = arrays.pop(path)
        case "flat":
            arrays[path] = array.reshape(
                _some(random, [(-1,), (1, *array.shape), (*array.shape, 1), (-1, 1)])
            )
        case "zero":
            arrays[path] = np.zeros_like(array)
        case _:
            arrays[path] = random.permutation(array.reshape(-1)).reshape(array.shape)
    return f"{what}: {path}", _rewritten(original, arrays)


def _group(original: Layout, random: Random) -> tuple[str, bytes]:
    groups = {path: dict(attributes) for path, attributes in original.groups.items()}
    path = _some(random, sorted(groups))
    what = _some(random, ["value", "type", "name", "gone", "more", "empty group", "swapped"])
    attributes = groups[path]
    name = _some(random, sorted(attributes)) if attributes else "note"
    match what:
        case "value":
            attributes[name] = _some(
                random, [0, 1, 2, -1, 2**62, b"heatmap", b"records", b"x" * 300, b"synthrelease "]
            )
        case "type":
            attributes[name] = b"1" if isinstance(attributes.get(name), int) else 1
        case "name":
            attributes[f"{name}s"] = attributes.pop(name, 1)
        case "gone":
            attributes.pop(name, None)
        case "more":
            attributes["note"] = _some(random, [b"anything", 17])
        case "empty group":
            groups[f"{path.rstrip('/')}/{_some(random, ['x', 'patient17', '..x', '%', 'é', 'x' * 300])}"] = {}
        case _:
            other = _some(random, sorted(groups))
            groups[path], groups[other] = groups[other], groups[path]
    return f"{what} {name}: {path}", _rewritten(original, dict(original.arrays), groups)


# --- what datasets say of themselves, and what stands along their axes

_WORDS = ("noisy", "estimate", "uncertainty", "record", "px", "steps", "mm", "patient17", "x" * 300)


def _said(original: Layout, random: Random) -> tuple[str, bytes]:
    """Role, unit, axes or scales of a dataset are others."""
    datasets = dict(original.anatomy.datasets)
    path = _some(random, sorted(datasets)) if random.random() < 0.1 else _dataset(original, random)
    known = datasets[path]
    scales = sorted(place for place, one in datasets.items() if one.axis)
    attributes, axis, along = dict(known.attributes), known.axis, list(known.scales)
    what = _some(random, ["role", "units", "long_name", "gone", "axis", "scale", "scales", "order", "along"])
    match what:
        case "role" | "units" | "long_name":
            attributes[what] = _some(random, list(_WORDS))
        case "gone":
            attributes.pop(_some(random, [*sorted(attributes), "role"]), None)
        case "axis":
            axis = _some(random, ["", *_WORDS, *(datasets[place].axis for place in scales)])
        case "scale" if along and scales:
            along[int(random.integers(len(along)))] = _some(random, scales)
        case "scales":
            along = _some(random, [[], along[:-1], along[1:], along + along[:1], scales[:1], scales[:8]])
        case "order":
            along = [along[number] for number in random.permutation(len(along))]
        case _:
            other = datasets[_some(random, sorted(datasets))]
            attributes, axis, along = dict(other.attributes), other.axis, list(other.scales)
    if path in along:  # which the writer would have to refer to before it is there
        axis = axis or "itself"
    datasets[path] = replace(known, attributes=attributes, axis=axis, scales=tuple(along))
    changed = replace(original, anatomy=replace(original.anatomy, datasets=datasets))
    return f"{what}: {path}", _rewritten(changed, dict(original.arrays))


def _reference(original: Layout, random: Random) -> tuple[str, bytes]:
    """A reference in a heap, in a list of axes or in a list of datasets along a scale leads elsewhere."""
    changed = bytearray(original.raw)
    headers = [
        region.start - USER_BLOCK for region in original.anatomy.regions if region.structure.kind == "header"
    ]
    heaps = [region for region in original.anatomy.regions if region.structure.kind == "references"]
    places = [
        (f"{name}, place {at}", at)
        for name, first in (("DIMENSION_LIST", 40), ("REFERENCE_LIST", 144))
        for start in _occurrences(original.raw, name.encode() + b"\0")
        for at in range(start + first, start + first + 32, 4)
    ]
    places += [
        (f"heap, reference {number}", heap.start + 16 + 24 * number + part)
        for heap in heaps
        for number in range(_references_in(original.raw, heap))
        for part in (0, 8, 16)
    ]
    what, place = _some(random, places)
    size = int(_some(random, [4, 8]))
    old = int.from_bytes(changed[place : place + size], "little")
    news = [old + 1, old - 1, 0, 1, 2**32 - 1, *(_some(random, headers) for _ in range(5))]
    new = int(_some(random, news)) % 2 ** (8 * size)
    changed[place : place + size] = new.to_bytes(size, "little")
    if random.random() < 0.2:  # two of a heap in each other's place
        changed, heap = bytearray(original.raw), _some(random, heaps)
        one, other = (
            heap.start + 32 + 24 * int(random.integers(_references_in(original.raw, heap))) for _ in range(2)
        )
        changed[one : one + 8], changed[other : other + 8] = (
            original.raw[other : other + 8],
            original.raw[one : one + 8],
        )
        what = f"references at {one} and {other}"
    return f"{what}: {old} → {new}", _resealed(changed, original)


def _occurrences(raw: bytes, name: bytes) -> list[int]:
    """Where the values of attributes of a name begin to be described."""
    return [match.end() + 1 for match in re.finditer(re.escape(name), raw)]


def _references_in(raw: bytes, heap: Region) -> int:
    number = 0
    while any(raw[heap.start + 16 + 24 * number :][:2]):
        number += 1
    return number


def _remark(original: Layout, random: Random) -> tuple[str, bytes]:
    """Codes and fields of what readers are told, otherwise."""
    manifest = copy.deepcopy(original.manifest)
    lists = [manifest["warnings"], manifest["privacy"]["not_protected"]]
    for entry in manifest["outputs"]:
        lists += [entry["warnings"], entry["post_processing"]]
        if entry["sensitivity"] is not None:
            lists.append([entry["sensitivity"]["derivation"]])
    remarks = _some(random, [one for one in lists if one])
    number, what = (
        int(random.integers(len(remarks))),
        _some(random, ["code", "field", "more", "less", "gone", "twice"]),
    )
    stated = remarks[number]
    codes = sorted({one["code"] for some in lists for one in some} | {"all-is-well", "", "two words", "é"})
    match what:
        case "code":
            stated["code"] = _some(random, codes)
        case "field" if stated["fields"]:
            key = _some(random, sorted(stated["fields"]))
            stated["fields"][key] = _other_leaf(stated["fields"][key], manifest, random)
        case "less" if stated["fields"]:
            del stated["fields"][_some(random, sorted(stated["fields"]))]
        case "gone":
            del remarks[number]
        case "twice":
            remarks.append(copy.deepcopy(stated))
        case _:
            stated["fields"]["note"] = _some(random, list(_LEAVES))
    return f"{what} of {stated['code']}", written(original, dict(original.arrays), text_of(manifest))


# --- the manifest


def places(node: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the places of everything in a manifest, itself excepted."""
    items: Any = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, below in items:
        yield (*place, key)
        yield from places(below, (*place, key))


def pattern(place: Place) -> str:
    """Return a place without the numbers of items, and without the names of datasets and dependencies."""
    text = "/".join("*" if isinstance(key, int) else key for key in place)
    return text if text.split("/")[0] != "digests" else "digests/*"


def at(manifest: Any, place: Place) -> Any:
    """Return what stands at a place."""
    for key in place:
        manifest = manifest[key]
    return manifest


def _place(manifest: Any, random: Random, below: Place = ()) -> Place:
    """A place, where no one minds how many there are of its kind."""
    kinds: dict[str, list[Place]] = {}
    for place in places(at(manifest, below), below):
        kinds.setdefault(pattern(place), []).append(place)
    chosen: Place = _some(random, kinds[_some(random, sorted(kinds))])
    return chosen


def _other_leaf(old: Any, manifest: Any, random: Random) -> Any:
    """Something else in the place of a leaf: near it, from elsewhere, or from the edge of what there can be."""
    choices: list[Any] = [_some(random, list(_LEAVES)), copy.deepcopy(at(manifest, _place(manifest, random)))]
    if isinstance(old, bool):
        choices += [not old] * 3
    elif isinstance(old, int):
        choices += [old + 1, old - 1, old * 2, old // 2, -old, float(old), str(old), 10 * old, old + 2**53]
    elif isinstance(old, float):
        choices += [
            old * 2,
            old / 2,
            old * (1 + 1e-9),
            old * (1 - 1e-4),
            -old,
            math.nextafter(old, 0),
            repr(old),
            old * 1e6,
        ]
    elif isinstance(old, str):
        try:
            number = float(old)
        except ValueError:
            choices += [
                old + " ",
                old.upper(),
                old[:-1],
                old[::-1],
                old + "\u200b",
                old.replace("o", "\u043e"),
                old * 50,
            ]
        else:
            near = [number * 2, number / 2, number * 0.999, number + 1, math.nextafter(number, 0)]
            choices += [repr(one) for one in near] + [
                f"0{old}",
                f"{old}e0",
                f"{old}0",
                old.split(".")[0],
                number,
            ]
    elif old is None:
        choices += [1, 0.5, "x", []]
    return _some(random, choices)


def _near(old: Any, random: Random) -> Any:  # noqa: PLR0911  by type
    """Something that the schema is likely to allow in the place of a leaf."""
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        return _some(random, [old + 1, max(old - 1, 0), old * 2, old // 2, 1, old * 1000])
    if isinstance(old, float):
        return _some(random, [old * 2, old / 2, old * 1.001, math.nextafter(old, 0), old + 1])
    if isinstance(old, str):
        try:
            number = float(old)
        except ValueError:
            return _some(random, [*_words(), f"{old}x"])
        near = [number * 2, number / 2, number * 0.999, math.nextafter(number, 0)]
        return repr(int(near[0])) if old.isdigit() else repr(_some(random, near))
    if old is None:
        return _some(random, [1, 2, 0.5, [1, 2], "person", "fixed"])
    return old


@functools.cache
def _words() -> list[str]:
    """Words that the schema offers to choose from."""
    found: set[str] = set()

    def look(node: Any) -> None:
        if isinstance(node, dict):
            found.update(one for one in [*node.get("enum", []), node.get("const")] if isinstance(one, str))
            for one in node.values():
                look(one)
        elif isinstance(node, list):
            for one in node:
                look(one)

    look(schema("manifest-v1"))
    return sorted(found)


def _leaf_changed(manifest: Any, random: Random, below: Place = (), *, near: bool = False) -> str:
    place = _place(manifest, random, below)
    if near:
        while isinstance(at(manifest, place), dict | list):
            place = _place(manifest, random, below)
        old, key = at(manifest, place), place[-1]
        at(manifest, place[:-1])[key] = new = _near(old, random)
        return f"{'/'.join(map(str, place))}: {str(old)[:40]!r} → {str(new)[:40]!r}"
    parent, key, old = at(manifest, place[:-1]), place[-1], at(manifest, place)
    what = _some(random, ["another", "another", "another", "gone", "again", "renamed", "list"])
    match what:
        case "gone":
            del parent[key]
        case "again" if isinstance(parent, list):
            parent.append(copy.deepcopy(old))
        case "renamed" if isinstance(parent, dict):
            items = [(f"{name}s" if name == key else name, value) for name, value in parent.items()]
            parent.clear()
            parent.update(items)
        case "list" if isinstance(old, list) and old:
            parent[key] = _some(
                random, [old[::-1], old[:-1], old[1:], old * 2, [*old, None], sorted(old, key=str), [old]]
            )
        case "list" if isinstance(old, dict):
            parent[key] = _some(random, [dict(reversed(old.items())), {**old, "note": 1}, list(old), {}])
        case _:
            parent[key] = _other_leaf(old, manifest, random)
            return f"{'/'.join(map(str, place))}: {str(old)[:40]!r} → {str(parent[key])[:40]!r}"
    return f"{what}: {'/'.join(map(str, place))}"


def _manifest(original: Layout, random: Random) -> tuple[str, bytes]:
    manifest = copy.deepcopy(original.manifest)
    what = _leaf_changed(manifest, random, near=random.random() < 0.5)
    return what, written(original, dict(original.arrays), text_of(manifest))


def _leaves(original: Layout, random: Random) -> tuple[str, bytes]:
    manifest = copy.deepcopy(original.manifest)
    what = "; ".join(_leaf_changed(manifest, random) for _ in range(int(random.integers(2, 5))))
    return what, written(original, dict(original.arrays), text_of(manifest))


def _careful(original: Layout, random: Random) -> tuple[str, bytes]:
    """Something of what was done, told otherwise, and every number that follows from it."""
    manifest = copy.deepcopy(original.manifest)
    number = int(random.integers(len(manifest["outputs"])))
    below: Place = (
        "outputs",
        number,
        _some(random, ["mechanism", "mechanism", "event", "noise", "sensitivity"]),
    )
    if at(manifest, below) is None:
        below = ("outputs", number, "mechanism")
    what = _leaf_changed(manifest, random, below, near=random.random() < 0.8)
    what += _followed(manifest, _some(random, [recompute_claims, recompute_sensitivities]))
    return what, _rewritten(
        original, {**original.arrays, **_numbers_along(original, manifest)}, manifest=manifest
    )


def _numbers_along(original: Layout, manifest: Any) -> dict[str, NDArray[Any]]:
    """Coordinates that are numbers, as a changed manifest calls for them: of labels no one but them could say that they are others."""
    return {
        path: stored.axis.values
        for path, stored in stored_of(manifest).items()
        if path in original.arrays and stored.axis is not None and stored.types[0].kind != "S"
    }


def _followed(manifest: Any, by: Callable[[Any], object]) -> str:
    """Renew what follows from a changed manifest, and return what to say of it."""
    try:
        by(manifest)
    except Exception:  # noqa: BLE001  nothing follows from nonsense: it stays as it is
        return " (alone)"
    return ""


def _extreme(original: Layout, random: Random) -> tuple[str, bytes]:
    """A number so large or small that whoever computes with it could take for ever."""
    manifest = copy.deepcopy(original.manifest)
    while True:
        place = _place(manifest, random, _some(random, [("outputs",), ("outputs",), ("privacy",)]))
        old = at(manifest, place)
        if isinstance(old, str) and re.fullmatch(r"[0-9.]+(e[+-]?[0-9]+)?", old):
            new: Any = repr(_some(random, list(_TINY_AND_HUGE)))
        elif isinstance(old, float):
            new = _some(random, list(_TINY_AND_HUGE))
        elif old is None or (isinstance(old, int) and not isinstance(old, bool)):
            new = _some(random, [1, 2, 512, 4096, 10_000, 20_000, 65_536, 10**6, 10**9, 10**12, 2**62])
        else:
            continue
        break
    at(manifest, place[:-1])[place[-1]] = new
    what = f"{'/'.join(map(str, place))}: {str(old)[:40]} → {new}"
    if random.random() < 0.3:
        what += _followed(manifest, recompute_sensitivities)
    return what, written(original, dict(original.arrays), text_of(manifest))


def _claims(original: Layout, random: Random) -> tuple[str, bytes]:
    manifest = copy.deepcopy(original.manifest)
    below: Place = _some(random, [("privacy",), ("randomness",), ("ledger",), ("release",), ("tool",)])
    if at(manifest, below) is None:
        below = ("privacy",)
    what = _leaf_changed(manifest, random, below, near=random.random() < 0.5)
    return what, written(original, dict(original.arrays), text_of(manifest))


def _text(original: Layout, random: Random) -> tuple[str, bytes]:
    """JSON that is not written in the one form."""
    text = text_of(original.manifest)
    lines = text.split(b"\n")
    at_line = int(random.integers(1, len(lines) - 2))
    changes: list[Callable[[], bytes]] = [
        lambda: b"\n".join([*lines[: at_line + 1], *lines[at_line:]]),
        lambda: b"\n".join([*lines[:at_line], *lines[at_line + 1 :]]),
        lambda: text.replace(b": ", b":", 1),
        lambda: text + b"\n",
        lambda: text[:-1],
        lambda: b"\xef\xbb\xbf" + text,
        lambda: text.replace(b"true", b"True", 1),
        lambda: text.replace(b"null", b"NaN", 1),
        lambda: text.replace(b'"1"', b'"\\u0031"', 1),
        lambda: text.replace(b'"version": 1', b'"version": 1e0', 1),
        lambda: text.replace(b'"count": ', b'"count": -', 1),
        lambda: text.replace(b'"count": ', b'"count": 1' + b"0" * 5000, 1),
        lambda: text.decode().encode("utf-16"),
        lambda: bytes(b ^ (1 << int(random.integers(8))) if i == at_line else b for i, b in enumerate(text)),
        lambda: text[: int(random.integers(1, len(text)))],
        lambda: text.replace(b"{", b'{"manifest_version": 1, ', 1),
    ]
    number = int(random.integers(len(changes)))
    return f"text {number}, line {at_line}", written(original, dict(original.arrays), changes[number]())


KINDS: dict[str, tuple[float, Callable[[Layout, Random], tuple[str, bytes]]]] = {
    "bits": (6, _flips),
    "bytes": (6, _bytes),
    "number": (14, _number),
    "numbers": (4, _numbers),
    "splice": (4, _splice),
    "swap": (4, _swap),
    "cut": (2, _cut),
    "insert": (3, _insert),
    "trail": (2, _trail),
    "chunk bytes": (5, _chunk_bytes),
    "chunk stream": (5, _chunk_stream),
    "checksum": (2, _checksum),
    "value": (10, _value),
    "array": (6, _array),
    "group": (3, _group),
    "said": (6, _said),
    "reference": (6, _reference),
    "remark": (4, _remark),
    "leaf": (14, _manifest),
    "leaves": (2, _leaves),
    "careful": (16, _careful),
    "extreme": (8, _extreme),
    "claims": (5, _claims),
    "text": (2, _text),
}
"""Kinds of mutants: how often, and how they are made."""
