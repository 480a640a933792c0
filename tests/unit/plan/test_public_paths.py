"""What a plan declares public is none of its private data: other paths to them, copies of them, or the same people."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import public_maps
import pytest
from click.testing import CliRunner
from PIL import Image
from public_paths import DECLARING, PRIVATE, SECOND, WAYS, gaze_plan, write_study
from reading_people import PILOT, reading_plan, reading_table
from refusals import refused

import synthrelease
from synthrelease import arrays
from synthrelease.building.builder import dry_run
from synthrelease.cli import main
from synthrelease.errors import MachineError, PlanError
from synthrelease.kinds.registry import SHIPPED

OF_PEOPLE = {"maps": "public-gaze-shares-people", "pilot": "pilot-shares-people"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # where a dry run looks for room
    write_study(tmp_path)
    return tmp_path


@pytest.mark.parametrize("option", DECLARING)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_used", [True, False])
def test_no_file_of_an_input_is_public(folder: Path, option: str, way: str, *, is_used: bool) -> None:
    """Of no input of the plan, also of one that no output is made of."""
    output = DECLARING[option].format(WAYS[way](folder))
    (folder / "plan.toml").write_text(gaze_plan(output, second=SECOND if is_used else ""))
    for run in (synthrelease.preview, dry_run):
        with refused(PlanError, "public-path-is-private", where=option.partition("-")[0], names=["private"]):
            run(folder / "plan.toml")
    with refused(PlanError, "public-path-is-private"):
        synthrelease.build(folder / "plan.toml", folder / "r.h5", test_seed=1)
    assert not list(folder.glob("r.*"))


@pytest.mark.parametrize("way", ["the folder", "the folder that holds it", "a copy of one file", "linked"])
def test_nor_does_a_folder_of_an_input_hold_what_is_public(folder: Path, way: str) -> None:
    """Neither way, nor a copy of any file of it."""
    (folder / "all" / "data" / "more").mkdir(parents=True)
    (folder / "public").mkdir()
    for name in ("all/data/q1.csv", "all/data/q2.csv"):
        (folder / name).write_text(f"x\n{name[-5]}.5\n")
    if way == "linked":
        (folder / "public" / "sky.txt").symlink_to(folder / "all")
    else:
        shutil.copy(folder / "all" / "data" / "q2.csv", folder / "public" / "sky.txt")
    for place in ("all", "all/data", "all/data/more", "public"):
        for stimulus in public_maps.STIMULI:
            np.save(folder / place / f"{stimulus}.npy", public_maps.density(stimulus))
    path = {
        "the folder": "all/data",
        "the folder that holds it": "all",
        "a copy of one file": "public",
        "linked": "public",
    }[way]
    private = PRIVATE.replace("private.csv", "all/data").replace(
        '"features"', '"features"\npattern = "{who}.csv"'
    )
    plan = gaze_plan(DECLARING["maps"].format(path), private=private)
    (folder / "plan.toml").write_text(plan)
    with refused(PlanError, "public-path-is-private", where="maps"):
        synthrelease.preview(folder / "plan.toml")
    (folder / "public" / "sky.txt").unlink()
    (folder / "public" / "sky.txt").write_text("x\n")  # as many studies name their columns
    for public in ("public", "all/data/more"):  # no file of it, next to one that is
        (folder / "plan.toml").write_text(plan.replace(f'maps = "{path}"', f'maps = "{public}"'))
        synthrelease.preview(folder / "plan.toml")


def test_an_input_that_nothing_is_made_of_stands_next_to_nothing_public(folder: Path) -> None:
    """Who is in it is not read, and would not be found in public data."""
    (folder / "others.csv").write_text(public_maps.gaze(25, prefix="z", seed=2))
    output = DECLARING["maps"].format("others.csv")
    (folder / "plan.toml").write_text(gaze_plan(output, second=""))
    with refused(PlanError, "unused-input", where="maps"):
        synthrelease.preview(folder / "plan.toml")
    (folder / "plan.toml").write_text(gaze_plan(output, second="", private=""))
    synthrelease.preview(folder / "plan.toml")


def test_label_images_are_looked_at_one_by_one(folder: Path) -> None:
    Image.fromarray(np.ones((6, 8), dtype=np.uint8)).save(folder / "label_sea.png")
    (folder / "label_sky.png").symlink_to("private.csv")
    output = DECLARING["label_image"].format("label_{stimulus}.png")
    (folder / "plan.toml").write_text(gaze_plan(output))
    with refused(PlanError, "public-path-is-private", where="label_image"):
        synthrelease.preview(folder / "plan.toml")


@pytest.mark.parametrize("label", ["q7", "Q_07", " q7 "])
def test_no_person_of_another_input_is_in_public_gaze(folder: Path, label: str) -> None:
    """However the label is written: exact maps of them would stand next to their ε."""
    table = public_maps.gaze(9, prefix="r", seed=2).replace("r3,", f"{label},")
    (folder / "others.csv").write_text(table)
    output = DECLARING["maps"].format("others.csv")
    (folder / "plan.toml").write_text(gaze_plan(output))
    with refused(PlanError, OF_PEOPLE["maps"], where="maps"):
        synthrelease.preview(folder / "plan.toml")
    (folder / "others.csv").write_text(table.replace(f"{label},", "r3,"))
    synthrelease.preview(folder / "plan.toml")


def test_rows_in_memory_are_inputs_too(folder: Path) -> None:
    """By their labels, and by the file whose place they take."""
    (folder / "others.csv").write_text(public_maps.gaze(25, prefix="Q_", seed=1))
    frames = {"private": pl.read_csv(folder / "private.csv")}
    for maps, code in {"others.csv": OF_PEOPLE["maps"], "private.csv": "public-path-is-private"}.items():
        (folder / "plan.toml").write_text(gaze_plan(DECLARING["maps"].format(maps)))
        with refused(PlanError, code, where="maps"):
            synthrelease.build(folder / "plan.toml", folder / "r.h5", frames=frames, test_seed=1)


def test_no_person_of_another_input_is_in_a_pilot(tmp_path: Path) -> None:
    (tmp_path / "reading.csv").write_text(reading_table(40))
    (tmp_path / "private.csv").write_text("who,x\nq7,3\nq8,4\n")
    plan = reading_plan(epsilon=4.0, people=300).replace("[[outputs]]", f"{PRIVATE}\n[[outputs]]") + PILOT
    (tmp_path / "plan.toml").write_text(plan + SECOND)
    (tmp_path / "pilot.csv").write_text(reading_table(50, prefix="q"))
    with refused(PlanError, OF_PEOPLE["pilot"], where="pilot"):
        synthrelease.preview(tmp_path / "plan.toml")
    (tmp_path / "pilot.csv").unlink()
    (tmp_path / "pilot.csv").symlink_to("private.csv")
    with refused(PlanError, "public-path-is-private", where="pilot"):
        synthrelease.preview(tmp_path / "plan.toml")
    (tmp_path / "pilot.csv").unlink()
    (tmp_path / "pilot.csv").write_text(reading_table(50, prefix="r"))
    synthrelease.preview(tmp_path / "plan.toml")


def test_arrays_compare_public_gaze_with_their_people(folder: Path) -> None:
    rows = pl.read_csv(folder / "gaze.csv")
    (folder / "others.csv").write_text(
        public_maps.gaze(9, prefix="P_", seed=2).replace("who,image,x,y", "person,stimulus,x_px,y_px")
    )
    with refused(PlanError, OF_PEOPLE["maps"], where="maps"):
        arrays.heatmaps(
            person=rows["who"],
            stimulus=rows["image"],
            x_px=rows["x"],
            y_px=rows["y"],
            screen=(public_maps.WIDTH, public_maps.HEIGHT),
            stimuli=list(public_maps.STIMULI),
            epsilon=1.0,
            delta=1e-6,
            prior="maps",
            maps=str(folder / "others.csv"),
            test_seed=1,
        )


def test_a_release_replaces_nothing_that_a_plan_declares_public(folder: Path) -> None:
    shutil.copy(folder / "private.csv", folder / "others.csv")
    (folder / "plan.toml").write_text(
        gaze_plan(DECLARING["maps"].format("others.csv"), second="", private="")
    )
    (folder / "others.h5").symlink_to("others.csv")
    with refused(MachineError, "output-replaces-input"):
        synthrelease.build(folder / "plan.toml", folder / "others.h5", test_seed=1, force=True)


def test_every_option_that_is_a_path_is_public() -> None:
    """Private files are inputs: an option that names another one is found by the form of its schema."""
    named = {kind.name: sorted(kind.public_paths) for kind in SHIPPED if kind.public_paths}
    assert named == {
        "heatmap": ["maps"],
        "areas": ["areas", "label_image"],
        "scanpaths": ["maps"],
        "people": ["pilot"],
        "statistics": ["areas", "label_image"],
    }


@pytest.mark.parametrize("maps", ["others.csv", "images", None])
def test_what_labels_cannot_show_is_said_wherever_public_data_are_used(
    folder: Path, maps: str | None
) -> None:
    """Of people and of images: before a build, and by whoever verifies the bundle."""
    (folder / "others.csv").write_text(public_maps.gaze(9, prefix="r", seed=2))
    (folder / "images").mkdir()
    for stimulus in public_maps.STIMULI:
        np.save(folder / "images" / f"{stimulus}.npy", public_maps.density(stimulus))
    output = DECLARING["maps"].format(maps) if maps else 'kind = "heatmap"\n'
    plan = folder / "plan.toml"
    plan.write_text(gaze_plan(output))
    previewed = synthrelease.preview(plan)["warnings"]
    dry = CliRunner().invoke(main, ["build", str(plan), "-o", str(folder / "r.h5"), "--dry-run"]).output
    built = synthrelease.build(plan, folder / "r.h5", test_seed=1)
    believed = synthrelease.verify(built.path, allow_test_seed=True).on_trust
    for sentences in (previewed, dry.splitlines(), believed):
        told = [one for one in sentences if {"first,", "labels"} <= set(one.split())]
        assert len(told) == (1 if maps else 0), sentences
