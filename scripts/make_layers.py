#!/usr/bin/env python3
"""Draw the layers of the package, and list them in docs/contribute/architecture.md; --check compares instead.

Both are made of the list that tests/unit/test_layers.py holds the imports against.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from layers import LAYERS, Layer  # noqa: E402  this checkout's

PAGE, PICTURE = ROOT / "docs" / "contribute" / "architecture.md", ROOT / "docs" / "images" / "layers.svg"
BEGIN, END = "<!-- layers: scripts/make_layers.py -->\n", "<!-- end of layers -->\n"
WIDTH, PAD, ROOM, LINE = 400, 8, 6, 34  # px; between boxes; a line of boxes
_LETTER = 9.0  # width of one at 14 px, of the widest usual font
_FILLS = ("#e8eef7", "#f6efe2")


def listed() -> str:
    """Return the list, the highest layer first."""
    width = max(len(_called(layer)) for layer in LAYERS) + 2
    lines = [f"    {_called(layer):{width}}{layer.what}\n" for layer in reversed(LAYERS)]
    return f"{BEGIN}\n{''.join(lines)}\n{END}"


def _called(layer: Layer) -> str:
    folder = (ROOT / "synthrelease" / layer.name).is_dir()
    return layer.name + ("/" if folder else ".py")


def picture() -> str:
    """Return the picture: a storey above another one may use it; within one, whoever stands further right and above."""
    storeys = [(name, list(group)) for name, group in itertools.groupby(LAYERS, lambda layer: layer.storey)]
    drawn: list[str] = []
    top = PAD
    for number, (storey, layers) in reversed(list(enumerate(storeys))):
        lines = _lines(layers)
        height = 22 + LINE * len(lines) + 2
        drawn.append(
            f'<rect x="{PAD}" y="{top}" width="{WIDTH - 2 * PAD}" height="{height}" rx="6" fill="{_FILLS[number % 2]}"/>'
        )
        drawn.append(f'<text x="{2 * PAD}" y="{top + 16}" font-size="13" fill="#555">{storey}</text>')
        for row, line in enumerate(reversed(lines)):
            x = 2.0 * PAD
            y = top + 22 + LINE * row
            for layer in line:
                wide = _wide(layer)
                drawn.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="28" rx="4" fill="#fff" stroke="#345"/>'
                )
                drawn.append(
                    f'<text x="{x + wide / 2:.1f}" y="{y + 19}" text-anchor="middle" fill="#123">{layer.name}</text>'
                )
                x += wide + ROOM
        top += height + 4
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + PAD}" width="{WIDTH}" height="{top + PAD}" '
        'font-family="Verdana, DejaVu Sans, sans-serif" font-size="14" role="img">'
    )
    title = "<title>The layers of synthrelease: each imports from those below it alone</title>"
    return "\n".join([head, title, '<rect width="100%" height="100%" fill="#fff"/>', *drawn, "</svg>\n"])


def _wide(layer: Layer) -> float:
    return _LETTER * len(layer.name) + 14


def _lines(layers: list[Layer]) -> list[list[Layer]]:
    """Boxes side by side, the lowest first, as many as there is room for."""
    lines: list[list[Layer]] = [[]]
    for layer in layers:
        if sum(_wide(one) + ROOM for one in [*lines[-1], layer]) > WIDTH - 4 * PAD + ROOM:
            lines.append([])
        lines[-1].append(layer)
    return lines


def main() -> int:
    """Write, or compare."""
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    wanted = {PAGE: before + listed() + rest.split(END)[1], PICTURE: picture()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what scripts/make_layers.py writes", file=sys.stderr)
        return int(bool(stale))
    for path in stale:
        path.write_text(wanted[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
