"""What `preview` expects of releases, against releases: the table of docs/evidence/utility.md, for every kind of output.

Each row is one output of one public data set, released `DRAWS` times by the mechanism that a plan makes. Expected: from public parameters
alone, between the kindest and the least kind of the public shapes. Measured: by the first measure of `evaluate`, over all items of
the part, the mean over releases. A prediction holds if the measured value lies in what was expected, times or divided by 1.5 for errors,
0.05 off for correlations.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from synthrelease.building.design import Design, PlannedOutput, make_design
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.ground_truth import kind_of
from synthrelease.evaluation.ground_truth.ground_truth import derivations
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.evaluation.scores import over_items
from synthrelease.kinds.expectation import ERROR
from synthrelease.kinds.values import Values
from synthrelease.plan.partitions import partitions_of, small_tables, stamp_of
from synthrelease.plan.plan import load_plan

DRAWS, SEED = 20, 2026
TIMES, OFF = 1.5, 0.05  # how far a measured error, and a correlation, may be from what is expected

CROWD = [f"{image:03d}.jpg" for image in range(1, 11)]
PLAN = """[release]
name = "prediction"
version = "1.0.0"
title = "A prediction"
[privacy]
neighbours = "replace-one"
epsilon = {epsilon}
delta = 1e-6
{source}
[[outputs]]
name = "released"
input = "data"
{output}
"""
GAZE = """
[inputs.data]
kind = "gaze"
path = "{path}"
columns = {{ person = "{person}", stimulus = "image", x = "x_px", y = "y_px"{duration} }}
screen = {{ width_px = {width}, height_px = {height} }}
off_screen = "drop"
stimuli = [{stimuli}]
assume_public = ["assignment"]
"""
AREAS = """areas = {{ middle = {{ rectangle = [{x0}, {y0}, {x1}, {y1}] }}, left = {{ rectangle = [0, 0, {x0}, {height}] }}, \
right = {{ rectangle = [{x1}, 0, {width}, {height}] }} }}"""
FIXATIONS = """kind = "statistics"
statistics = ["{statistic}"]
by = "stimulus"
bounds = {{ fixation_count = [0, 30], fixation_duration = [0, 600] }}"""


@dataclass(frozen=True)
class DataSet:
    """A public data set: its input as a plan has it, and the outputs that are released of it, one at a time."""

    name: str
    source: str
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """What was expected of one part of an output, and what became of it."""

    data: str
    kind: str
    epsilon: float
    subject: str
    measure: str
    expected: tuple[
        float, float
    ]  # of the kindest and the least kind shape, an error as a share of what the bounds leave
    measured: float

    @property
    def what(self) -> str:
        """What the row is of, whatever the feature: "median", "median of fixations", "heatmap (CC)"."""
        if self.kind == "statistics":
            statistic, _, feature = self.subject.partition(" of ")
            return f"{statistic} of fixations" if feature.startswith("fixation") else statistic
        return f"{self.kind} ({self.measure})"

    @property
    def holds(self) -> bool:
        """Whether the prediction was right."""
        low, high = sorted(self.expected)
        if self.measure in {"CC", "correlation"}:
            return low - OFF <= self.measured <= high + OFF
        return low / TIMES <= self.measured <= high * TIMES


def gaze(path: Path, name: str, person: str, screen: tuple[int, int], images: list[str]) -> DataSet:
    """Return a data set of looking, with heatmaps, areas with both kinds of noise, and of fixations their number and duration."""
    width, height = screen
    listed = ", ".join(f'"{image}"' for image in images)
    x0, x1, y0, y1 = width // 4, 3 * width // 4, height // 4, 3 * height // 4
    areas = AREAS.format(x0=x0, x1=x1, y0=y0, y1=y1, width=width, height=height)
    of_fixations = path.name.startswith("fixations")
    outputs = [
        f'kind = "heatmap"\nblur_px = {0.03 * width:.0f}',
        f'kind = "areas"\n{areas}',
        f'kind = "areas"\nnoise = "gaussian"\n{areas}',
    ]
    if of_fixations:
        outputs += [FIXATIONS.format(statistic=name) for name in ("mean", "quantile:0.5")]
    duration = ', duration = "duration_ms"' if of_fixations else ""
    source = GAZE.format(
        path=path, person=person, width=width, height=height, stimuli=listed, duration=duration
    )
    return DataSet(name, source, tuple(outputs))


def data_sets(folder: Path) -> Iterator[DataSet]:
    """Yield the data sets."""
    mouse = [str(image) for image in range(1011, 1021)]
    yield gaze(folder / "osie_mouse/samples.csv.gz", "osie_mouse", "worker", (800, 600), mouse)
    osie = [f"{image}.jpg" for image in range(1011, 1021)]
    yield gaze(folder / "osie/fixations_tidy.csv.gz", "osie", "observer", (800, 600), osie)
    yield gaze(
        folder / "saliency_in_crowd/fixations_tidy.csv.gz",
        "saliency_in_crowd",
        "observer",
        (1024, 768),
        CROWD,
    )
    for name, person in (("osie", "observer"), ("saliency_in_crowd", "observer")):
        source = f"""
