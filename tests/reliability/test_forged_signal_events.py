"""Forged bundles of signals, II: what is said to have been done, and what it is said to guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from forging import (
    Change,
    Manifest,
    codes,
    done,
    found,
    output,
    parameters,
    read_manifest,
    recompute_claims,
    recompute_sensitivities,
    scaled,
    told,
)

import synthrelease

CHOICE = {"type": "exponential", "epsilon": "0.1", "candidates": 3}


def claimed(name: str, **values: Any) -> Change:
    return lambda manifest: output(manifest, name)["guarantee"].update(values)


# --- the private choice

CHOICES: dict[str, tuple[Change, ...]] = {
    "left out": (done("chunks", lambda event: event["events"][1]),),
    "left out and its list told as none": (told("chunks", candidates=None),),
    "cheaper": (done("chunks", lambda event: {**event, "events": [CHOICE, event["events"][1]]}),),
    "among fewer": (
        done("chunks", lambda e: {**e, "events": [{**e["events"][0], "candidates": 2}, e["events"][1]]}),
        recompute_claims,
    ),
    "made twice": (
        done("chunks", lambda e: {**e, "events": [e["events"][0], *e["events"]]}),
        recompute_claims,
    ),
    "of other people": (done("chunks", lambda event: {**event, "type": "disjoint"}), recompute_claims),
    "from a list turned round": (told("chunks", candidates=[4, 2, 1]), recompute_claims),
    "from a shorter list": (told("chunks", candidates=[1, 2]), recompute_claims),
    "from a longer list": (told("chunks", candidates=[1, 2, 3, 4]), recompute_claims),
    "from another list": (told("chunks", candidates=[5, 6, 7]), recompute_claims),
    "from a list with one twice": (told("chunks", candidates=[1, 1, 2]), recompute_claims),
    "of all outputs": (
        done("whole", lambda event: {"type": "composed", "events": [CHOICE, event]}),
        recompute_claims,
    ),
    "from a list where nothing was chosen": (told("whole", candidates=[1, 2, 3]), recompute_claims),
    "from a list of lpa": (
        told("steps", candidates=[1, 2, 3]),
        done("steps", lambda event: {"type": "composed", "events": [CHOICE, event]}),
        recompute_claims,
    ),
}


@pytest.mark.parametrize("changes", CHOICES.values(), ids=CHOICES)
def test_a_private_choice_that_was_not_made_so(noised: Path, changes: tuple[Change, ...]) -> None:
    assert "guarantee" in found(noised, *changes)


def test_another_number_of_frequencies_than_was_chosen(noised: Path) -> None:
    chosen = parameters(read_manifest(noised), "chunks")["coefficients"]
    (other,) = {1, 2} - {chosen} if chosen != 4 else {1}
    assert "derived" in found(noised, told("chunks", coefficients=other), recompute_sensitivities)


def test_a_number_of_frequencies_that_is_not_among_the_candidates(noised: Path) -> None:
    assert "guarantee" in found(noised, told("chunks", coefficients=3))


# --- noise and sensitivity


@pytest.mark.parametrize("name", ["course", "chunks", "changes", "steps", "whole"])
def test_a_noise_scale_told_larger(request: pytest.FixtureRequest, name: str) -> None:
    path = request.getfixturevalue("spectral" if name == "course" else "noised")
    honest = path.read_bytes()

    def larger(factor: float) -> Change:
        def change(manifest: Manifest) -> None:
            one = output(manifest, name)
            (leaf,) = [e for e in one["event"].get("events", [one["event"]]) if "scale" in e]
            leaf["scale"] = one["noise"]["scale"] = scaled(leaf["scale"], factor)

        return change

    assert {"guarantee", "noise"} <= found(path, larger(2))
    path.write_bytes(honest)
    assert found(path, larger(1e8), recompute_claims) == {"noise"}  # even two integers are too small for it
    path.write_bytes(honest)
    sd = scaled(output(read_manifest(path), name)["noise"]["standard_deviation"], 1.01)
    assert found(path, lambda m: output(m, name)["noise"].update(standard_deviation=sd)) == {"noise"}


@pytest.mark.parametrize("name", ["course", "chunks", "changes", "steps", "whole"])
@pytest.mark.parametrize("shown", [True, False], ids=["shown", "in the event alone"])
def test_a_sensitivity_halved_and_everything_that_follows_recomputed(
    request: pytest.FixtureRequest,
    name: str,
    shown: bool,  # noqa: FBT001
) -> None:
    path = request.getfixturevalue("spectral" if name == "course" else "noised")

    def change(manifest: Manifest) -> None:
        one = output(manifest, name)
        (leaf,) = [e for e in one["event"].get("events", [one["event"]]) if "sensitivity" in e]
        value = leaf["sensitivity"]["value"]
        half = scaled(value, 0.5) if "." in value else str(int(value) // 2)
        leaf["sensitivity"]["value"] = half
        if shown:
            one["sensitivity"]["value"] = half

    assert found(path, change, recompute_claims) == {"sensitivity"}


@pytest.mark.parametrize("name", ["course", "steps", "whole"])
def test_the_sensitivity_of_one_chunk_told_as_that_of_a_person(
    request: pytest.FixtureRequest, name: str
) -> None:
    """Parallel composition over chunks, features and recordings: the mistake that a paper makes."""
    path = request.getfixturevalue("spectral" if name == "course" else "noised")

    def change(manifest: Manifest) -> None:
        one = output(manifest, name)
        p = one["mechanism"]["parameters"]
        series = len(p["features"]) * len(p["recordings"])
        value = one["sensitivity"]["value"]
        less = scaled(value, series**-0.5) if "." in value else str(int(value) // series)
        one["event"]["sensitivity"]["value"] = one["sensitivity"]["value"] = less

    assert found(path, change, recompute_claims) == {"sensitivity"}


def test_noise_of_another_kind(spectral: Path) -> None:
    def change(manifest: Manifest) -> None:
        one = output(manifest, "course")
        one["event"] |= {"type": "discrete_laplace", "sensitivity": {"norm": "l1", "value": "131072"}}
        one["noise"]["distribution"] = "discrete_laplace"
        one["sensitivity"] |= {"norm": "l1", "value": "131072"}

    assert "noise" in found(spectral, change, recompute_sensitivities)


def test_a_clip_told_smaller_than_it_was_is_refuted_by_the_integers(noised: Path) -> None:
    """Everything follows from it; but people's levels are more than so small a ball lets all of them make."""

    def change(manifest: Manifest) -> None:
        parameters(manifest, "whole")["clip"] = 0.01
        parameters(manifest, "whole")["bound_grid_units"] = [2073]
        leaf = output(manifest, "whole")["event"]
        leaf["scale"] = output(manifest, "whole")["noise"]["scale"] = scaled(leaf["scale"], 0.01 / 0.9)

    wrong = found(noised, change, recompute_sensitivities)
    assert "sensitivity" in wrong


