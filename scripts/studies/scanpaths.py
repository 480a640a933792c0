"""Synthetic scanpaths against people's, with what they have to reach: the tables of docs/evidence/scanpaths.md.

Releases are by the mechanism that plans have, with its exact noise. `images20`, `images5`: OSIE, images 1011–1030 and 1011–1015; people besides the 15 real ones are resampled (half of a person's trials are one
participant's), so that noise is that of so many people and sampling error that of 15. `pointers`: real people who look otherwise than in the public data that movements start from. `maps`: public maps of the stimuli.
`attacks`: 7 of the 15 people are in a release; the attacker has everyone's raw fixations. `quick`: one release of each on few images, to see that they run.

TSTR: bits per fixation by which a model of the next fixation, learnt from scanpaths, predicts real people on other images (1101–1140; of pointers on the same ones) better than an even guess.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from studies import _scanpath_baselines as baselines
from studies._osie_mouse import REPORTED, attention
from studies._scanpath_attacks import print_attacks
from studies._scanpath_people import POINTERS_S, eye_tracked, mechanism_for, pointers, resampled
from studies.public_maps import maps_of, some_stimuli
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event, RoundedGaussian
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.ground_truth.scanpaths import MEASURES
from synthrelease.evaluation.metrics.judged_scanpaths import Judged, fixations_of, scores
from synthrelease.kinds.mechanism import QUIET
from synthrelease.kinds.scanpath_form import SCANPATHS
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.values import Values

DELTA = 1e-5
IMAGES, FEW_IMAGES, OTHER_IMAGES = range(1011, 1031), range(1011, 1016), range(1101, 1141)
MAPPED_IMAGES = range(1011, 1021)
NO_DATA, HALF, EXACT, ALL = "no data", "half against half", "no noise", "all people"
INDEPENDENT, KERNEL, GRID = "independent draws", "density × kernel", "grid Markov 8 × 6"
TSTR = "TSTR"
SHOWN = {
    "maps": "CC",
    "NSS": "NSS",
    "amplitudes": "JS amplitude",
    "directions": "JS direction",
    "turns": "JS turn",
    "durations": "JS duration",
    "numbers": "JS number",
    "first fixations": "JS first",
    "amplitudes, px": "W amplitude px",
    "durations, ms": "W duration ms",
    "numbers, fixations": "W number",
    "returns": "returns error",
    "MultiMatch position": "MM position",
    "ScanMatch": "ScanMatch",
    TSTR: "TSTR bits",
}
_MORE_IS_BETTER = ("maps", "NSS", "MultiMatch position", "ScanMatch", TSTR)
# Of pointers' TSTR: the target was set with fixations that predicted each other by 0.97 bits.
_OF_REAL = 0.84 / 0.97
_FEW_TRIALS = 5  # three of four pointers saw no more photographs; the others saw up to all 20
_NOTHING = 1e6  # times everything that people can add up to: nothing is learnt from it
PARTS = ("images20", "images5", "pointers", "maps", "attacks", "quick")

Row = dict[str, float]  # of a release, by measure
Check = tuple[str, float, bool]  # what has to be, what is, and whether it is reached


@dataclass(frozen=True)
class Setting:
    """People and how they are released."""

    truth: GazeData
    test: GazeData  # whom models of the next fixation predict
    options: Mapping[str, object] = field(default_factory=dict)  # of `mechanism_for`

    @cached_property
    def exact(self) -> Judged:
        """All people."""
        return judged_people(self.truth, self.options)

    @cached_property
    def tested(self) -> Fixations:
        """The fixations that are predicted."""
        options = {name: value for name, value in self.options.items() if name != "public"}
        return judged_people(self.test, options).fixations

    def row(self, scanpaths: Judged) -> Row:
        """Return the measures of scanpaths."""
        found = dict(zip((m.name for m in MEASURES), scores(scanpaths, self.exact), strict=True))
        return {**found, TSTR: scanpaths.next_fixation.bits(self.tested)}

    def half(self, seed: int) -> Row:
        """Return the measures of a random half of the people against the other; the model learns from one half."""
        order = np.random.default_rng(seed).permutation(self.truth.people)
        p = self.exact.parameters
        one, other = (Judged(_of_people(self.exact.fixations, part), p) for part in np.array_split(order, 2))
        found = dict(zip((m.name for m in MEASURES), scores(one, other), strict=True))
        return {**found, TSTR: one.next_fixation.bits(self.tested)}

    def released(self, people: GazeData, epsilon: float, seed: int) -> tuple[Values, SyntheticScanpaths]:
        """Return a release of people, all by the package's own way; an infinite ε leaves the noise out."""
        made = mechanism_for(people, **self.options)
        made = replace(made, parameters=replace(made.parameters, sampling_seed=seed))
        collected = made.collect(people)
        if np.isfinite(epsilon):
            random = SecureRandom.for_tests(seed).spawn(f"{people.people} {epsilon}")
            drawn = made.draw(collected, Budget(epsilon, DELTA), random)
            return Values(drawn.parameters, drawn.event, drawn.arrays), made
        arrays = {**made.public_arrays, **made.exact(collected)}
        return Values(made.parameters, QUIET, arrays), made

    def without_data(self, seed: int) -> tuple[Values, SyntheticScanpaths]:
        """Return a release of noise alone."""
        made = mechanism_for(self.truth, **self.options)
        p = replace(made.parameters, sampling_seed=seed)
        nothing = {dataset.path: np.zeros(dataset.shape, dtype=np.int64) for dataset in made.noisy}
        largest = float(p.most_counts(QUIET) or 1)
        event: Event = RoundedGaussian(1.0, _NOTHING * largest, 1)
        return Values(p, event, {**made.public_arrays, **nothing}), made


