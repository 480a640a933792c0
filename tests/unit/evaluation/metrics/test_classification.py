"""Classification of toy data whose answers are known."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from refusals import bad_argument, refused

from synthrelease.errors import MachineError
from synthrelease.evaluation.metrics.classification import (
    CLASSIFIERS,
    accuracy,
    leave_one_group_out_accuracy,
    majority_vote,
    split_accuracy,
    trained,
)

classifiers = pytest.mark.parametrize("classifier", CLASSIFIERS)


def clusters(groups=4, labels=3, each=15, seed=1):
    """Labels apart from each other, groups alike: values, labels, groups, units."""
    rng = np.random.default_rng(seed)
    label = np.tile(np.repeat(np.arange(labels), each), groups)
    group = np.repeat(np.arange(groups), labels * each)
    values = rng.normal(size=(label.size, 2)) * 0.1 + np.stack([label, -label], axis=1)
    return values, label, group, group * labels + label


# --- votes


def test_majority_vote_by_hand():
    predicted = np.array([7, 3, 7, 5, 5, 3, 3])
    units = np.array([20, 20, 20, 10, 10, 10, 30])
    assert majority_vote(predicted, units).tolist() == [5, 7, 3]  # of units 10, 20, 30


def test_of_equally_frequent_answers_the_least_wins():
    assert majority_vote(np.array([9, 2, 9, 2]), np.zeros(4, dtype=int)).tolist() == [2]
    assert majority_vote(np.array([2, 9, 9, 2, 9]), np.zeros(5, dtype=int)).tolist() == [9]


def test_accuracy_by_hand():
    """Unit 0: right, right, wrong. Unit 1: wrong, wrong. Unit 2: right. Three of six windows, two of three units."""
    labels = np.array([4, 4, 4, 1, 1, 2])
    predicted = np.array([4, 4, 1, 4, 4, 2])
    found = accuracy(predicted, labels, np.array([0, 0, 0, 1, 1, 2]))
    assert found == (pytest.approx(3 / 6), pytest.approx(2 / 3))
    assert found.windows == 0.5


def test_units_need_not_lie_together():
    labels, predicted = np.array([1, 0, 1, 0, 1, 0]), np.array([1, 1, 1, 0, 0, 0])
    assert accuracy(predicted, labels, np.array([5, 3, 5, 3, 5, 3])) == (pytest.approx(4 / 6), 1.0)


# --- classifiers


@classifiers
def test_what_is_apart_is_told_apart(classifier):
    values, labels, groups, units = clusters()
    found = leave_one_group_out_accuracy(values, labels, groups, units, classifier=classifier, seed=0)
    assert found == (1.0, 1.0)
    held = groups == 2
    train, test = (values[~held], labels[~held]), (values[held], labels[held])
    assert split_accuracy(train, test, units[held], classifier=classifier, seed=0) == (1.0, 1.0)


@classifiers
def test_the_group_that_is_tested_is_not_trained_on(classifier):
    """Neighbouring groups have other labels: whoever trained on the group itself would be right, others are wrong."""
    groups = np.repeat(np.arange(4), 30)
    values = (groups + np.random.default_rng(2).normal(size=groups.size) * 0.01)[:, None]
    labels = groups % 2
    found = leave_one_group_out_accuracy(values, labels, groups, groups, classifier=classifier, seed=0)
    assert found == (0.0, 0.0)
    seen = (values, labels)
    assert split_accuracy(seen, seen, groups, classifier=classifier, seed=0).windows > 0.95


@classifiers
def test_permuted_labels_are_told_by_chance(classifier):
    """600 answers that know nothing of the label: ¼ ± 6.1·√(¼·¾/600) at 1e-9."""
    values, labels, groups, _ = clusters(groups=10, labels=4, each=15, seed=3)
    shuffled = np.random.default_rng(4).permutation(labels)
    units = np.arange(labels.size)
    found = leave_one_group_out_accuracy(values, shuffled, groups, units, classifier=classifier, seed=0)
    assert found.windows == found.voted == pytest.approx(0.25, abs=6.1 * np.sqrt(0.25 * 0.75 / 600))
    right = leave_one_group_out_accuracy(values, labels, groups, units, classifier=classifier, seed=0)
    assert right.windows == 1.0


@classifiers
def test_a_feature_of_another_unit_of_measurement_changes_nothing(classifier):
    values, labels, groups, units = clusters()
    noise = np.random.default_rng(5).normal(size=(len(values), 1))
    small, large = (np.concatenate([values, noise * unit], axis=1) for unit in (1e-6, 1e6))
    found = [
        leave_one_group_out_accuracy(v, labels, groups, units, classifier=classifier, seed=0)
        for v in (small, large)
    ]
    assert found[0] == found[1] == (1.0, 1.0)


@classifiers
def test_test_data_are_scaled_by_what_was_trained_on(classifier):
    """All tested windows lie in the second cluster; by their own mean they would lie between the two."""
    values, labels, _, _ = clusters(labels=2)
    tested = np.full((5, 2), (1.0, -1.0)) + np.linspace(-0.05, 0.05, 5)[:, None]
    predict = trained(values, labels, classifier=classifier, seed=0)
    assert predict(tested).tolist() == [1] * 5


@classifiers
def test_a_constant_feature_and_few_windows_are_no_trouble(classifier):
    values, labels = np.array([[0.0, 7], [0.1, 7], [0.2, 7], [5, 7], [5.1, 7], [5.2, 7]]), np.arange(6) // 3
    predicted = trained(values, labels, classifier=classifier, seed=0)(values)
    assert predicted.shape == (6,)
    if classifier in ("SVM", "DT"):  # 11 neighbours are all there are, and a forest may miss some
        assert predicted.tolist() == labels.tolist()


def test_the_neighbours_are_11():
    """Six windows of one label lie at the tested place, twelve of another far off: 6 to 5, and without one 5 to 6."""
    near, far = np.zeros((6, 1)), np.ones((12, 1))
    values, labels = np.concatenate([near, far]), np.repeat([1, 2], [6, 12])
    assert trained(values, labels, classifier="k-NN", seed=0)(near[:1]).tolist() == [1]
    values, labels = values[1:], labels[1:]
    assert trained(values, labels, classifier="k-NN", seed=0)(near[:1]).tolist() == [2]


@pytest.mark.parametrize("classifier", ["DT", "RF"])
def test_a_seed_repeats_itself(classifier):
    rng = np.random.default_rng(6)
    values, labels = rng.normal(size=(200, 5)), rng.integers(0, 3, 200)
    tested = rng.normal(size=(500, 5))
    one, same, other = (trained(values, labels, classifier=classifier, seed=s)(tested) for s in (1, 1, 2))
    assert (one == same).all()
    assert classifier == "DT" or (one != other).any()


# --- refusals


def test_what_cannot_be_classified_is_refused():
    values, labels, groups, units = clusters()
    ways = {"classifier": "SVM", "seed": 0}
    with bad_argument(ValueError, "groups", by="classification"):
        leave_one_group_out_accuracy(values, labels, np.zeros_like(groups), units, **ways)
    with bad_argument(ValueError, "labels", by="classification"):
        leave_one_group_out_accuracy(values, np.zeros_like(labels), groups, units, **ways)
    with bad_argument(ValueError, "unit", by="classification"):
        leave_one_group_out_accuracy(values, labels, groups, groups, **ways)
    with bad_argument(ValueError, 179, 180, by="classification"):
        leave_one_group_out_accuracy(values[1:], labels, groups, units, **ways)
    with bad_argument(ValueError, [0], by="classification"):
        majority_vote(labels[:0], units[:0])
    with bad_argument(ValueError, "classifier", "XGB", *CLASSIFIERS, by="classification"):
        split_accuracy((values, labels), (values, labels), units, classifier="XGB", seed=0)


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    values, labels, _, _ = clusters()
    with refused(MachineError, "extra-missing") as caught:
        trained(values, labels, classifier="SVM", seed=0)
    assert "synthrelease[evaluate]" in caught.value.remedy
