"""Liu et al. 2019, "Differential privacy for eye-tracking data": the paper's numbers, and where they do not hold."""

from __future__ import annotations

import math

import made
import pytest
from goldens import figures
from refusals import refused

from synthrelease.dp.budget import Budget
from synthrelease.dp.calibration import (
    gaussian_delta,
    gaussian_sigma,
    laplace_scale,
    liu2019_level,
    liu2019_sigma,
)
from synthrelease.dp.event import DiscreteLaplace
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity, gaze_maps
from synthrelease.errors import PolicyError
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.public_cells import LIU2019

PORTRAIT = 1050 * 1680  # pixels of the paper's Figure 3


def good_delta(n: int) -> float:
    """The paper's δ of good and okay privacy."""
    return float(n**-1.5)


def sigma_of_the_mean(*, r: int, n: int, epsilon: float, m: int = 1) -> float:
    """σ of Theorem 3.4 for G = ΣG_i/n at the paper's δ."""
    return liu2019_sigma(epsilon, good_delta(n), cap=m, pixels=r) / n


def one_map(*, r: int, m: int, T: int | None, neighbours: Neighbours = Neighbours.REPLACE_ONE) -> Sensitivity:
    return gaze_maps(
        cells=r,
        cap=m,
        max_samples=T,
        stimuli=1,
        max_stimuli=1,
        assignment_public=True,
        neighbours=neighbours,
    )


# --- Theorem 3.4


def test_liu2019_theorem_3_4_about_1_5_for_900_observers_of_300_by_300_pixels() -> None:
    assert sigma_of_the_mean(r=300**2, n=900, epsilon=1) == pytest.approx(1.567, abs=5e-4)


def test_liu2019_theorem_3_4_at_50000_observers_is_0_09917() -> None:
    assert sigma_of_the_mean(r=PORTRAIT, n=50_000, epsilon=1.5) == pytest.approx(0.09917, abs=5e-6)


def test_liu2019_section_4_prints_0_0986_which_is_theorem_3_4_with_epsilon_over_4() -> None:
    r, n, epsilon = PORTRAIT, 50_000, 1.5
    with_a_quarter = math.sqrt(r * (epsilon / 4 + math.log(r / good_delta(n)))) / (n * epsilon)
    with_a_half = math.sqrt(r * (epsilon / 2 + math.log(r / good_delta(n)))) / (n * epsilon)
    assert with_a_quarter == pytest.approx(0.0986, abs=5e-5)
    assert with_a_half == pytest.approx(sigma_of_the_mean(r=r, n=n, epsilon=epsilon), rel=1e-14)
    assert abs(with_a_half - 0.0986) > 5e-4


def test_liu2019_theorem_3_4_grows_with_the_cap_and_with_the_root_of_the_pixels() -> None:
    one = liu2019_sigma(1.0, 1e-5, cap=1, pixels=100)
    assert liu2019_sigma(1.0, 1e-5, cap=7, pixels=100) == pytest.approx(7 * one, rel=1e-14)
    four = liu2019_sigma(1.0, 4e-5, cap=1, pixels=400)  # the same r/δ
    assert four == pytest.approx(2 * one, rel=1e-14)


def test_liu2019_good_privacy_is_delta_n_to_the_minus_three_halves() -> None:
    assert good_delta(900) == pytest.approx(3.70e-5, abs=5e-8)
    assert good_delta(50_000) == pytest.approx(8.94e-8, abs=5e-11)
    assert good_delta(5) == pytest.approx(0.089, abs=5e-4)  # no guarantee at all


