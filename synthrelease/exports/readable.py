"""A bundle that gives its outputs as frames of pandas and datasets of xarray."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from numpy.typing import NDArray

from synthrelease.bundle import Bundle
from synthrelease.bundle import open_bundle as _open
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.bundle.output_tree import Output
from synthrelease.printable import short_repr
from synthrelease.reports.plotted import Plotted

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.axes import Axes

    from synthrelease.reports.views import OutputViews

    Frames = pd.DataFrame | dict[str, pd.DataFrame]


class ReadableOutput(Plotted, Output):
    """An output of a bundle: its datasets by path, and `plot`."""

    def __repr__(self) -> str:
        return short_repr(self, f"{self.name!r}: {_seed(self._stored.manifest)}{', '.join(self)}")

    def _repr_html_(self) -> str:
        from synthrelease.reports.notebook_cards import output_card  # noqa: PLC0415  only for a notebook

        return output_card(self._stored.manifest, self.name).html

    def _pictured(self) -> tuple[OutputViews, bool]:
        from synthrelease.reports.views import OutputViews  # noqa: PLC0415  slow to import

        manifest = self._stored.manifest
        entry = next(output for output in manifest["outputs"] if output["name"] == self.name)
        return OutputViews(self._stored, entry), bool(manifest["randomness"]["test_seed"])


class ReadableBundle(Bundle):
    """A bundle that passed `verify --quick`: a mapping of its outputs, also as frames of pandas and datasets of xarray.

    `bundle["heatmaps"]["heatmap"]` and `bundle["heatmaps/heatmap"]` are a `LazyDataset`; `bundle["heatmaps/1005/heatmap"]` is the item
    of a stimulus. Values are read, and compared with their digests, when they are asked for. `close`, or the end of a `with`, closes the
    file; then names, shapes and the manifest stay. Several threads may read.
    """

    output_type = ReadableOutput

    def __repr__(self) -> str:
        return short_repr(self, f"{str(self.path)!r}: {_seed(self.manifest)}{', '.join(self.names)}")

    def _repr_html_(self) -> str:
        from synthrelease.reports.notebook_cards import bundle_card  # noqa: PLC0415  only for a notebook

        return bundle_card(self.manifest, kind="Bundle", verified=False).html

    def plot(self, ax: NDArray[Any] | Sequence[Axes] | None = None) -> Axes | NDArray[Any]:
        """Draw an overview: the first picture of each output, in the units of its values; `bundle["heatmaps"].plot()` draws more.

        Args:
            ax: axes of matplotlib, one for each output that has a picture, shape (outputs,); None for a new figure.

        Returns:
            The axes, shape (outputs,); of one output its axes.

        Raises:
            ArgumentError: nothing to draw, or not as many axes as pictures.
            BundleError: the values are not those that the manifest lists.
            MachineError: matplotlib is not installed.
        """
        from synthrelease.reports.plots import plot_overview  # noqa: PLC0415  slow to import

        return plot_overview(self.stored, ax)

    @overload
    def to_pandas(self, name: None = None) -> dict[str, Frames]: ...

    @overload
    def to_pandas(self, name: str) -> Frames: ...

    def to_pandas(self, name: str | None = None) -> Frames | dict[str, Frames]:
        """Return an output as frames of pandas: one if it is one table, else a dict of them by the tables' names.

        The tables are those of `synthrelease export`; `attrs` of each state guarantee and units. Columns of
        known labels are categorical; integers that may be missing are of pandas' own type.

        Args:
            name: of the output; None for a dict of all, by their names.

        Raises:
            KeyError: no such output.
            BundleError: its values are not those that the manifest lists.
            MachineError: pandas is missing.
        """
        # polars and pandas are slow to import
        from synthrelease.exports.frames import frames_of  # noqa: PLC0415
        from synthrelease.exports.sources import source_of  # noqa: PLC0415

        if name is None:
            return {each: frames_of(source_of(self, each)) for each in self.names}
        return frames_of(source_of(self, name))

    @overload
    def to_xarray(self, name: None = None) -> xr.DataTree: ...

    @overload
    def to_xarray(self, name: str) -> xr.Dataset: ...

    def to_xarray(self, name: str | None = None) -> xr.Dataset | xr.DataTree:
        """Return an output as a dataset of xarray; `attrs` say what is guaranteed, the unit of privacy, and units.

        Dimensions are the axes of its datasets, such as stimulus, y_px and x_px of heatmaps, with their coordinates; labels of records are texts.

        Args:
            name: of the output; None for a `DataTree` of all, whose own `attrs` are of the whole release.

        Raises:
            KeyError: no such output.
            BundleError: its values are not those that the manifest lists.
            MachineError: xarray is missing.
        """
        # xarray is slow to import
        from synthrelease.exports.arrays import dataset_of, tree_of  # noqa: PLC0415
        from synthrelease.exports.sources import source_of  # noqa: PLC0415

        return tree_of(self) if name is None else dataset_of(source_of(self, name))


def _seed(manifest: dict[str, Any]) -> str:
    return f"{TEST_SEED_WORDS}; " if manifest["randomness"]["test_seed"] else ""


def open_bundle(path: str | Path, *, allow_test_seed: bool = False) -> ReadableBundle:
    """Open a bundle for reading.

    Args:
        path: the file.
        allow_test_seed: read a bundle although its noise can be repeated.

    Returns:
        A `ReadableBundle`: a mapping of outputs, with `manifest`, `guarantee`, `to_pandas`, `to_xarray`, `verify` and `close`.

    Raises:
        ArgumentError: something else in the place of a path.
        BundleError: `verify --quick` finds a fault.

    Example:
        >>> import tempfile
        >>> from synthrelease.building.builder import build
        >>> from synthrelease.demo import copy_sample
        >>> folder = copy_sample(tempfile.mkdtemp())
        >>> path = build(folder / "plan.toml", folder / "release.h5", test_seed=1).path
        >>> with open_bundle(path, allow_test_seed=True) as bundle:
        ...     list(bundle)
        ...     bundle["heatmaps"]["heatmap"].shape  # nothing is read
        ...     bundle["heatmaps/1005/heatmap"][:10, :10].shape
        ['heatmaps', 'signals', 'summary', 'records']
        (2, 100, 134)
        (10, 10)
    """
    from synthrelease.data.arguments import named  # noqa: PLC0415  numpy is slow to import

    (path,) = named([path], "open_bundle().path", "the path of a bundle", 'write open_bundle("release.h5")')
    opened = _open(path, allow_test_seed=allow_test_seed)
    return ReadableBundle(opened.path, opened.manifest)
