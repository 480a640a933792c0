"""Privacy cost and expected accuracy of a plan, in words and numbers; reads no private value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from synthrelease.building.affordable import afforded
from synthrelease.building.design import Design, PlannedOutput, make_design, warnings, weak_guarantee
from synthrelease.building.memory import memory
from synthrelease.building.power import people_here
from synthrelease.building.preview_words import as_text
from synthrelease.building.rehearsal import rehearse
from synthrelease.bundle.disclosure import covering, warning_sentence
from synthrelease.bundle.finding import claims_of_public_data
from synthrelease.dp.error_bounds import beyond, chebyshev
from synthrelease.dp.event import Noise, noise_of
from synthrelease.extras import FIGURES, require
from synthrelease.files.atomic import refuse_unwritable
from synthrelease.ledgers import Ledger
from synthrelease.notebook import CardTable, NotebookCard, Tone
from synthrelease.plan.plan import PlanLike, load_plan
from synthrelease.plan.policy import Policy, load_policy
from synthrelease.printable import short_repr

_DEVIATIONS = 2.0  # standard deviations, as in textbooks' examples


class Preview(dict[str, Any]):
    """A preview as data, with the keys of `synthrelease preview --json`; `str()` of it is what the command prints.

    Its `outputs` are a list with an entry for each: `epsilon`, `delta`, `guarantee`, `noise`, `scale_steps`, `sensitivity_steps`,
    `error`, `people`, `people_needed`, `beyond_deviations` (how likely noise of two standard deviations or more is), and tables.
    """

    def __repr__(self) -> str:
        names = ", ".join(output["name"] for output in self["outputs"])
        return short_repr(self, f"of {self['release']}: {self['guarantee']}; {names}")

    def _repr_html_(self) -> str:
        rows = tuple(
            (output["name"], output["kind"], output["guarantee"], output["error"] or "–")
            for output in self["outputs"]
        )
        return NotebookCard(
            "Preview",
            self["release"],
            self["guarantee"],
            Tone.PLAIN,
            ("Nothing was drawn, and nothing was charged. print() shows all of it.",),
            CardTable(("output", "kind", "guarantee by itself", "expected error"), rows),
            tuple(self["warnings"]),
        ).html

    def __str__(self) -> str:
        return as_text(self)


Spent = Mapping[str, float]  # how a ledger stands after a release, in the words of a preview


def preview(design: Design, policy: Policy | None = None) -> Preview:
    """Return the preview as data: per output budget, guarantee, noise, expected error, participants needed; breaches of a policy.

    Everything follows from the plan, the public facts and the ledger; two datasets that agree in those give the same preview.
    """
    return figures(design, spending(design), policy)


def figures(design: Design, spent: Spent | None, policy: Policy | None = None) -> Preview:
    """Return the same, where it is known what will be spent; None if no ledger counts it, or not yet."""
    rows = []
    for output in design.outputs:
        noise, parameters = noise_of(output.event), output.mechanism.parameters
        people = people_here(design, output)
        error, needed = output.mechanism.prediction(output.event, output.budget, people)
        rows.append(
            {
                "name": output.name,
                "kind": output.spec.kind,
                "epsilon": None if output.budget is None else round(output.budget.epsilon, 9),
                "delta": None if output.budget is None else output.budget.delta,
                "guarantee": str(output.guarantee),
                "noise": None if noise is None else noise.type,
                "scale_steps": None if noise is None else noise.scale,
                "sensitivity_steps": None if noise is None else noise.sensitivity,
                "derivation": None
                if noise is None
                else parameters.sentence(parameters.derivation(design.plan.neighbours)),
                "error": error,
                "people": people,
                "people_needed": needed,
                "units": output.mechanism.units(output.event, output.guarantee, output.budget),
                "expected": [] if people is None else _expected(output, people),
                "errors": output.mechanism.errors(output.event),
                "beyond_deviations": None if noise is None else _tail(noise),
                "comparison": output.mechanism.comparison(output.budget),
            }
        )
    budgets = [output.budget for output in design.outputs if output.private and output.budget is not None]
    added_up = round(sum(budget.epsilon for budget in budgets), 9)
    entries = [
        {"name": output.name, "mechanism": output.mechanism.parameters.to_entry()}
        for output in design.outputs
    ]
    return Preview(
        {
            "release": design.plan.release["name"],
            "outputs": rows,
            "guarantee": covering(
                design.guarantee, [output.name for output in design.outputs if not output.private]
            ),
            "method": design.method,
            "ledger": spent,
            "policy": None if policy is None else _policy_form(policy, design, spent),
            "epsilon": design.guarantee.epsilon,
            "added_up": added_up,
            "memory": asdict(memory(design)),
            "warnings": [
                *map(warning_sentence, warnings(design)),
                *(f"taken on trust: {claim}" for claim in claims_of_public_data(entries)),
            ],
            "weak_guarantee": weak_guarantee(design),
        }
    )


def preview_of_plan(
    plan: PlanLike,
    *,
    frames: Mapping[str, object] | None = None,
    policy: str | Path | None = None,
    page: Path | None = None,
    force: bool = False,
) -> Preview:
    """Return the preview of a plan, and write it as a page if one is named.

    Raises:
        InputError: plan or data cannot be used.
        PolicyError: the guarantee would be false or empty.
        MachineError: the page cannot stand there, or a library that draws it is not installed.
    """
    checked = load_plan(plan, frames)
    limits = None if policy is None else load_policy(policy)
    if page is not None:
        require(*FIGURES)
        used = checked.files() if policy is None else {**checked.files(), "the policy": Path(policy)}
        refuse_unwritable(page, used, force=force, what="page")
    design = make_design(checked)
    manifest = rehearse(design).manifest
    view = preview(design, limits)
    if page is not None:
        from synthrelease.building.preview_page import write_preview_page  # noqa: PLC0415  slow to import

        write_preview_page(design, view, manifest, page, force=force)
    return view


def _expected(output: PlannedOutput, people: int) -> list[dict[str, Any]]:
    expectations = output.mechanism.expected(output.event, output.budget, people)
    return [{**asdict(one), "useless": one.is_useless, "doubtful": one.is_doubtful} for one in expectations]


def _tail(noise: Noise) -> dict[str, float]:
    """How likely noise is that far out, exactly and by Chebyshev's inequality: for programs, since a table has the 95 %."""
    return {
        "deviations": _DEVIATIONS,
        "probability": beyond(noise, deviations=_DEVIATIONS),
        "chebyshev": chebyshev(deviations=_DEVIATIONS),
    }


def spending(design: Design) -> Spent | None:
    """Return what all releases will have cost, with this one, as the plan's ledger is now; errors as of `afforded`."""
    if design.plan.ledger is None:
        return None
    grant, standing = afforded(design, Ledger(design.plan.ledger))
    return {
        "granted": grant.epsilon,
        "delta": grant.delta,
        "before": standing.before,
        "here": standing.here,
        "after": standing.after,
    }


def _policy_form(policy: Policy, design: Design, spent: Spent | None) -> dict[str, Any]:
    return {
        "name": policy.limits["name"],
        "breaches": policy.breaches(
            design.guarantees() if spent is None else design.guarantees(spent["after"], spent["delta"])
        ),
        "required_attacks": policy.required_attacks,
    }
