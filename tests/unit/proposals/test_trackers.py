"""`init` knows the files of eye trackers' software: what is what, where 0 is, what marks nothing, and what says too much."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
from goldens import check_text, figures
from headset_exports import EXPORTS as WORN
from tracker_exports import EXPORTS as ON_DESKS
from tracker_exports import Export

from synthrelease.plan.settings_file import FILL_IN
from synthrelease.proposals.excerpt import excerpt_of
from synthrelease.proposals.identifiers import identifier_columns
from synthrelease.proposals.propose import Proposal, propose
from synthrelease.proposals.roles import X, plain_name, roles_of
from synthrelease.proposals.sources import tables_in
from synthrelease.proposals.trackers import Tracker, trackers

EXPORTS = {**ON_DESKS, **WORN}
TRACKERS = trackers().known


def exports():
    return [pytest.param(one, id=name) for name, one in EXPORTS.items()]


def plan_of(export: Export, folder: Path):
    proposal = propose([export.write(folder)], folder / "plan.toml", people=[export.person])
    return proposal, tomllib.loads(proposal.text)["inputs"]


@pytest.mark.parametrize("export", exports())
def test_columns_of_a_tool_are_known(export: Export, tmp_path: Path) -> None:
    roles = roles_of(excerpt_of(tables_in(export.write(tmp_path)).sources[0]).filled)
    assert roles.tracker is not None
    assert roles.tracker.name == export.tool
    assert {role: roles.best(role) for role in export.roles} == export.roles
    assert (X in export.roles) == (roles.best(X) is not None)
    assert roles.time_unit == export.unit


@pytest.mark.parametrize("export", exports())
def test_init_proposes_what_the_tool_means(export: Export, tmp_path: Path) -> None:
    proposal, inputs = plan_of(export, tmp_path)
    assert re.search(rf"(?m)^# .*{re.escape(export.tool)}", proposal.text)
    assert (proposal.inputs[0].kind == "gaze") == (X in export.roles)
    (own,) = inputs.values()
    assert own["missing"] == (
        [FILL_IN, *export.missing] if export.missing else []
    )  # rows of people show them
    assert (own.get("coordinates", "pixels"), own.get("origin", "top-left")) == (
        export.coordinates,
        export.origin,
    )
    columns = own["columns"]
    expected = (
        ("x", "y", "stimulus", "duration") if (proposal.inputs[0].kind == "gaze") else ("time", "recording")
    )
    for role in expected:
        if role in export.roles and export.roles[role] != export.person:
            assert columns[role] == export.roles[role]
    assert ("duration" in columns) == ("duration" in export.roles)


@pytest.mark.parametrize("export", exports())
def test_init_warns_of_what_the_tool_tells(export: Export, tmp_path: Path) -> None:
    proposal, _ = plan_of(export, tmp_path)
    telling = {"telling-column", "telling-person-column"}
    warned = {column for one in proposal.doubts if one.code in telling for column in one.about}
    assert warned == set(export.warned)
    for cell in ("Ada L", "ab0312", "1654688461462000000"):
        assert cell not in "".join(proposal.warnings)


def test_every_tool_has_an_export_here() -> None:
    assert {export.tool for export in EXPORTS.values()} == {tracker.name for tracker in TRACKERS}


def test_names_of_the_table_are_plain_and_in_one_place() -> None:
    for tracker in (*TRACKERS, trackers().common):
        roles = (
            tracker.person,
            tracker.stimulus,
            tracker.recording,
            tracker.time,
            tracker.duration,
            tracker.screen,
        )
        names = [name for row in (*tracker.signs, *roles, tuple(tracker.identifiers)) for name in row]
        names += [one for point in tracker.points for one in (point.across, point.down)]
        assert [plain_name(name) for name in names] == names
        assert all(point.across != point.down for point in tracker.points)


@pytest.mark.parametrize("sign", ["µ", "μ", "u"])
def test_microseconds_are_no_seconds(sign: str) -> None:
    roles = roles_of([f"Recording timestamp [{sign}s]", "Gaze point X", "Gaze point Y"])
    assert roles.best("time") == f"Recording timestamp [{sign}s]"  # not a sentence: a column
    assert roles.time_unit == "µs"
    assert plain_name(f"t [{sign}s]") == "t_us"


def test_millimetres_are_no_pixels() -> None:
    millimetres = ["Recording timestamp", "Gaze point X [DACS mm]", "Gaze point Y [DACS mm]"]
    assert roles_of(millimetres).best("x") is None
    pixels = ["Gaze point X [DACS px]", "Gaze point Y [DACS px]"]
    assert roles_of([*millimetres, *pixels]).best("x") == pixels[0]


def test_of_the_media_shares_of_it_are_meant() -> None:
    for norm in ("(MCSnorm)", "[MCS norm]"):
        across = f"Gaze point X {norm}"
        roles = roles_of(["Recording timestamp", across, f"Gaze point Y {norm}"])
        assert (roles.best("x"), roles.point.coordinates, roles.point.origin) == (
            across,
            "normalised",
            "top-left",
        )


def test_both_coordinates_are_of_one_pair() -> None:
    roles = roles_of(["x", "gaze_x", "gaze_y"])
    assert (roles.best("x"), roles.best("y")) == ("gaze_x", "gaze_y")
    assert roles_of(["x", "gaze_y"]).best("x") is None


@pytest.mark.parametrize("tracker", TRACKERS, ids=lambda tracker: tracker.name)
def test_all_that_a_tool_tells_is_warned_of(tracker: Tracker) -> None:
    frame = pl.DataFrame({name: ["of some kind"] for name in (*tracker.signs[0], *tracker.identifiers)})
    assert {one.column: one.content for one in identifier_columns(frame)} == {
        column: trackers().identifiers[kind] for column, kind in tracker.identifiers.items()
    }


def test_durations_that_samples_may_repeat_are_no_weights() -> None:
    sample = ["Recording timestamp", "Gaze point X", "Gaze point Y", "Gaze event duration", "duration"]
    assert roles_of(sample).best("duration") is None


def test_what_is_on_no_screen_has_no_points() -> None:
    for sign in ("pupil_timestamp", "gaze_direct_L.x", "eyeDataRelativeTimestamp"):
        assert roles_of([sign, "x", "y"]).best("x") is None
    assert roles_of(["CURRENT_FIX_INDEX", "x", "y"]).best("x") == "x"


def test_the_screen_s_size_is_that_of_the_recordings(tmp_path: Path) -> None:
    text = plan_of(EXPORTS["PRO_LAB"], tmp_path)[0].text
    check_text("plans/tobii", text)
    for side in ("width", "height"):
        column = f"'Recording resolution {side} [px]'"
        assert [line for line in text.splitlines() if line.startswith("#") and column in line]
    (own,) = tomllib.loads(text)["inputs"].values()
    assert own["screen"] == {"width_px": 1920, "height_px": 1080}


def studio(folder: Path, *resolutions: str) -> tuple[Proposal, object]:
    """A plan of an export of Tobii Studio, with a recording of each resolution, and its screen."""
    path = folder / "studio.tsv"
    rows = [
        f"P{person}\t{resolution}\tsea.jpg\t{n}\t{100 + n}\t{200 + n}"
        for person, resolution in enumerate(resolutions)
        for n in range(20)
    ]
    names = "ParticipantName|RecordingResolution|MediaName|RecordingTimestamp|GazePointX (ADCSpx)|GazePointY (ADCSpx)"
    path.write_text("\n".join([names.replace("|", "\t"), *rows]) + "\n")
    found = propose([path], folder / "plan.toml", people=["ParticipantName"])
    (own,) = tomllib.loads(found.text)["inputs"].values()
    return found, own["screen"]


@pytest.mark.parametrize(
    "resolution", ["1280 x 1024", "1280x1024", "1280 × 1024", "1280*1024", "1280 X 1024 px"]
)
def test_a_resolution_in_one_column_is_the_screen(tmp_path: Path, resolution: str) -> None:
    assert studio(tmp_path, resolution, "", resolution)[1] == {"width_px": 1280, "height_px": 1024}


def test_of_several_resolutions_the_curator_chooses(tmp_path: Path) -> None:
    found, screen = studio(tmp_path, "1280 x 1024", "1920 x 1080")
    assert screen == {"width_px": FILL_IN, "height_px": FILL_IN}
    (doubt,) = [one for one in found.doubts if one.code == "several-screens"]
    assert doubt.about == ("RecordingResolution",)
    assert figures(doubt.text) == [1280, 1024, 1920, 1080]
    assert "1280" not in found.text.partition("columns =")[0]


@pytest.mark.parametrize("resolution", ["", "1280", "wide", "0 x 0"])
def test_what_is_no_resolution_is_asked_for(tmp_path: Path, resolution: str) -> None:
    found, screen = studio(tmp_path, resolution, resolution)
    assert screen == {"width_px": FILL_IN, "height_px": FILL_IN}
    assert not [one for one in found.doubts if one.code == "several-screens"]


def test_of_other_files_no_tool_is_said() -> None:
    roles = roles_of(["person", "image", "x_px", "y_px"])
    assert roles.tracker is None
    assert roles.remarks == []
    assert roles.time_unit == ""


def test_decimal_commas_are_warned_of(tmp_path: Path) -> None:
    export = EXPORTS["PRO_LAB"]
    path = tmp_path / "tobii.tsv"
    path.write_text(export.text.replace("100.5", "100,5").replace("3.21", "3,21"))
    found = propose([path], tmp_path / "plan.toml", people=[export.person])
    columns = ["Gaze point X [DACS px]", "Pupil diameter left [mm]"]
    assert [one.about for one in found.doubts if one.code == "decimal-commas"] == [(one,) for one in columns]
    assert not [one for one in plan_of(export, tmp_path)[0].doubts if one.code == "decimal-commas"]


@pytest.mark.thorough
def test_rows_that_measure_nothing_are_proposed_to_be_left_out(tmp_path: Path) -> None:
    proposed: dict[str, dict[str, object]] = {tracker.name: {} for tracker in TRACKERS}
    for number, export in enumerate(EXPORTS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, inputs = plan_of(export, folder)
        (own,) = inputs.values()
        chosen = {**own.get("only", {}), **own.get("valid", {})}
        proposed[export.tool] |= {plain_name(column): values for column, values in chosen.items()}
    for tracker in TRACKERS:
        declared = {name: list(values) for name, values in {**tracker.only, **tracker.valid}.items()}
        assert proposed[tracker.name] == declared, tracker.name
