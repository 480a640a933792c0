"""Series of one length without gaps, and what mechanisms make of them, against one person's rows at a time in Python."""

from __future__ import annotations

import math
from dataclasses import replace

import made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.data.features import FeatureData
from synthrelease.kinds.signals import coefficients, spectral
from synthrelease.kinds.signals.completed_series import CENTRE, HOLD, completed_series
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.signal_form import CFPA, LPA, SignalForm
from synthrelease.numerics.spectral_signals import (
    BASELINES,
    NO_BASELINE,
    OF_PERSON,
    OF_START,
    RADIUS,
    SpectralSignalForm,
)
from synthrelease.numerics.steps import HALF_RANGE

BOUNDS = np.array([[0.0, 8.0], [-1.0, 1.0]])
RECORDINGS, N = 2, 6
Rows = list[tuple[float, float]]


def crowd(people: list[list[Rows]], seed: int = 0) -> FeatureData:
    """The rows of everyone's recordings, shuffled together without changing anyone's own order."""
    number = [p * RECORDINGS + r for p, own in enumerate(people) for r, rows in enumerate(own) for _ in rows]
    values = [row for own in people for rows in own for row in rows]
    turn = np.random.default_rng(seed).permutation(np.array(number, dtype=np.int64))
    shuffled = np.empty((len(values), 2))
    shuffled[np.argsort(turn, kind="stable")] = np.array(values, dtype=np.float64).reshape(-1, 2)
    person, recording = turn // RECORDINGS, turn % RECORDINGS
    return FeatureData(("size", "open"), BOUNDS, ("read", "a/b"), len(people), person, recording, shuffled)


def slow_series(column: list[float], length: int, completion: str, centre: float) -> list[float]:
    """One recording of one feature, NaN where nothing was measured."""
    there = [value for value in column[:length] if not math.isnan(value)]
    if not there:
        return [centre] * length
    out, last = [], there[0]
    for t in range(length):
        if t < len(column):
            last = last if math.isnan(column[t]) else column[t]
            out.append(last)
        else:
            out.append(centre if completion == CENTRE else last)
    return out


value = st.one_of(st.just(math.nan), st.sampled_from([0.0, 1.0, -1.0]), st.floats(-1, 8, width=16))
rows = st.lists(st.tuples(value, value), max_size=9)
persons = st.lists(st.lists(rows, min_size=RECORDINGS, max_size=RECORDINGS), min_size=1, max_size=4)


@given(people=persons, completion=st.sampled_from([HOLD, CENTRE]), seed=st.integers(0, 9))
def test_series_are_cut_held_and_completed(people: list[list[Rows]], completion: str, seed: int) -> None:
    group, found, there = completed_series(crowd(people, seed), N, completion=completion)
    seen = [(p, r) for p, own in enumerate(people) for r, one in enumerate(own) if one]
    assert group.tolist() == [p * RECORDINGS + r for p, r in seen]
    for number, (p, r) in enumerate(seen):
        for f in range(2):
            column = [row[f] for row in people[p][r]]
            expected = slow_series(column, N, completion, float(BOUNDS[f].mean()))
            assert found[number, :, f].tolist() == expected
            assert there[number, f] == any(not math.isnan(v) for v in column[:N])


def test_a_short_series_holds_its_last_value_or_lies_at_the_centre() -> None:
    people = [[[(1.0, math.nan), (math.nan, 0.5), (3.0, math.nan)], []]]
    for completion, size, opened in (
        (HOLD, [1, 1, 3, 3, 3, 3], [0.5] * 6),
        (CENTRE, [1, 1, 3, 4, 4, 4], [0.5, 0.5, 0.5, 0, 0, 0]),
    ):
        _, found, there = completed_series(crowd(people), N, completion=completion)
        assert found[0, :, 0].tolist() == size
        assert found[0, :, 1].tolist() == opened
        assert there.tolist() == [[True, True]]


# --- noised signals


def in_steps(series: list[float], f: int) -> list[int]:
    low, high = BOUNDS[f]
    cut = [math.trunc((v - (low + high) / 2) / ((high - low) / (2 * HALF_RANGE))) for v in series]
    return [max(-HALF_RANGE, min(HALF_RANGE, z)) for z in cut]


