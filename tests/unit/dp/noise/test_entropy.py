"""`SecureRandom`: independent uniform words, never repeated by a copy, a fork or a thread."""

from __future__ import annotations

import copy
import itertools
import math
import os
import pickle
import sys
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from forked import in_child
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.dp.noise import SecureRandom, discrete_laplace, entropy, rounded_gaussian

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

TOP = 2**64 - 1


class Planned(SecureRandom):
    """A `SecureRandom` whose words are written down beforehand; it fails when they run out."""

    def __init__(self, *plan: int) -> None:
        super().__init__()
        self.plan = list(plan)

    def words(self, count: int) -> Words:
        assert count <= len(self.plan), f"{count} words asked for, {len(self.plan)} left"
        taken, self.plan = self.plan[:count], self.plan[count:]
        return np.array(taken, dtype=np.uint64)


def words_of_child(random: SecureRandom, count: int) -> Words:
    return np.frombuffer(in_child(lambda: random.words(count).tobytes()), dtype=np.uint64)


def repeated(*streams: Words) -> int:
    """How many words occur more than once; the chance of one in 60 000 honest words is 1e-10."""
    together = np.concatenate(streams)
    return together.size - np.unique(together).size


def agreeing_bits(first: Words, second: Words) -> float:
    """How far the number of equal bits is from half of all, in standard deviations."""
    bits = 64 * first.size
    differing = int(np.bitwise_count(first ^ second).sum())
    return abs(differing - bits / 2) / (math.sqrt(bits) / 2)


# --- words


@pytest.mark.parametrize("count", [0, 1, 2, 3, 1000, 100_001])
@pytest.mark.parametrize("random", [SecureRandom(), SecureRandom.for_tests(0)], ids=["keyed", "seeded"])
def test_words_are_unsigned_64_bit_and_as_many_as_asked_for(random: SecureRandom, count: int) -> None:
    words = random.words(count)
    assert words.dtype == np.uint64
    assert words.shape == (count,)


def test_words_are_the_aes_256_counter_stream_of_their_key() -> None:
    # NIST AESAVS, appendix C.3 family: AES-256 of the zero block under the zero key.
    zero = SecureRandom._from_key(bytes(32))
    assert zero.words(2).tobytes().hex() == "dc95c078a2408989ad48a21492842087"

    key = bytes(range(32))
    block = Cipher(algorithms.AES256(key), modes.ECB()).encryptor()  # noqa: S305  the counter is made here
    stream = b"".join(block.update(counter.to_bytes(16, "big")) for counter in range(600))
    random = SecureRandom._from_key(key)
    drawn = [random.words(count) for count in (1, 2, 0, 3, 5, 189, 1000)]  # words straddle cipher blocks
    assert np.concatenate(drawn).tobytes() == stream[: 8 * 1200]


def test_every_bit_of_a_word_is_one_half_of_the_time() -> None:
    count = 40_000
    for random in (SecureRandom(), SecureRandom.for_tests(1)):
        words = random.words(count)
        ones = np.array([np.count_nonzero(words >> np.uint64(bit) & np.uint64(1)) for bit in range(64)])
        # 7 standard deviations: false alarm below 64 · 2 · 2.6e-12 for each generator
        assert np.all(np.abs(ones - count / 2) < 7 * math.sqrt(count) / 2)


def test_words_never_repeat_within_a_stream() -> None:
    random = SecureRandom()
    assert repeated(*(random.words(5000) for _ in range(10))) == 0


def test_two_generators_differ_and_are_not_seeded() -> None:
    first, second = SecureRandom(), SecureRandom()
    assert not first.seeded
    assert not second.seeded
    one, two = first.words(4096), second.words(4096)
    assert repeated(one, two) == 0
    assert agreeing_bits(one, two) < 7


def test_the_key_is_256_bits_of_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def urandom(count: int) -> bytes:
        asked.append(count)
        return bytes(count)

    monkeypatch.setattr(os, "urandom", urandom)
    assert SecureRandom().words(2).tobytes().hex() == "dc95c078a2408989ad48a21492842087"
    assert asked == [32]
    SecureRandom.for_tests(5).spawn("no key of the system").words(1)
    assert asked == [32]


def test_a_seed_of_numpy_changes_nothing() -> None:
    streams = []
    for _ in range(2):
        np.random.seed(0)  # the point is that it has no effect
        streams.append(SecureRandom().words(64))
    assert repeated(*streams) == 0


# --- seeds for tests


