"""A bundle that gives its outputs as frames of pandas and datasets of xarray."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.bundle import Bundle
from synthrelease.bundle import open_bundle as _open

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


class ReadableBundle(Bundle):
    """A bundle that passed `verify --quick`; `bundle.Bundle` with two ways more to read it.

    `bundle["heatmaps"]["heatmap"]` is an array, read and compared with its digest when it is asked for.
    """

    def to_pandas(self, name: str) -> pd.DataFrame | dict[str, pd.DataFrame]:
        """Return an output as frames of pandas: one if it is one table, else a dict of them by the tables' names.

        The tables are those of `synthrelease export`; `attrs` of each state guarantee and units. Columns of
        known labels are categorical; integers that may be missing are of pandas' own type.

        Args:
            name: of the output.

        Raises:
            KeyError: no such output.
            BundleError: its values are not those that the manifest lists.
            MachineError: pandas is missing.
        """
        from synthrelease.exports.frames import frames_of  # noqa: PLC0415  polars and pandas are slow to import

        return frames_of(self, name)

    def to_xarray(self, name: str) -> xr.Dataset:
        """Return an output as a dataset of xarray; `attrs` say what is guaranteed, and units.

        Dimensions are the axes of its datasets, such as stimulus, y_px and x_px of heatmaps, with their coordinates; labels of records are texts.

        Args:
            name: of the output.

        Raises:
            KeyError: no such output.
            BundleError: its values are not those that the manifest lists.
            MachineError: xarray is missing.
        """
        from synthrelease.exports.arrays import dataset_of  # noqa: PLC0415  xarray is slow to import

        return dataset_of(self, name)


def open_bundle(path: str | Path, *, allow_test_seed: bool = False) -> ReadableBundle:
    """Open a bundle for reading.

    Args:
        path: the file.
        allow_test_seed: read a bundle although its noise can be repeated.

    Returns:
        A `ReadableBundle`: `manifest`, `names`, an output's datasets by its name, `to_pandas(name)`, `to_xarray(name)`.

    Raises:
        BundleError: `verify --quick` finds a fault.

    Example:
        >>> import tempfile
        >>> from synthrelease.building.builder import build
        >>> from synthrelease.demo import copy_sample
        >>> folder = copy_sample(tempfile.mkdtemp())
        >>> path = build(folder / "plan.toml", folder / "release.h5", test_seed=1).path
        >>> bundle = open_bundle(path, allow_test_seed=True)
        >>> bundle.names
        ('heatmaps', 'signals', 'summary', 'records')
        >>> bundle["heatmaps"]["heatmap"].shape
        (2, 100, 134)
    """
    opened = _open(path, allow_test_seed=allow_test_seed)
    return ReadableBundle(opened.path, opened.manifest)
