"""What a call of one mechanism releases, and what several calls cost together."""

from __future__ import annotations

import functools
from collections.abc import Iterator, KeysView, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from numpy.typing import NDArray

from synthrelease.building.design import design_with, public_facts, warnings
from synthrelease.building.ready import released_output
from synthrelease.bundle.disclosure import warning_sentence
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.data.arguments import plain
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import REPEATABLE, Guarantee, Neighbours, NoGuarantee
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PolicyError, SynthReleaseError, no_such
from synthrelease.kinds.dataset import Dataset
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.values import Values
from synthrelease.plan.partitions import Contributions, contributions, partitions_of, small_tables, stamp_of
from synthrelease.plan.plan import CheckedPlan, plan_of
from synthrelease.printable import short_repr
from synthrelease.reports.plotted import Plotted

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from synthrelease.exports.table import OutputSource
    from synthrelease.reports.views import OutputViews

Labels = str | tuple[str, ...]
_ROWS = "rows"  # the only input
# Codes, and what else helps.
_NEED_DELTA = {
    "gaussian-needs-delta": "; or choose Laplace noise, which needs none",
    "test-needs-delta": "",
}
_USUAL_DELTA = 1e-6  # where the number of people is private
_SPENDS = "every further call on these participants spends more of the budget; compose([...]) adds it up"


