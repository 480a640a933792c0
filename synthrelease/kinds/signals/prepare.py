"""Feature signals: from a plan's words to the parameters of every mechanism, and to the one that it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.budget import GAUSSIAN, LAPLACE
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.temporal_leakage import temporal_leakage
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import chosen_features, names_source
from synthrelease.kinds.signals.coefficients import USUAL_FREQUENCIES, CoefficientSignals
from synthrelease.kinds.signals.public import SPECTRAL, CoefficientParameters, SpectralSignalParameters
from synthrelease.kinds.signals.public_series import EACH, MEAN
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.numerics.signal_form import CFPA, CHUNKED, DCFPA, FPA, LPA
from synthrelease.numerics.spectral_signals import OF_PERSON, OF_RECORDING, OF_START, RADIUS
from synthrelease.numerics.steps import HALF_RANGE

PRIVATE = "private"
_CHUNKS = {CFPA: 64, DCFPA: 32}
_COSINES = 64  # kept, unless the plan says otherwise
_CLIP = 0.03  # of a spectral signal; what it is chosen by stands in docs/evidence/utility.md
_CANDIDATES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
# Steps of a chunk whose frequencies are chosen privately: a matrix of its square is made.
_LONGEST_CHOICE = 1024
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
class _Request:
    """What every mechanism's parameters are made of."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    neighbours: Neighbours
    length: int

    @property
    def common(self) -> dict[str, Any]:
        """What all mechanisms have."""
        return {
            "people": self.facts.people,
            "names": names_source(self.source),
            "length": self.length,
            "completion": self.spec.options["completion"],
            "features": chosen_features(self.spec, self.source),
            "recordings": tuple(self.facts.names),
            "step_s": self.spec.options.get("step_s"),
            "length_source": "listed" if "length" in self.spec.options else "assumed",
        }


