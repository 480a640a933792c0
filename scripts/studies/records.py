"""Synthetic records of the IER 2023 pupil features: what they are worth and what they give away (docs/records.md).

Condition: five tasks, models fitted and tested on different people (6 folds). Person: 24 people, fitted on three conditions,
tested on the real windows of the other two; a synthetic record carries the person of its seed, which only an
attacker who knows the seeds has. Nearest: distance of a synthetic record to the nearest real one, over that of a
real one of another person. Membership: area under the curve of guessing, from the nearest synthetic record, whether
a person was in the data (12 of 24 people, 20 divisions).
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from synthrelease.appraisal.owned_records import owned_records
from synthrelease.appraisal.record_rows import NO_ONE
from synthrelease.data.attribute import Attribute
from synthrelease.data.features import Features, load_features
from synthrelease.mechanisms.records.parameters import RecordsParameters
from synthrelease.mechanisms.records.release import calibrate
from synthrelease.noise import SecureRandom
from synthrelease.outputs.records_parameters import default_bins
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import DiscreteLaplace, RoundedGaussian, flatten
from synthrelease.privacy.guarantee import Neighbours

CONDITIONS = ("control", "npc", "noise", "arithmetic", "combined")
FITTED, TESTED = ("control", "noise", "arithmetic"), ("npc", "combined")
# Least personal first, for the first are kept. Public: what pupils, eyelids and windows of 10 s can do; and how far they stray from a person's own mean.
BOUNDS = {
    "openness_mean": (0.0, 1.0),
    "blink_rate_hz": (0.0, 2.0),
    "openness_sd": (0.0, 0.5),
    "blink_dur_mean_s": (0.0, 1.0),
    "pupil_sd_mm": (0.0, 1.0),
    "pupil_lr_diff_mm": (-1.5, 1.5),
    "pupil_l_mean_mm": (1.5, 8.0),
    "pupil_r_mean_mm": (1.5, 8.0),
    "pupil_min_mm": (1.0, 8.0),
    "pupil_max_mm": (1.5, 9.0),
}
STRAYING = {
    "openness_mean": (-0.4, 0.2),
    "blink_rate_hz": (-0.5, 1.0),
    "openness_sd": (-0.2, 0.3),
    "blink_dur_mean_s": (-0.5, 1.0),
    "pupil_sd_mm": (-0.3, 0.5),
    "pupil_lr_diff_mm": (-0.5, 0.5),
    "pupil_l_mean_mm": (-1.0, 1.0),
    "pupil_r_mean_mm": (-1.0, 1.0),
    "pupil_min_mm": (-1.5, 1.5),
    "pupil_max_mm": (-1.5, 1.5),
}
K, GAMMA, DRAWN = 8, 4.0, (8, 9)
RECORDS, EVERY = 4000, 4  # synthetic records of a fit; windows used, which overlap by 95 %
EPSILON, DELTA = 3.0, 1e-6


@dataclass(frozen=True)
class Rows:
    """Windows: values, person, condition."""

    values: NDArray[np.float64]
    person: NDArray[np.int64]
    condition: NDArray[np.int64]

    def where(self, chosen: NDArray[np.bool_]) -> Rows:
        """Return some of them."""
        return Rows(self.values[chosen], self.person[chosen], self.condition[chosen])


@dataclass(frozen=True)
class Maker:
    """A way to make synthetic records."""

    name: str
    model: str
    dependence: str
    fit: str = "exact"
    noise: str = "gaussian"
    people: int | None = None  # resampled to so many
    records: int = RECORDS

    def make(
        self, rows: Rows, bounds: dict[str, tuple[float, float]], random: SecureRandom
    ) -> tuple[Rows, float]:
        """Return synthetic records, each with the person of its seed (−1 without), and the pass rate."""
        if self.people is not None:
            rows = _resampled(rows, self.people)
        who, person = np.unique(rows.person, return_inverse=True)
        bins = default_bins(len(who))
        attributes = (
            Attribute("condition", len(CONDITIONS), CONDITIONS),
            *(Attribute(name, bins, None, low, high) for name, (low, high) in bounds.items()),
        )
        m = len(attributes)
        parameters = RecordsParameters(
            model=self.model,
            fit=self.fit,
            noise=self.noise,
            attributes=attributes,
            dependence=self.dependence,
            task=True,
            per_task=True,
            order=tuple(range(m)),
            resampled=(m,) if self.model == "marginals" else DRAWN,
            k=K,
            gamma=GAMMA,
            counted="person",
            rows=self.records,
            trials=1000 * self.records,
            neighbours=Neighbours.REPLACE_ONE,
            people=len(who),
        )
        columns = [rows.condition, *rows.values.T]
        coded = np.stack([a.encoded(c) for a, c in zip(attributes, columns, strict=True)], axis=1)
        event = calibrate(parameters, Budget(EPSILON, DELTA) if self.fit == "dp" else None)
        noise = next((e for e in flatten(event) if isinstance(e, DiscreteLaplace | RoundedGaussian)), None)
        made = owned_records(coded, person, parameters, noise, random=random)
        whose = np.where(made.seeds == NO_ONE, -1, who[person[made.seeds]])
        return _decoded(made.records, attributes, whose), made.passed / made.trials


MAKERS = (
    Maker("marginals, independent", "marginals", "independent"),
    Maker("marginals, tree", "marginals", "tree"),
    Maker("seeded, independent", "seeded", "independent"),
    Maker("seeded, tree", "seeded", "tree"),
    Maker(f"marginals, independent, DP ε = {EPSILON:g}", "marginals", "independent", "dp"),
    Maker(f"marginals, tree, DP ε = {EPSILON:g}", "marginals", "tree", "dp"),
)
CROWDS = (200, 1000, 5000, 25000)


def run(data: Path) -> None:
    """Print the tables as Markdown."""
    raw, straying = _load(data / "ier2023_vr_pupil" / "features_10s_0p5s.csv.gz")
    random = SecureRandom.for_tests(2022)
    print("| records | condition: forest | 11-NN | person: forest | 11-NN | pass | nearest | membership |")
    print("|---|---|---|---|---|---|---|---|")
    print(_line("real data", None, raw, straying, random))
    for maker in tqdm(MAKERS):
        print(_line(maker.name, maker, raw, straying, random), flush=True)
    print("| chance | 0.20 | 0.20 | 0.04 | 0.04 | – | – | 0.50 |\n")
    print(f"| DP fit at ε = {EPSILON:g}, people | " + " | ".join(str(n) for n in CROWDS) + " |")
    print("|---|" + "---|" * len(CROWDS))
    for base in MAKERS[-2:]:
        scores = [
            statistics.mean(_condition(replace(base, people=n), straying, random)) for n in tqdm(CROWDS)
        ]
        print(f"| {base.name} | " + " | ".join(f"{score:.2f}" for score in scores) + " |", flush=True)


def _line(name: str, maker: Maker | None, raw: Rows, straying: Rows, random: SecureRandom) -> str:
    forest, neighbours = _condition(maker, straying, random)
    who = _person(maker, raw, random)
    rate, nearest, membership = _private(maker, raw, random)
    cells = [forest, neighbours, *who, rate, nearest, membership]
    return f"| {name} | " + " | ".join("–" if cell is None else f"{cell:.2f}" for cell in cells) + " |"


def _condition(maker: Maker | None, rows: Rows, random: SecureRandom) -> tuple[float, float]:
    """Accuracy on people that nothing was fitted on."""
    people = np.random.default_rng(1).permutation(np.unique(rows.person))
    scores = []
    for fold in np.array_split(people, 6):
        held = np.isin(rows.person, fold)
        known = rows.where(~held)
        made = maker.make(known, STRAYING, random)[0] if maker else known
        scores.append(_scores(made.values, made.condition, rows.where(held).values, rows.condition[held]))
    return tuple(np.mean(scores, axis=0))


def _person(maker: Maker | None, rows: Rows, random: SecureRandom) -> tuple[float | None, float | None]:
    """Accuracy of naming the person on the real windows of other conditions."""
    known = rows.where(np.isin(rows.condition, [CONDITIONS.index(c) for c in FITTED]))
    other = rows.where(np.isin(rows.condition, [CONDITIONS.index(c) for c in TESTED]))
    made = maker.make(known, BOUNDS, random)[0] if maker else known
    if not len(made.person) or made.person[0] < 0:
        return None, None
    return _scores(made.values, made.person, other.values, other.person)


def _scores(
    values: NDArray[np.float64],
    labels: NDArray[np.int64],
    tested: NDArray[np.float64],
    truth: NDArray[np.int64],
) -> tuple[float, float]:
    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0, n_jobs=2)
    nearest = make_pipeline(StandardScaler(), KNeighborsClassifier(11))
    return tuple(float((c.fit(values, labels).predict(tested) == truth).mean()) for c in (forest, nearest))


def _private(maker: Maker | None, rows: Rows, random: SecureRandom) -> tuple[float | None, float, float]:
    """Pass rate, distance ratio, and area under the curve of membership, over 20 divisions of the people."""
    found = []
    people = np.unique(rows.person)
    for division in range(20):
        members = np.random.default_rng(division).permutation(people)[: len(people) // 2]
        inside = np.isin(rows.person, members)
        known = rows.where(inside)
        made, rate = maker.make(known, BOUNDS, random) if maker else (known, 0.0)
        scale = StandardScaler().fit(rows.values)
        real, others, synthetic = (
            scale.transform(x) for x in (rows.values[inside], rows.values[~inside], made.values)
        )
        near = NearestNeighbors(n_neighbors=1).fit(real)
        ratio = np.median(near.kneighbors(synthetic)[0]) / np.median(near.kneighbors(others)[0])
        to_synthetic = (
            NearestNeighbors(n_neighbors=1).fit(synthetic).kneighbors(scale.transform(rows.values))[0]
        )
        closeness = [-float(to_synthetic[rows.person == p].mean()) for p in people]
        found.append((rate, float(ratio), float(roc_auc_score(np.isin(people, members), closeness))))
    rate, nearest, membership = np.mean(found, axis=0)
    return rate if maker else None, nearest, membership


def _load(path: Path) -> tuple[Rows, Rows]:
    """All windows as they are, and each person's with their own mean taken off."""
    data: Features = load_features(
        path,
        columns={"person": "participant", "recording": "condition", "time": "t_center_s"},
        bounds=BOUNDS,
        recordings=CONDITIONS,
    )
    straying = data.values.copy()
    for person in range(data.people):
        straying[data.person == person] -= data.values[data.person == person].mean(axis=0)
    some = slice(None, None, EVERY)
    return (
        Rows(data.values[some], data.person[some], data.recording[some]),
        Rows(straying[some], data.person[some], data.recording[some]),
    )


def _resampled(rows: Rows, people: int) -> Rows:
    """So many people, drawn with replacement; every draw is a person of their own. At most 20 windows of each."""
    rng = np.random.default_rng(people)
    drawn = rng.choice(np.unique(rows.person), people)
    own = [rng.permutation(np.flatnonzero(rows.person == p))[:20] for p in drawn]
    who = np.repeat(np.arange(people), [len(part) for part in own])
    at = np.concatenate(own)
    return Rows(rows.values[at], who, rows.condition[at])


def _decoded(chosen: NDArray[np.int64], attributes: tuple[Attribute, ...], person: NDArray[np.int64]) -> Rows:
    values = np.stack([a.values(chosen[:, j]) for j, a in enumerate(attributes) if a.labels is None], axis=1)
    return Rows(values, person, chosen[:, 0])
