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
TARGET = Path(__file__).parent.parent / "synthrelease" / "demo"


def main(folder: Path) -> None:
    """Write the two files."""
    gaze = pl.read_csv(folder / "osie_mouse" / "samples.csv.gz").filter(pl.col("image").is_in(IMAGES))
    _write(
        gaze.select(pl.format("w{}", "worker").alias("person"), "image", "x_px", "y_px"),
        "attention.csv.gz",
    )
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


def _write(frame: pl.DataFrame, name: str) -> None:
    # No file name and no time in the gzip header: the same bytes every time.
    with (TARGET / name).open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as file:
        file.write(frame.write_csv().encode())
    print(f"{name}: {frame.height} rows, {(TARGET / name).stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
