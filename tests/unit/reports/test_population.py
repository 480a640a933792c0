"""Pictures of a population: bars, cells and dots are where their numbers are, and exact values are there only if they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import invented_study as invented
import matplotlib.axes
import numpy as np
import pytest
from goldens import figures
from numpy.typing import NDArray

import synthrelease
from synthrelease.reports.exhibits import OutputExhibits, Plate, TableExhibit
from synthrelease.reports.look import Look
from synthrelease.reports.panels import exhibits_of
from synthrelease.reports.photographs import Photographs
from synthrelease.reports.population_plates import (
    EXACT,
    Distribution,
    contrasts_table,
    correlations_plate,
    distributions_plate,
    signed,
)
from synthrelease.reports.released import Released

EDGES = np.linspace(2, 8, 4)
GROUPS = ["search", "rest"]


def distribution(name: str = "pupil (mm)", exact: list[float] | None = None) -> Distribution:
    return Distribution(name, EDGES, np.array([0.2, 0.5, 0.3]), None if exact is None else np.array(exact))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """What is drawn by steps, and as cells."""
    calls: dict[str, list[Any]] = {"stairs": [], "imshow": []}
    for name, kept in calls.items():
        honest = getattr(matplotlib.axes.Axes, name)

        def record(
            axis: Any, *values: Any, _honest: Any = honest, _kept: list[Any] = kept, **how: Any
        ) -> Any:
            _kept.append((values, how))
            return _honest(axis, *values, **how)

        monkeypatch.setattr(matplotlib.axes.Axes, name, record)
    return calls


# --- distributions


def test_bars_are_released_and_a_line_is_exact(drawn: dict[str, list[Any]]) -> None:
    plate = distributions_plate([distribution(exact=[0.4, 0.3, 0.3])], title="t")
    (bars, filled), (line, outlined) = drawn["stairs"]
    np.testing.assert_array_equal(bars[0], [0.2, 0.5, 0.3])
    np.testing.assert_array_equal(line[0], [0.4, 0.3, 0.3])
    assert filled["fill"]
    assert not outlined.get("fill")
    assert plate.table is not None
    ((name, cells),) = plate.table.rows
    assert name == "pupil (mm)"
    assert figures(cells[0].text) == [4, 6]  # where most are
    assert figures(cells[1].text) == [0.2]  # half of 0.2 + 0.2


def test_without_exact_values_none_is_spoken_of(drawn: dict[str, list[Any]]) -> None:
    public, private = (
        distributions_plate([distribution(exact=exact)], title="t") for exact in (None, [0.2, 0.5, 0.3])
    )
    assert len(drawn["stairs"]) == 3
    assert "private" in private.caption
    assert "private" not in public.caption
    assert public.table is not None
    assert {len(cells) for _, cells in public.table.rows} == {1}


@pytest.mark.parametrize("count", [1, 5, 13])
def test_every_feature_has_a_panel(count: int, drawn: dict[str, list[Any]]) -> None:
    plate = distributions_plate([distribution(f"f{n}") for n in range(count)], title="t")
    assert len(drawn["stairs"]) == count
    assert plate.table is not None
    assert len(plate.table.rows) == count
    assert figures(plate.caption) == []


def test_of_many_features_the_first_are_drawn_and_it_is_said() -> None:
    plate = distributions_plate([distribution(f"f{n}") for n in range(30)], title="t")
    assert plate.table is not None
    assert len(plate.table.rows) == 24
    assert figures(plate.caption) == [24, 30]


# --- correlations


def matrix(features: int, seed: int = 0) -> NDArray[np.float64]:
    return np.asarray(np.corrcoef(np.random.default_rng(seed).normal(size=(features, 9))))


@pytest.mark.parametrize("features", [1, 2, 11, 50])
def test_all_matrices_are_drawn_on_one_scale(features: int, drawn: dict[str, list[Any]]) -> None:
    first, second = (matrix(features, seed).reshape(features, features) for seed in (1, 2))
    names = [f"f{n}" for n in range(features)]
    plate = correlations_plate({EXACT: first, "released": second}, names, title="t")
    assert [(how["vmin"], how["vmax"]) for _, how in drawn["imshow"]] == [(-1, 1)] * 2
    for (values, _), expected in zip(drawn["imshow"], (first, second), strict=True):
        np.testing.assert_array_equal(values[0], expected)
    assert [panel.heading for panel in plate.panels] == [EXACT, "released"]
    assert plate.panels[0].scale == plate.panels[1].scale
    sizes = {(panel.pictures[0].width, panel.pictures[0].height) for panel in plate.panels}
    assert len(sizes) == 1


def test_the_strongest_pairs_are_listed_first() -> None:
    first, second = matrix(11, 1), matrix(11, 2)
    names = [f"f{n}" for n in range(11)]
    plate = correlations_plate({"one": first, "other": second}, names, title="t")
    assert plate.table is not None
    listed = []
    for name, cells in plate.table.rows:
        f, g = (names.index(part) for part in name.split(", "))
        assert [cell.text for cell in cells] == [signed(first[f, g]), signed(second[f, g])]
        listed.append(abs(first[f, g]))
    assert len(listed) == 30
    assert listed == sorted(listed, reverse=True)
    assert listed[0] == np.abs(first[np.triu_indices(11, 1)]).max()
    assert figures(plate.table.note) == [30, 55 - 30]


# --- contrasts


def contrasts(exact: NDArray[np.float64] | None = None, half: float = 0.3) -> TableExhibit:
    values = np.array([[0.2, -0.1, 0.0], [0.4, 0.1, -0.3]])
    intervals = np.stack([values - half, values + half], axis=-1)
    return contrasts_table(values, intervals, title="t", groups=GROUPS, names=["a", "b", "c"], exact=exact)


def test_contrasts_have_features_in_rows_and_recordings_in_columns() -> None:
    table = contrasts()
    assert table.head == ("feature", *GROUPS)
    assert [name for name, _ in table.rows] == ["a", "b", "c"]
    assert [cell.text for cell in table.rows[0][1]] == ["+0.20 ± 0.30", "+0.40 ± 0.30"]
    # The longest interval, of 0.4 ± 0.3, ends the lines.
    np.testing.assert_allclose(
        table.rows[2][1][0].dot or (), (0.5, 0.5 - 0.15 / 0.7, 0.5 + 0.15 / 0.7), atol=1e-4
    )
    assert all(cell.ring is None for _, cells in table.rows for cell in cells)
    assert "private" not in table.note


def test_the_exact_contrast_is_a_ring_on_the_same_line() -> None:
    exact = np.array([[0.1, -0.1, 0.7], [0.4, 0.1, -0.3]])
    table = contrasts(exact)
    cells = [cell for _, of_feature in table.rows for cell in of_feature]
    same = cells[1]  # of a in rest: 0.4 and 0.4
    assert same.dot is not None
    assert same.ring == same.dot[0]
    assert table.rows[2][1][0].ring == 1.0  # 0.7 is the end of the longest interval
    assert figures(cells[0].text)[-1] == 0.1
    assert "private" in table.note


def test_intervals_that_are_far_longer_than_contrasts_are_cut() -> None:
    table = contrasts(half=40.0)
    for _, cells in table.rows:
        for cell in cells:
            assert cell.dot is not None
            assert cell.dot[1:] == (0.0, 1.0)
    assert 1.2 in figures(table.note)  # three times the largest contrast


# --- of a release


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> OutputExhibits:
    """What a report shows of a release of synthetic people."""
    folder: Path = tmp_path_factory.mktemp("people")
    path = synthrelease.build(invented.write_people_study(folder), folder / "r.h5", test_seed=5).path
    manifest = synthrelease.open_bundle(path, allow_test_seed=True).manifest
    with Released(path, manifest) as released:
        return exhibits_of(released, manifest["outputs"][0], 12, Look(Photographs(None), {}))


def test_a_release_shows_its_population_first(shown: OutputExhibits) -> None:
    plates = [one for one in shown.exhibits if isinstance(one, Plate)]
    assert [one.is_lead for one in shown.exhibits] == [True] + [False] * (
        len(shown.exhibits) - 1
    )  # contrasts
    assert shown.omitted == 0
    first, correlations, *people = plates
    assert first.table is not None
    assert [name for name, _ in first.table.rows] == ["pupil (mm)", "speed", "blinks"]
    assert len({panel.heading for panel in correlations.panels}) == 2
    assert len(people) == 2


def test_every_number_of_a_population_is_in_a_table_once(shown: OutputExhibits) -> None:
    contrasts, of_features, effects = (one for one in shown.exhibits if isinstance(one, TableExhibit))
    assert contrasts.head[1:] == ("search", "rest")
    assert effects.head[1:] == ("read", "search", "rest")
    assert len(of_features.head) == 4
    for table in (contrasts, of_features, effects):
        assert [name for name, _ in table.rows] == ["pupil_mm", "speed", "blinks"]
    words = " ".join(one.note for one in (contrasts, of_features, effects))
    assert "private" not in words
