"""Networks of sequences against an oracle that knows every sequence, in exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from synthrelease.kinds.records.fit import weighted_counts
from synthrelease.kinds.records.model import SeededModel
from synthrelease.numerics.network import Network, Subset
from synthrelease.numerics.sequence_network import SequenceForm, fitted_sequence
from synthrelease.numerics.steps import HALF_RANGE

FORM = SequenceForm(labels=2, places=2, classes=2, length=3)
Sequence = tuple[int, tuple[int, ...], tuple[int, ...]]  # label, places, classes


def sizes(form: SequenceForm) -> list[int]:
    m = form.length
    ends = [form.places] + [form.places + 1] * (m - 1) + [form.classes] + [form.classes + 1] * (m - 1)
    return [form.labels, *ends]


def record(sequence: Sequence, form: SequenceForm) -> list[int]:
    label, places, classes = sequence
    gone = form.length - len(places)
    return [label, *places, *[form.places] * gone, *classes, *[form.classes] * gone]


def counts(sequences: list[Sequence], form: SequenceForm) -> dict[Subset, NDArray[np.int64]]:
    """Of as many people, each with one sequence."""
    records = np.array([record(sequence, form) for sequence in sequences], dtype=np.int64)
    records = records.reshape(len(sequences), 1 + 2 * form.length)
    return weighted_counts(records, np.arange(len(records)), sizes(form), form.subsets)


def mixed(counted: list[int], common: list[Fraction], weight: Fraction) -> list[Fraction]:
    total = sum(counted) + weight
    return [(number + weight * share) / total for number, share in zip(counted, common, strict=True)]


def oracle(sequences: list[Sequence], form: SequenceForm, label: int, places: tuple[int, ...]) -> Fraction:
    """The probability of places, and then an end if there is room for one, given the label."""
    even = [Fraction(1, form.places)] * form.places
    share = Fraction(1, form.labels)
    cells = range(form.places)
    firsts = [(s, p[0]) for s, p, _ in sequences]
    of_all = mixed([sum(p == c for _, p in firsts) for c in cells], even, Fraction(1))
    probability = mixed([firsts.count((label, c)) for c in cells], of_all, share)[places[0]]
    steps = [(s, a, b) for s, p, _ in sequences for a, b in itertools.pairwise(p)]
    of_all = mixed([sum(b == c for _, _, b in steps) for c in cells], even, Fraction(1))
    of_label = mixed([sum((s, b) == (label, c) for s, _, b in steps) for c in cells], of_all, share)
    for t, (a, b) in enumerate(itertools.pairwise(places), start=1):
        probability *= 1 - end(sequences, form, t)
        probability *= mixed([steps.count((label, a, c)) for c in cells], of_label, share)[b]
    return probability * (end(sequences, form, len(places)) if len(places) < form.length else 1)


def end(sequences: list[Sequence], form: SequenceForm, t: int) -> Fraction:
    """Pr(no more than t places | at least t)."""
    lengths = [len(places) for _, places, _ in sequences]
    return (lengths.count(t) + Fraction(1, form.length)) / (sum(length >= t for length in lengths) + 1)


def of_network(network: Network, one: Sequence, form: SequenceForm) -> float:
    model = SeededModel(network.tables, network.order, (2 * form.length,), network.parents)
    logs = model.log_conditional(np.array([record(one, form)]))[0]
    return float(np.exp(logs[1 : form.length + 1].sum()))


@st.composite
def some_sequences(draw: st.DrawFn, form: SequenceForm = FORM) -> list[Sequence]:
    def one() -> Sequence:
        length = draw(st.integers(1, form.length))
        of_places, of_classes = (
            tuple(draw(st.integers(0, number - 1)) for _ in range(length))
            for number in (form.places, form.classes)
        )
        return draw(st.integers(0, form.labels - 1)), of_places, of_classes

    return [one() for _ in range(draw(st.integers(0, 6)))]


@given(sequences=some_sequences())
def test_probabilities_are_those_of_the_definition(sequences: list[Sequence]) -> None:
    network = fitted_sequence(counts(sequences, FORM), FORM, people=None)
    for label, length in itertools.product(range(2), range(1, 4)):
        for places in itertools.product(range(2), repeat=length):
            found = of_network(network, (label, places, (0,) * length), FORM)
            assert found == pytest.approx(float(oracle(sequences, FORM, label, places)), rel=1e-9)


@given(sequences=some_sequences())
def test_classes_are_those_of_their_position(sequences: list[Sequence]) -> None:
    network = fitted_sequence(counts(sequences, FORM), FORM, people=None)
    for t in range(3):
        there = [classes[t] for _, _, classes in sequences if len(classes) > t]
        expected = [float(Fraction(there.count(c) * 2 + 1, (len(there) + 1) * 2)) for c in range(2)]
        table = network.tables[4 + t]
        rows = table[None] if t == 0 else table[:2, :2]
        np.testing.assert_allclose(rows, np.broadcast_to(expected, rows.shape), rtol=1e-9)


@given(sequences=some_sequences())
def test_what_cannot_be_has_no_probability_and_all_else_has_one(sequences: list[Sequence]) -> None:
    network = fitted_sequence(counts(sequences, FORM), FORM, people=None)
    model = SeededModel(network.tables, network.order, (6,), network.parents)
    whole = np.array(list(itertools.product(*map(range, sizes(FORM)))))
    with np.errstate(divide="ignore"):
        probability = np.exp(model.log_conditional(whole).sum(axis=1))
    there = whole[:, 1:4] < 2
    lasting = whole[:, 4:] < 2
    possible = (there[:, 1:] <= there[:, :-1]).all(axis=1) & (there == lasting).all(axis=1)
    assert (probability[possible] > 0).all()
    assert not probability[~possible].any()
    assert probability.sum() == pytest.approx(1.0)


def test_sequences_of_one_place_have_no_pairs() -> None:
    form = SequenceForm(labels=2, places=3, classes=1, length=1)
    assert form.subsets == [(0, 1), (2,)]
    network = fitted_sequence(counts([(0, (2,), (0,)), (0, (2,), (0,))], form), form, people=None)
    assert network.parents == ((), (0,), ())
    assert network.tables[1][0].argmax() == 2


def test_many_people_are_what_their_sequences_say() -> None:
    """However many they are, the prior is that of one."""
    random = np.random.default_rng(1)
    sequences: list[Sequence] = []
    for _ in range(20_000):
        label = int(random.integers(2))
        places = [0]
        while len(places) < 3 and random.random() < 0.75:
            places.append(places[-1] if random.random() < (0.9, 0.2)[label] else 1 - places[-1])
        sequences.append((label, tuple(places), (0,) * len(places)))
    network = fitted_sequence(counts(sequences, FORM), FORM, people=None)
    np.testing.assert_allclose(network.tables[2][:, 0, 2], 0.25, atol=0.02)
    for t in (2, 3):
        stays = network.tables[t][:, 0, 0] / network.tables[t][:, 0, :2].sum(axis=-1)
        np.testing.assert_allclose(stays, [0.9, 0.2], atol=0.02)


@given(seed=st.integers(0, 2**32), people=st.integers(1, 30))
def test_any_noisy_counts_make_a_network(seed: int, people: int) -> None:
    random = np.random.default_rng(seed)
    shapes = {subset: [sizes(FORM)[a] for a in subset] for subset in FORM.subsets}
    noisy = {subset: random.integers(-(1 << 40), 1 << 40, shape) for subset, shape in shapes.items()}
    network = fitted_sequence(noisy, FORM, people=people)
    SeededModel(network.tables, network.order, (6,), network.parents)  # looks at all tables
    assert all((table >= 0).all() for table in network.tables)


def test_counts_that_are_histograms_of_people_stay_as_they_are() -> None:
    sequences: list[Sequence] = [(0, (0, 1), (0, 1)), (1, (1,), (1,)), (0, (1, 1, 0), (0, 0, 0))]
    exact = counts(sequences, FORM)
    assert {int(table.sum()) for table in exact.values()} == {3 * HALF_RANGE}
    one, other = (fitted_sequence(exact, FORM, people=people) for people in (None, 3))
    for table, same in zip(one.tables, other.tables, strict=True):
        np.testing.assert_allclose(table, same, rtol=1e-9)
