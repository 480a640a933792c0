"""What an author may say that is not so: each lie sealed anew, with the code of the finding that refutes it.

Where it says "with all that follows", every number of the manifest was made to agree with the lie.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from forging import (
    Manifest,
    forge,
    forge_carefully,
    output,
    put_forms,
    put_values,
    recompute_claims,
    scaled,
)
from layouts import layout
from mutants import text_of, written

from synthrelease.bundle import reseal, writer
from synthrelease.bundle.layout import USER_BLOCK, user_block


@dataclass(frozen=True)
class Lie:
    """A lie.

    Attributes:
        what: is said.
        layout: the bundle that says it.
        code: of the finding that is due, among others perhaps.
        tell: changes the bundle and seals it anew.
    """

    what: str
    layout: str
    code: str
    tell: Callable[[Path], None]


def _told(change: Callable[[Manifest], object], *, follows: bool = False) -> Callable[[Path], None]:
    """Something is told, with the codes, axes and coordinates that follow or without."""

    def tell(path: Path) -> None:
        (forge_carefully if follows else forge)(path, change)

    return tell


def _within(name: str, *keys: str | int, to: Any, follows: bool = False) -> Callable[[Path], None]:
    """Something of an output's entry is something else, or a function of what it was."""

    def change(manifest: Manifest) -> None:
        _set(output(manifest, name), keys, to)
        if follows:
            recompute_claims(manifest)

    return _told(change)


def _release(*keys: str | int, to: Any) -> Callable[[Path], None]:
    return _told(lambda manifest: _set(manifest, keys, to))


def _set(node: Any, keys: tuple[str | int, ...], to: Any) -> None:
    for key in keys[:-1]:
        node = node[key]
    node[keys[-1]] = to(node[keys[-1]]) if callable(to) else to


