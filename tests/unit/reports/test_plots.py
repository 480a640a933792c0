"""`.plot`: on axes stands what is released, in its unit, of every kind of output; `.plot` and reports draw with the same functions."""

import sys

import numpy as np
import pytest
from layouts import GOLDEN
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from PIL import Image
from refusals import refused
from without_extras import run

import synthrelease
from synthrelease import arrays
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.error_bounds import interval_deviations
from synthrelease.dp.event import from_json, noise_of
from synthrelease.errors import ArgumentError, DataError
from synthrelease.reports import (
    drawings,
    figures,
    population_plates,
    scanpath_plates,
    signal_figures,
    tabular_drawings,
)
from synthrelease.reports.rasters import SPREAD_COLOURS, VALUE_COLOURS

FOLDER = GOLDEN[0].parent


def opened(name):
    return synthrelease.open_bundle(FOLDER / f"{name}.h5", allow_test_seed=True)


@pytest.fixture
def ax():
    """Axes of a figure that pyplot does not know."""
    return Figure().subplots()


@pytest.fixture(autouse=True)
def no_figure_is_left():
    yield
    plt.close("all")


def deviations(bundle, name):
    entry = next(one for one in bundle.manifest["outputs"] if one["name"] == name)
    return interval_deviations(noise_of(from_json(entry["event"])))


def sides(axis):
    return axis.get_xlabel(), axis.get_ylabel()


@pytest.mark.quick("heatmaps", "statistics")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_output_is_drawn_on_a_figure_of_its_own(path):
    bundle = synthrelease.open_bundle(path, allow_test_seed=True)
    for name in bundle.names:
        plt.close("all")
        drawn = np.atleast_1d(np.asarray(bundle[name].plot(), dtype=object))
        assert all(isinstance(axis, Axes) for axis in drawn)
        assert 1 <= len(drawn) <= 12
        for axis in drawn:
            assert axis.get_title().replace("\n", " ").partition(": ")[0].endswith(name)
            assert axis.has_data()
            assert any(sides(axis)) or axis.images  # a matrix of features says what its rows are
        drawn[0].figure.savefig("/dev/null", format="png", dpi=30)


def test_a_map_is_drawn_in_pixels_from_the_top_left_with_its_values(ax):
    bundle = opened("estimates")
    assert bundle["still"].plot(stimulus="garden", ax=ax) is ax
    (image,) = ax.images
    values = bundle["still"]["heatmap"]
    place = bundle.to_xarray("still").stimulus.values.tolist().index("garden")
    np.testing.assert_array_equal(image.get_array(), values[place])
    screen = bundle.manifest["outputs"][bundle.names.index("still")]["mechanism"]["parameters"]["screen"]
    assert image.get_extent() == [0, screen["width_px"], screen["height_px"], 0]
    assert ax.get_xlim() == (0, screen["width_px"])
    assert ax.get_ylim() == (screen["height_px"], 0)
    assert image.origin == "upper"
    assert sides(ax) == ("x (px)", "y (px)")
    assert image.get_clim() == (0, pytest.approx(values[place].max()))
    assert image.get_cmap().name == VALUE_COLOURS
    bar = image.colorbar.ax
    assert bar.get_ylabel().replace("\n", " ") == bundle.to_xarray("still").heatmap.attrs["long_name"]
    ax.figure.draw_without_rendering()
    assert bar.get_position().height == pytest.approx(ax.get_position().height)


def test_maps_that_are_drawn_together_are_on_one_scale():
    bundle = opened("estimates")
    axes = bundle["still"].plot()
    most = bundle["still"]["heatmap"].max()
    assert [axis.images[0].get_clim()[1] for axis in axes] == [pytest.approx(most)] * 2


def test_the_uncertainty_of_a_map_is_that_of_95_percent(ax):
    bundle = opened("estimates")
    bundle["still"].plot(stimulus="garden", uncertainty=True, ax=ax)
    place = bundle.to_xarray("still").stimulus.values.tolist().index("garden")
    expected = deviations(bundle, "still") * bundle["still"]["uncertainty"][place]
    np.testing.assert_allclose(ax.images[0].get_array(), expected, rtol=1e-6)
    assert ax.images[0].get_cmap().name == SPREAD_COLOURS


