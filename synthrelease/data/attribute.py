"""An attribute of records: a column as numbered categories, all of them public, and the way back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.field_schema import LABEL, Label, described
from synthrelease.numerics.binning import bin_numbers, equal_width_edges, public_fractions, spread_within
from synthrelease.units import Quantity

_BLOCK = 1 << 14  # rows


@dataclass(frozen=True)
class Attribute(Quantity):
    """The categories of a column: equal-width bins between public bounds, or listed labels.

    Raises:
        ValueError: labels that are not the categories, or bins without bounds.
    """

    name: Label  # of the column
    # how many there are, the one for missing values included
    categories: Annotated[int, {"minimum": 1, "maximum": 1000000}]
    # what each category is called; None for bins
    labels: Annotated[
        tuple[Label, ...] | None,
        described("Of the categories, without the one for missing values.", maxItems=1000000),
    ] = None
    low: float | None = None  # lower bound, in the column's unit; None for labels
    high: float | None = None  # upper bound
    # whether the last category stands for a missing value
    missing: Annotated[bool, described("Whether the last category stands for a missing value.")] = False
    # of the values, and what people call the column, if the plan says so
    unit: Annotated[str | None, LABEL] = None
    title: Annotated[str | None, LABEL] = None

    def __post_init__(self) -> None:
        count = self.categories - self.missing
        if self.labels is not None and not (
            len(self.labels) == count and self.low is None and self.high is None
        ):
            raise ValueError(f"Expected {count} labels and no bounds for attribute {self.name!r}")
        if self.labels is None and not (
            count >= 1 and self.low is not None and self.high is not None and self.low < self.high
        ):
            raise ValueError(f"Expected bins between two bounds for attribute {self.name!r}")

    @property
    def number_type(self) -> np.dtype[np.signedinteger[Any]]:
        """The smallest type of integers that holds the categories: there may be many records."""
        return np.min_scalar_type(-self.categories)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The edges of the bins."""
        assert self.low is not None
        assert self.high is not None
        return equal_width_edges(self.low, self.high, self.categories - self.missing)

    def encoded(self, column: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.signedinteger[Any]]:
        """Return the category of each row, of `number_type`, −1 where a value is missing and has no category.

        Args:
            column: values, NaN where missing; or numbers of labels, −1 where missing. Shape (N,).
        """
        if self.labels is None:
            present = ~np.isnan(column)
            category = bin_numbers(column.astype(np.float64), self.edges)
        else:
            present, category = column >= 0, column.astype(np.int64)
        return np.where(present, category, self.categories - 1 if self.missing else -1).astype(
            self.number_type
        )

    def values(self, categories: NDArray[np.integer], *, first: int = 0) -> NDArray[np.float64]:
        """Return values in the bins of `categories`, at public fractions of their width; NaN for a missing one.

        Args:
            categories: of rows `first`, `first` + 1, …; shape (N,).
            first: number of the first row.
        """
        bins, edges = self.categories - self.missing, self.edges
        out = public_fractions(self.name, len(categories), first=first)
        for start in range(0, len(categories), _BLOCK):  # by blocks that the processor's cache holds
            block, inside = categories[start : start + _BLOCK], out[start : start + _BLOCK]
            bin_number = np.minimum(block, bins - 1)
            inside[:] = np.where(block < bins, spread_within(bin_number, edges, inside), np.nan)
        return out

    def to_json(self) -> dict[str, Any]:
        """Return the manifest's form."""
        return {**asdict(self), "labels": None if self.labels is None else list(self.labels)}

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Attribute:
        """Read the manifest's form."""
        return cls(**{**form, "labels": None if form["labels"] is None else tuple(form["labels"])})
