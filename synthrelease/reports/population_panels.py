"""What of an output is shown as that of a population, by the quantities of its datasets: distributions, correlations, contrasts, numbers of features.

Quantities are in ASCII in a bundle; which of them are drawn how is here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from synthrelease.kinds.dataset import Role
from synthrelease.reports.exhibits import Exhibit, Plate, TableCell, TableExhibit
from synthrelease.reports.families import Family
from synthrelease.reports.population_plates import (
    Distribution,
    contrasts_table,
    correlations_plate,
    distributions_plate,
    signed,
)
from synthrelease.reports.views import OutputViews

ExhibitMaker = Callable[[], Exhibit]

_PROBABILITY, _CORRELATION, _DIFFERENCE = "probability", "correlation", "difference"
_OF_FEATURES = ("share", "correlation", "effect")  # what single numbers of features can be


class PopulationPanels:
    """The families of an output that are of a population.

    Attributes:
        of_distributions: of bins of each feature.
        of_correlations: of features by themselves.
        of_contrasts: differences between recordings, with intervals.
        of_features: a number for each feature.
        of_groups: a number for each feature in each recording.

    Args:
        views: of the output.
    """

    def __init__(self, views: OutputViews) -> None:
        self._views = views
        self.of_distributions = [family for family in views.tabular if _is_distribution(family)]
        self.of_correlations = [family for family in views.tabular if _is_correlation(family)]
        single = [family for family in views.tabular if len(family.axes) == family.values.items]
        self.of_contrasts = [family for family in single if _is_contrast(family)]
        plain = [family for family in single if _starts(family, *_OF_FEATURES)]
        self.of_features = [family for family in plain if len(family.axes) == 1]
        self.of_groups = [family for family in plain if len(family.axes) == 2]

    @property
    def families(self) -> list[Family]:
        """All of them."""
        return [
            *self.of_distributions,
            *self.of_correlations,
            *self.of_contrasts,
            *self.of_features,
            *self.of_groups,
        ]

    def contrasts(self) -> Iterator[ExhibitMaker]:
        """Yield a function for each table of contrasts: what tests rest on, so it stands first."""
        for family in self.of_contrasts:
            yield partial(self._contrasts_table, family)

    def plates(self) -> Iterator[ExhibitMaker]:
        """Yield a function for each plate."""
        for family in self.of_distributions:
            yield partial(self._distributions_plate, family)
        if self.of_correlations:
            yield self._correlations_plate

    def tables(self) -> Iterator[ExhibitMaker]:
        """Yield a function for each other table."""
        if self.of_features:
            yield self._features_table
        for family in self.of_groups:
            yield partial(self._groups_table, family)

    def _distributions_plate(self, family: Family) -> Plate:
        views, dataset = self._views, family.values
        coordinate = family.with_role(Role.COORDINATE)
        assert coordinate is not None
        values = views.released.array(views.name, dataset.path)
        edges = views.released.array(views.name, coordinate.path)
        names = [views.with_unit(label) for label in self._labels(family, 0)]
        distributions = [
            Distribution(name, np.append(ends[:, 0], ends[-1, 1]), probability)
            for name, ends, probability in zip(names, edges, values, strict=True)
        ]
        return distributions_plate(distributions, title="Distributions of features")

    def _correlations_plate(self) -> Plate:
        views = self._views
        matrices = {
            family.values.quantity: views.released.array(views.name, family.values.path)
            for family in self.of_correlations
        }
        return correlations_plate(
            matrices, self._names(self.of_correlations[0], 0), title="Correlations of features"
        )

    def _contrasts_table(self, family: Family) -> TableExhibit:
        views, interval = self._views, family.with_role(Role.INTERVAL)
        assert interval is not None
        values, intervals = (
            views.released.array(views.name, dataset.path) for dataset in (family.values, interval)
        )
        return contrasts_table(
            values,
            intervals,
            title=_capital(family.values.quantity),
            groups=self._labels(family, 0),
            names=self._names(family, 1),
        )

    def _features_table(self) -> TableExhibit:
        """A row for each feature, a column for each quantity."""
        views = self._views
        columns = [views.released.array(views.name, family.values.path) for family in self.of_features]
        rows = tuple(
            (name, tuple(TableCell(f"{float(column[f]):.2f}") for column in columns))
            for f, name in enumerate(self._names(self.of_features[0], 0))
        )
        head = ("feature", *(family.values.quantity for family in self.of_features))
        return TableExhibit("Within and between people", head, rows)

    def _groups_table(self, family: Family) -> TableExhibit:
        """A row for each feature, a column for each group."""
        values = self._views.released.array(self._views.name, family.values.path)
        rows = tuple(
            (name, tuple(TableCell(signed(float(value))) for value in column))
            for name, column in zip(self._names(family, 1), values.T, strict=True)
        )
        return TableExhibit(_capital(family.values.quantity), ("feature", *self._labels(family, 0)), rows)

    def _labels(self, family: Family, axis: int) -> list[str]:
        return [str(label) for label in family.axes[axis].coordinates]

    def _names(self, family: Family, axis: int) -> list[str]:
        return [self._views.shown_name(label) for label in self._labels(family, axis)]


def _starts(family: Family, *beginnings: str) -> bool:
    return family.values.quantity.startswith(beginnings)


def _is_distribution(family: Family) -> bool:
    """Whether it is of probabilities of bins, with nothing said of how sure they are."""
    has_bins, has_interval = (family.with_role(role) is not None for role in (Role.COORDINATE, Role.INTERVAL))
    return has_bins and not has_interval and _starts(family, _PROBABILITY)


def _is_correlation(family: Family) -> bool:
    """Whether it is a matrix of features by themselves."""
    axes = family.axes
    is_square = len(axes) == 2 and list(axes[0].coordinates) == list(axes[1].coordinates)
    return is_square and not family.values.items and _starts(family, _CORRELATION)


def _is_contrast(family: Family) -> bool:
    return (
        len(family.axes) == 2 and family.with_role(Role.INTERVAL) is not None and _starts(family, _DIFFERENCE)
    )


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