def test_a_map_without_known_uncertainty_says_so(ax):
    with refused(ArgumentError, "no-uncertainty"):
        opened("heatmaps")["capped"].plot(uncertainty=True, ax=ax)


@pytest.mark.parametrize("form", ["file", "folder", "pixels", "grey", "fractions"])
def test_a_map_lies_over_its_stimulus(tmp_path, ax, form):
    pixels = np.random.default_rng(1).integers(0, 256, (30, 40, 3)).astype(np.uint8)
    if form in {"grey", "fractions"}:
        pixels = np.repeat(pixels[..., :1], 3, axis=-1)
    Image.fromarray(pixels).save(tmp_path / "garden.png")
    image = {
        "file": tmp_path / "garden.png",
        "folder": str(tmp_path),
        "pixels": pixels,
        "grey": pixels[..., 0],
        "fractions": pixels[..., 0] / 255,
    }[form]
    opened("estimates")["still"].plot(stimulus="garden", image=image, opacity=0.5, ax=ax)
    below, above = ax.images
    np.testing.assert_allclose(below.get_array(), pixels.mean(axis=-1), atol=1)
    assert below.get_extent() == above.get_extent()
    alpha = above.get_alpha()
    assert alpha.shape == above.get_array().shape
    assert alpha.max() == pytest.approx(0.5)
    assert alpha.argmax() == above.get_array().argmax()


@pytest.mark.parametrize("image", [np.zeros((3, 3, 7)), "text", np.array(["a"]), np.zeros(4)])
def test_what_is_no_picture_is_refused(tmp_path, ax, image):
    error = DataError if isinstance(image, str) else ArgumentError
    with refused(error, "bad-stimulus-picture"):
        image = tmp_path / image if isinstance(image, str) else image
        opened("estimates")["still"].plot(stimulus="garden", image=image, ax=ax)


def test_contours_are_of_the_same_values(ax):
    bundle = opened("estimates")
    bundle["still"].plot(stimulus="garden", contours=True, ax=ax)
    lines = [one for one in ax.collections if isinstance(one, ContourSet)]
    assert lines
    values = ax.images[0].get_array()
    for one in lines:
        assert all(max(0, values.min()) < level < values.max() for level in one.levels)
        assert one.get_datalim(ax.transData).x1 <= ax.get_xlim()[1]


def test_frames_of_a_dynamic_map_are_chosen_by_their_time(ax):
    bundle = opened("estimates")
    values = bundle["moving"]["heatmap"]
    times = bundle.to_xarray("moving").time.values
    assert len(bundle["moving"].plot()) == values.shape[0] * values.shape[1]
    bundle["moving"].plot(stimulus="garden", time=float(times[1]) + 0.01, ax=ax)
    place = bundle.to_xarray("moving").stimulus.values.tolist().index("garden")
    np.testing.assert_array_equal(ax.images[0].get_array(), values[place, 1])
    with refused(ArgumentError, "no-such-time"):
        bundle["moving"].plot(stimulus="garden", time="later", ax=ax)


def test_curves_have_bands_of_95_percent_and_time_in_its_unit(ax):
    bundle = opened("estimates")
    bundle["course"].plot(ax=ax)
    values, uncertainty = bundle["course"]["values"], bundle["course"]["uncertainty"]
    xarray = bundle.to_xarray("course")
    assert sides(ax)[0] == "time (s)"
    for number, line in enumerate(ax.lines):
        np.testing.assert_array_equal(line.get_ydata(), values[number, 0])
        np.testing.assert_array_equal(line.get_xdata(), xarray.time_s.values)
        band = deviations(bundle, "course") * np.broadcast_to(uncertainty[number, 0], values[number, 0].shape)
        corners = ax.collections[number].get_paths()[0].vertices[:, 1]
        assert corners.max() == pytest.approx((values[number, 0] + band).max())
        assert corners.min() == pytest.approx((values[number, 0] - band).min())
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == xarray.recording.values.tolist()


def test_one_of_several_curves_is_chosen_by_its_recording(ax):
    bundle = opened("estimates")
    second = bundle.to_xarray("course").recording.values.tolist()[1]
    bundle["course"].plot(recording=second, ax=ax)
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_ydata(), bundle["course"]["values"][1, 0])


