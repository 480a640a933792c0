"""What a release guarantees, in sentences with the manifest's exact numbers: rounded ones could say more."""

from __future__ import annotations

from typing import Any

from synthrelease.bundle.disclosure import output_sentences, unprotected_facts, warning_sentence
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.registry import kind_of, parameters_of
from synthrelease.reports.guarantee_words import guarantee_caption, guarantee_words, output_guarantee_words
from synthrelease.reports.output_words import noise_words, rows_of

PARAMETERS = {"epsilon": "ε", "delta": "δ", "k": "k", "gamma": "γ"}
_VARIANTS = {
    "pure_dp": "pure differential privacy",
    "approx_dp": "approximate differential privacy",
}
_NEIGHBOURS = {
    Neighbours.REPLACE_ONE: (
        "Two datasets are neighbours if all rows of one person, in every input, are replaced by any other rows (bounded DP). "
        "The number of participants is public."
    ),
    Neighbours.ADD_REMOVE_ONE: (
        "Two datasets are neighbours if all rows of one person, in every input, are added or removed (unbounded DP). "
        "The number of participants is private."
    ),
}
_SEEDED = (
    f"{TEST_SEED_WORDS}: the noise is reproducible. Anyone who knows the seed can remove it, and then no guarantee that is "
    "stated here holds."
)


def title(manifest: dict[str, Any]) -> str:
    """Return the release's title; the mark of a test seed stands before it."""
    prefix = f"{TEST_SEED_WORDS}: " if manifest["randomness"]["test_seed"] else ""
    return f"{prefix}{manifest['release']['title']}"


def test_seed_warning(manifest: dict[str, Any]) -> list[str]:
    """Return what stands before any guarantee: that it does not hold, if the noise came from a test seed."""
    return [_SEEDED] if manifest["randomness"]["test_seed"] else []


def abstract(manifest: dict[str, Any]) -> list[str]:
    """Return what is in a release, a sentence for each output, and that the data themselves are not."""
    tool = manifest["tool"]
    return [
        *test_seed_warning(manifest),
        *(f"{output['name']}: {parameters_of(output).summary()}" for output in manifest["outputs"]),
        f"Made by {tool['name']} {tool['version']} from private data, which are not part of the release.",
    ]


def exact_guarantee(guarantee: dict[str, Any]) -> str:
    """Return a guarantee with its numbers as the manifest has them.

    Args:
        guarantee: of a manifest, or of an output.
    """
    if guarantee["kind"] == "none":
        return f"no guarantee: {guarantee['reason']}"
    numbers = ", ".join(f"{sign} = {guarantee[key]}" for key, sign in PARAMETERS.items() if key in guarantee)
    if guarantee["kind"] in _VARIANTS:
        return f"{numbers} for each {guarantee['unit']} ({_VARIANTS[guarantee['kind']]}, {guarantee['neighbours']})"
    empty = "; the test cannot fail here, and protects no one" if guarantee["vacuous"] else ""
    return f"plausible deniability with {numbers}, each a {guarantee['counted']}: not differential privacy{empty}"


def guarantee_sentence(manifest: dict[str, Any], output: dict[str, Any]) -> str:
    """Return the guarantee of an output in a few sentences, next to that of the whole release; or that it does not hold.

    Args:
        manifest: of a bundle that verifies.
        output: an entry of its `outputs`.
    """
    alone, *together = guarantee_caption(manifest, output)
    if manifest["randomness"]["test_seed"]:
        return f"Guarantee: {alone}."
    if output["guarantee"]["kind"] == "none":
        return output_guarantee_words(output)
    return " ".join(
        [f"Guarantee: {alone}.", output_guarantee_words(output), *(f"{sentence}." for sentence in together)]
    )


def guarantees(manifest: dict[str, Any]) -> list[str]:
    """Return all guarantees: what they mean, of the release, for which neighbours, and of each output.

    Args:
        manifest: of a bundle that verifies.
    """
    return [
        *test_seed_warning(manifest),
        *_meaning(manifest),
        release_guarantee(manifest),
        neighbouring_relation(manifest),
        *(output_guarantee(manifest, output) for output in manifest["outputs"]),
    ]


def output_guarantee(manifest: dict[str, Any], output: dict[str, Any]) -> str:
    """Return the guarantee of one output by itself."""
    covered = output["name"] in manifest["privacy"]["composition"]["outputs"]
    not_private = "" if covered else "not differentially private; "
    return f"{output['name']} by itself: {not_private}{exact_guarantee(output['guarantee'])}."


