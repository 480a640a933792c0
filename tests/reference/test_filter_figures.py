"""The figures of docs/explanation/accounting.md."""

from __future__ import annotations

import math

import pytest
from spending import gaussian, laplace

from synthrelease.dp import accounting
from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.dp.filter import Filter, FilterSums
from synthrelease.dp.guarantee import Neighbours

EPSILON, DELTA = 1.0, 1e-6
FIFTIETH = gaussian(0.99999 / gaussian_sigma(EPSILON, DELTA, sensitivity=1.0) / math.sqrt(50))


def exact(events):
    return accounting.epsilon_at(events, delta=DELTA, neighbours=Neighbours.REPLACE_ONE)


def fits(read):
    """Return the largest n for which n releases read no more than ε."""
    n = 0
    while read(n + 1) <= EPSILON:
        n += 1
    return n


def by_filter(first, release, others=()):
    """ε of n releases, and of those that are there already: by the filter of the first."""
    rule, sums = Filter.of(first, epsilon=EPSILON, delta=DELTA), FilterSums()
    for other in others:
        sums += rule.sums(other, delta=DELTA)
    one = rule.sums(release, delta=DELTA)

    def read(n):
        total = sums
        for _ in range(n):
            total += one
        return rule.epsilon(total, delta=DELTA, budget=EPSILON)

    return read


TENTH, BOTH = [laplace(0.1)], [FIFTIETH, laplace(0.02)]
ROWS = {
    "gaussian": (by_filter([FIFTIETH], [FIFTIETH]), 49),
    "laplace": (by_filter([laplace(0.02)], [laplace(0.02)]), 125),
    "both in each": (by_filter(BOTH, BOTH), 32),
    "laplace first": (by_filter(TENTH, [FIFTIETH], [TENTH]), 37),
    "gaussian first": (by_filter([FIFTIETH], [FIFTIETH], [TENTH]), 31),
}


@pytest.mark.parametrize("row", ROWS)
def test_so_many_releases_fit_one_after_the_other(row):
    read, number = ROWS[row]
    assert fits(read) == number


def test_so_many_would_fit_if_they_had_been_fixed_beforehand():
    assert exact([FIFTIETH] * 50) <= EPSILON < exact([FIFTIETH] * 51)
    assert exact(BOTH * 37) <= EPSILON < exact(BOTH * 38)
    assert exact([*TENTH, *[FIFTIETH] * 43]) <= EPSILON < exact([*TENTH, *[FIFTIETH] * 44])


def test_so_many_fit_if_each_is_added_up():
    assert fits(lambda n: n * exact([FIFTIETH])) == 8
    assert fits(lambda n: n * exact(BOTH)) == 7
    assert fits(lambda n: exact(TENTH) + n * exact([FIFTIETH])) == 7


def test_what_is_spent_jumps_when_other_noise_joins():
    spent = [by_filter(TENTH, [gaussian(0.05)], [TENTH])(n) for n in range(3)]
    assert [round(one, 2) for one in spent] == [0.1, 0.54, 0.57]
    wide = Filter.of(TENTH, epsilon=50.0, delta=DELTA)
    sums = sum((wide.sums([gaussian(0.05)], delta=DELTA) for _ in range(2)), wide.sums(TENTH, delta=DELTA))
    assert round(wide.epsilon(sums, delta=DELTA), 1) == 15.5
