"""Forged statistics, resealed and redigested as a forger would: each refused for what is forged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from forging import (
    Manifest,
    codes,
    done,
    found,
    output,
    parameters,
    public,
    put_values,
    read_manifest,
    recompute_claims,
    told,
)
from invented_study import write_statistics_study

import synthrelease
from synthrelease.bundle import reseal
from synthrelease.numerics.statistics import quantile_value
from synthrelease.numerics.stored import stored

NAMES = ("all", "tasks", "moods", "chosen")


@pytest.fixture(scope="session")
def statistics_bytes(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, bytes]:
    """Releases of the outputs with and without Gaussian noise: composition of unlike noises takes seconds to verify."""
    found: dict[bool, bytes] = {}
    for gaussian in (False, True):
        folder = tmp_path_factory.mktemp("statistics")
        plan = write_statistics_study(folder)
        head, *outputs = plan.read_text().split("[[outputs]]")
        kept = [one for one in outputs if ("gaussian" in one) == gaussian]
        plan.write_text("[[outputs]]".join([head, *kept]))
        built = synthrelease.build(plan, folder / "TEST-SEED.h5", test_seed=1)
        found[gaussian] = built.path.read_bytes()
    return found


@pytest.fixture
def release(request: pytest.FixtureRequest, statistics_bytes: dict[bool, bytes], tmp_path: Path) -> Path:
    """Return the path of a copy that the test may change: of the release with the output that the test's id names."""
    path = tmp_path / "r.h5"
    path.write_bytes(statistics_bytes["moods" in request.node.name])
    return path


def values(path: Path, where: tuple[str, str, str, str], change: Any) -> set[str]:
    """Change the values of one statistic of a feature of a group in place, renew digests and seal, and return what `verify` finds."""
    output, statistic, place, what = where
    with h5py.File(path, "r+") as file:
        dataset = file[f"/outputs/{output}/{statistic}/{what}"]
        index = place_of(path, output, place)
        dataset[index] = np.reshape(change(np.atleast_1d(dataset[index])), dataset.shape[len(index) :])
    reseal(path)
    return codes(path, allow_test_seed=True)


def place_of(path: Path, name: str, place: str) -> tuple[int, ...]:
    """The index of group/feature, or of a feature where there are no groups."""
    stated = parameters(read_manifest(path), name)
    *group, feature = place.split("/")
    groups = [stated["groups"].index(one) for one in group]
    return (*groups, [one["name"] for one in stated["features"]].index(feature))


def as_claimed(manifest: Manifest) -> None:
    """Every sensitivity and claim recomputed from the parameters, the budget raised so that it is not exceeded."""
    from forging import recompute_sensitivities

    manifest["privacy"]["budget"] = {"epsilon": 1e4, "delta": 0.4}
    recompute_sensitivities(manifest)


@pytest.mark.parametrize("name", ["moods", "others"])
def test_the_honest_release_has_no_fault(release: Path, name: str) -> None:
    assert found(release) == set(), name


# --- values


@pytest.mark.parametrize(
    ("name", "statistic", "place", "what"),
    [
        *(
            ("all", name, "speed", what)
            for name in ("count", "sum", "mean", "variance")
            for what in ("value", "interval")
        ),
        ("all", "histogram", "left_mm", "value"),
        ("all", "histogram", "left_mm", "interval"),
        ("all", "quantile%3A0.5", "left_mm", "value"),
        ("tasks", "mean", "read/speed", "value"),
        ("tasks", "variance", "read/speed", "interval"),
        ("moods", "sum", "calm/left_mm", "value"),
        ("moods", "mean", "tired/left_mm", "interval"),
        ("chosen", "quantile%3A0.95", "calm/speed", "value"),
    ],
)
def test_a_value_or_an_interval_that_does_not_follow(
    release: Path, name: str, statistic: str, place: str, what: str
) -> None:
    def more(a: np.ndarray) -> np.ndarray:
        return a + np.float32(0.01) * (np.abs(a).max() + 1)

    assert values(release, (name, statistic, place, what), more) == {"derived"}


