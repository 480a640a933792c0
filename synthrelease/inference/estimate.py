"""What inference returns: an estimate, its interval, and what both rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.errors import ArgumentError, no_such
from synthrelease.exports.arrays import missing_library
from synthrelease.inference.contrast import Contrast
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.spread import Spread, joined, person_variance
from synthrelease.notebook import MOST_ROWS, CardTable, NotebookCard
from synthrelease.printable import short_repr

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]
LEVEL = 0.95


@dataclass(frozen=True)
class SampledPeople:
    """Whose values an estimate is of: of one release, all of them or those of a group in which no one else is."""

    release: str
    by: str | None = None  # the column of the groups
    group: str | None = None

    def are_others(self, other: SampledPeople) -> bool:
        """Return whether no one is among both: of two releases it is taken for granted."""
        if self.release != other.release:
            return True
        return self.group is not None and self.by == other.by and self.group != other.group


@dataclass(frozen=True, eq=False, repr=False)
class Estimate:
    """An estimate with its interval: a number, a curve or a map, by its coordinates.

    Attributes:
        name: what is estimated.
        coordinates: the axes' names and labels, such as `{"step": range(40)}`; empty for a number.
        level: of the intervals, such as 0.95.
        target: "population", whose sampling error is counted, or "participants".
        assumptions: what the interval rests on, in short sentences.
    """

    name: str
    coordinates: Mapping[str, Sequence[Any]]
    level: float
    target: str
    assumptions: tuple[str, ...]
    evidence: Quotient | Contrast = field(repr=False)
    people: tuple[SampledPeople, ...] = field(repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the coordinates: () for a number."""
        return tuple(map(len, self.coordinates.values()))

    @cached_property
    def estimate(self) -> Numbers:
        """The estimate in its unit: unbiased, not shrunk; a noisy quotient is kept within the public bounds."""
        return self._shaped(self.evidence.value)

    @cached_property
    def _ends(self) -> tuple[Numbers, Numbers]:
        low, high = self.evidence.ends(self.level)
        return self._shaped(low), self._shaped(high)

    @property
    def low(self) -> Numbers:
        """The lower end of the interval of each value by itself, in its unit."""
        return self._ends[0]

    @property
    def high(self) -> Numbers:
        """The upper end of the interval of each value by itself, in its unit."""
        return self._ends[1]

    @cached_property
    def _bands(self) -> tuple[Numbers, Numbers]:
        low, high = self.evidence.bands(self.level)
        return self._shaped(low), self._shaped(high)

    @property
    def band_low(self) -> Numbers:
        """The lower ends of bands that hold all values at once."""
        return self._bands[0]

    @property
    def band_high(self) -> Numbers:
        """The upper ends of bands that hold all values at once."""
        return self._bands[1]

    @cached_property
    def standard_error(self) -> Numbers:
        """Standard deviation of the error, noise and sampling, in the unit of the estimate; of a quotient to first order."""
        return self._shaped(self.evidence.errors.deviation)

    @cached_property
    def noise_covariance(self) -> Numbers:
        """Covariance of the privacy noise of all values, in their unit squared, shape (m, m), in the order of `to_pandas`; of a quotient to first order.

        For your own regression: of what sampling adds only the variance of each value is known, `standard_error**2 * (1 - noise_share)`.
        """
        return self.evidence.noise_covariance()

    @cached_property
    def noise_share(self) -> Numbers:
        """The part of the variance that is privacy noise, from 0 to 1."""
        variance = self.evidence.errors.deviation**2
        return self._shaped(self.evidence.noise / np.where(variance > 0, variance, 1.0))

    @cached_property
    def degrees_of_freedom(self) -> Numbers:
        """How well the variance is known (Satterthwaite): infinite if it is known exactly, as that of the noise is."""
        return self._shaped(self.evidence.errors.freedom)

    def p_value(self, value: float = 0.0) -> Numbers:
        """Return the two-sided p-value of the hypothesis that the exact value is `value`, in the unit of the estimate, of the estimate's shape."""
        return self._shaped(self.evidence.p_value(value))

    def at(self, **labels: Any) -> Estimate:
        """Return the estimate at labels of its axes: a number, or what the other axes leave.

        Args:
            labels: one for each axis that is to go, such as `step=12` or `area="face"`.

        Raises:
            KeyError: no such axis, or no such label.
        """
        index: list[Any] = [slice(None)] * len(self.coordinates)
        for name, label in labels.items():
            if name not in self.coordinates:
                raise no_such("axis", name, self.coordinates)
            places = [place for place, one in enumerate(self.coordinates[name]) if one == label]
            if not places:
                raise no_such(f"label of {name}", label, list(map(_shown, self.coordinates[name])))
            index[list(self.coordinates).index(name)] = places[0]
        numbers = np.arange(self.evidence.count).reshape(self.shape)[tuple(index)]
        kept = {name: axis for name, axis in self.coordinates.items() if name not in labels}
        chosen = ", ".join(f"{name} {label}" for name, label in labels.items())
        return replace(
            self,
            name=f"{self.name} at {chosen}",
            coordinates=kept,
            evidence=self.evidence.take(np.atleast_1d(numbers).ravel()),
        )

    def contrast(self, weights: ArrayLike, *, spread: Spread | str | None = None) -> Estimate:
        """Return a weighted sum of the values: the mean of a region, a slope (`numpy.linalg.pinv(design)[1]`), one half of a map against the other.

        Its noise is known exactly, with what the values' noises have in common. Weights that add up to 0 do not depend on a noisy number of participants.

        Args:
            weights: one for each value, of the estimate's shape, dimensionless.
            spread: the standard deviation between participants of their own weighted sum, as a `Spread`, or "bound"; not needed of participants.

        Raises:
            ArgumentError: weights of another shape, no spread, or an estimate that is a difference: take contrasts first.
        """
        factors = np.asarray(weights, dtype=np.float64)
        if not isinstance(self.evidence, Quotient):
            raise ArgumentError(
                "contrast-of-difference",
                "there are no contrasts of a difference",
                where=self.name,
                expected="an estimate of one release",
                remedy="take the contrast of each estimate, and then their difference",
            )
        if factors.shape != self.shape or not np.isfinite(factors).all():
            raise ArgumentError(
                "bad-weights",
                "weights need the shape of the estimate, and are finite",
                where="contrast().weights",
                found=str(factors.shape),
                expected=str(self.shape),
                remedy="give one weight for each value",
            )
        quotient = self.evidence.combined(factors.ravel())
        variance = person_variance(spread, self.target, limits=quotient.limits)
        kept = set(self.assumptions) - set(self.evidence.variance.assumptions)
        return replace(
            self,
            name=f"contrast of {self.name}",
            coordinates={},
            assumptions=joined([[one for one in self.assumptions if one in kept], variance.assumptions]),
            evidence=replace(quotient, variance=variance),
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with a row for each value: its coordinates, estimate, low, high, bands, standard error, share of noise, degrees of freedom.

        Raises:
            MachineError: pandas is missing.
        """
        try:
            import pandas as frames  # noqa: ICN001, PLC0415  an extra
        except ImportError:
            raise missing_library("pandas") from None

        columns: dict[str, Any] = {}
        for place, (name, labels) in enumerate(self.coordinates.items()):
            numbers = np.indices(self.shape)[place].ravel()
            columns[name] = [labels[number] for number in numbers]
        fields = (
            "estimate",
            "low",
            "high",
            "band_low",
            "band_high",
            "standard_error",
            "noise_share",
            "degrees_of_freedom",
        )
        columns |= {name: np.atleast_1d(getattr(self, name)).ravel() for name in fields}
        frame = frames.DataFrame(columns)
        frame.attrs = {
            "name": self.name,
            "level": self.level,
            "target": self.target,
            "assumptions": list(self.assumptions),
        }
        return frame

    def __float__(self) -> float:
        """Return the estimate of a number; TypeError of a curve or map."""
        return float(self.estimate)

    def __repr__(self) -> str:
        return short_repr(self, f"{self.name}: {self._summary()}")

    def __str__(self) -> str:
        head = f"{self.name} ({100 * self.level:g} %, {self.target}): {self._summary()}"
        if self.shape:
            head += "; to_pandas() lists them"
        return "\n".join([head, *(f"  assumes: {sentence}" for sentence in self.assumptions)])

    def _summary(self) -> str:
        if self.shape:
            return ", ".join(f"{len(labels)} {name}" for name, labels in self.coordinates.items())
        share = 100 * float(self.noise_share)
        ends = f"{float(self.estimate):.4g} [{float(self.low):.4g}, {float(self.high):.4g}]"
        return f"{ends}, {share:.0f} % of the variance is noise"

    def _repr_html_(self) -> str:
        title, badge = self.name, f"{100 * self.level:g} %, {self.target}"
        if self.estimate.size > MOST_ROWS:  # a map may have thousands
            sentences = (f"{self._summary()}; to_pandas() lists them", *self.assumptions)
            return NotebookCard("Estimate", title, badge, sentences=sentences).html
        rows = tuple(
            (
                *(
                    _shown(labels[place])
                    for place, labels in zip(index, self.coordinates.values(), strict=True)
                ),
                *(f"{float(values[index]):.4g}" for values in (self.estimate, self.low, self.high)),
            )
            for index in np.ndindex(self.shape)
        )
        table = CardTable((*self.coordinates, "estimate", "low", "high"), rows)
        return NotebookCard("Estimate", title, badge, sentences=self.assumptions, table=table).html

    def _shaped(self, values: Numbers) -> Numbers:
        return np.asarray(values, dtype=np.float64).reshape(self.shape)


def _shown(label: Any) -> str:
    """A label as a person writes it: no type of NumPy."""
    return f"{label:g}" if isinstance(label, float) else str(label)


def checked_level(level: float) -> float:
    """Return the level of an interval.

    Raises:
        ArgumentError: it is no probability.
    """
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise ArgumentError(
            "bad-level",
            "there is no such level",
            where="level",
            expected="above 0 and below 1, such as 0.95",
            remedy="write level=0.95 for 95 %",
        )
    return float(level)
