"""Scanpaths with plausible deniability: records of trials. Claim: `records.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.data.losses import Loss, Reason
from synthrelease.kinds.counted_rows import durations_us
from synthrelease.kinds.records import scanpath_words
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public_scanpaths import ScanpathRecordsParameters


@dataclass(frozen=True, kw_only=True)
class ScanpathRecords(SyntheticRecords):
    """Records of trials, which are published as scanpaths."""

    parameters: ScanpathRecordsParameters
    duration_unit: str  # of the input

    @property
    def row_bytes(self) -> int:
        """How much memory each row of a part takes while trials are coded."""
        return 120 + 16 * len(self.parameters.attributes)

    def table(self, data: GazeData) -> FeatureData:
        """Return a row for each trial, with the numbers of its categories."""
        p = self.parameters
        codes, person = p.tokens.coded(data, durations_us(data, self.duration_unit) / 1000)
        return FeatureData(
            features=(),
            bounds=np.zeros((0, 2)),
            recordings=data.stimuli,
            people=data.people,
            person=person,
            recording=codes[:, 0],
            values=np.zeros((len(codes), 0)),
            categorical=tuple(attribute.name for attribute in p.attributes),
            labels=codes,
            identities=data.identities,
        )

    def losses(self, data: GazeData) -> tuple[Loss, ...]:
        """Return how many fixations come after the last one that counts, or take no time."""
        codes = self.table(data).labels
        m = self.parameters.tokens.fixations
        counted = int((codes[:, 1 : m + 1] < self.parameters.tokens.cells).sum())
        rows = len(data.person)
        return (
            Loss(
                rows - counted, rows, f"come after the first {m} of a trial, or take no time", Reason.CHOSEN
            ),
        )

    def _expected_records(self) -> str:
        return f"{super()._expected_records()}; {scanpath_words.expectation(self.parameters)}"
