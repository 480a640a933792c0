"""What a plan will cost: who gets which budget, what is refused, and a preview that sees no private value."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
import refusals
from goldens import figures
from scipy.special import ndtr

from synthrelease.building.design import Design, make_design, warnings
from synthrelease.building.preview import as_text, preview
from synthrelease.bundle.disclosure import warning_sentence
from synthrelease.data.readers import delimited, parquet
from synthrelease.data.source import Source
from synthrelease.dp import accounting
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, Neighbours, NoGuarantee, PlausibleDeniability, PureDP
from synthrelease.errors import DataError, PlanError, PolicyError, SynthReleaseError
from synthrelease.plan.plan import CheckedPlan, load_plan
from synthrelease.remarks import remark

PEOPLE = 12
GAZE_PEOPLE = [f"p{i}" for i in range(PEOPLE)]
PUPIL_PEOPLE = [f"p{i}" for i in range(4, 4 + PEOPLE)]  # 8 of them in both files: 16 people in all
STIMULI, RECORDINGS = ("sea", "sky"), ("a", "b")
STEPS = 5

HEATMAP = {
    "name": "maps",
    "kind": "heatmap",
    "input": "looks",
    "mechanism": "gaussian",
    "width_px": 8,
    "height_px": 6,
}
SIGNALS = {"name": "signals", "kind": "signals", "input": "pupils", "mechanism": "lpa", "length": STEPS}
STATISTICS = {"name": "summary", "kind": "statistics", "input": "pupils", "statistics": ["mean"]}
RECORDS = {
    "name": "records",
    "kind": "records",
    "input": "pupils",
    "model": "seeded",
    "resampled": 1,
    "k": 3,
    "rows": 10,
}
MARGINALS = {key: value for key, value in RECORDS.items() if key != "resampled"} | {"model": "marginals"}


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def gaze_rows(chance: random.Random) -> list[tuple[Any, ...]]:
    cells = [(who, image) for who in GAZE_PEOPLE for image in STIMULI for _ in range(3)]
    return [(*cell, chance.uniform(0, 800), chance.uniform(0, 600), chance.random()) for cell in cells]


def pupil_rows(chance: random.Random) -> list[tuple[Any, ...]]:
    cells = [(who, task, t) for who in PUPIL_PEOPLE for task in RECORDINGS for t in range(STEPS)]
    return [(*cell, chance.uniform(1, 9), chance.uniform(0, 2)) for cell in cells]


def stored(folder: Path, name: str, header: list[str], rows: list[tuple[Any, ...]]) -> None:
    frame = pl.DataFrame(rows, schema=header, orient="row")
    if name.endswith(".parquet"):
        frame.write_parquet(folder / name)
    else:
        frame.write_csv(folder / name)


def data(folder: Path, seed: int = 0) -> None:
    chance = random.Random(seed)
    stored(folder, "gaze.csv", ["who", "image", "x", "y", "t"], gaze_rows(chance))
    stored(folder, "pupil.parquet", ["who", "task", "t", "pupil", "blink"], pupil_rows(chance))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gaze of 12 people and pupils of 12 people, 8 of them the same."""
    made = tmp_path_factory.mktemp("study")
    data(made)
    return made


def plan(
    folder: Path,
    *outputs: dict[str, Any],
    looks: dict[str, Any] | None = None,
    pupils: dict[str, Any] | None = None,
    **privacy: Any,
) -> CheckedPlan:
    document = {
        "release": {"name": "study", "version": "1", "title": "A study"},
        "privacy": {"epsilon": 3.0, "delta": 1e-6, **privacy},
        "inputs": {
            "looks": {
                "kind": "gaze",
                "path": "gaze.csv",
                "columns": {"person": "who", "stimulus": "image", "x": "x", "y": "y", "time": "t"},
                "screen": {"width_px": 800, "height_px": 600},
                "stimuli": list(STIMULI),
                **(looks or {}),
            },
            "pupils": {
                "kind": "features",
                "path": "pupil.parquet",
                "columns": {"person": "who", "recording": "task", "time": "t"},
                "recordings": list(RECORDINGS),
                "bounds": {"pupil": [1.0, 9.0], "blink": [0.0, 2.0]},
                **(pupils or {}),
            },
        },
        "outputs": list(outputs),
    }
    path = folder / "plan.toml"
    path.write_text("".join(f"{key} = {toml(value)}\n" for key, value in document.items()), encoding="utf-8")
    return load_plan(path)