@dataclass(frozen=True, repr=False)
class ArrayRelease(Plotted):
    """What one call of a mechanism released; `str()` of it states the guarantee.

    Attributes:
        name: of the function.
        values: arrays by name, such as "heatmap", of the shapes and units of the bundle's datasets (docs/reference/format.md).
        datasets: what each array is: `axes` with names, coordinates and units, and its own `unit`.
        guarantee: of this call only; none with a test seed.
        event: what was done, for `compose`.
        parameters: public parameters of the mechanism.
        warnings: what a reader of the values must know; public.
        notes: what was dropped or clipped, only for the curator.
        test_seed: whether the noise can be repeated: then nothing is protected, and nothing may be published.
    """

    name: str
    values: Mapping[str, NDArray[Any]] = field(repr=False)
    datasets: Mapping[str, Dataset] = field(repr=False)
    guarantee: Guarantee
    event: Event
    parameters: Parameters = field(repr=False)
    warnings: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    test_seed: bool

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return an array, in the unit and of the shape of the dataset of that name, percent-encoded or not; KeyError if there is none."""
        return self.values[self._path(name)]

    def __contains__(self, name: object) -> bool:
        return any(name in (path, unquote(path)) for path in self.values)

    def _path(self, name: object) -> str:
        """The path of a dataset, which is percent-encoded where a label is a part of it."""
        for path in self.values:
            if name in (path, unquote(path)):
                return path
        raise no_such("array", name, [unquote(path) for path in self.values])

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
        dataset = self.datasets[self._path(name)]
        array, axes = self[name], dataset.axes[: dataset.items]
        arrays: dict[Labels, NDArray[Any]] = {}
        for index in dataset.indices():
            labels = tuple(str(axis.coordinates[number]) for axis, number in zip(axes, index, strict=True))
            arrays[labels[0] if len(labels) == 1 else labels] = array[index]
        return arrays

    @property
    def mechanism(self) -> dict[str, Any]:
        """Name, parameters and public inputs, as a manifest has them."""
        return self.parameters.to_entry()

    def to_pandas(self) -> pd.DataFrame | dict[str, pd.DataFrame]:
        """Return the released values as frames of pandas: one if they are one table, else a dict of them by the tables' names.

        The tables are those that a bundle of such an output gives; `attrs` state guarantee and units.

        Raises:
            MachineError: pandas is missing.
        """
        from synthrelease.exports.frames import frames_of  # noqa: PLC0415  pandas is slow to import

        return frames_of(self._source())

    def to_xarray(self) -> xr.Dataset:
        """Return the released values as a dataset of xarray with their coordinates, as a bundle of such an output gives it.

        `attrs` state guarantee, units and warnings; with a test seed, that nothing may be published.

        Raises:
            MachineError: xarray is missing.
        """
        from synthrelease.exports.arrays import dataset_of  # noqa: PLC0415  xarray is slow to import

        return dataset_of(self._source())

    def _source(self) -> OutputSource:
        from synthrelease.exports.sources import source_of_call  # noqa: PLC0415  polars is slow to import

        return source_of_call(
            self.name,
            self.parameters,
            self.values,
            {"guarantee": self.guarantee.to_json(), "event": self.event.to_json()},
            warnings=self.warnings,
            test_seed=self.test_seed,
        )

    def _pictured(self) -> tuple[OutputViews, bool]:
        return self._views(), self.test_seed

    def _views(self) -> OutputViews:
        from synthrelease.reports.released import InMemory  # noqa: PLC0415  slow to import
        from synthrelease.reports.views import OutputViews  # noqa: PLC0415  slow to import

        kind, event = self.parameters.kind, self.event.to_json()
        entry = {"name": self.name, "kind": kind, "mechanism": self.mechanism, "event": event}
        return OutputViews(InMemory(self.values), entry)

    def __repr__(self) -> str:
        seed = f"{TEST_SEED_WORDS}; " if self.test_seed else ""
        arrays = ", ".join(f"{name} {values.shape}" for name, values in self.values.items())
        return short_repr(self, f"{self.name}: {seed}{self.guarantee}; {arrays}")

    def _repr_html_(self) -> str:
        from synthrelease.reports.notebook_cards import call_card  # noqa: PLC0415  only for a notebook

        warnings = (*self.warnings, _SPENDS)
        return call_card(self._views(), self.guarantee, warnings=warnings, test_seed=self.test_seed).html

    def __str__(self) -> str:
        lines = [f"{self.name} by {self.parameters.name}: {self.guarantee}"]
        if self.test_seed:
            lines.append(f"{TEST_SEED_WORDS}: the noise can be taken away")
        lines += [f"  caveat: {warning}" for warning in self.warnings]
        lines.append(f"  caveat: {_SPENDS}")
        return "\n".join(lines)


@dataclass(frozen=True)
class RequestedGuarantee:
    """The guarantee that a call is to have."""

    epsilon: float  # ε per person
    delta: float  # δ per person
    neighbours: str = Neighbours.REPLACE_ONE  # the neighbouring relation


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
    document = _document(name, {_ROWS: {"path": rows.name, **source}}, output, requested)
    random = SecureRandom() if test_seed is None else SecureRandom.for_tests(test_seed)
    try:
        plan = plan_of(document, rows, called=name)
        spec = plan.inputs[_ROWS]
        stamp = stamp_of(spec.source)
        tables = small_tables({_ROWS: spec})
        facts = public_facts(plan, tables)
        try:
            design = design_with(plan, facts)
        except PolicyError as error:
            if error.code in _NEED_DELTA:
                error.remedy = _proposed_delta(plan, facts[_ROWS].people) + _NEED_DELTA[error.code]
            raise
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
        NoGuarantee(reason=REPEATABLE, neighbours=plan.neighbours) if random.seeded else planned.guarantee,
        drawn.event,
        parameters,
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


def _proposed_delta(plan: CheckedPlan, people: int) -> str:
    """What to write where δ is needed: a power of ten of at most 1/(100 · participants), if their number is public."""
    if plan.neighbours == Neighbours.REPLACE_ONE:
        return f"write delta=1e-{len(str(100 * people - 1))}: at most 1/(100 · {people} participants)"
    return f"write delta={_USUAL_DELTA:.0e}: well below 1/participants, whose number is private"


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
            "set distinct_labels = true under [privacy]": "give each a label that depends on no one else, which a number in an order would: person=[one and one.strip().encode().hex() for one in person]",
            " under [privacy]": "",
        }.items():
            text = text.replace(place, called)
        setattr(error, part, text)
