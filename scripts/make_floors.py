#!/usr/bin/env python3
"""Draw the floors of the package, and list them in docs/architecture.md; --check compares instead.

Both are made of the list that tests/unit/test_floors.py holds the imports against.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from floors import FLOORS, Floor  # noqa: E402  this checkout's

PAGE, PICTURE = ROOT / "docs" / "architecture.md", ROOT / "docs" / "images" / "floors.svg"
BEGIN, END = "<!-- floors: scripts/make_floors.py -->\n", "<!-- end of floors -->\n"
WIDTH, PAD, ROOM, LINE = 400, 8, 6, 34  # px; between boxes; a line of boxes
_LETTER = 9.0  # width of one at 14 px, of the widest usual font
_FILLS = ("#e8eef7", "#f6efe2")


def listed() -> str:
    """Return the list, the highest floor first."""
    width = max(len(_called(floor)) for floor in FLOORS) + 2
    lines = [f"    {_called(floor):{width}}{floor.what}\n" for floor in reversed(FLOORS)]
    return f"{BEGIN}\n{''.join(lines)}\n{END}"


def _called(floor: Floor) -> str:
    folder = (ROOT / "synthrelease" / floor.name).is_dir()
    return floor.name + ("/" if folder else ".py")


def picture() -> str:
    """Return the picture: a storey above another one may use it; within one, whoever stands further right and above."""
    storeys = [(name, list(group)) for name, group in itertools.groupby(FLOORS, lambda floor: floor.storey)]
    drawn: list[str] = []
    top = PAD
    for number, (storey, floors) in reversed(list(enumerate(storeys))):
        lines = _lines(floors)
        height = 22 + LINE * len(lines) + 2
        drawn.append(
            f'<rect x="{PAD}" y="{top}" width="{WIDTH - 2 * PAD}" height="{height}" rx="6" fill="{_FILLS[number % 2]}"/>'
        )
        drawn.append(f'<text x="{2 * PAD}" y="{top + 16}" font-size="13" fill="#555">{storey}</text>')
        for row, line in enumerate(reversed(lines)):
            x = 2.0 * PAD
            y = top + 22 + LINE * row
            for floor in line:
                wide = _wide(floor)
                drawn.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="28" rx="4" fill="#fff" stroke="#345"/>'
                )
                drawn.append(
                    f'<text x="{x + wide / 2:.1f}" y="{y + 19}" text-anchor="middle" fill="#123">{floor.name}</text>'
                )
                x += wide + ROOM
        top += height + 4
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + PAD}" width="{WIDTH}" height="{top + PAD}" '
        'font-family="Verdana, DejaVu Sans, sans-serif" font-size="14" role="img">'
    )
    title = "<title>The floors of synthrelease: each imports from those below it alone</title>"
    return "\n".join([head, title, '<rect width="100%" height="100%" fill="#fff"/>', *drawn, "</svg>\n"])


def _wide(floor: Floor) -> float:
    return _LETTER * len(floor.name) + 14


def _lines(floors: list[Floor]) -> list[list[Floor]]:
    """Boxes side by side, the lowest first, as many as there is room for."""
    lines: list[list[Floor]] = [[]]
    for floor in floors:
        if sum(_wide(one) + ROOM for one in [*lines[-1], floor]) > WIDTH - 4 * PAD + ROOM:
            lines.append([])
        lines[-1].append(floor)
    return lines


def main() -> int:
    """Write, or compare."""
    page = PAGE.read_text("utf-8")
    before, rest = page.split(BEGIN)
    wanted = {PAGE: before + listed() + rest.split(END)[1], PICTURE: picture()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what scripts/make_floors.py writes", file=sys.stderr)
        return int(bool(stale))
    for path in stale:
        path.write_text(wanted[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
