"""What private heatmaps are worth: mouse-tracked attention of 557 people on 20 photographs (OSIE, Xu et al. 2014).

Whoever runs this with another seed sees other noise, and other figures in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import made
import numpy as np
import polars as pl
from scipy.ndimage import gaussian_filter

from studies._centre_bias import print_prior
from studies._osie_mouse import (
    BLUR_PX,
    BLURS,
    CELLS,
    CHOSEN_ON,
    REPORTED,
    SCREEN,
    Map,
    attention,
    exact_maps,
    first_people,
    one_image,
)
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PolicyError
from synthrelease.evaluation import metrics
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.expected import Viewing
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.stimuli import SAMPLES
from synthrelease.numerics import centre_bias
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.numerics.spectrum import band, middles, rendered

DRAWS = 10
EPSILONS = (0.5, 1.0, 3.0)
DEFAULTS = SpectralForm(BLURS, CELLS)
NO_PRIOR = replace(DEFAULTS, prior=centre_bias.NO_PRIOR)
# The grid, samples and cap of the bounded Gaussian that do best on images 1001–1010 at ε = 1 (of 6 × 8, 9 × 12 and 13 × 17
# cells, T = 10, 30, 100, m = 1, 3, 10, T), and one per pixel as in the paper.
COARSE = {"rows": 9, "columns": 12, "max_samples": 30, "cap": 3}
PIXELS = {"rows": 600, "columns": 800, "max_samples": 200}

Maker = Callable[[GazeData, float, SecureRandom], list[Map]]


def run(folder: Path) -> None:
    """Print all tables."""
    gaze = attention(folder)
    print_prior(folder)
    exact = exact_maps(gaze, CELLS)
    print(
        f"{gaze.people} people, {int(gaze.assigned.sum(0).min())} to {int(gaze.assigned.sum(0).max())} an image"
    )
    for title, images in (
        ("1001–1010, on which the parameters were chosen", CHOSEN_ON),
        ("1011–1020", REPORTED),
    ):
        print(f"\nImages {title}: mean CC with the blurred mean of dwell shares, {DRAWS} draws")
        _print_rows(
            "per STIMULUS: one map by itself, δ = viewers^-3/2; no guarantee to a person over several",
            ALONE,
            gaze,
            images,
            exact,
            alone=True,
        )
        _print_rows(
            "per PERSON: one budget over all 20 images, δ = 557^-3/2",
            TOGETHER,
            gaze,
            images,
            exact,
            alone=False,
        )
        _print_baselines(images, exact)
    _print_measures(gaze, exact, folder / "osie" / "fixations_tidy.csv.gz")
    _print_dynamic(gaze)
    _print_prediction(gaze)


# --- mechanisms


def spectral_heatmap(
    gaze: GazeData,
    *,
    joint: bool = True,
    form: SpectralForm = DEFAULTS,
    window: tuple[float, float] | None = None,
) -> SpectralHeatmap:
    """Return spectral maps of all stimuli of a dataset."""
    return made.spectral(
        stimuli=gaze.stimuli,
        form=form,
        joint=joint,
        max_stimuli=len(gaze.stimuli),
        viewers=tuple(gaze.assigned.sum(axis=0).tolist()),
        assignment_public=True,
        weight=SAMPLES,
        window=window,
        people=gaze.people,
        screen=SCREEN,
    )


def by_spectral(*, joint: bool = True, form: SpectralForm = DEFAULTS) -> Maker:
    """Return a maker of spectral maps."""

    def make(gaze: GazeData, epsilon: float, random: SecureRandom) -> list[Map]:
        mechanism = spectral_heatmap(gaze, joint=joint, form=form)
        values, _ = made.release(mechanism, gaze, budget(gaze, epsilon), random=random)
        return [values[s, "heatmap"].astype(np.float64) for s in gaze.stimuli]

    return make


def cell_heatmap(
    gaze: GazeData,
    *,
    calibration: str = "exact",
    rows: int,
    columns: int,
    max_samples: int | None,
    cap: int = 1,
) -> CellHeatmap:
    """Return maps of counts of all stimuli of a dataset, with Gaussian noise on every cell."""
    return made.cells(
        stimuli=gaze.stimuli,
        rows=rows,
        columns=columns,
        cap=cap,
        max_samples=max_samples,
        max_stimuli=len(gaze.stimuli),
        assignment_public=True,
        calibration=calibration,
        blur_px=BLUR_PX,
        people=gaze.people,
        screen=SCREEN,
    )


def by_cells(**parameters: Any) -> Maker:
    """Return a maker of gaze maps by Gaussian noise on every cell, blurred."""

    def make(gaze: GazeData, epsilon: float, random: SecureRandom) -> list[Map]:
        mechanism = cell_heatmap(gaze, **parameters)
        values, _ = made.release(mechanism, gaze, budget(gaze, epsilon), random=random)
        return [values[s, "heatmap"].astype(np.float64) for s in gaze.stimuli]

    return make


ALONE = {
    "Theorem 3.4, per pixel": by_cells(calibration="liu2019", rows=600, columns=800, max_samples=None),
    "bounded Gaussian, per pixel": by_cells(**PIXELS),
    "bounded Gaussian, its best grid": by_cells(**COARSE),
    "spectral, prior none": by_spectral(form=NO_PRIOR),
    "spectral": by_spectral(),
}
TOGETHER = {
    "Theorem 3.4, per pixel": ALONE["Theorem 3.4, per pixel"],
    "bounded Gaussian, per pixel": ALONE["bounded Gaussian, per pixel"],
    "bounded Gaussian, its best grid": ALONE["bounded Gaussian, its best grid"],
    "spectral, composed": by_spectral(joint=False),
    "spectral, prior none": by_spectral(form=NO_PRIOR),
    "spectral": by_spectral(),
}


def budget(gaze: GazeData, epsilon: float) -> Budget:
    """Return ε at δ = n^(−3/2)."""
    return Budget(epsilon, gaze.people**-1.5)


# --- tables


def _print_rows(
    title: str, makers: dict[str, Maker], gaze: GazeData, images: range, exact: list[Map], *, alone: bool
) -> None:
    print(f"  {title:<86}" + "".join(f"   ε={epsilon:<4g}" for epsilon in EPSILONS))
    for name, make in makers.items():
        cells = []
        for epsilon in EPSILONS:
            try:
                found = []
                for draw in range(DRAWS):
                    random = SecureRandom.for_tests(draw).spawn(name, str(epsilon))
                    maps = (
                        _alone(make, gaze, images, epsilon, random) if alone else make(gaze, epsilon, random)
                    )
                    shown = maps if alone else [maps[j] for j in images]
                    found.append([correlation(m, exact[j]) for m, j in zip(shown, images, strict=True)])
                cells.append(f"{np.mean(found):8.3f}")
            except PolicyError:  # the calibration does not keep its guarantee to a person over 20 images
                cells.append(" refused")
        print(f"    {name:<84}" + " ".join(cells), flush=True)


def _alone(make: Maker, gaze: GazeData, images: range, epsilon: float, random: SecureRandom) -> list[Map]:
    return [make(one_image(gaze, j), epsilon, random.spawn(str(j)))[0] for j in images]


def _print_baselines(images: range, exact: list[Map]) -> None:
    print("  no data at all")
    centre = centre_map()
    down, across = (middles(c) - 0.5 for c in CELLS)
    gaussian = np.exp(-((down[:, None] / 0.25) ** 2 + (across / 0.25) ** 2) / 2)
    for name, one in (
        ("centred Gaussian, σ = ¼ of each side", gaussian),
        ("the prior that is shipped", centre),
    ):
        print(f"    {name:<84}{np.mean([correlation(one, exact[j]) for j in images]):7.3f}")


def centre_map() -> Map:
    """The mean of the prior that is shipped, blurred."""
    frequencies = band(BLURS, 1e-3)
    mean = centre_bias.prior(centre_bias.CENTRE, frequencies).mean * frequencies.attenuation
    return rendered(mean, frequencies, [middles(c) for c in CELLS])


def _print_prediction(gaze: GazeData) -> None:
    """What `preview` predicts beside what was measured, on the images on which nothing was chosen."""
    print(
        f"\nPredicted by `preview` / measured, per STIMULUS, images 1011–1020 and subsets of their viewers, {DRAWS} draws"
    )
    for name, make, mechanism_for in (
        ("spectral", by_spectral(), spectral_heatmap),
        ("bounded Gaussian, its best grid", by_cells(**COARSE), partial(cell_heatmap, **COARSE)),
    ):
        for people in (15, 25, 50, 100):
            subsets = [first_people(one_image(gaze, j), people) for j in REPORTED]
            exact = [exact_maps(some, CELLS)[0] for some in subsets]
            cells = []
            for epsilon in EPSILONS:
                found = [
                    correlation(
                        make(some, epsilon, SecureRandom.for_tests(j).spawn(str(epsilon), str(d)))[0], one
                    )
                    for j, some, one in zip(REPORTED, subsets, exact, strict=True)
                    for d in range(DRAWS)
                ]
                viewing = Viewing(BLURS, people, 1.0)
                mechanism = mechanism_for(subsets[-1])
                predicted = mechanism.correlation(viewing, budget(subsets[-1], epsilon), people)
                cells.append(f"ε={epsilon:g}: {predicted:.2f} / {np.mean(found):.2f}")
            print(f"  {name:<34}n = {people:<5}" + "   ".join(cells))


def _print_measures(gaze: GazeData, exact: list[Map], fixations: Path) -> None:
    """All measures; NSS at the fixations of the 15 eye-tracked people of OSIE on the same images."""
    print(f"\nAll measures, spectral, per PERSON over all 20 images, images 1011–1020, {DRAWS} draws")
    print(f"  {'':<28}     MSE      CC      KL     SIM     NSS")
    looked = (
        pl.read_csv(fixations)
        .with_columns(number=pl.col("image").str.slice(0, 4))
        .filter(pl.col("x_px").is_between(0, 799) & pl.col("y_px").is_between(0, 599))
    )
    at = {}
    for j in REPORTED:
        own = looked.filter(pl.col("number") == gaze.stimuli[j])
        cell = SCREEN.cells(own["x_px"].to_numpy(), own["y_px"].to_numpy(), columns=CELLS[1], rows=CELLS[0])
        at[j] = np.bincount(cell, minlength=CELLS[0] * CELLS[1]).reshape(CELLS)
    kinds: dict[str, list[list[Map]]] = {"exact": [exact], "no data: shipped prior": [[centre_map()] * 20]}
    for epsilon in EPSILONS:
        random = SecureRandom.for_tests(7).spawn(str(epsilon))
        kinds[f"ε = {epsilon:g}"] = [by_spectral()(gaze, epsilon, random.spawn(str(d))) for d in range(DRAWS)]
    for name, draws in kinds.items():
        found = [
            [
                measure(maps[j], exact[j])
                for measure in (metrics.mse, metrics.correlation, metrics.kl_divergence, metrics.similarity)
            ]
            + [metrics.nss(maps[j], at[j])]
            for maps in draws
            for j in REPORTED
        ]
        print(f"  {name:<28}" + " ".join(f"{value:7.3f}" for value in np.mean(found, axis=0)))


def _print_dynamic(gaze: GazeData) -> None:
    """Space and time: the map of the first 130 samples of everyone, one stimulus by itself."""
    gaze = replace(gaze, time=_ranks(gaze))
    window, blur_time = (0.0, 130.0), 13.0
    form = replace(DEFAULTS, blurs=(blur_time / 130, *BLURS), cells=(20, 50, 67))
    print(
        f"\nDynamic maps of samples 0–130, blur {blur_time:g} samples and {BLUR_PX:g} px ({form.band.count} coefficients), "
        "per STIMULUS, images 1011–1020, CC over space and time"
    )
    found: dict[str, list[float]] = {}
    for j in REPORTED:
        one = one_image(gaze, j)
        exact = exact_dynamic(one, window, blur_time, form.cells)
        still = np.broadcast_to(exact.mean(axis=0), exact.shape)
        found.setdefault("no data: shipped prior", []).append(
            metrics.correlation(np.broadcast_to(sampled(centre_map(), form.cells[1:]), exact.shape), exact)
        )
        found.setdefault("exact, but not changing over time (not private)", []).append(
            metrics.correlation(still, exact)
        )
        mechanism = spectral_heatmap(one, form=form, window=window)
        for epsilon in EPSILONS:
            values, _ = made.release(
                mechanism, one, budget(one, epsilon), random=SecureRandom.for_tests(j).spawn(str(epsilon))
            )
            shown = values[one.stimuli[0], "heatmap"].astype(np.float64)
            found.setdefault(f"spectral, ε = {epsilon:g}", []).append(metrics.correlation(shown, exact))
    for name, values_of in found.items():
        print(f"  {name:<52}{np.mean(values_of):7.3f}")


def _ranks(gaze: GazeData) -> Map:
    """The number of each sample among those of its person and stimulus; the file's own numbers repeat here and there."""
    group = gaze.person * len(gaze.stimuli) + gaze.stimulus
    order = np.argsort(group, kind="stable")
    _, start, size = np.unique(group[order], return_index=True, return_counts=True)
    rank = np.empty(group.size)
    rank[order] = np.arange(group.size) - np.repeat(start, size)
    return rank


