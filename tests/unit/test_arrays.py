"""One mechanism on arrays: the same integers, guarantee and words that `build` releases of the same data in a file."""

import json
import re
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from goldens import check_text
from refusals import refused

import synthrelease
from synthrelease import Screen, arrays
from synthrelease.bundle.disclosure import output_sentences, warning_sentence
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.data.features import FeatureData, load_features
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.dp.guarantee import NoGuarantee
from synthrelease.errors import ArgumentError, DataError, InputError, PlanError, PolicyError

BUDGET = {"epsilon": 2.0, "delta": 1e-4}
SHAPES = {"left": {"rectangle": [0, 0, 40, 60]}, "top": {"polygon": [[40, 0], [80, 0], [80, 30]]}}
BOUNDS = {"size_mm": (2.0, 8.0), "blink_hz": (0.0, 2.0)}


def gaze(people=40):
    rng = np.random.default_rng(7)
    rows = people * 30
    return {
        "person": np.array([f"p{n}" for n in rng.permutation(np.repeat(np.arange(people), 30))]),
        "stimulus": rng.choice(["garden", "7", "unlisted"], rows),
        "x_px": rng.uniform(0, 80, rows),
        "y_px": np.where(rng.random(rows) < 0.05, np.nan, rng.uniform(0, 60, rows)),
        "time": np.arange(rows) * 0.25 % 10 + np.arange(rows) * 1e-6,
        "duration": rng.integers(0, 400, rows).astype(float),
    }


def features(people=60):
    rng = np.random.default_rng(8)
    rows = people * 24
    person, step = np.repeat(np.arange(people), 24), np.tile(np.arange(24), people)
    return {
        "person": person,
        "recording": np.where(step < 12, "read", "search"),
        "time": step.astype(float),
        "size_mm": np.clip(rng.normal(4 + 0.1 * step, 0.4), 1, 9),
        "blink_hz": np.where(rng.random(rows) < 0.1, np.nan, rng.uniform(0, 1, rows)),
        "mood": rng.choice(["calm", "tense"], rows),
    }


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(map(toml, value)) + "]" if isinstance(value, list | tuple) else json.dumps(value)


def built(folder, name, columns, source, output, *, neighbours="replace-one", more=""):
    """Release one output by a plan and a file."""
    pl.DataFrame({key: pl.Series(array).fill_nan(None) if array.dtype.kind == "f" else pl.Series(array)
                  for key, array in columns.items()}).write_parquet(folder / "rows.parquet")  # fmt: skip
    lines = [
        f'[release]\nname = "r"\nversion = "1"\ntitle = "r"\n[privacy]\nneighbours = "{neighbours}"\n{more}',
        *(f"{key} = {value}" for key, value in BUDGET.items()),
        '[inputs.rows]\npath = "rows.parquet"',
        *(f"{key} = {toml(value)}" for key, value in source.items()),
        f'[[outputs]]\nname = "{name}"\ninput = "rows"',
        *(f"{key} = {toml(value)}" for key, value in output.items()),
    ]
    (folder / "plan.toml").write_text("\n".join(lines))
    path = synthrelease.build(folder / "plan.toml", folder / "r.h5", test_seed=5).path
    return synthrelease.open_bundle(path, allow_test_seed=True)


def assert_same(call, bundle):
    (entry,) = bundle.manifest["outputs"]
    protected = call()
    assert protected.guarantee.to_json() == entry["guarantee"]
    about = protected.to_xarray().attrs
    stated = getattr(protected.guarantee, "reason", str(protected.guarantee))
    assert stated in about["guarantee"]
    assert TEST_SEED_WORDS not in f"{about}"
    release = call(test_seed=5)
    assert release.test_seed
    assert release.guarantee.kind == "none"
    assert release.event.to_json() == entry["event"]
    assert json.loads(json.dumps(release.mechanism)) == entry["mechanism"]
    _, warnings = output_sentences(entry)
    assert set(release.warnings) <= {*warnings, *map(warning_sentence, bundle.manifest["warnings"])}
    assert list(release) == list(bundle[release.name])
    assert_same_tables(release, bundle)
    for dataset in StoredOutput(entry).datasets:
        array, declared = release[dataset.path], release.datasets[dataset.path]
        np.testing.assert_array_equal(array, bundle[release.name][dataset.path], dataset.path)
        assert array.shape == dataset.shape
        assert (declared.unit, declared.role) == (dataset.unit, dataset.role)
        for axis, other in zip(declared.axes, dataset.axes, strict=True):
            assert (axis.name, axis.unit) == (other.name, other.unit)
            np.testing.assert_array_equal(axis.values, other.values)
        for labels, part in release.of(dataset.path).items():
            index = labels_index(dataset, labels)
            np.testing.assert_array_equal(part, array[index], str(labels))