def event_level_guarantees(manifest: dict[str, Any]) -> list[str]:
    """Return the event-level guarantees of signals, which do not protect a person."""
    return [
        f"{output['name']}, event-level guarantee for one {guarantee['unit']}: {exact_guarantee(guarantee)}. It does not protect a person."
        for output in manifest["outputs"]
        for guarantee in output["narrower_units"]
    ]


def release_guarantee(manifest: dict[str, Any]) -> str:
    """Return the guarantee of all outputs that are differentially private, composed."""
    privacy = manifest["privacy"]
    covered = privacy["composition"]["outputs"]
    if not covered:
        return "Nothing in this release is differentially private."
    covers_all = len(covered) == len(manifest["outputs"])
    subject = "The whole release" if covers_all else f"Of this release only {', '.join(covered)}, together"
    return f"{subject}: {exact_guarantee(privacy['guarantee'])}, by {privacy['composition']['method']}."


def neighbouring_relation(manifest: dict[str, Any]) -> str:
    """Return the neighbouring relation, and the unit of privacy."""
    unit = "Unit of privacy: one person, with all rows of all their recordings, on all stimuli, in every input (user-level DP)."
    return f"{unit} {_NEIGHBOURS[Neighbours(manifest['privacy']['neighbours'])]}"


def not_protected(manifest: dict[str, Any]) -> list[str]:
    """Return what the release does not protect, each with its reason: outputs without differential privacy, and public facts."""
    by_fact = {f"output {output['name']}": output["guarantee"] for output in manifest["outputs"]}
    return [
        f"{what}: not differentially private; {exact_guarantee(by_fact[what])}"
        if what in by_fact
        else f"{what}: {why}"
        for what, why in unprotected_facts(manifest)
    ]


def procedures(manifest: dict[str, Any]) -> list[str]:
    """Return how each output was made, before and with the noise: which rows count first."""
    return [
        f"{output['name']}: {' '.join([*rows_of(manifest, output), parameters_of(output).procedure(), noise_words(output)])}"
        for output in manifest["outputs"]
    ]


def post_processing(manifest: dict[str, Any]) -> list[str]:
    """Return what was done with the noisy numbers, which costs no privacy."""
    return [
        f"{output['name']}: {step}" for output in manifest["outputs"] for step in output_sentences(output)[0]
    ]


def warnings(manifest: dict[str, Any]) -> list[str]:
    """Return the caveats of each output, and the warnings of the release."""
    of_outputs = [
        f"{output['name']}: {warning}"
        for output in manifest["outputs"]
        for warning in output_sentences(output)[1]
    ]
    return [*of_outputs, *map(warning_sentence, manifest["warnings"])]


def biases(manifest: dict[str, Any]) -> list[str]:
    """Return what draws the published numbers away from the data, besides noise without a direction."""
    return [
        f"{output['name']}: {bias}"
        for output in manifest["outputs"]
        for bias in parameters_of(output).biases()
    ]


def ledger_sentence(manifest: dict[str, Any]) -> str:
    """Return what all releases of the dataset cost a person together, as far as that is tracked."""
    ledger = manifest["ledger"]
    if ledger is None:
        return "Other releases of the same private data are not tracked; their privacy costs add up."
    return (
        f"All releases of the same private data so far, by the curator's ledger: ε = {ledger['spent_after']} at "
        f"δ = {ledger['delta']}; earlier releases ε = {ledger['spent_before']}, this release by itself ε = {ledger['spent_here']}."
    )


def how_to_verify(sha256: str) -> str:
    """Return where all guarantees can be checked: in the bundle of this SHA-256."""
    return (
        "Every guarantee stated here follows from the bundle, and can be recomputed without the data: synthrelease verify FILE. "
        f"SHA-256 of the bundle: {sha256}."
    )


def keywords(manifest: dict[str, Any]) -> list[str]:
    """Return what a release can be found by; differential privacy only if something in it has that."""
    subjects = dict.fromkeys(kind_of(output).subject for output in manifest["outputs"])
    kinds = {output["guarantee"]["kind"] for output in manifest["outputs"]}
    return [
        "eye tracking",
        *subjects,
        *(["differential privacy"] if manifest["privacy"]["composition"]["outputs"] else []),
        *(["plausible deniability"] if "plausible_deniability" in kinds else []),
    ]


def _meaning(manifest: dict[str, Any]) -> list[str]:
    """What the guarantee means, as the public report has it; nothing where nothing bounds the best guess."""
    if manifest["randomness"]["test_seed"] or not manifest["privacy"]["composition"]["outputs"]:
        return []
    words = guarantee_words(manifest)
    return [words.statement, *words.sentences]
