"""Arguments of another type than was asked for: one message that says what to write, and nothing of what was given."""

import re
import traceback
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from goldens import figures
from refusals import refused as refused_as

import synthrelease
from synthrelease import Screen, arrays
from synthrelease.building.batch import batch
from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.errors import ArgumentError, InputError

PERSON = "canary"
COLUMN, PEOPLE = [3.2209, 3.3317, 4.1193, 2.9041], [PERSON, PERSON, "canary-2", "canary-3"]
KINDS = {"list": list, "array": np.array, "polars": pl.Series}


def statistics(**more):
    own = {"person": PEOPLE, "values": {"v": COLUMN}, "bounds": {"v": (0, 5)}, "statistics": ["mean"]}
    return arrays.statistics(**{**own, "epsilon": 1.0, **more})


def heatmaps(**more):
    own = {"person": PEOPLE, "stimulus": ["s"] * 4, "x_px": COLUMN, "y_px": COLUMN, "stimuli": ["s"]}
    return arrays.heatmaps(**{**own, "screen": Screen(80, 60), "epsilon": 1.0, "delta": 1e-6, **more})


def features(**more):
    own = {"person": PEOPLE, "values": {"v": COLUMN}, "bounds": {"v": (0, 5)}}
    return FeatureData.from_arrays(**{**own, **more})


def gaze(**more):
    own = {"person": PEOPLE, "stimulus": ["s"] * 4, "x_px": COLUMN, "y_px": COLUMN, "stimuli": ["s"]}
    return GazeData.from_arrays(**{**own, "screen": Screen(80, 60), **more})


def refused(call, **wrong):
    with pytest.raises(InputError) as caught:
        call(**wrong)
    error = caught.value
    told = f"{error!s} {error!r} {error.args} " + "".join(traceback.format_exception_only(error))
    assert error.remedy
    assert not [cell for cell in COLUMN if str(cell) in told]
    assert PERSON not in told
    assert error.__suppress_context__ or error.__context__ is None
    return error


COLUMNS_ELSEWHERE = [
    *((statistics, one) for one in ("values", "bounds", "labels", "categories", "statistics", "epsilon", "delta")),
    *((statistics, one) for one in ("neighbours", "by", "recordings", "test_seed", "noise", "bins")),
    *((heatmaps, one) for one in ("screen", "off_screen", "mechanism", "window")),
    *((heatmaps, one) for one in ("assignment_public", "clipping", "blur_px")),
    *((features, one) for one in ("values", "bounds", "recordings")),
    *((gaze, one) for one in ("screen",)),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("call", "argument"), COLUMNS_ELSEWHERE)
def test_a_column_in_the_place_of_another_argument_is_not_shown(call, argument, kind):
    for column in (COLUMN, PEOPLE):
        error = refused(call, **{argument: KINDS[kind](column)})
        assert isinstance(error, ValueError) or argument in error.where


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("call", [statistics, features])
def test_a_column_as_bounds_of_a_feature_is_not_shown(call, kind):
    for column in (COLUMN, PEOPLE):
        assert "bounds" in refused(call, bounds={"v": KINDS[kind](column)}).where


def test_names_of_columns_may_be_people():
    """A table with a column for each person, as pivoting makes it."""
    for call in (statistics, features):
        error = refused(call, values={PERSON: COLUMN, "v": COLUMN})
        assert error.code == "names-differ"
        assert figures(error.found) == [1, 2]
    error = refused(statistics, values={PERSON: COLUMN}, bounds={"w": (0, 1)})
    assert error.code == "names-differ"
    assert figures(error.found) == [1, 1]
    assert re.search(r"\bw\b", error.found)


