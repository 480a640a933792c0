"""Bad input that once ended in a traceback, or in a message about something else: each has its error and its exit code."""

from __future__ import annotations

import codecs
import datetime as dt
import gzip
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner
from invented_study import write_heatmaps_study
from paid_study import grant, write_paid_study
from refusals import refused
from spending import charge, laplace

import synthrelease
from synthrelease.bundle.manifest import to_bytes
from synthrelease.cli import main
from synthrelease.errors import DataError, InputError, PlanError, SynthReleaseError
from synthrelease.ledgers import Ledger

ROWS = "".join(f"p{n},a,{n},2\n" for n in range(20))


# Tables


@pytest.mark.parametrize("header", ["who,x,x,y", "a,a,a,a"])
def test_init_refuses_a_name_of_a_column_twice(tmp_path: Path, header: str) -> None:
    (tmp_path / "gaze.csv").write_text(f"{header}\n{ROWS}")
    with refused(DataError, "duplicate-column", where=tmp_path / "gaze.csv"):
        synthrelease.init(tmp_path / "gaze.csv", person="who")


def test_several_byte_order_marks_are_none(tmp_path: Path) -> None:
    (tmp_path / "gaze.csv").write_bytes(codecs.BOM_UTF8 * 2 + f"who,image,x,y\n{ROWS}".encode())
    assert 'person = "who"' in synthrelease.init(tmp_path / "gaze.csv", person="who").text


@pytest.mark.parametrize(
    "cells",
    [
        [[1, 2]] * 20,
        [{"x": 1}] * 20,
        [b"x"] * 20,
        pl.Series([[1, 2]] * 20, dtype=pl.Array(pl.Int64, 2)),
        pl.Series([None] * 20, dtype=pl.Null),
        [dt.timedelta(1)] * 20,
        [dt.time(1)] * 20,
    ],
    ids=["lists", "structs", "bytes", "arrays", "nothing", "durations", "times"],
)
@pytest.mark.parametrize("person", ["who", "odd"])
def test_init_of_columns_that_are_no_single_values(tmp_path: Path, cells: object, person: str) -> None:
    frame = pl.DataFrame({"who": ["a", "b"] * 10, "size": [1.5] * 20, "odd": cells})
    frame.write_parquet(tmp_path / "rows.parquet")
    try:
        text = synthrelease.init(tmp_path / "rows.parquet", person=person).text
    except InputError:
        assert person == "odd"
    else:
        assert "size" in text


def test_a_wide_table_is_refused_with_the_limit(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(",".join(f"c{n}" for n in range(10_001)) + "\n")
    with refused(DataError, "too-many-columns", where=tmp_path / "wide.csv"):
        synthrelease.init(tmp_path / "wide.csv", person="c1")


@pytest.mark.parametrize(
    ("first", "piece", "code"),
    [
        (b"who,image,x,y\np1,a,1,2\n", b"\n", "too-many-blank-lines"),
        (b"who,image,x,y\np1,a,", b"x", "row-too-long"),
        (b'who,image,x,y\np1,a,"', b"x", "open-quote"),
        (b"who", b"x", "row-too-long"),
        (b"\n", b"\n", "blank-first-line"),
        pytest.param(b"who,image,x,y\n", b"p1,a,1,2\n", "unpacks-to-too-much", marks=pytest.mark.thorough),
    ],
)
def test_packed_text_without_end_is_refused_for_what_it_is(
    tmp_path: Path, first: bytes, piece: bytes, code: str
) -> None:
    member = gzip.compress(piece * ((1 << 24) // len(piece)), 9)
    (tmp_path / "gaze.csv.gz").write_bytes(gzip.compress(first) + member * 40)  # 640 MiB
    with refused(DataError, code, where=tmp_path / "gaze.csv.gz"):
        synthrelease.init(tmp_path / "gaze.csv.gz", person="who")


@pytest.mark.parametrize("blanks", [1, 1000])
def test_blank_lines_at_the_end_are_none(tmp_path: Path, blanks: int) -> None:
    (tmp_path / "gaze.csv").write_text(f"who,image,x,y\n{ROWS}" + "\n" * blanks)
    assert synthrelease.init(tmp_path / "gaze.csv", person="who").text


# Plans


@pytest.mark.parametrize("key", ["path", "ledger"])
def test_a_path_with_nul_is_refused_in_the_plan(tmp_path: Path, key: str) -> None:
    plan = write_paid_study(tmp_path)
    plan.write_text(plan.read_text().replace(f'{key} = "', f'{key} = "a\\u0000b'))
    for look in (synthrelease.preview, synthrelease.build, synthrelease.dry_run):
        with refused(PlanError, "bad-value", where=key):
            look(plan)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "nested-too-deeply"),
        ("a = " + "{b=" * 5000 + "1" + "}" * 5000, "nested-too-deeply"),
        (f"[{'.'.join('a' * 5000)}]\nx = 1", "bad-syntax"),
    ],
    ids=["lists", "tables", "a long key"],
)
def test_a_plan_that_is_nested_without_end(tmp_path: Path, text: str, code: str) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(text)
    with refused(PlanError, code, where=plan):
        synthrelease.preview(plan)
    assert CliRunner().invoke(main, ["build", str(plan)]).exit_code == PlanError.exit_code


