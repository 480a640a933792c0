"""What can be known before a ledger pays is known before it pays: no plan that `preview` accepts is refused afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from auditing.planting import forgetting, inside
from hypothesis import given
from hypothesis import strategies as st
from random_plans.draws import Draws, OfGenerator, OfHypothesis
from random_plans.plans import RandomPlan, random_plan
from random_plans.study import random_study
from random_plans.texts import frames_of, with_unusual_texts
from rough_chains import rough_chains
from tiers import few

import synthrelease
from synthrelease.bundle.examination import Verification, examine
from synthrelease.dp import accounting, mixed_losses
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import SynthReleaseError
from synthrelease.ledgers import Ledger


def spent_in_vain(
    draws: Draws, folder: Path, *, verified: Callable[[Path], Verification] = synthrelease.verify
) -> tuple[str, RandomPlan]:
    """Build a random plan with unusual texts; return what was wrong, "" if nothing, or "refused: " and a code, and the plan."""
    plan, tables = with_unusual_texts(draws, random_plan(draws), random_study(draws).tables())
    ledger = folder / "ledger.sqlite"
    plan.document["privacy"] |= {"ledger": str(ledger), "dataset": "study"}
    path = folder / "plan.toml"
    path.write_text(plan.text, "utf-8")
    Ledger(ledger).grant("study", 1e6, 0.4, Neighbours(plan.document["privacy"]["neighbours"]))
    frames = frames_of(plan, tables)
    refused = ""
    try:
        synthrelease.preview(path, frames=frames)
    except SynthReleaseError as error:
        refused = error.code
    try:
        built = synthrelease.build(path, folder / "release.h5", frames=frames)
    except SynthReleaseError as error:
        paid = Ledger(ledger).to_json("study")["study"]["debits"]
        if paid:
            return f"paid, and then {error}", plan
        return f"refused: {refused or error.code}", plan
    if refused:
        return f"preview refused what was built: {refused}", plan
    try:
        room = synthrelease.dry_run(path, folder / "other.h5", frames=frames).most_bytes
    except SynthReleaseError as error:  # by lot: candidates of records are others each time
        return f"refused: {error.code}", plan
    if built.path.stat().st_size + built.sidecar.stat().st_size > room:
        return "paid without room for the bundle", plan
    found = verified(built.path)
    return "" if found.ok else f"does not verify: {found.findings[0]}", plan


@few
@given(data=st.data())
def test_no_plan_that_preview_accepts_is_refused_after_payment(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    wrong, plan = spent_in_vain(OfHypothesis(data), tmp_path_factory.mktemp("paid"))
    assert not wrong or wrong.startswith("refused: "), plan.text


@pytest.fixture
def quickly() -> Iterator[None]:
    """What is slow and has no texts in it is made fast, as it is by `Observer`: chains of scanpaths, and what unlike noises come to together."""
    with rough_chains(), forgetting(mixed_losses.mixed_epsilon, inside(accounting, "_LARGEST_PLD", 0.0))():
        yield


@pytest.mark.thorough
@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("first", range(0, 80, 40))
def test_of_many_plans_with_unusual_texts_none_is_paid_for_in_vain(
    tmp_path_factory: pytest.TempPathFactory, first: int
) -> None:
    outcomes = []
    for seed in range(first, first + 40):
        wrong, plan = spent_in_vain(OfGenerator(seed), tmp_path_factory.mktemp("paid"), verified=examine)
        assert not wrong or wrong.startswith("refused: "), f"seed {seed}: {wrong}\n{plan.text}"
        outcomes.append(wrong)
    assert outcomes.count("") > 8  # most are built
