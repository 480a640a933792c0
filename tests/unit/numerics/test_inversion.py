"""From noisy coefficients to a map: what is known of the optimum, and that noise is seen through."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.fft import dctn, idctn
from scipy.optimize import nnls
from tiers import few

from synthrelease.numerics import cosine_transform, inversion, simplex
from synthrelease.numerics.inversion import Prior, nearest_map, posterior
from synthrelease.numerics.simplex import onto_simplex, onto_simplex_from
from synthrelease.numerics.spectrum import (
    WEIGHT,
    Band,
    band,
    middles,
    point_coefficients,
    positions,
    rendered,
)

BAND = band((0.25, 0.2), 1e-3)
FLAT = Prior(np.eye(1, BAND.count)[0], np.r_[0.0, np.full(BAND.count - 1, 0.2)])


def of_points(points: list[tuple[float, float]]) -> np.ndarray:
    places = np.stack([positions(np.array(axis)) for axis in zip(*points, strict=True)])
    weights = np.full(len(points), WEIGHT // len(points))
    weights[0] += WEIGHT - weights.sum()
    return point_coefficients(places, weights, BAND)


def test_without_noise_the_posterior_is_the_data() -> None:
    noisy = of_points([(0.3, 0.7), (0.6, 0.2)])
    mean, variance = posterior(noisy, 1e-9, FLAT)
    np.testing.assert_allclose(mean, noisy, atol=1e-12)
    assert (variance < 1e-17).all()


def test_under_endless_noise_it_is_the_prior() -> None:
    expected = Prior(np.r_[1.0, np.linspace(-0.2, 0.2, BAND.count - 1)], FLAT.power)
    mean, variance = posterior(of_points([(0.3, 0.7)]), 1e9, expected)
    np.testing.assert_allclose(mean, expected.mean, atol=1e-6)
    assert (variance[1:] <= expected.power[1:] * 1e6).all()


def test_it_errs_as_much_as_it_says() -> None:
    """Coefficients drawn from the prior, noised: the mean squared error is the stated variance."""
    rng = np.random.default_rng(0)
    wide = band((0.05, 0.04), 1e-3)
    prior = Prior(np.eye(1, wide.count)[0], np.r_[0.0, rng.uniform(0.01, 0.3, wide.count - 1)])
    deviation = rng.uniform(0.1, 0.5, wide.count)
    error, stated = np.zeros(wide.count), np.zeros(wide.count)
    for _ in range(300):
        true = prior.mean + rng.normal(size=wide.count) * np.sqrt(prior.power)
        noisy = true + rng.normal(size=wide.count) * deviation
        noisy[0] = 1.0
        mean, variance = posterior(noisy, deviation, prior)
        error += (mean - true) ** 2 / 300
        stated += variance / 300
    assert error[1:].sum() == pytest.approx(stated[1:].sum(), rel=0.02)


def test_the_power_is_fitted() -> None:
    """The same shape ten times as high: the filter opens as if the prior had said so."""
    rng = np.random.default_rng(1)
    wide = band((0.04, 0.03), 1e-3)
    power = np.r_[0.0, np.full(wide.count - 1, 0.01)]
    true = np.r_[1.0, rng.normal(size=wide.count - 1) * np.sqrt(0.1)]
    noisy = true + np.r_[0.0, rng.normal(size=wide.count - 1) * 0.1]
    mean, _ = posterior(noisy, 0.1, Prior(np.eye(1, wide.count)[0], power))
    gain = float((mean[1:] @ noisy[1:]) / (noisy[1:] @ noisy[1:]))
    assert gain == pytest.approx(0.1 / (0.1 + 0.01), abs=0.02)


def test_the_nearest_map_is_one() -> None:
    rng = np.random.default_rng(2)
    target = of_points([(0.2, 0.2)]) + rng.normal(size=BAND.count) * 0.3
    target[0] = 1.0
    found = nearest_map(target, np.ones(BAND.count), BAND)
    assert found[0] == pytest.approx(1.0)
    grid = [middles(2 * side) for side in BAND.box]
    # The cells themselves are not negative; what is seen of them in the band may ring a little.
    assert rendered(found * BAND.attenuation, BAND, grid).min() > -0.05


def test_a_map_is_its_own_nearest() -> None:
    points = of_points([(0.3, 0.7), (0.6, 0.2), (0.5, 0.5)])
    inside = nearest_map(points, np.ones(BAND.count), BAND)
    again = nearest_map(inside, np.ones(BAND.count), BAND)
    np.testing.assert_allclose(again, inside, atol=1e-2)  # so many steps do not reach the very optimum


def test_it_is_the_nearest() -> None:
    """Non-negative least squares by SciPy on the same grid, with the total as a heavy equation, does no better."""
    rng = np.random.default_rng(3)
    target = of_points([(0.2, 0.3), (0.8, 0.6)]) + rng.normal(size=BAND.count) * 0.2
    target[0] = 1.0
    variance = rng.uniform(0.5, 2.0, BAND.count)
    found = nearest_map(target, variance, BAND)
    grid = [middles(2 * side) for side in BAND.box]
    columns = []
    for down in grid[0]:
        for across in grid[1]:
            places = [
                np.sqrt(2) * np.cos(np.pi * k * s)
                for k, s in zip(BAND.frequencies, (down, across), strict=True)
            ]
            columns.append(
                np.prod(
                    [np.where(k == 0, 1.0, p) for k, p in zip(BAND.frequencies, places, strict=True)], axis=0
                )
            )
    matrix = np.array(columns).T
    heavy = np.sqrt(1 / variance)
    heavy[0] = 1e4
    cells, _ = nnls(matrix * heavy[:, None], target * heavy)
    best = (((matrix @ cells) - target)[1:] ** 2 / variance[1:]).sum()
    ours = ((found - target)[1:] ** 2 / variance[1:]).sum()
    assert ours <= best * 1.001 + 1e-6


# --- the same as by the plainest means


def plainly(target: np.ndarray, variance: np.ndarray, frequencies: Band) -> np.ndarray:
    """The definition with SciPy's transform of the whole grid and a sort at every step."""
    shape = tuple(2 * side for side in frequencies.box)
    scale, at = math.sqrt(math.prod(shape)), tuple(frequencies.frequencies)
    weight = np.zeros(target.shape)
    weight[1:] = variance[1:].min() / variance[1:]
    spectrum = np.zeros(shape)
    cells = np.full(shape, 1 / math.prod(shape))
    ahead, momentum = cells, 1.0
    for _ in range(120):
        spectrum[at] = weight * (dctn(ahead, norm="ortho")[at] - target / scale)
        moved = onto_simplex(ahead - idctn(spectrum, norm="ortho"), 1.0)
        faster = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved + (momentum - 1) / faster * (moved - cells)
        cells, momentum = moved, faster
    return dctn(cells, norm="ortho")[at] * scale