# Ledgers


def test_a_ledger_whose_tables_have_no_names_of_text(tmp_path: Path) -> None:
    """SQLite repeats such a name in its error, and Python cannot read that."""
    ledger = grant(tmp_path)
    ledger.debit(charge(laplace(10.0)))
    raw = ledger.path.read_bytes()
    codes = set()
    for statement in (b"CREATE TABLE entries", b"CREATE TRIGGER never_changed"):
        start = raw.index(statement)
        for place in range(start - 40, start + 40):
            ledger.path.write_bytes(raw[:place] + bytes([raw[place] ^ 0x80]) + raw[place + 1 :])
            try:
                faults = Ledger(ledger.path).check().faults
            except SynthReleaseError as error:
                codes.add(error.code)
            else:
                codes.update(fault.code for fault in faults)
                assert faults, place
    assert "not-a-ledger" in codes


# Files that are no bundles


@pytest.mark.parametrize("name", ["gaze.csv", "r.manifest.json", "ledger.sqlite", "other.h5", "empty"])
def test_what_never_was_a_bundle_is_no_faulty_one(tmp_path: Path, name: str) -> None:
    import h5py

    plan = write_paid_study(tmp_path)
    grant(tmp_path)
    synthrelease.build(plan, tmp_path / "r.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1
    (tmp_path / "empty").touch()
    with refused(InputError, "not-a-bundle", where=tmp_path / name) as refusal:
        synthrelease.verify(tmp_path / name)
    assert (str(tmp_path / "r.h5") in refusal.value.remedy) == (name == "r.manifest.json")
    assert CliRunner().invoke(main, ["verify", str(tmp_path / name)]).exit_code == InputError.exit_code


def test_a_manifest_of_many_datasets_is_known_as_one(tmp_path: Path) -> None:
    built = synthrelease.build(write_heatmaps_study(tmp_path), tmp_path / "r.h5")
    digests = {f"/outputs/maps/{n}/noised": "0" * 64 for n in range(1000)}
    built.sidecar.write_bytes(to_bytes({**built.manifest, "digests": digests}))
    with refused(InputError, "not-a-bundle", where=built.sidecar) as refusal:
        synthrelease.verify(built.sidecar)
    assert str(built.path) in refusal.value.remedy


def test_a_damaged_bundle_is_a_faulty_one(tmp_path: Path) -> None:
    plan = write_paid_study(tmp_path)
    grant(tmp_path)
    bundle = synthrelease.build(plan, tmp_path / "r.h5").path
    raw = bundle.read_bytes()
    for damaged in (b"\0" * 512 + raw[512:], raw[:512], raw[:100], b"x" + raw[1:]):
        bundle.write_bytes(damaged)
        assert CliRunner().invoke(main, ["verify", str(bundle)]).exit_code == 1
