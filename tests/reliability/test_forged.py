"""Forged bundles, resealed and redigested as a forger would: each must be refused for what is forged, not for the seal."""

import itertools
from pathlib import Path

import h5py
import numpy as np
import pytest
from forging import (
    codes,
    derive_again,
    forge,
    forge_carefully,
    output,
    put_values,
    read_manifest,
    recompute_claims,
    scaled,
)
from invented_study import write_areas_study, write_records_study

import synthrelease
from synthrelease.bundle import reseal, verify, writer
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import TEST_SEED_WORDS, dataset_path
from synthrelease.bundle.output_claims import event_faults
from synthrelease.data.attribute import Attribute
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.mixed_losses import LOSS_STEP
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.records.plausibility import foreign_to_network
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.numerics.network import Network, fitted_network
from synthrelease.numerics.steps import HALF_RANGE


@pytest.fixture(scope="session")
def records_study(tmp_path_factory):
    """Return the folder of a study of records, its release built once with test seed 1: r.h5."""
    folder = tmp_path_factory.mktemp("records")
    built = synthrelease.build(write_records_study(folder), folder / "TEST-SEED.h5", test_seed=1)
    built.path.rename(folder / "r.h5")
    return folder


@pytest.fixture
def records(records_study, tmp_path):
    """Return the path of a copy of that release that the test may damage."""
    path = tmp_path / "r.h5"
    path.write_bytes((records_study / "r.h5").read_bytes())
    return path


def test_resealing_an_honest_bundle_changes_nothing_for_verify(bundle):
    reseal(bundle)
    assert verify(bundle).ok


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_epsilon_of_an_output_halved(bundle, name):
    def change(manifest):
        output(manifest, name)["guarantee"]["epsilon"] /= 2

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_epsilon_of_the_release_halved(bundle):
    def change(manifest):
        manifest["privacy"]["guarantee"]["epsilon"] /= 2

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_epsilon_of_the_release_slightly_lowered(bundle):
    def change(manifest):
        manifest["privacy"]["guarantee"]["epsilon"] *= (
            0.9995  # less than what was left over of the budget would be true
        )

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


@pytest.mark.parametrize(
    ("steps", "factor", "expected"),
    [
        (LOSS_STEP / 8, 1.0, set()),  # as a version with smaller steps states it
        (LOSS_STEP / 8, 0.99999, {"guarantee"}),
        (LOSS_STEP, 1.0005, set()),  # rounded up more
        (LOSS_STEP, 1.002, {"guarantee"}),
    ],
)
def test_of_mixed_noise_what_other_versions_state_is_believed_if_it_is_true(bundle, steps, factor, expected):
    manifest = read_manifest(bundle)
    recorded = [events.from_json(entry["event"]) for entry in manifest["outputs"]]
    private = [part for event in recorded if (part := accounting.protected_part(event)) is not None]
    delta = manifest["privacy"]["guarantee"]["delta"]
    epsilon, _ = accounting.unrounded_epsilon(private, delta=delta, loss_step=steps)
    assert accounting.method(private) == "mixed"

    def change(manifest):
        manifest["privacy"]["guarantee"]["epsilon"] = epsilon * factor

    forge_carefully(bundle, change)
    assert codes(bundle) == expected


def test_delta_lowered_at_the_same_epsilon(bundle):
    def change(manifest):
        manifest["privacy"]["guarantee"]["delta"] /= 1000

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_a_true_claim_at_a_delta_beyond_the_budget(bundle):
    """The more δ, the less ε: of a larger one than was allowed, nothing is stated."""

    def change(manifest):
        manifest["privacy"]["guarantee"]["delta"] *= 10
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_sensitivity_halved_and_everything_that_follows_recomputed(bundle, name):
    def change(manifest):
        entry = output(manifest, name)
        value = entry["sensitivity"]["value"]
        halved = scaled(value, 0.5) if "." in value else str(int(value) // 2)
        entry["sensitivity"]["value"] = entry["event"]["sensitivity"]["value"] = halved
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"sensitivity"}


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_noise_scale_doubled_in_the_manifest_alone(bundle, name):
    def change(manifest):
        entry = output(manifest, name)
        entry["noise"]["scale"] = entry["event"]["scale"] = scaled(entry["noise"]["scale"], 2)

    forge_carefully(bundle, change)
    assert {"guarantee", "noise"} <= codes(bundle)


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_noise_scale_doubled_where_every_number_agrees_with_it(bundle, name):
    """Only the integers themselves can tell: they are too small for the stated noise, where there are enough of them."""

    def change(manifest):
        entry = output(manifest, name)
        factor = 2 if name == "maps" else 1e4  # a few integers with a signal in them refute less
        entry["noise"]["scale"] = entry["event"]["scale"] = scaled(entry["noise"]["scale"], factor)
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"noise"}


@pytest.mark.quick
@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
@pytest.mark.parametrize("more", [1, -1])
def test_an_event_over_another_number_of_integers(bundle, name, more):
    """An output with integers that its event does not cover, or an event that covers some that are not there."""

    def change(manifest):
        output(manifest, name)["event"]["count"] += more
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"noise"}


def _told_as_draws_from_the_model(manifest, name):
    entry = output(manifest, name)
    p = entry["mechanism"]["parameters"]
    entry["mechanism"]["name"] = "marginals"
    p["resampled"] = [len(p["attributes"])]
    p["threshold"] = p["k"] = p["gamma"] = p["counted"] = None
    entry["event"] = entry["event"]["events"][0]


def test_contribution_bound_understated_together_with_its_sensitivity_shows_in_the_event(bundle):
    def change(manifest):
        output(manifest, "maps")["mechanism"]["parameters"]["max_samples_per_stimulus"] = 5

    forge_carefully(bundle, change)
    assert codes(bundle) == {"sensitivity"}


def test_hidden_test_seed(study):
    path = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=1).path
    assert codes(path) == {"test-seed"}
    assert codes(path, allow_test_seed=True) == set()

    def hide(manifest):
        manifest["randomness"] = {"source": "operating system, AES-256-CTR", "test_seed": False}

    forge(path, hide)
    assert codes(path, allow_test_seed=True) == {"test-seed", "manifest"}  # the warning is still there


def test_hidden_test_seed_and_its_warning(study):
    path = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=1).path

    def hide(manifest):
        manifest["randomness"] = {"source": "operating system, AES-256-CTR", "test_seed": False}
        manifest["warnings"] = [one for one in manifest["warnings"] if one["code"] != "test-seed"]

    forge_carefully(path, hide)
    assert TEST_SEED_WORDS.encode() in path.read_bytes()[:512]
    assert codes(path, allow_test_seed=True) == {"test-seed"}


def test_an_output_that_the_manifest_does_not_list(bundle):
    with h5py.File(bundle, "r+") as file:
        writer.store(file, "/outputs/extra/raw", np.arange(12))
    reseal(bundle)
    assert codes(bundle) == {"unlisted"}


def test_an_extra_dataset_inside_a_listed_output(bundle):
    with h5py.File(bundle, "r+") as file:
        writer.store(file, "/outputs/maps/raw", np.arange(12))
    reseal(bundle)
    assert codes(bundle) == {"unlisted"}


