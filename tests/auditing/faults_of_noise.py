"""Faults of noise and randomness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from auditing import bundles, small, streams
from auditing.choices import ChoiceProbe
from auditing.detectors import audit_of, audit_of_variant, law_of, spending_of, types_of, unmoved_in
from auditing.planting import Fault, everywhere, inside, together
from synthrelease.dp import calibration
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom, addition, choice, rounded

if TYPE_CHECKING:
    from numpy.typing import NDArray

_noised, _start, _words = addition.add_noise, SecureRandom._start, SecureRandom.words
_choice = choice.private_choice


def _half_gaussian(sigma: float, size: Any, *, random: Any) -> NDArray[np.int64]:
    return rounded.rounded_gaussian(sigma / 2, size, random=random)


def _half_laplace(scale: float, size: Any, *, random: Any) -> NDArray[np.int64]:
    return rounded.discrete_laplace(scale / 2, size, random=random)


def _float_noise(exact: Any, event: Any, *, largest: int, random: Any) -> Any:  # noqa: ARG001  in its place
    generator = np.random.default_rng(int(random.words(1)[0]))
    draw = generator.normal if isinstance(event, RoundedGaussian) else generator.laplace
    return exact + draw(0.0, event.scale, np.shape(exact))


def _truncated_float_noise(exact: Any, event: Any, *, largest: int, random: Any) -> Any:
    return _float_noise(exact, event, largest=largest, random=random).astype(np.int64)


def _all_but_the_last(exact: Any, event: Any, *, largest: int, random: Any) -> Any:
    noisy = _noised(exact, event, largest=largest, random=random)
    noisy[..., -1] = exact[..., -1]
    return noisy


def _never_re_keyed(self: SecureRandom, count: int) -> NDArray[np.uint64]:
    return np.frombuffer(self._cipher.update(bytes(8 * count)), dtype="<u8")


def _reduced_to_a_key(self: SecureRandom) -> tuple[object, ...]:
    return SecureRandom._from_key, (self._seed_key or bytes(32),)


def _from_the_start(self: SecureRandom, count: int) -> NDArray[np.uint64]:
    self._start()
    return _words(self, count)


def _same_for_all_tasks(self: SecureRandom, *_labels: str) -> SecureRandom:
    return SecureRandom._from_key(self._seed_key or bytes(32))


def _keyed_by_a_constant(self: SecureRandom) -> None:
    seed, self._seed_key = self._seed_key, self._seed_key or b"test seed".ljust(32)
    _start(self)
    self._seed_key = seed


def _without_delta(epsilon: float, _delta: float, *, sensitivity: float) -> float:
    return sensitivity / epsilon


def _twice_the_epsilon(utilities: Any, *, sensitivity: int, epsilon: float, random: Any) -> int:
    return _choice(utilities, sensitivity=sensitivity, epsilon=2 * epsilon, random=random)


FAULTS = (
    Fault(
        "scale halved",
        "dp.noise.addition.add_noise",
        together(
            inside(addition, "rounded_gaussian", _half_gaussian),
            inside(addition, "discrete_laplace", _half_laplace),
        ),
        (
            audit_of_variant(small.one_cell),
            audit_of_variant(small.areas_gaussian),
            law_of(DiscreteLaplace),
            law_of(RoundedGaussian),
            bundles.bundle_of("maps"),
        ),
    ),
    Fault(
        "float noise instead of integer",
        "dp.noise.addition.add_noise",
        everywhere(_noised, _float_noise),
        (types_of(small.one_cell), bundles.bundle_of("summary")),
    ),
    Fault(
        "float noise cut to integers",
        "dp.noise.addition.add_noise",
        everywhere(_noised, _truncated_float_noise),
        (law_of(DiscreteLaplace), law_of(RoundedGaussian)),
    ),
    Fault(
        "one integer without noise",
        "dp.noise.addition.add_noise",
        everywhere(_noised, _all_but_the_last),
        (unmoved_in(small.histogram), unmoved_in(small.areas_gaussian)),
    ),
    Fault(
        "same noise in two workers",
        "dp.noise.entropy.SecureRandom.words, which does not re-key",
        inside(SecureRandom, "words", _never_re_keyed),
        (streams.workers,),
    ),
    Fault(
        "same noise in two workers that were sent a copy",
        "dp.noise.entropy.SecureRandom, which is copied",
        inside(SecureRandom, "__reduce__", _reduced_to_a_key),
        (streams.copies,),
    ),
    Fault(
        "same noise in two outputs",
        "dp.noise.entropy.SecureRandom.spawn",
        inside(SecureRandom, "spawn", _same_for_all_tasks),
        (streams.tasks,),
    ),
    Fault(
        "one stream of words drawn twice",
        "dp.noise.entropy.SecureRandom.words",
        inside(SecureRandom, "words", _from_the_start),
        (streams.draws,),
    ),
    Fault(
        "test seed in production",
        "dp.noise.entropy.SecureRandom, keyed by a constant",
        inside(SecureRandom, "_start", _keyed_by_a_constant),
        (streams.fresh, bundles.two_builds()),
    ),
    Fault(
        "test seed that leaves no mark",
        "dp.noise.entropy.SecureRandom.seeded",
        inside(SecureRandom, "seeded", property(lambda _: False)),
        (streams.marks, bundles.bundle_of("summary")),
    ),
    Fault(
        "δ ignored in calibration",
        "dp.calibration.gaussian_sigma",
        everywhere(calibration.gaussian_sigma, _without_delta),
        (spending_of(small.areas_gaussian), audit_of_variant(small.areas_gaussian)),
    ),
    Fault(
        "a private choice that spends twice its ε",
        "dp.noise.choice.private_choice",
        everywhere(_choice, _twice_the_epsilon),
        (audit_of(ChoiceProbe, "private choice", runs=20_000),),
    ),
)
