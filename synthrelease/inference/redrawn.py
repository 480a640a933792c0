"""A release as other draws of its noise would have made it: for results that are no mean, difference, curve or map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import DiscreteLaplace, Noise
from synthrelease.inference.released import released
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.values import Values
from synthrelease.numerics.public_draws import PublicDraws

if TYPE_CHECKING:
    from synthrelease.arrays import ArrayRelease
    from synthrelease.bundle.reading import Bundle


def redrawn(
    release: Bundle | ArrayRelease,
    output: str | None = None,
    *,
    draws: int = 200,
    seed: int = 1,
    allow_test_seed: bool = False,
) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Yield all arrays of an output again and again, as if its noisy integers were the exact ones and noise were added to them: a parametric bootstrap.

    Shrinking, projection and everything else that is public is done again. How far a result of yours moves from draw to draw is about how far noise moved it: of linear
    results exactly, of others to first order. It costs no ε. Sampling of participants is not in it, and what shrinking draws to its prior is not undone: for means, proportions,
    curves and maps the other functions do better.

    Args:
        release: a bundle, or what a function of `synthrelease.arrays` returned.
        output: its name in a bundle; None if it has one output.
        draws: how many.
        seed: public; the same gives the same draws.
        allow_test_seed: accept noise that can be repeated.

    Yields:
        Arrays by name, of the shapes and units of the release's.

    Raises:
        ArgumentError: no release, or no noise.

    Source: `synthrelease/inference/inference.proof.md`.

    Example:
        >>> import numpy as np
        >>> from synthrelease import arrays, inference
        >>> pupil = arrays.statistics(
        ...     person=np.arange(200),
        ...     values={"pupil_mm": np.linspace(2, 7, 200)},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     statistics=["histogram"],
        ...     bins=6,
        ...     epsilon=1.0,
        ... )
        >>> peaks = [int(again["histogram/value"][0].argmax()) for again in inference.redrawn(pupil, draws=20)]
        >>> len(peaks)
        20
    """
    found = released(release, output, allow_test_seed=allow_test_seed)
    datasets = list(found.parameters.datasets(found.event))
    drawn = {dataset.path: found.arrays[dataset.path] for dataset in datasets if dataset.derive is None}
    noisy = [dataset.path for dataset in datasets if dataset.role is Role.NOISY]
    source = PublicDraws(seed)
    for _ in range(draws):
        again = {path: drawn[path] + _noise(found.noise, drawn[path].shape, source) for path in noisy}
        values = Values(found.parameters, found.event, {**drawn, **again})
        yield {path: values.array(path) for path in values.datasets}


def _noise(noise: Noise, shape: tuple[int, ...], source: PublicDraws) -> NDArray[np.int64]:
    """Noise of the release's law, from public numbers: it hides nothing."""
    if isinstance(noise, DiscreteLaplace):
        one, other = (np.floor(-noise.scale * np.log(source.uniform(shape))) for _ in range(2))
        return np.asarray(one - other).astype(np.int64)
    return np.rint(noise.scale * source.normal(shape)).astype(np.int64)