def design(folder: Path, *outputs: dict[str, Any], **options: Any) -> Design:
    return make_design(plan(folder, *outputs, **options))


def refused(
    kind: type[SynthReleaseError], code: str, folder: Path, *outputs: dict[str, Any], **options: Any
) -> SynthReleaseError:
    loaded = plan(folder, *outputs, **options)
    with refusals.refused(kind, code) as caught:
        make_design(loaded)
    assert caught.value.exit_code == {PlanError: 3, PolicyError: 4}[kind]
    return caught.value


def gaussian_delta(epsilon: float, sigma: float, sensitivity: float) -> float:
    """Balle & Wang 2018, Equation 6, as it is printed; good enough for δ above 1e-12."""
    mu = sensitivity / sigma
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu))


def near(value: Any) -> Any:
    """A budget may be cut down by a hair, so that guarantees rounded up keep within the whole."""
    return pytest.approx(value, rel=1e-9)


# The whole design


def test_the_design_spends_what_was_split_and_no_more(folder: Path) -> None:
    stated = {"epsilon": 0.5}
    made = design(folder, {**HEATMAP, "epsilon": 2.0}, SIGNALS | stated, STATISTICS | stated, RECORDS)
    budgets = {o.name: o.budget for o in made.outputs}
    assert budgets["records"] is None
    assert [b.epsilon for b in budgets.values() if b] == near([2.0, 0.5, 0.5])
    assert [b.delta for b in budgets.values() if b] == near([1e-6, 0.0, 0.0])
    heatmap, signals, summary, _ = (o.event for o in made.outputs)
    assert isinstance(heatmap, RoundedGaussian)
    assert 0.999e-6 < gaussian_delta(2.0, heatmap.scale, heatmap.sensitivity) <= 1e-6 * (1 + 1e-9)
    for event in (signals, summary):
        assert isinstance(event, DiscreteLaplace)
        assert 0.499 < event.sensitivity / event.scale <= 0.5
    guarantees = [o.guarantee for o in made.outputs]
    assert isinstance(guarantees[0], ApproxDP)
    assert (guarantees[0].epsilon, guarantees[0].delta) == (2.0, 1e-6)
    assert guarantees[1] == guarantees[2] == PureDP(epsilon=0.5)
    assert isinstance(guarantees[3], PlausibleDeniability)
    assert [o.private for o in made.outputs] == [True, True, True, False]
    assert isinstance(made.guarantee, ApproxDP)
    assert 2.0 < made.guarantee.epsilon <= 3.0
    assert made.guarantee.delta == 1e-6
    assert "dp-accounting" in made.method


def test_pure_outputs_add_up_to_the_releases_epsilon(folder: Path) -> None:
    made = design(folder, {**HEATMAP, "mechanism": "laplace"}, SIGNALS, STATISTICS)
    assert made.guarantee == PureDP(epsilon=3.0)
    assert made.method == accounting.METHODS["pure"]
    assert [o.budget.delta for o in made.outputs if o.budget] == [0, 0, 0]


def test_gaussian_outputs_together_guarantee_no_more_than_the_plan(folder: Path) -> None:
    outputs = [{**HEATMAP, "name": f"maps{i}", "share": share} for i, share in enumerate((0.5, 0.25, 0.25))]
    made = design(folder, *outputs)
    assert isinstance(made.guarantee, ApproxDP)
    assert 1.5 < made.guarantee.epsilon <= 3.0
    mu = math.sqrt(
        sum((e.sensitivity / e.scale) ** 2 for e in (cast("RoundedGaussian", o.event) for o in made.outputs))
    )
    assert gaussian_delta(made.guarantee.epsilon, 1.0, mu) <= 1e-6
    assert gaussian_delta(made.guarantee.epsilon * 0.999, 1.0, mu) > 1e-6


