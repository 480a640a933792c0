"""The records of a bundle beside the real rows: how many are copies, how close they come, and whether each can have passed the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.reading import noisy_model
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.attacks.nearest import nearest_distance, scaled
from synthrelease.evaluation.matched import MadeOutput
from synthrelease.evaluation.records.releases import owned_records
from synthrelease.evaluation.records.rows import Codes, Labels, Numbers, RecordRows
from synthrelease.kinds.contributions import Contribution, Rows
from synthrelease.kinds.dataset import quoted
from synthrelease.kinds.records.candidates import RecordSet
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import DP, EXCLUDE, PERSON, RecordsParameters
from synthrelease.number_words import percent, several

_ERROR = 1e-9  # probability that records of the model are found fault with
_LEAST_FRESH, _MOST_FRESH = 4000, 10_000  # fresh records
_MOST_PEOPLE, _MOST_ASKED = 50, 1000  # people and their rows, whose distance to other people's is looked up
_MOST_RECORDS = 10_000  # records whose distance is looked up
_MARGIN = 1.25  # times as many copies: candidates of a round share the rows that entered it, and so some luck


@dataclass(frozen=True)
class RecordCheck:
    """The bundle's records beside all real rows, and beside fresh records of the same model."""

    parameters: RecordsParameters
    records: int  # how many
    copies: int  # those that equal a real row in the categories of all attributes
    copied_people: int  # who has such a row
    fresh_copies: float | None  # share of fresh records that do; None where none could be made
    fresh: int  # how many of those were made
    failed: int  # those that cannot have passed the test

    @property
    def faults(self) -> tuple[str, ...]:
        """What no honest release of these people could have published, in sentences."""
        p, found = self.parameters, []
        records = several(self.records, "record")
        if p.copies == EXCLUDE and self.copies:
            found.append(
                f"{self.copies} of {records} equal a real row, where the plan leaves such copies out"
            )
        elif self.fresh_copies is not None and self._more_copies:
            found.append(
                f"{self.copies} of {records} equal a real row, and of fresh ones by the same model {percent(self.fresh_copies)}: "
                "these were not drawn as the plan says"
            )
        if self.failed:
            unit = "people" if p.counted == PERSON else "rows"
            found.append(
                f"{self.failed} of {records} cannot have passed the test: fewer than {p.k} {unit} "
                f"have in common with them what is kept, where k = {p.k} plausible seeds are promised"
            )
        return tuple(found)

    def sentences(self) -> tuple[str, ...]:
        """Return how many are copies, in words."""
        told = f"Of {several(self.records, 'released record')} {self.copies} equal a real row in the categories of all attributes"
        if self.copies:
            told += f"; {several(self.copied_people, 'person has', 'people have')} such a row"
        if self.fresh_copies is not None:
            told += f". Of fresh ones by the same model {percent(self.fresh_copies)} do"
        return (f"{told}.",)

    @property
    def _more_copies(self) -> bool:
        """Whether there are more than the luck of both draws explains."""
        from scipy.stats import beta, binom  # noqa: PLC0415  slow to import

        share = self.fresh_copies
        if share is None or self.copies <= share * self.records:
            return False
        found = round(share * self.fresh)
        most = 1.0 if found == self.fresh else float(beta.ppf(1 - _ERROR / 2, found + 1, self.fresh - found))
        return float(binom.sf(self.copies - 1, self.records, min(1.0, _MARGIN * most))) < _ERROR / 2


def checked_records(
    made: MadeOutput,
    truth: Contribution,
    arrays: Arrays,
    *,
    counts: Callable[..., NDArray[np.generic]],
    random: SecureRandom,
) -> RecordCheck:
    """Return what the bundle's records are.

    Args:
        made: the output.
        truth: the real rows of all people, by their category numbers.
        arrays: the bundle's records, by their labels below the output.
        counts: returns a model's noised counts in the bundle by their labels, which fresh records are drawn from where there are some.
        random: where fresh records come from.
    """
    assert isinstance(truth, Rows)
    assert isinstance(made.mechanism, SyntheticRecords)
    own = made.mechanism.parameters
    people, real = truth.whole()
    columns = [arrays[one.name, "category"].astype(np.int64) for one in own.attributes]
    released: Codes = np.stack(columns, axis=1)
    known = RecordSet(real)
    fresh = _fresh(made, people, real, counts, random)
    return RecordCheck(
        own,
        len(released),
        int(known.contains(released).sum()),
        int(np.unique(people[RecordSet(released).contains(real)]).size),
        None if fresh is None else float(known.contains(fresh).mean()),
        0 if fresh is None else len(fresh),
        failed(own, people, real, released),
    )


