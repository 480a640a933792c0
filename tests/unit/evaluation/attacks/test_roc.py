"""Rates of true and false positives, by hand and against brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import bad_argument
from sklearn.metrics import roc_auc_score

from synthrelease.evaluation.attacks.roc import (
    area_under_curve,
    at_false_positive_rate,
    balanced_accuracy,
    randomized_tpr,
)


def test_area_by_hand():
    assert area_under_curve(np.array([2.0, 3.0]), np.array([1.0, 3.0])) == pytest.approx(
        (1 + 0 + 1 + 0.5) / 4
    )
    assert area_under_curve(np.array([1.0]), np.array([1.0])) == 0.5
    assert area_under_curve(np.array([5.0, 6]), np.array([1.0, 2, 3])) == 1.0


def test_area_is_the_library_s():
    rng = np.random.default_rng(0)
    for _ in range(20):
        inside, outside = rng.integers(0, 6, 13).astype(float), rng.integers(0, 5, 9).astype(float)
        labels = np.repeat([1, 0], [13, 9])
        assert area_under_curve(inside, outside) == pytest.approx(
            roc_auc_score(labels, np.concatenate([inside, outside]))
        )


def test_thresholds_by_hand():
    """Of 100 non-members 0 … 99, 1 % is one above 98, 10 % ten above 89; of 99 1 % is none."""
    outside = np.arange(100.0)
    inside = np.array([97.0, 98.0, 98.5, 99.5])
    assert at_false_positive_rate(inside, outside, 0.01) == (98.0, 0.5, 0.01)
    assert at_false_positive_rate(inside, outside, 0.1) == (89.0, 1.0, 0.1)
    assert at_false_positive_rate(inside, outside[:99], 0.01) == (98.0, 0.5, 0.0)
    assert at_false_positive_rate(inside, outside, 0.0) == (99.0, 0.25, 0.0)


def test_the_false_positive_rate_is_never_above_what_was_asked_for():
    rng = np.random.default_rng(1)
    for _ in range(200):
        outside = rng.integers(0, 8, rng.integers(1, 40)).astype(float)
        inside = rng.integers(0, 8, 10).astype(float)
        rate = rng.random() * 0.99
        found = at_false_positive_rate(inside, outside, rate)
        assert found.fpr <= rate + 1e-9
        better = [t for t in [-1.0, *np.unique(outside)] if t < found.threshold]
        assert all((outside > t).mean() > rate for t in better)  # the least such threshold
        assert found.tpr == (inside > found.threshold).mean()


def test_balanced_accuracy_by_hand():
    scores, members = np.array([1.0, 2, 3, 2, 0]), np.array([True, True, True, False, False])
    assert balanced_accuracy(scores, members, 1.5) == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert balanced_accuracy(scores, members, 2.0) == pytest.approx((1.5 / 3 + 1.5 / 2) / 2)
    assert balanced_accuracy(np.zeros(5), members, 0.0) == 0.5


@pytest.mark.parametrize("rate", [-0.1, 1.0, math.nan])
def test_a_rate_that_is_none_is_refused(rate):
    with bad_argument(ValueError, "fpr", rate, by="roc"):
        at_false_positive_rate(np.ones(2), np.ones(2), rate)


def test_who_is_at_the_threshold_is_called_by_lot():
    inside, outside = np.array([1, 1, 1, 0.0]), np.array([1, 0, 0, 0.0])
    assert randomized_tpr(inside, outside, 0.25) == pytest.approx(0.75)
    assert randomized_tpr(inside, outside, 0.1) == pytest.approx(0.3)
    assert randomized_tpr(inside, outside, 0.5) == pytest.approx(0.75 + 0.25 / 3)
    assert randomized_tpr(np.ones(4), np.ones(4), 0.2) == pytest.approx(0.2)
    for wrong in (0.0, 1.0, -1.0):
        with bad_argument(ValueError, "fpr", wrong, by="roc"):
            randomized_tpr(inside, outside, wrong)


def test_without_ties_it_is_the_threshold():
    generator = np.random.default_rng(4)
    inside, outside = generator.normal(1, 1, 500), generator.normal(0, 1, 500)
    for rate in (0.01, 0.1, 0.5):
        below, above = (at_false_positive_rate(inside, outside, r).tpr for r in (rate - 0.002, rate))
        assert below <= randomized_tpr(inside, outside, rate) <= above + 0.002
