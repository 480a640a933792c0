"""What changed between two releases: every change is told, the guarantee is never flattered, used noise is found."""

import copy
import itertools
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from goldens import check_text, figures
from invented_study import write_areas_study, write_heatmaps_study, write_study
from paid_study import grant, write_gaze, write_paid_study
from refusals import refused

import synthrelease
from synthrelease.bundle import disclosure, open_bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS, digest
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.strength import RelativeStrength
from synthrelease.errors import BundleError
from synthrelease.reports.difference import difference
from synthrelease.schemas import schema, validator

COMPLETED = {"code": "completed-values", "fields": {"output": "signals"}}  # a fact that is not protected
LEDGER = {
    "dataset_id": "a" * 32,
    "entry": "b" * 64,
    "delta": 1e-5,
    "spent_before": 0,
    "spent_here": 1,
    "spent_after": 1,
}


class Held:
    """A release in memory."""

    def __init__(self, manifest, arrays):
        self.manifest, self.arrays = manifest, arrays

    def __getitem__(self, name):
        return self.arrays[name]

    def copy(self):
        return Held(copy.deepcopy(self.manifest), {name: dict(own) for name, own in self.arrays.items()})

    def put(self, name, key, array):
        self.arrays[name][key] = array
        self.manifest["digests"][f"/outputs/{name}/{key}"] = digest(array)


def held(path):
    opened = open_bundle(path, allow_test_seed=True)
    return Held(opened.manifest, {name: dict(opened[name]) for name in opened.names})


def output(release, name):
    return next(o for o in release.manifest["outputs"] if o["name"] == name)


def text_of(told):
    return str(replace(told, files=("a.h5", "b.h5")))


def section(text, head):
    """A head at the start of a line, and what stands below it."""
    lines = text.split("\n")
    number = next(number for number, line in enumerate(lines) if line.startswith(head))
    below = itertools.takewhile(lambda line: line.startswith(" "), lines[number + 1 :])
    return "\n".join([lines[number], *below])


def check_texts(name, parts):
    check_text(f"diff/{name}", "\n\n".join(f"[{case}]\n{text}" for case, text in parts.items()))


@pytest.fixture(scope="module")
def original(bundle_bytes, tmp_path_factory):
    path = tmp_path_factory.mktemp("difference") / "release.h5"
    path.write_bytes(bundle_bytes)
    return held(path)


def build_seeded(folder, *changes, write=write_study, seed=7, name="r", **options):
    folder.mkdir(exist_ok=True)
    plan = write(folder, **options)
    text = plan.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    plan.write_text(text)
    return held(synthrelease.build(plan, folder / f"{name}.h5", test_seed=seed).path)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A release that is the same each time."""
    return as_real(build_seeded(tmp_path_factory.mktemp("kept")))


def as_real(release):
    """A release of a fixed day, as if the operating system's noise were in it."""
    manifest = release.manifest
    manifest["release"]["date"] = "2026-01-02"
    manifest["randomness"] = {"source": "operating system, AES-256-CTR", "test_seed": False}
    manifest["warnings"] = [one for one in manifest["warnings"] if one["code"] != "test-seed"]
    return release


@pytest.fixture
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")


# ---- nothing is lost


def test_a_release_and_itself_do_not_differ(original):
    told = difference(original, original.copy())
    assert told.same
    assert told.to_json()["same"] is True
    assert told.to_json()["changes"] == told.to_json()["values"][0]["other"] == []
    assert told.guarantee.verdict is RelativeStrength.EQUAL
    assert not told.redrawn
    assert not told.hazards
    assert figures(section(text_of(told), "Same")) == [5, len(original.manifest["digests"])]