def test_an_extra_dataset_listed_among_the_paths(bundle):
    with h5py.File(bundle, "r+") as file:
        writer.store(file, "/outputs/maps/raw", np.arange(12))

    def change(manifest):
        output(manifest, "maps")["paths"].append("/outputs/maps/raw")
        output(manifest, "maps")["paths"].sort()

    forge_carefully(bundle, change)
    assert codes(bundle) == {"unlisted"}


def test_an_empty_group_that_belongs_to_nothing(bundle):
    with h5py.File(bundle, "r+") as file:
        file.create_group("/outputs/extra")
    reseal(bundle)
    assert codes(bundle) == {"unlisted"}


def test_a_dataset_taken_away(bundle):
    with h5py.File(bundle, "r+") as file:
        del file["/outputs/maps/heatmap"]
    reseal(bundle)
    assert codes(bundle) == {"missing"}


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("/outputs/maps/heatmap", (0,)),
        ("/outputs/maps/heatmap", (1,)),
        ("/outputs/signals/values", (0, 0)),
        ("/outputs/signals/values", (1, 1)),
        ("/outputs/summary/mean/value", (0,)),
        ("/outputs/summary/histogram/value", (1,)),
    ],
)
def test_a_derived_value_that_does_not_follow_from_the_noised_integers(bundle, path, item):
    with h5py.File(bundle, "r+") as file:
        values = np.atleast_1d(file[path][item])
        values.flat[0] += 0.01 * np.abs(values).max()
        file[path][item] = values
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_noised_integers_changed_under_their_heatmap(bundle):
    with h5py.File(bundle, "r+") as file:
        file["/outputs/maps/noisy"][0, 0, 0] += 50
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_a_value_outside_the_bin_of_its_category(bundle):
    with h5py.File(bundle, "r+") as file:
        file["/outputs/seeded/value/size_mm"][0] = 7.999
        file["/outputs/seeded/category/size_mm"][0] = 0
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_a_category_that_does_not_exist(bundle):
    with h5py.File(bundle, "r+") as file:
        file["/outputs/seeded/category/recording"][0] = 2
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_unprotected_output_not_named(bundle):
    def change(manifest):
        listed = manifest["privacy"]["not_protected"]
        listed.remove({"code": "output", "fields": {"output": "seeded"}})

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_deniability_called_differential_privacy(bundle):
    def change(manifest):
        entry = output(manifest, "seeded")
        entry["guarantee"] = {**output(manifest, "signals")["guarantee"], "epsilon": 0.1}

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_k_overstated(bundle):
    def change(manifest):
        entry = output(manifest, "seeded")
        entry["guarantee"]["k"] = entry["event"]["k"] = 300
        entry["mechanism"]["parameters"]["k"] = 300

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_vacuous_test_hidden(bundle):
    def change(manifest):
        entry = output(manifest, "seeded")
        entry["mechanism"]["parameters"]["resampled"] = [len(entry["mechanism"]["parameters"]["attributes"])]

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_claim_beyond_the_budget(bundle):
    def change(manifest):
        manifest["privacy"]["budget"]["epsilon"] = 0.5

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_number_of_people_left_out_where_it_is_public(bundle):
    def change(manifest):
        manifest["privacy"]["people"] = None

    forge_carefully(bundle, change)
    assert codes(bundle) == {"manifest"}


def test_unknown_field_in_the_manifest(bundle):
    def change(manifest):
        manifest["privacy"]["certified_by"] = "no one"

    forge_carefully(bundle, change)
    assert codes(bundle) == {"manifest"}


def test_missing_field_in_the_manifest(bundle):
    def change(manifest):
        del manifest["outputs"][0]["event"]

    forge_carefully(bundle, change)
    assert codes(bundle) == {"manifest"}


def test_ball_radius_understated_with_everything_that_follows(bundle):
    def change(manifest):
        output(manifest, "signals")["mechanism"]["parameters"]["bound_grid_units"] = [1]
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"sensitivity"}


def test_bound_of_samples_understated_where_every_number_agrees_with_it(study):
    """The counts themselves tell, if there is little noise: more than all people may contribute under the stated bound."""
    from synthrelease.dp import event as events
    from synthrelease.dp.sensitivity import gaze_maps

    def change(manifest):
        entry = output(manifest, "maps")
        p = entry["mechanism"]["parameters"]
        p["max_samples_per_stimulus"] = 1
        p["max_stimuli_per_person"] = 1
        sensitivity = gaze_maps(
            cells=p["rows"] * p["columns"],
            cap=p["cap"],
            max_samples=1,
            stimuli=2,
            max_stimuli=1,
            assignment_public=False,
            neighbours=Neighbours.REPLACE_ONE,
        )
        entry["sensitivity"]["value"] = entry["event"]["sensitivity"]["value"] = repr(sensitivity.l2)
        assert events.from_json(entry["event"]).sensitivity == sensitivity.l2
        recompute_claims(manifest)

    study.plan.write_text(study.plan.read_text().replace("epsilon = 4.0", "epsilon = 80.0"))
    path = synthrelease.build(study.plan, study.folder / "r.h5").path
    assert codes(path) == set()
    forge_carefully(path, change)
    assert codes(path) == {"sensitivity"}


def test_seeded_records_told_as_draws_from_noised_marginals(tmp_path):
    """Two of three attributes are copied from seeds, where they go together: draws from marginals do not."""
    rng = np.random.default_rng(5)
    rows = ["who,left,right,other"]
    for person in range(60):
        for _ in range(20):
            left, other = rng.uniform(0, 1, 2)
            rows.append(f"p{person},{left:.3f},{left:.3f},{other:.3f}")
    (tmp_path / "eyes.csv").write_text("\n".join(rows))
    (tmp_path / "plan.toml").write_text("""
[release]
name = "eyes"
version = "1"
title = "Eyes"
[privacy]
epsilon = 4
[inputs.eyes]
kind = "features"
path = "eyes.csv"
columns = { person = "who" }
[inputs.eyes.bounds]
left = [0, 1]
right = [0, 1]
other = [0, 1]
[[outputs]]
name = "seeded"
kind = "records"
input = "eyes"
model = "seeded"
fit = "dp"
bins = 4
resampled = 1
k = 3
rows = 2000
""")
    path = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5", test_seed=1).path
    assert codes(path, allow_test_seed=True) == set()

    def change(manifest):
        _told_as_draws_from_the_model(manifest, "seeded")
        recompute_claims(manifest)

    forge_carefully(path, change)
    assert codes(path, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize(
    ("fact", "change"),
    [
        ({"code": "assumed-names", "fields": {"output": "maps", "noun": "stimuli"}}, None),
        ({"code": "people", "fields": {}}, None),
        ({"code": "assignment", "fields": {"output": "maps"}}, ("assignment_public", True)),
    ],
)
def test_a_public_fact_that_is_not_told(bundle, fact, change):
    def forget(manifest):
        listed = manifest["privacy"]["not_protected"]
        if change is None:
            listed.remove(fact)
        else:
            output(manifest, "maps")["mechanism"]["parameters"][change[0]] = change[1]
            assert fact not in listed

    forge_carefully(bundle, forget)
    assert "guarantee" in codes(bundle)
    messages = [f.message for f in verify(bundle).findings if f.where == "privacy/not_protected"]
    assert len(messages) == 1
    assert fact["code"] in messages[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda listed: listed.reverse(),
        lambda listed: listed.append(listed[0]),
        lambda listed: listed.append({"code": "certified", "fields": {}}),
        lambda listed: listed[0].update(code="listed-names"),
        lambda listed: listed[0]["fields"].update(noun="nothing"),
        lambda listed: listed[0]["fields"].update(output="signals"),
        lambda listed: listed[0]["fields"].update(note="patient 17 was left-handed"),
        lambda listed: listed[0]["fields"].pop("output"),
        lambda listed: listed[-1]["fields"].update(output="maps"),
    ],
)
def test_public_facts_that_are_not_exactly_those_that_are_due(bundle, change):
    def otherwise(manifest):
        change(manifest["privacy"]["not_protected"])

    forge(bundle, otherwise)
    assert codes(bundle) == {"guarantee"}


