"""Pictures of signals: every line and band is where its numbers are, every name is beside its line."""

from __future__ import annotations

import itertools
import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from goldens import check_text, figures
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from PIL import Image

from synthrelease.kinds.dataset import Axis, Dataset, Role
from synthrelease.reports.families import Family
from synthrelease.reports.figures import save_png
from synthrelease.reports.signal_figures import signals_figure, trade_figure, utility_figure
from synthrelease.reports.views import OutputViews

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

TIMES = np.arange(40) * 0.5
WORDS: dict[str, Any] = {"title": "signals", "y_label": "pupil diameter (mm)", "x_label": "time (s)"}
EPSILONS = [0.48, 2.4, 4.8, 24, 48]
ODD = ["$\\foo$", "a$b$c", "_hidden", "100 % x_^2", "a name of so many words that it must be broken " * 3]


def curves(count: int) -> dict[str, tuple[Any, Any]]:
    return {
        f"recording {i}": (4 + np.sin(TIMES / 3 + i) + i / 10, np.full(40, 0.1 + i / 50))
        for i in range(count)
    }


def drawn(figure: Figure, path: Path) -> Image.Image:
    """The picture as saved: matplotlib lays out and complains only then."""
    save_png(figure, path)
    with Image.open(path) as image:
        image.load()
        return image


def names(figure: Figure) -> list[str]:
    return [text.get_text() for axis in figure.axes for text in axis.texts]


def all_words(figure: Figure) -> list[str]:
    titles = [axis.get_title() for axis in figure.axes]
    labels = [label for axis in figure.axes for label in (axis.get_xlabel(), axis.get_ylabel())]
    return [figure.get_suptitle(), figure.get_supxlabel(), figure.get_supylabel(), *titles, *labels]


# --- signals


@pytest.mark.parametrize("count", [1, 3, 4])
def test_up_to_four_signals_share_one_pair_of_axes(count: int, tmp_path: Path) -> None:
    given = curves(count)
    figure = signals_figure(given, x=TIMES, **WORDS)
    (axis,) = figure.axes
    assert len(axis.lines) == len(axis.collections) == count
    assert len({line.get_color() for line in axis.lines}) == count
    assert sorted(names(figure)) == list(given)
    for line, band, (values, spread) in zip(axis.lines, axis.collections, given.values(), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.column_stack([TIMES, values]))
        edges = band.get_paths()[0].vertices
        for x, low, high in zip(TIMES, values - spread, values + spread, strict=True):
            at = edges[edges[:, 0] == x, 1]
            assert (at.min(), at.max()) == (low, high)
    assert drawn(figure, tmp_path / "one.png").width == 1200


@pytest.mark.parametrize("labels", [["all"], ["rest"], ["all", "rest"]])
def test_the_only_recording_that_no_column_names_has_no_name(labels: list[str]) -> None:
    values, features = np.arange(8.0).reshape(1, 8).repeat(len(labels), axis=0), ["size_mm"]
    axes = (Axis("recording", labels), Axis("feature", features), Axis("step", range(8)))
    dataset = Dataset("values", axes, Role.ESTIMATE, quantity="mean", items=2)
    views = object.__new__(OutputViews)
    views.name, views._noise = "signals", None
    views.parameters = SimpleNamespace(named=())
    views.released = SimpleNamespace(item=lambda _name, _path, index: values[index[0]])
    view = views.curve_view(Family("", dataset), 0, "size_mm")
    figure = signals_figure(view.curves, x=view.x, **WORDS)
    named = [] if labels == ["all"] else labels
    assert sorted(names(figure)) == named
    assert len(figure.axes[0].lines) == len(labels)


@pytest.mark.quick("13")
@pytest.mark.parametrize("count", [5, 12, 13])
def test_more_signals_have_panels_on_one_scale(count: int, tmp_path: Path) -> None:
    given = curves(count)
    figure = signals_figure(given, x=TIMES, **WORDS)
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == list(given)
    assert all(len(axis.lines) == len(axis.collections) == 1 for axis in shown)
    assert len({(axis.get_xlim(), axis.get_ylim()) for axis in shown}) == 1
    for axis, (values, _) in zip(shown, given.values(), strict=True):
        np.testing.assert_array_equal(axis.lines[0].get_ydata(), values)
    numbered = [axis for axis in shown if axis.xaxis.get_tick_params()["labelbottom"]]
    assert numbered == shown[-len({axis.get_position().x0 for axis in shown}) :]
    image = drawn(figure, tmp_path / "one.png")
    assert (image.width, image.height > 1000) == (1200, True)


