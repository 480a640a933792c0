"""The private report of a release: which attacks are significant, and its utility. Only for its curator.

The templates `private.html` and `private_components.html` draw an `Evaluation` itself, with the numbers of `private_words`.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import NamedTuple

import synthrelease
from synthrelease.evaluation import private_words as words
from synthrelease.evaluation.attacks import AttackResult, AttackVerdict
from synthrelease.evaluation.forest import forest
from synthrelease.evaluation.result import Curve, Evaluation
from synthrelease.files.atomic import OWNER_ALONE, write_atomically
from synthrelease.kinds.registry import kinds
from synthrelease.number_words import listed, scientific_up, several
from synthrelease.reports.area_plates import DrawnAreas
from synthrelease.reports.compared_maps import ComparedMap
from synthrelease.reports.figures import write_png
from synthrelease.reports.look import Look, joined
from synthrelease.reports.page import embedded, render
from synthrelease.reports.photographs import Photographs
from synthrelease.reports.rasters import data_uri
from synthrelease.reports.signal_figures import trade_figure

_WORDS = (
    words.at_a_glance,
    words.headline,
    words.not_useful,
    words.interval,
    words.number,
    words.p_value,
    words.percent,
    words.rate,
    words.with_interval,
    listed,
    scientific_up,
    several,
)
_LINE = 100  # length of the line on which an attack is drawn


def write_private_page(
    evaluation: Evaluation, target: Path, *, stimuli: Path | None = None, force: bool = False
) -> int:
    """Write the report so that only its owner can read it, and return its size in bytes.

    Args:
        evaluation: of a release.
        target: the file.
        stimuli: a folder with pictures called <stimulus>.png or .jpg, to lay maps and areas over.
        force: replace what is there.

    Raises:
        DataError: a picture of a stimulus cannot be read, or none is called like a stimulus.
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    photographs = Photographs(stimuli)
    page = private_page(evaluation, photographs=photographs).encode("utf-8")
    photographs.refuse_unused()
    write_atomically(target, page, force=force, mode=OWNER_ALONE)
    return len(page)


def private_page(
    evaluation: Evaluation,
    *,
    version: str = synthrelease.__version__,
    photographs: Photographs | None = None,
) -> str:
    """Return the report as text, with the version of what writes it, maps over photographs if there are any."""
    shown = {output.name: output.exhibits for output in evaluation.outputs}
    maps = [
        exhibit
        for exhibits in shown.values()
        for exhibit in exhibits
        if isinstance(exhibit, ComparedMap | DrawnAreas)
    ]
    look = Look(photographs or Photographs(), joined(ends for each in maps for ends in each.ranges()))
    exhibits = {
        name: [
            exhibit.plate(look) if isinstance(exhibit, ComparedMap | DrawnAreas) else exhibit
            for exhibit in of_output
        ]
        for name, of_output in shown.items()
    }
    curves = {output.name: CurvePicture.of(output.curve) for output in evaluation.outputs if output.curve}
    return render(
        "private.html",
        stamp=words.STAMP,
        version=version,
        evaluation=evaluation,
        before=before_and_after(evaluation),
        curves=curves,
        exhibits=exhibits,
        forest=forest,
        photographs=bool(look.photographs.used),
        kinds={kind.name: kind.title for kind in kinds().values()},
        verdicts=AttackVerdict,
        on_line=on_line,
        embedded=embedded(evaluation.to_json()),
        **{word.__name__: word for word in _WORDS},
    )


def on_line(share: float | None, start: float = 0.0) -> float | None:
    """Return the place of a share on a line that goes from `start` to 1, in hundredths of it; None for no number."""
    if share is None:
        return None
    within = (share - start) / (1 - start)
    return round(_LINE * min(max(within, 0.0), 1.0), 2) if math.isfinite(share) else None


class CurvePicture(NamedTuple):
    """A picture of a curve, what its ends are on average, and its rows: ε, then mean, lowest and highest score."""

    source: str
    width: int
    height: int
    ends: tuple[tuple[float, ...], ...]
    rows: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, curve: Curve) -> CurvePicture:
        """Return the picture of a curve; its source is "" where nothing of it can be drawn."""
        rows = tuple(
            (epsilon, *_summed_up(drawn)) for epsilon, drawn in zip(curve.epsilons, curve.drawn, strict=True)
        )
        points = [
            (row, drawn)
            for row, drawn in zip(rows, curve.drawn, strict=True)
            if math.isfinite(row[0]) and row[0] > 0 and math.isfinite(row[1])
        ]
        if not points:
            return cls("", 0, 0, (), rows)
        figure = trade_figure(
            [drawn for _, drawn in points],
            epsilons=[row[0] for row, _ in points],
            released_epsilon=curve.plan_epsilon,
            y_label=curve.measure.name,
            without_data=curve.without_data,
        )
        file = io.BytesIO()
        width, height = write_png(figure, file)
        return cls(data_uri(file.getvalue()), width, height, (points[0][0], points[-1][0]), rows)


def _summed_up(drawn: tuple[float, ...]) -> tuple[float, float, float]:
    """Mean, least and largest of the finite ones."""
    finite = [value for value in drawn if math.isfinite(value)]
    return (math.fsum(finite) / len(finite), min(finite), max(finite)) if finite else (math.nan,) * 3


def before_and_after(evaluation: Evaluation) -> tuple[list[str], list[tuple[str, list[AttackResult | None]]]]:
    """Return headings and rows of the attacks that were tried both on data as they are and on what is released of them."""
    columns: dict[str, dict[str, AttackResult]] = {}
    names: dict[str, None] = {}
    for data in evaluation.inputs:
        raw = {attack.attack: attack for attack in data.attacks}
        of_outputs = {
            f"{output.name}, released": {attack.attack: attack for attack in output.attacks}
            for output in evaluation.outputs
            if output.input == data.name and any(attack.attack in raw for attack in output.attacks)
        }
        if of_outputs:
            columns |= {f"{data.name}, pseudonymised": raw, **of_outputs}
            names |= dict.fromkeys(
                name for name in raw if any(name in attacks for attacks in of_outputs.values())
            )
    return [*columns], [(name, [column.get(name) for column in columns.values()]) for name in names]
