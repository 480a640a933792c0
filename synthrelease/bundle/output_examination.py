"""Examining one output of a bundle: its values, read once and by blocks, and what they are said to be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from synthrelease.bundle import output_claims
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.items import Item, StoredOutput
from synthrelease.bundle.layout import ValuesDigest
from synthrelease.bundle.plausibility import IntegerTally, too_large, too_many, too_quiet
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile, Stream
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.dataset import Array, Axis, DerivedFrom, Index, Role
from synthrelease.kinds.derived_items import DerivedItems
from synthrelease.parallel import Progress

_BLOCK_BYTES = 1 << 20  # of rows at a time
_COORDINATES = 1 << 17  # of an axis at a time
_Key = tuple[str, tuple[int, ...]]  # path of an item's dataset, and the item's index


class DatasetReader:
    """Reads datasets once, some values at a time, and computes their digests on the way.

    Args:
        file: of the datasets.
        progress: called with the bytes that were read.
    """

    def __init__(self, file: BundleFile, progress: Progress | None = None) -> None:
        self.file = file
        self._streams: dict[str, Stream] = {}
        self._digests: dict[str, ValuesDigest] = {}
        self._progress, self._done = progress, 0
        self._total = sum(file.anatomy.datasets[path].logical_bytes for path in file.dataset_paths())

    def take(self, path: str, number: int) -> Array:
        """Return the next so many values of a dataset, shape (number,)."""
        if path not in self._streams:
            self._streams[path] = Stream(self._counted(path))
        return self._streams[path].take(number)

    def digest(self, path: str) -> str:
        """Return the digest of a dataset, read now as far as it was not read before."""
        self.take(path, math.prod(self.file.anatomy.datasets[path].shape))
        return self._digests[path].hexdigest()

    def reread(self, path: str) -> Stream:
        """Return the values of a dataset once more, from its beginning on."""
        return Stream(self.file.pieces(path))

    def _counted(self, path: str) -> Iterator[Array]:
        form = self.file.anatomy.datasets[path]
        self._digests[path] = ValuesDigest(form.dtype, form.shape)
        for piece in self.file.pieces(path):
            self._digests[path].add(piece)
            self._done += piece.nbytes
            if self._progress is not None:
                self._progress("checking the values", self._done, self._total)
            yield piece


def stated_faults(
    file: BundleFile, output: dict[str, Any], stored: StoredOutput, where: str, neighbours: Neighbours
) -> Iterator[Finding]:
    """Yield where an output's statements do not agree with each other, or with its datasets' forms: nothing is derived from integers that cannot be what is claimed.

    Args:
        file: which has all datasets that the output calls for.
        output: entry of the manifest.
        stored: what it calls for.
        where: the entry's place.
        neighbours: the release's relation.
    """
    if output["paths"] != sorted(dataset.path for dataset in stored.hdf5_datasets):
        yield Finding("unlisted", where, "the paths are not those that the parameters call for")
    forms = [
        Finding("derived", dataset.path, fault)
        for dataset in stored.hdf5_datasets
        if (fault := dataset.fault(file.anatomy.datasets[dataset.path].form)) is not None
    ]
    yield from forms
    if not forms:
        integers = sum(dataset.size for dataset in stored.datasets if dataset.role is Role.NOISY)
        for code, fault in output_claims.event_faults(output, neighbours=neighbours, integers=integers):
            yield Finding(code, where, fault)


class OutputExamination:
    """The examination of one output, item by item: each is read once, and nothing is kept longer than it is needed.

    Args:
        reader: of the file's datasets.
        stored: what the output calls for.
        where: the place of its entry in the manifest.
    """

    def __init__(self, reader: DatasetReader, stored: StoredOutput, where: str) -> None:
        self._reader, self._stored, self._where = reader, stored, where
        self._items = stored.items()
        self._parameters, self._event = stored.parameters, stored.event
        self._high_frequencies = self._parameters.high_frequencies()
        self._values: dict[_Key, Array] = {}  # as long as they are needed
        self._paths = {(item.dataset.path, item.index): item.path for item in self._items}
        self._second_reads: dict[tuple[str, str], Stream] = {}  # by who reads what
        self._gathered: dict[DerivedFrom, list[Array]] = {
            source: [] for item in self._items for source in item.dataset.sources if source.whole
        }
        self._whole_sources: dict[DerivedFrom, Array] = {}
        self._derived = DerivedItems()
        self._all_integers, self._high_integers = IntegerTally(), IntegerTally()
        is_public = self._parameters.people is not None
        self._counts = [(one, IntegerTally()) for one in self._parameters.counts() if is_public]

    def faults(self) -> Iterator[Finding]:
        """Yield what is wrong with the values of an output in which `stated_faults` finds nothing."""
        computed = list(self._parameters.computed_faults(events.noise_of(self._event)))
        for code, fault in computed:
            yield Finding(code, self._where, fault)
        if not computed:
            yield from list(self._coordinate_faults()) or self._value_faults()

    def _coordinate_faults(self) -> Iterator[Finding]:
        for dataset in self._stored.hdf5_datasets:
            if dataset.axis is not None and not self._are_coordinates(dataset.path, dataset.axis):
                fault = "the coordinates are not those that the parameters call for"
                yield Finding("derived", dataset.path, fault)

    def _are_coordinates(self, path: str, axis: Axis) -> bool:
        """Whether a dataset has the values of an axis, byte for byte."""
        for start in range(0, len(axis), _COORDINATES):
            expected = axis.part(start, start + _COORDINATES)
            if self._reader.take(path, len(expected)).tobytes() != expected.tobytes():
                return False
        return True

    def _value_faults(self) -> Iterator[Finding]:
        derived: list[Finding] = []
        last_uses = self._last_uses()
        for number, item in enumerate(self._items):
            dataset = item.dataset
            if derived and dataset.role is not Role.NOISY:
                continue  # one fault is enough; but the integers are judged all together
            fault = self._fault(item, keep=(dataset.path, item.index) in last_uses)
            if fault is not None:
                derived.append(Finding("derived", item.path, fault))
            for key in [(source.path, item.index) for source in dataset.sources if not source.whole]:
                if last_uses.get(key) == number:
                    self._values.pop(key, None)
        yield from list(self._noise_faults()) or derived or self._joint_faults()

    def _last_uses(self) -> dict[_Key, int]:
        """By item whose values are kept, the number of the last item that needs them. Integers of each person are many: they are read twice."""
        last_uses: dict[_Key, int] = {}
        for number, item in enumerate(self._items):
            if item.dataset.path in self._parameters.judged_together:
                last_uses[item.dataset.path, item.index] = len(self._items)  # after all items
            if item.dataset.by_rows:
                continue
            for source in item.dataset.sources:
                if not source.whole:
                    key = source.path, item.index
                    last_uses[key] = max(number, last_uses.get(key, 0))
        return last_uses

    def _fault(self, item: Item, *, keep: bool) -> str | None:
        """Read an item and return the first fault of its values."""
        fault, blocks, dataset = None, [], item.dataset
        for index, values in self._blocks(item):
            if dataset.role is Role.NOISY:
                self._count(dataset.path, values)
            self._gather(dataset.path, values)
            if keep:
                blocks.append(values)
            if fault is None:
                fault = dataset.fault(values, self._exact(item, index, values))
        if keep:
            self._values[dataset.path, item.index] = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        return fault

    def _blocks(self, item: Item) -> Iterator[tuple[Index, Array]]:
        """Yield the item's values; of one that may be large, some rows at a time."""
        shape = item.dataset.item_shape
        if not item.dataset.by_rows:
            yield item.index, self._reader.take(item.path, math.prod(shape)).reshape(shape)
            return
        row_size = math.prod(shape[1:])
        rows_per_block = max(1, _BLOCK_BYTES // (row_size * item.dataset.itemsize))
        for start in range(0, shape[0], rows_per_block):
            rows = self._reader.take(item.path, min(rows_per_block, shape[0] - start) * row_size).reshape(
                -1, *shape[1:]
            )
            yield (*item.index, slice(start, start + len(rows))), rows

    def _exact(self, item: Item, index: Index, values: Array) -> Array | None:
        """What an item, or as many of its rows as there are values, should be; None of what follows from nothing."""
        dataset = item.dataset
        if dataset.derive is None:
            return None
        if dataset.by_rows:
            return self._derived.of(dataset, index, lambda _: self._sources_of_rows(item, len(values)))
        return self._derived.of(
            dataset,
            index,
            lambda at: [
                self._whole(one) if one.whole else self._values[one.path, at] for one in dataset.sources
            ],
        )

    def _sources_of_rows(self, item: Item, rows: int) -> list[Array]:
        """What the next rows of an item follow from."""
        sources = []
        for source in item.dataset.sources:
            if source.whole:
                sources.append(self._whole(source))
                continue
            path = self._paths[source.path, item.index]
            if (item.path, path) not in self._second_reads:
                self._second_reads[item.path, path] = self._reader.reread(path)
            row_shape = self._stored.dataset(source.path).item_shape[1:]
            values = self._second_reads[item.path, path].take(rows * math.prod(row_shape))
            sources.append(values.reshape(-1, *row_shape))
        return sources

    def _gather(self, path: str, values: Array) -> None:
        """Keep what a dataset that follows from all items needs of this one."""
        for source, parts in self._gathered.items():
            if source.path == path:
                parts.append(values if source.part is None else source.part(values))

    def _whole(self, source: DerivedFrom) -> Array:
        if source not in self._whole_sources:
            whole = np.array(self._gathered[source])
            is_all = source.part is None
            shape = self._stored.dataset(source.path).shape if is_all else whole.shape
            self._whole_sources[source] = whole.reshape(shape)
        return self._whole_sources[source]

    def _count(self, path: str, integers: Array) -> None:
        self._all_integers.add(integers)
        for counts, tally in self._counts:
            if counts.path == path:
                tally.add(integers[..., counts.part])
        if self._high_frequencies is not None:
            self._high_integers.add(integers[..., self._high_frequencies])

    def _noise_faults(self) -> Iterator[Finding]:
        """Where the integers cannot carry the noise, or hold the counts, that are claimed."""
        for leaf in events.flatten(self._event):
            if not isinstance(leaf, events.Noise):
                continue
            if too_quiet(self._all_integers, leaf) or too_quiet(self._high_integers, leaf):
                message = "the integers are too small to carry noise of the stated scale"
                yield Finding("noise", self._where, message)
            each = self._parameters.most_counts(self._event)
            if (each is not None and too_large(self._all_integers, leaf, most_each=each)) or any(
                too_many(tally, leaf, most=counts.most) for counts, tally in self._counts
            ):
                message = "the values are more than the stated bounds allow all participants together"
                yield Finding("sensitivity", self._where, message)

    def _joint_faults(self) -> Iterator[Finding]:
        """Where values that are judged together do not belong together."""
        if self._parameters.judged_together:
            arrays = {path: values for (path, _), values in self._values.items()}
            fault = self._parameters.values_fault(arrays, self._event)
            if fault is not None:
                yield Finding("derived", self._where, fault)