def test_statistics_are_points_with_their_intervals(ax):
    bundle = opened("statistics")
    bundle["all"].plot(dataset="mean/value", ax=ax)
    (points,), (intervals,) = ax.lines, ax.collections
    assert points.get_xdata().tolist() == bundle["all"]["mean/value"].tolist()
    np.testing.assert_array_equal(intervals.get_segments()[0][:, 0], bundle["all"]["mean/interval"][0])
    assert "(mm)" in ax.get_xlabel()


def test_statistics_of_one_unit_share_a_scale():
    axes = np.atleast_1d(opened("estimates")["tasks"].plot())
    rows = [[label.get_text() for label in axis.get_yticklabels()] for axis in axes]
    assert len(rows[0]) == 4
    assert len(rows[1]) == 2
    assert axes[1].get_xlabel().endswith("((deg/s)²)")


def test_a_sum_does_not_hide_a_mean():
    axes = opened("statistics")["all"].plot()
    values = [set(line.get_xdata().tolist()) for axis in axes for line in axis.lines]
    output = opened("statistics")["all"]
    assert set(output["sum/value"].tolist()) in values
    assert {*output["mean/value"].tolist(), *output["quantile%3A0.5/value"].tolist()} in values


def test_a_histogram_is_steps_with_intervals(ax):
    bundle = opened("statistics")
    bundle["all"].plot(dataset="histogram/value", ax=ax)
    (steps,) = ax.patches
    output = bundle["all"]
    np.testing.assert_array_equal(steps.get_data().values, output["histogram/value"][0])
    edges = output["histogram/edges"][0] if "histogram/edges" in output else None
    if edges is not None:
        np.testing.assert_allclose(steps.get_data().edges, [*edges[:, 0], edges[-1, 1]])
    ends = np.array([segment[:, 1] for segment in ax.collections[0].get_segments()])
    np.testing.assert_array_equal(ends, output["histogram/interval"][0])


def test_areas_are_bars_with_intervals_and_moves_a_matrix():
    bundle = opened("areas")
    stimulus = bundle.to_xarray("visits").stimulus.values.tolist()[0]
    bars, matrix = bundle["visits"].plot(stimulus=stimulus)
    shares = bundle["visits"]["dwell/shares"][0]
    np.testing.assert_array_equal([bar.get_width() for bar in bars.patches], shares)
    ends = bars.collections[0].get_segments()
    half = deviations(bundle, "visits") * np.broadcast_to(
        bundle["visits"]["dwell/uncertainty"][0], shares.shape
    )
    np.testing.assert_allclose([(one[1, 0] - one[0, 0]) / 2 for one in ends], half, rtol=1e-5)
    moves = bundle["visits"]["transitions/shares"][0]
    shown = np.ma.filled(matrix.images[0].get_array().astype(float), np.nan)
    apart = ~np.eye(len(moves), dtype=bool)
    np.testing.assert_array_equal(shown[apart], moves[apart])
    assert [name.replace(" ", "_") for name in sides(matrix)] == ["to_area", "from_area"]


def test_scanpaths_are_drawn_at_their_fixations(ax):
    bundle = opened("scanpaths")
    stimulus = bundle.to_xarray("paths").stimulus.values.tolist()[0]
    bundle["paths"].plot(dataset="scanpaths", stimulus=stimulus, scanpath="1", ax=ax)
    path = bundle["paths"]["scanpaths"][0, 0]
    path = path[path[:, 3] > 0]
    np.testing.assert_allclose(ax.collections[0].get_offsets(), path[:, :2])
    assert sides(ax) == ("x (px)", "y (px)")
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_records_are_counted_by_category():
    bundle = opened("records")
    axis = bundle["tree"].plot(attribute="mood")
    counts = np.bincount(bundle["tree"]["category/mood"], minlength=4)
    assert [bar.get_width() for bar in axis.patches] == counts.tolist()


