"""What changed between two releases, for a person: what matters first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from synthrelease.privacy.guarantee import Neighbours, Unit, from_json
from synthrelease.privacy.strength import SAME, Comparison, Verdict
from synthrelease.report.changes import ABSENT, Change
from synthrelease.report.difference import Difference, Values
from synthrelease.report.summary import wrapped

_LISTED = 4  # items of a list in a line
_LONG = 60  # characters of a value between others
_UNSEEN = "beyond the digits that are shown"
_INDENT = " " * 11  # what follows the words in front of a section
_NAMES = {
    "mechanism name": "mechanism",
    "sensitivity value": "sensitivity",
    "sensitivity norm": "norm",
    "sensitivity derivation": "because",
    "noise distribution": "noise",
    "noise scale": "noise scale",
    "noise standard_deviation": "deviation",
    "post_processing": "then",
    "warnings": "mind",
    "paths": "datasets",
    "event count": "integers",
    "event events": "events",
    "mechanism public_inputs people": "people",
    "mechanism public_inputs viewers": "viewers",
    "mechanism public_inputs names": "names are",
    "mechanism public_inputs length": "length is",
}


def as_text(told: Difference, *, called: tuple[str, str], checked: str) -> str:
    """Return what changed, for a person.

    Args:
        told: what changed.
        called: the names of the two files.
        checked: what is known of them, in a sentence.
    """
    lines = [*_head(told, called), *_section("Checked", [checked])]
    for hazard in told.hazards:
        lines += _section("DANGER", [_escaped(hazard)])
    if told.same:
        return "\n".join([*lines, *_section("Same", [_same(told)])])
    left = list(told.changes)
    lines += _promise(told, _take(left, "privacy", beside="not_protected"))
    lines += _section("Together", list(_together(told, _take(left, "ledger"))))
    lines += _outputs(told, _take(left, "outputs"))
    lines += _listed("No promise", _take(left, "privacy"))
    lines += _listed("Warnings", _take(left, "warnings"))
    for head, key in (("Release", "release"), ("Noise from", "randomness"), ("Made by", "tool")):
        lines += _section(head, [_line(change, 1) for change in _take(left, key)])
    lines += _section("Also", [_line(change, 0) for change in left])
    return "\n".join(lines)


def _head(told: Difference, called: tuple[str, str]) -> Iterator[str]:
    for side, file, manifest in zip(("Old", "New"), called, (told.old, told.new), strict=True):
        release = manifest["release"]
        title = _escaped(f"{release['name']} {release['version']}, {release['date']}")
        yield f"{side:<11}{_escaped(file)}: {title}"
        if manifest["randomness"]["test_seed"]:
            yield f"{_INDENT}TEST SEED - DO NOT PUBLISH"


def _same(told: Difference) -> str:
    return (
        f"no difference: every entry of the manifest, {len(told.new['outputs'])} outputs with their promises, and "
        f"{len(told.new['digests'])} datasets by their digests"
    )


def _take(left: list[Change], key: str, *, beside: str = "") -> list[Change]:
    """Take the changes under a key, but not those under the one `beside` in it."""
    taken: list[Change] = []
    rest: list[Change] = []
    for change in left:
        wanted = change.where[:1] == (key,) and change.where[1:2] != (beside,)
        (taken if wanted else rest).append(change)
    left[:] = rest
    return taken


def _section(head: str, texts: Iterable[str]) -> list[str]:
    """A head, and texts beside it, each from a line of its own."""
    lines: list[str] = []
    for text in texts:
        lines += wrapped(f"{head if not lines else '':<11}", text)
    return lines


def _promise(told: Difference, found: list[Change]) -> list[str]:
    old, new = (from_json(manifest["privacy"]["guarantee"]) for manifest in (told.old, told.new))
    lines = _section("Promise", [_verdict(told.promise, of=", by itself" if told.redrawn else "")])
    if any(change.where[1] == "guarantee" for change in found):
        lines += _section("", [f"old  {_escaped(str(old))}", f"new  {_escaped(str(new))}"])
        if str(old) == str(new):  # they differ beyond the digits that are told
            lines += _section("", [_line(change, 2) for change in found if change.where[1] == "guarantee"])
    else:
        lines += _section("", [f"both {_escaped(str(new))}"])
    others = [change for change in found if change.where[1] != "guarantee"]
    return lines + _section("", [_line(change, 1) for change in others])


def _verdict(told: Comparison, *, of: str = "") -> str:
    if told.verdict is Verdict.EQUAL:
        return f"the same{of}{'' if told.because == SAME else f': {_escaped(told.because)}'}"
    return _escaped(f"{told.verdict.upper()}{of}: {told.because}")


def _together(told: Difference, found: list[Change]) -> Iterator[str]:
    before, after = told.old["ledger"], told.new["ledger"]
    if told.redrawn:
        whose = "" if told.one_dataset else "if they are of the same people, "
        yield f"{whose}both releases cost a person more than either: what they tell adds up"
    else:
        yield (
            "all that was drawn is the same: if it was drawn once, both together cost a person no more than the old one"
        )
    if before is None and after is None:
        yield "neither has a ledger: nobody counted what both cost"
    elif before is None or after is None:
        yield f"the {'old' if before is None else 'new'} one has no ledger: nobody counted what both cost"
    elif not told.one_dataset:
        yield "each was paid from another account, or another ledger: neither counts the other"
    for side, spent in (("old", before), ("new", after)):
        if spent is not None:
            yield (
                f"{side}  ε = {spent['spent_here']:.4g} alone; of its dataset {spent['spent_before']:.4g} "
                f"before, {spent['spent_after']:.4g} after, at δ = {spent['delta']:.2g}; "
                f"entry {spent['entry'][:8]}… of {spent['dataset_id'][:8]}…"
            )
    if told.one_dataset:
        yield from _sum(before, after)
    shown = {"spent_here", "spent_before", "spent_after", "delta", "dataset_id", "entry"}
    yield from (_line(change, 1) for change in found if change.where[-1] not in shown)


def _sum(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What a ledger that both were paid from says of both together."""
    if before["entry"] == after["entry"]:
        yield "one dataset, and both name one and the same entry of its ledger"
    elif before["delta"] != after["delta"]:
        yield "one dataset, but what was granted changed between them: these sums are at different δ"
    elif after["spent_before"] >= before["spent_after"]:
        yield f"one dataset: both, with all others by then, cost ε = {after['spent_after']:.4g} at δ = {after['delta']:.2g}"
    else:
        yield (
            "one dataset, but the new one knows of less than was spent with the old one: they stand in another order, or what was "
            "granted changed, or the ledger was set back"
        )


