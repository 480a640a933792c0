"""What a budget buys: the least noise of the kind, in the norm that the noise is calibrated in."""

from __future__ import annotations

import pytest
from refusals import refused

from synthrelease.dp.budget import GAUSSIAN, LAPLACE, Budget, calibrated
from synthrelease.dp.calibration import gaussian_sigma, laplace_scale
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.errors import PolicyError

SENSITIVITY = Sensitivity(l1=60, l2_squared=62)


def test_gaussian_noise_is_calibrated_in_l2() -> None:
    event = calibrated(GAUSSIAN, SENSITIVITY, Budget(1.0, 1e-6), count=7)
    assert event == RoundedGaussian(
        SENSITIVITY.l2, gaussian_sigma(1.0, 1e-6, sensitivity=SENSITIVITY.l2), count=7
    )
    assert event.sensitivity**2 == pytest.approx(62, rel=1e-15)


def test_laplace_noise_is_calibrated_in_l1_and_needs_no_delta() -> None:
    for delta in (0.0, 1e-6):
        event = calibrated(LAPLACE, SENSITIVITY, Budget(0.5, delta), count=7)
        assert event == DiscreteLaplace(60, laplace_scale(0.5, sensitivity=60), count=7)
        assert event.scale == 120.0


def test_gaussian_noise_without_delta_is_refused_with_a_way_out() -> None:
    with refused(PolicyError, "gaussian-needs-delta") as caught:
        calibrated(GAUSSIAN, SENSITIVITY, Budget(1.0), count=7)
    assert caught.value.exit_code == 4
    assert "δ = 0" in caught.value.problem
    assert "laplace" in caught.value.remedy


@pytest.mark.parametrize("noise", [GAUSSIAN, LAPLACE])
def test_no_budget_buys_nothing(noise: str) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        calibrated(noise, SENSITIVITY, Budget(0.0, 1e-6), count=7)
