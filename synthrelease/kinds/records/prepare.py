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
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import chosen_features, label_of, names_source, require_replace_one
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.public import (
    DP,
    EXCLUDE,
    MARGINALS,
    PERSON,
    RANDOMIZED,
    RecordsParameters,
)

_TRIALS_PER_ROW = 200
_ROWS = 1000


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> SyntheticRecords:
    """Fill in the public parameters of a records output, with defaults from the public number of people.

    Raises:
        PlanError: a parameter contradicts another, or k people cannot be found.
        PolicyError: the test is vacuous and that is not acknowledged, or the guarantee would be false.
    """
    o = spec.options
    require_replace_one(spec, neighbours)
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
    _check_sense(spec, parameters)
    _check_policy(spec, parameters)
    return SyntheticRecords(
        parameters=parameters,
        neighbours=neighbours,
        noise=o.get("noise", LAPLACE) if o["fit"] == DP else None,
        trials=trials,
        epsilon0=float(o["epsilon0"]) if "epsilon0" in o else None,
        pass_rate=o.get("pass_rate"),
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
        attributes.append(Attribute(task, len(labels), labels, title=titles.get(task, "")))
    for name in order:
        if name in bounds:
            feature = bounds[name]
            binned = Attribute(name, bins + missing, None, *feature.bounds, missing)
            attributes.append(replace(binned, unit=feature.unit, title=feature.title))
        else:
            values, title = tuple(lists[name]), titles.get(name, "")
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
        trials = o.get("trials", _TRIALS_PER_ROW * rows)
        if trials < rows:
            raise PlanError(
                "too-few-trials",
                "there are fewer trials than records to publish",
                where=f"{spec.where}.trials",
                found=f"{trials} trials for {rows} records",
                remedy="raise trials, or leave it out",
            )
        return rows, trials
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


def _check_sense(spec: OutputSpec, p: RecordsParameters) -> None:
    if p.per_task and not p.task:
        raise PlanError(
            "task-missing",
            "a model per task needs a task",
            where=f"{spec.where}.per_task",
            expected="task = …",
            remedy="name the task, or leave out per_task",
        )
    if p.fit != DP and ("noise" in spec.options or (not p.is_randomized and "delta" in spec.options)):
        raise PlanError(
            "noise-with-exact-fit",
            "an exact fit has no noise",
            where=spec.where,
            remedy='leave it out, or say fit = "dp"',
        )
    if p.k is not None and p.counted == PERSON and p.k > p.seeds:
        raise PlanError(
            "k-exceeds-people",
            "no record can have so many plausible participants",
            where=f"{spec.where}.k",
            found=f"k = {p.k} with {p.seeds} participants" + (" as seeds" if p.is_randomized else ""),
            expected=f"k of at most {p.seeds}",
            remedy="lower k",
        )
    if spec.options["threshold"] == RANDOMIZED and spec.options["k"] < 2:
        raise PlanError(
            "k-too-small",
            "a randomized test needs k of at least 2",
            where=f"{spec.where}.k",
            found=f"k = {spec.options['k']}",
            remedy="raise k",
        )
    if spec.options["threshold"] == RANDOMIZED and p.name == MARGINALS:
        raise PlanError(
            "test-without-seed",
            "the marginals model keeps nothing of a seed: there is nothing to test",
            where=f"{spec.where}.threshold",
            remedy='leave out threshold, or choose model = "seeded"',
        )


def _check_policy(spec: OutputSpec, p: RecordsParameters) -> None:
    if p.is_randomized and (p.fit != DP or p.counted != PERSON):
        raise PolicyError(
            "randomized-test-without-guarantee",
            "a randomized test is differentially private only with a model that owes nothing to the seeds, counting participants",
            where=spec.where,
            expected='fit = "dp" (then seeds and model come from different participants) and count = "person"',
            remedy="set both, or leave out threshold",
        )
    if p.copies == EXCLUDE and (p.is_randomized or not p.is_tested):
        raise PolicyError(
            "copies-with-randomized-test",
            "leaving out copies looks at the data again, and would void differential privacy",
            where=f"{spec.where}.copies",
            remedy='say copies = "keep"; the private report counts them',
        )
    if p.is_tested and p.is_vacuous and not spec.options["acknowledge_vacuous"]:
        raise PolicyError(
            "vacuous-test",
            "the deniability test cannot fail for this model and would guarantee nothing",
            where=spec.where,
            found="k = 1"
            if p.k == 1
            else "nothing is kept of a source record that could distinguish participants",
            remedy=_vacuous_remedy(p),
        )


def _vacuous_remedy(p: RecordsParameters) -> str:
    if p.k == 1:
        remedy = "raise k"
    elif p.name == MARGINALS:
        remedy = 'protect the model with fit = "dp", or keep attributes with model = "seeded"'
    else:
        remedy = "keep attributes of the seed: lower `resampled`"
        if p.fit != DP:
            remedy += '; or protect the model: model = "marginals" and fit = "dp"'
    return f"{remedy}; or say acknowledge_vacuous = true"