def _release_warnings(manifest):
    return manifest["warnings"]


def _warnings_of_maps(manifest):
    return output(manifest, "maps")["warnings"]


def _warnings_of_signals(manifest):
    return output(manifest, "signals")["warnings"]


def _steps_of_maps(manifest):
    return output(manifest, "maps")["post_processing"]


def _steps_of_records(manifest):
    return output(manifest, "seeded")["post_processing"]


REMARKS = [_release_warnings, _warnings_of_signals, _steps_of_maps, _steps_of_records]


@pytest.mark.quick
@pytest.mark.parametrize("remarks", REMARKS)
@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated.clear(),
        lambda stated: stated.append(stated[0]),
        lambda stated: stated.append({"code": "all-is-well", "fields": {}}),
        lambda stated: stated[0].update(code="all-is-well"),
        lambda stated: stated[0]["fields"].update(note="patient 17 was left-handed"),
        lambda stated: stated[0]["fields"].update(length=17),
    ],
)
def test_remarks_that_do_not_follow_from_the_manifest(bundle, remarks, change):
    """What readers are shown is made of codes and fields: none of them is anyone's to choose."""

    def otherwise(manifest):
        change(remarks(manifest))

    forge(bundle, otherwise)
    assert codes(bundle) == {"manifest"}


@pytest.mark.quick
@pytest.mark.parametrize("remarks", [*REMARKS, _warnings_of_maps])
@pytest.mark.parametrize(
    "stated",
    [
        "a sentence",
        {"code": "x"},
        {"fields": {}},
        {"code": "x", "fields": {"note": ["patient 17"]}},
        {"code": "x", "fields": {"note": {"deeper": 1}}},
        {"code": "x", "fields": {"note": None}},
        {"code": "", "fields": {}},
        {"code": "two words", "fields": {}},
        {"code": "x", "fields": {}, "sentence": "All is well."},
        None,
    ],
)
def test_remarks_of_another_form(bundle, remarks, stated):
    forge(bundle, lambda manifest: remarks(manifest).append(stated))
    assert codes(bundle) == {"manifest"}


@pytest.mark.quick
@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
@pytest.mark.parametrize(
    "change",
    [
        lambda derivation: derivation.update(code="ball"),
        lambda derivation: derivation["fields"].clear(),
        lambda derivation: derivation["fields"].update(note="patient 17 was left-handed"),
        lambda derivation: derivation["fields"].update({min(derivation["fields"]): 1_000_003}),
    ],
)
def test_a_derivation_that_is_not_that_of_the_sensitivity(bundle, name, change):
    forge(bundle, lambda manifest: change(output(manifest, name)["sensitivity"]["derivation"]))
    assert codes(bundle) == {"manifest"}


@pytest.mark.parametrize("people", [29, 1, 1_000_000])
def test_number_of_people_that_is_not_possible(bundle, people):
    def change(manifest):
        manifest["privacy"]["people"] = people

    forge_carefully(bundle, change)
    assert codes(bundle) == {"manifest"}


def _rename(name, to):
    def change(manifest):
        output(manifest, name)["mechanism"]["name"] = to

    return change


def _set(name, key, value):
    def change(manifest):
        output(manifest, name)["mechanism"]["parameters"][key] = value

    return change


def _labels(manifest):
    output(manifest, "seeded")["mechanism"]["parameters"]["attributes"][0]["labels"].append("third")


def _date(manifest):
    manifest["release"]["date"] = "2026-02-30"


def _version(manifest):
    manifest["tool"]["dependencies"]["numpy"] = "2.0 (patient 17 was left-handed)"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_rename("maps", "laplace"), "noise"),
        (_rename("signals", "lpa"), "manifest"),
        (_set("maps", "calibration", "liu2019"), "manifest"),
        (_set("seeded", "order", [0, 0, 1]), "manifest"),
        (_set("seeded", "resampled", [3]), "guarantee"),
        (_labels, "manifest"),
        (_date, "manifest"),
        (_version, "manifest"),
    ],
)
def test_fields_that_contradict_each_other(bundle, change, code):
    forge_carefully(bundle, change)
    assert code in codes(bundle)


def test_a_cell_that_is_larger_than_all_people_may_make_it(bundle):
    """Half the noise scale, one hot cell: the sum hides it, the cell does not."""
    scale = float(output(read_manifest(bundle), "maps")["noise"]["scale"])
    with h5py.File(bundle, "r+") as file:
        file["/outputs/maps/noisy"][0, 0, 0] = 30 + 20 * scale
    derive_again(bundle)
    assert codes(bundle) == {"sensitivity"}


def test_a_reassuring_reason_for_an_unprotected_output(bundle):
    """A reason is none that a manifest states: its sentence is made of the output's guarantee."""

    def change(manifest):
        for entry in manifest["privacy"]["not_protected"]:
            if entry == {"code": "output", "fields": {"output": "seeded"}}:
                entry["fields"]["guarantee"] = "differentially private with ε = 0.01"

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}

    def reason(manifest):
        manifest["privacy"]["not_protected"][0]["reason"] = "differentially private with ε = 0.01"

    forge(bundle, reason)
    assert codes(bundle) == {"manifest"}


@pytest.mark.parametrize("name", ["maps", "signals"])
def test_sensitivity_halved_in_the_event_alone(bundle, name):
    """What is shown stays honest, what the guarantee is computed from does not."""

    def change(manifest):
        entry = output(manifest, name)["event"]["sensitivity"]
        value = entry["value"]
        entry["value"] = scaled(value, 0.5) if "." in value else str(int(value) // 2)
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"sensitivity"}


# --- records that are said to be draws from noised counts


def model_of(path, name):
    """The network that the noised counts of an output call for."""
    entry = output(read_manifest(path), name)
    with h5py.File(path, "r") as file:
        stored = StoredOutput(entry)
        counts = {
            dataset.path: file[stored.path(dataset)][()]
            for dataset in stored.datasets
            if dataset.role is Role.NOISY
        }
    return RecordsParameters.from_entry(entry["mechanism"]).network(counts, from_json(entry["event"]))


def drawn(network, rows, seed):
    """Draws from a network, by attribute."""
    m = len(network.order)
    model = SeededModel(network.tables, network.order, (m,), network.parents)
    return model.sample(np.zeros((rows, m), dtype=np.int64), SecureRandom.for_tests(seed))