@pytest.mark.parametrize(
    ("epsilon", "delta", "n", "level"),
    [
        (1.0, 900**-1.5, 900, "good"),
        (1.01, 900**-1.5, 900, "okay"),
        (3.0, 900**-1.5, 900, "okay"),
        (3.01, 900**-1.5, 900, "poor"),
        (1.0, 1 / 900, 900, "poor"),  # δ = Ω(1/n)
        (1.0, 5**-1.5, 5, "poor"),  # 0.089: a person in eleven
        (1.0, 0.0, 5, "good"),
    ],
)
def test_liu2019_levels_of_privacy(epsilon: float, delta: float, n: int, level: str) -> None:
    assert liu2019_level(epsilon, delta, people=n) == level


# --- Theorem 3.4 is not always sufficient


@pytest.mark.parametrize(
    ("r", "n", "epsilon", "exact", "target"),
    [
        (1, 900, 1.0, 7.07e-5, 3.70e-5),
        (1, 50_000, 3.0, 8.29e-6, 8.94e-8),
        (100, 50_000, 3.0, 6.09e-7, 8.94e-8),
    ],
)
@pytest.mark.parametrize("m", [1, 20])
def test_liu2019_theorem_3_4_is_insufficient_for_few_pixels(
    r: int, n: int, epsilon: float, exact: float, target: float, *, m: int
) -> None:
    """Exact δ of the paper's σ (Balle & Wang 2018, Theorem 8) with the paper's own Δ₂ = m√r."""
    sigma = liu2019_sigma(epsilon, good_delta(n), cap=m, pixels=r)
    delta = gaussian_delta(epsilon, sigma=sigma, sensitivity=m * math.sqrt(r))
    assert delta == pytest.approx(exact, rel=1e-3)
    assert good_delta(n) == pytest.approx(target, rel=2e-3)
    assert delta > good_delta(n)
    assert gaussian_sigma(epsilon, good_delta(n), sensitivity=m * math.sqrt(r)) > sigma


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 1.5, 3.0])
@pytest.mark.parametrize(
    ("r", "n"), [(300**2, 5), (300**2, 900), (800 * 600, 100), (PORTRAIT, 10), (PORTRAIT, 50_000)]
)
def test_liu2019_theorem_3_4_is_sufficient_and_wasteful_for_whole_images(
    r: int, n: int, epsilon: float
) -> None:
    sigma = liu2019_sigma(epsilon, good_delta(n), cap=1, pixels=r)
    assert gaussian_delta(epsilon, sigma=sigma, sensitivity=math.sqrt(r)) < good_delta(n)
    assert 1.06 < sigma / gaussian_sigma(epsilon, good_delta(n), sensitivity=math.sqrt(r)) < 5.0


def test_liu2019_theorem_3_4_loses_the_factor_2_of_its_own_tail_bound() -> None:
    """With ε + 2·ln(r/δ) in place of ε/2 + ln(r/δ) the three cases above are safe."""
    for r, n, epsilon in ((1, 900, 1.0), (1, 50_000, 3.0), (100, 50_000, 3.0)):
        corrected = math.sqrt(r * (epsilon + 2 * math.log(r / good_delta(n)))) / epsilon
        assert corrected == pytest.approx(
            math.sqrt(2) * liu2019_sigma(epsilon, good_delta(n), cap=1, pixels=r), rel=1e-14
        )
        assert gaussian_delta(epsilon, sigma=corrected, sensitivity=math.sqrt(r)) < good_delta(n)


def mechanism(*, side: int, calibration: str) -> CellHeatmap:
    return made.cells(
        stimuli=1,
        rows=side,
        columns=side,
        max_samples=None,
        max_stimuli=1,
        assignment_public=True,
        calibration=calibration,
        blur_px=0.0,
        people=900,
    )


def test_liu2019_theorem_3_4_is_refused_with_both_deltas_where_it_is_insufficient() -> None:
    with refused(PolicyError, "insufficient-calibration") as refusal:
        mechanism(side=1, calibration=LIU2019).calibrate(Budget(1.0, good_delta(900)))
    assert refusal.value.exit_code == 4
    assert 7.07e-05 in figures(refusal.value.found)
    assert 3.7e-05 in figures(refusal.value.expected)


