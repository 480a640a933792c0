"""Running `scripts/reproduce` and reading the tables that it prints."""

import re
import subprocess
import sys
from pathlib import Path

from joblib.externals.loky import get_reusable_executor

SCRIPTS = Path(__file__).parent.parent / "scripts"


def reproduce(*arguments):
    command = [sys.executable, str(SCRIPTS / "reproduce"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def fresh_workers():
    """End processes that another test started: they were told another path, and find no module of `scripts` or of tests."""
    get_reusable_executor().shutdown(wait=True)


def titles(text):
    """The titles of all sections, in order: lines with a line of = below them."""
    return re.findall(r"^(.+)\n=+$", text, re.MULTILINE)


def table(text, title):
    """The rows below the line of dashes of the section whose title begins so, split at two spaces."""
    below = text.split(f"\n{title}", 1)[1].split("──\n", 1)[1].split("\n\n", 1)[0]
    return [[c.strip() for c in line.split("  ") if c.strip()] for line in below.splitlines()]


def without_results(text):
    """What is printed, but for results: numbers of three decimals, and cells of tables that are numbers alone."""
    lines, in_table = [], False
    for line in text.splitlines():
        in_table = line.startswith("──") or (in_table and bool(line))
        if line.startswith("──"):
            lines.append("──")
        elif in_table:
            cells = re.split(r" {2,}", line)
            lines.append("  ".join("#" if re.fullmatch(r"[-+\d.,e±|()×/ ]+", one) else one for one in cells))
        else:
            lines.append(re.sub(r"[-+]?\d\.\d{3}\b", "#", re.sub(r" {2,}", "  ", line)))
    return "\n".join(lines)
