"""Synthetic records: from a plan's words, with defaults from public numbers; what would be false or empty is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from synthrelease.data.attribute import Attribute
from synthrelease.data.facts import Facts
from synthrelease.data.features import RECORDING
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.budget import LAPLACE
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import chosen_features, label_of, names_source
from synthrelease.kinds.records.checks import check_policy, check_sense, trials_for
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.prepare_scanpaths import records_of_trials
from synthrelease.kinds.records.public import DP, MARGINALS, RANDOMIZED, RecordsParameters

_ROWS = 1000


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> SyntheticRecords:
    """Fill in the public parameters of a records output, with defaults from the public number of people.

    Raises:
        PlanError: a parameter contradicts another, or k people cannot be found.
        PolicyError: the test is vacuous and that is not acknowledged, or the guarantee would be false.
    """
    return _OF_INPUT[source.kind](spec, source, facts, neighbours)


def _of_features(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> SyntheticRecords:
    o = spec.options
    _refuse_keys_of_trials(spec, source)
    attributes = _attributes(spec, source, facts)
    task = "task" in o
    rows, trials = _amounts(spec, randomized=o["threshold"] == RANDOMIZED)
    tested = not (o["model"] == MARGINALS and o["fit"] == DP)
    parameters = RecordsParameters(
        name=o["model"],
        people=facts.people,
        names=names_source(source),
        fit=o["fit"],
        dependence=o["dependence"],
        task=task,
        per_task=o.get("per_task", task),
        attributes=attributes,
        order=tuple(range(len(attributes))),
        resampled=_resampled(spec, attributes, task=task, people=facts.people),
        threshold=o["threshold"] if tested else None,
        k=o["k"] if tested else None,
        gamma=float(o["gamma"]) if tested else None,
        counted=o["count"] if tested else None,
        copies=o["copies"],
        rows=rows,
    )
    check_sense(spec, parameters)
    check_policy(spec, parameters)
    return SyntheticRecords(
        parameters=parameters,
        neighbours=neighbours,
        noise=o.get("noise", LAPLACE) if o["fit"] == DP else None,
        trials=trials,
        epsilon0=float(o["epsilon0"]) if "epsilon0" in o else None,
        pass_rate=o.get("pass_rate"),
    )


_OF_INPUT = {"features": _of_features, "gaze": records_of_trials}


def _refuse_keys_of_trials(spec: OutputSpec, source: InputSpec) -> None:
    if "tokens" in spec.options:
        raise PlanError(
            "key-of-trials",
            "the key 'tokens' is for fixations in gaze",
            where=f"{spec.where}.tokens",
            found="an input of kind features",
            expected="an input of kind gaze, whose rows are fixations",
            remedy=f"remove it, or name another input than '{source.name}'",
        )


def _attributes(spec: OutputSpec, source: InputSpec, facts: Facts) -> tuple[Attribute, ...]:
    """The task's label, if any, then features and categories in the order in which they are kept."""
    o, lists, titles = spec.options, source.options["categories"], source.options["labels"]
    task = label_of(spec, "task", source)
    named = o.get("features", [*source.options["bounds"], *(name for name in lists if name != task)])
    features = chosen_features(spec, source, [name for name in named if name not in lists])
    bounds = {feature.name: feature for feature in features}
    order = o.get("order", named)
    _check_names(spec, order, named, task, lists)
    missing = o["missing"] == "category"
    bins = o.get("bins", default_bins(facts.people))
    attributes = []
    if task is not None:
        labels = facts.names if task == RECORDING else tuple(lists[task])
        attributes.append(Attribute(task, len(labels), labels, title=titles.get(task)))
    for name in order:
        if name in bounds:
            feature = bounds[name]
            binned = Attribute(name, bins + missing, None, *feature.bounds, missing)
            attributes.append(replace(binned, unit=feature.unit, title=feature.title))
        else:
            values, title = tuple(lists[name]), titles.get(name)
            attributes.append(Attribute(name, len(values) + missing, values, missing=missing, title=title))
    return tuple(attributes)


def _check_names(
    spec: OutputSpec, order: Sequence[str], named: Sequence[str], task: str | None, lists: Iterable[str]
) -> None:
    """Refuse an order that is not one of the named columns, and columns that a bundle could not hold."""
    if sorted(order) != sorted(named) or task in named:
        raise PlanError(
            "bad-order",
            "the order does not name every feature and category once",
            where=f"{spec.where}.order" if "order" in spec.options else spec.where,
            expected="each of " + ", ".join(name for name in named if name != task),
            remedy="correct the list, or leave it out",
        )
    clash = sorted({RECORDING} & {*named, *lists})
    if clash:
        raise PlanError(
            "reserved-column-name",
            "a column has a name that the bundle needs",
            where=spec.where,
            remedy=f"rename the column '{clash[0]}'",
        )


def default_bins(people: int) -> int:
    """Return ⌈2·√n⌉, at least 5 and at most the 30 of David-John et al. 2022: few people share fine prefixes."""
    return min(30, max(5, math.ceil(2 * math.sqrt(people))))


def _amounts(spec: OutputSpec, *, randomized: bool) -> tuple[int, int]:
    """Rows and trials."""
    o = spec.options
    if not randomized:
        if "epsilon0" in o:
            raise PlanError(
                "key-needs-randomized-test",
                'epsilon0 belongs to threshold = "randomized"',
                where=f"{spec.where}.epsilon0",
                remedy="leave it out, or randomize the threshold",
            )
        rows = o.get("rows", _ROWS)
        return rows, trials_for(spec, rows)
    for key in ("trials", "epsilon0"):
        if key not in o:
            raise PlanError(
                "key-missing",
                f"a randomized test needs `{key}` in the plan: it is paid for",
                where=spec.where,
                expected=f"{key} = …",
                remedy="add it",
            )
    if "rows" in o:
        raise PlanError(
            "rows-with-randomized-test",
            "with a randomized test every trial publishes a record",
            where=f"{spec.where}.rows",
            remedy="leave out rows, and set trials",
        )
    return o["trials"], o["trials"]


def _resampled(
    spec: OutputSpec, attributes: tuple[Attribute, ...], *, task: bool, people: int
) -> tuple[int, ...]:
    """Ω: as the plan says, or so that a kept prefix could be shared by k people if categories were even."""
    o, m = spec.options, len(attributes)
    if o["model"] == MARGINALS:
        if "resampled" in o:
            raise PlanError(
                "resampled-of-marginals",
                "the marginals model draws all attributes",
                where=f"{spec.where}.resampled",
                remedy="leave it out",
            )
        return (m,)
    most = m - task
    if "resampled" not in o:
        share, depth = max(people / o["k"], 1.0), 0
        for attribute in attributes[task:]:
            share /= attribute.categories
            depth += share >= 1.0
        return (max(1, most - max(1, depth)),)
    numbers = o["resampled"] if isinstance(o["resampled"], list) else [o["resampled"]]
    if max(numbers) > most:
        label = " besides the task label" if task else ""
        raise PlanError(
            "too-many-resampled",
            "more attributes are to be drawn than there are",
            where=f"{spec.where}.resampled",
            found=str(max(numbers)),
            expected=f"1 to {most}{label}",
            remedy="lower `resampled`",
        )
    return tuple(sorted(numbers))