@pytest.mark.parametrize("budget", [0.5, 30.0])
def test_more_than_the_budget(noised: Path, budget: float) -> None:
    def change(manifest: Manifest) -> None:
        manifest["privacy"]["budget"]["epsilon"] = budget

    assert found(noised, change) == {"guarantee"}


# --- Gaussian noise and a choice: composed as privacy-loss distributions


@pytest.mark.thorough
def test_a_gaussian_release_with_a_private_choice(noised: Path, gaussian_bytes: bytes) -> None:
    cheaper = done("chunks", lambda event: {**event, "events": [CHOICE, event["events"][1]]})
    forgeries: list[tuple[tuple[Change, ...], set[str]]] = [
        ((recompute_sensitivities,), set()),
        ((claimed("chunks", epsilon=7.5),), {"guarantee"}),
        ((cheaper,), {"guarantee"}),
        ((CHOICES["left out"][0],), {"guarantee"}),
        (
            (lambda manifest: output(manifest, "chunks")["narrower_units"][0].update(epsilon=1.0),),
            {"guarantee"},
        ),
        ((told("chunks", bound_grid_units=[131071, 92682]), recompute_sensitivities), {"sensitivity"}),
    ]
    for changes, expected in forgeries:
        noised.write_bytes(gaussian_bytes)
        assert found(noised, *changes) == expected


def test_a_noise_scale_told_larger_of_people_who_are_all_alike(tmp_path: Path) -> None:
    """Their constants drown the noise; cosines hold nothing else, and those of high frequency seldom much of anyone."""
    rows = [f"p{person},{0.5 + 0.001 * (t % 2)}" for person in range(300) for t in range(80)]
    (tmp_path / "alike.csv").write_text("\n".join(["who,open", *rows]) + "\n")
    (tmp_path / "plan.toml").write_text(
        """
        release = { name = "alike", version = "1", title = "People who are all alike" }
        privacy = { epsilon = 4.0, delta = 1e-5 }
        [inputs.eyes]
        kind = "features"
        path = "alike.csv"
        columns = { person = "who" }
        bounds = { open = [0.0, 1.0] }
        [[outputs]]
        name = "course"
        kind = "signals"
        input = "eyes"
        length = 80
        """
    )
    built = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5", test_seed=3)
    assert codes(built.path, allow_test_seed=True) == set()

    def larger(manifest: Manifest) -> None:
        (one,) = manifest["outputs"]
        one["event"]["scale"] = one["noise"]["scale"] = scaled(one["event"]["scale"], 5)

    assert "noise" in found(built.path, larger, recompute_claims)
