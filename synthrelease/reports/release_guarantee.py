"""How the guarantees of two releases compare: ε, and everything that no ε covers."""

from __future__ import annotations

import json
from typing import Any

from synthrelease.bundle.disclosure import unprotected_facts
from synthrelease.dp.guarantee import Guarantee, NoGuarantee, PureDP, from_json
from synthrelease.dp.strength import Comparison, RelativeStrength, compare, verdict_of
from synthrelease.number_words import listed

_DEFINING = ("name", "kind", "mechanism", "sensitivity", "noise", "event", "guarantee")


def compare_releases(old: dict[str, Any], new: dict[str, Any]) -> Comparison:
    """Return how the guarantee of a new release compares with that of an old one.

    The release's guarantee is that of its differentially private outputs together. So a smaller ε alone does not make a release
    stronger: whatever else it publishes must have been published before, in the same way, and no more may be taken to be
    public. Without differentially private outputs ε is 0. A list of stimuli or recordings that stands in
    the plan reveals nothing about the data.

    Args:
        old: the manifest of the old release.
        new: that of the new one.
    """
    covered = compare(_covered(old), _covered(new))
    before, after = _uncovered(old), _uncovered(new)
    worse = [name for name, entry in after.items() if before.get(name) != entry]
    gone = [name for name, entry in before.items() if after.get(name) != entry]
    facts = sorted(what for what, _ in _facts(new) - _facts(old))
    because = {
        "newly outside the guarantee": [name for name in worse if name not in before],
        "outside the guarantee, and published differently than before": [
            name for name in worse if name in before
        ],
        "no longer published outside the guarantee": [name for name in gone if name not in after],
        "more is assumed public": facts,
    }
    reasons = [] if covered.verdict is RelativeStrength.EQUAL else [covered.because]
    reasons += [f"{what}: {listed(names)}" for what, names in because.items() if names]
    verdict = verdict_of(
        keeps=covered.verdict in (RelativeStrength.EQUAL, RelativeStrength.STRONGER)
        and not worse
        and not facts,
        kept=covered.verdict in (RelativeStrength.EQUAL, RelativeStrength.WEAKER) and not gone,
    )
    return Comparison(verdict, "; ".join(reasons) or covered.because)


def _covered(manifest: dict[str, Any]) -> Guarantee:
    """The guarantee of the outputs that are differentially private; nothing published costs nothing."""
    guarantee = from_json(manifest["privacy"]["guarantee"])
    if isinstance(guarantee, NoGuarantee) and not manifest["privacy"]["composition"]["outputs"]:
        return PureDP(epsilon=0.0, unit=guarantee.unit, neighbours=guarantee.neighbours)
    return guarantee


def _uncovered(manifest: dict[str, Any]) -> dict[str, str]:
    """What is published outside of them: by name, how."""
    covered = set(manifest["privacy"]["composition"]["outputs"])
    return {
        output["name"]: json.dumps({key: output[key] for key in _DEFINING}, sort_keys=True)
        for output in manifest["outputs"]
        if output["name"] not in covered
    }


def _facts(manifest: dict[str, Any]) -> set[tuple[str, str]]:
    """What is taken to be public and was not simply listed."""
    listed = {
        f"{noun} of {output['name']}"
        for output in manifest["outputs"]
        if output["mechanism"]["public_inputs"]["names"] == "listed"
        for noun in ("stimuli", "recordings")
    }
    return {fact for fact in unprotected_facts(manifest, outputs=False) if fact[0] not in listed}
