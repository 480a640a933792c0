"""Trees that index the names of a group and the chunks of a dataset (HDF5 File Format Specification 3.0, III.A.1)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from synthrelease.bundle.strict_hdf5.anatomy import Structure
from synthrelease.bundle.strict_hdf5.messages import expect, refuse

NOWHERE = 2**64 - 1  # an address
Take = Callable[[int, int, Structure], bytes]


class Tree(NamedTuple):
    """What a tree is of."""

    kind: int  # 0 of groups, 1 of chunks
    key_size: int  # bytes of a key
    half: int  # of the most entries of a node


def leaves(take: Take, root: int, tree: Tree, structure: Structure) -> list[tuple[int, bytes, bytes]]:
    """Return what the leaves of a tree point to, in order, with the keys before and after each.

    Args:
        take: claims the bytes of a structure, by address, size and part, and returns them.
        root: address of the root.
        tree: what it is of.
        structure: messages call it so.

    Raises:
        BundleError: it is not as the HDF5 library writes it.
    """
    kind, key_size, half = tree
    level = [(root, b"", b"")]
    height: int | None = None
    while True:
        below: list[tuple[int, bytes, bytes]] = []
        heights = set()
        for number_in_level, (address, before, after) in enumerate(level):
            node = take(address, 24 + 2 * half * (8 + key_size) + key_size, structure)
            node_height, number = struct.unpack_from("<BH", node, 5)
            heights.add(node_height)
            left = level[number_in_level - 1][0] if number_in_level else NOWHERE
            right = level[number_in_level + 1][0] if number_in_level + 1 < len(level) else NOWHERE
            expect(
                node[:24], struct.pack("<4sBBHQQ", b"TREE", kind, node_height, number, left, right), structure
            )
            end = 24 + number * (8 + key_size) + key_size
            least = 0 if kind == 0 and len(level) == 1 else 1
            if not least <= number <= 2 * half or any(node[end:]):
                refuse("other-form", "the index is not as a bundle writes it", structure)
            keys = [node[at : at + key_size] for at in range(24, end, 8 + key_size)]
            if before and (keys[0], keys[-1]) != (before, after):
                refuse("index-unordered", "the index is out of order", structure)
            children = (
                struct.unpack_from("<Q", node, at + key_size)[0]
                for at in range(24, end - key_size, 8 + key_size)
            )
            below.extend(zip(children, keys, keys[1:], strict=False))
        if len(heights) != 1 or (height is not None and heights != {height - 1}):
            refuse("other-form", "the index is not as a bundle writes it", structure)
        (height,) = heights
        if height == 0:
            return below
        level = below
