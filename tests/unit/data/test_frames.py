"""Rows that a program holds are released as the same rows of a file are; what cannot be used is refused in words, and no cell is in them."""

from __future__ import annotations

import pickle
import tomllib
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
import pytest
import refusals
from documented import ROOT
from invented_study import write_study
from refusals import check_refusal

import synthrelease
from synthrelease.building.design import make_design
from synthrelease.building.preview import preview
from synthrelease.data.cells import labels, numbers
from synthrelease.data.in_memory import InMemoryFrame, split_coordinates
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.source import Source
from synthrelease.data.tables import read_slices, read_table
from synthrelease.errors import DataError, InputError, MachineError, PlanError
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import load_plan


def study(folder: Path) -> tuple[Path, dict[str, pl.DataFrame], Path]:
    """A plan whose files are Parquet, their rows, and the bundle that they make."""
    plan = write_study(folder, people=12)
    frames = {}
    for name, file in (("gaze", "gaze.csv"), ("pupil", "pupil.csv")):
        frames[name] = pl.read_csv(folder / file)
        frames[name].write_parquet(folder / f"{name}.parquet")
    plan.write_text(plan.read_text().replace('.csv"', '.parquet"'))
    bundle = synthrelease.build(plan, folder / "file.h5", test_seed=1).path
    for file in folder.glob("*.[cp][sa][vr]*"):
        file.unlink()
    return plan, frames, bundle


def source(frame: object, name: str = "frames['x']") -> Source:
    return Source(Path(name), frame=InMemoryFrame.of(frame, name))


def used(frame: object) -> None:
    found = read_table(source(frame), ["person", "x"])
    labels(found, "person")
    numbers(found, "x")


def refused(frame: object, code: str, *places: str) -> DataError:
    with pytest.raises(DataError) as caught:
        used(frame)
    check_refusal(caught.value, Path("frames['x']"), code, *places, secrets=("canary",))
    return caught.value


def test_frames_make_the_bundle_that_their_rows_in_a_file_make(tmp_path: Path) -> None:
    plan, frames, bundle = study(tmp_path)
    before = set(tmp_path.iterdir())
    built = synthrelease.build(plan, tmp_path / "frame.h5", frames=frames, test_seed=1)
    assert built.path.read_bytes() == bundle.read_bytes()
    assert set(tmp_path.iterdir()) - before == {built.path, built.sidecar}


@pytest.mark.thorough
def test_workers_are_sent_frames_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, frames, bundle = study(tmp_path)
    monkeypatch.setattr("synthrelease.plan.partitions.PART_CELLS", 400)
    spec = load_plan(plan, frames).inputs["gaze"]
    facts = make_design(load_plan(plan, frames)).facts["gaze"]
    assert len(partitions_of(spec, facts, stamp_of(spec.source))) > 1
    built = synthrelease.build(plan, tmp_path / "parts.h5", frames=frames, test_seed=1, jobs=2)
    assert built.path.read_bytes() == bundle.read_bytes()


def test_one_input_may_be_a_frame_and_the_other_a_file(tmp_path: Path) -> None:
    plan, frames, bundle = study(tmp_path)
    frames["pupil"].write_parquet(tmp_path / "pupil.parquet")
    built = synthrelease.build(plan, tmp_path / "b.h5", frames={"gaze": frames["gaze"]}, test_seed=1)
    assert built.path.read_bytes() == bundle.read_bytes()


def test_frames_of_pandas_make_the_same_bundle(tmp_path: Path) -> None:
    import pandas as pd

    plan, frames, bundle = study(tmp_path)
    ours = {name: pd.DataFrame(frame.to_dict(as_series=False)) for name, frame in frames.items()}
    built = synthrelease.build(plan, tmp_path / "b.h5", frames=ours, test_seed=1)
    assert built.path.read_bytes() == bundle.read_bytes()