def assert_same_tables(release, bundle):
    """Frames and datasets of xarray are those of a bundle; all of them say that the noise can be repeated."""
    own, other = release.to_xarray(), bundle.to_xarray(release.name)
    xr.testing.assert_equal(own, other)
    for name, array in own.variables.items():
        for key in {"units", "long_name"} & {*array.attrs, *other[name].attrs}:
            assert array.attrs[key] == other[name].attrs[key]
    assert TEST_SEED_WORDS in own.attrs["guarantee"]
    assert own.attrs["title"].startswith(TEST_SEED_WORDS)
    assert own.attrs["unit_of_privacy"] == "person"
    assert own.attrs.get("warnings", "").splitlines() == list(release.warnings)
    found, expected = release.to_pandas(), bundle.to_pandas(release.name)
    assert type(found) is type(expected)
    if not isinstance(found, dict):
        found, expected = {"": found}, {"": expected}
    assert list(found) == list(expected)
    for frame, one in zip(found.values(), expected.values(), strict=True):
        pd.testing.assert_frame_equal(frame, one)
        assert (frame.attrs["units"], frame.attrs["columns"]) == (one.attrs["units"], one.attrs["columns"])
        assert TEST_SEED_WORDS in frame.attrs["guarantee"]


def labels_index(dataset, labels):
    """The index of an item by its label, or a tuple of them."""
    several = labels if isinstance(labels, tuple) else (labels,)
    axes = dataset.axes[: dataset.items]
    assert len(several) == len(axes)
    return tuple(
        [*map(str, axis.coordinates)].index(label) for axis, label in zip(axes, several, strict=True)
    )


