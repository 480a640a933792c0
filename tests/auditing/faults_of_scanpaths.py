"""Faults of synthetic scanpaths: in each of two rounds, in what the second one takes from the first, and in what is made of the sums."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import scanpath_study

from auditing import bundles
from auditing.of_rounds import OF_SCANPATHS
from auditing.plans import plans_where, scanpaths
from auditing.planting import Fault, inside
from synthrelease.dp import sensitivity
from synthrelease.kinds import adaptive
from synthrelease.kinds.heatmap import map_sums
from synthrelease.kinds.scanpaths import dynamics
from synthrelease.kinds.scanpaths.dynamics import DynamicsRound
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.scanpaths.public import ScanpathParameters
from synthrelease.numerics.spectral import RADIUS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from synthrelease.dp.guarantee import Neighbours

    Integers = NDArray[np.int64]

_clip_to_ball = map_sums.clip_to_ball
_rounds, _contributions, _add_noise = (
    SyntheticScanpaths.rounds,
    DynamicsRound.contributions,
    adaptive.add_noise,
)


def _unclipped(contributions: Integers, _radius: int) -> Integers:
    return contributions


def _clipped_by_stimulus(contributions: Integers, radius: int, _owner: Integers | None) -> Integers:
    """Maps of a person are clipped one by one, so that they weigh more the more stimuli they saw."""
    return _clip_to_ball(contributions, radius)


def _one_radius(self: ScanpathParameters, neighbours: Neighbours) -> Any:
    """Noise as if the second round cost nothing."""
    count = len(self.stimuli) * self.of_maps.form.band.count + dynamics.LENGTH
    return sensitivity.clipped_coefficients(count=count, radius=RADIUS, neighbours=neighbours)


def _levels_of_exact_maps(self: SyntheticScanpaths, collected: Any, event: Any, released: Any) -> Any:
    """The second round looks levels up in the exact maps; released are the noisy ones."""
    noisy = {}

    def release(path: str, sums: Integers) -> Any:
        noisy[path] = released(path, sums)
        return sums

    return _rounds(self, collected, event, release) | noisy


def _centred(self: DynamicsRound, deviations: Any) -> Integers:
    """Relative to the mean of everyone who is there."""
    return _contributions(self, deviations - deviations.mean(axis=0))


def _with_constants(self: DynamicsRound, deviations: Any) -> Integers:
    """The constant is added after clipping."""
    made = _contributions(self, deviations)
    made[:, 0] = self.radius // 4
    return made


def _half_the_noise(sums: Integers, noise: Any, *, largest: int, random: Any) -> Integers:
    return _add_noise(sums, replace(noise, scale=noise.scale / 2), largest=largest, random=random)


def _from_one_key(sums: Integers, noise: Any, *, largest: int, random: Any) -> Integers:
    return _add_noise(sums, noise, largest=largest, random=random.spawn("scanpaths"))


_plans = plans_where("scanpaths are released", scanpaths)
_released = bundles.bundle_from("scanpaths", scanpath_study.study)
_norms, _company, _noise, _audit = (
    OF_SCANPATHS.norms_detector(),
    OF_SCANPATHS.company_detector(),
    OF_SCANPATHS.noise_detector(),
    OF_SCANPATHS.audit(),
)

FAULTS = (
    Fault(
        "maps of scanpaths clipped stimulus by stimulus",
        "kinds.heatmap.map_sums.clipped_sums",
        inside(map_sums, "clip_to_ball", _clipped_by_stimulus),
        (_norms, _audit),
    ),
    Fault(
        "vectors of movements not clipped",
        "kinds.scanpaths.dynamics.DynamicsRound.contributions",
        inside(dynamics, "clip_to_ball", _unclipped),
        (_norms, _audit),
    ),
    Fault(
        "the constant of movements added after clipping",
        "kinds.scanpaths.dynamics.DynamicsRound.contributions",
        inside(DynamicsRound, "contributions", _with_constants),
        (_norms,),
    ),
    Fault(
        "noise of scanpaths for the maps alone",
        "kinds.scanpaths.public.ScanpathParameters.sensitivity",
        inside(ScanpathParameters, "sensitivity", _one_radius),
        (_norms, _audit, _released),
    ),
    Fault(
        "half of the stated noise in each round of scanpaths",
        "kinds.adaptive.AdaptiveMechanism.draw",
        inside(adaptive, "add_noise", _half_the_noise),
        (_noise,),
    ),
    Fault(
        "one key for the noise of both rounds of scanpaths",
        "kinds.adaptive.AdaptiveMechanism.draw",
        inside(adaptive, "add_noise", _from_one_key),
        (_noise,),
    ),
    Fault(
        "levels of fixations from the exact maps",
        "kinds.scanpaths.mechanism.SyntheticScanpaths.rounds",
        inside(SyntheticScanpaths, "rounds", _levels_of_exact_maps),
        (_company, _plans),
    ),
    Fault(
        "movements relative to the mean of all participants",
        "kinds.scanpaths.dynamics.DynamicsRound.contributions",
        inside(DynamicsRound, "contributions", _centred),
        (_company,),
    ),
)
