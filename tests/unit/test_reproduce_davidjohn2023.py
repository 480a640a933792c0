"""`scripts/reproduce davidjohn2023 --quick` on invented data, and its parts against values worked out by hand."""

import csv
import gzip
import math

import numpy as np
import pytest
from refusals import refused
from reproducing import reproduce, table, titles
from scipy.stats import norm

from synthrelease.errors import DataError
from synthrelease.numerics.public_draws import PublicDraws

PEOPLE, IMAGES, FIXATIONS = 8, range(1011, 1031), 8
MECHANISMS, KALEIDO = 9, range(5, 9)
TABLES = ("paper", "identification", "linkage", "utility", "kaleido", "events", "sequences")


def invented_data(folder, people=PEOPLE):
    """People who differ in durations and in how far they look, in the layout of osie."""
    rng = np.random.default_rng(4)
    lines = ["image,observer,fix_index,x_px,y_px,duration_ms"]
    for image in IMAGES:
        centres = rng.uniform([150, 150], [650, 450], (3, 2))
        for person in range(1, people + 1):
            for number in range(FIXATIONS + person % 2):
                at = centres[rng.integers(3)] + rng.normal(0, 15 + 8 * person, 2)
                x, y = np.clip(at, 1, [799, 599])
                lines.append(
                    f"{image}.jpg,{person},{number},{x:.1f},{y:.1f},{rng.uniform(150, 200) + 25 * person:.0f}"
                )
    (folder / "osie").mkdir(parents=True)
    with gzip.open(folder / "osie" / "fixations_tidy.csv.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    finished = reproduce("davidjohn2023", invented_data(folder), "-o", folder / "tables", "--quick")
    assert finished.returncode == 0, finished.stderr
    return finished.stdout, folder / "tables"


@pytest.fixture
def part(script):
    return lambda name: script(f"reproductions._davidjohn2023_{name}")


@pytest.fixture
def fixations(part):
    """Return what makes fixations of trials: (person, stimulus) and a list of x and y in pixels and a duration in milliseconds."""

    def made(trials):
        rows = [(*trial, *one) for trial in sorted(trials) for one in trials[trial]]
        person, stimulus, x, y, duration = (np.array(column) for column in zip(*rows, strict=True))
        places = np.stack([x, y], axis=1).astype(float)
        return part("data").fixations_at(person, stimulus, places, duration, person.max() + 1)

    return made


@pytest.fixture
def crowd(fixations):
    """People who look at random places of two images, some of them longer than others."""
    rng = np.random.default_rng(0)
    return fixations(
        {
            (person, stimulus): [
                (*rng.uniform([50, 50], [750, 550]), 100 + 40 * person)
                for _ in range(3 + (person + stimulus) % 3)
            ]
            for person in range(6)
            for stimulus in range(2)
        }
    )


def rate(cell):
    return float(cell.split(" ")[0])


# --- the whole


@pytest.mark.thorough
def test_every_mechanism_is_attacked_beside_raw_data_and_controls(done):
    _, _, linkage, *_ = titles(done[0])
    rows = {row[0]: [rate(cell) for cell in row[1:]] for row in table(done[0], linkage)}
    raw, event, *same = list(rows)[:5]
    assert len(rows) == MECHANISMS
    assert rows[raw][:2] == [1.0, 1.0]
    assert rows[event][0] > 0.9
    assert all(rows[name][1] == 1.0 for name in [event, *same])  # durations are published as they are
    assert rows[same[-1]][0] < 0.5
    assert all(control < 0.4 for _, _, control in rows.values())


@pytest.mark.thorough
def test_who_looked_is_found_in_raw_data_and_not_by_those_who_learnt_from_shuffled_names(done):
    rows = table(done[0], titles(done[0])[1])
    assert len(rows) == MECHANISMS
    raw = rows[0]
    assert max(rate(raw[1]), rate(raw[2])) > 0.6
    controls = [float(value) for row in rows for at in (3, 6) for value in row[at].split(" / ")]
    assert abs(np.mean(controls) - 1 / PEOPLE) < 0.05


@pytest.mark.thorough
def test_no_event_passes_with_gamma_of_one_and_no_sequence_with_the_noise_of_events(done):
    *_, events, sequences = titles(done[0])
    first, *others = table(done[0], events)
    assert first[:5] == ["1", "1.00", *["0.00 / 0.00"] * 3]
    assert all(row[1] == "0.00" and rate(row[2]) > 0 for row in others)
    rows = table(done[0], sequences)
    assert [row[2] for row in rows[:2]] == ["0", "0"]
    assert rows[-1][1:] == [str(PEOPLE * 3)] * 3 + [f"{PEOPLE}.00"]  # a control: the test can be passed


@pytest.mark.thorough
def test_tables_are_printed_and_written(done):
    for name, title in zip(TABLES, titles(done[0]), strict=True):
        with (done[1] / f"davidjohn2023_{name}.csv").open(encoding="utf-8", newline="") as file:
            _, *rows = csv.reader(file)
        shown = table(done[0], title)
        assert len(rows) == len(shown)
        assert [row[-1].strip() for row in rows] == [row[-1] for row in shown]


def test_without_data_with_too_few_people_or_trials_nothing_is_written(script, tmp_path):
    main = script("reproductions.davidjohn2023")
    with refused(DataError, "no-such-file"):
        main.run(tmp_path / "nowhere", tmp_path / "out", quick=True)
    with refused(DataError, "too-few-people"):
        main.run(invented_data(tmp_path / "few", 6), tmp_path / "out", quick=True)
    lacking = invented_data(tmp_path / "lacking") / "osie" / "fixations_tidy.csv.gz"
    rows = [
        row
        for row in gzip.decompress(lacking.read_bytes()).decode().splitlines()
        if not row.startswith("1011.jpg,3,")
    ]
    lacking.write_bytes(gzip.compress("\n".join(rows).encode()))
    with refused(DataError, "too-few-people"):
        main.run(tmp_path / "lacking", tmp_path / "out", quick=True)
    assert not (tmp_path / "out").exists()


def test_blocks_that_are_known_published_and_tested_share_what_they_may(script):
    main = script("reproductions.davidjohn2023")
    for scale in (main.FULL, main.QUICK):
        published, known, tested = (
            {first + number for first in firsts for number in range(scale.images)}
            for firsts in (scale.first, scale.known, scale.tested)
        )
        assert len(published) == len(scale.first) * scale.images
        assert not published & known
        assert not tested & {scale.first[0] + number for number in range(scale.images)}


# --- mechanisms


def test_event_synth_pd_moves_centres_by_sigma_over_root_t_and_nothing_else(part, fixations):
    mechanisms, data = part("mechanisms"), part("data")
    real = fixations({(0, 0): [(400, 300, 250)] * 4000 + [(400, 300, 40)] * 4000})
    released = mechanisms.event_synth_pd(real, PublicDraws(1))
    np.testing.assert_array_equal(released.duration_us, real.duration_us)
    apart = (data.places_px(released) - data.places_px(real)) / data.PX_PER_DEG
    for samples, rows in ((25, slice(4000)), (4, slice(4000, None))):
        variance = float((apart[rows] ** 2).mean())
        assert variance == pytest.approx(mechanisms.SIGMA_DEG**2 / samples, rel=0.05)


def test_k_same_synth_averages_the_groups_events_and_keeps_durations(part, crowd, monkeypatch):
    mechanisms, data = part("mechanisms"), part("data")
    monkeypatch.setattr(mechanisms, "SIGMA_DEG", 0.0)
    for k, sizes in ((2, {2}), (4, {6}), (6, {6})):  # of six people, k = 4 leaves one group
        released = mechanisms.k_same_synth(crowd, PublicDraws(3), k=k)
        np.testing.assert_array_equal(released.duration_us, crowd.duration_us)
        np.testing.assert_array_equal(released.counts, crowd.counts)
        real, shown = (data.Rectangle.of(one) for one in (crowd, released))
        for stimulus in range(2):
            here = np.flatnonzero(real.stimulus == stimulus)
            groups = {}
            for trial in here:
                groups.setdefault(tuple(np.round(shown.places_px[trial, 0], 6)), []).append(trial)
            assert {len(group) for group in groups.values()} == sizes
            for group in groups.values():
                mean = np.nanmean(real.places_px[group, :3], axis=0)  # events that all have
                for trial in group:
                    np.testing.assert_allclose(shown.places_px[trial, :3], mean, atol=0.2)
                longest = int(real.counts[group].max()) - 1
                last = real.places_px[group, longest]
                mean = last[np.isfinite(last[:, 0])].mean(axis=0)
                for trial in group:
                    if real.counts[trial] > longest:
                        np.testing.assert_allclose(shown.places_px[trial, longest], mean, atol=0.2)


def test_kaleido_without_noise_publishes_the_last_place_until_the_eye_has_moved(part, fixations):
    mechanisms, data = part("mechanisms"), part("data")
    real = fixations({(0, 0): [(100, 100, 200), (110, 100, 200), (400, 300, 130)], (1, 0): [(400, 300, 70)]})
    released = mechanisms.kaleido(real, PublicDraws(1), epsilon=1e9, window_s=0.5, radius_deg=2.0)
    np.testing.assert_array_equal(released.person, [0, 0, 1])
    np.testing.assert_allclose(data.places_px(released), [[100, 100], [400, 300], [400, 300]], atol=0.2)
    np.testing.assert_array_equal(released.duration_us, [400_000, 130_000, 70_000])  # 10 px are less than 1°


def test_kaleido_spends_half_of_what_is_left_of_a_window(part, fixations, monkeypatch):
    mechanisms = part("mechanisms")
    monkeypatch.setattr(mechanisms, "THRESHOLD_DEG", -1e9)  # always a new place
    spent = []

    def no_noise(epsilon, draws):  # noqa: ARG001
        spent.append(epsilon[0] * 2.0)
        return np.zeros((epsilon.size, 2))

    monkeypatch.setattr(mechanisms, "_planar_laplace", no_noise)
    real = fixations({(0, 0): [(100, 100, 1000), (500, 300, 1000)]})
    mechanisms.kaleido(real, PublicDraws(1), epsilon=8.0, window_s=0.2, radius_deg=2.0)
    assert len(spent) == 40  # every fifth of 200 samples
    assert spent[:4] == [2.0, 1.0, 0.5, 0.25]
    assert spent[4] == pytest.approx((4 - 1.75) / 2)  # the first is 20 samples ago
    for start in range(37):
        assert sum(spent[start : start + 4]) <= 4.0 + 1e-9


def test_planar_laplace_has_the_mean_length_of_its_epsilon(part):
    steps = part("mechanisms")._planar_laplace(np.full(40_000, 0.5), PublicDraws(1))
    length = np.hypot(*steps.T)
    assert length.mean() == pytest.approx(2 / 0.5, rel=0.02)
    assert (length < 1 / 0.5).mean() == pytest.approx(1 - 2 / math.e, abs=0.01)
    np.testing.assert_allclose(steps.mean(axis=0), 0, atol=0.08)


@pytest.mark.parametrize(
    ("epsilon", "window", "radius", "of_person"),
    [(1, 0.5, 2, 2500), (1, 2, 10, 125), (10, 0.5, 2, 25_000), (1, 2, 100, 30)],
)
def test_scanpaths_section_1_what_kaleidos_epsilon_is_of_a_person(part, epsilon, window, radius, of_person):
    found = part("mechanisms").kaleido_person_epsilon(
        epsilon=epsilon, window_s=window, radius_deg=radius, stimuli=20
    )
    assert found == pytest.approx(of_person, rel=1e-9)


# --- tests of events and sequences


def test_intervals_are_open_below_and_closed_above_and_empty_at_one(part):
    events = part("events")
    p = np.array([1.0, 0.7, 0.5, 0.3, 0.25, 1e-9])
    assert events.intervals(np.log(p), 2.0).tolist() == [0, 0, 1, 1, 2, 29]
    assert events.intervals(np.log(p), 1.0).tolist() == [events.NO_INTERVAL] * 6
    assert (events.intervals(-np.linspace(0, 900, 10_001), 1.0) == events.NO_INTERVAL).all()


def test_probability_of_samples_is_the_product_of_differences_of_distribution_functions(part):
    events = part("events")
    rng = np.random.default_rng(1)
    sigma = part("mechanisms").SIGMA_DEG
    for count, apart in ((1, 0.2), (7, 0.0), (30, 0.6)):
        samples = rng.normal(0, sigma, (count, 2))
        centre = np.array([apart, -apart])
        ends = [norm.cdf(samples + side * 0.01, centre, sigma) for side in (1, -1)]
        exact = np.log(ends[0] - ends[1]).sum()
        mean = samples.mean(axis=0)
        spread = ((samples - mean) ** 2).sum() / sigma**2
        assert events.log_probability(count, spread, mean - centre) == pytest.approx(exact, abs=0.01)


def test_samples_scatter_around_their_own_mean_with_t_less_one_degrees_of_freedom(
    part, fixations, monkeypatch
):
    events, spreads = part("events"), []
    original = events.log_probability
    monkeypatch.setattr(
        events, "log_probability", lambda *all_of: [spreads.append(all_of[1]), original(*all_of)][1]
    )
    events.event_test(fixations({(0, 0): [(400, 300, 60)] * 900}), PublicDraws(1), 4.0)
    assert spreads[0].mean() == pytest.approx(2 * (6 - 1), rel=0.05)


def test_an_event_that_another_person_has_too_is_plausible_and_an_own_one_is_not(part, fixations):
    events = part("events")
    here, far = (200, 200, 250), (600, 450, 250)
    cases = {
        (0, 0, 0): {(0, 0): [here], (1, 0): [far], (2, 0): [(200, 550, 250)]},
        (1, 1, 0): {(0, 0): [here], (1, 1): [here], (2, 0): [far]},
        (0, 0, 0, 0, 0): {(0, 0): [here] * 4, (1, 0): [far]},
        (1, 1, 1, 1, 1): {(0, 0): [here] * 4, (1, 0): [here]},
    }
    for plausible, trials in cases.items():
        tested = events.event_test(fixations(trials), PublicDraws(1), 4.0)
        assert tuple(tested.plausible) == plausible
        assert not tested.without_interval.any()
    tested = events.event_test(fixations(cases[1, 1, 0]), PublicDraws(1), 1.0)
    assert (tested.plausible.any(), tested.without_interval.all()) == (False, True)


def test_more_draws_pass_more_events_and_larger_k_fewer(part, fixations):
    rng = np.random.default_rng(0)
    crowd = fixations(
        {(p, 0): [(*rng.uniform([300, 200], [500, 400]), 250) for _ in range(150)] for p in range(6)}
    )
    found = part("events").passing(crowd, PublicDraws(1), gamma=4.0, ks=(2, 3), redraws=4)
    draws = PublicDraws(1)
    tests = [part("events").event_test(crowd, draws, 4.0).plausible for _ in range(4)]
    for k in (2, 3):
        assert found.first[k] == (tests[0] >= k - 1).mean()
        assert found.later[k] == (np.max(tests, axis=0) >= k - 1).mean()
    assert 0 < found.first[3] < found.first[2] < 1
    assert found.later[2] > found.first[2]
    assert found.later[3] > found.first[3]
    assert 0.05 < found.moved_deg < 0.3
    none = part("events").passing(crowd, PublicDraws(1), gamma=1.0, ks=(2, 3), redraws=2)
    assert (none.without_interval, none.later) == (1.0, {2: 0.0, 3: 0.0})
    assert math.isnan(none.passing_moved_deg)


def test_a_sequence_is_plausible_of_those_who_have_it_or_of_all_if_nothing_is_kept(part, fixations):
    sequences, data = part("sequences"), part("data")
    rng = np.random.default_rng(2)
    trials = {
        (p, s): [(*rng.uniform([50, 50], [750, 550]), 250) for _ in range(5)]
        for p in range(5)
        for s in range(2)
    }
    for stimulus in range(2):
        trials[3, stimulus] = trials[1, stimulus]
    trials[4, 0] = trials[1, 0][:4]  # the same, and one less
    gaze = fixations(trials)
    chain, rectangle = sequences.chain_of(gaze), data.Rectangle.of(gaze)
    after = chain.next(np.array([1]), np.array([5]), np.array([70]))
    assert after.shape == (1, 60, 80)
    assert after.sum() == pytest.approx(1)
    kernels = sequences.near(rectangle, 0.5, of_centre=True)
    for kernel in kernels:
        assert np.allclose(kernel.sum(axis=2)[:, :4], 1)
        assert not kernel[8, 4].any()  # person 4's trial of four on the first stimulus

    def plausible(share):
        found = sequences.sequence_test(rectangle, chain, kernels, PublicDraws(1), share=share, gamma=4.0)
        return found.reshape(5, 2).tolist()

    assert plausible(1.0) == [[5, 5]] * 5
    assert plausible(0.0) == [[1, 1], [2, 2], [1, 1], [2, 2], [3, 1]]


def test_a_chain_goes_where_its_kernel_says(part):
    kernel = np.zeros((2 * 6 - 1, 2 * 8 - 1))
    kernel[5 + 1, 7 - 2] = 1.0  # a row down and two columns to the left
    chain = part("sequences").Chain(np.full((2, 6, 8), 1 / 48), kernel, np.ones((2, 6, 8)))
    after = chain.next(np.array([0, 1]), np.array([2, 4]), np.array([7, 3]))
    assert [tuple(np.argwhere(one)[0]) for one in after] == [(3, 5), (5, 1)]


def test_kernels_are_as_wide_as_sigma_or_as_the_centre_of_t_samples(part, fixations):
    sequences, data = part("sequences"), part("data")
    rectangle = data.Rectangle.of(fixations({(0, 0): [(405, 305, 160)]}))
    for of_centre, sigma_px in ((False, 48.0), (True, 12.0)):
        for kernel in sequences.near(rectangle, 2.0, of_centre=of_centre):
            places = (np.arange(kernel.shape[2]) + 0.5) * 10
            mean = kernel[0, 0] @ places
            assert math.sqrt(kernel[0, 0] @ (places - mean) ** 2) == pytest.approx(sigma_px, rel=0.02)


# --- attacks


def test_linkage_by_places_is_dynamic_time_warping(part, crowd):
    attacks, data = part("attacks"), part("data")
    trials = data.Rectangle.of(crowd)
    one, other = np.array([0, 3, 5]), np.array([1, 2, 7, 11])

    def warped(first, second):
        best = {(0, 0): 0.0}
        for i, a in enumerate(first, 1):
            for j, b in enumerate(second, 1):
                before = min(best.get(at, math.inf) for at in ((i - 1, j - 1), (i - 1, j), (i, j - 1)))
                best[i, j] = math.dist(a, b) + before
        return best[len(first), len(second)] / max(len(first), len(second))

    def path(trial):
        return trials.places_px[trial, : trials.counts[trial]]

    expected = [[warped(path(a), path(b)) for b in other] for a in one]
    np.testing.assert_allclose(attacks._by_places(trials, trials, one, other), expected)


def test_links_of_raw_scanpaths_are_right_and_equal_ones_share_theirs(part, crowd, fixations):
    attacks = part("attacks")
    for by in (attacks.PLACES, attacks.DURATIONS):
        np.testing.assert_array_equal(attacks.linked(crowd, crowd, by, [0, 1]), np.eye(6))
    other = attacks.linked(crowd, crowd, attacks.OTHER_IMAGE, [0, 1])
    assert other.trace() < 3
    np.testing.assert_allclose(other.sum(axis=1), 1)
    twins = {(0, 0): [(100, 100, 200)], (1, 0): [(100, 100, 200)], (2, 0): [(500, 400, 300)]}
    linked = attacks.linked(fixations(twins), fixations(twins), attacks.PLACES, [0])
    np.testing.assert_allclose(linked, [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])


def test_people_with_habits_are_identified_and_by_shuffled_names_they_are_not(part, fixations):
    attacks = part("attacks")
    rng = np.random.default_rng(6)
    trials = {
        (person, stimulus): [
            (
                *(np.array([400, 300]) + rng.normal(0, 20 + 15 * person, 2)),
                150 + 60 * person + rng.uniform(0, 20),
            )
            for _ in range(6)
        ]
        for person in range(5)
        for stimulus in range(24)
    }
    gaze = fixations(trials)
    blocks = [list(range(first, first + 4)) for first in range(0, 24, 4)]
    known, released = attacks.blocks_of(gaze, blocks[:4]), attacks.blocks_of(gaze, blocks[4:])
    assert known.values.shape[0] == 20
    assert known.person.tolist() == [*range(5)] * 4
    found = attacks.identified(attacks.attacker(known, PublicDraws(1), trees=20, shuffles=8), released)
    for one in found.values():
        np.testing.assert_allclose(one.table.sum(axis=1), 1)
        assert one.table.trace() / 5 > 0.8
        assert one.control < 0.45
