"""Texts that people read, kept whole in tests/golden/texts to be reviewed: `pytest --accept` writes what they are now."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

TEXTS = Path(__file__).parent / "golden" / "texts"
_accept = False


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--accept`."""
    parser.addoption("--accept", action="store_true", help="write golden texts instead of comparing them")


def pytest_configure(config: pytest.Config) -> None:
    """Note whether texts are accepted."""
    global _accept  # noqa: PLW0603  of one run of pytest
    _accept = config.getoption("--accept")


def check_text(name: str, text: str, **hidden: object) -> None:
    """Assert that a text is the one in `golden/texts/<name>.txt`.

    Args:
        name: surface and case, such as `preview/heatmaps`.
        text: what is shown.
        hidden: what is different in every run, such as a folder: written as {name}.
    """
    for key, value in hidden.items():
        text = text.replace(str(value), f"{{{key}}}")
    text = "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"
    file = TEXTS / f"{name}.txt"
    if _accept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    kept = file.read_text("utf-8") if file.is_file() else ""
    if text != kept:
        lines = difflib.unified_diff(kept.splitlines(), text.splitlines(), str(file), "now", lineterm="", n=1)
        pytest.fail("\n".join([*lines, "read it; if it is better: pytest --accept"]), pytrace=False)


def figures(text: str) -> list[float]:
    """Return the numbers in a text, in their order: `2 of 4 rows (50 %)` has 2, 4 and 50."""
    return [
        float(one.replace(",", "").replace("\u202f", ""))
        for one in re.findall(r"(?<![\w.-])-?\d[\d,]*(?:\u202f\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", text)
    ]
