"""How far released heatmaps are from the exact ones: at their peaks and elsewhere.

Prior and uncertainty were chosen on the simulated studies: people are OSIE's on images 1021–1700 and those of `saliency_in_crowd`, whose fixations are scattered
so that a map is as flat as one of 100 people. Nothing of osie_mouse was used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from studies._osie_mouse import BLURS, CELLS, Map, attention, exact_maps
from studies.heatmaps import budget, spectral_heatmap
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.values import Values
from synthrelease.numerics.binning import integer_shares
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.numerics.spectrum import WEIGHT, point_coefficients, positions, rendered

DRAWS = 5
EPSILONS = (0.5, 1.0, 3.0, 8.0)
FORM = SpectralForm(BLURS, CELLS)
IMAGES, SCATTERED = 60, 6  # of a simulated study, and people made of one
LEFT = 45.0  # people's maps after clipping on an image, as in osie_mouse
# File, width and height of the screen, last image that is not used, scatter of fixations in pixels.
SIMULATED = {
    "OSIE 1021–1700": ("osie", 800, 600, 1020, 20.0),
    "saliency_in_crowd": ("saliency_in_crowd", 1024, 768, 0, 12.0),
}
HEAD = f"{'':<34}     CC   height   at peaks   in cells   width"

Judged = tuple[float, float, bool, float, float]


def run(folder: Path) -> None:
    """Print all tables."""
    gaze = attention(folder)
    mechanism, exact = spectral_heatmap(gaze), exact_maps(gaze, CELLS)
    deviations = {
        epsilon: mechanism.calibrated_noise(budget(gaze, epsilon)).standard_deviation for epsilon in EPSILONS
    }
    print(
        "CC; height of the released map at the exact one's peak, as a share (median); how often two uncertainties reach the\n"
        "exact map at its peak, and in cells; mean width of the band, a quarter of it above and below what is released, cut at 0"
    )
    for name, source in SIMULATED.items():
        print(f"\nSimulated, {name}: on these prior and uncertainty were chosen, {IMAGES} maps\n{HEAD}")
        maps = list(simulated(folder / source[0] / "fixations_tidy.csv.gz", *source[1:]))
        for epsilon, deviation in deviations.items():
            random = np.random.default_rng(round(10 * epsilon))
            print_row(epsilon, [_judged_simulation(m, deviation, random) for m in maps])
    print(f"\nosie_mouse, 1001–1020, one budget per person over all 20, {DRAWS} releases\n{HEAD}")
    collected = mechanism.collect(gaze)
    for epsilon in EPSILONS:
        judgements = []
        for draw in range(DRAWS):
            random = SecureRandom.for_tests(draw).spawn(str(epsilon))
            drawn = mechanism.draw(collected, budget(gaze, epsilon), random)
            values = Values(drawn.parameters, drawn.event, drawn.arrays)
            shown, errs = values.array("heatmap"), values.array("uncertainty")
            judgements += [judged(*one) for one in zip(shown, errs, exact, strict=True)]
        print_row(epsilon, judgements)


def judged(shown: Map, uncertainty: Map, exact: Map) -> Judged:
    """Return what a row of a table is the mean of."""
    peak = int(exact.argmax())
    low, high = np.maximum(shown - 2 * uncertainty, 0), shown + 2 * uncertainty
    inside = (low <= exact) & (exact <= high)
    correlation = float(np.corrcoef(shown.ravel(), exact.ravel())[0, 1])
    height = float(shown.flat[peak] / exact.flat[peak])
    return correlation, height, bool(inside.flat[peak]), float(inside.mean()), float((high - low).mean() / 4)


def print_row(epsilon: float, judgements: list[Judged]) -> None:
    """Print the means, of heights the median."""
    correlation, height, peaks, cells, width = np.array(judgements, dtype=np.float64).T
    print(
        f"  {f'ε = {epsilon:g}':<32}{correlation.mean():7.3f}{np.median(height):9.2f}{peaks.mean():11.0%}"
        f"{cells.mean():11.1%}{width.mean():8.2f}",
        flush=True,
    )


def simulated(path: Path, width: int, height: int, last: int, scatter_px: float) -> Iterator[tuple[Map, Map]]:
    """Yield coefficients of the mean of people's maps, and of the mean of clipped people's, all of whom are clipped to one norm."""
    random = np.random.default_rng(11)
    table = (
        pl.read_csv(path)
        .with_columns(number=pl.col("image").str.strip_suffix(".jpg").cast(pl.Int64))
        .filter(
            (pl.col("number") > last)
            & pl.col("x_px").is_between(0, width - 1)
            & pl.col("y_px").is_between(0, height - 1)
        )
    )
    images = np.sort(random.permutation(table["number"].unique().sort().to_numpy())[:IMAGES])
    for image in images:
        rows = table.filter(pl.col("number") == image)
        people = []
        for (_, own), _again in (
            (one, n) for one in rows.group_by("observer", maintain_order=True) for n in range(SCATTERED)
        ):
            at = own.select("y_px", "x_px").to_numpy().T + random.normal(0, scatter_px, (2, own.height))
            places = positions(np.clip(at / [[height], [width]], 0, 1))
            ones = np.ones(own.height, dtype=np.int64)
            people.append(point_coefficients(places, integer_shares(0 * ones, ones, WEIGHT), FORM.band))
        each = np.array(people)
        left = 1 / np.linalg.norm(each * FORM.steps(), axis=1)
        yield each.mean(axis=0), left @ each / left.sum()


def _judged_simulation(one: tuple[Map, Map], deviation: float, random: np.random.Generator) -> Judged:
    exact, clipped = one
    sums = clipped * FORM.steps() * LEFT
    noisy = np.rint(sums + random.normal(0, deviation, sums.size)).astype(np.int64)
    shown = FORM.heatmap(noisy, normalization=LEFT, deviation=deviation)
    errs = FORM.uncertainty(shown, normalization=LEFT, normalization_error=0.0, deviation=deviation)
    truth = np.maximum(rendered(exact * FORM.band.attenuation, FORM.band, FORM.places()), 0)
    return judged(shown, errs, truth)
