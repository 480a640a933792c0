"""Which datasets of an output belong into one table: values with what belongs to them, and likewise those of further parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from synthrelease.kinds.dataset import Axis, Dataset, Role

_VALUES = (Role.ESTIMATE, Role.NORMALIZATION)
_BESIDE = (Role.UNCERTAINTY, Role.INTERVAL, Role.COORDINATE)


@dataclass(frozen=True)
class Family:
    """Values, and datasets that are shown in columns next to them: their axes are among those of the values, but for axes of columns."""

    part: str  # the first step of the paths, such as "mean"; "" if there is one step only
    values: Dataset
    beside: tuple[Dataset, ...] = ()

    @property
    def datasets(self) -> tuple[Dataset, ...]:
        """Coordinates, the values, and what belongs to those."""
        coordinates = [dataset for dataset in self.beside if dataset.role is Role.COORDINATE]
        further = [dataset for dataset in self.beside if dataset.role is not Role.COORDINATE]
        return (*coordinates, self.values, *further)

    def with_role(self, role: Role) -> Dataset | None:
        """Return the dataset of a role next to the values; None if there is none."""
        return next((dataset for dataset in self.beside if dataset.role is role), None)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes of rows."""
        return tuple(axis for axis in self.values.axes if not axis.is_columns)


@dataclass(frozen=True)
class Families:
    """How an output's datasets are shown."""

    of_values: list[Family] = field(default_factory=list)
    records: list[Dataset] = field(default_factory=list)
    tables: list[Family] = field(default_factory=list)  # of records that have several rows each
    counts: list[Dataset] = field(default_factory=list)  # noisy integers that no other dataset follows from


def families_of(declared: Iterable[Dataset]) -> Families:
    """Return how an output's datasets are shown; noisy integers and choices are not, if anything follows from them."""
    datasets = list(declared)
    sources = {source.path for dataset in datasets for source in dataset.sources}
    shown = Families()
    for dataset in datasets:
        if dataset.role is Role.RECORD and len(dataset.axes) > 1:
            shown.tables.append(Family("", dataset))
        elif dataset.role is Role.RECORD:
            shown.records.append(dataset)
        elif dataset.role is Role.NOISY and dataset.path not in sources:
            shown.counts.append(dataset)
        elif dataset.role in _VALUES:
            shown.of_values.append(_family(dataset, datasets))
    return shown


def _family(values: Dataset, datasets: Sequence[Dataset]) -> Family:
    part, _, _ = values.path.rpartition("/")
    axes = {axis.name for axis in values.axes}
    if values.role is Role.NORMALIZATION:
        return Family(unquote(part), values)
    beside = tuple(
        dataset
        for dataset in datasets
        if dataset.role in _BESIDE
        and dataset.path.rpartition("/")[0] == part
        and {axis.name for axis in dataset.axes if not axis.is_columns} <= axes
    )
    return Family(unquote(part), values, beside)


def dataset_name(dataset: Dataset) -> str:
    """Return what a dataset is called in columns and titles: the last step of its path."""
    return unquote(dataset.path.rpartition("/")[2])
