"""Run by the Python that has diffprivlib: a question as JSON in, its answer as JSON out."""

from __future__ import annotations

import json
import statistics
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

import diffprivlib
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def _answer(asked: dict[str, Any]) -> str | float:
    if asked["task"] == "version":
        return str(diffprivlib.__version__)
    if asked["task"] == "noise":
        mechanism = getattr(diffprivlib.mechanisms, asked["mechanism"])(**asked["parameters"])
        return _median(lambda: [mechanism.randomise(0) for _ in range(asked["count"])], asked["runs"])
    values = np.load(asked["values"])
    tool = getattr(diffprivlib.tools, asked["name"])
    pairs = {name: tuple(one) if isinstance(one, list) else one for name, one in asked["parameters"].items()}
    return _median(lambda: tool(values, **pairs), asked["runs"])


def _median(work: Callable[[], object], runs: int) -> float:
    taken = []
    for _ in range(runs + 1):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken[1:])


warnings.simplefilter("ignore")
print(json.dumps(_answer(json.load(sys.stdin))))
