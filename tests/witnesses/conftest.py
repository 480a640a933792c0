"""One folder with the tables that all plans of this folder read."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnesses.plans import write_data


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tables, in which plans may be written."""
    folder = tmp_path_factory.mktemp("witnesses")
    write_data(folder)
    return folder
