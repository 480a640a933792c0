"""Pictures of a bundle as files: a PNG for each map, such as each stimulus's, and for each chart of curves, such as each feature's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.bundle import Bundle
from synthrelease.errors import MachineError
from synthrelease.reports.figures import map_figure, save_png, strip_figure
from synthrelease.reports.file_names import FileNames
from synthrelease.reports.guarantee_words import guarantee_caption
from synthrelease.reports.photographs import Photographs
from synthrelease.reports.released import Released
from synthrelease.reports.signal_figures import signals_figure
from synthrelease.reports.views import CurveView, OutputViews, labelled_views

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def pictured(bundle: Bundle) -> list[tuple[str, str]]:
    """Return what `draw` makes pictures of, in its order: names of outputs, each with the label of a picture."""
    with Released(bundle.path, bundle.manifest) as released:
        return [(views.name, label) for views, label in labelled_views(bundle.manifest, released)]


def draw(bundle: Bundle, folder: Path, *, stimuli: Path | None = None) -> Iterator[Path]:
    """Draw every heatmap to `folder`/<output>-<stimulus>.png, every mean signal to <output>-<feature>.png; yield each path.

    What is no letter, digit, - or _ in a label is - in a name.

    Args:
        bundle: an open bundle.
        folder: made if needed.
        stimuli: a folder with pictures called <stimulus>.png or .jpg, to draw the maps over; maps without a picture are drawn as they are.

    Raises:
        DataError: a picture of a stimulus cannot be read.
        MachineError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        names, photographs = FileNames(), Photographs(stimuli)
        with Released(bundle.path, bundle.manifest) as released:
            for views, label in labelled_views(bundle.manifest, released):
                path = folder / f"{names.of(views.name, label)}.png"
                save_png(_figure(views, label, photographs, bundle.manifest), path)
                yield path
    except OSError as error:
        raise MachineError(
            "cannot-write",
            "the figures cannot be written",
            where=str(folder),
            found=error.strerror or "",
            remedy="choose another folder, or check its permissions",
        ) from None


def _figure(views: OutputViews, label: str, photographs: Photographs, manifest: dict[str, Any]) -> Figure:
    common: dict[str, Any] = {
        "title": f"{views.name}: {label}",
        "caption": "\n".join(guarantee_caption(manifest, views.output)),
    }
    view = views.view(label)
    if isinstance(view, CurveView):
        return signals_figure(view.curves, x=view.x, x_label=view.x_label, y_label=view.y_label, **common)
    common["stimulus"] = photographs.pixels(label)
    if view.times is not None:
        return strip_figure(view.cells, view.legend, times=view.times, **common)
    return map_figure(view.cells, view.legend, half_width=view.half_width, **common)