@pytest.mark.parametrize("output", [STATISTICS, HEATMAP], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 1.0, 1.1, 1.3, 2.3, 3.0, 3.1])
def test_the_guarantee_of_one_output_is_the_plans_epsilon_and_no_more(
    folder: Path, output: dict[str, Any], epsilon: float
) -> None:
    # 1.1 as a float is a little above 1.1; a guarantee of 1.10001 would be refused by the bundle's verification.
    made = design(folder, output, epsilon=epsilon)
    for guarantee in (made.guarantee, made.outputs[0].guarantee):
        assert isinstance(guarantee, PureDP | ApproxDP)
        assert epsilon * 0.999 < guarantee.epsilon <= epsilon


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 1.1, 3.0])
@pytest.mark.parametrize("count", [3, 7, 10])
def test_equal_shares_guarantee_no_more_than_the_plan(folder: Path, count: int, epsilon: float) -> None:
    outputs = [{**STATISTICS, "name": f"s{i}", "share": 1 / count} for i in range(count)]
    made = design(folder, *outputs, epsilon=epsilon)
    assert isinstance(made.guarantee, PureDP)
    assert made.guarantee.epsilon <= epsilon


@pytest.mark.parametrize(
    "output", [RECORDS, {**MARGINALS, "acknowledge_vacuous": True}, {**RECORDS, "fit": "dp"}]
)
def test_a_release_of_deniable_records_alone_guarantees_no_differential_privacy(
    folder: Path, output: dict[str, Any]
) -> None:
    # An ε of 0 would be the strongest guarantee there is; there is none.
    made = design(folder, output)
    assert [o.private for o in made.outputs] == [False]
    assert made.method == "none"
    assert isinstance(made.guarantee, NoGuarantee)
    assert "ε = 0" not in as_text(preview(made))


def test_people_are_counted_once_over_all_inputs(folder: Path) -> None:
    made = design(folder, HEATMAP, STATISTICS)
    assert {name: facts.people for name, facts in made.facts.items()} == {"looks": 12, "pupils": 12}
    assert made.people == 16


def test_people_of_an_input_that_no_output_uses_are_not_in_the_release(folder: Path) -> None:
    assert design(folder, HEATMAP).people == PEOPLE
    assert design(folder, STATISTICS).people == PEOPLE


def test_an_excess_in_a_plan_ends_with_code_4(folder: Path) -> None:
    outputs = {**HEATMAP, "share": 0.8}, {**STATISTICS, "share": 0.3}
    error = refused(PolicyError, "outputs-exceed-epsilon", folder, *outputs)
    assert figures(error.found) == [3.3, 3]
    refused(PolicyError, "outputs-exceed-delta", folder, {**HEATMAP, "delta": 2e-6})


@pytest.mark.parametrize("options", [{"share": 0.1}, {"epsilon": 0.1}])
def test_records_of_an_exact_fit_take_no_part_and_those_of_a_dp_fit_do(
    folder: Path, options: dict[str, float]
) -> None:
    error = refused(PlanError, "budget-without-noise", folder, {**RECORDS, **options}, STATISTICS)
    assert "outputs[0] (records)" in error.where
    made = design(folder, {**RECORDS, **options, "fit": "dp"}, STATISTICS)
    assert made.outputs[0].budget is not None
    assert made.outputs[0].budget.epsilon == pytest.approx(options.get("epsilon", 0.3))


# Refused by policy


VACUOUS = {
    "marginals": MARGINALS,
    "seeded, all drawn": {**RECORDS, "resampled": 2},
}


@pytest.mark.parametrize("output", VACUOUS.values(), ids=VACUOUS)
def test_a_test_that_cannot_fail_is_refused_unless_acknowledged(folder: Path, output: dict[str, Any]) -> None:
    error = refused(PolicyError, "vacuous-test", folder, output)
    assert "outputs[0] (records)" in error.where
    assert 'fit = "dp"' in error.remedy
    assert "acknowledge_vacuous = true" in error.remedy
    made = design(folder, {**output, "acknowledge_vacuous": True})
    guarantee = made.outputs[0].guarantee
    assert isinstance(guarantee, PlausibleDeniability)
    assert guarantee.vacuous
    assert remark("vacuous") in made.outputs[0].mechanism.parameters.warnings()


