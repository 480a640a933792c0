"""What is expected of synthetic people: better with more of them and more budget, and for any number of features and recordings."""

from __future__ import annotations

from dataclasses import replace

import made_people
import numpy as np
import pytest

from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.people.design import RADIUS, design_for
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.pilot import Pilot
from synthrelease.kinds.people.public import PEOPLE
from synthrelease.kinds.values import Values

RICH = Budget(30.0, 1e-6)


def errors(mechanism: SyntheticPeople, budget: Budget) -> dict[str, float]:
    designed = mechanism.for_budget(budget)
    people = designed.parameters.people
    assert people is not None
    expected = designed.expected(designed.calibrate(budget), budget, people)
    return {one.subject: one.best for one in expected}


def of(people: int, features: int = 3, recordings: int = 2) -> SyntheticPeople:
    """The tests' mechanism, of so many of each."""
    mechanism = made_people.mechanism()
    p = mechanism.parameters
    fewer = replace(
        p,
        people=people,
        features=p.features[:features],
        lattice=p.lattice[:features],
        recordings=p.recordings[:recordings],
    )
    return replace(mechanism, parameters=fewer)


def test_the_radii_of_the_rounds_are_never_more_than_that_of_all_together() -> None:
    """At any size: shares are stated with six digits, of which none may be rounded up."""
    form = made_people.mechanism().parameters.form
    for size in np.exp(np.linspace(0, 8, 600)):
        design = design_for(form, windows=6, people=100, mu=float(size) / 100)
        assert sum(radius**2 for radius in design.radii) <= RADIUS**2
        assert sum(design.shares) <= 1


def test_more_people_and_more_budget_make_all_of_it_better() -> None:
    few, many = errors(of(200), Budget(3.0, 1e-6)), errors(of(2000), Budget(3.0, 1e-6))
    rich = errors(of(200), RICH)
    assert len(few) == 5
    assert all(many[subject] < few[subject] and rich[subject] < few[subject] for subject in few)


def test_a_pilot_makes_the_order_in_time_better_known() -> None:
    """And not correlations: in these two groups may differ."""
    few = of(200)
    p = few.parameters
    pilot = Pilot(
        "0" * 64, 50, ((1 / p.bins,) * p.bins,) * 3, (0.5,) * p.cosines, (0.1,) * p.form.dependence_size
    )
    piloted = replace(few, parameters=replace(p, pilot=pilot))
    without, beside = errors(few, Budget(3.0, 1e-6)), errors(piloted, Budget(3.0, 1e-6))
    assert beside["autocorrelations"] < 0.7 * without["autocorrelations"]
    assert beside["correlations"] > without["correlations"] / 2
    budget = Budget(3.0, 1e-6)
    designed = piloted.for_budget(budget)
    _, needed = designed.prediction(designed.calibrate(budget), budget, 200)
    assert "correlations" in needed
    assert "autocorrelations" not in needed


@pytest.mark.parametrize(("features", "recordings"), [(1, 1), (1, 2), (3, 1), (2, 2)])
def test_one_feature_or_recording_is_enough(features: int, recordings: int) -> None:
    people, windows = 60, 6
    mechanism = of(people, features, recordings).for_budget(RICH)
    p = mechanism.parameters
    random = np.random.default_rng(3)
    person, recording, _ = np.indices((people, recordings, windows)).reshape(3, -1)
    place = np.clip(0.5 + 0.15 * random.normal(size=(person.size, features)), 0, 1)
    bounds = np.array([feature.bounds for feature in p.features])
    values = bounds[:, 0] + place * (bounds[:, 1] - bounds[:, 0])
    names = tuple(feature.name for feature in p.features)
    data = FeatureData(names, bounds, p.recordings, people, person, recording, values)
    drawn = mechanism.draw(mechanism.collect(data), RICH, SecureRandom.for_tests(4))
    released = {dataset.path for dataset, _, _ in Values(p, drawn.event, drawn.arrays)}
    assert ("contrasts/value" in released) == (recordings > 1)
    made = Values(p, drawn.event, drawn.arrays).array(PEOPLE)
    assert made.shape == (p.synthetic_people, recordings, p.windows, features)
    assert (made >= bounds[:, 0] - 1e-3).all()
    assert (made <= bounds[:, 1] + 1e-3).all()
    # Correlations take two features, and contrasts two recordings.
    assert len(errors(mechanism, RICH)) == 3 + (features > 1) + (recordings > 1)
