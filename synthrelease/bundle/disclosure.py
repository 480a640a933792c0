"""What a release does not protect, and what its readers must know: everything a manifest states of itself, from its own numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import Guarantee, Neighbours, NoGuarantee, PlausibleDeniability, Unit
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.kinds.expectation import no_better
from synthrelease.kinds.registry import kind_of, parameters_of
from synthrelease.remarks import Remark, remark, sentence

_WEAK_EPSILON = 10.0
_LARGEST_DELTA = 1e-3  # where the number of participants is private: of a thousand, δ could give away one
_WARNINGS = {
    "test-seed": "TEST SEED - DO NOT PUBLISH: anyone who knows the seed can take the noise away",
    "one-person": "there is only 1 participant: everything that is released is about them",
    "large-delta": "δ = {delta:g} is not below 1/participants = 1/{people}: such a δ would allow publishing all data of one participant; usual is 1e-6",
    "delta-of-a-private-number": "δ = {delta:g} would allow publishing all data of one of {people} participants, whose number is private here; usual is 1e-6",
    "weak-guarantee": "ε = {epsilon:g} hardly protects: the odds of a guess about a participant may change by a factor of 10^{power}; usual values are 1 to 3",
    "rows-left-out": "the plan excludes rows by their content (`only`): participants without any remaining row are counted, too",
    "spending-not-tracked": "no ledger: the budget across releases of this dataset is not tracked",
}
WEAK = "WEAK PRIVACY"  # begins a warning about a guarantee that hardly protects
WEAK_CODES = {  # of warnings about a guarantee that hardly protects
    "weak-guarantee": "ε is very large",
    "large-delta": "δ is not below 1/participants",
    "delta-of-a-private-number": "δ is very large",
}
_PUBLIC = {  # what is not protected
    "output": "output {output}",
    "listed-names": "{noun} of {output}",
    "assumed-names": "{noun} of {output}",
    "groups": "groups of {output}",
    "everyone": "who is in which group of {output}",
    "assignment": "assignment of {output}",
    "length": "length of {output}",
    "completed-values": "values of {output}",
    "pilot": "pilot of {output}",
    "public-maps": "public maps of {output}",
    "people": "participants",
    "format": "format",
    "population": "population",
}
_REASONS = {
    "output": "{guarantee}",
    "listed-names": "public by design: list of {noun} (from the plan)",
    "assumed-names": "assumed public by study design: list of {noun} (from the data)",
    "groups": "public by design: list of groups (from the plan)",
    "everyone": "public by design: every participant is in every group (from the plan; whether it is true of the data is not released)",
    "assignment": "assumed public by study design: how many participants have rows on each stimulus, and on each set of stimuli",
    "length": "assumed public by study design: number of time steps of the longest recording (from the data)",
    "completed-values": "a value that fills a gap, or the end, is repeated at every time step there: a guarantee for a time step or a chunk "
    "refers to the completed series, not to one value of the data",
    "pilot": "declared public: distributions and mean products of other people are released exactly; a participant among them would have no protection",
    "public-maps": "declared public: maps of the stimuli are released exactly; a participant among those who looked would have no protection",
    "people": "how many participants have rows in each input, and in each combination of inputs: public under replace-one",
    "format": "that the data passed the reader's checks: otherwise there would be no release",
    "population": "facts about the population: a release is useful because it shows them",
}


def private_names(outputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the outputs that are differentially private."""
    return [
        output["name"]
        for output in outputs
        if accounting.is_differentially_private(events.from_json(output["event"]))
    ]


def covering(guarantee: Guarantee, outside: Sequence[str]) -> str:
    """Return the guarantee of a release in a line that stands alone: next to the outputs that it does not cover."""
    return f"{guarantee}; not covered: {', '.join(outside)}" if outside else str(guarantee)


def stated_guarantee(privacy: Mapping[str, Any]) -> str:
    """Return the guarantee that a new manifest's `privacy` states, in such a line."""
    outside = [
        stated["fields"]["output"] for stated in privacy["not_protected"] if stated["code"] == "output"
    ]
    return covering(guarantee_from_json(privacy["guarantee"]), outside)


def not_protected(outputs: Sequence[Mapping[str, Any]], neighbours: Neighbours) -> list[Remark]:
    """Return what `privacy.not_protected` states: outputs without differential privacy, and public facts.

    Args:
        outputs: the manifest's `outputs`.
        neighbours: the release's relation.
    """
    private = private_names(outputs)
    remarks = [remark("output", output=output["name"]) for output in outputs if output["name"] not in private]
    for output in outputs:
        remarks.extend(_public_facts(output))
    if neighbours is Neighbours.REPLACE_ONE:
        remarks.append(remark("people"))
    return [*remarks, remark("format"), remark("population")]


