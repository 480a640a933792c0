"""A ledger as a page: what was granted and spent over time, and every release. Only for who keeps the ledger, as the ledger itself."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import synthrelease
from synthrelease.files.atomic import OWNER_ALONE, write_atomically
from synthrelease.ledgers.account import Account
from synthrelease.ledgers.statement import as_json, standing_words, uncounted_words
from synthrelease.ledgers.timeline import Moment
from synthrelease.number_words import scientific_up, several, short
from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.exhibits import TableCell, TableExhibit, Tick
from synthrelease.reports.line_charts import (
    ChartLine,
    ChartMark,
    ChartScale,
    LineChart,
    band_path,
    line_path,
    stepped,
)
from synthrelease.reports.page import embedded, render

_DAY_S = 86_400.0
_DATES_FROM_S = 3 * _DAY_S  # shorter times have hours on their axis
_NOTHING = "–"
_AFTER_LAST = 0.06  # of the axis: so that the last step is seen


class DatasetCard(NamedTuple):
    """A dataset on the page."""

    name: str
    standing: tuple[str, ...]  # what is spent and left, in sentences
    chart: LineChart
    table: TableExhibit
    uncounted: tuple[tuple[str, str], ...]  # releases, and which of their outputs no ε covers


def write_ledger_page(
    accounts: Mapping[str, tuple[Account, Sequence[Moment]]],
    target: Path,
    *,
    name: str,
    force: bool = False,
) -> None:
    """Write the page so that only its owner can read it.

    Args:
        accounts: by dataset, with their moments.
        target: the file.
        name: of the ledger's file.
        force: replace what is there.

    Raises:
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    page = render(
        "ledger.html",
        name=name,
        cards=[dataset_card(dataset, *account) for dataset, account in accounts.items()],
        embedded=embedded({dataset: as_json(account) for dataset, (account, _) in accounts.items()}),
        version=synthrelease.__version__,
    )
    write_atomically(target, page.encode("utf-8"), force=force, mode=OWNER_ALONE)


def dataset_card(name: str, account: Account, moments: Sequence[Moment]) -> DatasetCard:
    """Return a dataset as the page shows it."""
    debits = [moment.debit for moment in moments if moment.debit is not None]
    uncounted = [(_release(debit.charge.release), uncounted_words(debit)) for debit in debits]
    return DatasetCard(
        name,
        standing_words(account),
        spending_chart(name, moments),
        _table(name, moments),
        tuple((release, words) for release, words in uncounted if words),
    )


def spending_chart(name: str, moments: Sequence[Moment]) -> LineChart:
    """Return what is granted and spent over time, as steps."""
    times, tick_labels = _times(moments)
    granted = [moment.grant.epsilon for moment in moments]
    spent = [moment.spent for moment in moments]
    scale = ChartScale.from_zero([*granted, *spent])
    (x, below), (_, above) = (
        stepped(times, [scale.place(value) for value in values]) for values in (spent, granted)
    )
    marks = [
        ChartMark(time, 1 - scale.place(moment.spent))
        for time, moment in zip(times, moments, strict=True)
        if moment.debit is not None and math.isfinite(moment.spent)
    ]
    releases = several(sum(moment.debit is not None for moment in moments), "release")
    total = short(spent[-1]) if math.isfinite(spent[-1]) else "more than any ε"
    y = ticks(scale.low, scale.high)
    return LineChart(
        title="Budget over time",
        lines=(
            ChartLine(
                "left", band_path(x, below, [max(pair) for pair in zip(below, above, strict=True)]), "band"
            ),
            ChartLine("granted", line_path(x, above), "limit"),
            ChartLine("spent; a dot is a release", line_path(x, below), "main"),
        ),
        marks=tuple(marks),
        x=tick_labels,
        y=tuple(Tick(round(1 - tick.place, 4), tick.text) for tick in y),
        x_label="time (UTC)",
        y_label="ε of all releases, per person",
        alt=f"Chart of the budget of {name} over time, in steps: {releases}; ε = {total} spent of {short(granted[-1])} at the end.",
    )


def _times(moments: Sequence[Moment]) -> tuple[list[float], tuple[Tick, ...]]:
    """Places of moments on the axis of time, and its ticks; evenly, where all are of one second."""
    seconds = [dt.datetime.fromisoformat(moment.at).timestamp() for moment in moments]
    first, last = min(seconds), max(seconds)
    room = 1 - _AFTER_LAST
    if first == last:
        places = [room * n / max(len(moments) - 1, 1) for n in range(len(moments))]
        return places, (Tick(0.0, moments[0].at[:16].replace("T", " ")),)
    form = "%Y-%m-%d" if last - first >= _DATES_FROM_S else "%m-%d %H:%M"
    shown = [
        Tick(
            round(room * share, 4),
            dt.datetime.fromtimestamp(first + share * (last - first), dt.UTC).strftime(form),
        )
        for share in (0.0, 0.5, 1.0)
    ]
    return [room * (one - first) / (last - first) for one in seconds], tuple(shown)


def _table(name: str, moments: Sequence[Moment]) -> TableExhibit:
    head = ("date (UTC)", "entry", "ε alone", "ε of all", "ε left", "state")
    rows = tuple((moment.at[:10], tuple(map(TableCell, _cells(moment)))) for moment in moments)
    return TableExhibit(f"Grants and releases of {name}", head, rows)


def _cells(moment: Moment) -> tuple[str, ...]:
    spent = short(moment.spent) if math.isfinite(moment.spent) else "none at this δ"
    left = short(max(0.0, moment.grant.epsilon - moment.spent))
    if moment.debit is None:
        at_delta = f" at δ = {scientific_up(moment.grant.delta)}" if moment.grant.delta else ""
        return f"budget ε = {short(moment.grant.epsilon)}{at_delta}", _NOTHING, spent, left, _NOTHING
    debit = moment.debit
    return _release(debit.charge.release), short(debit.standing.here), spent, left, debit.state


def _release(release: Mapping[str, Any]) -> str:
    return f"{release['name']} {release['version']}"
