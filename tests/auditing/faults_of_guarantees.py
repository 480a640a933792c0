"""Faults of sensitivities, of composition, and of what is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from dp_accounting.pld import privacy_loss_distribution as pld

from auditing import accounts, bundles, owners, small
from auditing.accounts import account_probe
from auditing.choices import cap_utilities_moved, frequencies_utilities_moved
from auditing.detectors import audit_of, audit_of_variant, moved_utilities, reach_of
from auditing.planting import Fault, everywhere, forgetting, inside, together
from auditing.quantiles import quantile_utilities_moved
from auditing.seeds import crowd, owner, strangers
from synthrelease.dp import accounting, budget, mixed_losses, sensitivity
from synthrelease.dp.noise.rounded import discrete_laplace
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.kinds.choosing import Choosing
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.records import candidates
from synthrelease.kinds.records import mechanism as records
from synthrelease.kinds.signals.coefficients import CoefficientSignals

if TYPE_CHECKING:
    from auditing.planting import Plant
    from synthrelease.dp.guarantee import Neighbours
    from synthrelease.numerics.signal_form import SignalForm

_cells, _signal = sensitivity.gaze_maps, sensitivity.signal
_compose, _calibrated = accounting.compose, budget.calibrated
_quantile = sensitivity.quantile_utility
_split = Choosing.split


def _without_the_root(*, count: int, radius: int, neighbours: Neighbours) -> Sensitivity:  # noqa: ARG001
    width = sensitivity._width(radius, neighbours)
    return Sensitivity(width, width * width)


def _without_the_root_of_two(*, total: int, neighbours: Neighbours) -> Sensitivity:
    l1 = total if neighbours is sensitivity.Neighbours.ADD_REMOVE_ONE else 2 * total
    return Sensitivity(l1, total * total)


def _one_stimulus(**options: Any) -> Sensitivity:
    return _cells(**options | {"max_stimuli": 1})


def _undifferenced(form: SignalForm, *, radii: Any, neighbours: Neighbours) -> Sensitivity:
    if form.mechanism == "dcfpa":
        radii = tuple(part.radius for part in replace(form, mechanism="cfpa", max_change=None).parts)
    return _signal(form, radii=radii, neighbours=neighbours)


def _half_told(mechanism: type[Choosing[Any]]) -> Plant:
    stated: Any = mechanism.utility_sensitivity
    return inside(mechanism, "utility_sensitivity", property(lambda self: stated.fget(self) // 2))


def _laplace_in_l2(noise: str, moved_by: Sensitivity, spent: Any, *, count: int) -> Any:
    if noise == budget.LAPLACE:
        moved_by = Sensitivity(int(moved_by.l2), moved_by.l2_squared)
    return _calibrated(noise, moved_by, spent, count=count)


def _continuous(parameter: float, sensitivity: int = 1, **options: Any) -> Any:
    return pld.from_laplace_mechanism(1 / parameter, sensitivity=sensitivity, **options)


def _only_the_dearest(events: Any, **options: Any) -> Any:
    """As if every output touched other people."""
    alone = [_compose([event], **options) for event in events]
    return max(alone, key=lambda one: one.epsilon)


def _no_one_moves(p: Any, *, moving: bool, neighbours: Neighbours) -> int:  # noqa: ARG001
    return _quantile(p, moving=False, neighbours=neighbours)


def _choices_for_nothing(self: Any, spent: Any) -> Any:
    choice, _ = _split(self, spent)
    return choice, spent


class _AllRows:
    """In place of `Owners`: every row is an owner by itself."""

    single = False

    def __init__(self, owner_of_row: Any) -> None:
        self._rows = len(owner_of_row)

    def sampled_rows(self, _random: Any) -> Any:
        return np.arange(self._rows)


def _until_enough(model: Any, rows: Any, people: Any, test: Any, *, seed: Any, random: Any) -> Any:
    """As many records as were asked for, all of which passed."""
    entered = np.flatnonzero(seed[people])
    entered = entered[candidates.Owners(people[entered]).sampled_rows(random)]
    seeds = candidates.SeedSet(model, rows[entered])
    published, found = [], 0
    while found < test.trials:
        drawn = random.integers(len(entered), 1 << 16)
        tried = model.sample(rows[entered[drawn]], random)
        noise = discrete_laplace(1 / test.epsilon0, len(drawn), random=random)
        passes = seeds.plausible(tried, drawn, gamma=test.gamma) >= test.k + noise
        published.append(tried[passes])
        found += int(passes.sum())
    whole = np.concatenate(published)[: test.trials]
    return candidates.CandidateRecords(
        whole, np.full(len(whole), candidates.NO_ROW), test.trials, test.trials
    )


def _half_of_the_threshold_s(scale: float, size: Any, *, random: Any) -> Any:
    return discrete_laplace(scale / 2, size, random=random)


FAULTS = (
    Fault(
        "Δ without the √",
        "dp.sensitivity.clipped_coefficients: Δ₁ = 2C, not √K·2C",
        inside(sensitivity, "clipped_coefficients", _without_the_root),
        (reach_of(small.three_coefficients), audit_of_variant(small.three_coefficients)),
    ),
    Fault(
        "√2 lost",
        "dp.sensitivity.shares: Δ₂ = W, not √2·W",
        everywhere(sensitivity.shares, _without_the_root_of_two),
        (
            reach_of(small.areas_gaussian),
            audit_of_variant(small.areas_gaussian),
            audit_of_variant(small.records_gaussian),
        ),
    ),
    Fault(
        "the 2 of replace-one lost",
        "dp.sensitivity._width",
        inside(sensitivity, "_width", lambda radius, _: radius),
        (reach_of(small.steps), audit_of_variant(small.steps)),
    ),
    Fault(
        "Laplacian noise for a sensitivity in L2",
        "dp.budget.calibrated",
        everywhere(_calibrated, _laplace_in_l2),
        (reach_of(small.two_steps), audit_of_variant(small.two_steps), bundles.bundle_of("chunks")),
    ),
    Fault(
        "composition dropped for a second stimulus",
        "dp.sensitivity.gaze_maps",
        inside(sensitivity, "gaze_maps", _one_stimulus),
        (reach_of(small.two_stimuli), audit_of_variant(small.two_stimuli), bundles.bundle_of("maps")),
    ),
    Fault(
        "composition dropped for a second output",
        "dp.accounting.compose",
        everywhere(_compose, _only_the_dearest),
        (accounts.summed, bundles.bundle_of("chunks", "summary")),
    ),
    Fault(
        "parallel composition over chunks",
        "dp.sensitivity.signal",
        inside(sensitivity, "signal", sensitivity.signal_chunk),
        (reach_of(small.chunks), audit_of_variant(small.chunks), bundles.bundle_of("chunks")),
    ),
    Fault(
        "difference sensitivity taken as the undifferenced one",
        "dp.sensitivity.signal",
        inside(sensitivity, "signal", _undifferenced),
        (reach_of(small.changes), audit_of_variant(small.changes), bundles.bundle_of("changes")),
    ),
    Fault(
        "discrete Laplace accounted as continuous",
        "dp.mixed_losses.mixed_epsilon",
        forgetting(mixed_losses.mixed_epsilon, inside(pld, "from_discrete_laplace_mechanism", _continuous)),
        (accounts.mixed, audit_of(account_probe, "mixed noise")),
    ),
    Fault(
        "a private choice given half of its sensitivity",
        "kinds.heatmap.cells.CellHeatmap.utility_sensitivity and that of kinds.signals.coefficients",
        together(_half_told(CellHeatmap), _half_told(CoefficientSignals)),
        (
            moved_utilities("a private cap", cap_utilities_moved),
            moved_utilities("private frequencies", frequencies_utilities_moved),
        ),
    ),
    Fault(
        "a quantile that does not know of people who change groups",
        "dp.sensitivity.quantile_utility",
        everywhere(_quantile, _no_one_moves),
        (moved_utilities("quantiles in groups", quantile_utilities_moved),),
    ),
    Fault(
        "a private choice for nothing",
        "kinds.choosing.Choosing.split",
        inside(Choosing, "split", _choices_for_nothing),
        (accounts.spent_on_choices,),
    ),
    Fault(
        "retry until enough",
        "kinds.records.candidates.substituted",
        inside(records, "substituted", _until_enough),
        (audit_of(strangers, "Test 2, strangers", runs=20_000), owners.passed_of_strangers),
    ),
    Fault(
        "half of the noise on the threshold of Test 2",
        "kinds.records.candidates.substituted",
        inside(candidates, "discrete_laplace", _half_of_the_threshold_s),
        (audit_of(crowd, "Test 2, a crowd"),),
    ),
    Fault(
        "Test 2 with many rows per person",
        "kinds.records.candidates.Owners",
        inside(candidates, "Owners", _AllRows),
        (audit_of(owner, "Test 2, one owner", runs=50_000),),
    ),
    Fault(
        "temporal chunks counted as people",
        "kinds.records.candidates.Owners",
        inside(candidates, "Owners", _AllRows),
        (owners.alone_at_the_wall,),
    ),
)
