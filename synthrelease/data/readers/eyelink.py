"""EyeLink recordings as `edf2asc` writes them, through pymovements.

One row a sample: `time` in ms, `pixel_x` and `pixel_y` (of two eyes `pixel_xl`, `pixel_yl`, `pixel_xr`, `pixel_yr`), `pupil` (`pupil_left`,
`pupil_right`), as pymovements names them, and a column for every named group of the source's `messages`: a message's text stands on all
samples up to the next message that fits. Samples before the first one belong to no trial, and are left out.

pymovements takes whatever looks like a sample and skips the rest, so every line is looked at here first.
"""

from __future__ import annotations

import io
import re
import warnings
from pathlib import Path
from typing import Any

import polars as pl

from synthrelease.data.in_memory import split_coordinates
from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.unreadable import refuse_unreadable
from synthrelease.data.readers.utf8 import check_text, without_mark
from synthrelease.data.readers.whole import WholeFile
from synthrelease.data.source import Source
from synthrelease.errors import DataError, MachineError

_CELL = r"\s+(?:-?\d+\.\d*|-?\.\d+|\.)"  # a number, or a dot where there is none
_SAMPLE = {eyes: re.compile(rf"\d+(?:\.\d*)?(?:{_CELL}){{{3 * eyes}}}(?:\s|$)") for eyes in (1, 2)}
_SAMPLES = re.compile(r"SAMPLES\s+(\S+)\s+((?:(?:LEFT|RIGHT|LR|L|R)\b\s*)+)")
_HEAD = b"** CONVERTED FROM "  # with which edf2asc begins; without that line:
_RECORDING = re.compile(rb"^START\s+\d+\s+(LEFT|RIGHT)\b(?s:.*)^SAMPLES\s", re.MULTILINE)
_HEAD_BYTES = 1 << 16
_OWN = re.compile(r"time|(pixel|pupil).*|.*_pix.*")  # names of columns that samples have, or pymovements uses


class EyeLink(WholeFile):
    """Reader of .asc files of samples and events, whatever they are called."""

    name = "eyelink"
    formats = ".asc of EyeLink"
    endings = (".asc",)
    uses: tuple[str, ...] = ("messages",)
    slow = True

    def table(self, source: Source) -> pl.DataFrame:
        """Read the samples.

        Raises:
            DataError: the file is none of edf2asc, has no samples, or a line of them cannot be read; no message fits.
            MachineError: pymovements is not installed.
        """
        patterns = message_patterns(source)
        text = _text(source)
        _sample_lines(source, text)
        frame = split_coordinates(_parsed(source, text, patterns), str(source.path)).fill_nan(None)
        if not patterns:
            return frame
        names = sorted({name for pattern in patterns for name in re.compile(pattern).groupindex})
        has_message = frame.select(pl.any_horizontal(pl.col(names).is_not_null())).to_series()
        if not has_message.any():
            raise DataError(
                "no-message-fits",
                "no message of the recording fits",
                where=str(source.path),
                expected="a line MSG, before samples, that begins as one of the input's `messages` says",
                remedy="look at the lines MSG of the file, and correct `messages`",
            )
        return frame.slice(has_message.arg_max() or 0)

    def place(self, source: Source, line: int) -> str:
        """Name a line, as an editor counts."""
        lines = _sample_lines(source, _text(source))
        return f"line {lines[len(lines) - self._kept(source).height + line]}"

    def counts(self, source: Source, column: str) -> bool:  # noqa: ARG002  as all formats
        """Whether cells are places: all are in the file."""
        return False


def is_recording(path: Path) -> bool:
    """Whether a file begins as edf2asc writes it; what cannot be opened is said where it is read."""
    try:
        with opened(path) as file:
            head = without_mark(file.read(_HEAD_BYTES))
    except (DataError, MachineError):
        return False
    return head.startswith(_HEAD) or (b"\nSAMPLES" in head and _RECORDING.search(head) is not None)


