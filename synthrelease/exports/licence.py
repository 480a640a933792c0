"""Licences that catalogues know by an identifier."""

from __future__ import annotations

# Those of the SPDX list that data are given under. Any other text is passed on as it is: to call it by an identifier would be a guess.
_KNOWN = {
    identifier.lower(): identifier
    for identifier in (
        *(
            f"CC-{terms}-{version}"
            for terms in ("BY", "BY-SA", "BY-NC", "BY-NC-SA", "BY-ND", "BY-NC-ND")
            for version in ("3.0", "4.0")
        ),
        "CC0-1.0",
        "ODbL-1.0",
        "ODC-By-1.0",
        "PDDL-1.0",
        "CDLA-Permissive-1.0",
        "CDLA-Permissive-2.0",
        "CDLA-Sharing-1.0",
        "MIT",
        "Apache-2.0",
        "BSD-3-Clause",
    )
}
SPDX = "https://spdx.org/licenses/"


def identifier(licence: str) -> str | None:
    """Return the SPDX identifier that a plan's licence is, in the list's own spelling; None if it is none of them."""
    return _KNOWN.get(licence.strip().lower())


def address(licence: str) -> str:
    """Return the page of a licence in the SPDX list; the plan's own words if it has none there."""
    spdx = identifier(licence)
    return licence if spdx is None else f"{SPDX}{spdx}"
