"""The private folder of a command: one, for its owner alone, shared with workers, and gone when the command ends."""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from synthrelease.errors import MachineError
from synthrelease.files.scratch import scratch, scratch_folder
from synthrelease.parallel import Call, run_calls


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder in which nothing may be left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield tmp_path
    assert list(tmp_path.iterdir()) == []


def made_folder() -> Path:
    folder = scratch_folder()
    assert folder is not None
    return folder


def test_there_is_one_folder_for_its_owner_alone_and_none_outside_of_commands(temporary: Path) -> None:
    assert scratch_folder() is None
    with scratch():
        assert list(temporary.iterdir()) == []  # made when it is asked for
        folder = made_folder()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with scratch():
            assert scratch_folder() == folder
        (folder / "private").write_text("7")
        assert scratch_folder() == folder
    assert not folder.exists()
    assert scratch_folder() is None


@pytest.mark.parametrize(
    "error", [ValueError, KeyboardInterrupt, SystemExit, MachineError("cannot-read", "no")]
)
def test_it_is_gone_however_the_command_ends_and_errors_stay_as_they_are(
    error: type[BaseException] | MachineError,
) -> None:
    @scratch()
    def ended() -> None:
        (made_folder() / "private").write_text("7")
        raise error

    with pytest.raises(error if isinstance(error, type) else MachineError) as caught:
        ended()
    assert getattr(caught.value, "remedy", "") == ""


def test_what_a_killed_command_has_left_is_swept_away(temporary: Path) -> None:
    with scratch():
        name = made_folder().name
    left = temporary / name
    left.mkdir()
    (left / "private").write_text("7")
    with scratch():
        made_folder()
        assert not left.exists()


def test_without_room_there_is_none(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    with scratch():
        assert scratch_folder() is None


@pytest.mark.slow("starts workers")
def test_workers_have_it_too_and_leave_it() -> None:
    with scratch():
        folder = made_folder()
        assert run_calls("asking", [Call(scratch_folder)] * 2, 2) == [folder] * 2
        assert folder.exists()
