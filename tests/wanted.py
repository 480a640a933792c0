"""What a mechanism is wanted to do, in as few words as tests change: numbers of stimuli, features and recordings instead of their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import made

from synthrelease.data.areas import PlacedAreas as DrawnAreas
from synthrelease.data.attribute import Attribute
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.kinds.areas.mechanism import AreaShares
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.kinds.statistics.fixations import FixationStatistics
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism as OfStatistics
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.numerics.spectral_signals import SpectralSignalForm


class Wanted:
    """The root of them."""

    neighbours: Neighbours
    people: int | None

    @property
    def mechanism(self) -> Mechanism[Any]:
        raise NotImplementedError

    @property
    def parameters(self) -> Any:
        """The public parameters."""
        return self.mechanism.parameters

    def sensitivity(self) -> Sensitivity:
        return self.parameters.sensitivity(self.neighbours)  # type: ignore[no-any-return]


def images(number: int) -> tuple[str, ...]:
    return tuple(f"image {s}" for s in range(number))


def recordings(number: int) -> tuple[str, ...]:
    return tuple(f"recording {r}" for r in range(number))


@dataclass(frozen=True)
class Cells(Wanted):
    stimuli: int
    rows: int
    columns: int
    cap: int
    max_samples: int | None
    max_stimuli: int
    assignment_public: bool
    neighbours: Neighbours
    noise: str
    calibration: str
    blur_px: float
    people: int | None
    screen: Any = None
    caps: tuple[int, ...] | None = None
    cap_share: float | None = None

    @property
    def mechanism(self) -> CellHeatmap:
        return made.cells(**{**vars(self), "stimuli": images(self.stimuli)})


@dataclass(frozen=True)
class Spectral(Wanted):
    stimuli: int
    form: SpectralForm
    joint: bool
    max_stimuli: int
    viewers: tuple[int, ...] | None
    assignment_public: bool
    weight: str
    window: tuple[float, float] | None
    neighbours: Neighbours
    people: int | None

    @property
    def mechanism(self) -> SpectralHeatmap:
        return made.spectral(**{**vars(self), "stimuli": images(self.stimuli)})


@dataclass(frozen=True)
class Areas(Wanted):
    areas: DrawnAreas
    stimuli: int
    transitions: bool
    weight: str
    noise: str
    max_stimuli: int
    viewers: tuple[int, ...] | None
    assignment_public: bool
    neighbours: Neighbours
    people: int | None

    @property
    def mechanism(self) -> AreaShares:
        return made.areas(**{**vars(self), "stimuli": images(self.stimuli)})


@dataclass(frozen=True)
class Signals(Wanted):
    form: SignalForm
    noise: str
    query: str
    features: int
    recordings: int
    neighbours: Neighbours
    people: int
    completion: str = "hold"
    bounds: tuple[tuple[float, float], ...] | None = None
    candidates: tuple[int, ...] | None = None
    choice_share: float | None = None

    @property
    def mechanism(self) -> CoefficientSignals:
        return made.signals(**{**vars(self), "recordings": recordings(self.recordings)}, names="feature {}")

    @property
    def radii(self) -> tuple[int, ...]:
        return tuple(part.radius for part in self.form.parts)


@dataclass(frozen=True)
class OfSpectralSignals(Wanted):
    form: SpectralSignalForm
    features: int
    recordings: int
    neighbours: Neighbours
    people: int
    completion: str = "hold"
    bounds: tuple[tuple[float, float], ...] | None = None

    @property
    def mechanism(self) -> SpectralSignals:
        return made.spectral_signals(
            **{**vars(self), "recordings": recordings(self.recordings)}, names="feature {}"
        )


@dataclass(frozen=True)
class Statistics(Wanted):
    statistics: tuple[str, ...]
    bounds: tuple[tuple[float, float], ...]
    bins: int
    neighbours: Neighbours
    people: int | None
    noise: str = "laplace"
    by: str | None = None
    groups: tuple[str, ...] = ()
    max_groups: int = 1
    quantile_steps: int = 256
    quantile_share: float | None = None
    everyone: bool = False

    @property
    def mechanism(self) -> OfStatistics:
        return made.statistics(**vars(self), names="feature {}")

    @property
    def features(self) -> int:
        return len(self.bounds)

    @property
    def noisy(self) -> tuple[str, ...]:
        return tuple(self.parameters.noisy)

    def size(self, name: str) -> int:
        return int(self.parameters.size(name))


@dataclass(frozen=True)
class Fixations(Wanted):
    statistics: tuple[str, ...]
    measures: dict[str, tuple[float, float]]
    stimuli: int
    by: bool
    max_stimuli: int
    areas: DrawnAreas | None
    bins: int
    everyone: bool
    neighbours: Neighbours
    people: int | None
    noise: str
    assignment_public: bool = False

    @property
    def mechanism(self) -> FixationStatistics:
        return made.fixations(**{**vars(self), "stimuli": images(self.stimuli)})


@dataclass(frozen=True)
class Records(Wanted):
    """Synthetic records as a plan asks for them."""

    model: str
    fit: str
    attributes: tuple[Attribute, ...]
    order: tuple[int, ...]
    resampled: tuple[int, ...]
    k: int
    gamma: float
    counted: str
    rows: int
    trials: int
    neighbours: Neighbours
    people: int
    noise: str = "laplace"
    dependence: str = "independent"
    task: bool = False
    per_task: bool = False
    threshold: str = "fixed"
    epsilon0: float | None = None
    copies: str = "keep"

    @property
    def mechanism(self) -> SyntheticRecords:
        return made.records(**vars(self))

    @property
    def tested(self) -> bool:
        return bool(self.parameters.is_tested)

    @property
    def randomized(self) -> bool:
        return bool(self.parameters.is_randomized)

    @property
    def vacuous(self) -> bool:
        return bool(self.parameters.is_vacuous)

    @property
    def seeds(self) -> int:
        return int(self.parameters.seeds)

    @property
    def modelled(self) -> int:
        return int(self.parameters.modelled)

    @property
    def categories(self) -> tuple[int, ...]:
        return tuple(self.parameters.categories)

    def subsets(self) -> Sequence[tuple[int, ...]]:
        return list(self.parameters.subsets)
