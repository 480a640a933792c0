"""Pictures as an export: `report.pictures` draws them, and a README states the guarantees."""

from __future__ import annotations

from synthrelease.exports.guarantee_text import guarantee_sentence
from synthrelease.exports.readme import item
from synthrelease.exports.table_files import write_readme
from synthrelease.exports.task import ExportTask
from synthrelease.reports.pictures import draw, pictured

_CONTENTS = "Figures of the released values, as PNG; the guarantee is below each."
_NOTHING = "this release has nothing to draw: neither maps nor mean series"


def write(task: ExportTask) -> list[str]:
    """Write a picture of every heatmap and of every mean signal, a README and the manifest."""
    pictures = pictured(task.bundle)
    contents = []
    paths = draw(task.bundle, task.folder, stimuli=task.options.stimuli)
    for done, ((name, label), path) in enumerate(zip(pictures, paths, strict=True), start=1):
        task.report_progress(f"drawing {path.name}", done, len(pictures))
        guarantee = guarantee_sentence(task.manifest, task.output(name))
        contents += item(f"{path.name}: {name}, {label}. {guarantee}")
    warnings = [] if pictures else [_NOTHING]
    return write_readme(task, contents, what=_CONTENTS, warnings=warnings)
