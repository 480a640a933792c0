"""What attackers get from releases of the IER 2023 pupil features, 24 people under five conditions (docs/evidence/attacks.md).

Identification: the attacker has everyone's raw windows under three conditions, and is given what was released of the two others.
Linkage: they have one condition of everyone, and are given the same. Membership, inference, copies: 12 of 24 people, drawn by lot
64 times, are in the release; likelihood ratios are learnt on the first half of these divisions and tried on the second.
False alarms: releases that have nothing to do with the people, one division of people each, all attacks judged together.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from studies._ier2023 import BOUNDS, FITTED, TESTED, of_conditions, windows
from studies._makers import MAKERS, NO_ONE, RECORDS, Release, as_it_is, k_same, noise
from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.dp.noise import SecureRandom, rounded_gaussian
from synthrelease.evaluation.attacks import (
    AttackResult,
    AttackVerdict,
    Rounds,
    Windows,
    attribute_inference,
    check_guarantee,
    closeness,
    copies,
    copies_of,
    distance_to_others,
    guessed,
    identifications,
    inferred,
    judged,
    likelihood_ratios,
    linkage,
    log_ratio_known_rest,
    membership,
    released_rounds,
)
from synthrelease.evaluation.attacks.aggregates import success_known_rest
from synthrelease.evaluation.attacks.intervals import coins_rate
from synthrelease.kinds.records.prepare import default_bins
from synthrelease.numerics.binning import equal_width_edges

EVERY, SEEN = 4, 20  # windows released; windows that the attacker asks about, which do not overlap
ROUNDS, ALARM_ROUNDS, ALARMS = 64, 48, 40
SECRET, TOLERANCE = (
    "pupil_l_mean_mm",
    0.25,
)  # the feature that is guessed, right within a quarter of a millimetre
LINKED = "control"  # the condition that a linker knows
JOBS, TRIALS = min(2, os.cpu_count() or 1), 200_000
SEED = 2022

RELEASES: dict[str, Release] = {
    "real data": as_it_is,
    "noise between the bounds": noise,
    "k-same-select, k = 4": partial(k_same, 4),
    "k-same-select, k = 8": partial(k_same, 8),
    **{maker.name: maker for maker in MAKERS[:5]},
}


@dataclass(frozen=True)
class Of:
    """Makes a release of some people's rows: features, and the condition as a last column."""

    release: Release
    rows: Windows

    def __call__(self, people: NDArray[np.int64], random: SecureRandom) -> NDArray[np.float64]:
        """Return the released rows."""
        made = self.release(self.rows.of_people(people), random)
        return np.column_stack([made.values, made.recordings])


