"""Forged bundles, resealed and redigested as a forger would: each must be refused for what is forged, not for the seal."""

import json

import h5py
import numpy as np
import pytest

from synthrelease.bundle import hdf5, reseal, verify
from synthrelease.bundle.layout import TEST_SEED_WORDS


def read_manifest(path):
    with h5py.File(path, "r") as file:
        return json.loads(file["/manifest"][()].tobytes())


def forge(path, change):
    """Apply `change` to the manifest and renew digests and seal."""
    manifest = read_manifest(path)
    change(manifest)
    reseal(path, manifest)


def output(manifest, name):
    return next(o for o in manifest["outputs"] if o["name"] == name)


def codes(path, **options):
    return {finding.code for finding in verify(path, **options).findings}


def scaled(number, factor):
    return repr(float(number) * factor)


def test_resealing_an_honest_bundle_changes_nothing_for_verify(bundle):
    reseal(bundle)
    assert verify(bundle).ok


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_epsilon_of_an_output_halved(bundle, name):
    def change(manifest):
        output(manifest, name)["guarantee"]["epsilon"] /= 2

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_epsilon_of_the_release_halved(bundle):
    def change(manifest):
        manifest["privacy"]["guarantee"]["epsilon"] /= 2

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_epsilon_of_the_release_slightly_lowered(bundle):
    def change(manifest):
        manifest["privacy"]["guarantee"]["epsilon"] *= 0.9999

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_delta_lowered_at_the_same_epsilon(bundle):
    def change(manifest):
        manifest["privacy"]["guarantee"]["delta"] /= 1000

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_sensitivity_halved_and_everything_that_follows_recomputed(bundle, name):
    def change(manifest):
        entry = output(manifest, name)
        value = entry["sensitivity"]["value"]
        halved = scaled(value, 0.5) if "." in value else str(int(value) // 2)
        entry["sensitivity"]["value"] = entry["event"]["sensitivity"]["value"] = halved
        _recompute_claims(manifest)

    forge(bundle, change)
    assert codes(bundle) == {"sensitivity"}


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_noise_scale_doubled_in_the_manifest_alone(bundle, name):
    def change(manifest):
        entry = output(manifest, name)
        entry["noise"]["scale"] = entry["event"]["scale"] = scaled(entry["noise"]["scale"], 2)

    forge(bundle, change)
    assert {"guarantee", "noise"} <= codes(bundle)


@pytest.mark.parametrize("name", ["maps", "signals", "table", "summary"])
def test_noise_scale_doubled_where_every_number_agrees_with_it(bundle, name):
    """Only the integers themselves can tell: they are too small for the stated noise, where there are enough of them."""

    def change(manifest):
        entry = output(manifest, name)
        factor = 2 if name == "maps" else 1e4  # a few integers with a signal in them refute less
        entry["noise"]["scale"] = entry["event"]["scale"] = scaled(entry["noise"]["scale"], factor)
        _recompute_claims(manifest)

    forge(bundle, change)
    assert codes(bundle) == {"noise"}


def _recompute_claims(manifest):
    """Make every derived number of the manifest agree with its events, as a careful forger would."""
    from synthrelease.bundle import claims
    from synthrelease.privacy import accounting
    from synthrelease.privacy import event as events
    from synthrelease.privacy.guarantee import Neighbours

    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    recorded = []
    for entry in manifest["outputs"]:
        event = events.from_json(entry["event"])
        recorded.append(event)
        if entry["noise"] is not None:
            noise = next(e for e in events.flatten(event) if hasattr(e, "standard_deviation"))
            entry["noise"]["standard_deviation"] = repr(noise.standard_deviation)
        delta = entry["guarantee"].get("delta", 0.5)
        entry["guarantee"] = claims.output_guarantee(event, delta=delta, neighbours=neighbours).to_json()
    delta = manifest["privacy"]["guarantee"].get("delta", 0.5)
    budget = manifest["privacy"]["budget"]["epsilon"]
    total, _ = accounting.compose_private(recorded, delta=delta, neighbours=neighbours, budget=budget)
    manifest["privacy"]["guarantee"] = total.to_json()


def test_contribution_bound_understated_together_with_its_sensitivity_shows_in_the_event(bundle):
    def change(manifest):
        output(manifest, "maps")["mechanism"]["parameters"]["max_samples_per_stimulus"] = 5

    forge(bundle, change)
    assert codes(bundle) == {"sensitivity"}


def test_hidden_test_seed(study):
    import synthrelease

    path = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=1).path
    assert codes(path) == {"test-seed"}
    assert codes(path, allow_test_seed=True) == set()

    def hide(manifest):
        manifest["randomness"] = {"source": "operating system, AES-256-CTR", "test_seed": False}

    forge(path, hide)
    assert codes(path, allow_test_seed=True) == {"test-seed"}


