"""A plan as an object decides what the same plan in TOML does; nothing private is in what it shows, writes or is digested."""

import copy
import hashlib
import json
import pickle
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_plans.draws import OfHypothesis
from random_plans.plans import random_plan
from refusals import refused

import synthrelease
from synthrelease import (
    Areas,
    Features,
    Gaze,
    Heatmap,
    OtherOutput,
    Plan,
    Privacy,
    ReleaseInfo,
    Signals,
    Statistics,
)
from synthrelease.errors import ArgumentError, DataError, PlanError, SynthReleaseError
from synthrelease.plan.document import PlanDocument
from synthrelease.plan.outputs import OUTPUTS
from synthrelease.plan.plan import load_plan

CANARY = "canary-7"
ROWS = pl.DataFrame({"who": [CANARY, "a", "b", "c"], "pupil_mm": [3.1416, 3.3, 4.0, 2.8]})
RELEASE = ReleaseInfo(name="pupils", version="1.0.0", title="Pupils & <eyes>")
PUPIL = {"columns": {"person": "who"}, "bounds": {"pupil_mm": (1.5, 8.0)}}
GAZE = {
    "columns": {"person": "who", "stimulus": "image", "x": "x", "y": "y"},
    "screen": (80, 60),
    "stimuli": ["1"],
}


def pupils(**changes):
    own = {
        "release": RELEASE,
        "privacy": Privacy(epsilon=1.0),
        "inputs": {"pupil": Features(ROWS, **PUPIL)},
        "outputs": [Statistics(statistics=["mean"])],
    }
    return Plan(**{**own, **changes})


def without_digest(manifest):
    return {key: value for key, value in manifest.items() if key != "plan"}


def decisions(plan):
    """What is decided, whatever the plan is called and wherever it is."""
    outputs = [(one.name, one.kind, one.input, one.options, sorted(one.written)) for one in plan.outputs]
    inputs = [(one.name, one.kind, one.options) for one in plan.inputs.values()]
    own = ("release", "neighbours", "epsilon", "delta", "distinct_labels", "dataset")
    return [inputs, outputs, *(getattr(plan, name) for name in own)]