@dataclass(frozen=True)
class Told:
    """What a release tells of everyone, in columns: see `COLUMNS`."""

    people: Windows
    edges: tuple[NDArray[np.float64], ...]
    others: NDArray[np.float64]
    others_in_bins: NDArray[np.float64]

    def __call__(self, released: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a row for each person, and a column for each of `COLUMNS`."""
        values, people = released[:, :-1], self.people
        plain = copies_of(values, people, distances=self.others)
        binned = copies_of(values, people, edges=self.edges, distances=self.others_in_bins)
        columns = {
            "closeness": closeness(values, people),
            "feature": inferred(
                values, people, secret=list(BOUNDS).index(SECRET), tolerance=TOLERANCE, neighbours=5
            ),
            "condition": inferred(
                released, with_condition(people), secret=len(BOUNDS), tolerance=None, neighbours=5
            ),
            "exact": plain.exact,
            "near": plain.near,
            "verbatim": plain.rows,
            "exact in bins": binned.exact,
            "near in bins": binned.near,
        }
        return np.stack([columns[name] for name in COLUMNS], axis=1)


COLUMNS = ("closeness", "feature", "condition", "exact", "near", "verbatim", "exact in bins", "near in bins")


def run(data: Path) -> None:
    """Print the tables as Markdown."""
    rows = windows(data).thinned(EVERY)
    _print_releases(rows)
    _print_alarms(rows)
    _print_aggregates(rows)


def with_condition(rows: Windows) -> Windows:
    """Return rows with the condition as a last feature."""
    return Windows(np.column_stack([rows.values, rows.recordings]), rows.people, rows.recordings)


def told_of(people: Windows) -> Told:
    """Return what asks a release about people."""
    bins = default_bins(people.names.size)
    edges = tuple(equal_width_edges(low, high, bins) for low, high in BOUNDS.values())
    return Told(people, edges, distance_to_others(people), distance_to_others(people, edges=edges))


def attacked(
    rows: Windows, release: Release, *, seed: int, rounds: int, single: bool, n_jobs: int = 1
) -> tuple[AttackResult, ...]:
    """Return what all attacks come to, judged together; of a single division, or of all rounds."""
    found = [*_names_attacked(rows, release, seed=seed, n_jobs=n_jobs)]
    told = told_of(rows.thinned(SEEN // EVERY))
    maker = Of(release, rows)
    return judged(
        [*found, *_divided(told, maker, rows, seed=seed, rounds=rounds, single=single, n_jobs=n_jobs)]
    )


def _nearness(people: Windows, released: NDArray[np.float64]) -> NDArray[np.float64]:
    return closeness(released[:, :-1], people)


def _names_attacked(rows: Windows, release: Release, *, seed: int, n_jobs: int) -> Sequence[AttackResult]:
    """Identification and linkage, of releases whose records are of someone."""
    random = SecureRandom.for_tests(seed).spawn("of other recordings")
    tested = of_conditions(rows, TESTED)
    known = of_conditions(rows, FITTED)
    released = release(tested, random)
    if (released.people == NO_ONE).any():
        return []
    individuals = released.units().unit
    if len(released.values) == RECORDS:  # synthetic records are individuals one by one
        individuals = np.arange(RECORDS)
    linker = of_conditions(known, (LINKED,)).thinned(SEEN // EVERY)
    return [
        *identifications(known, released, seed=seed, n_jobs=n_jobs),
        linkage(linker, released, individuals, seed=seed),
    ]


def _divided(
    told: Told, maker: Of, rows: Windows, *, seed: int, rounds: int, single: bool, n_jobs: int = 1
) -> list[AttackResult]:
    """Membership, inference and copies, in the first division or in all; shadows are of the first half of them."""
    people, ways = told.people, {"seed": seed, "n_jobs": n_jobs}
    used = released_rounds(maker, told, rows.names, rounds=1 if single else rounds, **ways)
    near = Rounds(used.members, used.scores[:, :, 0])
    if single:
        near = released_rounds(maker, partial(_nearness, people), rows.names, rounds=rounds, **ways)
    half = rounds // 2
    shadows, tried = near.between(0, half), near.between(half, half + 1 if single else rounds)
    column = {name: used.scores[:, :, i] for i, name in enumerate(COLUMNS)}
    found = [membership(column["closeness"], used.members, seed=seed)]
    for online in (False, True):
        ratios = likelihood_ratios(shadows, tried.scores, online=online)
        name = "likelihood ratio, online" if online else "likelihood ratio, offline"
        found.append(membership(ratios, tried.members, seed=seed, name=name))
    labelled = with_condition(people)
    for name, secret, tolerance in (
        ("feature", list(BOUNDS).index(SECRET), TOLERANCE),
        ("condition", len(BOUNDS), None),
    ):
        best = guessed(labelled.values[:, secret], labelled, secret=secret, tolerance=tolerance)
        baseline = np.broadcast_to(best, used.members.shape)
        found.append(attribute_inference(column[name], used.members, baseline, seed=seed, name=name))
    for name in ("exact", "near", "exact in bins", "near in bins"):
        verbatim = column["verbatim"].astype(np.int64) if name == "exact" else None
        found.append(copies(column[name], used.members, seed=seed, name=name, rows=verbatim))
    return found


def _print_releases(rows: Windows) -> None:
    print("Identification of raw windows: " + ", ".join(FITTED) + " known, " + ", ".join(TESTED) + " given\n")
    results: dict[str, dict[str, AttackResult]] = {}
    for name, release in tqdm(RELEASES.items(), disable=None):
        told = attacked(rows, release, seed=SEED, rounds=ROUNDS, single=False, n_jobs=JOBS)
        results[name] = {one.attack: one for one in told}
    raw = results["real data"]
    for name, one in raw.items():
        if name.startswith("identification"):
            print(f"{name}: windows {one.further['windows']}, recordings {one.main}, chance {one.chance:.3f}")
    print("\n| attack | chance | " + " | ".join(results) + " |")
    print("|---|---|" + "---|" * len(results))
    for attack, one in raw.items():
        cells = [_cell(told.get(attack)) for told in results.values()]
        chance = "control" if attack.startswith("copies") else f"{one.chance:.2f}"
        print(f"| {attack} | {chance} | " + " | ".join(cells) + " |")
    print("\n| | " + " | ".join(results) + " |\n|---|" + "---|" * len(results))
    _print_further(results)
    print(flush=True)


def _print_further(results: dict[str, dict[str, AttackResult]]) -> None:
    for attack in ("membership, nearest record", "membership, likelihood ratio, online"):
        for further in ("TPR at FPR 1%", "TPR at FPR 10%", "balanced accuracy"):
            cells = [
                str(v) if not isinstance(v := told[attack].further[further], float) else f"{v:.2f}"
                for told in results.values()
            ]
            print(f"| {attack}: {further} | " + " | ".join(cells) + " |")
    for attack in ("inference of feature", "inference of condition"):
        print(f"| {attack}: risk | " + " | ".join(str(told[attack].risk) for told in results.values()) + " |")


def _cell(one: AttackResult | None) -> str:
    """Main with its interval, the control's value after a stroke; bold where something was found."""
    if one is None:
        return "–"
    text = f"{one.main} / {one.control.value:.2f}"
    mark = {
        AttackVerdict.SIGNIFICANT: f"**{text}**",
        AttackVerdict.NOT_SIGNIFICANT: text,
        AttackVerdict.INCONCLUSIVE: f"{text} ?",
    }
    return mark[one.verdict]


def _print_alarms(rows: Windows) -> None:
    """How often an attack finds something in releases that have nothing to do with the people; and in the real data."""
    from joblib import Parallel, delayed

    for name, one in (
        ("noise between the bounds", _alarm_of_noise),
        ("other people's data", _alarm_of_strangers),
        ("real data", _alarm_of_real_data),
    ):
        tasks = (delayed(one)(rows, seed) for seed in range(ALARMS))
        told = list(
            tqdm(Parallel(n_jobs=JOBS, return_as="generator")(tasks), total=ALARMS, desc=name, disable=None)
        )
        attacks = sum(len(results) for results in told)
        usual = AttackVerdict.SIGNIFICANT if one is _alarm_of_real_data else AttackVerdict.NOT_SIGNIFICANT
        by_verdict = Counter(str(r.verdict) for results in told for r in results)
        some = sum(any(r.verdict is AttackVerdict.SIGNIFICANT for r in results) for results in told)
        rate = coins_rate(some / ALARMS, ALARMS, method="exact")
        below = sum(r.p_value <= 0.05 for results in told for r in results)
        print(f"{name}: {ALARMS} releases, {attacks} attacks: {dict(by_verdict)}")
        print(f"  releases with any found: {rate}; p-values of at most 0.05: {below / attacks:.3f}")
        who = Counter(r.attack for results in told for r in results if r.verdict is not usual)
        print(f"  not {str(usual)!r}: {dict(who)}", flush=True)


def _alarm_of_noise(rows: Windows, seed: int) -> tuple[AttackResult, ...]:
    return attacked(rows, noise, seed=seed, rounds=ALARM_ROUNDS, single=True)


def _alarm_of_real_data(rows: Windows, seed: int) -> tuple[AttackResult, ...]:
    return attacked(rows, as_it_is, seed=seed, rounds=ALARM_ROUNDS, single=True)


def _alarm_of_strangers(rows: Windows, seed: int) -> tuple[AttackResult, ...]:
    """Eight people's data are released; of the sixteen others eight are said to be in, by lot. Owners' names are drawn by lot."""
    random = SecureRandom.for_tests(seed).spawn("strangers")
    order = random.permutation(rows.names.size)
    strangers, others = rows.of_people(rows.names[order[:8]]), rows.of_people(rows.names[order[8:]])
    names = rows.names[random.permutation(rows.names.size)]

    def of_strangers(asked: Windows, random: SecureRandom) -> Windows:  # noqa: ARG001  as all releases
        if asked.names.size == rows.names.size:
            return Windows(asked.values, names[np.searchsorted(rows.names, asked.people)], asked.recordings)
        return strangers

    found = _names_attacked(rows, of_strangers, seed=seed, n_jobs=1)
    told = told_of(others.thinned(SEEN // EVERY))
    maker = Of(of_strangers, others)
    return judged([*found, *_divided(told, maker, others, seed=seed, rounds=ALARM_ROUNDS, single=True)])


def _print_aggregates(rows: Windows) -> None:
    """The sum of everyone's mean window, clipped and noised: the best test of membership, theory, and what ε leaves."""
    print("\n| noise for ε = 1, δ = 1e-5, times | right, measured | Φ(d'/2) | guarantee |\n|---|---|---|---|")
    centred = (rows.values - rows.values.mean(axis=0)) / rows.values.std(axis=0)
    means = np.stack([centred[rows.people == p].mean(axis=0) for p in rows.names])
    units = means / np.linalg.norm(means, axis=1, keepdims=True)  # as many as a clip to 1 leaves at most
    person, instead, rest = units[0], -units[0], units[1:].sum(axis=0)
    grid = 2.0**-20
    for factor in (1.0, 0.5, 0.25):
        sigma = factor * gaussian_sigma(1.0, 1e-5, sensitivity=2.0)
        random = SecureRandom.for_tests(SEED).spawn("aggregates", str(factor))
        drawn = grid * rounded_gaussian(sigma / grid, (2, TRIALS, len(person)), random=random)
        releases = drawn + rest + np.stack([person, instead])[:, None, :]
        inside, outside = log_ratio_known_rest(releases, person, rest, sigma=sigma, instead=instead)
        right = ((inside > 0).mean() + (outside < 0).mean()) / 2
        theory = success_known_rest(2.0, sigma=sigma)
        check = check_guarantee(inside, outside, epsilon=1.0, delta=1e-5)
        kept = "broken" if check.violated else "not broken"
        print(f"| {factor:g} | {right:.3f} | {theory:.3f} | {kept}: {check} |")
