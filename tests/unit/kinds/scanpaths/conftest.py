"""Scanpaths are offered to the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from offered import with_scanpaths


@pytest.fixture(scope="module", autouse=True)
def _offered() -> Iterator[None]:
    with with_scanpaths():
        yield
