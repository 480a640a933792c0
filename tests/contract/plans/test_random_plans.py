"""Whatever the options of a plan: what a release shows follows from noisy integers, and one person moves these as far as stated.

Mechanisms keep their contract each by itself (`tests/contract`); what broke lay where options meet. `scripts/audit plans` tries thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from auditing.planting import everywhere
from hypothesis import given
from hypothesis import strategies as st
from random_plans.draws import OfGenerator, OfHypothesis
from random_plans.observed import Observer
from random_plans.trial import tried
from tiers import few

from synthrelease.data import facts
from synthrelease.data.facts import read_facts
from synthrelease.mechanisms.collected import PersonRows, by_label

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow("whole builds")


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    with Observer() as closed:
        yield closed


@few
@given(data=st.data())
def test_neighbours_show_the_same_but_for_integers_as_far_apart_as_stated(
    observer: Observer, data: st.DataObject
) -> None:
    trial = tried(OfHypothesis(data), observer, neighbours=2)
    assert not trial.found, trial.plan.text


def test_random_plans_of_every_kind_are_built(observer: Observer) -> None:
    kinds: set[str] = set()
    for seed in (42, 49, 84):
        trial = tried(OfGenerator(seed), observer, neighbours=1)
        assert not trial.refused
        assert not trial.found, trial.plan.text
        kinds |= {output["kind"] for output in trial.plan.document["outputs"]}
    assert kinds == {"heatmap", "areas", "signals", "records", "statistics"}


# --- what it must find


@contextmanager
def _in_the_order_of_labels() -> Iterator[None]:
    """Everybody's own series leave as they were collected."""
    with patch.object(PersonRows, "shuffled", lambda self, random: by_label(self)):  # noqa: ARG005
        yield


@contextmanager
def _facts_of_the_rows_that_only_leaves() -> Iterator[None]:
    """Lists, lengths and assignment are those of the rows that `only` leaves, as it was."""

    def of_what_is_left(*given: Any, chosen: Any, **options: Any) -> Any:
        def kept_alone(table: Any, wanted: Sequence[str], *, empty_allowed: bool) -> Any:
            return pairs(chosen.kept(table)[0], wanted, empty_allowed=empty_allowed)

        pairs = facts._rows_of_pairs
        with patch.object(facts, "_rows_of_pairs", kept_alone):
            return read_facts(*given, chosen=chosen, **options)

    with everywhere(read_facts, of_what_is_left)():
        yield


@pytest.mark.parametrize(
    ("fault", "seeds"),
    [(_in_the_order_of_labels, (97, 115)), (_facts_of_the_rows_that_only_leaves, (25, 49, 114, 118))],
)
def test_what_has_been_wrong_is_found(fault: Any, seeds: tuple[int, ...], observer: Observer) -> None:
    for seed in seeds:
        assert not tried(OfGenerator(seed), observer, neighbours=3).found
        with fault():
            assert tried(OfGenerator(seed), observer, neighbours=3).found
