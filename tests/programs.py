"""Programs that some tests need and that are no Python packages: skipped by name where they are missing, with what installs them.

With SYNTHRELEASE_TEST_PROGRAMS=required, as in CI, a missing one is a failure.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess

import pytest

INSTALLED_BY = {
    "chromium": "apt install chromium",
    "dash": "apt install dash",
    "h5dump": "apt install hdf5-tools",
    "h5ls": "apt install hdf5-tools",
    "jq": "apt install jq",
    "octave": "apt install octave-netcdf",
    "openssl": "apt install openssl",
    "Rscript": "apt install r-cran-hdf5r r-cran-jsonlite",
}
"""Programs by the name of their command."""
_PACKAGES = 'all(sapply(c("hdf5r", "jsonlite"), requireNamespace, quietly = TRUE))'
_READS_HDF5 = {
    "Rscript": ["-e", f"quit(status = !{_PACKAGES})"],
    "octave": ["--no-gui", "--quiet", "--eval", "pkg load netcdf"],
}


@functools.cache
def found(name: str) -> str | None:
    """Return where a program is; R and Octave are only those that can read HDF5."""
    if name == "chromium":
        return os.environ.get("SYNTHRELEASE_CHROMIUM") or shutil.which(name) or shutil.which("google-chrome")
    path = shutil.which(name)
    if name in _READS_HDF5 and path is not None:
        asked = [path, *_READS_HDF5[name]]
        return path if subprocess.run(asked, check=False, capture_output=True).returncode == 0 else None
    return path


def program(name: str) -> str:
    """Return where a program is; skips the test if it is missing, or fails if programs are required."""
    path = found(name)
    if path is None:
        missing = f"{name} is missing ({INSTALLED_BY[name]})"
        if os.environ.get("SYNTHRELEASE_TEST_PROGRAMS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    return path


def programs_in(commands: str) -> list[str]:
    """Return those of the programs that a block of a page calls."""
    return [name for name in INSTALLED_BY if re.search(rf"(?<![\w./-]){name}(?![\w.-])", commands)]
