"""What is to happen before any word is drawn happens before it, by whomever it is drawn."""

import pytest

from synthrelease.dp.noise import SecureRandom, discrete_laplace, entropy, rounded_gaussian
from synthrelease.dp.noise.choice import private_choice


@pytest.fixture
def calls(monkeypatch):
    """Return what happened, in order: "before" and "words"."""
    told = []
    real = entropy.Cipher

    class Watched:
        def __init__(self, *arguments):
            self.context = real(*arguments).encryptor()

        def encryptor(self):
            return self

        def update(self, data):
            told.append("words")
            return self.context.update(data)

    monkeypatch.setattr(entropy, "Cipher", Watched)
    return told


def watched(calls):
    return SecureRandom(before_words=lambda: calls.append("before"))


@pytest.mark.parametrize(
    "draw",
    [
        lambda random: random.words(1),
        lambda random: random.words(0),
        lambda random: random.integers(10, 5),
        lambda random: random.uniform(5),
        lambda random: random.permutation(5),
        lambda random: rounded_gaussian(3.0, 10, random=random),
        lambda random: discrete_laplace(3.0, 10, random=random),
        lambda random: private_choice([0, -1, -2], sensitivity=1, epsilon=1.0, random=random),
    ],
)
@pytest.mark.parametrize("spawned", [0, 1, 2])
def test_it_is_called_before_any_words(calls, draw, spawned):
    random = watched(calls)
    for number in range(spawned):
        random = random.spawn(str(number))
    assert calls == []
    draw(random)
    assert calls[:2] == ["before", "words"]
    assert calls[::2] == ["before"] * (len(calls) // 2)  # every time
    assert calls[1::2] == ["words"] * (len(calls) // 2)


def test_where_it_raises_no_word_is_drawn(calls):
    def refuse():
        raise PermissionError

    random = SecureRandom(before_words=refuse)
    for generator in (random, random.spawn("task")):
        for _ in range(2):
            with pytest.raises(PermissionError):
                generator.words(3)
    assert calls == []


def test_nothing_is_called_for_a_seed_or_where_nothing_is_to_happen(calls):
    SecureRandom.for_tests(1).spawn("task").words(1)
    SecureRandom().spawn("task").words(1)
    assert calls == ["words", "words"]
