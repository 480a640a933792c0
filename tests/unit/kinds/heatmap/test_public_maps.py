"""Heatmaps that start from public maps of the stimuli: how these are read, and what a release states of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import public_maps
import pytest
from PIL import Image

import synthrelease
from synthrelease.errors import SynthReleaseError
from synthrelease.evaluation.result import RELEASED
from synthrelease.evaluation.utility import EXACT
from synthrelease.numerics.map_belief import GRID
from synthrelease.reports.look import Look
from synthrelease.reports.plates import plate_of
from synthrelease.reports.released import Released
from synthrelease.reports.views import MapView, OutputViews

TABLE = 'prior = "maps"\nmaps = "others.csv"\n'


def built(folder: Path) -> synthrelease.Bundle:
    path = synthrelease.build(folder / "plan.toml", folder / "maps.h5", test_seed=3, force=True).path
    return synthrelease.open_bundle(path, allow_test_seed=True)


def error(folder: Path, options: str = public_maps.MAPS) -> SynthReleaseError:
    (folder / "plan.toml").write_text(public_maps.plan(options))
    with pytest.raises(SynthReleaseError) as caught:
        built(folder)
    return caught.value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    public_maps.study(tmp_path)
    return tmp_path


def coefficients(folder: Path) -> np.ndarray:
    return np.asarray(built(folder)["attention"]["public_map"])


def test_the_release_has_the_maps_and_says_that_they_are_public(folder: Path) -> None:
    bundle = built(folder)
    (output,) = bundle.manifest["outputs"]
    digests = [
        hashlib.sha256((folder / "maps" / f"{s}.npy").read_bytes()).hexdigest() for s in public_maps.STIMULI
    ]
    assert output["mechanism"]["parameters"]["maps"] == {
        "sha256": hashlib.sha256("".join(digests).encode()).hexdigest(),
        "source": "images",
        "people": None,
    }
    assert {"code": "public-maps", "fields": {"output": "attention"}} in bundle.manifest["privacy"][
        "not_protected"
    ]
    assert "public-maps" in {warning["code"] for warning in output["warnings"]}
    assert (np.asarray(bundle["attention"]["public_map"])[:, 0] == GRID).all()
    weight, spread = np.asarray(bundle["attention"]["belief"])
    assert 0 <= weight <= 1.2
    assert 0 < spread < 4


def test_a_report_has_the_public_map_next_to_the_released_one(folder: Path) -> None:
    """In the released one's unit, on the same scale."""
    bundle = built(folder)
    with Released(folder / "maps.TEST-SEED.h5", dict(bundle.manifest)) as released:
        view = OutputViews(released, bundle.manifest["outputs"][0]).view("sky")
        assert isinstance(view, MapView)
        assert view.public is not None
        assert view.public.shape == view.cells.shape
        assert view.public.mean() == pytest.approx(1, rel=0.02)
        panels = plate_of(OutputViews(released, bundle.manifest["outputs"][0]), "sky", Look()).panels
    assert len(panels) == 3
    assert panels[0].scale == panels[2].scale
    peak = np.unravel_index(int(view.public.argmax()), view.public.shape)
    rows, columns = view.public.shape
    x, y = public_maps.SPOTS["sky"]
    assert abs((peak[1] + 0.5) / columns - x / public_maps.WIDTH) < 0.1
    assert abs((peak[0] + 0.5) / rows - y / public_maps.HEIGHT) < 0.1


def test_an_evaluation_compares_with_the_public_maps(folder: Path) -> None:
    """Also without noise, from which the belief in them follows anew."""
    built(folder)
    result = synthrelease.evaluate(folder / "plan.toml", folder / "maps.TEST-SEED.h5", seed=1)
    (output,) = result.outputs
    compared = output.utility.compared
    names = "baseline: public maps", RELEASED, "baseline: centre bias", EXACT
    public, released, bias, exact = (compared[name][0] for name in names)
    assert public > 0.9  # people look where the maps say
    assert released > 0.9
    assert bias < 0.5
    assert exact > 0.95