def _outputs(told: Difference, found: list[Change]) -> list[str]:
    before, after = ({o["name"]: o for o in manifest["outputs"]} for manifest in (told.old, told.new))
    added, removed = [n for n in after if n not in before], [n for n in before if n not in after]
    values = {one.output: one for one in told.values}
    own = {name: [change for change in found if change.where[1:2] == (name,)] for name in told.promises}
    changed = [name for name in told.promises if own[name] or values[name].changed]
    numbers = (len(added), "added"), (len(removed), "removed"), (len(changed), "changed")
    same = len(told.promises) - len(changed)
    counted = [f"{number} {what}" for number, what in (*numbers, (same, "as before")) if number]
    lines = _section("Outputs", [", ".join(counted)])
    width = max((len(name) for name in (*added, *removed)), default=0)
    for sign, names, entries in (("+", added, after), ("-", removed, before)):
        for name in names:
            lines += wrapped(f"  {sign} {_escaped(name):<{width}}  ", _described(entries[name]))
    for name in changed:
        lines += [f"  ~ {_escaped(name)}", *_changed(told, name, own[name], values[name])]
    rest = [change for change in found if not change.where[1:2] or change.where[1] not in {*before, *after}]
    lines += _section("", [f"order  {_value(change)}" for change in rest])
    if "" in values:
        lines += wrapped("  ~ datasets of no output  ", _counted(values[""])[0])
    return lines


def _described(output: dict[str, Any]) -> str:
    mechanism = output["mechanism"]["name"].replace("_", " ")
    return _escaped(f"{output['kind']} by {mechanism}: {from_json(output['guarantee'])}")


def _changed(told: Difference, name: str, found: list[Change], values: Values) -> Iterator[str]:
    promise = [change for change in found if change.where[2:3] == ("guarantee",)]
    rows: list[tuple[str, list[str]]] = []
    if promise:
        rows.append(("promise", [_verdict(told.promises[name]), _both_promises(told, name)]))
        rows += [(_label(one, 2), _texts(one)) for one in promise if rows[0][1][1] == _UNSEEN]
    rows += [
        (_label(change, 2), _texts(change))
        for change in found
        if change not in promise and not _repeats(change, found)
    ]
    if values.changed:
        rows.append(("values", _counted(values)))
    for label, texts in rows:
        for number, text in enumerate(texts):
            yield from wrapped(f"      {label if number == 0 else '':<14} ", text)


def _both_promises(told: Difference, name: str) -> str:
    """The promises to an output, old → new, and once what they have in common at the end."""
    entries = (next(o for o in one["outputs"] if o["name"] == name) for one in (told.old, told.new))
    old, new = (str(from_json(entry["guarantee"])) for entry in entries)
    if old == new:
        return _UNSEEN
    end = next(
        (end for end in (f" per {u} ({n})" for u in Unit for n in Neighbours) if new.endswith(end)), ""
    )
    if end and old.endswith(end):
        old = old.removesuffix(end)
    return _escaped(f"{old} → {new}")