@pytest.mark.usefixtures("wide")
def test_whole_texts(kept, tmp_path):
    """Of the same release, of one with another title, of one with other outputs, of one by another plan, and of noise that was used twice."""
    corrected = kept.copy()
    corrected.manifest["release"].update(title="A corrected study", version="1.0.1")
    del corrected.manifest["release"]["contact"]
    others = corrected.copy()
    output(others, "maps")["name"] = "views"
    others.arrays["views"] = others.arrays.pop("maps")
    others.manifest["outputs"].reverse()
    others.manifest["digests"]["/outputs/mapsy/x"] = "0" * 64
    others.manifest["privacy"]["not_protected"].append(COMPLETED)
    others.manifest["warnings"].append({"code": "rows-left-out", "fields": {}})
    changes = (
        ("epsilon = 4.0", "epsilon = 6.0"),
        ("bins = 4", "bins = 3"),
        ('"1.0.0"', '"1.1.0"'),
        ("blur_px = 5", "blur_px = 7"),
        ('statistics = ["count", "mean", "histogram"]', 'statistics = ["mean"]'),
    )
    replanned = as_real(build_seeded(tmp_path / "b", *changes, seed=8, people=31))
    repeated = build_seeded(tmp_path / "c", people=31)
    repeated.manifest["release"]["date"] = "2026-01-02"
    for name, old, new in (
        ("same", kept, kept),
        ("corrected", kept, corrected),
        ("outputs", corrected, others),
        ("replanned", paid(kept), paid(replanned, **LATER)),
        ("noise-used-twice", kept, repeated),
    ):
        check_text(f"diff/{name}", text_of(difference(old, new)))


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict | list):
        for number, item in enumerate(value):
            yield from leaves(item, (*path, number))
    else:
        yield path, value


def offered(form):
    """Every list that the schema lets anyone choose from."""
    if isinstance(form, dict):
        if "enum" in form:
            yield form["enum"]
        for item in form.values():
            yield from offered(item)
    elif isinstance(form, list):
        for item in form:
            yield from offered(item)


VALID = validator("manifest-v1")
CHOICES = [*offered(schema("manifest-v1"))]


def beside(value):
    """What could be chosen in the place of a value: whatever else stands in a list that has it."""
    return [*dict.fromkeys(word for choice in CHOICES if value in choice for word in choice)]


