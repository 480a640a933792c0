"""From an input of a plan to a table that a plan reads next, so many people at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from synthrelease.data.cells import in_natural_order
from synthrelease.data.coordinates import Coordinates
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.screen import Screen
from synthrelease.data.tables import Rows, read_if_small
from synthrelease.errors import DataError, PlanError
from synthrelease.files.atomic import OWNER_ALONE, write_atomically
from synthrelease.files.scratch import scratch
from synthrelease.kinds.preparing import refuse_positions
from synthrelease.parallel import Progress
from synthrelease.plan.partitions import people_in_parts, stamp_of
from synthrelease.prepare.recordings import Stretches, stretches_of
from synthrelease.prepare.samples import Samples, load_samples
from synthrelease.prepare.settings import Settings
from synthrelease.prepare.tables import PreparedTable, fixations_in, saccades_in, windows_in

_USED = ("person", "stimulus", "x", "y", "time")  # columns by their roles
_LEAST_RESTING_FRACTION = 0.5
_PARTITION_ROWS = 1 << 21  # of samples, which take about 400 bytes each on their way
_ALWAYS = {
    "fixations": "x_px",
    "saccades": "amplitude_deg",
    "windows": "fixation_rate",
}  # has a value if anything has
_MADE = ("onset_ms", "duration_ms", "x_px", "y_px", "pupil_mean", "window_end_s", "person", "stimulus")


@dataclass(frozen=True)
class PreparedInput:
    """A table of events or windows; private."""

    # the rows, people and stimuli in natural order; of a recording of which nothing was found, one without
    # values
    frame: pl.DataFrame
    rows_with_values: int  # rows with values
    people: int  # that have any row in it
    recordings: int  # that have any row in it
    notes: tuple[str, ...]  # what was left out; for the curator only
    warnings: tuple[str, ...] = ()  # what should worry the curator, likewise

    def write(self, target: Path, *, force: bool = False) -> None:
        """Write the table as Parquet that only its owner can read.

        Raises:
            MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
        """
        content = BytesIO()
        self.frame.write_parquet(content)
        write_atomically(target, content.getvalue(), force=force, mode=OWNER_ALONE)


@scratch()
def prepare(
    spec: InputSpec,
    to: str,
    *,
    settings: Settings | None = None,
    time_unit: str = "ms",
    pupil: str | None = None,
    keep: Sequence[str] = (),
    progress: Progress | None = None,
) -> PreparedInput:
    """Return the fixations, saccades or windows of an input of raw samples.

    Args:
        spec: the input, of kind gaze, with a column of time and the screen's width and distance in mm.
        to: "fixations", "saccades" or "windows".
        settings: thresholds and lengths.
        time_unit: of the time stamps: "s", "ms", "us" or "ns".
        pupil: the column of pupils.
        keep: columns of labels that distinguish recordings, and go into the table.
        progress: as for `build`.

    Raises:
        PlanError: the input does not say what samples take.
        PolicyError: participants are places in the file, which would be labels in the table.
        DataError, MachineError: the data cannot be used, or pymovements is not installed.
    """
    refuse_input(spec, keep)
    refuse_positions(
        spec,
        f"the plan's inputs.{spec.name}",
        "release the gaze itself",
        by_position=reader_for(spec.source).counts(spec.source, spec.options["columns"]["person"]),
    )
    stamp = stamp_of(spec.source)
    rows = read_if_small(spec.source, _columns(spec, pupil, keep), most_rows=_PARTITION_ROWS)
    partitions = (None,) if rows is not None else people_in_parts(spec, _PARTITION_ROWS)
    frames: list[pl.DataFrame] = []
    tally: Counter[str] = Counter()
    for number, row_filter in enumerate(partitions):
        if progress is not None:
            progress(f"finding {to}", number, len(partitions))
        samples = _samples(
            spec, rows or spec.source, time_unit=time_unit, pupil=pupil, keep=keep, row_filter=row_filter
        )
        stretches = stretches_of(samples)
        table = _MAKERS[to](stretches, settings or Settings())
        frames.append(table.frame)
        tally.update(_tally(stretches, table))
    if stamp_of(spec.source) != stamp:
        raise DataError(
            "data-changed",
            "the data changed while they were read",
            where=str(spec.source.path),
            remedy="prepare again",
        )
    return _prepared(pl.concat(frames), to, keep, tally, where=str(spec.source.path))


def _tally(stretches: Stretches, table: PreparedTable) -> dict[str, int]:
    """What notes and warnings count, of some people."""
    samples = stretches.samples
    missing = np.isnan(samples.x_px)
    looked_for = table.resting_ns is not None
    return {
        "people": samples.people,
        "samples": missing.size,
        "missing": int((missing & ~samples.away).sum()),
        "away": int(samples.away.sum()),
        "left_out": table.left_out,
        "resting_ns": table.resting_ns or 0,
        "seen_ns": stretches.seen_ns if looked_for else 0,
    }


def _prepared(
    frame: pl.DataFrame, to: str, keep: Sequence[str], tally: Mapping[str, int], *, where: str
) -> PreparedInput:
    filled = int(frame[_ALWAYS[to]].is_not_null().sum())
    if not filled:
        raise DataError(
            "no-events",
            f"no {to} were found",
            where=where,
            expected="recordings longer than a window" if to == "windows" else "an eye that moves, and rests",
            remedy="look at width_mm and distance_mm of the input's screen, at its coordinates, and at the thresholds",
        )
    people = in_natural_order(frame["person"].unique().to_list())
    return PreparedInput(
        # The same rows however the people were divided.
        frame.sort(pl.col("person").cast(pl.Enum(people)), maintain_order=True),
        filled,
        len(people),
        frame.select("person", "stimulus", *keep).unique().height,
        tuple(_notes(tally)),
        tuple(_warnings(tally, len(people))),
    )


def refuse_input(spec: InputSpec, keep: Sequence[str]) -> None:
    """Refuse an input that does not say what samples take, before anything of it is read.

    Raises:
        PlanError: it is of features, has no time or no geometry; or a column that is to be kept has a name that is taken.
    """
    where = f"the plan's inputs.{spec.name}"
    if spec.kind != "gaze":
        raise PlanError(
            "input-of-other-kind",
            "events are found in samples of gaze",
            where=where,
            found=f"an input of kind {spec.kind}",
            expected="one of kind gaze: x, y and time of every sample",
            remedy="name an input of kind gaze",
        )
    columns, screen = spec.options["columns"], spec.options["screen"]
    if "stimulus" not in columns:
        raise PlanError(
            "no-stimulus-column",
            'recordings cannot be divided into trials where stimulus = "all"',
            where=where,
            expected='stimulus = "COLUMN" under columns',
            remedy="name the column of stimuli or trials for `prepare`; the table that it writes may then be one map",
        )
    if "time" not in columns:
        raise PlanError(
            "no-time-column",
            "velocity needs a column of time stamps",
            where=f"{where}.columns",
            expected='time = "COLUMN" under columns',
            remedy="name the column of time stamps",
        )
    if "width_mm" not in screen:
        raise PlanError(
            "screen-size-missing",
            "a velocity in degrees takes the size of the screen and how far away it is",
            where=f"{where}.screen",
            expected="width_mm and distance_mm",
            remedy="measure them; a degree on a screen of unknown size is a guess",
        )
    for name in keep:
        if name in _MADE or name in columns.values() or list(keep).count(name) > 1:
            raise PlanError(
                "bad-kept-column",
                f"the column '{name}' cannot be kept",
                where=where,
                found="a name that the table has already, or a column that is kept or used anyway",
                expected="columns of labels, such as a session or a condition, each once",
                remedy="leave it out of --keep, or rename it in the data",
            )


def _columns(spec: InputSpec, pupil: str | None, keep: Sequence[str]) -> list[str]:
    columns = spec.options["columns"]
    return [*(columns[key] for key in _USED), *keep, *([pupil] if pupil else []), *spec.chosen.columns]


def _samples(
    spec: InputSpec,
    rows: Rows,
    *,
    time_unit: str,
    pupil: str | None,
    keep: Sequence[str],
    row_filter: RowFilter | None,
) -> Samples:
    options = spec.options
    return load_samples(
        rows,
        columns={key: options["columns"][key] for key in _USED},
        screen=Screen(**options["screen"]),
        time_unit=time_unit,
        stimuli=options.get("stimuli"),
        missing=options["missing"],
        coordinates=Coordinates(options["coordinates"], options["origin"]),
        off_screen=options["off_screen"],
        pupil=pupil,
        keep=keep,
        row_filter=row_filter,
        chosen=spec.chosen,
    )


_MAKERS: dict[str, Callable[[Stretches, Settings], PreparedTable]] = {
    "fixations": fixations_in,
    "saccades": saccades_in,
    "windows": windows_in,
}


def _notes(tally: Mapping[str, int]) -> Iterator[str]:
    if tally["missing"]:
        yield f"{tally['missing']} of {tally['samples']} samples have no position"
    if tally["away"]:
        yield f"{tally['away']} of {tally['samples']} samples lie off the screen, and count as missing"
    if tally["left_out"]:
        yield f"{tally['left_out']} windows were left out: an eye was seen in less than half of them"


def _warnings(tally: Mapping[str, int], people: int) -> Iterator[str]:
    resting_ns, seen_ns = tally["resting_ns"], tally["seen_ns"]
    # Noise as fast as the threshold leaves pieces too short to be fixations.
    if resting_ns < _LEAST_RESTING_FRACTION * seen_ns:
        yield (
            f"fixations are {resting_ns / seen_ns:.0%} of the time that an eye was seen, where they are most of it as a rule: noise may be as "
            "fast as the threshold. Look at --velocity-deg-per-s, at the screen's width_mm and distance_mm, or let the tracker's own software "
            "find the events"
        )
    unchosen = tally["people"] - people
    if unchosen:
        yield (
            f"{unchosen} of the participants have rows of nothing that the plan lists or chooses, and are not in the table: how many participants a release of it "
            "counts is then what they did. Prepare without `stimuli` and `only`, and choose in the plan of the release"
        )
