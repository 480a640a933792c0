"""Arrays of a release, and what makes some of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Labels = tuple[str, ...]  # below the output
Arrays = dict[Labels, NDArray[np.generic]]
Derivation = Callable[[], Arrays]
