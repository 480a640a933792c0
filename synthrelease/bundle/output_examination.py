"""Examining one output of a bundle: its values, read once and by blocks, and what they are said to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import claims
from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.items import Item
from synthrelease.bundle.layout import ValuesDigest
from synthrelease.bundle.plausibility import Tally, too_large, too_many, too_quiet
from synthrelease.kinds.dataset import Array, Index, Role, Source
from synthrelease.kinds.registry import parameters_of
from synthrelease.parallel import Progress
from synthrelease.privacy import event as events
from synthrelease.privacy.guarantee import Neighbours


class Reader:
    """Reads datasets once, by blocks of rows, and computes their digests on the way.

    Attributes:
        file: of the datasets.
        order: which dataset will be read after which.

    Args:
        file: of the datasets.
        progress: told of the bytes that were read.
    """

    def __init__(self, file: BundleFile, progress: Progress | None = None) -> None:
        self.file = file
        self.order: dict[str, str] = {}
        self._digests: dict[str, str] = {}
        self._progress, self._done = progress, 0
        self._total = sum(file.anatomy.datasets[path].logical_bytes for path in file.dataset_paths())

    def blocks(self, path: str, *, whole: bool) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the number of the first row and rows: all at once, or some at a time."""
        dataset = self.file.anatomy.datasets[path]
        state, start = ValuesDigest(dataset.dtype, dataset.shape), 0
        then = self.order.get(path)
        for block in [self.file.array(path, then=then)] if whole else self.file.blocks(path, then=then):
            state.add(block)
            yield start, block
            start += len(block)
            self._done += block.nbytes
            if self._progress is not None:
                self._progress("checking the values", self._done, self._total)
        self._digests[path] = state.hexdigest()

    def digest(self, path: str) -> str:
        """Return the digest of a dataset, read now if it was not read to its end before."""
        if path not in self._digests:
            for _ in self.blocks(path, whole=False):
                pass
        return self._digests[path]

    def rows(self, path: str) -> Callable[[int], NDArray[Any]]:
        """Return a function that gives the next so many rows of a dataset, from its beginning on."""
        blocks, left = self.file.blocks(path), np.empty(0)

        def more(rows: int) -> NDArray[Any]:
            nonlocal left
            pieces = []
            while rows:
                if not len(left):
                    left = next(blocks)
                pieces.append(left[:rows])
                left, rows = left[rows:], rows - len(pieces[-1])
            return np.concatenate(pieces)

        return more