def drawn(frequencies: Band, seed: int, size: float, spread: float) -> tuple[np.ndarray, np.ndarray]:
    """A target `size` times as far out as maps are, and variances over `spread` orders of magnitude."""
    rng = np.random.default_rng(seed)
    target = rng.normal(size=frequencies.count) * size
    target[0] = 1.0
    return target, 10 ** rng.uniform(-spread, 0, frequencies.count)


BANDS = {
    "even": band((0.04, 0.03), 1e-3),
    "odd": band((0.053, 0.049), 1e-3),
    "lopsided": band((0.5, 0.011), 1e-3),
    "narrow": band((2.0, 0.05), 1e-3),
    "with time": band((0.3, 0.15, 0.1), 1e-3),
    "with time, many": band((0.15, 0.08, 0.06), 1e-3),
    "long": band((0.4, 0.008), 1e-3),
}


def test_these_bands_are_what_they_are_called() -> None:
    assert BANDS["even"].box == (30, 40)
    assert all(side % 2 for side in BANDS["odd"].box)
    assert BANDS["narrow"].box[0] == 1
    assert BANDS["long"].box[1] > cosine_transform.LONGEST_OF_MATRICES >= BANDS["lopsided"].box[1] > 100


@pytest.mark.quick_for_each_value
@pytest.mark.parametrize("frequencies", BANDS.values(), ids=BANDS.keys())
@pytest.mark.parametrize("size", [0.01, 0.3, 10.0, 1e4])
@pytest.mark.parametrize("spread", [0.0, 3.0, 12.0])
def test_it_is_what_plain_means_find(frequencies: Band, size: float, spread: float) -> None:
    target, variance = drawn(frequencies, 0, size, spread)
    found, exact = nearest_map(target, variance, frequencies), plainly(target, variance, frequencies)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12 * np.abs(exact).max())


@few
@given(
    seed=st.integers(0, 10**6),
    name=st.sampled_from(sorted(BANDS)),
    size=st.floats(0, 3),
    spread=st.floats(0, 9),
)
def test_so_it_is_of_any_target(seed: int, name: str, size: float, spread: float) -> None:
    target, variance = drawn(BANDS[name], seed, size, spread)
    found, exact = nearest_map(target, variance, BANDS[name]), plainly(target, variance, BANDS[name])
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12 * np.abs(exact).max())


def test_on_either_side_of_the_crossover_maps_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for frequencies in (BANDS["odd"], BANDS["with time"]):
        target, variance = drawn(frequencies, 1, 0.3, 2.0)
        by_matrices = nearest_map(target, variance, frequencies)
        with monkeypatch.context() as patch:
            patch.setattr(cosine_transform, "LONGEST_OF_MATRICES", 0)
            fast = nearest_map(target, variance, frequencies)
        assert fast.tobytes() != by_matrices.tobytes()  # it was another way
        np.testing.assert_allclose(fast, by_matrices, rtol=0, atol=1e-12 * np.abs(fast).max())


def test_120_steps_are_made_without_a_sort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each from the threshold of the one before: two to three passes over the cells, on average."""
    starts, thresholds, passes = [], [], []

    def counted(start: float, values: np.ndarray, total: float) -> tuple[np.ndarray, float]:
        found, threshold = onto_simplex_from(start, values, total)
        starts.append(start)
        thresholds.append(threshold)
        assert found.sum() == pytest.approx(1.0, abs=1e-12)
        for most in range(1, 50):
            with monkeypatch.context() as patch:
                patch.setattr(simplex, "_MOST_PASSES", most)
                try:
                    onto_simplex_from(start, values, total)
                except TypeError:  # the sort, which is not there
                    continue
            passes.append(most)
            break
        return found, threshold

    monkeypatch.setattr(simplex, "_lowered_by", None)
    monkeypatch.setattr(inversion, "onto_simplex_from", counted)
    nearest_map(*drawn(BANDS["even"], 0, 0.3, 2.0), BANDS["even"])
    assert len(starts) == 120
    assert starts[1:] == thresholds[:-1]
    assert np.mean(passes) < 3.0


def test_a_map_does_not_depend_on_those_before_it() -> None:
    asked = {name: drawn(frequencies, 5, 0.3, 2.0) for name, frequencies in BANDS.items()}
    one = {name: nearest_map(*asked[name], BANDS[name]).tobytes() for name in BANDS}
    cosine_transform._matrices.cache_clear()
    assert one == {name: nearest_map(*asked[name], BANDS[name]).tobytes() for name in reversed(BANDS)}
