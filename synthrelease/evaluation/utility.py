"""The utility of an output: the release, the same without noise, and what needs no data, by the same measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays, Derivation, Labels
from synthrelease.evaluation.case import Case
from synthrelease.evaluation.ground_truth import exact_derivations
from synthrelease.evaluation.matched import noisy_datasets
from synthrelease.evaluation.noise_check import NoiseTally
from synthrelease.evaluation.result import RELEASED, NoiseCheck, Scores, Utility
from synthrelease.evaluation.scores import over_items
from synthrelease.evaluation.usefulness import usefulness
from synthrelease.reports.area_plates import DrawnAreas
from synthrelease.reports.compared_maps import ComparedMap
from synthrelease.reports.exhibits import Exhibit
from synthrelease.reports.released import Released

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

EXACT = "without noise"


def measured_utility(
    case: Case, released: Released, *, pictures: int, seed: int, progress: Progress | None = None
) -> tuple[Utility, NoiseCheck | None, tuple[Exhibit | ComparedMap | DrawnAreas, ...]]:
    """Return the scores of the release and of its baselines, whether the noise is as stated, and what to draw.

    Only some arrays are in memory at a time. At most `pictures` exhibits are made; `seed` is of baselines that draw some of the participants.
    """
    output, ground_truth, tally = case.output, case.ground_truth, _tally(case)
    items: dict[str, Scores] = {}
    baselines: dict[str, dict[str, Scores]] = {}
    exhibits: list[Exhibit | ComparedMap | DrawnAreas] = []
    steps = _steps(case)
    for number, (derive, group) in enumerate(steps):
        if progress is not None:
            progress(f"measuring {output.name}", number, len(steps))
        exact = {} if derive is None else derive()
        present = [labels for labels in group if derive is None or labels in exact]
        arrays: Arrays = {labels: released.values(output.name, *labels) for labels in present}
        if tally is not None:
            integers = {labels: array for labels, array in exact.items() if labels[-1] == "noisy"}
            _add_noise(tally, released, output.name, integers)
        items |= ground_truth.of(arrays)
        if derive is not None:
            baselines.setdefault(EXACT, {}).update(ground_truth.of(exact))
        for source, guess in ground_truth.without_data(arrays).items():
            baselines.setdefault(source, {}).update(ground_truth.of(guess))
        if len(exhibits) < pictures:
            exhibits += ground_truth.exhibits(arrays, output.event)
    _add_rest(tally, case, released)
    compared = {
        source: over_items(list(values.values()), ground_truth.measures)
        for source, values in {RELEASED: items, **_with_data(case, seed), **baselines}.items()
    }
    guesses = {source: scored for source, scored in baselines.items() if source != EXACT}
    judged = ground_truth.measures[: case.kind.judged]
    parts = tuple(usefulness(items, guesses, judged, ground_truth.part_of))
    utility = Utility(ground_truth.measures, compared, items, ground_truth.noun, parts)
    return utility, None if tally is None or not tally.count else tally.check(), tuple(exhibits[:pictures])


def _steps(case: Case) -> list[tuple[Derivation | None, Sequence[Labels]]]:
    """What makes arrays without noise, if there is such a thing, and which of the bundle's are judged with it."""
    output, groups = case.output, case.kind.labels(case.output.mechanism)
    if not case.kind.is_exact:
        return [(None, group) for group in groups]
    all_labels = [labels for group in groups for labels in group]
    exact = exact_derivations(case.kind, output.mechanism, case.collected, output.event)
    return [(derive, all_labels) for derive in exact]


def _with_data(case: Case, seed: int) -> Mapping[str, Mapping[str, Scores]]:
    """The scores of what the data give without protection."""
    if case.kind.with_data is None:
        return {}
    random = SecureRandom.for_tests(seed).spawn("with data", case.output.name)
    return case.kind.with_data(case.ground_truth, random)


def _add_rest(tally: NoiseTally | None, case: Case, released: Released) -> None:
    """Add the noise of outputs whose arrays say by themselves nothing of what it was added to."""
    output, kind = case.output, case.kind
    if tally is None:
        return
    if output.mechanism.is_adaptive:
        noisy = noisy_datasets(output, released)
        exact = output.mechanism.exact_after(case.collected, noisy, output.event)
        for path, sums in exact.items():
            tally.add(noisy[path].astype(np.int64) - sums.astype(np.int64))
    elif kind.counts is not None:
        _add_noise(tally, released, output.name, kind.counts(output.mechanism, case.truth))


def _add_noise(tally: NoiseTally, released: Released, name: str, exact: Arrays) -> None:
    for labels, array in exact.items():
        tally.add(released.values(name, *labels).astype(np.int64) - array.astype(np.int64))


def _tally(case: Case) -> NoiseTally | None:
    """None of individual series: their order is random, so it is not known what to subtract."""
    noise, kind = noise_of(case.output.event), case.kind
    separable = not case.of_each if kind.is_exact else kind.counts is not None
    return None if noise is None or not separable else NoiseTally(noise)
