"""What a curve is of: the same items in every release and in what needs no data, and one order of people for all series."""

from collections import Counter
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from goldens import figures
from invented_evaluation import manifest
from pages import parsed

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import RoundedGaussian
from synthrelease.evaluation import curves
from synthrelease.evaluation.curves import curve
from synthrelease.evaluation.private_page import private_page
from synthrelease.evaluation.result import EvaluatedOutput, Evaluation, Measure

WITHOUT = "no data"


@dataclass
class Places:
    """Scores of an item are its number, and a tenth of it without data."""

    measures = (Measure("m", 1.0, "a measure"),)

    def of(self, released):
        return {name: (float(array[0]),) for (name,), array in released.items()}

    def without_data(self, released):
        return {WITHOUT: {labels: array / 10 for labels, array in released.items()}}


class Items:
    """An output of ten items, each an array by itself."""

    def for_budget(self, _):
        return self

    def draw(self, *_):
        return SimpleNamespace(parameters=self, event=None, arrays={})

    def datasets(self, _):
        return []


@pytest.fixture(autouse=True)
def ten_parts(monkeypatch):
    made = [lambda number=number: {(str(number),): np.array([number])} for number in range(10)]
    monkeypatch.setattr(curves, "kind_of", lambda _: SimpleNamespace(draws=3))
    monkeypatch.setattr(curves, "derivations", lambda *_: made)


MADE = SimpleNamespace(
    name="ten",
    budget=Budget(1.0, 1e-6),
    event=RoundedGaussian(1.0, 1.0, 10),
    mechanism=Items(),
    spent_on_choice=0.0,
)


def caption(one):
    """What the page says below a curve."""
    outputs = (EvaluatedOutput("ten", "heatmap", curve=one),)
    return parsed(private_page(Evaluation(manifest(), (), outputs, {}))).texts("p", "caption")[0]


@pytest.mark.parametrize(
    ("together", "mean", "items"), [(False, (0 + 4 + 9) / 3, (3, 10)), (True, 4.5, (10, 10))]
)
def test_what_needs_no_data_is_of_the_items_of_the_curve(together, mean, items, monkeypatch):
    monkeypatch.setattr(curves, "_MOST_VALUES", 0)  # as if every item were large
    found = curve(MADE, None, Places(), items=10, together=together, seed=1)
    assert found.drawn == ((pytest.approx(mean),) * 3,) * 5
    assert found.without_data == (WITHOUT, pytest.approx(mean / 10))
    assert found.items == items
    every = caption(replace(found, items=(10, 10)))
    more = Counter(figures(caption(found))) - Counter(figures(every))
    assert more == (Counter() if together else Counter([3, 10]))


def test_everybodys_own_are_put_in_order_once_for_all(monkeypatch):
    """An order for each recording alone would find in noise what is not there."""
    asked = []
    honest = Places.of
    monkeypatch.setattr(
        Places, "of", lambda self, released: asked.append(len(released)) or honest(self, released)
    )
    curve(MADE, None, Places(), items=10, together=True, seed=1)
    assert set(asked) == {10}
