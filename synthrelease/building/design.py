"""Design of a release, from the plan and public facts only: `preview` prints it, `build` carries it out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from synthrelease.building.budget import PreparedOutput, divide_budget, planned_event, refusals_of
from synthrelease.bundle.disclosure import WEAK_CODES, release_warnings, warning_sentence
from synthrelease.data.facts import Facts, read_facts
from synthrelease.data.label_twins import refuse_label_twins
from synthrelease.data.tables import Table, refuse_missing_columns
from synthrelease.dp import accounting
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Guarantee, Neighbours
from synthrelease.errors import PolicyError
from synthrelease.files.scratch import scratch
from synthrelease.kinds.expectation import no_better
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import refuse_positions
from synthrelease.kinds.public_data import refuse_private_files
from synthrelease.kinds.registry import kinds
from synthrelease.ledgers import Charge
from synthrelease.plan.plan import CheckedPlan
from synthrelease.plan.policy import OutputGuarantee, ReleaseGuarantees
from synthrelease.remarks import Remark


@dataclass(frozen=True)
class PlannedOutput:
    """An output with its part of the budget and the event that it will be."""

    spec: OutputSpec
    mechanism: Mechanism[Any]
    budget: Budget | None
    event: Event
    guarantee: Guarantee

    @property
    def name(self) -> str:
        """The output's name."""
        return self.spec.name

    @property
    def delta(self) -> float:
        """δ at which the guarantee states its ε."""
        return stated_at(self.budget)

    @property
    def paid(self) -> bool:
        """Whether there is anything in it that ε covers."""
        return accounting.protected_part(self.event) is not None

    @property
    def private(self) -> bool:
        """Whether the output is differentially private."""
        return accounting.is_differentially_private(self.event)


@dataclass(frozen=True)
class Design:
    """A plan with everything public filled in."""

    plan: CheckedPlan  # the plan
    facts: dict[str, Facts]  # public facts by input
    outputs: tuple[PlannedOutput, ...]  # in the plan's order
    guarantee: Guarantee  # of all differentially private outputs together
    method: str  # how it was composed
    people: int  # distinct participants in all inputs; public under replace-one only

    def guarantees(
        self, dataset_epsilon: float | None = None, dataset_delta: float | None = None
    ) -> ReleaseGuarantees:
        """Return what a policy asks about the release, with (ε, δ) of all releases of the dataset, if they are tracked."""
        outputs = [
            OutputGuarantee(
                output.name, output.mechanism.parameters.to_entry(), output.guarantee, output.event
            )
            for output in self.outputs
        ]
        return ReleaseGuarantees(
            str(self.plan.neighbours), self.guarantee, outputs, dataset_epsilon, dataset_delta
        )

    def charge(self) -> Charge:
        """Return what the release is to pay for, at the ledger."""
        plan = self.plan
        return Charge(
            plan.dataset,
            {key: plan.release[key] for key in ("name", "version")},
            plan.digest,
            plan.neighbours,
            plan.delta,
            tuple(
                part for paid in self.outputs if (part := accounting.protected_part(paid.event)) is not None
            ),
            tuple(output.name for output in self.outputs if not output.private),
        )


def stated_at(budget: Budget | None) -> float:
    """Return δ at which the guarantee of an output states its ε."""
    return budget.delta if budget is not None and budget.delta else accounting.ANY_DELTA


@scratch()
def make_design(plan: CheckedPlan, tables: Mapping[str, Table] = MappingProxyType({})) -> Design:
    """Read the public facts and solve for the noise of every output.

    Args:
        plan: the plan.
        tables: rows of inputs that were read already, by their names; the labels of all others are read.

    Raises:
        InputError: plan or data cannot be used.
        PolicyError: the guarantee would be false or empty.
    """
    return design_with(plan, public_facts(plan, tables))


@scratch()
def public_facts(plan: CheckedPlan, tables: Mapping[str, Table] = MappingProxyType({})) -> dict[str, Facts]:
    """Return the public facts of every input; arguments and errors as for `make_design`."""
    for name, spec in plan.used_inputs().items():
        if name not in tables:
            refuse_missing_columns(spec.source, spec.columns)
    facts = {
        name: read_facts(
            tables.get(name, spec.source),
            columns=spec.options["columns"],
            listed=spec.options.get("stimuli", spec.options.get("recordings")),
            lengths_public="lengths" in spec.options["assume_public"],
            chosen=spec.chosen,
        )
        for name, spec in plan.used_inputs().items()
    }
    for name, spec in plan.used_inputs().items():
        person, where = spec.options["columns"]["person"], f"{plan.path}: inputs.{name}"
        if facts[name].by_position and spec.columns.count(person) > 1:
            otherwise = f"use '{person}' as the person alone: not to choose rows, nor as anything else"
            refuse_positions(spec, where, otherwise, by_position=True)
        if (
            facts[name].by_position and len(spec.files()) > 1
        ):  # whom each counts, and whether it is the same one
            refuse_positions(spec, where, "read one file alone", by_position=True)
    if not plan.distinct_labels:
        refuse_label_twins(
            (
                (spec.source, spec.options["columns"]["person"], facts[name].identities)
                for name, spec in plan.used_inputs().items()
            ),
            str(plan.path),
        )
    return facts