@pytest.mark.parametrize("seed", [0, 1, -1, 7, 2**31, 2**64, -(2**200)])
def test_a_test_seed_is_reproducible_and_says_that_it_is_one(seed: int) -> None:
    first, second = SecureRandom.for_tests(seed), SecureRandom.for_tests(seed)
    assert first.seeded
    np.testing.assert_array_equal(first.words(1000), second.words(1000))
    np.testing.assert_array_equal(first.words(10), second.words(10))


def test_different_seeds_give_different_words() -> None:
    seeds = [0, 1, -1, 10, 2**64, 2**64 + 1]
    assert repeated(*(SecureRandom.for_tests(seed).words(1000) for seed in seeds)) == 0


def test_a_stream_does_not_depend_on_how_it_is_cut() -> None:
    whole = SecureRandom.for_tests(3).words(1001)
    random = SecureRandom.for_tests(3)
    parts = [random.words(count) for count in (1, 0, 700, 299, 1)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_the_noise_of_a_seed_is_reproducible_and_that_of_the_system_is_not() -> None:
    def noise(random: SecureRandom) -> NDArray[np.int64]:
        return rounded_gaussian(1e5, 100, random=random)

    np.testing.assert_array_equal(noise(SecureRandom.for_tests(4)), noise(SecureRandom.for_tests(4)))
    assert not np.array_equal(noise(SecureRandom()), noise(SecureRandom()))


# --- spawning

LABELS = [
    (),
    ("",),
    ("", ""),
    ("a",),
    ("b",),
    ("a", "b"),
    ("b", "a"),
    ("ab",),
    ("a", ""),
    ("", "a"),
    ("a\0b",),
    ("a", "\0b"),
    ("1", "11"),
    ("11", "1"),
    ("ä",),
    ("a" * 300,),
]


def test_every_list_of_labels_has_a_stream_of_its_own() -> None:
    random = SecureRandom.for_tests(0)
    spawned = [random.spawn(*labels).words(500) for labels in LABELS]
    assert repeated(random.words(500), *spawned) == 0
    assert not np.array_equal(random.spawn("a", "b").words(8), random.spawn("ab").words(8))


def test_the_same_labels_under_another_seed_are_another_stream() -> None:
    streams = [SecureRandom.for_tests(seed).spawn("person", "3").words(500) for seed in (0, 1)]
    assert repeated(*streams) == 0


def test_spawned_streams_are_uncorrelated() -> None:
    random = SecureRandom.for_tests(8)
    streams = [random, *(random.spawn(f"person {number}") for number in range(6))]
    for first, second in itertools.combinations([stream.words(4096) for stream in streams], 2):
        assert agreeing_bits(first, second) < 7


def test_under_a_seed_the_order_of_tasks_and_what_was_drawn_before_change_nothing() -> None:
    names = ["person 1", "person 2", "person 3"]
    expected = {name: SecureRandom.for_tests(5).spawn(name).words(100) for name in names}
    for order in itertools.permutations(names):
        random = SecureRandom.for_tests(5)
        for name in order:
            random.words(17)
            np.testing.assert_array_equal(random.spawn(name).words(100), expected[name])
            np.testing.assert_array_equal(random.spawn(name).words(100), expected[name])


def test_spawning_does_not_advance_the_stream() -> None:
    random, untouched = SecureRandom.for_tests(6), SecureRandom.for_tests(6)
    random.spawn("a").words(10)
    np.testing.assert_array_equal(random.words(10), untouched.words(10))


def test_spawning_in_two_steps_is_reproducible_and_differs_from_one_step() -> None:
    random = SecureRandom.for_tests(7)
    twice = random.spawn("a").spawn("b").words(10)
    np.testing.assert_array_equal(twice, SecureRandom.for_tests(7).spawn("a").spawn("b").words(10))
    assert repeated(twice, random.spawn("a", "b").words(10), random.spawn("ab").words(10)) == 0


def test_a_seed_is_inherited_and_so_is_its_absence() -> None:
    assert SecureRandom.for_tests(0).spawn("a").seeded
    assert SecureRandom.for_tests(0).spawn("a").spawn("b").seeded
    assert not SecureRandom().spawn("a").seeded
    assert not SecureRandom().spawn("a").spawn("b").seeded


def test_without_a_seed_equal_labels_are_independent() -> None:
    random = SecureRandom()
    streams = [random.spawn("a").words(1000), random.spawn("a").words(1000), random.words(1000)]
    assert repeated(*streams) == 0


def test_without_a_seed_a_spawned_generator_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter([bytes([number]) * 32 for number in range(3)])
    monkeypatch.setattr(os, "urandom", lambda _: next(keys))
    random = SecureRandom()
    spawned = [random.spawn("a"), random.spawn("a")]
    # Each begins the stream of its own key; none goes on with the stream of another.
    for number, generator in enumerate([random, *spawned]):
        expected = SecureRandom._from_key(bytes([number]) * 32).words(10)
        np.testing.assert_array_equal(generator.words(10), expected)


# --- copies

COPIES: list[Callable[[object], object]] = [
    copy.copy,
    copy.deepcopy,
    lambda random: copy.deepcopy({"held": [random]}),
    *(
        lambda random, protocol=protocol: pickle.dumps(random, protocol)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ),
]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("random", [SecureRandom(), SecureRandom.for_tests(0)], ids=["keyed", "seeded"])
def test_a_generator_can_be_neither_copied_nor_pickled(
    random: SecureRandom, copied: Callable[[object], object]
) -> None:
    with pytest.raises(TypeError, match=r"spawn"):
        copied(random)


# --- forks


def test_parent_and_two_forked_children_share_no_word() -> None:
    random = SecureRandom()
    before = random.words(1000)
    first, second = words_of_child(random, 1000), words_of_child(random, 1000)
    after = random.words(1000)
    assert repeated(before, first, second, after) == 0
    for one, two in itertools.combinations([before, first, second, after], 2):
        assert agreeing_bits(one, two) < 7


def test_control_without_a_new_key_the_child_repeats_its_parent() -> None:
    """The check above can fail: a child that believes itself the owner draws its parent's words."""
    random = SecureRandom()
    random.words(10)

    def as_if_not_forked() -> bytes:
        random._owner = (entropy._forks, os.getpid())
        return random.words(1000).tobytes()

    child = np.frombuffer(in_child(as_if_not_forked), dtype=np.uint64)
    parent = random.words(1000)
    np.testing.assert_array_equal(child, parent)
    assert repeated(child, parent) == 1000


def test_a_generator_never_used_before_the_fork_is_re_keyed_as_well() -> None:
    random = SecureRandom()
    first, second = words_of_child(random, 500), words_of_child(random, 500)
    assert repeated(first, second, random.words(500)) == 0


def test_a_child_keeps_its_key_from_one_call_to_the_next() -> None:
    random = SecureRandom()
    together = in_child(lambda: np.concatenate([random.words(300) for _ in range(5)]).tobytes())
    assert repeated(np.frombuffer(together, dtype=np.uint64), random.words(1500)) == 0


def test_a_grandchild_is_re_keyed() -> None:
    random = SecureRandom()

    def child() -> bytes:
        grandchild = words_of_child(random, 500)
        return np.concatenate([grandchild, random.words(500), words_of_child(random, 500)]).tobytes()

    family = np.frombuffer(in_child(child), dtype=np.uint64)
    assert family.size == 1500
    assert repeated(family, random.words(500)) == 0


def test_a_child_whose_process_number_is_recycled_is_re_keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 4711)  # the children's too
    random = SecureRandom()
    first, second = words_of_child(random, 500), words_of_child(random, 500)
    assert repeated(first, second, random.words(500)) == 0


