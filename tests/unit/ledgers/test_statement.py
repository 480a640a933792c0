"""What `ledger show` prints."""

import json
import re

from goldens import check_text
from spending import REPLACE, charge, gaussian, granted, laplace, trial

from synthrelease.bundle.manifest import to_bytes
from synthrelease.ledgers import Ledger


def test_history_for_a_person(tmp_path):
    ledger = granted(tmp_path, 3.0, 1e-6)
    debit = ledger.debit(charge(laplace(0.5)))
    debit.begin_drawing()
    debit.release(b"{}")
    ledger.grant("study", 2.0, 1e-6, REPLACE)
    ledger.debit(charge(laplace(0.25), plan="b", uncounted=("table", "seeded"))).begin_drawing()
    ledger.debit(charge(laplace(0.25), plan="c"))
    ledger.grant("empty", 1.0, 0, REPLACE)
    lines = [re.sub(r"\d{4}-\d\d-\d\d", "DAY", line) for line in ledger.summary()]
    check_text("ledger/history", "\n".join(lines))
    assert ledger.summary("empty") == ledger.summary()[-4:]


def test_how_releases_are_counted_is_told(tmp_path):
    lines = []
    for name, first, epsilon, delta in (
        ("gaussian", gaussian(0.1), 3.0, 1e-6),
        ("laplace", laplace(0.1), 3.0, 1e-6),
        ("trials", trial(), 20.0, 1e-4),
    ):
        ledger = Ledger(tmp_path / name)
        ledger.grant("study", epsilon, delta, REPLACE)
        ledger.debit(charge(first))
        line = ledger.summary()[2]
        assert line.endswith(ledger.to_json()["study"]["counted"])
        lines.append(f"{name}: {line.strip()}")
    check_text("ledger/counted", "\n".join(lines))


def test_history_for_a_program_is_strict_json(tmp_path):
    ledger = granted(tmp_path, 3.0, 1e-6)
    spending = ledger.debit(charge(gaussian(0.1), uncounted=("table",))).spending
    ledger.grant("study", 3.0, 0.0, REPLACE)
    told = ledger.to_json()
    assert json.loads(to_bytes(told)) == told
    assert told["study"]["spent"] is None
    assert [one["delta"] for one in told["study"]["grants"]] == [1e-6, 0.0]
    (debit,) = told["study"]["debits"]
    assert debit["entry"] == spending["entry"]
    assert debit["epsilon_alone"] == spending["spent_here"]
    assert debit["uncounted"] == ["table"]
    assert (debit["drawn"], debit["manifest"]) == (False, None)
    assert "key" not in json.dumps(told)
