"""GazeBase (Griffith et al. 2021): `S_<round><subject>_S<session>_<task>.csv`, below whatever folders.

The subject's field begins with the round, a single digit: who came again in a later round is the same person, so that the last three
digits alone say who it is. Columns of the files: `n` (ms), `x` and `y` (degrees of visual angle, y upwards), `val` (validity), `dP` (pupil,
arbitrary units), `lab` (event), `xT` and `yT` (target).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from synthrelease.data.readers.folder import File, Folder, matching_files
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_COLUMNS = {"n", "x", "y", "val"}
_PATTERN = "**/S_{round:1}{person:3}_S{session}_{task}.csv"


class GazeBase(Folder):
    """Reader of a folder of unpacked GazeBase files, with the columns `round`, `person`, `session` and `task` from their names."""

    name = "gazebase"
    formats = 'a folder of GazeBase files, with format = "gazebase"'
    person = "person"
    uses: tuple[str, ...] = ()

    def holds(self, path: Path) -> bool:
        """Whether names and columns of a folder's files are those of GazeBase: other studies call their files alike."""
        if not super().holds(path):
            return False
        first = self.members(Source(path, format=self.name))[0].source
        try:
            return set(self._reader_for(first).column_names(first)) >= _COLUMNS
        except DataError:
            return False

    def members(self, source: Source) -> list[File]:
        """Return the recordings."""
        remedy = "name the folder that the archives of the rounds were unpacked into"
        return matching_files(replace(source, pattern=_PATTERN, format=""), remedy=remedy)
