"""Statistics: the datasets of one of them, and how its values follow from integers and choices (`statistics.proof.md`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from synthrelease.dp.error_bounds import reach
from synthrelease.dp.event import Event, Noise, PrivateChoice, flatten
from synthrelease.dp.guarantee import Neighbours
from synthrelease.files.labels import quoted
from synthrelease.kinds.dataset import EXACT, INTEGERS, Array, Axis, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.statistics import noisy
from synthrelease.kinds.statistics.quantile_errors import distance
from synthrelease.numerics.binning import equal_width_edges
from synthrelease.numerics.statistics import (
    COUNT,
    HISTOGRAM,
    PERSON_STEPS,
    VARIANCE,
    StatisticUnit,
    fraction,
    quantile_value,
)

if TYPE_CHECKING:
    from synthrelease.kinds.statistics.public import StatisticsParameters


@dataclass(frozen=True)
class StatisticDatasets:
    """The datasets of one statistic."""

    parameters: StatisticsParameters
    name: str
    places: tuple[Axis, ...]
    noise: Noise | None  # without it something else is wrong, and is found elsewhere
    event: Event

    def noisy(self) -> Iterator[Dataset]:
        """Yield the integers, the edges of a histogram's bins, the values and their intervals."""
        p, name = self.parameters, self.name
        integers = Axis("integer", range(p.size(name)), path=f"{name}/integer")
        yield self._dataset("noisy", Role.NOISY, [integers], "noisy sums in grid units", types=INTEGERS)
        bins = [Axis("bin", range(p.bins), words="Number of the bin, from 0.")] if name == HISTOGRAM else []
        bound = Axis("bound", ["lower", "upper"], is_columns=True)
        if name == HISTOGRAM:
            edges = "edge of the bin in the unit of the feature; only the last bin holds its upper one"
            axes = [*bins, bound]
            yield self._dataset("edge", Role.COORDINATE, axes, edges, types=EXACT, derive=self._edges)
        ends = "end of the interval that holds the value without noise in 95 of 100 releases"
        for dataset, role, axes, quantity, derive in (
            ("value", Role.ESTIMATE, bins, self._quantity, self._value),
            ("interval", Role.INTERVAL, [*bins, bound], ends, self._interval),
        ):
            sources = (DerivedFrom(f"{name}/noisy"),)
            yield self._dataset(dataset, role, axes, quantity, sources=sources, derive=derive)

    def chosen(self) -> Iterator[Dataset]:
        """Yield the choices of a quantile, its values, and their intervals if there are any."""
        steps = self.parameters.quantile_steps
        number = "number of the chosen interval"
        yield self._dataset("chosen", Role.CHOICE, [], number, types=INTEGERS[:1], most=steps - 1)
        sources = (DerivedFrom(f"{quoted(self.name)}/chosen"),)
        yield self._dataset("value", Role.ESTIMATE, [], self._quantity, sources=sources, derive=self._middle)
        if self.parameters.quantile_intervals:
            counts = () if self.parameters.counts_people else (DerivedFrom(f"{COUNT}/noisy"),)
            bound = Axis("bound", ["lower", "upper"], is_columns=True)
            ends = "end of the interval that holds the exact value in 95 of 100 releases, if the data are like one of the public shapes"
            yield self._dataset(
                "interval", Role.INTERVAL, [bound], ends, sources=(*sources, *counts), derive=self._around
            )

    @property
    def _quantity(self) -> str:
        p = self.parameters
        if self.name == HISTOGRAM:
            return "number of participants" if p.has_quotients else "proportion of participants"
        if self.name == COUNT:
            return "number of participants"
        return f"{self.name} over participants, in {'the square of ' * (self.name == VARIANCE)}the unit of the feature"

    def _dataset(self, dataset: str, role: Role, axes: list[Axis], quantity: str, **declared: Any) -> Dataset:
        path = f"{quoted(self.name)}/{dataset}"
        all_axes = (*self.places, *axes)
        return Dataset(path, all_axes, role, quantity=quantity, items=len(self.places), **declared)

    def _edges(self, index: Index) -> Array:
        edges = equal_width_edges(*self._unit(index).bounds, self.parameters.bins)
        return np.stack([edges[:-1], edges[1:]], axis=1)

    def _unit(self, index: Index) -> StatisticUnit:
        number = index[-1]
        assert isinstance(number, int)
        return self.parameters.unit(self.parameters.features[number])

    def _value(self, index: Index, integers: Array) -> Array:
        values = noisy.value(self.name, integers, self._unit(index))
        return values if self.name == HISTOGRAM else values[0]

    def _interval(self, index: Index, integers: Array) -> Array:
        unit = self._unit(index)
        far = 0 if self.noise is None else reach(self.noise, together=noisy.together(self.name, unit))
        ends = noisy.interval(self.name, integers, unit, reach=far)
        return ends if self.name == HISTOGRAM else ends[0]

    def _around(self, index: Index, chosen: Array, *counts: Array) -> Array:
        p, (low, high) = self.parameters, self._unit(index).bounds
        people = float(p.people or 1) if p.counts_people else max(float(counts[0][0]) / PERSON_STEPS, 1.0)
        far = (high - low) * distance(
            fraction(self.name), people=people, rate=self._rate, steps=p.quantile_steps
        )
        middle = float(self._middle(index, chosen))
        return np.array([max(low, middle - far), min(high, middle + far)])

    @property
    def _rate(self) -> float:
        """ε/(2Δ) of the choice; the relation is not among the parameters, and Δ is largest for replace-one."""
        epsilon = min(
            (leaf.epsilon for leaf in flatten(self.event) if isinstance(leaf, PrivateChoice)), default=1.0
        )
        sensitivity = self.parameters.quantile_sensitivity(self.name, Neighbours.REPLACE_ONE)
        return epsilon / (2 * sensitivity)

    def _middle(self, index: Index, chosen: Array) -> Array:
        return quantile_value(np.asarray(chosen), self._unit(index).bounds, self.parameters.quantile_steps)
