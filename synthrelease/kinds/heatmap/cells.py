"""Private gaze maps on a grid of cells: bounded contributions, integer sums, exact noise; the cap may be chosen privately.

Claims: `cells.proof.md`, and of the choice, Algorithm 1 of Liu et al. 2019 as a mechanism with a budget, `private_cap.proof.md`.
The heatmap that is shown is the noisy map divided by the public number of people and blurred, which is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.dp.calibration import gaussian_delta, liu2019_sigma
from synthrelease.dp.event import Noise, RoundedGaussian
from synthrelease.dp.sensitivity import excess_over_cap
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.choosing import Choosing
from synthrelease.kinds.contributions import Sums, Tally
from synthrelease.kinds.counted_rows import counted_rows
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.heatmap.accuracy import HeatmapMechanism
from synthrelease.kinds.heatmap.expected import Viewing, cell_correlation
from synthrelease.kinds.heatmap.public_cells import LIU2019, CellParameters
from synthrelease.kinds.heatmap.request import HeatmapRequest
from synthrelease.kinds.measured import measured_rows
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.numerics.gaze_caps import excess_norms

PRIVATE = "private"  # of a cap: chosen from a public list
# Candidates of a private cap below T, if the plan lists none.
_CAPS = (1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 130, 200, 300, 500, 800)


@dataclass(frozen=True, kw_only=True)
class CellHeatmap(Choosing[CellParameters], HeatmapMechanism[CellParameters]):
    """Counts in cells, capped, with noise on each."""

    list_field: ClassVar = "caps"
    choice_field: ClassVar = "cap"

    @classmethod
    def of(cls, request: HeatmapRequest, name: str) -> CellHeatmap:
        """Return the mechanism that a plan asks for.

        Raises:
            PlanError: parameters contradict each other or the input.
        """
        o = request.spec.options
        if o["calibration"] == LIU2019 and o["max_samples_per_stimulus"] != "unlimited":
            raise PlanError(
                "key-not-for-calibration",
                "Liu et al. 2019 do not bound a person's samples",
                where=request.spec.where,
                expected='max_samples_per_stimulus = "unlimited" with calibration = "liu2019"',
                remedy="add it, or leave out calibration",
            )
        mechanism = cls(parameters=_parameters(request, name), neighbours=request.neighbours, noise=name)
        return _with_private_cap(request.spec, mechanism) if o["mechanism"] == name else mechanism

    def calibrated_noise(self, budget: Budget | None) -> Noise:
        """Return the noise that a budget buys: exactly calibrated, or the paper's σ where that is sufficient.

        Raises:
            PolicyError: the paper's σ does not keep to the budget (Liu et al. 2019, Theorem 3.4).
        """
        exact, p = super().calibrated_noise(budget), self.parameters
        if p.calibration != LIU2019 or self.noise != GAUSSIAN:
            return exact
        assert budget is not None
        sigma = liu2019_sigma(budget.epsilon, budget.delta, cap=p.cap, pixels=p.rows * p.columns)
        true_delta = gaussian_delta(budget.epsilon, sigma=sigma, sensitivity=exact.sensitivity)
        if true_delta > budget.delta:
            raise PolicyError(
                "insufficient-calibration",
                "the noise of Liu et al. 2019, Theorem 3.4, is not sufficient here",
                found=f"σ = {sigma:.6g} gives δ = {true_delta:.3g} per person at ε = {budget.epsilon:g}",
                expected=f"δ ≤ {budget.delta:.3g}, which takes σ = {exact.scale:.6g}",
                remedy='leave out calibration = "liu2019"',
            )
        return RoundedGaussian(float(exact.sensitivity), sigma, exact.count)

    def collect(self, data: GazeData) -> Sums | Tally:
        """Return what some people contribute; of a choice, how many of them have which count in which cell: all that any cap needs."""
        place, count = cell_counts(data, self.parameters)
        if self.candidates is None:
            return Sums({"noisy": self._maps(place, np.minimum(count, self.parameters.cap))})
        return Tally.of(place * self._counts + count, np.ones_like(place))

    def measured(self, data: GazeData) -> dict[str, int]:
        """Return how many rows are of any use."""
        return measured_rows(data, weighted=False)

    def exact(self, collected: Sums | Tally) -> dict[str, Array]:
        """Return the maps of all people, under the cap."""
        if isinstance(collected, Sums):
            return super().exact(collected)
        place, count = np.divmod(collected.key, self._counts)
        return {"noisy": self._maps(place, collected.number * np.minimum(count, self.parameters.cap))}

    def chosen_parameters(self, candidate: int) -> CellParameters:
        """Return the parameters with a cap."""
        return replace(self.parameters, cap=candidate)

    def utilities(self, collected: Tally, noise_budget: Budget) -> list[int]:
        """Return −⌊√(r·σ(m)² + ‖D_m‖²)⌋ of every cap m, over all cells of all stimuli together.

        It orders caps as Theorem 4.1 does, whose E[MSE(m)] is its square over n²·r; but one person moves it by a bounded
        amount (`utility_sensitivity`).
        """
        assert self.candidates is not None
        place, count = np.divmod(collected.key, self._counts)
        norms = excess_norms(place, count, self.candidates, people=collected.number)
        noises = [self.at(cap).calibrated_noise(noise_budget) for cap in self.candidates]
        cells = math.prod(self._shape)
        return [
            -math.isqrt(math.ceil(cells * noise.standard_deviation**2) + norm)
            for noise, norm in zip(noises, norms, strict=True)
        ]

    @property
    def utility_sensitivity(self) -> int:
        """How far one person moves any of the utilities: as far as ‖D_m‖ of the smallest cap, rounded up."""
        p = self.parameters
        if p.max_samples_per_stimulus is None or p.caps is None:
            raise ValueError("Expected a bound of samples for a private cap, found none")
        squared = excess_over_cap(
            max_samples=p.max_samples_per_stimulus,
            cap=p.caps[0],
            max_stimuli=min(p.max_stimuli_per_person, len(p.stimuli)),
            neighbours=self.neighbours,
        )
        return max(1, math.isqrt(max(squared - 1, 0)) + 1)

    def correlation(self, viewing: Viewing, budget: Budget, people: float) -> float:
        """Return the correlation to expect with the exact map, with so many people on every stimulus; 0 if the calibration is refused."""
        try:
            deviation = self.calibrated_noise(budget).standard_deviation
        except PolicyError:  # the paper's calibration does not suffice
            return 0.0
        return cell_correlation(self.parameters, viewing, deviation=deviation, people=people)

    @property
    def _shape(self) -> tuple[int, int, int]:
        p = self.parameters
        return len(p.stimuli), p.rows, p.columns

    @property
    def _counts(self) -> int:
        """A number above every count: a key of a tally is cell · that + count."""
        most = self.parameters.max_samples_per_stimulus
        assert most is not None
        return most + 1

    def _maps(self, place: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Counts added up in their cells. Cost grows with the samples, not with people × cells."""
        maps = np.zeros(self._shape, dtype=np.int64)
        np.add.at(maps.reshape(-1), place, number)
        return maps