def prepare(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> CoefficientSignals | SpectralSignals:
    """Fill in the public parameters of a signals output.

    Raises:
        PlanError: a parameter is missing, has no meaning for the mechanism, or contradicts another.
    """
    mechanism = spec.options["mechanism"]
    _check_keys(spec, mechanism)
    request = _Request(spec, source, facts, neighbours, _length(spec, facts))
    request.common  # noqa: B018  features without bounds are refused before anything else
    if mechanism == SPECTRAL:
        prepared: CoefficientSignals | SpectralSignals = _spectral(request)
    else:
        prepared = _coefficients(request, mechanism)
        _check_chain(spec, prepared)
        prepared = _with_private_frequencies(spec, prepared)
    return replace(prepared, mechanisms=_alternatives(request) | {mechanism: prepared})


def _check_keys(spec: OutputSpec, mechanism: str) -> None:
    for key, mechanisms in _KEYS.items():
        if key in spec.written and mechanism not in mechanisms:
            raise PlanError(
                "key-not-for-mechanism",
                f"the key '{key}' has no meaning for this mechanism",
                where=spec.where,
                found=f'mechanism = "{mechanism}"',
                expected="it belongs to " + ", ".join(mechanisms),
                remedy="leave the key out, or choose another mechanism",
            )
    if mechanism == SPECTRAL and spec.options["query"] == EACH:
        raise PlanError(
            "query-not-for-mechanism",
            "a spectral signal is a mean over participants",
            where=f"{spec.where}.query",
            found='"each"',
            expected=f'"mean", or one of the mechanisms {LPA}, {FPA}, {CFPA}, {DCFPA}',
            remedy="leave out query, or choose one of these mechanisms",
        )


def _check_chain(spec: OutputSpec, prepared: CoefficientSignals) -> None:
    if "markov_chain" not in spec.written:
        return
    if prepared.noise != LAPLACE:
        raise PlanError(
            "markov-not-for-mechanism",
            "a Markov chain is for steps with Laplace noise, each ε-private by itself",
            where=f"{spec.where}.markov_chain",
            found=f'noise = "{prepared.noise}"',
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


def _coefficients(request: _Request, mechanism: str) -> CoefficientSignals:
    o, chunk = request.spec.options, _chunk(request, mechanism)
    change = o.get("max_change")
    parameters = CoefficientParameters(
        name=mechanism,
        **request.common,
        query=o["query"],
        chunk=chunk,
        coefficients=None if mechanism == LPA else _frequencies(request, chunk or request.length),
        candidates=None,
        max_change_grid_units=None if change is None else max(1, int(change * 2 * HALF_RANGE)),
        clip=float(o.get("clip", 1.0)),
        bound_grid_units=(),
    )
    chain = o.get("markov_chain")
    return CoefficientSignals(
        parameters=replace(parameters, bound_grid_units=parameters.radii),
        neighbours=request.neighbours,
        noise=o.get("noise", LAPLACE),
        markov_chain=None if chain is None else tuple(map(tuple, chain)),
    )


def _chunk(request: _Request, mechanism: str) -> int | None:
    if mechanism not in CHUNKED:
        return None
    chunk: int = min(request.spec.options.get("chunk", _CHUNKS[mechanism]), request.length)
    return chunk


def _frequencies(request: _Request, side: int) -> int:
    """How many frequencies are kept of a chunk of `side` steps, or of a series; 1 where that is yet to be chosen."""
    spec, most = request.spec, side // 2 + 1
    frequencies = spec.options.get("coefficients", min(USUAL_FREQUENCIES, most))
    if frequencies == PRIVATE:
        frequencies = 1
    if frequencies > most:
        raise PlanError(
            "too-many-frequencies",
            "there are not so many frequencies",
            where=f"{spec.where}.coefficients",
            found=str(frequencies),
            expected=f"1 to {most} for {side} steps",
            remedy="lower coefficients",
        )
    if 2 * frequencies * side > _LARGEST_BASIS:
        raise PlanError(
            "too-many-coefficients",
            "so many frequencies of so long a series take more memory than there is",
            where=f"{spec.where}.coefficients",
            found=f"{frequencies} frequencies of {request.length} steps",
            expected=f"at most {_LARGEST_BASIS // (2 * request.length)} for so many steps, or chunks of them",
            remedy='mechanism = "cfpa"',
        )
    return int(frequencies)


def _with_private_frequencies(spec: OutputSpec, prepared: CoefficientSignals) -> CoefficientSignals:
    o, p = spec.options, prepared.parameters
    if o.get("coefficients") != PRIVATE:
        for key in ("candidates", "choice_share"):
            if key in spec.written:
                raise PlanError(
                    "key-needs-private-choice",
                    f"'{key}' belongs to a private choice, but there is none",
                    where=spec.where,
                    expected='coefficients = "private"',
                    remedy="leave the key out, or choose privately",
                )
        return prepared
    side = p.chunk or p.length
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
    return replace(
        prepared, parameters=replace(p, candidates=candidates), choice_share=float(o["choice_share"])
    )


def _spectral(request: _Request) -> SpectralSignals:
    spec, o = request.spec, request.spec.options
    baseline = o["baseline"]
    if baseline == OF_PERSON and len(request.facts.names) == 1:
        baseline = OF_RECORDING  # the same, and its level need not be released to be known
    steps = o.get("baseline_steps")
    if (steps is not None) != (baseline == OF_START) or (steps is not None and steps > request.length):
        raise PlanError(
            "baseline-steps",
            "the baseline and its steps do not go together",
            where=spec.where,
            found=f'baseline = "{baseline}", '
            + ("no baseline_steps" if steps is None else f"baseline_steps = {steps}"),
            expected=f'baseline = "start" with baseline_steps of 1 to {request.length}, and no other with any',
            remedy="correct one of the two",
        )
    lowest = 1 if baseline == OF_RECORDING else 0
    most = min(request.length - lowest, 512)
    cosines = o.get("coefficients", min(_COSINES, most))
    if cosines == PRIVATE or cosines > most:
        raise PlanError(
            "needs-public-cosines",
            "a spectral signal needs a public number of cosines",
            where=f"{spec.where}.coefficients",
            found=str(cosines),
            expected=f"1 to {most} for {request.length} steps; too many cost little",
            remedy="give a number in this range, or leave it out",
        )
    parameters = SpectralSignalParameters(
        name=SPECTRAL,
        **request.common,
        query=MEAN,
        cosines=cosines,
        baseline=baseline,
        baseline_steps=steps,
        clip=float(o.get("clip", _CLIP)),
        radius_grid_units=RADIUS,
        constant_grid_units=0,
    )
    parameters = replace(parameters, constant_grid_units=parameters.form.constant)
    return SpectralSignals(parameters=parameters, neighbours=request.neighbours, noise=GAUSSIAN)


def _alternatives(request: _Request) -> dict[str, CoefficientSignals | SpectralSignals]:
    """Return all mechanisms in their usual form."""
    usual = replace(
        request, spec=replace(request.spec, options=_usual_options(request.spec), written=frozenset())
    )
    return {SPECTRAL: _spectral(usual)} | {
        name: _coefficients(usual, name) for name in (LPA, FPA, CFPA, DCFPA)
    }


def _usual_options(spec: OutputSpec) -> dict[str, Any]:
    """The options without what the plan says of its own mechanism."""
    return {key: value for key, value in spec.options.items() if key not in _KEYS} | {"baseline": OF_PERSON}
