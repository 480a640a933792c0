"""docs/reference/glossary.md has every symbol, and says truly where it is."""

import re

import pytest
from documented import PAGES, ROOT

GLOSSARY = ROOT / "docs" / "reference" / "glossary.md"
PROOFS = sorted((ROOT / "synthrelease").rglob("*.proof.md"))
SIGNS = {"Σ", "Π", "π"}  # explained below the tables
_SIGN = r"[=·*/^_<>≤≥∈√|+−]"  # what stands beside a letter in a formula


def rows(text):
    """The lines of all tables of symbols: symbols, meaning, unit, names in the code, files. Tables of terms have fewer columns."""
    found = []
    for line in text.splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0] not in ("symbol", "---"):
            found.append(cells)
    return found


def symbols(cell):
    return cell.split(" = ")[0].split(", ")


def occurs(word, text):
    """Whether a text has a word that does not go on on either side; a single Latin letter, in a formula."""
    alone = rf"(?<![^\W_]){re.escape(word)}(?![^\W_]|[₀-₉′̃'])"
    if re.fullmatch("[A-Za-z]", word):
        alone = rf"(?:{_SIGN} ?{alone}|{alone} ?{_SIGN}|\({alone}\)|: {alone},)"
    return re.search(alone, text) is not None


def placed(path):
    return ROOT / path if path.startswith("docs/") else ROOT / "synthrelease" / path


def missing(row):
    """What a line of a table says that its files do not have."""
    shown, _, _, names, where = row
    paths = re.findall(r"`([^`]+)`", where)
    texts = {path: placed(path).read_text("utf-8") for path in paths}
    written = "\n".join(texts.values())
    code = "\n".join(text for path, text in texts.items() if path.endswith(".py"))
    return [
        *(one for one in symbols(shown) if not occurs(one, written)),
        *(name for name in re.findall(r"`([^`]+)`", names) if not occurs(name, code)),
    ]


def greek(text):
    return set(re.findall(r"[\u0391-\u03c9]", text))


@pytest.mark.parametrize("row", rows(GLOSSARY.read_text("utf-8")), ids=lambda row: f"{row[0]}: {row[1]}"[:40])
def test_a_symbol_is_where_the_page_says(row):
    assert all(row), "a cell is empty"
    assert re.findall(r"`([^`]+)`", row[4]), "no file is named"
    assert missing(row) == []


@pytest.mark.parametrize("proof", PROOFS, ids=lambda path: path.name)
def test_proof_notes_use_no_letter_that_the_page_does_not_have(proof):
    known = {letter for row in rows(GLOSSARY.read_text("utf-8")) for letter in greek(row[0])} | SIGNS
    assert greek(proof.read_text("utf-8")) - known == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_use_no_letter_that_the_page_does_not_have(page):
    known = {letter for row in rows(GLOSSARY.read_text("utf-8")) for letter in greek(row[0])} | SIGNS
    assert greek(page.read_text("utf-8")) - known == set()


def test_there_are_proof_notes_and_rows():
    explained = GLOSSARY.read_text("utf-8").split("### In the papers")[0].rsplit("|\n\n", 1)[1]
    assert {sign for sign in SIGNS if sign in explained} == SIGNS
    assert len(PROOFS) == 14
    assert len(rows(GLOSSARY.read_text("utf-8"))) > 50


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (["ε", "x", "1", "`epsilon`", "`dp/guarantee.py`"], []),
        (["ζ", "x", "1", "`epsilon`", "`dp/guarantee.py`"], ["ζ"]),
        (["ε, ζ", "x", "1", "–", "`dp/guarantee.py`"], ["ζ"]),
        (["ε", "x", "1", "`epsilonn`", "`dp/guarantee.py`"], ["epsilonn"]),
        (["ε", "x", "1", "`epsilon`", "`dp/filter.proof.md`"], ["epsilon"]),
        (["a", "x", "1", "–", "`dp/guarantee.py`"], ["a"]),
        (["ε₁", "x", "1", "–", "`dp/guarantee.py`"], ["ε₁"]),
    ],
)
def test_what_is_missing_is_found(row, found):
    assert missing(row) == found
