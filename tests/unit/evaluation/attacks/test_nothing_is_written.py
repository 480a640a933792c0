"""Workers are given private rows through pipes: no file of them is left in a temporary folder by a crash."""

import numpy as np
import pytest
from planted import planted

from synthrelease.evaluation.attacks import Windows, identifications, released_rounds

LARGE = 1 << 18  # numbers of 8 bytes; joblib writes arrays from a million bytes on


@pytest.fixture(autouse=True)
def no_temporary_folder(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path / "file" / "below"))


@pytest.mark.thorough
def test_rounds_of_large_data():
    rows = np.ones(LARGE)

    def total(people, _):  # in here: workers know no module of tests
        return rows.sum() + len(people)

    found = released_rounds(total, lambda told: np.full(6, told), np.arange(6), rounds=4, seed=1, n_jobs=2)
    assert (found.scores == LARGE + 3).all()


@pytest.mark.thorough
def test_identification_in_large_data():
    rows = planted()
    wide = np.column_stack([rows.values, np.zeros((len(rows.values), 1 + (1 << 17) // len(rows.values)))])
    rows = Windows(np.column_stack([wide, wide]), rows.people, rows.recordings)
    known, released = rows.of_recordings([0, 1]), rows.of_recordings([2, 3])
    assert min(known.values.nbytes, released.values.nbytes) > 1e6
    found = identifications(known, released, seed=1, n_jobs=2, classifiers=("k-NN", "DT"), draws=99)
    assert [one.main.value for one in found] == [1.0, 1.0]
