"""Names for files: of few characters, and no two alike on any file system."""

from __future__ import annotations

import re

_LONGEST = 120  # characters of a name, to which an ending is added
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


class FileNames:
    """Names of the files of one folder, no two alike."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)

    def of(self, *labels: str) -> str:
        """Return a new name from labels, in letters, digits, - and _; with a number behind it if the name is taken.

        Letters in upper and lower case count as the same: some file systems do not distinguish them.
        """
        plain = "-".join(re.sub(r"[^A-Za-z0-9_]+", "-", label).strip("-") for label in labels)
        plain = plain.strip("-")[:_LONGEST] or "table"
        name, number = plain, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{plain}-{number}"
        self._taken.add(name.lower())
        return name
