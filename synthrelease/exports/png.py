"""Pictures as an export: `report.pictures` draws them."""

from __future__ import annotations

from synthrelease.exports.task import Task
from synthrelease.report.pictures import draw, picture_count


def write(task: Task) -> list[str]:
    """Write a picture of every heatmap and of every mean signal."""
    number = picture_count(task.manifest)
    for done, path in enumerate(draw(task.bundle, task.folder, stimuli=task.stimuli), start=1):
        task.tell(f"drawing {path.name}", done, number)
    return []
