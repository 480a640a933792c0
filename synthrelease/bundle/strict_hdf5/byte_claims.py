"""Every structure of a bundle claims its bytes: each byte is claimed once, or nothing is kept in it."""

from __future__ import annotations

from collections.abc import Callable

from synthrelease.bundle.layout import USER_BLOCK
from synthrelease.bundle.strict_hdf5.anatomy import Region, Structure
from synthrelease.bundle.strict_hdf5.messages import refuse


class ByteClaims:
    """The bytes of a file, by the structures that claim them. Addresses of HDF5 count from the end of the text block.

    Args:
        read: gives (place, number) bytes of the file.
        size: of the file in bytes.
    """

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        self.size = size
        self.regions = [Region(0, USER_BLOCK, Structure("text-block"))]  # what is claimed, in this order
        self.heap_gaps: list[Region] = []  # of what is claimed, where nothing is kept
        self._read = read
        self._starts: set[int] = set()
        self._unclaimed_bytes = size - USER_BLOCK

    def claim(self, address: int, size: int, structure: Structure) -> int:
        """Claim bytes for one structure, and return their place in the file."""
        start = address + USER_BLOCK
        if address < 0 or start + size > self.size:
            refuse("beyond-end", "lies beyond the end of the file", structure)
        self._unclaimed_bytes -= size
        if start in self._starts or self._unclaimed_bytes < 0:  # so that no cycle is followed
            refuse("shared-bytes", "shares its bytes with something else", structure)
        self._starts.add(start)
        self.regions.append(Region(start, start + size, structure))
        return start

    def take(self, address: int, size: int, structure: Structure) -> bytes:
        """Claim bytes for one structure, and return them."""
        taken = self._read(self.claim(address, size, structure), size)
        if len(taken) != size:
            refuse("cannot-read", "cannot be read", structure)
        return taken

    def peek(self, address: int, number: int, structure: Structure) -> bytes:
        """Return bytes that are not claimed yet."""
        if address + USER_BLOCK + number > self.size:
            refuse("beyond-end", "lies beyond the end of the file", structure)
        return self._read(address + USER_BLOCK, number).ljust(number, b"\0")

    def carve(self, place: int, size: int, structure: Structure) -> None:
        """Take bytes out of a region, one of the last that were claimed, for a structure inside it."""
        number = len(self.regions) - 1
        while not self.regions[number].start <= place < self.regions[number].stop:
            number -= 1
        around = self.regions[number]
        self.regions[number : number + 1] = [
            Region(around.start, place, around.structure),
            Region(place, place + size, structure),
            Region(place + size, around.stop, around.structure),
        ]

    def gaps(self) -> list[Region]:
        """Return what is between the claimed regions."""
        end, gaps = 0, []
        for region in sorted(self.regions, key=lambda region: region.start):
            if region.start < end:
                refuse("shared-bytes", "bytes that belong to two parts", f"byte {region.start}")
            if region.start > end:
                gaps.append(Region(end, region.start, Structure("gap")))
            end = region.stop
        if end != self.size:
            refuse("bytes-behind-end", "bytes behind the end", f"byte {end}")
        return gaps
