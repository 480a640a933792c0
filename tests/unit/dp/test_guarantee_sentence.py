"""What a guarantee means, in a sentence: of the right unit and relation, with the figure that the guarantee allows."""

from __future__ import annotations

import pytest
from goldens import figures

from synthrelease.dp.best_guess import best_guess
from synthrelease.dp.guarantee import ApproxDP, Guarantee, Neighbours, PureDP, Unit
from synthrelease.dp.guarantee_sentence import guarantee_sentence


@pytest.mark.parametrize("unit", Unit)
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("kind", ["pure", "approximate"])
def test_the_figure_is_of_a_choice_between_two_datasets(
    unit: Unit, neighbours: Neighbours, kind: str
) -> None:
    """Of a guess of anything else, such as what is true of a group, no guarantee says how good it is."""
    words = {"unit": unit, "neighbours": neighbours}
    guarantee: Guarantee = {
        "pure": PureDP(epsilon=1.0, **words),
        "approximate": ApproxDP(epsilon=1.0, delta=1e-6, **words),
    }[kind]
    allowed = best_guess(guarantee)
    assert allowed is not None
    told = guarantee_sentence(guarantee)
    percent, chance = figures(told)
    assert 100 * allowed <= percent < 100 * allowed + 0.2
    assert chance == 50
    assert (f" {unit} " in told) == (unit is not Unit.PERSON)


def test_each_choice_is_told_in_words_of_its_own() -> None:
    told = {
        guarantee_sentence(PureDP(epsilon=1.0, unit=unit, neighbours=neighbours))
        for unit in Unit
        for neighbours in Neighbours
        if unit is Unit.PERSON or neighbours is Neighbours.REPLACE_ONE
    }
    assert len(told) == len(Unit) + 1
