"""Mechanisms made of a few numbers, as tests and studies need them: what a plan, an input and a screen would say besides is invented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.area_shapes import ELSEWHERE
from synthrelease.data.areas import PlacedAreas
from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.areas.mechanism import AreaShares
from synthrelease.kinds.areas.public import AreasParameters
from synthrelease.kinds.dataset import Role, in_order
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.heatmap.public_cells import CellParameters
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.mechanism import UNKNOWN, Drawn, Mechanism
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.public_area import PublicArea
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import DP, MARGINALS, RecordsParameters
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.kinds.signals.public import CoefficientParameters, SpectralSignalParameters
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.kinds.statistics.fixations import FixationStatistics
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism
from synthrelease.kinds.statistics.public import CHOICES, StatisticsParameters
from synthrelease.kinds.statistics.public_fixations import PREFIX, STIMULUS, FixationParameters, feature_name
from synthrelease.kinds.values import Values
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.numerics.spectral_signals import RADIUS, SpectralSignalForm
from synthrelease.numerics.statistics import quantile
from synthrelease.reports.released import labels_of, shape_of

Bounds = Sequence[tuple[float, float]]
Arrays = dict[tuple[str, ...], NDArray[Any]]
REPLACE = Neighbours.REPLACE_ONE
_NOISES = {LAPLACE: DiscreteLaplace.type, GAUSSIAN: RoundedGaussian.type, None: CHOICES}


def release(
    mechanism: Mechanism[Any], data: Any, budget: Budget | None, *, random: SecureRandom
) -> tuple[Arrays, Drawn]:
    """Return the arrays of a release of some people's data, by their labels below the output, and what was drawn."""
    drawn = mechanism.draw(mechanism.collect(data), budget, random)
    return arrays(drawn), drawn


def arrays(drawn: Drawn) -> Arrays:
    """Return the arrays that follow from what was drawn, by their labels below the output."""
    return {
        labels_of(drawn.parameters, dataset, index): values.reshape(shape_of(drawn.parameters, dataset))
        for dataset, index, values in Values(drawn.parameters, drawn.event, drawn.arrays)
    }


def noisy_arrays(mechanism: Mechanism[Any], exact: Mapping[str, NDArray[Any]]) -> Arrays:
    """Return what noise is added to, by the labels and in the order of a release's arrays."""
    p = mechanism.parameters
    return {
        labels_of(p, dataset, index): np.asarray(exact[dataset.path][index]).reshape(shape_of(p, dataset))
        for dataset, index in in_order(list(p.datasets(UNKNOWN)))
        if dataset.role is Role.NOISY
    }


def names(letter: str, number: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(number))


def features_of(bounds: Bounds, of: FeatureData | None = None, names: str = "f{}") -> tuple[Feature, ...]:
    """Features of these names with these bounds, or those of data."""
    if of is not None:
        return tuple(Feature(name, *of.limits(f)) for f, name in enumerate(of.features))
    return tuple(Feature(names.format(f), float(low), float(high)) for f, (low, high) in enumerate(bounds))


def statistics(
    statistics: Sequence[str],
    bounds: Bounds = (),
    bins: int = 10,
    neighbours: Neighbours = REPLACE,
    people: int | None = None,
    *,
    of: FeatureData | None = None,
    noise: str = LAPLACE,
    by: str | None = None,
    groups: Sequence[str] = (),
    max_groups: int = 1,
    quantile_steps: int = 256,
    quantile_share: float | None = None,
    quantile_intervals: bool = False,
    everyone: bool = False,
    names: str = "f{}",
) -> StatisticsMechanism:
    noisy = any(quantile(name) is None for name in statistics)
    parameters = StatisticsParameters(
        name=_NOISES[noise if noisy else None],
        people=people,
        names="listed",
        statistics=tuple(statistics),
        bins=bins,
        quantile_steps=quantile_steps,
        quantile_intervals=quantile_intervals,
        by=by,
        groups=None if by is None else tuple(groups),
        max_groups_per_person=max_groups,
        features=features_of(bounds, of, names),
        everyone_in_every_group=everyone,
    )
    return StatisticsMechanism(
        parameters=parameters,
        neighbours=neighbours,
        noise=noise if noisy else None,
        quantile_share=quantile_share,
    )