def mutants(manifest, path, value):
    """Values that a leaf could have instead; whether they fit is for the schema to say."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value - 1, value * 1.0000001 + 1e-12, value / 2, None]
    others = [o.get(path[-1]) for o in manifest["outputs"] if o.get(path[-1])]  # what stands there elsewhere
    if isinstance(value, list):
        further = ("new entry", 7, "7", {"column": "new entry", "labels": ["a"]})
        return [*([*value, one] for one in further), value[1:], value[::-1], *others]
    if value == {}:
        return [{"new entry": ["a"]}]
    if value is None:
        return [3, "x", ["x"], [1, 2], LEDGER, *others, *beside(None)]
    return [value + "1", "1" + value[1:], "2020-01-01", *beside(value)]


def named(manifest, path):
    """The keys that lead to a place, objects of a list by name as far as they have one."""
    out, here = [], manifest
    for key in path:
        here = here[key]
        if isinstance(key, int):
            key = next((here[k] for k in ("name", "what", "unit") if k in here), None)  # noqa: PLW2901
        out.append(key)
    return tuple(out)


def changed_at(release, path, value):
    other = release.copy()
    here = other.manifest
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return other


def fits(manifest, path):
    """Whether the schema lets a manifest be so that was changed in one place: the output with it is looked at first."""
    names = [o["name"] for o in manifest["outputs"]]
    if len(set(names)) < len(names):
        return False
    alone = path[0] == "outputs" and {**manifest, "outputs": [manifest["outputs"][path[1]]], "digests": {}}
    return (not alone or VALID.is_valid(alone)) and VALID.is_valid(manifest)


@pytest.mark.thorough
def test_every_leaf_of_a_manifest_that_changes_is_told_and_nothing_else(original):
    """Brute force: each leaf is replaced, by whatever the schema lets stand there, and the change must be told."""
    plain, told_of, without = text_of(difference(original, original)), 0, []
    for path, value in leaves(original.manifest):
        if path[0] == "digests":
            continue
        for mutant in mutants(original.manifest, path, value):
            other = changed_at(original, path, mutant)
            if mutant == value or not fits(other.manifest, path):
                continue
            try:
                told = difference(original, other)
            except BundleError:  # an event that is none, or parameters that contradict each other
                assert path[2] in ("event", "mechanism")
                told_of += 1
                break
            assert not told.same
            where = named(original.manifest, path)
            lines = text_of(told)
            if path[0] == "outputs" and path[2:] == ("name",):
                assert f"  + {mutant}:" in lines
                assert f"  - {value}:" in lines
            else:
                # The leaf, and two sentences that name it.
                assert len(told.changes) <= 3 or mutant in (None, []) or isinstance(mutant, dict | list), path
                found, named_by = told.changes[0].where, where[-1] in ("name", "what", "unit")
                length = min(len(found), len(where))
                assert None in where or named_by or found[:length] == where[:length], path
                assert told.to_json()["changes"]
            assert lines != plain
            # What stands there now is said, or what stood there.
            sides = [s for s in (mutant, value) if s not in (None, [])]
            sides = [one for s in sides for one in (s if isinstance(s, list) else [s])]
            sides = [str(one) for s in sides for one in (s.values() if isinstance(s, dict) else [s])]
            words = "".join(lines.split())  # a line may end at a hyphen
            forms = {s: ("".join(s.split()), f"{number(s):.6g}", s[:8] + "…") for s in sides}
            shown = [s for s in sides if any(form in words for form in forms[s])]
            assert shown or isinstance(value, bool | None) or path[-1] in ("paths", "probability"), (
                path,
                mutant,
                lines,
            )
            told_of += 1
            break
        else:
            without.append(path)
    assert told_of > 200
    constants = {
        "manifest_version",
        "grid",
        "exact",
        "half_range_grid_units",
        "unit",
        "kind",
        "type",
        "fit",
        "query",
        "threshold",
    }
    constants |= {"calibration"}
    assert {path[-1] for path in without if path != ("tool", "name")} <= constants, without


def number(text):
    try:
        return float(text)
    except ValueError:
        return float("nan")


def test_every_digest_that_changes_is_told(original):
    for path in original.manifest["digests"]:
        other = changed_at(original, ("digests", path), "0" * 64)
        if "/noisy" in path:  # read, and refused by whatever reads it
            continue
        told = difference(original, other)
        assert not told.same
        (one,) = (v for v in told.datasets if v.changed)
        assert one.other == (path,)
        assert one.redrawn == ("/category/" in path or path.endswith("/chosen"))
        assert f"  ~ {one.output}" in text_of(told)
        gone = original.copy()
        del gone.manifest["digests"][path]
        for sides in ((original, gone), (gone, original)):  # parameters call for it, as for every scale
            with refused(BundleError, "wrong-dataset-count"):
                difference(*sides)


def test_datasets_that_come_and_go_are_told(original):
    """The same statistics, of which one is of no histogram."""
    other = original.copy()
    output(other, "summary")["mechanism"]["parameters"]["statistics"].remove("histogram")
    gone = tuple(
        path
        for path in original.manifest["digests"]
        if path.startswith(("/outputs/summary/histogram/", "/outputs/summary/bin"))
    )
    for path in gone:
        del other.manifest["digests"][path]
    assert "/outputs/summary/histogram/edge" in gone
    assert [v.removed for v in difference(original, other).datasets if v.changed] == [gone]
    assert [v.added for v in difference(other, original).datasets if v.changed] == [gone]


def test_datasets_of_no_output_are_told(original):
    other = original.copy()
    other.manifest["digests"]["/outputs/mapsy/x"] = "0" * 64
    told = difference(original, other)
    assert told.datasets[-1].output == ""
    assert told.datasets[-1].added == ("/outputs/mapsy/x",)
    (line,) = [line for line in text_of(told).split("\n") if line.startswith("  ~ ")]
    assert figures(line) == [1]


def test_a_manifest_that_calls_for_endless_datasets_is_refused_before_they_are_listed(original):
    other = original.copy()
    parameters = output(other, "table")["mechanism"]["parameters"]
    first = parameters["attributes"][0]
    parameters["attributes"] = [{**first, "name": f"a{number}"} for number in range(5000)]
    parameters.update(dependence="tree", order=list(range(5000)))  # counts of every pair of them
    with refused(BundleError, "wrong-dataset-count", where="b.h5, table"):
        difference(original, other, files=("a.h5", "b.h5"))


@pytest.mark.parametrize("place", ["first", "last"])
def test_integers_of_another_shape_than_the_parameters_call_for_are_refused(original, place):
    other = original.copy()
    stimuli = output(other, "maps")["mechanism"]["parameters"]["stimuli"]
    more = [str(number) for number in range(100_000)]
    stimuli[:] = [*stimuli, *more] if place == "first" else [*more, *stimuli]
    other.put("maps", "noisy", other["maps"]["noisy"] + np.int32(5))
    with refused(BundleError, "wrong-shape", where="b.h5, /outputs/maps/noisy"):
        difference(original, other, files=("a.h5", "b.h5"))


def test_noisy_values_that_are_no_integers_are_refused(original):
    other = original.copy()
    other.put("maps", "noisy", other["maps"]["noisy"].astype(np.float64) + 0.5)
    with refused(BundleError, "not-integers", where="/outputs/maps/noisy"):
        difference(original, other)


def test_two_outputs_of_one_name_are_refused(original):
    other = original.copy()
    other.manifest["outputs"].append(output(other, "maps"))
    with refused(BundleError, "output-named-twice", where="a.h5"):
        difference(other, original, files=("a.h5", "b.h5"))


def test_an_event_that_is_none_is_refused(original):
    other = original.copy()
    output(other, "maps")["event"]["scale"] = "-1"
    with refused(BundleError, "contradicts-itself", where="b.h5"):
        difference(original, other, files=("a.h5", "b.h5"))


def test_a_dataset_without_a_digest_is_refused(original):
    other = original.copy()
    for path, array in (("noisy", "noisy"), ("other", "heatmap")):
        other.put("maps", path, other["maps"][array] + 1)
    del other.manifest["digests"]["/outputs/maps/noisy"]
    with refused(BundleError, "digest-missing", where="b.h5, /outputs/maps/noisy"):
        difference(original, other, files=("a.h5", "b.h5"))


def test_outputs_added_removed_renamed_and_in_another_order(original):
    other = original.copy()
    output(other, "maps")["name"] = "views"
    other.arrays["views"] = other.arrays.pop("maps")
    told = difference(original, other)
    head, added, removed, *_ = section(text_of(told), "Outputs").split("\n")
    assert figures(head) == [1, 1, 4]
    assert told.redrawn  # no one guesses that it is the same under another name
    assert added.split()[:2] == ["+", "views:"]
    assert removed.split()[:2] == ["-", "maps:"]
    assert figures(added) == figures(removed) != []
    other = original.copy()
    other.manifest["outputs"].reverse()
    told = difference(original, other)
    assert not told.same
    (change,) = told.changes
    assert (change.where, change.reordered) == (("outputs",), True)


# ---- the guarantee of a release


def guaranteed(release, **guarantee):
    other = release.copy()
    other.manifest["privacy"]["guarantee"].update(guarantee)
    return other


def verdict(old, new):
    return difference(old, new).guarantee.verdict


def test_the_release_is_stronger_by_its_numbers_only_if_nothing_else_is_worse(original):
    epsilon = original.manifest["privacy"]["guarantee"]["epsilon"]
    lower = guaranteed(original, epsilon=epsilon / 2)
    assert verdict(original, lower) is RelativeStrength.STRONGER
    assert verdict(lower, original) is RelativeStrength.WEAKER
    # The records that no ε covers are published from other parameters: no one can say what that is worth.
    for change in ({"k": 2}, {"rows": 41}, {"gamma": 5.0}):
        other = lower.copy()
        output(other, "seeded")["mechanism"]["parameters"].update(change)
        told = difference(original, other)
        assert told.guarantee.verdict is RelativeStrength.NOT_COMPARABLE
        assert told.guarantee.because.endswith(": seeded")
        assert not told.redrawn


def test_taking_an_output_out_of_the_guarantee_never_makes_it_stronger(original):
    lower = guaranteed(original, epsilon=0.01)
    lower.manifest["privacy"]["composition"]["outputs"].remove("signals")
    told = difference(original, lower)
    assert told.guarantee.verdict is RelativeStrength.NOT_COMPARABLE
    assert told.guarantee.because.endswith(": signals")
    same = original.copy()
    same.manifest["privacy"]["composition"]["outputs"].remove("signals")
    assert verdict(original, same) is RelativeStrength.WEAKER
    assert verdict(same, original) is RelativeStrength.STRONGER
    assert difference(same, original).guarantee.because.endswith(": signals")


def with_seeds_alone(release):
    """A release of records that no ε covers."""
    bare = release.copy()
    bare.manifest["outputs"] = [output(bare, "seeded")]
    bare.manifest["privacy"]["composition"]["outputs"] = []
    bare.manifest["privacy"]["guarantee"] = {
        "kind": "none", "unit": "person", "neighbours": "replace-one", "reason": "no output is differentially private",
    }  # fmt: skip
    bare.manifest["privacy"]["not_protected"] = facts_due(bare)
    return bare


def facts_due(release):
    due = disclosure.not_protected(release.manifest["outputs"], Neighbours.REPLACE_ONE)
    return [one.to_json() for one in due]


def with_fact(release, fact):
    other = release.copy()
    other.manifest["privacy"]["not_protected"].append(fact)
    return other


def uncovered(release):
    """A release whose ε does not cover its signals."""
    other = release.copy()
    other.manifest["privacy"]["composition"]["outputs"].remove("signals")
    return other


@pytest.mark.usefixtures("wide")
def test_reasons(kept):
    """Why a guarantee is weaker, stronger, or not to be compared."""
    epsilon = kept.manifest["privacy"]["guarantee"]["epsilon"]
    lower, higher = guaranteed(kept, epsilon=epsilon / 2), guaranteed(kept, epsilon=2 * epsilon)
    other_records = lower.copy()
    output(other_records, "seeded")["mechanism"]["parameters"]["k"] = 2
    nearly, alone = guaranteed(kept, epsilon=epsilon * (1 + 1e-9)), with_seeds_alone(kept)
    cases = {
        "drawn anew": (kept, redrawn(kept)),
        "lower": (kept, lower),
        "higher, drawn anew": (kept, redrawn(higher)),
        "higher by less than is shown": (kept, nearly),
        "lower, other records": (kept, other_records),
        "lower, signals uncovered": (kept, uncovered(lower)),
        "signals covered": (uncovered(kept), kept),
        "records alone, then all": (alone, kept),
        "all, then records alone": (kept, alone),
        "lower, one more fact": (kept, with_fact(lower, COMPLETED)),
        "one fact less": (with_fact(kept, COMPLETED), kept),
    }
    told = {case: difference(*sides) for case, sides in cases.items()}
    check_texts("guarantees", {case: section(text_of(one), "Guarantee") for case, one in told.items()})


def test_publishing_anything_where_nothing_was_guaranteed_before_is_weaker_and_not_stronger(original):
    bare = with_seeds_alone(original)
    assert verdict(bare, original) is RelativeStrength.WEAKER
    assert verdict(original, bare) is RelativeStrength.STRONGER
    # … but outputs that are there and guarantee nothing are not "nothing published".
    bare.manifest["privacy"]["composition"]["outputs"] = ["seeded"]
    assert verdict(bare, original) is RelativeStrength.NOT_COMPARABLE


def test_more_public_facts_are_never_stronger(original):
    assignment = {"code": "assignment", "fields": {"output": "maps"}}
    for extra, fact in ((COMPLETED, "values of signals"), (assignment, "assignment of maps")):
        other = with_fact(guaranteed(original, epsilon=0.01), extra)
        told = difference(original, other)
        assert told.guarantee.verdict is RelativeStrength.NOT_COMPARABLE
        assert told.guarantee.because.endswith(f": {fact}")
        assert f"not_protected: + {fact}: " in text_of(told)
        assert verdict(other, original) is RelativeStrength.WEAKER
    # That fewer facts are declared makes nothing stronger, and a list that stands in the plan is none.
    less = original.copy()
    less.manifest["privacy"]["not_protected"].pop()
    assert verdict(original, less) is RelativeStrength.EQUAL
    other = guaranteed(original, epsilon=0.01)
    output(other, "maps")["mechanism"]["public_inputs"]["names"] = "listed"
    other.manifest["privacy"]["not_protected"] = facts_due(other)
    assert verdict(original, other) is RelativeStrength.STRONGER
    assert (
        verdict(guaranteed(other, epsilon=9.0), guaranteed(original, epsilon=1.0))
        is RelativeStrength.NOT_COMPARABLE
    )


def test_what_differs_beyond_the_digits_that_are_shown_is_shown_with_more(original):
    epsilon = original.manifest["privacy"]["guarantee"]["epsilon"]
    told = difference(original, guaranteed(original, epsilon=epsilon * (1 + 1e-9)))
    lines = text_of(told)
    assert told.guarantee.verdict is RelativeStrength.WEAKER
    assert f"{epsilon:g} → {epsilon * (1 + 1e-9)!r}" in " ".join(lines.split())
    other = original.copy()
    output(other, "maps")["guarantee"]["epsilon"] *= 1 + 1e-9
    lines = " ".join(text_of(difference(original, other)).split())
    assert repr(output(other, "maps")["guarantee"]["epsilon"]) in lines


# ---- ledgers


def paid(release, **entries):
    other = release.copy()
    other.manifest["ledger"] = {**LEDGER, **entries}
    return other


def redrawn(release):
    array = release["seeded"]["category/size_mm"]
    other = release.copy()
    other.put("seeded", "category/size_mm", (array + 1) % 4)
    return other


LATER = {"entry": "c" * 64, "spent_before": 1, "spent_here": 2, "spent_after": 2.5}


# By case: the two ledgers, whether one dataset was paid from, and how often the sum of 2.5 is told.
OF_LEDGERS = {
    "neither": (None, None, None, 0),
    "the old one alone": ({}, None, None, 0),
    "the new one alone": (None, {}, None, 0),
    "one dataset": ({}, LATER, True, 2),
    "two datasets": ({}, {**LATER, "dataset_id": "d" * 32}, False, 1),
    "another delta": ({}, {**LATER, "delta": 1e-6}, True, 1),
    "another order": (LATER, {}, True, 1),
    "entry-twice": ({}, {}, True, 0),
}


def with_ledgers(release, old, new):
    before = release if old is None else paid(release, **old)
    return before, redrawn(release) if new is None else paid(redrawn(release), **new)


@pytest.mark.parametrize("case", OF_LEDGERS)
def test_what_both_cost_is_told_by_the_ledger_alone(original, case):
    old, new, one_dataset, sums = OF_LEDGERS[case]
    told = difference(*with_ledgers(original, old, new))
    assert told.one_dataset is one_dataset
    assert told.redrawn
    assert bool(told.hazards) == (case == "entry-twice")
    assert figures(section(text_of(told), "Together")).count(2.5) == sums


def test_a_release_that_holds_no_other_draw_costs_nothing_more(original):
    other = original.copy()
    other.manifest["release"]["title"] = "Corrected"
    told = difference(original, other)
    assert not told.redrawn
    assert not told.hazards
    gone = other.manifest["outputs"].pop()["paths"]
    other.manifest["digests"] = {p: d for p, d in other.manifest["digests"].items() if p not in gone}
    # … and less of it costs nothing more either
    assert not difference(original, other).redrawn
    assert difference(other, original).redrawn


def test_values_that_follow_from_no_noisy_integers_are_a_draw_of_their_own(original):
    """Of records that are drawn from people's own."""
    values, drawn = "/outputs/signals/values", "/outputs/seeded/category/recording"
    assert not difference(original, changed_at(original, ("digests", values), "0" * 64)).redrawn
    assert difference(original, changed_at(original, ("digests", drawn), "0" * 64)).redrawn


