"""Feature signals: the plan's words as the parameters of every mechanism, and the output of the one that it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.errors import PlanError
from synthrelease.maths.signal_form import CFPA, CHUNKED, DCFPA, FPA, LPA, SignalForm
from synthrelease.maths.spectral_signals import (
    OF_PERSON,
    OF_RECORDING,
    OF_START,
    SpectralSignalForm,
)
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.bozkir2021 import PaperParameters
from synthrelease.mechanisms.private_frequencies import PrivateFrequencies
from synthrelease.mechanisms.signals import EACH, SignalParameters
from synthrelease.mechanisms.spectral_signals import SpectralSignalParameters
from synthrelease.outputs.noised_signals import NoisedSignalsOutput
from synthrelease.outputs.published_signals import PublishedSignalsOutput
from synthrelease.outputs.resolved import chosen_features, require_replace_one
from synthrelease.outputs.signal_quality import Parameters, Quality
from synthrelease.outputs.spectral_signals import SpectralSignalsOutput
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import LAPLACE
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.temporal_leakage import temporal_leakage

SPECTRAL, PRIVATE, ORACLE, BOZKIR2021 = "spectral", "private", "oracle", "bozkir2021"
_CHUNKS = {CFPA: 64, DCFPA: 32}
_FREQUENCIES, _COSINES = 4, 64  # kept, unless the plan says otherwise
_CLIP = 0.03  # of a spectral signal; what it is chosen by stands in docs/signals.md
_CANDIDATES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
_LONGEST_CHOICE = (
    1024  # steps of a chunk whose frequencies are chosen privately: a matrix of its square is made
)
_LARGEST_BASIS = 1 << 28  # numbers: 2 GB. Far below what would let a person's squares leave 64 bits, too
# Keys that have a meaning for some mechanisms only.
_KEYS = {
    "noise": (LPA, FPA, CFPA, DCFPA),
    "chunk": CHUNKED,
    "coefficients": (FPA, CFPA, DCFPA, SPECTRAL),
    "candidates": (FPA, CFPA, DCFPA),
    "choice_share": (FPA, CFPA, DCFPA),
    "max_change": (DCFPA,),
    "clip": (FPA, CFPA, DCFPA, SPECTRAL),
    "baseline": (SPECTRAL,),
    "baseline_steps": (SPECTRAL,),
    "markov_chain": (LPA,),
}


@dataclass(frozen=True)
class _Asked:
    """What every mechanism's parameters are made of."""

    spec: OutputSpec
    facts: Facts
    neighbours: Neighbours
    features: int
    length: int

    @property
    def recordings(self) -> int:
        return len(self.facts.names)


