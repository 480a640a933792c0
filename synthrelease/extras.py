"""Libraries that not every command needs, and the extras of the package that install them.

To open, verify, show and export bundles, and to build in one process, what is always installed is enough.
"""

from __future__ import annotations

import sys
from contextlib import chdir, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from synthrelease.errors import MachineError


class Library(NamedTuple):
    """A library of an extra."""

    name: str  # as its users call it
    extra: str
    use: str  # what needs it


LIBRARIES = {
    "matplotlib": Library("matplotlib", "report", "figures and reports need"),
    "PIL": Library("Pillow", "report", "figures, reports and label images need"),
    "sklearn": Library("scikit-learn", "evaluate", "attacks need"),
    "joblib": Library("joblib", "parallel", "several processes need"),
    "starlette": Library("Starlette", "studio", "the studio needs"),
    "uvicorn": Library("uvicorn", "studio", "the studio needs"),
    "tomlkit": Library("tomlkit", "studio", "the studio needs"),
}
FIGURES = ("matplotlib", "PIL")
_look_is_ours = False


def ignore_styles() -> None:
    """Let matplotlib look in this process as it was installed: for a command. It would obey a `matplotlibrc` of the working folder, which can start programs."""
    global _look_is_ours  # noqa: PLW0603  of the process
    _look_is_ours = True


def require(*modules: str) -> None:
    """Refuse what needs libraries that are not installed, before any of its work is done.

    Args:
        modules: of `LIBRARIES`.

    Raises:
        MachineError: one of them is not installed; the message says which command installs it.
    """
    for module in modules:
        if not is_installed(module):
            library = LIBRARIES[module]
            raise MachineError(
                "extra-missing",
                f"{library.name} is not installed, which {library.use}",
                remedy=f"pip install 'synthrelease[{library.extra}]'",
            )
    if _look_is_ours and "matplotlib" in modules and "matplotlib" not in sys.modules:
        # It reads the file of the working folder as it is imported; there is none if the folder is gone.
        with suppress(FileNotFoundError), chdir(Path(__file__).parent):
            import_module("matplotlib")
        import_module("matplotlib").rcdefaults()


def is_installed(*modules: str) -> bool:
    """Return whether libraries can be imported."""
    return all(find_spec(module) is not None for module in modules)
