"""Detectors of randomness that is used twice, or that can be foreseen."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from forked import in_child

from auditing.detectors import Detector, Verdict, alike
from synthrelease.dp.event import DiscreteLaplace
from synthrelease.dp.noise import SecureRandom, addition

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = 256  # two independent streams share one of so many with probability 4·10⁻¹⁵


def in_worker(work: Callable[[], NDArray[Any]]) -> NDArray[np.uint64]:
    """Do `work` in a forked worker and return what it made."""
    return np.frombuffer(in_child(lambda: work().tobytes()), dtype=np.uint64)


def _inherited(_random: SecureRandom) -> list[NDArray[np.uint64]]:
    random = SecureRandom()
    random.words(3)
    return [in_worker(lambda: random.words(WORDS)) for _ in range(2)] + [random.words(WORDS)]


def _copied(_random: SecureRandom) -> list[NDArray[np.uint64]]:
    random = SecureRandom()
    streams = [random.words(WORDS)]
    for again in (copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):  # noqa: S301  our own
        try:
            streams.append(again(random).words(WORDS))
        except TypeError:  # as it should be
            continue
    streams.append(random.words(WORDS))
    return streams


def _spawned(random: SecureRandom) -> list[NDArray[np.uint64]]:
    tasks = [random.spawn("maps"), random.spawn("signals"), SecureRandom().spawn("maps")]
    return [task.words(WORDS) for task in (*tasks, random)]


def _one_after_the_other(random: SecureRandom) -> list[NDArray[np.int64]]:
    """Noise so wide that two independent integers are hardly ever the same."""
    event = DiscreteLaplace(1, 2.0**38, WORDS // 8)
    zeros = np.zeros(event.count, dtype=np.int64)
    return [addition.add_noise(zeros, event, largest=1, random=random) for _ in range(3)]


def _fresh(_random: SecureRandom) -> list[NDArray[np.uint64]]:
    return [SecureRandom().words(WORDS) for _ in range(2)]


workers = alike("streams of forked workers", _inherited, "words")
copies = alike("streams of copies", _copied, "words")
tasks = alike("streams of outputs", _spawned, "words")
draws = alike("noise of one draw and the next", _one_after_the_other, "integers")
fresh = alike("streams of two releases without a seed", _fresh, "words")


def _said(random: SecureRandom) -> tuple[bool, bool]:
    return random.seeded and random.spawn("an output").seeded, SecureRandom().seeded


marks = Detector(
    "the mark of a seed",
    _said,
    lambda said: Verdict(said != (True, False), f"seeded sources say {said[0]}, others {said[1]}"),
)
