"""What is told of noisy series, as tables and a picture (Bozkir et al. 2021, Tables 1, 3, 5, 6, 8 and 9)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks._measure import print_table

from reproductions._bozkir2021_data import Numbers, Study
from reproductions._bozkir2021_figures import draw_told
from reproductions._bozkir2021_told import (
    ADVERSARY,
    HALVES,
    QUESTIONS,
    TASK,
    Answers,
    Released,
    told,
    told_of_raw,
)
from reproductions._bozkir2021_utility_tables import title
from reproductions._bozkir2021_ways import CHUNKS, Scale
from reproductions._bozkir2021_worth import Worths
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.metrics.classification import CLASSIFIERS

NOISE_ALONE = ", noise alone"


def show_told(study: Study, worth: Worths, scale: Scale, path: Path, *, random: SecureRandom) -> None:
    """Tables 1, 3, 5, 6, 8, 9, and an adversary's."""
    draws = scale.classified_of(study)
    rows = [Released(way.name, way) for way in scale.told]
    rows += [Released(way.name + NOISE_ALONE, way, noise_alone=True) for way in scale.controls]
    found = told(study, rows, scale.epsilons, worth, draws=draws, random=random)
    raw = told_of_raw(study, seed=2021)
    chance = {TASK: 1 / len(study.recordings), HALVES: 1 / study.people, ADVERSARY: 1 / study.people}
    head = ["", *(f"ε = {epsilon:g}" for epsilon in scale.epsilons)]
    for question, (about, note) in _notes(study).items():
        averages = f"Accuracy of {' | '.join(CLASSIFIERS)}, {_draws(draws)}."
        for place, voting in ((1, "with majority vote"), (0, "without majority vote")):
            title(
                f"{study.name}  {about}, {voting}", f"{note}\n{averages}" if place else "As above, by window."
            )
            shares = {"raw data": [_cell(raw[question][:, place])] * len(scale.epsilons)}
            for row in rows:
                shares[row.name] = [_cell(found[row.name, e][question][:, place]) for e in scale.epsilons]
            shares["chance"] = [f"{chance[question]:.2f}"] * len(scale.epsilons)
            print_table(head, [[name, *cells] for name, cells in shares.items()])
    _draw(study, found, {q: (raw[q], chance[q]) for q in QUESTIONS}, scale, path)
    print(f"\nPicture: {path.name}")


def _notes(study: Study) -> dict[str, tuple[str, str]]:
    """Title and note of every question."""
    task = (
        f"One person left out; every {study.every_task}th window. Δ and k are measured on each {study.task} by itself, so "
        "that the scale of the noise tells it:\n“noise alone” is the difference of two releases, which holds no one's data."
    )
    halves = (
        "Trained on the first halves of the noisy recordings, tested on the second halves of the same release; every "
        f"{study.every_person}th window. This is\nno attack: with few coefficients a recording's noise is an offset, the same "
        "in both halves, which tells the recording apart, whoever it is of:\n“noise alone” holds no one's data."
    )
    adversary = (
        "Trained on raw data of the person's other recording types, tested on the noisy release of each; every "
        f"{study.every_person}th window."
    )
    return {
        TASK: (f"Tables 1, 6  {study.task.capitalize()}", task),
        HALVES: ("Tables 3, 5, 8, 9  Person, the paper's way", halves),
        ADVERSARY: ("Person, an adversary's way", adversary),
    }


def _draw(
    study: Study,
    found: Mapping[tuple[str, float], Answers],
    lines: Mapping[str, tuple[Numbers, float]],
    scale: Scale,
    path: Path,
) -> None:
    forest = CLASSIFIERS.index("RF")
    shown = [way.name for way in scale.told if way.chunk in (None, CHUNKS[0])]
    dashed = {way.name + NOISE_ALONE: way.name for way in scale.controls}
    titles = {
        TASK: f"{study.task},\none person left out",
        HALVES: "person, the paper's way:\nhalves of one noisy release",
        ADVERSARY: "person, an adversary's way:\nfrom raw data of other recordings",
    }
    panels = {
        titles[question]: {
            name: [(e, float(found[name, e][question][forest, 1])) for e in scale.epsilons]
            for name in (*shown, *dashed)
        }
        for question in QUESTIONS
    }
    draw_told(
        panels,
        {titles[q]: (float(raw[forest, 1]), chance) for q, (raw, chance) in lines.items()},
        dashed=dashed,
        title=f"{study.name}, {study.people} people; {_draws(scale.classified_of(study))}",
        path=path,
    )


def _draws(count: int) -> str:
    return "one draw" if count == 1 else f"mean of {count} draws"


def _cell(shares: Numbers) -> str:
    return " | ".join(f"{share:.2f}" for share in shares)
