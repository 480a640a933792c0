"""A share of the privacy budget, and the noise it buys. No mathematics of its own: that is in `calibration`."""

from __future__ import annotations

from dataclasses import dataclass

from synthrelease.dp.calibration import gaussian_sigma, laplace_scale
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.errors import PolicyError

GAUSSIAN, LAPLACE = "gaussian", "laplace"
LEAST_EPSILON = 1e-6


@dataclass(frozen=True)
class Budget:
    """What one output may cost a person: ε, and δ where Gaussian noise needs it."""

    epsilon: float
    delta: float = 0.0


def calibrated(
    noise: str, sensitivity: Sensitivity, budget: Budget, *, count: int
) -> RoundedGaussian | DiscreteLaplace:
    """Return the event of least noise that keeps within the budget.

    Args:
        noise: "gaussian" (exact calibration in L2) or "laplace" (discrete Laplace in L1).
        sensitivity: of the whole vector, for one person.
        budget: what may be spent on it.
        count: length of the vector.

    Raises:
        PolicyError: Gaussian noise was asked for without any δ.
    """
    if 0 < budget.epsilon < LEAST_EPSILON:
        raise PolicyError(
            "budget-too-small",
            "the budget is too small for any noise that could be drawn",
            found=f"ε = {budget.epsilon:g}",
            expected=f"ε of at least {LEAST_EPSILON:g} for an output",
            remedy="raise the budget, or release fewer outputs",
        )
    if noise == LAPLACE:
        scale = laplace_scale(budget.epsilon, sensitivity=sensitivity.l1)
        return DiscreteLaplace(sensitivity.l1, scale, count)
    if budget.delta == 0:
        raise PolicyError(
            "gaussian-needs-delta",
            "Gaussian noise has no guarantee with δ = 0",
            expected="a delta above 0 under [privacy]",
            remedy='set delta well below 1/participants, or choose Laplace noise (mechanism or noise = "laplace")',
        )
    scale = gaussian_sigma(budget.epsilon, budget.delta, sensitivity=sensitivity.l2)
    return RoundedGaussian(sensitivity.l2, scale, count)
