"""Names of files."""

from synthrelease.reports.file_names import FileNames


def test_names_have_letters_and_digits_only():
    assert FileNames().of("maps", "a/b (1).jpg") == "maps-a-b-1-jpg"
    assert FileNames().of("maps", "日本") == "maps"
    assert FileNames().of("..") == "table"


def test_no_two_names_are_alike_on_any_file_system():
    names = FileNames()
    given = [names.of("m", label) for label in ("a", "A", "a/", "a-2", "a")]
    assert given == ["m-a", "m-A-2", "m-a-3", "m-a-2-2", "m-a-4"]
    assert len({name.lower() for name in given}) == len(given)


def test_names_that_a_system_keeps_for_itself_are_not_given():
    assert FileNames().of("con") == "con-2"


def test_long_labels_are_cut():
    assert len(FileNames().of("m", "x" * 400)) == 120
