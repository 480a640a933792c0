"""The map of bundles whose manifests state no other estimate: the nearest to Wiener's filter of the noisy coefficients.

Frozen: `verify` computes it again. It takes coefficients to be Gaussian, which peaks are not: it halves them where noise is as large
as at ε = 3 in the utility study.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics import centre_bias
from synthrelease.numerics.inversion import Prior, nearest_map, posterior
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.numerics.spectrum import rendered, rendered_variance


def heatmap(
    form: SpectralForm, noisy: NDArray[np.integer], *, normalization: float, deviation: float
) -> NDArray[np.float64]:
    """Return the density of attention, blurred, 1 on average: the nearest map to the noisy integers.

    Args:
        form: how maps become integers.
        noisy: integers of one stimulus, shape (K,).
        normalization: how many people's maps they hold.
        deviation: standard deviation of the noise, in steps.
    """
    mean, variance = _posterior(form, noisy, normalization, deviation)
    coefficients = nearest_map(mean, variance, form.band) * form.band.attenuation
    shown = rendered(coefficients, form.band, form.places())
    return np.maximum(shown, 0.0, out=shown)


def uncertainty(
    form: SpectralForm,
    noisy: NDArray[np.integer],
    *,
    normalization: float,
    normalization_error: float,
    deviation: float,
) -> NDArray[np.float64]:
    """Return the standard deviation of the linear estimate's error at every cell, from the known noise, the prior and the normalization.

    The error is that against the map of *clipped* people, if maps were as Gaussian as the prior: at peaks it is several times as large.

    Args:
        form: how maps become integers.
        noisy: integers of one stimulus, shape (K,).
        normalization: how many people's maps they hold.
        normalization_error: standard deviation of the normalization.
        deviation: standard deviation of the noise, in steps.
    """
    mean, variance = _posterior(form, noisy, normalization, deviation)
    h = form.band.attenuation
    from_normalization = rendered(mean * h, form.band, form.places())
    # In place from here on: on a large grid a new array takes longer than what is done with it.
    from_normalization -= 1.0
    from_normalization *= normalization_error / normalization
    from_normalization *= from_normalization
    squared = rendered_variance(variance * h**2, form.band, form.places())
    squared += from_normalization
    return np.sqrt(squared, out=squared)


def _posterior(
    form: SpectralForm, noisy: NDArray[np.integer], normalization: float, deviation: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    density, error = form.density(noisy, normalization=normalization, deviation=deviation)
    return posterior(density, error, _prior(form.prior, form.blurs))


@functools.lru_cache(maxsize=4)
def _prior(name: str, blurs: tuple[float, ...]) -> Prior:
    """The prior of a form, public, which every map of an output asks for twice."""
    prior = centre_bias.prior(name, SpectralForm(blurs, (1,) * len(blurs)).band)
    prior.mean.flags.writeable = prior.power.flags.writeable = False
    return prior
