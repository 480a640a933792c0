"""The paper's mechanisms against loops in the paper's words, and what they give away."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from refusals import bad_argument
from reproductions import _bozkir2021_paper as bozkir2021
from reproductions._bozkir2021_paper import (
    PaperParameters,
    oracle_coefficients,
    perturbed,
    sensitivities,
)
from scipy import stats

from synthrelease.dp.noise import SecureRandom

WAYS = [("lpa", None), ("fpa", None), ("cfpa", 4), ("cfpa", 5), ("dcfpa", 4), ("dcfpa", 5), ("dcfpa", 99)]
TRANSFORMED = WAYS[1:]
ways = pytest.mark.parametrize(("mechanism", "chunk"), WAYS)


class AsPrinted(PaperParameters):
    """Algorithm 1, line 3, as printed."""

    def undifferenced(self, differences):
        return differences + np.pad(differences[..., :-1], [(0, 0)] * (differences.ndim - 1) + [(1, 0)])


VARIANTS = [
    kind(mechanism, 0.7, chunk) for mechanism, chunk in TRANSFORMED for kind in (PaperParameters, AsPrinted)
]
variants = pytest.mark.parametrize(
    "parameters", VARIANTS, ids=lambda v: f"{v.mechanism}-{v.chunk}-{type(v).__name__}"
)


def whole_numbers(people=4, features=3, n=14):
    """Integers: sums and squares are exact in any order."""
    return np.random.default_rng(people * n).integers(-9, 30, (people, features, n)).astype(float)


def seeded(seed=7):
    return SecureRandom.for_tests(seed)


# --- the paper, in loops


def chunks_of(n, parameters):
    size = parameters.chunk or n
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def differences(x):
    return np.array([x[0], *(x[t] - x[t - 1] for t in range(1, len(x)))])


def queried(x, parameters):
    return differences(x) if parameters.mechanism == "dcfpa" else x


def slow_sensitivity(x, parameters):
    people, features, n = x.shape
    chunks = chunks_of(n, parameters)
    found = np.zeros((features, len(chunks)))
    for f, (c, chunk) in itertools.product(range(features), enumerate(chunks)):
        for p, q in itertools.combinations(range(people), 2):
            gap = queried(x[p, f, chunk], parameters) - queried(x[q, f, chunk], parameters)
            if parameters.mechanism == "lpa":
                distance = sum(abs(g) for g in gap)
            else:
                distance = math.sqrt(sum(g * g for g in gap))
            found[f, c] = max(found[f, c], distance)
    return found


def slow_chunk(x, k, scale, z, parameters):
    """DFT, noise on the first k, padding, inverse DFT; z holds unit noise of DC, Re 1, Im 1, Re 2, …"""
    n = len(x)
    spectrum = np.fft.fft(queried(x, parameters))
    noisy = np.zeros(n, dtype=complex)
    noisy[0] = spectrum[0] + scale * z[0]
    for f in range(1, k):
        if 2 * f == n:
            noisy[f] = spectrum[f] + scale * z[2 * f - 1]
        else:
            noisy[f] = spectrum[f] + scale * (z[2 * f - 1] + 1j * z[2 * f])
            noisy[n - f] = np.conj(noisy[f])
    back = np.fft.ifft(noisy)
    assert np.abs(back.imag).max() <= 1e-9 * (1 + np.abs(back.real).max())
    d = back.real
    if parameters.mechanism != "dcfpa":
        return d
    out = [d[0]]
    for t in range(1, n):
        out.append(d[t] + (out[-1] if not isinstance(parameters, AsPrinted) else d[t - 1]))
    return np.array(out)


def slow_scale(k, delta, n, parameters):
    return math.sqrt(n) * math.sqrt(k) * delta / parameters.epsilon


def slow_nmse(truth, released):
    return (
        sum((a - b) ** 2 for a, b in zip(truth, released, strict=True))
        / len(truth)
        / truth.mean()
        / np.mean(released)
    )


@pytest.fixture
def served(monkeypatch):
    """Unit noise that a test can look at: every array that was asked for, in order."""
    rng, arrays = np.random.default_rng(11), []

    def unit_laplace(shape, random):
        assert random is not None
        arrays.append(rng.laplace(size=shape))
        return arrays[-1]

    monkeypatch.setattr(bozkir2021, "_unit_laplace", unit_laplace)
    return arrays


def by_piece(arrays, sizes):
    """Arrays of blocks of draws put together again, for the full chunks and the rest."""
    pieces = []
    for size in sizes:
        block = []
        while sum(len(a) for a in block) < size:
            block.append(arrays.pop(0))
        pieces.append(np.concatenate(block))
    assert not arrays
    return pieces


def noise_of(pieces, c):
    """The unit noise of chunk number c: (draws, people, features, coefficients)."""
    full = pieces[0].shape[3]
    return pieces[0][:, :, :, c] if c < full else pieces[1][:, :, :, c - full]


# --- parameters


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"mechanism": "LPA"}, ("mechanism", "LPA")),
        ({"epsilon": 0.0}, ("epsilon=0.0",)),
        ({"epsilon": math.inf}, ("epsilon=inf",)),
        ({"epsilon": math.nan}, ("epsilon=nan",)),
        ({"chunk": None}, ("chunk", 1, "cfpa")),
        ({"chunk": 0}, ("chunk=0",)),
        ({"mechanism": "fpa"}, ("chunk=4",)),
        ({"mechanism": "lpa"}, ("chunk=4",)),
        ({"coefficients": 0}, ("coefficients", 0)),
        ({"coefficients": "best"}, ("coefficients", "best")),
        ({"evaluations": 0}, ("evaluations=0",)),
    ],
)
def test_parameters_without_meaning_are_refused(wrong, named):
    right = {"mechanism": "cfpa", "epsilon": 1.0, "chunk": 4}
    PaperParameters(**right)
    with bad_argument(ValueError, *named):
        PaperParameters(**(right | wrong))


@pytest.mark.parametrize("shape", [(1, 2, 3), (3, 4), (2, 0, 3), (2, 3, 0)])
def test_series_of_other_shapes_are_refused(shape):
    with bad_argument(ValueError, "series", shape):
        sensitivities(np.ones(shape), PaperParameters("fpa", 1.0))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_series_with_gaps_are_refused(bad):
    x = whole_numbers()
    x[1, 2, 3] = bad
    for function in (perturbed, oracle_coefficients):
        with bad_argument(ValueError, "series"):
            function(x, PaperParameters("fpa", 1.0), random=seeded())


@pytest.mark.parametrize("k", [[[0, 1, 1, 1]] * 3, [[4, 1, 1, 1]] * 3, [[1, 1, 1, 3]] * 3, [[1, 1, 1]] * 3])
def test_coefficients_that_a_chunk_does_not_have_are_refused(k):
    """14 steps in chunks of 4, 4, 4 and 2: three frequencies each, and two."""
    parameters = PaperParameters("cfpa", 1.0, 4)
    perturbed(whole_numbers(), parameters, random=seeded(), coefficients=np.array([[3, 1, 2, 2]] * 3))
    with bad_argument(ValueError, "coefficients"):
        perturbed(whole_numbers(), parameters, random=seeded(), coefficients=np.array(k))


# --- sensitivity, Eq. 7


@ways
def test_sensitivity_is_exactly_the_largest_distance_of_two_participants(mechanism, chunk):
    x = whole_numbers()
    parameters = PaperParameters(mechanism, 1.0, chunk)
    np.testing.assert_array_equal(sensitivities(x, parameters), slow_sensitivity(x, parameters))


@ways
@pytest.mark.parametrize("block", [1, 100])
def test_sensitivity_in_small_blocks_is_the_same(mechanism, chunk, block, monkeypatch):
    x, parameters = whole_numbers(people=9), PaperParameters(mechanism, 1.0, chunk)
    expected = slow_sensitivity(x, parameters)
    monkeypatch.setattr(bozkir2021, "_BLOCK", block)
    np.testing.assert_array_equal(sensitivities(x, parameters), expected)


def test_sensitivity_by_hand():
    x = np.array([[[0.0, 0, 0, 0]], [[3, 4, 0, 2]], [[1, 1, 1, 1]]])
    assert sensitivities(x, PaperParameters("lpa", 1.0)).tolist() == [[9.0]]
    assert sensitivities(x, PaperParameters("fpa", 1.0)).tolist() == [[math.sqrt(29)]]
    assert sensitivities(x, PaperParameters("cfpa", 1.0, 2)).tolist() == [[5.0, 2.0]]
    # differences in chunks of 3: (3, 1, −4), (1, 0, 0) and 0; then the last step by itself
    assert sensitivities(x, PaperParameters("dcfpa", 1.0, 3)).tolist() == [[math.sqrt(26), 2.0]]


# --- release


@variants
@pytest.mark.parametrize("block", [1, 400, 1 << 21])
def test_release_is_the_papers_in_loops(parameters, block, served, monkeypatch):
    monkeypatch.setattr(bozkir2021, "_BLOCK", block)
    x, draws = whole_numbers(), 3
    chunks = chunks_of(x.shape[2], parameters)
    delta = slow_sensitivity(x, parameters)
    rng = np.random.default_rng(1)
    k = np.array([[rng.integers(1, (c.stop - c.start) // 2 + 2) for c in chunks] for _ in range(3)])
    k[0] = [(c.stop - c.start) // 2 + 1 for c in chunks]
    released = perturbed(x, parameters, random=seeded(), draws=draws, coefficients=k)
    pieces = by_piece(served, [draws] * (1 + (len({c.stop - c.start for c in chunks}) > 1)))
    expected = np.empty((draws, *x.shape))
    for (c, chunk_), d, p, f in itertools.product(enumerate(chunks), range(draws), range(4), range(3)):
        n = chunk_.stop - chunk_.start
        scale = slow_scale(k[f, c], delta[f, c], n, parameters)
        expected[d, p, f, chunk_] = slow_chunk(
            x[p, f, chunk_], k[f, c], scale, noise_of(pieces, c)[d, p, f], parameters
        )
    np.testing.assert_allclose(released.values, expected, rtol=1e-10, atol=1e-9)
    np.testing.assert_array_equal(released.coefficients, k)
    np.testing.assert_array_equal(released.sensitivity, delta)


@pytest.mark.parametrize("block", [1, 1 << 21])
def test_lpa_adds_noise_to_every_step(block, served, monkeypatch):
    monkeypatch.setattr(bozkir2021, "_BLOCK", block)
    x, parameters = whole_numbers(), PaperParameters("lpa", 0.7)
    released = perturbed(x, parameters, random=seeded(), draws=3)
    scale = slow_sensitivity(x, parameters) / 0.7
    np.testing.assert_allclose(released.values, x + scale * np.concatenate(served), rtol=1e-12)
    assert released.coefficients.tolist() == [[0]] * 3
    assert oracle_coefficients(x, parameters, random=seeded()).tolist() == [[0]] * 3


def test_a_number_of_coefficients_stands_for_all_and_a_short_chunk_keeps_what_it_has():
    x = whole_numbers()
    asked = perturbed(x, PaperParameters("cfpa", 1.0, 4, coefficients=3), random=seeded())
    assert asked.coefficients.tolist() == [[3, 3, 3, 2]] * 3
    given = np.array([[3, 3, 3, 2]] * 3)
    same = perturbed(x, PaperParameters("cfpa", 1.0, 4), random=seeded(), coefficients=given)
    np.testing.assert_array_equal(asked.values, same.values)


def test_the_oracle_is_asked_where_no_number_is_given():
    x, parameters = whole_numbers(), PaperParameters("dcfpa", 50.0, 7, evaluations=5)
    found = oracle_coefficients(x, parameters, random=seeded())
    np.testing.assert_array_equal(perturbed(x, parameters, random=seeded()).coefficients, found)


@ways
def test_a_seed_repeats_itself_and_draws_do_not(mechanism, chunk):
    x, parameters = whole_numbers(), PaperParameters(mechanism, 1.0, chunk, coefficients=1)
    first = perturbed(x, parameters, random=seeded(), draws=2).values
    np.testing.assert_array_equal(first, perturbed(x, parameters, random=seeded(), draws=2).values)
    assert (first[0] != first[1]).any(axis=-1).all()
    assert (first != perturbed(x, parameters, random=seeded(8), draws=2).values).any(axis=-1).all()


# --- Algorithm 1


def test_without_noise_the_running_sum_restores_the_series_and_the_printed_inverse_does_not():
    """Two people alike have a measured sensitivity of 0, and no noise."""
    one = np.random.default_rng(3).normal(5, 2, (1, 3, 130))
    x = np.concatenate([one, one])
    for chunk in (32, 64, 128, 130, 1):
        whole = PaperParameters("dcfpa", 1.0, chunk, coefficients=130)
        printed = AsPrinted("dcfpa", 1.0, chunk, coefficients=130)
        restored = perturbed(x, whole, random=seeded()).values[0]
        np.testing.assert_allclose(restored, x, rtol=0, atol=1e-12)
        wrong = perturbed(x, printed, random=seeded()).values[0]
        assert chunk == 1 or np.abs(wrong - x).max(axis=-1).min() > 1


def test_people_alike_are_published_as_they_are_the_measured_sensitivity_is_no_sensitivity():
    """`bozkir2021.md`, 1: neighbours with an infinite log-ratio."""
    x = np.repeat(whole_numbers(people=2)[:1], 4, axis=0)
    for mechanism, chunk in WAYS:
        parameters = PaperParameters(mechanism, 0.01, chunk, coefficients=14)
        np.testing.assert_allclose(perturbed(x, parameters, random=seeded()).values[0], x, atol=1e-12)
        other = x.copy()
        other[0, :, -1] += 1
        moved = perturbed(other, parameters, random=seeded()).values[0, 1:]
        assert np.abs(moved - x[1:])[..., -1].min() > 0.1


# --- the oracle


@variants
@pytest.mark.parametrize(("epsilon", "block"), [(1.0, 1 << 21), (30.0, 1), (1e4, 500)])
def test_oracle_k_is_that_of_brute_force(parameters, epsilon, block, served, monkeypatch):
    monkeypatch.setattr(bozkir2021, "_BLOCK", block)
    x = whole_numbers(people=3, n=13)
    parameters = replace(parameters, epsilon=epsilon, evaluations=4)
    chunks = chunks_of(13, parameters)
    delta = slow_sensitivity(x, parameters)
    found = oracle_coefficients(x, parameters, random=seeded())
    pieces = by_piece(served, [4] * (1 + (len({c.stop - c.start for c in chunks}) > 1)))
    for (c, chunk_), f in itertools.product(enumerate(chunks), range(3)):
        n = chunk_.stop - chunk_.start
        errors = []
        for k in range(1, n // 2 + 2):
            scale = slow_scale(k, delta[f, c], n, parameters)
            errors.append(
                np.mean(
                    [
                        abs(slow_nmse(x[p, f, chunk_], slow_chunk(x[p, f, chunk_], k, scale, z, parameters)))
                        for p in range(3)
                        for z in noise_of(pieces, c)[:, p, f]
                    ]
                )
            )
        assert found[f, c] == 1 + np.argmin(errors), (f, c, errors)


@variants
def test_the_errors_behind_the_oracle_are_those_of_brute_force(parameters, served):
    x = whole_numbers(people=3, n=11)[:, :, None]  # one chunk of 11
    parameters = replace(parameters, epsilon=20.0, evaluations=6)
    delta = np.array([[7.0], [20.0], [0.0]])
    errors = bozkir2021._mean_errors(x, delta, parameters, seeded())
    assert errors.shape == (3, 1, 6)
    for f, k in itertools.product(range(3), range(1, 7)):
        scale = slow_scale(k, delta[f, 0], 11, parameters)
        expected = [
            abs(slow_nmse(x[p, f, 0], slow_chunk(x[p, f, 0], k, scale, z, parameters)))
            for p in range(3)
            for z in served[0][:, p, f, 0]
        ]
        assert errors[f, 0, k - 1] == pytest.approx(np.mean(expected), rel=1e-9, abs=1e-12)


def test_the_oracle_finds_different_k():
    """Else the comparisons above would be of ones with ones."""
    x = whole_numbers(people=3, n=13)
    found = [
        oracle_coefficients(x, PaperParameters("dcfpa", e, 13, evaluations=4), random=seeded())
        for e in (1.0, 30.0, 1e4)
    ]
    assert len(np.unique(found)) >= 4


def test_people_whose_mean_is_0_have_no_say():
    x = whole_numbers(people=4)
    x[2:] = 0
    x[2, :, :2] = 1, -1  # not constant, but of mean 0: its NMSE would be infinite for every k
    parameters = PaperParameters("fpa", 1e5, evaluations=20)
    found = oracle_coefficients(x, parameters, random=seeded())
    assert found.min() > 1
    assert oracle_coefficients(x[2:], parameters, random=seeded()).tolist() == [[1]] * 3


# --- the scale of the noise


def unit_noise_of(mechanism, chunk, factor=1.0):
    """What was added, over λ as the paper states it times a wrong factor; about 400 000 numbers."""
    n, k, epsilon = 16, 3, 0.3
    x = np.random.default_rng(5).normal(4, 1, (4, 2, n))
    parameters = PaperParameters(mechanism, epsilon, chunk, coefficients=k)
    draws = 400_000 // (8 * 16) if mechanism == "lpa" else 400_000 // (8 * 5 * (n // (chunk or n)))
    released = perturbed(x, parameters, random=seeded(2021), draws=draws).values
    if mechanism == "lpa":
        scale = slow_sensitivity(x, parameters) / epsilon
        return ((released - x) / (factor * scale)).ravel()
    size = chunk or n
    shape = (-1, 4, 2, n // size, size)
    steps = [a.reshape(shape) for a in (released, x)]
    if mechanism == "dcfpa":
        steps = [np.diff(a, axis=-1, prepend=0) for a in steps]
    noisy, exact = (np.fft.rfft(a) for a in steps)
    assert np.abs(noisy[..., k:]).max() < 1e-8 * np.abs(noisy).max()
    scale = math.sqrt(size * k) * slow_sensitivity(x, parameters)[..., None] / epsilon * factor
    unit = (noisy - exact)[..., :k] / scale
    return np.concatenate([unit.real.ravel(), unit.imag[..., 1:].ravel()])


def right_scale(unit):
    """|Lap(1)| has mean 1 and variance 1: 400 000 of them have a mean within 6.2/√400 000 = 1 % at 1e-9."""
    return abs(np.abs(unit).mean() - 1) <= 6.2 / math.sqrt(unit.size)


@pytest.mark.quick("dcfpa-8")
@pytest.mark.parametrize(("mechanism", "chunk"), [("lpa", None), ("fpa", None), ("cfpa", 8), ("dcfpa", 8)])
def test_the_noise_is_laplace_of_the_papers_scale_and_5_percent_are_seen(mechanism, chunk):
    unit = unit_noise_of(mechanism, chunk)
    assert unit.size >= 399_000
    assert right_scale(unit)
    assert stats.kstest(unit, "laplace").pvalue > 1e-9
    for factor in (1.05, 1 / 1.05):
        wrong = unit / factor
        assert not right_scale(wrong)
        assert stats.kstest(wrong, "laplace").pvalue < 1e-9


def test_the_helper_tells_a_wrong_factor_in_the_scale():
    assert not right_scale(unit_noise_of("cfpa", 8, factor=math.sqrt(2)))
    assert not right_scale(unit_noise_of("cfpa", 8, factor=0.95))
