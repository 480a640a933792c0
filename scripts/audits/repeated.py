"""All detectors, and all audits, on the package as it is: none may raise the alarm, however often they run."""

from __future__ import annotations

import sys

from auditing.faults import detectors
from auditing.mechanisms import MANY, audited
from auditing.probes import audit
from tqdm import tqdm

from synthrelease.dp.noise import SecureRandom

_RUNS = 200_000  # of an audit, here; of a private choice fewer


def run(times: int, *, only: str, seed: int) -> int:
    """Print how many alarms were false; 1 if any was."""
    chosen = [detector for detector in detectors() if only in detector.name]
    mechanisms = [(one, one.make()) for one in audited() if only in one.name]
    if not chosen and not mechanisms:
        print(f"nothing has {only!r} in its name", file=sys.stderr)
        return 2
    alarms = decisions = 0
    with tqdm(total=times * (len(chosen) + len(mechanisms)), disable=None, leave=False) as bar:
        for number in range(seed, seed + times):
            for detector in chosen:
                verdict = detector.run(number)
                decisions, alarms = decisions + 1, alarms + verdict.alarm
                if verdict.alarm:
                    print(f"seed {number}: {detector.name}: {verdict.said}", file=sys.stderr)
                bar.update()
            for one, probe in mechanisms:
                random = SecureRandom.for_tests(number).spawn("repeated", one.name)
                found = audit(probe, _RUNS if one.runs == MANY else one.runs // 4, random)
                decisions, alarms = decisions + 1, alarms + found.broken
                if found.broken:
                    print(f"seed {number}: {one.name}: {found}", file=sys.stderr)
                bar.update()
    print(
        f"{alarms} false alarms in {decisions} decisions: {times} seeds, {len(chosen)} detectors, {len(mechanisms)} audits"
    )
    return int(alarms > 0)
