"""How much of movements is expected to be learnt, block by block, from public numbers alone (`scanpaths.proof.md`).

Of a mean with prior variance P that is known with the noise's variance v, P/(P + v) of what is unknown is learnt. P is that of participants who look otherwise than people in public data do
(`densities.py`), or, where they look nearly alike, an eighth of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from synthrelease.kinds.expectation import UNKNOWN, Expectation
from synthrelease.kinds.scanpaths.blocks import BLOCKS, places
from synthrelease.kinds.scanpaths.densities import prior_variance
from synthrelease.kinds.scanpaths.dynamics import DynamicsRound

_ALIKE = 0.125  # of the prior variance
_MARGIN = 0.1  # of what is unknown: what must be learnt at least
_NAMES = {"trials": "numbers of fixations", "starts": "first fixations", "order": "order and density"}


def expected(second: DynamicsRound, people: float) -> Iterator[Expectation]:
    """Yield for each block which share of what is unknown without data is expected to stay so.

    Args:
        second: the round that they are learnt in.
        people: participants.
    """
    variance = second.expected_noise(people)
    for block in BLOCKS:
        noise, prior = variance[places()[block.name]], np.tile(prior_variance(block), block.classes)
        best, worst = (float((noise / (noise + scale * prior)).mean()) for scale in (1.0, _ALIKE))
        yield Expectation(_NAMES.get(block.name, block.name), UNKNOWN, best, worst, 1.0, margin=_MARGIN)
