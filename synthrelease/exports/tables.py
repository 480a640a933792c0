"""A release as tables, of every kind of output: its published values, one row for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from synthrelease.bundle import Bundle
from synthrelease.exports.area_tables import area_tables
from synthrelease.exports.map_tables import map_tables
from synthrelease.exports.record_tables import record_tables
from synthrelease.exports.signal_tables import signal_tables
from synthrelease.exports.statistic_tables import statistic_tables
from synthrelease.exports.table import Table
from synthrelease.report.file_names import FileNames
from synthrelease.report.pictures import promise_caption
from synthrelease.report.promise_words import standing
from synthrelease.report.released import Released

_BY_KIND = {
    "heatmap": map_tables,
    "areas": area_tables,
    "signals": signal_tables,
    "statistics": statistic_tables,
    "records": record_tables,
}


def tables_of(bundle: Bundle, *, only: str | None = None) -> Iterator[Table]:
    """Yield the tables of a release, output by output: at no time is there more than one of them.

    They hold the published values. Noised integers are left out wherever something is derived from them, as everything is but the
    joint counts of records. Every table's description ends in the guarantee of its output.

    Args:
        bundle: one that was verified; every dataset is compared with its digest.
        only: the output that tables are wanted of; None for all.

    Raises:
        BundleError: the file was changed after it was opened.
    """
    names = FileNames()
    with Released(bundle.path, bundle.manifest) as released:
        for output in bundle.manifest["outputs"]:
            if only not in (None, output["name"]):
                continue
            told = promise_sentence(bundle.manifest, output)
            for table in _BY_KIND[output["kind"]](released, output):
                yield replace(
                    table,
                    name=names.of(output["name"], table.name),
                    description=f"{table.description} {told}",
                    promise=told,
                )


def promise_sentence(manifest: dict[str, Any], output: dict[str, Any]) -> str:
    """Return the guarantee of an output in a few sentences, beside that of the whole release; or that it does not hold.

    Args:
        manifest: of a bundle that verifies.
        output: an entry of its `outputs`.
    """
    alone, *together = promise_caption(manifest, output)
    if manifest["randomness"]["test_seed"]:
        return f"Guarantee: {alone}."
    if output["guarantee"]["kind"] == "none":
        return standing(output)
    return " ".join([f"Guarantee: {alone}.", standing(output), *(f"{one}." for one in together)])
