"""A release as tables, each with the guarantee of its output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from synthrelease.bundle import Bundle
from synthrelease.dp.event import from_json
from synthrelease.exports.guarantee_text import guarantee_sentence
from synthrelease.exports.record_tables import categories_table, counts_tables, records_table
from synthrelease.exports.table import ExportTable, OutputSource
from synthrelease.exports.value_tables import value_tables
from synthrelease.kinds.registry import parameters_of
from synthrelease.report.families import families_of
from synthrelease.report.file_names import FileNames
from synthrelease.report.released import Released


def tables_of(bundle: Bundle, *, only: str | None = None) -> Iterator[ExportTable]:
    """Yield the tables of a release, output by output: at no time is there more than one of them.

    They hold the published values. Noisy integers are left out wherever something is derived from them, as everything is but the
    joint counts of records. Every table's description ends in the guarantee of its output.

    Args:
        bundle: one that was verified; every dataset is compared with its digest.
        only: the name of an output; None for all.

    Raises:
        BundleError: the file was changed after it was opened.
    """
    names = FileNames()
    with Released(bundle.path, bundle.manifest) as released:
        for output in bundle.manifest["outputs"]:
            if only not in (None, output["name"]):
                continue
            guarantee = guarantee_sentence(bundle.manifest, output)
            for table in _tables_of_output(released, output):
                yield replace(
                    table,
                    name=names.of(output["name"], table.name),
                    description=f"{table.description} {guarantee}",
                    guarantee=guarantee,
                )


def _tables_of_output(released: Released, output: dict[str, Any]) -> Iterator[ExportTable]:
    parameters = parameters_of(output)
    source = OutputSource(released, output["name"], parameters)
    families = families_of(parameters.datasets(from_json(output["event"])))
    yield from value_tables(source, [*families.of_values, *families.tables])
    if families.records:
        yield records_table(source, families.records)
        yield categories_table(source, families.records)
    yield from counts_tables(source, families.counts)
