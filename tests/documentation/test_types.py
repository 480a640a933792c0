"""Who checks the types of a program of their own finds that what the page on Python shows passes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from documented import ROOT, blocks

import synthrelease

MORE = """
import numpy as np

ratio = by_stimulus["1005"] / maps["heatmap"][0]
likeness = np.corrcoef(ratio.ravel(), bundle["heatmaps"]["heatmap"][0].ravel())
spent: float | None = maps.guarantee.epsilon
"""


@pytest.mark.thorough
def test_the_page_on_python_is_strictly_typed(tmp_path):
    page = ROOT / "docs" / "reference" / "python.md"
    shown = [block.text for block in blocks(page) if block.language == "python"]
    program = tmp_path / "program.py"
    program.write_text("\n".join([*shown, MORE]))
    folder = Path(synthrelease.__file__).parent.parent
    installed = "site-packages" in folder.parts  # where mypy looks by itself
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", program.name],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": "" if installed else str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(shown) > 4
