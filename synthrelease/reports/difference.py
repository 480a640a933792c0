"""What changed between two releases, as data: guarantees, outputs, values, and whether noise was used twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from synthrelease.bundle.disclosure import output_sentences, unprotected_facts, warning_sentence
from synthrelease.dp.strength import Comparison, compare
from synthrelease.kinds.registry import parameters_of
from synthrelease.number_words import several
from synthrelease.printable import short_repr
from synthrelease.reports.changes import Change, changes
from synthrelease.reports.compared_release import ComparedRelease, NoisyDataset, Release, outputs_by_name
from synthrelease.reports.difference_text import as_text, together
from synthrelease.reports.release_guarantee import compare_releases
from synthrelease.reports.same_noise import Likeness, is_no_chance, likeness, pairs_in_order


@dataclass(frozen=True)
class DatasetChanges:
    """What became of the datasets of an output that both releases have, by their digests."""

    output: str  # its name; "" for datasets that belong to no such output
    same: int
    other: tuple[str, ...]  # paths of those that hold something else
    added: tuple[str, ...]
    removed: tuple[str, ...]
    redrawn: bool  # whether anything that was drawn, and does not follow from the rest, is other or new
    # Of noisy integers, if not all are the same and both releases state noise.
    likeness: Likeness | None = None

    @property
    def changed(self) -> bool:
        """Whether any dataset is other, new or gone."""
        return bool(self.other or self.added or self.removed)

    def to_json(self) -> dict[str, Any]:
        """Return everything for a program."""
        form = {key: list(value) if isinstance(value, tuple) else value for key, value in vars(self).items()}
        noise = form.pop("likeness")
        return {**form, "noise": None if noise is None else vars(noise)}


@dataclass(frozen=True, repr=False)
class Difference:
    """What changed between two bundles; `str()` of it is what `synthrelease diff` prints.

    Attributes:
        files: the names of the two files.
        quick: whether only checksum, structure and manifests were checked.
        old: the manifest of the old one.
        new: the manifest of the new one.
        guarantee: how the release's guarantee changed.
        guarantees: how those of the outputs changed that both have, by name.
        changes: every place of the manifest that changed, those of the guarantees too, but for digests.
        datasets: what became of the datasets, for every output that both have.
        hazards: what is to be looked into before anyone relies on either, such as noise that was used twice.
    """

    files: tuple[str, str]
    quick: bool
    old: dict[str, Any]
    new: dict[str, Any]
    guarantee: Comparison
    guarantees: Mapping[str, Comparison]
    changes: tuple[Change, ...]
    datasets: tuple[DatasetChanges, ...]
    hazards: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.changes and not any(output.changed for output in self.datasets)

    @property
    def redrawn(self) -> bool:
        """Whether the new release holds anything drawn that the old one does not."""
        before, after = outputs_by_name(self.old), outputs_by_name(self.new)
        return not after.keys() <= before.keys() or any(output.redrawn for output in self.datasets)

    @property
    def one_dataset(self) -> bool | None:
        """Whether both were charged to one account of one ledger; None if either states none."""
        before, after = self.old["ledger"], self.new["ledger"]
        return None if before is None or after is None else before["dataset_id"] == after["dataset_id"]

    def to_json(self) -> dict[str, Any]:
        """Return everything for a program; texts in it are those of the manifests, which can be anyone's."""
        verdicts = {name: _verdict_form(comparison) for name, comparison in self.guarantees.items()}
        return {
            "ok": not self.hazards,
            "verified": not self.quick,
            "same": self.same,
            "hazards": list(self.hazards),
            "guarantee": _verdict_form(self.guarantee),
            "outputs": verdicts,
            "one_dataset": self.one_dataset,
            "redrawn": self.redrawn,
            "together": [] if self.same else list(together(self)),
            "changes": [change.to_json() for change in self.changes],
            "values": [output.to_json() for output in self.datasets],
        }

    def __repr__(self) -> str:
        found = "no difference" if self.same else f"guarantee {self.guarantee.verdict}"
        hazards = f", {several(len(self.hazards), 'hazard')}" if self.hazards else ""
        return short_repr(self, f"{' → '.join(self.files)}: {found}{hazards}")

    def _repr_html_(self) -> str:
        from synthrelease.reports.notebook_cards import difference_card  # noqa: PLC0415  only for a notebook

        return difference_card(self).html

    def __str__(self) -> str:
        return as_text(self)


def difference(
    old: Release,
    new: Release,
    *,
    files: tuple[str, str] = ("the old bundle", "the new bundle"),
    quick: bool = False,
) -> Difference:
    """Compare two releases.

    Args:
        old: the old one.
        new: the new one. Noisy datasets of outputs that both have are read, unless their digests say that all are the same.
        files: their names.
        quick: whether neither was verified in full.

    Raises:
        BundleError: a manifest contradicts itself or its datasets: not in bundles that verify in full.
    """
    before, after = (
        ComparedRelease.of(file, release) for file, release in zip(files, (old, new), strict=True)
    )
    common = [name for name in before.outputs if name in after.outputs]
    outside = _dataset_changes("", before, after)  # there are none in a bundle that verifies
    compared = Difference(
        files,
        quick,
        old.manifest,
        new.manifest,
        compare_releases(old.manifest, new.manifest),
        {name: compare(before.guarantees[name], after.guarantees[name]) for name in common},
        tuple(changes(_in_sentences(old.manifest), _in_sentences(new.manifest))),
        (
            *(_with_likeness(_dataset_changes(name, before, after), before, after) for name in common),
            *([outside] if outside.changed else []),
        ),
    )
    hazards = *_noise_hazards(compared, before, after), *_ledger_hazards(compared)
    return replace(compared, hazards=hazards)


