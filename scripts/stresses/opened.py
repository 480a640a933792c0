"""Golden bundles with one thing of the manifest changed, sealed anew, and all that a reader does with them: values, or our own errors.

A mutant follows from seed and number alone: `--mutants 1 --first 4711` does it again with number 4711 and says what was changed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from opened import SEED, opened


def main(arguments: list[str]) -> int:
    """Try mutants, and print what became of them by bundle."""
    parser = argparse.ArgumentParser(prog="scripts/stress opened", description=__doc__)
    parser.add_argument("--mutants", type=int, default=2000, metavar="N")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--seed", type=int, default=SEED)
    told = parser.parse_args(arguments)
    began, became = time.monotonic(), Counter[tuple[str, str]]()
    for one in opened(range(told.first, told.first + told.mutants), seed=told.seed):
        became[one.bundle, one.became] += 1
        if one.became == "broken" or told.mutants == 1:
            print(one, flush=True)
        if became.total() % 100 == 0:
            print(f"{became.total()} mutants, {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(f"{became.total()} mutants of seed {told.seed}: refused, read, broken")
    for bundle in sorted({bundle for bundle, _ in became}):
        print(f"{bundle:32}", *(f"{became[bundle, end]:6}" for end in ("refused", "read", "broken")))
    return 1 if any(end == "broken" for _, end in became) else 0
