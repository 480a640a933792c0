"""A preview as a page, with power curves: the guarantee as the report will state it, and what to expect. Made from the plan and public facts only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthrelease
from synthrelease.building import preview_words as words
from synthrelease.building.design import Design, no_better_outputs
from synthrelease.building.power import power_curves
from synthrelease.building.power_charts import HOW_TO_READ, power_chart
from synthrelease.bundle.disclosure import WEAK
from synthrelease.bundle.finding import unprotected_outputs
from synthrelease.files.atomic import write_atomically
from synthrelease.kinds.registry import kinds
from synthrelease.number_words import listed
from synthrelease.reports.budget_bars import budget_charts
from synthrelease.reports.exhibits import TableCell, TableExhibit
from synthrelease.reports.guarantee_words import guarantee_words
from synthrelease.reports.page import embedded, render

_WORDS = (
    words.accounting_words,
    words.ledger_words,
    words.memory_words,
    words.no_better_subjects,
    words.noise_words,
    words.other_warnings,
    words.policy_words,
    words.required_attacks_words,
    words.tables_of,
    listed,
)


def write_preview_page(
    design: Design, view: dict[str, Any], manifest: dict[str, Any], target: Path, *, force: bool = False
) -> None:
    """Write the page.

    Args:
        design: the release.
        view: its preview.
        manifest: the release's as it will be, as it was rehearsed.
        target: the file.
        force: replace what is there.

    Raises:
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    write_atomically(target, preview_page(design, view, manifest).encode("utf-8"), force=force)


def preview_page(design: Design, view: dict[str, Any], manifest: dict[str, Any]) -> str:
    """Return the page as text; the arguments are those of `write_preview_page`."""
    charts = {
        output.name: [power_chart(curve) for curve in power_curves(design, output)]
        for output in design.outputs
    }
    return render(
        "preview.html",
        manifest=manifest,
        view=view,
        embedded=embedded(view),
        guarantee=guarantee_words(manifest),
        budget=budget_charts(manifest),
        lead=None,
        no_better=no_better_outputs(design),
        unprotected=[name for name, _ in unprotected_outputs(manifest)],
        power=charts,
        how_to_read=HOW_TO_READ,
        kinds={kind.name: kind.title for kind in kinds().values()},
        weak=WEAK,
        as_exhibit=as_exhibit,
        version=synthrelease.__version__,
        **{word.__name__: word for word in _WORDS},
    )


def as_exhibit(output: str, table: list[list[str]]) -> TableExhibit:
    """Return a table of an output's preview as pages draw it: what stands first in its head is what it is of."""
    head, *rows = table
    cells = ((name, tuple(map(TableCell, texts))) for name, *texts in rows)
    return TableExhibit(f"{output}: {head[0]}", tuple(head), tuple(cells))
