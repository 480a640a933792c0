"""What a plan declares public, made of private data: by another path to an input, by a copy of it, or by people of it under labels written otherwise.

Each plan must be refused by `preview`, with the code of its kind; every third declares other people's data and must not be. The input is one that an output
is made of or not (by paths), or of another output (by labels).
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

import public_maps
from public_paths import DECLARING, PRIVATE_PEOPLE, SECOND, WAYS, gaze_plan, write_study

import synthrelease
from synthrelease.errors import SynthReleaseError

PATH, PEOPLE, GOOD = "public-path-is-private", "public-gaze-shares-people", "used"
_SPELLINGS = ("q{}", "Q{}", "q_0{}", "Q-{}", " q{} ", "q 00{}", "ｑ{}", "q\N{EN DASH}{}")


def main(arguments: list[str]) -> int:
    """Preview random plans, and print what became of them."""
    parser = argparse.ArgumentParser(prog="scripts/stress public", description=__doc__)
    parser.add_argument("--plans", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args(arguments)
    became, broken = Counter[str](), []
    for number in range(told.plans):
        with tempfile.TemporaryDirectory() as folder:
            due, what, found = _tried(Path(folder), random.Random(f"{told.seed} {number}"))  # noqa: S311  no noise
        became[found] += 1
        if found != due:
            broken.append(f"{number}: {what}: {found}, due {due}")
    print("\n".join(f"{count:6} {code}" for code, count in became.most_common()))
    print("\n".join([*broken, f"{told.plans} plans, {len(broken)} wrong"]))
    return bool(broken)


def _tried(folder: Path, draw: random.Random) -> tuple[str, str, str]:
    """What is due, what was tried, and what became of it."""
    write_study(folder)
    due, second = draw.choice((PATH, PEOPLE, GOOD)), SECOND
    if due == PATH:
        option, way = draw.choice(list(DECLARING)), draw.choice(list(WAYS))
        path, second = WAYS[way](folder), draw.choice((SECOND, ""))
    else:
        option, path = draw.choice(("maps", "maps-of-scanpaths")), "others.csv"
        others = public_maps.gaze(draw.randrange(2, 9), prefix="r", seed=2)
        way = draw.choice(_SPELLINGS).format(draw.randrange(PRIVATE_PEOPLE)) if due == PEOPLE else "r0"
        (folder / path).write_text(others.replace("r0,", f"{way},"), encoding="utf-8")
    (folder / "plan.toml").write_text(gaze_plan(DECLARING[option].format(path), second=second))
    try:
        synthrelease.preview(folder / "plan.toml")
    except SynthReleaseError as error:
        return due, f"{option}, {way}", error.code
    return due, f"{option}, {way}", GOOD
