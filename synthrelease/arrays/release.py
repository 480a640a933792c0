"""What a call of one mechanism releases, and what several calls cost together."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from synthrelease.building.design import make_design, warnings
from synthrelease.building.ready import released_output
from synthrelease.bundle.disclosure import warning_sentence
from synthrelease.data.arguments import plain
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.dp import accounting
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Guarantee, Neighbours, NoGuarantee
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import ArgumentError, SynthReleaseError, no_such
from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.values import Values
from synthrelease.plan.complaints import nearest
from synthrelease.plan.partitions import Contributions, contributions, partitions_of, small_tables, stamp_of
from synthrelease.plan.plan import keys_of, plan_of

Labels = str | tuple[str, ...]
_ROWS = "rows"  # the only input
_OF_ENTRIES = {"name", "input", "share", "epsilon", "delta"}  # keys of a plan's entry that no call has
_REPEATABLE = "the noise came from a test seed: it can be repeated, and taken away"


@dataclass(frozen=True)
class ArrayRelease:
    """What one call of a mechanism released; `str()` of it states the guarantee.

    Attributes:
        name: of the function.
        values: arrays by name, such as "heatmap", of the shapes and units of the bundle's datasets (docs/reference/format.md).
        datasets: what each array is: `axes` with names, coordinates and units, and its own `unit`.
        guarantee: of this call only; none with a test seed.
        event: what was done, for `compose`.
        mechanism: name, parameters and public inputs, as a manifest has them.
        warnings: what a reader of the values must know; public.
        notes: what was dropped or clipped, only for the curator.
        test_seed: whether the noise can be repeated: then nothing is protected, and nothing may be published.
    """

    name: str
    values: Mapping[str, NDArray[Any]] = field(repr=False)
    datasets: Mapping[str, Dataset] = field(repr=False)
    guarantee: Guarantee
    event: Event
    mechanism: dict[str, Any] = field(repr=False)
    warnings: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    test_seed: bool

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array, in the unit and of the shape of the dataset of that name; KeyError if there is none."""
        if name not in self.values:
            raise no_such("array", name, self.values)
        return self.values[name]

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def keys(self) -> KeysView[str]:
        """Return the names of all arrays."""
        return self.values.keys()

    def of(self, name: str) -> dict[Labels, NDArray[Any]]:
        """Return an array taken apart, such as the heatmap of each stimulus by its name; by a tuple of labels if there are several.

        Shapes and units are those of one item. KeyError if there is no such array.
        """
        array, axes = self[name], self.datasets[name].axes[: self.datasets[name].items]
        arrays: dict[Labels, NDArray[Any]] = {}
        for index in self.datasets[name].indices():
            labels = tuple(str(axis.coordinates[number]) for axis, number in zip(axes, index, strict=True))
            arrays[labels[0] if len(labels) == 1 else labels] = array[index]
        return arrays

    def __str__(self) -> str:
        lines = [f"{self.name} by {self.mechanism['name']}: {self.guarantee}"]
        if self.test_seed:
            lines.append("TEST SEED - DO NOT PUBLISH: the noise can be taken away")
        lines += [f"  caveat: {warning}" for warning in self.warnings]
        lines.append(
            "  caveat: every further call on these participants spends more of the budget; compose([...]) adds it up"
        )
        return "\n".join(lines)


def compose(calls: Sequence[ArrayRelease], *, delta: float = 0.0) -> Guarantee:
    """Return the guarantee of several calls together for a person who is in all of them, composed exactly from their events.

    It holds if all that was to be called was settled before the first result was seen. Who chooses a call after
    seeing others needs a ledger (`synthrelease.Ledger`, docs/howto/budget.md).

    Args:
        calls: every call on these participants, including those whose result was discarded.
        delta: δ at which ε is stated; needed if there is Gaussian noise. Dimensionless, as ε.

    Returns:
        The guarantee; `NoGuarantee` if one of several calls is no differential privacy: k and γ of records say nothing of other calls.

    Raises:
        ArgumentError: no calls, calls under different relations, a call with a test seed, or Gaussian noise without δ.

    Source: `synthrelease/dp/accounting.proof.md`.

    Example:
        >>> from synthrelease.arrays import statistics
        >>> pupil = {"pupil_mm": [3.1, 3.3, 2.9, 4.0]}
        >>> ways = {"person": ["a", "b", "c", "d"], "values": pupil, "bounds": {"pupil_mm": (1.5, 8.0)}}
        >>> one = statistics(**ways, statistics=["mean"], epsilon=0.5)
        >>> other = statistics(**ways, statistics=["median"], epsilon=0.25)
        >>> print(compose([one, other]))
        ε = 0.75 per person (replace-one)
    """
    composable = _composable(calls)
    relation = composable[0].guarantee.neighbours
    if not isinstance(delta, int | float) or not 0 <= delta < 0.5:
        raise ArgumentError(
            "bad-delta",
            "there is no such δ",
            where="compose().delta",
            expected="at least 0, and less than 0.5",
            remedy="write one well below 1/participants, such as delta=1e-6",
        )
    events = [call.event for call in composable]
    without_epsilon = [call for call in composable if not accounting.is_differentially_private(call.event)]
    if without_epsilon and len(composable) > 1:
        reason = "; ".join(f"{call.name}: {call.guarantee}" for call in without_epsilon)
        return NoGuarantee(reason=f"not all calls have an ε ({reason})", neighbours=relation)
    if not without_epsilon and not delta and accounting.parts_of(events).needs_delta:
        raise ArgumentError(
            "gaussian-needs-delta",
            "Gaussian noise has no guarantee with δ = 0",
            where="compose().delta",
            expected="delta > 0",
            remedy="give the δ at which ε is to be stated, such as compose([…], delta=1e-6)",
        )
    return accounting.compose(events, delta=delta, neighbours=relation)


