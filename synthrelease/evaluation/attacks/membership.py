"""Who was in the data? From a score for every person, more for likelier members, and who truly was in, at random."""

from __future__ import annotations

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import (
    DRAWS,
    Permutation,
    checked_rounds,
    division_test,
    least_division_p,
)
from synthrelease.evaluation.attacks.guarantee import GuaranteeCheck, check_guarantee
from synthrelease.evaluation.attacks.intervals import Rate, auc_rate, coins_rate
from synthrelease.evaluation.attacks.nearest import nearest_distance, scaled
from synthrelease.evaluation.attacks.result import AttackResult, judged
from synthrelease.evaluation.attacks.roc import area_under_curve, at_false_positive_rate, balanced_accuracy
from synthrelease.evaluation.attacks.windows import Flags, Numbers, Windows, share_by_person

FALSE_POSITIVE_RATES = (0.01, 0.1)


def membership(
    scores: Numbers,
    members: Flags,
    *,
    seed: int,
    name: str = "nearest record",
    threshold: float | None = None,
    negative_control: Numbers | None = None,
    guarantee: tuple[float, float] | None = None,
    draws: int = DRAWS,
) -> AttackResult:
    """Return how well scores separate people in the data from people who are not.

    `main` is the area under the ROC curve within a round, averaged over rounds; ½ is chance. `control` is the same with shuffled divisions, or, with a
    negative control, the attack on that. `further` has the true-positive rates at false-positive
    rates of at most 1 % and 10 % of all rounds together, what false-positive rates these can be with so many non-members, and
    the balanced accuracy.

    Args:
        scores: of each person in each round (each round a release of people drawn anew), shape (R, n), or (n,) for one.
        members: who was in, at random, the same shape.
        seed: of shuffles.
        name: of the scorer.
        threshold: above which a score says "in", for balanced accuracy; the median of a round if None.
        negative_control: scores of the same people against a release that none of them is in: what they show is not
            membership, but how the people were divided; the same shape.
        guarantee: (ε, δ) under replace-one, to compare the attack with: by one person of each round, by turns, because people of one
            release are not independent trials.
        draws: number of shuffles.

    Raises:
        ValueError: shapes differ, or in some round everyone is a member, or no one.
    """
    from scipy.stats import rankdata  # noqa: PLC0415  slow to import

    scores, members = checked_rounds(scores, members)
    random = SecureRandom.for_tests(seed).spawn("membership", name)
    test = division_test(rankdata(scores, axis=1), members, random=random.spawn("divisions"), draws=draws)
    main = _area(scores, members)
    n = scores.shape[1]  # mean ranks inside and outside differ by n·(A − ½)
    control, control_p = Rate(0.5, 0.5 + test.low / n, 0.5 + test.high / n), test.control_p
    if negative_control is not None:
        negative_control, _ = checked_rounds(negative_control, members)
        control_test = division_test(
            rankdata(negative_control, axis=1), members, random=random.spawn("placebo"), draws=draws
        )
        control, control_p = (
            _area(negative_control, members),
            min(1.0, 2 * min(control_test.p_value, test.control_p)),
        )
    middle = np.median(scores, axis=1, keepdims=True) if threshold is None else threshold
    balanced = balanced_accuracy((scores - middle).ravel(), members.ravel(), 0.0)
    result = AttackResult(
        attack=f"membership, {name}",
        measure="area under the ROC curve",
        main=main,
        control=control,
        chance=0.5,
        people=n,
        design=Permutation.DIVISION,
        p_value=test.p_value,
        control_p=control_p,
        least_p=least_division_p(members, draws=draws),
        further={**_low_rates(scores, members), "balanced accuracy": balanced},
        guarantee_check=None if guarantee is None else _guarantee_check(scores, members, *guarantee),
    )
    return judged([result])[0]


def closeness(released: Numbers, people: Windows) -> Numbers:
    """Return minus the mean distance of each person's rows to the nearest released record, shape (n,): a score of membership.

    In units of the spread of all people's rows, members or not, who are the population that the attacker knows.
    """
    queries, rows = scaled(people.values, people.values, released)
    return -share_by_person(nearest_distance(queries, rows), people.people)


def _area(scores: Numbers, members: Flags) -> Rate:
    rounds = zip(scores, members, strict=True)
    areas = [area_under_curve(scored[inside], scored[~inside]) for scored, inside in rounds]
    once, never = members.any(axis=0).sum(), (~members).any(axis=0).sum()
    return auc_rate(float(np.mean(areas)), inside=int(once), outside=int(never))


def _low_rates(scores: Numbers, members: Flags) -> dict[str, Rate | float]:
    out: dict[str, Rate | float] = {}
    for rate in FALSE_POSITIVE_RATES:
        point = at_false_positive_rate(scores[members], scores[~members], rate)
        hits = scores > point.threshold
        out[f"TPR at FPR {rate:.0%}"] = _by_person(hits, members)
        out[f"achieved FPR at nominal {rate:.0%}"] = _by_person(hits, ~members)
    return out


def _by_person(hits: Flags, counted: Flags) -> Rate:
    """The proportion of hits among what is counted, with the exact interval of so many trials as there are people in it."""
    return coins_rate(float(hits[counted].mean()), int(counted.any(axis=0).sum()), method="exact")


def _guarantee_check(scores: Numbers, members: Flags, epsilon: float, delta: float) -> GuaranteeCheck:
    rounds = np.arange(len(scores))
    person = rounds % scores.shape[1]
    score, inside = scores[rounds, person], members[rounds, person]
    return check_guarantee(score[inside], score[~inside], epsilon=epsilon, delta=delta)
