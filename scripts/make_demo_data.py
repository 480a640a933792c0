#!/usr/bin/env python3
"""Make the sample data inside the package from the public originals: scripts/make_demo_data.py FOLDER.

FOLDER holds `osie_mouse/samples.csv.gz` and `ier2023_vr_pupil/features_10s_0p5s.csv.gz`. People of the two studies
are different people: their labels get a letter, so that no one is taken for someone else.
"""

import gzip
import sys
from pathlib import Path

import polars as pl

IMAGES = [1005, 1012]
MIDDLE_PX = 399.5, 299.5  # of pixels that are numbered from 0
BLOCKS, SAMPLES = 30, 4  # of mouse-tracked attention
TARGET = Path(__file__).parent.parent / "synthrelease" / "demo"


def main(folder: Path) -> None:
    """Write the three files."""
    samples = pl.read_csv(folder / "osie_mouse" / "samples.csv.gz")
    gaze = samples.with_columns(pl.format("w{}", "worker").alias("person"))
    of_two = gaze.filter(pl.col("image").is_in(IMAGES))
    _write(of_two.select("person", "image", "x_px", "y_px"), "attention.csv.gz")
    _write(_distances(gaze), "distance.csv.gz")
    features = pl.read_csv(folder / "ier2023_vr_pupil" / "features_10s_0p5s.csv.gz")
    _write(
        features.select(
            pl.format("p{}", "participant").alias("person"),
            "condition",
            pl.col("t_center_s").alias("time_s"),
            "pupil_l_mean_mm",
            "openness_mean",
            "openness_sd",
            "blink_rate_hz",
        ),
        "pupil.csv.gz",
    )


def _distances(gaze: pl.DataFrame) -> pl.DataFrame:
    """How far from the middle of the photographs each person's attention was, in blocks of samples, over all 20 photographs."""
    across, down = pl.col("x_px") - MIDDLE_PX[0], pl.col("y_px") - MIDDLE_PX[1]
    block, distance = (pl.col("sample_index") - 1) // SAMPLES, (across**2 + down**2).sqrt()
    of_images = (
        gaze.with_columns(block=block, distance_px=distance)
        .filter(pl.col("block") < BLOCKS)
        .group_by("person", "image", "block")
        .agg(pl.mean("distance_px"))
    )
    of_people = of_images.group_by("person", "block").agg(pl.mean("distance_px").round(1))
    return of_people.sort(pl.col("person").str.slice(1).cast(pl.Int64), "block")


def _write(frame: pl.DataFrame, name: str) -> None:
    # No file name and no time in the gzip header: the same bytes every time.
    with (TARGET / name).open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
        file.write(frame.write_csv().encode())
    print(f"{name}: {frame.height} rows, {(TARGET / name).stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
