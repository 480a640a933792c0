"""Generative models of records: keep the first attributes of a seed, draw the rest.

The attributes stand in a public order σ. Of a seed the first m − ω are kept and the last ω are drawn, ω ≥ 1
fixed or uniform on a public set Ω (Bindschaedler et al. 2017, section 3.2). With ω = m nothing of the seed
is left: that is the marginals model of David-John et al. 2022.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.records.public import DP, RecordsParameters

Number = TypeVar("Number", bound=np.integer[Any])
_BITS = 62  # of the integers that categories are drawn with: a probability is met within 2⁻⁶²
_BLOCK = 1 << 15  # candidates drawn at once


class Model(Protocol):
    """What the deniability test must know of a model."""

    @property
    def order(self) -> tuple[int, ...]:
        """σ: the attributes, first kept to last drawn."""
        ...

    @property
    def resampled(self) -> tuple[int, ...]:
        """Ω: the allowed numbers of drawn attributes."""
        ...

    def log_conditional(self, candidates: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the log-probability of each attribute of each candidate given its parents in the candidate, shape (C, m)."""
        ...


class SeededModel:
    """Attributes drawn one after the other, each given its parents, after a kept prefix of the seed.

    Attributes:
        marginals: of every attribute the probabilities of its categories; given parents, a table with an axis for
            each parent before that of the attribute.
        order: σ, a permutation of the attributes.
        resampled: Ω, sorted numbers of drawn attributes, each 1 … m.
        parents: of every attribute those it depends on, which stand before it in σ.

    Raises:
        ValueError: an argument has no meaning; ω = 0 would publish the seed.
    """

    def __init__(
        self,
        marginals: Sequence[Sequence[float] | NDArray[np.float64]],
        order: Sequence[int],
        resampled: Sequence[int],
        parents: Sequence[Sequence[int]] | None = None,
    ) -> None:
        self.marginals = tuple(np.asarray(p, dtype=np.float64) for p in marginals)
        self.order = tuple(int(a) for a in order)
        self.resampled = tuple(sorted({int(w) for w in resampled}))
        m = len(self.marginals)
        self.parents = tuple(tuple(int(b) for b in numbers) for numbers in parents or [()] * m)
        if sorted(self.order) != list(range(m)):
            raise ValueError(f"Expected order to be a permutation of 0 … {m - 1}, found {self.order}")
        if not self.resampled or self.resampled[0] < 1 or self.resampled[-1] > m:
            raise ValueError(f"Expected resampled within 1 … {m}, found {self.resampled}")
        if len(self.parents) != m:
            raise ValueError(f"Expected the parents of {m} attributes, found those of {len(self.parents)}")
        for position, a in enumerate(self.order):
            _check_table(a, self.marginals, self.parents[a], self.order[:position])
        with np.errstate(divide="ignore"):
            self._logs = [np.log(p) for p in self.marginals]
        self._limits = [_integer_limits(p) for p in self.marginals]

    @property
    def whole(self) -> SeededModel:
        """The same distribution of whole records: nothing is kept of a seed."""
        return SeededModel(self.marginals, self.order, (len(self.order),), self.parents)

    def log_conditional(self, candidates: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return ln Pr of each attribute of each candidate, shape (C, m); −∞ where the category never occurs."""
        out = np.empty(candidates.shape, order="F")  # by attribute, as it is filled and added up
        for a, logs in enumerate(self._logs):
            out[:, a] = logs[(*(candidates[:, b] for b in self.parents[a]), candidates[:, a])]
        return out

    def sample(self, seeds: NDArray[Number], random: SecureRandom) -> NDArray[Number]:
        """Return one candidate for each seed, shape (C, m), of the seeds' type, ω drawn anew for each."""
        candidates = seeds.copy()
        m = len(self.order)
        for start in range(0, len(candidates), _BLOCK):
            block = candidates[start : start + _BLOCK]
            omega = np.asarray(self.resampled)[random.integers(len(self.resampled), len(block))]
            for position, a in enumerate(self.order):
                drawn = np.flatnonzero(position >= m - omega)
                parent_values = tuple(block[drawn, b] for b in self.parents[a])
                words = (random.words(drawn.size) >> np.uint64(64 - _BITS)).astype(np.int64)
                block[drawn, a] = _drawn(self._limits[a], parent_values, words)
        return candidates

    def given(self, conditions: Mapping[int, int]) -> SeededModel:
        """Return the model of whole records under the condition that some attributes have given categories.

        Exact: probabilities of the conditions are passed from children to parents. Draw from it with any seeds, of which
        nothing is kept.

        Args:
            conditions: category by attribute number.

        Raises:
            ValueError: there is no such attribute or category; the conditions cannot occur; or parents of an attribute
                do not depend on each other, so that the conditional distribution would need other parents.
        """
        tables = list(self.marginals)
        for a, category in conditions.items():
            if not (0 <= a < len(tables) and 0 <= category < tables[a].shape[-1]):
                raise ValueError(f"Expected attributes and categories of the model, found {a}: {category}")
        for a in reversed(self.order):
            if a in conditions:
                possible = np.zeros(tables[a].shape[-1])
                possible[conditions[a]] = 1.0
                tables[a] = tables[a] * possible
            weight = tables[a].sum(axis=-1, keepdims=True)
            # Where the conditions cannot be met, the record will not come.
            tables[a] = np.divide(tables[a], weight, out=self.marginals[a].copy(), where=weight > 0)
            self._tell_parents(tables, a, weight[..., 0])
        return SeededModel(tables, self.order, (len(self.order),), self.parents)

    def _tell_parents(self, tables: list[NDArray[np.float64]], a: int, weight: NDArray[np.float64]) -> None:
        """Multiply how well each configuration of a's parents meets the conditions into the last parent's table."""
        if not self.parents[a]:
            if weight == 0:
                raise ValueError("the conditions cannot occur in this model")
            return
        last = max(self.parents[a], key=self.order.index)
        axes = (*self.parents[last], last)
        if not set(self.parents[a]) <= set(axes):
            raise ValueError(f"the parents {self.parents[a]} of attribute {a} do not depend on each other")
        weight = np.transpose(weight, np.argsort([axes.index(b) for b in self.parents[a]]))
        shape = [
            size if b in self.parents[a] else 1 for b, size in zip(axes, tables[last].shape, strict=True)
        ]
        tables[last] = tables[last] * weight.reshape(shape)


def _check_table(
    a: int, tables: Sequence[NDArray[np.float64]], parents: Sequence[int], before: Sequence[int]
) -> None:
    if not set(parents) <= set(before) or len(set(parents)) != len(parents):
        raise ValueError(
            f"Expected the parents of attribute {a} once each, before it in order, found {parents}"
        )
    if tables[a].shape[:-1] != tuple(tables[b].shape[-1] for b in parents):
        raise ValueError(f"Expected marginals[{a}] to have an axis for each parent's categories")
    if (tables[a] < 0).any() or not (np.abs(tables[a].sum(axis=-1) - 1.0) < 1e-9).all():
        raise ValueError(f"Expected marginals[{a}] to be probabilities that sum to 1")


def _integer_limits(p: NDArray[np.float64]) -> NDArray[np.int64]:
    """Where each category ends if 0 … 2⁶² − 1 is divided in proportion; what layers leave over, the likeliest gets."""
    shares = (p / p.sum(axis=-1, keepdims=True) * 2.0**_BITS).astype(np.int64)
    likeliest = np.argmax(shares, axis=-1, keepdims=True)
    left_over = 2**_BITS - shares.sum(axis=-1, keepdims=True)
    np.put_along_axis(shares, likeliest, np.take_along_axis(shares, likeliest, -1) + left_over, -1)
    limits: NDArray[np.int64] = np.cumsum(shares, axis=-1)
    return limits


def _drawn(
    limits: NDArray[np.int64], parent_values: tuple[NDArray[np.integer], ...], words: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many limits of its row each word reaches: by bisection, all words at once."""
    size = limits.shape[-1]
    category = np.zeros(len(words), dtype=np.int64)
    step = 1 << (size - 1).bit_length()
    while step := step >> 1:
        next_category = np.minimum(category + step, size - 1)
        reached = words >= limits[(*parent_values, next_category - 1)]
        category = np.where(reached, next_category, category)
    return category


def released_model(
    parameters: RecordsParameters, event: Event, arrays: Mapping[str, NDArray[Any]]
) -> SeededModel | None:
    """Return the model that records were drawn from, of the noisy joint counts of a release, integers, of the attributes' shapes; None if they are not in it."""
    if parameters.fit != DP:
        return None
    counts = {path: arrays[path] for path in map(parameters.counts_path, parameters.subsets)}
    network = parameters.network(counts, event)
    return SeededModel(network.tables, network.order, list(parameters.resampled), network.parents)
