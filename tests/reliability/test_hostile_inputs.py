"""Files that hang their reader or fill memory are refused in words, in little memory: `scripts/stress inputs --costly` does so with twice the numbers, and times them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_inputs import COMMANDS, HOSTILE, run, study


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_what_hangs_its_reader_or_fills_memory_is_refused_in_words(tmp_path: Path, name: str) -> None:
    hostile = HOSTILE[name]
    study(tmp_path, hostile.use)
    hostile.write(tmp_path, 1)
    before = sorted(tmp_path.rglob("*"))
    for command in COMMANDS[hostile.use]:
        done = run(tmp_path, command)
        assert done.returncode in (1, 3, 4), (command, done.returncode, done.stderr[-2000:])
        if "check" in command and hostile.code == "ledger-tampered":  # all that is wrong
            assert len(json.loads(done.stdout)["faults"]) == 1
        else:
            assert json.loads(done.stdout)["error"]["code"] == hostile.code, command
        assert "Traceback" not in done.stderr
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.thorough
@pytest.mark.parametrize("use", ["plan", "ledger"])
def test_what_is_sound_is_not_refused_for_its_size(tmp_path: Path, use: str) -> None:
    """The control: with the limits of memory, a study that nothing was done to."""
    study(tmp_path, use)
    for command in COMMANDS[use]:
        assert run(tmp_path, command).returncode == 0, command
