"""Composition: the numbers of the library and of three theorems, side by side."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from dp_accounting import GaussianDpEvent, SelfComposedDpEvent
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import RdpAccountant
from mpmath import MPContext

from synthrelease.dp.accounting import compose, parts_of
from synthrelease.dp.calibration import gaussian_epsilon
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, PureDP

DELTA = 1e-6
TIMES, SIGMA = 1000, 100.0


def ours() -> float:
    total = compose([RoundedGaussian(1.0, SIGMA, 1)] * TIMES, delta=DELTA)
    assert isinstance(total, ApproxDP)
    return total.epsilon


# --- 1000 Gaussians of σ = 100


def test_dong_roth_su_2022_corollary_3_3_a_thousand_gaussians_are_one_of_mu_root_a_tenth() -> None:
    assert parts_of([RoundedGaussian(1.0, SIGMA, 1)] * TIMES).mu_squared == Fraction(1, 10)


def test_balle_wang_2018_theorem_8_a_thousand_gaussians_cost_1_3676() -> None:
    assert ours() == pytest.approx(1.3676, abs=5e-5)
    mp = MPContext()
    mp.dps = 50
    mu, epsilon = mp.sqrt(mp.mpf(1) / 10), mp.mpf(ours())
    delta = (
        mp.erfc((epsilon / mu - mu / 2) / mp.sqrt(2))
        - mp.exp(epsilon) * mp.erfc((epsilon / mu + mu / 2) / mp.sqrt(2))
    ) / 2
    assert DELTA * (1 - 2e-4) < delta <= DELTA


def test_dp_accounting_privacy_loss_distributions_agree_with_1_3676() -> None:
    by_the_library = pld.from_gaussian_mechanism(SIGMA).self_compose(TIMES).get_epsilon_for_delta(DELTA)
    assert by_the_library == pytest.approx(1.3676, abs=2e-4)
    assert by_the_library == pytest.approx(ours(), rel=1e-4)


def test_mironov_2017_renyi_accounting_of_the_same_costs_1_4717() -> None:
    accountant = RdpAccountant()
    accountant.compose(SelfComposedDpEvent(GaussianDpEvent(SIGMA), TIMES))
    assert accountant.get_epsilon(DELTA) == pytest.approx(1.4717, abs=1e-4)
    assert accountant.get_epsilon(DELTA) > ours()


def test_bun_steinke_2016_proposition_1_3_concentrated_accounting_of_the_same_costs_1_712() -> None:
    rho = TIMES / (2 * SIGMA**2)
    epsilon = rho + 2 * math.sqrt(rho * math.log(1 / DELTA))
    assert epsilon == pytest.approx(1.712, abs=5e-4)
    assert epsilon > ours()


def test_adding_up_epsilons_of_a_thousand_gaussians_would_cost_far_more() -> None:
    each = gaussian_epsilon(DELTA / TIMES, sigma=SIGMA, sensitivity=1.0)
    assert TIMES * each > 30 * ours()


# --- discrete Laplace is not continuous Laplace


def test_ghosh_2009_discrete_laplace_at_epsilon_1_has_delta_0_288_at_one_half() -> None:
    """(1 − e^(−½))/(1 + e^(−1)), from all probabilities of the noise."""
    k = np.arange(-60, 62)
    weights = (1 - math.exp(-1)) / (1 + math.exp(-1))
    p, q = weights * np.exp(-np.abs(k)), weights * np.exp(-np.abs(k - 1.0))
    summed = float(np.maximum(p - math.exp(0.5) * q, 0).sum())
    assert summed == pytest.approx(0.288, abs=5e-4)
    assert summed == pytest.approx((1 - math.exp(-0.5)) / (1 + math.exp(-1)), rel=1e-12)
    by_the_library = pld.from_discrete_laplace_mechanism(1.0, sensitivity=1).get_delta_for_epsilon(0.5)
    assert by_the_library == pytest.approx(summed, rel=1e-4)


def test_dwork_2006_continuous_laplace_at_epsilon_1_has_delta_0_221_at_one_half() -> None:
    continuous = 1 - math.exp((0.5 - 1) / 2)
    assert continuous == pytest.approx(0.221, abs=5e-4)
    by_the_library = pld.from_laplace_mechanism(1.0).get_delta_for_epsilon(0.5)
    assert by_the_library == pytest.approx(continuous, rel=1e-4)


def test_mixed_composition_reckons_with_the_discrete_laplace() -> None:
    """Beside a Gaussian that reveals next to nothing, δ(½) is 0.288: at δ = 0.25 ε is still above ½."""
    faint = RoundedGaussian(1e-3, 1.0, 1)
    above = compose([faint, DiscreteLaplace(1, 1.0, 1)], delta=0.25)
    below = compose([faint, DiscreteLaplace(1, 1.0, 1)], delta=0.29)
    assert isinstance(above, ApproxDP)
    assert isinstance(below, ApproxDP)
    assert above.epsilon == pytest.approx(1 + math.log(1 - 0.25 * (1 + math.exp(-1))), abs=5e-3)
    assert above.epsilon > 0.55
    assert below.epsilon < 0.5


def test_only_laplace_is_stated_without_any_delta() -> None:
    assert compose([DiscreteLaplace(1, 1.0, 1)], delta=0.25) == PureDP(epsilon=1.0)
