"""A careful forger tells each number of a manifest otherwise, with all that follows: `verify` refuses every kinder claim but those with a reason."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import kinder
import pytest
from free_claims import ON_TRUST, free
from tiers import params

from synthrelease.building.design import make_design
from synthrelease.bundle.examination import examine
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.registry import SHIPPED, kinds
from synthrelease.plan.plan import load_plan

QUICK = ("heatmap spectral by stimulus", "heatmap spectral unclipped", "records seeded", "statistics laplace")


def test_the_forger_has_every_mechanism_and_plans_refuse_the_relations_that_verify_does(
    tmp_path: Path,
) -> None:
    forged = set()
    for number, name in enumerate(kinder.NAMES):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = kinder.write_study(folder, name)
        (output,) = make_design(load_plan(path)).outputs
        parameters = output.mechanism.parameters
        forged.add((type(parameters), parameters.name))
        path.write_text(path.read_text().replace("delta =", 'neighbours = "add-remove-one"\ndelta ='))
        if Neighbours.ADD_REMOVE_ONE in kinds()[parameters.kind].relations:
            make_design(load_plan(path))
        else:
            with pytest.raises(PlanError) as refused:
                make_design(load_plan(path))
            assert refused.value.code == "needs-public-people"
    assert forged == {(one, name) for kind in SHIPPED for one in kind.parameters for name in one.mechanisms}


@pytest.mark.parametrize("name", params(kinder.NAMES, quick=QUICK))
def test_a_kinder_claim_is_refused_or_has_a_reason(tmp_path: Path, name: str) -> None:
    path = tmp_path / "r.h5"
    path.write_bytes(kinder.base(name).raw)
    honest = examine(path)
    assert honest.findings == []
    found: dict[bool, dict[str, list[str]]] = {refused: defaultdict(list) for refused in (False, True)}
    for forgery in kinder.forgeries(name):
        found[bool(kinder.found(path, name, forgery))][forgery.field].append(forgery.what)
    reasons, accepted = free(name), dict(found[False])
    assert {field: what for field, what in accepted.items() if field not in reasons} == {}
    assert set(reasons) <= set(accepted)  # no reason for nothing
    assert len(found[True]) > 3
    # What is free on trust, `verify` says so.
    said = "; ".join(honest.on_trust)
    assert [why for why in reasons.values() if why in ON_TRUST and why not in said] == []
