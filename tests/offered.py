"""Synthetic scanpaths as if they were offered: they are not yet, and a plan cannot ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from synthrelease import schemas
from synthrelease.kinds import registry
from synthrelease.kinds.scanpaths.kind import SCANPATHS


@contextmanager
def with_scanpaths() -> Iterator[None]:
    """Offer scanpaths below."""
    try:
        with patch.object(registry, "SHIPPED", (*registry.SHIPPED, SCANPATHS)):
            _forget()
            yield
    finally:
        _forget()


def _forget() -> None:
    for remembered in (
        registry.kinds,
        *(one for one in vars(schemas).values() if hasattr(one, "cache_clear")),
    ):
        remembered.cache_clear()
