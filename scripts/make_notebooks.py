#!/usr/bin/env python3
"""Run the notebooks of docs/notebooks from top to bottom, each in a folder of its own, and write what they show; --check runs them and writes nothing.

A cell with `source_of` in its metadata writes that file of the checkout, whose text stands there once.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
_TIMEOUT_S = 300  # of a cell
_VOLATILE = re.compile(r"(?<= at )0x[0-9a-f]+")
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main(arguments: list[str] | None = None) -> int:
    """Run them all, or those that are named."""
    parser = argparse.ArgumentParser(prog="make_notebooks.py", description=__doc__)
    parser.add_argument("names", nargs="*", help="of notebooks, such as analyst; all without any")
    parser.add_argument("--check", action="store_true", help="write nothing")
    chosen = parser.parse_args(arguments)
    for path in NOTEBOOKS:
        if not chosen.names or path.stem in chosen.names:
            notebook = executed(path)
            if not chosen.check:
                nbformat.write(notebook, path)
            print(f"{path.name}: {len(notebook.cells)} cells")
    return 0


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with what its cells show when they are run in a new folder; an exception is raised here."""
    notebook = nbformat.read(path, as_version=4)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{path.stem}-{number}"
        cell.source = source_of(cell)
    search = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(search)}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=_TIMEOUT_S, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute(env=variables)
    notebook.metadata = nbformat.from_dict(_METADATA)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            for kind, text in output.get("data", {}).items():
                if kind.startswith("text/") and isinstance(text, str):
                    output.data[kind] = _VOLATILE.sub("0x…", text)
    return notebook


def source_of(cell: nbformat.NotebookNode) -> str:
    """Return the source of a cell: its own, or, between the lines that write a file, that file of the checkout."""
    name = cell.metadata.get("source_of")
    if name is None:
        return str(cell.source)
    text = (ROOT / name).read_text("utf-8").rstrip()
    before, quotes, quoted = cell.source.partition('"""\\\n')
    if not quotes:  # the cell writes itself
        return cell.source.partition("\n")[0] + "\n" + text
    _, close, after = quoted.rpartition('"""')
    return f"{before}{quotes}{text}\n{close}{after}"


if __name__ == "__main__":
    sys.exit(main())
