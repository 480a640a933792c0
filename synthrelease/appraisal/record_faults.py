"""Whether the records of a bundle can be what the plan's test let pass: beside the real ones that can be seen, for every record."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synthrelease.mechanisms.collected import Collected, Rows
from synthrelease.mechanisms.records.candidates import Known
from synthrelease.mechanisms.records.parameters import EXCLUDE, PERSON, RecordsParameters
from synthrelease.outputs.resolved import Arrays
from synthrelease.report.number_words import several


def record_faults(parameters: RecordsParameters, truth: Collected, arrays: Arrays) -> tuple[str, ...]:
    """Return what no honest release of these people could have published, in sentences.

    A plausible seed has in common with a record all that is kept at least, the first m − max ω attributes of the order. So no
    record can have passed that so few people (or rows, if those are counted) have that in common with as k is.
    Which rows people entered the test with is not known, so that more may have failed than are found here.

    Args:
        parameters: of the output.
        truth: the real rows of all people, by their category numbers.
        arrays: the bundle's, by their labels below the output.
    """
    assert isinstance(truth, Rows)
    people, real = truth.whole()
    columns = [arrays[one.name, "category"].astype(np.int64) for one in parameters.attributes]
    released: NDArray[np.int64] = np.stack(columns, axis=1)
    found = []
    if parameters.copies == EXCLUDE and (copies := int(Known(real).among(released).sum())):
        found.append(
            f"{copies} of {several(len(released), 'record')} equal a real row, where the plan leaves such copies out"
        )
    kept = list(parameters.order[: len(parameters.order) - max(parameters.resampled)])
    if kept and parameters.tested and not parameters.randomized:
        _, number = np.unique(np.concatenate([real[:, kept], released[:, kept]]), axis=0, return_inverse=True)
        own, made = np.split(number.reshape(-1), [len(real)])
        who = people if parameters.counted == PERSON else np.arange(len(real))
        different = np.unique(np.stack([own, who]), axis=1)[0]
        plausible = np.bincount(different, minlength=number.max() + 1)[made]
        if failed := int((plausible < parameters.k).sum()):
            unit = "people" if parameters.counted == PERSON else "rows"
            found.append(
                f"{failed} of {several(len(released), 'record')} cannot have passed the test: fewer than {parameters.k} {unit} "
                f"have in common with them what is kept, where k = {parameters.k} plausible seeds are promised"
            )
    return tuple(found)