def test_marginals_of_a_dp_fit_guarantee_differential_privacy_instead(folder: Path) -> None:
    made = design(folder, {**MARGINALS, "fit": "dp"})
    assert made.outputs[0].private
    assert made.outputs[0].guarantee == PureDP(epsilon=3.0)


@pytest.mark.parametrize(
    "output", [RECORDS, {**RECORDS, "resampled": [1, 2]}, {**RECORDS, "task": "recording", "resampled": 2}]
)
def test_a_test_that_can_fail_is_not_refused(folder: Path, output: dict[str, Any]) -> None:
    guarantee = design(folder, output).outputs[0].guarantee
    assert isinstance(guarantee, PlausibleDeniability)
    assert not guarantee.vacuous


def test_the_remedy_for_a_vacuous_test_is_not_what_the_plan_says_already(folder: Path) -> None:
    error = refused(PolicyError, "vacuous-test", folder, {**RECORDS, "resampled": 2, "fit": "dp"})
    assert 'fit = "dp"' not in error.remedy


def test_more_plausible_people_than_there_are_cannot_be_asked_for(folder: Path) -> None:
    assert design(folder, {**RECORDS, "k": PEOPLE}).outputs[0].event
    error = refused(PlanError, "k-exceeds-people", folder, {**RECORDS, "k": PEOPLE + 1})
    assert "outputs[0] (records).k" in error.where
    assert figures(error.found) == [13, 12]
    assert figures(error.expected) == [12]
    output = {**MARGINALS, "k": PEOPLE + 1, "acknowledge_vacuous": True}
    refused(PlanError, "k-exceeds-people", folder, output)
    # A DP fit of marginals has no test, and records may be more than people.
    design(folder, {**MARGINALS, "k": PEOPLE + 1, "fit": "dp"})
    design(folder, {**RECORDS, "k": PEOPLE + 1, "count": "record"})


@pytest.mark.parametrize("output", [SIGNALS, RECORDS], ids=["signals", "records"])
def test_signals_and_records_need_a_public_number_of_people(folder: Path, output: dict[str, Any]) -> None:
    error = refused(PlanError, "needs-public-people", folder, output, neighbours="add-remove-one")
    assert f"outputs[0] ({output['name']})" in error.where
    assert "add-remove-one" in error.found
    assert "replace-one" in error.expected


def test_heatmaps_and_statistics_do_not_need_it(folder: Path) -> None:
    made = design(folder, HEATMAP, STATISTICS, neighbours="add-remove-one")
    assert made.guarantee.neighbours is Neighbours.ADD_REMOVE_ONE
    for output in made.outputs:
        assert output.mechanism.parameters.to_entry()["public_inputs"]["people"] is None


@pytest.mark.parametrize("output", [HEATMAP, {**SIGNALS, "noise": "gaussian"}], ids=["heatmap", "signals"])
def test_gaussian_noise_needs_a_delta(folder: Path, output: dict[str, Any]) -> None:
    error = refused(PolicyError, "gaussian-needs-delta", folder, output, delta=0)
    assert "delta" in error.expected
    assert "laplace" in error.remedy


# The calibration of Liu et al. 2019


def liu(side_px: int, **options: Any) -> dict[str, Any]:
    """A heatmap with the paper's noise: one person, one map, any number of samples."""
    paper = {"calibration": "liu2019", "max_samples_per_stimulus": "unlimited", "max_stimuli_per_person": 1}
    return {**HEATMAP, "width_px": side_px, "height_px": side_px, **paper, **options}


ONE_STIMULUS = {"stimuli": ["sea"]}
# Exact δ against the target where the paper's σ is too small (science.md, 2.2): r, ε, n of δ = n^(−3/2), exact δ.
INSUFFICIENT = [(1, 1.0, 900, "7.07e-05"), (1, 3.0, 50_000, "8.29e-06"), (10, 3.0, 50_000, "6.09e-07")]


