"""The tables of `reproductions/davidjohn2023.py`: printed, and written as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np
from benchmarks._measure import print_table

from reproductions._davidjohn2023_attacks import (
    CLASSIFIERS,
    DURATIONS,
    OTHER_IMAGE,
    PLACES,
    Identified,
)
from reproductions._davidjohn2023_data import DIAGONAL_DEG, VIEWING_S, Integers, Numbers
from reproductions._davidjohn2023_events import Passing
from reproductions._davidjohn2023_mechanisms import kaleido_person_epsilon
from reproductions._davidjohn2023_utility import Utility
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.attacks.result import AttackVerdict, judged, matching_result
from synthrelease.files.atomic import write_atomically

# What the paper reports of EHTask, in per cent: 30 people, chance 3.3; four activities, chance 25.
PAPER = (
    ("raw", "28.0", "82.8"),
    ("k-same-synth, k = 2", "9.7", "61.8"),
    ("k-same-synth, k = 4", "8.7", "–"),
    ("k-same-synth, k = 6", "8.5", "–"),
    ("k-same-synth, k = 8", "7.5", "29.1"),
    ("event-synth-PD", "9.2–15.0", "about 72"),
    ("Kaleido, ε = 1–10", "4.0–10.5", "42–76"),
    ("chance", "3.3", "25"),
)


@dataclass(frozen=True)
class MechanismRow:
    """What is measured of a mechanism."""

    name: str
    by_raw: Mapping[str, Identified]  # by classifier: of an attacker who knows raw fixations on other images
    by_adapted: Mapping[str, Identified]  # of one who ran the mechanism on these
    links: Mapping[str, Numbers]  # by way: how often each is linked to each, shape (people, people)
    utility: Utility


@dataclass(frozen=True)
class KaleidoRow:
    """Kaleido's parameters."""

    epsilon: float
    window_s: float
    radius_deg: float

    @property
    def name(self) -> str:
        """As in the tables."""
        return f"Kaleido, ε = {self.epsilon:g}, w = {self.window_s:g} s, r = {self.radius_deg:g}°"


@dataclass(frozen=True)
class EventRow:
    """How many events pass."""

    gamma: float
    events: int
    passing: Passing


@dataclass(frozen=True)
class SequenceRow:
    """How a sequence is drawn."""

    share: float  # λ
    sigma_deg: float
    of_centre: bool  # σ/√t of t samples

    @property
    def name(self) -> str:
        """As in the table."""
        sigma = f"{self.sigma_deg:g}°{'/√t' if self.of_centre else ''}"
        return "the chain alone" if self.share == 1 else f"λ = {self.share:g}, σ = {sigma}"


