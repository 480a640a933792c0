"""What changed between two releases, for a person: what matters first, then every place of the manifest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.guarantee import from_json
from synthrelease.dp.strength import SAME, Comparison, RelativeStrength
from synthrelease.number_words import listed, several
from synthrelease.printable import printable
from synthrelease.reports.changes import ABSENT, Change
from synthrelease.reports.summary import wrapped

if TYPE_CHECKING:
    from synthrelease.reports.difference import DatasetChanges, Difference

_LONG = 60  # characters of an old and a new value that have room on one line
_MOST = 200  # characters of a list or an object
_DIGEST = re.compile("[0-9a-f]{32,}")
_LONG_NUMBER = re.compile(r"(?=.{9})\d+\.\d+(e[+-]?\d+)?")

Rows = Iterator[tuple[str, str]]  # what stands in front, and a text that is wrapped behind it


def as_text(difference: Difference) -> str:
    """Return what changed in lines no wider than the terminal; manifests can be anyone's, and steer nothing."""
    lines = [printable(head + line) for head, line in _files(difference)]  # names of files stay whole
    for head, line in _body(difference):
        text = line.lstrip()
        lines += wrapped(head + " " * (len(line) - len(text)), printable(text), hang=2)
    return "\n".join(lines)


def _files(difference: Difference) -> Rows:
    manifests = difference.old, difference.new
    for side, file, manifest in zip(("Old", "New"), difference.files, manifests, strict=True):
        release = manifest["release"]
        marks = [TEST_SEED_WORDS] if manifest["randomness"]["test_seed"] else []
        title = f"{file}: {release['name']} {release['version']}, {release['date']}"
        yield from _section(side, [title, *marks])


def _body(difference: Difference) -> Rows:
    claims = "checksum, structure and manifests only; the claims were not verified. In full: synthrelease verify FILE"
    yield from _section("Checked", [claims if difference.quick else "both in full, as by verify"])
    for hazard in difference.hazards:
        yield from _section("DANGER", [hazard])
    if difference.same:
        outputs, datasets = (len(difference.new[key]) for key in ("outputs", "digests"))
        counted = f"{several(outputs, 'output')} with their guarantees, and {several(datasets, 'dataset')} by their digests"
        yield from _section("Same", [f"no difference: every entry of the manifest, {counted}"])
        return
    by_section: dict[str, list[Change]] = {"privacy": [], "ledger": [], "outputs": [], "warnings": []}
    for change in difference.changes:
        by_section.setdefault(change.where[0], []).append(change)
    yield from _section("Guarantee", _guarantee(difference, by_section.pop("privacy")))
    spending = _lines(by_section.pop("ledger"), 1)
    yield from _section("Together", [*together(difference), *spending])
    yield from _outputs(difference, by_section.pop("outputs"))
    for key, changes in by_section.items():
        yield from _section(key.capitalize(), _lines(changes, 1))


def _guarantee(difference: Difference, changes: list[Change]) -> Iterator[str]:
    yield _verdict(difference.guarantee, ", by itself" if difference.redrawn else "")
    manifests = difference.old, difference.new
    old, new = (str(from_json(manifest["privacy"]["guarantee"])) for manifest in manifests)
    yield from [f"both {new}"] if old == new else [f"old  {old}", f"new  {new}"]
    # The numbers themselves, too, if they differ beyond the digits that a guarantee is shown with.
    yield from _lines([change for change in changes if old == new or change.where[1] != "guarantee"], 1)


def _verdict(comparison: Comparison, of: str = "") -> str:
    if comparison.verdict is not RelativeStrength.EQUAL:
        return f"{comparison.verdict.upper()}{of}: {comparison.because}"
    return f"the same{of}" + ("" if comparison.because == SAME else f": {comparison.because}")


def together(difference: Difference) -> Iterator[str]:
    """Yield what both releases cost together, as far as their manifests state it, in sentences."""
    if difference.redrawn:
        whose = "" if difference.one_dataset else "if they are of the same participants, "
        yield f"{whose}both releases together spend more budget than either one: what they reveal adds up"
    else:
        yield "all random draws are the same: if they were drawn once, both releases cost no more than the old one"
    yield _cost(difference.old["ledger"], difference.new["ledger"])


