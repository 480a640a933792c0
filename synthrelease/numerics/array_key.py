"""An array as the key of a cache: by its bytes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray


class ArrayKey:
    """An array that a cache can have for a key.

    Args:
        array: dimensionless or not; it may not change.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array, self._bytes = array, array.tobytes()

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayKey) and self._bytes == other._bytes
