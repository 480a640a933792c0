"""Attacks on synthetic scanpaths: who is in the data, and whose trials scanpaths are like.

They are tried on fresh releases of random halves of the people, by the same mechanism with the same noise. The attacker has everyone's raw fixations. Scanpaths follow
from noisy sums and a public seed: no attack on them finds more than the strongest on the sums (`worst_case.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.addition import add_noise
from synthrelease.evaluation.attack_run import AttackRun
from synthrelease.evaluation.attacks import AttackResult, judged, membership, released_rounds
from synthrelease.evaluation.attacks.result import division_result
from synthrelease.evaluation.metrics.judged_scanpaths import Judged, fixations_of
from synthrelease.evaluation.metrics.scanpath_alignment import Path, scan_match
from synthrelease.evaluation.one_person import sampled_people
from synthrelease.kinds.contributions import Rows
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.scanpath_form import SCANPATHS
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.values import Values
from synthrelease.numerics.blur import blurred

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDS = 6  # releases, each of which takes nearly as long as a build
MOST_PEOPLE = 32  # candidates
FEWEST_PEOPLE = 4
_DRAWN = 30  # scanpaths of each stimulus of a fresh release
_LINKED_STIMULI, _LINKED = 10, 6  # on which scanpaths are linked, and how many of each


def scanpath_attacks(
    mechanism: SyntheticScanpaths, event: Event, collected: Rows, run: AttackRun
) -> tuple[tuple[AttackResult, ...], tuple[str, ...]]:
    """Return membership and linkage, judged together, and in sentences what was done or why not.

    Args:
        mechanism: of the output.
        event: of its release; fresh ones have its noise.
        collected: of all people.
        run: how attacks are run.
    """
    everyone = np.unique(collected.whole()[0])
    if everyone.size < FEWEST_PEOPLE:
        return (), (
            f"Membership and linkage were not tried: at least {FEWEST_PEOPLE} participants are needed.",
        )
    random = SecureRandom.for_tests(run.seed).spawn("scanpaths", run.name)
    chosen = sampled_people(everyone.size, MOST_PEOPLE, random.spawn("people"))
    attacker = Attacker(mechanism, event, collected, everyone, everyone[chosen])
    rounds = released_rounds(
        attacker.release,
        attacker.scores,
        attacker.candidates,
        rounds=ROUNDS,
        seed=int(random.spawn("seed").integers(2**31, 1)[0]),
        n_jobs=run.n_jobs,
        progress=run.progress,
    )
    by_maps, linked = (rounds.scores[:, :, number] for number in range(2))
    # Of a person who looks as the prior does scores are high in every release: what counts is how far one is above the others' mean.
    by_maps = by_maps - by_maps.mean(axis=0)
    found = [
        membership(by_maps, rounds.members, seed=run.seed, name="maps of scanpaths", draws=run.draws),
        division_result(
            "linkage, most similar trial",
            "proportion of scanpaths whose most similar trial on the stimulus is a participant's",
            linked,
            rounds.members,
            chance=1 / attacker.candidates.size,
            random=random.spawn("linkage"),
            draws=run.draws,
        ),
    ]
    return judged(found), tuple(_sentences(attacker))


def _sentences(attacker: Attacker) -> Iterator[str]:
    """What was done."""
    yield (
        f"Membership and linkage: {ROUNDS} fresh releases of random halves of the participants; the attacker has everyone's raw fixations."
    )
    yield "Linkage: no scanpath is a participant's. It is measured whether scanpaths are like the trials of those who are in the data, more than of those who are not."
    candidates, people = attacker.candidates.size, attacker.people.size
    if candidates < people:
        yield f"Of {people} participants, {candidates} (a random sample) are attacked; the others are in every fresh release."


@dataclass(frozen=True)
class Attacker:
    """The raw fixations of everyone, and what is public."""

    mechanism: SyntheticScanpaths
    event: Event
    collected: Rows  # of all people
    people: Integers  # numbers of those who have rows, increasing, shape (P,)
    candidates: Integers  # of these, increasing, shape (C,)

    @cached_property
    def everyone(self) -> Judged:
        """The fixations of all people."""
        return Judged(self.mechanism.fixations(self.collected), self.mechanism.parameters)

    def members(self, inside: Integers) -> Integers:
        """Return who is in a release with some candidates, whole numbers: everyone who is no candidate, too, shape (people,)."""
        return np.union1d(inside, np.setdiff1d(self.people, self.candidates))

    def release(self, inside: Integers, random: SecureRandom) -> Judged:
        """Return scanpaths of a release of some candidates and of everyone who is none.

        Args:
            inside: the candidates, sorted.
            random: of the noise.
        """
        rows, mechanism = self.part_of(self.members(inside))
        noise, largest = noise_of(self.event), mechanism.largest_integer
        assert noise is not None
        drawn = mechanism.rounds(
            rows, self.event, lambda _path, sums: add_noise(sums, noise, largest=largest, random=random)
        )
        return self.scanpaths_of(mechanism, drawn)

    def scanpaths_of(self, mechanism: SyntheticScanpaths, drawn: Mapping[str, Array]) -> Judged:
        """Return the scanpaths of a release.

        Args:
            mechanism: with the parameters of the release.
            drawn: the integers of both rounds, by path.
        """
        p = mechanism.parameters
        values = Values(p, self.event, {**mechanism.public_arrays, **drawn}).array(SCANPATHS)
        return Judged(fixations_of(values.astype(np.float64), p.screen), p)

    def scores(self, scanpaths: Judged) -> Numbers:
        """Return how much each candidate's maps are like those of scanpaths, and the proportion of scanpaths that are linked to them, shape (C, 2)."""
        return np.stack([self._by_maps(scanpaths), self._linked(scanpaths)], axis=1)

    def part_of(self, people: Integers) -> tuple[Rows, SyntheticScanpaths]:
        """Return the rows of some people, who become person 0, 1, …, and the mechanism with what follows from how many there are."""
        p = self.mechanism.parameters
        person, block = self.collected.whole()
        kept = np.isin(person, people)
        rows = Rows(((np.searchsorted(people, person[kept]), block[kept]),))
        seen = np.zeros((people.size, len(p.stimuli)), dtype=np.bool_)
        seen[rows.blocks[0][0], block[kept, 0].astype(np.int64)] = True
        parameters = replace(
            p,
            people=None if p.people is None else people.size,
            viewers=None if p.viewers is None else tuple(seen.sum(axis=0).tolist()),
            scanpaths=_DRAWN,
        )
        return rows, replace(self.mechanism, parameters=parameters)

    def _by_maps(self, scanpaths: Judged) -> Numbers:
        """Each candidate's blurred maps against how those of the scanpaths differ from everyone's."""
        p, f = self.mechanism.parameters, self.everyone.fixations
        cells = p.geometry
        value = np.zeros(f.person.size)
        for stimulus, both in enumerate(zip(scanpaths.maps, self.everyone.maps, strict=True)):
            drawn, exact = (one / max(float(one.sum()), np.finfo(np.float64).tiny) for one in both)
            differs = blurred(drawn - exact, blur_px=p.blur_px, screen_px=scanpaths.size)
            here = f.stimulus == stimulus
            value[here] = differs[f.y[here] * cells.rows // STEPS, f.x[here] * cells.columns // STEPS]
        of_trial = np.add.reduceat(value, f.first) / f.counts
        owner, size = f.person[f.first], int(self.people[-1]) + 1
        total = np.bincount(owner, of_trial, size) / np.maximum(np.bincount(owner, minlength=size), 1)
        return np.asarray(total[self.candidates])

    def _linked(self, scanpaths: Judged) -> Numbers:
        """The proportion of scanpaths whose most similar trial on the stimulus, of all candidates', is each candidate's."""
        share = np.zeros(self.candidates.size)
        f = scanpaths.fixations
        for known in self._known_trials:
            for number in np.flatnonzero(f.stimulus[f.first] == known.stimulus)[:_LINKED]:
                path = scanpaths.path(int(number))
                alike = [scan_match(path, other, scanpaths.size) for other in known.paths]
                share[known.owners[int(np.argmax(alike))]] += 1
        return np.asarray(share / max(share.sum(), 1.0))

    @cached_property
    def _known_trials(self) -> list[_Known]:
        """The candidates' trials on some stimuli."""
        f = self.everyone.fixations
        stimulus, person = f.stimulus[f.first], f.person[f.first]
        found = []
        for number in range(len(self.mechanism.parameters.stimuli))[:_LINKED_STIMULI]:
            trials = np.flatnonzero((stimulus == number) & np.isin(person, self.candidates))
            if trials.size:
                owners = np.searchsorted(self.candidates, person[trials])
                paths = [self.everyone.path(int(trial)) for trial in trials]
                found.append(_Known(number, owners, paths))
        return found


@dataclass(frozen=True)
class _Known:
    """Trials on a stimulus, and which candidate each is of."""

    stimulus: int
    owners: Integers
    paths: Sequence[Path]
