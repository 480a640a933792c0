"""What `ledger show` prints."""

import json
import re

import pytest
from spending import REPLACE, charge, gaussian, granted, laplace, trial

from synthrelease.bundle.manifest import to_bytes


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
    title = f"{'release 1.0.0':<28}"
    assert lines == [
        "study: ε = 1 of 2 spent, 1 left",
        "  per person (replace-one) at δ = 1e-06, however each release was chosen after those before it",
        "  counted: sums of ε while there is no Gaussian noise, or Rényi divergences of order 9, if that is less",
        "  DAY  granted ε = 3 at δ = 1e-06",
        f"  DAY  {title}  ε = 0.5 alone, 0.5 together  (released)",
        "  DAY  granted ε = 2 at δ = 1e-06",
        f"  DAY  {title}  ε = 0.25 alone, 0.75 together  (noise drawn, no bundle noted)",
        "              not counted, since no ε covers it: table, seeded",
        f"  DAY  {title}  ε = 0.25 alone, 1 together  (paid, no noise drawn)",
        "empty: ε = 0 of 1 spent, 1 left",
        "  per person (replace-one) at δ = 0, however each release was chosen after those before it",
        "  counted: nothing yet",
        "  DAY  granted ε = 1 at δ = 0",
    ]
    assert ledger.summary("empty") == ledger.summary()[-4:]


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (gaussian(0.1), "Gaussian noise by its exact curve at 9/10 of δ; once other noise joins, Rényi"),
        (laplace(0.1), "sums of ε while there is no Gaussian noise, or Rényi divergences of order 9, if"),
        (trial(), "the sum of what each costs by itself at its plan's δ"),
    ],
)
def test_how_releases_are_counted_is_told(tmp_path, first, words):
    ledger = granted(tmp_path, 20.0 if first == trial() else 3.0, 1e-4 if first == trial() else 1e-6)
    ledger.debit(charge(first))
    assert words in ledger.summary()[2]
    assert words in ledger.to_json()["study"]["counted"]


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
    assert debit["manifest"] is None
    assert "key" not in json.dumps(told)
