"""Signals as Bozkir et al. 2021 publish them. Unprotected: `bozkir2021.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.kinds.contributions import PersonRows
from synthrelease.kinds.measured import measured_values
from synthrelease.kinds.mechanism import Drawn, Mechanism
from synthrelease.kinds.signals.bozkir2021 import PaperParameters, perturbed
from synthrelease.kinds.signals.completed_series import completed_series
from synthrelease.kinds.signals.public_bozkir2021 import PublishedParameters
from synthrelease.kinds.signals.public_series import BOZKIR2021_EVENT
from synthrelease.numerics.stored import stored


@dataclass(frozen=True, kw_only=True)
class PublishedSignals(Mechanism[PublishedParameters]):
    """Each person's series with the paper's noise."""

    paper: PaperParameters

    def calibrate(self, budget: Budget | None) -> Event:  # noqa: ARG002  it keeps to none
        """Return that nothing is protected."""
        return BOZKIR2021_EVENT

    def collect(self, data: FeatureData) -> PersonRows:
        """Return people's series."""
        p = self.parameters
        return _of_people(data.only(p.feature_names), length=p.length, completion=p.completion)

    def measured(self, data: FeatureData) -> dict[str, int]:
        """Return how many values of each feature are of any use."""
        return measured_values(data, self.parameters.feature_names)

    def draw(self, collected: PersonRows, budget: Budget | None, random: SecureRandom) -> Drawn:  # noqa: ARG002
        """Run the mechanism, recording by recording; the series of people in random order."""
        series, p = collected.shuffled(random), self.parameters
        values = np.empty((len(p.recordings), len(p.features), len(series), p.length), dtype=np.float32)
        for r, recording in enumerate(p.recordings):
            noisy = perturbed(series[:, r], self.paper, random=random.spawn(recording)).values[0]
            for f in range(len(p.features)):
                values[r, f] = stored(noisy[:, f])
        return Drawn({"values": values}, BOZKIR2021_EVENT, p)

    def prediction(
        self,
        event: Event,  # noqa: ARG002  for others
        budget: Budget | None,  # noqa: ARG002
        people: int | None,  # noqa: ARG002
    ) -> tuple[str, str]:
        """Return that nothing can be expected beforehand."""
        return (
            "not known beforehand: noise and coefficients are taken from the data",
            "no number of participants makes it private",
        )


def _of_people(data: FeatureData, *, length: int, completion: str) -> PersonRows:
    """Each person's series, shape (people, recordings, features, n); of who has none, the centre of the bounds."""
    recordings = len(data.recordings)
    group, completed, _ = completed_series(data, length, completion=completion)
    series = np.tile(data.bounds.mean(axis=1), (data.people * recordings, length, 1))
    series[group] = completed
    whole = np.moveaxis(series.reshape(data.people, recordings, length, len(data.bounds)), 2, 3)
    return PersonRows.of(whole)
