"""The correlation of a heatmap with the exact map to expect, from public parameters, for any noise and number of participants.

Maps are taken to be as those of photographs (`numerics.centre_bias`), and numbers here were fitted to what was
measured on images 1001–1010 of mouse-tracked OSIE; on others it was within 0.1 (docs/evidence/utility.md). Elsewhere it is an orientation. The formulas are those of
linear estimates (`spectral.proof.md`, `cells.proof.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from synthrelease.kinds.expectation import MAP_CORRELATION, Expectation, people_needed
from synthrelease.numerics.centre_bias import CENTRE, Prior, prior
from synthrelease.numerics.expected_quality import correlation_of_cells, correlation_of_posterior
from synthrelease.numerics.spectral import CUTOFF
from synthrelease.numerics.spectrum import Band, band

if TYPE_CHECKING:
    from synthrelease.kinds.heatmap.public import HeatmapParameters, SpectralParameters
    from synthrelease.kinds.heatmap.public_cells import CellParameters

MARGIN = 0.03  # of correlation: what a map must show beyond what is known without any data
_SEEN_THROUGH = (
    0.25  # of the noise's variance: the gain of knowing what maps are like besides their mean and power
)
_POWER = 0.4  # of the prior's variance: maps of many people are flatter than those of 15
# Of that, what public maps explain: such as other people's attention to the same photographs, CC 0.8.
_PUBLIC_MAPS = 0.6
_LEFT = 0.7  # of a person's map after clipping on one stimulus, at the default clip
_WITHIN_CAP = 0.75  # of the samples that could count in cells
_PLACES = 25  # cells of the blur's size that a person is in; finer cells are √ as many (mouse-tracked, 5 s an image)
_COUNTED = 100  # samples of a person, where their number is not bounded
# Of a side: maps of a smaller or larger blur are predicted as these.
_LEAST_BLUR, _LARGEST_BLUR = 0.003, 0.5


@dataclass(frozen=True)
class Viewing:
    """How stimuli are looked at, as far as that is public."""

    blurs: tuple[float, ...]  # σ_b of the blur as a share of height and width
    viewers: float | None  # people on a stimulus, on average, if public
    stimuli_per_person: float  # stimuli of a person, on average, or at most if that is not public
    has_public_maps: bool = False

    @property
    def band(self) -> Band:
        """The frequencies that the blur leaves."""
        return band(self.blurs, CUTOFF)

    @cached_property
    def expected(self) -> Prior:
        """The maps to expect."""
        shipped = prior(CENTRE, self.band)
        power = _POWER * shipped.power
        known = _PUBLIC_MAPS * power if self.has_public_maps else np.zeros_like(power)
        return Prior(np.sqrt(shipped.mean**2 + known), power - known)

    def without_data(self) -> float:
        """Return the correlation of the centre bias alone, or of public maps: what every claim of utility must beat."""
        none = np.full(self.band.count, math.inf)
        return correlation_of_posterior(self.expected, self.band, none, mean_known=True)

    def people_on_stimulus(self, people: float, stimuli: int) -> float:
        """Return how many of so many participants count on a stimulus, at most if that is not public."""
        return people * min(1.0, self.stimuli_per_person / stimuli) if self.viewers is None else self.viewers


def viewing(p: HeatmapParameters, viewers: tuple[int, ...] | None) -> Viewing:
    """Return how the stimuli of an output are looked at; `viewers` on each stimulus, if public."""
    stimuli_per_person = float(p.max_stimuli_per_person)
    if viewers is not None and p.people is not None:
        stimuli_per_person = max(1.0, sum(viewers) / p.people)
    sides = p.screen.height_px, p.screen.width_px
    blurs = tuple(min(max(p.blur_px / side, _LEAST_BLUR), _LARGEST_BLUR) for side in sides)
    on_stimulus = None if viewers is None else sum(viewers) / len(viewers)
    return Viewing(blurs, on_stimulus, stimuli_per_person, p.has_public_maps)


def spectral_correlation(
    p: SpectralParameters, viewing: Viewing, *, deviation: float, people: float
) -> float:
    """Return the correlation to expect with so many people on every stimulus, and noise of a standard deviation in steps."""
    frequencies = viewing.band
    retained = min(1.0, _LEFT / math.sqrt(viewing.stimuli_per_person if p.joint else 1.0))
    form = replace(p.form, blurs=(*p.form.blurs[:-2], *viewing.blurs))
    # Of a dynamic map the first coefficients are those that do not change over time: the map of the whole window.
    unit = form.steps()[: frequencies.count] * (retained * people)
    variance = _SEEN_THROUGH * (deviation / unit) ** 2
    return correlation_of_posterior(
        viewing.expected, frequencies, variance, mean_known=p.form.prior == CENTRE
    )


def cell_correlation(p: CellParameters, viewing: Viewing, *, deviation: float, people: float) -> float:
    """Return the correlation to expect with so many people on every stimulus, and noise of a standard deviation in samples."""
    cells = p.rows * p.columns
    places = _PLACES * math.sqrt(math.sqrt(viewing.blurs[0] * viewing.blurs[1] * cells))
    most = p.max_samples_per_stimulus or _COUNTED
    counted = _WITHIN_CAP * min(most, min(cells, places) * p.cap)
    variance = deviation**2 * cells / (people * counted) ** 2
    return correlation_of_cells(viewing.expected, viewing.band, variance, rows=p.rows, columns=p.columns)


def viewers_needed(viewing: Viewing, at: Callable[[float], float], *, good: float) -> str:
    """Return in words how many people on each stimulus it takes for maps of a correlation, or of more than is known without data, which may be good by itself.

    Args:
        viewing: who sees what.
        at: the correlation by people on a stimulus.
        good: the correlation.
    """
    words, least = f"CC ≥ {good:g}", viewing.without_data() + MARGIN
    if least > good:
        good, known = least, "the public maps" if viewing.has_public_maps else "is known without data"
        words = f"CC ≥ {good:.2f}, more than {known}"
    needed = people_needed(lambda people: at(people) >= good)
    return f"{'more than there are' if needed is None else needed} on each stimulus for {words}"


def expected(p: HeatmapParameters, people: float, at: Callable[[float], float]) -> tuple[Expectation, ...]:
    """Return the correlation to expect on the stimuli of most and of fewest viewers.

    Args:
        p: the public parameters.
        people: in the data.
        at: the correlation with so many on a stimulus.
    """
    seen = p.viewing
    on_stimulus = seen.people_on_stimulus(people, len(p.stimuli))
    most, fewest = (choose(p.public_viewers or (on_stimulus,)) for choose in (max, min))
    return (
        Expectation(
            "maps",
            MAP_CORRELATION,
            at(max(most, 1)),
            at(max(fewest, 1)),
            seen.without_data(),
            margin=MARGIN,
            higher_is_better=True,
        ),
    )
