#!/usr/bin/env python3
"""Write CITATION.cff, codemeta.json and .zenodo.json from pyproject.toml and the package's version; with --check, exit 1 if one would change.

A date of release, a DOI and addresses are added by the publisher of a release: this script knows none.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # this checkout, not an installed synthrelease

import synthrelease  # noqa: E402


def main() -> int:
    """Write or check the three files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {
        "CITATION.cff": cff(project),
        "codemeta.json": codemeta(project),
        ".zenodo.json": zenodo(project),
    }
    if "--check" in sys.argv:
        changed = [name for name, text in wanted.items() if (ROOT / name).read_text("utf-8") != text]
        if changed:
            print(f"run scripts/make_citation.py: {', '.join(changed)}", file=sys.stderr)
        return int(bool(changed))
    for name, text in wanted.items():
        (ROOT / name).write_text(text, "utf-8")
    return 0


def cff(project: dict[str, Any]) -> str:
    """Return the Citation File Format, version 1.2.0: YAML, of which JSON's strings are a part."""
    lines = [
        "cff-version: 1.2.0",
        f"message: {_quoted('If you use this software, please cite it as below, with the version that your release states.')}",
        "type: software",
        f"title: {_quoted(project['name'])}",
        f"version: {_quoted(synthrelease.__version__)}",
        f"license: {project['license']}",
        f"abstract: {_quoted(project['description'] + '.')}",
        "authors:",
        *(f"  - name: {_quoted(author['name'])}" for author in project["authors"]),
        "keywords:",
        *(f"  - {_quoted(word)}" for word in project["keywords"]),
    ]
    return "\n".join(lines) + "\n"


def codemeta(project: dict[str, Any]) -> str:
    """Return CodeMeta 2.0."""
    return _json(
        {
            "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
            "@type": "SoftwareSourceCode",
            "name": project["name"],
            "description": project["description"],
            "version": synthrelease.__version__,
            "license": f"https://spdx.org/licenses/{project['license']}",
            "programmingLanguage": "Python",
            "runtimePlatform": f"Python {project['requires-python']}",
            "operatingSystem": ["Linux", "macOS"],
            "keywords": project["keywords"],
            "author": [{"@type": "Organization", "name": author["name"]} for author in project["authors"]],
        }
    )


def zenodo(project: dict[str, Any]) -> str:
    """Return what Zenodo reads when it archives a release of the repository."""
    return _json(
        {
            "title": f"{project['name']}: {project['description']}",
            "description": f"{project['description']}.",
            "version": synthrelease.__version__,
            "license": project["license"],
            "upload_type": "software",
            "access_right": "open",
            "creators": [{"name": author["name"]} for author in project["authors"]],
            "keywords": project["keywords"],
        }
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