def test_hidden_test_seed_and_its_warning(study):
    import synthrelease

    path = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=1).path

    def hide(manifest):
        manifest["randomness"] = {"source": "operating system, AES-256-CTR", "test_seed": False}
        manifest["warnings"] = [w for w in manifest["warnings"] if "TEST SEED" not in w]

    forge(path, hide)
    assert TEST_SEED_WORDS.encode() in path.read_bytes()[:512]
    assert codes(path, allow_test_seed=True) == {"test-seed"}


def test_an_output_that_the_manifest_does_not_list(bundle):
    with h5py.File(bundle, "r+") as file:
        hdf5._store(file, "/outputs/extra/raw", np.arange(12))
    reseal(bundle)
    assert codes(bundle) == {"unlisted"}


def test_an_extra_dataset_inside_a_listed_output(bundle):
    with h5py.File(bundle, "r+") as file:
        hdf5._store(file, "/outputs/maps/garden/raw", np.arange(12))
    reseal(bundle)
    assert codes(bundle) == {"unlisted"}


def test_an_extra_dataset_listed_among_the_paths(bundle):
    with h5py.File(bundle, "r+") as file:
        hdf5._store(file, "/outputs/maps/garden/raw", np.arange(12))

    def change(manifest):
        output(manifest, "maps")["paths"].append("/outputs/maps/garden/raw")
        output(manifest, "maps")["paths"].sort()

    forge(bundle, change)
    assert codes(bundle) == {"unlisted"}


def test_an_empty_group_that_belongs_to_nothing(bundle):
    with h5py.File(bundle, "r+") as file:
        file.create_group("/outputs/extra")
    reseal(bundle)
    assert codes(bundle) == {"unlisted"}


def test_a_dataset_taken_away(bundle):
    with h5py.File(bundle, "r+") as file:
        del file["/outputs/maps/garden/heatmap"]
    reseal(bundle)
    assert codes(bundle) == {"missing"}


@pytest.mark.parametrize(
    "path",
    [
        "/outputs/maps/garden/heatmap",
        "/outputs/signals/read/size_mm/values",
        "/outputs/summary/mean/size_mm/value",
        "/outputs/summary/histogram/blink_hz/value",
    ],
)
def test_a_derived_value_that_does_not_follow_from_the_noised_integers(bundle, path):
    with h5py.File(bundle, "r+") as file:
        values = file[path][()]
        values.flat[0] += 0.01 * np.abs(values).max()
        file[path][...] = values
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_noised_integers_changed_under_their_heatmap(bundle):
    with h5py.File(bundle, "r+") as file:
        file["/outputs/maps/garden/noised"][0, 0] += 50
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_a_value_outside_the_bin_of_its_category(bundle):
    with h5py.File(bundle, "r+") as file:
        file["/outputs/seeded/size_mm/value"][0] = 7.999
        file["/outputs/seeded/size_mm/category"][0] = 0
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_a_category_that_does_not_exist(bundle):
    with h5py.File(bundle, "r+") as file:
        file["/outputs/seeded/recording/category"][0] = 2
    reseal(bundle)
    assert codes(bundle) == {"derived"}


def test_unprotected_output_not_named(bundle):
    def change(manifest):
        entries = manifest["privacy"]["not_protected"]
        manifest["privacy"]["not_protected"] = [e for e in entries if e["what"] != "output seeded"]

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_deniability_called_differential_privacy(bundle):
    def change(manifest):
        entry = output(manifest, "seeded")
        entry["guarantee"] = {**output(manifest, "signals")["guarantee"], "epsilon": 0.1}

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_k_overstated(bundle):
    def change(manifest):
        entry = output(manifest, "seeded")
        entry["guarantee"]["k"] = entry["event"]["k"] = 300
        entry["mechanism"]["parameters"]["k"] = 300

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_vacuous_test_hidden(bundle):
    def change(manifest):
        entry = output(manifest, "seeded")
        entry["mechanism"]["parameters"]["resampled"] = [len(entry["mechanism"]["parameters"]["attributes"])]

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_claim_beyond_the_budget(bundle):
    def change(manifest):
        manifest["privacy"]["budget"]["epsilon"] = 0.5

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


def test_number_of_people_left_out_where_it_is_public(bundle):
    def change(manifest):
        manifest["privacy"]["people"] = None

    forge(bundle, change)
    assert codes(bundle) == {"manifest"}


def test_unknown_field_in_the_manifest(bundle):
    def change(manifest):
        manifest["privacy"]["certified_by"] = "nobody"

    forge(bundle, change)
    assert codes(bundle) == {"manifest"}


def test_missing_field_in_the_manifest(bundle):
    def change(manifest):
        del manifest["outputs"][0]["event"]

    forge(bundle, change)
    assert codes(bundle) == {"manifest"}


