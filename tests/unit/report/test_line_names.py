"""Names next to lines stand as near to their ends as the other names let them."""

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from synthrelease.report.line_names import _isotonic


@pytest.mark.parametrize("seed", range(5))
def test_heights_are_those_of_scipy(seed):
    random = np.random.default_rng(seed)
    for number in range(1, 30):
        values = random.normal(size=number).round(seed).tolist()
        assert np.allclose(_isotonic(values), isotonic_regression(values).x, rtol=0, atol=1e-12)