def _halved(number: Any) -> Any:
    if isinstance(number, str):
        return scaled(number, 0.5) if "." in number else str(int(number) // 2)
    return number / 2 if isinstance(number, float) else number // 2


def _doubled(number: Any) -> Any:
    return scaled(number, 2) if isinstance(number, str) else number * 2


def _data(change: Callable[[h5py.File], object]) -> Callable[[Path], None]:
    def tell(path: Path) -> None:
        with h5py.File(path, "r+", locking=False) as file:
            change(file)
        reseal(path)

    return tell


def _values(path: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """A dataset is another, of any type and shape, along the same axes."""

    def tell(bundle: Path) -> None:
        put_values(bundle, {path: change})

    return tell


def _item(path: str, *index: int, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    """An item of a dataset is another."""

    def changed(values: Any) -> Any:
        values[index] = change(np.array(values[index]))
        return values

    return _values(path, changed)


def _form(path: str, **changes: Any) -> Callable[[Path], None]:
    """What a dataset says of itself is something else."""

    def tell(bundle: Path) -> None:
        put_forms(bundle, {path: lambda form: replace(form, **changes)})

    return tell


def _parameter(name: str, *keys: str | int, to: Any) -> Callable[[Manifest], None]:
    return lambda manifest: _set(output(manifest, name)["mechanism"]["parameters"], keys, to)


def _one_larger(values: Any) -> Any:
    values.reshape(-1)[0] += 1
    return values


def _swapped(values: Any) -> Any:
    """The first two items in each other's place."""
    values[[0, 1]] = values[[1, 0]]
    return values


def _without_noise(file: h5py.File) -> None:
    file["/outputs/pixels/noisy"][...] = 0


def _scale_with_all_that_follows(manifest: Manifest) -> None:
    entry = output(manifest, "pixels")
    entry["noise"]["scale"] = entry["event"]["scale"] = scaled(entry["noise"]["scale"], 4)
    recompute_claims(manifest)


def _sensitivity_with_all_that_follows(manifest: Manifest) -> None:
    entry = output(manifest, "still")
    for stated in (entry["sensitivity"], entry["event"]["sensitivity"]):
        stated["value"] = _halved(stated["value"])
    recompute_claims(manifest)


def _unmarked(path: Path) -> None:
    """The text block says that the operating system's noise is in it."""
    body = path.read_bytes()[USER_BLOCK:]
    path.write_bytes(user_block(body, test_seed=False) + body)


def _choice_left_out(manifest: Manifest) -> None:
    event = output(manifest, "chosen")["event"]
    event["events"] = event["events"][:-1]
    recompute_claims(manifest)


def _named(what: str) -> Callable[[Manifest], None]:
    def leave_out(manifest: Manifest) -> None:
        privacy = manifest["privacy"]
        kept = [
            one for one in privacy["not_protected"] if what not in (one["code"], one["fields"].get("output"))
        ]
        assert len(kept) < len(privacy["not_protected"])
        privacy["not_protected"] = kept

    return leave_out


def _pure(guarantee: Manifest) -> Manifest:
    return {**{key: guarantee[key] for key in ("unit", "neighbours", "epsilon")}, "kind": "pure_dp"}


def _protected(guarantee: Manifest) -> Manifest:
    return {"kind": "pure_dp", "unit": "person", "neighbours": guarantee["neighbours"], "epsilon": 1.0}


def _digest(path: Path) -> None:
    """A digest that is not that of its dataset; `reseal` would renew it."""
    original = layout("maps")
    manifest = {**original.manifest, "digests": dict.fromkeys(original.manifest["digests"], "0" * 64)}
    path.write_bytes(written(original, dict(original.arrays), text_of(manifest)))


TEST = ("event", "events", 1)
REASSURING = {"code": "all-is-well", "fields": {}}

LIES = [
    # Guarantees.
    Lie(
        "ε of an output is half of it",
        "maps",
        "guarantee",
        _within("still", "guarantee", "epsilon", to=_halved),
    ),
    Lie(
        "δ of an output is a thousandth of it",
        "maps",
        "guarantee",
        _within("still", "guarantee", "delta", to=lambda d: d / 1000),
    ),
    Lie("an output needs no δ", "maps", "guarantee", _within("still", "guarantee", to=_pure)),
    Lie(
        "an output is of another neighbouring relation",
        "maps",
        "guarantee",
        _within("still", "guarantee", "neighbours", to="add-remove-one"),
    ),
    Lie(
        "the release is of another neighbouring relation",
        "maps",
        "guarantee",
        _release("privacy", "neighbours", to="add-remove-one"),
    ),
    Lie("a unit that is no person", "maps", "manifest", _release("privacy", "unit", to="recording")),
    Lie(
        "an output's unit is a chunk",
        "series",
        "manifest",
        _within("chunks", "guarantee", "unit", to="chunk"),
    ),
    Lie(
        "a guarantee to a chunk is to a recording",
        "series",
        "guarantee",
        _within("chunks", "narrower_units", 0, "unit", to="recording"),
    ),
    Lie(
        "ε to a chunk is half of it",
        "series",
        "guarantee",
        _within("chunks", "narrower_units", 0, "epsilon", to=_halved),
    ),
    Lie(
        "ε of the release is half of it",
        "maps",
        "guarantee",
        _release("privacy", "guarantee", "epsilon", to=_halved),
    ),
    Lie(
        "ε of the release is a thousandth less",
        "records",
        "guarantee",
        _release("privacy", "guarantee", "epsilon", to=lambda e: e * 0.999),
    ),
    Lie(
        "δ of the release is a thousandth of it",
        "maps",
        "guarantee",
        _release("privacy", "guarantee", "delta", to=lambda d: d / 1000),
    ),
    Lie("the release needs no δ", "maps", "guarantee", _release("privacy", "guarantee", to=_pure)),
    Lie(
        "k of plausible deniability is larger",
        "records",
        "guarantee",
        _within("exact", "guarantee", "k", to=40),
    ),
    Lie(
        "γ of plausible deniability is smaller",
        "records",
        "guarantee",
        _within("exact", "guarantee", "gamma", to=1.01),
    ),
    Lie(
        "records were counted as people",
        "records",
        "guarantee",
        _within("exact", "guarantee", "counted", to=lambda c: {"person": "record", "record": "person"}[c]),
    ),
    Lie(
        "a test that says nothing says something",
        "records",
        "guarantee",
        _within("exact", "guarantee", "vacuous", to=lambda v: not v),
    ),
    Lie(
        "deniability is differential privacy",
        "records",
        "guarantee",
        _within("exact", "guarantee", to=_protected),
    ),
    # Events.
    Lie(
        "the sensitivity is half of it",
        "maps",
        "sensitivity",
        _within("still", "event", "sensitivity", "value", to=_halved),
    ),
    Lie(
        "the sensitivity is half of it, with all that follows",
        "maps",
        "sensitivity",
        _told(_sensitivity_with_all_that_follows),
    ),
    Lie(
        "the sensitivity is of another norm",
        "maps",
        "manifest",
        _within("still", "event", "sensitivity", "norm", to="l1"),
    ),
    Lie("the noise is twice as large", "maps", "guarantee", _within("still", "event", "scale", to=_doubled)),
    Lie(
        "the noise is four times as large, with all that follows",
        "maps",
        "noise",
        _told(_scale_with_all_that_follows),
    ),
    Lie("the noise is on a grid of twos", "maps", "manifest", _within("still", "event", "grid", to="2")),
    Lie("fewer integers", "maps", "noise", _within("still", "event", "count", to=lambda n: n - 1)),
    Lie(
        "noise of another kind", "maps", "manifest", _within("still", "event", "type", to="discrete_laplace")
    ),
    Lie(
        "a choice at half its ε",
        "statistics",
        "guarantee",
        _within("chosen", "event", "events", 0, "epsilon", to=_halved, follows=True),
    ),
    Lie(
        "a choice among fewer candidates",
        "statistics",
        "guarantee",
        _within("chosen", "event", "events", 0, "candidates", to=_halved, follows=True),
    ),
    Lie(
        "a choice that is left out, with all that follows", "statistics", "guarantee", _told(_choice_left_out)
    ),
    Lie(
        "k of a randomized test is larger",
        "seeded",
        "guarantee",
        _within("randomized", *TEST, "k", to=_doubled, follows=True),
    ),
    Lie(
        "γ of a randomized test is smaller",
        "seeded",
        "guarantee",
        _within("randomized", *TEST, "gamma", to="1.01", follows=True),
    ),
    Lie(
        "ε₀ of a randomized test is half of it",
        "seeded",
        "guarantee",
        _within("randomized", *TEST, "epsilon0", to=_halved),
    ),
    Lie(
        "fewer trials",
        "seeded",
        "guarantee",
        _within("randomized", *TEST, "trials", to=_halved, follows=True),
    ),
    Lie(
        "fewer people to be seeds than k", "seeded", "guarantee", _within("randomized", *TEST, "seeds", to=2)
    ),
    Lie(
        "a test with a fixed threshold was randomized",
        "records",
        "manifest",
        _within("exact", "event", "threshold", to="randomized"),
    ),
    Lie(
        "k of a test is larger, with its guarantee",
        "records",
        "guarantee",
        _within("exact", "event", "k", to=5, follows=True),
    ),
    Lie(
        "γ of a test is smaller, with its guarantee",
        "records",
        "guarantee",
        _within("exact", "event", "gamma", to="1.5", follows=True),
    ),
    Lie(
        "records counted as people in a test",
        "records",
        "guarantee",
        _within(
            "exact",
            "event",
            "counted",
            to=lambda c: {"person": "record", "record": "person"}[c],
            follows=True,
        ),
    ),
    Lie(
        "a test that is not vacuous, with its guarantee",
        "records",
        "guarantee",
        _within("exact", "event", "vacuous", to=lambda v: not v, follows=True),
    ),
    Lie(
        "seeds and model are of the same people",
        "seeded",
        "guarantee",
        _within("randomized", "event", "type", to="composed", follows=True),
    ),
    Lie(
        "noise and test are of different people",
        "records",
        "guarantee",
        _within("kept", "event", "type", to="disjoint", follows=True),
    ),
    # What else is said of noise and mechanism.
    Lie(
        "a distribution that the event has not",
        "maps",
        "noise",
        _within("still", "noise", "distribution", to="discrete_laplace"),
    ),
    Lie("a scale that the event has not", "maps", "noise", _within("still", "noise", "scale", to=_doubled)),
    Lie(
        "another standard deviation",
        "areas",
        "noise",
        _within("visits", "noise", "standard_deviation", to=_doubled),
    ),
    Lie("noise drawn in floating point", "maps", "manifest", _within("still", "noise", "exact", to=False)),
    Lie(
        "a stated sensitivity that the event has not",
        "maps",
        "sensitivity",
        _within("still", "sensitivity", "value", to=_halved),
    ),
    Lie(
        "a mechanism of another name", "areas", "noise", _within("visits", "mechanism", "name", to="gaussian")
    ),
    Lie(
        "fewer stimuli of each person",
        "areas",
        "sensitivity",
        _within("visits", "mechanism", "parameters", "max_stimuli_per_person", to=1),
    ),
    Lie(
        "another blur than that of the map",
        "maps",
        "derived",
        _told(_parameter("pixels", "blur_px", to=3), follows=True),
    ),
    Lie(
        "narrower bounds than those of the values",
        "series",
        "derived",
        _told(_parameter("course", "features", 0, "high", to=7.0), follows=True),
    ),
    # The release.
    Lie("a budget that was not kept", "maps", "guarantee", _release("privacy", "budget", "epsilon", to=0.5)),
    Lie("fewer people than an output has", "maps", "manifest", _release("privacy", "people", to=1)),
    Lie(
        "an output that is not named among those without privacy",
        "records",
        "guarantee",
        _told(_named("exact")),
    ),
    Lie("a public fact that is not named", "areas", "guarantee", _told(_named("assignment"))),
    Lie(
        "a public fact with a word more",
        "areas",
        "guarantee",
        _release("privacy", "not_protected", 0, "fields", "note", to="patient 17 was left-handed"),
    ),
    Lie("warnings that nothing gives reason for", "maps", "manifest", _release("warnings", to=[REASSURING])),
    Lie(
        "another derivation of a sensitivity",
        "maps",
        "manifest",
        _within("still", "sensitivity", "derivation", "fields", "radius", to=1),
    ),
    Lie(
        "a step that was not taken",
        "maps",
        "manifest",
        _within("still", "post_processing", to=lambda steps: [*steps, REASSURING]),
    ),
    Lie("no warnings of an output", "maps", "manifest", _within("still", "warnings", to=[])),
    Lie(
        "another way of composition",
        "maps",
        "guarantee",
        _release("privacy", "composition", "method", to="basic"),
    ),
    Lie(
        "an output that was not composed",
        "maps",
        "guarantee",
        _release("privacy", "composition", "outputs", to=lambda names: names[1:]),
    ),
    Lie(
        "the release cost half of it at the ledger",
        "maps",
        "guarantee",
        _release("ledger", "spent_here", to=lambda e: e / 100),
    ),
    Lie("all releases cost less than one", "maps", "guarantee", _release("ledger", "spent_after", to=1.0)),
    Lie(
        "a test seed that only the manifest hides",
        "areas",
        "test-seed",
        _release("randomness", to={"source": "operating system, AES-256-CTR", "test_seed": False}),
    ),
    Lie("a test seed that only the text block hides", "areas", "test-seed", _unmarked),
    Lie("a test seed that no warning names", "areas", "test-seed", _release("warnings", to=[])),
    Lie("a day that there is not", "maps", "manifest", _release("release", "date", to="2026-02-30")),
    Lie("a digest of something else", "maps", "digest", _digest),
    # Values.
    Lie(
        "the maps of two stimuli swapped",
        "maps",
        "derived",
        _values("/outputs/pixels/heatmap", _swapped),
    ),
    Lie(
        "the integers of two stimuli swapped",
        "maps",
        "derived",
        _values("/outputs/pixels/noisy", _swapped),
    ),
    Lie(
        "the series of two tasks swapped",
        "each",
        "derived",
        _values("/outputs/steps/values", _swapped),
    ),
    Lie("values off the grid", "maps", "derived", _values("/outputs/pixels/noisy", lambda v: v + 0.5)),
    Lie(
        "integers of one byte",
        "maps",
        "derived",
        _values("/outputs/pixels/noisy", lambda v: v.astype(np.int8)),
    ),
    Lie(
        "an integer beyond what all people can make",
        "areas",
        "sensitivity",
        _item("/outputs/visits/dwell/noisy", 0, change=lambda v: v * 0 + np.iinfo(v.dtype).max // 2),
    ),
    Lie("integers without noise", "maps", "noise", _data(_without_noise)),
    Lie(
        "a map with one other value",
        "maps",
        "derived",
        _item("/outputs/still/heatmap", 1, change=_one_larger),
    ),
    Lie(
        "a map with other low bits",
        "maps",
        "derived",
        _item("/outputs/still/heatmap", 1, change=lambda v: v * np.float32(1 + 1e-6)),
    ),
    Lie(
        "another mass",
        "maps",
        "derived",
        _item("/outputs/still/normalization", 1, change=lambda v: v * np.float32(0.9)),
    ),
    Lie(
        "a smaller uncertainty of a map",
        "maps",
        "derived",
        _item("/outputs/still/uncertainty", 1, change=lambda v: v / 2),
    ),
    Lie(
        "a smaller uncertainty of a series",
        "each",
        "derived",
        _item("/outputs/steps/uncertainty", 1, 1, change=lambda v: v / 2),
    ),
    Lie(
        "a narrower interval",
        "statistics",
        "derived",
        _item("/outputs/all/mean/interval", 1, change=lambda v: v * 0 + v.mean()),
    ),
    Lie(
        "another statistic",
        "statistics",
        "derived",
        _item("/outputs/all/mean/value", 1, change=lambda v: v + 1),
    ),
    Lie(
        "a choice that is no candidate",
        "statistics",
        "derived",
        _item("/outputs/all/quantile%3A0.5/chosen", 1, change=lambda v: v * 0 + 10**6),
    ),
    Lie(
        "other shares of looking",
        "areas",
        "derived",
        _item("/outputs/visits/dwell/shares", 0, change=lambda v: v[::-1]),
    ),
    Lie(
        "a category that there is not",
        "records",
        "derived",
        _values("/outputs/exact/category/mood", lambda v: v * 0 + 100),
    ),
    Lie(
        "a value outside the bin of its category",
        "records",
        "derived",
        _values("/outputs/exact/value/left_mm", lambda v: v + 0.1),
    ),
    Lie(
        "an unlisted dataset",
        "maps",
        "unlisted",
        _data(lambda f: writer.store(f, "/outputs/still/extra", np.arange(3))),
    ),
    Lie("an unlisted group", "maps", "unlisted", _data(lambda f: f.create_group("/outputs/still/patient17"))),
    Lie(
        "a dataset that is not there",
        "maps",
        "missing",
        _data(lambda f: f.__delitem__("/outputs/still/heatmap")),
    ),
    Lie(
        "a group of another kind",
        "maps",
        "structure",
        _data(lambda f: f["/outputs/still"].attrs.__setitem__("encoding_type", np.bytes_(b"records"))),
    ),
    Lie(
        "another version of the format",
        "maps",
        "structure",
        _data(lambda f: f.attrs.__setitem__("format_version", np.int64(2))),
    ),
    Lie(
        "an output of another version",
        "maps",
        "structure",
        _data(lambda f: f["/outputs/still"].attrs.__setitem__("encoding_version", np.int64(2))),
    ),
    Lie("a manifest of another version", "maps", "manifest", _release("manifest_version", to=2)),
    # What datasets say of themselves, and what stands along their axes.
    Lie(
        "names of stimuli in another order",
        "maps",
        "derived",
        _values("/outputs/pixels/stimulus", _swapped),
    ),
    Lie(
        "the name of another stimulus",
        "maps",
        "derived",
        _values("/outputs/pixels/stimulus", lambda v: np.array([b"ward17", *v[1:]])),
    ),
    Lie(
        "names with room behind them",
        "maps",
        "derived",
        _values("/outputs/pixels/stimulus", lambda v: v.astype("S40")),
    ),
    Lie("pixels elsewhere", "maps", "derived", _values("/outputs/still/x_px", lambda v: v + 1)),
    Lie(
        "pixels a little elsewhere",
        "maps",
        "derived",
        _values("/outputs/still/x_px", lambda v: np.nextafter(v, 0)),
    ),
    Lie("steps of another length", "each", "derived", _values("/outputs/steps/step", lambda v: 2 * v)),
    Lie("people in another order", "each", "derived", _values("/outputs/changes/series", lambda v: v[::-1])),
    Lie(
        "a bin of another middle",
        "records",
        "derived",
        _values("/outputs/kept/bin_speed", lambda v: v + 0.25),
    ),
    Lie(
        "a note in the middle of a bin for what is missing",
        "records",
        "derived",
        _values("/outputs/tree/bin_speed", lambda v: (v.view(np.int64) + np.isnan(v)).view(np.float64)),
    ),
    Lie(
        "bins of other bounds, with the coordinates that follow",
        "records",
        "derived",
        _told(_parameter("kept", "attributes", 0, "high", to=9.0), follows=True),
    ),
    Lie(
        "integers said to be an estimate",
        "maps",
        "derived",
        _form("/outputs/still/noisy", attributes={"role": "estimate"}),
    ),
    Lie(
        "a map said to be the truth",
        "maps",
        "derived",
        _form("/outputs/still/heatmap", attributes={"role": "truth"}),
    ),
    Lie(
        "a map that says nothing of itself", "maps", "derived", _form("/outputs/still/heatmap", attributes={})
    ),
    Lie(
        "a unit that the values do not have",
        "maps",
        "derived",
        _form("/outputs/still/heatmap", attributes={"role": "estimate", "units": "mm"}),
    ),
    Lie(
        "pixels in another unit", "maps", "derived", _form("/outputs/still/x_px", attributes={"units": "mm"})
    ),
    Lie("an axis of another name", "maps", "derived", _form("/outputs/still/x_px", axis="x_mm")),
    Lie(
        "coordinates that say what role they have",
        "maps",
        "derived",
        _form("/outputs/still/x_px", attributes={"units": "px", "role": "estimate"}),
    ),
    Lie("a map along no axes", "maps", "derived", _form("/outputs/still/heatmap", scales=())),
    Lie(
        "recordings along the axis of features",
        "each",
        "derived",
        _form(
            "/outputs/steps/values",
            scales=tuple(f"/outputs/steps/{one}" for one in ("feature", "recording", "step")),
        ),
    ),
    Lie(
        "a map along the axes of another output",
        "maps",
        "derived",
        _form(
            "/outputs/still/noisy",
            scales=("/outputs/pixels/stimulus", "/outputs/still/coefficient"),
        ),
    ),
    Lie(
        "a map that is the coordinates of itself",
        "maps",
        "derived",
        _form("/outputs/still/normalization", axis="moment"),
    ),
]