def test_a_release_of_a_file_an_object_and_a_dict_is_one(study, tmp_path, monkeypatch):
    monkeypatch.chdir(study.folder)
    read = Plan.from_toml("plan.toml")
    frames = {name: pl.read_csv(f"{name}.csv") for name in read.inputs}
    made = Plan(
        release=read.release,
        privacy=read.privacy,
        inputs={
            "gaze": _with(read.inputs["gaze"], frames["gaze"]),
            "pupil": _with(read.inputs["pupil"], frames["pupil"]),
        },
        outputs=read.outputs,
    )
    bundles = {
        "file": synthrelease.build("plan.toml", tmp_path / "file.h5", test_seed=1),
        "read": read.build(tmp_path / "read.h5", test_seed=1),
        "dict": synthrelease.build(read.document(), tmp_path / "dict.h5", test_seed=1),
        "made": made.build(tmp_path / "made.h5", test_seed=1),
    }
    manifests = {name: built.manifest for name, built in bundles.items()}
    assert manifests["read"] == manifests["file"]
    for name, built in bundles.items():
        assert without_digest(manifests[name]) == without_digest(manifests["file"]), name
        assert synthrelease.verify(built.path, allow_test_seed=True)
    text = json.dumps(made.document(), sort_keys=True)
    assert manifests["made"]["plan"]["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert made.preview()["outputs"] == synthrelease.preview("plan.toml")["outputs"]
    assert made.dry_run().manifest["outputs"] == synthrelease.dry_run("plan.toml").manifest["outputs"]


def _with(entry, rows):
    keys = {key: value for key, value in entry.stated.items() if key != "data"}
    return type(entry)(rows, **keys)


@given(st.data())
def test_toml_of_a_plan_is_that_plan(tmp_path_factory, data):
    random = random_plan(OfHypothesis(data))
    file = tmp_path_factory.mktemp("plans") / "plan.toml"
    file.write_text(random.text, "utf-8")
    loaded = load_plan(file)
    made, read = Plan.of(random.document), Plan.from_toml(file)
    assert made == read
    assert decisions(made.checked()) == decisions(read.checked()) == decisions(loaded)
    assert read.checked().digest == loaded.digest
    file.write_text(made.to_toml(), "utf-8")
    again = Plan.from_toml(file)
    assert again == made
    assert again.to_toml() == made.to_toml()
    assert decisions(again.checked()) == decisions(loaded)
    assert Plan(release=made.release, privacy=made.privacy, inputs=made.inputs, outputs=made.outputs) == made


def test_unusual_values_survive_toml(tmp_path):
    odd = {"a b": (0.1 + 0.2, 1e14), 'quote"': (-1.0, 1_000_000), "é": (0, 5)}
    entry = Features(
        "x\\y.csv", columns={"person": "a.b"}, bounds=odd, missing=[float("nan"), float("inf"), 'n"\\a']
    )
    codes = [float("nan"), float("inf"), 'n"\\a']  # another nan
    assert entry == Features("x\\y.csv", columns={"person": "a.b"}, bounds=odd, missing=codes)
    plan = pupils(inputs={"pupil": entry}, outputs=[Signals(length=1_000_000)])
    (tmp_path / "plan.toml").write_text(plan.to_toml(), "utf-8")
    again = Plan.from_toml(tmp_path / "plan.toml")
    assert again == plan
    assert again.inputs["pupil"].bounds['quote"'] == (-1, 1_000_000)
    assert plan != pupils(inputs={"pupil": Features("x.csv", **PUPIL)})


def test_nothing_private_is_shown_or_written():
    plan = pupils()
    other = ROWS.with_columns(pl.Series("who", ["x", "y", "z", "w"]), pupil_mm=pl.lit(2.5))
    shown = [
        repr(plan),
        str(plan),
        plan._repr_html_(),
        plan.to_toml(),
        repr(plan.inputs),
        str(plan.document()),
    ]
    assert not [text for text in shown if CANARY in text or "3.14" in text or "shape" in text]
    same = pupils(inputs={"pupil": Features(other, **PUPIL)})
    assert same.checked().digest == plan.checked().digest
    assert same != plan
    assert same.to_toml() == plan.to_toml()


def test_a_representation_has_budget_inputs_and_outputs():
    plan = pupils(privacy=Privacy(epsilon=0.5, delta=1e-6, neighbours="add-remove-one"))
    page = plan._repr_html_()
    for text in (repr(plan), page):
        assert [
            one for one in ("0.5", "1e-06", "add-remove-one", "pupil", "statistics") if one not in text
        ] == []
    assert "&lt;eyes&gt;" in page
    assert "<eyes>" not in page
    assert page.count("<table") == 1
    assert len(repr(plan)) < 150
    assert repr(Heatmap(blur_px=24)) == "Heatmap(blur_px=24)"


def test_rows_in_memory_are_listed_as_what_needs_a_file(tmp_path):
    plan = pupils()
    first = plan.to_toml().splitlines()[0]
    assert first.startswith("#")
    assert first.endswith(": pupil")
    (tmp_path / "plan.toml").write_text(plan.to_toml())
    found = synthrelease.preview(tmp_path / "plan.toml", frames={"pupil": ROWS})
    assert found == plan.preview()
    assert pupils(inputs={"pupil": Features("p.csv", **PUPIL)}).to_toml().startswith("[release]")


def test_frames_take_the_place_of_rows():
    more = pl.concat([ROWS, ROWS.with_columns(who=pl.col("who") + "2")])
    people = [
        synthrelease.preview(pupils(), frames=frames)["outputs"][0]["people"]
        for frames in (None, {"pupil": more})
    ]
    assert people == [4, 8]


def test_paths_are_relative_to_the_plan_or_the_working_folder(study, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    read = Plan.from_toml(study.plan)
    assert read.preview()["outputs"]
    with refused(DataError, "no-such-file"):
        synthrelease.preview(read.document())
    monkeypatch.chdir(study.folder)
    assert synthrelease.preview(read.document()) == read.preview()


def test_names_and_inputs_may_be_left_out():
    both = {"pupil": Features("p.csv", **PUPIL), "gaze": Gaze("g.csv", **GAZE)}
    plan = pupils(
        privacy=Privacy(epsilon=1, delta=1e-6),
        inputs=both,
        outputs=[Heatmap(), Signals(length=9), Areas(name="a", areas={"l": {"rectangle": [0, 0, 9, 9]}})],
    )
    assert [(one.name, one.input) for one in plan.outputs] == [
        ("heatmap", "gaze"),
        ("signals", "pupil"),
        ("a", "gaze"),
    ]
    with refused(PlanError, "input-missing", where="outputs[0]", names=["gaze", "pupil"]):
        pupils(inputs=both)
    with refused(PlanError, "name-missing", where="outputs[0]", names=["statistics"]):
        pupils(outputs=[Statistics(statistics=["mean"]), Statistics(statistics=["sum"])])
    with refused(PlanError, "duplicate-output"):
        pupils(outputs=[Statistics(name="x", statistics=["mean"]), Statistics(name="x", statistics=["sum"])])
    with refused(PlanError, "input-of-other-kind", where="heatmap"):
        pupils(outputs=[Heatmap()])


@pytest.mark.parametrize(
    ("make", "kind", "code", "where", "names"),
    [
        (lambda: Heatmap(blurpx=24), ArgumentError, "unknown-argument", "Heatmap()", ["blurpx", "blur_px"]),
        (lambda: Heatmap(24), ArgumentError, "argument-without-name", "Heatmap()", ["mechanism"]),
        (Statistics, ArgumentError, "argument-missing", "Statistics()", ["statistics"]),
        (lambda: Features(None, **PUPIL), ArgumentError, "argument-missing", "Features()", ["data"]),
        (lambda: Features(ROWS, 3, **PUPIL), ArgumentError, "argument-without-name", "Features()", ["bounds"]),
        (lambda: Gaze("g.csv", **{**GAZE, "screen": 3}), ArgumentError, "not-a-screen", "Gaze().screen", []),
        (lambda: Statistics(statistics=ROWS["who"]), ArgumentError, "argument-not-public", "Statistics().statistics", ["Series"]),
        (lambda: Plan(relase=RELEASE), ArgumentError, "unknown-argument", "Plan()", ["relase", "release"]),
        (lambda: Plan(release=RELEASE), ArgumentError, "argument-missing", "Plan()", ["privacy"]),
        (lambda: pupils(inputs={"pupil": ROWS}), ArgumentError, "input-without-columns", "inputs['pupil']", ["DataFrame", "Features"]),
        (lambda: pupils(inputs={"pupil": "p.csv"}), ArgumentError, "input-without-columns", "inputs['pupil']", ["str"]),
        (lambda: pupils(inputs=ROWS), ArgumentError, "not-a-table", "Plan().inputs", ["DataFrame"]),
        (lambda: pupils(inputs={"pupil": Features(3, **PUPIL)}), DataError, "not-rows", "inputs['pupil']", ["int"]),
        (lambda: pupils(outputs=Heatmap()), ArgumentError, "not-a-list", "Plan().outputs", ["Heatmap"]),
        (lambda: pupils(outputs=[3]), PlanError, "bad-value", "Plan(): outputs[0]", []),
        (lambda: pupils(outputs=[]), PlanError, "bad-value", "Plan(): outputs", []),
        (lambda: pupils(outputs=[Statistics(statistics=["maen"])]), PlanError, "unknown-statistic", "outputs[0].statistics[0]", ["maen", "mean"]),
        (lambda: pupils(outputs=[Statistics(statistics=["mean"], bins="7")]), PlanError, "bad-value", "outputs[0].bins", []),
        (lambda: pupils(outputs=[OtherOutput(kind="statistic")]), PlanError, "unknown-choice", "outputs[0].kind", ["statistics"]),
        (lambda: pupils(outputs=[OtherOutput(kind="statistics", statistics=["mean"], binz=7)]), PlanError, "unknown-key", "outputs[0]", ["binz", "bins"]),
        (lambda: pupils(privacy=Privacy(epsilon=-1)), PlanError, "bad-value", "privacy.epsilon", []),
        (lambda: pupils(release={"name": "x", "version": "1"}), PlanError, "key-missing", "release", ["title"]),
        (lambda: pupils(release=3), PlanError, "bad-value", "release", []),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(make, kind, code, where, names):
    with refused(kind, code, where=where, names=names):
        make()


@pytest.mark.parametrize(
    "nonsense", [3, None, ROWS, [1], {3: 4}, {}, {"release": ROWS}, b"plan.toml"], ids=repr
)
def test_what_is_no_plan_is_an_error_of_ours(nonsense):
    for call in (synthrelease.build, synthrelease.preview, synthrelease.dry_run):
        with pytest.raises(SynthReleaseError) as caught:
            call(nonsense)
        assert CANARY not in str(caught.value)
        assert caught.value.exit_code == 3


def test_a_plan_does_not_change():
    plan, entry = pupils(), Statistics(statistics=["mean"])
    with pytest.raises(AttributeError):
        plan.privacy = Privacy(epsilon=9)
    with pytest.raises(AttributeError):
        entry.bins = 9
    with pytest.raises(AttributeError):
        del entry.statistics
    bounds = {"pupil_mm": [1.5, 8.0]}
    source = Features(ROWS, columns={"person": "who"}, bounds=bounds)
    bounds["pupil_mm"][0] = 0.0
    document = plan.document()
    document["privacy"]["epsilon"] = 9
    assert source.document()["bounds"] == {"pupil_mm": [1.5, 8.0]}
    assert plan.document()["privacy"]["epsilon"] == 1.0
    assert (entry.bins, entry.statistics, entry.by) == (10, ("mean",), None)


def test_equal_is_what_says_the_same():
    assert Heatmap(blur_px=24) == Heatmap(blur_px=24.0)
    assert Heatmap(blur_px=24) != Heatmap(blur_px=25)
    assert Heatmap(blur_px=None) == Heatmap()
    assert OtherOutput(kind="heatmap", blur_px=24) == Heatmap(blur_px=24)
    assert pupils() == pupils()
    assert pupils() != pupils(privacy=Privacy(epsilon=2))
    assert pupils(inputs={"pupil": Features(ROWS.clone(), **PUPIL)}) == pupils()
    assert pupils() != "a plan"
    assert Heatmap() != "a heatmap"
    for made in (copy.deepcopy(pupils()), pickle.loads(pickle.dumps(pupils()))):  # noqa: S301  our own
        assert made == pupils()


def test_a_kind_without_a_class_is_another_output(monkeypatch):
    """As those of other packages are."""
    plan = pupils()
    monkeypatch.delitem(OUTPUTS, "statistics")
    other = Plan.of(plan.document() | {"inputs": plan.inputs})
    assert [type(output) for output in other.outputs] == [OtherOutput]
    assert other == plan
    assert other.to_toml() == plan.to_toml()
    assert PlanDocument.of(other.document()) == Plan.of(other.document())


def test_a_key_that_applies_to_no_mechanism_is_refused_as_in_toml():
    """A key that is written counts, also if it has the value of the default."""
    outputs = [Heatmap(mechanism="laplace", exponent=1.25)]
    rows = pl.DataFrame({"who": ["a", "b"], "image": ["1", "1"], "x": [1.0, 2.0], "y": [1.0, 2.0]})
    plan = pupils(inputs={"gaze": Gaze(rows, **GAZE)}, outputs=outputs)
    with refused(PlanError, "key-not-for-mechanism", where="heatmap"):
        plan.preview()
    assert pupils(inputs=plan.inputs, outputs=[Heatmap(mechanism="laplace")]).preview()["outputs"]


def test_a_pandas_frame_and_a_path_are_data(tmp_path):
    ROWS.write_csv(tmp_path / "p.csv")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS.to_dict(as_series=False))
    found = [
        pupils(inputs={"pupil": Features(data, **PUPIL)}).preview()["outputs"]
        for data in (ROWS, frame, tmp_path / "p.csv", str(tmp_path / "p.csv"))
    ]
    assert found == [found[0]] * 4
    assert Path(pupils(inputs={"pupil": Features(tmp_path / "p.csv", **PUPIL)}).inputs["pupil"].data).exists()


@pytest.mark.thorough
def test_a_release_is_evaluated_by_its_plan(study, tmp_path):
    plan = Plan.from_toml(study.plan)
    built = plan.build(tmp_path / "r.h5")
    found = [synthrelease.evaluate(source, built.path).to_json() for source in (plan, study.plan)]
    assert found[0] == found[1]
