"""Bounds from below on what every mechanism gives away, from as many runs as there is time for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from auditing.bound import Rates
from auditing.mechanisms import audited, every_gaussian
from auditing.probes import judged
from auditing.tables import BOUNDS_HEAD, bounds_row, markdown
from benchmarks._measure import print_table
from tqdm import tqdm

from synthrelease.dp.noise import SecureRandom

if TYPE_CHECKING:
    from pathlib import Path

_AT_A_TIME = 250_000


def run(runs: int, *, only: str, larger: bool, seed: int, output: Path | None) -> int:
    """Print, and write if asked for, the bounds from so many runs on either dataset; 1 if any exceeds its claim."""
    chosen = [one for one in (*audited(), *(every_gaussian() if larger else ())) if only in one.name]
    if not chosen:
        print(f"no mechanism has {only!r} in its name", file=sys.stderr)
        return 2
    found = []
    for one in chosen:
        probe = one.make()
        total = None
        random = SecureRandom.for_tests(seed).spawn("audit", one.name)
        with tqdm(total=runs, desc=one.name, unit=" runs", disable=None, leave=False) as bar:
            while total is None or total.runs < runs:
                number = min(_AT_A_TIME, runs - (total.runs if total else 0))
                part: Rates = probe.rates(number, random.spawn(str(bar.n)))
                total = part if total is None else total.plus(part)
                bar.update(number)
        found.append(judged(probe, total))
        if found[-1].broken:
            print(f"BROKEN {one.name}: {found[-1]}", file=sys.stderr)
    rows = [bounds_row(one) for one in found]
    print_table(BOUNDS_HEAD, rows)
    if output is not None:
        output.write_text(markdown(BOUNDS_HEAD, rows), encoding="utf-8")
    return int(any(one.broken for one in found))
