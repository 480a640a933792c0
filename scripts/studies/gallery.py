"""Pictures of what is released beside what stays private (docs/evidence/gallery.md): maps, records, areas, noise; and two as exported.

Nothing was chosen by how it looks: every third of the images on which no default was chosen, one draw, seeded. What is exported has real noise.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import made
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

import synthrelease
from studies import heatmaps
from studies._gallery_figures import Row, draw_histograms, draw_maps, draw_noise, draw_shares
from studies._ier2023 import BOUNDS, windows
from studies._makers import MAKERS
from studies._osie_mouse import CELLS, REPORTED, SCREEN, attention, exact_maps
from synthrelease.data.area_shapes import RECTANGLE
from synthrelease.data.areas import Area, PlacedAreas
from synthrelease.data.gaze import GazeData
from synthrelease.demo import copy_sample
from synthrelease.dp.budget import GAUSSIAN
from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom, rounded_gaussian
from synthrelease.errors import PolicyError
from synthrelease.numerics.binning import equal_width_edges
from synthrelease.reports import pictures

SHOWN = ("1011", "1014", "1017", "1020")
EPSILONS = (1.0, 3.0)
# Theorem 3.4 bounds no person's total, and has one cell a pixel; 20 maps of 600 × 800.
PUBLISHED = {"rows": 600, "columns": 800, "max_samples": None}
FEATURES = {
    "pupil_l_mean_mm": "left pupil, mm",
    "openness_mean": "eye openness",
    "blink_rate_hz": "blinks a second",
}
RECORDS = ("seeded, tree", "marginals, independent, DP ε = 3")
SIGMA, DRAWN = 20.0, 1_000_000
SEED = 2022
MOVING = """
[release]
name = "moving"
version = "1.0.0"
title = "Attention over time"
[privacy]
epsilon = 3.0
delta = 1e-5
[inputs.attention]
kind = "gaze"
path = "{data}/osie_mouse/samples.csv.gz"
columns = {{ person = "worker", stimulus = "image", x = "x_px", y = "y_px", time = "sample_index" }}
screen = {{ width_px = 800, height_px = 600 }}
stimuli = ["1005"]
assume_public = ["assignment"]
[[outputs]]
name = "attention"
kind = "heatmap"
input = "attention"
blur_px = 24
window = [0, 150]
frames = 8
"""

Map = NDArray[np.float64]


def run(data: Path) -> None:
    """Print what the pictures show as numbers."""
    gaze = attention(data)
    exact = exact_maps(gaze, CELLS)
    print(
        f"Heatmaps: {gaze.people} people, {len(gaze.stimuli)} images, {int(gaze.assigned.sum(0).min())} to "
        f"{int(gaze.assigned.sum(0).max())} people an image; one budget over all images, δ = {gaze.people}^(−3/2) = "
        f"{heatmaps.budget(gaze, 1).delta:.1e}; {_refusal(gaze)}"
    )
    print(
        "\n| CC with the exact map | "
        + " | ".join(SHOWN)
        + " | mean of 1011–1020 |\n|---|"
        + "---|" * (len(SHOWN) + 1)
    )
    for label, maps in map_rows(gaze).items():
        told = [heatmaps.correlation(one, own) for one, own in zip(maps, exact, strict=True)]
        shown = [told[gaze.stimuli.index(image)] for image in SHOWN]
        mean = float(np.mean([told[j] for j in REPORTED]))
        print(
            f"| {label} | " + " | ".join(f"{value:.2f}".replace("-", "−") for value in (*shown, mean)) + " |"
        )


def draw(data: Path, out: Path) -> None:
    """Draw the pictures of docs/evidence/gallery.md."""
    gaze = attention(data)
    draw_heatmaps(gaze, out / "gallery_heatmaps.png")
    draw_areas(gaze, out / "gallery_areas.png")
    draw_records(data, out / "gallery_records.png")
    draw_check(out / "gallery_noise.png")
    draw_exports(data, out)


def map_rows(gaze: GazeData) -> dict[str, list[Map]]:
    """Return maps of all images by label: ours, the published mechanism's with exact calibration, and what no one's data give."""
    rows = {}
    for name, make in (
        ("synthrelease", heatmaps.by_spectral()),
        ("Liu et al. 2019, exact calibration", heatmaps.by_cells(calibration="exact", **PUBLISHED)),
    ):
        for epsilon in EPSILONS:
            random = SecureRandom.for_tests(SEED).spawn("gallery", name, str(epsilon))
            rows[f"{name}, ε = {epsilon:g}"] = make(gaze, epsilon, random)
    rows["no data at all: the centre bias"] = [heatmaps.centre_map()] * len(gaze.stimuli)
    return rows


def draw_heatmaps(gaze: GazeData, path: Path) -> None:
    """True against private maps, with CC."""
    exact = exact_maps(gaze, CELLS)
    places = [gaze.stimuli.index(image) for image in SHOWN]
    rows = [Row("exact: stays private", [exact[j] for j in places])]
    for label, maps in map_rows(gaze).items():
        told = [heatmaps.correlation(maps[j], exact[j]) for j in places]
        rows.append(Row(label, [heatmaps.sampled(maps[j], CELLS) for j in places], told))
    draw_maps(SHOWN, rows, path)


def draw_areas(gaze: GazeData, path: Path) -> None:
    """Dwell shares of nine parts of the screen."""
    width, height = SCREEN.width_px, SCREEN.height_px
    parts = []
    for r, row in enumerate(("top", "middle", "bottom")):
        for c, column in enumerate(("left", "centre", "right")):
            corners = ((c * width / 3, r * height / 3), ((c + 1) * width / 3, (r + 1) * height / 3))
            parts.append(Area(f"{row} {column}", RECTANGLE, corners))
    viewers = gaze.assigned.sum(axis=0)
    mechanism = made.areas(
        areas=PlacedAreas(tuple(parts)),
        stimuli=gaze.stimuli,
        noise=GAUSSIAN,
        max_stimuli=len(gaze.stimuli),
        viewers=tuple(viewers.tolist()),
        assignment_public=True,
        people=gaze.people,
        screen=SCREEN,
    )
    sums = mechanism.collect(gaze)["dwell/noisy"].astype(np.float64)
    exact = sums / sums.sum(axis=1, keepdims=True)
    shown = [gaze.stimuli.index(image) for image in SHOWN[:2]]
    whole = float(sums[shown].sum() / viewers[shown].sum())  # of one person on one image
    panels = {f"image {gaze.stimuli[j]}, {viewers[j]} people": {"exact": exact[j, :-1]} for j in shown}
    errors = {}
    for epsilon in EPSILONS:
        name = f"released, ε = {epsilon:g}"
        random = SecureRandom.for_tests(SEED).spawn("areas", str(epsilon))
        values, drawn = made.release(mechanism, gaze, heatmaps.budget(gaze, epsilon), random=random)
        noise = noise_of(drawn.event)
        assert noise is not None
        errors[name] = noise.standard_deviation / whole / float(viewers[shown].mean())
        for j, panel in zip(shown, panels.values(), strict=True):
            panel[name] = values[gaze.stimuli[j], "dwell", "shares"].astype(np.float64)[:-1]
    draw_shares([part.name for part in parts], panels, errors, path)


def draw_records(data: Path, path: Path) -> None:
    """One-way marginals of synthetic records beside the real ones."""
    rows = windows(data).thinned(4)
    shown = {"real (24 people)": rows.values}
    for maker in MAKERS:
        if maker.name in RECORDS:
            random = SecureRandom.for_tests(SEED).spawn("records", maker.name)
            shown[maker.name] = replace(maker, records=len(rows.values))(rows, random).values
    features = {}
    for name, label in FEATURES.items():
        edges = equal_width_edges(*BOUNDS[name], 10)
        column = list(BOUNDS).index(name)
        shares = {
            kind: np.histogram(values[:, column], edges)[0] / len(values) for kind, values in shown.items()
        }
        features[label] = (edges, shares)
    draw_histograms(features, path)


def draw_check(path: Path) -> None:
    """A million integers of rounded Gaussian noise beside the exact probabilities."""
    noise = rounded_gaussian(SIGMA, DRAWN, random=SecureRandom.for_tests(SEED).spawn("noise"))
    reach = int(3.5 * SIGMA)
    values = np.arange(-reach, reach + 1)
    counts = np.array([(noise == value).sum() for value in values], dtype=np.float64)
    share = ndtr((values + 0.5) / SIGMA) - ndtr((values - 0.5) / SIGMA)
    draw_noise(counts, values.astype(np.float64), DRAWN * share, np.sqrt(DRAWN * share * (1 - share)), path)


def draw_exports(data: Path, out: Path) -> None:
    """Draw a map with its uncertainty, and one over time, as `synthrelease export` does, with noise of the operating system."""
    with tempfile.TemporaryDirectory() as name:
        folder = copy_sample(Path(name))
        (folder / "moving.toml").write_text(MOVING.format(data=data.resolve()), encoding="utf-8")
        for plan, shown, picture in (
            ("plan.toml", "heatmaps-1012.png", "heatmap_uncertainty.png"),
            ("moving.toml", "attention-1005.png", "heatmap_dynamic.png"),
        ):
            built = synthrelease.build(folder / plan, folder / f"{picture}.h5")
            drawn = {
                path.name: path
                for path in pictures.draw(synthrelease.open_bundle(built.path), folder / picture)
            }
            shutil.copyfile(drawn[shown], out / picture)


def _refusal(gaze: GazeData) -> str:
    """Whether the paper's own calibration would do for a person over all images."""
    try:
        heatmaps.by_cells(calibration="liu2019", **PUBLISHED)(gaze, 1.0, SecureRandom.for_tests(SEED))
    except PolicyError as error:
        return f"Theorem 3.4 as printed is refused: {error}"
    return "Theorem 3.4 as printed is accepted"
