"""One mechanism for arrays in memory: no plan, no files, and the same integers and guarantee that `build` would release.

Every function takes what is private as arrays of shape (N,), one entry for every row, and everything public as keyword arguments; nothing
public is looked up in the data, but for the number of people, which is public under "replace-one". It returns an `ArrayRelease`: values, their
uncertainty, the guarantee, and the event by which `compose` counts several calls together.

**Every call draws fresh noise and costs again.** The guarantee is that of one call; what was called and thrown away counts as well. No
ledger is asked. Options are the keys of a plan's output (docs/reference/plan.md): `heatmaps(…, clipping="per-stimulus")`.

Sources: the proof note of each mechanism, `synthrelease/kinds/*/*.proof.md`.
"""

from synthrelease.arrays.composition import compose
from synthrelease.arrays.features import mean_signals, statistics, synthetic_records
from synthrelease.arrays.fixations import fixation_statistics
from synthrelease.arrays.gaze import areas, heatmaps
from synthrelease.arrays.release import ArrayRelease
from synthrelease.kinds.records.deniability import deniability_test
from synthrelease.kinds.records.deniability_on_disk import deniability_test_on_disk

__all__ = [
    "ArrayRelease",
    "areas",
    "compose",
    "deniability_test",
    "deniability_test_on_disk",
    "fixation_statistics",
    "heatmaps",
    "mean_signals",
    "statistics",
    "synthetic_records",
]