def fixations(
    statistics: Sequence[str],
    measures: Mapping[str, tuple[float, float]],
    *,
    stimuli: int | Sequence[str],
    by: bool = True,
    max_stimuli: int = 1,
    areas: PlacedAreas | None = None,
    bins: int = 4,
    everyone: bool = False,
    neighbours: Neighbours = REPLACE,
    people: int | None = None,
    noise: str = LAPLACE,
    quantile_steps: int = 256,
    assignment_public: bool = False,
    screen: Screen | None = None,
) -> FixationStatistics:
    noisy = any(quantile(name) is None for name in statistics)
    listed = names("s", stimuli) if isinstance(stimuli, int) else tuple(stimuli)
    places = [None] if areas is None else areas.names[:-1]
    parameters = FixationParameters(
        name=PREFIX + _NOISES[noise if noisy else None],
        people=people,
        names="listed",
        statistics=tuple(statistics),
        bins=bins,
        quantile_steps=quantile_steps,
        by=STIMULUS if by else None,
        groups=listed if by else None,
        max_groups_per_person=max_stimuli if by else 1,
        features=tuple(
            Feature(feature_name(measure, area), float(low), float(high))
            for measure, (low, high) in measures.items()
            for area in places
        ),
        everyone_in_every_group=everyone,
        stimuli=listed,
        assignment_public=assignment_public,
        screen=screen or Screen(100, 100),
        areas=None if areas is None else tuple(map(PublicArea.of, areas.areas)),
    )
    return FixationStatistics(
        parameters=parameters, neighbours=neighbours, noise=noise if noisy else None, areas=areas
    )


def cells(
    *,
    stimuli: int | Sequence[str],
    rows: int,
    columns: int,
    cap: int = 1,
    max_samples: int | None,
    max_stimuli: int,
    assignment_public: bool = False,
    neighbours: Neighbours = REPLACE,
    noise: str = GAUSSIAN,
    calibration: str = "exact",
    blur_px: float = 1.0,
    people: int | None,
    screen: Screen | None = None,
    caps: tuple[int, ...] | None = None,
    cap_share: float | None = None,
) -> CellHeatmap:
    parameters = CellParameters(
        name=noise,
        people=people,
        names="listed",
        max_stimuli_per_person=max_stimuli,
        assignment_public=assignment_public,
        screen=screen or Screen(columns, rows),
        stimuli=names("s", stimuli) if isinstance(stimuli, int) else tuple(stimuli),
        rows=rows,
        columns=columns,
        blur_px=blur_px,
        cap=cap,
        caps=caps,
        max_samples_per_stimulus=max_samples,
        calibration=calibration,
    )
    return CellHeatmap(parameters=parameters, neighbours=neighbours, noise=noise, choice_share=cap_share)


def spectral(
    *,
    stimuli: int | Sequence[str],
    form: SpectralForm,
    joint: bool = True,
    max_stimuli: int,
    viewers: tuple[int, ...] | None = None,
    assignment_public: bool = False,
    weight: str = "samples",
    window: tuple[float, float] | None = None,
    neighbours: Neighbours = REPLACE,
    people: int | None,
    screen: Screen | None = None,
) -> SpectralHeatmap:
    """Spectral heatmaps of a form; without a screen, of one whose sides are as the form's blurs call for."""
    *time, y, x = form.blurs
    if screen is None:
        ratio = Fraction(y / x).limit_denominator(1000)  # of width and height
        screen = Screen(ratio.numerator, ratio.denominator)
    *frames, rows, columns = form.cells
    parameters = SpectralParameters(
        name="spectral",
        people=people,
        names="listed",
        max_stimuli_per_person=max_stimuli,
        assignment_public=assignment_public,
        screen=screen,
        stimuli=names("s", stimuli) if isinstance(stimuli, int) else tuple(stimuli),
        rows=rows,
        columns=columns,
        blur_px=y * screen.height_px,
        frames=frames[0] if frames else None,
        window=window,
        blur_time=None if window is None else time[0] * (window[1] - window[0]),
        exponent=form.exponent,
        clip=form.clip,
        clipping="joint" if joint else "per-stimulus",
        weight=weight,
        prior=form.prior,
        viewers=viewers,
    )
    return SpectralHeatmap(parameters=parameters, neighbours=neighbours, noise=GAUSSIAN)


