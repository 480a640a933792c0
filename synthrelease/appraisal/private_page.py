"""The private page of a release: what it is worth, and what attackers get from it. For its curator alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import synthrelease
from synthrelease.appraisal.appraised import Appraisal
from synthrelease.appraisal.private_cards import (
    before_and_after,
    card_of,
    glance_line,
    input_card,
)
from synthrelease.appraisal.private_words import STAMP, TWO_QUESTIONS, VERDICTS, rate, with_interval
from synthrelease.durable import OWNER_ALONE, write_atomically
from synthrelease.evaluate.attacks import AttackResult, Verdict
from synthrelease.report.number_words import several
from synthrelease.report.page import embedded, render


def write_private_page(appraisal: Appraisal, target: Path, *, force: bool = False) -> int:
    """Write the page where its owner alone can read it, and return its size in bytes.

    Args:
        appraisal: what was found.
        target: of the page.
        force: replace what is there.

    Raises:
        MachineError: the target exists and `force` is not set, or the disk, the folder or a permission is in the way.
    """
    page = private_page(appraisal).encode("utf-8")
    write_atomically(target, page, force=force, mode=OWNER_ALONE)
    return len(page)


_OF_SUMS = "Nothing that is released belongs to a single person, so there is nobody to name. The strongest attack on sums stands with each output."
_FRESH = " They were tried on fresh releases by the same mechanism: who is not in a release is the control."
_FOUND = " Something is found if the attack does better than its control, even if a guess without the release does as well."


def private_page(appraisal: Appraisal, *, version: str = synthrelease.__version__) -> str:
    """Return the page as text.

    Args:
        appraisal: what was found.
        version: of what writes it.
    """
    released = [attack for one in appraisal.outputs for attack in one.attacks]
    raw = [attack for one in appraisal.inputs for attack in one.attacks]
    # Numbers, and no names: whatever a plan calls its outputs, no two anchors are the same.
    outputs = [(one, f"output-{number}") for number, one in enumerate(appraisal.outputs, start=1)]
    inputs = [(one, f"input-{number}") for number, one in enumerate(appraisal.inputs, start=1)]
    anchors = {one.name: anchor for one, anchor in outputs}
    return render(
        "private.html",
        stamp=STAMP,
        version=version,
        release=appraisal.manifest["release"],
        made_by=appraisal.manifest["tool"],
        seeded=appraisal.manifest["randomness"]["test_seed"],
        faults=appraisal.faults,
        attacked=_OF_SUMS
        if all(one.sums_alone for one in appraisal.outputs)
        else _attacked(released, "what is released") + (_FRESH if released else ""),
        found=[
            (
                anchors[name],
                name,
                attack.attack,
                attack.measure,
                with_interval(attack.main),
                f"{rate(attack.control.value)} where there is nothing to find, chance {rate(attack.chance)}",
            )
            for name, attack in appraisal.found
        ],
        glance=[glance_line(one, anchor) for one, anchor in outputs],
        cards=[card_of(one, anchor) for one, anchor in outputs],
        raw=_attacked(raw, "the data without names"),
        inputs=[input_card(one, anchor) for one, anchor in inputs],
        before=before_and_after(appraisal),
        notes=_told(appraisal.notes),
        verdicts=[
            (str(verdict), verdict.name.lower(), told) for verdict, told in VERDICTS if released or raw
        ],
        two_questions=TWO_QUESTIONS,
        embedded=embedded(appraisal.to_json()),
    )


def _attacked(attacks: Sequence[AttackResult], what: str) -> str:
    """What attacks on something found, in a sentence or two."""
    if not attacks:
        return f"No attack on {what} was tried."
    found, untrusted = (
        sum(one.verdict is verdict for one in attacks) for verdict in (Verdict.FOUND, Verdict.UNTRUSTED)
    )
    tried = several(len(attacks), "attack")
    doubt = ""
    if untrusted:
        doubt = f"; {untrusted} cannot be trusted, and {'says' if untrusted == 1 else 'say'} nothing"
    if found:
        return f"{found} of {tried} on {what} found something{doubt}.{_FOUND}"
    none = (
        f"None of {tried} on {what} found anything"
        if len(attacks) > 1
        else f"The one attack on {what} found nothing"
    )
    return f"{none}{doubt}. That is no promise: an attack is one attempt."


def _told(notes: Mapping[str, Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    return [(name, told) for name, told in notes.items() if told]
