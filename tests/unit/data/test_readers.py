"""Every format gives the same arrays; a file that cannot be read is refused in words, and no cell is in them."""

from __future__ import annotations

import contextlib
import csv
import errno
import gzip
import io
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import refusals
from goldens import figures
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.data.facts import read_facts
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.readers import READERS, delimited, reader_for, text_blocks
from synthrelease.data.readers.reader import ALL_ROWS, RowFilter, united
from synthrelease.data.readers.utf8 import check_text
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError, MachineError, SynthReleaseError

COLUMNS = {"person": "person", "stimulus": "image", "x": "x_px", "y": "y_px"}
SCREEN = Screen(800, 600)
HEADER = ("person", "image", "x_px", "y_px")
# Every cell can be told from whatever else may stand in a message.
ROWS = [
    ("canary-bob", "canary-sky", "735.125", "284.625"),
    ("canary-ann", "canary-sea", "611.375", "93.875"),
    ("canary-bob", "canary-sea", "", "284.625"),
    ("canary-ann", "canary-sea", "611.625", "-17"),
]
SECRETS = ("canary", "735", "284.", "611.", "93.8", "-17")
MISSING = [-17.0]


@pytest.fixture(
    autouse=True, scope="module", params=[text_blocks._BLOCK_BYTES, 50], ids=["at once", "in blocks"]
)
def _block(request: pytest.FixtureRequest) -> Iterator[None]:
    """Text is read in blocks; whatever holds of a file holds however small they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "_BLOCK_BYTES", request.param)
        yield


def table(*rows: tuple[str, ...], header: tuple[str, ...] = HEADER, separator: str = ",") -> str:
    return "".join(separator.join(cells) + "\n" for cells in (header, *rows))


def parquet(**columns: Any) -> bytes:
    frame = {name: [row[i] for row in ROWS] for i, name in enumerate(HEADER[:2])}
    frame |= {
        name: [float(row[i]) if row[i] else None for row in ROWS] for i, name in ((2, "x_px"), (3, "y_px"))
    }
    buffer = io.BytesIO()
    pl.DataFrame(frame | columns).write_parquet(buffer)
    return buffer.getvalue()


def many_rows() -> bytes:
    return table(*(("canary-ann", "canary-sea", f"611.{i % 997}", f"93.8{i}") for i in range(5000))).encode()


def stored(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def load(
    path: Path, *, separator: str | None = None, header: tuple[str, ...] = (), **options: Any
) -> GazeData:
    return load_gaze(
        Source(path, separator, header),
        **{"columns": COLUMNS, "screen": SCREEN, "missing": MISSING, **options},
    )


def refused(
    path: Path, code: str, *places: str, kind: type[SynthReleaseError] = DataError, **options: Any
) -> SynthReleaseError:
    """Load the file; expect an error of the kind and code that names the file and the places, and quotes no cell."""
    with refusals.refused(kind, code, where=path) as caught:
        load(path, **options)
    error = caught.value
    assert error.exit_code == {DataError: 3, MachineError: 6}[kind]
    for place in places:
        assert place in error.where.replace(str(path), "")
    shown = str(error).replace(str(path), "")
    assert error.expected or error.remedy, "neither what was expected nor what to do"
    assert not [secret for secret in SECRETS if secret in shown + repr(error).replace(str(path), "")]
    assert error.__cause__ is None, "the library's message, which quotes cells, is chained"
    assert error.__context__ is None or error.__suppress_context__
    return error


# The same content in every clothing


CLOTHES = {
    "data.csv": table(*ROWS).encode(),
    "crlf.csv": table(*ROWS).replace("\n", "\r\n").encode(),
    "no-newline-at-end.csv": table(*ROWS).rstrip("\n").encode(),
    "DATA.CSV": table(*ROWS).encode(),
    "data.txt": table(*ROWS).encode(),
    "data.tsv": table(*ROWS, separator="\t").encode(),
    "data.csv.gz": gzip.compress(table(*ROWS).encode()),
    "data.tsv.gz": gzip.compress(table(*ROWS, separator="\t").encode()),
    "members.csv.gz": gzip.compress(table(*ROWS[:2]).encode())
    + gzip.compress(table(*ROWS[2:]).split("\n", 1)[1].encode()),
    "bom.csv": b"\xef\xbb\xbf" + table(*ROWS).encode(),
    "bom.csv.gz": gzip.compress(b"\xef\xbb\xbf" + table(*ROWS).encode()),
    "bom-quoted.csv": b"\xef\xbb\xbf" + re.sub(r"[^,\n]+", r'"\g<0>"', table(*ROWS)).encode(),
    "spaced.csv": table(*(tuple(f" {cell} " for cell in row) for row in ROWS)).encode(),
    "spaced-header.csv": table(*ROWS, header=("person", " image", " x_px ", "y_px ")).encode(),
    "blank-lines-at-the-end.csv": table(*ROWS).encode() + b"\n\r\n\n",
    "more-columns.csv": table(
        *(("0", *reversed(row), "é") for row in ROWS), header=("", *reversed(HEADER), "é")
    ).encode(),
    "data.parquet": parquet(),
    "DATA.PARQUET": parquet(),
    "more-columns.parquet": parquet(other=[None, "a", "b", "c"], dates=[[1], [2], [3], [4]]),
    "text.parquet": parquet(x_px=[row[2] for row in ROWS], y_px=[row[3] for row in ROWS]),
    "float32.parquet": parquet(x_px=pl.Series([735.125, 611.375, None, 611.625], dtype=pl.Float32)),
    "categorical.parquet": parquet(person=pl.Series([row[0] for row in ROWS], dtype=pl.Categorical)),
    "DATA.CSV.GZ": gzip.compress(table(*ROWS).encode()),
}


@pytest.mark.parametrize("name", CLOTHES)
def test_every_format_gives_the_same_arrays(tmp_path: Path, name: str) -> None:
    gaze = load(stored(tmp_path, name, CLOTHES[name]))
    assert gaze.identities == ("canary-ann", "canary-bob")
    assert gaze.stimuli == ("canary-sea", "canary-sky")
    assert gaze.person.tolist() == [1, 0]
    assert gaze.stimulus.tolist() == [1, 0]
    np.testing.assert_array_equal(gaze.x_px, [735.125, 611.375])
    np.testing.assert_array_equal(gaze.y_px, [284.625, 93.875])
    assert [figures(note) for note in gaze.notes] == [[2, 4]]


@pytest.mark.parametrize("name", CLOTHES)
def test_every_format_gives_the_same_facts(tmp_path: Path, name: str) -> None:
    columns = {key: COLUMNS[key] for key in ("person", "stimulus")}
    facts = read_facts(stored(tmp_path, name, CLOTHES[name]), columns=columns, listed=None)
    assert (facts.people, facts.names) == (2, ("canary-sea", "canary-sky"))
    assert facts.identities == {"canary-ann", "canary-bob"}


def test_quoted_cells_may_hold_separators_and_quotes(tmp_path: Path) -> None:
    row = ('"Ann ""A"" B, junior"', '"sea, rough"', '"1.5"', '"2"')
    gaze = load(stored(tmp_path, "quoted.csv", table(row)))
    assert gaze.identities == ('Ann "A" B, junior',)
    assert gaze.stimuli == ("sea, rough",)  # not a sentence: a label
    assert (gaze.x_px.tolist(), gaze.y_px.tolist()) == ([1.5], [2.0])


# Other separators


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_another_separator_is_recognised_and_the_remedy_works(tmp_path: Path, separator: str) -> None:
    path = stored(tmp_path, "data.csv", table(*ROWS, separator=separator))
    error = refused(path, "one-column", "line 1")
    line = re.search(r"separator = (\S+|'\t'|\"\t\")", error.remedy)
    assert line, "the remedy is not a line that can be put into the plan"
    given = tomllib.loads(line[0])["separator"]
    assert given == separator
    assert load(path, separator=given).identities == ("canary-ann", "canary-bob")


def test_commas_in_a_tsv_are_recognised(tmp_path: Path) -> None:
    path = stored(tmp_path, "data.tsv", table(*ROWS))
    assert "separator = ','" in refused(path, "one-column", "line 1").remedy
    assert load(path, separator=",").people == 2


def test_what_is_not_utf8_has_a_line_in_a_long_file(tmp_path: Path) -> None:
    """Text is decoded by the megabyte, and letters of two bytes stand across the borders."""
    text = b"\xc3\xbc,1.5\n" * 400_000
    check_text(tmp_path, text)
    with refusals.refused(DataError, "not-utf8") as caught:
        check_text(tmp_path, text + b"\xfc,1.5\n", first_line=2)
    assert caught.value.where.endswith(", line 400002")


def test_decimal_commas_are_refused_and_not_quoted(tmp_path: Path) -> None:
    rows = [("canary-ann", "canary-sea", "611", "93"), ("canary-ann", "canary-sea", "735,125", "284")]
    path = stored(tmp_path, "german.csv", table(*rows, separator=";"))
    refused(path, "decimal-comma", "line 3", "'x_px'", separator=";")


@pytest.mark.parametrize("separator", ["é", "\n", '"'])
def test_a_separator_that_cannot_be_one_is_an_input_error(tmp_path: Path, separator: str) -> None:
    with refusals.refused(DataError, "bad-separator"):
        load(stored(tmp_path, "data.csv", table(*ROWS)), separator=separator)


# Files that cannot be read


PACKED = gzip.compress(many_rows())
WRONG_CHECKSUM = PACKED[:-8] + bytes([PACKED[-8] ^ 255]) + PACKED[-7:]
UNREADABLE = {
    "empty.csv": (b"", "empty-file"),
    "blank.csv": (b"\n\n", "empty-file"),
    "byte-order-mark.csv": (b"\xef\xbb\xbf", "empty-file"),
    "empty.csv.gz": (gzip.compress(b""), "empty-file"),
    "header-only.csv": (table().encode(), "no-rows"),
    "header-only.tsv.gz": (gzip.compress(table(separator="\t").encode()), "no-rows"),
    "header-without-newline.csv": (table().strip().encode(), "no-rows"),
    "header-only.parquet": (
        parquet(**{n: pl.Series([], dtype=pl.String) for n in HEADER}),
        "no-rows",
    ),
    "latin-1-body.csv": (table(("canary-é", "canary-sea", "1", "2")).encode("latin-1"), "not-utf8"),
    "latin-1-body.csv.gz": (
        gzip.compress(table(("canary-é", "canary-sea", "1", "2")).encode("latin-1")),
        "not-utf8",
    ),
    "latin-1-header.csv": (
        table((*ROWS[0], "canary"), header=(*HEADER, "größe")).encode("latin-1"),
        "not-utf8",
    ),
    "utf-16.csv": (table(*ROWS).encode("utf-16"), "utf16-or-binary"),
    "utf-16-le.csv": (table(*ROWS).encode("utf-16-le"), "utf16-or-binary"),
    "utf-16-be.tsv": (table(*ROWS, separator="\t").encode("utf-16-be"), "utf16-or-binary"),
    "cut-in-the-middle.csv.gz": (PACKED[: len(PACKED) // 2], "cannot-unpack"),
    "cut-at-the-end.csv.gz": (PACKED[:-8], "cannot-unpack"),
    "cut-in-the-header.csv.gz": (PACKED[:12], "cannot-unpack"),
    "wrong-checksum.csv.gz": (WRONG_CHECKSUM, "cannot-unpack"),
    "plain-text.csv.gz": (table(*ROWS).encode(), "cannot-unpack"),
    "cut-at-the-end.parquet": (parquet()[:-20], "bad-parquet"),
    "cut-in-the-middle.parquet": (parquet()[: len(parquet()) // 2], "bad-parquet"),
    "empty.parquet": (b"", "bad-parquet"),
    "text-in-truth.parquet": (table(*ROWS).encode(), "bad-parquet"),
    "longer-row.csv": (table(ROWS[0], (*ROWS[1], "canary-more")).encode(), "too-many-fields"),
    "every-row-longer.csv": (table(*(("canary", *row) for row in ROWS)).encode(), "too-many-fields"),
    "shorter-row.csv": (table(ROWS[0], ROWS[1][:3], ROWS[0]).encode(), "too-few-fields"),
    "half-a-row-at-the-end.csv": (table(ROWS[0], ROWS[1]).encode()[:-9], "too-few-fields"),
    "unclosed-label.csv": (table(ROWS[0], ('"canary-ann', *ROWS[1][1:]), ROWS[0]).encode(), "open-quote"),
    "unclosed-number.csv": (table(ROWS[0], (*ROWS[1][:3], '"93.875'), ROWS[0]).encode(), "open-quote"),
    "unclosed-last.csv": (table(ROWS[0], (*ROWS[1][:3], '"93.875')).encode(), "open-quote"),
    "quote-inside.csv": (table(ROWS[0], ('canary"ann', *ROWS[1][1:])).encode(), "open-quote"),
    "quotes-inside-two-cells.csv": (
        table(*(('canary"ann', *row[1:]) for row in ROWS[:2])).encode(),
        "stray-quote",
    ),
    "unclosed-header.csv": (
        table(*ROWS, header=("person", '"image', "x_px", "y_px")).encode(),
        "unknown-column",
    ),
    "carriage-returns.csv": (table(*ROWS).replace("\n", "\r").encode(), "lines-not-told-apart"),
    "one-long-line.csv": (b"canary" * 30_000, "lines-not-told-apart"),
    "one-long-quote.csv": (b'"' + b"canary" * 30_000, "lines-not-told-apart"),
    "not-text.csv": (bytes(range(256)) * 10, "utf16-or-binary"),
    "nul-in-header.csv": (
        table(*ROWS, header=("person", "ima\0ge", "x_px", "y_px")).encode(),
        "damaged-file",
    ),
    "nul-in-label.csv": (table(ROWS[0], ("canary\0ann", *ROWS[1][1:])).encode(), "damaged-file"),
    "nul-in-number.csv": (table(ROWS[0], (*ROWS[1][:3], "93.8\0")).encode(), "damaged-file"),
    "column-of-ours-twice.csv": (
        table(*((*row, "canary") for row in ROWS), header=(*HEADER, "x_px")).encode(),
        "duplicate-column",
    ),
    "other-column-twice.csv": (
        table(*((*row, "canary", "canary") for row in ROWS), header=(*HEADER, "note", "note")).encode(),
        "duplicate-column",
    ),
    "sheet.xlsx": (b"canary", "excel-workbook"),
    "packed.csv.zip": (b"canary", "archive"),
    "no-extension": (b"canary", "no-reader"),
}


@pytest.mark.quick(
    but=[
        "in blocks-wrong-checksum.csv.gz",
        "in blocks-cut-at-the-end.csv.gz",
        "in blocks-cut-in-the-middle.csv.gz",
    ]
)
@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_is_refused_without_quoting_it(tmp_path: Path, name: str) -> None:
    content, code = UNREADABLE[name]
    path = stored(tmp_path, name, content)
    refused(path, code)


@pytest.mark.parametrize(
    "name", ["longer-row.csv", "shorter-row.csv", "unclosed-label.csv", "nul-in-number.csv"]
)
def test_a_broken_row_is_named_by_its_line(tmp_path: Path, name: str) -> None:
    content, code = UNREADABLE[name]
    refused(stored(tmp_path, name, content), code, "line 3")


@pytest.mark.parametrize(
    ("name", "numbers"), [("column-of-ours-twice.csv", [3, 5, 5]), ("other-column-twice.csv", [5, 6, 6])]
)
def test_columns_of_one_name_are_numbered(tmp_path: Path, name: str, numbers: list[int]) -> None:
    content, code = UNREADABLE[name]
    assert figures(refused(stored(tmp_path, name, content), code).found) == numbers


def test_where_no_reader_fits_all_that_can_be_read_is_listed(tmp_path: Path) -> None:
    error = refused(stored(tmp_path, "no-extension", b"canary"), "no-reader")
    assert not [reader.name for reader in READERS if reader.formats not in error.expected]


@pytest.mark.parametrize("closed", [0, 1, 40])
def test_a_quote_that_stays_open_over_a_large_file_is_not_kept_in_memory(
    tmp_path: Path, closed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_blocks, "_BLOCK_BYTES", 50)
    monkeypatch.setattr(text_blocks, "_LONGEST_ROW_BYTES", 2000)
    rows = [ROWS[0]] * closed + [('"canary-ann', *ROWS[1][1:])] + [ROWS[0]] * 2000
    beyond = "\0"  # another error, for whoever reads so far
    refused(stored(tmp_path, "open.csv", table(*rows) + beyond), "open-quote", f"line {closed + 2}")


def test_a_row_longer_than_a_block_is_one(tmp_path: Path) -> None:
    label = '"' + "canary-sky\n" * 15 + '"'
    lines = table(ROWS[0], (ROWS[1][0], label, *ROWS[1][2:]), ROWS[3])
    refused(stored(tmp_path, "long.csv", lines), "bad-label", "line 3")


def test_a_quote_that_stays_open_is_named_by_its_line_after_others_that_were_closed(tmp_path: Path) -> None:
    rows = [('"canary"', *ROWS[0][1:]), ('"canary\nann"', *ROWS[0][1:]), ('"canary', *ROWS[0][1:]), ROWS[0]]
    refused(stored(tmp_path, "open.csv", table(*rows)), "open-quote", "line 5")


def test_the_remedy_for_utf_16_is_not_that_for_latin_1(tmp_path: Path) -> None:
    error = refused(stored(tmp_path, "utf-16.csv", UNREADABLE["utf-16.csv"][0]), "utf16-or-binary")
    assert "iconv -f utf-16" in error.remedy
    other = refused(stored(tmp_path, "latin-1.csv", UNREADABLE["latin-1-body.csv"][0]), "not-utf8")
    assert "iconv -f latin1" in other.remedy


def test_a_blank_first_line_is_not_called_an_empty_file(tmp_path: Path) -> None:
    refused(stored(tmp_path, "blank-first.csv", "\n" + table(*ROWS)), "blank-first-line", "line 1")


def test_lines_are_those_an_editor_counts(tmp_path: Path) -> None:
    note = '"canary\ncanary"'
    rows = [(note, *ROWS[0]), ("", *ROWS[0]), ("", *ROWS[0][:2], "canary", "1")]
    content = table(*rows, header=("note", *HEADER))
    refused(stored(tmp_path, "line-break-in-a-cell.csv", content), "bad-number", "line 5", "'x_px'")


def test_a_blank_line_between_rows_is_named(tmp_path: Path) -> None:
    refused(stored(tmp_path, "blank-line.csv", table(ROWS[0], ("",), ROWS[1])), "blank-line", "line 3")


BELOW = ("Summary\ncanary-ann,canary-735\n", "people,mean\n2,7\n", "a,b,c,d,e\n1,2,3,4,5\n")


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("blank", ["\n", "\r\n", "  \n", ",,,\n", ",,,\r\n,,,\r\n\r\n"])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_rows_end_at_a_blank_line_if_the_plan_says_so(
    tmp_path: Path, below: str, blank: str, ending: str
) -> None:
    text = (table(*ROWS) + blank + below).encode()
    path = stored(tmp_path, f"two-tables{ending}", gzip.compress(text) if ending.endswith("gz") else text)
    assert delimited.other_table(Source(path)) == len(ROWS) + 2
    with_option = read_table(Source(path, stop_at_blank=True), HEADER)
    alone = read_table(stored(tmp_path, "alone.csv", table(*ROWS)), HEADER)
    assert with_option.frame.equals(alone.frame)
    assert with_option.lines.tolist() == alone.lines.tolist()


def test_the_refusal_of_a_blank_line_names_the_option(tmp_path: Path) -> None:
    error = refused(stored(tmp_path, "two.csv", table(*ROWS) + "\n" + BELOW[0]), "blank-line", "line 6")
    assert "stop_at_blank = true" in error.remedy


def test_blank_lines_in_quotes_at_the_end_or_between_rows_of_one_table_begin_no_other(tmp_path: Path) -> None:
    quoted = table(("canary-bob", '"canary\n\nsky"', "1", "2"), *ROWS)
    for name, text in {
        "quoted.csv": quoted,
        "at-the-end.csv": table(*ROWS) + "\n\n,,,\n",
        "between.csv": table(*ROWS) + "\n" + table(*ROWS).partition("\n")[2],
    }.items():
        assert delimited.other_table(Source(stored(tmp_path, name, text))) is None, name
    path = stored(tmp_path, "quoted.csv", quoted)
    assert read_table(Source(path, stop_at_blank=True), ["x_px"]).frame.height == len(ROWS) + 1


def test_only_text_ends_at_a_blank_line(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "x.parquet")
    with refusals.refused(DataError, "key-not-for-format", names=["stop_at_blank"]):
        read_table(Source(tmp_path / "x.parquet", stop_at_blank=True), ["x"])


@pytest.mark.parametrize("suffix", ["csv", "tsv", "tsv.gz"])
def test_empty_cells_at_the_end_of_the_file_are_cells(tmp_path: Path, suffix: str) -> None:
    rows = [("ann", "sea", "1", "2"), ("bob", "sea", "", "")]
    text = table(*rows, separator="\t" if "tsv" in suffix else ",")
    for number, end in enumerate(("\n", "", "\r\n", "\n\n")):
        content = (text.rstrip("\n") + end).encode()
        packed = gzip.compress(content) if suffix.endswith("gz") else content
        gaze = load(stored(tmp_path, f"{number}.{suffix}", packed))
        assert gaze.identities == ("ann", "bob")
        assert [figures(note) for note in gaze.notes] == [[1, 2]]


LABEL = st.text(st.sampled_from('ab",; é'), max_size=5).map(lambda text: f"a{text}b")
NOTE = st.text(st.sampled_from('ab",;\n\r\t é'), max_size=5).map(lambda text: f"a{text}b")


@pytest.mark.quick(but=["in blocks"])
@given(
    st.lists(st.tuples(LABEL, LABEL, NOTE), min_size=1, max_size=8),
    st.integers(0, 7),
    st.sampled_from(["\n", "\r\n"]),
)
def test_cells_and_lines_are_those_that_pythons_csv_module_wrote(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str, str]], bad: int, end: str
) -> None:
    bad = min(bad, len(cells) - 1)
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator=end)
    writer.writerow(["note", *HEADER])
    lines = []
    for number, (person, image, note) in enumerate(cells):
        lines.append(file.getvalue().count("\n") + 1)
        writer.writerow([note, person, image, "canary" if number == bad else "1", "2"])
    folder = tmp_path_factory.mktemp("csv")
    path = stored(folder, "bad.csv", file.getvalue())
    refused(path, "bad-number", f"line {lines[bad]}, column 'x_px'")
    path = stored(folder, "good.csv", file.getvalue().replace("canary", "1"))
    gaze = load(path)
    assert [gaze.identities[n] for n in gaze.person] == [person for person, _, _ in cells]
    assert [gaze.stimuli[n] for n in gaze.stimulus] == [image for _, image, _ in cells]


@given(
    st.text(st.sampled_from('"",,\n\n\r;\t 1é\x00n'), max_size=40),
    st.sampled_from(["", ",".join(HEADER) + "\n"]),
)
def test_whatever_a_file_holds_the_error_is_ours(
    tmp_path_factory: pytest.TempPathFactory, body: str, header: str
) -> None:
    path = stored(tmp_path_factory.mktemp("any"), "any.csv", header + body)
    with contextlib.suppress(DataError):
        assert load(path, off_screen="drop").people >= 1


@given(
    st.text(st.sampled_from('"",,\n\n\r\té1'), max_size=60),
    st.sampled_from(["", "\n", "\n\n\r\n"]),
    st.sampled_from(["any.csv", "any.csv.gz"]),
)
def test_rows_lines_and_errors_do_not_depend_on_the_blocks(
    tmp_path_factory: pytest.TempPathFactory, body: str, end: str, name: str
) -> None:
    content = ("a,b\n" + body + end).encode()
    path = stored(
        tmp_path_factory.mktemp("any"), name, gzip.compress(content) if name.endswith("gz") else content
    )
    found = []
    for block in (1 << 20, 1, 3, 17):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_blocks, "_BLOCK_BYTES", block)
            try:
                frame, lines = united(list(delimited.Delimited().slices(Source(path), ["b", "a"], ALL_ROWS)))
                found.append(((frame.rows(), lines.tolist()), ""))
            except DataError as error:
                found.append((None, error.code))
    # What is wrong first decides, and a row that is too short comes before a quote that stays open further down.
    assert len({repr(one) for one, _ in found}) == 1
    assert all(code for one, code in found if one is None)


def test_a_table_larger_than_a_block_is_sliced_and_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"p{n % 7}", "sky", str(n), f'"{n}\n{n}"') for n in range(100)]
    path = stored(tmp_path, "long.csv", table(*rows))
    reader, source = delimited.Delimited(), Source(path)
    monkeypatch.setattr(text_blocks, "_BLOCK_BYTES", 64)
    whole, lines = united(list(reader.slices(source, ["x_px", "person"], ALL_ROWS)))
    assert whole.height == len(rows)
    slices = list(reader.slices(source, ["x_px", "person"], 3))
    assert all(frame.height <= 3 for frame, _ in slices)
    assert pl.concat(frame for frame, _ in slices).equals(whole)
    assert (
        np.concatenate([own for _, own in slices]).tolist()
        == lines.tolist()
        == [2 + 2 * n for n in range(100)]
    )
    for wanted in (["p3"], ["p0", "p6"], ["no one"]):
        where = RowFilter("person", pl.Series(wanted))
        some, own = united(list(reader.slices(source, ["x_px"], ALL_ROWS, where)))
        here = whole["person"].is_in(wanted)
        assert some.equals(whole.filter(here).select("x_px"))
        assert own.tolist() == lines[here.to_numpy()].tolist()


def test_a_broken_file_is_refused_when_facts_are_read_too(tmp_path: Path) -> None:
    for name in ("cut-at-the-end.csv.gz", "latin-1-body.csv", "unclosed-label.csv", "cut-at-the-end.parquet"):
        path = stored(tmp_path, name, UNREADABLE[name][0])
        with refusals.refused(DataError, UNREADABLE[name][1]) as caught:
            read_facts(path, columns={"person": "person", "stimulus": "image"}, listed=None)
        assert "canary" not in str(caught.value).replace(str(path), "")


# Paths


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    refused(tmp_path / "none.csv", "no-such-file")


@pytest.mark.parametrize("name", ["folder", "folder.csv", "folder.parquet"])
def test_a_folder_is_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    refused(tmp_path / name, "path-is-folder")


def test_a_file_that_vanishes_between_plan_and_reading_is_named(tmp_path: Path) -> None:
    path = stored(tmp_path, "data.csv", table(*ROWS))
    assert read_facts(path, columns={"person": "person"}, listed=None).people == 2
    path.unlink()
    refused(path, "no-such-file")


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
def test_a_file_that_vanishes_between_header_and_rows_is_an_error_of_ours(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, name, CLOTHES[name])
    reader = type(reader_for(Source(path)))
    names = reader.column_names

    def names_then_gone(self: Any, source: Source) -> list[str]:
        present = names(self, source)
        path.unlink()
        return present

    monkeypatch.setattr(reader, "column_names", names_then_gone)
    refused(path, "no-such-file")


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
def test_a_file_that_may_not_be_read_is_the_machines_fault(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root is never denied, hence the monkey.
    path = stored(tmp_path, name, CLOTHES[name])

    def denied(*_args: Any, **_options: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", denied)
        refused(path, "cannot-read", kind=MachineError)


@pytest.mark.parametrize(
    ("case", "code"),
    [("under-a-file", "no-such-file"), ("too-long", "bad-path"), ("nul", "bad-path"), ("loop", "bad-path")],
)
def test_an_impossible_path_is_an_error_of_ours(tmp_path: Path, case: str, code: str) -> None:
    file = stored(tmp_path, "data.csv", table(*ROWS))
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    path = {
        "under-a-file": file / "data.csv",
        "too-long": tmp_path / f"{'x' * 300}.csv",
        "nul": tmp_path / "a\0b.csv",
        "loop": tmp_path / "loop.csv",
    }[case]
    with refusals.refused(DataError, code):
        load(path)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
@pytest.mark.parametrize(("name", "other"), [("data[1]", "data1"), ("data*", "data2")])
def test_a_files_name_is_no_pattern(tmp_path: Path, suffix: str, name: str, other: str) -> None:
    stranger = [("stranger", "img", "1", "2")]
    content = {
        "csv": table(*stranger).encode(),
        "csv.gz": gzip.compress(table(*stranger).encode()),
        "parquet": parquet(person=["stranger"] * 4),
    }
    stored(tmp_path, f"{other}.{suffix}", content[suffix])
    path = stored(tmp_path, f"{name}.{suffix}", CLOTHES[f"data.{suffix}"])
    assert load(path).identities == ("canary-ann", "canary-bob")


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "person=eve"
    folder.mkdir()
    assert load(stored(folder, "data.parquet", parquet())).identities == ("canary-ann", "canary-bob")


# The registry


def test_every_reader_is_found_by_a_name_of_its_format() -> None:
    assert {
        type(reader_for(Source(Path(f"a{suffix}"))))
        for suffix in (".csv", ".parquet", ".mat", ".npz", ".h5", ".asc")
    } == {type(reader) for reader in READERS}
    assert isinstance(reader_for(Source(Path("a.b.TSV.gz"))), delimited.Delimited)


def test_lines_that_end_with_a_comma_are_no_lines_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "gazepoint.csv"
    path.write_text("person,FPOGX,\nann,1,\n", encoding="utf-8")
    with refusals.refused(DataError, "unknown-column") as caught:
        read_table(path, ["person", "FPOGY"])
    assert "'FPOGY'" in caught.value.problem
    assert "'FPOGX'" in caught.value.remedy
