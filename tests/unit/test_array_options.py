"""Arguments of functions for arrays: a missing delta is proposed, a screen may be two numbers, none is without a name."""

import inspect
import re

import numpy as np
import pytest
from refusals import refused

from synthrelease import Screen, arrays
from synthrelease.errors import ArgumentError, PlanError, PolicyError


def maps(people=40, **changes):
    rng = np.random.default_rng(7)
    columns = {
        "person": np.repeat(np.arange(people), 5),
        "stimulus": ["7"] * people * 5,
        "x_px": rng.uniform(0, 80, people * 5),
        "y_px": rng.uniform(0, 60, people * 5),
    }
    return arrays.heatmaps(**{**columns, "screen": (80, 60), "stimuli": ["7"], "epsilon": 1.0, **changes})


@pytest.mark.parametrize(
    ("people", "change", "proposed"),
    [
        (40, {}, 1e-4),
        (10, {}, 1e-3),
        (11, {"mechanism": "gaussian", "width_px": 8, "height_px": 6}, 1e-4),
        (40, {"neighbours": "add-remove-one"}, 1e-6),
        (11, {"neighbours": "add-remove-one"}, 1e-6),
    ],
)
def test_a_missing_delta_is_proposed(people, change, proposed):
    """By the number of people, if it is public: at most a hundredth of one participant's."""
    with refused(PolicyError, "gaussian-needs-delta") as caught:
        maps(people, **change)
    written = re.search(r"delta=(\S+?)[:;]", caught.value.remedy)[1]
    assert float(written) == proposed
    assert (f"{people} participants" in caught.value.remedy) == ("neighbours" not in change)
    assert maps(people, delta=float(written), **change).guarantee.delta == proposed


def test_a_screen_may_be_two_numbers():
    screens = [Screen(80, 60), (80, 60), [np.int64(80), 60]]
    found = [maps(screen=screen, delta=1e-4, test_seed=1) for screen in screens]
    for one in found[1:]:
        assert one.mechanism == found[0].mechanism
        np.testing.assert_array_equal(one["noisy"], found[0]["noisy"])


def test_arguments_are_by_name_and_none_is_missing():
    for name in arrays.__all__:
        function = getattr(arrays, name)
        kinds = {one.kind.name for one in inspect.signature(function).parameters.values()}
        assert "VAR_KEYWORD" not in kinds, name
    with refused(ArgumentError, "argument-missing", where="heatmaps()", names=["stimulus"]):
        arrays.heatmaps(person=["a"])
    with refused(ArgumentError, "argument-without-name", where="heatmaps()", names=["person"]):
        arrays.heatmaps(["a"])
    assert maps(blur_px=None, delta=1e-4).mechanism == maps(delta=1e-4).mechanism


def test_what_is_written_counts_also_if_it_is_the_default():
    with refused(PlanError, "key-not-for-mechanism", where="heatmaps()", names=["exponent"]):
        maps(mechanism="laplace", exponent=1.25)
