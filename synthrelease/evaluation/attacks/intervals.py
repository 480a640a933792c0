"""95 % intervals in which the person is the independent unit.

Two windows of a person are nearly one observation, and so are two recordings. A person's proportion of successes is a number in
[0, 1]; of all such numbers with a given mean, a coin's varies most. So the interval of n coins, one a person, is wide enough
for the mean of n shares, however many windows are behind each. (A bootstrap of people is not: where all shares are 1, it
has no width at all.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from synthrelease.evaluation.attacks.windows import Numbers
from synthrelease.evaluation.json_form import JsonForm

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Rate(JsonForm):
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


def share_rate(shares: Numbers, *, method: Literal["wilson", "exact"] = "wilson") -> Rate:
    """Return the mean of people's shares with its interval: of n trials, one a person.

    Wilson's score interval, or the exact one of Clopper and Pearson; where the shares do not add up to a whole number of
    successes, from the one below to the one above.

    Args:
        shares: of each person, in [0, 1], shape (n,).
        method: "wilson" or "exact".

    Raises:
        ValueError: there are no shares, or one is outside [0, 1].
    """
    if shares.size == 0 or not ((shares >= 0) & (shares <= 1)).all():
        raise ValueError(f"Expected shares of people, each in [0, 1], found {shares.size} of them")
    return coins_rate(float(shares.mean()), shares.size, method=method)


def coins_rate(
    value: float, count: int, *, method: Literal["wilson", "exact"] = "wilson", confidence: float = CONFIDENCE
) -> Rate:
    """Return the interval of a share among `count` independent trials, two-sided; method as `share_rate`."""
    from scipy.stats import binomtest  # noqa: PLC0415  slow to import

    successes = value * count
    below, above = math.floor(successes + 1e-9), math.ceil(successes - 1e-9)
    low, high = (binomtest(k, count).proportion_ci(confidence, method=method) for k in (below, above))
    return Rate(value, float(low.low), float(high.high))


def auc_rate(value: float, *, inside: int, outside: int) -> Rate:
    """Return the interval of an area under the ROC curve of some people inside and some outside.

    Whatever the two distributions, its variance is at most A(1 − A)/min(inside, outside), that of so many coins
    (Birnbaum & Klose 1957, https://doi.org/10.1214/aoms/1177706796; Bamber 1975, section 4); Wilson's interval of these.
    """
    return coins_rate(value, min(inside, outside))


def residual_risk(main: Rate, control: Rate) -> Rate:
    """Return R = (main − control)/(1 − control): how much of what was not known anyway the release reveals.

    The limits of both go through the derivatives of R and are added as independent ones are, below and above apart
    (Giomi et al. 2022, https://arxiv.org/abs/2211.10459, section 3.1, with asymmetric limits). nan where the control is 1.
    """
    if control.value >= 1:
        return Rate(math.nan, math.nan, math.nan)
    unknown = 1 - control.value
    value = (main.value - control.value) / unknown
    by_control = (1 - main.value) / unknown**2
    below = math.hypot((main.value - main.low) / unknown, by_control * (control.high - control.value))
    above = math.hypot((main.high - main.value) / unknown, by_control * (control.value - control.low))
    return Rate(value, value - below, min(value + above, 1.0))