def test_a_fork_that_python_did_not_see_is_found_by_the_process_number() -> None:
    random = SecureRandom()
    seen = entropy._forks

    def unseen_fork() -> bytes:
        entropy._forks = seen
        return random.words(500).tobytes()

    child = np.frombuffer(in_child(unseen_fork), dtype=np.uint64)
    assert repeated(child, random.words(500)) == 0


def test_a_lock_held_by_another_thread_at_the_fork_does_not_stop_the_child() -> None:
    random = SecureRandom()
    with random._lock:
        child = words_of_child(random, 500)
    assert repeated(child, random.words(500)) == 0


def test_two_threads_that_are_the_first_to_draw_in_a_child_both_find_it_re_keyed() -> None:
    random = SecureRandom()

    def child() -> bytes:
        drawn: list[Words] = []
        reached = threading.Event()
        of_the_system = os.urandom

        def slow(count: int) -> bytes:
            reached.set()
            time.sleep(0.3)  # the first thread is still waiting for its key when the second arrives
            return of_the_system(count)

        os.urandom = slow
        thread = threading.Thread(target=lambda: drawn.append(random.words(500)))
        thread.start()
        reached.wait()
        drawn.append(random.words(500))
        thread.join()
        return np.concatenate(drawn).tobytes()

    of_child = np.frombuffer(in_child(child), dtype=np.uint64)
    assert of_child.size == 1000
    assert repeated(of_child, random.words(500)) == 0


