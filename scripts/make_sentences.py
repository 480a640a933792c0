#!/usr/bin/env python3
"""Write tests/golden/sentences, which has every sentence that the package can print; with --check, exit 1 if that would change it.

One file for each room of the package, so that all that it says to people can be read, and reviewed, as text. What a program fills in stands in braces.
Tests compare codes, fields and places, so that who improves a sentence changes the sentence and its line here.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, TARGET = ROOT / "synthrelease", ROOT / "tests" / "golden" / "sentences"
_WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}")


def main() -> int:
    """Write or check the files."""
    wanted = {f"{room}.txt": text for room, text in rooms().items()}
    found = {file.name: file.read_text("utf-8") for file in TARGET.glob("*.txt")}
    if "--check" in sys.argv:
        changed = [name for name in {*wanted, *found} if wanted.get(name) != found.get(name)]
        if changed:
            print(
                f"run scripts/make_sentences.py, and read what changed: {', '.join(sorted(changed))}",
                file=sys.stderr,
            )
        return int(bool(changed))
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in {*found} - {*wanted}:
        (TARGET / name).unlink()
    for name, text in wanted.items():
        (TARGET / name).write_text(text, "utf-8")
    return 0


def rooms() -> dict[str, str]:
    """Return the text of every file, by the room."""
    texts: dict[str, list[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        own = list(sentences(ast.parse(file.read_text("utf-8"))))
        if own:
            parts = file.relative_to(PACKAGE).with_suffix("").parts
            room = parts[0] if len(parts) > 1 else "top"
            texts.setdefault(room, []).append("\n".join([f"# {'/'.join(parts)}", *own]))
    return {room: "\n\n".join(files) + "\n" for room, files in texts.items()}


def sentences(tree: ast.Module) -> Iterator[str]:
    """Yield texts of two words or more, in the order of the file; docstrings only where they are the help of a command."""
    texts = [*_texts(tree, _docstrings(tree))]
    for _, text in sorted(texts, key=lambda one: one[0]):
        yield text.strip("\n").replace("\n", "\\n")


def _texts(node: ast.AST, docstrings: dict[ast.AST, bool]) -> Iterator[tuple[tuple[int, int], str]]:
    if node in docstrings and not docstrings[node]:
        return
    if isinstance(node, ast.JoinedStr | ast.Constant) or _is_call(node, "Remedy"):
        text = _text(node)
        if _WORDS.search(re.sub(r"\{[^{}]*\}", "", text)):
            yield (node.lineno, node.col_offset), text
        children = [part.value for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
    else:
        children = list(ast.iter_child_nodes(node))
    for child in children:
        yield from _texts(child, docstrings)


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if _is_call(node, "Remedy"):  # its text is in parts: arguments are spelt by who prints them
        return "".join(map(_text, node.args))
    if not isinstance(node, ast.JoinedStr):
        return f"{{{ast.literal_eval(node.args[0])}}}" if _is_call(node, "Argument") else "{…}"
    parts = (
        str(part.value) if isinstance(part, ast.Constant) else f"{{{_name(part)}}}" for part in node.values
    )
    return "".join(parts)


def _name(part: ast.expr) -> str:
    """What stands in the place of a value: its expression, if that is a name; else no more than that there is one."""
    value = part.value if isinstance(part, ast.FormattedValue) else part
    return ast.unparse(value) if isinstance(value, ast.Name | ast.Attribute) else "…"


def _docstrings(tree: ast.Module) -> dict[ast.AST, bool]:
    """Return the nodes of docstrings, and of texts that stand as a statement, and whether they are the help of a command."""
    found: dict[ast.AST, bool] = {}
    for node in ast.walk(tree):
        decorators = getattr(node, "decorator_list", [])
        is_command = any("command(" in ast.unparse(one) or "group(" in ast.unparse(one) for one in decorators)
        for number, statement in enumerate(
            getattr(node, "body", []) if not isinstance(node, ast.Lambda | ast.IfExp) else []
        ):
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                found[statement.value] = is_command and number == 0
    return found


if __name__ == "__main__":
    sys.exit(main())
