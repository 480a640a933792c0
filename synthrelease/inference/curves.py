"""Mean signals: curves over time from the integers of a signals output, without shrinking."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import ArgumentError
from synthrelease.inference.estimate import LEVEL, Estimate, SampledPeople, checked_level
from synthrelease.inference.place import chosen
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.released import released
from synthrelease.inference.spread import POPULATION, Spread, joined, person_variance
from synthrelease.kinds.signals.public import CoefficientParameters, SpectralSignalParameters
from synthrelease.kinds.signals.public_series import SignalParameters
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.spectral_signals import NO_BASELINE, SpectralSignalForm
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from synthrelease.arrays import ArrayRelease
    from synthrelease.bundle.reading import Bundle

Numbers = NDArray[np.float64]

MOST_WEIGHTS = 50_000_000  # of integers in values: 400 MB


def curve(
    release: Bundle | ArrayRelease,
    output: str | None = None,
    *,
    feature: str | None = None,
    recording: str | None = None,
    spread: Spread | str | None = None,
    target: str = POPULATION,
    level: float = LEVEL,
    allow_test_seed: bool = False,
) -> Estimate:
    """Return a mean signal over participants with an interval at every step, and bands for all steps at once.

    Args:
        release: a bundle, or what `arrays.mean_signals` returned.
        output: the name of a signals output of the bundle; None if it has one output.
        feature: its name; None if there is one.
        recording: its label; None if there is one.
        spread: the standard deviation between participants at each step, as a `Spread`; or "bound" for a conservative interval.
        target: "population", or "participants" for the exact mean signal of those who took part: then only the noise counts.
        level: of the intervals.
        allow_test_seed: accept noise that can be repeated.

    Returns:
        An `Estimate` by `step` or `time_s`, in the unit of the feature: of the frequencies that were released, not shrunk.

    Raises:
        ArgumentError: no mean signal was released, there is no spread, or the signal is too long.

    Source: `synthrelease/inference/inference.proof.md`.

    Example:
        >>> import numpy as np
        >>> from synthrelease import arrays, inference
        >>> people, steps = 30, 40
        >>> pupil = arrays.mean_signals(
        ...     person=np.repeat(np.arange(people), steps),
        ...     values={"pupil_mm": np.tile(4 + np.sin(np.arange(steps) / 6), people)},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     length=steps,
        ...     epsilon=2.0,
        ...     delta=1e-6,
        ... )
        >>> inference.curve(pupil, target="participants").shape
        (40,)
    """
    found = released(release, output, allow_test_seed=allow_test_seed)
    p = found.parameters_as(
        SignalParameters,
        "curve",
        'an output of kind signals with query = "mean"',
    )
    if p.is_each:
        raise ArgumentError(
            "not-a-mean",
            "each participant's own signal was released, not a mean",
            where=found.name,
            expected='query = "mean"',
            remedy="their mean has the noise of every one of them: average `values` and divide `uncertainty` by the root of their number",
        )
    numbers = (
        chosen("recording", recording, p.recordings),
        chosen("feature", feature, [one.name for one in p.features]),
    )
    integers = found.integers("noisy", numbers)
    if p.length * integers.count > MOST_WEIGHTS:
        raise ArgumentError(
            "too-long",
            "the signal has too many steps for an interval at each",
            where=found.name,
            found=f"{p.length} steps of {integers.count} integers",
            expected=f"a product of at most {MOST_WEIGHTS}",
            remedy="use `uncertainty` of the release",
        )
    bounds = p.features[numbers[1]].bounds
    half, centre = (bounds[1] - bounds[0]) / 2, sum(bounds) / 2
    level_at = centre
    if isinstance(p, SpectralSignalParameters):
        above, reach, below, people, words = _spectral(p, integers.count)
        level_at = centre if p.baseline == NO_BASELINE else 0.0
    else:
        assert isinstance(p, CoefficientParameters)  # others have no noise of a known law
        above, reach, below, people, words = _coefficients(p, integers.count)
    limits = (level_at - half * reach, level_at + half * reach)
    variance = person_variance(spread, target, limits=limits)
    quotient = Quotient(
        integers=integers,
        above=half * above,
        offset=np.full(p.length, level_at),
        people=people,
        below=below,
        limits=limits,
        variance=variance,
    )
    axis = p.steps
    return Estimate(
        f"mean signal of {p.features[numbers[1]].name}, {p.recordings[numbers[0]]}",
        {axis.name: list(axis.coordinates)},
        checked_level(level),
        target,
        joined([words, variance.assumptions]),
        quotient,
        (SampledPeople(found.people),),
    )


Parts = tuple[Numbers, Numbers, Numbers | None, float | None, tuple[str, ...]]


def _coefficients(p: CoefficientParameters, count: int) -> Parts:
    """Series are a linear function of the integers, divided by the public number of participants."""
    form = p.form
    above = form.series(np.eye(count)).T / HALF_RANGE
    words = ["Series are completed to the public length, and of the released frequencies."]
    if p.clip < 1 or p.max_change_grid_units is not None:
        words.append("What clipping took off single participants is not in the estimate.")
    return above, _reach(form, above), None, float(p.people or 1), tuple(words)


def _reach(form: SignalForm, above: Numbers) -> Numbers:
    """How far a participant's own series, of values from −1 to 1, reaches at each step in the released frequencies."""
    if form.mechanism == "lpa":
        return np.ones(form.length)
    unlimited = replace(form, max_change=None)
    own = unlimited.integers(HALF_RANGE * np.eye(form.length, dtype=np.int64), clipped=False)
    return np.asarray(np.abs(above @ own.T).sum(axis=1))


def _spectral(p: SpectralSignalParameters, count: int) -> Parts:
    """Cosines over the constant next to them: a mean in which participants count by what clipping left of them."""
    form: SpectralSignalForm = p.form
    rows = form.rows()
    above = np.zeros((p.length, count))
    above[:, 1:] = rows.T / form.weights()
    below = np.zeros(count)
    below[0] = 1 / form.constant
    widest = 1.0 if p.baseline == NO_BASELINE else 2.0
    reach = widest * np.abs(rows.T @ rows).sum(axis=1)
    words = (
        "Series are completed to the public length, and of the released cosines.",
        "Participants who stray more than others count less, as in the released signal.",
    )
    return above, reach, below, None, words