def design_with(plan: CheckedPlan, facts: dict[str, Facts]) -> Design:
    """Solve for the noise of every output, with public facts that were read already.

    Args:
        plan: the plan.
        facts: of its inputs; they do not depend on outputs and budgets.

    Raises:
        InputError: the plan cannot be used.
        PolicyError: the guarantee would be false or empty.
    """
    if public_files := _public_files(plan, facts):
        refuse_private_files(public_files, plan.inputs.values())
    everyone = frozenset[str]().union(*(public.identities for public in facts.values()))
    prepared = [
        PreparedOutput(
            spec,
            kinds()[spec.kind].prepare(
                spec,
                plan.inputs[spec.input],
                replace(facts[spec.input], everyone=everyone if facts.keys() == plan.inputs.keys() else None),
                plan.neighbours,
            ),
        )
        for spec in plan.outputs
    ]
    budgets = divide_budget(plan, prepared)
    planned = tuple(_planned(plan, output, budgets.get(output.spec.name)) for output in prepared)
    events = [output.event for output in planned]
    _refuse_overspending(plan, events)
    total, method = accounting.compose_private(
        events, delta=plan.delta or accounting.ANY_DELTA, neighbours=plan.neighbours, budget=plan.epsilon
    )
    return Design(plan, facts, planned, total, method, len(everyone))


def _public_files(plan: CheckedPlan, facts: Mapping[str, Facts]) -> dict[str, Path]:
    """The paths that outputs declare public, by their places; those of images for each stimulus."""
    return {
        f"{spec.where}.{key} ({file})": Path(file)
        for spec, key, path in plan.public_paths()
        for file in {str(path).replace("{stimulus}", name) for name in facts[spec.input].names}
    }


def _refuse_overspending(plan: CheckedPlan, events: Sequence[Event]) -> None:
    spent = accounting.epsilon_at(events, delta=plan.delta, neighbours=plan.neighbours, budget=plan.epsilon)
    if spent > plan.epsilon:
        raise PolicyError(
            "outputs-exceed-budget",
            "all outputs together cost more than the budget of the release",
            where=str(plan.path),
            found=f"ε = {spent:g}" if spent < math.inf else "no ε that holds at this δ",
            expected=f"ε of at most {plan.epsilon:g} at δ = {plan.delta:.2g}",
            remedy="lower share or epsilon of outputs, or raise epsilon under [privacy]",
        )


def _planned(plan: CheckedPlan, prepared: PreparedOutput, budget: Budget | None) -> PlannedOutput:
    event = planned_event(prepared, budget)
    guarantee = accounting.compose([event], delta=stated_at(budget), neighbours=plan.neighbours)
    with refusals_of(prepared.spec):
        mechanism = prepared.mechanism.for_budget(budget)
    return PlannedOutput(prepared.spec, mechanism, budget, event, guarantee)


def warnings(design: Design, *, is_seeded: bool = False, is_tracked: bool | None = None) -> list[Remark]:
    """Return the warnings about a release; public, part of the manifest.

    Args:
        design: the release.
        is_seeded: whether the noise can be repeated.
        is_tracked: whether a ledger is charged; default whether the plan names one.
    """
    plan = design.plan
    return list(
        release_warnings(
            people=design.people if plan.neighbours is Neighbours.REPLACE_ONE else None,
            epsilon=plan.epsilon,
            delta=plan.delta,
            rows_are_left_out=any(source.options["only"] for source in plan.used_inputs().values()),
            is_tracked=plan.ledger is not None if is_tracked is None else is_tracked,
            is_seeded=is_seeded,
        )
    )


def no_better_outputs(design: Design) -> list[str]:
    """Return what a release is expected to release no better than anyone could guess, in sentences that name the output."""
    if design.plan.neighbours is not Neighbours.REPLACE_ONE:
        return []  # the number of participants, which decides, is private
    return [
        f"{output.name}: {sentence}"
        for output in design.outputs
        for sentence in no_better(
            output.mechanism.expected(output.event, output.budget, design.facts[output.spec.input].people)
        )
    ]


def weak_guarantee(design: Design) -> list[str]:
    """Return the warnings about a guarantee that hardly protects, in sentences: they stand before all else."""
    return [warning_sentence(warning) for warning in warnings(design) if warning.code in WEAK_CODES]