@pytest.mark.parametrize(("side_px", "epsilon", "people", "exact"), INSUFFICIENT)
def test_liu2019_is_refused_with_both_numbers_where_it_is_not_sufficient(
    folder: Path, side_px: int, epsilon: float, people: int, exact: str
) -> None:
    delta = people**-1.5
    options = {"looks": ONE_STIMULUS, "epsilon": epsilon, "delta": delta}
    error = refused(PolicyError, "insufficient-calibration", folder, liu(side_px), **options)
    sigma = math.sqrt(side_px**2 * (epsilon / 2 + math.log(side_px**2 / delta))) / epsilon
    assert figures(error.found) == [pytest.approx(sigma, rel=1e-5), float(exact), epsilon]
    allowed, enough = figures(error.expected)
    assert allowed == pytest.approx(delta, rel=1e-2)
    assert enough > sigma
    assert "liu2019" in error.remedy


@pytest.mark.parametrize(
    ("side_px", "epsilon", "people"), [(300, 1.0, 900), (300, 3.0, 900), (100, 3.0, 50_000)]
)
def test_liu2019_is_accepted_where_it_is_sufficient(
    folder: Path, side_px: int, epsilon: float, people: int
) -> None:
    delta = people**-1.5
    made = design(folder, liu(side_px), looks=ONE_STIMULUS, epsilon=epsilon, delta=delta)
    event = made.outputs[0].event
    assert isinstance(event, RoundedGaussian)
    paper = math.sqrt(side_px**2 * (epsilon / 2 + math.log(side_px**2 / delta))) / epsilon
    assert event.scale == pytest.approx(paper, rel=1e-12)
    assert event.sensitivity == side_px
    exact = design(
        folder, liu(side_px, calibration="exact"), looks=ONE_STIMULUS, epsilon=epsilon, delta=delta
    )
    assert event.scale > cast("RoundedGaussian", exact.outputs[0].event).scale
    guarantee = made.outputs[0].guarantee
    assert isinstance(guarantee, ApproxDP)
    assert guarantee.epsilon < epsilon, "the paper's noise is more than needed, and the guarantee says so"
    assert gaussian_delta(guarantee.epsilon, event.scale, side_px) <= delta


@pytest.mark.parametrize("side_px", [1, 3, 10, 30, 100])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0, 8.0])
def test_liu2019_is_refused_exactly_where_its_delta_exceeds_the_target(
    folder: Path, side_px: int, epsilon: float
) -> None:
    delta = 1e-7
    sigma = math.sqrt(side_px**2 * (epsilon / 2 + math.log(side_px**2 / delta))) / epsilon
    sufficient = gaussian_delta(epsilon, sigma, side_px) <= delta
    loaded = plan(folder, liu(side_px), looks=ONE_STIMULUS, epsilon=epsilon, delta=delta)
    if sufficient:
        assert make_design(loaded).outputs[0].private
    else:
        with pytest.raises(PolicyError):
            make_design(loaded)


def test_liu2019_counts_all_the_maps_of_a_person(folder: Path) -> None:
    # Two maps of a person are √2 as sensitive, or twice if others may come in their place; the paper knows one.
    both = liu(300, max_stimuli_per_person=2)
    design(folder, liu(300), looks=ONE_STIMULUS, epsilon=3.0, delta=900**-1.5)
    refused(PolicyError, "insufficient-calibration", folder, both, epsilon=3.0, delta=900**-1.5)


def test_liu2019_does_not_bound_samples(folder: Path) -> None:
    bounded = liu(300, max_samples_per_stimulus=100)
    error = refused(PlanError, "key-not-for-calibration", folder, bounded, looks=ONE_STIMULUS)
    assert "outputs[0] (maps)" in error.where
    assert "unlimited" in error.expected


@pytest.mark.parametrize(
    ("output", "options", "code"),
    [
        (liu(1), {"looks": ONE_STIMULUS}, "insufficient-calibration"),
        (HEATMAP, {"delta": 0}, "gaussian-needs-delta"),
    ],
    ids=["liu2019", "no delta"],
)
def test_a_refused_calibration_names_its_output(
    folder: Path, output: dict[str, Any], options: dict[str, Any], code: str
) -> None:
    error = refused(PolicyError, code, folder, STATISTICS, output, **options)
    assert "outputs[1] (maps)" in error.where


