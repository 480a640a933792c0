"""Numbers and durations of fixations: durations over all trials are the released ones, and trials take the time they are asked to."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.kinds.scanpaths.blocks import DURATIONS, TRIALS
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.trials import TrialForm, TrialModel
from synthrelease.numerics.public_draws import PublicDraws

KNOWN = dynamics_prior(0.15).coordinates
FORM = TrialForm(3.0, KNOWN["rate_per_s"], KNOWN["fixated_share"], KNOWN["duration_ms"])


def model() -> TrialModel:
    """Slow trials and fast ones, of durations nearly as in public data."""
    rates, shares = ((np.arange(cells) + 0.5) / cells for cells in TRIALS.cells)
    trials = np.exp(-0.5 * ((rates - 0.5) / 0.2) ** 2)[:, None] * np.exp(-0.5 * ((shares - 0.6) / 0.2) ** 2)
    durations = np.exp(0.2 * np.arange(DURATIONS.cells[0]) / DURATIONS.cells[0])
    return TrialModel(FORM, trials / trials.sum(), durations / durations.sum())


def test_all_numbers_of_fixations_have_a_probability() -> None:
    assert model().numbers.shape == (30, TRIALS.cells[1])
    assert model().numbers.sum() == pytest.approx(1)
    assert (model().numbers >= 0).all()


def test_numbers_of_fixations_are_those_of_the_released_density() -> None:
    """By the distribution function: as many trials with at most so many fixations as have at most that rate and half of one more."""
    known = model()
    by_number = known.numbers.sum(axis=1)
    for number in (5, 9, 12):
        end = KNOWN["rate_per_s"].steps(np.array([(number + 0.5) / 3.0]))[0] / 8192
        cumulated = np.interp(end * 40, np.arange(41), np.append(0.0, np.cumsum(known.trials.sum(axis=1))))
        assert by_number[:number].sum() == pytest.approx(cumulated, abs=0.02)


def test_durations_over_all_trials_are_the_released_ones() -> None:
    known = model()
    random = PublicDraws(3)
    counts, tilt = known.draw(random.uniform(20_000))
    durations = known.durations_of(tilt, random.uniform((20_000, int(counts.max()), 2)))
    there = np.arange(durations.shape[1]) < counts[:, None]
    weight = np.broadcast_to((1 / counts)[:, None], there.shape)[there]
    bins = KNOWN["duration_ms"].steps(durations[there]) * DURATIONS.cells[0] // 8192
    share = np.bincount(bins, weight, DURATIONS.cells[0]) / 20_000
    assert np.abs(share - known.durations).sum() / 2 < 0.03


def test_trials_with_more_fixations_have_shorter_ones() -> None:
    known = model()
    random = PublicDraws(4)
    counts, tilt = known.draw(random.uniform(5000))
    durations = known.durations_of(tilt, random.uniform((5000, int(counts.max()), 2)))
    there = np.arange(durations.shape[1]) < counts[:, None]
    means = np.where(there, durations, 0).sum(axis=1) / counts
    assert np.corrcoef(counts, means)[0, 1] < -0.3


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_the_ends_of_uniform_numbers_are_trials(end: float) -> None:
    counts, tilt = model().draw(np.full(2, end))
    assert ((counts >= 1) & (counts <= 30)).all()
    durations = model().durations_of(tilt, np.full((2, 3, 2), end))
    assert ((durations >= 15) & (durations <= 3000)).all()