def exact_dynamic(
    gaze: GazeData, window: tuple[float, float], blur_time: float, cells: tuple[int, ...]
) -> Map:
    """Return the blurred mean of people's shares of space and time on one stimulus, from bins, at the published cells."""
    assert gaze.time is not None
    bins = (130, 150, 200)
    inside = (gaze.time >= window[0]) & (gaze.time <= window[1])
    share = 1.0 / np.bincount(gaze.person[inside], minlength=gaze.people)[gaze.person[inside]]
    place = (
        (gaze.time[inside] - window[0]) / (window[1] - window[0]),
        gaze.y_px[inside] / SCREEN.height_px,
        gaze.x_px[inside] / SCREEN.width_px,
    )
    number = [np.minimum((s * n).astype(np.int64), n - 1) for s, n in zip(place, bins, strict=True)]
    grid = np.bincount(np.ravel_multi_index(number, bins), share, int(np.prod(bins))).reshape(bins)
    sigma = (blur_time / (window[1] - window[0]) * bins[0], BLURS[0] * bins[1], BLURS[1] * bins[2])
    blurred = gaussian_filter(grid, sigma, mode="reflect", truncate=6)
    at = [np.minimum((middles(c) * n).astype(int), n - 1) for c, n in zip(cells, bins, strict=True)]
    one: Map = blurred[np.ix_(*at)]
    return one / one.mean()


def correlation(one: Map, exact: Map) -> float:
    """Return CC at the grid of the exact map: what is coarser is shown as it is, in large cells."""
    return metrics.correlation(sampled(one, exact.shape), exact)


def sampled(cells: Map, shape: tuple[int, ...]) -> Map:
    """Return a map at the middles of a grid of another shape."""
    at = [(middles(n) * side).astype(int) for n, side in zip(shape, cells.shape, strict=True)]
    return cells[np.ix_(*at)]
