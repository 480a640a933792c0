"""Faults planted in the package, one by one: every detector of each must raise the alarm, and none without a fault.

The same detectors run with the fault and without. docs/evidence/audit.md lists them; `scripts/audit --faults` prints what they report.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from auditing.faults import ASKED_FOR, FAULTS, detectors
from auditing.planting import Fault, everywhere
from auditing.tables import fault_rows
from goldens import figures

ROOT = Path(__file__).parent.parent.parent
# Random plans and releases one by one are tried without a fault elsewhere in the quick tier, too (`contract/plans`, `test_audit`).
TRIED_ELSEWHERE = ("plans where", "audit of", "noise of rounds", "bundle of", "lengths of vectors")


def _marks(*, thorough: bool) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.thorough,) if thorough else ()


# Seconds each. What a planted fault proves is the power of its detector: other tests than these protect the lines of the package.
THOROUGH_DETECTORS = (
    "audit of the order",
    "company in people",
    "plans where groups meet",
    "plans where only meets",
    "plans where everyone's own",
    "plans where each meets",
    "lengths of vectors",
)


def _first(fault: Fault) -> object:
    """The detector that is tried in the quick tier."""
    quick = (one for one in fault.detectors if not one.name.startswith(THOROUGH_DETECTORS))
    return next(quick, None)


CASES = [
    pytest.param(f, d, id=f"{f.words}: {d.name}", marks=_marks(thorough=d is not _first(f)))
    for f in FAULTS
    for d in f.detectors
]
ALL_DETECTORS = [
    pytest.param(d, id=d.name, marks=_marks(thorough=d.name.startswith(TRIED_ELSEWHERE))) for d in detectors()
]


@pytest.mark.parametrize(("fault", "detector"), CASES)
def test_a_planted_fault_is_caught(fault: Fault, detector: object, record_property: object) -> None:
    verdict = detector.run(1, fault.plant)  # type: ignore[attr-defined]
    record_property("said", verdict.said)  # type: ignore[operator]
    assert verdict.alarm, verdict.said


@pytest.mark.parametrize("detector", ALL_DETECTORS)
def test_without_a_fault_there_is_no_alarm(detector: object) -> None:
    """By one seed, and random plans by two: `scripts/audit --repeat` has other seeds, and looks at as many plans as a fault needs."""
    verdict = (detector.briefly or detector).run(2)  # type: ignore[attr-defined]
    assert not verdict.alarm, verdict.said


def test_every_fault_that_was_asked_for_is_planted_and_has_a_detector() -> None:
    words = [fault.words for fault in FAULTS]
    names = {detector.name for fault in FAULTS for detector in fault.detectors}
    assert all(any(name.startswith(slow) for name in names) for slow in THOROUGH_DETECTORS)
    assert len(set(words)) == len(words)
    assert set(ASKED_FOR) <= set(words)
    assert all(fault.detectors for fault in FAULTS)
    several = [fault.words for fault in FAULTS if len(fault.detectors) > 1]
    assert len(several) >= len(FAULTS) // 2


@pytest.mark.thorough
def test_a_fault_is_really_planted_and_leaves_nothing_behind() -> None:
    sound = names()
    for fault in FAULTS:
        before = sound
        with fault.plant():
            assert names() != before, fault.words
        sound = names()
        assert {key: sound.get(key) for key in before} == before, fault.words


def names() -> dict[tuple[str, str], int]:
    """What every name of the package's modules and classes stands for."""
    found = {}
    packages = ("synthrelease", "dp_accounting")
    for module_name, module in tuple(sys.modules.items()):
        if module_name.split(".")[0] in packages:
            for key, value in tuple(vars(module).items()):
                found[module_name, key] = id(value)
                if isinstance(value, type):
                    found |= {(f"{module_name}.{key}", k): id(v) for k, v in vars(value).items()}
    return found


def test_a_plant_that_finds_nothing_to_replace_says_so() -> None:
    with pytest.raises(LookupError) as refusal, everywhere(object(), object())():
        pass
    assert type(refusal.value) is LookupError  # and no key that is not there


def test_the_documentation_lists_every_fault_with_every_detector() -> None:
    page = (ROOT / "docs" / "evidence" / "audit.md").read_text("utf-8")
    heading = "| planted fault | caught by |\n| --- | --- |\n"
    table = page.partition(heading)[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    listed = {fault: detectors.split("; ") for fault, detectors in rows}
    assert listed == {fault.words: [detector.name for detector in fault.detectors] for fault in FAULTS}
    assert len(rows) == len(FAULTS)


def test_a_detector_that_is_silent_stands_in_the_table_as_such() -> None:
    fault = FAULTS[0]
    nothing = Fault(fault.words, fault.where, nullcontext, (fault.detectors[2],))
    (row,) = fault_rows([nothing], seed=1)
    assert row[4] == "missed"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "status", "last"),
    [
        (["--faults", "--only", "sent a copy"], 0, [1, 1]),  # alarms of so many
        (["--repeat", "2", "--only", "streams of"], 0, [0, 8]),  # false alarms in so many decisions
        (
            ["--runs", "20000", "--only", "statistics-count-replace-one"],
            0,
            [20, 0, 1, 0],
        ),  # 20 000 runs, ε, δ
        (["--plans", "4", "--neighbours", "1"], 0, [0, 4, 1]),
        (["--only", "no such mechanism"], 2, []),
    ],
)
def test_the_script_runs(arguments: list[str], status: int, last: list[float]) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "audit"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    line = done.stdout.splitlines()[-1] if done.stdout else ""
    assert figures(line)[: len(last)] == last