def test_a_preview_counts_people_for_what_public_maps_do_not_show(folder: Path) -> None:
    """One would be enough for a map that is good, as public maps are by themselves."""
    (text,) = [one["people_needed"] for one in synthrelease.preview(folder / "plan.toml")["outputs"]]
    assert int(str(text).split()[0]) > 20


def in_folder(folder: Path, name: str, table: str) -> None:
    """Write a table as a folder with a file for each person."""
    head, *rows = table.splitlines()
    (folder / name).mkdir()
    for person in {row.partition(",")[0] for row in rows}:
        own = [row.partition(",")[2] for row in rows if row.startswith(f"{person},")]
        (folder / name / f"S_{person}.csv").write_text("\n".join([head.partition(",")[2], *own]) + "\n")


def test_a_folder_of_tables_is_gaze_where_the_input_is_one(folder: Path) -> None:
    """And its digest is that of all of its files' digests."""
    in_folder(folder, "gaze", public_maps.gaze())
    in_folder(folder, "others", public_maps.gaze(4, prefix="q", seed=1))
    of_folders = public_maps.plan('prior = "maps"\nmaps = "others"\n').replace(
        'path = "gaze.csv"', 'path = "gaze"\npattern = "S_{who}.csv"'
    )
    (folder / "plan.toml").write_text(of_folders)
    (output,) = built(folder).manifest["outputs"]
    digests = [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted((folder / "others").iterdir())
    ]
    assert output["mechanism"]["parameters"]["maps"] == {
        "sha256": hashlib.sha256("".join(digests).encode()).hexdigest(),
        "source": "gaze",
        "people": 4,
    }


def save(stimulus: str, folder: Path, ending: str, shades: float, mode: str) -> None:
    values = np.rint(public_maps.density(stimulus) * shades)
    Image.fromarray(values.astype({"L": np.uint8, "I;16": np.uint16, "F": np.float32}[mode])).save(
        folder / f"{stimulus}{ending}"
    )


@pytest.mark.parametrize(
    ("ending", "shades", "mode"),
    [(".png", 255, "L"), (".png", 65535, "I;16"), (".jpg", 255, "L"), (".tif", 255, "F")],
)
def test_an_image_is_the_same_map_as_an_array(folder: Path, ending: str, shades: float, mode: str) -> None:
    exact = coefficients(folder)
    for stimulus in public_maps.STIMULI:
        (folder / "maps" / f"{stimulus}.npy").unlink()
        save(stimulus, folder / "maps", ending, shades, mode)
    assert np.abs(coefficients(folder) - exact).max() < 0.02 * GRID


def test_a_map_of_another_size_is_the_same_map(folder: Path) -> None:
    exact = coefficients(folder)
    for stimulus in public_maps.STIMULI:
        np.save(folder / "maps" / f"{stimulus}.npy", public_maps.density(stimulus, 320, 240))
    assert np.abs(coefficients(folder) - exact).max() < 0.01 * GRID


def test_other_peoples_gaze_is_a_map_in_which_everyone_counts_the_same(folder: Path) -> None:
    """As the sum of one person's and of another's, whose rows are ten times as many."""
    one, other = "q1,sea,20,15\nq1,sky,60,40\n", "q2,sea,40,30\nq2,sky,40,30\n"
    (folder / "plan.toml").write_text(public_maps.plan(TABLE))
    maps = []
    for rows in (one, other, one + 10 * other):
        (folder / "others.csv").write_text("who,image,x,y\n" + rows)
        maps.append(coefficients(folder).astype(np.int64))
    assert np.abs(2 * maps[2] - maps[0] - maps[1]).max() <= 2
    (output,) = built(folder).manifest["outputs"]
    assert output["mechanism"]["parameters"]["maps"]["people"] == 2
    assert (
        output["mechanism"]["parameters"]["maps"]["sha256"]
        == hashlib.sha256((folder / "others.csv").read_bytes()).hexdigest()
    )


def test_a_map_is_the_mean_of_those_who_looked_at_its_stimulus(folder: Path) -> None:
    """Of three people on one, and of one of them on the other."""
    (folder / "plan.toml").write_text(public_maps.plan(TABLE))
    alone = "who,image,x,y\nq1,sea,20,15\nq1,sky,60,40\n"
    maps = []
    for rows in (alone, alone + "q2,sea,20,15\nq3,sea,20,15\n"):
        (folder / "others.csv").write_text(rows)
        maps.append(coefficients(folder))
    np.testing.assert_array_equal(*maps)


