"""The site is built without a warning, all its links lead somewhere, and it fetches nothing from anyone."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from documented import ROOT


@dataclass
class Links(HTMLParser):
    """What a page links to, what a browser fetches for it, and the places in it that others can link to."""

    linked: set[str] = field(default_factory=set)
    fetched: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)

    def __post_init__(self):
        super().__init__()

    def handle_starttag(self, tag, attributes):
        """Note what a tag refers to."""
        told = dict(attributes)
        self.places |= {told[name] for name in ("id", "name") if told.get(name)}
        if tag == "a" and told.get("href"):
            self.linked.add(told["href"])
        if tag == "link" and told.get("href"):
            self.fetched.add(told["href"])
        if told.get("src"):
            self.fetched.add(told["src"])


def links_of(page):
    links = Links()
    links.feed(page.read_text("utf-8"))
    return links


def faults_of(folder):
    """Return every link that leads nowhere, and whatever would be fetched from elsewhere."""
    pages = {page.resolve(): links_of(page) for page in folder.rglob("*.html")}
    faults = []
    for page, links in pages.items():
        for target in links.linked | links.fetched:
            path, place = urldefrag(target)
            if urlsplit(target).scheme or target.startswith("//"):
                if target in links.fetched or not target.startswith(("https://", "mailto:")):
                    faults.append(f"{page.relative_to(folder)} -> {target}")
                continue
            found = (page.parent / unquote(urlsplit(path).path)).resolve() if path else page
            if not found.is_file() or (
                found in pages and place and unquote(place) not in pages[found].places
            ):
                faults.append(f"{page.relative_to(folder)} -> {target}")
    return faults


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = (tmp_path_factory.mktemp("site") / "site").resolve()
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [ROOT / "scripts" / "site", folder],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | path,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


@pytest.mark.thorough
def test_every_link_leads_somewhere_and_nothing_is_fetched_from_elsewhere(site):
    assert len(list(site.rglob("*.html"))) > len(list(ROOT.glob("docs/**/*.md")))
    assert not faults_of(site)


def test_dead_links_are_seen(tmp_path):
    (tmp_path / "page.html").write_text(
        '<a href="other.html#there">1</a><a href="other.html#gone">2</a><a href="gone.html">3</a><a href="#gone">4</a>'
        '<script src="https://elsewhere.example/x.js"></script><a href="https://example.org">5</a><a href="http://example.org">6</a>'
    )
    (tmp_path / "other.html").write_text('<p id="there"></p>')
    assert sorted(fault.split(" -> ")[1] for fault in faults_of(tmp_path.resolve())) == [
        "#gone",
        "gone.html",
        "http://example.org",
        "https://elsewhere.example/x.js",
        "other.html#gone",
    ]
