"""Synthetic scanpaths: the datasets of a release, and what they follow from (`scanpaths.proof.md`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, cast

import numpy as np

from synthrelease.kinds.dataset import INTEGERS, ITERATED, Array, Axis, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.heatmap.public_maps import BELIEF, PUBLIC_MAP, Believed
from synthrelease.kinds.normalization import PATH as NORMALIZATION
from synthrelease.kinds.scanpath_form import scanpaths_dataset
from synthrelease.kinds.scanpaths.blocks import BLOCKS, CLASSES
from synthrelease.kinds.scanpaths.chain_fits import (
    ASKED,
    CHAIN,
    DENSITY,
    DRAWN_BY,
    FIRST,
    fitted_first_order,
    fitted_tables,
    released_tables,
)
from synthrelease.kinds.scanpaths.densities import Learnt, learnt_of_all
from synthrelease.kinds.scanpaths.dynamics import LENGTH, DynamicsRound
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.sampler import LOG_STEPS
from synthrelease.numerics.array_key import ArrayKey

if TYPE_CHECKING:
    from synthrelease.dp.event import Event
    from synthrelease.kinds.scanpaths.public import ScanpathParameters

NOISY_MAPS, NOISY_DYNAMICS = "noisy", "dynamics/noisy"
_DOUBLINGS = np.array([1 / LOG_STEPS])  # steps of what weights are stated in
_CHAIN_QUANTITY = "logarithm of the weight, base 2, relative to the largest"


def datasets_of(parameters: ScanpathParameters, deviation: float, event: Event) -> Iterator[Dataset]:
    """Yield the datasets of a release, sources before what follows from them.

    Args:
        parameters: of the output.
        deviation: of the noise, in grid units.
        event: what was done.
    """
    return _Datasets(parameters, deviation).all_of(event)


@lru_cache(maxsize=2)
def _learnt(second: DynamicsRound, flat: float, noisy: ArrayKey) -> dict[str, Learnt]:
    """Once for the same sums: several datasets follow from them."""
    expected = dynamics_prior(flat).means
    means, variance = second.means(noisy.array, expected)
    return learnt_of_all(means, variance, expected)


@dataclass(frozen=True)
class _Datasets:
    p: ScanpathParameters
    deviation: float

    def all_of(self, event: Event) -> Iterator[Dataset]:
        yield from self.p.of_maps.datasets(event)
        yield self._density()
        number = Axis("number", range(LENGTH), words="Number of the mean; the first is the constant.")
        yield Dataset(NOISY_DYNAMICS, (number,), Role.NOISY, INTEGERS, quantity="noisy sums in grid units")
        yield from self._distributions()
        yield from self._first_order()
        yield from self._chain()
        yield self._scanpaths()

    @property
    def _cells(self) -> tuple[Axis, Axis]:
        """The middles of the cells that fixations are drawn on, in pixels."""
        y, x = (
            (np.arange(cells) + 0.5) * (side / cells)
            for cells, side in (
                (self.p.geometry.rows, self.p.screen.height_px),
                (self.p.geometry.columns, self.p.screen.width_px),
            )
        )
        return (
            Axis("cell_y_px", y, "px", words="Middle of the cell, from the top of the screen."),
            Axis("cell_x_px", x, "px", words="Middle of the cell, from the left of the screen."),
        )

    def _density(self) -> Dataset:
        sources = [DerivedFrom(NOISY_MAPS), DerivedFrom(NORMALIZATION)]
        if self.p.maps is not None:
            sources += [DerivedFrom(PUBLIC_MAP), DerivedFrom(BELIEF, whole=True)]
        return Dataset(
            DENSITY,
            (self.p.stimulus, *self._cells),
            Role.MODEL,
            quantity="probability that a fixation is in the cell",
            items=1,
            sources=tuple(sources),
            derive=self._cell_density,
            care=ITERATED,
        )

    def _cell_density(self, _index: Index, noisy: Array, moments: Array, *public: Array) -> Array:
        form = self.p.of_maps.form
        prior = Believed(form, self.deviation).prior(*public) if public else None
        cells = self.p.geometry.rows, self.p.geometry.columns
        normalization = float(moments[0])
        return form.probabilities(
            noisy, cells, normalization=normalization, deviation=self.deviation, prior=prior
        )

    def _block_axes(self, name: str) -> tuple[Axis, ...]:
        """The axes of a block's density: middles of bins, as values of its coordinates."""
        (block,) = (block for block in BLOCKS if block.name == name)
        known = self.p.dynamics_prior.coordinates
        axes = [
            Axis(
                coordinate,
                known[coordinate].values((np.arange(cells) + 0.5) / cells),
                path=f"{name}/{coordinate}",
            )
            for coordinate, cells in zip(block.coordinates, block.cells, strict=True)
        ]
        if block.classes > 1:
            first = Axis(
                "first_fixation", CLASSES, path=f"{name}/first_fixation", words="First fixation of the class."
            )
            return first, *axes
        return tuple(axes)

    def _distributions(self) -> Iterator[Dataset]:
        """Densities of the blocks over bins of their coordinates, and how much of each was learnt."""
        source = (DerivedFrom(NOISY_DYNAMICS, whole=True),)
        for block in BLOCKS:
            yield Dataset(
                f"{block.name}/density",
                self._block_axes(block.name),
                Role.MODEL,
                quantity="probability",
                sources=source,
                derive=partial(self._learnt_density, block.name),
                care=ITERATED,
            )
        names = Axis("block", [block.name for block in BLOCKS], words="What was learnt.")
        yield Dataset(
            "learnt",
            (names,),
            Role.MODEL,
            quantity="share of what is unknown without data that was learnt",
            sources=source,
            derive=lambda _index, noisy: np.array([one.share for one in self._learnt(noisy).values()]),
            care=ITERATED,
        )

    def _learnt(self, noisy: Array) -> dict[str, Learnt]:
        return _learnt(self.p.second_round(self.deviation), self.p.prior_flat, ArrayKey(noisy))

    def _learnt_density(self, name: str, _index: Index, noisy: Array) -> Array:
        shape = tuple(len(axis) for axis in self._block_axes(name))
        return self._learnt(noisy)[name].density.reshape(shape)

    def _first_order(self) -> Iterator[Dataset]:
        """The gravity model of maps and saccades, before turns and order are corrected for."""
        sources = DerivedFrom(DENSITY, whole=True), DerivedFrom("saccades/density", whole=True)
        for path, axes, part in (
            (FIRST[0], self._block_axes("saccades"), "kernel"),
            (FIRST[1], (self.p.stimulus, *self._cells), "attraction"),
        ):
            yield Dataset(
                path,
                axes,
                Role.MODEL,
                quantity=_CHAIN_QUANTITY,
                sources=sources,
                derive=partial(self._first_order_part, part, tuple(map(len, axes))),
                steps=_DOUBLINGS,
                care=1e-6,
            )

    def _first_order_part(
        self, part: str, shape: tuple[int, ...], _index: Index, density: Array, saccades: Array
    ) -> Array:
        first = fitted_first_order(self.p.shown, density, saccades)
        return np.asarray(getattr(first, part)).reshape(shape) / LOG_STEPS

    def _chain(self) -> Iterator[Dataset]:
        """What scanpaths are drawn by."""
        stimuli = self.p.stimulus, *self._cells
        by_path = dict(
            zip(
                CHAIN,
                (
                    stimuli,
                    self._block_axes("saccades"),
                    stimuli,
                    self._block_axes("turns"),
                    self._block_axes("order"),
                ),
                strict=True,
            )
        )
        for path, axes in by_path.items():
            yield Dataset(
                path,
                axes,
                Role.MODEL,
                quantity=_CHAIN_QUANTITY,
                sources=tuple(DerivedFrom(source, whole=True) for source in ASKED),
                derive=partial(self._chain_part, path.partition("/")[2], tuple(map(len, axes))),
                steps=_DOUBLINGS,
                care=ITERATED,
            )

    def _chain_part(self, part: str, shape: tuple[int, ...], _index: Index, *sources: Array) -> Array:
        tables = fitted_tables(self.p.shown, dict(zip(ASKED, sources, strict=True)))
        return np.asarray(getattr(tables, part)).reshape(shape) / LOG_STEPS

    def _scanpaths(self) -> Dataset:
        return scanpaths_dataset(
            self.p.stimulus,
            scanpaths=self.p.scanpaths,
            most=self.p.shown.trial_form.most,
            sources=DRAWN_BY,
            derive=self._drawn,
        )

    def _drawn(self, index: Index, *sources: Array) -> Array:
        stimulus, rows = index[0], index[-1]
        assert isinstance(rows, slice)
        start, stop, _ = rows.indices(self.p.scanpaths)
        model = released_tables(self.p.shown, dict(zip(DRAWN_BY, sources, strict=True)))
        return model.numbered(cast("int", stimulus), start, stop, seed=self.p.sampling_seed)