def test_one_entry_of_the_ledger_for_two_draws_is_a_hazard(original):
    assert not difference(paid(original), paid(original)).hazards
    told = difference(paid(original), paid(redrawn(original)))
    assert len(told.hazards) == 1
    assert not [one for one in told.datasets if one.likeness is not None and one.likeness.repeated]
    assert not difference(paid(original), paid(redrawn(original), dataset_id="d" * 32)).hazards


# ---- noise


@pytest.mark.thorough
def test_two_draws_of_the_same_data_are_not_suspected(tmp_path):
    for write in (write_study, write_heatmaps_study, write_areas_study):
        folder = tmp_path / write.__name__
        first, second = (build_seeded(folder, write=write, seed=seed, name=f"r{seed}") for seed in (7, 8))
        told = difference(first, second)
        assert not told.hazards
        assert told.redrawn
        likenesses = [v.likeness for v in told.datasets if output(first, v.output)["noise"] is not None]
        assert None not in likenesses
        assert not [one for one in likenesses if one.repeated]
        assert [one for one in likenesses if one.telling]


@pytest.mark.quick("29")
@pytest.mark.parametrize("people", [29, 33])
def test_the_same_seed_on_other_people_is_found_in_every_output_that_can_tell(tmp_path, people):
    first = build_seeded(tmp_path / "a")
    told = difference(first, build_seeded(tmp_path / "b", people=people))
    repeated = {v.output for v in told.datasets if v.likeness is not None and v.likeness.repeated}
    assert (
        {"maps", "signals"} <= repeated <= {"maps", "signals", "table", "summary"}
    )  # few integers are of few people
    assert {hazard.split(":")[0] for hazard in told.hazards} == repeated
    lines = text_of(told)
    assert "DANGER     maps: " in lines
    assert lines.index("DANGER") < lines.index("Guarantee")
    assert lines.count("\nDANGER ") == len(repeated)
    assert lines.count(TEST_SEED_WORDS) >= 2
    assert told.to_json()["values"][0]["noise"]["repeated"] is True