def remove(path: Path) -> None:
    path.unlink()


def put(values: np.ndarray) -> Callable[[Path], None]:
    return lambda path: np.save(path, values)


def garbled(path: Path) -> None:
    path.write_bytes(b"no array")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (remove, "no-public-map"),
        (garbled, "bad-public-map"),
        (put(np.zeros((60, 80))), "bad-public-map"),
        (put(np.full((60, 80), -1.0)), "bad-public-map"),
        (put(np.full((60, 80), np.nan)), "bad-public-map"),
        (put(np.ones((60, 60))), "bad-public-map"),  # of another screen
        (put(np.ones((60, 80, 3))), "bad-public-map"),
        (put(np.ones(80)), "bad-public-map"),
        (put(np.array([["a"]])), "bad-public-map"),
    ],
)
def test_what_is_no_map_is_refused(folder: Path, change: Callable[[Path], None], code: str) -> None:
    change(folder / "maps" / "sky.npy")
    raised = error(folder)
    assert raised.code == code
    assert "sky" in str(raised)
    assert not (folder / "maps.h5").exists()


def test_a_photograph_is_no_map(folder: Path) -> None:
    (folder / "maps" / "sky.npy").unlink()
    random = np.random.default_rng(0)
    Image.fromarray(random.integers(0, 255, (60, 80, 3), dtype=np.uint8)).save(folder / "maps" / "sky.png")
    assert error(folder).code == "bad-public-map"


def test_grey_in_three_channels_is_a_map(folder: Path) -> None:
    exact = coefficients(folder)
    (folder / "maps" / "sky.npy").unlink()
    grey = np.rint(255 * public_maps.density("sky")).astype(np.uint8)
    Image.fromarray(np.stack([grey] * 3, axis=-1)).save(folder / "maps" / "sky.png")
    assert np.abs(coefficients(folder) - exact).max() < 0.02 * GRID


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("P_07,sea,1,1\nq1,sky,1,1\n", "public-gaze-shares-people"),  # p7, written otherwise
        ("q1,sea,1,1\n", "no-public-map"),
        ("q1,sea,1,1\nq1,sky,1,99\n", "point-off-screen"),
    ],
)
def test_gaze_that_makes_no_map_is_refused(folder: Path, rows: str, code: str) -> None:
    (folder / "others.csv").write_text("who,image,x,y\n" + rows)
    assert error(folder, TABLE).code == code


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ('prior = "maps"\n', "no-maps"),
        ('maps = "maps"\n', "maps-not-asked-for"),
        ('mechanism = "gaussian"\nmaps = "maps"\n', "key-not-for-mechanism"),
    ],
)
def test_maps_and_the_prior_belong_together(folder: Path, options: str, code: str) -> None:
    assert error(folder, options).code == code


def test_a_label_does_not_lead_out_of_the_folder(folder: Path) -> None:
    np.save(folder / "sky.npy", public_maps.density("sky"))
    text = (folder / "gaze.csv").read_text("utf-8").replace(",sky,", ",../sky,")
    (folder / "gaze.csv").write_text(text)
    (folder / "plan.toml").write_text(public_maps.plan().replace('"sky"', '"../sky"'))
    with pytest.raises(SynthReleaseError) as caught:
        built(folder)
    assert caught.value.code == "no-public-map"
    np.save(folder / "maps" / "..%2Fsky.npy", public_maps.density("sky"))
    assert len(coefficients(folder)) == 2


def test_maps_are_named_like_photographs(folder: Path) -> None:
    """A stimulus that is called like its photograph may have a map of another ending."""
    text = (folder / "gaze.csv").read_text("utf-8").replace(",sky,", ",sky.jpeg,")
    (folder / "gaze.csv").write_text(text)
    (folder / "plan.toml").write_text(public_maps.plan().replace('"sky"', '"sky.jpeg"'))
    assert len(coefficients(folder)) == 2