def _dataset_changes(name: str, before: ComparedRelease, after: ComparedRelease) -> DatasetChanges:
    old, new = before.digests[name], after.digests[name]
    drawn = before.paths(name, noisy=False) | after.paths(name, noisy=False) if name else set()
    sources = drawn & {*old, *new} or set(new)
    return DatasetChanges(
        name,
        sum(new.get(path) == digest for path, digest in old.items()),
        tuple(path for path in old if path in new and old[path] != new[path]),
        tuple(path for path in new if path not in old),
        tuple(path for path in old if path not in new),
        any(path in new and old.get(path) != new[path] for path in sources),
    )


def _with_likeness(
    datasets: DatasetChanges, before: ComparedRelease, after: ComparedRelease
) -> DatasetChanges:
    """By place; and where that does not compare all, in the order of the integers: whichever shows that noise was used twice."""
    name = datasets.output
    old, new = before.noises[name], after.noises[name]
    touched = (*datasets.other, *datasets.added, *datasets.removed)
    if old is None or new is None:
        return datasets
    if not {*touched} & (before.paths(name, noisy=True) | after.paths(name, noisy=True)):
        return datasets
    old_datasets, new_datasets = before.noisy(name), after.noisy(name)
    common = [(old_datasets[path], new_datasets[path]) for path in old_datasets if path in new_datasets]
    same_places = list(old_datasets) == list(new_datasets) and all(
        old_noisy.dataset.shape == new_noisy.dataset.shape and old_noisy.labels == new_noisy.labels
        for old_noisy, new_noisy in common
    )
    by_place = likeness(
        (
            _of_common_items(old_noisy, new_noisy)
            for old_noisy, new_noisy in common
            if old_noisy.dataset.item_shape == new_noisy.dataset.item_shape
        ),
        old,
        new,
    )
    if by_place.equal == by_place.places == sum(noisy.dataset.size for noisy in new_datasets.values()):
        return replace(datasets, redrawn=_is_other_draw(datasets, before, after))  # some of the same draw
    if by_place.repeated or same_places:
        return replace(datasets, likeness=by_place)
    integers = ((noisy.read() for noisy in side.values()) for side in (old_datasets, new_datasets))
    by_order = likeness(pairs_in_order(*integers), old, new)
    return replace(datasets, likeness=by_order if by_order.repeated or not by_place.places else by_place)


def _is_other_draw(datasets: DatasetChanges, before: ComparedRelease, after: ComparedRelease) -> bool:
    """Whether anything that was drawn, and carries no noise, is other or new."""
    name = datasets.output
    noisy = after.paths(name, noisy=True)
    drawn = after.paths(name, noisy=False) - noisy
    return any(before.digests[name].get(path) != after.digests[name][path] for path in drawn)


def _noise_hazards(compared: Difference, before: ComparedRelease, after: ComparedRelease) -> Iterator[str]:
    for datasets in (datasets for datasets in compared.datasets if datasets.output):
        name, likeness = datasets.output, datasets.likeness
        if likeness is not None and likeness.repeated and datasets.redrawn:
            yield (
                f"{name}: the noise was reused. Of {likeness.places} noisy integers, {likeness.equal} are the same in both, and more "
                "are close to each other than independent noise allows. The difference of the two releases shows what "
                "changed in the data, unprotected: do not publish both"
            )
        noise, stated = after.noises[name], [side.outputs[name]["noise"] for side in (before, after)]
        once = likeness is None and not datasets.redrawn and noise is not None and is_no_chance(noise)
        if once and None not in stated and stated[0] != stated[1]:
            yield (
                f"{name}: the integers are the same, but the stated noise differs. They were drawn once, so one of the two "
                "statements is false"
            )


def _ledger_hazards(compared: Difference) -> Iterator[str]:
    same_account = compared.one_dataset and compared.redrawn
    if same_account and compared.old["ledger"]["entry"] == compared.new["ledger"]["entry"]:
        yield (
            "both state the same ledger entry, but their noise differs: noise was drawn twice and charged once"
        )


def _of_common_items(old: NoisyDataset, new: NoisyDataset) -> tuple[NDArray[Any], NDArray[Any]]:
    """The items of two datasets that have the same labels."""
    old_array, new_array = old.read(), new.read()
    for axis, (old_labels, new_labels) in enumerate(zip(old.labels, new.labels, strict=True)):
        place = {label: number for number, label in enumerate(new_labels)}
        common = [number for number, label in enumerate(old_labels) if label in place]
        old_array = old_array.take(common, axis)
        new_array = new_array.take([place[old_labels[number]] for number in common], axis)
    return old_array, new_array


def _in_sentences(manifest: dict[str, Any]) -> dict[str, Any]:
    """A manifest without digests, and with sentences in the place of codes: what readers of a list distinguish."""
    facts = [f"{what}: {reason}" for what, reason in unprotected_facts(manifest)]
    outputs = []
    for output in manifest["outputs"]:
        sentences: dict[str, Any] = {}
        with suppress(KeyError, TypeError, ValueError):  # parameters that are none have no sentences
            sentences["post_processing"], sentences["warnings"] = output_sentences(output)
            if output["sensitivity"] is not None:
                derivation = parameters_of(output).sentence(output["sensitivity"]["derivation"])
                sentences["sensitivity"] = {**output["sensitivity"], "derivation": derivation}
        outputs.append({**output, **sentences})
    return {
        **manifest,
        "digests": None,
        "outputs": outputs,
        "privacy": {**manifest["privacy"], "not_protected": facts},
        "warnings": list(map(warning_sentence, manifest["warnings"])),
    }


def _verdict_form(comparison: Comparison) -> dict[str, str]:
    return {"verdict": str(comparison.verdict), "because": comparison.because}
