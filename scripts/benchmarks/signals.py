"""Feature signals: CFPA-64 on 60 recordings × 48 features × 1300 steps × 100 draws; the spectral mechanism as it grows.

Target: 10 s for CFPA. Its peers are the same in floats with NumPy's unsafe noise, vectorised as well, and the loop of the
papers over recordings, features and chunks, timed on a few series and multiplied up. Seconds are those of the processors, all
threads added up: what other programs do meanwhile is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import made
import numpy as np
from numpy.typing import NDArray

from benchmarks._limits import Limits
from benchmarks._measure import Target, median_seconds, peak_bytes
from benchmarks._report import Figure, Growth, Peer, Report, Section
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Noise
from synthrelease.dp.noise import SecureRandom, discrete_laplace
from synthrelease.dp.noise.addition import add_noise
from synthrelease.kinds.signals.coefficients import CoefficientSignals, totals
from synthrelease.kinds.signals.public_series import EACH
from synthrelease.numerics import derived
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.spectral_signals import SpectralSignalForm

WORK = "CFPA-64, 8 frequencies, 60 recordings × 48 features × 1300 steps × 100 draws"
RECORDINGS, FEATURES, STEPS, CHUNK, FREQUENCIES, DRAWS = 60, 48, 1300, 64, 8, 100
BLOCK = 10  # draws at a time: 300 MB of signals
LOOPED = 100  # series of the loop
BUDGET = Budget(1.0, 1e-6)
SECONDS, GROWTH = Target(10.0, at_most=True), Target(14.0, at_most=True)
SIZES = (100, 1000)  # people of the spectral mechanism, with 10 features, 4 recordings, 300 steps

FLOATS, LOOP = "floats, vectorised, unsafe noise", "the papers' loop (estimated)"
NOISE = "exact Laplace noise alone"

Series = NDArray[np.float64]


def run(limits: Limits, *, quick: bool = False) -> Report:
    """Time CFPA beside its peers, as recordings grow, and the spectral mechanism as people do."""
    draws = BLOCK if quick else DRAWS
    crowds = {n: _crowd(n, 1, STEPS, FEATURES) for n in (RECORDINGS // 4, RECORDINGS // 2, RECORDINGS)}
    data = crowds[RECORDINGS]
    works: dict[str, Callable[[], object]] = {}
    for noise in ("laplace", "gaussian"):
        works[f"CFPA-64, {noise}"] = _cfpa(data, RECORDINGS, noise, draws)
    series = np.moveaxis(data.values.reshape(RECORDINGS, STEPS, FEATURES), 1, 2)
    works[FLOATS] = lambda: _in_floats(series, draws)
    some = series.reshape(-1, STEPS)[:LOOPED]
    works[LOOP] = lambda: _looped(some)
    own, event = _integers(data, RECORDINGS, "laplace")
    works[NOISE] = lambda: _noise_alone(own.size, event, draws)
    seconds = median_seconds(works, 1 if quick else 3, clock=time.process_time)
    seconds[LOOP] *= RECORDINGS * FEATURES * draws / LOOPED
    slowest = max(seconds[f"CFPA-64, {noise}"] for noise in ("laplace", "gaussian"))
    memory = {name: peak_bytes(work) for name, work in works.items()}
    smaller = [n for n in crowds if n < RECORDINGS]
    fewer = {str(n): _cfpa(crowds[n], n, "laplace", draws) for n in smaller}
    taken = median_seconds(fewer, 1, clock=time.process_time)
    growth = Growth(
        "recordings",
        [*smaller, RECORDINGS],
        [*taken.values(), seconds["CFPA-64, laplace"]],
        [*(peak_bytes(work) for work in fewer.values()), memory["CFPA-64, laplace"]],
    )
    spectral, grown = _of_spectral(quick=quick)
    return Report(
        WORK,
        ("numpy", "scipy"),
        (
            Section(
                f"{RECORDINGS} recordings × {FEATURES} features × {STEPS} steps × {draws} draws, {FREQUENCIES} frequencies of "
                f"each chunk of {CHUNK}. Seconds are those of the processors, all threads added up. The loop: {LOOPED} series "
                "and one draw, multiplied up.",
                ("", "seconds", "target", "of CFPA, laplace", "MiB"),
                [
                    [
                        name,
                        f"{one:.2f}",
                        SECONDS.beside(one) if name.startswith("CFPA") else "–",
                        f"{one / seconds['CFPA-64, laplace']:.3g}",
                        f"{memory[name] / 2**20:.0f}",
                    ]
                    for name, one in seconds.items()
                ],
            ),
            spectral,
        ),
        (
            Figure(seconds["CFPA-64, laplace"], "s, Laplace", SECONDS),
            Figure(seconds["CFPA-64, gaussian"], "s, Gaussian", SECONDS),
            Figure(grown, f"× the spectral mechanism's time of {SIZES[0]} people for {SIZES[1]}", GROWTH),
        ),
        slowest,
        limits.least(words=8 * own.size * draws, memory=8 * data.values.size * draws),
        f"Drawing the exact noise takes {seconds[NOISE]:.3g} s (Laplace); the rest is the inverse transform in 64-bit floats. "
        f"The peer in floats, noise included, takes {seconds[FLOATS]:.3g} s.",
        (
            Peer(FLOATS, seconds[FLOATS] / slowest),
            Peer(LOOP, seconds[LOOP] / slowest),
        ),
        growth,
    )


def _integers(data: FeatureData, recordings: int, noise: str) -> tuple[NDArray[np.int64], Noise]:
    mechanism = _each(data, recordings, noise)
    return totals(data, mechanism.parameters), mechanism.calibrated_noise(BUDGET)


def _each(data: FeatureData, recordings: int, noise: str) -> CoefficientSignals:
    form = SignalForm("cfpa", STEPS, CHUNK, FREQUENCIES)
    return made.signals(form, noise, EACH, of=data, people=recordings)


def _cfpa(data: FeatureData, recordings: int, noise: str, draws: int) -> Callable[[], object]:
    mechanism = _each(data, recordings, noise)
    event = mechanism.calibrated_noise(BUDGET)
    return lambda: _drawn(data, mechanism, event, draws)


def _noise_alone(size: int, event: Noise, draws: int) -> None:
    random = SecureRandom()
    for _ in range(0, draws, BLOCK):
        discrete_laplace(event.scale, size * BLOCK, random=random)


def _drawn(data: FeatureData, mechanism: CoefficientSignals, event: Noise, draws: int) -> float:
    """Everyone's integers, noise and signals of all draws; what is looked at of them is their sum."""
    parameters, random, total = mechanism.parameters, SecureRandom(), 0.0
    own = totals(data, parameters)
    unit = derived.IntegerUnit((0.0, 1.0), 1)
    for _ in range(0, draws, BLOCK):
        exact = np.broadcast_to(own, (BLOCK, *own.shape))
        noisy = add_noise(exact, event, largest=mechanism.largest_integer, random=random)
        total += float(derived.signal(noisy, parameters.form, unit)[..., 0].sum())
    return total


