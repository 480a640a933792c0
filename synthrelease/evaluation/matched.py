"""Whether a bundle was made from a plan, and its outputs as they were made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.building.design import Design, PlannedOutput
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event, PrivateChoice, differs_by_choice, differs_by_rounding, flatten
from synthrelease.dp.event import from_json as event_from_json
from synthrelease.errors import PlanError
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.registry import parameters_of
from synthrelease.reports.released import Released


@dataclass(frozen=True)
class BundleOutput:
    """An output of a bundle, with what the plan says of it."""

    entry: dict[str, Any]  # of the manifest
    spec: OutputSpec
    mechanism: Mechanism[Any]  # what was chosen privately is as if the plan had named it
    budget: Budget | None
    event: Event
    people: int  # in its input
    spent_on_choice: float = 0.0  # ε of the budget that a private choice took, which was made already

    @property
    def name(self) -> str:
        """The output's name."""
        return str(self.entry["name"])


def noisy_datasets(output: BundleOutput, released: Released) -> dict[str, Array]:
    """Return the datasets of an output that noise was added to, as the bundle has them, by path."""
    return {dataset.path: released.array(output.name, dataset.path) for dataset in output.mechanism.noisy}


def bundle_outputs(design: Design, manifest: dict[str, Any], bundle: Path) -> tuple[BundleOutput, ...]:
    """Return the outputs of a verified bundle that was made from a plan.

    Raises:
        PlanError: it was made from another plan, or from other data as far as that is public.
    """
    entries = {entry["name"]: entry for entry in manifest["outputs"]}
    if manifest["privacy"]["neighbours"] != str(design.plan.neighbours):
        raise _mismatch(bundle, "bundle-of-other-neighbours", "other neighbours")
    if list(entries) != [planned.name for planned in design.outputs]:
        raise _mismatch(
            bundle,
            "bundle-of-other-outputs",
            f"outputs {', '.join(entries)} in the bundle; {', '.join(planned.name for planned in design.outputs)} in the plan",
        )
    return tuple(
        _matched(planned, entries[planned.name], bundle, design.facts[planned.spec.input].people)
        for planned in design.outputs
    )


def _matched(planned: PlannedOutput, entry: dict[str, Any], bundle: Path, people: int) -> BundleOutput:
    parameters = parameters_of(entry)
    mechanism = planned.mechanism.with_choice_of(parameters)
    stated, expected = parameters.to_entry(), mechanism.parameters.to_entry()
    for part in ("name", "parameters", "public_inputs"):
        if expected[part] != stated[part]:
            keys = ""
            if part != "name":
                both = expected[part] | stated[part]
                keys = ", ".join(sorted(k for k in both if expected[part].get(k) != stated[part].get(k)))
            difference = f"{planned.name}: {f'{keys} differ' if keys else 'another mechanism'}"
            raise _mismatch(bundle, "bundle-of-other-mechanism", difference)
    event = event_from_json(entry["event"])
    if not (differs_by_rounding(planned.event, event) or differs_by_choice(planned.event, event)):
        raise _mismatch(bundle, "bundle-of-other-budget", f"{planned.name}: another budget, or other noise")
    spent = sum(
        leaf.epsilon for leaf in flatten(event) if isinstance(leaf, PrivateChoice) and mechanism.is_choosing
    )
    return BundleOutput(entry, planned.spec, mechanism.settled(), planned.budget, event, people, spent)


def _mismatch(bundle: Path, code: str, difference: str) -> PlanError:
    return PlanError(
        code,
        "the bundle was not built from this plan and these data",
        where=str(bundle),
        found=difference,
        remedy="give the plan that this bundle was built from, unchanged, and the same data",
    )
