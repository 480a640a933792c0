"""Pages as tests read them: parsed strictly, with what a reader sees and what a browser would fetch."""

from __future__ import annotations

import functools
import re
import tempfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from layouts import GOLDEN

from synthrelease.bundle import verify
from synthrelease.report.public_report import write_report

_INLINE = {"a", "strong", "span", "code"}  # what does not part words
_VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Page:
    """Elements in their order, the text that is seen, and the embedded manifest."""

    source: str
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    data: str = ""

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of every element of a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def headings(self) -> list[int]:
        """Levels of the headings, in order."""
        return [int(tag[1]) for tag, _ in self.elements if re.fullmatch(r"h[1-6]", tag)]


class _Parser(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self.page, self.open = page, []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute of {tag} stands twice"
        self.page.elements.append((tag, dict(attrs)))
        self.page.text += "" if tag in _INLINE else " "
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"{tag} is closed and was not open"
        assert self.open[-1] == tag, f"{tag} is closed inside {self.open[-1]}"
        self.open.pop()

    def handle_data(self, data):
        if "script" in self.open:
            self.page.data += data
        elif "style" not in self.open and "title" not in self.open:
            self.page.text += data


def parsed(source: str) -> Page:
    """Read a page; AssertionError where elements do not close as they open."""
    page = Page(source)
    parser = _Parser(page)
    parser.feed(source)
    parser.close()
    assert parser.open == [], parser.open
    page.text = re.sub(r"\s+", " ", page.text)
    return page


@functools.cache
def golden_page(name: str) -> Page:
    """The page of a golden bundle, made once."""
    with tempfile.TemporaryDirectory() as folder:
        return written(golden(name), Path(folder))


def golden(name: str) -> Path:
    """The path of a golden bundle."""
    return next(path for path in GOLDEN if path.stem == name)


def written(bundle: Path, folder: Path, **options: Any) -> Page:
    """Write the page of a bundle, and read it."""
    result = verify(bundle, allow_test_seed=True)
    assert result.ok, result.findings
    target = folder / f"{bundle.stem}.html"
    write_report(bundle, target, manifest=result.manifest, checked=result.checked, force=True, **options)
    return parsed(target.read_text("utf-8"))