@pytest.mark.parametrize("count", [2, 8])
def test_the_truth_is_dashed_and_said_to_be_private(count: int, tmp_path: Path) -> None:
    given = curves(count)
    truth = {name: values + 1 for name, (values, _) in given.items() if name != "recording 1"}
    figure = signals_figure(given, x=TIMES, truth=truth, caption="DO NOT PUBLISH", **WORDS)
    dashed = [line for axis in figure.axes for line in axis.lines if line.get_linestyle() == "--"]
    assert [line.get_ydata().tolist() for line in dashed] == [values.tolist() for values in truth.values()]
    assert (
        len([axis for axis in figure.axes if axis.get_visible()]) == count
    )  # else no one could tell whose truth it is
    told = figure.get_supxlabel()
    assert "DO NOT PUBLISH" in told
    without = signals_figure(given, x=TIMES, caption="DO NOT PUBLISH", **WORDS).get_supxlabel()
    assert len(told) > len(without)
    drawn(figure, tmp_path / "one.png")
    captions = (text.removeprefix(WORDS["x_label"]).strip() for text in (without, told))
    check_text("figures/signals", "\n\n".join(captions))


def test_the_words_are_all_there() -> None:
    for count in (2, 7):
        words = " ".join(all_words(signals_figure(curves(count), x=TIMES, caption="ε = 1", **WORDS)))
        for word in (*WORDS.values(), "ε = 1"):
            assert word in words


def test_gaps_and_a_single_sample_are_drawn(tmp_path: Path) -> None:
    gap = np.where(TIMES < 5, np.nan, TIMES)
    drawn(
        signals_figure({"gap": (gap, gap / 9), "none": (gap * np.nan, gap)}, x=TIMES, **WORDS),
        tmp_path / "a.png",
    )
    drawn(signals_figure({"one": ([1.0], [0.5])}, x=[3.0], **WORDS), tmp_path / "b.png")


@pytest.mark.parametrize(
    ("given", "truth", "named"),
    [
        ({}, None, r"\[\]"),
        ({"a_1": (TIMES[1:], TIMES)}, None, r"\ba_1\b"),
        ({"a_1": (TIMES, TIMES[1:])}, None, r"\ba_1\b"),
        ({"a_1": (TIMES, TIMES)}, {"a_1": TIMES[1:]}, r"\ba_1\b"),
        ({"a_1": (TIMES, TIMES)}, {"b_1": TIMES}, r"\bb_1\b"),
        ({"a_1": ([TIMES], TIMES)}, None, r"\ba_1\b"),
    ],
)
def test_signals_that_do_not_fit_are_refused(
    given: dict[str, Any], truth: dict[str, Any] | None, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        signals_figure(given, x=TIMES, truth=truth, **WORDS)


# --- utility


def test_utility_has_a_line_and_a_marker_for_each_mechanism(tmp_path: Path) -> None:
    lines = {name: np.array(EPSILONS) * (i + 1) for i, name in enumerate(["LPA", "FPA", *map(str, range(8))])}
    figure = utility_figure(
        lines, epsilons=EPSILONS, title="utility", y_label="1/|NMSE|", caption="mean of 100"
    )
    (axis,) = figure.axes
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")
    assert [line.get_ydata().tolist() for line in axis.lines] == [v.tolist() for v in lines.values()]
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in axis.lines}
    assert len(looks) == 10
    assert len({line.get_marker() for line in axis.lines[:8]}) == 8
    assert names(figure) == list(lines)
    drawn(figure, tmp_path / "one.png")
    assert [label.get_text() for label in axis.get_xticklabels()] == ["0.48", "2.4", "4.8", "24", "48"]


def test_what_has_no_logarithm_is_left_out(tmp_path: Path) -> None:
    lines = {"some": [0, 1, math.inf, 2, math.nan], "none": [0, -1, 0, math.inf, math.nan]}
    figure = utility_figure(lines, epsilons=EPSILONS, title="", y_label="")
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), [math.nan, 1, math.nan, 2, math.nan])
    assert names(figure) == ["some"]
    drawn(figure, tmp_path / "one.png")
    drawn(
        utility_figure({"none": lines["none"]}, epsilons=EPSILONS, title="", y_label=""), tmp_path / "two.png"
    )


@pytest.mark.parametrize(
    ("lines", "epsilons", "named"),
    [
        ({}, [1.0], "lines"),
        ({"a_1": [1.0]}, [1.0, 2.0], "a_1"),
        ({"a_1": [1.0]}, [0.0], "epsilons"),
        ({"a_1": []}, [], "epsilons"),
    ],
)
def test_utility_that_does_not_fit_is_refused(
    lines: dict[str, Any], epsilons: list[float], named: str
) -> None:
    with pytest.raises(ValueError, match=rf"\b{named}\b"):
        utility_figure(lines, epsilons=epsilons, title="", y_label="")


# --- names