def put_records(path, name, chosen):
    """Write other records in place of an output's, with the values that follow."""
    attributes = [
        Attribute.from_json(a)
        for a in output(read_manifest(path), name)["mechanism"]["parameters"]["attributes"]
    ]
    with h5py.File(path, "r+") as file:
        for a, attribute in enumerate(attributes):
            file[dataset_path(name, f"category/{attribute.name}")][...] = chosen[:, a]
            if attribute.labels is None:
                file[dataset_path(name, f"value/{attribute.name}")][...] = attribute.values(chosen[:, a])
    reseal(path)


def people_s_records(folder, attributes):
    """Coded rows of the study: what the curator has and the forger uses."""
    import polars as pl

    table = pl.read_csv(folder / "reading.csv")
    columns = []
    for attribute in attributes:
        cells = table["task" if attribute.name == "recording" else attribute.name]
        if attribute.labels is None:
            column = cells.cast(pl.Float64).fill_null(np.nan).to_numpy()
        else:
            column = np.array([-1 if c is None else attribute.labels.index(c) for c in cells])
        columns.append(attribute.encoded(column))
    coded = np.stack(columns, axis=1)
    return coded[(coded >= 0).all(axis=1)]


def exact_counts(coded, entry):
    """Joint counts as if every row were a person: no one's noise, no one's weight."""
    p = RecordsParameters.from_entry(entry["mechanism"])
    categories = [attribute.categories for attribute in p.attributes]
    out = {}
    for subset in p.subsets:
        shape = [categories[a] for a in subset]
        cells = np.ravel_multi_index(tuple(coded[:, a] for a in subset), shape)
        out[subset] = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape) * HALF_RANGE
    return categories, out


def without_dependence(network):
    """The same one-way distributions, nothing depending on anything."""
    whole = drawn(network, 100_000, 0)
    tables = tuple(
        np.bincount(whole[:, a], minlength=table.shape[-1]) / len(whole)
        for a, table in enumerate(network.tables)
    )
    return Network(network.order, ((),) * len(tables), tables)


def test_other_draws_from_the_noised_counts_are_as_good(records):
    """The control of what follows: the detour over `put_records` is no fault, and so are not many honest draws."""
    for name, rows in (("tree", 10_000), ("plain", 8000)):
        put_records(records, name, drawn(model_of(records, name), rows, seed=11))
        assert codes(records, allow_test_seed=True) == set()


@pytest.mark.parametrize("name", ["tree", "plain", "randomized", "kept"])
def test_honest_draws_raise_no_alarm(records, name):
    """Of networks of every kind, whatever the number of rows: the error probability is 10⁻¹²."""
    network = model_of(records, name)
    for rows, seeds in ((1, 3), (9, 10), (25, 10), (50, 30), (400, 30), (3000, 15), (100_000, 3)):
        for seed in range(seeds):
            chosen = drawn(network, rows, seed)
            assert not foreign_to_network(list(chosen.T), network), (rows, seed)


@pytest.mark.parametrize("rows", [4000, 10_000])
def test_one_attribute_drawn_from_something_else(records, rows):
    """Of a network of one attribute there are no pairs: its own distribution tells."""
    table = model_of(records, "plain").tables[0]
    flat = Network((0,), ((),), (table,))
    skewed = Network((0,), ((),), (table[::-1] ** 3 / (table**3).sum(),))
    assert not foreign_to_network(list(drawn(flat, rows, seed=6).T), flat)
    assert foreign_to_network(list(drawn(skewed, rows, seed=6).T), flat)


def test_people_s_own_rows_told_as_draws(records, records_study):
    """The rows that were to be protected, published as if they were synthetic."""
    for name, rows in (("tree", 10_000), ("plain", 8000)):
        path = records_study / "r.h5"
        records.write_bytes(path.read_bytes())
        p = output(read_manifest(records), name)["mechanism"]["parameters"]
        own = people_s_records(records_study, [Attribute.from_json(a) for a in p["attributes"]])
        put_records(records, name, np.resize(own, (rows, own.shape[1])))
        assert codes(records, allow_test_seed=True) == {"derived"}


def test_people_s_own_rows_told_as_draws_with_a_test_that_is_not_in_the_event(records, records_study):
    """A threshold in the parameters alone must not switch the comparison with the noised counts off."""
    p = output(read_manifest(records), "tree")["mechanism"]["parameters"]
    own = people_s_records(records_study, [Attribute.from_json(a) for a in p["attributes"]])
    put_records(records, "tree", np.resize(own, (10_000, own.shape[1])))
    forge_carefully(records, _set("tree", "threshold", "fixed"))
    assert "guarantee" in codes(records, allow_test_seed=True)


def test_draws_from_counts_without_noise_told_as_draws_from_noised_ones(records, records_study):
    entry = output(read_manifest(records), "tree")
    attributes = RecordsParameters.from_entry(entry["mechanism"]).attributes
    categories, counts = exact_counts(people_s_records(records_study, attributes), entry)
    network = fitted_network(counts, categories, tree=True, per_task=True, order=None, people=None)
    put_records(records, "tree", drawn(network, 10_000, seed=2))
    assert codes(records, allow_test_seed=True) == {"derived"}


def test_draws_that_ignore_the_tree_told_as_draws_from_it(records):
    put_records(records, "tree", drawn(without_dependence(model_of(records, "tree")), 10_000, seed=3))
    assert codes(records, allow_test_seed=True) == {"derived"}


def test_draws_from_the_model_of_the_other_task(records):
    """Each task's records from the other's tables: every attribute alone is nearly as it should be."""
    network = model_of(records, "tree")
    swapped = tuple(
        np.flip(table, axis=0) if parents else table
        for table, parents in zip(network.tables, network.parents, strict=True)
    )
    other = Network(network.order, network.parents, swapped)
    put_records(records, "tree", drawn(other, 10_000, seed=4))
    assert codes(records, allow_test_seed=True) == {"derived"}


def test_some_people_s_rows_among_honest_draws(records, records_study):
    p = output(read_manifest(records), "plain")["mechanism"]["parameters"]
    own = people_s_records(records_study, [Attribute.from_json(a) for a in p["attributes"]])
    chosen = drawn(model_of(records, "plain"), 8000, seed=5)
    chosen[:4000] = np.resize(own, (4000, own.shape[1]))
    put_records(records, "plain", chosen)
    assert codes(records, allow_test_seed=True) == {"derived"}


def test_noised_counts_of_a_tree_changed_under_their_records(records):
    """More people in one cell of a pair: the tables that follow are others, the records are not."""
    path = dataset_path("tree", "noisy/recording/left_mm/right_mm")
    with h5py.File(records, "r+") as file:
        counts = file[path][()]
        counts[0, 0] = counts[0, 0, ::-1]
        file[path][...] = counts
    reseal(records)
    assert codes(records, allow_test_seed=True) == {"derived"}


def test_records_from_seeds_told_as_draws_from_a_tree(records):
    def change(manifest):
        _told_as_draws_from_the_model(manifest, "kept")
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True) == {"derived"}


# --- what a records output says of its test, its model and its people


def _noise_and(manifest, name, *others, kind="disjoint"):
    """Put an output's noise beside other events."""
    entry = output(manifest, name)
    noise = entry["event"]["events"][0] if "events" in entry["event"] else entry["event"]
    entry["event"] = {"type": kind, "events": [noise, *others]}


