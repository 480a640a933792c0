"""Files from anyone: mutants of bundles, flipped bytes, lies, kinder claims and files made to do harm; tables of what becomes of them.

A mutant follows from seed and number alone: `--mutants 1 --first 4711` examines number 4711 again and says all of it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import kinder
import numpy as np
from fork_server import SECONDS, Outcome
from free_claims import LEDGER, free
from hostile import CORPUS
from layouts import GOLDEN, NAMES, layout, read
from lies import LIES
from regions import refusals, undetected, what
from trial import SEED, broken, tried

_FLIPPED = ("seeded", "areas")  # layouts: every byte of their structure is changed behind a new seal
_OF_THE_C_LIBRARY = "/proc/sys/vm/overcommit_memory"  # which it asks before it gives memory back
_TRACED = """
import sys
from pathlib import Path
from synthrelease.bundle import checker, manifest
from synthrelease.bundle.examination import examine
import dp_accounting.pld.privacy_loss_distribution, scipy.stats
manifest.load_schema()
for path in sys.stdin.read().splitlines():
    Path("/mark/" + path).exists()
    print(sorted({one.code for one in examine(path).findings}), flush=True)
"""


def main(arguments: list[str]) -> int:
    """Do what is asked for, or all of it, and print what became of it."""
    parser = argparse.ArgumentParser(prog="scripts/stress files", description=__doc__)
    parser.add_argument("--mutants", type=int, metavar="N", help="mutants of bundles, sealed anew")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--flips",
        action="store_true",
        help="every byte of the golden bundles, with the seal and behind a new one",
    )
    parser.add_argument("--lies", action="store_true")
    parser.add_argument(
        "--corpus", action="store_true", help="files made to do harm; where there is strace, what is opened"
    )
    parser.add_argument("--claims", type=int, metavar="N", help="rounds of kinder claims by random factors")
    told = parser.parse_args(arguments)
    everything = not (told.mutants or told.flips or told.lies or told.corpus or told.claims)
    failures: list[str] = []
    if told.corpus or everything:
        failures += corpus()
    if told.lies or everything:
        failures += lies()
    if told.claims or everything:
        failures += claims(told.claims or 2, seed=told.seed)
    if told.flips or everything:
        failures += flips()
    if told.mutants or everything:
        last = told.first + (told.mutants or 20_000)
        failures += mutants(range(told.first, last), seed=told.seed, jobs=told.jobs)
    for failure in failures:
        print(f"BROKEN: {failure}")
    return 1 if failures else 0


def mutants(numbers: range, *, seed: int, jobs: int) -> list[str]:
    """Try mutants, and return the guarantees that did not hold."""
    began, outcomes = time.monotonic(), []
    for outcome in tried(numbers, seed=seed, jobs=jobs):
        outcomes.append(outcome)
        if len(outcomes) % 1000 == 0:
            print(f"{len(outcomes)} mutants, {time.monotonic() - began:.0f} s", file=sys.stderr)
    seconds = time.monotonic() - began
    if len(numbers) == 1:
        print(outcomes[0])
    kinds = Counter(
        (one.told["kind"], one.told["layout"], _became(one)) for one in outcomes if isinstance(one.told, dict)
    )
    print(
        f"\n{len(outcomes)} mutants of seed {seed} in {seconds:.0f} s: kind × layout, refused + the same + with a reason"
    )
    rows = [["", *NAMES, "all"]]
    for kind in sorted({kind for kind, _, _ in kinds}):
        cells = [_cell(kinds, [kind], [name]) for name in NAMES]
        rows.append([kind, *cells, _cell(kinds, [kind], NAMES)])
    every = sorted({kind for kind, _, _ in kinds})
    rows.append(["all", *(_cell(kinds, every, [name]) for name in NAMES), _cell(kinds, every, NAMES)])
    _print(rows)
    codes = Counter(code for one in outcomes for code in one.codes)
    print("\nfindings:", ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    reasons = Counter(
        place for one in outcomes if isinstance(one.told, dict) for place in one.told.get("differences", ())
    )
    print("\naccepted though it differs, each with a reason in tests/content.py:")
    _print([[str(count), place] for place, count in reasons.most_common()])
    print("\nslowest:")
    slowest = sorted(outcomes, key=lambda one: -one.seconds)[:5]
    _print([[f"{one.seconds:.2f} s", str(one.number), str(one.told)[:120]] for one in slowest])
    return [line for one in outcomes for line in broken(one)]


def _became(outcome: Outcome) -> str:
    if outcome.result != "accepted":
        return outcome.result
    return "reason" if outcome.told["differences"] else "same"


def _cell(kinds: Counter[tuple[str, str, str]], rows: list[str], columns: tuple[str, ...] | list[str]) -> str:
    counts = [
        sum(kinds[kind, name, result] for kind in rows for name in columns)
        for result in ("refused", "same", "reason")
    ]
    return "+".join(map(str, counts))


def flips() -> list[str]:
    """Change every byte of the golden bundles by one bit, with the seal; and of small ones of every format behind a new one."""
    began, failures = time.monotonic(), []
    sizes: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    golden = sorted((read(path, path.name) for path in GOLDEN), key=lambda one: len(one.raw))
    for one in golden:
        missed = set(undetected(one))
        failures += [f"{one.name}: the seal did not notice byte {place}" for place in sorted(missed)]
        for region in one.anatomy.regions:
            places = range(region.start, region.stop)
            sizes[what(str(region.structure))] += len(places)
            seen[what(str(region.structure))] += len(places) - len(missed.intersection(places))
    print(
        f"\nevery byte of {len(golden)} golden bundles, changed by one bit: {time.monotonic() - began:.0f} s"
    )
    _print(
        [["region", "flips", "detected"]]
        + [[name, str(size), str(seen[name])] for name, size in sizes.items()]
        + [["all", str(sizes.total()), str(seen.total())]]
    )
    for one in (golden[0], *map(layout, _FLIPPED)):
        began = time.monotonic()
        refused = Counter(refusals(one))
        print(
            f"\nevery byte of the structure of {one.name}, behind a new seal: "
            f"{time.monotonic() - began:.0f} s"
        )
        _print(
            [
                ["region", "refused for", "flips"],
                *([*key, str(count)] for key, count in sorted(refused.items())),
            ]
        )
        failures += [
            f"a flip in {region} of {one.name} was accepted" for region, code in refused if code == "accepted"
        ]
    return failures


def lies() -> list[str]:
    """Tell every lie."""
    from synthrelease.bundle import verify

    failures, rows = [], [["lie", "bundle", "findings"]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.h5"
        for lie in LIES:
            path.write_bytes(layout(lie.layout).raw)
            lie.tell(path)
            codes = sorted({one.code for one in verify(path, allow_test_seed=True).findings})
            rows.append([lie.what, lie.layout, " ".join(codes)])
            if lie.code not in codes:
                failures.append(f"a lie was not refused for {lie.code}: {lie.what}")
    print(f"\n{len(LIES)} lies")
    _print(rows)
    return failures


def claims(rounds: int, *, seed: int) -> list[str]:
    """Tell every number of a manifest kinder, by random factors, with all that follows from it."""
    failures, random = [], np.random.default_rng(seed)
    became: Counter[tuple[str, str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.h5"
        for name in list(kinder.NAMES) * rounds:
            # By some factors a total is still no less than its parts: what others cost, the ledger alone shows.
            reasons = {"ledger/spent_after": LEDGER} | free(name)
            for forgery in kinder.forgeries(name, 2 ** random.uniform(-4, 4, 2)):
                refused = kinder.found(path, name, forgery)
                became[name, forgery.field, "refused" if refused else reasons.get(forgery.field, "")] += 1
                if not refused and forgery.field not in reasons:
                    failures.append(f"{name}: a kinder claim was accepted: {forgery.what}")
    print(f"\n{became.total()} kinder claims: bundle, field, what became of them")
    _print([[*row, str(count)] for row, count in sorted(became.items())])
    return failures


def corpus() -> list[str]:
    """Verify every hostile file; then see what the system was asked to open meanwhile."""
    from synthrelease.bundle import verify

    failures, rows = [], [["hostile file", "seconds", "findings"]]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, (name, write) in enumerate(CORPUS.items()):
            path = Path(folder) / str(number) / "r.h5"
            path.parent.mkdir()
            write(path)
            paths.append(path)
            began = time.monotonic()
            codes = sorted({one.code for one in verify(path).findings})
            seconds = time.monotonic() - began
            rows.append([name, f"{seconds:.2f}", " ".join(codes)])
            if not codes or "limits" in codes or seconds > SECONDS:
                failures.append(f"{name}: {' '.join(codes) or 'accepted'} after {seconds:.1f} s")
        print(f"\n{len(CORPUS)} hostile files")
        _print(rows)
        failures += _opened(paths)
    return failures


def _opened(paths: list[Path]) -> list[str]:
    """Return what was opened beside the files themselves, as the system saw it."""
    if shutil.which("strace") is None:
        print("there is no strace to see what is opened")
        return []
    command = [
        "strace",
        "-f",
        "-e",
        "trace=open,openat,openat2,stat,newfstatat,faccessat2,connect,execve",
        "-o",
        "/dev/stderr",
    ]
    done = subprocess.run(
        [*command, sys.executable, "-c", _TRACED],
        input="\n".join(map(str, paths)),
        capture_output=True,
        text=True,
        check=False,
    )
    if "/mark/" not in done.stderr:
        print("strace may not trace here")
        return []
    current, seen, foreign = None, 0, []
    for line in done.stderr.splitlines():
        mark = re.search(r'"/mark(/[^"]*)"', line)
        if mark:
            current = mark.group(1)
            continue
        opened = re.search(r'open(?:at2?)?\((?:AT_FDCWD, )?"([^"]*)"|(connect|execve)\(', line)
        if current is None or opened is None:
            continue
        if opened.group(1) == current:
            seen += 1
        elif opened.group(1) != _OF_THE_C_LIBRARY:
            foreign.append(f"{line.strip()} while {current} was verified")
    print(f"\nstrace: {seen} of {len(paths)} files opened, and {len(foreign)} others")
    return foreign


def _print(rows: list[list[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
