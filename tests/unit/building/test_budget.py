"""Who gets which part of ε and δ, and that all parts together cost what the plan allows: as much, and no more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from goldens import figures
from hypothesis import assume, given
from hypothesis import strategies as st
from refusals import refused
from tiers import few

from synthrelease.building.budget import PreparedOutput, divide_budget, requested_budgets
from synthrelease.dp import accounting
from synthrelease.dp.budget import GAUSSIAN, LAPLACE, Budget, calibrated
from synthrelease.dp.calibration import gaussian_delta
from synthrelease.dp.event import DiscreteLaplace, Event, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, Neighbours, PureDP
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.plan.plan import CheckedPlan

# What is asked for


@dataclass
class Asking:
    """A mechanism that is nothing but a noise."""

    noise: str | None
    sensitivity: Sensitivity

    @property
    def takes_budget(self) -> bool:
        return self.noise is not None

    @property
    def takes_delta(self) -> bool:
        return self.noise == GAUSSIAN

    def calibrate(self, budget: Budget) -> Event:
        assert self.noise is not None
        return calibrated(self.noise, self.sensitivity, budget, count=10)


def asking(name: str, noise: str | None, *, reach: int = 100, **options: Any) -> PreparedOutput:
    spec = OutputSpec(name, "heatmap", "looks", dict(options), f"plan.toml: outputs[0] ({name})")
    return PreparedOutput(spec, cast("Mechanism[Any]", Asking(noise, Sensitivity(reach, reach**2))))


def near(value: Any) -> Any:
    """A budget may be cut down by a hair, so that guarantees rounded up keep within the whole."""
    return pytest.approx(value, rel=1e-9)


def split(
    *outputs: PreparedOutput, epsilon: float = 3.0, delta: float = 1e-6
) -> dict[str, tuple[float, float]]:
    whole = CheckedPlan(Path("plan.toml"), {}, Neighbours.REPLACE_ONE, epsilon, delta, {}, ())
    return {name: (b.epsilon, b.delta) for name, b in requested_budgets(whole, list(outputs)).items()}


def epsilons(*outputs: PreparedOutput, epsilon: float = 3.0) -> dict[str, float]:
    return {name: near(e) for name, (e, _) in split(*outputs, epsilon=epsilon).items()}


def test_shares_are_of_the_releases_epsilon_and_epsilons_are_themselves() -> None:
    given = (asking("a", "laplace", share=0.5), asking("b", "laplace", epsilon=0.75))
    assert epsilons(*given) == {"a": 1.5, "b": 0.75}
    assert epsilons(*given, epsilon=6.0) == {"a": 3.0, "b": 0.75}


def test_what_is_left_is_divided_equally() -> None:
    assert epsilons(asking("a", "laplace"), asking("b", "gaussian"), asking("c", "laplace")) == {
        "a": 1,
        "b": 1,
        "c": 1,
    }
    mixed = (
        asking("a", "laplace", share=0.5),
        asking("b", "gaussian", epsilon=0.5),
        asking("c", "laplace"),
        asking("d", "gaussian"),
    )
    assert epsilons(*mixed) == {"a": 1.5, "b": 0.5, "c": 0.5, "d": 0.5}


def test_what_no_one_asks_for_is_not_spent() -> None:
    assert epsilons(asking("a", "laplace", share=0.25)) == {"a": 0.75}


def test_an_output_without_noise_takes_nothing() -> None:
    assert epsilons(asking("a", None), asking("b", "laplace")) == {"b": 3.0}
    assert split(asking("a", None)) == {}


def test_delta_is_divided_among_gaussian_outputs_in_proportion_to_epsilon() -> None:
    found = split(
        asking("a", "gaussian", epsilon=2),
        asking("b", "laplace", epsilon=0.5),
        asking("c", "gaussian", epsilon=0.5),
    )
    assert found == {"a": (near(2), near(8e-7)), "b": (near(0.5), 0.0), "c": (near(0.5), near(2e-7))}


def test_a_stated_delta_is_kept_and_the_rest_divided() -> None:
    found = split(
        asking("a", "gaussian", epsilon=1, delta=4e-7),
        asking("b", "gaussian", epsilon=0.5),
        asking("c", "gaussian", epsilon=1.5),
    )
    assert {name: d for name, (_, d) in found.items()} == {
        "a": near(4e-7),
        "b": near(1.5e-7),
        "c": near(4.5e-7),
    }


def test_laplace_noise_costs_no_delta() -> None:
    assert split(asking("a", "laplace"), asking("b", "gaussian"))["a"][1] == 0
    assert split(asking("a", "laplace"), delta=0.0) == {"a": (near(3.0), 0.0)}


@pytest.mark.parametrize(
    "outputs",
    [
        [("a", {"share": 0.7}), ("b", {"share": 0.4})],
        [("a", {"share": 1.0}), ("b", {})],
        [("a", {"epsilon": 3.0}), ("b", {}), ("c", {})],
        [("a", {"share": 0.7}), ("b", {"share": 0.4}), ("c", {})],
    ],
    ids=str,
)
def test_more_than_the_releases_epsilon_is_refused_by_policy(
    outputs: list[tuple[str, dict[str, float]]],
) -> None:
    asked = [asking(name, "laplace", **options) for name, options in outputs]
    with refused(PolicyError, "outputs-exceed-epsilon", where="plan.toml") as caught:
        split(*asked)
    assert caught.value.exit_code == 4
    assert figures(caught.value.found)[1] == 3
    assert caught.value.remedy
    for name, options in outputs:
        assert options or name in caught.value.found


@pytest.mark.parametrize("shares", [[0.7, 0.2, 0.1], [1 / 3] * 3, [0.1] * 10, [1 / 7] * 7, [1.0]], ids=str)
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 0.1])
def test_shares_of_exactly_one_are_enough_and_leave_nothing(shares: list[float], epsilon: float) -> None:
    # On paper they add up to 1; in floating point to a little more or less.
    outputs = [asking(f"o{i}", "laplace", share=share) for i, share in enumerate(shares)]
    assert len(split(*outputs, epsilon=epsilon)) == len(shares)
    with refused(PolicyError, "outputs-exceed-epsilon", names=["waiting"]):
        split(*outputs, asking("waiting", "laplace"), epsilon=epsilon)


@pytest.mark.parametrize("deltas", [[1.1e-6], [6e-7, 5e-7], [1e-6, None], [6e-7, 6e-7, None]], ids=str)
def test_more_than_the_releases_delta_is_refused_by_policy(deltas: list[float | None]) -> None:
    outputs = [asking(f"o{i}", "gaussian", **({"delta": d} if d else {})) for i, d in enumerate(deltas)]
    with refused(PolicyError, "outputs-exceed-delta", where="plan.toml") as caught:
        split(*outputs)
    assert caught.value.exit_code == 4
    assert figures(caught.value.found)[1] == 1e-6


def test_a_delta_of_an_output_needs_one_of_the_release() -> None:
    with refused(PolicyError, "outputs-exceed-delta"):
        split(asking("a", "gaussian", delta=1e-7), delta=0.0)


def test_deltas_of_exactly_the_whole_are_enough() -> None:
    found = split(*(asking(f"o{i}", "gaussian", delta=1e-7) for i in range(10)))
    assert sum(d for _, d in found.values()) == pytest.approx(1e-6)


@pytest.mark.parametrize("deltas", [(1e-7, 3e-7, 6e-7), (2e-7, 2e-7, 6e-7), (1e-6,)], ids=str)
def test_deltas_of_exactly_the_whole_leave_nothing(deltas: tuple[float, ...]) -> None:
    stated = [asking(f"o{i}", "gaussian", delta=delta) for i, delta in enumerate(deltas)]
    with refused(PolicyError, "outputs-exceed-delta"):
        split(*stated, asking("waiting", "gaussian"))


@pytest.mark.parametrize("options", [{"share": 0.1}, {"epsilon": 0.1}, {"delta": 1e-7}])
def test_an_output_without_noise_that_asks_for_a_part_is_refused(options: dict[str, float]) -> None:
    with refused(
        PlanError, "budget-without-noise", where="outputs[0] (records)", names=list(options)
    ) as caught:
        split(asking("records", None, **options), asking("b", "laplace"))
    assert caught.value.exit_code == 3


PARTS = st.one_of(
    st.none(),
    st.tuples(st.just("share"), st.floats(0.001, 1.0)),
    st.tuples(st.just("epsilon"), st.floats(0.001, 3.0)),
)


@given(
    st.lists(st.tuples(st.sampled_from(["gaussian", "laplace"]), PARTS), min_size=1, max_size=6),
    st.floats(0.01, 100),
)
def test_the_parts_never_exceed_the_whole_and_leave_nothing_where_someone_waits(
    asked: list[tuple[str, tuple[str, float] | None]], epsilon: float
) -> None:
    outputs = [
        asking(f"o{i}", noise, **(dict([part]) if part else {})) for i, (noise, part) in enumerate(asked)
    ]
    try:
        found = split(*outputs, epsilon=epsilon)
    except PolicyError:
        assume(False)
    total = sum(e for e, _ in found.values())
    assert all(e > 0 for e, _ in found.values())
    assert sum(part[1] for _, part in asked if part and part[0] == "share") <= 1 + 1e-9
    if any(part is None for _, part in asked):
        assert total == pytest.approx(epsilon, rel=1e-9)
    gaussian = [found[f"o{i}"] for i, (noise, _) in enumerate(asked) if noise == "gaussian"]
    if gaussian:
        assert sum(d for _, d in gaussian) == pytest.approx(1e-6, rel=1e-9)
        assert len({round(d / e / gaussian[0][1] * gaussian[0][0], 9) for e, d in gaussian}) == 1


# What is given


def whole(epsilon: float = 3.0, delta: float = 1e-6) -> CheckedPlan:
    return CheckedPlan(Path("plan.toml"), {}, Neighbours.REPLACE_ONE, epsilon, delta, {}, ())


def spent(outputs: list[PreparedOutput], plan: CheckedPlan) -> tuple[float, list[Event], dict[str, Budget]]:
    """ε of all outputs together as they are divided, their events and budgets."""
    budgets = divide_budget(plan, outputs)
    made = [output.mechanism.calibrate(budgets[output.spec.name]) for output in outputs]
    guarantee = accounting.compose(made, delta=plan.delta or 0.5, budget=plan.epsilon)
    assert isinstance(guarantee, PureDP | ApproxDP)
    return guarantee.epsilon, made, budgets


@pytest.mark.quick(but=["300-0.1", "300-1.0", "300-3.0", "300-20.0"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("count", [2, 20, 300])
def test_gaussian_outputs_spend_all_of_it_in_squares(count: int, epsilon: float) -> None:
    """μ² adds up (Dong, Roth & Su 2022): equal outputs have μ/√count each, whatever ε and δ by themselves that is."""
    outputs = [asking(f"o{i}", GAUSSIAN, reach=10 + i) for i in range(count)]
    total, events, _ = spent(outputs, whole(epsilon))
    assert epsilon * (1 - 2e-6) <= total <= epsilon
    mus = [e.sensitivity / e.scale for e in events if isinstance(e, RoundedGaussian)]
    assert max(mus) == pytest.approx(min(mus), rel=1e-6)
    at = math.hypot(*mus)
    assert gaussian_delta(epsilon, sigma=1.0, sensitivity=at) <= 1e-6
    assert gaussian_delta(epsilon, sigma=1.0, sensitivity=at * 1.00001) > 1e-6


@pytest.mark.thorough
def test_unlike_noises_spend_all_but_a_thousandth() -> None:
    outputs = [asking(f"m{i}", GAUSSIAN) for i in range(20)] + [asking(f"s{i}", LAPLACE) for i in range(2)]
    total, events, budgets = spent(outputs, whole())
    assert 3.0 * 0.999 <= total <= 3.0
    added_up = sum(budget.epsilon for budget in budgets.values())
    assert added_up > 2 * total
    assert len({budget.epsilon for budget in budgets.values()}) == 1
    steps = [e for e in events if isinstance(e, DiscreteLaplace)]
    assert steps[0].sensitivity / steps[0].scale == pytest.approx(budgets["s0"].epsilon, rel=1e-9)


def test_pure_outputs_have_what_they_ask_for() -> None:
    outputs = [asking("a", LAPLACE, share=0.5), asking("b", LAPLACE)]
    assert divide_budget(whole(), outputs) == requested_budgets(whole(), outputs)


def test_shares_keep_their_proportion_and_stated_epsilons_are_kept() -> None:
    outputs = [
        asking("a", GAUSSIAN, share=0.4),
        asking("b", GAUSSIAN, share=0.2),
        asking("c", GAUSSIAN, epsilon=0.5),
        asking("d", GAUSSIAN),
    ]
    total, _, budgets = spent(outputs, whole())
    assert 3.0 * (1 - 2e-6) <= total <= 3.0
    assert budgets["c"].epsilon == pytest.approx(0.5)
    assert budgets["a"].epsilon / budgets["b"].epsilon == pytest.approx(2.0)
    assert budgets["a"].epsilon > 1.3


def test_what_shares_leave_unspent_stays_so() -> None:
    """Half is asked for: half is spent, not all."""
    outputs = [asking(f"o{i}", GAUSSIAN, share=0.25) for i in range(2)]
    total, _, _ = spent(outputs, whole())
    assert 1.5 * (1 - 2e-6) <= total <= 1.5


def test_stated_epsilons_may_add_up_to_more_as_long_as_they_do_not_cost_more() -> None:
    """Twenty times 0.4 are 8, and cost 1.8 together."""
    outputs = [asking(f"o{i}", GAUSSIAN, epsilon=0.4) for i in range(20)]
    total, _, budgets = spent(outputs, whole())
    assert total < 3.0 < sum(budget.epsilon for budget in budgets.values())
    assert [budget.epsilon for budget in budgets.values()] == pytest.approx([0.4] * 20)


def test_a_papers_noise_is_that_of_the_share_it_asks_for() -> None:
    outputs = [asking("a", GAUSSIAN, share=0.5, calibration="liu2019"), asking("b", GAUSSIAN, share=0.5)]
    total, _, budgets = spent(outputs, whole())
    assert budgets["a"].epsilon == pytest.approx(1.5)
    assert budgets["b"].epsilon > 1.5
    assert 3.0 * (1 - 2e-6) <= total <= 3.0


def test_a_refusal_names_the_output() -> None:
    with pytest.raises(PolicyError) as caught:
        divide_budget(whole(delta=0.0), [asking("maps", GAUSSIAN)])
    assert "(maps)" in caught.value.where


NOISES = st.sampled_from([GAUSSIAN, GAUSSIAN, LAPLACE])


@given(
    st.lists(st.tuples(NOISES, PARTS, st.integers(1, 10**6)), min_size=1, max_size=5),
    st.floats(0.05, 5),
    st.sampled_from([1e-9, 1e-6, 1e-3]),
)
@few
def test_all_together_cost_what_the_plan_allows_and_no_more(
    asked: list[tuple[str, tuple[str, float] | None, int]], epsilon: float, delta: float
) -> None:
    outputs = [
        asking(f"o{i}", noise, reach=reach, **(dict([part]) if part else {}))
        for i, (noise, part, reach) in enumerate(asked)
    ]
    plan = whole(epsilon, delta)
    try:
        base = requested_budgets(plan, outputs)
    except PolicyError:
        assume(False)
    total, _, budgets = spent(outputs, plan)
    assert all(budgets[name].epsilon >= base[name].epsilon for name in base)
    assert all(budgets[name].delta == base[name].delta for name in base)
    literal = sum(budget.epsilon for budget in base.values())
    if literal <= epsilon:
        assert total <= epsilon * (1 + 1e-4)  # a claim is rounded up by a ten-thousandth at most
    some = any(part is None or part[0] == "share" for _, part, _ in asked)
    if some and literal <= epsilon and any(noise == GAUSSIAN for noise, _, _ in asked):
        # Of small ε next to a tiny δ, rounding of privacy-loss distributions takes most.
        assert total >= min(literal, epsilon) * (1 - 5e-3)