@pytest.mark.thorough
def test_previews_and_evaluations_take_frames(tmp_path: Path) -> None:
    plan, frames, bundle = study(tmp_path)
    view = preview(make_design(load_plan(plan, frames)))
    assert view["outputs"][0]["people"] == 12
    found = evaluate(plan, bundle, frames=frames, pictures=0)
    assert {one.people for one in found.inputs} == {12}


def test_a_bundle_may_have_the_name_of_a_file_that_a_frame_stands_for(tmp_path: Path) -> None:
    plan, frames, _ = study(tmp_path)
    plan.write_text(plan.read_text().replace("gaze.parquet", "b.h5"))
    test_seeded = tmp_path / "b.TEST-SEED.h5"
    plan.write_text(plan.read_text().replace('"b.h5"', f'"{test_seeded.name}"'))
    assert synthrelease.build(plan, tmp_path / "b.h5", frames=frames, test_seed=1).path == test_seeded


def test_an_input_that_is_not_there_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    plan, frames, _ = study(tmp_path)
    with refusals.refused(PlanError, "unknown-input") as caught:
        load_plan(plan, {"gase": frames["gaze"]})
    assert "'gase'" in caught.value.problem
    assert "gaze" in caught.value.remedy
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("wrong", ["frame", "series", "list", {"canary": None}, {17: None}])
def test_frames_that_are_no_dict_of_frames_are_refused_unseen(tmp_path: Path, wrong: Any) -> None:
    """Whoever iterates a frame, a column or a list of rows finds names of people, or measurements."""
    plan, frames, _ = study(tmp_path)
    own = {"frame": pl.DataFrame({"canary": [1.0]}), "series": pl.Series(["canary"]), "list": ["canary"]}
    given = own[wrong] if isinstance(wrong, str) else dict.fromkeys(wrong, frames["gaze"])
    with pytest.raises(InputError) as caught:
        load_plan(plan, given)
    assert "canary" not in str(caught.value) + repr(caught.value)
    assert "gaze" in f"{caught.value.expected} {caught.value.remedy}"


def test_a_lazy_frame_is_to_be_collected() -> None:
    error = refused(pl.LazyFrame({"person": ["canary"]}), "not-rows")
    assert "LazyFrame" in error.found
    assert ".collect()" in error.remedy


@pytest.mark.parametrize("wrong", [["canary"], {"person": ["canary"]}, "canary.csv", None, np.zeros(3)])
def test_objects_without_rows_are_refused(wrong: object) -> None:
    error = refused(wrong, "not-rows")
    assert error.found == type(wrong).__name__
    assert all(library in error.expected for library in ("polars", "pandas", "pymovements"))


@pytest.mark.parametrize(
    ("columns", "code", "place"),
    [
        ({"person": ["canary"], "x1": [1.0]}, "unknown-column", ""),
        ({"person": ["canary", "b"], "x": ["1", "canary"]}, "bad-number", "row 1, column 'x'"),
        ({"person": ["canary", None], "x": [1.0, 2.0]}, "missing-label", "row 1, column 'person'"),
        ({"person": ["a"], "x": [float("nan")]}, "nan", "row 0, column 'x'"),
        ({"person": [], "x": []}, "no-rows", ""),
        ({"person": ["a"], "x": [["canary"]]}, "not-plain-cells", "column 'x'"),
        ({"person": ["a"], "x": [{"canary": 1}]}, "not-plain-cells", "column 'x'"),
        ({"person": ["a"], "x": [[1.0, 2.0, 3.0]]}, "not-plain-cells", "column 'x'"),
        ({"person": ["a", "b"], "x": [[1.0, 2.0], [3.0]]}, "not-plain-cells", "column 'x'"),
        ({"person": ["a"], "p": [[1.0, 2.0]], "p_x": [4]}, "component-named-as-column", "column 'p_x'"),
    ],
)
def test_frames_that_cannot_be_used_are_refused(columns: dict[str, Any], code: str, place: str) -> None:
    refused(pl.DataFrame(columns), code, place)


