"""Every mechanism that is audited, how often, and how near its bound has to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from variants.areas import all_areas
from variants.fixations import all_fixations
from variants.gaze_maps import heatmaps
from variants.people import GAUSSIAN
from variants.records import all_records
from variants.signals import all_signals, all_spectral_signals
from variants.small import small_ones
from variants.spectral_maps import spectral_heatmaps
from variants.statistics import all_statistics

from auditing.choices import ChoiceProbe, cap_probe, frequencies_probe
from auditing.of_rounds import OF_PEOPLE, OF_SCANPATHS
from auditing.order import OrderProbe, order_probes, order_runs
from auditing.probes import variant_probe
from auditing.quantiles import quantile_probe
from auditing.seeds import crowd, owner, strangers

if TYPE_CHECKING:
    from variants.variant import Variant

    from auditing.probes import Probe

MANY, SOME = 1_000_000, 40_000  # private choices are drawn one by one


@dataclass(frozen=True)
class Audited:
    """One mechanism under audit.

    Attributes:
        name: of the mechanism.
        make: finds its neighbours.
        runs: on either dataset, in the tests.
        least: which part of what the neighbours use up the bound must reach; None where they are not made for that.
    """

    name: str
    make: Callable[[], Probe]
    runs: int
    least: float | None


def audited() -> list[Audited]:
    """Return all mechanisms on small data, whose worst case is likely enough to be seen."""
    return [
        *(Audited(variant.name, partial(variant_probe, variant), MANY, 0.88) for variant in small_ones()),
        *(Audited(one.name, one.probe, MANY, 0.88) for one in (OF_PEOPLE, OF_SCANPATHS)),
        Audited("private choice", ChoiceProbe, SOME, 0.85),
        Audited("heatmap-private-cap", cap_probe, SOME, 0.8),
        Audited("signals-private-frequencies", frequencies_probe, SOME, 0.45),
        *(Audited(probe.name, partial(_itself, probe), order_runs(probe), None) for probe in order_probes()),
        Audited("quantiles-M1of2", quantile_probe, SOME // 2, 0.4),
        Audited("records-test-2-crowd", crowd, MANY, 0.9),
        Audited("records-test-2-strangers", strangers, MANY, None),
        Audited("records-test-2-owner", owner, MANY, None),
    ]


def _itself(probe: OrderProbe) -> Probe:
    return probe


def every_variant() -> list[Variant]:
    """Return all variants of the contract."""
    return [
        *heatmaps(),
        *spectral_heatmaps(),
        *all_areas(),
        *all_signals(),
        *all_spectral_signals(),
        *all_statistics(),
        *all_fixations(),
        *all_records(),
    ]


def every_gaussian() -> list[Audited]:
    """Return those with Gaussian noise, whose μ can be bounded at any δ: for long runs."""
    return [
        Audited(variant.name, partial(variant_probe, variant), MANY, None)
        for variant in every_variant()
        if variant.noise == GAUSSIAN and not variant.tested and variant.name != "heatmap-liu2019"
    ]
