"""What changed between two releases, as data: promises, outputs, values, and whether noise was used twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

from numpy.typing import NDArray

from synthrelease.bundle.items import item_count
from synthrelease.bundle.layout import dataset_path, digest
from synthrelease.errors import BundleError
from synthrelease.privacy.event import Noise, noise_of
from synthrelease.privacy.event import from_json as event_from_json
from synthrelease.privacy.guarantee import from_json as guarantee_from_json
from synthrelease.privacy.strength import Comparison, compare
from synthrelease.report.changes import Change, changes
from synthrelease.report.release_promise import compare_releases
from synthrelease.report.same_noise import Likeness, Pairs, in_order, is_no_chance, likeness

_DRAWN = ("noised", "chosen", "category")  # what everything else in a bundle follows from


class Release(Protocol):
    """What is compared: a `Bundle`, or something like it."""

    manifest: dict[str, Any]

    def __getitem__(self, name: str, /) -> Mapping[str, NDArray[Any]]:
        """Return the datasets of an output by their paths below it."""
        ...


@dataclass(frozen=True)
class Values:
    """What became of the datasets of an output that both releases have.

    Attributes:
        output: its name; "" for datasets that belong to no such output.
        same: how many are the same, by their digests.
        other: paths of those that hold something else.
        added: paths of those that only the new release has.
        removed: paths of those that only the old one has.
        redrawn: whether anything that was drawn, and does not follow from the rest, is other or new.
        likeness: of the noised integers, if they are not all the same, and both releases state noise.
    """

    output: str
    same: int
    other: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    redrawn: bool
    likeness: Likeness | None

    @property
    def changed(self) -> bool:
        """Whether any dataset is other, new or gone."""
        return bool(self.other or self.added or self.removed)


@dataclass(frozen=True)
class Difference:
    """What changed between two releases.

    Attributes:
        old: the manifest of the old one.
        new: the manifest of the new one.
        promise: how the release's promise changed.
        promises: how those of the outputs changed that both have, by name.
        changes: every place of the manifest that changed, those of the promises too, but for digests.
        values: what became of the datasets, for every output that both have.
        hazards: what somebody should look into before anybody relies on either, in words.
    """

    old: dict[str, Any]
    new: dict[str, Any]
    promise: Comparison
    promises: Mapping[str, Comparison]
    changes: tuple[Change, ...]
    values: tuple[Values, ...]
    hazards: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.changes and not any(one.changed for one in self.values)

    @property
    def redrawn(self) -> bool:
        """Whether the new release holds anything drawn that the old one does not."""
        before, after = ({output["name"] for output in one["outputs"]} for one in (self.old, self.new))
        return not after <= before or any(one.redrawn for one in self.values)

    @property
    def one_dataset(self) -> bool | None:
        """Whether both were paid from one account of one ledger; None if either states none."""
        before, after = self.old["ledger"], self.new["ledger"]
        return None if before is None or after is None else before["dataset_id"] == after["dataset_id"]

    def to_json(self) -> dict[str, Any]:
        """Return everything for a program; texts in it are those of the manifests, from whoever wrote them."""
        return {
            "same": self.same,
            "hazards": list(self.hazards),
            "promise": {"verdict": str(self.promise.verdict), "because": self.promise.because},
            "outputs": {
                name: {"verdict": str(one.verdict), "because": one.because}
                for name, one in self.promises.items()
            },
            "one_dataset": self.one_dataset,
            "redrawn": self.redrawn,
            "changes": [change.to_json() for change in self.changes],
            "values": [_values_form(one) for one in self.values],
        }


def difference(
    old: Release, new: Release, *, called: tuple[str, str] = ("the old bundle", "the new bundle")
) -> Difference:
    """Compare two releases.

    Args:
        old: the one.
        new: the other. Noised datasets of outputs that both have are read, unless their digests say that all are the same.
        called: what errors call them.

    Raises:
        BundleError: a dataset is not that of the manifest's digest, two outputs have one name, or a manifest contradicts
            itself: none of it in bundles that verify in full.
    """
    before, after = _Side(called[0], old), _Side(called[1], new)
    common = [name for name in before.outputs if name in after.outputs]
    values = [_values(name, before, after) for name in common]
    # Datasets of no output: there are none in a bundle that verifies.
    rest = _counted("", before.digests[""], after.digests[""])
    found = changes(_without_digests(old.manifest), _without_digests(new.manifest))
    told = Difference(
        old.manifest,
        new.manifest,
        compare_releases(old.manifest, new.manifest),
        {name: _promise(before.outputs[name], after.outputs[name]) for name in common},
        tuple(found),
        tuple(values) + ((rest,) if rest.changed else ()),
        (),
    )
    return replace(told, hazards=tuple(_hazards(told)))


class _Side:
    """One of the two releases: its outputs by name, and its datasets by output."""

    def __init__(self, called: str, release: Release) -> None:
        self.called, self._release = called, release
        self._opened: dict[str, Mapping[str, NDArray[Any]]] = {}
        manifest = release.manifest
        self.outputs = {output["name"]: output for output in manifest["outputs"]}
        if len(self.outputs) < len(manifest["outputs"]):
            self._refuse("output-named-twice", "two outputs have one name")
        try:
            self.noises = {name: noise_of(event_from_json(o["event"])) for name, o in self.outputs.items()}
            for form in (manifest["privacy"]["guarantee"], *(o["guarantee"] for o in manifest["outputs"])):
                guarantee_from_json(form)
        except (KeyError, TypeError, ValueError, ArithmeticError):
            self._refuse("contradicts-itself", "an event or a guarantee contradicts itself")
        self.digests: dict[str, dict[str, str]] = {name: {} for name in ("", *self.outputs)}
        for path, told in manifest["digests"].items():
            name = next((part for part in path.split("/")[2:3] if part in self.outputs), "")
            inside = bool(name) and path.startswith(dataset_path(name) + "/")
            self.digests[name if inside else ""][path] = told

    def noised(self, name: str) -> list[str]:
        """Return the names of an output's noised datasets below it, in their order; `read` is for these."""
        # Before they are listed: a manifest can call for any number of them in a few words.
        if item_count(self.outputs[name]) != len(self.digests[name]):
            self._refuse(
                "wrong-dataset-count", "another number of datasets than the parameters call for", name
            )
        if name not in self._opened:
            self._opened[name] = self._release[name]
        return [key for key in self._opened[name] if _ending(key) == "noised"]

    def read(self, name: str, key: str) -> NDArray[Any]:
        """Return a dataset that is that of its digest."""
        path = f"{dataset_path(name)}/{key}"
        if path not in self.digests[name]:
            self._refuse("digest-missing", "the manifest has no digest of a dataset", path)
        array = self._opened[name][key]
        if digest(array) != self.digests[name][path]:
            self._refuse("values-changed", "the values are not those of the manifest's digest", path)
        if array.dtype.kind != "i":
            self._refuse("not-integers", "noised values are no integers", path)
        return array

    def _refuse(self, code: str, problem: str, what: str = "") -> NoReturn:
        where = f"{self.called}, {what}" if what else self.called
        raise BundleError(code, problem, where=where, remedy="run: synthrelease verify") from None


