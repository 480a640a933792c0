"""Which rows count, in sentences: `golden/texts/show/rows.txt`."""

from goldens import check_text

from synthrelease.reports.output_words import rows_of, rows_that_count

ALL = {"name": "pupil", "kind": "features", "only": [], "valid": [], "missing": {"numbers": [], "texts": []}}
CHOSEN = {
    **ALL,
    "only": [
        {"column": "kind", "labels": ["Fixation", "Saccade"]},
        {"column": "task", "labels": ["read"]},
    ],
    "valid": [
        {"column": "confidence", "low": "0.6", "high": "1.0"},
        {"column": "state", "labels": ["ok"]},
    ],
    "missing": {"numbers": ["-999.0"], "texts": ["NA", "-"]},
    "off_screen": "drop",
    "coordinates": "degrees",
    "origin": "centre-y-up",
}


def test_every_choice_is_said() -> None:
    check_text("show/rows", "\n".join([*rows_that_count(CHOSEN), "", *rows_that_count(ALL)]))
    for choice in ("only", "valid", "missing"):
        without = rows_that_count({**CHOSEN, choice: ALL[choice]})
        assert without != rows_that_count(CHOSEN)


def test_an_output_has_the_rows_of_its_input() -> None:
    manifest = {"inputs": [ALL, {**CHOSEN, "name": "other"}]}
    assert rows_of(manifest, {"input": "other"}) == rows_that_count(CHOSEN)
