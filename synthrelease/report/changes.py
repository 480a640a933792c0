"""What changed from one JSON document to another, leaf by leaf: nothing is lost, nothing is guessed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_KEYS = ("name", "what", "unit")  # what tells the objects of a list apart, in a manifest


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclass(frozen=True)
class Change:
    """One place of a document that changed.

    Attributes:
        where: keys that lead there; objects of a list by their name, where each has one of its own, or by number.
        old: what stood there, or `ABSENT`.
        new: what stands there now, or `ABSENT`.
    """

    where: tuple[str, ...]
    old: Any
    new: Any

    @property
    def is_of_words(self) -> bool:
        """Whether both are lists of text."""
        return _are_words(self.old) and _are_words(self.new)

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
        both = Counter(self.old) & Counter(self.new)
        return _those_of(self.old, both) != _those_of(self.new, both)

    def to_json(self) -> dict[str, Any]:
        """Return `where` and, as far as there are any, `old` and `new`; of lists of text what was added, removed, reordered."""
        where = {"where": list(self.where)}
        if self.is_of_words:
            return {
                **where,
                "added": self.added,
                "removed": self.removed,
                "reordered": self.reordered,
            }
        sides = {"old": self.old, "new": self.new}
        return {**where, **{side: value for side, value in sides.items() if value is not ABSENT}}


def changes(old: Any, new: Any, where: tuple[str, ...] = ()) -> Iterator[Change]:
    """Yield where two JSON values differ, the old one's order first.

    Objects are compared key by key; one beside a null is compared with nothing. Lists of objects that each have a name of
    their own are compared by name, and then by order; other objects one by one, where there are as many as before. Other
    lists are compared whole. 3 is 3.0, and neither is true.

    Args:
        old: the one value.
        new: the other.
        where: keys that lead to them.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in (*old, *(key for key in new if key not in old)):
            yield from changes(old.get(key, ABSENT), new.get(key, ABSENT), (*where, key))
    elif (old is None and isinstance(new, dict) and new) or (new is None and isinstance(old, dict) and old):
        yield from changes(old or {}, new or {}, where)
    elif not _same(old, new):
        ours, theirs = _by_name(old), _by_name(new)
        if (
            (ours is None or theirs is None)
            and _are_objects(old)
            and _are_objects(new)
            and len(old) == len(new)
        ):
            ours, theirs = ({str(n): item for n, item in enumerate(items, start=1)} for items in (old, new))
        if ours is None or theirs is None:
            yield Change(where, old, new)
            return
        yield from changes(ours, theirs, where)
        if [name for name in ours if name in theirs] != [name for name in theirs if name in ours]:
            yield Change(where, list(ours), list(theirs))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other)


def _by_name(items: Any) -> dict[str, Any] | None:
    """The objects of a list by a key in which they all differ; None if there is no such key."""
    if not _are_objects(items):
        return None
    for key in _KEYS:
        names = [item.get(key) for item in items]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return dict(zip(names, items, strict=True))
    return None


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _those_of(items: list[str], kept: Counter[str]) -> list[str]:
    left, out = Counter(kept), []
    for item in items:
        if left[item]:
            left[item] -= 1
            out.append(item)
    return out
