"""`convert`: any input as one plain table, private, from which a plan reads the same rows."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bids_dataset
import numpy as np
import polars as pl
import pytest
import scipy.io
from click.testing import CliRunner, Result
from goldens import figures
from refusals import refused

import synthrelease
from synthrelease.cli import main
from synthrelease.data import converted
from synthrelease.data.cells import label_texts, numbers
from synthrelease.data.converted import convert
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError, MachineError, PolicyError

PLAN = """
release = {{ name = "looks", version = "1.0.0", title = "Looks" }}
privacy = {{ epsilon = 1.0, delta = 1e-6 }}
[inputs.looks]
kind = "gaze"
{source}
columns = {{ person = "person", stimulus = "image", x = "x", y = "y" }}
screen = {{ width_px = 800, height_px = 600 }}
stimuli = ["a", "b"]
missing = ["n/a"]
[inputs.unused]
kind = "features"
path = "no.csv"
columns = {{ person = "person" }}
bounds = {{ pupil = [0, 9] }}
[[outputs]]
name = "attention"
kind = "heatmap"
input = "looks"
"""


def looks(people: int = 5, rows: int = 40) -> list[tuple[str, str, float, float]]:
    rng = np.random.default_rng(2)
    return [(f"0{n % people}", "ab"[n % 2], *rng.uniform(10, 590, 2).round(2)) for n in range(rows)]


def csv(path: Path, rows: list[Any], header: str = "person,image,x,y") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def _text(folder: Path) -> Source:
    path = csv(folder / "d" / "looks.csv", looks())
    path.write_text(path.read_text() + "\nSummary\nrows,40\n")
    return Source(path, stop_at_blank=True)


def _lists(folder: Path) -> Source:
    rows = [(f"0{n % 3}", "ab"[n % 2], f"[{n} {n + 1.5}]", f"[{2 * n} 7]") for n in range(1, 20)]
    return Source(csv(folder / "d" / "trials.csv", rows), lists=("x", "y"))


def _folder(folder: Path) -> Source:
    for person in range(3):
        header = "image,x,y,t" if person else "image,x,y,other"
        csv(folder / "d" / f"P0{person}.csv", [(*row[1:], n) for n, row in enumerate(looks())], header)
    return Source(folder / "d", pattern="P{person}.csv")


def _parquets(folder: Path) -> Source:
    (folder / "d").mkdir()
    for person in range(3):
        x = [1, 2, 2**53] if person else [0.5, None, 3.0]
        y = pl.Series([None] * 3, dtype=pl.String) if person == 1 else [1.0, 2.5, 3.0]
        frame = pl.DataFrame({"image": ["a", "b", "a"], "x": x, "y": y, "group": [1.0, 2.0, 2.5]})
        frame.write_parquet(folder / "d" / f"P0{person}.parquet")
    return Source(folder / "d", pattern="P{person}.parquet")


def _matlab(folder: Path) -> Source:
    (folder / "d").mkdir()
    trials = {"image": "a", "x": np.arange(5.0), "y": np.arange(5.0) * 2}
    scipy.io.savemat(
        folder / "d" / "s.mat",
        {"person": np.array([trials, {**trials, "image": "b"}], dtype=object), "other": 1},
    )
    return Source(folder / "d" / "s.mat", table="person")


def _arrays(folder: Path) -> Source:
    (folder / "d").mkdir()
    np.savez(
        folder / "d" / "a.npz",
        x=np.arange(12.0).reshape(3, 2, 2),
        y=np.ones((3, 2, 2)),
        image=np.array(["a", "b"]),
    )
    return Source(folder / "d" / "a.npz", axes=("person", "image", "step"))


def _bids(folder: Path) -> Source:
    return bids_dataset.source(bids_dataset.written(folder / "d"))


SOURCES: dict[str, Callable[[Path], Source]] = {
    name.removeprefix("_"): maker
    for name, maker in {**globals()}.items()
    if name in ("_text", "_lists", "_folder", "_parquets", "_matlab", "_arrays", "_bids")
}
PLACES = ("matlab", "arrays")  # whose column `person` counts


@pytest.mark.quick
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("slice_rows", [converted._SLICE_ROWS, 3])
def test_a_table_has_the_labels_and_numbers_of_what_it_was_made_from(
    tmp_path: Path, name: str, ending: str, slice_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converted, "_SLICE_ROWS", slice_rows)
    source, target = SOURCES[name](tmp_path), tmp_path / f"table[1] *.{ending}"
    written = convert(source, target, person="image" if name in PLACES else None)
    before = read_table(source, written.columns)
    after = read_table(target, written.columns)
    assert written.rows == before.frame.height == after.frame.height
    for column in written.columns:
        texts, again = (label_texts(table.frame[column]).fill_null("") for table in (before, after))
        assert texts.to_list() == again.to_list(), column
        if column in ("x", "y", "x_coordinate"):
            values = [numbers(table, column, missing=["n/a"]) for table in (before, after)]
            np.testing.assert_array_equal(*values)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", target.name]


@pytest.mark.parametrize("slice_rows", [converted._SLICE_ROWS, 1])
def test_what_would_round_labels_is_refused(
    tmp_path: Path, slice_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converted, "_SLICE_ROWS", slice_rows)
    (tmp_path / "d").mkdir()
    for name, cells in {"a": [0.5], "b": [2**53 + 1], "c": ["text"]}.items():
        pl.DataFrame({"x": cells}).write_parquet(tmp_path / "d" / f"{name}.parquet")
    with refused(DataError, "mixed-types", where="c.parquet"):
        convert(Source(tmp_path / "d", pattern="{person}.parquet"), tmp_path / "t.parquet")
    (tmp_path / "d" / "c.parquet").unlink()
    with refused(DataError, "integers-too-large", where="b.parquet"):
        convert(Source(tmp_path / "d", pattern="{person}.parquet"), tmp_path / "t.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["d"]


def test_lists_go_into_parquet_only(tmp_path: Path) -> None:
    pl.DataFrame({"x": [[1, 2]], "y": [1]}).write_parquet(tmp_path / "l.parquet")
    with refused(DataError, "column-not-for-csv", where="'x'", names=["parquet"]):
        convert(Source(tmp_path / "l.parquet"), tmp_path / "t.csv")
    assert convert(Source(tmp_path / "l.parquet"), tmp_path / "t.parquet").rows == 1


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("person", [None, "person"])
def test_places_become_no_labels_of_a_person(tmp_path: Path, name: str, person: str | None) -> None:
    """In the table no one could see any more that they are places, and each could count on other stimuli than alone."""
    source = SOURCES[name](tmp_path)
    with refused(PolicyError, "label-is-position", where=source.path, names=["'person'"]):
        convert(source, tmp_path / "t.csv", person=person)
    with refused(DataError, "unknown-column", names=["whom"]):
        convert(source, tmp_path / "t.csv", person="whom")
    assert [path.name for path in tmp_path.iterdir()] == ["d"]


def test_the_command_asks_who_is_the_person_where_there_are_places(tmp_path: Path) -> None:
    source, table = _arrays(tmp_path).path, tmp_path / "t.csv"
    arrays = dict(np.load(source))
    asked = (source, "--axes", "person,image,step", "-o", table)
    for more in ((), ("--person", "person")):
        done = run(*asked, *more)
        assert done.exit_code == 4, done.output
        assert "--person" in done.output
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(source=f'path = "{source}"\naxes = ["person", "image", "step"]'))
    assert run("--plan", plan, "--input", "looks", "-o", table).exit_code == 4
    assert not table.exists()
    np.savez(source, **arrays, person=np.array(["P07", "P12", "P31"]))
    assert run(*asked).exit_code == 4  # of an axis that may be the person
    assert run(*asked, "--person", "person").exit_code == 0
    assert run("--plan", plan, "--input", "looks", "-o", table, "--force").exit_code == 0
    assert set(pl.read_csv(table)["person"]) == {"P07", "P12", "P31"}
    assert set(pl.read_csv(table)["step"]) == {0, 1}


def test_a_plan_of_the_table_gives_the_same_release(tmp_path: Path) -> None:
    source, plan = _text(tmp_path), tmp_path / "plan.toml"
    plan.write_text(PLAN.format(source=f'path = "{source.path}"\nstop_at_blank = true'))
    table = tmp_path / "table.parquet"
    done = run("--plan", plan, "--input", "looks", "-o", table)
    assert done.exit_code == 0, done.output
    again = tmp_path / "again.toml"
    again.write_text(PLAN.format(source='path = "table.parquet"'))
    frame = pl.read_parquet(table)
    frame.with_columns(pl.col("y").reverse()).write_parquet(tmp_path / "other.parquet")
    (tmp_path / "other.toml").write_text(PLAN.format(source='path = "other.parquet"'))
    first, second, other = (
        synthrelease.build(path, tmp_path / f"{path.stem}.h5", test_seed=7).manifest["digests"]
        for path in (plan, again, tmp_path / "other.toml")
    )
    assert first == second != other


def test_the_command_finds_how_data_are_read_and_replaces_nothing_unasked(tmp_path: Path) -> None:
    path, table = _text(tmp_path).path, tmp_path / "t.csv"
    done = run(path, "-o", table)
    assert done.exit_code == 0, done.output
    assert "PRIVATE" in done.output
    assert pl.read_csv(table).height == 40
    error = run(path, "-o", table)
    assert error.exit_code == 6
    assert "--force" in error.output
    assert run(path, "-o", table, "--force", "--json").exit_code == 0
    assert run(path, "-o", path, "--force").exit_code == 6
    assert path.read_text().count("Summary") == 1
    if os.getuid():
        (tmp_path / "locked").mkdir(mode=0o500)
        with pytest.raises(MachineError):
            convert(Source(path), tmp_path / "locked" / "t.csv")


def test_the_number_of_rows_is_printed_as_a_terminal_shows_it(tmp_path: Path) -> None:
    done = run(csv(tmp_path / "d.csv", looks(rows=1234)), "-o", tmp_path / "t.parquet")
    assert figures(done.output.replace(str(tmp_path), "").partition("\n")[0].replace(",", "")) == [1234, 4]


def test_a_folder_of_several_tables_asks_for_one(tmp_path: Path) -> None:
    for person in range(3):
        csv(tmp_path / "d" / f"P{person}_a.csv", looks())
        csv(tmp_path / "d" / f"P{person}_b.csv", [(1, 2)], "t,pupil")
    done = run(tmp_path / "d", "-o", tmp_path / "t.parquet")
    assert done.exit_code == 3
    assert "--pattern" in done.output
    assert run(tmp_path / "d", "--pattern", "P{person}_b.csv", "-o", tmp_path / "t.parquet").exit_code == 0
    assert pl.read_parquet(tmp_path / "t.parquet").columns == ["person", "t", "pupil"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("-o", "t.parquet"),
        ("d.csv", "-o", "t.txt"),
        ("d.csv", "--plan", "plan.toml", "-o", "t.csv"),
        ("--plan", "plan.toml", "--axes", "a", "-o", "t.csv"),
        ("--plan", "plan.toml", "--person", "person", "-o", "t.csv"),
        ("--plan", "plan.toml", "-o", "t.csv"),  # it has two inputs
        ("d.csv", "--input", "looks", "-o", "t.csv"),
    ],
)
def test_wrong_use_is_said(
    tmp_path: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN.format(source='path = "d.csv"'))
    csv(tmp_path / "d.csv", looks())
    assert run(*arguments).exit_code == 2
    assert not (tmp_path / "t.csv").exists()


def test_another_input_is_named(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.format(source='path = "d.csv"'))
    done = run("--plan", tmp_path / "plan.toml", "--input", "look", "-o", tmp_path / "t.csv")
    assert done.exit_code == 3
    assert "looks" in done.output
