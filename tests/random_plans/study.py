"""A random study: a few people, each with rows of gaze and of features; and those who could stand in one person's place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from random_plans.draws import Draws, happens, one_of, rough, some_of

Row = dict[str, Any]

STIMULI = ("sea", "10", "a/b")
RECORDINGS = ("read", "search")
WIDTH, HEIGHT = 80, 60
KINDS = ("Fixation", "Saccade")  # of a row: what `only` chooses among
MOODS = ("calm", "tense", "tired")
CODE = -999.0  # marks a missing value
_MOST_ROWS = 6
_DURATIONS = (0.0, CODE, 1e-7, 1.0, 5000.0, 999_999.5)  # none, missing, less than a step, the longest
_LABELS = ("p1", "P 2", "7", "zoe", "Ä", "b.b", "0", "~", "-3", "m")  # no two of them are written alike
_IN_BOTH = _LABELS[:2]
_OTHER_LABELS = ("A0", "!", "zz", "99", "n", "ß", "-9")


@dataclass(frozen=True)
class Person:
    """A person's rows, by input.

    Attributes:
        label: who they are.
        gaze: rows, those of a stimulus in the order of time.
        features: rows, those of a recording in the order of time.
    """

    label: str
    gaze: tuple[Row, ...]
    features: tuple[Row, ...]

    def groups(self, kind: str) -> list[tuple[str, int]]:
        """Return the stimuli, or recordings, that they have rows of, and how many."""
        column = "picture" if kind == "gaze" else "task"
        rows = getattr(self, kind)
        names = dict.fromkeys(row[column] for row in rows)
        return [(name, sum(row[column] == name for row in rows)) for name in names]


@dataclass(frozen=True)
class Public:
    """What a plan says is no person's decision: neighbours agree in it.

    Attributes:
        names: the lists of stimuli and recordings are taken from the data.
        assignment: who saw which stimulus.
        lengths: how many rows recordings have.
    """

    names: bool
    assignment: bool
    lengths: bool


@dataclass(frozen=True)
class Study:
    """People, and in which order their rows stand in the files; where people stand one after the other, `front` is the first of them."""

    people: tuple[Person, ...]
    order: int = 0
    front: int = 0

    def in_file(self) -> tuple[Person, ...]:
        """Return the people in the order in which they stand in a file."""
        return (self.people[self.front], *self.people[: self.front], *self.people[self.front + 1 :])

    def tables(self) -> Mapping[str, pl.DataFrame]:
        """Return the rows of gaze and of features; those of one person keep their order."""
        return {kind: self._table(kind) for kind in ("gaze", "features")}

    def _table(self, kind: str) -> pl.DataFrame:
        rows = [{"who": person.label, **row} for person in self.people for row in getattr(person, kind)]
        turn = np.random.default_rng(self.order).permutation(len(rows))
        owner = np.array([n for n, person in enumerate(self.people) for _ in getattr(person, kind)])
        place = np.argsort(owner, kind="stable")
        shuffled = np.empty(len(rows), dtype=np.int64)
        # The places that fall to a person are filled by their rows one after the other.
        shuffled[np.argsort(owner[turn], kind="stable")] = place
        return pl.DataFrame([rows[n] for n in shuffled], infer_schema_length=None)


def random_study(draws: Draws, *, least: int = 3) -> Study:
    """Return a study of some people."""
    labels = _LABELS[: draws.integer(least, 8)]
    return Study(tuple(random_person(draws, label) for label in labels), draws.integer(0, 99))


def random_person(
    draws: Draws, label: str, like: Person | None = None, public: Public | None = None
) -> Person:
    """Return a person, who agrees with another in what is public."""
    pictures = [(name, draws.integer(1, _MOST_ROWS)) for name in some_of(draws, STIMULI)]
    tasks = [(name, draws.integer(1, _MOST_ROWS)) for name in some_of(draws, RECORDINGS)]
    there = [draws.integer(0, 5) != 5 or label in _IN_BOTH for _ in range(2)]
    if like is not None:  # who takes part in which input is public
        there = [bool(like.gaze), bool(like.features)]
    pictures, tasks = pictures if there[0] else [], tasks if there[1] else []
    if like is not None and public is not None:
        if public.names or public.assignment:
            pictures = [(name, draws.integer(1, _MOST_ROWS)) for name, _ in like.groups("gaze")]
        if public.lengths:
            tasks = like.groups("features")
        elif public.names:
            tasks = [(name, draws.integer(1, _MOST_ROWS)) for name, _ in like.groups("features")]
    return Person(
        label,
        tuple(row for name, rows in pictures for row in _looks(draws, name, rows)),
        tuple(row for name, rows in tasks for row in _values(draws, name, rows)),
    )


def _looks(draws: Draws, picture: str, rows: int) -> list[Row]:
    """Rows of gaze; extreme now and then: all at one point, or at the edge."""
    share = rough(draws, 5 * rows).reshape(5, rows)
    match draws.integer(0, 3):
        case 0:
            share[:2] = 0.0
        case 1:
            share[:2] = np.round(share[:2])
        case _:
            pass
    kinds = _kinds(draws, rows)
    lasting = [float(round(400 * ms)) for ms in share[2]]
    if happens(draws, 6):
        lasting = [one_of(draws, _DURATIONS) for _ in range(rows)]
    return [
        {
            "picture": picture,
            "x": CODE if missing < 0.1 else round(WIDTH * x, 3),
            "y": round(HEIGHT * y, 3),
            "t": 0.5 * t,
            "ms": ms,
            "kind": kind,
            "good": round(good, 2),
        }
        for t, (x, y, ms, good, missing, kind) in enumerate(
            zip(*share[:2], lasting, *share[3:], kinds, strict=True)
        )
    ]


def _values(draws: Draws, task: str, rows: int) -> list[Row]:
    """Rows of features; extreme now and then: at a bound, or from one to the other."""
    share = rough(draws, 4 * rows).reshape(4, rows)
    match draws.integer(0, 4):
        case 0:
            share[:2] = 0.0
        case 1:
            share[:2] = 1.0
        case 2:
            share[:2] = np.arange(rows) % 2
        case _:
            pass
    kinds, moods = _kinds(draws, rows), [one_of(draws, MOODS)] * rows
    if happens(draws, 3):
        moods = [one_of(draws, ("", *MOODS)) for _ in range(rows)]
    return [
        {
            "task": task,
            "t": 0.25 * t,
            "size_mm": CODE if missing < 0.1 else round(2 + 6 * size, 4),
            "open": round(opened, 4),
            "mood": mood,
            "kind": kind,
            "good": round(good, 2),
        }
        for t, (size, opened, good, missing, kind, mood) in enumerate(zip(*share, kinds, moods, strict=True))
    ]


def _kinds(draws: Draws, rows: int) -> list[str]:
    """All of one kind, or of either."""
    match draws.integer(0, 3):
        case 0:
            return [KINDS[1]] * rows
        case 1:
            return [KINDS[n] for n in (rough(draws, rows) < 0.5).astype(int)]
        case _:
            return [KINDS[0]] * rows


def neighbour(draws: Draws, study: Study, public: Public, *, same_label: bool = False) -> Study:
    """Return the study with someone else in one person's place, or in front, under the same label or another, and files in another order."""
    place = draws.integer(0, len(study.people) - 1)
    gone = study.people[place]
    label = gone.label if same_label or happens(draws, 3) else one_of(draws, _OTHER_LABELS)
    other = random_person(draws, label, gone, public)
    front = place if not same_label and happens(draws, 2) else 0
    return Study((*study.people[:place], other, *study.people[place + 1 :]), draws.integer(0, 99), front)


