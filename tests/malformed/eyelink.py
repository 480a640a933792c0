"""EyeLink recordings that are not as edf2asc writes them."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path

from malformed.case import PERSON, PICTURES, VALUE, Case, Family, Write, bytewise, put, swapped

FOLDER, FILE = "eyelink", "eyelink/P2.asc"
HEAD = f"** CONVERTED FROM D:\\{PERSON}.edf using edfapi 4.2.1\n** RECORDED BY {PERSON}\n\n"
SAMPLE = f"101\t  {VALUE}\t  101.0\t  778.0\t...\n"


def _trial(start: int, picture: str) -> str:
    begin = (
        f"MSG\t{start - 2} TRIALID {picture}\nMSG\t{start - 1} RECCFG CR 1000 2 1 L\n"
        f"MSG\t{start - 1} GAZE_COORDS 0.00 0.00 399.00 299.00\nSTART\t{start} \tLEFT\tSAMPLES\tEVENTS\n"
        "SAMPLES\tGAZE\tLEFT\tRATE\t 1000.00\tTRACKING\tCR\tFILTER\t2\n"
    )
    samples = "".join(f"{start + t}\t  {VALUE}\t  {100 + t}.0\t  778.0\t...\n" for t in range(4))
    return f"{begin}{samples}END\t{start + 4} \tSAMPLES\tEVENTS\tRES\t  38.54\t  31.12\n"


TEXT = HEAD + "".join(_trial(100 * number, picture) for number, picture in enumerate(PICTURES, start=1))
LINE = TEXT[: TEXT.index(SAMPLE)].count("\n") + 1


def _write(folder: Path) -> None:
    (folder / FOLDER).mkdir()
    for person in (1, 2, 3):
        (folder / FOLDER / f"P{person}.asc").write_text(TEXT)


FAMILY = Family(
    "EyeLink",
    "folder",
    _write,
    {
        "kind": "gaze",
        "path": FOLDER,
        "pattern": "P{person}.asc",
        "messages": [r"TRIALID (?P<stimulus>\S+)"],
        "columns": {
            "person": "person",
            "stimulus": "stimulus",
            "x": "pixel_x",
            "y": "pixel_y",
            "time": "time",
        },
        "screen": {"width_px": 400, "height_px": 300},
        "stimuli": list(PICTURES),
    },
    "P2.asc",
)
ONE = Family(  # the file by itself: one person, whom a message names
    "one EyeLink recording",
    "eyelink",
    _write,
    {
        **FAMILY.input,
        "path": FILE,
        "pattern": None,
        "messages": [r"TRIALID (?P<stimulus>(?P<person>\S)\S+)"],
    },
    "P2.asc",
)


def _line(new: str | bytes) -> Write:
    return swapped(FILE, SAMPLE, new)


def _text(change: Callable[[str], str]) -> Write:
    return bytewise(FILE, lambda content: change(content.decode()).encode())


_AT = f"line {LINE}"
_KIND = LINE - 2  # the line SAMPLES
_CASES = [
    ("the recording itself", put(FILE, b"SR_RESEARCH_COMBINED_FILE\n\0" + PERSON.encode()), "edf-recording", ""),
    ("empty", put(FILE, b""), "no-samples", ""),
    ("events only", _text(lambda text: "".join(line + "\n" for line in text.split("\n") if not line[:1].isdigit())), "no-samples", ""),
    ("a table", put(FILE, f"time,x,y\n1,{VALUE},2\n"), "no-samples-line", "line 2"),
    ("no line SAMPLES", _text(lambda text: text.replace("SAMPLES\tGAZE", "REMARK")), "no-samples-line", f"line {_KIND + 1}"),
    ("points relative to the head", _text(lambda text: text.replace("SAMPLES\tGAZE", "SAMPLES\tHREF")), "samples-of-other-kind", f"line {_KIND}"),
    ("a sample cut short", _line(SAMPLE[:12] + "\n"), "bad-sample", _AT),
    ("cut off within a sample", _text(lambda text: text[: text.index(SAMPLE) + 9]), "bad-sample", _AT),
    ("a decimal comma", _line(SAMPLE.replace(".8281", ",8281")), "bad-sample", _AT),
    ("text where a number belongs", _line(SAMPLE.replace(str(VALUE), PERSON)), "bad-sample", _AT),
    ("two eyes after one", _text(lambda text: "\tGAZE\tLEFT\tRIGHT".join(text.rsplit("\tGAZE\tLEFT", 1))), "eyes-change", "line"),
    ("latin-1", _line(b"MSG\t101 \xe4 " + SAMPLE.encode()), "not-utf8", _AT),
    ("UTF-16", bytewise(FILE, lambda text: codecs.BOM_UTF16_LE + text.decode().encode("utf-16-le")), "utf16-or-binary", ""),
    ("a NUL byte", _line(SAMPLE.replace("101.0", "1\x0001.0")), "damaged-file", _AT),
    ("no trials", _text(lambda text: text.replace("TRIALID", "TRIAL_VAR")), "no-message-fits", ""),
    ("a point off the screen", _line(SAMPLE.replace("101.0", "8281.0")), "point-off-screen", f"{_AT}, column 'pixel_x' or 'pixel_y'"),
    ("a time twice", _line(SAMPLE.replace("101\t", "102\t", 1)), "duplicate-time", "column 'time'"),
]  # fmt: skip
_MESSAGES = [
    ("a message that is no expression", ["TRIALID (?P<stimulus>"], "bad-message-pattern", ""),
    ("a message without a name", ["TRIALID (.+)"], "message-pattern-without-name", ""),
    (
        "a message that names a coordinate",
        ["TRIALID (?P<pixel_x>.+)"],
        "message-pattern-of-taken-name",
        "'pixel_x'",
    ),
    ("a message of another name", ["TRIALID (?P<picture>.+)"], "unknown-column", "'stimulus'"),
]
CASES = [
    *(
        Case(name, family, damage, code, place)
        for family in (FAMILY, ONE)
        for name, damage, code, place in _CASES
    ),
    *(
        Case(name, FAMILY, lambda _: None, code, place, file="eyelink", input={"messages": messages})
        for name, messages, code, place in _MESSAGES
    ),
    Case(
        "names of columns in the plan",
        ONE,
        lambda _: None,
        "key-not-for-format",
        "`header`",
        input={"header": ["a"]},
    ),
]