def message_patterns(source: Source) -> list[str]:
    """Return the regular expressions of a source, each of which may be put into a larger one.

    Raises:
        DataError: one is none, names no column, or one that samples have already.
    """
    for pattern in source.messages:
        try:
            names = list(re.compile(f"(?:{pattern})").groupindex)
        except re.error as error:
            raise DataError(
                "bad-message-pattern",
                "a pattern of messages cannot be read",
                where=str(source.path),
                found=f"{error.msg} in {pattern}",
                expected="a regular expression of Python",
                remedy=r"correct the input's `messages`: 'TRIALID (?P<stimulus>\S+)'",
            ) from None
        taken = [name for name in names if _OWN.fullmatch(name)]
        if taken or not names:
            raise DataError(
                "message-pattern-of-taken-name" if taken else "message-pattern-without-name",
                f"a pattern of messages names the column '{taken[0]}', which samples have already"
                if taken
                else "a pattern of messages names no column",
                where=str(source.path),
                found=pattern,
                expected="a group with a name of its own",
                remedy="correct the input's `messages`: 'TRIALID (?P<stimulus>.+)'",
            )
    return [f"(?:{pattern})" for pattern in source.messages]


def _text(source: Source) -> str:
    """The file, with line ends as Python has them."""
    path = source.path
    with opened(path) as file:
        data = file.read()
    refuse_unreadable(path, data[:64])
    data = without_mark(data)
    check_text(path, data, anew="make it by edf2asc -utf8")
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")


def _sample_lines(source: Source, text: str) -> list[int]:
    """The numbers of the lines with samples.

    Raises:
        DataError: a line of samples is not what the line SAMPLES above it says, or there are none.
    """
    eyes, lines = 0, []
    for number, line in enumerate(text.split("\n"), start=1):
        if line[:1].isdecimal():
            if not eyes:
                raise _unexpected(
                    "no-samples-line", source, number, "a sample", "a line SAMPLES GAZE above it"
                )
            if not _SAMPLE[eyes].match(line):
                raise DataError(
                    "bad-sample",
                    "a sample cannot be read",
                    where=f"{source.path}, line {number}",
                    found="other text",
                    expected=f"time, then x, y and pupil of {'both eyes' if eyes == 2 else 'one eye'}: each a number "
                    "with a decimal point, or a dot where it is missing",
                    remedy="make the file anew, by edf2asc without -sh, -sp",
                )
            lines.append(number)
        elif line.startswith("SAMPLES"):
            eyes = _eyes(source, number, line, eyes)
    if not lines:
        raise DataError(
            "no-samples",
            "the recording has no samples",
            where=str(source.path),
            expected="samples and events, as edf2asc writes them",
            remedy="make the file anew, by edf2asc without -e, -ns; for fixations, export a report of DataViewer",
        )
    return lines


def _eyes(source: Source, number: int, line: str, before: int) -> int:
    match = _SAMPLES.match(line)
    if match is None or match[1] != "GAZE":
        raise _unexpected(
            "samples-of-other-kind",
            source,
            number,
            "samples of another kind",
            "SAMPLES GAZE: points on the screen",
        )
    eyes = 2 if {"LR"} <= set(match[2].split()) or len(match[2].split()) == 2 else 1
    if before and eyes != before:
        raise DataError(
            "eyes-change",
            "the number of eyes changes within the recording",
            where=f"{source.path}, line {number}",
            found=f"{eyes} after {before}",
            expected="the same throughout",
            remedy="make the file anew with one eye, by edf2asc -l or -r",
        )
    return eyes


def _unexpected(code: str, source: Source, number: int, content: str, expected: str) -> DataError:
    return DataError(
        code,
        "the file cannot be read as EyeLink samples",
        where=f"{source.path}, line {number}",
        found=content,
        expected=expected,
        remedy="make the file anew, by edf2asc with no other options",
    )


def _parsed(source: Source, text: str, patterns: list[str]) -> pl.DataFrame:
    """Samples as pymovements reads them. What it warns of is about the tracker, and may quote the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from_asc = import_pymovements().gaze.from_asc
        try:
            samples: pl.DataFrame = from_asc(io.StringIO(text), patterns=patterns).samples
        except Exception:  # noqa: BLE001  whatever it stumbles over; its messages quote the file
            raise DataError(
                "bad-eyelink",
                "the file cannot be read as EyeLink samples",
                where=str(source.path),
                found="a line that pymovements cannot read",
                expected="a recording as edf2asc writes it",
                remedy="make the file anew, by edf2asc with no other options",
            ) from None
    return samples


def import_pymovements(use: str = "reads recordings of eye trackers") -> Any:
    """Return pymovements.

    Args:
        use: what it is needed for.

    Raises:
        MachineError: it is not installed.
    """
    try:
        import pymovements  # noqa: PLC0415  slow, and an extra
    except ImportError:
        raise MachineError(
            "extra-missing",
            f"pymovements is not installed, which {use}",
            remedy="pip install pymovements, here and on every worker",
        ) from None
    return pymovements
