"""Small files that unpack to gigabytes are refused in words, in little memory: `scripts/stress inputs --costly` also times them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from costly import AXES, COSTLY, MOST_MEMORY_BYTES

# The peak of a process that is started and waited for; the interpreter's own children would count, and there are none.
_RUN = "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(code)"


@pytest.mark.thorough
@pytest.mark.parametrize("name", COSTLY)
def test_what_unpacks_to_gigabytes_is_refused_in_little_memory(tmp_path: Path, name: str) -> None:
    called, write = COSTLY[name]
    write(tmp_path / called)
    assert (tmp_path / called).stat().st_size < 20 << 20
    axes = ["--axes", AXES[name]] if name in AXES else []
    command = [sys.executable, "-m", "synthrelease", "init", called, "--person", "who", "--json", *axes]
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *command], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 3, done.stderr
    error = json.loads(done.stdout)["error"]
    assert error["where"].startswith(called)
    assert error["remedy"]
    peak = int(done.stderr.splitlines()[-1]) * (1024 if sys.platform == "linux" else 1)
    assert peak < MOST_MEMORY_BYTES
    assert not (tmp_path / "plan.toml").exists()
