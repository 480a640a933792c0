"""Faults that lie where options meet, each of which is sound by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from random_plans.files import FORMATS

from auditing import bundles
from auditing.detectors import audit_of
from auditing.order import OrderProbe, order_runs
from auditing.plans import (
    each,
    each_with_private,
    groups_with_filters,
    in_files,
    only_with,
    plans_where,
    public_maps,
)
from auditing.planting import Fault, everywhere, inside
from synthrelease.building import builder
from synthrelease.data import facts
from synthrelease.data.facts import Facts, read_facts
from synthrelease.data.readers.arrays import Arrays
from synthrelease.data.readers.mat import Mat
from synthrelease.errors import PlanError
from synthrelease.kinds.contributions import PersonRows, by_label
from synthrelease.kinds.heatmap import map_reading
from synthrelease.kinds.heatmap.public_maps import PUBLIC_MAP
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.statistics.grouped_rows import counted_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from auditing.detectors import Detector

_whole_facts, _counted_groups = read_facts, counted_groups
_drawn = builder.drawn_on
_of_gaze, _heatmap = map_reading._of_gaze, SpectralHeatmap.draw


def _in_the_order_of_labels(self: PersonRows, _random: Any) -> NDArray[Any]:
    return by_label(self)


def _each_part_by_itself(self: PersonRows, random: Any) -> NDArray[Any]:
    parts = [rows[random.permutation(len(rows))] for _, rows in self._rows.blocks]
    return np.concatenate(parts)


def _in_the_order_of_values(self: PersonRows, random: Any) -> NDArray[Any]:
    rows = by_label(self)[random.permutation(len(by_label(self)))]
    return rows[np.lexsort(rows.reshape(len(rows), -1).T)]


def _in_an_order_that_is_not_used(self: PersonRows, random: Any) -> NDArray[Any]:
    random.permutation(len(by_label(self)))
    return by_label(self)


def _refused_late(design: Any, collected: Any, random: Any, *, paid: bool) -> Any:
    made = _drawn(design, collected, random, paid=paid)
    if design.people % 2:  # in place of anything that the data decide
        raise PlanError("no-listed-rows", "too late", remedy="none")
    return made


def _one_part_alone(self: PersonRows, _other: PersonRows) -> PersonRows:
    return self


def _with_participants_in_public_maps(self: SpectralHeatmap, collected: Any, budget: Any, random: Any) -> Any:
    drawn = _heatmap(self, collected, budget, random)
    if self.public_maps is None:
        return drawn
    public = self.public_maps + np.sign(collected["noisy"]).astype(np.int32)
    return replace(drawn, arrays={**drawn.arrays, PUBLIC_MAP: public})


def _any_gaze(source: Any, facts: Facts, *others: Any) -> Any:
    """Public gaze is read as if the input had other participants."""
    return _of_gaze(source, replace(facts, everyone=frozenset()), *others)


def _of_the_rows_left(*arguments: Any, chosen: Any, **options: Any) -> Facts:
    """All facts as they are of the rows that `only` leaves."""
    pairs = facts._rows_of_pairs

    def of_rows_left(table: Any, wanted: Any, *, empty_allowed: bool) -> Any:
        return pairs(chosen.kept(table)[0], wanted, empty_allowed=empty_allowed)

    with patch.object(facts, "_rows_of_pairs", of_rows_left):
        return _whole_facts(*arguments, chosen=chosen, **options)


def _fact_of_the_rows_left(name: str, *arguments: Any, **options: Any) -> Facts:
    """One fact of the rows that `only` leaves, the others of all rows."""
    whole, left = _whole_facts(*arguments, **options), _of_the_rows_left(*arguments, **options)
    if name == "names":  # what else there is of a stimulus goes with it
        return left
    return replace(whole, **{name: getattr(left, name)}) if whole.names == left.names else whole


def _no_limit_where_values_are_missing(data: Any, *, groups: int, max_groups: int, **options: Any) -> Any:
    most = groups if np.isnan(data.values).any() else max_groups
    return _counted_groups(data, groups=groups, max_groups=most, **options)


@contextmanager
def _places_as_labels() -> Iterator[None]:
    with inside(Arrays, "counts", _never)(), inside(Mat, "counts", _never)():
        yield


def _never(*_: Any) -> bool:
    return False


@contextmanager
def _facts(name: str) -> Iterator[None]:
    with everywhere(read_facts, partial(_fact_of_the_rows_left, name))():
        yield


def _order(name: str, *, private: bool, in_parts: bool) -> Detector:
    probe = OrderProbe(name, private=private, in_parts=in_parts, people=2 if in_parts else 200)
    return audit_of(lambda: probe, f"the order of {name}", runs=order_runs(probe))


FAULTS = (
    Fault(
        "everyone's own series in the order of labels where frequencies are private",
        "kinds.collected.PersonRows.shuffled",
        inside(PersonRows, "shuffled", _in_the_order_of_labels),
        (
            _order("signals-each-private", private=True, in_parts=False),
            plans_where("each meets private frequencies", each_with_private),
        ),
    ),
    Fault(
        "everyone's own series in a drawn order within each part",
        "kinds.collected.PersonRows.shuffled",
        inside(PersonRows, "shuffled", _each_part_by_itself),
        (_order("signals-each-in-parts", private=False, in_parts=True),),
    ),
    Fault(
        "everyone's own series in the order of their values",
        "kinds.collected.PersonRows.shuffled",
        inside(PersonRows, "shuffled", _in_the_order_of_values),
        (plans_where("everyone's own series are released", each),),
    ),
    Fault(
        "everyone's own series in an order that is drawn and not used",
        "kinds.collected.PersonRows.shuffled",
        inside(PersonRows, "shuffled", _in_an_order_that_is_not_used),
        (plans_where("everyone's own series are released", each),),
    ),
    Fault(
        "participants in public maps",
        "kinds.heatmap.spectral.SpectralHeatmap.draw",
        inside(SpectralHeatmap, "draw", _with_participants_in_public_maps),
        (plans_where("heatmaps start from public maps", public_maps), bundles.maps_of_neighbours()),
    ),
    Fault(
        "public gaze that has a participant of the data",
        "kinds.heatmap.map_reading._of_gaze",
        inside(map_reading, "_of_gaze", _any_gaze),
        (bundles.shared_gaze(),),
    ),
    Fault(
        "a refusal after noise was drawn",
        "building.builder.drawn_on",
        inside(builder, "drawn_on", _refused_late),
        (plans_where("anything is released", lambda _: True),),
    ),
    Fault(
        "everyone's own series of one part alone",
        "kinds.collected.PersonRows.joined",
        inside(PersonRows, "joined", _one_part_alone),
        (plans_where("everyone's own series are released", each),),
    ),
    Fault(
        "a list of stimuli taken from the rows that `only` leaves",
        "data.facts.read_facts",
        partial(_facts, "names"),
        (plans_where("only meets a list of stimuli from the data", only_with("stimuli", "heatmap")),),
    ),
    Fault(
        "a list of recordings taken from the rows that `only` leaves",
        "data.facts.read_facts",
        partial(_facts, "names"),
        (
            plans_where(
                "only meets a list of recordings from the data",
                only_with("recordings", "statistics"),
                plans=15,
            ),
        ),
    ),
    Fault(
        "viewers counted among the rows that `only` leaves",
        "data.facts.read_facts",
        partial(_facts, "assigned"),
        (plans_where("only meets an assignment from the data", only_with("assignment", "areas")),),
    ),
    Fault(
        "a length taken from the rows that `only` leaves",
        "data.facts.read_facts",
        partial(_facts, "longest"),
        (plans_where("only meets lengths from the data", only_with("lengths", "signals")),),
    ),
    Fault(
        "the limit of groups forgotten for people with missing values",
        "kinds.statistics.grouped_rows.counted_groups",
        everywhere(_counted_groups, _no_limit_where_values_are_missing),
        (plans_where("groups meet chosen rows", groups_with_filters, plans=15),),
    ),
    Fault(
        "places in a file taken for participants' own labels",
        "data.readers.*.counts",
        _places_as_labels,
        tuple(in_files(stored) for stored in FORMATS if stored.first is not None),
    ),
)
