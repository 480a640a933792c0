"""Folders of data sets that many have: their names of files and columns, and who is one person in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from goldens import figures
from refusals import refused

from synthrelease.data.coordinates import Coordinates
from synthrelease.data.features import load_features
from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers import FOLDERS, READERS, Reader, reader_for
from synthrelease.data.readers.mpii import FEATURES
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

GAZEBASE = "n,x,y,val,dP,lab,xT,yT\n0,0.5,-0.25,0,2000,1,0,0\n1,NaN,NaN,4,NaN,0,0,0\n"


def gazebase(folder: Path) -> Source:
    """Subject 1 came to rounds 1 and 9, subject 322 to round 1, subject 12 to round 2."""
    for name in ("1001_S1_FXS", "1001_S2_TEX", "9001_S1_FXS", "1322_S1_FXS", "2012_S1_BLG"):
        place = folder / f"Round_{name[0]}" / f"Subject_{name[:4]}" / name[5:7]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"S_{name}.csv").write_text(GAZEBASE)
    (folder / "Round_1" / "notes.txt").write_text("of no matter\n")
    return Source(folder, format="gazebase")


def test_who_came_in_several_rounds_is_one_person(tmp_path: Path) -> None:
    found = read_table(gazebase(tmp_path), ["person", "round", "session", "task", "n"])
    pairs = set(found.frame.select("person", "round").unique().rows())
    assert pairs == {("001", "1"), ("001", "9"), ("322", "1"), ("012", "2")}
    assert found.frame.height == 10


def test_gazebase_is_read_as_gaze(tmp_path: Path) -> None:
    screen = Screen(1680, 1050, width_mm=474.0, distance_mm=550.0)
    gaze = load_gaze(
        gazebase(tmp_path),
        columns={"person": "person", "stimulus": "task", "x": "x", "y": "y", "duration": "val"},
        screen=screen,
        stimuli=["FXS", "TEX"],
        missing=["NaN"],
        coordinates=Coordinates("degrees", "centre-y-up"),
    )
    assert gaze.identities == ("001", "012", "322")
    assert np.bincount(gaze.person, minlength=3).tolist() == [3, 0, 1]
    assert gaze.x_px == pytest.approx(840 + 0.5 * screen.pixels_per_degree, rel=1e-4)
    assert gaze.y_px == pytest.approx(525 + 0.25 * screen.pixels_per_degree, rel=1e-4)


def mpii(
    folder: Path, *, columns: int = 52, separator: str = ",", name: str = "Data_P{}_R{}_Pami_Features_52"
) -> Path:
    folder.mkdir(exist_ok=True)
    for person in (1, 2, 10):
        for recording in (1, 2, 3):
            rows = [[f"{person}.{recording}{row}{c:02}" for c in range(columns)] for row in range(4)]
            text = "\n".join(separator.join(row) for row in rows)
            (folder / f"{name.format(person, recording)}.csv").write_text(text + "\n")
    return folder


def test_the_features_have_the_names_of_the_annotation_scheme() -> None:
    assert len(set(FEATURES)) == len(FEATURES) == 52
    at = {0: "fixation_rate", 8: "large_saccade_ratio", 14: "fixation_duration_mean", 27: "blink_rate"}
    at |= {28: "wordbook1_nonzero", 30: "wordbook1_min", 36: "wordbook2_min", 51: "wordbook4_var"}
    assert {number: FEATURES[number] for number in at} == at


@pytest.mark.parametrize("separator", [",", ";"])
def test_mpiidpeye_is_read_as_features(tmp_path: Path, separator: str) -> None:
    source = Source(mpii(tmp_path / "d", separator=separator), format="mpiidpeye")
    chosen = {"fixation_rate": (0.0, 20.0), "wordbook4_var": (0.0, 20.0)}
    found = load_features(source, columns={"person": "person", "recording": "recording"}, bounds=chosen)
    assert found.identities == ("1", "2", "10")
    assert found.recordings == ("1", "2", "3")
    assert found.values.shape == (36, 2)
    first = found.values[(found.person == 2) & (found.recording == 1)]
    assert first.tolist() == [[float(f"10.2{row}00"), float(f"10.2{row}51")] for row in range(4)]


def test_mpiiprivaceye_has_more_columns_behind_the_features(tmp_path: Path) -> None:
    folder = mpii(tmp_path / "d", columns=60, name="P{}_R{}_data")
    source = Source(folder, format="mpiiprivaceye")
    names = reader_for(source).column_names(source)
    assert names == ["person", "recording", *FEATURES, *(f"column_{n}" for n in range(53, 61))]
    assert read_table(source, ["blink_rate", "column_60"]).frame.rows()[0] == ("1.1027", "1.1059")


@pytest.mark.parametrize("given", ["gazebase", "mpiidpeye", "mpiiprivaceye"])
@pytest.mark.parametrize(
    ("spoil", "codes"),
    [
        (lambda folder: [one.unlink() for one in folder.rglob("*.csv")], {"no-file-fits"}),
        (lambda folder: [one.write_bytes(b"") for one in folder.rglob("*.csv")], {"empty-file"}),
        (
            lambda folder: next(iter(sorted(folder.rglob("*.csv")))).write_bytes(b"\xff\xfea\0"),
            {"utf16-or-binary", "wrong-column-count"},
        ),
        (
            lambda folder: [one.write_text("canary;canary\n") for one in folder.rglob("*.csv")],
            {"one-column", "wrong-column-count"},
        ),
    ],
)
def test_near_misses(tmp_path: Path, given: str, spoil, codes: set[str]) -> None:
    if given == "gazebase":
        source = gazebase(tmp_path / "d")
    else:
        ways = {"columns": 60, "name": "P{}_R{}_data"} if given == "mpiiprivaceye" else {}
        source = Source(mpii(tmp_path / "d", **ways), format=given)
    spoil(source.path)
    with pytest.raises(DataError) as caught:
        read_table(source, ["person", "n" if given == "gazebase" else "blink_rate"])
    assert caught.value.code in codes
    assert str(source.path) in caught.value.where
    assert "canary" not in str(caught.value)
    assert caught.value.expected or caught.value.remedy


def test_the_other_mpii_data_set_is_told(tmp_path: Path) -> None:
    source = Source(mpii(tmp_path / "d"), format="mpiiprivaceye")
    with refused(DataError, "no-file-fits", where=source.path) as caught:
        read_table(source, ["person"])
    assert "`format`" in caught.value.remedy
    assert "mpiiprivaceye" in caught.value.remedy
    wide = Source(mpii(tmp_path / "e", columns=53), format="mpiidpeye")
    with refused(DataError, "wrong-column-count", where=wide.path) as caught:
        read_table(wide, ["person"])
    assert (figures(caught.value.found), figures(caught.value.expected)) == ([53], [52])


def test_a_format_that_is_none_is_refused(tmp_path: Path) -> None:
    with refused(DataError, "unknown-format") as caught:
        reader_for(Source(tmp_path, format="gazebass"))
    assert "'gazebass'" in caught.value.problem
    every = (*READERS, *FOLDERS)
    assert len({reader.name for reader in every}) == len(every)


@pytest.mark.parametrize("reader", [*READERS, *FOLDERS], ids=lambda reader: reader.name)
def test_a_key_that_a_format_has_no_use_for_is_refused(tmp_path: Path, reader: Reader) -> None:
    given = {
        "separator": ";",
        "header": ("canary",),
        "pattern": "P{person}.csv",
        "stop_at_blank": True,
        "lists": ("canary",),
        "table": "a",
        "axes": ("person",),
        "messages": ("TRIALID (?P<stimulus>.+)",),
    }
    useless = {key: value for key, value in given.items() if key not in reader.uses}
    assert useless
    for key, value in useless.items():
        source = Source(tmp_path / "d", format=reader.name, **{key: value})
        with refused(DataError, "key-not-for-format", where=source.path) as caught:
            reader_for(source)
        assert f"`{key}`" in caught.value.problem
        assert "canary" not in str(caught.value)
    used = {key: given[key] for key in reader.uses}
    assert reader_for(Source(tmp_path / "d", format=reader.name, **used)) is reader
