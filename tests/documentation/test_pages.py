"""Pages are current, and what they name and link to is there."""

import importlib
import re
import subprocess
import sys

import pytest
from documented import PAGES, ROOT
from layers import LAYERS
from markdown_it import MarkdownIt

from synthrelease.cli import main


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


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_picture_of_the_pipeline_is_current_described_and_of_commands_that_exist(script, page):
    module = script("make_pipeline")
    assert module.PICTURE.read_text("utf-8") == module.picture(), "run scripts/make_pipeline.py"
    commands = [name for zone in module.ZONES for step in zone.steps for name in step.command.split(", ")]
    assert set(filter(None, commands)) <= set(main.commands)
    before = (ROOT / page).read_text("utf-8").split("images/pipeline.svg)")[0]
    alt = before.rsplit("![", 1)[1].casefold()
    for zone in module.ZONES:
        for step in zone.steps:
            assert step.title.casefold()[:5] in alt  # a verification stands for to verify
    # It can be read by itself: it fetches nothing, and says the same to screen readers.
    assert f">{module.DESCRIPTION}</desc>" in module.picture()
    assert not re.findall(r"href|url\(|<image|<script", module.picture())


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_the_letters_of_the_picture_of_the_pipeline_stand_out_from_their_ground(script, scheme):
    blocks = re.findall(r"svg\{(.*?)\}", script("make_pipeline").picture())
    colours = dict(re.findall(r"--([\w-]+):#([0-9a-f]{6})", blocks[scheme]))

    def luminance(name):
        parts = (int(colours[name][n : n + 2], 16) / 255 for n in (0, 2, 4))
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for letters, ground in (
        ("ink", "card"),
        ("accent", "card"),
        ("ink", "amber-soft"),
        ("ink", "accent-soft"),
    ):
        dark, light = sorted((luminance(letters), luminance(ground)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG 2, AA


def test_text_that_does_not_fit_into_the_picture_of_the_pipeline_is_refused(script):
    module = script("make_pipeline")
    with pytest.raises(ValueError, match="fits"):
        module._text("text", 0, 0, "x" * 50, 13, room=300)
