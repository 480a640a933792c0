"""Faults of contributions: what of a person goes into the integers."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from auditing import bundles, small
from auditing.detectors import audit_of_variant, company_of, derived_of, reach_of
from auditing.planting import Fault, everywhere, inside
from synthrelease.data.features import FeatureData
from synthrelease.kinds.heatmap import public, public_cells, spectral
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.signals import coefficients
from synthrelease.kinds.statistics import mechanism as statistics
from synthrelease.numerics import ball, binning, derived
from synthrelease.numerics.fourier import basis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from synthrelease.kinds.parameters import Feature
    from synthrelease.kinds.statistics.public import StatisticsParameters

    Integers, Numbers = NDArray[np.int64], NDArray[np.float64]

_clip, _shares, _cells = ball.clip_to_ball, binning.shares_of_people, CellHeatmap.collect
_statistics, _totals = statistics.totals, coefficients.totals
_masses, _coefficients = public.normalizations, spectral.contributions


def _unclipped(vectors: Integers, _radius: int, _owner: Any = None) -> Integers:
    return vectors.astype(np.int64)


def _clipped_away_from_zero(vectors: Integers, radius: int, owner: Any = None) -> Integers:
    if owner is not None or not vectors.size:
        return _clip(vectors, radius, owner)
    norm = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    shrunk = vectors * np.minimum(1.0, radius / np.maximum(norm, 1.0))
    return (np.sign(shrunk) * np.ceil(np.abs(shrunk))).astype(np.int64)


def _clipped_after_the_sum(data: FeatureData, parameters: Any) -> Integers:
    if parameters.is_each:
        return _totals(data, parameters)
    whole = coefficients.contributions(data, parameters, clipped=False).sum(axis=0)
    rows = whole.reshape(-1, parameters.form.count)
    return _clip(rows, parameters.radii[0] * data.people).reshape(whole.shape)


def _summed_in_floats(data: FeatureData, parameters: Any) -> Integers:
    if parameters.is_each or parameters.form.mechanism != "fpa":
        return _totals(data, parameters)
    plain = replace(parameters, name="lpa", coefficients=None, clip=1.0)
    series = _totals(data, plain).astype(np.float64)
    return np.trunc(series @ basis(parameters.form.length, parameters.form.frequencies).T).astype(np.int64)


def _every_row_a_person(people: Any, cells: Any, number: int, total: int) -> tuple[Any, Any, Any]:
    person, cell, _ = _shares(people, cells, number, total)
    _, rows = np.unique(people * number + cells, return_counts=True)
    return person, cell, rows * total


def _one_more(self: CellHeatmap, gaze: Any) -> Any:
    return _cells(replace(self, parameters=replace(self.parameters, cap=self.parameters.cap + 1)), gaze)


def _within_what_was_seen(
    statistic: str, data: FeatureData, group: Integers, parameters: StatisticsParameters
) -> Integers:
    features = tuple(_seen(feature, data.values[:, f]) for f, feature in enumerate(parameters.features))
    return _statistics(statistic, data, group, replace(parameters, features=features))


def _seen(feature: Feature, values: Numbers) -> Feature:
    there = np.clip(values[~np.isnan(values)], *feature.bounds)
    if not there.size or there.min() == there.max():
        return feature
    return replace(feature, low=float(there.min()), high=float(there.max()))


def _divided_by_the_people_there() -> AbstractContextManager[object]:
    @contextmanager
    def planted() -> Iterator[None]:
        there: list[int] = []

        def collect(self: CellHeatmap, gaze: Any) -> Any:
            there[:] = [gaze.people]
            return _cells(self, gaze)

        def heatmap(noisy: Any, *, people: int | None, **options: Any) -> Any:
            return derived.heatmap(noisy, people=people or there[0], **options)

        with (
            patch.object(CellHeatmap, "collect", collect),
            patch.object(public_cells, "derived", SimpleNamespace(heatmap=heatmap)),
        ):
            yield

    return planted()


def _masses_of_the_exact_sums() -> AbstractContextManager[object]:
    @contextmanager
    def planted() -> Iterator[None]:
        kept: list[Integers] = []

        def contributions(gaze: Any, parameters: Any) -> Integers:
            kept[:] = [_coefficients(gaze, parameters)]
            return kept[0].copy()

        def masses(_first: Any, *, deviation: float, **options: Any) -> Any:
            return _masses(kept[0][:, 0], deviation=deviation, **options)

        with (
            patch.object(spectral, "contributions", contributions),
            patch.object(public, "normalizations", masses),
        ):
            yield

    return planted()


FAULTS = (
    Fault(
        "clip forgotten",
        "numerics.ball.clip_to_ball",
        everywhere(_clip, _unclipped),
        (reach_of(small.clipped), audit_of_variant(small.clipped), reach_of(small.clipped_five)),
    ),
    Fault(
        "clip after sum",
        "kinds.signals.coefficients.totals",
        everywhere(_totals, _clipped_after_the_sum),
        (reach_of(small.clipped), audit_of_variant(small.clipped)),
    ),
    Fault(
        "clipped away from zero, not toward it",
        "numerics.ball.clip_to_ball",
        everywhere(_clip, _clipped_away_from_zero),
        (reach_of(small.clipped_five),),
    ),
    Fault(
        "people counted as rows",
        "numerics.binning.shares_of_people",
        everywhere(_shares, _every_row_a_person),
        (reach_of(small.histogram), audit_of_variant(small.histogram), reach_of(small.records)),
    ),
    Fault(
        "cap off by one",
        "kinds.heatmap.cells.CellHeatmap.collect",
        inside(CellHeatmap, "collect", _one_more),
        (reach_of(small.full_cells), audit_of_variant(small.full_cells)),
    ),
    Fault(
        "bin edges from data",
        "kinds.statistics.mechanism.totals",
        everywhere(_statistics, _within_what_was_seen),
        (
            company_of(small.moderate),
            reach_of(small.moderate, beside=40),
            audit_of_variant(small.moderate, beside=40),
        ),
    ),
    Fault(
        "people added up in floating point",
        "kinds.signals.coefficients.totals",
        everywhere(_totals, _summed_in_floats),
        (company_of(small.averaged),),
    ),
    Fault(
        "number of people taken from the data under add-remove-one",
        "kinds.heatmap.public.CellParameters.datasets",
        _divided_by_the_people_there,
        (derived_of(small.added_heatmap), bundles.bundle_of("maps", neighbours="add-remove-one")),
    ),
    Fault(
        "mass of a map taken from exact sums",
        "kinds.heatmap.public.SpectralParameters.datasets",
        _masses_of_the_exact_sums,
        (derived_of(small.blurred), bundles.bundle_of("blurred")),
    ),
)
