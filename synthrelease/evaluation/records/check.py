"""The records of a bundle compared with the real rows: how many are copies, how close they come, and whether each can have passed the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import from_json
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks.nearest import nearest_distance, scaled
from synthrelease.evaluation.matched import BundleOutput
from synthrelease.evaluation.records.releases import owned_records
from synthrelease.evaluation.records.rows import Codes, Labels, Numbers, RecordRows
from synthrelease.files.labels import quoted
from synthrelease.kinds.contributions import Contribution, Rows
from synthrelease.kinds.records.candidates import RecordSet
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.model import released_model
from synthrelease.kinds.records.public import DP, EXCLUDE, PERSON, RecordsParameters
from synthrelease.number_words import percent, several

_ERROR = 1e-9  # probability that records of the model are found fault with
_LEAST_FRESH, _MOST_FRESH = 4000, 10_000  # fresh records
_MOST_PEOPLE, _MOST_ROWS = 50, 1000  # people and their rows, whose distance to other people's is looked up
_MOST_RECORDS = 10_000  # records whose distance is looked up
_MARGIN = 1.25  # times as many copies: candidates of a round share the rows that entered it, and so some luck


@dataclass(frozen=True)
class RecordCheck:
    """The bundle's records compared with all real rows, and with fresh records of the same model."""

    parameters: RecordsParameters
    records: int  # how many
    copies: int  # those that equal a real row in the categories of all attributes
    copied_people: int  # who has such a row
    fresh_copies: float | None  # proportion of fresh records that do; None where none could be made
    fresh: int  # how many of those were made
    failed: int  # those that cannot have passed the test

    @property
    def faults(self) -> tuple[str, ...]:
        """What no honest release of these people could have published, in sentences."""
        p, faults = self.parameters, []
        records = several(self.records, "record")
        if p.copies == EXCLUDE and self.copies:
            faults.append(
                f"{self.copies} of {records} equal a real row, although the plan leaves such copies out"
            )
        elif self.fresh_copies is not None and self._more_copies:
            faults.append(
                f"{self.copies} of {records} equal a real row, and of fresh ones by the same model {percent(self.fresh_copies)}: "
                "these were not drawn as the plan states"
            )
        if self.failed:
            unit = "participants" if p.counted == PERSON else "rows"
            faults.append(
                f"{self.failed} of {records} cannot have passed the test: fewer than {p.k} {unit} "
                f"share the kept attributes, although the release states k = {p.k} plausible sources"
            )
        return tuple(faults)

    def sentences(self) -> tuple[str, ...]:
        """Return how many are copies, in words."""
        sentence = f"Of {several(self.records, 'released record')} {self.copies} equal a real row in the categories of all attributes"
        if self.copies:
            sentence += f"; {several(self.copied_people, 'participant has', 'participants have')} such a row"
        if self.fresh_copies is not None:
            sentence += f". Of fresh ones by the same model {percent(self.fresh_copies)} do"
        return (f"{sentence}.",)

    @property
    def _more_copies(self) -> bool:
        """Whether there are more than the luck of both draws explains."""
        from scipy.stats import beta, binom  # noqa: PLC0415  slow to import

        share = self.fresh_copies
        if share is None or self.copies <= share * self.records:
            return False
        copied, most = round(share * self.fresh), 1.0
        if copied < self.fresh:
            most = float(beta.ppf(1 - _ERROR / 2, copied + 1, self.fresh - copied))
        return float(binom.sf(self.copies - 1, self.records, min(1.0, _MARGIN * most))) < _ERROR / 2


def checked_records(
    output: BundleOutput,
    truth: Contribution,
    arrays: Arrays,
    *,
    counts: Callable[..., NDArray[np.generic]],
    random: SecureRandom,
) -> RecordCheck:
    """Compare the bundle's records with all real rows and with fresh records.

    Args:
        output: of records.
        truth: the real rows of all people, by their category numbers.
        arrays: the bundle's records, by their labels below the output.
        counts: returns the bundle's noisy counts by their labels; fresh records are drawn from them where there are some.
        random: where fresh records come from.
    """
    assert isinstance(truth, Rows)
    assert isinstance(output.mechanism, SyntheticRecords)
    parameters = output.mechanism.parameters
    people, real_codes = truth.whole()
    columns = [arrays[attribute.name, "category"].astype(np.int64) for attribute in parameters.attributes]
    released: Codes = np.stack(columns, axis=1)
    known_rows = RecordSet(real_codes)
    fresh = _fresh(output, people, real_codes, counts, random)
    return RecordCheck(
        parameters,
        len(released),
        int(known_rows.contains(released).sum()),
        int(np.unique(people[RecordSet(released).contains(real_codes)]).size),
        None if fresh is None else float(known_rows.contains(fresh).mean()),
        0 if fresh is None else len(fresh),
        failed_records(parameters, people, real_codes, released),
    )


