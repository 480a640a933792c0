"""What a dataset of an output must be: its type and shape, known before a value is read, and what its values follow from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.maths.stored import is_stored_form

_NOISED = (np.dtype(np.int32), np.dtype(np.int64))

Sources = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Content:
    """A dataset that an output must have.

    Attributes:
        path: of the dataset.
        shape: of the dataset.
        by_rows: whether each row can be judged by itself, with the same rows of what it follows from.
        needed: the datasets that its values follow from.
    """

    path: str
    shape: tuple[int, ...]
    _: KW_ONLY
    by_rows: bool = False
    needed: tuple[str, ...] = ()

    @property
    def types(self) -> tuple[np.dtype[Any], ...]:
        """Those that its values may have."""
        raise NotImplementedError

    def form_fault(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> str | None:
        """Return what is wrong with type and shape, if anything: before a value is read."""
        if dtype in self.types and shape == self.shape:
            return None
        return f"expected {' or '.join(map(str, self.types))} of shape {self.shape}"

    def fault(self, rows: NDArray[Any], start: int, sources: Sources) -> str | None:
        """Return what is wrong with values, if anything.

        Args:
            rows: all of them, or if `by_rows` some.
            start: number of the first.
            sources: what they follow from, by path: all rows, or the same ones.
        """
        return self._fault(rows, start, sources)

    def _fault(self, rows: NDArray[Any], start: int, sources: Sources) -> str | None:
        raise NotImplementedError


@dataclass(frozen=True)
class Noised(Content):
    """Integers that carry noise; `tell` hears of them if they are as they should be."""

    tell: Callable[[NDArray[Any]], None] | None = None
    types = _NOISED

    def _fault(self, rows: NDArray[Any], _start: int, _sources: Sources) -> None:
        if self.tell is not None:
            self.tell(rows)


@dataclass(frozen=True)
class Derived(Content):
    """Floating-point values that follow from noised datasets, or from values that do.

    Attributes:
        function: of the datasets needed.
        care: relative to the largest value: what 64-bit arithmetic may differ between machines.
    """

    function: Callable[..., NDArray[np.float64]]
    care: float = 1e-12
    types = (np.dtype(np.float32),)

    def _fault(self, rows: NDArray[Any], _start: int, sources: Sources) -> str | None:
        exact = self.function(*(sources[path] for path in self.needed))
        if is_stored_form(rows, exact, care=self.care, by_rows=self.by_rows):
            return None
        return "the values do not follow from the noised integers"


@dataclass(frozen=True)
class Unprotected(Content):
    """Values that protect nobody, and follow from nothing that is in the file."""

    types = (np.dtype(np.float32),)

    def _fault(self, rows: NDArray[Any], _start: int, _sources: Sources) -> str | None:
        return None if np.isfinite(rows).all() else "expected finite values"


@dataclass(frozen=True)
class Categories(Content):
    """Category numbers of synthetic records."""

    attribute: Attribute

    @property
    def types(self) -> tuple[np.dtype[Any], ...]:
        """The smallest integers that hold the attribute's categories."""
        return (self.attribute.number_type,)

    def _fault(self, rows: NDArray[Any], _start: int, _sources: Sources) -> str | None:
        if ((rows < 0) | (rows >= self.attribute.categories)).any():
            return f"expected categories from 0 to {self.attribute.categories - 1}"
        return None


@dataclass(frozen=True)
class Binned(Content):
    """Values of synthetic records: in the bin of their category, at public fractions of its width."""

    attribute: Attribute
    types = (np.dtype(np.float64),)

    def _fault(self, rows: NDArray[Any], start: int, sources: Sources) -> str | None:
        exact = self.attribute.values(sources[self.needed[0]], first=start)
        # Bit for bit: a NaN has room in it.
        if np.array_equal(rows.view(np.uint64), exact.view(np.uint64)):
            return None
        return "a value is not where the bin of its category and the public fractions put it"


@dataclass(frozen=True)
class Chosen(Content):
    """The number of a candidate that was chosen privately."""

    candidates: int
    types = (np.dtype(np.int32),)

    def _fault(self, rows: NDArray[Any], _start: int, _sources: Sources) -> str | None:
        if ((rows < 0) | (rows >= self.candidates)).any():
            return f"expected a candidate from 0 to {self.candidates - 1}"
        return None