def _values(name: str, before: _Side, after: _Side) -> Values:
    old, new = before.digests[name], after.digests[name]
    told = _counted(name, old, new, before.outputs[name], after.outputs[name])
    one, other = before.noises[name], after.noises[name]
    if one is None or other is None or not _are_other(old, new):
        return told
    return replace(told, likeness=_likeness(name, before, after, one, other))


def _are_other(old: Mapping[str, str], new: Mapping[str, str]) -> bool:
    """Whether any noised dataset is other, new or gone."""
    return any(old.get(path) != new.get(path) for path in {*old, *new} if _ending(path) == "noised")


def _counted(name: str, old: Mapping[str, str], new: Mapping[str, str], *outputs: dict[str, Any]) -> Values:
    other = tuple(path for path in old if path in new and old[path] != new[path])
    added = tuple(path for path in new if path not in old)
    drawn = [path for path in (*other, *added) if _is_drawn(path, outputs)]
    return Values(
        name,
        sum(new.get(path) == told for path, told in old.items()),
        other,
        added,
        tuple(path for path in old if path not in new),
        bool(drawn),
        None,
    )


def _is_drawn(path: str, outputs: tuple[dict[str, Any], ...]) -> bool:
    """Whether a dataset follows from nothing else. Of signals without noise, all are as they are."""
    without = any(output["kind"] == "signals" and output["noise"] is None for output in outputs)
    return without or _ending(path) in _DRAWN


def _ending(path: str) -> str:
    return path.rpartition("/")[2]


def _likeness(name: str, before: _Side, after: _Side, old: Noise, new: Noise) -> Likeness:
    """By place; and where the releases have other places, in their order as well: whichever tells more of the same noise."""
    ours, theirs = before.noised(name), after.noised(name)
    in_both, unlike = set(ours) & set(theirs), []

    def pairs() -> Pairs:
        for key in ours:
            if key in in_both:
                one, other = before.read(name, key), after.read(name, key)
                if one.shape == other.shape:
                    yield one, other
                else:
                    unlike.append(key)

    found = likeness(pairs(), old, new)
    if found.repeated or (not unlike and ours == theirs):
        return found
    ordered = likeness(
        in_order((before.read(name, key) for key in ours), (after.read(name, key) for key in theirs)),
        old,
        new,
    )
    return ordered if ordered.repeated or not found.places else found


def _promise(old: dict[str, Any], new: dict[str, Any]) -> Comparison:
    return compare(guarantee_from_json(old["guarantee"]), guarantee_from_json(new["guarantee"]))


def _without_digests(manifest: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in manifest.items() if key != "digests"}


def _hazards(told: Difference) -> Iterator[str]:
    before, after = ({o["name"]: o for o in manifest["outputs"]} for manifest in (told.old, told.new))
    for one in told.values:
        if one.likeness is not None and one.likeness.repeated and one.redrawn:
            yield (
                f"{one.output}: the noise was not drawn anew. Of {one.likeness.places} noised integers {one.likeness.equal} "
                "are the same in both, and more lie near each other than independent noise allows. Whoever has both "
                "subtracts them, and is left with what changed in the data, unprotected: do not publish both"
            )
        elif one.output and one.likeness is None and not one.redrawn:
            stated = [entry[one.output]["noise"] for entry in (before, after)]
            drawn = noise_of(event_from_json(after[one.output]["event"]))
            if drawn is not None and None not in stated and stated[0] != stated[1] and is_no_chance(drawn):
                yield (
                    f"{one.output}: the same integers, but other noise is stated. They were drawn once, so one of the "
                    "two statements is false"
                )
    if told.one_dataset and told.redrawn and told.old["ledger"]["entry"] == told.new["ledger"]["entry"]:
        yield (
            "one entry of the ledger stands for both, and they do not hold the same draw: noise was drawn twice and paid "
            "for once"
        )


def _values_form(one: Values) -> dict[str, Any]:
    return {
        "output": one.output,
        "same": one.same,
        "other": list(one.other),
        "added": list(one.added),
        "removed": list(one.removed),
        "redrawn": one.redrawn,
        "noise": None if one.likeness is None else vars(one.likeness),
    }
