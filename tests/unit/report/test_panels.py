"""What a card shows: tables of values."""

from types import SimpleNamespace

import numpy as np

from synthrelease.kinds.dataset import Axis, Dataset, Role
from synthrelease.report.families import Family
from synthrelease.report.panels import _values


def test_labels_with_commas_keep_their_order():
    label = "cat, dog"
    axes = (Axis("stimulus", [label, "tree"]), Axis("feature", ["size_mm"]))
    values = Dataset("mean/values", axes, Role.ESTIMATE, quantity="mean", items=2)
    views = SimpleNamespace(
        name="summary",
        parameters=SimpleNamespace(part="statistic"),
        released=SimpleNamespace(array=lambda *_: np.array([[1.0], [2.0]])),
    )
    rows = _values(views, [Family("mean", values)]).rows
    assert [heading.split(", ", 1)[1] for heading, _ in rows] == [label, "tree"]
