"""What a preview tells of signals, recomputed by hand: ε of a step, a chunk, a series, a recording, and of the person."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import made
import numpy as np
import pytest
from goldens import check_text, figures
from scipy.optimize import brentq
from scipy.special import ndtr
from signal_plans import LENGTH, RECORDINGS, design_signals

import synthrelease
from synthrelease.building.preview import as_text, preview
from synthrelease.bundle import verify
from synthrelease.bundle.disclosure import unprotected_facts
from synthrelease.data.features import FeatureData
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import signal_chunk
from synthrelease.kinds.signals.coefficients import CoefficientSignals, contributions
from synthrelease.kinds.signals.unit_costs import ADDED_UP, KNOWN_CHAIN
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.steps import HALF_RANGE

H = HALF_RANGE
LARGE, SMALL = H * 4, math.ceil(H * math.sqrt(8))  # radii of chunks of 16 and of 8 steps
CFPA = {"mechanism": "cfpa", "chunk": 16, "coefficients": 3}


def table(folder: Path, **options: Any) -> dict[str, str]:
    """The units table by what changes; its head's second column under ''."""
    planned = design_signals(folder, **options)
    (row,) = preview(planned)["outputs"]
    if not row["units"]:
        return {}
    (_, head), *rows = row["units"]
    (output,) = planned.outputs
    assert isinstance(output.mechanism, CoefficientSignals)
    costs = output.mechanism.unit_costs(output.event, output.guarantee, output.budget)
    assert [value for _, value in rows] == [f"{epsilon:.3g}" for epsilon in costs.values()]
    assert len({name for name, _ in rows}) == len(rows)
    return {"": head} | dict(zip(costs, (value for _, value in rows), strict=True))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """ε at which δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) (Balle & Wang 2018)."""

    def excess(epsilon: float) -> float:
        inside, outside = ndtr(mu / 2 - epsilon / mu), ndtr(-mu / 2 - epsilon / mu)
        return float(inside - math.exp(epsilon) * outside - delta)

    return float(brentq(excess, 0.0, 50.0, xtol=1e-13))


# --- numbers


def test_laplace_chunks_add_up_to_the_person(tmp_path: Path) -> None:
    """K = 5 of each of two chunks of 16 steps and one of 8; two features, two recordings."""
    chunk, last = math.floor(math.sqrt(5) * 2 * LARGE), math.floor(math.sqrt(5) * 2 * SMALL)
    series = 2 * chunk + last
    of_one = chunk / (4 * series)
    assert table(tmp_path, **CFPA) == {
        "": "ε",
        "chunk": f"{of_one:.3g}",
        ADDED_UP: f"{2 * of_one:.3g}",
        "series": "0.25",
        "recording": "0.5",
        "person": "1",
    }
    assert f"{of_one:.3g}" == "0.0923"


@pytest.mark.parametrize("delta", [1e-6, 1e-3])
def test_gaussian_chunks_add_up_in_squares(tmp_path: Path, delta: float) -> None:
    """What ε of a chunk times the features is, at this δ, no one states: it would hold at two δ."""
    chunk, series = (2 * LARGE) ** 2, 2 * (2 * LARGE) ** 2 + (2 * SMALL) ** 2
    (output,) = design_signals(tmp_path, noise="gaussian", delta=delta, **CFPA).outputs
    sigma = output.event.scale  # type: ignore[attr-defined]
    squared = {"chunk": chunk, "series": series, "recording": 2 * series, "person": 4 * series}
    found = table(tmp_path, noise="gaussian", delta=delta, **CFPA)
    assert found.pop("") == f"ε at δ = {delta:.2g}"
    assert list(found) == list(squared)
    for name, moved in squared.items():
        expected = gaussian_epsilon(math.sqrt(moved) / sigma, delta)
        assert float(found[name]) == pytest.approx(expected, rel=6e-3)
    assert float(found["person"]) == 1.0


def test_a_private_choice_is_told_in_full_by_every_part(tmp_path: Path) -> None:
    """0.2 of ε for the choice, whatever changes; the rest is divided as the noise is."""
    options = {**CFPA, "coefficients": "private", "candidates": [1, 3], "choice_share": 0.2}
    found = table(tmp_path, **options)
    assert float(found["series"]) == pytest.approx(0.2 + 0.8 / 4, rel=6e-3)
    assert float(found["recording"]) == pytest.approx(0.2 + 0.8 / 2, rel=6e-3)
    chunk = 2 * LARGE / (2 * 2 * LARGE + 2 * SMALL) / 4
    assert float(found["chunk"]) == pytest.approx(0.2 + 0.8 * chunk, rel=6e-3)
    assert float(found["person"]) == 1.0