def without_one(draws: Draws, study: Study, public: Public) -> Study:
    """Return the study without one of the people: one without whom what is public stays the same."""
    for place in range(draws.integer(0, len(study.people) - 1), -1, -1):
        left = replace(
            study, people=study.people[:place] + study.people[place + 1 :], order=draws.integer(0, 99)
        )
        if _facts(left, public) == _facts(study, public):
            return left
    return study


def _facts(study: Study, public: Public) -> tuple[object, ...]:
    """Lists and lengths, as far as they are public."""
    groups = {
        kind: [group for person in study.people for group in person.groups(kind)]
        for kind in ("gaze", "features")
    }
    names = {kind: {name for name, _ in found} for kind, found in groups.items()}
    longest = max(rows for _, rows in groups["features"])
    return names if public.names else None, longest if public.lengths else None


def renamed(draws: Draws, study: Study) -> Study:
    """Return the same people under other labels, in files in another order."""
    labels = [*_LABELS, *_OTHER_LABELS]
    new = np.random.default_rng(draws.integer(0, 2**32 - 1)).permutation(len(labels))
    people: Sequence[Person] = [
        replace(person, label=labels[n]) for person, n in zip(study.people, new, strict=False)
    ]
    return Study(tuple(people), draws.integer(0, 99))
