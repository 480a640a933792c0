"""Random plans over the whole matrix of options, each against neighbours that change values, rows, labels and order."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

_BATCH = 10  # plans that a process tries at a time
Found = tuple[
    int, tuple[str, ...], str, str, tuple[str, ...]
]  # seed, kinds, code of a refusal, plan, what was wrong


def run(plans: int, *, neighbours: int, seed: int, output: Path | None) -> int:
    """Print what was wrong, and which kinds were tried how often; 1 if anything was wrong."""
    kinds: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    wrong = 0
    for number, of, refused, text, found in _tried(plans, neighbours, seed):
        refusals[f"refused: {refused}" if refused else "plans built"] += 1
        if not refused:
            kinds.update(of)
        wrong += bool(found)
        for line in found:
            print(f"seed {number}: {line}", file=sys.stderr)
        if found:
            print(text, file=sys.stderr)
    lines = ["| what | how often |", "|---|---|"]
    lines += [f"| {name} | {count} |" for name, count in [*refusals.most_common(), *kinds.most_common()]]
    if output is not None:
        output.write_text("\n".join(lines) + "\n", "utf-8")
    print("\n".join(lines))
    print(f"{wrong} of {plans} random plans showed more than noisy values, with {neighbours} neighbours each")
    return int(wrong > 0)


def _tried(plans: int, neighbours: int, seed: int) -> Iterator[Found]:
    seeds = range(seed, seed + plans)
    batches = [(seeds[start : start + _BATCH], neighbours) for start in range(0, plans, _BATCH)]
    bar = tqdm(total=plans, disable=None, leave=False)
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool, bar:
        for found in pool.map(_batch, batches):
            bar.update(len(found))
            yield from found


def _batch(asked: tuple[range, int]) -> list[Found]:
    from random_plans.draws import OfGenerator
    from random_plans.observed import Observer
    from random_plans.trial import tried

    seeds, neighbours = asked
    done = []
    with Observer() as observer:
        for seed in seeds:
            trial = tried(OfGenerator(seed), observer, neighbours=neighbours)
            kinds = tuple(output["kind"] for output in trial.plan.document["outputs"])
            done.append((seed, kinds, trial.refused, trial.plan.text, trial.found))
    return done
