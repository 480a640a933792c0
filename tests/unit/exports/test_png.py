"""Pictures as an export: one for each, whatever labels are, and a README that says what is guaranteed."""

import json

import numpy as np
import polars as pl
import pytest
from bundle_files import sections, written
from catalogued import numbers_in, numbers_of
from PIL import Image

import synthrelease
from synthrelease.bundle.disclosure import unprotected_facts
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.guarantee import from_json
from synthrelease.exports.exporting import export
from synthrelease.reports.guarantee_words import guarantee_caption

LABELS = ["b-c", "c", "C", "日" * 100, "$\\frac{$"]
PLAN = """
[release]
name = "study"
version = "1"
title = "A study"
[privacy]
epsilon = 3.0
delta = 1e-4
[inputs.gaze]
kind = "gaze"
path = "gaze.parquet"
columns = { person = "who", stimulus = "image", x = "x", y = "y" }
screen = { width_px = 80, height_px = 60 }
stimuli = LABELS
assume_public = ["assignment"]
"""
OUTPUT = """
[[outputs]]
name = "NAME"
kind = "heatmap"
input = "gaze"
mechanism = "gaussian"
width_px = 8
height_px = 6
blur_px = 8
max_samples_per_stimulus = 8
"""


def told(folder):
    return " ".join((folder / "README.txt").read_text("utf-8").split())


@pytest.mark.thorough
def test_no_picture_takes_anothers_name(tmp_path):
    people = 10
    rng = np.random.default_rng(0)
    pl.DataFrame(
        {
            "who": np.repeat(np.arange(people), 2 * len(LABELS)),
            "image": LABELS * 2 * people,
            "x": rng.uniform(0, 80, 2 * people * len(LABELS)),
            "y": rng.uniform(0, 60, 2 * people * len(LABELS)),
        }
    ).write_parquet(tmp_path / "gaze.parquet")
    outputs = [OUTPUT.replace("NAME", name) for name in ("a", "a-b")]
    plan = PLAN.replace("LABELS", json.dumps(LABELS)) + "".join(outputs)
    (tmp_path / "plan.toml").write_text(plan, "utf-8")
    built = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5").path
    bundle = synthrelease.open_bundle(built)
    export(bundle, "png", tmp_path / "out")
    found = list((tmp_path / "out").glob("*.png"))
    assert len(found) == len({path.name.lower() for path in found}) == 2 * len(LABELS)
    assert all(len(path.name) < 140 for path in found)
    for path in found:
        assert f"{path.name}: " in told(tmp_path / "out")


@pytest.mark.quick(but=["maps"])
@pytest.mark.parametrize("name", ["maps", "records", "areas"])
def test_the_readme_says_what_is_guaranteed_and_what_is_not(tmp_path, name):
    bundle, whole = written(tmp_path, name)
    done = export(bundle, "png", tmp_path / "out")
    drawn = list((tmp_path / "out").glob("*.png"))
    assert bool(drawn) == (name == "maps")
    assert len(done.warnings) == (name != "maps")
    assert (TEST_SEED_WORDS in told(tmp_path / "out")) == (name == "areas")
    _, _, unprotected, *rest = sections((tmp_path / "out" / "README.txt").read_text("utf-8"))
    for what, _ in unprotected_facts(whole.manifest):
        assert what.removeprefix("output ") in unprotected
    assert [one for one in done.warnings if one in rest[0]] == list(done.warnings)
    assert (tmp_path / "out" / "manifest.json").exists()


def test_captions_tell_the_guarantee_of_the_whole_beside_their_own(tmp_path):
    _, whole = written(tmp_path, "maps")
    whole_guarantee = from_json(whole.manifest["privacy"]["guarantee"])
    for output in whole.manifest["outputs"]:
        own, together = guarantee_caption(whole.manifest, output)
        assert own == str(from_json(output["guarantee"]))
        expected = {key: float(f"{number:.2g}") for key, number in numbers_of(output["guarantee"]).items()}
        assert numbers_in(own) == expected
        names, whole_told, rest = together.partition(str(whole_guarantee))
        assert whole_told
        assert not rest
        others = [one["name"] for one in whole.manifest["outputs"] if one["name"] != output["name"]]
        assert [one["name"] for one in whole.manifest["outputs"] if one["name"] in names] == others


def test_a_long_caption_is_not_cut_off(tmp_path):
    """What is drawn below a map ends within the picture, however long the reason is that nothing is guaranteed."""
    from synthrelease.data.screen import Screen
    from synthrelease.reports.figures import map_figure, save_png
    from synthrelease.reports.map_axes import MapLegend

    legend = MapLegend(Screen(80, 60), 8.0, "counts")
    sizes = []
    for caption in ("ε = 1", "no guarantee: " + "measured on the people who are present " * 8):
        figure = map_figure(np.ones((6, 8)), legend, title="t", caption=caption)
        save_png(figure, tmp_path / "x.png")
        with Image.open(tmp_path / "x.png") as image:
            sizes.append(image.size)
        extent = figure._supxlabel.get_window_extent()
        assert extent.x0 >= 0
        assert extent.x1 <= figure.bbox.x1
    assert sizes[1][1] > sizes[0][1]
