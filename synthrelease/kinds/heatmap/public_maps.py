"""Public maps of the stimuli, which a heatmap may start from: what a manifest states of them, and the datasets that they call for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from synthrelease.field_schema import among, described
from synthrelease.kinds.dataset import INTEGERS, ITERATED, Array, Axis, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.normalization import PATH as NORMALIZATION
from synthrelease.numerics.log_normal_map import LogPrior
from synthrelease.numerics.map_belief import GRID, MapBelief
from synthrelease.numerics.spectral import CUTOFF, SpectralForm
from synthrelease.numerics.spectrum import band, rendered

MAPS = "maps"  # of `prior`
IMAGES, GAZE = "images", "gaze"
PUBLIC_MAP, BELIEF = "public_map", "belief"  # datasets


@dataclass(frozen=True)
class PublicMaps:
    """What the manifest states of public maps; the maps themselves are a dataset."""

    sha256: Annotated[
        str,
        described(
            "Of the file; of a folder's files, of their digests in the order of stimuli or of names.",
            pattern="^[0-9a-f]{64}$",
        ),
    ]
    source: Annotated[str, described("Images of maps, or the gaze of other people.", **among(IMAGES, GAZE))]
    people: Annotated[int | None, described("How many other people; null of images.", minimum=1)]


@dataclass(frozen=True)
class Believed:
    """How far public maps are believed, and what follows for each stimulus."""

    form: SpectralForm
    deviation: float  # of the noise, in steps

    @property
    def _belief(self) -> MapBelief:
        return _belief_of(self.form.blurs)

    def datasets(self, stimulus: Axis, coefficients: Axis) -> Iterator[Dataset]:
        """Yield the public maps, and how far they are believed."""
        yield Dataset(
            PUBLIC_MAP,
            (stimulus, coefficients),
            Role.PUBLIC,
            INTEGERS[:1],
            quantity="cosine coefficients of the public map, times 1048576",
            items=1,
        )
        low = DerivedFrom("noisy", whole=True, part=partial(np.take, indices=self._belief.low, axis=-1))
        yield Dataset(
            BELIEF,
            (Axis("part", ["weight", "spread"], is_columns=True),),
            Role.MODEL,
            quantity="weight of the public maps, and variance about them relative to that about the centre bias",
            sources=(low, DerivedFrom(NORMALIZATION, whole=True), DerivedFrom(PUBLIC_MAP, whole=True)),
            derive=self._fitted,
            care=ITERATED,
        )

    @staticmethod
    def shown(form: SpectralForm, public: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return a public map, blurred as released ones are, relative to a uniform one, of the form's cells.

        Args:
            form: of the heatmaps.
            public: coefficients in steps, shape (K,).
        """
        shown = rendered(public / GRID * form.band.attenuation, form.band, form.places())
        return np.maximum(shown, 0.0, out=shown)

    def prior(self, public: NDArray[np.integer], belief: Array) -> LogPrior:
        """Return what the map of a stimulus is expected to be.

        Args:
            public: coefficients of its public map in steps, shape (K,).
            belief: weight and spread.
        """
        return self._belief.prior(public, *map(float, belief))

    def _fitted(self, _index: Index, noisy: Array, normalization: Array, public: Array) -> Array:
        unit = self.form.steps()[self._belief.low]
        units = (unit * mean for mean in normalization[:, 0].astype(np.float64))
        densities = (
            (one / unit, (self.deviation / unit) ** 2) for one, unit in zip(noisy, units, strict=True)
        )
        return np.array(self._belief.fitted(densities, public))


@lru_cache(maxsize=4)
def _belief_of(blurs: tuple[float, ...]) -> MapBelief:
    """Public, and asked for by every map of an output."""
    return MapBelief(band(blurs, CUTOFF))