@pytest.mark.parametrize("heights", [[0.0] * 6, [1.0] * 6, [-1.0] * 6, [0.9, 0.95, -0.8, 0.0, 0.01, -0.81]])
def test_no_two_names_stand_on_one_place(heights: list[float]) -> None:
    words = ["a", "two words", "a long name in some lines", "b", "another long name here", "c"]
    lines = {name: [1.0, 10.0**height] for name, height in zip(words, heights, strict=True)}
    figure = utility_figure(lines, epsilons=[1, 2], title="names", y_label="")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = sorted(figure.axes[0].texts, key=lambda t: t.get_position()[1])
    # The box of the words alone: that of an annotation takes in the line that leads to it.
    boxes = [Text.get_window_extent(t, canvas.get_renderer()) for t in texts]
    for below, above in itertools.pairwise(boxes):
        assert below.y1 <= above.y0
    assert figure.axes[0].bbox.y0 <= boxes[0].y0
    assert boxes[-1].y1 <= figure.axes[0].bbox.y1
    assert max(box.x1 for box in boxes) <= figure.bbox.x1
    ends = [lines[t.get_text().replace("\n", " ")][1] for t in texts]
    assert ends == sorted(ends)


@pytest.mark.quick("a$b$c")
@pytest.mark.parametrize("name", ODD)
def test_a_name_is_text_and_no_formula(name: str, tmp_path: Path) -> None:
    words: dict[str, Any] = {"title": name, "caption": name}
    given = curves(6) | {name: (TIMES, TIMES)}
    for i, figure in enumerate(
        [
            signals_figure({name: (TIMES, TIMES)}, x=TIMES, x_label=name, y_label=name, **words),
            signals_figure(given, x=TIMES, x_label=name, y_label=name, **words),
            utility_figure({name: EPSILONS}, epsilons=EPSILONS, y_label=name, **words),
        ]
    ):
        drawn(figure, tmp_path / f"{i}.png")
        first = name.split(maxsplit=1)[0]
        assert any(first in text for text in names(figure) + [axis.get_title() for axis in figure.axes])


def test_the_same_picture_is_the_same_file(tmp_path: Path) -> None:
    for path in (tmp_path / "one.png", tmp_path / "two.png"):
        drawn(signals_figure(curves(3), x=TIMES, truth={"recording 0": TIMES}, **WORDS), path)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


# --- one measure of fresh releases against ε


def test_each_fresh_release_is_a_dot_and_their_mean_a_line(tmp_path: Path) -> None:
    scores = [(0.1, 0.3), (0.5, math.nan), (0.8, 0.9)]
    figure = trade_figure(
        scores, epsilons=[0.5, 1, 4], released_epsilon=2, y_label="CC", without_data=("even", 0.05)
    )
    (axis,) = figure.axes
    assert axis.get_xscale() == "log"
    assert axis.get_yscale() == "linear"
    points = [np.asarray(line.get_xydata()).tolist() for line in axis.lines]
    assert points[:3] == [[[0.5, 0.1], [0.5, 0.3]], [[1, 0.5]], [[4, 0.8], [4, 0.9]]]
    assert points[3] == [[0.5, 0.2], [1, 0.5], [4, pytest.approx(0.85)]]
    assert points[4] == [[0.5, 0.05], [4, 0.05]]
    assert [point[0] for point in points[5]] == [2, 2]
    assert figures(names(figure)[0]) == [2]
    check_text("figures/trade", "\n\n".join(names(figure)))
    assert drawn(figure, tmp_path / "t.png").size == (1200, 816)


@pytest.mark.parametrize("name", ODD)
def test_whatever_a_measure_is_called_it_is_drawn(name: str, tmp_path: Path) -> None:
    figure = trade_figure(
        [(1e-9,), (1e9, 2e9)],
        epsilons=[1e-3, 1e3],
        released_epsilon=1e3,
        y_label=name,
        without_data=(name, 1.0),
    )
    assert figure.axes[0].get_yscale() == "log"
    drawn(figure, tmp_path / "t.png")


@pytest.mark.quick(but=["-1.0"])
@pytest.mark.parametrize("own", [0.0, math.inf, math.nan, -1.0])
def test_an_own_epsilon_that_has_no_place_is_not_marked(own: float, tmp_path: Path) -> None:
    many = np.geomspace(0.1, 30, 12)
    figure = trade_figure(
        [(e,) for e in many], epsilons=many, released_epsilon=own, y_label="CC", without_data=("x", math.nan)
    )
    (mean,) = names(figure)
    assert "ε" not in mean
    assert len(figure.axes[0].lines[-1].get_xdata()) == len(many)
    drawn(figure, tmp_path / "t.png")


@pytest.mark.parametrize("epsilons", [[1.0], [1.0, 0.0], [1.0, math.inf], []])
def test_scores_without_their_epsilon_are_refused(epsilons: list[float]) -> None:
    with pytest.raises(ValueError, match="epsilons"):
        trade_figure([(0.1,), (0.2,)], epsilons=epsilons, released_epsilon=1.0, y_label="CC")
