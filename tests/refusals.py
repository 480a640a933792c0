"""What every refusal must be: tests compare its class, its code and its place, never its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from synthrelease.errors import DataError, SynthReleaseError

_CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@contextmanager
def refused(
    kind: type[SynthReleaseError], code: str, *, where: str | Path = "", names: Sequence[str] = ()
) -> Iterator[pytest.ExceptionInfo[SynthReleaseError]]:
    """Assert that the block raises an error of just this class and code, whose place has `where` in it.

    Args:
        kind: the class, and no other below it.
        code: of the error.
        where: a part of the place.
        names: identifiers and figures that stand in what was found, what was expected, the remedy or the problem.
    """
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert (type(error), error.code) == (kind, code), str(error)
    assert str(where) in error.where, error.where
    text = f"{error.problem}\n{error.found}\n{error.expected}\n{error.remedy}"
    assert [name for name in names if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)] == [], text
    check_form(error)


def check_form(error: SynthReleaseError) -> None:
    """Assert that a message can be shown: every part is one line of text in which everything was filled in."""
    assert _CODE.fullmatch(error.code)
    for part in (error.problem, error.where, error.found, error.expected, error.remedy):
        assert part == part.strip()
        assert "\n" not in part
        assert not re.search(r"\bNone\b|<\w+ object at|  ", part), part  # not a sentence: Python's repr


def check_refusal(error: DataError, path: Path, code: str, *places: str, secrets: Sequence[str]) -> None:
    """Assert that an error of a data file has the code, names the file and the places, ends with code 3, helps, and quotes no cell."""
    assert (type(error), error.code) == (DataError, code), str(error)
    assert error.exit_code == 3
    for place in (str(path), *places):
        assert place in error.where, error.where
    check_form(error)
    told = str(error).replace(str(path), "")
    assert error.expected or error.remedy
    assert not [secret for secret in secrets if secret in told + repr(error).replace(str(path), "")]
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


@contextmanager
def bad_argument(
    kind: type[Exception], *named: object, by: str = ""
) -> Iterator[pytest.ExceptionInfo[Exception]]:
    """Assert that the block raises an error of the class, which has each of these names and figures; `by` this module."""
    with pytest.raises(kind) as caught:
        yield caught
    assert by in ("", caught.traceback[-1].path.stem), caught.traceback[-1].path
    text = str(caught.value)
    for one in named:
        assert re.search(rf"(?<![\w.-]){re.escape(str(one))}(?!\w|\.\d)", text), (one, text)
