"""Which test files a change can reach: read from the imports in the source; nothing is run."""

from __future__ import annotations

import ast
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path

_FOLDERS = ("synthrelease", "tests", "scripts")
_OF_ALL_TESTS = ("pyproject.toml", ".ci/run", "scripts/test", "tests/tiers.py")
_DOCUMENTS = (".md", ".svg", ".png")


def changed_files(root: Path, since: str) -> list[str]:
    """Return the files that differ from a commit, and those that git does not know, relative to the checkout."""
    listed = []
    for command in (["diff", "--name-only", since, "--"], ["ls-files", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", *command], cwd=root, check=True, capture_output=True, text=True)
        listed += done.stdout.splitlines()
    return sorted(set(listed))


def tests_of(root: Path, changed: list[str]) -> list[str]:
    """Return the test files that a change can reach, those named like a changed file first.

    A Python file reaches what imports it, through however many modules, and a `conftest.py` with its fixtures what
    asks for one of these. A document reaches the tests of documentation; any other file reaches the Python files
    beside it and those that name it.
    """
    modules = {path: _Module(root, path) for folder in _FOLDERS for path in _python_files(root / folder)}
    tests = {path for path in modules if path.name.startswith("test_")}
    reached: set[Path] = set()
    for name in changed:
        path = root / name
        if name in _OF_ALL_TESTS or path.name == "conftest.py" or name.startswith("scripts/testing/"):
            return _sorted(root, tests, changed)
        if path in modules:
            reached.add(path)
        elif path.suffix in _DOCUMENTS:
            reached |= {
                one
                for one in modules
                if one.parent.name == "documentation" or path.name in modules[one].source
            }
        else:
            reached |= {
                one for one in modules if one.parent == path.parent or path.name in modules[one].source
            }
    users: dict[Path, set[Path]] = {}
    names = {module.name: path for path, module in modules.items()}
    for path, module in modules.items():
        for used in (*module.imported(names), *module.fixtures_from(modules)):
            users.setdefault(used, set()).add(path)
    waiting = list(reached)
    while waiting:
        new = users.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return _sorted(root, reached & tests, changed)


class _Module:
    """A Python file, and what it uses."""

    def __init__(self, root: Path, path: Path) -> None:
        parts = list(path.relative_to(root).with_suffix("").parts)
        if parts[0] in ("tests", "scripts"):  # which are put on the path as they are
            parts = parts[1:]
        self.path = path
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.source = path.read_text("utf-8")

    @functools.cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(ast.parse(self.source)))

    def imported(self, names: dict[str, Path]) -> Iterator[Path]:
        """Yield the files of all modules that it imports, at its top or later, and of those that it names in a string."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node)
                wanted = [f"{base}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Constant) and node.value in names:
                wanted = [str(node.value)]
            else:
                continue
            for name in wanted:
                yield from _files_of(name, names)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        parts = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def fixtures_from(self, modules: dict[Path, _Module]) -> Iterator[Path]:
        """Yield each `conftest.py` above it that has a fixture with the name of one of its arguments."""
        if not self.path.name.startswith(("test_", "conftest")):
            return
        arguments = {node.arg for node in self.nodes if isinstance(node, ast.arg)}
        for folder in self.path.parents:
            known = modules.get(folder / "conftest.py")
            if known is not None and known is not self and arguments & known.functions:
                yield known.path

    @functools.cached_property
    def functions(self) -> set[str]:
        return {node.name for node in self.nodes if isinstance(node, ast.FunctionDef)}


def _files_of(name: str, names: dict[str, Path]) -> Iterator[Path]:
    """Yield the file of a module and of the packages around it, but for the outermost, which imports nothing by itself."""
    parts = name.split(".")
    known = [one for end in range(1, len(parts) + 1) if (one := ".".join(parts[:end])) in names]
    for one in known:
        if "." in one or one == known[-1]:
            yield names[one]


def _python_files(folder: Path) -> Iterator[Path]:
    yield from folder.rglob("*.py")
    for path in folder.glob("*") if folder.name == "scripts" else ():
        if path.is_file() and path.read_text("utf-8").startswith("#!/usr/bin/env python3"):
            yield path


def _sorted(root: Path, paths: set[Path], changed: list[str]) -> list[str]:
    first = {f"test_{Path(name).stem}.py" for name in changed}
    names = (path.relative_to(root).as_posix() for path in paths)
    return sorted(names, key=lambda name: (Path(name).name not in first, name))