def test_an_interval_made_narrower_moods(release: Path) -> None:
    def closer(ends: np.ndarray) -> np.ndarray:
        middle = ends.mean(axis=-1, keepdims=True)
        return (middle + (ends - middle) / 2).astype(np.float32)

    assert values(release, ("moods", "count", "calm/left_mm", "interval"), closer) == {"derived"}


@pytest.mark.parametrize("number", [-1, 40, 256])
def test_a_choice_that_is_no_candidate(release: Path, number: int) -> None:
    choice = "tasks", "quantile%3A0.25", "read/speed", "chosen"
    assert values(release, choice, lambda a: a * 0 + number) == {"derived"}


@pytest.mark.parametrize("number", [-1, 40])
def test_a_choice_that_is_no_candidate_with_the_value_that_follows(release: Path, number: int) -> None:
    place = "tasks", "quantile%3A0.25", "read/speed"
    value = stored(quantile_value(np.array([number]), (-1.0, 9.0), 40))
    values(release, (*place, "value"), lambda _: value)
    assert values(release, (*place, "chosen"), lambda a: a * 0 + number) == {"derived"}


def test_another_candidate_without_its_value(release: Path) -> None:
    choice = "chosen", "quantile%3A0.95", "calm/speed", "chosen"
    assert values(release, choice, lambda a: (a + 7) % 256) == {"derived"}


def test_a_choice_of_another_type_or_shape(release: Path) -> None:
    path, honest = "/outputs/chosen/quantile%3A0.95/chosen", release.read_bytes()
    for change in (
        lambda a: a.astype(np.int64),
        lambda a: a.astype(np.float32),
        lambda a: a[:-1],
        lambda a: np.repeat(a, 2, axis=0),
        lambda a: np.repeat(a, 2, axis=1),
        lambda a: a.T,
        lambda a: a.reshape(-1),
        lambda a: a[..., np.newaxis],
    ):
        release.write_bytes(honest)
        put_values(release, {path: change})
        assert codes(release, allow_test_seed=True) == {"derived"}


def test_noised_integers_changed_under_their_value(release: Path) -> None:
    assert values(release, ("all", "sum", "speed", "noisy"), lambda a: a + 9000) == {"derived"}


# --- choices


def fewer(event: Manifest) -> Manifest:
    return {**event, "events": event["events"][:-1]}


def more(event: Manifest) -> Manifest:
    return {**event, "events": [*event["events"], event["events"][-1]]}


def cheaper(event: Manifest) -> Manifest:
    return {**event, "events": [*event["events"][:-1], {**event["events"][-1], "epsilon": "0.001"}]}


def of_two(event: Manifest) -> Manifest:
    return {**event, "events": [*event["events"][:-1], {**event["events"][-1], "candidates": 2}]}


@pytest.mark.quick
@pytest.mark.parametrize("name", ["all", "tasks", "chosen"])
@pytest.mark.parametrize("change", [fewer, more, cheaper, of_two], ids=lambda f: f.__name__)
def test_other_choices_than_the_parameters_call_for(release: Path, name: str, change: Any) -> None:
    def budget(manifest: Manifest) -> None:
        manifest["privacy"]["budget"] = {"epsilon": 1e4, "delta": 0.4}

    assert found(release, done(name, change), budget, recompute_claims) == {"guarantee"}


def test_a_choice_where_there_is_no_quantile_moods(release: Path) -> None:
    choice = {"type": "exponential", "epsilon": "0.5", "candidates": 256}
    change = done("moods", lambda event: {"type": "composed", "events": [event, choice]})
    assert found(release, change, as_claimed) == {"guarantee"}