def test_a_column_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    error = refused(pl.DataFrame({"person": ["canary"], "x1": [1.0]}), "unknown-column")
    assert "'x'" in error.problem
    assert "'x1'" in error.remedy


def test_python_objects_in_a_frame_are_refused_where_the_plan_names_them() -> None:
    objects = pl.Series("x", [object(), object()], dtype=pl.Object)
    frame = pl.DataFrame([pl.Series("person", ["canary", "b"]), objects])
    refused(frame, "not-plain-cells", "column 'x'")
    assert read_table(source(frame), ["person"]).frame.height == 2
    with refusals.refused(DataError, "not-plain-cells", where="column 'x'"):
        read_table(source(frame), ["person"], row_filter=RowFilter("x", pl.Series(["canary"])))


def test_the_extra_has_all_that_frames_of_pandas_need(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    frame = pd.DataFrame({"person": ["canary"]})
    monkeypatch.setattr(pl, "from_pandas", lambda *_, **__: import_of_what_is_missing())
    with refusals.refused(MachineError, "extra-missing") as caught:
        InMemoryFrame.of(frame, "frame")
    assert "pyarrow" in caught.value.problem
    assert "synthrelease[pandas]" in caught.value.remedy
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {one.partition(">=")[0] for one in extras["pandas"]} == {"pandas", "pyarrow"}


def import_of_what_is_missing() -> NoReturn:
    raise ModuleNotFoundError


def test_frames_of_pandas_that_cannot_be_used_are_refused() -> None:
    import pandas as pd

    assert "frame.columns" in refused(pd.DataFrame([["canary", 1.0]]), "name-not-text").remedy
    refused(pd.DataFrame([["canary", 1.0]], columns=["x", "x"]), "duplicate-column")
    mixed = pd.DataFrame({"person": ["canary", 2], "x": [1.0, 2.0]}, dtype=object)
    refused(mixed, "not-plain-cells", "column 'person'")


def test_what_is_missing_in_pandas_is_missing_here() -> None:
    import pandas as pd

    frame = pd.DataFrame({"person": ["a", "b"], "x": [1.5, np.nan], "n": pd.array([1, None], dtype="Int64")})
    frame.index = pd.Index(["canary-1", "canary-2"])
    found = read_table(source(frame), ["person", "x", "n"]).frame
    assert found.rows() == [("a", 1.5, 1), ("b", None, None)]


def test_lists_of_coordinates_become_columns() -> None:
    frame = pl.DataFrame(
        {
            "one": [[1.0, 2.0], None, [3.0, None]],
            "two": [[1, 2, 3, 4]] * 3,
            "three": [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]] * 3,
            "pupil": [[2.5, 2.75]] * 3,
            "text": [["a", "b"]] * 3,
        },
        schema_overrides={"three": pl.Array(pl.Float64, 6)},
    )
    found = split_coordinates(frame, "f")
    assert found.columns == [
        *("one_x", "one_y", "two_xl", "two_yl", "two_xr", "two_yr"),
        *("three_xl", "three_yl", "three_xr", "three_yr", "three_xa", "three_ya"),
        *("pupil_left", "pupil_right", "text"),
    ]
    assert found["one_x"].to_list() == [1.0, None, 3.0]
    assert found["one_y"].to_list() == [2.0, None, None]
    assert found.row(0)[2:14] == (1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 2.5, 2.75)


def gaze_of(person: str, shift: float = 0.0) -> Any:
    import pymovements as pm

    samples = pl.DataFrame(
        {"time": [0, 1, 2], "x": [1.0 + shift, 2.0, 3.0], "y": [4.0, 5.0, 6.0], "stimulus": ["a", "a", "b"]}
    )
    return pm.Gaze(
        samples, time_column="time", time_unit="ms", pixel_columns=["x", "y"], metadata={"person": person}
    )


