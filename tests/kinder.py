"""A careful forger: any number of a manifest told otherwise, with all that follows from it, where a release looks kinder by it.

What follows is made by the package's own public halves: other parameters, event, sensitivity, ε, sentences, derived values, digests and seal.
Integers that carry noise stay as they are.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import deniable_study
import numpy as np
import scanpath_study
from forging import Manifest, codes, derive_again, forge_carefully, recompute_claims, recompute_sensitivities
from layouts import LEDGER, Layout, read, tell_as_real

import synthrelease
from synthrelease.bundle.examination import manifest_faults
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.scanpaths.dynamics import norm_for

Place = tuple[str | int, ...]
_VIEWERS = " and viewers"
_NAMES = {
    "type",
    "kind",
    "unit",
    "dataset_id",
    "entry",
    "code",
    "sha256",
    "prior_sha256",
}  # of what, not how much
PEOPLE = 40
_DATA = Path(__file__).parent / "data"

_HEAD = """
[release]
name = "kinder"
version = "1"
title = "Told otherwise"
[privacy]
epsilon = {epsilon}
delta = 1e-4
[inputs.looks]
kind = "gaze"
path = "looks.csv"
columns = {{ person = "who", stimulus = "picture", x = "x", y = "y", duration = "ms" }}
screen = {{ width_px = 80, height_px = 60 }}
stimuli = ["10", "a/b"]
assume_public = ["assignment"]
[inputs.values]
kind = "features"
path = "values.csv"
columns = {{ person = "who", recording = "task", time = "t" }}
recordings = ["read", "search"]
bounds = {{ size_mm = [2.0, 8.0], open = [0.0, 1.0] }}
categories = {{ mood = ["calm", "tense"] }}
[[outputs]]
name = "one"
{output}"""
_MAP = 'kind = "heatmap"\ninput = "looks"\nblur_px = 12\n'
_CELLS = _MAP + "width_px = 8\nheight_px = 6\nmax_samples_per_stimulus = 6\n"
_SPARSE = _MAP + "width_px = 16\nheight_px = 12\n"  # each has far fewer samples than may count
_AREAS = 'kind = "areas"\ninput = "looks"\nareas = { left = { rectangle = [0, 0, 40, 60] } }\n'
_SERIES = 'kind = "signals"\ninput = "values"\nlength = 8\n'
_NOISED = _SERIES + 'noise = "gaussian"\n'
_RECORDS = 'kind = "records"\ninput = "values"\nbins = 2\n'
_GROUPS = 'kind = "statistics"\ninput = "values"\nby = "mood"\nbins = 3\nquantile_steps = 9\n'
_TRIALS = (
    'kind = "statistics"\ninput = "looks"\nby = "stimulus"\nbins = 3\nquantile_steps = 9\n'
    "bounds = { fixation_count = [0, 9], fixation_duration = [0, 400] }\n"
)
_OUTPUTS = {  # ε of each, and what a plan says of it
    "heatmap spectral": (40, f'{_MAP}prior = "maps"\nmaps = "{_DATA / "maps"}"\n'),
    "heatmap spectral by stimulus": (40, _MAP + 'clipping = "per-stimulus"\n'),
    "heatmap spectral unclipped": (400, _MAP + 'clipping = "per-stimulus"\nclip = 2.0\n'),
    "heatmap gaussian": (40, _CELLS + 'mechanism = "gaussian"\ncap = "private"\ncaps = [1, 2, 4]\n'),
    "heatmap gaussian sparse": (40, _SPARSE + 'mechanism = "gaussian"\ncap = "private"\ncaps = [1, 2, 4]\n'),
    "heatmap laplace": (40, _CELLS + 'mechanism = "laplace"\n'),
    "heatmap laplace sparse": (40, _SPARSE + 'mechanism = "laplace"\n'),
    "areas gaussian": (40, _AREAS + 'noise = "gaussian"\n'),
    "areas laplace": (40, _AREAS + "transitions = true\n"),
    "signals spectral": (40, _SERIES + 'coefficients = 3\nbaseline = "start"\nbaseline_steps = 2\n'),
    "signals lpa": (40, _NOISED + 'mechanism = "lpa"\nquery = "each"\n'),
    "signals fpa": (40, _NOISED + 'mechanism = "fpa"\ncoefficients = 3\nclip = 0.5\n'),
    "signals cfpa": (
        40,
        _NOISED + 'mechanism = "cfpa"\nchunk = 5\ncoefficients = "private"\ncandidates = [1, 2]\n',
    ),
    "signals dcfpa": (40, _NOISED + 'mechanism = "dcfpa"\nchunk = 4\ncoefficients = 2\nmax_change = 0.2\n'),
    "records marginals": (
        40,
        _RECORDS + 'model = "marginals"\nfit = "dp"\ntask = "mood"\ndependence = "tree"\nrows = 400\n',
    ),
    "records seeded": (
        40,
        _RECORDS + 'model = "seeded"\nfit = "dp"\nnoise = "gaussian"\nk = 4\nresampled = [1, 2]\nrows = 20\n',
    ),
    "records randomized": (
        400,
        _RECORDS
        + 'model = "seeded"\nfit = "dp"\nthreshold = "randomized"\nk = 6\ngamma = 2.0\nepsilon0 = 5.0\ntrials = 4\nresampled = 2\n',
    ),
    "people": (
        2,
        f'kind = "people"\ninput = "values"\nwindows = 3\npeople = 5\npilot = "{_DATA / "pilot.csv"}"\n',
    ),
    "statistics laplace": (
        100,
        _GROUPS + 'statistics = ["count", "sum", "mean", "variance", "histogram", "median"]\n',
    ),
    "statistics gaussian": (100, _GROUPS + 'noise = "gaussian"\nstatistics = ["mean", "quantile:0.2"]\n'),
    "statistics chosen": (20, _GROUPS + 'statistics = ["median"]\n'),
    "fixations laplace": (100, _TRIALS + 'statistics = ["count", "mean"]\n'),
    "fixations gaussian": (100, _TRIALS + 'noise = "gaussian"\nstatistics = ["histogram"]\n'),
    "fixations chosen": (20, _TRIALS + 'statistics = ["median"]\n'),
}
_OF_TRIALS = {  # on the table of `scanpath_study`
    "scanpaths": scanpath_study.plan("blur_px = 120\n", epsilon=300).replace(
        "scanpaths = 12", "scanpaths = 2"
    ),
    "records of trials": deniable_study.plan('k = 4\nfit = "dp"\n', tokens="fixations = 3, scanpaths = 4"),
}
NAMES = (*_OUTPUTS, *_OF_TRIALS)


@functools.cache
def base(name: str) -> Layout:
    """Return a bundle of one output that verifies, built once, told as if a ledger had been charged for it."""
    with tempfile.TemporaryDirectory() as folder:
        path = synthrelease.build(write_study(Path(folder), name), Path(folder) / "r.h5", test_seed=5).path
        entry = read(path).manifest["outputs"][0]
        cost = accounting.epsilon_at(
            [events.from_json(entry["event"])],
            delta=LEDGER["delta"],
            neighbours=Neighbours.REPLACE_ONE,
            budget=1000.0,
        )
        charged = {"spent_here": cost * 1.0001, "spent_after": cost * 1.0001 + LEDGER["spent_before"]}
        tell_as_real(path, ledger={**LEDGER, **charged})
        return read(path, name)


def write_study(folder: Path, name: str) -> Path:
    """Write a plan of one output and its data: everyone looks at all pictures, does both tasks, and has both moods."""
    plan = folder / "plan.toml"
    if name in _OF_TRIALS:
        (folder / "fixations.csv").write_text(scanpath_study.table(PEOPLE))
        plan.write_text(_OF_TRIALS[name].replace('name = "paths"', 'name = "one"'))
        return plan
    rng = np.random.default_rng(20261129)
    looks, values = ["who,picture,x,y,ms"], ["who,task,t,size_mm,open,mood"]
    for person in range(PEOPLE):
        for picture in ("10", "a/b"):
            for x, y, ms in zip(
                rng.uniform(0, 80, 6), rng.uniform(0, 60, 6), rng.integers(80, 400, 6), strict=True
            ):
                looks.append(f"p{person},{picture},{x:.1f},{y:.1f},{ms}")
        for task in ("read", "search"):
            for t, (size, shut) in enumerate(
                zip(rng.uniform(3, 7, 8), rng.uniform(0.2, 0.9, 8), strict=True)
            ):
                values.append(f"p{person},{task},{t},{size:.3f},{shut:.3f},{('calm', 'tense')[t % 2]}")
    (folder / "looks.csv").write_text("\n".join(looks) + "\n")
    (folder / "values.csv").write_text("\n".join(values) + "\n")
    epsilon, output = _OUTPUTS[name]
    text = _HEAD.format(epsilon=epsilon, output=output)
    if 'input = "values"' in output:  # the only one: who is in another is not looked for in a pilot
        text = text.partition("[inputs.looks]")[0] + "[inputs.values]" + text.partition("[inputs.values]")[2]
    plan.write_text(text)
    return plan


@dataclass(frozen=True)
class Forgery:
    """A kinder claim.

    Attributes:
        field: what is told otherwise, without the numbers of places in lists, and whether viewers are.
        what: from what to what, and what was told with it.
        manifest: the forged one, but for what follows from values.
    """

    field: str
    what: str
    manifest: Manifest


def forgeries(name: str, factors: Sequence[float] = (0.5, 2)) -> Iterator[Forgery]:
    """Yield claims of a bundle that are kinder than the true ones: numbers times a factor, or one more or less, other words, and nothing."""
    true = base(name).manifest
    before = _costs(true)
    for place, value in _leaves(true):
        for other in _others(true, place, value, factors):
            seen = [true]
            for words, along in _ALONG.items():
                manifest = copy.deepcopy(true)
                _at(manifest, place[:-1])[place[-1]] = other
                with suppress(Exception):  # nothing follows from nonsense
                    along(manifest, place)
                if manifest in seen:
                    continue
                seen.append(manifest)
                # What does not fit the schema is refused for that.
                if _is_kinder(before, manifest) and not manifest_faults(manifest):
                    what = f"{'/'.join(map(str, place))}: {value} → {other}{words}"
                    yield Forgery(_field(place) + _VIEWERS * (along is _all_and_viewers), what, manifest)


def found(path: Path, name: str, forgery: Forgery) -> set[str]:
    """Write a forged bundle with what follows from its values, and return what `verify` finds."""

    def tell(manifest: Manifest) -> None:
        manifest.clear()
        manifest.update(copy.deepcopy(forgery.manifest))

    path.write_bytes(base(name).raw)
    forge_carefully(path, tell)
    faults = codes(path)
    if faults == {"derived"} and name == "scanpaths":
        return set()  # what follows takes minutes to fit, and does
    if faults == {"derived"}:
        with suppress(Exception):
            derive_again(path)
        faults = codes(path)
    return faults


def _field(place: Place) -> str:
    names = [str(key) for key in place if not isinstance(key, int)]
    return "/".join(names[1 if names[0] == "outputs" else 0 :])


# --- what is told otherwise


def _leaves(manifest: Manifest) -> Iterator[tuple[Place, Any]]:
    """Yield place and value of all that is a number, a truth value, a choice of few words, or nothing."""
    entry = manifest["outputs"][0]
    told = [
        ("outputs", 0, key)
        for key in ("mechanism", "event", "noise", "sensitivity", "guarantee", "narrower_units")
    ]
    for root in (*told, ("inputs",), ("privacy",), ("ledger",)):
        for place, value in _below(manifest, root):
            is_words = isinstance(value, str) and not _is_number(value)
            if place[-1] not in _NAMES and (not is_words or _words(entry, place)):
                yield place, value


def _below(node: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    """Of a list, the first and the last item."""
    value = _at(node, place)
    if not isinstance(value, dict | list):
        yield place, value
        return
    ends = sorted({0, len(value) - 1}) if value else []
    for key in value if isinstance(value, dict) else ends:
        yield from _below(node, (*place, key))


def _at(node: Any, place: Place) -> Any:
    for key in place:
        node = node[key]
    return node


def _is_number(value: str) -> bool:
    with suppress(ValueError):
        return math.isfinite(float(value))
    return False


def _words(entry: Manifest, place: Place) -> list[str]:
    """The words that may stand at a place, by the schema of the mechanism."""
    if place == ("privacy", "neighbours"):
        return list(Neighbours)
    if place[2:3] != ("mechanism",) or len(place) != 5:
        return []
    schema: Any = type(parameters_of(entry)).schema()
    words: list[str] = schema[place[3]]["properties"].get(place[4], {}).get("enum", [])
    return words


def _others(manifest: Manifest, place: Place, value: Any, factors: Sequence[float]) -> Iterator[Any]:
    """Yield what could be told instead of a value."""
    if isinstance(value, bool):
        yield not value
    elif value is None:
        yield from (1, 2, 0.5)
    elif isinstance(value, int):
        yield from sorted({value - 1, value + 1, *(round(value * factor) for factor in factors)} - {value})
        yield None
    elif isinstance(value, float):
        yield from (*(value * factor for factor in factors), None)
    elif value.isdigit():
        yield from (str(round(int(value) * factor)) for factor in factors)
    elif _is_number(value):
        yield from (repr(float(value) * factor) for factor in factors)
    else:
        yield from (word for word in _words(manifest["outputs"][0], place) if word != value)


# --- what follows


def _claims(manifest: Manifest, place: Place) -> None:
    entry = manifest["outputs"][0]
    if entry["noise"] is not None:
        (noise,) = (one for one in entry["event"].get("events", [entry["event"]]) if "scale" in one)
        told, other = (entry["noise"], noise) if place[2:3] == ("noise",) else (noise, entry["noise"])
        other["scale"] = told["scale"]
    recompute_claims(manifest)


def _all(manifest: Manifest, place: Place) -> None:
    """People, parameters, event, sensitivity and claims."""
    entry = manifest["outputs"][0]
    public = entry["mechanism"]["public_inputs"]
    if place[0] == "privacy":
        public["people"] = manifest["privacy"]["people"]
    if manifest["privacy"]["neighbours"] == Neighbours.ADD_REMOVE_ONE:
        public["people"] = None
    manifest["privacy"]["people"] = public["people"]
    if public["people"] is None and "viewers" in public:
        public["viewers"] = None
    parameters = _consistent(parameters_of(entry), str(place[-1]))
    entry["mechanism"] = parameters.to_entry()
    entry["event"] = _event(events.from_json(entry["event"]), parameters).to_json()
    recompute_sensitivities(manifest)
    _claims(manifest, place)


def _all_and_viewers(manifest: Manifest, place: Place) -> None:
    """Of fewer stimuli of a person, or of other people, as many viewers as there would be."""
    public = manifest["outputs"][0]["mechanism"]["public_inputs"]
    if public.get("viewers") is None:
        return
    parameters = manifest["outputs"][0]["mechanism"]["parameters"]
    most = parameters["max_stimuli_per_person"] * public["people"] // len(parameters["stimuli"])
    public["viewers"] = [most] * len(public["viewers"])
    _all(manifest, place)


_ALONG: dict[str, Callable[[Manifest, Place], None]] = {
    "": _claims,
    ", with all that follows": _all,
    f", with all that follows{_VIEWERS}": _all_and_viewers,
}
_FOLLOWS: dict[str, Callable[[Any], Any]] = {  # of parameters that follow from others
    "bound_grid_units": lambda p: p.radii,
    "constant_grid_units": lambda p: p.form.constant,
    "norm": lambda p: norm_for(p.max_stimuli_per_person, p.viewing_time_s),
    "attributes": lambda p: p.tokens.attributes(p.stimuli),
    "rows": lambda p: p.tokens and p.scanpaths * len(p.stimuli),  # not those of a map
}


def _consistent(parameters: Parameters, told: str) -> Parameters:
    """Parameters in which what follows from others does, but for what is told."""
    for field, follows in _FOLLOWS.items():
        if field != told:
            with suppress(AttributeError):
                parameters = dataclasses.replace(parameters, **{field: follows(parameters)})
    return parameters


def _event(event: events.Event, parameters: Any) -> events.Event:
    """The event with as many choices as parameters call for, and with their test."""
    if isinstance(event, events.Disjoint):
        return events.Disjoint(tuple(_event(part, parameters) for part in event.events))
    if isinstance(event, events.Composed):
        parts = [part for part in event.events if not isinstance(part, events.PrivateChoice)]
        choices = [part for part in event.events if isinstance(part, events.PrivateChoice)]
        first = isinstance(event.events[0], events.PrivateChoice)
        due = (
            [dataclasses.replace(choices[0], candidates=number) for number in parameters.choices()]
            if choices
            else []
        )
        others = [_event(part, parameters) for part in parts]
        return events.Composed((*due, *others) if first else (*others, *due))
    if isinstance(event, events.DeniabilityTest):
        return events.DeniabilityTest(
            parameters.k, parameters.gamma, parameters.counted, parameters.is_vacuous
        )
    if isinstance(event, events.RandomizedTest):
        return dataclasses.replace(event, k=parameters.k, gamma=parameters.gamma, trials=parameters.rows)
    return event


# --- what is kinder


def _is_kinder(before: dict[str, float], manifest: Manifest) -> bool:
    """Whether anything looks better than before, or it is not known how it looks."""
    try:
        after = _costs(manifest)
        return any(after.get(name, 0.0) < before.get(name, 0.0) for name in before.keys() | after.keys())
    except (AttributeError, LookupError, TypeError, ValueError):
        return True


def _costs(manifest: Manifest) -> dict[str, float]:
    """What a reader would rather have less of, by name; what is not there costs nothing."""
    (entry,), privacy, ledger = manifest["outputs"], manifest["privacy"], manifest["ledger"]
    costs: dict[str, float] = {}
    for name, guarantee in (("output", entry["guarantee"]), ("release", privacy["guarantee"])):
        costs |= {f"{name} {key}": cost for key, cost in _guarantee_costs(guarantee).items()}
    costs |= {f"{key} of the budget": value for key, value in privacy["budget"].items()}
    costs |= {f"to a {one['unit']}": one["epsilon"] for one in entry["narrower_units"]}
    costs |= {
        f"{key} of the ledger": ledger[key] for key in ("delta", "spent_before", "spent_here", "spent_after")
    }
    if entry["sensitivity"] is not None:
        costs["sensitivity"] = float(entry["sensitivity"]["value"])
    remarks = [one["code"] for one in (*manifest["warnings"], *entry["warnings"], *privacy["not_protected"])]
    costs["remarks"] = float(len(remarks))
    costs["assumed"] = float(remarks.count("assumed-names"))
    costs["people"] = -float(privacy["people"] or 0)
    return costs


def _guarantee_costs(guarantee: Manifest) -> dict[str, float]:
    if guarantee["kind"] == "none":
        return {"epsilon": math.inf, "delta": 1.0}
    if guarantee["kind"] == "plausible_deniability":
        return {
            "k": -guarantee["k"],
            "gamma": guarantee["gamma"],
            "vacuous": float(guarantee["vacuous"]),
            "records": float(guarantee["counted"] == "record"),
        }
    return {"epsilon": guarantee.get("epsilon", math.inf), "delta": guarantee.get("delta", 0.0)}
