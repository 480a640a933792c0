"""Densities and chains of scanpaths that are fitted roughly, for tests of anything but how near they come to what a release says of people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from synthrelease.kinds.scanpaths import chain, chain_fits, datasets
from synthrelease.numerics import tilted_density

_REMEMBERING = (datasets._learnt, chain_fits._first_order, chain_fits._tables, chain_fits._model)


@contextmanager
def rough_chains() -> Iterator[None]:
    """Average few densities, and fit chains in few steps to few simulated scanpaths; what was fitted otherwise is not used inside, nor these outside."""
    _forget()
    try:
        with (
            patch.multiple(chain, _ITERATIONS=2, _ROUNDS=1, _SIMULATED=20),
            patch.object(tilted_density, "_SCALES", 2.0 ** np.array([-4, -2])),
        ):
            yield
    finally:
        _forget()


def _forget() -> None:
    for remembering in _REMEMBERING:
        remembering.cache_clear()