def test_liu2019_theorem_3_4_is_the_scale_of_the_event_where_it_is_sufficient() -> None:
    budget = Budget(1.0, good_delta(900))
    event = mechanism(side=300, calibration=LIU2019).calibrated_noise(budget)
    assert event.scale / 900 == pytest.approx(1.567, abs=5e-4)
    assert event.sensitivity == 300.0
    assert mechanism(side=300, calibration="exact").calibrated_noise(budget).scale < event.scale


# --- Theorem 3.5


@pytest.mark.parametrize(
    ("m", "r", "n", "epsilon"), [(1, 300**2, 900, 1.0), (3, 100, 50, 0.5), (2, 64, 10, 3.0)]
)
def test_liu2019_theorem_3_5_standard_deviation_is_root_2_times_mr_over_epsilon_n(
    m: int, r: int, n: int, epsilon: float
) -> None:
    b = laplace_scale(epsilon, sensitivity=one_map(r=r, m=m, T=None).l1)
    assert b / n == pytest.approx(m * r / (epsilon * n), rel=1e-14)
    deviation = DiscreteLaplace(m * r, b, r).standard_deviation / n
    assert deviation == pytest.approx(math.sqrt(2) * m * r / (epsilon * n), rel=1e-3)


def test_liu2019_theorem_3_5_needs_far_more_noise_than_theorem_3_4() -> None:
    assert laplace_scale(1.0, sensitivity=300**2) * math.sqrt(2) / 900 > 90 * 1.567 > 140


# --- the contribution bound (our section 2.3)


def test_liu2019_sensitivity_without_a_bound_on_samples_is_m_root_r_and_mr() -> None:
    for m in (1, 2, 9):
        assert one_map(r=PORTRAIT, m=m, T=None) == Sensitivity(m * PORTRAIT, m * m * PORTRAIT)
    assert one_map(r=PORTRAIT, m=1, T=None).l2 == pytest.approx(1328, abs=0.5)


def test_liu2019_with_600_samples_the_sensitivity_is_34_6_and_the_noise_38_times_less() -> None:
    bounded, whole = one_map(r=PORTRAIT, m=1, T=600), one_map(r=PORTRAIT, m=1, T=None)
    assert bounded == Sensitivity(1200, 1200)
    assert bounded.l2 == pytest.approx(34.6, abs=0.05)
    assert whole.l2 / bounded.l2 == pytest.approx(38, abs=0.5)
    noise = [gaussian_sigma(1.5, good_delta(50_000), sensitivity=s.l2) for s in (whole, bounded)]
    assert noise[0] / noise[1] == pytest.approx(38, abs=0.5)


def test_liu2019_with_30_fixations_the_noise_is_171_times_less() -> None:
    bounded, whole = one_map(r=PORTRAIT, m=1, T=30), one_map(r=PORTRAIT, m=1, T=None)
    assert bounded == Sensitivity(60, 60)
    assert whole.l2 / bounded.l2 == pytest.approx(171, abs=0.5)


def test_liu2019_bounded_sensitivity_of_several_counts_per_pixel() -> None:
    """Δ₂ = √(2(qm² + s²)), T = qm + s; √(qm² + s²) and T where a person comes or goes."""
    assert one_map(r=PORTRAIT, m=7, T=600) == Sensitivity(1200, 2 * (85 * 49 + 25))
    assert one_map(r=PORTRAIT, m=7, T=600, neighbours=Neighbours.ADD_REMOVE_ONE) == Sensitivity(
        600, 85 * 49 + 25
    )


def test_liu2019_maps_that_must_overlap_fall_back_to_the_papers_sensitivity() -> None:
    for T in (8, 9, 15, 16, 1000):  # 2q ≥ r
        assert one_map(r=8, m=2, T=T) == Sensitivity(16, 32)
    assert one_map(r=8, m=2, T=7) == Sensitivity(14, 26)
