"""Is it her own row? Released records that equal a real one, or are nearer to one than other people's real ones are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import DRAWS, checked_rounds
from synthrelease.evaluation.attacks.nearest import nearest_distance, scaled
from synthrelease.evaluation.attacks.result import AttackResult, division_result
from synthrelease.evaluation.attacks.windows import Flags, Labels, Numbers, Windows, share_by_person
from synthrelease.numerics.binning import bin_numbers


@dataclass(frozen=True)
class Copies:
    """How much of each person's data a release contains."""

    exact: (
        Numbers  # proportion of each person's rows that a released record equals in every feature, shape (n,)
    )
    near: Numbers  # share that a released record is nearer to than any row of another person is, shape (n,)
    # different rows of each person that a released record equals, shape (n,); 0 for everyone where any two
    # people share a row: then the values are coarse, and copies happen
    rows: Labels


def copies_of(
    released: Numbers,
    people: Windows,
    *,
    edges: Sequence[Numbers] | None = None,
    distances: Numbers | None = None,
) -> Copies:
    """Return how much of each person's data a release contains.

    Args:
        released: records, shape (M, F).
        people: rows of members and of control people: both are compared with the same other people.
        edges: of bins, for each feature, to compare in bins; None for the values as they are.
        distances: `distance_to_others` of the same people and edges, where it was computed before.

    Raises:
        ValueError: the numbers of features differ.
    """
    if released.ndim != 2 or released.shape[1] != people.values.shape[1]:
        raise ValueError(
            f"Expected records of {people.values.shape[1]} features, found an array of shape {released.shape}"
        )
    distances = distance_to_others(people, edges=edges) if distances is None else distances
    person_rows, released_rows = (_in_bins(values, edges) for values in (people.values, released))
    equal = _rows_among(person_rows, released_rows)
    queries, rows = scaled(person_rows, person_rows, released_rows)
    nearer = equal | (nearest_distance(queries, rows) < distances)
    nearer &= distances > 0  # what equals another person's row identifies no one
    names, person = np.unique(people.people, return_inverse=True)
    verbatim = equal & (distances > 0).all()
    owned_rows = np.column_stack([person[verbatim], person_rows[verbatim]])
    different = np.unique(owned_rows, axis=0)[:, 0].astype(np.int64)
    return Copies(
        share_by_person(equal.astype(np.float64), people.people),
        share_by_person(nearer.astype(np.float64), people.people),
        np.bincount(different, minlength=names.size).astype(np.int64),
    )


def distance_to_others(people: Windows, *, edges: Sequence[Numbers] | None = None) -> Numbers:
    """Return the distance of each row to the nearest row of another person, in units of all rows' spread, shape (N,).

    Raises:
        ValueError: there is one person only.
    """
    if people.names.size < 2:
        raise ValueError("Expected at least two people, found one")
    binned = _in_bins(people.values, edges)
    (rows,) = scaled(binned, binned)
    distance = np.empty(len(rows))
    for name in people.names:
        is_person = people.people == name
        distance[is_person] = nearest_distance(rows[is_person], rows[~is_person])
    distance[_shared(binned, people.people)] = 0.0
    return distance


def copies(
    shares: Numbers,
    members: Flags,
    *,
    seed: int,
    name: str,
    rows: Labels | None = None,
    draws: int = DRAWS,
) -> AttackResult:
    """Return how much more of members' data the release contains than of control people's.

    People are shuffled, as everywhere: copied rows of one person are one observation, however many they are. A few of one person only are
    found where there are many rounds.

    Args:
        shares: `Copies.exact` or `Copies.near` of each person in each round, shape (R, n), or (n,) for one.
        members: who was in, at random, the same shape.
        seed: of shuffles.
        name: what was compared, "exact, values" say.
        rows: `Copies.rows`, the same shape, for exact copies: a remark counts them.
        draws: number of shuffles.

    Raises:
        ValueError: shapes differ, or in some round everyone is a member, or no one.
    """
    counts = None if rows is None else checked_rounds(np.asarray(rows, dtype=np.float64), members)[0]
    random = SecureRandom.for_tests(seed).spawn("copies", name)
    measure = "proportion of a person's rows that are copied"
    result = division_result(f"copies, {name}", measure, shares, members, random=random, draws=draws)
    verbatim = 0 if counts is None else int(counts[np.atleast_2d(members)].sum())
    if not verbatim:
        return result
    return replace(result, remarks=(f"{verbatim} rows of members appear unchanged in a release",))


def _in_bins(values: Numbers, edges: Sequence[Numbers] | None) -> Numbers:
    if edges is None:
        return values
    if len(edges) != values.shape[1]:
        raise ValueError(f"Expected edges for {values.shape[1]} features, found {len(edges)}")
    columns = [bin_numbers(*pair) for pair in zip(values.T, edges, strict=True)]
    return np.stack(columns, axis=1).astype(np.float64)


def _numbered(*arrays: Numbers) -> list[Labels]:
    """Numbers of rows: equal rows have equal numbers."""
    _, number = np.unique(np.concatenate(arrays), axis=0, return_inverse=True)
    return np.split(number.reshape(-1).astype(np.int64), np.cumsum([len(array) for array in arrays])[:-1])


def _rows_among(rows: Numbers, candidates: Numbers) -> Flags:
    """Which rows equal one of the others; by values, for distances of scaled rows are rounded."""
    row_numbers, candidate_numbers = _numbered(rows, candidates)
    return np.isin(row_numbers, candidate_numbers)


def _shared(rows: Numbers, people: Labels) -> Flags:
    """Which rows equal a row of another person."""
    (number,) = _numbered(rows)
    pairs = np.unique(np.stack([number, people], axis=1), axis=0)[:, 0]
    return np.bincount(pairs, minlength=number.max() + 1)[number] > 1
