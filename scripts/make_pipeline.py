#!/usr/bin/env python3
"""Draw how recordings become a release that anyone can verify, docs/images/pipeline.svg; --check compares instead.

Narrow and upright, so that its letters can be read on a phone. It brings its own ground and follows light and dark, in the colours of reports.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "pipeline.svg"
STYLE = ROOT / "synthrelease" / "reports" / "templates" / "style.css"
WIDTH, PAD, INSIDE = 400, 10, 14  # px
_BOX, _GAP, _HEAD = 58, 26, 30  # heights: of a step, between two, and of a zone's heading
_TITLE, _TEXT, _CODE = 16, 13, 13  # sizes of letters
_WIDEST = 0.62  # of their size: the mean width of letters of the widest usual font
_COLOURS = (
    "paper",
    "card",
    "ink",
    "soft",
    "line",
    "accent",
    "accent-soft",
    "amber",
    "amber-soft",
    "amber-line",
)


@dataclass(frozen=True)
class Step:
    """A box."""

    title: str
    text: str  # what is done, or what it is
    command: str = ""  # of synthrelease, that does it


@dataclass(frozen=True)
class Zone:
    """Steps that one kind of people sees."""

    name: str  # of its classes
    heading: str
    steps: tuple[Step, ...]


ZONES = (
    Zone(
        "private",
        "With the curator",
        (
            Step("Recordings", "private: gaze, pupils, features"),
            Step("Plan", "what to release, and ε per person", "init, preview"),
            Step("Noise", "bounded contributions, exact noise", "build"),
        ),
    ),
    Zone(
        "public",
        "Public: for anyone",
        (
            Step("Bundle", "noisy values, and what they guarantee", "report, export"),
            Step("Verify", "claims recomputed without your data", "verify"),
        ),
    ),
)
DESCRIPTION = (
    "From top to bottom. With the curator: recordings, which stay private; a plan that says what to release, and ε per person (commands init and preview); exact noise on "
    "bounded contributions (build). Public, for anyone: the bundle with noisy values and what they guarantee (report, export); and verify, which recomputes its claims "
    "without the data."
)


def picture() -> str:
    """Return the picture."""
    drawn: list[str] = []
    top, before = float(PAD), None
    for zone in ZONES:
        height = _HEAD + len(zone.steps) * (_BOX + _GAP) - _GAP + INSIDE
        drawn.append(
            f'<rect class="zone {zone.name}" x="{PAD}" y="{top:g}" width="{WIDTH - 2 * PAD}" height="{height}" rx="8"/>'
        )
        drawn.append(
            _text("heading", PAD + INSIDE, top + 20, zone.heading, _TEXT, room=WIDTH - 2 * (PAD + INSIDE))
        )
        at = top + _HEAD
        for step in zone.steps:
            if before is not None:
                drawn.append(_arrow(before, at))
            drawn += _step(step, at)
            before = at + _BOX
            at += _BOX + _GAP
        top += height + _GAP
    height = top - _GAP + PAD
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" role="img" '
        'aria-labelledby="title description" font-family="Verdana, DejaVu Sans, sans-serif">'
    )
    words = f'<title id="title">From recordings to a release that anyone can verify</title>\n<desc id="description">{escape(DESCRIPTION)}</desc>'
    ground = '<rect class="ground" width="100%" height="100%" rx="10"/>'
    return "\n".join([head, words, f"<style>{_style()}</style>", ground, *drawn, "</svg>\n"])


def _step(step: Step, top: float) -> list[str]:
    x, width = PAD + INSIDE, WIDTH - 2 * (PAD + INSIDE)
    room = width - 2 * INSIDE
    of_command = len(step.command) * _CODE * _WIDEST
    parts = [
        f'<rect class="box" x="{x}" y="{top:g}" width="{width}" height="{_BOX}" rx="6"/>',
        _text("title", x + INSIDE, top + 24, step.title, _TITLE, room=room - of_command),
        _text("text", x + INSIDE, top + 45, step.text, _TEXT, room=room),
    ]
    if step.command:
        parts.append(_text("code", x + width - INSIDE, top + 23, step.command, _CODE, room=room))
    return parts


def _text(name: str, x: float, y: float, words: str, size: int, *, room: float) -> str:
    if len(words) * size * _WIDEST > room:
        raise ValueError(f"Expected text that fits into {room:g} px, found {words!r}")
    return f'<text class="{name}" x="{x:g}" y="{y:g}" font-size="{size}">{escape(words)}</text>'


def _arrow(start: float, end: float) -> str:
    middle = WIDTH / 2
    return f'<path class="arrow" d="M{middle:g} {start + 2:g}V{end - 3:g}M{middle - 5:g} {end - 9:g}L{middle:g} {end - 3:g}L{middle + 5:g} {end - 9:g}"/>'


def _style() -> str:
    """Styles, with the colours of reports by day and by night."""
    light, dark = re.findall(r":root \{(.*?)\}", STYLE.read_text("utf-8"), re.DOTALL)
    rules = (
        ".ground{fill:var(--paper)}.zone{stroke:var(--line)}.private{fill:var(--amber-soft);stroke:var(--amber-line)}.public{fill:var(--accent-soft);stroke:var(--accent)}"
        ".box{fill:var(--card);stroke:var(--line)}.title{fill:var(--ink);font-weight:700}.text{fill:var(--ink)}.heading{fill:var(--ink);font-weight:700}"
        ".code{fill:var(--accent);font-family:DejaVu Sans Mono,Menlo,Consolas,monospace;text-anchor:end}.arrow{fill:none;stroke:var(--ink);stroke-width:2}"
    )
    return (
        f"svg{{{_variables(light)}}}@media (prefers-color-scheme: dark){{svg{{{_variables(dark)}}}}}{rules}"
    )


def _variables(block: str) -> str:
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    return ";".join(f"--{name}:{colours[name]}" for name in _COLOURS)


def main() -> int:
    """Write, or compare."""
    wanted = picture()
    if "--check" in sys.argv[1:]:
        if PICTURE.exists() and PICTURE.read_text("utf-8") == wanted:
            return 0
        print(f"{PICTURE.relative_to(ROOT)} is not what scripts/make_pipeline.py writes", file=sys.stderr)
        return 1
    PICTURE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
