"""The tables of `reproductions/davidjohn2022.py`, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studies._ier2023 import CONDITIONS, FITTED, TESTED
from studies._makers import DRAWN, GAMMA, K

from reproductions._davidjohn2022_cells import (
    AS_THEY_ARE,
    HALVES,
    HALVES_ONE,
    PERSON,
    RECORDINGS,
    RECORDINGS_ONE,
    RELEASES,
    STRAYED,
    TASK,
    TASK_ONE,
    Cell,
    Told,
)
from synthrelease.evaluation.attacks.intervals import Rate, coins_rate
from synthrelease.evaluation.metrics.classification import CLASSIFIERS

VOTE, WINDOWS = "vote", "windows"
FOREST = "RF"
CHANCE = "chance"

# By question and features: by release, classifier and way of counting.
Rates = dict[tuple[str, str], dict[str, dict[tuple[str, str], Rate]]]

QUESTIONS = tuple(
    [(q, AS_THEY_ARE) for q in PERSON] + [(q, f) for f in (AS_THEY_ARE, STRAYED) for q in (TASK_ONE, TASK)]
)
NO_ATTACK = "As papers do it; **no attack**"
TITLES = {
    (HALVES_ONE, AS_THEY_ARE): "Person: halves of one release (no attack)",
    (HALVES, AS_THEY_ARE): "Person: second halves, first halves known raw",
    (RECORDINGS_ONE, AS_THEY_ARE): "Person: across recordings of one release (no attack)",
    (RECORDINGS, AS_THEY_ARE): "Person: across recordings, others known raw",
    (TASK_ONE, AS_THEY_ARE): "Task: one release, features as they are (no measure of use)",
    (TASK, AS_THEY_ARE): "Task: tested on real rows, features as they are",
    (TASK_ONE, STRAYED): "Task: one release, own mean off (no measure of use)",
    (TASK, STRAYED): "Task: tested on real rows, own mean off",
}
_TASK_ONE = (
    "As papers do it; **no measure of use**. Trained on rows of one release that bear other people's names, tested on those that bear the name of the "
    "one left out; but copies, and models, hold all people."
)
_TASK = "For every person: a release of all others, trained on, tested on the person's real rows, which nothing was made of."
NOTES = {
    (
        HALVES_ONE,
        AS_THEY_ARE,
    ): f"{NO_ATTACK}: trained on first halves of recordings of a release, with names, tested on second halves of the same.",
    (
        HALVES,
        AS_THEY_ARE,
    ): "Someone knows the first half of each recording, raw, and is given what was released of the second halves alone; "
    "windows at the middle that overlap are left out.",
    (
        RECORDINGS_ONE,
        AS_THEY_ARE,
    ): f"{NO_ATTACK}: trained on {', '.join(FITTED)} of a release, with names, tested on {', '.join(TESTED)} of the same.",
    (
        RECORDINGS,
        AS_THEY_ARE,
    ): f"**The attack**: someone knows {', '.join(FITTED)} of everyone, raw, and is given what was released of "
    f"{', '.join(TESTED)} alone.",
    (TASK_ONE, AS_THEY_ARE): _TASK_ONE,
    (TASK, AS_THEY_ARE): _TASK,
    (TASK_ONE, STRAYED): f"Each person's own mean is taken off every feature first. {_TASK_ONE}",
    (TASK, STRAYED): f"Each person's own mean is taken off every feature first. {_TASK}",
}


def rates(found: Mapping[Cell, Told], *, people: int, left_out: int) -> Rates:
    """Return means over draws, and for tasks over people left out, with intervals of so many people."""
    of: Rates = {}
    for question, features in QUESTIONS:
        for release in RELEASES:
            told = _told(found, question, features, release)
            count = people if question in PERSON else left_out
            of.setdefault((question, features), {})[release] = {
                (name, way): coins_rate(sum(one[name][way] for one in told) / len(told), count)
                for name in CLASSIFIERS
                for way in (VOTE, WINDOWS)
            }
    return of


def show_settings(*, draws: int, every: int) -> None:
    """What the paper and its supplement state beside what is here."""
    heading("What is told of the paper, and what is here")
    print_markdown(
        ["", "paper", "here"],
        [
            [
                "data",
                "seven VR data sets; document type: MPIIDPEye",
                "IER 2023, pupils in a VR supermarket: other data",
            ],
            [
                "person identification",
                "“a standard biometric identification model” (abstract)",
                f"{', '.join(CLASSIFIERS)}, of Bozkir et al. 2021",
            ],
            [
                "result, person",
                "“down to chance levels” (abstract); ET-DK2: 100 % raw, 5.6 % by k-same-select, k = 8",
                "below",
            ],
            [
                "result, task",
                "document type: k-same-select at least 72 % (that of the abstract), marginals about 53 %, Exponential-DP 80 % at ε = 100 and chance at 20",
                f"{len(CONDITIONS)} conditions: another task",
            ],
            [
                "criterion",
                "(k, γ)-plausible deniability, k ≥ 1, γ ≥ 1 (Definition 1)",
                f"k = {K}, γ = {GAMMA:g}; γ > 1, as at 1 every interval is empty",
            ],
            [
                "test",
                "k′ counts *records* (section 1, step 2)",
                "k′ counts *people*, who enter with one record for each task",
            ],
            [
                "model",
                "the Marginals Generative Model",
                "marginals and seeded; independent, or along a tree; one for each task",
            ],
            [
                "resampled",
                "marginals: all",
                f"marginals: all; seeded: {' or '.join(map(str, DRAWN))} of 10 features",
            ],
            [
                "bins, k",
                "30 of equal width over the data's range; k = 2–8",
                f"2·√people of equal width within public bounds; k = {K}",
            ],
            [
                "classifier of the task, splits",
                "SVM (RBF, C = 1, its γ 1/features); first half to second half",
                f"{', '.join(CLASSIFIERS)}; splits below; every {every}th window; {draws} draw{'s' * (draws > 1)}",
            ],
        ],
    )


def show(found: Mapping[Cell, Told], told: Rates, *, people: int, draws: int, majority: float) -> None:
    """A table for each question, and one of all."""
    heading("In short")
    print(f"{FOREST} with majority vote.\n")
    rows = []
    for key in QUESTIONS:
        cells = [f"{told[key][release][FOREST, VOTE].value:.2f}" for release in RELEASES]
        rows.append([TITLES[key], *cells, f"{chance(key[0], people):.2f}"])
    print_markdown(["", *RELEASES, CHANCE], rows)
    for key in QUESTIONS:
        heading(TITLES[key])
        print(f"{NOTES[key]}\n")
        _show_one(found, told, key, people=people, draws=draws, majority=majority)


def _show_one(
    found: Mapping[Cell, Told], told: Rates, key: tuple[str, str], *, people: int, draws: int, majority: float
) -> None:
    person = key[0] in PERSON
    columns = [(name, way) for way in (VOTE, WINDOWS) for name in CLASSIFIERS]
    head = ["released", *(f"{name}, {way}" for name, way in columns)]
    rows = []
    for release in RELEASES:
        rows.append([release, *(str(told[key][release][column]) for column in columns)])
        if person:
            hits = sum(any(one[n]["found"] for n in CLASSIFIERS) for one in _told(found, *key, release))
            rows[-1].append(f"{hits} of {draws}")
    level = f"{chance(key[0], people):.2f}"
    always = level if person else f"{majority:.2f}"
    rows.append([CHANCE, *([level] * len(CLASSIFIERS)), *([always] * len(CLASSIFIERS)), *(["–"] * person)])
    print_markdown(head + ["told from chance in"] * person, rows)


def chance(question: str, people: int) -> float:
    """Return what guessing reaches, recording by recording."""
    return 1 / people if question in PERSON else 1 / len(CONDITIONS)


def _told(found: Mapping[Cell, Told], question: str, features: str, release: str) -> list[Told]:
    return [
        told
        for cell, told in found.items()
        if (cell.question, cell.features, cell.release) == (question, features, release)
    ]


def heading(text: str) -> None:
    """Print a title."""
    print(f"\n### {text}\n")


def print_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table."""
    for cells in (head, ["---"] * len(head), *rows):
        print("| " + " | ".join(cells) + " |", flush=True)