def test_choices_left_out_of_the_claim(release: Path) -> None:
    def change(manifest: Manifest) -> None:
        output(manifest, "all")["guarantee"]["epsilon"] *= 5 / 7

    assert found(release, change) == {"guarantee"}


# --- parameters


OTHERWISE: list[tuple[str, Manifest, list[str]]] = [
    ("tasks", {"max_groups_per_person": 1}, ["sensitivity"]),
    ("moods", {"by": None}, ["manifest"]),
    ("moods", {"groups": None}, ["manifest"]),
    ("moods", {"groups": ["calm", "tense"]}, ["derived"]),
    ("moods", {"groups": ["calm", "tense", "sad", "tired"]}, ["derived"]),
    ("moods", {"max_groups_per_person": 2}, ["sensitivity"]),
    ("moods", {"max_groups_per_person": 4}, ["manifest"]),
    ("chosen", {"max_groups_per_person": 1}, ["guarantee"]),
    ("chosen", {"quantile_steps": 128}, ["guarantee"]),
    ("all", {"statistics": ["count", "sum", "mean", "variance", "histogram"]}, ["unlisted"]),
    ("all", {"bins": 4}, ["derived"]),
]


@pytest.mark.parametrize(("name", "said", "due"), OTHERWISE, ids=str)
def test_parameters_other_than_those_of_the_event(
    release: Path, name: str, said: Manifest, due: list[str]
) -> None:
    assert name in NAMES
    assert found(release, told(name, **said)) & set(due)


@pytest.mark.quick
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mechanism", ["discrete_laplace", "rounded_gaussian", "exponential"])
def test_the_name_of_another_noise(release: Path, name: str, mechanism: str) -> None:
    def change(manifest: Manifest) -> None:
        own = output(manifest, name)["mechanism"]["name"] == mechanism
        output(manifest, name)["mechanism"]["name"] = mechanism
        manifest["same"] = own

    def forget(manifest: Manifest) -> None:
        same.append(manifest.pop("same"))

    same: list[bool] = []
    assert found(release, change, forget) == (set() if same[0] else {"noise"})


def test_groups_and_their_column_stand_together(release: Path) -> None:
    def column(manifest: Manifest) -> None:
        parameters(manifest, "all")["by"] = "mood"

    assert found(release, column) & {"manifest", "missing", "unlisted"}


def test_bounds_told_narrower(release: Path) -> None:
    def narrower(manifest: Manifest) -> None:
        parameters(manifest, "all")["features"][1]["high"] = 5.0

    assert found(release, narrower, as_claimed) & {"derived", "sensitivity"}


def test_a_private_number_of_people_told(release: Path) -> None:
    assert found(release, public("all", people=None)) & {"manifest", "derived"}


@pytest.mark.parametrize(
    "name", ["quantile:0", "quantile:1.0", "quantile:0.50", "quantile:", "median", "min", "quantile:1/2"]
)
def test_a_statistic_that_there_is_not(release: Path, name: str) -> None:
    assert found(release, told("chosen", statistics=[name])) == {"manifest"}


def test_thousands_of_events_that_are_no_choices(release: Path) -> None:
    """What would take an auditor's machine for hours is refused by the schema."""
    test = {
        "type": "deniability_test",
        "k": 10,
        "gamma": "4.0",
        "threshold": "randomized",
        "epsilon0": "3.0",
        "trials": 1,
        "seeds": 15,
    }
    change = done("all", lambda event: {"type": "composed", "events": [event["events"][0], *[test] * 2000]})
    assert found(release, change) == {"manifest"}


@pytest.mark.thorough
def test_thousands_of_unlike_choices_beside_the_gaussian_noise_of_moods(release: Path) -> None:
    choices = [
        {"type": "exponential", "epsilon": repr(0.001 + i * 1e-7), "candidates": 256} for i in range(4000)
    ]
    change = done("moods", lambda event: {"type": "composed", "events": [event, *choices]})
    assert found(release, change) == {"guarantee"}
