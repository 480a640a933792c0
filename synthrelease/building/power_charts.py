"""Power curves as charts of a page, in words and places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synthrelease.building.power import PowerCurve, PowerLine
from synthrelease.kinds.expectation import ERROR, UNKNOWN
from synthrelease.number_words import grouped, listed, percent, several, short
from synthrelease.reports.axis_ticks import ticks
from synthrelease.reports.exhibits import TableCell, TableExhibit, Tick
from synthrelease.reports.line_charts import (
    ChartLine,
    ChartMark,
    ChartScale,
    LineChart,
    band_path,
    line_path,
    log_ticks,
)

HOW_TO_READ = (
    "Each line is what to expect at worst at one ε of this output, by the number of participants; the shaded area goes from there to the best case at the ε of this "
    "plan. Public shapes of data and the numbers of viewers decide between best and worst. Each participant is taken to contribute as much as those there are. "
    "The line without data is what a guess from public facts reaches: on the wrong side of it a release is useless. All of it follows from the plan and public facts."
)
_WORST, _BEST, _GUESS = "worst", "best", "without_data"
_MOST_GUESSES = 2.0  # an error is drawn up to so many times that of a guess
_NO_DATA = "without data"
_NO_BREAK = "\N{NO-BREAK SPACE}"
_ROWS = 8  # of a table; of more every second, and that of the data


def power_chart(curve: PowerCurve) -> LineChart:
    """Return a power curve as a chart."""
    planned, higher_is_better = curve.lines[curve.planned], curve.first.higher_is_better
    guesses = curve.values(planned, _GUESS)
    x_scale = ChartScale(curve.people[0], curve.people[-1], is_log=True)
    y_scale = _y_scale(curve, guesses)
    x = [x_scale.place(number) for number in curve.people]

    def places(line: PowerLine, name: str) -> list[float]:
        return [y_scale.place(value) for value in curve.values(line, name)]

    band = band_path(x, places(planned, _WORST), places(planned, _BEST))
    lines = [ChartLine("up to the best case" if band else "", band, "band")]
    lines.append(ChartLine(_NO_DATA, line_path(x, [y_scale.place(guess) for guess in guesses]), "limit"))
    for number, line in enumerate(curve.lines):
        tone = "main" if number == curve.planned else "less" if number < curve.planned else "more"
        lines.append(ChartLine(_called(curve, number), line_path(x, places(line, _WORST)), tone))
    marks = []
    if curve.here is not None:
        at = curve.people.index(curve.here)
        here = f"you are here: {several(curve.here, 'participant')}"
        marks.append(ChartMark(x[at], 1 - places(planned, _WORST)[at], here))
    measure = "share that stays unknown" if curve.first.measure == UNKNOWN else curve.first.measure
    share = " (% of what the bounds allow)" if curve.is_share and measure == ERROR else ""
    subjects = listed(list(curve.subjects))
    return LineChart(
        title=f"{subjects[0].upper()}{subjects[1:]}",
        lines=tuple(lines),
        marks=tuple(marks),
        x=log_ticks(curve.people[0], curve.people[-1]),
        y=_y_ticks(curve, y_scale),
        x_label="participants (logarithmic)",
        y_label=f"expected {measure}{share}, {'higher' if higher_is_better else 'lower'} is better",
        alt=_alt(curve, subjects),
        table=_table(curve, subjects),
    )


def _y_scale(curve: PowerCurve, guesses: Sequence[float]) -> ChartScale:
    if curve.first.higher_is_better:
        return ChartScale(0.0, 1.0)  # correlations
    values = [value for line in curve.lines for value in curve.values(line, _WORST)]
    highest = ChartScale.from_zero([*values, *guesses])
    of_guesses = ChartScale.from_zero([_MOST_GUESSES * guess for guess in guesses])
    return min(highest, of_guesses, key=lambda scale: scale.high)


def _y_ticks(curve: PowerCurve, scale: ChartScale) -> tuple[Tick, ...]:
    """Ticks with their places from the top."""
    factor, unit = (100, " %") if curve.is_share else (1, "")
    found = ticks(factor * scale.low, factor * scale.high)
    return tuple(Tick(round(1 - tick.place, 4), f"{tick.text}{unit}") for tick in found)


def _called(curve: PowerCurve, number: int) -> str:
    planned = " (this plan)" if number == curve.planned else ""
    return f"ε{_NO_BREAK}={_NO_BREAK}{short(curve.lines[number].epsilon, 3)}{planned}"


def _number(curve: PowerCurve, value: float) -> str:
    return percent(value).replace(" ", _NO_BREAK) if curve.is_share else short(value, 2)


def _alt(curve: PowerCurve, subjects: str) -> str:
    planned = curve.lines[curve.planned]
    worst, guesses = curve.values(planned, _WORST), curve.values(planned, _GUESS)
    shown = dict.fromkeys((0, _middle(curve), len(curve.people) - 1))
    points = ", ".join(
        f"{_number(curve, worst[n])} with {several(curve.people[n], 'participant')}" for n in shown
    )
    return (
        f"Chart of the {curve.first.measure} to expect of {subjects} against the number of participants. At {_called(curve, curve.planned)}, at worst: {points}. "
        f"Without data: {_number(curve, guesses[_middle(curve)])}. Lines for other ε are in the table."
    )


def _middle(curve: PowerCurve) -> int:
    return len(curve.people) // 2 if curve.here is None else curve.people.index(curve.here)


def _table(curve: PowerCurve, subjects: str) -> TableExhibit:
    guesses = curve.values(curve.lines[curve.planned], _GUESS)
    names = [_called(curve, number) for number in range(len(curve.lines))]
    rows = []
    step = 2 if len(curve.people) > _ROWS else 1
    for n, people in enumerate(curve.people):
        if n % step and people != curve.here:
            continue
        cells = [TableCell(" to ".join(_ends(curve, line, n))) for line in curve.lines]
        rows.append((grouped(people), (*cells, TableCell(_number(curve, guesses[n])))))
    title = f"Expected {curve.first.measure} of {subjects}"
    note = "Two numbers: at worst, and at best."
    return TableExhibit(title, ("participants", *names, _NO_DATA), tuple(rows), note)


def _ends(curve: PowerCurve, line: PowerLine, n: int) -> Iterator[str]:
    ends = (_number(curve, curve.values(line, name)[n]) for name in (_WORST, _BEST))
    return iter(dict.fromkeys(ends))