@pytest.mark.parametrize(
    "draw",
    [
        lambda random: random.integers(2**62, 200),
        lambda random: random.uniform(200),
        lambda random: random.permutation(200),
        lambda random: rounded_gaussian(1e5, 200, random=random),
        lambda random: discrete_laplace(1e5, 200, random=random),
        lambda random: random.spawn("task").words(200),
    ],
    ids=["integers", "uniform", "permutation", "gaussian", "laplace", "spawn"],
)
def test_whatever_is_drawn_in_a_child_differs_from_what_the_parent_draws(
    draw: Callable[[SecureRandom], NDArray[np.generic]],
) -> None:
    random = SecureRandom()
    children = [in_child(lambda: draw(random).tobytes()) for _ in range(2)]
    assert len({draw(random).tobytes(), *children}) == 3


def test_a_seeded_generator_in_a_child_stays_deterministic_and_marked() -> None:
    def child() -> bytes:
        random = SecureRandom.for_tests(9)
        random.words(10)  # what the parent drew before the fork

        def work() -> bytes:
            assert random.seeded
            assert random.spawn("task").seeded
            return random.words(100).tobytes() + random.spawn("task").words(100).tobytes()

        return in_child(work)

    first, second = child(), child()
    assert first == second
    assert first[800:] == SecureRandom.for_tests(9).spawn("task").words(100).tobytes()


# --- threads


@pytest.fixture
def hurried_threads() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def together(works: list[Callable[[], None]]) -> None:
    """Run each of `works` in a thread, all started at once; re-raise what one of them raised."""
    barrier = threading.Barrier(len(works))
    raised: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001  handed to the test's own thread below
            raised.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if raised:
        raise raised[0]
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.usefixtures("hurried_threads")
@pytest.mark.parametrize("count", [1, 3, 4000])
def test_threads_that_share_a_generator_share_out_its_words(count: int) -> None:
    random = SecureRandom.for_tests(11)
    calls = 200 if count < 100 else 10
    drawn: list[list[Words]] = [[] for _ in range(8)]

    def worker(own: list[Words]) -> Callable[[], None]:
        return lambda: own.extend(random.words(count) for _ in range(calls))

    together([worker(own) for own in drawn])
    words = np.concatenate([part for own in drawn for part in own])
    assert repeated(words) == 0
    # Nothing lost, nothing twice: what the threads hold together is the stream one thread would have drawn.
    alone = SecureRandom.for_tests(11).words(8 * calls * count)
    np.testing.assert_array_equal(np.sort(words), np.sort(alone))


def test_the_cipher_is_never_entered_by_two_threads() -> None:
    """Independent of whether the installed `cryptography` holds the interpreter's lock."""

    class Watched:
        inside = 0
        most = 0

        def update(self, data: bytes) -> bytes:
            self.inside += 1
            self.most = max(self.most, self.inside)
            time.sleep(0.002)
            self.inside -= 1
            return data

    random = SecureRandom()
    watched = Watched()
    random._cipher = watched  # type: ignore[assignment]

    def draw() -> None:
        for _ in range(5):
            random.words(1)

    together([draw] * 6)
    assert watched.most == 1


@pytest.mark.usefixtures("hurried_threads")
def test_threads_draw_noise_from_one_generator_without_repetition() -> None:
    random = SecureRandom()
    drawn: list[NDArray[np.int64]] = []
    together([lambda: drawn.append(rounded_gaussian(1e5, 2000, random=random))] * 6)
    # Three values in a row: 72 million pairs of runs agree honestly with probability 2e-9.
    runs = [run for block in drawn for run in itertools.pairwise(itertools.pairwise(block.tolist()))]
    assert len(runs) == 6 * 1998
    assert len(set(runs)) == len(runs)


# --- integers

BOUNDS = [1, 2, 3, 5, 7, 10, 30, 255, 2**31, 2**32 + 1, 10**18, 3 * 2**60, 2**62 - 57, 2**62 - 1, 2**62]