def _repeats(change: Change, found: list[Change]) -> bool:
    """Whether an event says what sensitivity and noise say more plainly."""
    if change.where[2:3] != ("event",):
        return False
    plainer = [c for c in found if c.where[2:] in (("sensitivity", "value"), ("noise", "scale"))]
    return any((change.old, change.new) == (c.old, c.new) for c in plainer)


def _counted(values: Values) -> list[str]:
    """What became of the datasets, and whether their noise is their own."""
    kinds = (
        ("as before", values.same),
        ("other", len(values.other)),
        ("added", len(values.added)),
        ("removed", len(values.removed)),
    )
    told = "datasets: " + ", ".join(f"{number} {what}" for what, number in kinds if number)
    likeness = values.likeness
    if not values.output or (likeness is None and values.redrawn):
        return [told]
    if likeness is None or not values.redrawn:
        return [told, "all that was drawn is the same"]
    if likeness.repeated:
        return [told, "THE NOISE WAS NOT DRAWN ANEW: see above"]
    if not likeness.telling:
        return [told, "too few noised integers to tell whether noise was drawn anew"]
    return [told, f"no sign of noise used twice, in {likeness.places} noised integers"]


def _listed(head: str, found: list[Change]) -> list[str]:
    """Entries that came and went: of a list of text, or of objects with a name."""
    texts: list[str] = []
    for change in found:
        if change.is_of_words:
            texts += [f"- {_escaped(text)}" for text in change.removed]
            texts += [f"+ {_escaped(text)}" for text in change.added]
            texts += ["in another order"] if change.reordered else []
            continue
        for sign, side, other in (("-", change.old, change.new), ("+", change.new, change.old)):
            # Of two entries of one name the list is told whole.
            entries = [one for one in side if one not in other] if isinstance(side, list) else [side]
            texts += [f"{sign} {_entry(change, one)}" for one in entries if one is not ABSENT]
    return _section(head, texts)


def _entry(change: Change, entry: Any) -> str:
    if isinstance(entry, dict):
        return _escaped(f"{entry.get('what')}: {entry.get('reason')}")
    return _escaped(f"{' '.join(change.where[2:3])}: {_shown(entry)}")


def _line(change: Change, skip: int) -> str:
    return f"{_label(change, skip)}: {_value(change)}"


def _label(change: Change, skip: int) -> str:
    """Where a change is, in words."""
    path = " ".join(change.where[skip:])
    path = path.removeprefix("mechanism parameters ")
    return _escaped(_NAMES.get(path, path.replace("_", " ") if path.startswith("mechanism") else path))


def _value(change: Change) -> str:
    """What changed there, in a line."""
    return "; ".join(_texts(change)) if change.is_of_words else _arrow(change)


def _texts(change: Change) -> list[str]:
    """What changed there, in lines: old → new, or what went and what came."""
    if change.is_of_words:
        words = [f"- {text}" for text in _several(change, change.removed)]
        words += [f"+ {text}" for text in _several(change, change.added)]
        return words + (["in another order"] if change.reordered else [])
    told = _arrow(change)
    if len(told) <= _LONG or ABSENT in (change.old, change.new):
        return [told]
    return [f"- {_shown(change.old)}", f"+ {_shown(change.new)}"]


def _arrow(change: Change) -> str:
    if change.old is ABSENT:
        return f"+ {_shown(change.new)}"
    if change.new is ABSENT:
        return f"- {_shown(change.old)}"
    old, new = _shown(change.old), _shown(change.new)
    if old == new:  # they differ beyond what is shown
        old, new = (_escaped(json.dumps(value, ensure_ascii=False)) for value in (change.old, change.new))
    return f"{old} → {new}"


def _several(change: Change, items: list[str]) -> list[str]:
    """Sentences each on its own, names together."""
    if any(" " in item for item in items):
        return [_escaped(item) for item in items]
    if not items:
        return []
    if change.where[-1] == "paths":  # all begin with the output's
        items = ["/".join(item.split("/")[3:]) for item in items]
    more = len(items) - _LISTED
    return [", ".join(map(_escaped, items[:_LISTED])) + (f" and {more} more" if more > 0 else "")]


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _number(value) if _is_number(value) else _escaped(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, dict):
        return ", ".join(f"{_escaped(key)} {_shown(item)}" for key, item in value.items())
    text = _escaped(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONG else f"{text[:_LONG]}… ({len(value)} in all)"


def _is_number(text: str) -> bool:
    """Whether it is a number that is written as text, to be exact, and too long to read."""
    try:
        return len(text) > len(f"{float(text):.6g}") and text[0].isdigit()
    except ValueError:
        return False


def _number(value: float | str) -> str:
    return f"{float(value):.6g}"


def _escaped(text: str) -> str:
    """Text of an untrusted manifest on one line, without characters that could steer a terminal."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