@pytest.mark.thorough
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_of_a_private_number_of_frequencies_the_preview_tells_the_most_that_any_of_them_costs(
    tmp_path: Path, noise: str
) -> None:
    """A chunk's part of a series depends on it, for the last chunk is shorter."""
    options = {"mechanism": "dcfpa", "chunk": 16, "noise": noise, "release_epsilon": 3.0}
    candidates = [2, 5, 9]
    private = {**options, "coefficients": "private", "candidates": candidates, "choice_share": 1e-5}
    found = table(tmp_path, **private)
    alone = [table(tmp_path, coefficients=k, **options) for k in candidates]
    for name in found:
        if name:
            assert float(found[name]) == pytest.approx(max(float(one[name]) for one in alone), rel=6e-3)
    chunk = [float(one["chunk"]) for one in alone]
    assert max(chunk) > 1.02 * min(chunk)
    design_signals(tmp_path, **private)
    chosen = set()
    for seed in range(8):
        built = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5", test_seed=seed, force=True)
        (entry,) = built.manifest["outputs"]
        k = entry["mechanism"]["parameters"]["coefficients"]
        chosen.add(k)
        expected = chunk[candidates.index(k)]
        assert entry["narrower_units"][0]["epsilon"] == pytest.approx(expected, rel=6e-3)
    assert len(chosen) > 1


@pytest.mark.parametrize("query", ["mean", "each"])
def test_a_step_of_lpa_is_a_fraction_of_the_person(tmp_path: Path, query: str) -> None:
    assert table(tmp_path, mechanism="lpa", query=query) == {
        "": "ε",
        "step": f"{1 / (4 * LENGTH):.3g}",
        "series": "0.25",
        "recording": "0.5",
        "person": "1",
    }


def backwards(rows: list[list[float]]) -> list[list[float]]:
    """Pr(l_{t−1} = j | l_t = i) of the chain that has gone on for long, from the joint probabilities of two steps."""
    before = np.linalg.matrix_power(np.array(rows), 10_001).mean(axis=0)
    joint = before[:, None] * np.array(rows)
    return (joint.T / joint.sum(axis=0)[:, None]).tolist()


def slow_leakage(rows: list[list[float]], epsilon: float, steps: int) -> float:
    """Largest total leakage of Cao et al. 2017, from its definition: over all pairs of rows and all sets of columns."""

    def told(rows: list[list[float]], alpha: float) -> float:
        best, columns = 0.0, range(len(rows))
        for one, other in itertools.permutations(rows, 2):
            for size in columns:
                for chosen in itertools.combinations(columns, size + 1):
                    q, d = (sum(row[j] for j in chosen) for row in (one, other))
                    best = max(best, math.log((1 + q * math.expm1(alpha)) / (1 + d * math.expm1(alpha))))
        return best

    backward, forward = [epsilon], [epsilon]
    for _ in range(steps - 1):
        backward.append(told(backwards(rows), backward[-1]) + epsilon)
        forward.append(told(rows, forward[-1]) + epsilon)
    return max(b + f - epsilon for b, f in zip(backward, reversed(forward), strict=True))


@pytest.mark.parametrize(
    "rows",
    [
        [[0.8, 0.2], [0.1, 0.9]],
        [[1.0, 0.0], [0.0, 1.0]],
        [[0.5, 0.5], [0.5, 0.5]],
        [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9]],
        [[0.9, 0.1, 0.0], [0.0, 0.1, 0.9], [0.9, 0.1, 0.0]],  # whoever sees it backward knows far more
        [[0.9611, 0.0389, 0.0], [0.855, 0.0, 0.145], [1.0, 0.0, 0.0]],
    ],
    ids=str,
)
def test_one_who_knows_the_markov_chain_is_told_more_of_a_step(
    tmp_path: Path, rows: list[list[float]]
) -> None:
    found = table(tmp_path, mechanism="lpa", markov_chain=rows)
    plain = table(tmp_path, mechanism="lpa")
    leaked = float(found.pop(KNOWN_CHAIN))
    assert found == plain
    expected = slow_leakage(rows, 1 / (4 * LENGTH), LENGTH)
    assert leaked == pytest.approx(expected, rel=6e-3)
    assert 1 / (4 * LENGTH) * 0.99 < leaked < 0.25 * 1.01  # between a step and the series


def test_of_a_chain_that_leaves_a_state_for_good_all_steps_add_up(tmp_path: Path) -> None:
    """Backward it may go in any way: by what state the series began with."""
    found = table(tmp_path, mechanism="lpa", markov_chain=[[0.8, 0.2], [0.0, 1.0]])
    assert float(found[KNOWN_CHAIN]) == pytest.approx(float(found["series"]), rel=6e-3)


