"""Utility of private mean signals: pupil and eyelid features of 24 people under 5 conditions (IER 2023) (docs/evidence/utility.md).

More people than there are, by drawing people with replacement; the truth is then the mean of those drawn. Everything is per
person, over all features and recordings of a row together, at δ = 1e-5. Correlation over time with the exact
mean signal, and the mean squared error over its variance in time (1 is what its own mean would have). The spectral
mechanism's defaults were chosen on people 1–12; its last table is of people 13–24, and of another kind of signal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import made
import numpy as np
import polars as pl
from benchmarks._measure import print_table
from numpy.typing import NDArray
from tqdm import tqdm

from studies import _ier2023 as ier2023
from studies._ier2023 import CONDITIONS, features
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.addition import add_noise
from synthrelease.evaluation.metrics import relative_mse, series_correlation
from synthrelease.kinds.mechanism import Drawn
from synthrelease.kinds.signals import coefficients
from synthrelease.kinds.signals import spectral as spectral_signals
from synthrelease.kinds.signals.coefficients import USUAL_FREQUENCIES
from synthrelease.kinds.signals.completed_series import completed_series
from synthrelease.kinds.signals.prepare import _CLIP, _COSINES
from synthrelease.numerics import derived
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA, LPA, SignalForm
from synthrelease.numerics.spectral_signals import (
    BASELINES,
    OF_PERSON,
    OF_RECORDING,
    OF_START,
    SpectralSignalForm,
)
from synthrelease.reports.figures import save_png
from synthrelease.reports.signal_figures import signals_figure, utility_figure

_WITHIN = 1.96  # standard deviations of Gaussian noise in ±
NAMES = (
    "pupil_l_mean_mm",
    "pupil_r_mean_mm",
    "pupil_sd_mm",
    "pupil_min_mm",
    "pupil_max_mm",
    "pupil_lr_diff_mm",
    "openness_mean",
    "openness_sd",
    "blink_rate_hz",
    "blink_dur_mean_s",
)
BOUNDS = {**{name: ier2023.BOUNDS[name] for name in NAMES}, "valid_fraction": (0.0, 1.0)}
LENGTH = 130  # windows of 0.5 s: the median recording
DELTA = 1e-5
PEOPLE, EPSILONS = (24, 100, 1000), (0.5, 1.0, 3.0)
DRAWS = 20

Curves = NDArray[np.float64]  # (recordings, features, steps)
Release = Callable[[NDArray[np.int64], Budget, SecureRandom], Curves]


@dataclass(frozen=True)
class Worth:
    """Of every curve, the mean over draws, shape (recordings, features)."""

    correlation: NDArray[np.float64]
    error: NDArray[np.float64]

    def __str__(self) -> str:
        return f"{self.correlation.mean():.2f} / {self.error.mean():.3g}"


def run(folder: Path) -> None:
    """Print all tables."""
    data = features(folder, BOUNDS)
    _print_features(data)
    _print_sizes(data)
    _print_people_needed(data)
    _print_choices(data)
    _print_others(folder, data)


def draw(folder: Path, out: Path) -> None:
    """Draw the figures of docs/explanation/signals.md and docs/evidence/utility.md."""
    data = features(folder, BOUNDS)
    _draw_left_pupil(some(data, features=["pupil_l_mean_mm"]), out / "signals.png")
    _draw_utility(data, out / "signals_utility.png")


def _draw_left_pupil(data: FeatureData, path: Path) -> None:
    """300 people under all conditions, released and exact."""
    people = 300
    times = crowd(data.people, people, 0)
    form = SpectralSignalForm(LENGTH, len(CONDITIONS), _COSINES, OF_PERSON, None, _CLIP)
    mechanism = made.spectral_signals(form, of=data, people=people)
    own = np.tensordot(times, spectral_signals.contributions(data, mechanism.parameters), 1)
    event = mechanism.calibrated_noise(Budget(1.0, DELTA))
    noisy = add_noise(own, event, largest=2**40, random=SecureRandom.for_tests(1))
    values = made.arrays(Drawn({"noisy": noisy}, event, mechanism.parameters))
    series = own_series(data, LENGTH)
    exact = np.tensordot(times, series - series.mean(axis=(1, 3), keepdims=True), 1) / people
    feature = data.features[0]
    figure = signals_figure(
        {r: (values[r, feature, "values"], _WITHIN * values[r, feature, "uncertainty"]) for r in CONDITIONS},
        x=np.arange(LENGTH) / 2,
        title=f"Left pupil, {people} people, ε = 1 per person",
        x_label="time, s",
        y_label="change from own mean, mm",
        truth={r: exact[i, 0] for i, r in enumerate(CONDITIONS)},
    )
    save_png(figure, path)


def _draw_utility(data: FeatureData, path: Path) -> None:
    """All features of 1000 people by every mechanism, against ε."""
    people, epsilons = 1000, (0.1, 0.3, 1.0, 3.0, 10.0)
    lines = {
        name: [1 / worth(data, release, people, epsilon).error.mean() for epsilon in epsilons]
        for name, release in _mechanisms(data).items()
    }
    figure = utility_figure(
        lines,
        epsilons=epsilons,
        title=f"Utility of {len(data.features)} mean signals under {len(data.recordings)} conditions, {people} people",
        y_label="variance over time / MSE",
        caption="ε per person, δ = 10⁻⁵, Gaussian noise. At 1 a flat line at the true level does as well.",
    )
    save_png(figure, path)


# --- mechanisms


def by_spectral(data: FeatureData, length: int = LENGTH, **changes: Any) -> Release:
    """Return a release of a crowd, given how often each person of the data is in it, by the spectral mechanism."""
    recordings, features = len(data.recordings), len(data.features)
    form = SpectralSignalForm(
        **{
            "length": length,
            "series": recordings * features,
            "cosines": min(_COSINES, length - 1),
            "baseline": OF_PERSON if recordings > 1 else OF_RECORDING,
            "baseline_steps": None,
            "clip": _CLIP,
        }
        | changes
    )
    usual = made.spectral_signals(form, of=data, people=data.people)
    own = spectral_signals.contributions(data, usual.parameters)

    def release(times: NDArray[np.int64], budget: Budget, random: SecureRandom) -> Curves:
        parameters = replace(usual.parameters, people=int(times.sum()))
        event = usual.calibrated_noise(budget)
        noisy = add_noise(np.tensordot(times, own, 1), event, largest=2**40, random=random)
        values = made.arrays(Drawn({"noisy": noisy}, event, parameters))
        return _curves(data, lambda r, f: values[r, f, "values"])

    return release


def by_noise(data: FeatureData, mechanism: str, noise: str = GAUSSIAN, **changes: Any) -> Release:
    """Return a release of a crowd by LPA, FPA, CFPA or DCFPA."""
    usual_form = {"frequencies": None if mechanism == LPA else USUAL_FREQUENCIES}
    form = SignalForm(mechanism, LENGTH, **(usual_form | changes))
    usual = made.signals(form, noise, of=data, people=data.people)
    own = coefficients.contributions(data, usual.parameters)

    def release(times: NDArray[np.int64], budget: Budget, random: SecureRandom) -> Curves:
        people = int(times.sum())
        event = usual.calibrated_noise(budget)
        noisy = add_noise(np.tensordot(times, own, 1), event, largest=2**50, random=random)
        limits = [derived.IntegerUnit(data.limits(f), people) for f in range(len(data.features))]
        return np.stack([derived.signal(noisy[:, f], form, unit) for f, unit in enumerate(limits)], axis=1)

    return release


def _curves(data: FeatureData, of: Callable[[str, str], NDArray[np.generic]]) -> Curves:
    return np.array([[of(r, f) for f in data.features] for r in data.recordings], dtype=np.float64)


def _mechanisms(data: FeatureData) -> dict[str, Release]:
    """All with their defaults and Gaussian noise."""
    return {
        "spectral": by_spectral(data),
        "FPA": by_noise(data, FPA),
        "CFPA-64": by_noise(data, CFPA, chunk=64),
        "DCFPA-32": by_noise(data, DCFPA, chunk=32),
        "LPA": by_noise(data, LPA),
    }


# --- crowds


def worth(data: FeatureData, release: Release, people: int, epsilon: float, length: int = LENGTH) -> Worth:
    """Return what a release of so many people is worth, on average over draws of people and of noise."""
    own = own_series(data, length)
    found = []
    for draw in range(DRAWS):
        times = crowd(data.people, people, draw)
        random = SecureRandom.for_tests(draw).spawn(str(people), str(epsilon))
        released = release(times, Budget(epsilon, DELTA), random)
        exact = np.tensordot(times, own, 1) / people
        # A spectral signal is a change from a baseline: its level is not that of the truth, and not asked for.
        shift = (exact - released).mean(axis=-1, keepdims=True)
        found.append((series_correlation(released, exact), relative_mse(released + shift, exact)))
    correlations, errors = zip(*found, strict=True)
    return Worth(np.mean(correlations, axis=0), np.mean(errors, axis=0))


def crowd(there: int, people: int, draw: int) -> NDArray[np.int64]:
    """Return how often each person is drawn: once each if as many are asked for as there are."""
    if people == there:
        return np.ones(there, dtype=np.int64)
    drawn = SecureRandom.for_tests(draw).spawn("people").integers(there, people)
    return np.bincount(drawn, minlength=there)


def own_series(data: FeatureData, length: int) -> NDArray[np.float64]:
    """Return everyone's completed series, shape (people, recordings, features, steps)."""
    group, completed, _ = completed_series(data, length)
    series = np.zeros((data.people * len(data.recordings), length, len(data.features)))
    series[group] = completed
    return np.moveaxis(series, 1, 2).reshape(data.people, len(data.recordings), len(data.features), length)