@pytest.mark.parametrize(
    ("call", "wrong", "remedy"),
    [
        (statistics, {"values": COLUMN}, 'values={"pupil_mm": column}'),
        (statistics, {"by": pl.Series(["a"] * 4)}, 'by="mood"'),
        (statistics, {"labels": {"m": PEOPLE}, "categories": {"m": "calm"}}, 'categories={"mood": ["calm", "tense"]}'),
        (statistics, {"recording": ["r"] * 4, "recordings": "r"}, 'recordings=["first", "second"]'),
        (statistics, {"bounds": (1.5, 8.0)}, 'bounds={"pupil_mm": (1.5, 8.0)}'),
        (statistics, {"test_seed": "a"}, "test_seed=1"),
        (heatmaps, {"stimuli": "1001.jpg"}, 'stimuli=["1001.jpg"]'),
        (heatmaps, {"screen": (800, 600, 3)}, "screen=Screen(800, 600)"),
        (heatmaps, {"assignment_public": "yes"}, "leave assignment_public out"),
        (gaze, {"stimuli": "1001.jpg"}, 'stimuli=["1001.jpg"]'),
        (gaze, {"screen": (800, 600, 3)}, "screen=Screen(800, 600)"),
        (features, {"bounds": {"v": (5, 0)}}, 'bounds={"pupil_mm": (1.5, 8.0)}'),
        (features, {"recording": ["r"] * 4}, "recordings="),
    ],
)  # fmt: skip
def test_the_remedy_is_what_to_write(call, wrong, remedy):
    error = refused(call, **wrong)
    assert isinstance(error, ArgumentError)
    assert remedy in error.remedy


def test_lists_of_several_lengths_are_no_array():
    assert "(N,)" in refused(statistics, person=[[PERSON], ["b", "c"]]).expected


def test_public_lists_may_be_arrays_and_columns():
    for one in (np.array(["s"]), pl.Series(["s"]), ("s",), {"s"}):
        assert set(heatmaps(stimuli=one).of("heatmap")) == {"s"}


def test_values_may_be_a_frame():
    import pandas as pd

    for frame in (pl.DataFrame({"v": COLUMN}), pd.DataFrame({"v": COLUMN})):
        same = [statistics(values=one, test_seed=1)["mean/noisy"] for one in (frame, {"v": COLUMN})]
        np.testing.assert_array_equal(*same)
        np.testing.assert_array_equal(features(values=frame).values, features().values)


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2"])
def test_nothing_is_done_in_no_processes(study, bundle, tmp_path, jobs):
    for call in (
        lambda: synthrelease.build(study.plan, tmp_path / "r.h5", jobs=jobs),
        lambda: synthrelease.evaluate(study.plan, bundle, jobs=jobs),
        lambda: batch([study.plan], tmp_path / "folder", jobs=jobs),
    ):
        with refused_as(ArgumentError, "bad-jobs", where="jobs") as caught:
            call()
        assert figures(caught.value.expected) == [1]
    assert not (tmp_path / "folder").exists()


def test_a_test_seed_is_refused_before_anything_is_read(tmp_path):
    with refused_as(ArgumentError, "bad-test-seed"):
        synthrelease.build(tmp_path / "none.toml", test_seed="a")


@pytest.mark.parametrize("kind", KINDS)
def test_people_in_the_place_of_a_name_are_not_shown(study, tmp_path, kind):
    data, column = study.folder / "gaze.csv", KINDS[kind](PEOPLE)
    for wrong in ({"person": column}, {"person": "who", "data": KINDS[kind](COLUMN)}):
        refused(synthrelease.init, **{"data": data, "plan": tmp_path / "p.toml", **wrong})
    refused(synthrelease.init, data=pl.DataFrame({PERSON: COLUMN}), person="who")
    refused(synthrelease.Ledger(tmp_path / "ledger").grant, dataset=column, epsilon=1.0)


@pytest.mark.parametrize("plans", ["plan.toml", Path("plan.toml")])
def test_one_plan_is_no_list_of_plans(plans, tmp_path):
    with refused_as(ArgumentError, "not-a-list-of-plans", where="batch().plans"):
        batch(plans, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_password_is_bytes_and_in_no_message(tmp_path):
    with refused_as(ArgumentError, "password-not-bytes", where="keygen().password") as caught:
        synthrelease.keygen(tmp_path / "key", "canary")
    assert "canary" not in str(caught.value)
    assert not (tmp_path / "key").exists()
