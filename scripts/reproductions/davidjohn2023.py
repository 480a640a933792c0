"""David-John, Butler & Jain 2023, "Privacy-preserving datasets of eye-tracking samples": who can be linked to what is published, and what its tests cover.

k-same-synth, event-synth-PD and Kaleido on the fixations of OSIE: the paper's EHTask and DGaze are not here. For comparison only: nothing that these mechanisms
publish is private, and everything is seeded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from reproductions._davidjohn2023_attacks import (
    DURATIONS,
    OTHER_IMAGE,
    PLACES,
    Attacker,
    attacker,
    blocks_of,
    identified,
    linked,
)
from reproductions._davidjohn2023_data import FILE, Numbers, Rectangle, on_stimuli, scanpaths
from reproductions._davidjohn2023_events import passing
from reproductions._davidjohn2023_mechanisms import (
    SIGMA_DEG,
    event_synth_pd,
    k_same_synth,
    kaleido,
)
from reproductions._davidjohn2023_sequences import chain_of, near, sequence_test
from reproductions._davidjohn2023_tables import (
    EventRow,
    KaleidoRow,
    MechanismRow,
    SequenceRow,
    Tables,
)
from reproductions._davidjohn2023_utility import utility
from synthrelease.errors import DataError
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.numerics.public_draws import PublicDraws

Mechanism = Callable[[Fixations, PublicDraws], Fixations]

SEED = 2023
KS = (2, 4, 7)  # of 15 people; the paper's are 2, 4, 6, 8 of 30
KALEIDO = (
    KaleidoRow(10.0, 0.5, 2.0),
    KaleidoRow(10.0, 2.0, 10.0),
    KaleidoRow(1.0, 0.5, 2.0),
    KaleidoRow(1.0, 2.0, 10.0),
)
GAMMAS = (1.0, 2.0, 4.0, 10.0, 100.0)
EVENT_KS = (2, 5, 8)
SEQUENCE_K, SEQUENCE_GAMMA = 5, 4.0
# λ, σ in degrees, and whether K is of a centre of t samples.
SEQUENCES = (
    SequenceRow(0.0, SIGMA_DEG, of_centre=True),
    SequenceRow(0.05, SIGMA_DEG, of_centre=False),
    SequenceRow(0.5, 4.0, of_centre=False),
    SequenceRow(0.8, 4.0, of_centre=False),
    SequenceRow(0.95, 2.0, of_centre=False),
    SequenceRow(1.0, 2.0, of_centre=False),
)


class Scale(NamedTuple):
    """How much of it to do."""

    first: tuple[int, ...]  # the first image of each block that is published
    known: tuple[int, ...]  # the first image of each block that an attacker knows
    tested: tuple[int, ...]  # the first image of each block whose next fixations are predicted
    images: int  # of a block
    trees: int
    shuffles: int
    redraws: int  # of each event


FULL = Scale((1011, 1031, 1051, 1071, 1101), tuple(range(1201, 1401, 20)), (1101, 1121), 20, 300, 10, 10)
QUICK = Scale((1011, 1014), (1019, 1022, 1025), (1014,), 3, 5, 1, 2)


def mechanisms() -> dict[str, Mechanism]:
    """Return what is compared, by name: the raw fixations first."""
    return {
        "raw": lambda fixations, draws: fixations,  # noqa: ARG005  as the others
        "event-synth-PD": event_synth_pd,
        **{f"k-same-synth, k = {k}": partial(k_same_synth, k=k) for k in KS},
        **{
            row.name: partial(kaleido, epsilon=row.epsilon, window_s=row.window_s, radius_deg=row.radius_deg)
            for row in KALEIDO
        },
    }


def run(data: Path, out: Path, *, quick: bool = False) -> None:
    """Print the tables and write them to `out`, as CSV.

    Raises:
        DataError: the data set is not there, or has too few people.
        MachineError: nothing can be written to `out`.
    """
    scale = QUICK if quick else FULL
    study = Study.of(data, scale)
    tables = Tables(out, study.raw.people, scale.images)
    tables.show_paper()
    rows = [study.row(name, number) for number, name in enumerate(mechanisms())]
    tables.show_identification(rows, blocks=len(study.published), known=len(study.known))
    tables.show_linkage(rows)
    tables.show_utility(rows)
    tables.show_kaleido(KALEIDO)
    tables.show_events(study.events(), redraws=scale.redraws)
    tables.show_sequences(study.sequences(), k=SEQUENCE_K, gamma=SEQUENCE_GAMMA)


class Study(NamedTuple):
    """Raw scanpaths, and which images are published, known and tested."""

    raw: Fixations
    scale: Scale
    published: list[list[int]]  # stimuli of each block
    known: list[list[int]]
    tested: Fixations
    informed: Attacker  # knows raw fixations

    @classmethod
    def of(cls, data: Path, scale: Scale) -> Study:
        """Read the data.

        Raises:
            DataError: as `run`.
        """
        blocks = [
            [list(range(first, first + scale.images)) for first in firsts]
            for firsts in (scale.first, scale.known, scale.tested)
        ]
        images = sorted({image for firsts in blocks for block in firsts for image in block})
        raw = scanpaths(data, images)
        if raw.people < max(KS):
            raise DataError(
                "too-few-people",
                "too few people",
                where=str(data / FILE),
                found=str(raw.people),
                expected=f"{max(KS)} or more",
            )
        published, known, tested = (
            [[images.index(image) for image in block] for block in firsts] for firsts in blocks
        )
        informed = attacker(
            blocks_of(raw, known),
            PublicDraws(SEED, 1000),
            trees=scale.trees,
            shuffles=scale.shuffles,
        )
        return cls(raw, scale, published, known, on_stimuli(raw, flat(tested)), informed)

    def row(self, name: str, number: int) -> MechanismRow:
        """Return everything that is measured of a mechanism."""
        released = mechanisms()[name](self.raw, PublicDraws(SEED, number))
        blocks = blocks_of(released, self.published)
        adapted = attacker(
            blocks_of(released, self.known),
            PublicDraws(SEED, 1001 + number),
            trees=self.scale.trees,
            shuffles=self.scale.shuffles,
        )
        stimuli = flat(self.published)
        return MechanismRow(
            name,
            identified(self.informed, blocks),
            identified(adapted, blocks),
            {by: linked(released, self.raw, by, stimuli) for by in (PLACES, DURATIONS, OTHER_IMAGE)},
            utility(released, self.raw, self.published, self.tested),
        )

    def events(self) -> list[EventRow]:
        """Return how many events of the first block pass the test of events."""
        fixations = on_stimuli(self.raw, self.published[0])
        return [
            EventRow(
                gamma,
                fixations.person.size,
                passing(
                    fixations,
                    PublicDraws(SEED, 2000),
                    gamma=gamma,
                    ks=EVENT_KS,
                    redraws=self.scale.redraws,
                ),
            )
            for gamma in GAMMAS
        ]

    def sequences(self) -> list[tuple[SequenceRow, Numbers]]:
        """Return of how many people each sequence of the first block could be."""
        fixations = on_stimuli(self.raw, self.published[0])  # numbered from 0
        shared, trials = chain_of(fixations), Rectangle.of(fixations)
        return [
            (
                row,
                sequence_test(
                    trials,
                    shared,
                    near(trials, row.sigma_deg, of_centre=row.of_centre),
                    PublicDraws(SEED, 3000),
                    share=row.share,
                    gamma=SEQUENCE_GAMMA,
                ),
            )
            for row in SEQUENCES
        ]


def flat(blocks: list[list[int]]) -> list[int]:
    """Return the stimuli of all blocks."""
    return list(chain.from_iterable(blocks))