def _in_floats(series: Series, draws: int) -> float:
    """The same with NumPy's transform and noise: no grid, no exactness."""
    generator, total = np.random.default_rng(0), 0.0
    whole = STEPS // CHUNK * CHUNK
    for _ in range(0, draws, BLOCK):
        for piece in (series[..., :whole].reshape(*series.shape[:-1], -1, CHUNK), series[..., None, whole:]):
            length = piece.shape[-1]
            spectrum = np.fft.rfft(piece)
            keep = min(FREQUENCIES, spectrum.shape[-1])
            noise = generator.laplace(size=(BLOCK, *spectrum.shape[:-1], keep, 2))
            noisy = np.zeros((BLOCK, *spectrum.shape), dtype=np.complex128)
            noisy[..., :keep] = spectrum[..., :keep] + noise[..., 0] + 1j * noise[..., 1]
            total += float(np.fft.irfft(noisy, n=length)[..., 0].sum())
    return total


def _looped(series: Series) -> float:
    """One draw of some series, chunk by chunk."""
    generator, total = np.random.default_rng(0), 0.0
    for one in series:
        for start in range(0, STEPS, CHUNK):
            chunk = one[start : start + CHUNK]
            spectrum = np.fft.fft(chunk)
            noisy = np.zeros_like(spectrum)
            for f in range(min(FREQUENCIES, len(chunk))):
                noisy[f] = spectrum[f] + generator.laplace() + 1j * generator.laplace()
            total += float(np.fft.ifft(noisy).real[0])
    return total


def _of_spectral(*, quick: bool) -> tuple[Section, float]:
    """The table of the spectral mechanism, and how many times as long the larger size takes."""
    works: dict[str, Callable[[], object]] = {}
    for people in SIZES:
        data = _crowd(people, 4, 300, 10)
        form = SpectralSignalForm(300, 40, 64, "person", None, 0.03)
        mechanism = made.spectral_signals(form, of=data, people=people)
        works[str(people)] = lambda d=data, m=mechanism: made.release(m, d, BUDGET, random=SecureRandom())
    seconds = median_seconds(works, 1 if quick else 3, clock=time.process_time)
    rows = [
        [f"{name} people", f"{one:.3f}", f"{peak_bytes(works[name]) / 2**20:.0f}"]
        for name, one in seconds.items()
    ]
    growth = seconds[str(SIZES[1])] / seconds[str(SIZES[0])]
    section = Section(
        "Spectral: 4 recordings of 10 features, 300 steps, 64 cosines; from rows to a release.",
        ("", "seconds", "MiB"),
        rows,
        f"Grows × {growth:.1f} from {SIZES[0]} to {SIZES[1]} people, {GROWTH.beside(growth)}.",
    )
    return section, growth


def _crowd(people: int, recordings: int, steps: int, features: int) -> FeatureData:
    generator = np.random.default_rng(0)
    groups = people * recordings
    walks = np.cumsum(generator.normal(0, 0.02, (groups, steps, features)), axis=1) + 0.5
    limits = np.tile([0.0, 1.0], (features, 1))
    return FeatureData(
        tuple(f"feature {f}" for f in range(features)),
        limits,
        tuple(f"recording {r}" for r in range(recordings)),
        people,
        np.repeat(np.arange(groups) // recordings, steps),
        np.repeat(np.arange(groups) % recordings, steps),
        np.clip(walks, 0, 1).reshape(-1, features),
    )
