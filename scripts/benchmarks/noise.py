"""Exact integer noise against NumPy's float noise, OpenDP's exact integers and diffprivlib; growth and memory.

Targets (Gaussian): at most 1.6 times the time of NumPy's unsafe normal, at least 200 times as fast as OpenDP, and two threads
at least 1.8 times as fast as one. The discrete Laplace is measured the same way, without a target.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from benchmarks._diffprivlib import peer_version, seconds_of_noise
from benchmarks._limits import Limits
from benchmarks._measure import Target, median_seconds, peak_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section
from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
from synthrelease.errors import MachineError

WORK = "1 764 000 exact rounded Gaussians, σ from 1 to 10⁵"
SAMPLES = 1_764_000  # a heatmap of 1050 × 1680 pixels
SCALES = (1.0, 30.0, 1e3, 1e5)
RUNS = 9
OPENDP_SHARE = 10  # OpenDP draws a tenth of the samples, and its time, linear in them, counts tenfold
OPENDP_EVERY = 3  # of the runs
ONE_BY_ONE = 20_000  # draws of diffprivlib, whose time counts as many times as they are fewer
EPSILONS, DELTA = (0.1, 0.9), 1e-6  # its Gaussian takes no ε above 1
GROWTH_RUNS, GROWTH_SCALE = 5, 1e3
AGAINST_NUMPY = Target(1.6, at_most=True)
THREADS, TWICE = 2, Target(1.8, at_most=False)
AGAINST_OPENDP = Target(200.0, at_most=False)


@dataclass(frozen=True)
class Compared:
    """Seconds of one noise at one scale."""

    noise: str
    scale: float
    ours: float
    numpy: float
    opendp: float

    def row(self) -> list[str]:
        """Return a row of the table."""
        return [
            self.noise,
            f"{self.scale:g}",
            f"{self.ours:.4f}",
            f"{self.numpy:.4f}",
            f"{self.ours / self.numpy:.2f}",
            f"{self.opendp:.2f}",
            f"{self.opendp / self.ours:.0f}",
        ]


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Draw both noises, the peers' beside them, and more and more of ours."""
    dp = _opendp()
    samples, runs = (SAMPLES // 10, 3) if quick else (SAMPLES, RUNS)
    random, unsafe = SecureRandom(), np.random.default_rng()
    gaussians = [
        _compare(
            "rounded Gaussian",
            scale,
            runs,
            ours=lambda scale=scale: rounded_gaussian(scale, samples, random=random),
            numpy=lambda scale=scale: unsafe.normal(0.0, scale, samples),
            opendp=_opendp_vector(dp, dp.m.make_gaussian, dp.l2_distance(T=float), scale, samples),
        )
        for scale in SCALES
    ]
    laplaces = [
        _compare(
            "discrete Laplace",
            scale,
            runs,
            ours=lambda scale=scale: discrete_laplace(scale, samples, random=random),
            numpy=lambda scale=scale: unsafe.laplace(0.0, scale, samples),
            opendp=_opendp_vector(dp, dp.m.make_laplace, dp.l1_distance(T="i64"), scale, samples),
        )
        for scale in SCALES
    ]
    one_by_one, peer = _one_by_one(random, samples, runs)
    growth, grown = _growth(random, quick=quick)
    slowest = max(gaussians, key=lambda one: one.ours)
    parts = median_seconds(
        {"inverse": _inverse(samples), "words": lambda: random.words(samples)}, runs, clock=time.process_time
    )
    unavoidable = sum(parts.values()) / slowest.numpy
    return Report(
        WORK,
        ("numpy", "scipy", "cryptography", "opendp"),
        (
            Section(
                f"{samples} samples, median of {runs} runs, in seconds of processor time, one thread. "
                f"OpenDP: {samples // OPENDP_SHARE} samples, time × {OPENDP_SHARE}, median of {runs // OPENDP_EVERY} runs.",
                (
                    "noise",
                    "scale",
                    "ours",
                    "NumPy",
                    "ours/NumPy",
                    "OpenDP",
                    "OpenDP/ours",
                ),
                [one.row() for one in (*gaussians, *laplaces)],
                "NumPy's noise is neither exact nor cryptographically secure.",
            ),
            one_by_one,
            grown,
        ),
        (
            Figure(slowest.ours, f"s at σ = {slowest.scale:g}, the slowest"),
            Figure(
                max(one.ours / one.numpy for one in gaussians),
                "× the time of NumPy's unsafe normal",
                AGAINST_NUMPY,
            ),
            Figure(min(one.opendp / one.ours for one in gaussians), "× as fast as OpenDP", AGAINST_OPENDP),
            Figure(_scaling(samples, runs), f"× as fast by {THREADS} threads", TWICE),
        ),
        slowest.ours,
        limits.least(words=8 * samples, memory=8 * samples),
        f"Random words take {parts['words']:.3g} s and SciPy's `ndtri`, which inverts the normal distribution function, "
        f"{parts['inverse']:.3g} s of the {slowest.ours:.3g}: by themselves {unavoidable:.2f} × NumPy's normal, whose words are not secret and whose "
        "ziggurat is one compiled loop. The rest brackets the error and rounds.",
        (peer,),
        growth,
    )


def _compare(
    noise: str,
    scale: float,
    runs: int,
    *,
    ours: Callable[[], object],
    numpy: Callable[[], object],
    opendp: Callable[[], object],
) -> Compared:
    works = {"ours": ours, "numpy": numpy, "opendp": opendp}
    seconds = median_seconds(works, runs, every={"opendp": OPENDP_EVERY}, clock=time.process_time)
    return Compared(noise, scale, seconds["ours"], seconds["numpy"], OPENDP_SHARE * seconds["opendp"])


def _one_by_one(random: SecureRandom, samples: int, runs: int) -> tuple[Section, Peer]:
    """Diffprivlib calibrates its own noise, so that here ε is given, and the scale follows."""
    rows, times = [], []
    for epsilon in EPSILONS:
        sigma = gaussian_sigma(epsilon, DELTA, sensitivity=1.0)
        works: dict[str, Callable[[], object]] = {
            "GaussianDiscrete": lambda sigma=sigma: rounded_gaussian(sigma, samples, random=random),
            "Geometric": lambda epsilon=epsilon: discrete_laplace(1 / epsilon, samples, random=random),
        }
        ours = median_seconds(works, runs, clock=time.process_time)
        for mechanism, scale, more in (
            ("GaussianDiscrete", sigma, {"delta": DELTA}),
            ("Geometric", 1 / epsilon, {}),
        ):
            few = seconds_of_noise(mechanism, ONE_BY_ONE, 2, epsilon=epsilon, sensitivity=1, **more)
            theirs = few * samples / ONE_BY_ONE
            times.append(theirs / ours[mechanism])
            rows.append(
                [
                    mechanism,
                    f"{epsilon:g}",
                    f"{scale:.4g}",
                    f"{ours[mechanism]:.4f}",
                    f"{theirs:.2f}",
                    f"{times[-1]:.0f}",
                ]
            )
    section = Section(
        f"diffprivlib {peer_version()}: {ONE_BY_ONE} single draws (it has no vectors), time multiplied up; sensitivity 1, "
        f"δ = {DELTA:g}. GaussianDiscrete is exact; ours is the rounded Gaussian of the least σ for the same ε and δ. Geometric "
        "inverts in floating point without an error bound: its guarantee is weaker than the ε it states.",
        ("diffprivlib's", "ε", "our scale", "ours", "diffprivlib", "diffprivlib/ours"),
        rows,
    )
    return section, Peer("diffprivlib's GaussianDiscrete", min(times[::2]))


def _growth(random: SecureRandom, *, quick: bool) -> tuple[Growth, Section]:
    sizes = (10_000, 100_000) if quick else (100_000, 1_000_000, 10_000_000)
    rows, growths = [], []
    for noise, sampler in (("rounded Gaussian", rounded_gaussian), ("discrete Laplace", discrete_laplace)):
        works: dict[int, Callable[[], object]] = {
            n: lambda n=n, sampler=sampler: sampler(GROWTH_SCALE, n, random=random) for n in sizes
        }
        seconds = [median_seconds({"": works[n]}, GROWTH_RUNS, clock=time.process_time)[""] for n in sizes]
        peaks = [peak_bytes(works[n]) for n in sizes]
        growths.append(Growth("samples", sizes, seconds, peaks))
        for before, n, taken, peak in zip((None, *seconds), sizes, seconds, peaks, strict=False):
            rows.append(
                [
                    noise,
                    str(n),
                    f"{taken:.4f}",
                    f"× {taken / before:.1f}" if before else "–",
                    f"{1e9 * taken / n:.1f}",
                    f"{peak / 2**20:.1f}",
                    f"{8 * n / 2**20:.1f}",
                ]
            )
    section = Section(
        f"Growth at scale {GROWTH_SCALE:g}, median of {GROWTH_RUNS} runs; peak of traced memory, result included.",
        ("noise", "samples", "seconds", "growth", "ns a sample", "peak MiB", "result MiB"),
        rows,
        on_page=False,
    )
    return growths[0], section


def _scaling(samples: int, runs: int) -> float:
    """How many times as fast as one thread several draw, each with a generator of its own."""
    generators = [SecureRandom() for _ in range(THREADS)]

    def draw(random: SecureRandom) -> object:
        return rounded_gaussian(GROWTH_SCALE, samples, random=random)

    with ThreadPoolExecutor(THREADS) as pool:
        seconds = median_seconds(
            {
                "one": lambda: [draw(random) for random in generators],
                "several": lambda: list(pool.map(draw, generators)),
            },
            runs,
        )
    return seconds["one"] / seconds["several"]


def _inverse(samples: int) -> Callable[[], object]:
    tails = np.random.default_rng(0).uniform(0, 0.5, samples)
    return lambda: ndtri(tails)


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise MachineError(
            "extra-missing",
            "OpenDP, the peer of this benchmark, is not installed",
            remedy="pip install 'synthrelease[bench]'",
        ) from error
    dp.enable_features("contrib")
    return dp


def _opendp_vector(
    dp: Any, make: Callable[..., Any], metric: Any, scale: float, samples: int
) -> Callable[[], object]:
    measurement = make(dp.vector_domain(dp.atom_domain(T="i64")), metric, scale=scale)
    zeros = [0] * (samples // OPENDP_SHARE)
    return lambda: measurement(zeros)
