"""Pictures as an export: `report.pictures` draws them, and a README says what is promised."""

from __future__ import annotations

from synthrelease.exports.readme import item
from synthrelease.exports.tables import guarantee_sentence
from synthrelease.exports.task import ExportTask
from synthrelease.exports.written import write_readme
from synthrelease.report.pictures import draw, pictured

_WHAT = "Pictures of the released values, as PNG; the guarantee stands below each."
_NOTHING = "nothing in this release is drawn: it has neither maps nor means along a numbered axis"


def write(task: ExportTask) -> list[str]:
    """Write a picture of every heatmap and of every mean signal, a README and the manifest."""
    shown = pictured(task.bundle)
    contents = []
    paths = draw(task.bundle, task.folder, stimuli=task.stimuli)
    for done, ((name, label), path) in enumerate(zip(shown, paths, strict=True), start=1):
        task.tell(f"drawing {path.name}", done, len(shown))
        guarantee = guarantee_sentence(task.manifest, task.output(name))
        contents += item(f"{path.name}: {name}, {label}. {guarantee}")
    warnings = [] if shown else [_NOTHING]
    return [*warnings, *write_readme(task, contents, what=_WHAT, warnings=warnings)]
