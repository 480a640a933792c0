"""What changed from one JSON document to another, leaf by leaf: nothing is lost, nothing is guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_KEYS = ("name", "what", "unit")  # what distinguishes the objects of a list, in a manifest


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclass(frozen=True)
class Change:
    """One place of a document that changed."""

    where: tuple[str, ...]  # keys that lead there; objects of a list by their name, or by number
    old: Any  # what stood there, or ABSENT
    new: Any  # what stands there now, or ABSENT

    @property
    def is_of_words(self) -> bool:
        """Whether both are lists of text."""
        return all(
            isinstance(side, list) and all(isinstance(item, str) for item in side)
            for side in (self.old, self.new)
        )

    @property
    def added(self) -> list[str]:
        """Words of the new list that the old one does not have, or not so often."""
        return list((Counter(self.new) - Counter(self.old)).elements())

    @property
    def removed(self) -> list[str]:
        """Words of the old list that the new one does not have, or not so often."""
        return list((Counter(self.old) - Counter(self.new)).elements())

    @property
    def reordered(self) -> bool:
        """Whether the words that both lists have stand in another order."""
        return _in_other_order(self.old, self.new)

    def to_json(self) -> dict[str, Any]:
        """Return `where` and, as far as there are any, `old` and `new`; of lists of text what was added, removed, reordered."""
        sides = {"old": self.old, "new": self.new}
        if self.is_of_words:
            sides = {"added": self.added, "removed": self.removed, "reordered": self.reordered}
        return {
            "where": list(self.where),
            **{side: value for side, value in sides.items() if value is not ABSENT},
        }


def changes(old: Any, new: Any, where: tuple[str, ...] = ()) -> Iterator[Change]:
    """Yield where two JSON values differ, the old one's order first.

    Objects are compared key by key; one next to a null is compared with nothing. Lists of objects that each have a name of
    their own are compared by name, and then by order; other objects one by one. Other lists are compared whole. 3 is 3.0, and neither is true.

    Args:
        old: the old value.
        new: the new one.
        where: keys that lead to them.
    """
    if all(value is None or isinstance(value, dict) for value in (old, new)) and (old or new):
        before, after = old or {}, new or {}
        for key in {**before, **after}:
            yield from changes(before.get(key, ABSENT), after.get(key, ABSENT), (*where, key))
    elif keyed := _keyed(old, new):
        before, after = keyed
        yield from changes(before, after, where)
        if _in_other_order(before, after):
            yield Change(where, list(before), list(after))
    elif not _same(old, new):
        yield Change(where, old, new)


def _keyed(old: Any, new: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Two lists of objects as objects: by a key in which all of a list differ, or else by number; None of anything else."""
    if not all(
        isinstance(side, list) and all(isinstance(item, dict) for item in side) for side in (old, new)
    ):
        return None
    before, after = _by_name(old), _by_name(new)
    if before is None or after is None:
        before, after = ({str(n): item for n, item in enumerate(side, start=1)} for side in (old, new))
    return before, after


def _by_name(items: list[dict[str, Any]]) -> dict[str, Any] | None:
    for key in _KEYS:
        named = {item[key]: item for item in items if isinstance(item.get(key), str)}
        if len(named) == len(items):
            return named
    return None


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    return bool(old == new)


def _in_other_order(old: Any, new: Any) -> bool:
    """Whether what both have stands in another order, of lists of text or of keys."""
    return [item for item in old if item in new] != [item for item in new if item in old]
