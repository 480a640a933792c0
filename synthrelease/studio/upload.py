"""What one uploads of a release: which files of the folder, and what each is for. All else stays at home."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from synthrelease.bundle.layout import SIDECAR_ENDING
from synthrelease.exports.formats import FORMATS
from synthrelease.studio.commands import export_of, report_of
from synthrelease.studio.project import Project

_ADVISED = ("csv", "datacite")  # forms of export


class Part(NamedTuple):
    """A file or folder that is uploaded."""

    name: str
    purpose: str
    is_there: bool


def upload_of(project: Project, bundle: str, *, has_report: bool) -> list[Part]:
    """Return the parts of an upload: what is advised, and what else of it is there.

    Args:
        project: whose.
        bundle: the name of the release in it.
        has_report: whether what is there under the name of its report is one.
    """
    purposes = {
        bundle: "verifying the release: it is what counts",
        Path(bundle).with_suffix(SIDECAR_ENDING).as_posix(): "reading its guarantees without a program",
        report_of(bundle): "review boards and participants",
        **{export_of(bundle, name): form.purpose for name, form in FORMATS.items()},
        **{project.name(path): "checking the signature" for path in project.files(".pub")},
    }
    advised = {bundle, report_of(bundle), *(export_of(bundle, name) for name in _ADVISED)}
    parts = [
        Part(name, purpose, (project.folder / name).exists() and (has_report or name != report_of(bundle)))
        for name, purpose in purposes.items()
    ]
    return [part for part in parts if part.is_there or part.name in advised]
