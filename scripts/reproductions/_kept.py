"""Results that are kept on the disk, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from synthrelease import __version__
from synthrelease.files.atomic import write_atomically

_ROOT = Path(__file__).resolve().parent.parent.parent
_CODE = "synthrelease/**/*.py"
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "polars")


@dataclass(frozen=True)
class Kept:
    """A folder of results, a JSON file each, named by a digest of everything it was computed from.

    Attributes:
        folder: where they are; made when the first is kept.
        of: what all of them were computed from: see `computed_from`.
    """

    folder: Path
    of: Mapping[str, Any]

    def path(self, name: Mapping[str, Any]) -> Path:
        """Return the file of one result."""
        return self.folder / f"{_digest({**self.of, **name})[:32]}.json"

    def get(self, name: Mapping[str, Any]) -> Any:
        """Return a result, or None where there is none, or none that is whole and of this name."""
        try:
            found = json.loads(self.path(name).read_text(encoding="utf-8"))
            whole = found["name"] == name and found["digest"] == _digest(found["result"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return found["result"] if whole else None

    def put(self, name: Mapping[str, Any], result: Any) -> None:
        """Keep a result: the file is there whole, or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"name": name, "digest": _digest(result), "result": result}, indent=1)
        write_atomically(self.path(name), text.encode(), force=True)


def computed_from(data: Path, settings: Mapping[str, Any], code_of: Sequence[str]) -> dict[str, Any]:
    """Return what results depend on: the data file's digest, settings, versions of this package and of libraries, and code.

    Args:
        data: the file.
        settings: everything that was chosen, as JSON holds it.
        code_of: patterns of the scripts that compute results, besides this package.
    """
    code = hashlib.sha256()
    for path in sorted(path for pattern in (_CODE, *code_of) for path in _ROOT.glob(pattern)):
        code.update(hashlib.sha256(path.read_bytes()).digest())
    return {
        "data": hashlib.sha256(data.read_bytes()).hexdigest(),
        "settings": dict(settings),
        "version": __version__,
        "code": code.hexdigest(),
        "libraries": {name: version(name) for name in _LIBRARIES},
    }


def _digest(what: Any) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
