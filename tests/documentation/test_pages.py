"""Pages are current, and what they name and link to is there."""

import importlib
import re
import subprocess
import sys

import pytest
from documented import PAGES, ROOT
from layers import LAYERS
from markdown_it import MarkdownIt


def test_the_reference_is_current():
    command = [sys.executable, str(ROOT / "scripts" / "make_reference.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_named_files_exist(page):
    text = page.read_text("utf-8")
    shown = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)  # links, but not those of code
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", shown):
        if "://" not in target:
            assert (page.parent / target).exists(), target
    for named in re.findall(r"`((?:synthrelease|docs|scripts|schemas|tests)/[\w./-]+\.\w+)`", text):
        assert (ROOT / named).exists(), named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_nothing_is_taken_for_html(page):
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text("utf-8"))
    every = [one for token in tokens for one in (token, *(token.children or []))]
    html = [one.content for one in every if one.type in ("html_inline", "html_block")]
    assert [content for content in html if not content.startswith("<!--")] == []


def test_the_readme_has_its_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "synthrelease demo" in text
    assert "scripts/test" in text
    for script in (".ci/run", "scripts/test"):
        assert (ROOT / script).stat().st_mode & 0o111, script
    assert "scripts/test" in (ROOT / ".ci" / "run").read_text()


NAMED_FUNCTIONS = ("contribute/architecture.md",)
_FILE = re.compile(r".*\.(py|html|toml|md|json|h5)")


def dotted_names(text):
    """What stands in backticks and has the form of a name below the package, files apart."""
    found = re.findall(r"`([a-z]\w*(?:\.\w+)+)`", text)
    return [name for name in found if not _FILE.fullmatch(name)]


def resolved(dotted):
    """Import as much of it as is a module, and look the rest up; an attribute of a dataclass may be without a value."""
    parts = ["synthrelease", *dotted.split(".")]
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for name in parts[count:]:
            found = getattr(found, name)
        return found
    raise AssertionError(dotted)


@pytest.mark.parametrize("page", NAMED_FUNCTIONS)
def test_functions_that_a_page_names_exist(page):
    names = dotted_names((ROOT / "docs" / page).read_text("utf-8"))
    assert len(names) >= 10
    for name in names:
        resolved(name)


def test_names_that_do_not_exist_are_noticed():
    assert dotted_names("`a.b_c` `durable.py` `x` `tests/a.py` `plan.load_plan`") == [
        "a.b_c",
        "plan.load_plan",
    ]
    for name in ("plan.lode_plan", "nowhere.at_all", "plan.Plan.nothing"):
        with pytest.raises(AttributeError):
            resolved(name)


def test_picture_and_list_of_layers_are_of_the_layers_that_imports_are_compared_with():
    command = [sys.executable, str(ROOT / "scripts" / "make_layers.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0
    picture = ROOT / "docs" / "images" / "layers.svg"
    assert picture.stat().st_size <= 100_000
    assert set(re.findall(r">(\w+)</text>", picture.read_text("utf-8"))) >= {layer.name for layer in LAYERS}