def test_people_are_drawn_as_contrasts_distributions_and_records(ax):
    output = opened("people")["people"]
    contrast = output.plot(dataset="contrasts/value")[0]
    np.testing.assert_array_equal(contrast.lines[-1].get_xdata(), output["contrasts/value"][0])
    intervals = np.array([segment[:, 0] for segment in contrast.collections[0].get_segments()])
    np.testing.assert_array_equal(intervals, output["contrasts/interval"][0])
    within = output.plot(dataset="within/value", ax=ax)
    np.testing.assert_array_equal(within.images[0].get_array(), output["within/value"])
    assert within.images[0].get_clim() == (-1, 1)
    records = output.plot(dataset="people", feature="size_mm", ax=Figure().subplots())
    np.testing.assert_array_equal(records.lines[0].get_ydata(), output["people"][0, 0, :, 0])


def test_given_axes_need_no_state_of_pyplot(ax, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert opened("signals")["none"].plot(ax=ax) is ax
    bundle = opened("estimates")
    given = Figure().subplots(2, 1)
    assert list(bundle["still"].plot(ax=given)) == list(given)


def test_without_axes_the_current_ones_are_drawn_on():
    _, (_, second) = plt.subplots(1, 2)
    plt.sca(second)
    assert opened("signals")["none"].plot() is second


def test_an_overview_has_the_first_picture_of_each_output():
    bundle = opened("estimates")
    axes = bundle.plot()
    assert [axis.get_title().partition(":")[0] for axis in axes] == list(bundle.names)
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize(
    ("choices", "code"),
    [
        ({"stimuls": "garden"}, "unknown-argument"),
        ({"stimulus": "garde"}, "no-such-label"),
        ({}, "too-few-axes"),
        ({"stimulus": "garden", "opacity": 2}, "bad-opacity"),
    ],
)
def test_what_cannot_be_drawn_is_refused(ax, choices, code):
    with refused(ArgumentError, code):
        opened("estimates")["still"].plot(ax=ax, **choices)


def test_a_test_seed_is_marked_on_every_picture(ax):
    bundle = opened("seeded.TEST-SEED")
    axes = [axis for name in bundle.names for axis in np.atleast_1d(np.asarray(bundle[name].plot()))]
    assert all(TEST_SEED_WORDS in axis.get_title() for axis in [*axes, *bundle.plot()])
    assert TEST_SEED_WORDS not in opened("signals")["none"].plot(ax=ax).get_title()


def test_a_call_on_arrays_is_drawn_as_a_bundle_of_it(ax):
    ways = {
        "person": ["a", "b", "c"],
        "values": {"pupil_mm": [3.0, 4.0, 5.0]},
        "bounds": {"pupil_mm": (1.5, 8.0)},
    }
    found = arrays.statistics(**ways, statistics=["mean"], epsilon=1.0, test_seed=1)
    assert found.plot(ax=ax) is ax
    assert ax.lines[0].get_xdata().tolist() == found["mean/value"].tolist()
    assert TEST_SEED_WORDS in ax.get_title()


def test_figures_and_plots_draw_by_the_same_functions():
    assert drawings.draw_map is figures.draw_map
    assert drawings.draw_curves is signal_figures.draw_curves
    assert drawings.draw_scanpath is scanpath_plates.draw_scanpath
    assert tabular_drawings.draw_matrix is population_plates.draw_matrix
    assert tabular_drawings.draw_steps is population_plates.draw_steps is scanpath_plates.draw_steps


def test_without_matplotlib_the_remedy_is_its_installation(tmp_path):
    script = (
        "import synthrelease\n"
        f"bundle = synthrelease.open_bundle({str(FOLDER / 'signals.h5')!r})\n"
        "try:\n    bundle['none'].plot()\n"
        "except synthrelease.MachineError as error:\n    print(error.code, error.remedy)\n"
        "bundle._repr_html_(), bundle['none']._repr_html_()\n"
    )
    done = run(tmp_path, "-c", script)
    code, remedy = done.stdout.split(maxsplit=1)
    assert code == "extra-missing", done.stderr
    assert "synthrelease[report]" in remedy


def test_what_was_closed_is_not_drawn() -> None:
    with synthrelease.open_bundle(FOLDER / "heatmaps.h5", allow_test_seed=True) as bundle:
        name = next(iter(bundle))
        output = bundle[name]
    for plot in (output.plot, bundle.plot):
        with pytest.raises(ArgumentError) as caught:
            plot()
        assert caught.value.code == "bundle-closed"
