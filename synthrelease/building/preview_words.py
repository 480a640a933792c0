"""Sentences of a preview, and the preview as text for a terminal; the page has the same sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synthrelease.bundle.disclosure import WEAK
from synthrelease.kinds.expectation import ERROR
from synthrelease.number_words import listed, several
from synthrelease.reports.summary import wrapped

NO_BETTER = "WEAK ACCURACY: no better than no data"
MAYBE_NO_BETTER = "may be no better than no data"
_NOTABLE = 1.05  # times: from there on the text says how much exact composition saves
_GIGABYTE = 1_000_000_000  # bytes


def as_text(view: Mapping[str, Any]) -> str:
    """Return the preview for a terminal."""
    lines = [f"{view['release']}: guarantee and expected accuracy", ""]
    for warning in view["weak_guarantee"]:
        lines = [*wrapped(f"{WEAK}: ", warning), "", *lines]
    for row in view["outputs"]:
        lines.append(f"{row['name']} ({kind_words(row)})")
        lines.extend(_line("guarantee", row["guarantee"]))
        if row["noise"] is not None:
            lines.extend([*_line("noise", noise_words(row)), *_line("sensitivity", row["derivation"])])
        lines.extend([*_line("expected", row["error"]), *_line("participants needed", row["people_needed"])])
        for head, subjects in no_better_subjects(row["expected"]).items():
            lines.extend(wrapped(f"  {head}: ", listed(subjects)))
        for table in tables_of(row):
            lines.extend(_table(table))
        lines.append("")
    lines.append(f"All differentially private outputs together: {view['guarantee']}")
    if view["epsilon"]:
        lines.append(f"  {accounting_words(view)}")
    if view["ledger"] is not None:
        head, details = ledger_words(view["ledger"])
        lines.extend([f"Ledger: {head}", f"  {details}"])
    lines.extend(memory_lines(view["memory"]))
    for warning in other_warnings(view):
        lines.extend(wrapped("  note: ", warning))
    if view["policy"] is not None:  # last, where it is seen
        lines.extend(_policy_lines(view["policy"]))
    return "\n".join(lines)


def kind_words(row: Mapping[str, Any]) -> str:
    """Return the kind of an output, and its participants where their number is public."""
    people = "" if row["people"] is None else f", {several(row['people'], 'participant')}"
    return f"{row['kind']}{people}"


def noise_words(row: Mapping[str, Any]) -> str:
    """Return the noise of an output that has one."""
    return (
        f"{row['noise'].replace('_', ' ')}, scale {row['scale_steps']:.6g} for "
        f"sensitivity {row['sensitivity_steps']:.6g} (integer grid units)"
    )


def no_better_subjects(expected: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return which released values are expected to be no better than a guess from public facts, and which may be none, by what is said of them."""
    useless = [one["subject"] for one in expected if one["useless"]]
    doubtful = [one["subject"] for one in expected if one["doubtful"] and not one["useless"]]
    return {
        head: subjects for head, subjects in ((NO_BETTER, useless), (MAYBE_NO_BETTER, doubtful)) if subjects
    }


def tables_of(row: Mapping[str, Any]) -> list[list[list[str]]]:
    """Return the tables of an output, each with its head first."""
    tables = (_expected_table(row["expected"]), row["errors"], row["units"], row["comparison"])
    return [table for table in tables if table]


def accounting_words(view: Mapping[str, Any]) -> str:
    """Return how the outputs' costs were composed, and what addition would have made of them."""
    times = view["added_up"] / view["epsilon"]
    more = f" ({times:.1f} times as much)" if times > _NOTABLE else ""
    return f"accounting: {view['method']}; simple composition would give ε = {view['added_up']:g}{more}"


def ledger_words(spent: Mapping[str, float]) -> tuple[str, str]:
    """Return what all releases will have cost, and the parts of it."""
    return (
        f"ε = {spent['after']:.4g} of {spent['granted']:g} spent after this release, at δ = {spent['delta']:.2g}",
        f"spent before: {spent['before']:.4g}; this release: {spent['here']:.4g}",
    )


def other_warnings(view: Mapping[str, Any]) -> list[str]:
    """Return the warnings that do not stand before all else."""
    return [warning for warning in view["warnings"] if warning not in view["weak_guarantee"]]


def memory_lines(memory: Mapping[str, Any]) -> list[str]:
    """Return `memory_words` as lines of a terminal."""
    most, *more = memory_words(memory)
    return [*wrapped("Memory: ", most), *(line for one in more for line in wrapped("  ", one))]


def memory_words(memory: Mapping[str, Any]) -> list[str]:
    """Return how much memory a build takes: at most, and of what."""
    alone, worker, coordinator = (
        _gigabytes(memory[f"{key}_bytes"]) for key in ("alone", "worker", "coordinator")
    )
    most = (
        f"at most {alone} in one process, for data of any size (small data take far less); with --jobs {worker} in each worker, {coordinator} in the "
        "coordinator"
    )
    words = [most]
    words += [
        f"and {_gigabytes(1_000_000 * each)} per million rows of {name}, which are kept until noise is added"
        for name, each in memory["row_bytes"].items()
    ]
    drawing = [
        f"{_gigabytes(1_000_000 * each)} per million rows of {name}"
        for name, each in memory["drawing_row_bytes"].items()
    ]
    if drawing:
        fixed = _gigabytes(memory["drawing_bytes"])
        words.append(f"while it is added, if that is more: {' and '.join([fixed, *drawing])}")
    if memory["person_bytes"]:
        words.append(f"and {_gigabytes(1_000_000 * memory['person_bytes'])} per million participants")
    for name, each in memory["part_row_bytes"].items():
        rows = memory["most_rows"][name]
        words.append(
            f"of the first number, {_gigabytes(1_000_000 * each)} per million rows of {name} that are read at once: at most {rows:,}, "
            "or all of one participant's if these are more"
        )
    return words


def policy_words(checked: Mapping[str, Any]) -> str:
    """Return whether a policy is kept."""
    return f"Policy '{checked['name']}': {'REFUSED' if checked['breaches'] else 'kept'}"


def required_attacks_words(checked: Mapping[str, Any]) -> str:
    """Return the attacks that a policy requires; "" for none."""
    required = ", ".join(checked["required_attacks"])
    return f"attacks required before publication: {required}" if required else ""


def _expected_table(expected: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The errors to expect, next to those of a guess, in the unit of what is released; none of measures that stand in a sentence."""
    errors = [one for one in expected if one["measure"] == ERROR]
    if not errors:
        return []
    rows = [["mean error expected", "at best", "at worst", "no data"]]
    for one in errors:
        numbers = (one["best"], one["worst"], one["without_data"])
        rows.append([one["subject"], *(f"{number:.3g}" for number in numbers)])
    return rows


def _gigabytes(number: int) -> str:
    return f"{number / 1e9:.1f} GB" if number >= _GIGABYTE else f"{number / 1e6:.0f} MB"


def _policy_lines(checked: Mapping[str, Any]) -> list[str]:
    lines = [policy_words(checked)]
    for breach in checked["breaches"]:
        lines.extend(wrapped("  ", breach))
    if required := required_attacks_words(checked):
        lines.extend(wrapped("  ", required))
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
