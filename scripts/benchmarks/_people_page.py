"""What became of each method on each sample, and the tables and sentences about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from studies._people_metrics import MEASURES

from benchmarks._people_modes import MODES

OURS, OUR_MODE = "synthrelease", "people"
OF_MEANS = tuple(name for name in MEASURES if name != "lag")  # one value of a condition has no next one


@dataclass(frozen=True, order=True)
class Setting:
    """How many people of which population, and ε."""

    population: str
    people: int
    epsilon: float

    @classmethod
    def of(cls, text: str) -> Setting:
        """Return it of `A:500:1`."""
        population, people, epsilon = text.split(":")
        return cls(population, int(people), float(epsilon))

    def __str__(self) -> str:
        """Say it as tables do."""
        return f"{self.population}: {self.people}, {self.epsilon:g}"


@dataclass(frozen=True)
class Cell:
    """One method, fed in one mode with the people of one repeat."""

    setting: Setting
    method: str
    mode: str
    repeat: int

    def __str__(self) -> str:
        """Say it on one line."""
        return f"{self.setting}: {self.method}, {self.mode}, repeat {self.repeat}"


@dataclass(frozen=True)
class Result:
    """What became of a cell.

    Attributes:
        cell: which one.
        errors: of windows, by measure; NaN where it is not defined.
        of_means: of people's means in every condition; of `flat` and of ours only.
        seconds: of the processor.
        peak_bytes: of memory.
        without: why there is no result, or nothing.
    """

    cell: Cell
    errors: dict[str, float]
    of_means: dict[str, float]
    seconds: float = np.nan
    peak_bytes: float = np.nan
    without: str = ""


@dataclass(frozen=True)
class Row:
    """Means of all repeats of a method in a mode; without a result where one of them has none."""

    method: str
    mode: str
    errors: dict[str, float]
    of_means: dict[str, float]
    seconds: float
    peak_bytes: float
    without: str

    @classmethod
    def of(cls, results: Sequence[Result]) -> Row:
        """Return it of the results of all repeats."""
        without = "; ".join(sorted({result.without for result in results if result.without}))
        errors, of_means = (
            {} if without else {name: float(np.mean([one[name] for one in every])) for name in every[0]}
            for every in ([result.errors for result in results], [result.of_means for result in results])
        )
        return cls(
            results[0].cell.method,
            results[0].cell.mode,
            errors,
            of_means,
            float(np.mean([result.seconds for result in results])),
            float(np.mean([result.peak_bytes for result in results])),
            without,
        )


def tables(results: Sequence[Result], methods: Sequence[str]) -> str:
    """Return both tables, each with a line for every setting that says where ours is ahead and where it is behind.

    Args:
        results: of any settings.
        methods: the peers in their order.
    """
    order = [OURS, *methods], [OUR_MODE, *MODES]
    known = sorted(
        results,
        key=lambda r: (r.cell.setting, order[0].index(r.cell.method), order[1].index(r.cell.mode)),
    )
    windows, means = {}, {}
    for setting, same in groupby(known, lambda result: result.cell.setting):
        rows = [Row.of(list(repeats)) for _, repeats in groupby(same, lambda r: (r.cell.method, r.cell.mode))]
        windows[setting] = rows
        means[setting] = [row for row in rows if row.of_means]
    costs = ("seconds", "peak MB")
    parts = [
        "Windows:",
        _markdown(
            (*MEASURES, *costs), [(s, row, _cells(row)) for s, rows in windows.items() for row in rows]
        ),
        "\n".join(f"* {s}: {standing(rows, 'errors', MEASURES)}" for s, rows in windows.items()),
        "Means of people in every condition:",
        _markdown(
            OF_MEANS,
            [(s, row, _numbers(row.of_means, OF_MEANS)) for s, rows in means.items() for row in rows],
        ),
        "\n".join(f"* {s}: {standing(rows, 'of_means', OF_MEANS)}" for s, rows in means.items()),
    ]
    return "\n\n".join(parts)


def standing(rows: Sequence[Row], errors: str, measures: Sequence[str]) -> str:
    """Say on which measures ours has a smaller error than every peer, and on which it has not, and who has the smallest.

    Args:
        rows: of one setting.
        errors: the attribute of a row that has them.
        measures: their names.
    """
    ours = next((row for row in rows if row.method == OURS), None)
    if ours is None or ours.without:
        return "no comparison: this package has no result."
    ahead, behind = [], []
    for name in measures:
        own = getattr(ours, errors)[name]
        others = [(getattr(row, errors).get(name, np.nan), row) for row in rows if row is not ours]
        others = [(error, row) for error, row in others if not np.isnan(error)]
        not_worse = [(error, row) for error, row in others if error <= own]
        if not_worse:
            error, row = min(not_worse, key=lambda one: one[0])
            behind.append(
                f"{name} ({own:.3f}; {len(not_worse)} of {len(others)} are no worse, the best, "
                f"{row.method}, {row.mode}, {error:.3f})"
            )
        elif others:
            ahead.append(name)
    words = (", ".join(ahead) or "nothing", ", ".join(behind) or "nothing")
    return "ahead of each peer on: {}; behind on: {}.".format(*words)


def _markdown(columns: Sequence[str], rows: Sequence[tuple[Setting, Row, list[str]]]) -> str:
    lines = [f"| people: n, ε | method | mode | {' | '.join(columns)} |", "|---" * (3 + len(columns)) + "|"]
    for setting, row, cells in rows:
        name = f"**{row.method}**" if row.method == OURS else row.method
        filled = cells + [""] * (len(columns) - len(cells))
        lines.append(f"| {setting} | {name} | {row.mode} | {' | '.join(filled)} |")
    return "\n".join(lines)


def _cells(row: Row) -> list[str]:
    if row.without:
        return [row.without]
    return [*_numbers(row.errors, MEASURES), f"{row.seconds:.1f}", f"{row.peak_bytes / 1e6:.0f}"]


def _numbers(errors: dict[str, float], measures: Sequence[str]) -> list[str]:
    return ["–" if np.isnan(errors[name]) else f"{errors[name]:.3f}" for name in measures]
