"""What the documentation shows, page by page: code, commands, and what they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")]
)
COMMANDS = "commands"  # an indented block of them
_REMARK = re.compile(r"<!-- *(before|not run): *(.*?) *-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """Something that a page shows as code.

    Attributes:
        page: where it stands.
        line: its first line there, the page's first being 1.
        language: as the page says it; `COMMANDS` if it is indented and begins with `synthrelease`.
        text: what it says.
        before: commands that no reader sees and that it takes for granted.
        not_run: why it cannot be run by a test; empty if it can.
    """

    page: Path
    line: int
    language: str
    text: str
    before: str = ""
    not_run: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for a person."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return what a page shows as code, in its order; what a directive of the site's has in it is none."""
    found, remarks = [], {}
    for token in MarkdownIt("commonmark").parse(page.read_text("utf-8")):
        if token.type == "html_block":
            remarks |= dict(_REMARK.findall(token.content))
            continue
        if token.type not in ("fence", "code_block") or token.info.startswith("{"):
            continue
        language = token.info.split()[0] if token.info else ""
        if token.type == "code_block":
            language = COMMANDS if token.content.startswith("synthrelease ") else "text"
        before, not_run = remarks.pop("before", ""), remarks.pop("not run", "")
        line = (token.map or [0])[0] + (token.type == "fence")
        found.append(Block(page, line + 1, language, token.content, before, not_run))
    assert not remarks, f"{page}: a remark without a block: {remarks}"
    return found