@pytest.mark.parametrize(
    ("options", "held"),
    [({"mechanism": "lpa"}, True), (CFPA, True), ({"mechanism": "fpa"}, False), ({}, False)],
    ids=["lpa", "cfpa", "fpa", "spectral"],
)
def test_that_a_value_held_over_a_gap_is_in_many_steps_stands_beside_the_guarantee_to_a_step(
    tmp_path: Path,
    options: dict[str, Any],
    held: bool,  # noqa: FBT001
) -> None:
    design_signals(tmp_path, **options)
    built = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5", test_seed=1)
    units = {one["unit"] for one in built.manifest["outputs"][0]["narrower_units"]}
    lists = {f"{what} of course" for what in ("recordings", "length")}  # public anyway
    told = [
        reason
        for what, reason in unprotected_facts(built.manifest)
        if what.split()[-1] == "course" and what not in lists
    ]
    assert bool(units & {"step", "chunk"}) == held == bool(told)
    assert all(told)


@pytest.mark.parametrize("mechanism", ["lpa", "cfpa"])
def test_one_value_that_is_held_moves_more_than_the_guarantee_to_a_step_or_chunk_covers(
    mechanism: str,
) -> None:
    """What that sentence is about: a series of one value, replaced, moves as far as a whole series may."""
    form = SignalForm(mechanism, 64, 8 if mechanism == "cfpa" else None, 5 if mechanism == "cfpa" else None)
    parameters = made.signals(form).parameters
    bounds, one = np.array([[0.0, 1.0]]), np.zeros(1, dtype=np.int64)
    low, high = (
        contributions(FeatureData(("f",), bounds, ("all",), 1, one, one, np.full((1, 1), v)), parameters)
        for v in (0.0, 1.0)
    )
    moved = int(np.abs(high - low).sum())
    radii = parameters.radii
    assert moved > 2 * signal_chunk(form, radii=radii, neighbours=Neighbours.REPLACE_ONE).l1
    assert moved <= parameters.sensitivity(Neighbours.REPLACE_ONE).l1


def test_units_that_are_the_next_wider_one_are_not_told_twice(tmp_path: Path) -> None:
    assert list(table(tmp_path, mechanism="fpa")) == ["", "series", "recording", "person"]
    assert list(table(tmp_path, mechanism="cfpa", chunk=40))[1] == "series"
    one_feature = table(tmp_path, features=["left"], **CFPA)
    assert list(one_feature) == ["", "chunk", "recording", "person"]
    one_recording = table(tmp_path, recordings=["read"], **CFPA)
    assert float(one_recording[ADDED_UP]) == pytest.approx(2 * float(one_recording["chunk"]), rel=6e-3)
    assert list(one_recording)[-2:] == ["series", "person"]
    assert table(tmp_path, mechanism="fpa", features=["left"], recordings=["read"]) == {}


def test_of_spectral_signals_all_changes_with_any_part(tmp_path: Path) -> None:
    assert table(tmp_path) == {}
    (output,) = design_signals(tmp_path).outputs
    assert output.guarantee.to_json()["epsilon"] == 1.0


# --- the rest of a preview


def test_the_preview_compares_all_mechanisms_with_the_noise_that_the_budget_allows(tmp_path: Path) -> None:
    head, *rows = preview(design_signals(tmp_path))["outputs"][0]["comparison"]
    assert head[1:3] == ["ε", "n=24"]
    names = ["spectral", *(f"{name}, gaussian" for name in ("lpa", "fpa", "cfpa", "dcfpa"))]
    assert [row[0] for row in rows] == [name for name in names for _ in range(3)]
    for row in rows:
        values = [float(value) for value in row[2:]]
        assert values == sorted(values)  # more people, better signals
    best = {name: float(row[2]) for name, row in zip([row[0] for row in rows][1::3], rows[1::3], strict=True)}
    assert max(best, key=best.__getitem__) == "spectral"
    pure = preview(design_signals(tmp_path, mechanism="fpa"))["outputs"][0]["comparison"]
    assert {row[0] for row in pure[1:]} == {f"{name}, laplace" for name in ("lpa", "fpa", "cfpa", "dcfpa")}
    assert preview(design_signals(tmp_path, mechanism="fpa", query="each"))["outputs"][0]["comparison"] == []


def test_people_needed_are_those_at_which_the_prediction_reaches_it(tmp_path: Path) -> None:
    for options in ({}, {"mechanism": "fpa"}, {"mechanism": "cfpa", "noise": "gaussian", "chunk": 16}):
        (output,) = design_signals(tmp_path, **options).outputs
        mechanism: Any = output.mechanism
        budget = output.budget
        assert budget is not None
        error, needed = mechanism.prediction(output.event, budget, 20)
        number, good = figures(needed)
        assert good == 0.9
        fewer = number - 10 ** max(0, math.floor(math.log10(number - 1)) - 2)  # the next of three digits
        assert mechanism.correlation(budget, number) >= 0.9 > mechanism.correlation(budget, fewer)
        assert figures(error) == [round(mechanism.correlation(budget, 20), 2)]