def _cost(before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    """What both cost together, as far as a ledger of both knows."""
    if before is None or after is None:
        sides_without_ledger = [side for side, ledger in (("old", before), ("new", after)) if ledger is None]
        return f"no ledger of the {' and the '.join(sides_without_ledger)} release: the cost of both was not tracked"
    if before["dataset_id"] != after["dataset_id"]:
        return "they were charged to different accounts or ledgers: neither counts the other"
    if before["entry"] == after["entry"]:
        return "one dataset, and both state the same entry of its ledger"
    if before["delta"] != after["delta"]:
        return "one dataset, but the grant changed between them: their sums are at different δ"
    if after["spent_before"] >= before["spent_after"]:
        return f"one dataset: both, with all other releases up to then, cost ε = {after['spent_after']:.4g} at δ = {after['delta']:.2g}"
    return (
        "one dataset, but the new release states less spending than the old one: their order is reversed, or the grant "
        "changed, or the ledger was reset"
    )


def _outputs(difference: Difference, changes: list[Change]) -> Rows:
    manifests = difference.old, difference.new
    before, after = ({output["name"]: output for output in manifest["outputs"]} for manifest in manifests)
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    by_output: dict[str, list[Change]] = {}
    for change in changes:
        by_output.setdefault("".join(change.where[1:2]), []).append(change)
    datasets = {entry.output: entry for entry in difference.datasets}
    changed = [name for name in difference.guarantees if name in by_output or datasets[name].changed]
    counts = {"added": len(added), "removed": len(removed), "changed": len(changed)}
    counts["unchanged"] = len(difference.guarantees) - len(changed)
    yield from _section("Outputs", [_numbers(counts)])
    for sign, names, outputs in (("+", added, after), ("-", removed, before)):
        yield from ((f"  {sign} ", f"{name}: {described(outputs[name])}") for name in names)
    for name in changed:
        yield "  ~ ", name
        yield from (
            (" " * 6, line) for line in _changed(difference, name, by_output.get(name, []), datasets[name])
        )
    reordered = [replace(change, where=("order",)) for change in by_output.get("", [])]
    yield from ((" " * 4, line) for line in _lines(reordered, 0))
    if "" in datasets:
        yield "  ~ ", f"datasets of no output: {_datasets(datasets[''])}"


def described(output: dict[str, Any]) -> str:
    """Return an output's kind, mechanism and guarantee in words."""
    return f"{output['kind']} by {output['mechanism']['name'].replace('_', ' ')}: {from_json(output['guarantee'])}"


def _changed(
    difference: Difference, name: str, changes: list[Change], datasets: DatasetChanges
) -> Iterator[str]:
    if any(change.where[2] == "guarantee" for change in changes):
        yield f"guarantee: {_verdict(difference.guarantees[name])}"
    # An event repeats numbers of sensitivity and noise.
    stated = [(change.old, change.new) for change in changes if change.where[2] != "event"]
    yield from _lines([c for c in changes if c.where[2] != "event" or (c.old, c.new) not in stated], 2)
    if datasets.changed:
        yield f"datasets: {_datasets(datasets)}"


def _datasets(datasets: DatasetChanges) -> str:
    """How many datasets changed, and whether their noise is their own."""
    kinds = ("other", "added", "removed")
    counts = _numbers({kind: len(getattr(datasets, kind)) for kind in kinds} | {"unchanged": datasets.same})
    likeness = datasets.likeness
    if not datasets.output or (likeness is None and datasets.redrawn):
        return counts
    if likeness is None or not datasets.redrawn:
        return f"{counts}; all random draws are the same"
    if likeness.repeated:
        return f"{counts}; NOISE REUSED: see above"
    if not likeness.telling:
        return f"{counts}; too few noisy integers to detect reused noise"
    return f"{counts}; no sign of reused noise in {likeness.places} noisy integers"


def _numbers(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number)


def _section(head: str, texts: Iterable[str]) -> Rows:
    """A head, and texts next to it, each from a line of its own."""
    for number, text in enumerate(texts):
        yield (f"{head:<10} " if number == 0 else " " * 11), text


def _lines(changes: Iterable[Change], skip: int) -> Iterator[str]:
    """Where each place is, without the keys that all have, and what changed there."""
    for change in changes:
        where = change.where[skip : -1 if _is_fact(change.old) or _is_fact(change.new) else None]
        label = " ".join(where).removeprefix("mechanism parameters ")
        texts = _texts(change)
        if label and len(texts) == 1:
            yield f"{label}: {texts[0]}"
        else:
            yield from [f"{label}:", *(f"  {text}" for text in texts)] if label else texts


def _texts(change: Change) -> list[str]:
    """Old → new, or what went and what came."""
    if change.is_of_words:
        sides = ("-", _few(change.removed)), ("+", _few(change.added))
        texts = [f"{sign} {text}" for sign, words in sides for text in words]
        return [*texts, *(["in another order"] if change.reordered else [])]
    old, new = shown_values(change.old, change.new)
    if ABSENT not in (change.old, change.new) and len(old) + len(new) <= _LONG:
        return [f"{old} → {new}"]
    return [
        f"{sign} {text}"
        for sign, text, value in (("-", old, change.old), ("+", new, change.new))
        if value is not ABSENT
    ]


def shown_values(old: Any, new: Any) -> tuple[str, str]:
    """Return two values of one place as texts that differ: long numbers and digests only as far as they need."""
    old, new = _shown(old), _shown(new)
    return (_brief(old), _brief(new)) if _brief(old) != _brief(new) else (old, new)


def _few(words: list[str]) -> list[str]:
    """Sentences each on its own, names together."""
    return [listed(words)] if words and not any(" " in word for word in words) else words


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    if _is_fact(value):
        return f"{value['what']}: {value['reason']}"
    text = json.dumps(value, ensure_ascii=False, default=str).removesuffix(".0")
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(value)} in all)"


def _is_fact(value: Any) -> bool:
    """Whether it is an entry of what is not protected: that says itself what it is about."""
    return isinstance(value, dict) and value.keys() == {"what", "reason"}


def _brief(text: str) -> str:
    """The beginning of a digest; a number of many digits, also one that stands as text to be exact, with six."""
    if _DIGEST.fullmatch(text):
        return f"{text[:8]}…"
    return f"{float(text):.6g}" if _LONG_NUMBER.fullmatch(text) else text
