"""What columns are, what tells too much, what marks nothing, and what is usual: by names and forms."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from goldens import figures

from synthrelease.proposals import identifiers
from synthrelease.proposals.identifiers import identifier_columns
from synthrelease.proposals.missing_codes import missing_codes
from synthrelease.proposals.roles import DURATION, PERSON, RECORDING, STIMULUS, TIME, X, Y, roles_of
from synthrelease.proposals.time_units import guessed_units
from synthrelease.proposals.usual_ranges import usual_range

TOBII = [
    "Participant name",
    "Recording name",
    "Recording timestamp",
    "Presented Stimulus name",
    "Gaze point X",
    "Gaze point Y",
]
PUPIL_CORE = ["gaze_timestamp", "world_index", "confidence", "norm_pos_x", "norm_pos_y"]
DATA_VIEWER = [
    "RECORDING_SESSION_LABEL",
    "TRIAL_LABEL",
    "CURRENT_FIX_X",
    "CURRENT_FIX_Y",
    "CURRENT_FIX_DURATION",
]
OSIE = ["image", "observer", "fix_index", "x_px", "y_px", "duration_ms"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (TOBII, {PERSON: 0, RECORDING: 1, TIME: 2, STIMULUS: 3, X: 4, Y: 5}),
        (PUPIL_CORE, {TIME: 0, X: 3, Y: 4}),
        (DATA_VIEWER, {PERSON: 0, STIMULUS: 1, X: 2, Y: 3, DURATION: 4}),
        (OSIE, {STIMULUS: 0, PERSON: 1, TIME: 2, X: 3, Y: 4, DURATION: 5}),
        (["B POR X [px]", "B POR Y [px]", "Stimulus", "Participant"], {X: 0, Y: 1, STIMULUS: 2, PERSON: 3}),
        (["a", "b"], {}),
    ],
)
def test_columns_are_known_by_the_names_that_tools_give_them(
    columns: list[str], expected: dict[str, int]
) -> None:
    roles = roles_of(columns)
    found = {role: roles.best(role) for role in (PERSON, STIMULUS, RECORDING, X, Y, TIME, DURATION)}
    assert {role: column for role, column in found.items() if column} == {
        role: columns[place] for role, place in expected.items()
    }


def test_coordinates_are_those_of_the_tool() -> None:
    assert (roles_of(PUPIL_CORE).point.coordinates, roles_of(PUPIL_CORE).point.origin) == (
        "normalised",
        "bottom-left",
    )
    assert (roles_of(TOBII).point.coordinates, roles_of(TOBII).point.origin) == ("pixels", "top-left")


@pytest.mark.parametrize(
    ("name", "cells", "what"),
    [
        ("who", ["AB", "CD", "EF"], identifiers.INITIALS),
        ("who", ["J. K.", "A. B.", "C.D."], identifiers.INITIALS),
        ("who", ["Ada Lovelace", "Grace Hopper", "Emmy Noether"], identifiers.NAMES),
        ("who", ["a@b.org", "c@d.de"], identifiers.ADDRESSES),
        ("when", ["2026-11-22", "2026-01-31 10:00:03"], identifiers.DATES),
        ("when", ["22.11.2026", "1.2.2026, 10:00"], identifiers.DATES),
        ("when", ["10:15:01", "23:59"], identifiers.TIMES_OF_DAY),
        ("t", ["1763800000.25", "1763800001.5"], identifiers.CLOCK),
        ("t", [1763800000000, 1763800000004], identifiers.CLOCK),
        ("GPS lat", [52.5, 48.1], identifiers.PLACES),
        ("date_of_birth", ["x"], identifiers.BIRTHS),
        ("person", ["p1", "p2", "17"], ""),
        ("t_ms", [0, 4, 8], ""),
        ("task", ["read", "search"], ""),
        ("condition", ["A", "B"], ""),
        ("empty", [None, None], ""),
    ],
)
def test_what_tells_too_much(name: str, cells: list[object], what: str) -> None:
    found = identifier_columns(pl.DataFrame({name: pl.Series(cells, strict=False), "x": [0.5] * len(cells)}))
    assert [one.content for one in found] == ([what] if what else [])


@pytest.mark.parametrize(
    ("x", "codes"),
    [
        (["1.5", "-1", "-1", "2"], [-1.0]),
        (["1.5", "-1", "-1", "-2"], []),  # −1 is a value among others
        (["1.5", "-1", "2", "3"], []),  # once is no code
        (["n/a", "n/a", "2", "3"], ["n/a"]),
        ([".", ".", "NaN", "NaN", "3", ""], ["NaN", "."]),
        (["-32768", "-32768", "-12", "3"], [-32768.0]),
        (["0", "0", "2", "3"], []),
    ],
)
def test_missing_codes(x: list[str], codes: list[float | str]) -> None:
    assert missing_codes(pl.DataFrame({"x": x}), ["x"]) == codes
    assert missing_codes(pl.DataFrame({"x": x}), []) == []


def test_zeros_of_both_coordinates_are_a_code_where_they_are_many() -> None:
    many = pl.DataFrame({"x": [0.0] * 3 + [5.0] * 97, "y": [0.0] * 3 + [7.0] * 97})
    assert missing_codes(many, ["x", "y"], pair=("x", "y")) == [0.0]
    edge = pl.DataFrame({"x": [0.0] * 3 + [5.0] * 97, "y": [3.0] * 3 + [7.0] * 97})
    assert missing_codes(edge, ["x", "y"], pair=("x", "y")) == []


@pytest.mark.parametrize(
    ("column", "ends", "unit"),
    [
        ("pupil_l_mean_mm", (1, 9), "mm"),
        ("Pupil diameter left", (1, 9), "mm"),
        ("pupil_lr_diff_mm", (-3, 3), "mm"),
        ("pupil_sd_mm", (0, 2), "mm"),
        ("blink_rate_hz", (0, 2), "per second"),  # as the demonstration has it
        ("openness_sd", (0, 0.5), ""),
        ("fixation_duration_sd_ms", (0, 1000), "ms"),
        ("fixation_duration_mean_ms", (0, 2000), "ms"),
        ("saccade_amplitude_max", (0, 40), "degrees"),
        ("peak velocity", (0, 1000), "degrees per second"),
        ("large_saccade_ratio", (0, 1), ""),
    ],
)
def test_what_is_usual(column: str, ends: tuple[float, float], unit: str) -> None:
    found = usual_range(column)
    assert found is not None
    assert (*found.ends, found.unit) == (*ends, unit)
    shown = str(found)
    for part in (found.quantity, found.unit, found.source):
        assert part in shown
    assert set(map(float, ends)) <= set(figures(shown))
    assert "  " not in shown


@pytest.mark.parametrize(("unit", "longest"), [("ms", 2000), ("µs", 2e6), ("s", 2), ("", 2)])
def test_what_is_usual_is_in_the_unit_that_values_look_like(unit: str, longest: float) -> None:
    found = usual_range("fix_duration", unit=unit)
    assert found is not None
    assert (*found.ends, found.unit) == (0, longest, unit or "s")
    named = usual_range("fix_duration_ms", unit=unit)
    assert named is not None
    assert (*named.ends, named.unit) == (0, 2000, "ms")


def guessed(features: Sequence[str] = (), **columns: Sequence[float]) -> dict[str, str]:
    return guessed_units(pl.DataFrame(columns, strict=False), roles_of(list(columns)), features)


@pytest.mark.parametrize("step", [2, 4, 5, 8.33, 1000 / 60, 33.33])
@pytest.mark.parametrize(("unit", "parts"), [("s", 1e-3), ("ms", 1), ("µs", 1e3)])
def test_steps_of_a_tracker_say_the_unit_of_times(step: float, unit: str, parts: float) -> None:
    t = [parts * step * n for n in [*range(30), *range(30)]]
    gaze = {"x": [1.0] * 60, "y": [1.0] * 60}
    assert guessed(t=t, **gaze) == {"t": unit}
    assert guessed(t_ms=t, **gaze) == {}
    assert guessed(t=t) == ({} if unit == "µs" else {"t": unit})


@pytest.mark.parametrize(
    "t", [range(60), [1.7**n for n in range(60)], [3.0] * 60, [0.0], [700.0 * n for n in range(60)]]
)
def test_other_steps_say_nothing(t: Sequence[float]) -> None:
    assert guessed(t=list(t), x=[1.0] * len(t), y=[1.0] * len(t)) == {}


@pytest.mark.parametrize(
    ("middle", "unit"), [(250, "ms"), (0.25, "s"), (250_000, "µs"), (8, ""), (0.001, "")]
)
def test_lengths_of_fixations_say_their_unit(middle: float, unit: str) -> None:
    values = [middle * part for part in (0.8, 0.9, 1, 1.2, 1.3)] + [-1.0]
    expected = {name: unit for name in ("fix_dur", "duration") if unit}
    assert guessed(["fix_dur", "pupil"], fix_dur=values, pupil=values, duration=values) == expected
    assert (
        guessed(["fix_dur_ms", "mean_fix_dur [s]"], fix_dur_ms=values, **{"mean_fix_dur [s]": values}) == {}
    )


def test_of_what_is_not_known_nothing_is_said() -> None:
    assert usual_range("wordbook1_max") is None
    assert usual_range("x") is None


def test_one_word_in_every_row_is_no_one_s_initials() -> None:
    assert identifier_columns(pl.DataFrame({"TYPE": ["DAT"] * 9})) == []
    assert identifier_columns(pl.DataFrame({"who": ["AB", "CD"] * 9}))


def test_a_variance_has_the_largest_that_its_range_allows() -> None:
    found = usual_range("fixation_duration_var")
    assert found is not None
    assert (*found.ends, found.unit) == (0, 1, "s, squared")  # not a sentence: a unit
    for name in ("pupil_diameter_var_var", "small_saccade_ratio_var", "wordbook1_var"):
        assert usual_range(name) is None
    for name in ("saccade_fixation_ratio", "pupil_area", "diameter_px", "pupil_radius_mm"):
        assert usual_range(name) is None