[inputs.data]
kind = "features"
path = "{folder / name / "fixations_tidy.csv.gz"}"
columns = {{ person = "{person}" }}
bounds = {{ duration_ms = [0, 600] }}
"""
        yield DataSet(f"{name}, durations", source, _statistics([""]))
    features = f"""
[inputs.data]
kind = "features"
path = "{folder / "ier2023_vr_pupil/features_10s_0p5s.csv.gz"}"
columns = {{ person = "participant", recording = "condition", time = "t_center_s" }}
recordings = ["control", "npc", "noise", "arithmetic", "combined"]
bounds = {{ pupil_l_mean_mm = [1.5, 8.0], openness_mean = [0, 1], blink_rate_hz = [0, 2] }}
"""
    signals = (
        'kind = "signals"\nlength = 130',
        'kind = "signals"\nlength = 130\nfeatures = ["pupil_l_mean_mm"]',
    )
    yield DataSet("ier2023 features", features, (*_statistics(["", 'by = "recording"']), *signals))


def _statistics(grouped: list[str]) -> tuple[str, ...]:
    names = (
        '["mean"]',
        '["quantile:0.5"]',
        '["quantile:0.25", "quantile:0.75"]',
        '["variance"]',
        '["histogram"]',
        '["mean", "count", "quantile:0.5"]',
    )
    return tuple(f'kind = "statistics"\nstatistics = {name}\n{by}' for name in names for by in grouped)


def run(data: Path) -> None:
    """Print the table as Markdown, and how many of the predictions held."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for data_set in data_sets(data):
            for output in data_set.outputs:
                for epsilon in (1.0, 3.0):
                    rows.extend(_rows(data_set, output, epsilon, Path(folder) / "plan.toml"))
    print("| released | ε | data sets | expected | measured | hold |")
    print("|---|---|---|---|---|---|")
    groups: dict[tuple[str, float], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.what, row.epsilon), []).append(row)
    for (what, epsilon), group in groups.items():
        expected = _span([end for row in group for end in row.expected])
        measured = _span([row.measured for row in group])
        held = sum(row.holds for row in group)
        names = len({row.data for row in group})
        print(f"| {what} | {epsilon:g} | {names} | {expected} | {measured} | {held} of {len(group)} |")
    print(f"\n{sum(row.holds for row in rows)} of {len(rows)} predictions hold")


def _span(values: list[float]) -> str:
    low, high = f"{min(values):.2g}", f"{max(values):.2g}"
    return low if low == high else f"{low} to {high}"


def _rows(data_set: DataSet, output: str, epsilon: float, path: Path) -> Iterator[Row]:
    path.write_text(PLAN.format(epsilon=epsilon, source=data_set.source, output=output), encoding="utf-8")
    plan = load_plan(path)
    tables = small_tables(plan.used_inputs())
    design = make_design(plan, tables)
    (planned,) = design.outputs
    expected = planned.mechanism.expected(planned.event, planned.budget, design.facts["data"].people)
    measured, measure = _measured(design, planned, tables)
    for one in expected:
        scale = one.scale if one.measure == ERROR else 1.0
        value = measured.get(
            one.subject if one.measure == ERROR else "dwell" if one.measure == "TV" else "", math.nan
        )
        yield Row(
            data_set.name,
            planned.spec.kind,
            epsilon,
            one.subject,
            measure.name,
            (one.best / scale, one.worst / scale),
            value,
        )


def _measured(design: Design, planned: PlannedOutput, tables: dict) -> tuple[dict[str, float], Measure]:
    """The first measure of every part, over all items and releases."""
    mechanism, (spec,) = planned.mechanism, design.plan.used_inputs().values()
    (part,) = partitions_of(spec, design.facts["data"], stamp_of(spec.source), tables.get("data"))
    data, kind = part.read(), kind_of(mechanism)
    truth = kind.ground_truth(mechanism, kind.collector(mechanism)(data).numbered(part.numbers), data.people)
    collected, random = mechanism.collect(data).numbered(part.numbers), SecureRandom.for_tests(SEED)
    scores: dict[str, list[Scores]] = {}
    for _ in range(DRAWS):
        drawn = mechanism.draw(collected, planned.budget, random)
        values = Values(drawn.parameters, drawn.event, drawn.arrays)
        for derive in derivations(kind, values, mechanism):
            for item, scored in truth.of(derive()).items():
                scores.setdefault(truth.part_of(item), []).append(scored[:1])
    first = truth.measures[0]
    return {name: over_items(items, (first,))[0] for name, items in scores.items()}, first
