"""What sums say of contrasts: their errors hold what clipping takes."""

from __future__ import annotations

import made_people
import numpy as np
import pytest

from synthrelease.kinds.people.form import CONTRASTS, KEPT
from synthrelease.kinds.people.rounds import Rounds

MANY = 10**8  # people, of whom noise and sampling leave nothing unknown


@pytest.mark.parametrize("kept", [0.5, 0.9, 1.0])
def test_of_many_people_a_contrast_is_as_unsure_as_clipping_makes_it(kept: float) -> None:
    p = made_people.mechanism().parameters
    rounds = Rounds(p.form, p.design, MANY, deviation=1.0)
    unit = p.design.radii[2] * rounds.dependence_weights * MANY
    mean = np.zeros(p.form.dependence_size)
    mean[p.form.places[KEPT]], mean[p.form.places[CONTRASTS]] = 1.0, 0.3
    noisy = np.rint(unit * kept * (mean - rounds.dependence_centre * (mean != 1.0))).astype(np.int64)
    value, error = rounds.contrasts(noisy)
    np.testing.assert_allclose(
        value, p.form.differences @ np.full((p.form.conditions - 1, 3), 0.3), rtol=1e-6
    )
    np.testing.assert_allclose(error / np.abs(value), 1 - kept, atol=1e-3)