@pytest.mark.quick("change0", "change3")
@pytest.mark.parametrize(
    "change",
    [
        ("epsilon = 4.0", "epsilon = 6.0"),  # noise of another scale
        ("blur_px = 5", "blur_px = 7"),  # other pictures of the same integers
        ("width_px = 16", "width_px = 20"),  # more cells
        ('mechanism = "gaussian"', 'mechanism = "laplace"'),  # another distribution
        ('columns = { person = "who", stimulus', 'missing = [3]\ncolumns = { person = "who", stimulus'),
    ],
)
def test_the_same_seed_under_another_plan_is_found(tmp_path, change):
    first = build_seeded(tmp_path / "a")
    second = build_seeded(tmp_path / "b", change, people=31)
    told = difference(first, second)
    assert "maps" in {hazard.split(":")[0] for hazard in told.hazards}


@pytest.mark.thorough
def test_the_same_seed_with_another_list_of_stimuli_is_found(tmp_path):
    """Noise that was drawn in another place lies beside the old one in the order of drawing."""
    lists = 'stimuli = ["garden", "street.jpg"]', 'stimuli = ["street.jpg"]'
    shared = ('assume_public = ["stimuli"]', "")
    dropped = ('columns = { person = "who", stimulus = "picture", x = "x", y = "y" }', "")
    releases = []
    for number, names in enumerate(lists):
        folder = tmp_path / str(number)
        folder.mkdir()
        plan = write_study(folder)
        text = plan.read_text().replace(shared[0], names)
        if number:
            kept = [line for line in (folder / "gaze.csv").read_text().splitlines() if ",garden," not in line]
            (folder / "gaze.csv").write_text("\n".join(kept) + "\n")
        assert dropped[0] in text
        plan.write_text(text)
        releases.append(held(synthrelease.build(plan, folder / "r.h5", test_seed=7).path))
    told = difference(*releases)
    assert "maps" in {hazard.split(":")[0] for hazard in told.hazards}
    assert "maps" in {hazard.split(":")[0] for hazard in difference(*releases[::-1]).hazards}


