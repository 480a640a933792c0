"""Invented data and plans whose bundles are large: few people, many stimuli, long series, many rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease import build

PEOPLE, SAMPLES, FEATURES, STEPS, ROWS = 100, 20, 10, 1000, 20
_HEAD = """
[release]
name = "large"
version = "1"
title = "Invented"
[privacy]
epsilon = 1.0
delta = 1e-6
"""
_GAZE = """
[inputs.gaze]
kind = "gaze"
path = "gaze.parquet"
columns = { person = "person", stimulus = "stimulus", x = "x", y = "y" }
screen = { width_px = 800, height_px = 600 }
assume_public = ["stimuli", "assignment"]
[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
"""


@dataclass(frozen=True)
class Kind:
    """A kind of output, and about how many of its units make a bundle of a megabyte."""

    name: str
    units_a_megabyte: float
    write: Callable[[Path, int], None]

    def bundle(self, folder: Path, units: int) -> Path:
        """Build a bundle of so many units, and return it."""
        self.write(folder, units)
        path = folder / f"{units}.h5"
        build(folder / "plan.toml", path)
        return path


def _heatmaps(folder: Path, stimuli: int, words: str) -> None:
    rng = np.random.default_rng(stimuli)
    person = np.repeat(np.arange(PEOPLE), stimuli * SAMPLES)
    stimulus = np.tile(np.repeat(np.arange(stimuli), SAMPLES), PEOPLE)
    place = rng.uniform((0, 0), (800, 600), (person.size, 2))
    gaze = pl.DataFrame({"person": person, "stimulus": stimulus, "x": place[:, 0], "y": place[:, 1]})
    gaze.with_columns(pl.col("person", "stimulus").cast(pl.String)).write_parquet(folder / "gaze.parquet")
    (folder / "plan.toml").write_text(_HEAD + _GAZE + words, "utf-8")


def _signals(folder: Path, recordings: int) -> None:
    """Series of few steps: the release holds their last values to the public length."""
    each = STEPS // 20
    person = np.repeat(np.arange(PEOPLE), recordings * each)
    recording = np.tile(np.repeat(np.arange(recordings), each), PEOPLE)
    labels = {"person": person, "recording": recording}
    _features(
        folder,
        labels,
        FEATURES,
        'columns = { person = "person", recording = "recording" }\nassume_public = ["recordings"]',
        f'kind = "signals"\nmechanism = "fpa"\nquery = "each"\nlength = {STEPS}\n',
    )


def _records(folder: Path, rows: int) -> None:
    labels = {"person": np.repeat(np.arange(PEOPLE), ROWS)}
    words = f'kind = "records"\nmodel = "marginals"\nfit = "dp"\nrows = {rows}\n'
    _features(folder, labels, 2 * FEATURES, 'columns = { person = "person" }', words)


def _features(folder: Path, labels: dict[str, np.ndarray], features: int, columns: str, output: str) -> None:
    rng = np.random.default_rng(len(labels))
    table = pl.DataFrame(labels).with_columns(pl.all().cast(pl.String))
    values = {f"f{f}": rng.uniform(0, 1, len(table)).astype(np.float32) for f in range(features)}
    table.with_columns(**{name: pl.Series(one) for name, one in values.items()}).write_parquet(
        folder / "features.parquet"
    )
    bounds = "\n".join(f"{name} = [0.0, 1.0]" for name in values)
    (folder / "plan.toml").write_text(
        f'{_HEAD}[inputs.features]\nkind = "features"\npath = "features.parquet"\n{columns}\n'
        f'[inputs.features.bounds]\n{bounds}\n[[outputs]]\nname = "own"\ninput = "features"\n{output}',
        "utf-8",
    )


KINDS = (  # units: stimuli, stimuli, recordings, rows
    Kind(
        "heatmap, gaussian",
        0.504,
        lambda folder, n: _heatmaps(folder, n, 'mechanism = "gaussian"\n'),
    ),
    Kind(
        "heatmap, spectral",
        0.594,
        lambda folder, n: _heatmaps(folder, n, "width_px = 800\nheight_px = 600\n"),
    ),
    Kind("signals, FPA of each person", 0.43, _signals),
    Kind("records, marginals", 7300.0, _records),
)
