"""Utility against ε: the output's mechanism, on the same data, with less and with more budget."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError, PolicyError
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth import derivations, kind_of
from synthrelease.evaluation.ground_truth.ground_truth import GroundTruth
from synthrelease.evaluation.matched import BundleOutput
from synthrelease.evaluation.result import Curve, Scores
from synthrelease.evaluation.scores import best_without_data, over_items
from synthrelease.kinds.contributions import Contribution
from synthrelease.kinds.values import Values

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_TIMES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the plan's ε
# Of a release that are scored, each of which holds some items: as many as a moment suffices for.
_LEAST_PARTS, _MOST_PARTS, _MOST_VALUES = 3, 24, 10_000_000


def curve(
    output: BundleOutput,
    collected: Contribution,
    ground_truth: GroundTruth,
    *,
    items: int,
    together: bool,
    seed: int,
    progress: Progress | None = None,
) -> Curve | None:
    """Return how fresh releases of the same contributions score at other ε, by the first measure; None where no ε decides.

    A parameter that was chosen privately stays as it was chosen, and its part of ε is spent on that. Of many `items`, some are scored,
    the same ones in every release and in what needs no data; all at once if `together`, because individual series share one order of people.
    """
    budget, points, without = output.budget, [], None
    if budget is None or noise_of(output.event) is None:
        return None
    random, draws = SecureRandom.for_tests(seed).spawn("curve", output.name), kind_of(output.mechanism).draws
    done = itertools.count()
    for times in _TIMES:
        drawn = []
        for number in range(draws):
            if progress is not None:
                progress(f"at other ε: {output.name}", next(done), len(_TIMES) * draws)
            # What was chosen privately stays, and its part of ε is spent.
            other_budget = Budget(times * (budget.epsilon - output.spent_on_choice), budget.delta)
            generator = random.spawn(str(times), str(number))
            sample = _fresh_sample(output, collected, other_budget, together=together, random=generator)
            if sample is None:
                break
            scores = [scored for part in sample for scored in ground_truth.of(part).values()]
            drawn.append(over_items(scores, ground_truth.measures)[0])
            without = without or (_without_data(sample, ground_truth), len(scores))
        if len(drawn) == draws:
            points.append((times * budget.epsilon, tuple(drawn)))
    epsilons = tuple(epsilon for epsilon, _ in points)
    best, looked_at = without or (None, 0)
    return Curve(
        ground_truth.measures[0],
        epsilons,
        tuple(values for _, values in points),
        budget.epsilon,
        best,
        (looked_at, items),
    )


def _fresh_sample(
    output: BundleOutput, contribution: Contribution, budget: Budget, *, together: bool, random: SecureRandom
) -> list[Arrays] | None:
    """Parts of a fresh release, the same each time, as many as a moment suffices for; or all of it in one.

    None where so little ε buys nothing, or 64 bits cannot hold the noise.
    """
    try:
        released = output.mechanism.for_budget(budget).draw(contribution, budget, random)
    except (PolicyError, PlanError):
        return None
    values = Values(released.parameters, released.event, released.arrays)
    pieces = derivations(kind_of(output.mechanism), values, output.mechanism)
    if together:
        return [{labels: array for derive in pieces for labels, array in derive().items()}]
    size = sum(array.size for array in pieces[0]().values())
    count = min(len(pieces), _MOST_PARTS, max(_LEAST_PARTS, _MOST_VALUES // max(1, size)))
    chosen = np.linspace(0, len(pieces) - 1, count).round().astype(int)
    return [pieces[number]() for number in chosen]


def _without_data(sample: Sequence[Arrays], ground_truth: GroundTruth) -> tuple[str, float] | None:
    items: dict[str, list[Scores]] = {}
    for part in sample:
        for baseline, guess in ground_truth.without_data(part).items():
            items.setdefault(baseline, []).extend(ground_truth.of(guess).values())
    scores = {baseline: over_items(values, ground_truth.measures)[0] for baseline, values in items.items()}
    return best_without_data(ground_truth.measures[0], scores)
