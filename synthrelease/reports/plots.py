"""`.plot`: which pictures of an output are drawn, and on which axes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.bundle.stored_values import StoredValues
from synthrelease.errors import ArgumentError
from synthrelease.extras import require
from synthrelease.number_words import listed
from synthrelease.reports.drawings import Drawing, Manner, drawings_of
from synthrelease.reports.exhibits import PICTURES
from synthrelease.reports.look import Look, joined
from synthrelease.reports.photographs import Photographs, read_picture
from synthrelease.reports.rasters import OPACITY
from synthrelease.reports.tabular_drawings import Where
from synthrelease.reports.views import OutputViews

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Pixels = NDArray[np.uint8]
_ACROSS = 3  # panels of a figure
_PANEL_IN = (4.2, 3.4)  # width and height
_TITLE, _UPRIGHT = 44, 34  # characters in a line above or below a panel, and left of it


@dataclass(frozen=True)
class Options:
    """What callers of `.plot` choose."""

    where: Where = field(default_factory=dict)  # labels, by the names of axes, such as {"stimulus": "1005"}
    image: object = (
        None  # what lies under maps and scanpaths: a picture file, a folder with <stimulus>.png, or pixels
    )
    opacity: float = OPACITY  # of the highest place of a map over an image, from 0 to 1
    _: KW_ONLY
    contours: bool = False  # whether to draw lines of equal value, too
    uncertainty: bool = False  # whether to draw the ± of each place of maps (95 %) in place of the map


def plot_output(views: OutputViews, ax: object, options: Options, *, test_seed: bool) -> Axes | NDArray[Any]:
    """Draw what a release shows of an output.

    Args:
        views: of the output.
        ax: axes of matplotlib, or several; None for the current ones, or for a new figure if there are several pictures.
        options: what to draw, and how.
        test_seed: whether the noise can be repeated.

    Returns:
        The axes; of several pictures an array, shape (n,).

    Raises:
        ArgumentError: there is no such label or axis, nothing to draw, or not as many axes as pictures.
        DataError: the image cannot be read.
        MachineError: matplotlib is not installed.
    """
    require("matplotlib")
    if not 0 <= options.opacity <= 1:
        raise ArgumentError(
            "bad-opacity",
            "there is no such opacity",
            where="plot().opacity",
            expected="from 0 to 1",
            remedy="write one of these, such as opacity=0.6",
        )
    image = _image(options.image)
    manner = Manner(
        options.where,
        image,
        options.opacity,
        contours=options.contours,
        uncertainty=options.uncertainty,
    )
    every = list(drawings_of(views, manner))
    chosen = _chosen(every, options.where)
    return _draw([(views.name, one) for one in chosen[:PICTURES]], ax, len(chosen), test_seed=test_seed)


def plot_overview(stored: StoredValues, ax: object) -> Axes | NDArray[Any]:
    """Draw the first picture of each output of an open bundle; axes, result and errors as for `plot_output`."""
    require("matplotlib")
    every = [OutputViews(stored, output) for output in stored.manifest["outputs"]]
    firsts = [(views.name, next(drawings_of(views, Manner()), None)) for views in every]
    drawings = [(name, first) for name, first in firsts if first is not None]
    test_seed = bool(stored.manifest["randomness"]["test_seed"])
    return _draw(drawings[:PICTURES], ax, len(drawings), test_seed=test_seed)


def _chosen(drawings: Sequence[Drawing], where: Where) -> list[Drawing]:
    """The drawings that show all labels that are asked for."""
    chosen = list(drawings)
    for name, value in where.items():
        with_axis = [one for one in chosen if name in one.shows]
        if not with_axis:
            names = dict.fromkeys(key for one in drawings for key in one.shows)
            raise ArgumentError(
                "unknown-argument",
                f"there is nothing to choose by '{name}'",
                where="plot()",
                expected="an option of plot, or one of " + ", ".join(names),
                remedy="choose by the name of an axis",
            )
        chosen = [one for one in with_axis if str(value) in one.shows[name]]
        if not chosen:
            labels = list(dict.fromkeys(label for one in with_axis for label in one.shows[name]))
            raise ArgumentError(
                "no-such-label",
                f"there is no picture of that {name}",
                where=f"plot().{name}",
                found=repr(value) if isinstance(value, str) else type(value).__name__,
                expected=f"one of {listed(labels, 8)}",
                remedy="write one of these",
            )
    return chosen


def _draw(
    drawings: Sequence[tuple[str, Drawing]], ax: object, of: int, *, test_seed: bool
) -> Axes | NDArray[Any]:
    if not drawings:
        raise ArgumentError(
            "nothing-to-plot",
            "there is nothing to draw of this release",
            where="plot()",
            remedy="read its arrays",
        )
    axes = _axes(ax, drawings, of)
    look = Look(ranges=joined(range_of for _, drawing in drawings for range_of in drawing.ranges()))
    for axis, (name, drawing) in zip(axes, drawings, strict=False):
        drawing.draw(axis, look)
        axis.set_xlabel(textwrap.fill(axis.get_xlabel(), _TITLE), parse_math=False)
        axis.set_ylabel(textwrap.fill(axis.get_ylabel(), _UPRIGHT), parse_math=False)
        title = drawing.title or axis.get_title()
        lines = textwrap.wrap(f"{name}: {title}", _TITLE, max_lines=2, placeholder=" …")
        axis.set_title(
            "\n".join([*([TEST_SEED_WORDS] if test_seed else []), *lines]), fontsize=10, parse_math=False
        )
    several = len(drawings) > 1 or isinstance(ax, np.ndarray | list | tuple)
    return axes if several else axes[0]


def _axes(ax: object, drawings: Sequence[tuple[str, Drawing]], of: int) -> NDArray[Any]:
    """As many axes as drawings: those that are given, the current ones, or those of a new figure."""
    number = len(drawings)
    if ax is not None:
        given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(given) < number:
            chosen = _choice(drawings)
            raise ArgumentError(
                "too-few-axes",
                "there are more pictures than axes",
                where="plot().ax",
                found=f"{len(given)} for {number} pictures",
                expected="axes for each picture",
                remedy=f"choose one, such as {chosen}, or leave ax out" if chosen else "give more axes",
            )
        return given[:number]
    from matplotlib import pyplot as plt  # noqa: PLC0415  slow to import, and with a state

    if number == 1:
        return np.array([plt.gca()], dtype=object)
    across = min(_ACROSS, number) if number != 4 else 2
    down = math.ceil(number / across)
    size = _PANEL_IN[0] * across, _PANEL_IN[1] * down
    figure, grid = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    for axis in grid.ravel()[number:]:
        axis.set_visible(False)
    if of > number:
        figure.suptitle(f"{number} of {of} pictures", fontsize=10)
    return np.asarray(grid.ravel()[:number])


def _choice(drawings: Sequence[tuple[str, Drawing]]) -> str:
    """How one of several drawings is chosen."""
    shows = [drawing.shows for _, drawing in drawings]
    for name, labels in shows[0].items():
        if len({tuple(one.get(name, ())) for one in shows}) > 1:
            return f'{name}="{labels[0]}"'
    return ""


def _image(image: object) -> Any:
    """What lies under a stimulus's map, by its name."""
    if image is None:
        return lambda _stimulus: None
    if isinstance(image, str | Path):
        require("PIL")
        path = Path(image)
        if path.is_dir():
            return Photographs(path).pixels
        pixels = read_picture(path)
    else:
        pixels = _as_pixels(image)
    return lambda _stimulus: pixels


def _as_pixels(image: object) -> Pixels:
    array = np.asarray(image)
    if (
        array.dtype.kind not in "uif"
        or array.ndim not in (2, 3)
        or (array.ndim == 3 and array.shape[2] not in (3, 4))
    ):
        raise ArgumentError(
            "bad-stimulus-picture",
            "not a picture",
            where="plot().image",
            found=f"{type(image).__name__} of shape {array.shape}",
            expected="a path, or pixels of shape (height, width, 3): from 0 to 255, or fractions from 0 to 1",
            remedy="read the file of the stimulus",
        )
    bright = array * 255.0 if array.dtype.kind == "f" and array.max() <= 1 else array
    colours = np.repeat(bright[..., None], 3, axis=-1) if array.ndim == 2 else bright[..., :3]
    return np.clip(colours, 0, 255).astype(np.uint8)