class OutputExamination:
    """The examination of one output, item by item: each is read once, and nothing is kept longer than it is needed.

    Args:
        read: reads them.
        output: entry of the manifest.
        items: what it calls for, in the order in which they are read.
        where: the entry's place.
        neighbours: the release's relation.
    """

    def __init__(
        self, read: Reader, output: dict[str, Any], items: Sequence[Item], where: str, neighbours: Neighbours
    ) -> None:
        self._read, self._output, self._items, self._where = read, output, items, where
        self._neighbours = neighbours
        self._parameters = parameters_of(output)
        self._event = events.from_json(output["event"])
        self._high = self._parameters.high_frequencies()
        self._kept: dict[tuple[str, tuple[int, ...]], Array] = {}
        self._paths = {(item.dataset.path, item.index): item.path for item in items}
        self._gathered: dict[Source, list[Array]] = {
            source: [] for item in items for source in item.dataset.sources if source.whole
        }
        self._wholes: dict[Source, Array] = {}
        self._all, self._quietest = Tally(), Tally()

    def faults(self) -> Iterator[Finding]:
        """Yield what is wrong with the output."""
        if self._output["paths"] != sorted(item.path for item in self._items):
            yield Finding("unlisted", self._where, "the paths are not those that the parameters call for")
        # What needs no values first: only if integers can be what is claimed is it worth to derive anything.
        yield from list(self._form_faults()) or list(self._event_faults()) or self._value_faults()

    def _form_faults(self) -> Iterator[Finding]:
        for item in self._items:
            stored = self._read.file.anatomy.datasets[item.path]
            fault = item.form_fault(stored.dtype, stored.shape)
            if fault is not None:
                yield Finding("derived", item.path, fault)

    def _event_faults(self) -> Iterator[Finding]:
        """Where event and parameters do not agree, or with the number of integers."""
        noisy = (math.prod(item.shape) for item in self._items if item.dataset.role is Role.NOISY)
        for code, fault in claims.event_faults(
            self._output, neighbours=self._neighbours, integers=sum(noisy)
        ):
            yield Finding(code, self._where, fault)

    def _value_faults(self) -> Iterator[Finding]:
        derived: list[Finding] = []
        uses = self._uses()
        for number, item in enumerate(self._items):
            dataset = item.dataset
            if derived and dataset.role is not Role.NOISY:
                continue  # nothing is worth deriving any more, but the integers are judged all together
            fault = self._fault(item, keep=bool(uses.get((dataset.path, item.index))))
            if fault is not None:
                derived.append(Finding("derived", item.path, fault))
            for key in [(source.path, item.index) for source in dataset.sources if not source.whole]:
                if key in uses and uses[key][-1] == number:
                    self._kept.pop(key, None)
        yield from list(self._noise_faults()) or derived or self._joint_faults()

    def _uses(self) -> dict[tuple[str, tuple[int, ...]], list[int]]:
        """By item, where it is needed again as it is. Integers of each person, which are many, are rather read twice."""
        uses: dict[tuple[str, tuple[int, ...]], list[int]] = {}
        for number, item in enumerate(self._items):
            if item.dataset.path in self._parameters.judged_together:
                uses.setdefault((item.dataset.path, item.index), []).append(len(self._items))
            if item.dataset.by_rows:
                continue
            for source in item.dataset.sources:
                if not source.whole:
                    uses.setdefault((source.path, item.index), []).append(number)
        return uses

    def _fault(self, item: Item, *, keep: bool) -> str | None:
        """Read an item and return the first fault of its values."""
        fault, kept, dataset = None, [], item.dataset
        sources = [self._taker(item, source) for source in dataset.sources]
        for start, rows in self._read.blocks(item.path, whole=not dataset.by_rows):
            index: Index = item.index
            if dataset.by_rows:
                values, index = rows, (*item.index, slice(start, start + len(rows)))
            else:
                values = rows.reshape(dataset.item_shape)
            if dataset.role is Role.NOISY:
                self._count(values)
            self._gather(dataset.path, values)
            if keep:
                kept.append(values)
            if fault is None:
                fault = dataset.fault(values, index, [take(len(rows)) for take in sources])
        if keep:
            self._kept[dataset.path, item.index] = kept[0] if len(kept) == 1 else np.concatenate(kept)
        return fault

    def _taker(self, item: Item, source: Source) -> Callable[[int], Array]:
        """What gives of a source what an item needs: all of it, or as many of the next rows."""
        if source.whole:
            values = self._whole(source)
            return lambda _: values
        key = source.path, item.index
        if item.dataset.by_rows:
            return self._read.rows(self._paths[key])
        return lambda _: self._kept[key]

    def _gather(self, path: str, values: Array) -> None:
        """Keep what a dataset that follows from all items needs of this one."""
        for source, parts in self._gathered.items():
            if source.path == path:
                parts.append(values if source.part is None else source.part(values))

    def _whole(self, source: Source) -> Array:
        if source not in self._wholes:
            self._wholes[source] = np.array(self._gathered[source])
        return self._wholes[source]

    def _count(self, integers: Array) -> None:
        self._all.add(integers)
        if self._high is not None:
            self._quietest.add(integers[..., self._high])

    def _noise_faults(self) -> Iterator[Finding]:
        """Where the integers cannot carry the noise, or hold the counts, that are claimed."""
        for leaf in events.flatten(self._event):
            if not isinstance(leaf, events.Noise):
                continue
            if too_quiet(self._all, leaf) or too_quiet(self._quietest, leaf):
                message = "the integers are too small to carry noise of the stated scale"
                yield Finding("noise", self._where, message)
            each, total = self._parameters.most_counts(self._event)
            if (each is not None and too_large(self._all, leaf, most_each=each)) or (
                total is not None and too_many(self._all, leaf, most=total)
            ):
                message = "the values are more than the stated bounds allow all people"
                yield Finding("sensitivity", self._where, message)

    def _joint_faults(self) -> Iterator[Finding]:
        """Where values that are judged together do not belong together."""
        if self._parameters.judged_together:
            arrays = {path: values for (path, _), values in self._kept.items()}
            fault = self._parameters.values_fault(arrays, self._event)
            if fault is not None:
                yield Finding("derived", self._where, fault)