@pytest.mark.parametrize("bound", BOUNDS)
def test_integers_accept_a_whole_multiple_of_the_bound_and_reject_the_rest(bound: int) -> None:
    accepted = 2**64 // bound * bound  # words 0 … accepted − 1, each remainder equally often
    last = accepted - 1
    assert Planned(last).integers(bound, 1).tolist() == [bound - 1]
    assert Planned(0).integers(bound, 1).tolist() == [0]
    for rejected in {accepted, (accepted + TOP) // 2, TOP}:
        if rejected <= TOP and rejected >= accepted:
            random = Planned(rejected, rejected, last, 99)
            assert random.integers(bound, 1).tolist() == [bound - 1]
            assert random.plan == [99]


def test_a_rejected_word_is_replaced_and_the_others_are_kept_in_order() -> None:
    random = Planned(1, TOP, 5, TOP, TOP, 8, 10, 77)  # bound 3: the word 2⁶⁴ − 1 alone is rejected
    assert random.integers(3, 4).tolist() == [1, 2, 2, 1]
    assert random.plan == [77]


@given(
    bound=st.one_of(st.integers(1, 2**62), st.sampled_from(BOUNDS)),
    words=st.lists(st.one_of(st.integers(0, TOP), st.integers(TOP - 2**62, TOP)), max_size=20),
)
def test_integers_are_the_remainders_of_the_accepted_words(bound: int, words: list[int]) -> None:
    accepted = [word % bound for word in words if word < 2**64 // bound * bound]
    drawn = Planned(*words).integers(bound, len(accepted)) if accepted else np.empty(0)
    # Words are asked for as they are needed, so a plan with rejected words at its end is not used up.
    assert drawn.tolist() == accepted


@pytest.mark.parametrize("bound", [*BOUNDS, 1000])
def test_integers_are_within_bounds_and_64_bit(bound: int) -> None:
    drawn = SecureRandom.for_tests(12).integers(bound, 5000)
    assert drawn.dtype == np.int64
    assert drawn.shape == (5000,)
    assert drawn.min() >= 0
    assert drawn.max() < bound


def test_no_integers_are_an_empty_array_of_integers() -> None:
    drawn = SecureRandom().integers(5, 0)
    assert drawn.shape == (0,)
    assert drawn.dtype == np.int64


@pytest.mark.parametrize("bound", [3, 7, 24])
def test_integers_reach_every_value_equally_often(bound: int) -> None:
    count = 10_000 * bound
    seen = np.bincount(SecureRandom.for_tests(13).integers(bound, count), minlength=bound)
    assert np.all(np.abs(seen - 10_000) < 7 * math.sqrt(10_000))  # 7 standard deviations


@pytest.mark.parametrize("bound", [0, -1, -(2**62), 2**62 + 1, 2**64, 2**80])
def test_a_bound_out_of_range_is_named_in_the_error(bound: int) -> None:
    with pytest.raises(ValueError, match=rf"bound={bound}\b"):
        SecureRandom().integers(bound, 1)


# --- uniform numbers


def test_uniform_numbers_are_multiples_of_two_to_the_minus_53_below_one() -> None:
    assert Planned(0, 2**11 - 1, 2**11, 2**63, TOP).uniform(5).tolist() == [
        0.0,
        0.0,
        2.0**-53,
        0.5,
        1.0 - 2.0**-53,
    ]
    drawn = SecureRandom.for_tests(14).uniform(10_000)
    assert drawn.dtype == np.float64
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert np.all(drawn * 2.0**53 == np.floor(drawn * 2.0**53))
    assert abs(drawn.mean() - 0.5) < 7 * math.sqrt(1 / 12 / 10_000)


# --- permutations


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 100_000])
def test_a_permutation_holds_every_number_once(count: int) -> None:
    drawn = SecureRandom().permutation(count)
    assert drawn.dtype == np.int64
    np.testing.assert_array_equal(np.sort(drawn), np.arange(count))


def test_equal_keys_are_drawn_again_all_of_them() -> None:
    random = Planned(5, 5, 1, 2, 7, 7, 30, 10, 20, 99)
    assert random.permutation(3).tolist() == [1, 2, 0]
    assert random.plan == [99]


def test_a_permutation_is_the_order_of_its_keys_each_order_once() -> None:
    orders = list(itertools.permutations([3, 2**63, TOP, 2**63 - 1]))  # unsigned order, not signed
    drawn = {tuple(Planned(*order).permutation(4).tolist()) for order in orders}
    assert len(drawn) == 24
    assert Planned(TOP, 0, 2**63).permutation(3).tolist() == [1, 2, 0]


def test_all_orders_are_equally_frequent() -> None:
    random = SecureRandom.for_tests(15)
    orders = dict.fromkeys(itertools.permutations(range(4)), 0)
    for _ in range(24_000):
        orders[tuple(random.permutation(4).tolist())] += 1
    assert all(abs(seen - 1000) < 7 * math.sqrt(1000) for seen in orders.values())