def areas(
    *,
    areas: PlacedAreas,
    stimuli: int | Sequence[str],
    transitions: bool = False,
    weight: str = "samples",
    noise: str = LAPLACE,
    max_stimuli: int,
    viewers: tuple[int, ...] | None = None,
    assignment_public: bool = False,
    neighbours: Neighbours = REPLACE,
    people: int | None,
    screen: Screen | None = None,
) -> AreaShares:
    listed = map(PublicArea.of, areas.areas)
    parameters = AreasParameters(
        name=noise,
        people=people,
        names="listed",
        max_stimuli_per_person=max_stimuli,
        assignment_public=assignment_public,
        screen=screen or Screen(100, 100),
        stimuli=names("s", stimuli) if isinstance(stimuli, int) else tuple(stimuli),
        areas=(*listed, PublicArea(ELSEWHERE, None, None, None, None)),
        transitions=transitions,
        weight=weight,
        viewers=viewers,
    )
    return AreaShares(parameters=parameters, neighbours=neighbours, noise=noise, areas=areas)


def signals(
    form: SignalForm,
    noise: str = LAPLACE,
    query: str = "mean",
    features: int = 1,
    recordings: int | Sequence[str] = 1,
    *,
    neighbours: Neighbours = REPLACE,
    people: int = 1,
    completion: str = "hold",
    of: FeatureData | None = None,
    bounds: Bounds | None = None,
    candidates: tuple[int, ...] | None = None,
    choice_share: float | None = None,
    names: str = "f{}",
) -> CoefficientSignals:
    parameters = CoefficientParameters(
        name=form.mechanism,
        people=people,
        names="listed",
        query=query,
        length=form.length,
        completion=completion,
        features=features_of(bounds or [(0.0, 1.0)] * features, of, names),
        recordings=_recordings(recordings, of),
        length_source="listed",
        chunk=form.chunk,
        coefficients=form.frequencies,
        candidates=candidates,
        max_change_grid_units=form.max_change,
        clip=form.clip,
        bound_grid_units=tuple(part.radius for part in form.parts),
    )
    return CoefficientSignals(
        parameters=parameters, neighbours=neighbours, noise=noise, choice_share=choice_share
    )


def spectral_signals(
    form: SpectralSignalForm,
    features: int = 1,
    recordings: int | Sequence[str] = 1,
    neighbours: Neighbours = REPLACE,
    *,
    people: int = 1,
    completion: str = "hold",
    of: FeatureData | None = None,
    bounds: Bounds | None = None,
    names: str = "f{}",
) -> SpectralSignals:
    parameters = SpectralSignalParameters(
        name="spectral",
        people=people,
        names="listed",
        query="mean",
        length=form.length,
        completion=completion,
        features=features_of(bounds or [(0.0, 1.0)] * features, of, names),
        recordings=_recordings(recordings, of),
        length_source="listed",
        cosines=form.cosines,
        baseline=form.baseline,
        baseline_steps=form.baseline_steps,
        clip=form.clip,
        radius_grid_units=RADIUS,
        constant_grid_units=form.constant,
    )
    return SpectralSignals(parameters=parameters, neighbours=neighbours, noise=GAUSSIAN)


def _recordings(recordings: int | Sequence[str], of: FeatureData | None) -> tuple[str, ...]:
    if of is not None:
        return tuple(of.recordings)
    return names("r", recordings) if isinstance(recordings, int) else tuple(recordings)


def records(
    *,
    model: str,
    fit: str,
    attributes: Sequence[Attribute],
    order: Sequence[int] | None = None,
    resampled: Sequence[int],
    k: int = 1,
    gamma: float = 4.0,
    counted: str = "person",
    rows: int = 100,
    trials: int = 20_000,
    neighbours: Neighbours = REPLACE,
    people: int,
    noise: str = LAPLACE,
    dependence: str = "independent",
    task: bool = False,
    per_task: bool = False,
    threshold: str = "fixed",
    epsilon0: float | None = None,
    copies: str = "keep",
) -> SyntheticRecords:
    tested = not (model == MARGINALS and fit == DP)
    parameters = RecordsParameters(
        name=model,
        people=people,
        names="listed",
        fit=fit,
        dependence=dependence,
        task=task,
        per_task=per_task,
        attributes=tuple(attributes),
        order=tuple(range(len(attributes))) if order is None else tuple(order),
        resampled=tuple(resampled),
        threshold=threshold if tested else None,
        k=k if tested else None,
        gamma=gamma if tested else None,
        counted=counted if tested else None,
        copies=copies,
        rows=rows,
    )
    return SyntheticRecords(
        parameters=parameters,
        neighbours=neighbours,
        noise=noise if fit == DP else None,
        trials=trials,
        epsilon0=epsilon0,
    )