def judged_people(gaze: GazeData, options: Mapping[str, object]) -> Judged:
    """Return people's own trials, as scanpaths are judged."""
    made = mechanism_for(gaze, **options)
    return Judged(made.fixations(made.collect(gaze)), made.parameters)


def drawn(values: Values, made: SyntheticScanpaths) -> Judged:
    """Return the scanpaths of a release."""
    return Judged(
        fixations_of(values.array(SCANPATHS).astype(np.float64), made.parameters.screen), made.parameters
    )


def _of_people(fixations: Fixations, people: np.ndarray) -> Fixations:
    kept = np.isin(fixations.person, people)
    columns = ("person", "stimulus", "x", "y", "duration_us")
    return replace(fixations, **{name: getattr(fixations, name)[kept] for name in columns})


class Table:
    """Rows of the mean of several releases, printed as they are made."""

    def __init__(self, title: str) -> None:
        self._rows: dict[str, list[Row]] = {}
        print(f"\n{title}\n\n| | {' | '.join(SHOWN.values())} |\n|---|{'---|' * len(SHOWN)}")

    def add(self, name: str, rows: Sequence[Row]) -> None:
        """Print the mean of several releases, and their standard deviation."""
        self._rows[name] = list(rows)
        cells = []
        for measure in SHOWN:
            values = [row[measure] for row in rows]
            digits = 3 if abs(np.mean(values)) < 0.2 else 2 if abs(np.mean(values)) < 5 else 1
            spread = f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else ""
            cells.append(f"{np.mean(values):.{digits}f}{spread}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)

    def mean(self, name: str, measure: str) -> float:
        """Return the mean of a measure."""
        return float(np.mean([row[measure] for row in self._rows[name]]))

    def at_most(self, name: str, measure: str, most: float, what: str = "") -> Check:
        """Return whether a mean is small enough."""
        value = self.mean(name, measure)
        return f"{name}: {SHOWN.get(measure, measure)} ≤ {most:.3g}{what}", value, value <= most

    def at_least(self, name: str, measure: str, least: float) -> Check:
        """Return whether a mean is large enough."""
        value = self.mean(name, measure)
        return f"{name}: {SHOWN.get(measure, measure)} ≥ {least:.3g}", value, value >= least


def run(data: Path, only: Sequence[str] = ()) -> None:
    """Print the tables, and of each what has to be reached and whether it is.

    Args:
        data: the folder of all data sets.
        only: which of `PARTS`, all of them if none is named; `quick` makes them short.
    """
    if unknown := set(only) - set(PARTS):
        sys.exit(f"no table {', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    quick = "quick" in only
    seeds = 1 if quick else 4
    named = set(only) - {"quick"}
    test = eye_tracked(data, OTHER_IMAGES)
    parts: dict[str, Callable[[], Iterator[Check]]] = {
        "images20": lambda: _all_images(
            Setting(eye_tracked(data, IMAGES[: 3 if quick else None]), test), seeds
        ),
        "images5": lambda: _few_images(
            Setting(eye_tracked(data, FEW_IMAGES[: 2 if quick else None]), test), seeds
        ),
        "pointers": lambda: _pointers(pointers(data), 1 if quick else 6),
        "maps": lambda: _mapped(data, test, seeds),
        "attacks": lambda: print_attacks(eye_tracked(data, IMAGES[: 3 if quick else None]), quick=quick),
    }
    checks = [(name, check) for name, part in parts.items() if name in named or not named for check in part()]
    if quick:
        return  # a release is too few to judge by
    print("\n| | has to be | is | |\n|---|---|---|---|")
    for name, (what, value, reached) in checks:
        print(f"| {name} | {what} | {value:.3g} | {'reached' if reached else '**not reached**'} |")


def _all_images(setting: Setting, seeds: int) -> Iterator[Check]:
    """20 images: 15 people, 100 and 500."""
    table = Table(f"OSIE, {len(setting.truth.stimuli)} images of each person")
    table.add(HALF, [setting.half(seed) for seed in range(2 * seeds)])
    table.add(ALL, [setting.row(setting.exact)])
    _add(table, NO_DATA, setting, seeds, setting.without_data)
    for people, epsilon in ((15, 1.0), (50, 1.0), (100, 1.0), (100, 3.0), (500, 3.0)):
        _add_releases(table, setting, people, epsilon, seeds)
    _compare(table, setting, 500, seeds)
    exact = f"15, {EXACT}"
    _add(table, exact, setting, seeds, lambda seed: setting.released(setting.truth, np.inf, seed))
    for measure, most in (("amplitudes", 0.01), ("directions", 0.01), ("turns", 0.01), ("durations", 0.012)):
        yield table.at_most(exact, measure, most)
    yield table.at_most(exact, "amplitudes, px", 13)
    yield table.at_most(exact, "returns", 0.01)
    yield table.at_least(exact, TSTR, 1.45)
    yield table.at_least(exact, "maps", 0.95)
    for measure in ("amplitudes", "turns", "durations", "numbers"):
        half = table.mean(HALF, measure)
        yield table.at_most("100, ε = 1", measure, 1.5 * half, " = 1.5 × half against half")
    for measure in SHOWN:
        none = table.mean(NO_DATA, measure)
        if measure in _MORE_IS_BETTER:
            yield table.at_least("100, ε = 1", measure, none - 0.1 * abs(none))
        else:
            yield table.at_most("100, ε = 1", measure, 1.1 * none, " = 1.1 × no data")
    yield table.at_least("500, ε = 1", "maps", 0.70)
    nearer = table.mean(INDEPENDENT, "amplitudes") / table.mean("500, ε = 1", "amplitudes")
    yield f"500, ε = 1: JS amplitude of {INDEPENDENT} over that of scanpaths ≥ 5", nearer, nearer >= 5
    yield from _worse(table, "500, ε = 1")


def _few_images(setting: Setting, seeds: int) -> Iterator[Check]:
    """Five images."""
    table = Table(f"OSIE, {len(setting.truth.stimuli)} images of each person")
    table.add(HALF, [setting.half(seed) for seed in range(2 * seeds)])
    _add(table, NO_DATA, setting, seeds, setting.without_data)
    for people in (15, 100):
        _add_releases(table, setting, people, 1.0, seeds)
    _compare(table, setting, 500, seeds)
    yield table.at_least("500, ε = 1", "maps", 0.85)
    yield from _worse(table, "500, ε = 1")


def _pointers(gaze: GazeData, seeds: int) -> Iterator[Check]:
    """Real people who look otherwise than the public data that movements start from."""
    setting = Setting(gaze, gaze, {"seconds": POINTERS_S, "flat": 0.5})
    table = Table(f"{gaze.people} real people, pointers, {len(gaze.stimuli)} images, prior_flat = 0.5")
    table.add(HALF, [setting.half(seed) for seed in range(seeds)])
    table.add(ALL, [setting.row(setting.exact)])
    _add(table, NO_DATA, setting, seeds, setting.without_data)
    for epsilon in (0.5, 1.0, 3.0, np.inf):
        name = f"ε = {epsilon:g}" if np.isfinite(epsilon) else EXACT
        _add(table, name, setting, seeds, lambda seed, epsilon=epsilon: setting.released(gaze, epsilon, seed))
    few = Setting(gaze, gaze, {**setting.options, "most": _FEW_TRIALS})
    name = f"ε = 1, max_stimuli_per_person = {_FEW_TRIALS}"
    table.add(name, [setting.row(drawn(*few.released(gaze, 1.0, seed))) for seed in range(seeds)])
    for measure in ("amplitudes", "numbers"):
        yield table.at_most("ε = 1", measure, table.mean(NO_DATA, measure) / 4, " = ¼ of no data")
    yield table.at_least("ε = 1", TSTR, 0.84)
    share = table.mean("ε = 1", TSTR) / table.mean(ALL, TSTR)
    yield f"ε = 1: TSTR over that of {ALL} ≥ {_OF_REAL:.2f} = .84 of .97", share, share >= _OF_REAL


def _mapped(data: Path, test: GazeData, seeds: int) -> Iterator[Check]:
    """Maps of the same images by other people's pointers as public maps."""
    public = maps_of(some_stimuli(attention(data), REPORTED))
    setting = Setting(eye_tracked(data, MAPPED_IMAGES), test, {"public": public})
    table = Table("OSIE, 10 images of each person, public maps of the images")
    table.add(HALF, [setting.half(seed) for seed in range(2 * seeds)])
    _add(table, NO_DATA, setting, seeds, setting.without_data)
    for people in (15, 100, 500):
        _add_releases(table, setting, people, 1.0, seeds)
    yield table.at_least("15, ε = 1", "maps", 0.75)


Released = Callable[[int], tuple[Values, SyntheticScanpaths]]


def _add(table: Table, name: str, setting: Setting, seeds: int, release: Released) -> None:
    table.add(name, [setting.row(drawn(*release(seed))) for seed in range(seeds)])


def _people(setting: Setting, people: int, seed: int) -> GazeData:
    return setting.truth if people == setting.truth.people else resampled(setting.truth, people, seed)


def _add_releases(table: Table, setting: Setting, people: int, epsilon: float, seeds: int) -> None:
    def release(seed: int) -> tuple[Values, SyntheticScanpaths]:
        return setting.released(_people(setting, people, seed), epsilon, seed)

    _add(table, f"{people}, ε = {epsilon:g}", setting, seeds, release)


def _compare(table: Table, setting: Setting, people: int, seeds: int) -> None:
    """Releases at ε = 1, and simpler chains from the same ones; transitions of a grid of the same people with the same budget."""
    rows: dict[str, list[Row]] = {f"{people}, ε = 1": [], INDEPENDENT: [], KERNEL: [], GRID: []}
    for seed in range(seeds):
        gaze = _people(setting, people, seed)
        values, made = setting.released(gaze, 1.0, seed)
        ours, p = drawn(values, made), made.parameters
        grid = baselines.grid_chain(
            judged_people(gaze, setting.options).fixations,
            baselines.timing_of(ours),
            p,
            epsilon=1.0,
            delta=DELTA,
            seed=seed,
        )
        simple = baselines.independent(values, p), baselines.density_times_kernel(values, p)
        for name, scanpaths in zip(rows, (ours, *simple, grid), strict=True):
            rows[name].append(setting.row(scanpaths))
    for name, found in rows.items():
        table.add(name, found)


def _worse(table: Table, ours: str) -> Iterator[Check]:
    """That simpler chains lose: in how movements are, and the grid in places, too."""
    for name in (KERNEL, GRID):
        times = table.mean(name, "amplitudes") / table.mean(ours, "amplitudes")
        yield f"{ours}: JS amplitude of {name} over that of scanpaths > 1", times, times > 1
        more = table.mean(ours, TSTR) - table.mean(name, TSTR)
        yield f"{ours}: TSTR of scanpaths over that of {name}, bits > 0", more, more > 0
    more = table.mean(ours, "maps") - table.mean(GRID, "maps")
    yield f"{ours}: CC of scanpaths over that of {GRID} > 0", more, more > 0
