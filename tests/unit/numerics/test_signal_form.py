"""Series as integers and back, against chunks, differences and limits followed step by step in Python."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import bad_argument
from slow_signals import H, followed, full, slow_integers, some_series

from synthrelease.numerics import signal_form
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.fourier import basis
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA, LPA, SignalForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

FORMS = [
    SignalForm(LPA, 7),
    SignalForm(FPA, 9, frequencies=3),
    SignalForm(FPA, 10, frequencies=6),
    SignalForm(FPA, 31, frequencies=1, clip=0.2),
    SignalForm(CFPA, 24, 8, 3),
    SignalForm(CFPA, 21, 8, 5),
    SignalForm(CFPA, 9, 4, 3, clip=0.3),
    SignalForm(CFPA, 5, 5, 2),
    SignalForm(DCFPA, 24, 8, 3),
    SignalForm(DCFPA, 21, 8, 5),
    SignalForm(DCFPA, 9, 4, 1, clip=0.3),
    SignalForm(DCFPA, 21, 8, 5, max_change=3000),
    SignalForm(DCFPA, 21, 8, 2, max_change=1, clip=0.9),
    SignalForm(DCFPA, 6, 2, 2, max_change=2 * H),
]
TRANSFORMED = [form for form in FORMS if form.mechanism != LPA]
some_forms = pytest.mark.parametrize("form", FORMS, ids=str)
transformed = pytest.mark.parametrize("form", TRANSFORMED, ids=str)


def linear_map(form: SignalForm) -> Numbers:
    """Row j: the series of a one at integer j."""
    return form.series(np.eye(form.count))


# --- the form itself


def test_a_series_is_cut_into_chunks_and_a_shorter_one() -> None:
    form = SignalForm(CFPA, 21, 8, 4)
    assert [(part.chunks, part.length, part.frequencies, part.count) for part in form.parts] == [
        (2, 8, 4, 7),
        (1, 5, 3, 5),
    ]
    assert form.count == 2 * 7 + 5
    assert [(p.chunks, p.length) for p in SignalForm(DCFPA, 24, 8, 5).parts] == [(3, 8)]
    assert [(p.chunks, p.length) for p in SignalForm(FPA, 21, frequencies=5).parts] == [(1, 21)]
    (steps,) = SignalForm(LPA, 21).parts
    assert (steps.chunks, steps.length, steps.frequencies, steps.count, steps.radius) == (1, 21, None, 21, H)


@pytest.mark.parametrize("clip", [1.0, 0.7, 1e-3, 1e-9])
def test_radii_are_the_clipped_share_of_half_the_diagonal_rounded_up(clip: float) -> None:
    for form in (SignalForm(FPA, 30, frequencies=4, clip=clip), SignalForm(CFPA, 21, 8, 3, clip=clip)):
        for part in form.parts:
            diagonal = math.ceil(H * math.sqrt(part.length))
            assert part.radius == max(1, math.ceil(clip * diagonal))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"mechanism": CFPA, "length": 8, "frequencies": 1}, ("chunk", 8, "None")),
        ({"mechanism": DCFPA, "length": 8, "chunk": 9, "frequencies": 1}, ("chunk", 8, 9)),
        ({"mechanism": CFPA, "length": 8, "chunk": 0, "frequencies": 1}, ("chunk", 0)),
        ({"mechanism": CFPA, "length": 8, "chunk": -1, "frequencies": 1}, ("chunk", -1)),
        ({"mechanism": FPA, "length": 8, "chunk": 4, "frequencies": 1}, ("chunk", 4)),
        ({"mechanism": LPA, "length": 8, "chunk": 4}, ("chunk", 4)),
        ({"mechanism": LPA, "length": 0}, ("chunk", 0)),
        ({"mechanism": LPA, "length": 8, "frequencies": 1}, ("frequencies", "lpa", 1)),
        ({"mechanism": FPA, "length": 8}, ("frequencies", "lpa", "None")),
        ({"mechanism": CFPA, "length": 8, "chunk": 4}, ("frequencies", "lpa", "None")),
        ({"mechanism": FPA, "length": 8, "frequencies": 6}, ("frequencies", 5, 6)),
        ({"mechanism": FPA, "length": 8, "frequencies": 0}, ("frequencies", 0)),
        ({"mechanism": CFPA, "length": 8, "chunk": 4, "frequencies": 4}, ("frequencies", 3, 4)),
        ({"mechanism": CFPA, "length": 8, "chunk": 4, "frequencies": 1, "max_change": 5}, ("dcfpa", 5)),
        ({"mechanism": FPA, "length": 8, "frequencies": 1, "max_change": 5}, ("dcfpa", 5)),
        ({"mechanism": LPA, "length": 8, "max_change": 5}, ("dcfpa", 5)),
        ({"mechanism": DCFPA, "length": 8, "chunk": 4, "frequencies": 1, "max_change": -1}, ("dcfpa", -1)),
        ({"mechanism": DCFPA, "length": 8, "chunk": 4, "frequencies": 1, "max_change": 0}, ("dcfpa", 0)),
        (
            {"mechanism": DCFPA, "length": 8, "chunk": 4, "frequencies": 1, "max_change": 65537},
            ("dcfpa", 65537),
        ),
        ({"mechanism": FPA, "length": 8, "frequencies": 1, "clip": 0.0}, ("clip", 0.0)),
        ({"mechanism": LPA, "length": 8, "clip": 0.5}, ("clip", "lpa", 0.5)),
        ({"mechanism": FPA, "length": 8, "frequencies": 1, "clip": -0.5}, ("clip", -0.5)),
        ({"mechanism": FPA, "length": 8, "frequencies": 1, "clip": 1.1}, ("clip", 1.1)),
        ({"mechanism": FPA, "length": 8, "frequencies": 1, "clip": math.nan}, ("clip", "nan")),
    ],
    ids=str,
)
def test_numbers_that_do_not_belong_to_the_mechanism_are_refused(arguments: dict, named: tuple) -> None:
    with bad_argument(ValueError, *named):
        SignalForm(**arguments)


# --- integers


@some_forms
def test_integers_are_those_of_every_chunk_by_itself(form: SignalForm) -> None:
    series = some_series(form.length)
    found = form.integers(series, clipped=False)
    assert found.dtype == np.int64
    assert found.shape == (len(series), form.count)
    expected = [[z for chunk in slow_integers(row, form) for z in chunk] for row in series.tolist()]
    assert found.tolist() == expected


@pytest.mark.quick(but=["cfpa-6", "dcfpa-6"])
@pytest.mark.parametrize(("mechanism", "frequencies"), [(CFPA, 6), (DCFPA, 6)])
def test_integers_of_the_longest_chunks_are_exact_too(mechanism: str, frequencies: int) -> None:
    """Differences reach twice as far: their basis is rounded to one bit less, which shows in some of 700 integers."""
    form = SignalForm(mechanism, 4096, 4096, frequencies)
    series = some_series(4096, people=60)
    expected = [slow_integers(row, form)[0] for row in series.tolist()]
    assert form.integers(series, clipped=False).tolist() == expected


@given(data=st.data())
def test_integers_are_those_of_the_definition_for_any_form_and_series(data: st.DataObject) -> None:
    length = data.draw(st.integers(1, 14))
    chunk = data.draw(st.integers(1, length))
    mechanism = data.draw(st.sampled_from([FPA, CFPA, DCFPA]))
    most = (length if mechanism == FPA else chunk) // 2 + 1
    limit = data.draw(st.none() | st.integers(1, 2 * H)) if mechanism == DCFPA else None
    form = SignalForm(
        mechanism,
        length,
        None if mechanism == FPA else chunk,
        data.draw(st.integers(1, most)),
        limit,
        data.draw(st.floats(0.01, 1)),
    )
    series = data.draw(st.lists(st.integers(-H, H), min_size=length, max_size=length))
    slow = slow_integers(series, form)
    (found,) = form.integers(np.array([series]), clipped=False).tolist()
    assert found == [z for chunk in slow for z in chunk]
    radii = [part.radius for part in form.parts for _ in range(part.chunks)]
    kept = [clip_to_ball(np.array([own]), radius)[0] for own, radius in zip(slow, radii, strict=True)]
    assert form.integers(np.array([series])).tolist() == [np.concatenate(kept).tolist()]


@some_forms
def test_no_chunk_leaves_its_ball(form: SignalForm) -> None:
    """And the control: some would, where the ball is smaller than the box."""
    ends = H * np.random.default_rng(1).choice([-1, 1], (400, form.length))
    series = np.concatenate([some_series(form.length), ends])
    for clipped in (True, False):
        norms = []
        for row in form.integers(series, clipped=clipped).tolist():
            start = 0
            for part in form.parts:
                for _ in range(part.chunks):
                    own = row[start : start + part.count]
                    if form.mechanism == LPA:
                        assert max(map(abs, own)) <= part.radius
                    else:
                        norms.append(sum(z * z for z in own) / part.radius**2)
                    start += part.count
        if clipped:
            assert max(norms, default=0) <= 1
        elif form.clip < 0.5:
            assert max(norms) > 1


@some_forms
def test_a_row_of_integers_depends_on_that_row_alone(form: SignalForm) -> None:
    series = some_series(form.length, people=40)
    alone = np.concatenate([form.integers(row[None]) for row in series])
    order = np.random.default_rng(3).permutation(len(series))
    np.testing.assert_array_equal(form.integers(series), alone)
    np.testing.assert_array_equal(form.integers(series[order]), alone[order])
    np.testing.assert_array_equal(form.integers(np.asfortranarray(series)[3:20]), alone[3:20])
    before = series.copy()
    for clipped in (True, False):
        form.integers(series, clipped=clipped)
    np.testing.assert_array_equal(series, before)


def test_no_one_has_no_integers() -> None:
    for form in FORMS:
        assert form.integers(np.empty((0, form.length), dtype=np.int64)).shape == (0, form.count)


# --- back to series


@transformed
def test_at_full_band_series_come_back_but_for_the_cut(form: SignalForm) -> None:
    """Each integer is cut by e < 1 + η: a step of the series by Σ|e·row_t| ≤ (1 + η)·√L, of a running sum by (1 + η)·√(L·t)."""
    whole = full(form)
    series = some_series(form.length)
    back = whole.series(whole.integers(series, clipped=False))
    eta, at = 1e-3, 0
    for part in whole.parts:
        for _ in range(part.chunks):
            bound = (1 + eta) * math.sqrt(part.length) * np.ones(part.length)
            if form.mechanism == DCFPA:
                bound *= np.sqrt(1 + np.arange(part.length))
            here = slice(at, at + part.length)
            assert (np.abs(back - series)[:, here] <= bound).all()
            at += part.length
    assert at == form.length


def test_under_a_limit_the_series_that_comes_back_is_the_one_that_followed() -> None:
    form = replace(full(SignalForm(DCFPA, 21, 8, 5)), max_change=3000)
    series = some_series(21)
    back = form.series(form.integers(series, clipped=False))
    assert np.abs(back - followed(series, form)).max() <= 1.001 * 8
    assert np.abs(np.diff(back[:, :8], axis=1)).max() <= 3000 + 2 * 8
    assert np.abs(back - series).max() > 3000  # the limit does bite


def test_dcfpa_without_noise_inverts_exactly_and_as_printed_it_does_not() -> None:
    """Bozkir et al. 2021, Algorithm 1, line 3 prints X̃_t = D̃_t + D̃_(t−1); the inverse is X̃_t = D̃_t + X̃_(t−1)."""
    for length, chunk in ((32, 32), (21, 8), (9, 4), (7, 1)):
        form = full(SignalForm(DCFPA, length, chunk, 1))
        series = some_series(length).astype(np.float64)
        coefficients, printed = [], []
        for start in range(0, length, chunk):
            differences = np.diff(series[:, start : start + chunk], axis=1, prepend=0.0)
            side = differences.shape[1]
            coefficients.append(differences @ basis(side, side // 2 + 1).T)
            before = np.concatenate([np.zeros((len(series), 1)), differences[:, :-1]], axis=1)
            printed.append(differences + before)
        back = form.series(np.concatenate(coefficients, axis=1))
        assert np.abs(back - series).max() <= 1e-9 * H
        if chunk > 2:
            assert np.abs(np.concatenate(printed, axis=1) - series).max() > 0.5 * H


@some_forms
def test_series_keep_the_axes_before_and_are_linear(form: SignalForm) -> None:
    integers = np.random.default_rng(0).normal(size=(2, 3, form.count))
    back = form.series(integers)
    assert back.shape == (2, 3, form.length)
    np.testing.assert_allclose(back, integers @ linear_map(form), atol=1e-12)
    if form.mechanism != LPA:
        with bad_argument(ValueError, form.count, "coefficients", form.count + 1):
            form.series(np.zeros((2, form.count + 1)))


@some_forms
def test_the_spread_is_that_of_the_linear_map(form: SignalForm) -> None:
    np.testing.assert_allclose(form.spread, np.sqrt((linear_map(form) ** 2).sum(axis=0)), rtol=1e-12)


def test_the_spread_of_a_form_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may ask for it in every one of its series."""
    form, calls = SignalForm(DCFPA, 64, 64, 5), []
    monkeypatch.setattr(signal_form, "basis", lambda *of: calls.append(of) or basis(*of))
    first = form.spread
    made = len(calls)
    assert form.spread is first
    assert len(calls) == made
    assert not first.flags.writeable


def test_what_differences_reach_is_found_once_for_all_forms_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    radii = SignalForm(DCFPA, 61, 61, 5).parts[0].radius
    monkeypatch.setattr(signal_form, "_of_differences", None)
    assert SignalForm(DCFPA, 61, 61, 5).parts[0].radius == radii
