"""The exact map lies within two uncertainties of a released one: at nearly all cells, and at its own peak.

The maps are those of OSIE's 15 eye-tracked people on images 1001–1020; prior and uncertainty were chosen on others. Each person counts
as three, so that the noise is that of some 45 people in a study of the size that docs/evidence/utility.md reports. Noise and images are fixed by
the seed. The control is a quarter of that band, which few peaks are in.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.io

from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.numerics.binning import integer_shares
from synthrelease.numerics.spectral import RADIUS, SpectralForm
from synthrelease.numerics.spectrum import WEIGHT, point_coefficients, positions, rendered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FIXATIONS = Path(__file__).parent.parent / "data" / "osie" / "fixations.mat"
FORM = SpectralForm((0.04, 0.03), (50, 67))
IMAGES, RELEASES, PEOPLE, DELTA = 20, 3, 45.0, 1e-4
PEAKS, CELLS = 0.9, 0.93


@pytest.fixture(scope="module")
def exact() -> Numbers:
    """Mean coefficients of the images' people, shape (images, K)."""
    images = scipy.io.loadmat(FIXATIONS, simplify_cells=True)["fixations"][:IMAGES]
    assert [image["img"] for image in images] == [f"{1001 + i}.jpg" for i in range(IMAGES)]
    return np.array(
        [np.mean([of_person(person) for person in image["subjects"]], axis=0) for image in images]
    )


def of_person(person: dict[str, Numbers]) -> Numbers:
    places = positions(np.stack([np.atleast_1d(person["fix_y"]) / 600, np.atleast_1d(person["fix_x"]) / 800]))
    ones = np.ones(places.shape[1], dtype=np.int64)
    return point_coefficients(places, integer_shares(0 * ones, ones, WEIGHT), FORM.band)


def coverage(exact: Numbers, epsilon: float, times: float = 2.0) -> tuple[float, float]:
    """Of maps whose peak, and of cells that are within so many uncertainties."""
    deviation = gaussian_sigma(epsilon, DELTA, sensitivity=2.0 * RADIUS)
    random = np.random.default_rng(round(10 * epsilon))
    peaks, cells = [], []
    for coefficients in np.repeat(exact, RELEASES, axis=0):
        sums = coefficients * FORM.steps() * PEOPLE
        noisy = np.rint(sums + random.normal(0, deviation, sums.size)).astype(np.int64)
        shown = FORM.heatmap(noisy, normalization=PEOPLE, deviation=deviation)
        uncertainty = FORM.uncertainty(
            shown, normalization=PEOPLE, normalization_error=0.0, deviation=deviation
        )
        truth = rendered(coefficients * FORM.band.attenuation, FORM.band, FORM.places())
        inside = np.abs(shown - truth) <= times * uncertainty
        peaks.append(inside.flat[truth.argmax()])
        cells.append(inside.mean())
    return float(np.mean(peaks)), float(np.mean(cells))


@pytest.mark.thorough
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 8.0])
def test_two_uncertainties_cover_cells_and_peaks(exact: Numbers, epsilon: float) -> None:
    peaks, cells = coverage(exact, epsilon)
    assert peaks >= PEAKS
    assert cells >= CELLS
    assert coverage(exact, epsilon, 0.5)[0] < 0.5  # the control