def _parameters(request: HeatmapRequest, noise: str) -> CellParameters:
    o, screen = request.spec.options, request.screen
    max_samples = o["max_samples_per_stimulus"]
    if o["mechanism"] != noise:  # for comparison: cells as coarse as the blur allows
        cell = max(request.blur_px, 1)
        rows, columns = math.ceil(screen.height_px / cell), math.ceil(screen.width_px / cell)
    else:
        rows, columns = o.get("height_px", screen.height_px), o.get("width_px", screen.width_px)
    return CellParameters(
        name=noise,
        **request.common,
        rows=rows,
        columns=columns,
        cap=1 if o["cap"] == PRIVATE else o["cap"],
        caps=None,
        max_samples_per_stimulus=None if max_samples == "unlimited" else max_samples,
        calibration=o["calibration"],
    )


def _with_private_cap(spec: OutputSpec, mechanism: CellHeatmap) -> CellHeatmap:
    o, most = spec.options, mechanism.parameters.max_samples_per_stimulus
    if o["cap"] != PRIVATE:
        for key in ("caps", "cap_share"):
            if key in spec.written:
                raise PlanError(
                    "key-needs-private-choice",
                    f"'{key}' is for a cap that is chosen privately",
                    where=spec.where,
                    expected='cap = "private"',
                    remedy="leave the key out, or choose the cap privately",
                )
        return mechanism
    if most is None:
        raise PlanError(
            "cap-needs-bound",
            "a cap cannot be chosen privately where a person's samples are not bounded",
            where=spec.where,
            found='max_samples_per_stimulus = "unlimited"',
            expected="a number: one person could otherwise decide the choice",
            remedy="give max_samples_per_stimulus a number, or cap one",
        )
    caps = tuple(o.get("caps", [m for m in _CAPS if m < most] + [most]))
    if list(caps) != sorted(set(caps)) or caps[-1] > most:
        raise PlanError(
            "bad-candidates",
            "the candidates of a cap are no list to choose from",
            where=spec.where,
            found=str(list(caps))[:80],
            expected=f"increasing numbers up to max_samples_per_stimulus = {most}",
            remedy="correct the list, or leave it out",
        )
    # What is chosen takes the place of the cap that stands there.
    parameters = replace(mechanism.parameters, caps=caps)
    return replace(mechanism, parameters=parameters, choice_share=float(o["cap_share"]))


def cell_counts(gaze: GazeData, parameters: CellParameters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all people's counts that are not zero, before the cap: the cell among those of all stimuli, and how many, shape (C,) each."""
    cells = parameters.rows * parameters.columns
    row = counted_rows(
        gaze, max_stimuli=parameters.max_stimuli_per_person, max_samples=parameters.max_samples_per_stimulus
    )
    cell = gaze.screen.cells(gaze.x_px[row], gaze.y_px[row], columns=parameters.columns, rows=parameters.rows)
    place = gaze.stimulus[row] * cells + cell
    key, count = np.unique(gaze.person[row] * (len(parameters.stimuli) * cells) + place, return_counts=True)
    return key % (len(parameters.stimuli) * cells), count.astype(np.int64)