# Warnings


def test_a_delta_of_one_person_is_warned_of(folder: Path) -> None:
    both = (HEATMAP, {**SIGNALS, "noise": "gaussian"})

    usual = warnings(design(folder, *both, delta=1e-6))
    for delta in (1 / 16, 0.3):
        (warning,) = [one for one in warnings(design(folder, *both, delta=delta)) if one not in usual]
        assert warning == remark("large-delta", delta=delta, people=16)
        assert "1/16" in warning_sentence(warning)
        assert figures(warning_sentence(warning))[0] == delta
    assert warnings(design(folder, *both, delta=math.nextafter(1 / 16, 0))) == usual


@pytest.mark.parametrize(("delta", "people"), [(1.5e-3, 666), (0.3, 3)])
def test_where_the_number_of_people_is_private_a_delta_is_warned_of_that_no_study_is_small_enough_for(
    folder: Path, delta: float, people: int
) -> None:
    usual, large = (
        warnings(design(folder, HEATMAP, delta=delta, neighbours="add-remove-one")) for delta in (1e-3, delta)
    )
    (warning,) = [one for one in large if one not in usual]
    assert warning == remark("delta-of-a-private-number", delta=delta, people=people)
    assert figures(warning_sentence(warning))[:2] == [delta, people]


@pytest.mark.parametrize(("epsilon", "power"), [(10.5, "10^5"), (20, "10^9"), (100, "10^43")])
def test_a_large_epsilon_is_warned_of(folder: Path, epsilon: float, power: str) -> None:
    usual = warnings(design(folder, STATISTICS, epsilon=1))
    (warning,) = [one for one in warnings(design(folder, STATISTICS, epsilon=epsilon)) if one not in usual]
    assert warning.code == "weak-guarantee"
    assert f"ε = {epsilon:g}" in warning_sentence(warning)
    assert power in warning_sentence(warning)


def test_a_moderate_epsilon_is_not_warned_of(folder: Path) -> None:
    (untracked,) = warnings(design(folder, STATISTICS, epsilon=10))
    assert [untracked] == warnings(design(folder, STATISTICS, epsilon=1))
    assert untracked == remark("spending-not-tracked")
    assert figures(warning_sentence(untracked)) == []


# The preview


ALL = ({**HEATMAP, "epsilon": 1.0}, SIGNALS, STATISTICS, RECORDS)


def seen(folder: Path, *outputs: dict[str, Any], **options: Any) -> str:
    """The preview, as data and as text."""
    view = preview(design(folder, *outputs, **options))
    return json.dumps(view, allow_nan=False, ensure_ascii=False) + as_text(view)


def test_the_preview_tells_budget_guarantee_noise_error_and_people(folder: Path) -> None:
    view = preview(design(folder, *ALL))
    assert [row["name"] for row in view["outputs"]] == ["maps", "signals", "summary", "records"]
    stated, each, other = (row["epsilon"] for row in view["outputs"][:3])
    assert (stated, other) == (near(1.0), near(each))
    assert 1.02 < each < 1.05  # more than 1, as exact composition leaves room for it
    assert view["outputs"][3]["epsilon"] is None
    assert [row["delta"] for row in view["outputs"][:3]] == near([1e-6, 0.0, 0.0])
    assert [row["noise"] for row in view["outputs"]] == [
        "rounded_gaussian",
        "discrete_laplace",
        "discrete_laplace",
        None,
    ]
    assert all(row["people"] == PEOPLE and row["error"] and row["people_needed"] for row in view["outputs"])
    assert all((row["scale_steps"] is None) == (row["noise"] is None) for row in view["outputs"])
    assert view["added_up"] == near(1 + 2 * each)
    assert 2.997 <= view["epsilon"] <= 3.0
    text = " ".join(as_text(view).split())  # as it is said, however wide the terminal
    for row in view["outputs"]:
        assert f"{row['name']} ({row['kind']}, 12 participants)" in text
        assert row["guarantee"] in text
        assert row["error"] in text
    assert view["guarantee"] in text
    assert all(warning in text for warning in view["warnings"])


