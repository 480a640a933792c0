"""The notebooks run from top to bottom in a new folder, and what they show is committed with them, small and of no one's machine."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from documented import ROOT
from reproducing import SCRIPTS

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LARGEST = 250_000  # bytes


@pytest.fixture(scope="module")
def make_notebooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_notebooks", SCRIPTS / "make_notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_a_new_folder(make_notebooks: ModuleType, path: Path) -> None:
    notebook = make_notebooks.executed(path)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_notebook_shows_is_committed_with_it(make_notebooks: ModuleType, path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), "run in one go"
    assert any(cell.outputs for cell in code)
    for cell in code:
        assert cell.source == make_notebooks.source_of(cell)
        assert not any(
            output.output_type == "error" or output.get("name") == "stderr" for output in cell.outputs
        )
    assert path.stat().st_size < LARGEST
    assert not re.search(r"/(tmp|root|home|work)/", path.read_text("utf-8"))


def test_a_file_in_a_cell_is_that_of_the_checkout(make_notebooks: ModuleType) -> None:
    metadata = {"source_of": "tests/documentation/test_notebooks.py"}
    text = Path(__file__).read_text("utf-8").rstrip()
    cell = nbformat.v4.new_code_cell("%%writefile a.py\nold", metadata=metadata)
    assert make_notebooks.source_of(cell) == f"%%writefile a.py\n{text}"
    cell = nbformat.v4.new_code_cell('text = """\\\nold\n"""\nuse(text)', metadata=metadata)
    assert make_notebooks.source_of(cell) == f'text = """\\\n{text}\n"""\nuse(text)'
