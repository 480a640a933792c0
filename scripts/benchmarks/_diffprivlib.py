"""IBM's diffprivlib as a peer, in an environment of its own: it cannot be imported beside the scikit-learn that we use."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._environment import fresh_environment

REQUIREMENTS = ("diffprivlib>=0.6.6", "scikit-learn<1.9")
_folder = functools.cache(tempfile.TemporaryDirectory)  # one environment, as long as this process lives


@functools.cache
def _python() -> str:
    return str(fresh_environment(Path(_folder().name), *REQUIREMENTS) / "python")


def peer_version() -> str:
    """Return which diffprivlib it is."""
    return str(_answered({"task": "version"}))


def seconds_of_noise(mechanism: str, count: int, runs: int, **parameters: float) -> float:
    """Return the median processor time of `count` draws, one by one: it has no vectors of noise."""
    asked = {"task": "noise", "mechanism": mechanism, "count": count, "runs": runs, "parameters": parameters}
    return float(_answered(asked))


def seconds_of_statistic(name: str, values: Path, runs: int, **parameters: Any) -> float:
    """Return the median processor time of `diffprivlib.tools` on the values of a .npy file."""
    asked = {"task": "statistic", "name": name, "values": str(values), "runs": runs, "parameters": parameters}
    return float(_answered(asked))


def _answered(asked: dict[str, Any]) -> Any:
    program = Path(__file__).with_name("_diffprivlib_peer.py")  # -P: not beside our `statistics`
    done = subprocess.run(
        [_python(), "-P", str(program)], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
