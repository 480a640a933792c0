"""Pages as tests read them: parsed strictly, with what a reader sees and what a browser would fetch."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
import tempfile
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from layouts import GOLDEN

from synthrelease.bundle import verify
from synthrelease.reports.public_report import write_report

_INLINE = {"a", "strong", "span", "code"}  # what does not part words
_CELLS = {"td", "th", "dd"}  # what stands beside what is before it
_UNSEEN = {"script", "style", "template", "title"}
_VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Page:
    """Elements in their order, the text that is seen, the same in lines, the embedded manifest, and the script with what it adds."""

    source: str
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    lines: str = ""
    data: str = ""
    script: str = ""
    controls: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of every element of a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    def texts(self, tag: str, kind: str = "") -> list[str]:
        """Texts of every element of a tag, or of those of a class."""
        return [
            re.sub(r"\s+", " ", text).strip()
            for (name, attributes), text in zip(self.elements, self.seen, strict=True)
            if name == tag and (not kind or kind in (attributes.get("class") or "").split())
        ]

    @property
    def headings(self) -> list[int]:
        """Levels of the headings, in order."""
        return [int(tag[1]) for tag, _ in self.elements if re.fullmatch(r"h[1-6]", tag)]


class _Parser(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__(convert_charrefs=True)
        self.page, self.open, self.numbers = page, [], []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute of {tag} stands twice"
        attributes = dict(attrs)
        if "template" in self.open:
            self.page.controls.append((tag, attributes))
            if tag not in _VOID:
                self.open.append(tag)
            return
        self.page.elements.append((tag, attributes))
        self.page.seen.append("")
        self.page.text += "" if tag in _INLINE else " "
        self._part(tag)
        if tag == "img" or attributes.get("role") == "img":
            self.page.lines += f"[{attributes.get('alt') or attributes['aria-label']}]\n"
        if re.fullmatch(r"h[1-6]", tag):
            self.page.lines += f"\n{'#' * int(tag[1])} "
        if tag not in _VOID:
            self.open.append(tag)
            self.numbers.append(len(self.page.elements) - 1)

    def handle_endtag(self, tag):
        assert self.open, f"{tag} is closed and was not open"
        assert self.open[-1] == tag, f"{tag} is closed inside {self.open[-1]}"
        self.open.pop()
        if "template" in self.open:
            return
        self.numbers.pop()
        if tag not in _CELLS:
            self._part(tag)

    def handle_data(self, data):
        if "script" in self.open:
            if self.page.all("script")[-1]:
                self.page.data += data
            else:
                self.page.script += data
        elif not _UNSEEN & set(self.open):
            self.page.text += data
            self.page.lines += data if "pre" in self.open else re.sub(r"\s+", " ", data)
            for number in self.numbers:
                self.page.seen[number] += data

    def _part(self, tag):
        parted = self.page.lines.endswith(("\n", "\t"))
        if tag not in _INLINE | {"dt"} and not parted:
            self.page.lines += "\t" if tag in _CELLS else "\n"
        for number in self.numbers if tag not in _INLINE else ():
            self.page.seen[number] += " "


def parsed(source: str) -> Page:
    """Read a page; AssertionError where elements do not close as they open."""
    page = Page(source)
    parser = _Parser(page)
    parser.feed(source)
    parser.close()
    assert parser.open == [], parser.open
    page.text = re.sub(r"\s+", " ", page.text)
    page.lines = _tidy(page.lines)
    return page


def _tidy(text: str) -> str:
    """Lines without what only markup put there; cells of a row are parted by a bar."""
    lines = [re.sub(r"\s*\t\s*", " | ", line.strip()) for line in text.splitlines()]
    return "\n".join(line for line in lines if line)


def check_form(page: Page, embedded: str) -> None:
    """One file: nothing is loaded, its one script runs by its hash and no other, a screen reader finds its way, and programs the element that is embedded.

    Controls are where only the script finds them: without it none is seen.
    """
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"iframe", "object", "embed", "form", "audio", "video", "base", "button"}
    # Switches that styles follow: nothing is sent anywhere.
    assert {attributes["type"] for attributes in page.all("input")} <= {"radio"}
    assert page.all("script") == [{"type": "application/json", "id": embedded}, {}]
    assert page.all("template") == [{"id": "answers"}]
    for tag, attributes in (*page.elements, *page.controls):
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:", "#")), value
        if tag == "link":
            assert attributes == {"rel": "icon", "href": "data:,"}
    policy = next(meta for meta in page.all("meta") if "http-equiv" in meta)["content"]
    assert (
        policy
        == (
            f"default-src 'none'; script-src 'sha256-{_digest(page.script)}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"  # not a sentence: a policy
        )
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


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


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