def _public_facts(output: Mapping[str, Any]) -> Iterator[Remark]:
    name, public = output["name"], output["mechanism"]["public_inputs"]
    parameters = output["mechanism"]["parameters"]
    noun = kind_of(output).form_of(output["mechanism"]).listed
    yield remark(f"{public['names']}-names", output=name, noun=noun)
    is_listed = parameters.get("groups") == parameters.get("stimuli", ())  # and public as that list is
    if parameters.get("by") not in {None, "recording"} and not is_listed:
        yield remark("groups", output=name)
    if parameters.get("everyone_in_every_group"):
        yield remark("everyone", output=name)
    if parameters.get("assignment_public"):
        yield remark("assignment", output=name)
    if public.get("length") == "assumed":
        yield remark("length", output=name)
    if {unit["unit"] for unit in output["narrower_units"]} & {Unit.STEP, Unit.CHUNK}:
        yield remark("completed-values", output=name)
    if parameters.get("pilot") is not None:
        yield remark("pilot", output=name)
    if parameters.get("maps") is not None:
        yield remark("public-maps", output=name)


def release_warnings(
    *,
    people: int | None,
    epsilon: float,
    delta: float,
    rows_are_left_out: bool,
    is_tracked: bool,
    is_seeded: bool,
) -> Iterator[Remark]:
    """Yield what should worry the curator and the readers of a release.

    Args:
        people: in all inputs; None where it is private.
        epsilon: that the plan allows.
        delta: likewise.
        rows_are_left_out: whether `only` leaves out rows of any input.
        is_tracked: whether a ledger counts what the dataset costs over several releases.
        is_seeded: whether the noise can be repeated.
    """
    if is_seeded:
        yield remark("test-seed")
    if people == 1:
        yield remark("one-person")
    if people is not None and delta >= 1 / people:
        yield remark("large-delta", delta=delta, people=people)
    if people is None and delta > _LARGEST_DELTA:
        yield remark("delta-of-a-private-number", delta=delta, people=math.floor(1 / delta))
    if epsilon > _WEAK_EPSILON:
        yield remark("weak-guarantee", epsilon=epsilon, power=round(epsilon / math.log(10)))
    if rows_are_left_out:
        yield remark("rows-left-out")
    if not is_tracked:
        yield remark("spending-not-tracked")


def due_warnings(manifest: Mapping[str, Any]) -> Iterator[Remark]:
    """Return the warnings of a release that follow from everything else in its manifest."""
    budget = manifest["privacy"]["budget"]
    return release_warnings(
        people=manifest["privacy"]["people"],
        epsilon=budget["epsilon"],
        delta=budget["delta"],
        rows_are_left_out=any(entry["only"] for entry in manifest["inputs"]),
        is_tracked=manifest["ledger"] is not None,
        is_seeded=manifest["randomness"]["test_seed"],
    )


def warning_sentence(stated: Remark | Mapping[str, Any]) -> str:
    """Return a warning of a release in a sentence."""
    return sentence(stated, _WARNINGS)


def warning_forms(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the warnings of a release for programs: code, fields and sentence."""
    return [{**warning, "sentence": warning_sentence(warning)} for warning in manifest["warnings"]]


def unprotected_facts(manifest: Mapping[str, Any], *, outputs: bool = True) -> list[tuple[str, str]]:
    """Return what a release does not protect, in words: of what, and why.

    Args:
        manifest: of a release.
        outputs: whether outputs without differential privacy are among them.
    """
    guarantees = {output["name"]: output["guarantee"] for output in manifest["outputs"]}
    unprotected = {f"output {name}" for name in guarantees}
    facts = []
    for stated in manifest["privacy"]["not_protected"]:
        fields = dict(stated["fields"])
        if stated["code"] == "output" and fields.get("output") in guarantees:
            fields["guarantee"] = str(guarantee_from_json(guarantees[fields["output"]]))
        stated_fact = Remark(stated["code"], fields)
        subject, reason = sentence(stated_fact, _PUBLIC), sentence(stated_fact, _REASONS)
        if outputs or subject not in unprotected:
            facts.append((subject, reason))
    return facts


def output_sentences(output: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return what was done to an output's noisy values, and what its readers must know, in sentences.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    parameters = parameters_of(output)
    done, warnings = (list(map(parameters.sentence, output[key])) for key in ("post_processing", "warnings"))
    return done, [*no_better_sentences(output), *warnings]


def no_better_sentences(output: Mapping[str, Any]) -> list[str]:
    """Return a sentence that names what an output releases no better than anyone could guess; none where that is not expected, or not known.

    It is not part of the manifest: it follows from public parameters, by what was known of accuracy when this version was made.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    parameters, guarantee = parameters_of(output), guarantee_from_json(output["guarantee"])
    if parameters.people is None or isinstance(guarantee, NoGuarantee | PlausibleDeniability):
        return []
    try:
        event = events.from_json(output["event"])
        with np.errstate(all="ignore"):
            return no_better(parameters.expected(event, parameters.people, guarantee.neighbours))
    except (ArithmeticError, LookupError, ValueError):  # forged, or near the largest numbers there are
        return []


def releases_no_better(manifest: Mapping[str, Any]) -> list[str]:
    """Return what each output of a release releases no better than anyone could guess, in sentences that name the output."""
    return [
        f"{output['name']}: {sentence}"
        for output in manifest["outputs"]
        for sentence in no_better_sentences(output)
    ]
