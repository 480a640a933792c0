"""Examining one output of a bundle: its values, read once and by blocks, and what they are said to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import claims, signal_claims
from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.content import Categories, Content, Noised
from synthrelease.bundle.contents import noised_network
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.layout import ValuesDigest
from synthrelease.bundle.plausibility import Tally, foreign_to_network, too_large, too_many, too_quiet
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
    """The examination of one output, dataset by dataset: each is read once, and nothing is held longer than it is needed.

    Args:
        read: reads them.
        output: entry of the manifest.
        expected: the datasets that it calls for.
        where: the entry's place.
        manifest: all of it.
    """

    def __init__(
        self,
        read: Reader,
        output: dict[str, Any],
        expected: list[Content],
        where: str,
        manifest: dict[str, Any],
    ) -> None:
        self._read, self._output, self._expected, self._where = read, output, expected, where
        self._manifest = manifest
        self._held: dict[str, NDArray[Any]] = {}
        self._all, self._quietest = Tally(), Tally()
        self._drawn = output["kind"] == "records" and output["mechanism"]["parameters"]["threshold"] is None

    def faults(self) -> Iterator[Finding]:
        """Yield what is wrong with the output."""
        if self._output["paths"] != sorted(content.path for content in self._expected):
            yield Finding("unlisted", self._where, "the paths are not those that the parameters call for")
        # What needs no values first: only if integers can be what is claimed is it worth to derive anything.
        yield from list(self._form_faults()) or list(self._event_faults()) or self._value_faults()

    def _form_faults(self) -> Iterator[Finding]:
        for content in self._expected:
            dataset = self._read.file.anatomy.datasets[content.path]
            fault = content.form_fault(dataset.dtype, dataset.shape)
            if fault is not None:
                yield Finding("derived", content.path, fault)

    def _event_faults(self) -> Iterator[Finding]:
        """Where event and parameters do not agree, or with the number of integers."""
        noised = (content for content in self._expected if isinstance(content, Noised))
        for code, fault in claims.event_faults(
            self._output,
            neighbours=Neighbours(self._manifest["privacy"]["neighbours"]),
            people=self._output["mechanism"]["public_inputs"]["people"],
            integers=sum(math.prod(content.shape) for content in noised),
        ):
            yield Finding(code, self._where, fault)

    def _value_faults(self) -> Iterator[Finding]:
        derived: list[Finding] = []
        last_use = {path: number for number, one in enumerate(self._expected) for path in one.needed}
        for number, content in enumerate(self._expected):
            noised = isinstance(content, Noised)
            if derived and not noised:
                continue  # nothing is worth deriving any more, but the integers are judged all together
            of_records = self._drawn and isinstance(content, Noised | Categories)
            # Integers of each person, which are many, are rather read twice.
            needed = content.path in last_use and not (noised and content.by_rows)
            fault = self._fault(content, hold=of_records or needed)
            if fault is not None:
                derived.append(Finding("derived", content.path, fault))
            if not self._drawn:
                for path in content.needed:
                    if last_use[path] == number:
                        self._held.pop(path, None)
        yield from list(self._noise_faults()) or derived or self._record_faults()

    def _fault(self, content: Content, *, hold: bool) -> str | None:
        """Read a dataset and return the first fault of its values."""
        fault, kept = None, []
        beside = {path: self._read.rows(path) for path in content.needed if path not in self._held}
        for start, rows in self._read.blocks(content.path, whole=not content.by_rows):
            if isinstance(content, Noised):
                self._count(rows)
            if hold:
                kept.append(rows)
            if fault is None:
                own = slice(start, start + len(rows)) if content.by_rows else slice(None)
                sources = {
                    path: beside[path](len(rows)) if path in beside else self._held[path][own]
                    for path in content.needed
                }
                fault = content.fault(rows, start, sources)
        if hold:
            self._held[content.path] = kept[0] if len(kept) == 1 else np.concatenate(kept)
        return fault

    def _count(self, integers: NDArray[Any]) -> None:
        self._all.add(integers)
        if self._output["kind"] == "signals":
            self._quietest.add(integers[..., self._high])

    @cached_property
    def _high(self) -> NDArray[np.bool_]:
        """What can be expected to hold little beside noise: chosen by place, never by size. Signals without noise have none."""
        return signal_claims.of_high_frequency(self._output["mechanism"])

    def _noise_faults(self) -> Iterator[Finding]:
        """Where the integers cannot carry the noise, or hold the counts, that are claimed."""
        for leaf in events.flatten(events.from_json(self._output["event"])):
            if not isinstance(leaf, events.Noise):
                continue
            if too_quiet(self._all, leaf) or too_quiet(self._quietest, leaf):
                message = "the integers are too small to carry noise of the stated scale"
                yield Finding("noise", self._where, message)
            each, total = claims.most_counts(self._output)
            if (each is not None and too_large(self._all, leaf, most_each=each)) or (
                total is not None and too_many(self._all, leaf, most=total)
            ):
                message = "the values are more than the stated bounds allow all people"
                yield Finding("sensitivity", self._where, message)

    def _record_faults(self) -> Iterator[Finding]:
        """Where records are not those of their noised counts."""
        if self._drawn:
            categories = [self._held[c.path] for c in self._expected if isinstance(c, Categories)]
            if foreign_to_network(categories, noised_network(self._output, self._held)):
                yield Finding("derived", self._where, "the records are not draws from the noised counts")