def some(
    data: FeatureData, *, features: Sequence[str] | None = None, recordings: int | None = None
) -> FeatureData:
    """Return the data of some features, and of the first recordings."""
    data = data if features is None else data.only(features)
    if recordings is None:
        return data
    rows = data.recording < recordings
    return replace(
        data,
        recordings=data.recordings[:recordings],
        person=data.person[rows],
        recording=data.recording[rows],
        values=data.values[rows],
    )


def half(data: FeatureData, *, second: bool) -> FeatureData:
    """Return the first or the second half of the people, by number."""
    order = sorted(range(data.people), key=lambda p: int(data.identities[p]))
    chosen = np.array(sorted(order[data.people // 2 :] if second else order[: data.people // 2]))
    rows = np.isin(data.person, chosen)
    return replace(
        data,
        people=chosen.size,
        person=np.searchsorted(chosen, data.person[rows]),
        recording=data.recording[rows],
        values=data.values[rows],
        identities=tuple(data.identities[p] for p in chosen),
    )


# --- tables


def _print_features(data: FeatureData) -> None:
    print(
        f"Per person at ε = 1, δ = {DELTA:g}, {len(data.features)} features × {len(data.recordings)} recordings in one release: "
        "correlation / MSE over variance\n"
    )
    makers = _mechanisms(data) | {
        "CFPA-64, Laplace": by_noise(data, CFPA, LAPLACE, chunk=64),
        "LPA, Laplace": by_noise(data, LPA, LAPLACE),
        # The clips and frequencies that do best on people 1–12 with n = 1000.
        "FPA, clipped": by_noise(data, FPA, clip=0.05),
        "CFPA-64, clipped": by_noise(data, CFPA, chunk=64, clip=0.1, frequencies=2),
    }
    for people in PEOPLE:
        found = {name: worth(data, make, people, 1.0) for name, make in makers.items()}
        rows = [
            [
                feature,
                *(f"{w.correlation[:, f].mean():.2f} / {w.error[:, f].mean():.2g}" for w in found.values()),
            ]
            for f, feature in enumerate(data.features)
        ]
        rows.append(["mean", *(f"{w.correlation.mean():.2f} / {w.error.mean():.2g}" for w in found.values())])
        print(f"n = {people}")
        print_table(["feature", *makers], rows)
        print(flush=True)


def _print_sizes(data: FeatureData) -> None:
    print("Spectral, by ε, people and how much is released at once: correlation / MSE over variance\n")
    rows = []
    for title, part in _parts(data).items():
        release = by_spectral(part)
        for epsilon in EPSILONS:
            cells = [str(worth(part, release, n, epsilon)) for n in (24, 100, 300, 1000, 3000)]
            rows.append([title, f"{epsilon:g}", *cells])
    print_table(["released", "ε", "24", "100", "300", "1000", "3000"], rows)
    print(flush=True)


def _parts(data: FeatureData) -> dict[str, FeatureData]:
    return {
        "1 feature, 1 recording": some(data, features=["pupil_l_mean_mm"], recordings=1),
        "1 feature, 5 recordings": some(data, features=["pupil_l_mean_mm"]),
        "3 features, 5 recordings": some(
            data, features=["pupil_l_mean_mm", "openness_mean", "blink_rate_hz"]
        ),
        "11 features, 5 recordings": data,
    }


def _print_people_needed(data: FeatureData) -> None:
    print("People needed for a correlation of 0.9: measured, by doubling / predicted by `preview`\n")
    rows = []
    for title, part in _parts(data).items():
        release = by_spectral(part)
        row = [title]
        for epsilon in EPSILONS:
            budget = Budget(epsilon, DELTA)
            form = SpectralSignalForm(
                LENGTH,
                len(part.recordings) * len(part.features),
                _COSINES,
                OF_PERSON if len(part.recordings) > 1 else OF_RECORDING,
                None,
                _CLIP,
            )
            mechanism = made.spectral_signals(form, of=part, people=part.people)
            told = mechanism.prediction(mechanism.calibrate(budget), budget, part.people)[1].split()[0]
            row.append(f"{_least(part, release, epsilon)} / {told}")
        rows.append(row)
    print_table(["released", *(f"ε = {epsilon:g}" for epsilon in EPSILONS)], rows)
    print(flush=True)


def _least(data: FeatureData, release: Release, epsilon: float) -> int:
    people = 20
    while worth(data, release, people, epsilon).correlation.mean() < 0.9 and people < 10**5:
        people = round(people * 2**0.25)
    return people


def _print_choices(data: FeatureData) -> None:
    print("Spectral, people 1–12, on which its defaults were chosen: correlation / MSE over variance\n")
    first = half(data, second=False)
    choices: dict[str, dict[str, Any]] = {"defaults": {}}
    choices |= {f"{k} cosines": {"cosines": k} for k in (4, 8, 16, 32, 128)}
    choices |= {f"clip {c:g}": {"clip": c} for c in (0.01, 0.02, 0.05, 0.1, 0.2)}
    for baseline in BASELINES:
        steps = 10 if baseline == OF_START else None
        choices[f"baseline {baseline}"] = {"baseline": baseline, "baseline_steps": steps}
    rows = []
    for title, changes in tqdm(choices.items(), leave=False, disable=None):
        row = [title]
        for part, people in (
            (some(first, features=["pupil_l_mean_mm"]), 300),
            (first, 1000),
            (first, 3000),
        ):
            row.append(str(worth(part, by_spectral(part, **changes), people, 1.0)))
        rows.append(row)
    print_table(["", "1 feature, n = 300", "11 features, n = 1000", "11 features, n = 3000"], rows)
    print(flush=True)


def _print_others(folder: Path, data: FeatureData) -> None:
    print(
        "Spectral with its defaults on what nothing was chosen on, ε = 1: correlation / MSE over variance\n"
    )
    second = half(data, second=True)
    pupil = _samples(folder)
    rows = []
    for title, part, length in (
        ("people 13–24, 1 feature, 5 recordings", some(second, features=["pupil_l_mean_mm"]), LENGTH),
        ("people 13–24, 11 features, 5 recordings", second, LENGTH),
        ("24 people, both pupils at 4 Hz for 60 s, 5 recordings", pupil, 240),
    ):
        release = by_spectral(part, length)
        rows.append([title, *(str(worth(part, release, n, 1.0, length)) for n in (100, 300, 1000, 3000))])
    print_table(["", "n = 100", "300", "1000", "3000"], rows)


def _samples(folder: Path) -> FeatureData:
    """Pupil diameters at 4 Hz: means of the raw samples of a quarter of a second, gaps left open."""
    samples = pl.read_parquet(folder / "ier2023_vr_pupil" / "samples.parquet")
    sides = ["pupil_l_mm", "pupil_r_mm"]
    table = (
        samples.with_columns(pl.col(sides).replace(-1.0, None), (pl.col("t_s") * 4).floor().alias("quarter"))
        .group_by("participant", "condition", "quarter")
        .agg(pl.col(sides).mean())
        .sort("participant", "condition", "quarter")
    )
    names = table["participant"].unique().sort()
    values = table.select(sides).fill_null(np.nan).to_numpy()
    limits = np.array([[1.5, 8.0]] * len(sides))
    return FeatureData(
        tuple(sides),
        limits,
        CONDITIONS,
        len(names),
        np.searchsorted(names.to_numpy(), table["participant"].to_numpy()),
        np.array([CONDITIONS.index(c) for c in table["condition"]]),
        np.clip(values, *limits[0]),
    )