def resolve(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> NoisedSignalsOutput | SpectralSignalsOutput | PublishedSignalsOutput:
    """Fill in the public parameters of a signals output.

    Raises:
        PlanError: a parameter is missing, has no meaning for the mechanism, or contradicts another.
    """
    require_replace_one(spec, neighbours)
    own = spec.options["mechanism"]
    _check_keys(spec, own)
    bounds = chosen_features(spec, source)
    if spec.options["calibration"] == BOZKIR2021:
        length = _length(spec, facts)
        if facts.people < 2:
            raise PlanError(
                "too-few-people",
                "the paper's sensitivities are distances of two people",
                where=spec.where,
                found=f"{facts.people} in the input",
                remedy="leave out calibration, or take data of more people",
            )
        return PublishedSignalsOutput(spec, source, facts, bounds, _published(spec, own, length), length)
    asked = _Asked(spec, facts, neighbours, len(bounds), _length(spec, facts))
    if own == SPECTRAL:
        spectral = _spectral(asked)
        return SpectralSignalsOutput(spec, source, facts, bounds, spectral, _quality(asked, spectral))
    parameters = _noised(asked, own)
    _check_chain(spec, parameters)
    private = _private_frequencies(spec, parameters)
    # Of frequencies that are yet to be chosen, the usual number tells what to expect.
    expected = parameters if private is None else private.at(min(_FREQUENCIES, private.candidates[-1]))
    return NoisedSignalsOutput(spec, source, facts, bounds, parameters, _quality(asked, expected), private)


def _check_keys(spec: OutputSpec, own: str) -> None:
    for key, mechanisms in _KEYS.items():
        if key in spec.given and own not in mechanisms:
            raise PlanError(
                "key-not-for-mechanism",
                f"the key '{key}' has no meaning for this mechanism",
                where=spec.where,
                found=f'mechanism = "{own}"',
                expected="it belongs to " + ", ".join(mechanisms),
                remedy="leave the key out, or choose another mechanism",
            )
    if ("paper_epsilon" in spec.given) != (spec.options["calibration"] == BOZKIR2021):
        raise PlanError(
            "key-not-for-calibration",
            "paper_epsilon is the ε of what the paper calibrates, and of nothing else",
            where=spec.where,
            expected='paper_epsilon and calibration = "bozkir2021" together, or neither',
            remedy="add what is missing, or leave both out",
        )
    if own == SPECTRAL and spec.options["query"] == EACH:
        raise PlanError(
            "query-not-for-mechanism",
            "a spectral signal is a mean over people",
            where=f"{spec.where}.query",
            found='"each"',
            expected=f'"mean", or one of the mechanisms {LPA}, {FPA}, {CFPA}, {DCFPA}',
            remedy="leave out query, or choose one of these mechanisms",
        )


def _check_chain(spec: OutputSpec, parameters: SignalParameters) -> None:
    if "markov_chain" not in spec.given:
        return
    if parameters.noise != LAPLACE:
        raise PlanError(
            "markov-not-for-mechanism",
            "a Markov chain is for steps with Laplace noise, each ε-private by itself",
            where=f"{spec.where}.markov_chain",
            found=f'noise = "{parameters.noise}"',
            expected='noise = "laplace"',
            remedy="leave out markov_chain, or choose Laplace noise",
        )
    try:
        temporal_leakage(spec.options["markov_chain"], [0.0])
    except ValueError as error:
        raise PlanError(
            "bad-transitions",
            "these are no transition probabilities",
            where=f"{spec.where}.markov_chain",
            found=str(error),
            remedy="correct the matrix: rows of probabilities that sum to 1",
        ) from None


def _length(spec: OutputSpec, facts: Facts) -> int:
    length: int | None = spec.options.get("length", facts.longest)
    if length is None:
        raise PlanError(
            "length-missing",
            "the plan does not say how many steps a series has",
            where=spec.where,
            expected='length = STEPS, or assume_public = ["lengths"] in the input',
            remedy="add one of the two",
        )
    if length < 2:
        raise PlanError(
            "length-too-small",
            "a series of one step is no signal",
            where=spec.where,
            found=f"length = {length}",
            expected="at least 2 steps; a mean of single values is a statistic",
            remedy='choose a longer series, or kind = "statistics"',
        )
    return length


def _noised(asked: _Asked, mechanism: str) -> SignalParameters:
    spec, o = asked.spec, asked.spec.options
    chunk = None
    if mechanism in CHUNKED:
        chunk = min(o.get("chunk", _CHUNKS[mechanism]), asked.length)
    most = (chunk or asked.length) // 2 + 1
    frequencies = None if mechanism == LPA else o.get("coefficients", min(_FREQUENCIES, most))
    if frequencies == PRIVATE:
        frequencies = 1
    if frequencies == ORACLE:
        raise PlanError(
            "oracle-unprotected",
            "the oracle's number of frequencies is taken from the data",
            where=f"{spec.where}.coefficients",
            found='"oracle"',
            expected='a number, or "private"; or calibration = "bozkir2021" to reproduce the paper, unprotected',
            remedy="give a number of your own",
        )
    if frequencies is not None and frequencies > most:
        raise PlanError(
            "too-many-frequencies",
            "there are not so many frequencies",
            where=f"{spec.where}.coefficients",
            found=str(frequencies),
            expected=f"1 to {most} for {chunk or asked.length} steps",
            remedy="lower coefficients",
        )
    if frequencies is not None and 2 * frequencies * (chunk or asked.length) > _LARGEST_BASIS:
        raise PlanError(
            "too-many-coefficients",
            "so many frequencies of so long a series take more memory than there is",
            where=f"{spec.where}.coefficients",
            found=f"{frequencies} frequencies of {asked.length} steps",
            expected=f"at most {_LARGEST_BASIS // (2 * asked.length)} for so many steps, or chunks of them",
            remedy='mechanism = "cfpa"',
        )
    change = o.get("max_change")
    form = SignalForm(
        mechanism,
        asked.length,
        chunk,
        frequencies,
        None if change is None else max(1, int(change * 2 * HALF_RANGE)),
        float(o.get("clip", 1.0)),
    )
    noise = o.get("noise", LAPLACE)
    return SignalParameters(
        form,
        noise,
        o["query"],
        asked.features,
        asked.recordings,
        asked.neighbours,
        asked.facts.people,
        o["completion"],
    )


def _private_frequencies(spec: OutputSpec, parameters: SignalParameters) -> PrivateFrequencies | None:
    o, form = spec.options, parameters.form
    if o.get("coefficients") != PRIVATE:
        for key in ("candidates", "choice_share"):
            if key in spec.given:
                raise PlanError(
                    "key-needs-private-choice",
                    f"'{key}' belongs to a private choice, but there is none",
                    where=spec.where,
                    expected='coefficients = "private"',
                    remedy="leave the key out, or choose privately",
                )
        return None
    side = form.chunk or form.length
    if side > _LONGEST_CHOICE:
        raise PlanError(
            "series-too-long-for-choice",
            "frequencies are chosen privately for shorter series or chunks only",
            where=spec.where,
            found=f"{side} steps",
            expected=f"at most {_LONGEST_CHOICE}",
            remedy="choose a number of coefficients, or shorter chunks",
        )
    most = side // 2 + 1
    candidates = tuple(o.get("candidates", [k for k in _CANDIDATES if k <= most]))
    if list(candidates) != sorted(candidates) or candidates[-1] > most:
        raise PlanError(
            "bad-candidates",
            "the candidates are no increasing numbers of frequencies",
            where=f"{spec.where}.candidates",
            expected=f"increasing whole numbers from 1 to {most}",
            remedy="correct the list, or leave it out",
        )
    return PrivateFrequencies(candidates, float(o["choice_share"]), parameters)


def _published(spec: OutputSpec, mechanism: str, length: int) -> PaperParameters:
    o = spec.options
    if mechanism == SPECTRAL:
        raise PlanError(
            "mechanism-not-of-paper",
            "the paper has no such mechanism",
            where=f"{spec.where}.mechanism",
            found=f'"{mechanism}" with calibration = "bozkir2021"',
            expected=f"one of {LPA}, {FPA}, {CFPA}, {DCFPA}",
            remedy="choose one of these",
        )
    for key in ("noise", "candidates", "choice_share", "max_change", "clip", "markov_chain"):
        if key in spec.given:
            raise PlanError(
                "key-not-for-calibration",
                f"the paper has nothing to choose about '{key}'",
                where=spec.where,
                expected='calibration = "exact" with this key',
                remedy="leave the key out",
            )
    if o.get("coefficients") == PRIVATE or ("query" in spec.given and o["query"] != EACH):
        raise PlanError(
            "query-not-of-paper",
            "the paper publishes everybody's own series, with a number of coefficients taken from the data",
            where=spec.where,
            expected='query = "each", and coefficients = "oracle" or a number',
            remedy="set both, or leave out calibration",
        )
    chunk = min(o.get("chunk", _CHUNKS[mechanism]), length) if mechanism in CHUNKED else None
    return PaperParameters(mechanism, float(o["paper_epsilon"]), chunk, o.get("coefficients", ORACLE))


def _spectral(asked: _Asked) -> SpectralSignalParameters:
    spec, o = asked.spec, asked.spec.options
    baseline = o["baseline"]
    if baseline == OF_PERSON and asked.recordings == 1:
        baseline = OF_RECORDING  # the same, and its level need not be released to be known
    steps = o.get("baseline_steps")
    if (steps is not None) != (baseline == OF_START) or (steps is not None and steps > asked.length):
        raise PlanError(
            "baseline-steps",
            "the baseline and its steps do not go together",
            where=spec.where,
            found=f'baseline = "{baseline}", '
            + ("no baseline_steps" if steps is None else f"baseline_steps = {steps}"),
            expected=f'baseline = "start" with baseline_steps of 1 to {asked.length}, and no other with any',
            remedy="correct one of the two",
        )
    lowest = 1 if baseline == OF_RECORDING else 0
    most = min(asked.length - lowest, 512)
    cosines = o.get("coefficients", min(_COSINES, most))
    if cosines in {PRIVATE, ORACLE} or cosines > most:
        raise PlanError(
            "needs-public-cosines",
            "a spectral signal needs a public number of cosines",
            where=f"{spec.where}.coefficients",
            found=str(cosines),
            expected=f"1 to {most} for {asked.length} steps; too many cost little",
            remedy="give a number in this range, or leave it out",
        )
    form = SpectralSignalForm(
        asked.length,
        asked.features * asked.recordings,
        cosines,
        baseline,
        steps,
        float(o.get("clip", _CLIP)),
    )
    return SpectralSignalParameters(
        form, asked.features, asked.recordings, asked.neighbours, asked.facts.people, o["completion"]
    )


def _quality(asked: _Asked, own: Parameters) -> Quality:
    """What the plan's own mechanism is worth, and beside it what others are in their usual form."""
    mechanism = asked.spec.options["mechanism"]
    usual = replace(asked, spec=replace(asked.spec, options=_usual(asked.spec), given=frozenset()))
    others: dict[str, Parameters] = {SPECTRAL: _spectral(usual)}
    others |= {name: _noised(usual, name) for name in (LPA, FPA, CFPA, DCFPA)}
    return Quality(others | {mechanism: own}, mechanism)


def _usual(spec: OutputSpec) -> dict[str, Any]:
    """The options without what the plan says of its own mechanism."""
    return {key: value for key, value in spec.options.items() if key not in _KEYS} | {"baseline": OF_PERSON}
