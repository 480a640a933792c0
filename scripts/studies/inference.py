"""Coverage of the intervals of `synthrelease.inference` (docs/evidence/inference.md): do 95 % of them hold the exact value?

Invented populations whose exact values are known; of each, samples of 20, 100 and 1000 people are drawn, their integers added up as the mechanism
does, and noise of the mechanism's law added. Parameters and scale of the noise are those of a call of `arrays` at each ε; the integers of its result
are replaced by drawn ones, and then the public functions are called. 2000 draws: coverage is known to 0.5 percentage points (standard error).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies._inference_populations import DELTA, Curves, Maps, Means, Shares, TwoReleases
from synthrelease import inference
from synthrelease.arrays import ArrayRelease
from synthrelease.inference import Estimate, Spread
from synthrelease.inference.quotient import Quotient
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.values import Values

Numbers = NDArray[np.float64]

PEOPLE, EPSILONS, DRAWS = (20, 100, 1000), (0.5, 1.0, 3.0), 2000
SOURCE = "the population of the study"


@dataclass(frozen=True)
class Ends:
    """An interval that no function of the package made."""

    low: float
    high: float


@dataclass(frozen=True)
class Row:
    """A row of the table: a population, what is asked of a release, and what is true."""

    name: str
    population: Any
    ask: Callable[..., Estimate | Ends]
    exact: float | None  # of the population; None for the participants


def rows() -> Iterator[Row]:
    """Yield the rows."""
    yield from of_means()
    for public in (True, False):
        yield from of_shares(Shares(viewers_public=public), "" if public else ", viewers private")
    yield from of_curves()
    yield from of_maps()
    yield from of_known_groups()
    yield from of_coarse_maps()


def of_coarse_maps() -> Iterator[Row]:
    """Yield the row about a cell of a map of twice the released blur."""
    maps = Maps(times=2.0)
    options = {"blur_px": 2 * maps.blur_px, "target": "participants"}
    yield Row("map cell, twice the blur, participants", maps, lambda r: _cell(r, maps.cell, **options), None)


def of_known_groups() -> Iterator[Row]:
    """Yield the row about groups whose sizes are known from the study's design."""
    groups = Means(groups=2, statistics=("mean",))
    spread = Spread(groups.deviation[0], SOURCE)

    def ask(release: ArrayRelease) -> Estimate:
        return _groups(release, spread, release.mechanism["public_inputs"]["people"] // 2)

    yield Row(
        "difference of groups, sizes known, deviation given", groups, ask, groups.exact[1] - groups.exact[0]
    )


def of_means() -> Iterator[Row]:
    """Yield the rows about means and their differences."""
    mean, few = Means(), Means(statistics=("mean",))
    exact, deviation = mean.exact[0], mean.deviation[0]
    given = Spread(deviation, SOURCE)
    yield Row("mean, variance released", mean, inference.mean, exact)
    yield Row("mean, deviation given", few, lambda r: inference.mean(r, spread=given), exact)
    yield Row("mean, participants", few, lambda r: inference.mean(r, target="participants"), None)
    yield Row("mean, nothing known: a bound", few, lambda r: inference.mean(r, spread="bound"), exact)
    yield Row(
        "*mean, noise ignored*", few, lambda r: _naive(inference.mean(r, spread=given), deviation), exact
    )
    adding = Means(neighbours="add-remove-one")
    yield Row("mean, n private, variance released", adding, inference.mean, exact)
    two = TwoReleases()
    yield Row(
        "difference of two releases, variances released",
        two,
        lambda *r: inference.difference(*map(inference.mean, r)),
        0.0,
    )
    groups = Means(groups=2)
    effect = groups.exact[1] - groups.exact[0]
    yield Row("difference of groups, variances released", groups, lambda r: _groups(r, None), effect)
    yield Row(
        "difference of groups, deviation given",
        Means(groups=2, statistics=("mean",)),
        lambda r: _groups(r, given),
        effect,
    )


def of_shares(shares: Shares, words: str) -> Iterator[Row]:
    """Yield the rows about dwell shares."""
    exact, deviation = float(shares.shares[:, 0].mean()), float(shares.shares[:, 0].std())
    spread = Spread(shares.shares.std(axis=0), SOURCE)
    apart = shares.shares[:, 0] - shares.shares[:, 1]
    paired = Spread(float(apart.std()), SOURCE)
    yield Row(f"dwell share, deviation given{words}", shares, lambda r: _share(r, "a", spread=spread), exact)
    yield Row(
        f"dwell share, participants{words}", shares, lambda r: _share(r, "a", target="participants"), None
    )
    yield Row(
        f"dwell share, nothing known: a bound{words}", shares, lambda r: _share(r, "a", spread="bound"), exact
    )
    yield Row(
        f"difference of two areas, deviation of it given{words}",
        shares,
        lambda r: inference.difference(
            _share(r, "a", spread=spread), _share(r, "b", spread=spread), spread=paired
        ),
        float(apart.mean()),
    )
    if not words:
        yield Row(
            "*dwell share, noise ignored, shrunk*", shares, lambda r: _shrunk_share(r, deviation), exact
        )


def of_curves() -> Iterator[Row]:
    """Yield the rows about a step of a mean signal."""
    spectral = {"delta": DELTA, "baseline": "none"}
    for name, curves in (
        ("spectral", Curves("spectral", **spectral)),
        ("LPA", Curves("lpa")),
        ("FPA", Curves("fpa")),
    ):
        given = Spread(curves.deviation, SOURCE)
        step = curves.step
        yield Row(
            f"step of a curve ({name}), deviation given",
            curves,
            lambda r, s=given, t=step: inference.curve(r, spread=s).at(step=t),
            curves.exact,
        )
        yield Row(
            f"step of a curve ({name}), participants",
            curves,
            lambda r, t=step: inference.curve(r, target="participants").at(step=t),
            None,
        )


def of_maps() -> Iterator[Row]:
    """Yield the rows about a cell of a map."""
    maps = Maps()
    spread, exact = Spread(maps.deviation, SOURCE), maps.value(maps.integers.sum(axis=0))
    yield Row("map cell, deviation given", maps, lambda r: _cell(r, maps.cell, spread=spread), exact)
    yield Row("map cell, participants", maps, lambda r: _cell(r, maps.cell, target="participants"), None)
    yield Row("*map cell, shrunk, noise ignored*", maps, lambda r: _shrunk_cell(r, maps), exact)


def _naive(estimate: Estimate, deviation: float) -> Ends:
    """An interval as of values without noise."""
    quotient = estimate.evidence
    assert isinstance(quotient, Quotient)
    far = 1.96 * deviation / np.sqrt(quotient.participants)
    return Ends(float(estimate.estimate) - far, float(estimate.estimate) + far)


def _share(release: ArrayRelease, area: str, **options: Any) -> Estimate:
    return inference.proportions(release, **options).at(area=area)


def _shrunk(release: ArrayRelease, kind: str, path: str) -> tuple[Numbers, int]:
    """A released array as it follows from the integers, and how many people there are."""
    p = parameters_of({"kind": kind, "mechanism": release.mechanism})
    assert p.people is not None
    return Values(p, release.event, release.values).array(path), p.people


def _shrunk_share(release: ArrayRelease, deviation: float) -> Ends:
    shares, people = _shrunk(release, "areas", "dwell/shares")
    far = 1.96 * deviation / np.sqrt(people)
    return Ends(shares[0, 0] - far, shares[0, 0] + far)


def _shrunk_cell(release: ArrayRelease, maps: Maps) -> Ends:
    shown, people = _shrunk(release, "heatmap", "heatmap")
    value, far = shown[0][maps.cell], 1.96 * maps.deviation / np.sqrt(people)
    return Ends(value - far, value + far)


def _groups(release: ArrayRelease, spread: Spread | None, people: int | None = None) -> Estimate:
    first, second = (
        inference.mean(release, group=group, spread=spread, people=people) for group in ("b", "a")
    )
    return inference.difference(first, second)


def _cell(release: ArrayRelease, cell: tuple[int, int], **options: Any) -> Estimate:
    whole = inference.heatmap(release, **options)
    y, x = (list(axis)[place] for axis, place in zip(whole.coordinates.values(), cell, strict=True))
    return whole.at(y_px=y, x_px=x)


def coverage(row: Row, people: int, epsilon: float, seed: int) -> tuple[float, float]:
    """Return the share of intervals that hold the exact value, and their median length."""
    random = np.random.default_rng([seed, people, round(10 * epsilon)])
    release = row.population.release(people, epsilon)
    holds, lengths = [], []
    for draw in itertools.islice(row.population.draws(release, people, random), DRAWS):
        estimate = row.ask(*(replace(release, values=integers) for integers in draw.samples))
        exact = draw.participants if row.exact is None else row.exact
        holds.append(float(estimate.low) <= exact <= float(estimate.high))
        lengths.append(float(estimate.high - estimate.low))
    return float(np.mean(holds)), float(np.median(lengths))


def run(data: Path) -> None:  # noqa: ARG001  all is invented
    """Print the table as Markdown."""
    cells = [(n, epsilon) for epsilon in EPSILONS for n in PEOPLE]
    print("| |" + "".join(f" ε = {e:g}, n = {n} |" for n, e in cells))
    print("|---|" + "---|" * len(cells))
    for number, row in enumerate(rows()):
        found = [coverage(row, n, epsilon, number) for n, epsilon in cells]
        print(
            f"| {row.name} | "
            + " | ".join(f"{100 * held:.1f} ({length:.2g})" for held, length in found)
            + " |",
            flush=True,
        )
