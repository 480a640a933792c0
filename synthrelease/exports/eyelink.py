"""Synthetic scanpaths as text like that which EyeLink's edf2asc writes: samples, and events between them. A file for each stimulus.

Its first line and a message of every trial say that it is synthetic. An event begins with its first sample and ends with its last one, and its duration counts both,
as EyeLink has it. Of the eyes the right one is named, as the format has no other; there is no pupil.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import ArgumentError
from synthrelease.exports import guarantee_text
from synthrelease.exports.gaze import (
    GazeOutput,
    contents_of,
    how_rendered,
    opened_gaze,
    refuse_no_gaze,
    stimuli_of,
)
from synthrelease.exports.table_files import write_readme
from synthrelease.exports.task import ExportTask
from synthrelease.kinds.synthetic_gaze import SYNTHETIC, Rendering, Trial
from synthrelease.numerics.gaze_samples import Samples, peak_velocity, runs_of
from synthrelease.reports.file_names import FileNames

ENDING = "synthetic.asc"
_CONTENTS = (
    "Samples and events as text like that of EyeLink's edf2asc, a file for each stimulus. TRIALID is the number of the scanpath, of no participant; "
    "pupils are not in them (0.0). Times are in ms, places in px."
)
_BEGIN_MS, _BETWEEN_MS = 1000, 1000  # of the first trial, and from one to the next


def write(task: ExportTask) -> list[str]:
    """Write a recording for every stimulus, a README and the manifest.

    Raises:
        ArgumentError: the release has no synthetic trials, or samples would not be whole milliseconds apart.
    """
    names, lines = FileNames(), []
    with opened_gaze(task) as outputs:
        refuse_no_gaze(task, outputs)
        for output, number, label in stimuli_of(outputs, "rendering"):
            _refuse_rate(output.rendering)
            file = f"{names.of(output.name, label)}-{ENDING}"
            trials = _write_stimulus(task, output, number, file)
            lines.append(f"{file}: {label}, {trials} scanpaths.")
        contents = contents_of(outputs, lines)
    return write_readme(task, contents, what=_CONTENTS)


def _refuse_rate(rendering: Rendering) -> None:
    if not (1000 / rendering.hz).is_integer():
        raise ArgumentError(
            "rate-not-of-eyelink",
            "samples of an EyeLink are whole milliseconds apart",
            where="export().hz",
            found=f"{rendering.hz:g}",
            expected="a divisor of 1000, such as 250, 500 or 1000",
            remedy="choose another rate, or the form samples",
        )


def _write_stimulus(task: ExportTask, output: GazeOutput, number: int, file: str) -> int:
    begin, trials = _BEGIN_MS, 0
    with (task.folder / file).open("xb") as opened:
        opened.write(_text(_head(task, output, output.gaze.stimuli[number])))
        for trial in output.trials(number):
            made = trial.samples(output.rendering)
            opened.write(_text(_trial(trial, made, output.rendering, begin)))
            begin += int(made.time_ms[-1] - made.time_ms[0]) + _BETWEEN_MS
            trials += 1
    return trials


def _text(lines: Iterator[str]) -> bytes:
    text = StringIO()
    text.writelines(f"{line}\n" for line in lines)
    return text.getvalue().encode("utf-8")


def _head(task: ExportTask, output: GazeOutput, stimulus: str) -> Iterator[str]:
    guarantee = guarantee_text.guarantee_sentence(task.manifest, task.output(output.name))
    for line in (
        output.notice,
        f"Stimulus: {_line(stimulus)}. Rendered with {how_rendered(output.rendering)}.",
        guarantee,
    ):
        yield f"** {line}"
    yield ""


def _line(text: str) -> str:
    """A label on a line."""
    return " ".join(text.split())


def _trial(trial: Trial, made: Samples, rendering: Rendering, begin: int) -> Iterator[str]:
    time = np.rint(made.time_ms - made.time_ms[0]).astype(np.int64) + begin
    interval, first, last = round(1000 / rendering.hz), int(time[0]), int(time[-1])
    screen, rate = trial.gaze.screen, f"{rendering.hz:.2f}"
    corners = f"0.00 0.00 {screen.width_px - 1}.00 {screen.height_px - 1}.00"
    yield f"MSG\t{first} {SYNTHETIC} {trial.gaze.origin}"
    yield f"MSG\t{first} TRIALID {trial.number}"
    yield f"MSG\t{first} !V TRIAL_VAR stimulus {_line(trial.stimulus)}"
    yield f"MSG\t{first} RECCFG {SYNTHETIC} {rendering.hz:.0f} 0 0 R"
    yield f"MSG\t{first} GAZE_COORDS {corners}"
    yield f"START\t{first} \tRIGHT\tSAMPLES\tEVENTS"
    yield from ("PRESCALER\t1", "VPRESCALER\t1", "PUPIL\tAREA")
    for content in ("EVENTS", "SAMPLES"):
        yield f"{content}\tGAZE\tRIGHT\tRATE\t {rate}\tTRACKING\t{SYNTHETIC}\tFILTER\t0"
    begins, ends = _event_lines(trial, made, rendering, time, interval)
    for place, (t, x, y) in enumerate(
        zip(time.tolist(), np.round(made.x_px, 2).tolist(), np.round(made.y_px, 2).tolist(), strict=True)
    ):
        yield from begins.get(place, ())
        yield f"{t}\t   .\t   .\t    0.0\t..." if x != x else f"{t}\t{x:7.2f}\t{y:7.2f}\t    0.0\t..."  # noqa: PLR0124  NaN
        yield from ends.get(place, ())
    resolution = f"{rendering.px_per_degree:.2f}"
    yield f"END\t{last + interval} \tSAMPLES\tEVENTS\tRES\t {resolution}\t {resolution}"


_Lines = dict[int, list[str]]


def _event_lines(
    trial: Trial, made: Samples, rendering: Rendering, time: NDArray[np.int64], interval: int
) -> tuple[_Lines, _Lines]:
    """What stands before and after samples, by their place."""
    begins: _Lines = {}
    ends: _Lines = {}

    def add(name: str, first: int, last: int, *more: Any) -> None:
        begins.setdefault(first, []).append(f"S{name} R   {time[first]}")
        span = f"{time[first]}\t{time[last]}\t{time[last] - time[first] + interval}"
        ends.setdefault(last, []).insert(0, "\t".join([f"E{name} R   {span}", *map(str, more)]))

    places = trial.fixations[:, :2]
    for first, stop in runs_of(made.is_fixation):
        x, y = places[made.number[first]]
        add("FIX", first, stop - 1, f"  {x:.1f}", f"  {y:.1f}", "      0")
    for first, stop in runs_of(~made.is_fixation):
        start, end = places[made.number[first]], places[min(made.number[stop - 1] + 1, len(places) - 1)]
        amplitude = math.hypot(*(end - start)) / rendering.px_per_degree
        fastest = peak_velocity(amplitude, (stop - first) * interval)
        ways = (f"  {value:.1f}" for value in (*start, *end))
        add("SACC", first, stop - 1, *ways, f"  {amplitude:.2f}", f"    {fastest:.0f}")
    for first, stop in runs_of(made.is_blink):
        add("BLINK", first, stop - 1)
    return begins, ends
