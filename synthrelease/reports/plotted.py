"""`plot` of whatever has released values of one output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from synthrelease.reports.rasters import OPACITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from synthrelease.reports.views import OutputViews


class Plotted:
    """An output of a bundle, or what a call on arrays released: both are drawn alike."""

    def _pictured(self) -> tuple[OutputViews, bool]:
        """What there is to draw, and whether the noise can be repeated."""
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | NDArray[Any] | Sequence[Axes] | None = None,
        *,
        image: object = None,
        opacity: float = OPACITY,
        contours: bool = False,
        uncertainty: bool = False,
        **labels: object,
    ) -> Axes | NDArray[Any]:
        """Draw the released values: maps, curves with bands, points and bars with intervals, synthetic records, as reports do.

        Args:
            ax: axes of matplotlib, or several; None for the current ones, or for a new figure if there are several pictures.
            image: what lies under maps and scanpaths: a file, a folder with <stimulus>.png, or pixels of shape (height, width, 3).
            opacity: of the highest place of a map over an image, from 0 to 1.
            contours: draw lines of equal value on maps, too.
            uncertainty: draw the ± of each place of maps (95 %) in place of the map.
            labels: what to draw, by the names of axes, such as stimulus="1005"; `dataset="heatmap"` chooses a dataset.

        Returns:
            The axes; of several pictures an array, shape (n,), at most 12.

        Raises:
            ArgumentError: no such label or axis, nothing to draw, or not as many axes as pictures.
            BundleError: the values are not those that the manifest of a bundle lists.
            DataError: the image cannot be read.
            MachineError: matplotlib is not installed.

        Example:
            >>> from matplotlib.figure import Figure
            >>> from synthrelease.arrays import statistics
            >>> pupil = {"pupil_mm": [3.1, 3.3, 2.9, 4.0]}
            >>> ways = {"person": ["a", "b", "c", "d"], "values": pupil, "bounds": {"pupil_mm": (1.5, 8.0)}}
            >>> axes = Figure().subplots()
            >>> statistics(**ways, statistics=["mean"], epsilon=0.5).plot(ax=axes).get_xlabel()
            'pupil (mm)'
        """
        from synthrelease.reports.plots import Options, plot_output  # noqa: PLC0415  slow to import

        options = Options(labels, image, opacity, contours=contours, uncertainty=uncertainty)
        views, test_seed = self._pictured()
        return plot_output(views, ax, options, test_seed=test_seed)
