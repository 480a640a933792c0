"""Signals in a plan: defaults of every mechanism, keys that belong to another, and what contradicts itself."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import refusals
from click.testing import CliRunner
from signal_plans import PEOPLE, design_signals, write_pupils

from synthrelease.building.preview import as_text, preview
from synthrelease.cli import main
from synthrelease.dp.event import Composed
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.signals import prepare as words
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.numerics.signal_form import SignalForm
from synthrelease.numerics.spectral_signals import RADIUS, SpectralSignalForm
from synthrelease.numerics.steps import HALF_RANGE

NOISED = ("lpa", "fpa", "cfpa", "dcfpa")
TRANSFORMED = ("fpa", "cfpa", "dcfpa")


def resolved(folder: Path, **options: Any) -> Any:
    return design_signals(folder, **options).outputs[0].mechanism


def noised(folder: Path, **options: Any) -> CoefficientSignals:
    made = resolved(folder, **options)
    assert isinstance(made, CoefficientSignals)
    return made


def spectral(folder: Path, **options: Any) -> SpectralSignals:
    made = resolved(folder, **options)
    assert isinstance(made, SpectralSignals)
    return made


def refused(folder: Path, code: str, *names: str, key: str = "", **options: Any) -> None:
    """The plan is at fault, in this way and at this key of the output: exit code 3, and the message has these names."""
    with refusals.refused(PlanError, code, where="outputs[0]", names=names) as error:
        design_signals(folder, **options)
    assert error.value.exit_code == 3
    assert error.value.where.endswith(f".{key}" if key else "")


# --- defaults


def test_spectral_is_the_default_less_each_persons_own_mean(tmp_path: Path) -> None:
    made = spectral(tmp_path)
    p, form = made.parameters, made.parameters.form
    assert form == SpectralSignalForm(40, 4, min(words._COSINES, 40), "person", None, words._CLIP)
    assert (len(p.features), len(p.recordings), p.people, p.completion) == (2, 2, PEOPLE, "hold")
    assert (made.noise, made.takes_delta) == ("gaussian", True)
    (output,) = design_signals(tmp_path, mechanism="spectral").outputs
    assert output.mechanism.parameters == p


@pytest.mark.parametrize(
    ("mechanism", "form"),
    [
        ("lpa", SignalForm("lpa", 40)),
        ("fpa", SignalForm("fpa", 40, None, 4)),
        ("cfpa", SignalForm("cfpa", 40, 40, 4)),
        ("dcfpa", SignalForm("dcfpa", 40, 32, 4)),
    ],
)
def test_the_others_have_laplace_noise_as_the_paper_and_four_frequencies(
    tmp_path: Path, mechanism: str, form: SignalForm
) -> None:
    made = noised(tmp_path, mechanism=mechanism)
    p = made.parameters
    assert p.form == form
    assert (made.noise, p.query, p.completion) == ("laplace", "mean", "hold")
    assert (len(p.features), len(p.recordings), p.people) == (2, 2, PEOPLE)
    assert not made.is_choosing
    assert not made.takes_delta
    assert noised(tmp_path, mechanism=mechanism, noise="gaussian").takes_delta
    one = noised(tmp_path, mechanism=mechanism, features=["right"], recordings=["read"])
    assert (len(one.parameters.features), len(one.parameters.recordings)) == (1, 1)


def test_a_chunk_is_64_steps_and_32_for_differences_and_no_longer_than_the_series(tmp_path: Path) -> None:
    for mechanism, usual in (("cfpa", 64), ("dcfpa", 32)):
        for length in (10, 40, 100):
            assert noised(tmp_path, mechanism=mechanism, length=length).parameters.form.chunk == min(
                usual, length
            )
        made = noised(tmp_path, mechanism=mechanism, chunk=16)
        assert [(part.chunks, part.length) for part in made.parameters.form.parts] == [(2, 16), (1, 8)]
        made = noised(tmp_path, mechanism=mechanism, chunk=4096)
        assert made.parameters.form.chunk == 40
        assert made.parameters.to_entry()["parameters"]["chunk"] == 40
        assert len(made.parameters.to_entry()["parameters"]["bound_grid_units"]) == 1


def test_of_short_chunks_all_frequencies_are_kept(tmp_path: Path) -> None:
    for chunk, frequencies in ((2, 2), (3, 2), (4, 3), (5, 3), (6, 4), (16, 4)):
        assert noised(tmp_path, mechanism="cfpa", chunk=chunk).parameters.form.frequencies == frequencies
    assert noised(tmp_path, mechanism="fpa", length=3).parameters.form.frequencies == 2
    assert spectral(tmp_path, length=3).parameters.form.cosines == 3
    assert spectral(tmp_path, length=3, baseline="recording").parameters.form.cosines == 2


def test_options_are_taken_as_the_plan_says_them(tmp_path: Path) -> None:
    made = noised(
        tmp_path,
        mechanism="dcfpa",
        noise="gaussian",
        query="each",
        chunk=8,
        coefficients=3,
        max_change=0.25,
        clip=0.5,
        completion="centre",
    )
    p = made.parameters
    assert p.form == SignalForm("dcfpa", 40, 8, 3, HALF_RANGE // 2, 0.5)
    assert (made.noise, p.query, p.completion, p.is_each) == ("gaussian", "each", "centre", True)
    told = made.parameters.to_entry()
    assert told["parameters"]["max_change_grid_units"] == HALF_RANGE // 2
    assert told["parameters"]["bound_grid_units"] == [part.radius for part in p.form.parts]
    whole = noised(tmp_path, mechanism="dcfpa", chunk=8, coefficients=3, max_change=1).parameters.form
    assert whole.max_change == 2 * HALF_RANGE
    assert noised(tmp_path, mechanism="dcfpa", max_change=1e-9).parameters.form.max_change == 1
    assert noised(tmp_path, mechanism="fpa", clip=0.3).parameters.form.clip == 0.3
    form = spectral(tmp_path, clip=0.3, coefficients=9, completion="centre").parameters.form
    assert (form.clip, form.cosines) == (0.3, 9)
    assert made.largest_integer == max(p.radii)
    assert noised(tmp_path, mechanism="fpa").largest_integer == PEOPLE * math.ceil(HALF_RANGE * math.sqrt(40))


def test_of_one_recording_the_persons_own_mean_is_that_of_the_recording(tmp_path: Path) -> None:
    """Which has level 0, so that it need not be released to be known."""
    form = spectral(tmp_path, recordings=["read"]).parameters.form
    assert (form.baseline, form.lowest, form.series) == ("recording", 1, 2)
    assert spectral(tmp_path, recordings=["read"], baseline="person").parameters.form == form
    assert spectral(tmp_path, recordings=["read"], length=6).parameters.form.cosines == 5
    for baseline in ("none", "recording"):
        assert spectral(tmp_path, recordings=["read"], baseline=baseline).parameters.form.baseline == baseline
    assert spectral(tmp_path).parameters.form.baseline == "person"


def test_the_baseline_of_a_start_has_its_steps(tmp_path: Path) -> None:
    for steps in (1, 5, 40):
        form = spectral(tmp_path, baseline="start", baseline_steps=steps).parameters.form
        assert (form.baseline, form.baseline_steps) == ("start", steps)
    assert spectral(tmp_path, baseline="none").parameters.form.baseline_steps is None


def test_the_length_is_listed_or_assumed(tmp_path: Path) -> None:
    listed = noised(tmp_path, mechanism="lpa")
    assert listed.parameters.form.length == 40
    assert listed.parameters.to_entry()["public_inputs"]["length"] == "listed"
    public = ["recordings", "lengths"]
    for mechanism in ("lpa", "spectral"):
        assumed = resolved(tmp_path, mechanism=mechanism, length=None, assume_public=public)
        assert assumed.parameters.form.length == 50
        assert assumed.parameters.to_entry()["public_inputs"]["length"] == "assumed"
        again = resolved(tmp_path, mechanism=mechanism, length=7, assume_public=public)
        assert again.parameters.form.length == 7
        assert again.parameters.to_entry()["public_inputs"]["length"] == "listed"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mechanism": "lpa"},
        {"mechanism": "cfpa", "chunk": 16},
        {"mechanism": "cfpa", "chunk": 16, "query": "each"},
        {"mechanism": "dcfpa", "chunk": 16, "coefficients": 1},
    ],
    ids=str,
)
def test_the_bound_of_every_integer_is_the_one_that_verify_asks_for(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    made = resolved(tmp_path, **options)
    p = made.parameters
    largest = PEOPLE * RADIUS
    if isinstance(made, CoefficientSignals):
        largest = max(part.radius for part in p.form.parts) * (1 if p.is_each else PEOPLE)
    public = parameters_of({"kind": "signals", "mechanism": p.to_entry()})
    assert public.most_counts(Composed(())) == largest
    assert public == p
    assert made.largest_integer == largest


# --- a private number of frequencies


def test_a_private_number_of_frequencies_has_candidates_up_to_all(tmp_path: Path) -> None:
    made = noised(tmp_path, mechanism="cfpa", chunk=16, coefficients="private")
    assert (made.candidates, made.choice_share) == ((1, 2, 3, 4, 6, 8), 0.1)
    short = noised(tmp_path, mechanism="cfpa", chunk=6, coefficients="private")
    assert short.candidates == (1, 2, 3, 4)
    every = noised(tmp_path, mechanism="fpa", coefficients="private", length=300)
    assert every.candidates == (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
    told = made.parameters.to_entry()["parameters"]
    assert told["candidates"] == [1, 2, 3, 4, 6, 8]
    own = noised(
        tmp_path, mechanism="dcfpa", chunk=16, coefficients="private", candidates=[2, 9], choice_share=0.3
    )
    assert (own.candidates, own.choice_share) == ((2, 9), 0.3)
    assert (
        noised(tmp_path, mechanism="fpa", coefficients=2).parameters.to_entry()["parameters"]["candidates"]
        is None
    )


@pytest.mark.parametrize("candidates", [[2, 1], [1, 3, 2], [1, 10], [10]])
def test_candidates_that_are_not_increasing_or_too_many_are_refused(
    tmp_path: Path, candidates: list[int]
) -> None:
    options = {"mechanism": "cfpa", "chunk": 16, "coefficients": "private", "candidates": candidates}
    refused(tmp_path, "bad-candidates", "1", "9", key="candidates", **options)


@pytest.mark.parametrize(
    ("key", "value"), [("candidates", [1, 2]), ("choice_share", 0.3)], ids=["candidates", "choice_share"]
)
@pytest.mark.parametrize("coefficients", [None, 3])
def test_what_belongs_to_a_private_choice_is_refused_without_one(
    tmp_path: Path, key: str, value: Any, coefficients: int | None
) -> None:
    options = {"mechanism": "fpa", "coefficients": coefficients, key: value}
    refused(tmp_path, "key-needs-private-choice", f"'{key}'", 'coefficients = "private"', **options)


def test_frequencies_of_very_long_series_are_not_chosen_privately(tmp_path: Path) -> None:
    options = {"mechanism": "fpa", "length": 1025, "coefficients": "private"}
    refused(tmp_path, "series-too-long-for-choice", "1025", "1024", **options)
    assert noised(tmp_path, mechanism="fpa", length=1024, coefficients="private").is_choosing
    assert noised(tmp_path, mechanism="cfpa", length=2000, coefficients="private").is_choosing


# --- what is refused

KEYS: list[tuple[str, Any, tuple[str, ...]]] = [
    ("noise", "gaussian", NOISED),
    ("chunk", 8, ("cfpa", "dcfpa")),
    ("coefficients", 3, (*TRANSFORMED, "spectral")),
    ("candidates", [1, 2], TRANSFORMED),
    ("choice_share", 0.2, TRANSFORMED),
    ("max_change", 0.1, ("dcfpa",)),
    ("clip", 0.5, (*TRANSFORMED, "spectral")),
    ("baseline", "none", ("spectral",)),
    ("baseline_steps", 3, ("spectral",)),
    ("markov_chain", [[0.5, 0.5], [0.5, 0.5]], ("lpa",)),
]


@pytest.mark.parametrize(
    ("key", "value", "mechanism", "owners"),
    [
        (key, value, mechanism, owners)
        for key, value, owners in KEYS
        for mechanism in (*NOISED, "spectral")
        if mechanism not in owners
    ],
)
def test_a_key_of_another_mechanism_is_refused(
    tmp_path: Path, key: str, value: Any, mechanism: str, owners: tuple[str, ...]
) -> None:
    refused(
        tmp_path,
        "key-not-for-mechanism",
        f"'{key}'",
        f'mechanism = "{mechanism}"',
        *owners,
        mechanism=mechanism,
        **{key: value},
    )


@pytest.mark.parametrize(
    ("options", "code", "names"),
    [
        ({"mechanism": "fpa", "coefficients": 22}, "too-many-frequencies", ("22", "1", "21", "40")),
        ({"mechanism": "cfpa", "chunk": 8, "coefficients": 6}, "too-many-frequencies", ("1", "5", "8")),
        ({"mechanism": "dcfpa", "chunk": 99, "coefficients": 22}, "too-many-frequencies", ("21", "40")),
        ({"coefficients": "private"}, "needs-public-cosines", ("private", "1", "40")),
        ({"coefficients": 41}, "needs-public-cosines", ("41", "1", "40")),
        ({"coefficients": 40, "baseline": "recording"}, "needs-public-cosines", ("1", "39")),
        ({"coefficients": 40, "recordings": ["read"]}, "needs-public-cosines", ("1", "39")),
        ({"coefficients": 513, "length": 2000}, "needs-public-cosines", ("1", "512")),
        (
            {"mechanism": "fpa", "coefficients": 200, "length": 10**6},
            "too-many-coefficients",
            ("134", "cfpa"),
        ),
        ({"mechanism": "fpa", "coefficients": 33_001, "length": 66_000}, "too-many-coefficients", ("2033",)),
        ({"query": "each"}, "query-not-for-mechanism", ('"mean"', "lpa", "fpa", "cfpa", "dcfpa")),
        ({"baseline": "start"}, "baseline-steps", ('baseline = "start"', "baseline_steps", "1", "40")),
        ({"baseline": "start", "baseline_steps": 41}, "baseline-steps", ("baseline_steps = 41", "1", "40")),
        ({"baseline_steps": 3}, "baseline-steps", ('baseline = "person"', "baseline_steps = 3")),
        ({"baseline": "none", "baseline_steps": 3}, "baseline-steps", ('baseline = "none"',)),
        ({"baseline_steps": 3, "recordings": ["read"]}, "baseline-steps", ('baseline = "recording"',)),
        ({"length": None}, "length-missing", ("length", 'assume_public = ["lengths"]')),
        ({"mechanism": "lpa", "length": None}, "length-missing", ("length",)),
        ({"features": ["left", "nose"]}, "no-bounds", ("'nose'",)),
        ({"neighbours": "add-remove-one"}, "needs-public-people", ('neighbours = "replace-one"',)),
        (
            {"mechanism": "lpa", "neighbours": "add-remove-one"},
            "needs-public-people",
            ('neighbours = "replace-one"',),
        ),
    ],
    ids=str,
)
def test_what_contradicts_itself_is_refused(
    tmp_path: Path, options: dict[str, Any], code: str, names: tuple[str, ...]
) -> None:
    refused(tmp_path, code, *names, **options)


PRIVATE = {"mechanism": "fpa", "coefficients": "private"}


@pytest.mark.parametrize(
    ("options", "key", "names"),
    [
        ({"mechanism": "dcfpa", "max_change": 0}, "max_change", ("0",)),
        ({"mechanism": "dcfpa", "max_change": 1.1}, "max_change", ("1.1", "1")),
        ({"mechanism": "fpa", "clip": 0}, "clip", ("0", "0.002")),
        ({"mechanism": "fpa", "clip": 1.5}, "clip", ("1.5", "1")),
        ({"mechanism": "cfpa", "chunk": 1}, "chunk", ("1", "2")),
        ({"mechanism": "cfpa", "chunk": 4097}, "chunk", ("4097", "4096")),
        ({"length": 1}, "length", ("1", "2")),
        ({"coefficients": 0}, "coefficients", ("0", "1")),
        ({"coefficients": "best"}, "coefficients", ("'best'",)),
        ({"baseline": "start", "baseline_steps": 0}, "baseline_steps", ("0", "1")),
        ({**PRIVATE, "candidates": [1, 1]}, "candidates", ("[1, 1]",)),
        ({**PRIVATE, "candidates": []}, "candidates", ("1",)),
        ({**PRIVATE, "choice_share": 1}, "choice_share", ("1",)),
        ({**PRIVATE, "choice_share": 0}, "choice_share", ("0",)),
    ],
    ids=str,
)
def test_values_that_are_not_possible_are_refused(
    tmp_path: Path, options: dict[str, Any], key: str, names: tuple[str, ...]
) -> None:
    refused(tmp_path, "bad-value", *names, key=key, **options)


@pytest.mark.parametrize(
    ("key", "word", "near"), [("baseline", "session", "person"), ("mechanism", "dft", "dcfpa")]
)
def test_words_that_are_not_offered_are_refused(tmp_path: Path, key: str, word: str, near: str) -> None:
    refused(tmp_path, "unknown-choice", f"'{word}'", near, key=key, **{key: word})


def test_one_step_as_the_longest_recording_is_no_signal(tmp_path: Path) -> None:
    (tmp_path / "pupils.csv").write_text("who,task,t,left,right\np0,read,0,3,4\np1,search,0,5,6\n")
    public = ["recordings", "lengths"]
    refused(tmp_path, "length-too-small", "length = 1", length=None, assume_public=public)


def test_gaussian_noise_needs_a_delta_and_a_refusal_says_what_to_do(tmp_path: Path) -> None:
    for options in ({}, {"mechanism": "cfpa", "noise": "gaussian"}):
        with refusals.refused(PolicyError, "gaussian-needs-delta", where="outputs[0]") as error:
            design_signals(tmp_path, delta=0.0, **options)
        assert error.value.exit_code == 4
        assert "laplace" in error.value.remedy
    assert design_signals(tmp_path, delta=0.0, mechanism="cfpa").outputs[0].guarantee.kind == "pure_dp"


def test_the_command_line_ends_with_the_exit_code_of_the_refusal(tmp_path: Path) -> None:
    for options, code in (({"mechanism": "lpa", "chunk": 8}, 3), ({"delta": 0.0}, 4)):
        with pytest.raises((PlanError, PolicyError)):
            design_signals(tmp_path, **options)
        result = CliRunner().invoke(main, ["preview", str(tmp_path / "plan.toml")])
        assert result.exit_code == code
        assert "outputs[0]" in result.stderr


# --- a Markov chain


@pytest.mark.parametrize(
    "rows",
    [
        [[0.5, 0.6], [0.5, 0.5]],
        [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]],
        [[1.0, 0.0], [0.2, 0.7]],
        [[0.5, 0.5], [0.5, 0.25, 0.25]],
    ],
    ids=str,
)
def test_rows_that_are_no_transition_probabilities_are_refused(
    tmp_path: Path, rows: list[list[float]]
) -> None:
    refused(tmp_path, "bad-transitions", key="markov_chain", mechanism="lpa", markov_chain=rows)


def test_a_markov_chain_is_for_laplace_noise(tmp_path: Path) -> None:
    chain = [[0.9, 0.1], [0.2, 0.8]]
    options = {"mechanism": "lpa", "noise": "gaussian", "markov_chain": chain}
    refused(tmp_path, "markov-not-for-mechanism", 'noise = "gaussian"', key="markov_chain", **options)
    made = noised(tmp_path, mechanism="lpa", markov_chain=chain)
    assert (
        made.parameters.to_entry() == noised(tmp_path, mechanism="lpa").parameters.to_entry()
    )  # of the preview alone


# --- a preview sees nothing private


@pytest.mark.parametrize(
    "options", [{}, {"mechanism": "dcfpa"}, {"mechanism": "cfpa", "coefficients": "private"}]
)
def test_the_preview_is_the_same_for_other_people_of_the_same_study(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    views = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        write_pupils(folder, seed=seed)
        views.append(as_text(preview(design_signals(folder, **options))))
    assert views[0] == views[1]
