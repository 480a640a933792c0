"""A release as tables, each with the guarantee of its output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from synthrelease.bundle import Bundle
from synthrelease.exports.record_tables import categories_table, counts_tables, records_table
from synthrelease.exports.sources import source_of
from synthrelease.exports.table import ExportTable, OutputSource
from synthrelease.exports.value_tables import value_tables
from synthrelease.reports.families import families_of
from synthrelease.reports.file_names import FileNames


def tables_of(bundle: Bundle) -> Iterator[ExportTable]:
    """Yield the tables of a release, output by output: at no time is there more than one of them.

    They hold the published values. Noisy integers are left out wherever something is derived from them, as everything is but the
    joint counts of records. Every table's description ends in the guarantee of its output.

    Args:
        bundle: one that was verified; every dataset is compared with its digest.

    Raises:
        BundleError: the file was changed after it was opened.
    """
    names = FileNames()
    for name in bundle.names:
        yield from tables_of_output(source_of(bundle, name), names)


def tables_of_output(source: OutputSource, names: FileNames) -> Iterator[ExportTable]:
    """Yield the tables of one output, as `tables_of`.

    Args:
        source: the output.
        names: those of tables that there are already.
    """
    for table in _tables(source):
        yield replace(
            table,
            name=names.of(source.name, table.name),
            description=f"{table.description} {source.guarantee}",
            guarantee=source.guarantee,
        )


def _tables(source: OutputSource) -> Iterator[ExportTable]:
    families = families_of(source.datasets)
    yield from value_tables(source, [*families.of_values, *families.tables])
    if families.records:
        yield records_table(source, families.records)
        yield categories_table(source, families.records)
    yield from counts_tables(source, families.counts)
