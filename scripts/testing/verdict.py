"""What passed, what failed, and what was skipped for which reason: the last line of a run."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Verdict:
    """Names of what passed and failed, and how many tests were skipped by reason."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, *, ok: bool) -> None:
        """Note how something ended that is no test."""
        (self.passed if ok else self.failed).append(name)

    def add_tests(self, report: Path, exit_code: int) -> None:
        """Note how tests ended: `report` is pytest's JUnit file, which is missing where pytest could not begin."""
        passed = failed = 0
        if report.is_file():
            for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314
                skipped = case.find("skipped")
                if case.find("failure") is not None or case.find("error") is not None:
                    failed += 1
                elif skipped is None:
                    passed += 1
                else:
                    self.skipped[skipped.get("message", "")] += 1
        if passed or not failed:
            self.passed.append(_counted(passed))
        if failed:
            self.failed.append(_counted(failed))
        elif exit_code:
            self.failed.append(f"pytest (exit code {exit_code})")

    def line(self, seconds: float) -> str:
        """Return all of it in one line."""
        reasons = "; ".join(f"{_counted(number)}, {reason}" for reason, number in self.skipped.most_common())
        parts = {"passed": ", ".join(self.passed), "failed": ", ".join(self.failed), "skipped": reasons}
        told = " · ".join(f"{name}: {text or 'none'}" for name, text in parts.items())
        return f"{told} · {int(seconds) // 60} min {int(seconds) % 60} s"


def _counted(number: int) -> str:
    return f"{number} test{'' if number == 1 else 's'}"
