"""What `verify` returns: what is wrong with a bundle, what was checked, and what only the data could show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from synthrelease.dp import event as events
from synthrelease.dp.guarantee import from_json
from synthrelease.errors import Argument, Remedy
from synthrelease.notebook import CardTable, NotebookCard, Tone
from synthrelease.number_words import several
from synthrelease.printable import short_repr

# Parameters whose numbers follow from a public file that is not in the bundle.
_FROM_FILES = {"pilot": "pilot", "maps": "public maps"}  # by the key of a mechanism's parameters


@dataclass(frozen=True)
class Finding:
    """Something wrong with a bundle: a `code` for programs, a place, and a sentence for people."""

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return (
            f"[{self.code}] {self.where}: {self.message}" if self.where else f"[{self.code}] {self.message}"
        )


@dataclass(repr=False)
class Verification:
    """What `verify` found.

    Attributes:
        findings: faults; empty if there are none.
        checked: what was checked, in words.
        manifest: the manifest, if it could be read.
        signed_by: ids of the keys that signatures say they are by; only what `checked` names was checked.
        not_done: what protects the computer during a check and this system does not offer, in sentences; empty on Linux.
    """

    findings: list[Finding] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    manifest: dict[str, Any] | None = None
    signed_by: list[str] = field(default_factory=list)
    not_done: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.findings

    @property
    def on_trust(self) -> list[str]:
        """What only the data could show, in words; empty if there are faults."""
        return claims_on_trust(self.manifest) if self.ok and self.manifest is not None else []

    @property
    def unprotected(self) -> dict[str, str]:
        """Outputs that protect no one, by name, each with its guarantee in words; empty if there are faults."""
        return dict(unprotected_outputs(self.manifest)) if self.ok and self.manifest is not None else {}

    @property
    def remedy(self) -> str:
        """What to do about the faults; empty if there are none, or if they are breaches of a policy: the file is what it says."""
        codes = {finding.code for finding in self.findings}
        if codes <= {"policy"}:
            return ""
        if codes == {"test-seed"}:
            return Remedy(
                "build it without a test seed; only for tests of a program: ",
                Argument("allow_test_seed", True),
            )
        if codes == {"unknown-kind"}:
            return "install the package that defines the kind, and verify again"
        return "do not use this file: get it again from its source, and verify it"

    def __bool__(self) -> bool:
        return self.ok  # so that `if verify(path):` is false for a forged bundle

    def __repr__(self) -> str:
        codes = ", ".join(dict.fromkeys(finding.code for finding in self.findings))
        found = f"{len(self.findings)} found: {codes}" if codes else "no fault found"
        return short_repr(self, found).replace(" ", ": ", 1)

    def _repr_html_(self) -> str:
        found = several(len(self.findings), "fault")
        rows = tuple((finding.code, finding.where, finding.message) for finding in self.findings)
        trust = [f"On trust: {claim}." for claim in self.on_trust]
        unprotected = [
            f"{name} protects no one: {guarantee}." for name, guarantee in self.unprotected.items()
        ]
        said = {"Checked": ", ".join(self.checked), "To do": str(self.remedy)}
        return NotebookCard(
            "Verification",
            "",
            "no fault found" if self.ok else f"VERIFICATION FAILED: {found}",
            Tone.GOOD if self.ok else Tone.BAD,
            tuple(f"{what}: {words}." for what, words in said.items() if words),
            CardTable(("code", "where", "fault"), rows) if rows else None,
            (*unprotected, *trust, *self.not_done),
        ).html

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or f"no fault found: {', '.join(self.checked)}"

    def to_json(self) -> dict[str, Any]:
        """Return everything but the manifest for a program."""
        return {
            "ok": self.ok,
            "checked": self.checked,
            "on_trust": self.on_trust,
            "signed_by": self.signed_by,
            "not_done": self.not_done,
            "unprotected": self.unprotected,
            "findings": [
                {"code": finding.code, "where": finding.where, "message": finding.message}
                for finding in self.findings
            ],
        }


def claims_on_trust(manifest: dict[str, Any]) -> list[str]:
    """Return what only the data could show, in sentences: for these you take the curator's word."""
    guarantees = [(output["name"], output["guarantee"]) for output in manifest["outputs"]]
    sentences = [
        "that a label is one person and depends on no one else, and that bounds, limits, areas and public lists were chosen without looking"
    ]
    if manifest["privacy"]["people"] is not None:
        sentences.append("that numbers of participants are those of the data")
    if any(guarantee["kind"] not in {"none", "plausible_deniability"} for _, guarantee in guarantees):
        sentences.append("that rows were limited, and noise was drawn, as stated")
    leaves = [
        leaf for output in manifest["outputs"] for leaf in events.flatten(events.from_json(output["event"]))
    ]
    if any(isinstance(leaf, events.PrivateChoice) for leaf in leaves):
        sentences.append("that private choices were made with the stated ε")
    if manifest["ledger"] is not None:
        sentences.append("what other releases cost, which the ledger alone shows")
    sentences += [
        f"that every record of {name} met k = {guarantee['k']} and γ = {guarantee['gamma']:g}"
        for name, guarantee in guarantees
        if guarantee["kind"] == "plausible_deniability" and not guarantee["vacuous"]
    ]
    sentences += [
        f"that what is stated of the {noun} of {output['name']} follows from the file with the stated SHA-256"
        for output, noun in _from_files(manifest["outputs"])
    ]
    return [*sentences, *claims_of_public_data(manifest["outputs"])]


def claims_of_public_data(outputs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what is believed of the public data that outputs start from, in sentences.

    Args:
        outputs: `name` and `mechanism` of each, as a manifest has them.
    """
    return [
        f"that no participant of this dataset is in the {noun} of {output['name']}, and that nothing of theirs made it: a build recognises people by "
        "their labels alone, and only those in its own plan's inputs"
        for output, noun in _from_files(outputs)
    ]


def _from_files(outputs: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    for output in outputs:
        for key, noun in _FROM_FILES.items():
            if output["mechanism"]["parameters"].get(key) is not None:
                yield output, noun


def unprotected_outputs(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the outputs that protect no one, each with its guarantee in words."""
    guarantees = [(output["name"], output["guarantee"]) for output in manifest["outputs"]]
    return [
        (name, str(from_json(guarantee)))
        for name, guarantee in guarantees
        if guarantee["kind"] == "none" or guarantee.get("vacuous", False)
    ]
