"""Scanpaths with plausible deniability, which are records of trials: public parameters, and what follows from them (`records.proof.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Annotated, ClassVar, cast

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.dp.deniability import is_vacuous
from synthrelease.dp.event import Event, Noise
from synthrelease.dp.guarantee import Neighbours
from synthrelease.field_schema import among, described
from synthrelease.kinds.dataset import Array, Dataset, Index
from synthrelease.kinds.parameters import Fault, public_input
from synthrelease.kinds.records import scanpath_words as words
from synthrelease.kinds.records.public import DP, EXCLUDE, PERSON, RecordsParameters, category_path
from synthrelease.kinds.records.tokens import DRAWS, Tokens
from synthrelease.kinds.scanpath_form import gaze_of_scanpaths, public_numbers, scanpaths_dataset
from synthrelease.kinds.stimuli import StimulusParameters, Viewers
from synthrelease.kinds.synthetic_gaze import SyntheticGaze
from synthrelease.numerics.network import Network, Subset
from synthrelease.numerics.sequence_network import SequenceForm, fitted_sequence
from synthrelease.remarks import Remark, remark

DENIABLE, CHAIN = "deniable", "chain"


@dataclass(frozen=True, kw_only=True)
class ScanpathRecordsParameters(RecordsParameters, StimulusParameters):
    """The public parameters of a records output of trials: the stimulus and tokens of each fixation are its attributes."""

    mechanisms: ClassVar = (DENIABLE,)
    input_kind: ClassVar = "gaze"
    listed: ClassVar = "stimuli"
    sentences: ClassVar = {**RecordsParameters.sentences, **words.SENTENCES}

    dependence: Annotated[str, described("A place depends on the one before it.", **among(CHAIN))]
    tokens: Tokens
    viewers: Viewers = public_input()  # noqa: RUF009  a field
    scanpaths: Annotated[int, described("How many there are on each stimulus.", minimum=1, maximum=100000)]
    sampling_seed: Annotated[
        int,
        described(
            "Public: places and durations are drawn with it, each within its category.",
            minimum=0,
            maximum=2**63 - 1,
        ),
    ]

    @property
    def sequence(self) -> SequenceForm:
        """The form of records as sequences."""
        return self.tokens.sequence(len(self.stimuli))

    @property
    def subsets(self) -> list[Subset]:
        """The sets of attributes that the model was counted in."""
        return self.sequence.subsets

    @property
    def kept(self) -> tuple[int, ...]:
        """Of how many first fixations the cell is kept, increasing."""
        return tuple(sorted(len(self.attributes) - 1 - omega for omega in self.resampled))

    @property
    def is_vacuous(self) -> bool:
        """Whether no candidate can fail the test, given k viewers of its stimulus: that everyone saw the stimulus distinguishes no one."""
        assert self.k is not None
        return is_vacuous(
            categories=self.categories, order=self.order[1:], resampled=self.resampled, k=self.k
        )

    @property
    def viewing(self) -> int:
        """People who saw the stimulus that fewest saw; all, where that is private."""
        return super().viewing if self.viewers is None else min(self.viewers)

    @property
    def records_of_task(self) -> int:
        """How many scanpaths there are on each stimulus."""
        return self.scanpaths

    @property
    def predicted(self) -> tuple[int, ...]:
        """The stimulus: one token of many says little by itself."""
        return (0,)

    @property
    def passes_more(self) -> str:
        """What lets more candidates pass, as a remedy."""
        return "keep fewer fixations (in tokens, `kept`: [0, 1] keeps one or none, with which some pass on nearly every stimulus), use fewer cells, or lower `k`"

    @property
    def distinguishes(self) -> str:
        """What makes a test that cannot fail one that can, as a remedy."""
        return "keep the cell of the first fixation (tokens: kept = [1]), of several cells"

    @property
    def map_scale(self) -> tuple[Screen, float | None]:
        """The screen; there is no blur."""
        return self.screen, None

    def fitted(self, counts: Mapping[Subset, Array], *, people: int | None) -> Network:
        """Return the network that joint counts call for, each of the shape of its attributes' categories; with noise, of so many people."""
        return fitted_sequence(counts, self.sequence, people=people)

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield categories of every attribute, noisy counts of a model with noise, and scanpaths."""
        yield from super().datasets(event)
        yield scanpaths_dataset(
            self.stimulus,
            scanpaths=self.scanpaths,
            most=self.tokens.fixations,
            sources=self._category_paths,
            derive=self._drawn,
        )

    def synthetic_gaze(self) -> SyntheticGaze:
        """Return where the scanpaths are, and what every file of them says."""
        caveats = tuple(self.sentence(remark(code)) for code in words.OF_TRIALS)
        return gaze_of_scanpaths(self.stimuli, self.screen, seed=self.sampling_seed, caveats=caveats)

    def dataset_count(self, event: Event) -> int:  # noqa: ARG002
        """Return how many datasets there are, with the coordinates of their axes: of records, of counts, of scanpaths."""
        attributes = len(self.attributes)
        of_counts = len(self.subsets) + attributes if self.fit == DP else 0
        return 1 + attributes + of_counts + 5

    @cached_property
    def _category_paths(self) -> tuple[str, ...]:
        return tuple(map(category_path, self.attributes))

    def _drawn(self, index: Index, *categories: Array) -> Array:
        stimulus, rows = cast("int", index[0]), index[-1]
        assert isinstance(rows, slice)
        numbers = range(*rows.indices(self.scanpaths))
        first = stimulus * self.scanpaths
        of_rows = slice(first + numbers.start, first + numbers.stop)
        codes = np.stack([values[of_rows] for values in categories], axis=1)
        m = self.tokens.fixations
        public = public_numbers(self.sampling_seed, stimulus, numbers, m * DRAWS)
        return self.tokens.scanpaths(codes, public.reshape(len(numbers), m, DRAWS), self.screen)

    @property
    def judged_together(self) -> frozenset[str]:
        """All categories."""
        return frozenset(self._category_paths)

    def values_fault(self, arrays: Mapping[str, Array], event: Event) -> str | None:  # noqa: ARG002
        """Return that records are no trials, or not as many on each stimulus in the order of stimuli, if so."""
        codes = np.stack([arrays[path] for path in self._category_paths], axis=1)
        if (codes[:, 0] != np.repeat(np.arange(len(self.stimuli)), self.scanpaths)).any():
            return "not as many records of each stimulus, in the order of stimuli"
        if not self.tokens.are_sequences(codes):
            return "a fixation after the last one, or one without a duration"
        return None

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:
        """Yield where parameters contradict each other."""
        if self.attributes != self.tokens.attributes(self.stimuli):
            yield "manifest", "the attributes are not those of the grid, the durations and the stimuli"
        ends = self.tokens.durations_ms
        if not all(low < high for low, high in pairwise(ends)):
            yield "manifest", "classes of durations do not increase"
        if self.order != tuple(range(len(self.attributes))) or not (self.task and self.per_task):
            yield "manifest", "records of trials in another order, or not with a model for each stimulus"
        if max(self.kept) > self.tokens.fixations:
            yield "manifest", "more fixations are kept than there are"
        if self.rows != self.scanpaths * len(self.stimuli):
            yield "manifest", "another number of records than of scanpaths"
        if self.threshold != "fixed" or self.counted != PERSON:
            yield "guarantee", "scanpaths are tested with a fixed threshold, counting participants"
        if self.k is not None and self.viewers is not None and self.k > min(self.viewers):
            yield "guarantee", "k plausible participants cannot be found among a stimulus's viewers"
        if self.max_stimuli_per_person != len(self.stimuli):
            yield "manifest", "participants have a trial of every stimulus that they saw, and not of fewer"
        yield from self.viewer_faults(self.viewers)
        yield from super().parameter_faults(event, noise)

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.procedure(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return words.biases(self)

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:  # noqa: ARG002
        """Return how scanpaths are to be read."""
        return [words.READING]

    def post_processing(self) -> list[Remark]:
        """Return what is done after the draw."""
        done = [remark("even-in-token")]
        if self.fit == DP:
            done.append(remark("nearest-histograms"))
        return done

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        assert self.k is not None
        assert self.gamma is not None
        remarks = [
            remark("scanpaths-not-participants"),
            remark("criterion"),
            remark("source-probability-per-stimulus", probability=self.gamma / (self.gamma + self.k - 1)),
            remark("cells-kept", kept=max(self.kept), columns=self.tokens.columns, rows=self.tokens.rows),
        ]
        if self.is_vacuous:
            remarks.append(remark("vacuous"))
        if self.viewers is None:
            remarks.append(remark("viewers-private"))
        if self.copies == EXCLUDE:
            remarks.append(remark("copies-left-out"))
        remarks.append(remark("noisy-model-with-sources" if self.fit == DP else "exact-model"))
        remarks.append(remark("trials-cut", fixations=self.tokens.fixations))
        remarks.append(remark("chained"))
        return remarks