@pytest.mark.thorough
def test_the_preview_tells_what_exact_composition_saves(folder: Path) -> None:
    """Twenty Gaussian heatmaps and two Laplace statistics: a third of what adding up would state."""
    maps = [{**HEATMAP, "name": f"maps{i}"} for i in range(20)]
    sums = [{**STATISTICS, "name": f"sums{i}"} for i in range(2)]
    view = preview(design(folder, *maps, *sums))
    assert 2.997 <= view["epsilon"] <= 3.0
    assert view["added_up"] > 2 * view["epsilon"]
    times = view["added_up"] / view["epsilon"]
    (line,) = [line for line in as_text(view).splitlines() if view["method"] in line]
    of_method, of_line = figures(view["method"]), figures(line)
    assert of_line[len(of_method) :] == [
        pytest.approx(view["added_up"], rel=1e-5),
        pytest.approx(times, abs=0.051),
    ]


def test_the_preview_is_the_same_whatever_the_private_values_are(tmp_path: Path) -> None:
    data(tmp_path, seed=1)
    first = seen(tmp_path, *ALL)
    data(tmp_path, seed=2)
    assert seen(tmp_path, *ALL) == first
    chance = random.Random(3)
    garbage = [(*row[:2], "canary", None, "∞") for row in gaze_rows(chance)]
    stored(tmp_path, "gaze.csv", ["who", "image", "x", "y", "t"], garbage)
    broken = [(*row[:2], "canary", [1.0], None) for row in pupil_rows(chance)]
    stored(tmp_path, "pupil.parquet", ["who", "task", "t", "pupil", "blink"], broken)
    assert seen(tmp_path, *ALL) == first
    stored(tmp_path, "gaze.csv", ["who", "image"], [row[:2] for row in garbage])
    with refusals.refused(DataError, "unknown-column", where="gaze.csv", names=["'x'"]):
        seen(tmp_path, *ALL)  # names of columns are read, and no cell below


def test_the_preview_does_not_depend_on_the_number_or_order_of_rows(tmp_path: Path) -> None:
    data(tmp_path)
    first = seen(tmp_path, *ALL)
    chance = random.Random(4)
    looks = [row for row in gaze_rows(chance) for _ in range(chance.randrange(1, 4))]
    pupils = [row for row in pupil_rows(chance) if row[2] == 0 or chance.random() < 0.3]
    chance.shuffle(looks)
    chance.shuffle(pupils)
    stored(tmp_path, "gaze.csv", ["who", "image", "x", "y", "t"], looks)
    stored(tmp_path, "pupil.parquet", ["who", "task", "t", "pupil", "blink"], pupils)
    assert seen(tmp_path, *ALL) == first


def test_the_preview_does_not_tell_who_took_part(folder: Path) -> None:
    told = seen(folder, *ALL)
    assert not [who for who in {*GAZE_PEOPLE, *PUPIL_PEOPLE} if f"{who} " in told or f'"{who}"' in told]


def test_the_preview_opens_label_columns_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, list[str]] = {}
    for reader in (delimited.Delimited, parquet.Parquet):

        def noting(
            self: Any, source: Source, columns: list[str], *rest: Any, read: Any = reader.slices
        ) -> Any:
            asked.setdefault(source.path.name, []).extend(columns)
            return read(self, source, columns, *rest)

        monkeypatch.setattr(reader, "slices", noting)
    assert seen(folder, *ALL, pupils={"assume_public": ["lengths"]})
    assert {name: set(columns) for name, columns in asked.items()} == {
        "gaze.csv": {"who", "image"},
        "pupil.parquet": {"who", "task"},
    }


def test_a_length_that_is_assumed_public_is_that_of_the_longest_recording(tmp_path: Path) -> None:
    data(tmp_path)
    output = {key: value for key, value in SIGNALS.items() if key != "length"}
    made = design(tmp_path, output, pupils={"assume_public": ["lengths"]})
    assert made.outputs[0].mechanism.parameters.to_entry()["parameters"]["length"] == STEPS
    error = refused(PlanError, "length-missing", tmp_path, output)
    assert "length" in error.expected
    assert 'assume_public = ["lengths"]' in error.expected
