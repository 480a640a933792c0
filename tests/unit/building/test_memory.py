"""What a build holds at most is told from public facts, and has a term for everything that can be large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner
from goldens import check_text, figures
from invented_study import (
    write_areas_study,
    write_heatmaps_study,
    write_records_study,
    write_signals_study,
    write_statistics_study,
    write_study,
)

from synthrelease.building import preview_words
from synthrelease.building.design import make_design
from synthrelease.building.memory import Memory, memory
from synthrelease.building.preview import as_text, preview
from synthrelease.cli import main
from synthrelease.kinds.contributions import Rows, Sums
from synthrelease.kinds.mechanism import Collector
from synthrelease.plan.partitions import no_people, partitions_of, stamp_of
from synthrelease.plan.plan import load_plan

STUDIES: dict[str, Callable[[Path], Path]] = {
    "areas": write_areas_study,
    "heatmaps": write_heatmaps_study,
    "private-cap": lambda folder: write_heatmaps_study(folder, capped=True),
    "records": write_records_study,
    "signals": write_signals_study,
    "statistics": write_statistics_study,
}


def told(path: Path) -> Memory:
    return memory(make_design(load_plan(path)))


def shapes(collected: Any) -> Any:
    match collected:
        case Sums():
            return {name: (array.shape, array.dtype) for name, array in collected.arrays.items()}
        case Rows():
            return {(rows.shape[1:], rows.dtype) for _, rows in collected.blocks}
    return type(collected)


def memory_lines(view: dict[str, Any]) -> str:
    """What a preview prints of memory."""
    lines = "\n".join(preview_words.memory_lines(view["memory"]))
    assert lines in as_text(view)
    return lines


@pytest.mark.quick(but=["areas", "signals"])
@pytest.mark.parametrize("name", STUDIES)
def test_what_no_one_contributes_has_the_shape_of_what_everyone_does(name: str, tmp_path: Path) -> None:
    design = make_design(load_plan(STUDIES[name](tmp_path)))
    for output in design.outputs:
        spec = design.plan.inputs[output.spec.input]
        facts = design.facts[spec.name]
        (part,) = partitions_of(spec, facts, stamp_of(spec.path))
        collect: Collector = output.mechanism.collect
        nothing, something = collect(no_people(spec, facts.names)), collect(part.read())
        assert shapes(nothing) == shapes(something), output.name
        if isinstance(nothing, Sums):
            assert not any(array.any() for array in nothing.arrays.values())
            assert any(array.any() for array in something.arrays.values())  # type: ignore[attr-defined]


@pytest.mark.quick(but=["areas", "signals"])
@pytest.mark.parametrize("name", STUDIES)
def test_it_is_told_of_every_kind_of_output(name: str, tmp_path: Path) -> None:
    found = told(STUDIES[name](tmp_path))
    assert found.alone_bytes >= found.worker_bytes - (1 << 20)
    assert 160 << 20 <= found.coordinator_bytes < found.alone_bytes < 2 << 30
    assert bool(found.row_bytes) == (name in ("records", "private-cap"))


def test_it_grows_with_what_is_published(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    small, text = told(path), path.read_text()
    path.write_text(
        text.replace("width_px = 16", "width_px = 4000").replace("height_px = 12", "height_px = 3000")
    )
    large, sums = told(path), 8 * 2 * 4000 * 3000  # of two stimuli
    assert large.alone_bytes - small.alone_bytes >= 2 * sums - (1 << 20)
    assert large.coordinator_bytes - small.coordinator_bytes >= 3 * sums - (1 << 20)


def test_it_grows_with_the_largest_array_that_is_derived(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    small = told(path)
    path.write_text(path.read_text().replace("rows = 50", "rows = 20_000_000"))
    large = told(path)
    assert large.alone_bytes - (205 << 20) >= 96 * 20_000_000 > small.alone_bytes
    assert large.worker_bytes >= large.alone_bytes
    assert large.coordinator_bytes == small.coordinator_bytes


@pytest.mark.thorough
def test_it_grows_with_people_where_each_person_s_own_is_published(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace("coefficients = 3", 'coefficients = 3\nquery = "each"'))
    own = 8 * 2 * 2 * (2 * 3 - 1)  # of two recordings and features: a cosine and a sine each, and a mean
    few = told(path).coordinator_bytes
    write_study(tmp_path, people=300)
    path.write_text(path.read_text().replace("coefficients = 3", 'coefficients = 3\nquery = "each"'))
    assert told(path).coordinator_bytes - few == 3 * 2 * 270 * own + 270 * 600


def test_rows_that_are_kept_are_told_by_the_row(tmp_path: Path) -> None:
    found = told(write_study(tmp_path))
    assert set(found.row_bytes) == {"pupil"}
    # Of the records that start from seeds: a task and two features, of a byte each; the others are counted alone.
    assert found.row_bytes["pupil"] == 8 + 3
    assert found.drawing_row_bytes["pupil"] == 200 + 6 * 3
    path = tmp_path / "plan.toml"
    text = path.read_text()
    once = text[text.index('[[outputs]]\nname = "seeded"') :]
    path.write_text(text + once.replace('"seeded"', '"again"', 1))
    assert told(path).drawing_row_bytes["pupil"] == 2 * (200 + 6 * 3)
    assert found.most_rows == {"gaze": (1 << 24) // 4, "pupil": (1 << 24) // 5}


def test_a_private_number_of_people_is_in_no_number(tmp_path: Path) -> None:
    found = []
    for people in (20, 40):
        path = write_heatmaps_study(tmp_path, people=people)
        path.write_text(path.read_text().replace("[privacy]", '[privacy]\nneighbours = "add-remove-one"'))
        found.append(told(path))
    assert found[0] == found[1]
    assert found[0].person_bytes == 600
    check_text("preview/memory-of-people", memory_lines(preview(make_design(load_plan(path)))))


def test_preview_prints_it(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    design = make_design(load_plan(path))
    view = preview(design)
    assert view["memory"]["alone_bytes"] == memory(design).alone_bytes
    shown = figures(memory_lines(view))
    found = memory(design)
    for number, most in zip(
        shown[:3], (found.alone_bytes, found.worker_bytes, found.coordinator_bytes), strict=True
    ):
        assert number == pytest.approx(most / 1e9, abs=0.1) or number == pytest.approx(most / 1e6, abs=1)
    assert {4_194_304, 3_355_443, *found.row_bytes.values()} <= set(shown)
    assert CliRunner().invoke(main, ["preview", str(path)]).exit_code == 0


def test_a_part_takes_memory_by_its_rows(tmp_path: Path) -> None:
    design = make_design(load_plan(write_heatmaps_study(tmp_path)))
    whole, half = (
        memory(design),
        memory(design, {name: rows // 2 for name, rows in memory(design).most_rows.items()}),
    )
    less = max(each * (whole.most_rows[name] // 2) for name, each in whole.part_row_bytes.items())
    assert whole.worker_bytes - half.worker_bytes == pytest.approx(less, rel=0.01)
    assert half.coordinator_bytes == whole.coordinator_bytes


def test_a_cell_takes_memory_as_its_format_has_it(tmp_path: Path) -> None:
    path = write_heatmaps_study(tmp_path)
    text = told(path).part_row_bytes
    plan = path.read_text()
    for file in tmp_path.glob("*.csv"):
        pl.read_csv(file).write_parquet(file.with_suffix(".parquet"))
        plan = plan.replace(file.name, f"{file.stem}.parquet")
    path.write_text(plan)
    numbers = told(path).part_row_bytes
    assert all(numbers[name] < text[name] for name in text)


def test_what_is_kept_counts_while_it_is_read_or_while_it_is_drawn_on(tmp_path: Path) -> None:
    found = told(write_study(tmp_path))
    few, many = (found.with_kept_rows(found.alone_bytes, {"pupil": rows}) for rows in (1000, 100_000_000))
    assert few == found.alone_bytes + 1000 * found.row_bytes["pupil"]
    assert many == found.drawing_bytes + 100_000_000 * found.drawing_row_bytes["pupil"]
