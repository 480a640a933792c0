"""The only place that obtains randomness: AES-256 in counter mode, keyed by the operating system."""

from __future__ import annotations

import hashlib
import operator
import os
import threading
from collections.abc import Callable
from typing import NoReturn, Protocol, Self

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from synthrelease.errors import ArgumentError

_forks = 0  # counts forks seen by this process: a child's process number alone could be a recycled one
_rekeying = threading.Lock()


def _forked() -> None:
    global _forks, _rekeying  # noqa: PLW0603  they must outlive every object that reads them
    _forks += 1
    _rekeying = threading.Lock()  # the parent's may have been held, by a thread that does not exist here


if hasattr(os, "register_at_fork"):  # a system without it has no forks
    os.register_at_fork(after_in_child=_forked)


class WordSource(Protocol):
    """What the samplers need: independent, uniform 64-bit words."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return `count` words, shape (count,)."""
        ...


class SecureRandom:
    """Independent uniform words from AES-256-CTR under a key of the operating system.

    The key is drawn anew in a forked child, so that parent and child never share a stream; the object can
    be neither copied nor pickled, because a copy would repeat noise that was already used. Work that is
    handed out is given a generator of its own by `spawn`.

    `SecureRandom.for_tests(seed)` is deterministic and marks itself `seeded`; every release made with it
    is marked too, and is refused for publication. A forked child begins its stream again: give it a `spawn`.
    """

    def __init__(self, *, before_words: Callable[[], None] | None = None) -> None:
        """Key a generator by the operating system.

        Args:
            before_words: called before any words are drawn, by this generator or one that it spawns, every time.
        """
        self._seed_key: bytes | None = None
        self._before = before_words
        self._start()

    @classmethod
    def for_tests(cls, seed: int) -> Self:
        """Return a reproducible generator for tests; `seed` is any integer, else ArgumentError."""
        try:
            text = str(operator.index(seed))
        except TypeError:
            raise ArgumentError(
                "bad-test-seed",
                "a test seed is no whole number",
                found=type(seed).__name__,
                expected="a whole number",
                remedy="test_seed=1; or leave it out, for noise that protects",
            ) from None
        return cls._from_key(hashlib.sha256(b"synthrelease test seed\0" + text.encode()).digest())

    @classmethod
    def _from_key(cls, key: bytes) -> Self:
        generator = cls.__new__(cls)
        generator._seed_key, generator._before = key, None  # noqa: SLF001  its own class
        generator._start()  # noqa: SLF001
        return generator

    @property
    def seeded(self) -> bool:
        """Whether the words can be predicted from a test seed."""
        return self._seed_key is not None

    def spawn(self, *labels: str) -> SecureRandom:
        """Return an independent generator for the task named by `labels`.

        A fresh key of the operating system, or, under a test seed, a key derived from seed and labels
        alone: the order in which tasks run, and on how many workers, then changes nothing.
        """
        if self._seed_key is None:
            return SecureRandom(before_words=self._before)
        digest = hashlib.sha256(self._seed_key)
        for label in labels:
            encoded = label.encode()
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
        return SecureRandom._from_key(digest.digest())

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return `count` independent uniform 64-bit words, shape (count,)."""
        if count < 0:
            raise ValueError(f"Expected count >= 0, found count={count}")
        if self._before is not None:
            self._before()
        if self._owner != (_forks, os.getpid()):
            with _rekeying:
                if self._owner != (_forks, os.getpid()):
                    self._start()
        with self._lock:
            stream = self._cipher.update(bytes(8 * count))
        return np.frombuffer(stream, dtype="<u8")

    def integers(self, bound: int, size: int) -> NDArray[np.int64]:
        """Return exactly uniform integers from 0 to `bound` − 1, by rejection, shape (size,)."""
        if not 0 < bound <= 2**62:
            raise ValueError(f"Expected 0 < bound <= 2**62, found bound={bound}")
        if size < 0:
            raise ValueError(f"Expected size >= 0, found size={size}")
        limit = np.uint64(2**64 - 2**64 % bound - 1)
        accepted = np.empty(0, dtype=np.uint64)
        while accepted.size < size:
            words = self.words(size - accepted.size)
            accepted = np.concatenate([accepted, words[words <= limit]])
        return (accepted % np.uint64(bound)).astype(np.int64)

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Return dimensionless numbers from [0, 1), multiples of 2⁻⁵³, shape (size,); for choices, never for released noise."""
        return (self.words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def permutation(self, count: int) -> NDArray[np.int64]:
        """Return a uniformly random order of 0 … `count` − 1, shape (count,)."""
        while True:
            keys = self.words(count)
            if np.unique(keys).size == count:  # equal keys would favour the first of them
                return np.argsort(keys).astype(np.int64)

    def _start(self) -> None:
        key = os.urandom(32) if self._seed_key is None else self._seed_key
        cipher = Cipher(algorithms.AES256(key), modes.CTR(bytes(16)))  # one key, one stream: nonce may be 0
        self._cipher: CipherContext = cipher.encryptor()
        self._lock = threading.Lock()
        self._owner = (_forks, os.getpid())  # last: a thread that sees the new owner must find the new cipher

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "SecureRandom cannot be copied or pickled; give each task its own: random.spawn(name)"
        )