def test_the_same_integers_under_other_words_are_the_same_draw(original):
    other = original.copy()
    output(other, "maps")["mechanism"]["parameters"]["blur_px"] = 7
    other.put("maps", "heatmap", other["maps"]["heatmap"] * np.float32(2))
    told = difference(original, other)
    assert not told.redrawn
    assert not told.hazards
    assert told.datasets[0].likeness is None


def test_the_same_integers_with_other_noise_stated_are_a_hazard(original):
    other = original.copy()
    output(other, "maps")["noise"]["scale"] = "12.5"
    told = difference(original, other)
    (hazard,) = told.hazards
    assert hazard.startswith("maps: ")
    assert told.datasets[0].likeness is None
    assert not told.redrawn
    for release in (original := original.copy(), other):  # … unless that happens by chance
        output(release, "maps")["event"]["count"] = 1
    assert not difference(original, other).hazards


def test_fewer_datasets_of_the_same_draw_are_no_hazard(original):
    other = original.copy()
    for key in ("noisy", "heatmap"):
        other.put("maps", key, other["maps"][key][1:])
    other.manifest["digests"]["/outputs/maps/stimulus"] = digest(np.array([b"street.jpg"]))
    output(other, "maps")["mechanism"]["parameters"]["stimuli"] = ["street.jpg"]
    told = difference(original, other)
    assert not told.redrawn
    assert not told.hazards
    assert difference(other, original).redrawn