def _randomized_test(manifest, **changes):
    return {**output(manifest, "randomized")["event"]["events"][1], **changes}


def _both(manifest, key, value):
    """Change a number of the randomized test where it is shown and where the guarantee is computed from."""
    output(manifest, "randomized")["event"]["events"][1][key] = value
    p = output(manifest, "randomized")["mechanism"]["parameters"]
    if key in p:
        p[key] = float(value) if key == "gamma" else value


def test_one_group_of_people_told_as_two(records):
    """Noise and test on the same people, as if on disjoint ones: the cheaper claim of the two."""
    for name in ("tree", "kept"):

        def change(manifest, name=name):
            others = output(manifest, name)["event"].get("events", [])[1:]
            _noise_and(manifest, name, *others)
            recompute_claims(manifest)

        forge_carefully(records, change)
        assert codes(records, allow_test_seed=True) == {"guarantee"}


@pytest.mark.quick
@pytest.mark.parametrize("name", ["maps", "signals", "summary", "table"])
@pytest.mark.parametrize("kind", ["disjoint", "composed"])
@pytest.mark.parametrize("tested", [False, True])
def test_disjoint_people_or_a_test_where_there_are_none(bundle, name, kind, tested):
    test = {
        "type": "deniability_test",
        "k": 10,
        "gamma": "4.0",
        "threshold": "randomized",
        "epsilon0": "3.0",
        "trials": 1,
        "seeds": 15,
    }

    def change(manifest):
        _noise_and(manifest, name, *[test] * tested, kind=kind)
        manifest["privacy"]["budget"] = {"epsilon": 1e3, "delta": 0.9}
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    # What is composed of the one event that was there already says nothing new.
    assert codes(bundle) == (set() if (kind, tested) == ("composed", False) else {"guarantee"})


@pytest.mark.quick
@pytest.mark.parametrize("name", ["maps", "signals", "summary", "table"])
@pytest.mark.parametrize("kind", ["disjoint", "composed"])
def test_a_private_choice_that_no_mechanism_made(bundle, name, kind):
    def change(manifest):
        _noise_and(manifest, name, {"type": "exponential", "epsilon": "0.5", "candidates": 7}, kind=kind)
        manifest["privacy"]["budget"] = {"epsilon": 1e3, "delta": 0.9}
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) == {"guarantee"}


@pytest.mark.parametrize("name", ["maps", "signals", "summary"])
def test_a_test_in_place_of_noise(bundle, name):
    def change(manifest):
        entry = output(manifest, name)
        entry["event"] = output(manifest, "seeded")["event"]
        entry["noise"] = entry["sensitivity"] = None
        recompute_claims(manifest)

    forge_carefully(bundle, change)
    assert codes(bundle) & {"noise", "guarantee", "manifest"}


@pytest.mark.quick
@pytest.mark.parametrize(
    ("name", "threshold"),
    [
        (name, threshold)
        for name, own in (("tree", None), ("kept", "fixed"), ("randomized", "randomized"), ("exact", "fixed"))
        for threshold in (None, "fixed", "randomized")
        if threshold != own
    ],
)
@pytest.mark.parametrize("with_event", [False, True])
def test_another_threshold_than_that_of_the_mechanism(records, name, threshold, with_event):
    """Said in one word, or in the event and all that follows; of seeded records it is not what their counts bear out."""

    def change(manifest):
        entry = output(manifest, name)
        p = entry["mechanism"]["parameters"]
        p["threshold"] = threshold
        if not with_event:
            return
        k, gamma = (None, None) if threshold is None else (p["k"] or 3, p["gamma"] or 4.0)
        p["k"], p["gamma"], p["counted"] = k, gamma, None if threshold is None else "person"
        fixed = {
            "type": "deniability_test",
            "k": k,
            "gamma": repr(gamma),
            "counted": "person",
            "vacuous": name == "tree",
            "threshold": "fixed",
        }
        randomized = _randomized_test(manifest, k=k, gamma=repr(gamma), trials=p["rows"])
        tests = {None: [], "fixed": [fixed], "randomized": [randomized]}[threshold]
        if name != "exact":
            _noise_and(manifest, name, *tests, kind="disjoint" if threshold == "randomized" else "composed")
        else:
            entry["event"] = tests[0] if tests else {"type": "exponential", "epsilon": "1.0", "candidates": 2}
        recompute_claims(manifest)

    forge_carefully(records, change)
    if (name, threshold, with_event) == ("randomized", "fixed", True):
        # Less is claimed than was done, of records that could be what is claimed.
        assert codes(records, allow_test_seed=True) == set()
    elif (name, threshold, with_event) == ("kept", "randomized", True):
        # Trials must be paid for, and of 3000 with k = 3 no δ is kept: no ε is left of all outputs together.
        assert codes(records, allow_test_seed=True) == {"guarantee"}
        manifest = read_manifest(records)
        assert (
            output(manifest, name)["guarantee"]["kind"] == manifest["privacy"]["guarantee"]["kind"] == "none"
        )
    else:
        assert "guarantee" in codes(records, allow_test_seed=True)


def test_noise_beside_a_deniability_test_counts_against_the_budget(records):
    """The claim is of the private outputs alone; the budget is for all noise."""
    manifest = read_manifest(records)
    done = [events.from_json(entry["event"]) for entry in manifest["outputs"]]
    delta, claim = manifest["privacy"]["budget"]["delta"], manifest["privacy"]["guarantee"]["epsilon"]
    spent = accounting.epsilon_at(done, delta=delta, neighbours=Neighbours.REPLACE_ONE)
    assert spent > 1.02 * claim
    for budget, found in (
        (1.01 * claim, {"guarantee"}),
        (0.999 * spent, {"guarantee"}),
        (1.01 * spent, set()),
    ):
        forge_carefully(
            records, lambda manifest, budget=budget: manifest["privacy"]["budget"].update(epsilon=budget)
        )
        assert codes(records, allow_test_seed=True) == found


def test_private_outputs_that_have_no_epsilon_together(records):
    """A δ near 1 for one output leaves all of them together without any guarantee; the budget cannot hold that."""

    def change(manifest):
        manifest["privacy"]["budget"]["delta"] = 1e-300

    forge_carefully(records, change)
    assert "guarantee" in codes(records, allow_test_seed=True)


def test_a_private_claim_for_seeded_records_without_their_test(records):
    """Noise alone, as if nothing but noised counts had been looked at."""

    def change(manifest):
        entry = output(manifest, "kept")
        entry["event"] = entry["event"]["events"][0]
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True) == {"guarantee"}


@pytest.mark.parametrize("seeds", [80, 81, 2**60])
def test_seeds_that_leave_no_one_for_the_model(records, seeds):
    def change(manifest):
        _both(manifest, "seeds", seeds)
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert "guarantee" in codes(records, allow_test_seed=True)


@pytest.mark.parametrize("trials", [1, 4, 6, 10**10])
def test_trials_that_are_not_the_records(records, trials):
    """Fewer are paid for than were published; or the other way round, which is no test of this kind either."""

    def change(manifest):
        _both(manifest, "trials", trials)
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert "guarantee" in codes(records, allow_test_seed=True)


