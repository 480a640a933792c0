"""Which tests run which statement: in a copy of the checkout a probe stands before it, and notes the test that comes by.

Pytest loads this file as a plugin (`-p testing.probes`), the probes import it: wherever Python finds the folder `scripts`.
"""

from __future__ import annotations

import ast
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

NOTES = "SYNTHRELEASE_PROBES_NOTE_IN"  # environment variable: a folder
ORDER = "SYNTHRELEASE_TESTS_IN_ORDER"  # environment variable: a JSON file with names of tests; no other one is run
_SECONDS = "seconds.json"
_PROBE = """
try:
    __import__("testing.probes", fromlist=["note"]).note({name!r})
except ImportError:
    pass
"""
_noted: set[tuple[str, str]] = set()


def with_probes(source: str, lines: Mapping[str, int]) -> str:
    """Return a module's source with a probe before the innermost statement of each line, by name; of a function's head, inside it.

    A probe outside of functions notes no test.
    """
    tree = ast.parse(source)
    bodies = [
        body
        for node in ast.walk(tree)
        for part in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, part, None), list)
    ]
    before = []
    for name, line in lines.items():
        holding = [(body, one) for body in bodies for one in body if _first(one) <= line <= one.end_lineno]
        body, statement = min(holding, key=lambda place: place[1].end_lineno - _first(place[1]))
        if isinstance(statement, ast.FunctionDef):
            body = statement.body
            statement = body[ast.get_docstring(statement) is not None and len(body) > 1]
        before.append((body, statement, ast.parse(_PROBE.format(name=name)).body[0]))
    for body, statement, probe in before:
        body.insert(body.index(statement), probe)
    return ast.unparse(ast.fix_missing_locations(tree))


def _first(statement: ast.stmt) -> int:
    return min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])


def note(name: str) -> None:
    """Note that the test that runs now, or has started this process, came by a probe."""
    test, folder = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0], os.environ.get(NOTES)
    if folder and test and (name, test) not in _noted:
        _noted.add((name, test))
        with (Path(folder) / f"{os.getpid()}.txt").open("a", encoding="utf-8") as notes:
            notes.write(json.dumps([name, test]) + "\n")


def tests_by_probe(folder: Path) -> dict[str, list[str]]:
    """Return the tests that came by each probe, the quickest first."""
    seconds = json.loads((folder / _SECONDS).read_text("utf-8"))
    found: dict[str, set[str]] = defaultdict(set)
    for file in folder.glob("*.txt"):
        for line in file.read_text("utf-8").splitlines():
            name, test = json.loads(line)
            found[name].add(test)
    return {
        name: sorted(tests & seconds.keys(), key=lambda test: (seconds[test], test))
        for name, tests in found.items()
    }


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of `ORDER`, in its order."""
    if ORDER in os.environ:
        place = {name: n for n, name in enumerate(json.loads(Path(os.environ[ORDER]).read_text("utf-8")))}
        items[:] = sorted((one for one in items if one.nodeid in place), key=lambda one: place[one.nodeid])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write down how long each test took."""
    if NOTES in os.environ:
        seconds: dict[str, float] = defaultdict(float)
        for one in (report for reports in terminalreporter.stats.values() for report in reports):
            if isinstance(one, pytest.TestReport):
                seconds[one.nodeid] += one.duration
        (Path(os.environ[NOTES]) / _SECONDS).write_text(json.dumps(seconds), "utf-8")
