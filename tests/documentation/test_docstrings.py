"""Public names say what they do, with shapes, units and sources; the check that says so finds what is planted."""

from pathlib import Path

import pytest

import synthrelease

PACKAGE = Path(synthrelease.__file__).parent
GOOD = '''"""Means of people (Someone 2019, Eq. 1)."""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


def mean(values: Numbers, *, people: int) -> NDArray[np.float64]:
    """Return the mean in the unit of values, shape (N,)."""
    return values / people


def _own(values: Numbers) -> Numbers:
    return values


class Held:
    """What is held.

    Attributes:
        values: in mm, shape (N,).
    """

    values: Numbers

    @property
    def largest(self) -> NDArray[np.float64]:
        """The largest."""
        return self.values

    def __len__(self) -> int:
        return 1
'''
BLOCK = """
    Attributes:
        values: in mm, shape (N,).
    \"\"\"

    values: Numbers"""


@pytest.fixture
def check(script):
    return script("check_docstrings")


def test_nothing_is_lacking(check):
    assert [f"{lack.where}: no {lack.what}" for lack in check.lacks(PACKAGE)] == []


def test_all_that_is_in_the_scope_exists(check):
    """What was renamed would be looked at no more."""
    assert [part for part in check.SCOPE if not (PACKAGE / part).exists()] == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        ('"""Means of people (Someone 2019, Eq. 1)."""', "", ["docstring", "source"]),
        (" (Someone 2019, Eq. 1)", "", ["source"]),
        ('    """Return the mean in the unit of values, shape (N,)."""\n', "", ["docstring"]),
        (', shape (N,)."""\n    return values / people', '."""\n    return values / people', ["shape"]),
        ("Return the mean in the unit of values, shape", "Return the mean, shape", ["unit"]),
        ("in mm, shape (N,)", "in mm", ["shape", "shape"]),  # of the class, and of the property that leans on it
        ("in mm, shape (N,)", "shape (N,)", ["unit", "unit"]),
        (BLOCK, '    """\n\n    values: Numbers  # in mm, shape (N,)', []),
        (BLOCK, '    """\n\n    # in mm,\n    # shape (N,)\n    values: Numbers', []),
        (BLOCK, '    """\n\n    values: Numbers  # in mm', ["shape", "shape"]),
        ('        """The largest."""\n', "", ["docstring"]),
        ("def _own(", "def own(", ["docstring"]),
    ],
)  # fmt: skip
def test_planted_faults_are_found(check, tmp_path, old, new, expected):
    assert old in GOOD
    (tmp_path / "kinds" / "mean").mkdir(parents=True)
    (tmp_path / "kinds" / "mean" / "means.py").write_text(GOOD.replace(old, new, 1) if old else GOOD)
    found = list(check.lacks(tmp_path, ("kinds",)))
    assert [lack.what for lack in found] == expected
    assert all(lack.where.startswith("kinds/mean/means.py") for lack in found)


def test_only_mechanisms_and_dp_need_a_source(check, tmp_path):
    (tmp_path / "numerics").mkdir()
    (tmp_path / "numerics" / "means.py").write_text(GOOD.replace(" (Someone 2019, Eq. 1)", ""))
    assert list(check.lacks(tmp_path, ("numerics",))) == []


def test_it_ends_with_1_if_anything_is_found(check, tmp_path, monkeypatch, capsys):
    (tmp_path / "ledgers").mkdir()
    (tmp_path / "ledgers" / "book.py").write_text("def f():\n    return 1\n")
    monkeypatch.setattr("sys.argv", ["check_docstrings.py", str(tmp_path)])
    assert check.main() == 1
    assert capsys.readouterr().out == "ledgers/book.py: no docstring\nledgers/book.py:1 f: no docstring\n"
    monkeypatch.setattr("sys.argv", ["check_docstrings.py"])
    assert check.main() == 0
