"""The performance book: every benchmark in a process of its own, and the page of their results."""

from __future__ import annotations

import datetime as dt
import importlib
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks._limits import Limits, measure_limits
from benchmarks._measure import alone
from benchmarks._report import NEAR, Report, print_report, rounded

# As the table of speeds to reach has them; after them what has no row there.
ORDER = (
    "noise",
    "deniability",
    "deniability-on-disk",
    "heatmap",
    "samples",
    "caps",
    "signals",
    "verify",
    "first-contact",
    "batch",
    "statistics",
    "people",
    "scanpaths",
    "scale",
)
COMPARISONS = ("people-peers", "studio", "user")
"""Benchmarks with options of their own, which need data or hours: no part of the book."""
DETAILED = ("noise", "scale")
"""Benchmarks whose tables are on the page: of the others the summary has the largest size, and `scripts/bench NAME` prints the rest."""
QUICK = "A quick run, to see that it works: sizes are smaller than the rows say, and targets do not count."
_WRITTEN = (
    "Written by `scripts/bench all`, never by hand; measured on {day}, all in one run. `scripts/bench NAME` prints the tables behind a "
    "row. Ratios carry over to your machine better than seconds do."
)
_COLUMNS = (
    "*Growth*: exponents b of size^b for time and memory, by least squares. *Limit*: the least time of the binding resource, measured "
    "in the same run; 3 times its limit means three times as long as that resource takes."
)
HEAD = ("work", "measured (target)", "peers", "growth", "limit", "times its limit")


def measured(names: Sequence[str], *, quick: bool) -> tuple[Limits, dict[str, Report]]:
    """Measure the machine's limits, then run benchmarks, and print each report as it comes.

    Raises:
        SynthReleaseError: this machine lacks something that one of them needs.
    """
    limits = alone(measure_limits, quick=quick)
    reports = {}
    for name in names:
        reports[name] = alone(_run, name, limits, quick=quick)
        print(f"── {name} ──")
        print_report(reports[name])
        print(flush=True)
    if quick:
        print(f"{QUICK}\n")
    return limits, reports


def exit_code(reports: Iterable[Report], *, quick: bool) -> int:
    """Return 1 if a target was missed or answers differ; of a quick run only answers count."""
    return 0 if all(report.agreed if quick else report.met for report in reports) else 1


def page(limits: Limits, reports: Mapping[str, Report], day: dt.date, *, quick: bool = False) -> str:
    """Return docs/evidence/performance.md; that of a quick run says that its figures do not count."""
    packages = sorted({package for report in reports.values() for package in report.packages})
    parts = [
        "# Performance",
        _WRITTEN.format(day=day) + (f" **{QUICK}**" if quick else ""),
        _machine(packages),
        "## Summary",
        _COLUMNS,
        _markdown(HEAD, [_summary(report) for report in reports.values()]),
        _missed(reports.values()),
        "## Limits of this machine",
        "\n".join(f"* {what}: {much} {unit}" for what, much, unit in limits.table()),
        "## More than twice the limit: why",
        "\n".join(
            f"* `{name}` (× {rounded(report.from_limit)}): {report.why}"
            for name, report in reports.items()
            if report.from_limit > NEAR
        ),
    ]
    for name, report in reports.items():
        if name not in DETAILED:
            continue
        parts.append(f"## `scripts/bench {name}`")
        for section in report.sections:
            if not section.on_page:
                continue
            parts += [section.before, _markdown(section.head, section.rows)]
            parts += [section.after] if section.after else []
    return "\n\n".join(parts) + "\n"


def _run(name: str, limits: Limits, *, quick: bool) -> Report:
    report: Report = importlib.import_module(f"benchmarks.{name.replace('-', '_')}").run(limits, quick=quick)
    return report


def _summary(report: Report) -> list[str]:
    return [
        report.work,
        "; ".join(map(str, report.figures)) + ("" if report.agreed else "; answers DIFFER"),
        "; ".join(map(str, report.peers)) or "–",
        str(report.growth) if report.growth else "–",
        f"{report.limit.what}: {report.limit.seconds:.3g} s",
        rounded(report.from_limit),
    ]


def _missed(reports: Iterable[Report]) -> str:
    missed = [report.work for report in reports if not report.met]
    return "Missed: " + "; ".join(missed) + "." if missed else "All targets are met."


def _machine(packages: Sequence[str]) -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return (
        f"{os.cpu_count()} processors ({_processor()}), {memory:.0f} GiB of memory, {platform.system()}, "
        f"Python {platform.python_version()}, synthrelease {version('synthrelease')}, {versions}."
    )


def _processor() -> str:
    """The processor's name as the kernel has it, or else its kind."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
