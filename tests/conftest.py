"""A small invented study that every test can build releases of."""

import importlib
import os
import signal
import tempfile
from types import SimpleNamespace

import pytest
from goldens import pytest_addoption, pytest_configure  # noqa: F401  hooks
from invented_study import write_study
from reproducing import SCRIPTS
from tiers import pytest_collection_modifyitems, pytest_terminal_summary  # noqa: F401  hooks

import synthrelease

# A shell starts what it runs in the background with interrupts ignored, and so would all be that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
# What is printed is as wide as here on every terminal, and on none.
os.environ["COLUMNS"] = "100"
# The studio's key is of the tests alone.
_STATE = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _STATE.name


@pytest.fixture
def study(tmp_path):
    """Return a fresh copy of the study: `.plan` and `.folder`."""
    return SimpleNamespace(plan=write_study(tmp_path), folder=tmp_path)


@pytest.fixture(scope="session")
def bundle_bytes(tmp_path_factory):
    """Return the bytes of a real release of the study, built once."""
    folder = tmp_path_factory.mktemp("release")
    built = synthrelease.build(write_study(folder), folder / "release.h5")
    return built.path.read_bytes()


@pytest.fixture
def bundle(bundle_bytes, tmp_path):
    """Return the path of a copy that the test may damage."""
    path = tmp_path / "release.h5"
    path.write_bytes(bundle_bytes)
    return path


@pytest.fixture
def script(monkeypatch):
    """Return what imports a module of `scripts`, which is not installed, by its dotted name."""
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module