def failed(parameters: RecordsParameters, people: Labels, real: Codes, released: Codes) -> int:
    """Return how many records cannot have passed the test.

    A plausible seed has in common with a record all that is kept at least, the first m − max ω attributes of the order. So no
    record can have passed that so few people (or rows, if those are counted) have that in common with as k is.
    Which rows people entered the test with is not known, so that more may have failed than are found here.

    Args:
        parameters: of the output.
        people: whose each real row is, shape (N,).
        real: category numbers, shape (N, m).
        released: the same of the records, shape (M, m).
    """
    kept = list(parameters.order[: len(parameters.order) - max(parameters.resampled)])
    if not kept or parameters.k is None or parameters.is_randomized:
        return 0
    _, number = np.unique(np.concatenate([real[:, kept], released[:, kept]]), axis=0, return_inverse=True)
    own, made = np.split(number.reshape(-1), [len(real)])
    who = people if parameters.counted == PERSON else np.arange(len(real))
    different = np.unique(np.stack([own, who]), axis=1)[0]
    plausible = np.bincount(different, minlength=number.max() + 1)[made]
    return int((plausible < parameters.k).sum())


def _fresh(
    made: MadeOutput,
    people: Labels,
    real: Codes,
    counts: Callable[..., NDArray[np.generic]],
    random: SecureRandom,
) -> Codes | None:
    """Records of the bundle's own model, so many that luck is small."""
    assert isinstance(made.mechanism, SyntheticRecords)
    own, model = made.mechanism.parameters, None
    if own.fit == DP:
        names = [[own.attributes[a].name for a in subset] for subset in own.subsets]
        model = noisy_model(
            made.entry, {"/".join(["noisy", *map(quoted, one)]): counts(*one, "noised") for one in names}
        )
    rows = min(max(own.rows, _LEAST_FRESH), _MOST_FRESH)
    trials = -(-made.mechanism.trials * rows // own.rows)
    more = replace(made.mechanism, parameters=replace(own, rows=rows), trials=trials)
    try:
        return owned_records(real, people, more, None, model=model, random=random).records
    except PlanError:  # too few pass this time
        return None


@dataclass(frozen=True)
class OwnRecords:
    """Distances of the bundle's records to real rows. There is no control: all people are in the release."""

    nearest: float  # median distance of a record to the nearest real row, in units of the real rows' spread
    others: float  # the same of a real row to the nearest row of another person

    def sentences(self) -> tuple[str, ...]:
        """Return it in words."""
        near = f"A released record is {self.nearest:.2f} from the nearest real row (median, in units of the real rows' spread)"
        if not self.others > 0:
            return (f"{near}; half of the real rows equal one of another person.",)
        side = "nearer than" if self.nearest < self.others else "not nearer than"
        times = f"{self.nearest / self.others:.2f} times as far as a real row is from the nearest of another person"
        return (f"{near}, {times}: {side} people are to each other.",)


def own_records(real: RecordRows, made: RecordRows) -> OwnRecords:
    """Return how near the bundle's records come to real ones. The task's label takes no part in distances.

    Args:
        real: rows of two people at least.
        made: the bundle's records.
    """
    every = -(-real.names.size // _MOST_PEOPLE)
    asked = real.of_people(real.names[::every]).thinned(_MOST_ASKED)
    some = made.where(np.arange(0, len(made), max(1, -(-len(made) // _MOST_RECORDS))))
    whole = real.columns(real.features)
    rows, queries, people = scaled(whole, whole, some.columns(real.features), asked.columns(real.features))
    return OwnRecords(
        float(np.median(nearest_distance(queries, rows))),
        float(np.median(_to_others(people, asked, rows, real))),
    )


def _to_others(queries: Numbers, asked: RecordRows, rows: Numbers, real: RecordRows) -> Numbers:
    distance = np.empty(len(queries))
    for name in asked.names:
        own = asked.people == name
        distance[own] = nearest_distance(queries[own], rows[real.people != name])
    return distance
