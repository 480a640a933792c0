"""Intervals and tests on released values that count sampling *and* privacy noise.

A release states the law of its noise exactly, so an interval can be as honest as one on the data: wider, with the same coverage. Everything follows
from the noisy integers and public numbers: it costs no ε, and no private data are needed.

Source: `synthrelease/inference/inference.proof.md`; coverage by simulation: docs/evidence/inference.md.
"""

from synthrelease.inference.curves import curve
from synthrelease.inference.difference import difference
from synthrelease.inference.estimate import Estimate
from synthrelease.inference.maps import heatmap
from synthrelease.inference.means import mean
from synthrelease.inference.proportions import proportions
from synthrelease.inference.redrawn import redrawn
from synthrelease.inference.spread import Spread

__all__ = ["Estimate", "Spread", "curve", "difference", "heatmap", "mean", "proportions", "redrawn"]
