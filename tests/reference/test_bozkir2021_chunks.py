"""Bozkir et al. 2021, Algorithms 1 and 2: sensitivities of chunks and of their differences, attained and not exceeded.

A chunk of L steps between −H and H has K real Fourier coefficients in a ball of radius R. Two people are at most 2R apart in
L2, and √K·2R in L1: series that reach both are written down here, before anything is cut to integers.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import made
import numpy as np
import pytest

from synthrelease.dp.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import signal, signal_chunk
from synthrelease.numerics.fourier import basis
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA, LPA, SignalForm
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

H = HALF_RANGE
REPLACE = Neighbours.REPLACE_ONE
LENGTHS = [4, 9, 16, 32]
FREQUENCIES = [1, 2, 3]


def form_of(mechanism: str, length: int, frequencies: int, **changes: float) -> SignalForm:
    chunk = None if mechanism == FPA else length
    return SignalForm(mechanism, length, chunk, frequencies, **changes)


def coefficients(form: SignalForm, series: Numbers) -> Numbers:
    """Of a series of one chunk, not cut to integers."""
    (part,) = form.parts
    rows = basis(part.length, part.frequencies or 0)
    queried = np.diff(series, prepend=0.0) if form.mechanism == DCFPA else series
    return rows @ queried


def flat(form: SignalForm, seed: int) -> Numbers:
    """A series of norm R whose K coefficients are all R/√K: in L1, as long as the ball allows. Of many signs, the lowest."""
    (part,) = form.parts
    rows = basis(part.length, part.frequencies or 0)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (2000, len(rows)))
    wanted = part.radius / math.sqrt(len(rows)) * signs @ rows
    series = np.cumsum(wanted, axis=1) if form.mechanism == DCFPA else wanted
    return series[int(np.argmin(np.abs(series).max(axis=1)))]


def attained(form: SignalForm, one: Numbers, other: Numbers) -> tuple[float, float]:
    moved = coefficients(form, one) - coefficients(form, other)
    return float(np.abs(moved).sum()), float(np.linalg.norm(moved))


def never_more_in_integers(form: SignalForm, one: Numbers, other: Numbers) -> None:
    stated = signal(form, radii=[part.radius for part in form.parts], neighbours=REPLACE)
    cut = form.integers(np.trunc(np.stack([one, other])).astype(np.int64))
    moved = cut[0] - cut[1]
    assert int(np.abs(moved).sum()) <= stated.l1
    assert int((moved * moved).sum()) <= stated.l2_squared
    assert np.linalg.norm(moved.astype(np.float64)) >= 0.99 * stated.l2 - 4 * math.sqrt(form.count)


# --- L2, at the public bounds


@pytest.mark.parametrize("mechanism", [FPA, CFPA])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("frequencies", FREQUENCIES)
def test_bozkir2021_constant_series_at_the_bounds_attain_the_l2_sensitivity(
    mechanism: str, length: int, frequencies: int
) -> None:
    form = form_of(mechanism, length, frequencies)
    one, other = np.full(length, float(H)), np.full(length, -float(H))
    _, l2 = attained(form, one, other)
    assert l2 == pytest.approx(2 * H * math.sqrt(length), rel=1e-9)
    (part,) = form.parts
    assert part.radius == math.ceil(H * math.sqrt(length))
    never_more_in_integers(form, one, other)


@pytest.mark.parametrize("length", [2, 3, *LENGTHS])
def test_bozkir2021_alternating_series_attain_the_l2_sensitivity_of_differences(length: int) -> None:
    """Δ₂ = (hi − lo)·√(4L − 3), at full band."""
    form = form_of(DCFPA, length, length // 2 + 1)
    one = np.where(np.arange(length) % 2, -float(H), float(H))
    _, l2 = attained(form, one, -one)
    assert l2 == pytest.approx(2 * H * math.sqrt(4 * length - 3), rel=1e-9)
    assert form.parts[0].radius == math.ceil(H * math.sqrt(4 * length - 3))
    never_more_in_integers(form, one, -one)


@pytest.mark.parametrize("length", LENGTHS)
def test_bozkir2021_of_one_frequency_of_differences_only_the_last_step_is_seen(length: int) -> None:
    """Σ of the differences is the last value: Δ₂ = (hi − lo)/√L, and not (hi − lo)·√(4L − 3)."""
    form = form_of(DCFPA, length, 1)
    one = np.zeros(length)
    one[-1] = H
    l1, l2 = attained(form, one, -one)
    assert l1 == l2 == pytest.approx(2 * H / math.sqrt(length), rel=1e-9)
    assert form.parts[0].radius == pytest.approx(H / math.sqrt(length), abs=1.01)
    never_more_in_integers(form, one, -one)


# --- L1, inside a smaller ball


@pytest.mark.parametrize("mechanism", [FPA, CFPA, DCFPA])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("frequencies", [1, 2, 3, "all"])
def test_bozkir2021_series_of_a_flat_spectrum_attain_both_sensitivities(
    mechanism: str, length: int, frequencies: int | str
) -> None:
    """Bounded series, and in L1 √K·2R: Cauchy and Schwarz leave nothing over."""
    k = length // 2 + 1 if frequencies == "all" else int(frequencies)
    form = form_of(mechanism, length, k, clip=0.05 if mechanism == DCFPA else 0.4)
    (part,) = form.parts
    one = flat(form, seed=length)
    assert np.abs(one).max() <= H
    l1, l2 = attained(form, one, -one)
    assert l2 == pytest.approx(2 * part.radius, rel=1e-9)
    assert l1 == pytest.approx(math.sqrt(part.count) * 2 * part.radius, rel=1e-9)
    stated = signal(form, radii=[part.radius], neighbours=REPLACE)
    assert stated.l2 == 2 * part.radius
    assert stated.l1 == math.floor(math.sqrt(part.count) * 2 * part.radius)
    never_more_in_integers(form, one, -one)


@pytest.mark.parametrize("mechanism", [CFPA, DCFPA])
@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN])
def test_bozkir2021_chunks_features_and_recordings_of_one_person_add_up(mechanism: str, noise: str) -> None:
    """They are not different people: 2 chunks of 8 steps and one of 5, of 3 features and 2 recordings, all attained at once.

    The paper adds up features, and takes chunks for different people.
    """
    form = SignalForm(mechanism, 21, 8, 3, clip=0.1)
    series, one = 6, []
    for part in form.parts:
        alone = form_of(mechanism, part.length, part.frequencies or 0, clip=0.1)
        one.append(np.tile(flat(alone, seed=1), part.chunks))
        assert alone.parts[0].radius == part.radius
    person = np.tile(np.concatenate(one), (series, 1))
    assert np.abs(person).max() <= H
    integers = form.integers(np.trunc(np.concatenate([person, -person])).astype(np.int64))
    moved = integers[:series] - integers[series:]
    output = made.signals(form, noise, features=3, recordings=2, people=10)
    stated = output.parameters.sensitivity(REPLACE)
    exact_l2 = 2 * math.sqrt(series * sum(part.chunks * part.radius**2 for part in form.parts))
    exact_l1 = series * sum(part.chunks * math.sqrt(part.count) * 2 * part.radius for part in form.parts)
    assert stated.l2 == pytest.approx(exact_l2, rel=1e-12)
    assert stated.l1 == pytest.approx(exact_l1, rel=1e-4)
    assert 0.99 * stated.l1 <= int(np.abs(moved).sum()) <= stated.l1
    assert 0.99**2 * stated.l2_squared <= int((moved * moved).sum()) <= stated.l2_squared
    event = output.calibrated_noise(Budget(1.0, 1e-6))
    assert event.sensitivity == (stated.l1 if noise == LAPLACE else stated.l2)
    assert event.count == series * form.count


def test_bozkir2021_one_chunk_costs_what_the_costliest_of_them_does() -> None:
    """Event level, as the paper states it: all other chunks of the person stay. The costliest may be the last."""
    for mechanism, frequencies in itertools.product((CFPA, DCFPA), (1, 3)):
        form = SignalForm(mechanism, 21, 8, frequencies)
        radii = [part.radius for part in form.parts]
        one = signal_chunk(form, radii=radii, neighbours=REPLACE)
        assert one.l2_squared == (2 * max(radii)) ** 2
        assert one.l1 == max(math.floor(math.sqrt(p.count) * 2 * p.radius) for p in form.parts)
        whole = signal(form, radii=radii, neighbours=REPLACE)
        assert whole.l2_squared == 2 * (2 * radii[0]) ** 2 + (2 * radii[1]) ** 2
        assert (radii[0] < radii[1]) == (mechanism == DCFPA and frequencies == 1)
    step = signal_chunk(SignalForm(LPA, 21), radii=[H], neighbours=REPLACE)
    assert (step.l1, step.l2_squared) == (2 * H, 4 * H * H)


@pytest.mark.parametrize("mechanism", [LPA, CFPA, DCFPA])
def test_bozkir2021_a_chunk_that_changes_moves_its_own_integers_alone_and_as_far_as_stated(
    mechanism: str,
) -> None:
    """Of a completed series: differences begin anew with every chunk."""
    form = SignalForm(LPA, 21) if mechanism == LPA else SignalForm(mechanism, 21, 8, 3)
    one = signal_chunk(form, radii=[part.radius for part in form.parts], neighbours=REPLACE)
    series = np.random.default_rng(1).integers(-H, H + 1, 21)
    side, counts = (1, [1] * 21) if mechanism == LPA else (8, [5, 5, 5])
    ends = np.random.default_rng(2).choice([-H, H], (300, 21))
    for number, start in enumerate(range(0, 21, side)):
        changed = np.tile(series, (300, 1))
        changed[:, start : start + side] = ends[:, start : start + side]
        moved = form.integers(changed) - form.integers(series[None])
        at = sum(counts[:number])
        outside = np.delete(moved, np.s_[at : at + counts[number]], axis=1)
        assert not outside.any()
        assert np.abs(moved).sum(axis=1).max() <= one.l1
        assert (moved * moved).sum(axis=1).max() <= one.l2_squared


# --- the numbers of differences, by brute force


@pytest.mark.parametrize("length", range(1, 10))
def test_bozkir2021_differences_of_a_bounded_chunk_by_brute_force(length: int) -> None:
    """Δ₂ = (hi − lo)·√(4L − 3), Δ₁ = (hi − lo)·(2L − 1); and the ball that is clipped to has half of Δ₂ as its radius."""
    corners = H * np.array(list(itertools.product((-1, 1), repeat=length)))
    differences = np.diff(corners, axis=1, prepend=0)
    moved = differences[:, None, :] - differences[None, :, :]
    assert np.abs(moved).sum(axis=2).max() == 2 * H * (2 * length - 1)
    longest = int((moved**2).sum(axis=2).max())
    assert longest == (2 * H) ** 2 * (4 * length - 3)
    radius = form_of(DCFPA, length, length // 2 + 1).parts[0].radius
    assert (2 * (radius - 1)) ** 2 < longest <= (2 * radius) ** 2


@pytest.mark.parametrize("length", range(2, 10))
@pytest.mark.parametrize("share", [0.01, 0.2, 1.0])
def test_bozkir2021_a_limit_of_changes_makes_differences_cheaper_than_the_series_themselves(
    length: int, share: float
) -> None:
    """Δ₂ = √((hi − lo)² + (L − 1)(2b)²) for changes of at most b, against (hi − lo)·√L without differences."""
    limit = int(share * 2 * H)
    radius = form_of(DCFPA, length, length // 2 + 1, max_change=limit).parts[0].radius
    plain = form_of(CFPA, length, length // 2 + 1).parts[0].radius
    assert 2 * radius == pytest.approx(math.sqrt((2 * H) ** 2 + (length - 1) * (2 * limit) ** 2), abs=2)
    assert (radius < plain) == (share < 0.5)
