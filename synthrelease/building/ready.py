"""Everything of a release but what is paid for: plan, public facts, participants' contributions, and what is drawn without a budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synthrelease.building.affordable import afforded
from synthrelease.building.curator import CuratorNotes, Payment
from synthrelease.building.design import Design, PlannedOutput, make_design, no_better_outputs, weak_guarantee
from synthrelease.building.rehearsal import rehearse
from synthrelease.data.facts import NO_ROWS
from synthrelease.data.losses import Loss, Reason
from synthrelease.dp.event import differs_by_choice
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import DataError
from synthrelease.files import atomic
from synthrelease.files.partial_files import Partial
from synthrelease.kinds.contributions import Contribution
from synthrelease.kinds.mechanism import Drawn, Mechanism
from synthrelease.ledgers import Ledger
from synthrelease.parallel import Call, Job, Round
from synthrelease.plan.partitions import (
    Contributions,
    Partition,
    contributions,
    partitions_of,
    small_tables,
    stamp_of,
)
from synthrelease.plan.plan import CheckedPlan
from synthrelease.plan.policy import Policy, load_policy

_MOST_NAMED = 10  # labels of a list in a note
# Where labels may decide on what of a person counts.
_MOST = {"max_stimuli_per_person", "max_groups_per_person"}
_NUMBERED = (
    "participants have numbers in an order, without a gap: if these are positions or ranks, which depend on who else is in the file, "
    "give labels that do not, since they decide on which stimuli a person counts"
)


@dataclass(frozen=True)
class Ready:
    """A release before it is paid for; private."""

    design: Design  # the plan with everything public filled in
    ledger: Ledger | None  # that will be charged; None if none is
    most_epsilon: float | None  # a policy's limit for ε of all releases of the dataset; None if there is none
    # what participants contribute, by output; what is drawn on leaves it
    collected: dict[str, Contribution] = field(repr=False)
    # outputs that no ε covers, drawn already: too few records may pass a test
    released: dict[str, Drawn] = field(repr=False)
    # what was dropped and clipped, what looks like a mistake, and how tests of `released` went
    private: CuratorNotes
    payment: Payment | None  # what will be charged; None if nothing is
    most_bytes: int  # of the bundle and its sidecar


def ready_job(
    plan: CheckedPlan, policy: str | Path | None, seeded: SecureRandom | None, bundle: Partial
) -> Job[Ready]:
    """Read and check everything, as a job, and take room for the bundle; nothing is charged.

    Args:
        plan: the plan.
        policy: a file of limits, or None.
        seeded: a generator for tests, or None.
        bundle: its file, empty.

    Raises:
        InputError: plan or data cannot be used, or nothing is left of the data.
        PolicyError: the guarantee would be false or empty, not what the policy asks for, or more than is granted.
        MachineError: a file may not be read, or there is no room for the bundle.
    """
    limits = None if policy is None else load_policy(policy)
    ((design, most_bytes, by_input, partitions),) = yield Round("reading", [Call(_read_once, (plan,))])
    atomic.allocate(bundle, most_bytes)
    ledger = Ledger(plan.ledger) if plan.ledger is not None and seeded is None else None
    _refuse_early(design, ledger, limits)

    if partitions:
        requests = [(partition, _mechanisms(design, partition.spec.name)) for partition in partitions]
        joined = yield Round("reading", [Call(_contributions, request) for request in requests], join=_joined)
        by_input = {**by_input, **joined}
    for planned in design.outputs:
        _refuse_nothing_left(planned, by_input[planned.spec.input])
    collected = {
        name: output for contributed in by_input.values() for name, output in contributed.collected.items()
    }
    unpaid = seeded or SecureRandom()
    released = drawn_on(design, collected, unpaid, paid=False)
    if ledger is not None:
        _refuse_likely_failures(design, collected)
    private = _curator_notes(design, by_input, released)
    return Ready(
        design,
        ledger,
        None if limits is None else limits.most_epsilon_of_dataset,
        collected,
        released,
        private,
        None if ledger is None else _payment(design, ledger, private, bundle.target),
        most_bytes,
    )


def drawn_on(
    design: Design, collected: dict[str, Contribution], random: SecureRandom, *, paid: bool
) -> dict[str, Drawn]:
    """Draw on the outputs that a budget covers, or on those that none does; what they were drawn from is let go."""
    return {
        output.name: released_output(output, collected.pop(output.name), random)
        for output in design.outputs
        if output.paid == paid
    }


def _refuse_likely_failures(design: Design, collected: Mapping[str, Contribution]) -> None:
    """Draw once, with noise that is thrown away, what may fail after noise was drawn: what fails here is not paid for.

    Raises:
        PlanError: too few records pass their test.
    """
    for output in design.outputs:
        if output.paid and output.mechanism.may_fail_after_noise:
            released_output(output, collected[output.name], SecureRandom())


def released_output(planned: PlannedOutput, collected: Contribution, random: SecureRandom) -> Drawn:
    """Draw on one output; RuntimeError if what was done is not what the design has planned."""
    drawn = planned.mechanism.draw(collected, planned.budget, random.spawn(planned.name))
    if drawn.event != planned.event and not differs_by_choice(planned.event, drawn.event):
        raise RuntimeError(f"{planned.name}: the mechanism did not do what was planned")
    return drawn


def _read_once(plan: CheckedPlan) -> tuple[Design, int, dict[str, Contributions], list[Partition]]:
    """The design, the bundle's size at most, what participants of the small inputs contribute, and the parts of the others."""
    inputs = plan.used_inputs()
    stamps = {name: stamp_of(spec.source) for name, spec in inputs.items()}
    tables = small_tables(inputs)
    design = make_design(plan, tables)
    most_bytes = rehearse(design).most_bytes
    by_input: dict[str, Contributions] = {}
    partitions: list[Partition] = []
    for name, spec in inputs.items():
        of_input = partitions_of(spec, design.facts[name], stamps[name], tables.pop(name, None))
        if of_input[0].data is None:
            partitions += of_input
        else:
            by_input[name] = contributions(of_input[0], _mechanisms(design, name))
        del of_input  # before the next one is read: its data are as large as a part
    return design, most_bytes, by_input, partitions


