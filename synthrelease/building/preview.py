"""Privacy cost and expected accuracy of a plan, in words and numbers; reads no private value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from synthrelease.building.design import Design, PlannedOutput, warnings, weak_guarantee
from synthrelease.building.memory import memory
from synthrelease.bundle.disclosure import WEAK, warning_sentence
from synthrelease.dp.error_bounds import beyond, chebyshev
from synthrelease.dp.event import Noise, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.expectation import ERROR
from synthrelease.ledger import Ledger
from synthrelease.number_words import listed, several
from synthrelease.plan.policy import Policy
from synthrelease.report.summary import wrapped

_NOTABLE = 1.05  # times: from there on the text says how much exact composition saves
_DEVIATIONS = 2.0  # standard deviations, as in textbooks' examples
_GIGABYTE = 1_000_000_000  # bytes


class Preview(dict[str, Any]):
    """A preview as data, with the keys of `synthrelease preview --json`; `str()` of it is what the command prints.

    Its `outputs` are a list with an entry for each: `epsilon`, `delta`, `guarantee`, `noise`, `scale_steps`, `sensitivity_steps`,
    `error`, `people`, `people_needed`, `beyond_deviations` (how likely noise of two standard deviations or more is), and tables.
    """

    def __str__(self) -> str:
        return as_text(self)


def preview(design: Design, policy: Policy | None = None) -> Preview:
    """Return the preview as data: per output budget, guarantee, noise, expected error, participants needed; breaches of a policy.

    Everything follows from the plan and the public facts; two datasets that agree in those give the same preview.
    """
    rows = []
    for output in design.outputs:
        noise, parameters = noise_of(output.event), output.mechanism.parameters
        people_public = design.plan.neighbours is Neighbours.REPLACE_ONE
        people = design.facts[output.spec.input].people if people_public else None
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
    standing = _standing(design)
    return Preview(
        {
            "release": design.plan.release["name"],
            "outputs": rows,
            "guarantee": str(design.guarantee),
            "method": design.method,
            "ledger": standing,
            "policy": None if policy is None else _policy_form(policy, design, standing),
            "epsilon": design.guarantee.epsilon,
            "added_up": added_up,
            "memory": asdict(memory(design)),
            "warnings": [warning_sentence(warning) for warning in warnings(design)],
            "weak_guarantee": weak_guarantee(design),
        }
    )


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


def _standing(design: Design) -> dict[str, float] | None:
    """What all releases will have cost, with this one."""
    if design.plan.ledger is None:
        return None
    grant, standing = Ledger(design.plan.ledger).standing(design.charge())
    return {
        "granted": grant.epsilon,
        "delta": grant.delta,
        "before": standing.before,
        "here": standing.here,
        "after": standing.after,
    }


def _policy_form(policy: Policy, design: Design, standing: dict[str, float] | None) -> dict[str, Any]:
    return {
        "name": policy.limits["name"],
        "breaches": policy.breaches(
            design.guarantees()
            if standing is None
            else design.guarantees(standing["after"], standing["delta"])
        ),
        "required_attacks": policy.required_attacks,
    }


def as_text(view: Mapping[str, Any]) -> str:
    """Return the preview for a terminal."""
    lines = [f"{view['release']}: guarantee and expected accuracy", ""]
    for warning in view["weak_guarantee"]:
        lines = [*wrapped(f"{WEAK}: ", warning), "", *lines]
    for row in view["outputs"]:
        people = "" if row["people"] is None else f", {several(row['people'], 'participant')}"
        lines.append(f"{row['name']} ({row['kind']}{people})")
        lines.extend(_line("guarantee", row["guarantee"]))
        if row["noise"] is not None:
            noise = (
                f"{row['noise'].replace('_', ' ')}, scale {row['scale_steps']:.6g} for "
                f"sensitivity {row['sensitivity_steps']:.6g} (integer grid units)"
            )
            lines.extend([*_line("noise", noise), *_line("sensitivity", row["derivation"])])
        lines.extend([*_line("expected", row["error"]), *_line("participants needed", row["people_needed"])])
        lines.extend(_no_better(row["expected"]))
        for table in (_expected_table(row["expected"]), row["errors"], row["units"], row["comparison"]):
            lines.extend(_table(table))
        lines.append("")
    lines.append(f"All differentially private outputs together: {view['guarantee']}")
    if view["epsilon"]:
        times = view["added_up"] / view["epsilon"]
        more = f" ({times:.1f} times as much)" if times > _NOTABLE else ""
        lines.append(
            f"  accounting: {view['method']}; simple composition would give ε = {view['added_up']:g}{more}"
        )
    spent = view["ledger"]
    if spent is not None:
        lines.append(
            f"Ledger: ε = {spent['after']:.4g} of {spent['granted']:g} spent after this release, at δ = {spent['delta']:.2g}"
        )
        lines.append(f"  spent before: {spent['before']:.4g}; this release: {spent['here']:.4g}")
    lines.extend(_memory_lines(view["memory"]))
    for warning in view["warnings"]:
        if warning not in view["weak_guarantee"]:
            lines.extend(wrapped("  note: ", warning))
    if view["policy"] is not None:  # last, where it is seen
        lines.extend(_policy_lines(view["policy"]))
    return "\n".join(lines)


def _expected_table(expected: list[dict[str, Any]]) -> list[list[str]]:
    """The errors to expect, next to those of a guess, in the unit of what is released; none of measures that stand in a sentence."""
    errors = [one for one in expected if one["measure"] == ERROR]
    if not errors:
        return []
    rows = [["mean error expected", "at best", "at worst", "no data"]]
    for one in errors:
        numbers = (one["best"], one["worst"], one["without_data"])
        rows.append([one["subject"], *(f"{number:.3g}" for number in numbers)])
    return rows


def _no_better(expected: list[dict[str, Any]]) -> list[str]:
    """Which released values are expected to be no better than a guess from public facts, or may be none."""
    useless = [one["subject"] for one in expected if one["useless"]]
    doubtful = [one["subject"] for one in expected if one["doubtful"] and not one["useless"]]
    lines = wrapped("  WEAK ACCURACY: no better than no data: ", listed(useless)) if useless else []
    return lines + (wrapped("  may be no better than no data: ", listed(doubtful)) if doubtful else [])


def _memory_lines(memory: dict[str, Any]) -> list[str]:
    alone, worker, coordinator = (
        _gigabytes(memory[f"{key}_bytes"]) for key in ("alone", "worker", "coordinator")
    )
    lines = wrapped(
        "Memory: ",
        f"at most {alone} in one process, for data of any size (small data take far less); with --jobs {worker} in each worker, {coordinator} in the "
        "coordinator",
    )
    lines.extend(
        f"  and {_gigabytes(1_000_000 * each)} per million rows of {name}, which are kept until noise is added"
        for name, each in memory["row_bytes"].items()
    )
    drawing = [
        f"{_gigabytes(1_000_000 * each)} per million rows of {name}"
        for name, each in memory["drawing_row_bytes"].items()
    ]
    if drawing:
        fixed = _gigabytes(memory["drawing_bytes"])
        lines.extend(wrapped("  ", f"while it is added, if that is more: {' and '.join([fixed, *drawing])}"))
    if memory["person_bytes"]:
        lines.append(f"  and {_gigabytes(1_000_000 * memory['person_bytes'])} per million participants")
    for name, each in memory["part_row_bytes"].items():
        rows = memory["most_rows"][name]
        lines.extend(
            wrapped(
                "  ",
                f"of the first number, {_gigabytes(1_000_000 * each)} per million rows of {name} that are read at once: at most {rows:,}, "
                "or all of one participant's if these are more",
            )
        )
    return lines


def _gigabytes(number: int) -> str:
    return f"{number / 1e9:.1f} GB" if number >= _GIGABYTE else f"{number / 1e6:.0f} MB"


def _policy_lines(checked: dict[str, Any]) -> list[str]:
    lines = [f"Policy '{checked['name']}': {'REFUSED' if checked['breaches'] else 'kept'}"]
    for breach in checked["breaches"]:
        lines.extend(wrapped("  ", breach))
    if checked["required_attacks"]:
        lines.extend(
            wrapped("  ", "attacks required before publication: " + ", ".join(checked["required_attacks"]))
        )
    if checked["breaches"]:
        lines.append("  to do: change the plan, or ask the authors of the policy")
    return lines


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for number, (first, *texts) in enumerate(rows):
        again = number > 1 and first == rows[number - 1][0]
        cells = [text.rjust(width) for text, width in zip(texts, widths[1:], strict=True)]
        lines.append("    " + "  ".join([("" if again else first).ljust(widths[0]), *cells]))
    return lines


def _line(name: str, text: str) -> list[str]:
    return wrapped(f"  {name:<20} ", text)