@pytest.mark.parametrize(
    ("key", "value"),
    [("epsilon0", "0.1"), ("epsilon0", "50.0"), ("trials", 4), ("gamma", "4.0"), ("gamma", "1.1"), ("k", 13)],
)
def test_a_number_of_the_test_changed_in_the_event_alone(records, key, value):
    """Less noise on the threshold than the guarantee needs, or so much that δ is exceeded; what the parameters do not say."""

    def change(manifest):
        output(manifest, "randomized")["event"]["events"][1][key] = value

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True) == {"guarantee"}


def test_a_cheaper_test_told_with_everything_that_follows(records):
    """What no auditor can see: γ, ε₀ and k are the curator's word, and the claim follows from them."""

    def change(manifest):
        for key, value in (("gamma", "1.1"), ("epsilon0", "1.2"), ("k", 20)):
            _both(manifest, key, value)
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True) == set()


@pytest.mark.parametrize("name", ["tree", "plain", "randomized"])
def test_copies_left_out_of_records_that_are_said_to_be_private(records, name):
    forge_carefully(records, _set(name, "copies", "exclude"))
    assert codes(records, allow_test_seed=True) == {"guarantee"}


def test_records_counted_by_a_randomized_test(records):
    forge_carefully(records, _set("randomized", "counted", "record"))
    assert codes(records, allow_test_seed=True) == {"guarantee"}


def test_a_model_per_task_without_a_task(records):
    forge_carefully(records, _set("tree", "task", False))
    assert codes(records, allow_test_seed=True) == {"manifest"}
    forge_carefully(records, _set("plain", "per_task", True))
    assert {"missing", "unlisted"} <= codes(records, allow_test_seed=True)


def test_a_task_that_has_bins_and_no_labels(records):
    forge_carefully(records, _set("kept", "task", True))
    assert codes(records, allow_test_seed=True) == {"manifest"}


@pytest.mark.parametrize("note", [1, 0x7FFFF, 1 << 63])
def test_a_note_in_a_missing_value(records, note):
    """Any of 2⁵² NaNs would be one; a value's last bit, too, is not anyone's to choose."""
    path = "/outputs/tree/value/left_mm"
    with h5py.File(records, "r+") as file:
        bits = file[path][()].view(np.uint64)
        missing = np.flatnonzero(np.isnan(bits.view(np.float64)))
        assert missing.size
        bits[missing[0]] ^= np.uint64(note)
        assert np.isnan(bits.view(np.float64)[missing[0]])
        file[path][...] = bits.view(np.float64)
    reseal(records)
    assert codes(records, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/outputs/tree/category/left_mm", np.int32), ("/outputs/plain/noisy/left_mm", np.int16)],
)
def test_integers_of_another_type_than_theirs(records, path, kind):
    put_values(records, {path: lambda values: values.astype(kind)})
    assert codes(records, allow_test_seed=True) == {"derived"}


def _attribute(of, number, /, **changes):
    def change(manifest):
        attribute = output(manifest, of)["mechanism"]["parameters"]["attributes"][number]
        for key, value in changes.items():
            attribute[key] = value(attribute[key]) if callable(value) else value

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        # The task may be missing; with a category for it, or in place of its last one.
        (_attribute("exact", 0, missing=True, categories=4), "manifest"),
        (_attribute("exact", 0, missing=True, labels=lambda labels: labels[:2]), "manifest"),
        (_attribute("exact", 0, labels=None, low=0.0, high=1.0), "missing"),
        # Labels that are not the categories.
        (_attribute("exact", 0, labels=lambda labels: labels[:2]), "manifest"),
        (_attribute("exact", 0, labels=lambda labels: [*labels, "bored"]), "manifest"),
        (_attribute("kept", 3, labels=lambda labels: [*labels, "bored"], categories=4), "derived"),
        # A missing value told as a value, and a value as a missing one.
        (_attribute("tree", 3, missing=False), "derived"),
        (_attribute("kept", 0, missing=True), "derived"),
        (_attribute("tree", 4, missing=False), "manifest"),
        (_attribute("kept", 3, missing=True), "manifest"),
        # Bounds and bins that the values do not have.
        (_attribute("kept", 0, high=9.0), "derived"),
        (_attribute("exact", 1, low=None), "manifest"),
        (_attribute("exact", 1, categories=10**6), "derived"),
        (_attribute("kept", 1, categories=10**6), "derived"),
        (_attribute("kept", 1, categories=0), "manifest"),
        (_attribute("kept", 1, name="left_mm"), "manifest"),
    ],
)
def test_attributes_that_are_not_those_of_the_values(records, change, code):
    forge_carefully(records, change)
    assert code in codes(records, allow_test_seed=True)


@pytest.mark.parametrize(
    "change",
    [
        _set("kept", "order", [0, 1, 2, 2]),
        _set("kept", "order", [0, 1, 2, 4]),
        _set("kept", "order", [0, 1, 2]),
        _set("exact", "order", [1, 0, 2, 3]),
    ],
)
def test_an_order_that_is_none(records, change):
    forge_carefully(records, change)
    assert "manifest" in codes(records, allow_test_seed=True)


@pytest.mark.parametrize("resampled", [[4], [0], [], [5], [2**62]])
def test_more_attributes_drawn_than_there_are(records, resampled):
    """Of four one is the task's label, which is never drawn."""
    forge_carefully(records, _set("exact", "resampled", resampled))
    assert codes(records, allow_test_seed=True) & {"guarantee", "manifest"}


@pytest.mark.quick
@pytest.mark.parametrize("name", ["tree", "kept", "exact", "randomized"])
@pytest.mark.parametrize("k", [81, 2**40])
def test_more_plausible_people_than_there_are(records, name, k):
    def change(manifest):
        output(manifest, name)["mechanism"]["parameters"]["k"] = k
        event = output(manifest, name)["event"]
        for leaf in event.get("events", [event]):
            if leaf["type"] == "deniability_test":
                leaf["k"] = k
        if k < 2**40:
            recompute_claims(manifest)

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True) & {"guarantee", "manifest"}


def test_more_plausible_seeds_than_seeds(records):
    """41 of 40 seeds: no plan allows it, no candidate could pass, and the larger k makes a cheaper claim."""

    def change(manifest):
        _both(manifest, "k", 41)
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True) == {"guarantee"}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("randomized", {"rows": 10**10}),
        ("kept", {"rows": 10**10}),
        ("tree", {"rows": 10**9}),
        ("randomized", {"k": 10**6}),
        ("randomized", {"gamma": 1e300}),
    ],
)
def test_huge_numbers_are_refused(records, name, changes):
    def change(manifest):
        p = output(manifest, name)["mechanism"]["parameters"]
        p.update(changes)
        for leaf in output(manifest, name)["event"].get("events", []):
            if leaf["type"] == "deniability_test":
                leaf.update({"k": p["k"], "gamma": repr(float(p["gamma"]))})
                if "trials" in leaf:
                    leaf["trials"] = p["rows"]

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("epsilon0", "1e400"),
        ("epsilon0", "0"),
        ("gamma", "1"),
        ("gamma", "1e999"),
        ("epsilon0", "1e-320"),
        ("epsilon0", "800"),
    ],
)
def test_numbers_beyond_all_measure(records, key, value):
    def change(manifest):
        output(manifest, "randomized")["event"]["events"][1][key] = value

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True)


