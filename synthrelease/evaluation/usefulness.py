"""Whether an output is closer to the truth than what anyone could publish without data, part by part, and what would make it so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from synthrelease.dp.budget import Budget
from synthrelease.errors import SynthReleaseError
from synthrelease.evaluation.matched import BundleOutput
from synthrelease.evaluation.result import Measure, Scores, Usefulness
from synthrelease.evaluation.scores import best_without_data, over_items
from synthrelease.kinds.expectation import Expectation, people_needed
from synthrelease.number_words import several, short

_TIMES = (1.5, 2, 3, 5, 10)  # as large an ε, to try
_LARGEST_EPSILON = 10.0  # beyond, a guarantee hardly protects: it is not advised


def usefulness(
    items: Mapping[str, Scores],
    guesses: Mapping[str, Mapping[str, Scores]],
    measures: Sequence[Measure],
    part_of: Callable[[str], str],
) -> Iterator[Usefulness]:
    """Yield for every part of an output how the release scores, and the best guess without data; of several measures each is of a part of its own.

    Args:
        items: of the release, all measures of each.
        guesses: the same of each guess, by its method.
        measures: the first ones, which decide.
        part_of: the part of an item.
    """
    parts = dict.fromkeys(map(part_of, items))
    for part, (number, measure) in itertools.product(parts, enumerate(measures)):
        names = [name for name in items if part_of(name) == part]
        released = _over([items[name] for name in names], number, measure)
        scores = {
            method: _over([scored[name] for name in names if name in scored], number, measure)
            for method, scored in guesses.items()
        }
        if math.isnan(released) and len(measures) > 1:
            continue  # there is no such thing in this output, such as correlations of a single feature
        best = best_without_data(measure, scores)
        guess = math.nan if best is None else best[1]
        name = ", ".join(filter(None, (part, measure.name))) if len(measures) > 1 else part
        yield Usefulness(name, measure.name, released, guess, _is_better(released, guess, measure))


def remedies(output: BundleOutput, release_epsilon: float, outputs: int) -> Iterator[str]:
    """Yield what is expected to make an output useful that is not, from public parameters: more participants, a larger ε, fewer outputs.

    Args:
        output: of the bundle.
        release_epsilon: ε of all outputs together.
        outputs: how many of them share it.
    """
    budget, people = output.budget, output.people
    if budget is None or not (now := _expected(output, budget, people)):
        return
    if not any(one.is_useless for one in now):
        yield "public parameters let expect better: check bounds, units and missing values"
        return
    enough = people_needed(lambda number: number > people and _is_useful(output, budget, number))
    if enough is not None:
        yield f"about {several(_rounded(enough), 'participant')} at this ε"
    epsilons = [times * budget.epsilon for times in _TIMES if times * budget.epsilon <= _LARGEST_EPSILON]
    epsilon = next((one for one in epsilons if _is_useful(output, Budget(one, budget.delta), people)), None)
    if epsilon is not None:
        yield f"ε = {short(epsilon)} for this output with these participants"
    if outputs > 1 and _is_useful(output, Budget(max(release_epsilon, budget.epsilon), budget.delta), people):
        yield "the whole ε of the release for this output alone"


def _is_useful(output: BundleOutput, budget: Budget, people: float) -> bool:
    return not any(one.is_useless for one in _expected(output, budget, people))


def _expected(output: BundleOutput, budget: Budget, people: float) -> tuple[Expectation, ...]:
    try:
        return output.mechanism.expected(output.mechanism.calibrate(budget), budget, people)
    except SynthReleaseError:  # so much or so little ε buys nothing
        return ()


def _over(items: list[Scores], number: int, measure: Measure) -> float:
    return over_items([scores[number : number + 1] for scores in items], (measure,))[0]


def _is_better(released: float, guess: float, measure: Measure) -> bool:
    if math.isnan(released):
        return False
    if math.isnan(guess):  # a flat line correlates with nothing
        return math.isinf(measure.best) or released > measure.margin
    if math.isinf(measure.best):
        return released > guess + measure.margin
    return abs(released - measure.best) + measure.margin < abs(guess - measure.best)


def _rounded(number: float) -> int:
    digits: int = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return math.ceil(number / digits) * digits
