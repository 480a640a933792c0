"""Scanpaths with plausible deniability: from a plan's words to the mechanism; what would be false, empty or impossible is refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import LAPLACE
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import (
    assignment_is_public,
    names_source,
    require_few_fixations,
    require_fixations,
)
from synthrelease.kinds.records.checks import check_policy, check_sense, trials_for
from synthrelease.kinds.records.kind import RECORDS
from synthrelease.kinds.records.public import DP, MARGINALS, PERSON, SEEDED
from synthrelease.kinds.records.public_scanpaths import CHAIN, DENIABLE, ScanpathRecordsParameters
from synthrelease.kinds.records.scanpaths import ScanpathRecords
from synthrelease.kinds.records.tokens import Tokens

_OF_FEATURES = (
    "features",
    "bins",
    "order",
    "resampled",
    "task",
    "per_task",
    "rows",
    "epsilon0",
    "dependence",
)
_ONLY = {"missing": "drop", "count": PERSON, "threshold": "fixed"}  # what else would say something else
_MOST_PAIRS = (
    30_000_000  # of cells that counts and model have a number for: 33 bytes each while they are made
)


def records_of_trials(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> ScanpathRecords:
    """Fill in the public parameters of records of trials.

    Raises:
        PlanError: a parameter contradicts another or does not belong to trials, or k viewers of a stimulus cannot be found.
        PolicyError: the test is vacuous and that is not acknowledged.
    """
    o = spec.options
    _check_keys(spec, source)
    asked = _asked(spec)
    ends = tuple(map(float, asked["durations_ms"]))
    tokens = Tokens(asked["columns"], asked["rows"], ends, asked["fixations"])
    _check_tokens(spec, tokens, asked["kept"])
    attributes = tokens.attributes(facts.names)
    is_public = assignment_is_public(source)
    rows = asked["scanpaths"] * len(facts.names)
    require_few_fixations(rows * tokens.fixations, where=f"{spec.where}.tokens")
    _check_pairs(spec, tokens, len(facts.names))
    parameters = ScanpathRecordsParameters(
        name=DENIABLE,
        people=facts.people,
        names=names_source(source),
        fit=o["fit"],
        dependence=CHAIN,
        task=True,
        per_task=True,
        attributes=attributes,
        order=tuple(range(len(attributes))),
        resampled=tuple(sorted(len(attributes) - 1 - kept for kept in asked["kept"])),
        threshold="fixed",
        k=o["k"],
        gamma=float(o["gamma"]),
        counted=PERSON,
        copies=o["copies"],
        rows=rows,
        max_stimuli_per_person=len(facts.names),
        assignment_public=is_public,
        screen=Screen(**source.options["screen"]),
        stimuli=facts.names,
        tokens=tokens,
        viewers=facts.counting(len(facts.names)) if is_public else None,
        scanpaths=asked["scanpaths"],
        sampling_seed=asked["sampling_seed"],
    )
    check_sense(spec, parameters)
    _check_viewers(spec, parameters)
    check_policy(spec, parameters)
    return ScanpathRecords(
        parameters=parameters,
        neighbours=neighbours,
        noise=o.get("noise", LAPLACE) if o["fit"] == DP else None,
        trials=trials_for(spec, rows),
        pass_rate=o.get("pass_rate"),
        duration_unit=asked["duration_unit"],
    )


def _asked(spec: OutputSpec) -> dict[str, Any]:
    """What the plan says of tokens, with defaults."""
    properties = RECORDS.options["properties"]["tokens"]["properties"]
    defaults = {key: form["default"] for key, form in properties.items() if "default" in form}
    return {**defaults, **spec.options["tokens"]}


def _check_keys(spec: OutputSpec, source: InputSpec) -> None:
    o = spec.options
    if "tokens" not in o:
        raise PlanError(
            "no-tokens",
            "records of gaze are trials, of which the plan has to say what is made categories",
            where=spec.where,
            expected="tokens = { fixations = 12 }",
            remedy="add it, or name an input of kind features",
        )
    other = [key for key in _OF_FEATURES if key in spec.written]
    other += [key for key, value in _ONLY.items() if o[key] != value]
    if other:
        raise PlanError(
            "key-of-features",
            "the output is of trials, which are tested by participants and stimuli, with a fixed threshold",
            where=f"{spec.where}.{other[0]}",
            found=", ".join(f"`{key}`" for key in other),
            expected="`tokens` says what trials are made of",
            remedy="remove it",
        )
    if o["model"] == MARGINALS:
        raise PlanError(
            "scanpaths-not-seeded",
            "scanpaths with plausible deniability start from a trial",
            where=f"{spec.where}.model",
            found=f'"{MARGINALS}"',
            expected=f'"{SEEDED}"',
            remedy="correct it; an output of kind scanpaths starts from no trial, and has differential privacy",
        )
    require_fixations(spec, source)


def _check_tokens(spec: OutputSpec, tokens: Tokens, kept: list[int]) -> None:
    ends = tokens.durations_ms
    if not all(low < high for low, high in pairwise(ends)):
        raise PlanError(
            "bad-durations",
            "the ends of the classes of durations do not increase",
            where=f"{spec.where}.tokens.durations_ms",
            found=", ".join(f"{end:g}" for end in ends),
            remedy="list each once, in increasing order",
        )
    if max(kept) > tokens.fixations:
        raise PlanError(
            "too-many-kept",
            "more fixations are to be kept than a trial has",
            where=f"{spec.where}.tokens.kept",
            found=str(max(kept)),
            expected=f"0 to {tokens.fixations}",
            remedy="keep one or two: few participants share more",
        )


def _check_pairs(spec: OutputSpec, tokens: Tokens, stimuli: int) -> None:
    pairs = stimuli * (tokens.cells + 1) ** 2 * (tokens.fixations - 1)
    if pairs > _MOST_PAIRS:
        raise PlanError(
            "too-many-cells",
            "the model of so many pairs of cells takes more memory than there is",
            where=f"{spec.where}.tokens",
            found=f"{stimuli} stimuli, {tokens.cells} cells, {tokens.fixations} fixations: {pairs} pairs",
            expected=f"at most {_MOST_PAIRS}",
            remedy="use fewer cells, or fewer fixations: few participants share a fine cell",
        )


def _check_viewers(spec: OutputSpec, p: ScanpathRecordsParameters) -> None:
    assert p.k is not None
    if p.viewers is None or p.k <= min(p.viewers):
        return
    few = [stimulus for stimulus, viewers in zip(p.stimuli, p.viewers, strict=True) if viewers < p.k]
    raise PlanError(
        "k-exceeds-viewers",
        "no scanpath on a stimulus can have more plausible participants than saw it",
        where=f"{spec.where}.k",
        found=f"k = {p.k}, and fewer participants saw {len(few)} of {len(p.stimuli)} stimuli, such as '{few[0]}'",
        expected=f"k of at most {min(p.viewers)}",
        remedy="lower k, or leave these stimuli out of the input's `stimuli`",
    )