@given(people=persons, completion=st.sampled_from([HOLD, CENTRE]))
def test_a_person_contributes_their_completed_series_and_nothing_where_there_is_none(
    people: list[list[Rows]], completion: str
) -> None:
    for form in (SignalForm(LPA, N), SignalForm(CFPA, N, 4, 2, clip=0.7)):
        parameters = made.signals(
            form, features=2, recordings=RECORDINGS, people=9, completion=completion
        ).parameters
        found = coefficients.contributions(crowd(people), parameters)
        assert found.shape == (len(people), RECORDINGS, 2, form.count)
        for p, own in enumerate(people):
            for r, one in enumerate(own):
                for f in range(2):
                    expected = np.zeros((1, form.count), dtype=np.int64)
                    if one:
                        column = slow_series([row[f] for row in one], N, completion, float(BOUNDS[f].mean()))
                        expected = form.integers(np.array([in_steps(column, f)]))
                    assert found[p, r, f].tolist() == expected[0].tolist()


def test_a_value_that_is_held_counts_in_every_step_it_fills() -> None:
    """So guarantees to a step or a chunk are about completed series, and those to a series about people's rows."""
    parameters = made.signals(SignalForm(LPA, N), features=2, recordings=2).parameters
    one, other = (coefficients.contributions(crowd([[[(size, 0.0)], []]]), parameters) for size in (0.0, 8.0))
    assert np.abs(one - other).sum() == N * 2 * HALF_RANGE


# --- spectral signals


def slow_contribution(own: list[Rows], form: SpectralSignalForm, completion: str) -> list[int]:
    """One person's integers from their own rows, before clipping."""
    series: dict[tuple[int, int], list[int]] = {}
    for r, one in enumerate(own):
        for f in range(2):
            column = [row[f] for row in one][:N]
            if any(not math.isnan(v) for v in column):
                full = [row[f] for row in one]
                series[r, f] = in_steps(slow_series(full, N, completion, float(BOUNDS[f].mean())), f)
    out: list[int] = []
    for r in range(RECORDINGS):
        for f in range(2):
            if (r, f) not in series:
                out += [0] * form.count
                continue
            steps = series[r, f]
            if form.baseline == NO_BASELINE:
                level = 0
            elif form.baseline == OF_PERSON:
                of_feature = [z for (_, g), one in series.items() if g == f for z in one]
                level = sum(of_feature) // len(of_feature)
            else:
                first = steps[: form.baseline_steps] if form.baseline == OF_START else steps
                level = sum(first) // len(first)
            out += form.integers(np.array([[z - level for z in steps]]))[0].tolist()
    return out


@pytest.mark.parametrize("baseline", BASELINES)
@given(people=persons, completion=st.sampled_from([HOLD, CENTRE]), clip=st.sampled_from([0.01, 0.3, 1.0]))
def test_a_person_contributes_changes_from_their_own_baseline_clipped_at_once(
    baseline: str, people: list[list[Rows]], completion: str, clip: float
) -> None:
    form = SpectralSignalForm(N, 2 * RECORDINGS, 4, baseline, 2 if baseline == OF_START else None, clip)
    parameters = made.spectral_signals(form, 2, RECORDINGS, people=9, completion=completion).parameters
    found = spectral.contributions(crowd(people), parameters)
    assert found.shape == (len(people), RECORDINGS, 2, form.count)
    for p, own in enumerate(people):
        expected = clip_to_ball(np.array([slow_contribution(own, form, completion)]), RADIUS)
        assert found[p].ravel().tolist() == expected[0].tolist()
        assert int((found[p] ** 2).sum()) <= RADIUS**2


def test_a_person_without_a_value_of_a_feature_does_not_count_there() -> None:
    """Not even by a constant: what is left of people tells how many there are."""
    people = [[[(4.0, math.nan)] * 6, []], [[(4.0, 0.5)] * 6, [(4.0, 0.5)] * 2]]
    form = SpectralSignalForm(N, 4, 4, OF_PERSON, None, 1.0)
    parameters = made.spectral_signals(form, 2, RECORDINGS, people=9).parameters
    found = spectral.contributions(crowd(people), parameters)
    assert (found[..., 0] != 0).tolist() == [[[True, False], [False, False]], [[True, True], [True, True]]]
    assert not found[0, 0, 1].any()
    centred = replace(parameters, completion=CENTRE)
    assert (spectral.contributions(crowd(people), centred)[..., 0] != 0).tolist() == (
        found[..., 0] != 0
    ).tolist()
