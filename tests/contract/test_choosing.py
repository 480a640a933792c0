"""The contract of all that chooses a parameter privately: the choice is drawn as its event says, and what follows is what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds import choosing as module
from synthrelease.kinds import mechanism

if TYPE_CHECKING:
    import pytest
    from variants.gaze_maps import PrivateCapVariant
    from variants.signals import PrivateFrequenciesVariant

    Variant = PrivateCapVariant | PrivateFrequenciesVariant

BUDGET = Budget(1.0, 1e-6)


def test_a_choice_is_drawn_at_the_sensitivity_of_its_utilities_and_its_part_of_epsilon(
    choosing: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[list[int], dict[str, Any]]] = []

    def first(utilities: list[int], **options: Any) -> int:
        calls.append((utilities, options))
        return 0

    monkeypatch.setattr(module, "private_choice", first)
    people = choosing.ordinary(4)
    private: Any = choosing.choosing(len(people))
    collected, random = private.collect(choosing.data(people)), SecureRandom.for_tests(1)
    drawn = private.draw(collected, BUDGET, random)
    choice, left = private.split(BUDGET)
    assert calls == [
        (
            private.utilities(collected, left),
            {"sensitivity": private.utility_sensitivity, "epsilon": choice.epsilon, "random": random},
        )
    ]
    assert drawn.parameters == private.at(private.candidates[0]).parameters


def test_of_what_is_collected_for_all_candidates_each_takes_what_is_collected_for_it_alone(
    choosing: Variant,
) -> None:
    """Contributions are bounded by what was chosen, though more was collected."""
    people = [*choosing.ordinary(5), *choosing.adversaries()[::6]]
    private: Any = choosing.choosing(len(people))
    data = choosing.data(people)
    collected = private.collect(data)
    different: set[bytes] = set()
    for candidate in private.candidates:
        made = private.at(candidate)
        alone = made.settled()
        expected = alone.exact(alone.collect(data))["noisy"]
        np.testing.assert_array_equal(made.exact(collected)["noisy"], expected)
        different.add(expected.tobytes())
    assert len(different) == len(private.candidates)


def test_what_noise_is_added_to_is_what_the_chosen_one_leaves(
    choosing: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mechanism, "add_noise", lambda exact, *_, **__: exact)
    people = [*choosing.ordinary(5), *choosing.adversaries()[::6]]
    private: Any = choosing.choosing(len(people))
    collected = private.collect(choosing.data(people))
    drawn = private.draw(collected, BUDGET, SecureRandom.for_tests(2))
    exact = private.with_choice_of(drawn.parameters).exact(collected)["noisy"]
    released = drawn.arrays["noisy"]
    if choosing.apart:  # everyone's own stand in an order that is drawn
        exact, released = (np.sort(array.reshape(-1)) for array in (exact, released))
    np.testing.assert_array_equal(released, exact)
