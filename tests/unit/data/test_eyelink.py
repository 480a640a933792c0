"""EyeLink recordings become tables of samples; a file that is none is refused with what to do, and no line of it is repeated."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import refusals
from goldens import check_text
from refusals import check_refusal

import synthrelease
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.readers import eyelink, reader_for
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError, MachineError

TRIAL = r"TRIALID (?P<stimulus>\S+)"


HEAD = """** CONVERTED FROM D:\\study\\canary.edf using edfapi 4.2.1 Linux
** DATE: Wed Mar  8 09:25:20 2023
** TYPE: EDF_FILE BINARY EVENT SAMPLE TAGGED
** VERSION: EYELINK II 1
** SOURCE: EYELINK CL
** EYELINK II CL v6.12 Feb  1 2018 (EyeLink Portable Duo)
** CAMERA: EyeLink USBCAM Version 1.01
** SERIAL NUMBER: CLU-DAB50
** CAMERA_CONFIG: DAB50200.SCD
** RECORDED BY SleepAlc
** SREB2.2.299 WIN32 LID:F2AE011 Mod:2017.04.21 15:19 CEST

MSG\t2091650 !CAL CALIBRATION HV9 R RIGHT GOOD
MSG\t2095865 DISPLAY_COORDS 0 0 1279 1023
MSG\t2095865 RETRACE_INTERVAL 16.646125144
"""
INPUT = "INPUT\t{t}\t0\n"


def block(start: int, samples: list[str], *, eyes: str = "LEFT", before: str = "", rate: int = 1000) -> str:
    """A recording from START to END, every ms a sample."""
    short = "".join(eye[0] for eye in eyes.split())
    lines = [
        f"MSG\t{start} RECCFG CR {rate} 2 1 {short}",
        f"MSG\t{start} ELCLCFG BTABLER",
        f"MSG\t{start} GAZE_COORDS 0.00 0.00 1279.00 1023.00",
        before,
        f"START\t{start} \t{eyes.replace(' ', chr(9))}\tSAMPLES\tEVENTS",
        "PRESCALER\t1",
        "VPRESCALER\t1",
        "PUPIL\tAREA",
        f"EVENTS\tGAZE\t{eyes.replace(' ', chr(9))}\tRATE\t {rate}.00\tTRACKING\tCR\tFILTER\t2",
        f"SAMPLES\tGAZE\t{eyes.replace(' ', chr(9))}\tRATE\t {rate}.00\tTRACKING\tCR\tFILTER\t2",
        *samples,
        f"END\t{start + 999} \tSAMPLES\tEVENTS\tRES\t  38.54\t  31.12",
    ]
    return "".join(line + "\n" for line in lines if line)


SEA = [
    "1000\t  611.3\t   93.8\t  778.0\t...",
    "SFIX L   1000",
    "1001\t  611.4\t   93.9\t  779.0\t...",
    "SBLINK L 1002",
    "1002\t   .\t   .\t    0.0\t...",
    "EBLINK L 1002\t1002\t1",
    "EFIX L   1000\t1001\t2\t  611.3\t   93.8\t    778",
]
SKY = ["MSG\t2000 KEY canary-left", "2000\t  -12.5\t  400.0\t  801.0\t...", "2001\t 735.1 400.1 .5 ..."]
MONO = (
    HEAD
    + "MSG\t999 TRIALID sea canary\n"
    + block(999, SEA)
    + "MSG\t1990 TRIALID sky\n"
    + block(1999, SKY, before="MSG\t1999 DISPLAY ON")
)
BOTH = [
    "1000\t  611.3\t   93.8\t  778.0\t  615.0\t   95.5\t  801.0\t.....",
    "1001\t   .\t   .\t    0.0\t  615.1\t   95.6\t  802.0\t.C...",
]
BINO = HEAD + block(999, BOTH, eyes="LEFT RIGHT", before="MSG\t999 TRIALID sea")


def stored(folder: Path, text: str | bytes, name: str = "canary_p1.asc") -> Source:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Source(path, messages=(TRIAL,))


def table(source: Source) -> pl.DataFrame:
    return read_table(source, reader_for(source).column_names(source)).frame


def refused(source: Source, code: str, *places: str) -> DataError:
    with pytest.raises(DataError) as caught:
        table(source)
    check_refusal(caught.value, source.path, code, *places, secrets=("canary",))
    return caught.value


def test_samples_of_one_eye_carry_their_trial(tmp_path: Path) -> None:
    found = table(stored(tmp_path, MONO))
    assert dict(found.schema) == {
        "time": pl.Int64(),
        "pupil": pl.Float64(),
        "stimulus": pl.String(),
        "pixel_x": pl.Float64(),
        "pixel_y": pl.Float64(),
    }
    assert found.select("time", "pixel_x", "pixel_y", "pupil", "stimulus").rows() == [
        (1000, 611.3, 93.8, 778.0, "sea"),
        (1001, 611.4, 93.9, 779.0, "sea"),
        (1002, None, None, 0.0, "sea"),
        (2000, -12.5, 400.0, 801.0, "sky"),
        (2001, 735.1, 400.1, 0.5, "sky"),
    ]


def test_samples_of_two_eyes_have_columns_for_each(tmp_path: Path) -> None:
    names = ["time", "pixel_xl", "pixel_yl", "pupil_left", "pixel_xr", "pixel_yr", "pupil_right"]
    found = table(stored(tmp_path, BINO))
    assert set(found.columns) == {*names, "stimulus"}
    assert found.select(names).rows() == [
        (1000, 611.3, 93.8, 778.0, 615.0, 95.5, 801.0),
        (1001, None, None, 0.0, 615.1, 95.6, 802.0),
    ]


def test_a_missing_pupil_of_two_eyes_is_missing_and_no_nan(tmp_path: Path) -> None:
    found = table(stored(tmp_path, BINO.replace("  802.0", "   .")))
    assert found["pupil_right"].to_list() == [801.0, None]


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path, ends: str) -> None:
    source = Source(tmp_path / "a.asc", messages=(r"TRIALID (?P<stimulus>.+)",))
    source.path.write_bytes(b"\xef\xbb\xbf" + MONO[len(HEAD) :].replace("\n", ends).encode())
    shown = table(source)["stimulus"].unique(maintain_order=True).to_list()
    assert shown == ["sea canary", "sky"]  # not a sentence: labels


@pytest.mark.parametrize("name", ["p.txt", "p.edf.asc", "p.TSV", "p.csv", "p.dat", "p"])
@pytest.mark.parametrize("has_head", [True, False])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_recording_is_known_by_what_it_holds(
    tmp_path: Path, name: str, mark: bytes, *, has_head: bool
) -> None:
    text = MONO if has_head else MONO.partition("\n\n")[2]
    expected = table(stored(tmp_path, MONO))
    assert table(stored(tmp_path, mark + text.encode(), name)).equals(expected)


def test_a_recording_with_many_messages_before_it_is_known_by_its_first_line(tmp_path: Path) -> None:
    messages = "".join(f"MSG\t{n} canary\n" for n in range(eyelink._HEAD_BYTES // 12))
    path = stored(tmp_path, HEAD + messages + "MSG\t999 TRIALID sea\n" + block(999, SEA), "p.txt").path
    assert reader_for(Source(path)).name == "eyelink"


def test_a_table_about_recordings_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_text("START\tSAMPLES\n1\tLEFT\n** CONVERTED\tx\nSAMPLES\t2\n")
    assert reader_for(Source(path)).name == "text"


def test_several_patterns_and_alternatives_are_held_apart(tmp_path: Path) -> None:
    text = stored(tmp_path, MONO).path
    found = table(Source(text, messages=("NONE (?P<stimulus>x)|TRIALID (?P<picture>s..)", "KEY (?P<key>.+)")))
    assert found["picture"].to_list() == ["sea"] * 3 + ["sky"] * 2
    assert found["key"].to_list() == [None] * 3 + ["canary-left"] * 2
    assert found["stimulus"].null_count() == 5


def test_samples_before_the_first_trial_are_left_out_and_places_stay_right(tmp_path: Path) -> None:
    text = MONO.replace("MSG\t999 TRIALID sea canary\n", "")
    source = stored(tmp_path, text)
    found = read_table(source, ["time", "stimulus"])
    assert found.frame.rows() == [(2000, "sky"), (2001, "sky")]
    line = 1 + text.split("\n").index(SKY[-1])
    assert found.place(1, "time") == f"{source.path}, line {line}, column 'time'"
    assert table(Source(source.path)).height == 5  # without patterns there are no trials


def test_a_folder_of_recordings_is_a_gaze(tmp_path: Path) -> None:
    for person in (1, 2, 10):
        (tmp_path / f"P{person}.asc").write_text(MONO.replace("611.3", f"{person}.0"))
    source = Source(tmp_path, pattern="P{person}.asc", messages=(TRIAL,))
    gaze = load(source, off_screen="drop")
    assert gaze.identities == ("1", "2", "10")
    assert gaze.x_px.tolist()[0] == 1.0


def load(source: Source, **options: Any) -> GazeData:
    columns = {"person": "person", "stimulus": "stimulus", "x": "pixel_x", "y": "pixel_y"}
    return load_gaze(source, columns=columns, screen=Screen(1280, 1024), stimuli=("sea", "sky"), **options)


PLAN = """
[release]
name = "r"
version = "1"
title = "t"
[privacy]
epsilon = 1.0
delta = 1e-3
[inputs.looks]
kind = "gaze"
path = "."
pattern = "P{person}.asc"
messages = ['TRIALID (?P<stimulus>\\S+)']
columns = { person = "person", stimulus = "stimulus", x = "pixel_x", y = "pixel_y" }
screen = { width_px = 1280, height_px = 1024 }
off_screen = "drop"
stimuli = ["sea", "sky"]
[[outputs]]
name = "maps"
kind = "heatmap"
input = "looks"
width_px = 8
height_px = 8
"""


def test_a_bundle_of_recordings_is_that_of_their_frame(tmp_path: Path) -> None:
    frames = []
    for person in range(12):
        path = tmp_path / f"P{person}.asc"
        path.write_text(MONO.replace("611.3", f"{50 * person}.0"))
        frames.append(table(Source(path, messages=(TRIAL,))).with_columns(person=pl.lit(str(person))))
    (tmp_path / "plan.toml").write_text(PLAN)
    one = synthrelease.build(tmp_path / "plan.toml", tmp_path / "one.h5", test_seed=1)
    held = {"looks": pl.concat(frames)}
    other = synthrelease.build(tmp_path / "plan.toml", tmp_path / "other.h5", frames=held, test_seed=1)
    assert one.path.read_bytes() == other.path.read_bytes()


def spoilt() -> Iterator[tuple[str, str | bytes, str, str, str]]:
    """What is wrong, the file, the code of the error, its line, and a name in its remedy."""
    line = 1 + MONO.split("\n").index(SEA[2])
    pair = 1 + BINO.split("\n").index(BOTH[0])
    yield "text in a sample", MONO.replace("611.4", "canary"), "bad-sample", f"line {line}", "edf2asc"
    yield "a whole number", MONO.replace("611.4", "611"), "bad-sample", f"line {line}", "edf2asc"
    yield "two columns", MONO.replace(SEA[2], "1001 611.4"), "bad-sample", f"line {line}", "edf2asc"
    yield "a number too long", MONO.replace("611.4", "611.4.5"), "bad-sample", f"line {line}", "edf2asc"
    yield "half a sample of two eyes", BINO.replace("  801.0", ""), "bad-sample", f"line {pair}", "edf2asc"
    headless = MONO.replace("SAMPLES\tGAZE", "canary")
    yield "no head of samples", headless, "no-samples-line", f"line {line - 2}", "edf2asc"
    relative = MONO.replace("SAMPLES\tGAZE", "SAMPLES\tHREF")
    yield "head-referenced", relative, "samples-of-other-kind", f"line {line - 3}", "edf2asc"
    both = MONO + BINO[len(HEAD) :]
    second = len(both[: both.rindex("SAMPLES\tGAZE")].split("\n"))
    yield "another number of eyes", both, "eyes-change", f"line {second}", "edf2asc -l"
    events = "\n".join(one for one in MONO.split("\n") if not one[:1].isdigit())
    yield "events only", events, "no-samples", "", "-e, -ns"
    yield "empty", "", "no-samples", "", "edf2asc"
    yield "binary", b"SR_RESEARCH_COMBINED_FILE\n\0canary", "edf-recording", "", "edf2asc"
    yield "damaged", MONO.replace("611.4", "\0canary"), "damaged-file", f"line {line}", "edf2asc"
    latin = MONO.replace("611.4", "canary-é").encode("latin1")
    yield "other bytes", latin, "not-utf8", f"line {line}", "-utf8"
    yield "no message", MONO.replace("TRIALID", "canary"), "no-message-fits", "", "`messages`"
    coordinates = MONO.replace("GAZE_COORDS 0.00", "GAZE_COORDS canary")
    yield "a screen without numbers", coordinates, "bad-eyelink", "", "edf2asc"


@pytest.mark.parametrize(
    ("text", "code", "place", "named"), [pytest.param(*parts, id=name) for name, *parts in spoilt()]
)
def test_what_is_no_recording_is_refused(
    tmp_path: Path, text: str | bytes, code: str, place: str, named: str
) -> None:
    assert named in refused(stored(tmp_path, text), code, place).remedy


def test_what_a_sample_is_of_one_eye_and_of_both_is_said(tmp_path: Path) -> None:
    one = refused(stored(tmp_path, MONO.replace(SEA[2], "1001 611.4")), "bad-sample")
    both = refused(stored(tmp_path, BINO.replace("  801.0", "")), "bad-sample")
    check_text("messages/eyelink-samples", f"{one}\n\n{both}", folder=tmp_path)


@pytest.mark.parametrize(
    ("pattern", "code", "named"),
    [
        ("TRIALID (?P<stimulus>.+", "bad-message-pattern", ""),
        ("TRIALID (.+)", "message-pattern-without-name", ""),
        ("TRIALID (?P<time>.+)", "message-pattern-of-taken-name", "'time'"),
        ("TRIALID (?P<my_pix>.+)", "message-pattern-of-taken-name", "'my_pix'"),
        ("TRIALID (?P<pixel_x>.+)", "message-pattern-of-taken-name", "'pixel_x'"),
    ],
)
def test_patterns_that_cannot_be_used_are_refused(
    tmp_path: Path, pattern: str, code: str, named: str
) -> None:
    error = refused(Source(stored(tmp_path, MONO).path, messages=(pattern,)), code)
    assert pattern in error.found
    assert named in error.problem
    assert "(?P<stimulus>" in error.remedy


def test_a_label_that_is_missing_or_a_point_off_the_screen_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "P1.asc").write_text(MONO)
    source = Source(tmp_path, pattern="P{person}.asc", messages=(TRIAL,))
    line = 1 + MONO.split(chr(10)).index(SKY[1])
    with refusals.refused(DataError, "point-off-screen", where=f"P1.asc, line {line}, column 'pixel_x'"):
        load(source)


def test_names_and_messages_that_have_no_use_are_refused(tmp_path: Path) -> None:
    asc = stored(tmp_path, MONO).path
    assert "`header`" in refused(Source(asc, header=("a", "b")), "key-not-for-format").problem
    (tmp_path / "a.csv").write_text("x\n1\n")
    error = refused(Source(tmp_path / "a.csv", messages=(TRIAL,)), "key-not-for-format")
    assert "`messages`" in error.problem


def test_without_the_extra_the_remedy_is_its_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pymovements", None)
    with refusals.refused(MachineError, "extra-missing") as caught:
        table(stored(tmp_path, MONO))
    assert caught.value.exit_code == 6
    assert "pip install pymovements" in caught.value.remedy  # not a sentence: a command
