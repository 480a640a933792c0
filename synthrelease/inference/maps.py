"""Heatmaps cell by cell, from the integers of a heatmap output, without shrinking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from synthrelease.errors import ArgumentError
from synthrelease.inference.curves import MOST_WEIGHTS
from synthrelease.inference.estimate import LEVEL, Estimate, SampledPeople, checked_level
from synthrelease.inference.place import chosen
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.released import NoisyIntegers, released
from synthrelease.inference.spread import POPULATION, PersonVariance, Spread, joined, person_variance
from synthrelease.kinds.heatmap.public import HeatmapParameters, SpectralParameters
from synthrelease.kinds.heatmap.public_cells import CellParameters
from synthrelease.numerics.blur import blurred
from synthrelease.numerics.spectral import CONSTANT_STEPS, CUTOFF
from synthrelease.numerics.spectrum import cosines

if TYPE_CHECKING:
    from synthrelease.arrays import ArrayRelease
    from synthrelease.bundle.reading import Bundle

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

_CLIPPED = "Participants whose maps are more concentrated count less, as in the released map."
_CAPPED = "Counts are capped; a participant who did not see the stimulus counts as 0 in all cells."


def heatmap(
    release: Bundle | ArrayRelease,
    output: str | None = None,
    *,
    stimulus: str | None = None,
    every: int = 1,
    blur_px: float | None = None,
    spread: Spread | str | None = None,
    target: str = POPULATION,
    level: float = LEVEL,
    allow_test_seed: bool = False,
) -> Estimate:
    """Return a heatmap with an interval at every cell, and bands for all cells at once.

    The released `heatmap` of the spectral mechanism is shrunk to a public prior; this one is the unbiased map of the same integers. It is noisier.

    Args:
        release: a bundle, or what `arrays.heatmaps` returned.
        output: the name of a heatmap output of the bundle; None if it has one output.
        stimulus: its label; None if there is one.
        every: take each such row and column of cells: neighbours in a blurred map say the same.
        blur_px: σ of the blur of the map that you ask about, in pixels of the screen, no less than the release's, which it is if None. The more blur, the less
            noise: take as much as your question allows.
        spread: the standard deviation between participants of their own blurred map at each cell, as a `Spread`; or "bound" for a conservative interval.
        target: "population", or "participants" for the exact map of those who took part: then only the noise counts.
        level: of the intervals.
        allow_test_seed: accept noise that can be repeated.

    Returns:
        An `Estimate` by `y_px` and `x_px` (of dynamic maps `time` too): relative fixation density (1 = uniform), or counts per participant.

    Raises:
        ArgumentError: no heatmap was released, there is no spread, or there are too many cells.

    Source: `synthrelease/inference/inference.proof.md`.

    Example:
        >>> import numpy as np
        >>> from synthrelease import Screen, arrays, inference
        >>> people, looks = 60, 5
        >>> places = 0.5 + 0.2 * np.sin([np.arange(people * looks), 7 * np.arange(people * looks)])
        >>> maps = arrays.heatmaps(
        ...     person=np.repeat(np.arange(people), looks),
        ...     stimulus=["photo"] * people * looks,
        ...     x_px=800 * places[0],
        ...     y_px=600 * places[1],
        ...     screen=Screen(800, 600),
        ...     stimuli=["photo"],
        ...     epsilon=3.0,
        ...     delta=1e-5,
        ... )
        >>> estimate = inference.heatmap(maps, every=10, target="participants")
        >>> estimate.shape == estimate.low.shape
        True
    """
    found = released(release, output, allow_test_seed=allow_test_seed)
    p = found.parameters_as(HeatmapParameters, "heatmap", "an output of kind heatmap")
    assert isinstance(p, SpectralParameters | CellParameters)
    number = chosen("stimulus", stimulus, p.stimuli)
    blur_px = _checked_blur(blur_px, p.blur_px)
    axes = p.cells if isinstance(p, SpectralParameters) else p.pixels
    cells = [np.arange(len(axis))[:: max(every, 1) if axis.unit == "px" else 1] for axis in axes]
    integers = found.integers("noisy", (number,))
    _check_size(every, cells, integers)
    if isinstance(p, SpectralParameters):
        quotient = _spectral(p, cells, integers, blur_px)
    else:
        quotient = _cells(replace(p, blur_px=blur_px), cells, integers)
    variance = person_variance(spread, target, limits=quotient.limits)
    words = _CLIPPED if isinstance(p, SpectralParameters) else _CAPPED
    return Estimate(
        f"heatmap of {p.stimuli[number]}",
        {
            axis.name: [axis.coordinates[one] for one in places]
            for axis, places in zip(axes, cells, strict=True)
        },
        checked_level(level),
        target,
        joined([(words,), variance.assumptions]),
        replace(quotient, variance=variance),
        (SampledPeople(found.people),),
    )


def _check_size(every: int, cells: Sequence[Places], integers: NoisyIntegers) -> None:
    count = math.prod(one.size for one in cells)
    if every < 1 or count * integers.count > MOST_WEIGHTS:
        raise ArgumentError(
            "too-many-cells",
            "the map has too many cells for an interval at each",
            where="heatmap().every",
            found=f"every={every}: {count} cells of {integers.count} integers",
            expected=f"every ≥ 1, and a product of at most {MOST_WEIGHTS}",
            remedy=f"write every={max(2, 2 * every)}",
        )


def _checked_blur(blur_px: float | None, least: float) -> float:
    """σ of the blur that is asked for."""
    if blur_px is None:
        return least
    if not isinstance(blur_px, int | float) or not (math.isfinite(blur_px) and blur_px >= least):
        raise ArgumentError(
            "bad-blur",
            "there is no map of less blur than was released",
            where="heatmap().blur_px",
            found=repr(blur_px),
            expected=f"at least {least:g} px",
            remedy="leave it out, or raise it",
        )
    return float(blur_px)


def _spectral(
    p: SpectralParameters, cells: Sequence[Places], integers: NoisyIntegers, blur_px: float
) -> Quotient:
    """Coefficients over the constant: a mean in which participants count by what clipping left of them."""
    band = p.form.band
    waves = np.ones((1, band.count))
    for axis, (middles, chosen_ones) in enumerate(zip(p.form.places(), cells, strict=True)):
        table = cosines(band.box[axis], middles[chosen_ones])[:, band.frequencies[axis]]
        if p.cells[axis].unit == "px":  # the variances of blurs add up
            more = p.form.blurs[axis] ** 2 * ((blur_px / p.blur_px) ** 2 - 1)
            table = table * np.exp(-((math.pi * band.frequencies[axis]) ** 2) * more / 2)
        waves = (waves[:, None, :] * table).reshape(-1, band.count)
    waves *= band.attenuation
    largest = 2 ** (len(cells) / 2)  # of a product of cosines
    high = np.maximum(largest * np.abs(waves).sum(axis=1), 1.0)
    # Frequencies that are not released make up less than this of a blurred point, which is not negative itself.
    left_out = gammaincc(len(cells) / 2, -math.log(CUTOFF)) * band.attenuation.sum() * largest**2
    above = waves / p.form.steps()
    above[:, 0] = 0.0
    return Quotient(
        integers=integers,
        above=above,
        offset=np.ones(len(above)),
        people=None,
        below=np.eye(1, band.count)[0] / CONSTANT_STEPS,
        limits=(np.full(len(above), -float(left_out)), high),
        variance=PersonVariance.none(len(above)),
    )


def _cells(p: CellParameters, cells: Sequence[Places], integers: NoisyIntegers) -> Quotient:
    """Counts over the public number of participants, blurred.

    Raises:
        ArgumentError: their number is private, so that there is no mean.
    """
    if p.people is None:
        raise ArgumentError(
            "private-people",
            "counts are sums where the number of participants is private: there is no mean map",
            where="heatmap()",
            found='neighbours = "add-remove-one"',
            expected='neighbours = "replace-one", or the spectral mechanism',
            remedy='ask the curator for maps by mechanism = "spectral"',
        )
    rows, columns = cells
    if p.blur_px == 0:
        places = (rows[:, None] * p.columns + columns).ravel()
        integers = replace(integers, key=f"{integers.key} {places.tolist()}", values=integers.values[places])
        above: Numbers = np.eye(places.size)
    else:
        above = np.asarray(np.kron(_blur(p, p.rows, 0)[rows], _blur(p, p.columns, 1)[columns]))
    count = len(above)
    return Quotient(
        integers=integers,
        above=above,
        offset=np.zeros(count),
        people=float(p.people),
        below=None,
        limits=(np.zeros(count), np.full(count, float(p.cap))),
        variance=PersonVariance.none(count),
    )


def _blur(p: CellParameters, cells: int, axis: int) -> Numbers:
    """The blur of one axis as a matrix, shape (cells, cells): with reflection at the edges axes are independent."""
    screen_px = (p.screen.width_px, p.screen.height_px)
    impulses = np.expand_dims(np.eye(cells), 2 - axis)
    images = [blurred(impulse, blur_px=p.blur_px, screen_px=screen_px).ravel() for impulse in impulses]
    return np.stack(images, axis=1)