def test_gaze_of_pymovements_has_its_samples_and_what_its_file_says() -> None:
    found = read_table(source(gaze_of("p1")), ["person", "stimulus", "time", "pixel_x", "pixel_y"])
    assert found.frame.row(0) == ("p1", "a", 0, 1.0, 4.0)
    assert found.frame.height == 3
    assert "'x'" in refused(gaze_of("canary"), "unknown-column").problem


def test_a_dataset_of_pymovements_has_all_its_gaze(tmp_path: Path) -> None:
    import pymovements as pm

    for person in ("1", "2"):
        text = f"time,x,y\n0,{person}.5,2.0\n1,3.0,4.0\n"
        (tmp_path / f"P{person}.csv").write_text(text)
    resource = pm.dataset.ResourceDefinition(
        content="gaze",
        filename_pattern=r"P{subject:d}.csv",
        filename_pattern_schema_overrides={"subject": int},
        load_kwargs={"time_column": "time", "time_unit": "ms", "pixel_columns": ["x", "y"]},
    )
    definition = pm.DatasetDefinition(name="d", resources=pm.dataset.ResourceDefinitions([resource]))
    dataset = pm.Dataset(definition, pm.DatasetPaths(root=tmp_path, raw=".", dataset="."))
    assert "dataset.load()" in refused(dataset, "no-gaze").remedy
    dataset.load()
    found = read_table(source(dataset), ["subject", "time", "pixel_x", "pixel_y"])
    assert found.frame.rows() == [(1, 0, 1.5, 2.0), (1, 1, 3.0, 4.0), (2, 0, 2.5, 2.0), (2, 1, 3.0, 4.0)]


def test_slices_and_chosen_rows_know_their_places() -> None:
    rows = source(pl.DataFrame({"person": ["a", "b", None, "a"], "x": [1, 2, 3, 4]}))
    some = read_table(rows, ["x"], row_filter=RowFilter("person", pl.Series(["a"])))
    assert some.frame["x"].to_list() == [1, 4]
    assert some.place(1, "x") == "frames['x'], row 3, column 'x'"
    slices = list(read_slices(rows, ["x"], most_rows=3))
    assert [one.frame["x"].to_list() for one in slices] == [[1, 2, 3], [4]]
    assert slices[1].place(0, "x") == "frames['x'], row 3, column 'x'"


def test_sources_with_the_same_rows_are_equal_and_show_none_of_them() -> None:
    rows = {"person": ["canary", "b"], "x": [1.25, 2.0]}
    one, other = source(pl.DataFrame(rows)), source(pl.DataFrame(rows))
    sent = pickle.loads(pickle.dumps(one))  # noqa: S301  our own
    assert one == other == sent
    assert len({one, other, sent}) == 1
    assert sent.frame.frame.equals(one.frame.frame)
    assert stamp_of(one) == stamp_of(sent)
    for change in ({"x": [1.25, 3.0]}, {"person": ["canary", "c"]}, {"x": [1, 2]}):
        changed = source(pl.DataFrame(rows | change))
        assert changed != one
        assert stamp_of(changed) != stamp_of(one)
    assert source(pl.DataFrame(rows).rename({"x": "y"})) != one
    assert "canary" not in repr(one)


def test_a_frame_that_is_changed_later_changes_nothing() -> None:
    frame = pl.DataFrame({"person": ["a", "b"], "x": [1.0, 2.0]})
    taken = source(frame)
    frame[0, "x"] = 9.0
    assert read_table(taken, ["x"]).frame["x"].to_list() == [1.0, 2.0]


def test_a_frame_of_pandas_that_is_changed_later_changes_nothing() -> None:
    import pandas as pd

    values = np.array([1.0, 2.0])
    taken = source(pd.DataFrame({"x": values}, copy=False))
    values[0] = 9.0
    assert read_table(taken, ["x"]).frame["x"].to_list() == [1.0, 2.0]
