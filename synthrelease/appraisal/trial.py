"""How attacks on fresh releases are run."""

from __future__ import annotations

from dataclasses import dataclass

from synthrelease.noise import SecureRandom
from synthrelease.parallel import Progress
from synthrelease.privacy.event import Event


@dataclass(frozen=True)
class Trial:
    """How attacks on fresh releases are run.

    Attributes:
        event: what was done for the release that is judged; fresh ones have its noise.
        random: where fresh releases, and people who are asked about, come from.
        seed: of halves, trees and shuffles.
        rounds: releases of halves.
        draws: shuffles behind a p-value.
        n_jobs: releases and classifiers at a time.
        progress: told of each release.
    """

    event: Event
    random: SecureRandom
    seed: int
    rounds: int
    draws: int
    n_jobs: int = 1
    progress: Progress | None = None