def test_integers_that_have_no_place_in_common_are_compared_in_their_order(original):
    other, rng = original.copy(), np.random.default_rng(1)
    for key, array in original["maps"].items():
        other.put("maps", key, rng.permuted(array))
    parameters = output(other, "maps")["mechanism"]["parameters"]
    parameters["stimuli"] = [f"other {stimulus}" for stimulus in parameters["stimuli"]]
    (maps,) = (one for one in difference(original, other).datasets if one.output == "maps")
    assert maps.likeness.places == output(original, "maps")["event"]["count"]


def with_few_integers(release):
    """A release, and another draw, of which one integer of the statistics is in both."""
    original, other = release.copy(), release.copy()
    for one in (original, other):
        digests = one.manifest["digests"]
        for path in [path for path in digests if path.startswith("/outputs/summary/")]:
            _, _, key = path.partition("/summary/")
            if key.startswith(("mean/", "histogram/", "bin")):
                del digests[path]
            elif key in one["summary"]:
                one.put("summary", key, one["summary"][key][:1])
        p = output(one, "summary")["mechanism"]["parameters"]
        p["statistics"], p["features"] = ["count"], p["features"][:1]
    other.put("summary", "count/noisy", other["summary"]["count/noisy"] + np.int32(1))
    return original, other


