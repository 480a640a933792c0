"""What a card shows: tables of values, single ones on their public bounds."""

from types import SimpleNamespace

import numpy as np

from synthrelease.kinds.dataset import Axis, Dataset, Role
from synthrelease.reports.families import Family
from synthrelease.reports.panels import _values


def test_labels_with_commas_keep_their_order():
    label = "cat, dog"
    axes = (Axis("stimulus", [label, "tree"]), Axis("feature", ["size_mm"]))
    values = Dataset("mean/values", axes, Role.ESTIMATE, quantity="mean", items=2)
    views = SimpleNamespace(
        name="summary",
        with_unit=lambda label, _quantity: label,
        parameters=SimpleNamespace(part="statistic", part_in_words=str, value_range=lambda *_: None),
        released=SimpleNamespace(array=lambda *_: np.array([[1.0], [2.0]])),
    )
    rows = _values(views, [Family("mean", values)]).rows
    assert [heading.split(", ", 1)[1] for heading, _ in rows] == [label, "tree"]


def test_a_value_is_drawn_on_its_bounds():
    axes = (Axis("feature", ["size_mm", "speed"]),)
    values = Dataset("mean/values", axes, Role.ESTIMATE, quantity="mean", items=1)
    interval = Dataset("mean/interval", axes, Role.INTERVAL, quantity="interval", items=1)
    arrays = {values.path: np.array([3.0, 9.0]), interval.path: np.array([[1.0, 7.0], [8.0, 10.0]])}
    views = SimpleNamespace(
        name="summary",
        with_unit=lambda label, _quantity: label,
        parameters=SimpleNamespace(
            part="statistic",
            part_in_words=str,
            value_range=lambda part, label: {("mean", "size_mm"): (2.0, 6.0)}.get((part, label)),
        ),
        released=SimpleNamespace(array=lambda _, path: arrays[path]),
    )
    table = _values(views, [Family("mean", values, (interval,))])
    dots = [cells[-1].dot for _, cells in table.rows]
    assert dots == [(0.25, 0.0, 1.0), None]  # noise beyond the bounds ends at them
    assert {len(cells) for _, cells in table.rows} == {len(table.head) - 1}