def test_ball_radius_understated_with_everything_that_follows(bundle):
    def change(manifest):
        output(manifest, "signals")["mechanism"]["parameters"]["bound_steps"] = 1

    forge(bundle, change)
    assert codes(bundle) == {"sensitivity"}


def test_bound_of_samples_understated_where_every_number_agrees_with_it(study):
    """The counts themselves tell, if there is little noise: more than all people may contribute under the stated bound."""
    import synthrelease
    from synthrelease.privacy import event as events
    from synthrelease.privacy.guarantee import Neighbours
    from synthrelease.privacy.sensitivity import gaze_maps

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
        _recompute_claims(manifest)

    study.plan.write_text(study.plan.read_text().replace("epsilon = 4.0", "epsilon = 80.0"))
    path = synthrelease.build(study.plan, study.folder / "r.h5").path
    assert codes(path) == set()
    forge(path, change)
    assert codes(path) == {"sensitivity"}


def test_seeded_records_told_as_draws_from_noised_marginals(tmp_path):
    """Two of three attributes are copied from seeds, where they go together: draws from marginals do not."""
    import synthrelease

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
        entry = output(manifest, "seeded")
        entry["mechanism"]["name"] = "marginals"
        entry["mechanism"]["parameters"]["resampled"] = [len(entry["mechanism"]["parameters"]["attributes"])]
        entry["event"] = entry["event"]["events"][0]
        manifest["privacy"]["composition"]["outputs"].append("seeded")
        told = manifest["privacy"]["not_protected"]
        manifest["privacy"]["not_protected"] = [e for e in told if e["what"] != "output seeded"]
        manifest["privacy"]["composition"]["method"] = "sum of epsilons"
        _recompute_claims(manifest)

    forge(path, change)
    assert codes(path, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("stimuli of maps", None),
        ("people", None),
        ("assignment of maps", ("assignment_public", True)),
    ],
)
def test_a_public_fact_that_is_not_told(bundle, what, change):
    def forget(manifest):
        if change is not None:
            output(manifest, "maps")["mechanism"]["parameters"][change[0]] = change[1]
        told = manifest["privacy"]["not_protected"]
        manifest["privacy"]["not_protected"] = [e for e in told if e["what"] != what]

    forge(bundle, forget)
    assert "guarantee" in codes(bundle)
    messages = [f.message for f in verify(bundle).findings if f.where == "privacy/not_protected"]
    assert len(messages) == 1
    assert what in messages[0]


@pytest.mark.parametrize("people", [29, 1, 1_000_000])
def test_number_of_people_that_is_not_possible(bundle, people):
    def change(manifest):
        manifest["privacy"]["people"] = people

    forge(bundle, change)
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
        (_rename("signals", "lpa"), "noise"),
        (_set("maps", "calibration", "liu2019"), "manifest"),
        (_set("seeded", "order", [0, 0, 1]), "manifest"),
        (_set("seeded", "resampled", [3]), "guarantee"),
        (_labels, "manifest"),
        (_date, "manifest"),
        (_version, "manifest"),
    ],
)
def test_fields_that_contradict_each_other(bundle, change, code):
    forge(bundle, change)
    assert code in codes(bundle)


def test_a_cell_that_is_larger_than_all_people_may_make_it(bundle):
    """Half the noise scale, one hot cell: the sum hides it, the cell does not."""
    scale = float(output(read_manifest(bundle), "maps")["noise"]["scale"])
    with h5py.File(bundle, "r+") as file:
        noised = file["/outputs/maps/garden/noised"][()]
        noised[0, 0] = 30 + 20 * scale
        file["/outputs/maps/garden/noised"][...] = noised
        from synthrelease.maths import derived

        shown = derived.heatmap(noised, people=30, blur_px=5, screen_px=(80, 60))
        file["/outputs/maps/garden/heatmap"][...] = shown.astype(np.float32)
    reseal(bundle)
    assert codes(bundle) == {"sensitivity"}


def test_a_reassuring_reason_for_an_unprotected_output(bundle):
    def change(manifest):
        for entry in manifest["privacy"]["not_protected"]:
            if entry["what"] == "output seeded":
                entry["reason"] = "differentially private with ε = 0.01"

    forge(bundle, change)
    assert codes(bundle) == {"guarantee"}


@pytest.mark.parametrize("name", ["maps", "signals"])
def test_sensitivity_halved_in_the_event_alone(bundle, name):
    """What is shown stays honest, what the guarantee is computed from does not."""

    def change(manifest):
        entry = output(manifest, name)["event"]["sensitivity"]
        value = entry["value"]
        entry["value"] = scaled(value, 0.5) if "." in value else str(int(value) // 2)
        _recompute_claims(manifest)

    forge(bundle, change)
    assert codes(bundle) == {"sensitivity"}