def test_another_neighbouring_relation_halves_the_claims_of_records(records):
    """Records need the number of people to be public, and say it."""

    def change(manifest):
        manifest["privacy"]["neighbours"] = "add-remove-one"
        manifest["privacy"]["people"] = None
        for entry in manifest["outputs"]:
            entry["mechanism"]["public_inputs"]["people"] = None
            if entry["sensitivity"] is not None and entry["sensitivity"]["norm"] == "l1":
                leaf = entry["event"].get("events", [entry["event"]])[0]
                halved = str(int(leaf["sensitivity"]["value"]) // 2)
                leaf["sensitivity"]["value"] = entry["sensitivity"]["value"] = halved
        recompute_claims(manifest)

    forge_carefully(records, change)
    assert codes(records, allow_test_seed=True)


def test_of_all_combinations_only_what_mechanisms_do_is_accepted(records):
    """Model, fit, threshold, its numbers and the event, each with each: 3500 manifests, of which eight are true of something."""
    kept = output(read_manifest(records), "kept")
    noise, test = kept["event"]["events"]
    m = len(kept["mechanism"]["parameters"]["attributes"])
    rows = kept["mechanism"]["parameters"]["rows"]
    randomized = _randomized_test(read_manifest(records), k=3, gamma="4.0", trials=rows)
    vacuous = {**test, "vacuous": True}
    made_of = {
        "noise": (None, noise),
        "test": (None, test),
        "vacuous test": (None, vacuous),
        "randomized": (None, randomized),
        "noise, test": ("composed", noise, test),
        "noise, vacuous test": ("composed", noise, vacuous),
        "noise, randomized": ("composed", noise, randomized),
        "noise | test": ("disjoint", noise, test),
        "noise | randomized": ("disjoint", noise, randomized),
        "noise | randomized | randomized": ("disjoint", noise, randomized, randomized),
        "noise |": ("disjoint", noise),
        "randomized |": ("disjoint", randomized),
    }
    true = {
        ("marginals", "dp", None, None, None, None, "keep", "noise"),
        *(("marginals", "exact", "fixed", 3, 4.0, "person", c, "vacuous test") for c in ("keep", "exclude")),
        *(("seeded", "dp", "fixed", 3, 4.0, "person", c, "noise, test") for c in ("keep", "exclude")),
        *(("seeded", "exact", "fixed", 3, 4.0, "person", c, "test") for c in ("keep", "exclude")),
        ("seeded", "dp", "randomized", 3, 4.0, "person", "keep", "noise | randomized"),
    }
    accepted = set()
    for one in itertools.product(
        ("marginals", "seeded"),
        ("dp", "exact"),
        (None, "fixed", "randomized"),
        (None, 3),
        (None, 4.0),
        (None, "person", "record"),
        ("keep", "exclude"),
        made_of,
    ):
        name, fit, threshold, k, gamma, counted, copies, event = one
        several, *events = made_of[event]
        said = {
            "fit": fit,
            "threshold": threshold,
            "k": k,
            "gamma": gamma,
            "counted": counted,
            "copies": copies,
            "resampled": [m] if name == "marginals" else [2],
        }
        entry = {
            **kept,
            "mechanism": {
                **kept["mechanism"],
                "name": name,
                "parameters": {**kept["mechanism"]["parameters"], **said},
            },
            "event": events[0] if several is None else {"type": several, "events": events},
            "noise": kept["noise"] if fit == "dp" else None,
            "sensitivity": kept["sensitivity"] if fit == "dp" else None,
        }
        integers = noise["count"] if fit == "dp" else 0
        relation = Neighbours.REPLACE_ONE
        if not list(event_faults(entry, neighbours=relation, integers=integers)):
            accepted.add(one)
    assert accepted == true


@pytest.mark.thorough
def test_a_manifest_cannot_make_verify_say_more_than_the_file_has(records):
    """300 invented attributes are 45 000 pairs, 10 000 of them 50 million: ten minutes and 20 GB for a file of 700 kB."""

    def change(manifest):
        attributes = output(manifest, "tree")["mechanism"]["parameters"]["attributes"]
        attributes[1:] = [{**attributes[1], "name": f"a{i}"} for i in range(300)]

    forge_carefully(records, change)
    assert len(verify(records, allow_test_seed=True).findings) < 1000


def test_what_only_three_attributes_together_tell_is_not_seen():
    """A limit that docs/reference/format.md states: attributes are compared one by one and in pairs."""
    half = np.array([0.5, 0.5])
    independent = Network((0, 1, 2), ((),) * 3, (half,) * 3)
    one, other = np.random.default_rng(8).integers(0, 2, (2, 100_000))
    assert not foreign_to_network([one, other, one ^ other], independent)


def test_counts_of_a_randomized_release_are_bounded_by_the_people_who_made_its_model(records):
    entry = output(synthrelease.open_bundle(records, allow_test_seed=True).manifest, "randomized")
    test = entry["event"]["events"][1]
    modelled = entry["mechanism"]["public_inputs"]["people"] - test["seeds"]
    assert 0 < modelled < entry["mechanism"]["public_inputs"]["people"]
    assert parameters_of(entry).most_counts(from_json(entry["event"])) == modelled * HALF_RANGE


# --- areas


@pytest.fixture(scope="session")
def areas_bytes(tmp_path_factory):
    """Return the bytes of a release of a study of areas, built once."""
    folder = tmp_path_factory.mktemp("areas")
    built = synthrelease.build(write_areas_study(folder), folder / "release.h5")
    return built.path.read_bytes()


@pytest.fixture
def parts(areas_bytes, tmp_path):
    """Return the path of a copy of that release that the test may damage."""
    path = tmp_path / "release.h5"
    path.write_bytes(areas_bytes)
    return path


def _stimulus(path, dataset, stimulus):
    """The index of a stimulus in a dataset."""
    parameters = output(read_manifest(path), dataset.split("/")[2])["mechanism"]["parameters"]
    return parameters["stimuli"].index(stimulus)


def _viewers(name, count):
    def change(manifest):
        public = output(manifest, name)["mechanism"]["public_inputs"]
        public["viewers"] = count(public["viewers"])

    return change


def test_an_honest_release_of_areas_is_accepted_whoever_derives_its_shares(parts):
    assert codes(parts) == set()
    derive_again(parts)
    assert codes(parts) == set()


@pytest.mark.quick
@pytest.mark.parametrize(
    ("path", "stimulus"),
    [
        ("/outputs/visits/dwell/shares", "coast"),
        ("/outputs/visits/transitions/shares", "street.jpg"),
        ("/outputs/dwell/dwell/shares", "garden"),
    ],
)
@pytest.mark.parametrize("change", ["more", "swapped", "diagonal", "not a number"])
def test_shares_that_do_not_follow_from_the_noised_ones(parts, path, stimulus, change):
    index = _stimulus(parts, path, stimulus)
    with h5py.File(parts, "r+") as file:
        shares = file[path][index]
        if change == "more":
            shares.flat[1] += 0.001
        elif change == "swapped":
            shares = shares[::-1].copy()
        elif change == "diagonal":
            shares.flat[0] += 1e-5
        else:
            shares.flat[1] = np.nan
        file[path][index] = shares
    reseal(parts)
    assert codes(parts) == {"derived"}


@pytest.mark.parametrize("what", ["dwell", "transitions"])
def test_noised_shares_changed_under_what_follows_from_them(parts, what):
    with h5py.File(parts, "r+") as file:
        noisy = file[f"/outputs/visits/{what}/noisy"]
        noisy[(0,) * noisy.ndim] += 9 * HALF_RANGE
        noisy[(0, -1, 0)[: noisy.ndim]] -= 9 * HALF_RANGE
    reseal(parts)
    assert codes(parts) == {"derived"}


@pytest.mark.parametrize(
    "shape",
    [(3, 3, 3), (3, 5, 5), (3, 4, 5), (2, 4, 4), (4, 4, 4), (3, 16), (48,), (3, 4, 4, 1), (1, 3, 4, 4)],
)
def test_transitions_of_another_size(parts, shape):
    put_values(parts, {"/outputs/visits/transitions/noisy": lambda values: np.resize(values, shape)})
    assert codes(parts) == {"derived"}


@pytest.mark.parametrize("name", ["visits", "dwell"])
@pytest.mark.parametrize(
    ("count", "code"),
    [
        (lambda v: [n + 5 for n in v], "derived"),
        (lambda v: [v[0] - 1, *v[1:]], "derived"),
        (lambda v: v[:-1], "manifest"),
        (lambda v: [*v, 3], "manifest"),
        (lambda _: [], "derived"),
        (lambda _: None, "derived"),
        (lambda v: [51, *v[1:]], "derived"),
        (lambda v: [-1, *v[1:]], "manifest"),
    ],
)
def test_false_viewers(parts, name, count, code):
    forge(parts, _viewers(name, count))
    assert codes(parts) & {code, "manifest"}


@pytest.mark.parametrize(
    "count", [lambda _: None, lambda _: [], lambda v: [51, *v[1:]], lambda v: [50] * len(v)]
)
def test_viewers_that_cannot_be_with_all_that_follows(parts, count):
    """None where they are public; more than there are people; more than people may count on so many stimuli."""
    forge(parts, _viewers("visits", count))
    derive_again(parts)
    assert "manifest" in codes(parts)


@pytest.mark.parametrize("name", ["visits", "dwell"])
def test_too_few_viewers_with_all_that_follows(parts, name):
    """The integers themselves tell: they are more than so few people can make them."""
    forge(parts, _viewers(name, lambda v: [0] * len(v)))
    derive_again(parts)
    assert codes(parts) == {"sensitivity"}


@pytest.mark.parametrize("name", ["visits", "dwell"])
def test_sensitivity_of_areas_halved_and_everything_that_follows_recomputed(parts, name):
    def change(manifest):
        entry = output(manifest, name)
        value = entry["sensitivity"]["value"]
        halved = scaled(value, 0.5) if "." in value else str(int(value) // 2)
        entry["sensitivity"]["value"] = entry["event"]["sensitivity"]["value"] = halved
        recompute_claims(manifest)

    forge_carefully(parts, change)
    assert codes(parts) == {"sensitivity"}


@pytest.mark.parametrize("name", ["visits", "dwell"])
def test_noise_of_areas_overstated_where_every_number_agrees_with_it(parts, name):
    def change(manifest):
        entry = output(manifest, name)
        entry["noise"]["scale"] = entry["event"]["scale"] = scaled(entry["noise"]["scale"], 1e4)
        recompute_claims(manifest)

    forge_carefully(parts, change)
    assert codes(parts) == {"noise"}


def _area(number, **changes):
    def change(manifest):
        output(manifest, "visits")["mechanism"]["parameters"]["areas"][number].update(changes)

    return change


def _reversed_areas(manifest):
    output(manifest, "visits")["mechanism"]["parameters"]["areas"].reverse()


def _one_area_more(manifest):
    areas = output(manifest, "visits")["mechanism"]["parameters"]["areas"]
    areas.insert(0, {**areas[0], "name": "window"})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_rename("visits", "gaussian"), "noise"),
        (_rename("dwell", "laplace"), "noise"),
        (_rename("visits", "spectral"), "manifest"),
        (_set("visits", "max_stimuli_per_person", 1), "sensitivity"),
        (_set("visits", "max_stimuli_per_person", 4), "manifest"),
        (_set("visits", "transitions", False), "unlisted"),
        (_set("dwell", "transitions", True), "missing"),
        (_set("visits", "assignment_public", False), "manifest"),
        (_set("visits", "half_range_grid_units", 1), "manifest"),
        (_set("visits", "stimuli", ["coast", "garden"]), "derived"),
        (_set("visits", "stimuli", ["coast", "garden", "desert"]), "manifest"),
        (_set("visits", "areas", []), "manifest"),
        (_reversed_areas, "manifest"),
        (_one_area_more, "derived"),
        (_area(0, name="roof"), "manifest"),
        (_area(0, name="elsewhere"), "manifest"),
        (_area(-1, name="other"), "manifest"),
        (_area(-1, shape="label", label=1), "manifest"),
        (_area(-1, coordinates=[[0, 0], [1, 1]]), "manifest"),
        (_area(0, shape=None, coordinates=None), "manifest"),
        (_area(0, shape="polygon"), "manifest"),
        (_area(0, shape="label"), "manifest"),
        (_area(0, shape="label", label=3), "manifest"),
        (_area(0, label=3), "manifest"),
        (_area(0, coordinates=None), "manifest"),
        (_area(1, shape="rectangle"), "manifest"),
        (_area(2, stimuli=["desert"]), "manifest"),
        (_area(2, name="two\nlines"), "manifest"),
    ],
)
def test_areas_that_contradict_each_other(parts, change, code):
    forge_carefully(parts, change)
    assert code in codes(parts)