FIXATIONS = {
    "statistics": ["mean", "variance"],
    "bounds": {"fixation_count": [0, 9], "fixation_duration": [0, 300]},
}
GAZE = {
    "spectral": ("heatmaps", {"blur_px": 8}, {}),
    "spectral, public assignment": ("heatmaps", {"blur_px": 8, "clipping": "per-stimulus"}, {"assignment_public": True}),
    "spectral, moving": ("heatmaps", {"blur_px": 12, "window": [0, 8], "frames": 3, "weight": "duration"}, {}),
    "gaussian": ("heatmaps", {"mechanism": "gaussian", "width_px": 8, "height_px": 6, "blur_px": 5, "cap": 3}, {}),
    "a private cap": (
        "heatmaps",
        {"mechanism": "laplace", "width_px": 8, "height_px": 6, "blur_px": 5, "cap": "private", "caps": [1, 2, 4]},
        {"neighbours": "add-remove-one"},
    ),
    "areas": ("areas", {"areas": SHAPES, "transitions": True, "noise": "gaussian"}, {}),
    "areas, add-remove-one": ("areas", {"areas": SHAPES, "weight": "duration"}, {"neighbours": "add-remove-one"}),
    "fixations": ("fixation_statistics", {**FIXATIONS, "by": "stimulus", "everyone_in_every_group": True}, {}),
    "fixations in areas": ("fixation_statistics", {**FIXATIONS, "areas": SHAPES, "noise": "gaussian"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", GAZE)
def test_gaze_as_a_build(case, tmp_path):
    name, options, ways = GAZE[case]
    columns = gaze()
    if name == "fixation_statistics":
        del columns["time"]
    called = partial(
        getattr(arrays, name),
        **columns,
        screen=Screen(80, 60),
        stimuli=["7", "garden"],
        **BUDGET,
        **options,
        **ways,
    )
    roles = {{"x_px": "x", "y_px": "y"}.get(column, column): column for column in columns}
    source = {
        "kind": "gaze",
        "columns": roles,
        "screen": {"width_px": 80, "height_px": 60},
        "stimuli": ["7", "garden"],
        "assume_public": ["assignment"] if "assignment_public" in ways else [],
    }
    kind = {"heatmaps": "heatmap", "areas": "areas", "fixation_statistics": "statistics"}[name]
    neighbours = ways.get("neighbours", "replace-one")
    assert_same(called, built(tmp_path, name, columns, source, {"kind": kind, **options}, neighbours=neighbours))  # fmt: skip


FEATURES = {
    "spectral": ("mean_signals", "signals", {"length": 12}),
    "chunks": ("mean_signals", "signals", {"length": 12, "mechanism": "dcfpa", "chunk": 6, "noise": "gaussian"}),
    "statistics": ("statistics", "statistics", {"statistics": ["mean", "histogram", "quantile:0.9"], "by": "recording"}),
    "marginals": ("synthetic_records", "records", {"model": "marginals", "fit": "dp", "bins": 3, "rows": 40, "task": "mood"}),
    "seeded": ("synthetic_records", "records", {"model": "seeded", "bins": 3, "k": 3, "rows": 20, "resampled": 1}),
}  # fmt: skip


@pytest.mark.parametrize("case", FEATURES)
def test_features_as_a_build(case, tmp_path):
    name, kind, options = FEATURES[case]
    columns = features()
    source = {
        "kind": "features",
        "columns": {"person": "person", "recording": "recording"},
        "recordings": ["search", "read"],
        "bounds": BOUNDS,
    }
    ways = {key: columns[key] for key in ("person", "recording")} | {"recordings": ["search", "read"]}
    if name == "mean_signals":
        ways["time"], source["columns"]["time"] = columns["time"], "time"
    else:
        source["categories"] = {"mood": ["tense", "calm"]}
        ways |= {"labels": {"mood": columns["mood"]}, "categories": {"mood": ["tense", "calm"]}}
    values = {feature: columns[feature] for feature in BOUNDS}
    called = partial(getattr(arrays, name), **ways, values=values, bounds=BOUNDS, **BUDGET, **options)
    assert_same(called, built(tmp_path, name, columns, source, {"kind": kind, **options}))


def small(**more):
    own = {"person": ["a", "a", "b", "c"], "values": {"v": [1.0, 2.0, 3.0, np.nan]}, "bounds": {"v": (0, 5)}}
    return arrays.statistics(**{**own, "statistics": ["mean"], "epsilon": 1.0, **more})


def test_noise_is_fresh_unless_asked_otherwise_and_then_says_so():
    wide = {"epsilon": 0.001}
    one, other = small(**wide), small(**wide)
    assert one["mean/noisy"][0, 0] != other["mean/noisy"][0, 0]
    assert not one.test_seed
    check_text("arrays/fresh-noise", str(one))
    seeded = [small(**wide, test_seed=seed)["mean/noisy"][0, 0] for seed in (1, 1, 2)]
    assert seeded[0] == seeded[1] != seeded[2]
    repeatable = small(test_seed=1)
    assert repeatable.test_seed
    assert isinstance(repeatable.guarantee, NoGuarantee)
    assert "ε =" not in str(repeatable)
    assert repeatable.guarantee.epsilon is None
    check_text("arrays/test-seed", str(repeatable))


def test_deniability_of_one_call_is_no_guarantee_about_several():
    rows = {
        "person": np.repeat(np.arange(40), 5),
        "values": {"a": np.linspace(0, 1, 200)},
        "bounds": {"a": (0, 1)},
    }
    mean = arrays.statistics(**rows, statistics=["mean"], epsilon=0.5)
    made = arrays.synthetic_records(
        **rows, model="marginals", fit="exact", k=5, gamma=4.0, bins=4, rows=20, acknowledge_vacuous=True
    )
    assert arrays.compose([made]).kind == "plausible_deniability"
    together = arrays.compose([mean, made])
    assert together.kind == "none"
    assert made.guarantee.k == 5
    assert f"{made.name}: {made.guarantee}" in str(together)


def test_several_calls_cost_what_their_events_compose_to():
    columns, ways = gaze(), {"screen": Screen(80, 60), "stimuli": ["7", "garden"]}
    one = arrays.heatmaps(**columns, **ways, blur_px=8, **BUDGET)
    other = arrays.areas(**columns, **ways, areas=SHAPES, epsilon=0.5)
    together = arrays.compose([one, other], delta=1e-4)
    assert 2.0 < together.epsilon < 2.5
    assert arrays.compose([one], delta=1e-4) == one.guarantee
    assert arrays.compose([other, other]).epsilon == 1.0
    assert arrays.compose(call for call in [other, other]).epsilon == 1.0
    with refused(ArgumentError, "gaussian-needs-delta", where="compose().delta"):
        arrays.compose([one, other])


@pytest.mark.parametrize(
    ("calls", "code"),
    [
        (list, "nothing-to-compose"),
        (small, "not-a-list-of-calls"),
        (lambda: [small().guarantee], "not-a-list-of-calls"),
        (lambda: None, "not-a-list-of-calls"),
        (lambda: [small(test_seed=1)], "composed-test-seed"),
        (lambda: [small(), small(neighbours="add-remove-one")], "mixed-neighbours"),
    ],
)
def test_what_does_not_compose_is_refused(calls, code):
    with refused(ArgumentError, code, where="compose().calls"):
        arrays.compose(calls())


@pytest.mark.parametrize("delta", [-1.0, 0.5, float("nan"), "1e-6", None])
def test_a_delta_that_is_none_is_refused(delta):
    with refused(ArgumentError, "bad-delta", where="compose().delta"):
        arrays.compose([small()], delta=delta)


@pytest.mark.parametrize(
    ("change", "kind", "where"),
    [
        ({"values": {"v": [1.0, 2.0]}}, DataError, "statistics, 'v'"),
        ({"person": [["a", "a"], ["b", "c"]]}, DataError, "statistics, 'person'"),
        ({"values": {"v": [1.0, 2.0, 3.0, np.inf]}}, DataError, "statistics, row 3, column 'v'"),
        ({"person": ["a", "a", "b", None]}, DataError, "statistics, row 3, column 'person'"),
        ({"person": [object()] * 4}, DataError, "statistics, column 'person'"),
        ({"statistics": ["meen"]}, PlanError, "statistics().statistics"),
        ({"binz": 3}, ArgumentError, "statistics()"),
        ({"epsilon": -1.0}, PlanError, "statistics().epsilon"),
        ({"bounds": {"v": (5, 0)}}, PlanError, "statistics().bounds.v"),
        ({"neighbours": "both"}, PlanError, "statistics().neighbours"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_argument(change, kind, where):
    with pytest.raises(kind) as caught:
        small(**change)
    assert caught.value.where.startswith(where), caught.value.where
    assert isinstance(caught.value, InputError)


@pytest.mark.parametrize(
    ("change", "code", "where"),
    [
        ({"recording": ["r"] * 4}, "recordings-need-list", "statistics().recordings"),
        ({"recordings": ["r"]}, "recordings-need-list", "statistics().recording"),
        ({"bounds": {"w": (0, 1)}}, "names-differ", "statistics().bounds"),
        ({"labels": {"mood": ["a"] * 4}}, "names-differ", "statistics().categories"),
        ({"values": {"person": [1.0] * 4}, "bounds": {"person": (0, 5)}}, "duplicate-column", "statistics()"),
    ],
)
def test_arguments_that_belong_together(change, code, where):
    with refused(ArgumentError, code, where=where) as caught:
        small(**change)
    assert isinstance(caught.value, ValueError)


def test_labels_are_those_of_a_file():
    """Whole numbers, floats that are whole, and texts of pandas name the same people."""
    seen = [small(person=people, test_seed=3)["mean/noisy"][0, 0]
            for people in ([1, 1, 2, 3], [1.0, 1.0, 2.0, 3.0], np.array(["1", "1", "2", "3"], dtype=object))]  # fmt: skip
    assert len(set(seen)) == 1


def test_a_label_that_is_missing_is_none():
    """Arrays of pandas mark missing text by None or NaN among Python's own texts."""
    held = GazeData.from_arrays(
        person=[1, 1, 2],
        stimulus=np.array(["s", np.nan, None], dtype=object),
        x_px=[1, 2, 3],
        y_px=[1, 2, 3],
        screen=Screen(9, 9),
        stimuli=["s"],
    )
    assert held.x_px.tolist() == [1.0]
    assert held.people == 2


def test_constructors_read_what_files_say(tmp_path):
    columns = gaze()
    pl.DataFrame(columns).with_columns(pl.col("y_px").fill_nan(None)).write_parquet(tmp_path / "g.parquet")
    roles = {{"x_px": "x", "y_px": "y"}.get(column, column): column for column in columns}
    made = GazeData.from_arrays(**columns, screen=Screen(80, 60), stimuli=["7", "garden"])
    read = load_gaze(tmp_path / "g.parquet", columns=roles, screen=Screen(80, 60), stimuli=["7", "garden"])
    for one in ("person", "stimulus", "x_px", "y_px", "time", "duration", "assigned"):
        np.testing.assert_array_equal(getattr(made, one), getattr(read, one))
    assert made.notes == read.notes
    columns = features()
    pl.DataFrame(columns).with_columns(pl.col("blink_hz").fill_nan(None)).write_parquet(
        tmp_path / "f.parquet"
    )
    made = FeatureData.from_arrays(
        person=columns["person"],
        recording=columns["recording"],
        recordings=["search", "read"],
        time=columns["time"],
        values={feature: columns[feature] for feature in BOUNDS},
        bounds=BOUNDS,
    )
    read = load_features(
        tmp_path / "f.parquet",
        columns={role: role for role in ("person", "recording", "time")},
        bounds=BOUNDS,
        recordings=["search", "read"],
    )
    for one in ("person", "recording", "values", "bounds"):
        np.testing.assert_array_equal(getattr(made, one), getattr(read, one))
    assert made.notes == read.notes
    with refused(ArgumentError, "recordings-need-list", where=".recordings"):
        FeatureData.from_arrays(person=[1], values={"v": [1.0]}, bounds={"v": (0, 2)}, recording=["r"])


def test_arrays_by_kind():
    found = small(statistics=["mean", "count"])
    assert {name for name in found if name.endswith("/value")} == {"mean/value", "count/value"}
    assert found.of("mean/value").keys() == {"v"}
    assert found.of("mean/value")["v"] == found["mean/value"][0]
    assert set(
        arrays.heatmaps(**gaze(), screen=Screen(80, 60), stimuli=["7"], blur_px=8, **BUDGET).of("heatmap")
    ) == {"7"}
    with pytest.raises(KeyError):
        found["nothing"]


def test_a_release_tells_what_it_holds():
    found = small(statistics=["mean", "count"])
    assert set(found) == set(found.keys()) == set(found.values)
    assert len(found) == len(found.values)
    assert dict(found).keys() == found.keys()
    assert "mean/value" in found
    assert ("mean", "value") not in found
    assert "mean" not in found
    assert {name: found[name].shape for name in found} == {
        name: dataset.shape for name, dataset in found.datasets.items()
    }


@pytest.mark.parametrize(
    ("call", "asked", "near"),
    [
        (lambda one: one["mean/valu"], "mean/valu", "mean/value"),
        (lambda one: one["mean"], "mean", None),
        (lambda one: one["mean", "v", "value"], "", None),
        (lambda one: one.of("mean/valu"), "mean/valu", "mean/value"),
        (lambda one: one.of("heat"), "heat", None),
    ],
)
def test_a_name_that_is_not_there_says_which_are(call, asked, near):
    made = small()
    with pytest.raises(KeyError) as caught:
        call(made)
    message = caught.value.args[0]
    _, _, offered = message.partition(": ")
    places = {name: offered.find(name) + 1 for name in made}
    assert min(places.values()) > 0
    assert near in (None, min(places, key=places.get))
    assert re.search(rf"(?<!['\w]){re.escape(asked)}(?!['\w])", message)


def test_every_guarantee_has_an_epsilon_or_none():
    from synthrelease.dp import guarantee

    assert arrays.compose([small()]).epsilon == 1.0
    assert guarantee.ApproxDP(epsilon=2.0, delta=1e-6).epsilon == 2.0
    for other in (
        guarantee.NoGuarantee(reason="x"),
        guarantee.PlausibleDeniability(k=2, gamma=2.0, counted="person", vacuous=False),
    ):
        assert other.epsilon is None
        assert "epsilon" not in other.to_json()
        assert guarantee.from_json(other.to_json()) == other
    with pytest.raises(TypeError):
        guarantee.PureDP()


@pytest.mark.parametrize(
    ("change", "code", "names"),
    [
        ({"binz": 3}, "unknown-argument", ["'binz'", "'bins'"]),
        ({"share": 0.5}, "unknown-argument", ["'share'"]),
        ({"noise": "gaussian"}, "gaussian-needs-delta", ["delta"]),
        ({"by": "mood"}, "unknown-label", ["`labels`", "`categories`"]),
        ({"recording": ["r"] * 4, "recordings": ["s"]}, "no-listed-rows", ["'recording'"]),
        ({"person": ["a", "a", "b", None]}, "missing-label", ["'person'"]),
        ({"statistics": "mean"}, "bad-value", ["statistics().statistics", '["mean"]']),
    ],
)
def test_messages_speak_of_the_call_and_of_no_plan(change, code, names):
    with pytest.raises((InputError, PolicyError)) as caught:
        small(**change)
    assert caught.value.code == code
    message = str(caught.value)
    assert [name for name in names if name not in message] == []
    assert not re.search(r"\bplan\b|inputs\.|\[privacy\]|assume_public|\bname,|\bkind,", message)


def test_names_need_no_percent_encoding():
    values = {"x": [1.0, 2.0, 3.0]}
    release = arrays.statistics(
        person=["a", "b", "c"], values=values, bounds={"x": (0, 4)}, statistics=["quantile:0.25"], epsilon=1
    )
    (value,) = [name for name in release if name.endswith("value")]
    assert "%" in value
    assert "quantile:0.25/value" in release
    assert release["quantile:0.25/value"] is release[value]
    assert release.of("quantile:0.25/value").keys() == release.of(value).keys()
    with pytest.raises(KeyError) as caught:
        release["quantile:0.3/value"]
    assert "%" not in str(caught.value)