@dataclass(frozen=True)
class Tables:
    """Where tables go, and how much data is behind them."""

    out: Path
    people: int
    images: int  # of a block

    def show_paper(self) -> None:
        """The paper's own figures."""
        self._show(
            "paper",
            "The paper: EHTask, per cent",
            "30 people, 100 Hz; identification by two RBF networks, activity of four. EHTask and DGaze are not here: these are the paper's figures, none of ours. In DGaze\n"
            "raw identification is 2.3 %, which is chance, and so shows nothing. Rows with γ = 1.0 are in its Tables 3 and 4, though no event can pass then (below).",
            ["", "identification", "activity"],
            [list(row) for row in PAPER],
        )

    def show_identification(self, rows: Sequence[MechanismRow], *, blocks: int, known: int) -> None:
        """Whose are these images?"""
        attackers = [by for row in rows for by in (row.by_raw, row.by_adapted)]
        rates = iter(self._rates([by[name].table for by in attackers for name in CLASSIFIERS]))
        controls = iter([" / ".join(f"{by[name].control:.2f}" for name in CLASSIFIERS) for by in attackers])
        self._show(
            "identification",
            f"Re-identification from {self.images} published images",
            f"{self.people} people, {blocks} blocks each; an attacker knows {known} other blocks of everyone, raw, or runs the mechanism on these and learns from the result (adapted).\n"
            "event-synth-PD is without its test, which draws an event's samples again and hides no place (below).\n"
            f"Control: the same classifiers, learnt from shuffled names. {self._verdicts}",
            [
                "published",
                *(f"{name}{adapted}" for adapted in ("", ", adapted") for name in (*CLASSIFIERS, "control")),
            ],
            [
                [row.name, next(rates), next(rates), next(controls), next(rates), next(rates), next(controls)]
                for row in rows
            ],
        )

    def show_linkage(self, rows: Sequence[MechanismRow]) -> None:
        """Whose is this scanpath?"""
        ways = (PLACES, DURATIONS, OTHER_IMAGE)
        rates = iter(self._rates([row.links[by] for row in rows for by in ways]))
        self._show(
            "linkage",
            "Linkage of one published scanpath to the raw ones of the same image",
            "The nearest is the link. Places: mean distance of aligned fixations. Durations: by the durations of fixations alone, which k-same-synth and event-synth-PD\n"
            f"publish as they are. Control: places, raw scanpaths of another image. {self._verdicts}",
            ["published", PLACES, DURATIONS, "control"],
            [[row.name, *(next(rates) for _ in ways)] for row in rows],
        )

    def _rates(self, tables: Sequence[Numbers]) -> list[str]:
        """Rates with intervals; a star where they are above shuffled owners', all judged together."""
        results = [
            matching_result(
                "of a scanpath's person",
                "proportion right",
                table,
                chance=1 / self.people,
                random=SecureRandom.for_tests(number),
                draws=DRAWS,
            )
            for number, table in enumerate(tables)
        ]
        return [
            f"{one.main}{'*' if one.verdict is AttackVerdict.SIGNIFICANT else ' '}" for one in judged(results)
        ]

    @property
    def _verdicts(self) -> str:
        return (
            f"Chance: {1 / self.people:.2f}. Intervals are of {self.people} people.\n"
            "*: above shuffled owners, all attacks of the table judged together (0.01, Holm)."
        )

    def show_utility(self, rows: Sequence[MechanismRow]) -> None:
        """What published fixations keep."""
        self._show(
            "utility",
            "Utility",
            "CC: maps of an image, blurred by 24 px, with the raw ones. JS: Jensen–Shannon divergence of movements from the raw ones, in bits. TSTR: a model of the next\n"
            "fixation learns from published fixations; bits per raw fixation on other images better than an even guess.",
            ["published", "CC", "JS amplitude", "JS direction", "JS turn", "JS duration", "TSTR"],
            [
                [
                    row.name,
                    f"{row.utility.correlation:.2f}",
                    *(f"{value:.3f}" for value in row.utility.divergences),
                    f"{row.utility.bits:.2f}",
                ]
                for row in rows
            ],
        )

    def show_kaleido(self, rows: Sequence[KaleidoRow]) -> None:
        """What its ε means for a person."""
        seconds = self.images * VIEWING_S
        self._show(
            "kaleido",
            f"Kaleido's ε, of a person with {self.images} images of {VIEWING_S:g} s",
            f"Stated for w seconds and places at most r apart. ⌈{seconds:g} s/w⌉ windows compose, and places can be a diagonal of {DIAGONAL_DEG:.0f}° apart: ε·⌈{seconds:g} s/w⌉·{DIAGONAL_DEG:.0f}°/r.\n"
            "Even this holds only if the noise of its threshold is Lap(r/ε_test); Lap(1/ε_test) is printed.",
            ["ε stated", "w", "r", "ε of a person"],
            [
                [
                    f"{row.epsilon:g}",
                    f"{row.window_s:g} s",
                    f"{row.radius_deg:g}°",
                    f"{kaleido_person_epsilon(epsilon=row.epsilon, window_s=row.window_s, radius_deg=row.radius_deg, stimuli=self.images):.0f}",
                ]
                for row in rows
            ],
        )

    def show_events(self, rows: Sequence[EventRow], *, redraws: int) -> None:
        """The test of events, as published."""
        self._show(
            "events",
            "event-synth-PD's test of events",
            f"{rows[0].events} events of {self.people} people on {self.images} images, t samples of N(µ, 0.5°) each. An event passes if k − 1 other people have one, on any image, in the same interval\n"
            f"γ^(−i−1) < p ≤ γ^(−i). At the first draw / within {redraws} draws. At γ = 1 every interval is empty: no event can pass, however often it is drawn.\n"
            f"Moved: from the real centre of an event to that of its samples, on average of all / of those that pass with k = {min(rows[0].passing.first)}. The test hides no place.",
            ["γ", "without interval", *(f"k = {k}" for k in rows[0].passing.first), "moved"],
            [
                [
                    f"{row.gamma:g}",
                    f"{row.passing.without_interval:.2f}",
                    *(f"{first:.2f} / {row.passing.later[k]:.2f}" for k, first in row.passing.first.items()),
                    f"{row.passing.moved_deg:.2f}° / "
                    + (
                        "–"
                        if isnan(row.passing.passing_moved_deg)
                        else f"{row.passing.passing_moved_deg:.2f}°"
                    ),
                ]
                for row in rows
            ],
        )

    def show_sequences(self, rows: Sequence[tuple[SequenceRow, Integers]], *, k: int, gamma: float) -> None:
        """The same test of whole sequences."""
        self._show(
            "sequences",
            f"The same test of whole scanpaths, k = {k}, γ = {gamma:g}",
            "A fixation is, with probability 1 − λ, near the source's (σ), else from a chain that everyone shares. Plausible: people, the source's included, on average. The first\n"
            "row is event-synth-PD's noise, the second more than that; the last is a control: nothing is kept of a source, and everyone is plausible.",
            ["", "scanpaths", "pass", "k = 2 pass", "plausible"],
            [
                [
                    row.name,
                    str(plausible.size),
                    str(int((plausible >= k).sum())),
                    str(int((plausible >= 2).sum())),
                    f"{float(np.mean(plausible)):.2f}",
                ]
                for row, plausible in rows
            ],
        )

    def _show(
        self, name: str, title: str, note: str, head: Sequence[str], rows: Sequence[Sequence[str]]
    ) -> None:
        print(f"\n{title}\n{'=' * len(title)}\n{note}\n")
        print_table(head, rows)
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([head, *rows])
        self.out.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out / f"davidjohn2023_{name}.csv", text.getvalue().encode(), force=True)
