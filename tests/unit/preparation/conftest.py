"""What all of these need."""

import importlib.util
import os

import pytest


@pytest.fixture(autouse=True)
def _extra() -> None:
    if importlib.util.find_spec("pymovements") is None:
        if os.environ.get("SYNTHRELEASE_TEST_EXTRAS") == "required":
            pytest.fail("pymovements is missing, and this machine must have it")
        pytest.skip("pymovements is missing")