@pytest.mark.parametrize(
    "options",
    [
        {"mechanism": "fpa", "coefficients": 2},
        {"mechanism": "cfpa", "chunk": 16, "coefficients": 1},
        {"mechanism": "dcfpa", "chunk": 16, "coefficients": 3},
    ],
    ids=lambda options: options["mechanism"],
)
def test_without_noise_the_prediction_is_the_correlation_of_what_the_frequencies_show(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    """Random courses whose cosine k has the power k⁻², through the mechanism's own transform and back."""
    (output,) = design_signals(tmp_path, **options).outputs
    mechanism: Any = output.mechanism
    form: SignalForm = mechanism.parameters.form
    random = np.random.default_rng(5)
    steps = np.arange(form.length) + 0.5
    courses = sum(
        random.choice([-1.0, 1.0], (400, 1)) * np.cos(math.pi * k / form.length * steps) / k
        for k in range(1, form.length)
    )
    courses *= 0.1 * H / np.abs(courses).max()
    shown = form.series(form.integers(np.rint(courses).astype(np.int64), clipped=False))
    found = np.mean([np.corrcoef(one, other)[0, 1] for one, other in zip(courses, shown, strict=True)])
    assert output.budget is not None
    predicted = mechanism.correlation(output.budget, 1e15)
    assert predicted == pytest.approx(found, abs=0.03)
    assert predicted < 0.99


def test_of_everybodys_own_series_the_error_is_that_of_the_noise(tmp_path: Path) -> None:
    """LPA: b·ln 20 of 2H steps between the bounds in 95 of 100 releases, b = Δ₁ = 160 × 2H at ε = 1."""
    (row,) = preview(design_signals(tmp_path, mechanism="lpa", query="each"))["outputs"]
    expected = 100 * math.log(20) * 4 * LENGTH
    assert figures(row["error"]) == [95, pytest.approx(expected, rel=5e-3)]
    assert "±" in row["error"]
    assert figures(row["people_needed"]) == []


def test_the_text_shows_every_row_of_the_table(tmp_path: Path) -> None:
    view = preview(design_signals(tmp_path, **CFPA))
    text = as_text(view)
    for name, value in view["outputs"][0]["units"]:
        assert any(
            line.strip().startswith(name.strip()) and line.endswith(value) for line in text.splitlines()
        )
    # Chunks of 16 and 8 steps, 2 and 1 of them, 5 coefficients of each.
    assert figures(view["outputs"][0]["derivation"])[:6] == [16, 8, 2, 1, 5, 5]
    check_text("preview/chunks", text)


def test_every_part_of_a_person_has_a_name(tmp_path: Path) -> None:
    chain = [[0.8, 0.2], [0.1, 0.9]]
    tables = []
    for options in (
        {"mechanism": "lpa", "markov_chain": chain},
        {**CFPA, "recordings": RECORDINGS[:1]},
        {**CFPA, "features": ["left"], "noise": "gaussian"},
    ):
        planned = design_signals(tmp_path, **options)
        (output,) = planned.outputs
        guarantee, budget = output.guarantee, output.budget
        rows = output.mechanism.units(output.event, guarantee, budget)
        tables.append("\n".join(f"{name:<65}{value}" for name, value in rows))
    check_text("predictions/parts-of-a-person", "\n\n".join(tables))


# --- what the manifest then says


@pytest.mark.parametrize(
    "options",
    [
        CFPA,
        {**CFPA, "noise": "gaussian"},
        {"mechanism": "lpa", "query": "each", "noise": "gaussian"},
        {"mechanism": "lpa", "markov_chain": [[0.8, 0.2], [0.1, 0.9]]},
        {},
    ],
    ids=str,
)
def test_the_manifest_guarantees_what_the_preview_tells(tmp_path: Path, options: dict[str, Any]) -> None:
    units = table(tmp_path, **options)
    told = [value for part, value in units.items() if part not in ("", ADDED_UP, KNOWN_CHAIN)]
    built = synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5", test_seed=3)
    (entry,) = built.manifest["outputs"]
    stated = [*entry["narrower_units"], entry["guarantee"]]
    if units:
        for one, value in zip(stated, told, strict=True):
            assert one["epsilon"] == pytest.approx(float(value), rel=6e-3)
        assert [one["unit"] for one in stated][-3:] == ["series", "recording", "person"]
    else:
        assert entry["narrower_units"] == []
    assert "markov" not in str(built.manifest)
    assert verify(built.path, allow_test_seed=True).findings == []
