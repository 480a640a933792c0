"""Which rows count, in sentences."""

from synthrelease.report.row_words import rows_of, rows_that_count

ALL = {"name": "pupil", "kind": "features", "only": [], "valid": [], "missing": {"numbers": [], "texts": []}}


def test_all_rows_count() -> None:
    assert rows_that_count(ALL) == ["All rows count."]


def test_every_choice_is_said() -> None:
    entry = {
        **ALL,
        "only": [
            {"column": "kind", "labels": ["Fixation", "Saccade"]},
            {"column": "task", "labels": ["read"]},
        ],
        "valid": [
            {"column": "confidence", "low": "0.6", "high": "1.0"},
            {"column": "state", "labels": ["ok"]},
        ],
        "missing": {"numbers": ["-999.0"], "texts": ["NA"]},
        "off_screen": "drop",
        "coordinates": "degrees",
        "origin": "centre-y-up",
    }
    assert rows_that_count(entry) == [
        "Only rows where kind is Fixation or Saccade and task is read count.",
        "A row holds a measurement where confidence is from 0.6 to 1 and state is ok.",
        "A value of -999 or NA is missing.",
        "Points off the screen are dropped.",
        "Coordinates are degrees of visual angle from the centre, y upwards.",
    ]


def test_an_output_has_the_rows_of_its_input() -> None:
    other = {**ALL, "name": "other", "missing": {"numbers": [], "texts": ["NA"]}}
    assert rows_of({"inputs": [ALL, other]}, {"input": "other"})[-1] == "A value of NA is missing."
    assert rows_of({}, {}) == []