def _refuse_early(design: Design, ledger: Ledger | None, limits: Policy | None) -> None:
    """Better now than after all parts have been read; what others pay meanwhile counts when this is paid."""
    spent: tuple[float, float] | tuple[()] = ()
    if ledger is not None:
        grant, standing = afforded(design, ledger)
        spent = standing.after, grant.delta
    if limits is not None:
        limits.require(design.guarantees(*spent))


def _mechanisms(design: Design, name: str) -> dict[str, Mechanism[Any]]:
    """The mechanisms of the outputs that an input is for."""
    return {output.name: output.mechanism for output in design.outputs if output.spec.input == name}


def _contributions(
    partition: Partition, mechanisms: Mapping[str, Mechanism[Any]]
) -> dict[str, Contributions]:
    return {partition.spec.name: contributions(partition, mechanisms)}


def _joined(first: dict[str, Contributions], second: dict[str, Contributions]) -> dict[str, Contributions]:
    """What the participants of two parts contribute, of one input or of two."""
    for name, contributed in second.items():
        first[name] = first[name].joined(contributed) if name in first else contributed
    return first


def _refuse_nothing_left(planned: PlannedOutput, contributed: Contributions) -> None:
    """Refuse an output of which noise alone would be released. Whether it is depends on the data (docs/explanation/limits.md)."""
    counts = {name: count for name, count in contributed.measured[planned.name].items() if count}
    clipped = {
        loss.feature for loss in contributed.losses if loss.reason is Reason.CLIPPED and loss.share == 1
    }
    if set(counts) - clipped:
        return
    lost = [
        loss
        for loss in contributed.losses
        if loss.is_most and (loss.feature is None or loss.feature in counts)
    ]
    raise DataError(
        "nothing-left",
        "no data are left for this output: it would be only noise and still spend ε",
        where=planned.spec.where,
        found="; ".join(map(_uncounted, lost)) or "no row has the measurements that it needs",
        remedy="correct the screen, the bounds, the unit or the missing codes in the plan",
    )


def _uncounted(loss: Loss) -> str:
    """A loss in words, without the numbers, which are private: messages are passed on."""
    what = "rows" if loss.feature is None else f"values of '{loss.feature}'"
    return f"{'all' if loss.share == 1 else 'most'} {what} {loss.what}"


def _curator_notes(
    design: Design, by_input: Mapping[str, Contributions], released: Mapping[str, Drawn]
) -> CuratorNotes:
    remarks = {}
    for name, facts in design.facts.items():
        sentences = by_input[name].reach.notes
        if facts.without_rows:
            unused = ", ".join(f"'{label}'" for label in facts.without_rows[:_MOST_NAMED])
            sentences = (*sentences, f"{NO_ROWS} {unused}, which the plan lists")
        deciding = any(_MOST & output.spec.written for output in design.outputs if output.spec.input == name)
        if deciding and facts.are_numbered:
            sentences = (*sentences, _NUMBERED)
        remarks[name] = sentences
    losses = {name: by_input[name].losses for name in design.facts}
    return CuratorNotes(losses, remarks).with_tests({name: drawn.notes for name, drawn in released.items()})


def _payment(design: Design, ledger: Ledger, private: CuratorNotes, target: Path) -> Payment:
    plan = design.plan
    grant, standing = afforded(design, ledger)
    replaced = (target,) if target.exists() else ()
    name = f"{plan.release['name']} {plan.release['version']}"
    return Payment(
        (name,),
        ledger.path,
        plan.dataset,
        grant,
        standing,
        replaced,
        private,
        tuple(weak_guarantee(design)),
        tuple(no_better_outputs(design)),
    )
