"""Exact integer noise against NumPy's float noise and OpenDP's exact integers; growth and memory.

Targets (Gaussian): at most 5 times the time of NumPy's unsafe normal, at least 200 times as fast as OpenDP.
The discrete Laplace is measured the same way, without a target.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._measure import Target, machine, median_seconds, peak_bytes, print_table
from synthrelease.errors import MachineError
from synthrelease.noise import SecureRandom, discrete_laplace, rounded_gaussian

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = 1_764_000  # a heatmap of 1050 × 1680 pixels
SCALES = (1.0, 30.0, 1e3, 1e5)
RUNS = 9
OPENDP_SHARE = 10  # OpenDP draws a tenth of the samples, and its time, linear in them, counts tenfold
OPENDP_EVERY = 3  # of the runs
GROWTH_RUNS = 5
AGAINST_NUMPY = Target(5.0, at_most=True)
AGAINST_OPENDP = Target(200.0, at_most=False)


def run() -> bool:
    """Print the tables; return whether every target was met."""
    dp = _opendp()
    print(machine("numpy", "scipy", "cryptography", "opendp"))
    print(
        f"\n{SAMPLES} samples, median of {RUNS} runs in turn, in seconds of processor time (all keep to one\n"
        "thread; other programs then do not count, which would slow the longest work down most).\n"
        f"OpenDP: {SAMPLES // OPENDP_SHARE} samples, time × {OPENDP_SHARE}, "
        f"median of {RUNS // OPENDP_EVERY} runs among them.\n"
    )
    random = SecureRandom()
    unsafe = np.random.default_rng()
    met = True
    rows = []
    for scale in SCALES:
        row, row_met = _compare(
            "rounded Gaussian",
            scale,
            ours=lambda scale=scale: rounded_gaussian(scale, SAMPLES, random=random),
            numpy=lambda scale=scale: unsafe.normal(0.0, scale, SAMPLES),
            opendp=_opendp_vector(dp, dp.m.make_gaussian, dp.l2_distance(T=float), scale),
            targets=(AGAINST_NUMPY, AGAINST_OPENDP),
        )
        rows.append(row)
        met &= row_met
    for scale in SCALES:
        row, _ = _compare(
            "discrete Laplace",
            scale,
            ours=lambda scale=scale: discrete_laplace(scale, SAMPLES, random=random),
            numpy=lambda scale=scale: unsafe.laplace(0.0, scale, SAMPLES),
            opendp=_opendp_vector(dp, dp.m.make_laplace, dp.l1_distance(T="i64"), scale),
            targets=None,
        )
        rows.append(row)
    print_table(
        ["noise", "scale", "ours", "NumPy", "ours/NumPy", "target", "OpenDP", "OpenDP/ours", "target"], rows
    )
    print(f"\nGrowth at scale 1000, median of {GROWTH_RUNS} runs; peak of traced memory, result included.\n")
    print_table(
        ["noise", "samples", "seconds", "growth", "ns a sample", "peak MiB", "result MiB"], _growth(random)
    )
    print("\nAll targets met." if met else "\nA target was MISSED.")
    return met


def _compare(
    noise: str,
    scale: float,
    *,
    ours: Callable[[], object],
    numpy: Callable[[], object],
    opendp: Callable[[], object],
    targets: tuple[Target, Target] | None,
) -> tuple[list[str], bool]:
    works = {"ours": ours, "numpy": numpy, "opendp": opendp}
    seconds = median_seconds(works, RUNS, every={"opendp": OPENDP_EVERY}, clock=time.process_time)
    exact = OPENDP_SHARE * seconds["opendp"]
    slower, faster = seconds["ours"] / seconds["numpy"], exact / seconds["ours"]
    row = [
        noise,
        f"{scale:g}",
        f"{seconds['ours']:.4f}",
        f"{seconds['numpy']:.4f}",
        f"{slower:.2f}",
        targets[0].beside(slower) if targets else "–",
        f"{exact:.2f}",
        f"{faster:.0f}",
        targets[1].beside(faster) if targets else "–",
    ]
    return row, targets is None or (targets[0].met(slower) and targets[1].met(faster))


def _growth(random: SecureRandom) -> list[list[str]]:
    rows = []
    for noise, sampler in (("rounded Gaussian", rounded_gaussian), ("discrete Laplace", discrete_laplace)):
        before = None
        for samples in (100_000, 1_000_000, 10_000_000):

            def draw(sampler: Any = sampler, samples: int = samples) -> object:
                return sampler(1e3, samples, random=random)

            seconds = median_seconds({"ours": draw}, GROWTH_RUNS, clock=time.process_time)["ours"]
            rows.append(
                [
                    noise,
                    str(samples),
                    f"{seconds:.4f}",
                    f"× {seconds / before:.1f}" if before else "–",
                    f"{1e9 * seconds / samples:.1f}",
                    f"{peak_bytes(draw) / 2**20:.1f}",
                    f"{8 * samples / 2**20:.1f}",
                ]
            )
            before = seconds
    return rows


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise MachineError(
            "OpenDP, the peer of this benchmark, is not installed",
            remedy="pip install 'synthrelease[bench]'",
        ) from error
    dp.enable_features("contrib")
    return dp


def _opendp_vector(dp: Any, make: Callable[..., Any], metric: Any, scale: float) -> Callable[[], object]:
    measurement = make(dp.vector_domain(dp.atom_domain(T="i64")), metric, scale=scale)
    zeros = [0] * (SAMPLES // OPENDP_SHARE)
    return lambda: measurement(zeros)