def test_too_few_integers_to_tell_is_said(original):
    told = difference(*with_few_integers(original))
    (one,) = (v for v in told.datasets if v.output == "summary")
    assert one.likeness.places == 1
    assert not one.likeness.telling
    assert not told.hazards


@pytest.mark.usefixtures("wide")
def test_what_is_said_of_noise(kept):
    blurred, restated = kept.copy(), kept.copy()
    blurred.put("maps", "heatmap", blurred["maps"]["heatmap"] * np.float32(2))
    output(restated, "maps")["noise"]["scale"] = "12.5"
    told = {
        "same integers": difference(kept, blurred),
        "too few integers": difference(*with_few_integers(kept)),
        "other noise stated": difference(kept, restated),
        "one entry of the ledger": difference(paid(kept), paid(redrawn(kept))),
    }
    lines = {case: section(text_of(one), "Outputs") for case, one in told.items()}
    found = {case: "\n".join([*one.hazards, lines[case]]) for case, one in told.items()}
    check_texts("noise", found)


# ---- what is printed


def test_two_paid_releases_of_one_dataset(tmp_path):
    grant(tmp_path)
    plan = write_paid_study(tmp_path)
    first = held(synthrelease.build(plan, tmp_path / "a.h5").path)
    write_gaze(tmp_path, people=41)
    plan.write_text(plan.read_text().replace('"1.0.0"', '"1.1.0"').replace("blur_px = 10", "blur_px = 12"))
    second = held(synthrelease.build(plan, tmp_path / "b.h5").path)
    told = difference(first, second)
    lines = text_of(told)
    assert not told.hazards
    assert "people: 40 → 41" in lines
    assert "version: 1.0.0 → 1.1.0" in lines
    assert "blur_px: 10 → 12" in lines
    assert told.one_dataset
    spent = second.manifest["ledger"]["spent_after"]
    assert figures(section(lines, "Together")).count(float(f"{spent:.4g}")) == 1


def test_nothing_is_printed_that_could_steer_a_terminal(original):
    evil = "fine\x1b[2J\n\u202egone\nGuarantee  STRONGER"
    other = original.copy()
    other.manifest["privacy"]["composition"]["method"] = evil
    stated = {"code": evil, "fields": {evil: evil}}
    other.manifest["warnings"].append(stated)
    other.manifest["privacy"]["not_protected"].append(stated)
    none = {"kind": "none", "unit": "person", "neighbours": "replace-one", "reason": evil}
    other.manifest["privacy"]["guarantee"] = none
    output(other, "maps")["guarantee"] = none
    output(other, "maps")["warnings"] = [stated]
    output(other, "maps")["mechanism"]["parameters"]["stimuli"] = [evil]
    other.manifest["release"]["title"] = other.manifest["release"]["name"] = evil
    output(other, "signals")["name"] = "other"
    output(other, "other")["guarantee"] = none
    for told in (difference(original, other), difference(other, original)):
        lines = text_of(told).split("\n")
        assert sum(line.startswith("Guarantee") for line in lines) == 1
        assert all(line.isprintable() for line in lines)


@pytest.mark.thorough
def test_nothing_but_what_the_manifests_say_is_told(tmp_path):
    """A canary: no value of a dataset, nor of the data, stands in what is told; only digests and counts are compared."""
    first = build_seeded(tmp_path / "a", seed=7)
    second = build_seeded(tmp_path / "b", seed=8)
    told = difference(first, second)
    allowed = json.dumps([first.manifest, second.manifest])
    values = {
        int(v) for r in (first, second) for k, a in r["signals"].items() if k == "noisy" for v in a.ravel()
    }
    said = text_of(told) + json.dumps(told.to_json())
    assert not [v for v in values if abs(v) > 9999 and str(v) in said and str(v) not in allowed]


def test_every_line_fits_the_terminal(original, monkeypatch, tmp_path):
    second = build_seeded(tmp_path / "b", ("epsilon = 4.0", "epsilon = 6.0"), ("bins = 4", "bins = 3"))
    for columns in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = text_of(difference(original, second)).split("\n")
        assert max(map(len, lines)) <= min(columns, 100)


def test_what_is_asked_of_a_release_is_its_manifest_and_outputs(original):
    told = difference(
        SimpleNamespace(manifest=original.manifest), SimpleNamespace(manifest=original.manifest)
    )
    assert told.same
