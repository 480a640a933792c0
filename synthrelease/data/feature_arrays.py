"""Arrays of features as a program gives them: which belong together, and what is public about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from synthrelease.data.arguments import by_names, listed, plain
from synthrelease.errors import ArgumentError


@dataclass(frozen=True)
class FeatureArrays:
    """Columns and public facts that belong together."""

    arrays: dict[str, ArrayLike]  # all columns by their names, private
    columns: dict[str, str]  # those of roles, such as "person", as a plan has them
    bounds: dict[str, Any]  # of every feature, as they were given
    categories: dict[str, list[str]]  # the public list of every other column of labels
    recordings: list[str] | None  # the public list

    @classmethod
    def of(
        cls,
        where: str,
        roles: Mapping[str, ArrayLike | None],
        recordings: object,
        values: object,
        bounds: object,
        *,
        labels: object = None,
        categories: object = None,
    ) -> FeatureArrays:
        """Return the arrays, checked; only their types are looked at until they are known to be what each argument takes.

        Args:
            where: what was called, such as "statistics()".
            roles: columns of roles; None where there is none.
            recordings: the public list of recordings; None without a column of them.
            values: columns of features by name.
            bounds: limits of every feature by name.
            labels: other columns of labels by name.
            categories: the public list of each.

        Raises:
            ArgumentError: an argument is of another kind, or does not fit the others.
        """
        role_arrays = {role: array for role, array in roles.items() if array is not None}
        features = by_names(values, f"{where}.values", example='values={"pupil_mm": column}', columns=True)
        limits = by_names(bounds, f"{where}.bounds", example='bounds={"pupil_mm": (1.5, 8.0)}')
        labels = {} if labels is None else labels
        label_arrays = by_names(labels, f"{where}.labels", example='labels={"mood": column}', columns=True)
        lists = _lists({} if categories is None else categories, f"{where}.categories")
        public = None
        if recordings is not None:
            public = listed(recordings, f"{where}.recordings", example='recordings=["first", "second"]')
        if ("recording" in role_arrays) is (public is None):
            raise ArgumentError(
                "recordings-need-list",
                "the labels of recordings and the public list of them go together",
                where=f"{where}.recordings" if public is None else f"{where}.recording",
                expected="both recording and recordings, or neither",
                remedy='recording=column, recordings=["first", "second"]; or neither, if each participant has one',
            )
        _refuse_other_names(where, "bounds", limits, "values", features)
        _refuse_other_names(where, "categories", lists, "labels", label_arrays)
        _refuse_twice(where, role_arrays, [*role_arrays, *features, *label_arrays])
        arrays = {**role_arrays, **features, **label_arrays}
        return cls(arrays, {role: role for role in role_arrays}, limits, lists, public)

    def interval(self, feature: str, where: str) -> tuple[float, float]:
        """Return the lower and the upper bound of a feature; ArgumentError if they are no interval."""
        limits = plain(self.bounds[feature], f"{where}.bounds")
        numbers = isinstance(limits, list) and all(isinstance(limit, int | float) for limit in limits)
        if not numbers or len(limits) != 2 or not -math.inf < limits[0] < limits[1] < math.inf:
            raise ArgumentError(
                "bad-bounds",
                f"the bounds of {feature} are no interval",
                where=f"{where}.bounds",
                expected="two finite numbers, the lower first",
                remedy='write bounds={"pupil_mm": (1.5, 8.0)}',
            )
        return float(limits[0]), float(limits[1])


def _lists(categories: object, where: str) -> dict[str, list[str]]:
    example = 'categories={"mood": ["calm", "tense"]}'
    by_name = by_names(categories, where, example=example)
    return {name: listed(labels, where, example=example) for name, labels in by_name.items()}


def _refuse_twice(where: str, roles: Iterable[str], names: Sequence[str]) -> None:
    if taken := sorted({name for name in names if names.count(name) > 1}):
        raise ArgumentError(
            "duplicate-column",
            "two columns have the same name",
            where=where,
            found=", ".join(taken),
            expected="columns with names of their own, other than " + ", ".join(roles),
            remedy="rename one of them",
        )


def _refuse_other_names(
    where: str, public: str, declared: Mapping[str, object], private: str, columns: Mapping[str, object]
) -> None:
    """Refuse different names. A column may be named after a person: messages show only names in the public argument."""
    if set(declared) == set(columns):
        return
    alone = ", ".join(sorted(set(declared) - set(columns)))
    more = len(set(columns) - set(declared))
    faults = [f"{public} of {alone}, which {private} have not"] if alone else []
    faults += [f"{more} of {len(columns)} {private} without {public}"] if more else []
    raise ArgumentError(
        "names-differ",
        f"{public} and {private} are not of the same names",
        where=f"{where}.{public}",
        found="; ".join(faults),
        expected=f"{public} of each of {private}, and no other",
        remedy=f"give both the same names; leave out of {private} what is not to be released",
    )
