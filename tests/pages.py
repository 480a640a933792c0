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


def check_form(page: Page, embedded: str) -> None:
    """One file: nothing is loaded, nothing runs, a screen reader finds its way, and programs the element that is embedded."""
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"iframe", "object", "embed", "form", "audio", "video", "base", "input", "button"}
    assert page.all("script") == [{"type": "application/json", "id": embedded}]
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:", "#")), value
        if tag == "link":
            assert attributes == {"rel": "icon", "href": "data:,"}
    policy = next(meta for meta in page.all("meta") if "http-equiv" in meta)["content"]
    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert page.all("html") == [{"lang": "en"}]
    assert page.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert {a["aria-labelledby"] for _, a in page.elements if "aria-labelledby" in a} <= set(ids)
    for link in page.all("a"):
        assert str(link["href"])[1:] in ids
    assert all(image["alt"] and int(image["width"] or 0) > 0 for image in page.all("img"))
    assert "url(" not in page.source.split("</style>")[0]


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
