"""Examples in docstrings are run."""

import doctest
import importlib
import pkgutil

import pytest

import synthrelease

MODULES = pkgutil.walk_packages(synthrelease.__path__, "synthrelease.")
NAMES = ["synthrelease", *sorted(m.name for m in MODULES if "__main__" not in m.name)]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