def _composable(calls: object) -> list[ArrayRelease]:
    """All calls, under one relation: a list, since what can be gone through once only would be composed to nothing."""
    several = list(calls) if isinstance(calls, Iterable) and not isinstance(calls, ArrayRelease) else None
    if not several or not all(isinstance(call, ArrayRelease) for call in several):
        empty = several is not None and not several
        raise ArgumentError(
            "nothing-to-compose" if empty else "not-a-list-of-calls",
            "there are no calls to compose" if empty else "not a list of what calls returned",
            where="compose().calls",
            found="" if empty else f"one {type(calls).__name__}",
            expected="one call or more, in a list",
            remedy="write compose([call, another])",
        )
    relations = {call.guarantee.neighbours for call in several}
    if len(relations) != 1:
        raise ArgumentError(
            "mixed-neighbours",
            "the calls are not under one relation",
            where="compose().calls",
            found=", ".join(sorted(relations)),
            expected="one",
            remedy="make all calls with the same neighbours",
        )
    if any(call.test_seed for call in several):
        raise ArgumentError(
            "composed-test-seed",
            "a call was made with a test seed: its noise has no guarantee",
            where="compose().calls",
            expected="noise that no one can repeat",
            remedy="make the calls without test_seed",
        )
    return several


@dataclass(frozen=True)
class RequestedGuarantee:
    """The guarantee that a call is to have."""

    epsilon: float  # ε per person
    delta: float  # δ per person
    neighbours: str = Neighbours.REPLACE_ONE  # the neighbouring relation
    allow_unprotected: bool = False  # whether it may be nothing


def released(
    name: str,
    rows: InMemoryFrame,
    source: Mapping[str, Any],
    output: Mapping[str, Any],
    requested: RequestedGuarantee,
    *,
    test_seed: int | None,
) -> ArrayRelease:
    """Release one output of rows in memory, as `build` does.

    Args:
        name: of the function that is called.
        rows: the private rows.
        source: the input in a plan's words, without its path.
        output: the output in a plan's words, without name and input.
        requested: budget and relation.
        test_seed: for noise that can be repeated; None for noise that cannot.

    Raises:
        InputError: arrays or parameters cannot be used.
        PolicyError: the guarantee would be false or empty.
    """
    _refuse_unknown_arguments(name, output)
    document = _document(name, {_ROWS: {"path": rows.name, **source}}, output, requested)
    random = SecureRandom() if test_seed is None else SecureRandom.for_tests(test_seed)
    try:
        plan = plan_of(document, rows, called=name)
        spec = plan.inputs[_ROWS]
        stamp = stamp_of(spec.source)
        tables = small_tables({_ROWS: spec})
        design = make_design(plan, tables)
        (planned,) = design.outputs
        partitions = partitions_of(spec, design.facts[_ROWS], stamp, tables.pop(_ROWS, None))
        mechanisms = {name: planned.mechanism}
        contributed = functools.reduce(
            Contributions.joined, (contributions(people, mechanisms) for people in partitions)
        )
        drawn = released_output(planned, contributed.collected[name], random)
    except SynthReleaseError as error:
        _say_as_call(error, name)
        raise
    parameters = drawn.parameters
    values = Values(parameters, drawn.event, drawn.arrays)
    return ArrayRelease(
        name,
        {path: values.array(path) for path in values.datasets},
        values.datasets,
        NoGuarantee(reason=_REPEATABLE, neighbours=plan.neighbours) if random.seeded else planned.guarantee,
        drawn.event,
        parameters.to_entry(),
        (
            *map(warning_sentence, warnings(design, is_tracked=True)),
            *map(parameters.sentence, parameters.warnings()),
        ),
        (*contributed.notes, *drawn.notes),
        random.seeded,
    )


def _document(
    name: str,
    inputs: Mapping[str, Mapping[str, Any]],
    output: Mapping[str, Any],
    requested: RequestedGuarantee,
) -> dict[str, Any]:
    """The plan of a call, as TOML would be read."""
    privacy, options = (
        {key: plain(value, f"{name}().{key}") for key, value in arguments.items()}
        for arguments in (vars(requested), output)
    )
    return {
        "release": {"name": name.replace("_", "-"), "version": "0", "title": name},
        "privacy": privacy,
        "inputs": inputs,
        "outputs": [{"name": name, "input": _ROWS, **options}],
    }


def _refuse_unknown_arguments(name: str, output: Mapping[str, Any]) -> None:
    allowed = keys_of(output["kind"]) - _OF_ENTRIES
    if unknown := [key for key in output if key not in allowed]:
        offered = sorted(allowed - {"kind"})
        raise ArgumentError(
            "unknown-argument",
            f"there is no argument '{unknown[0]}'",
            where=f"{name}()",
            expected="besides those of the signature, one of " + ", ".join(offered),
            remedy=nearest(unknown[0], offered) or "leave it out",
        )


def _say_as_call(error: SynthReleaseError, name: str) -> None:
    """Say places in the plan that no one wrote as places in the call, wherever the error names one."""
    for part in ("problem", "where", "found", "expected", "remedy"):
        text = getattr(error, part)
        for place, called in {
            f"{name}: outputs[0] ({name})": f"{name}()",
            f"{name}: outputs[0]": f"{name}()",
            f"{name}: inputs.{_ROWS}": f"{name}()",
            f"{name}: privacy": f"{name}()",
            f"under inputs.{_ROWS}.categories, or map it as recording": "as `labels` and `categories`",
            "set distinct_labels = true under [privacy]": "number them: person=numpy.unique(person, return_inverse=True)[1]",
            " under [privacy]": "",
        }.items():
            text = text.replace(place, called)
        setattr(error, part, text)