@pytest.mark.parametrize(
    "fact",
    [
        {"code": "assumed-names", "fields": {"output": "visits", "noun": "stimuli"}},
        {"code": "assignment", "fields": {"output": "dwell"}},
    ],
)
def test_a_public_fact_of_areas_that_is_not_told(parts, fact):
    def forget(manifest):
        manifest["privacy"]["not_protected"].remove(fact)

    forge_carefully(parts, forget)
    assert codes(parts) == {"guarantee"}


def test_a_disjoint_or_private_choice_among_areas(parts):
    def change(manifest):
        entry = output(manifest, "visits")
        entry["event"] = {"type": "disjoint", "events": [entry["event"]]}
        recompute_claims(manifest)

    forge_carefully(parts, change)
    assert "guarantee" in codes(parts)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("bundle_name", "name"),
    [
        ("heatmaps", "capped"),
        ("signals", "cfpa"),
        ("statistics", "all"),
        ("records", "kept"),
        ("records", "randomized"),
    ],
)
def test_events_stand_in_the_order_in_which_they_happened(tmp_path, bundle_name, name):
    """Another order says the same, and would be a place to hide something in."""
    golden = Path(__file__).parents[1] / "golden" / "bundles" / f"{bundle_name}.h5"
    bundle = tmp_path / "r.h5"
    bundle.write_bytes(golden.read_bytes())
    forge(bundle, lambda manifest: output(manifest, name)["event"]["events"].reverse())
    assert codes(bundle) == {"manifest"}
