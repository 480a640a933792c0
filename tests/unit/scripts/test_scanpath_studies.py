"""The study of scanpaths: made-up people, simpler chains, and who is in a release."""

from __future__ import annotations

from dataclasses import replace

import made_scanpaths
import numpy as np
import pytest

from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.values import Values

P = made_scanpaths.mechanism().parameters


def gaze(people: int = 6, seed: int = 0) -> GazeData:
    return made_scanpaths.gaze(made_scanpaths.ordinary(people, seed=seed))


def trials_of(some: GazeData) -> dict[tuple[int, int], tuple[tuple[float, float, int], ...]]:
    assert some.duration is not None
    rows: dict[tuple[int, int], list[tuple[float, float, int]]] = {}
    for person, stimulus, x, y, duration in zip(
        some.person, some.stimulus, some.x_px, some.y_px, some.duration, strict=True
    ):
        rows.setdefault((int(person), int(stimulus)), []).append((x, y, int(duration)))
    return {trial: tuple(fixations) for trial, fixations in rows.items()}


def test_made_up_people_have_whole_trials_half_of_them_of_one_participant(script) -> None:
    resampled = script("studies._scanpath_people").resampled
    real = trials_of(gaze())
    owner = {fixations: person for (person, _), fixations in real.items()}
    made = trials_of(resampled(gaze(), 300, seed=1))
    assert len(made) == 900
    owners = np.array([[owner[made[person, s]] for s in range(3)] for person in range(300)])
    assert all(real[owners[p, s], s] == made[p, s] for p in range(300) for s in range(3))
    # Two trials are of one participant if both are of the first one's (¼), or by chance.
    same = np.mean(owners[:, 0] == owners[:, 1])
    assert same == pytest.approx(1 / 4 + 3 / 4 / 6, abs=0.09)
    assert trials_of(resampled(gaze(), 300, seed=1)) == made
    assert trials_of(resampled(gaze(), 300, seed=2)) != made


def test_a_grid_without_noise_goes_where_people_go(script) -> None:
    baselines = script("studies._scanpath_baselines")
    there = [(0.05, 0.05, 100.0), (0.95, 0.95, 100.0), (0.05, 0.05, 100.0)]
    people = made_scanpaths.fixations({(p, 0): there for p in range(5)}, 5)
    timing = {(n, 0): np.array([100.0, 150.0, 250.0]) for n in range(50)}
    one = replace(P, stimuli=("a",), max_stimuli_per_person=1)
    options = {"delta": 1e-5, "seed": 0}
    f = baselines.grid_chain(people, timing, one, epsilon=np.inf, **options).fixations
    cell = f.x * 8 // STEPS + 8 * (f.y * 6 // STEPS)
    assert np.mean(cell.reshape(50, 3) == [0, 47, 0]) > 0.98
    np.testing.assert_array_equal(f.duration_us[:3], [100_000, 150_000, 250_000])
    noisy = baselines.grid_chain(people, timing, one, epsilon=0.1, **options).fixations
    assert np.mean((noisy.x * 8 // STEPS + 8 * (noisy.y * 6 // STEPS)).reshape(50, 3) == [0, 47, 0]) < 0.2


def test_counts_are_cut_to_the_nearest_that_are_not_negative(script) -> None:
    cut = script("studies._scanpath_baselines")._cut
    np.testing.assert_allclose(
        cut(np.array([[3.0, -1.0], [1.0, 0.5]])), [[8 / 3, 0], [2 / 3, 1 / 6]], atol=2e-6
    )
    counts = np.random.default_rng(0).normal(0.2, 1, (9, 8))
    assert cut(counts).sum() == pytest.approx(counts.sum(), abs=1e-3)


@pytest.mark.thorough
def test_simpler_chains_have_the_maps_but_not_the_movements_of_a_release(script) -> None:
    baselines = script("studies._scanpath_baselines")
    study = script("studies.scanpaths")
    made = made_scanpaths.mechanism(60)
    made = replace(made, parameters=replace(made.parameters, scanpaths=40))
    people = made_scanpaths.gaze(_near(60))
    drawn = made.draw(made.collect(people), Budget(20.0, 1e-5), SecureRandom.for_tests(0))
    values = Values(made.parameters, drawn.event, drawn.arrays)
    ours = study.drawn(values, made).spreads["amplitude"].mean
    exact = made.fixations(made.collect(people))
    real = study.Judged(exact, made.parameters).spreads["amplitude"].mean
    alone = baselines.independent(values, made.parameters)
    times = baselines.density_times_kernel(values, made.parameters)
    assert abs(ours - real) < 0.05
    assert alone.spreads["amplitude"].mean > real + 0.1
    assert abs(times.spreads["amplitude"].mean - real) < 0.05
    np.testing.assert_allclose(alone.fixations.counts, times.fixations.counts)


def _near(people: int) -> list[made_scanpaths.Rows]:
    """People who begin anywhere and go by small steps."""
    random = np.random.default_rng(3)
    rows = []
    for _ in range(people):
        places = []
        for stimulus in range(3):
            at = random.uniform(0, 1, 2) * [80, 60]
            for _ in range(7):
                at = np.clip(at + random.normal(0, 4, 2), 0.5, [79.5, 59.5])
                places.append([stimulus, *at, 250.0])
        rows.append(np.array(places))
    return rows