def failed_records(
    parameters: RecordsParameters, people: Labels, real_codes: Codes, released_codes: Codes
) -> int:
    """Return how many records cannot have passed the test, of category numbers of shapes (N, m) and (M, m).

    A plausible seed has in common with a record all that is kept at least, the first m − max ω attributes of the order. So no
    record can have passed that so few people (or rows, if those are counted) have that in common with as k is.
    Which rows people entered the test with is not known, so that more may have failed than are found here.
    """
    kept = list(parameters.order[: len(parameters.order) - max(parameters.resampled)])
    if not kept or parameters.k is None or parameters.is_randomized:
        return 0
    _, number = np.unique(
        np.concatenate([real_codes[:, kept], released_codes[:, kept]]), axis=0, return_inverse=True
    )
    real_numbers, released_numbers = np.split(number.reshape(-1), [len(real_codes)])
    units = people if parameters.counted == PERSON else np.arange(len(real_codes))
    different = np.unique(np.stack([real_numbers, units]), axis=1)[0]
    plausible = np.bincount(different, minlength=number.max() + 1)[released_numbers]
    return int((plausible < parameters.k).sum())


def _fresh(
    output: BundleOutput,
    people: Labels,
    real_codes: Codes,
    counts: Callable[..., NDArray[np.generic]],
    random: SecureRandom,
) -> Codes | None:
    """Records of the bundle's model, so many that chance is small."""
    assert isinstance(output.mechanism, SyntheticRecords)
    parameters, model = output.mechanism.parameters, None
    if parameters.fit == DP:
        subsets = [[parameters.attributes[a].name for a in subset] for subset in parameters.subsets]
        noisy = {"/".join(["noisy", *map(quoted, names)]): counts(*names, "noisy") for names in subsets}
        model = released_model(parameters, from_json(output.entry["event"]), noisy)
    rows = min(max(parameters.rows, _LEAST_FRESH), _MOST_FRESH)
    trials = -(-output.mechanism.trials * rows // parameters.rows)
    more = replace(output.mechanism, parameters=replace(parameters, rows=rows), trials=trials)
    try:
        return owned_records(real_codes, people, more, None, model=model, random=random).records
    except PlanError:  # too few pass this time
        return None


@dataclass(frozen=True)
class RecordDistances:
    """Distances of the bundle's records to real rows. There is no control: all people are in the release."""

    nearest: float  # median distance of a record to the nearest real row, in units of the real rows' spread
    between_people: float  # the same of a real row to the nearest row of another person

    def sentences(self) -> tuple[str, ...]:
        """Return it in words."""
        distance = f"A released record is {self.nearest:.2f} from the nearest real row (median, in units of the real rows' spread)"
        if not self.between_people > 0:
            return (f"{distance}; half of the real rows equal a row of another participant.",)
        side = "closer" if self.nearest < self.between_people else "not closer"
        times = f"{self.nearest / self.between_people:.2f} times the distance of a real row to the nearest row of another participant"
        return (
            f"{distance}, {times}: released records are {side} to real rows than participants are to each other.",
        )


def record_distances(real_rows: RecordRows, released: RecordRows) -> RecordDistances:
    """Return how near the bundle's records come to the real ones, of two people at least; without the task's label."""
    step = -(-real_rows.names.size // _MOST_PEOPLE)
    sampled_people = real_rows.of_people(real_rows.names[::step]).thinned(_MOST_ROWS)
    sampled_records = released.evenly_spaced(_MOST_RECORDS)
    features = real_rows.features
    columns = real_rows.columns(features)
    rows, queries, people = scaled(
        columns, columns, sampled_records.columns(features), sampled_people.columns(features)
    )
    return RecordDistances(
        float(np.median(nearest_distance(queries, rows))),
        float(np.median(_to_other_people(people, sampled_people, rows, real_rows))),
    )


def _to_other_people(
    queries: Numbers, sampled_people: RecordRows, rows: Numbers, real_rows: RecordRows
) -> Numbers:
    distance = np.empty(len(queries))
    for name in sampled_people.names:
        is_person = sampled_people.people == name
        distance[is_person] = nearest_distance(queries[is_person], rows[real_rows.people != name])
    return distance
