"""Synthetic records: from the plan's words to model, test and manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from synthrelease.data.attribute import Attribute
from synthrelease.data.facts import Facts
from synthrelease.data.features import RECORDING, Features
from synthrelease.errors import PlanError, PolicyError
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.records.parameters import (
    DP,
    EXCLUDE,
    MARGINALS,
    PERSON,
    RANDOMIZED,
    TREE,
    RecordsParameters,
)
from synthrelease.mechanisms.records.release import calibrate, release
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.resolved import (
    Arrays,
    chosen_features,
    counted,
    names_source,
    noise_of,
    require_replace_one,
)
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, LAPLACE, Budget
from synthrelease.privacy.deniability import best_t, even_pass_rate, trial_cost
from synthrelease.privacy.event import Event, RandomizedTest, flatten
from synthrelease.privacy.guarantee import Neighbours

_TRIALS_PER_ROW = 200
_ROWS = 1000
_OWN_NAMES = {"category", "value", "noised"}  # of datasets beside which an attribute's counts stand


@dataclass(frozen=True)
class RecordsOutput:
    """A records output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    parameters: RecordsParameters

    @property
    def noise(self) -> str | None:
        """Which noise takes budget: that of the fit, if any."""
        return self.parameters.noise if self.parameters.fit == DP else None

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ."""
        return self.noise == GAUSSIAN or self.parameters.randomized

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        return calibrate(self.parameters, budget)

    def release(
        self, data: Features, budget: Budget | None, random: SecureRandom
    ) -> tuple[Arrays, Event, tuple[str, ...]]:
        """Run the mechanism."""
        values, event, passing = release(data, self.parameters, budget, random=random)
        told = [f"{passing.copies} of {self.parameters.rows} records equal a real one in all attributes"]
        if self.parameters.tested:
            share = passing.passed / passing.trials
            told.append(f"{passing.passed} of {passing.trials} candidates passed the test ({share:.2%})")
        return values, event, tuple(told)

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        return {
            "name": p.model,
            "parameters": {
                "fit": p.fit,
                "dependence": p.dependence,
                "task": p.task,
                "per_task": p.per_task,
                "attributes": [attribute.to_json() for attribute in p.attributes],
                "order": list(p.order),
                "resampled": list(p.resampled),
                "threshold": p.threshold if p.tested else None,
                "k": p.k if p.tested else None,
                "gamma": p.gamma if p.tested else None,
                "counted": p.counted if p.tested else None,
                "copies": p.copies,
                "rows": p.rows,
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        sets = counted(len(self.parameters.subsets()), "set")
        return f"a person divides {HALF_RANGE} shares among the cells of each of {sets} of jointly counted attributes"

    def post_processing(self) -> list[str]:
        """Return what was done after the draw."""
        done = ["value: uniform within the bin of its category"]
        if self.parameters.fit == DP:
            done.append(
                "model: nearest histograms of the fitted people to the noised counts, a prior of one person in each"
            )
            if self.parameters.dependence == TREE:
                done.append("dependence: the tree of largest mutual information in the noised counts")
        return done

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = []
        if not all(attribute.missing for attribute in p.attributes):
            own = (
                "without a task"
                if any(attribute.missing for attribute in p.attributes)
                else "with a missing value"
            )
            told.append(f"rows {own} take no part")
        if p.randomized:
            told.append(
                f"each record is a candidate that passed, or in its place one of the model alone: which is not told; seeds "
                f"are {p.seeds} of {p.people} people, one record each, and the model is that of the others"
            )
        elif p.tested:
            told.extend(self._test_warnings())
        else:
            told.append("drawn from noised counts alone: differentially private")
        if p.dependence != TREE:
            told.append(f"drawn attributes are independent{' given the task' if p.per_task else ''}")
        return told

    def _test_warnings(self) -> list[str]:
        p = self.parameters
        told = [
            "plausible deniability is a criterion, not differential privacy; which records passed is itself information"
        ]
        if p.counted == PERSON:
            worst = p.gamma / (p.gamma + p.k - 1)
            each = "one record for each task" if p.task else "one record"
            told.append(
                f"every person enters the test with {each}: whoever knows all data can name a record's seed "
                f"with a probability of at most γ/(γ + k − 1) = {worst:.2g}"
            )
        else:
            told.append("k counts records: one person's similar rows can pass the test alone")
        if p.vacuous:
            told.append("vacuous: the test cannot fail, and protects no more than no test")
        if p.task and max(p.resampled) == len(p.order) - 1:
            told.append("where nothing but the task label is kept, hardly any record can fail the test")
        if p.copies == EXCLUDE:
            told.append(
                "records that equal a real one were left out: that one never appears can tell that somebody has it"
            )
        if p.fit == DP:
            told.append(
                "the model's counts carry noise, but the records start from seeds: not differentially private"
            )
        else:
            told.append("the model was fitted exactly: its own statistics carry no guarantee")
        return told

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the noise of a cell against its mean weight and the records to expect; and the people these need."""
        assert people is not None  # these outputs need replace-one
        p, told, needed = self.parameters, [], []
        noise = noise_of(event)
        if noise is not None:
            deviation = noise.standard_deviation / HALF_RANGE
            cells = max(math.prod(p.categories[a] for a in subset) for subset in p.subsets())
            told.append(f"each cell ± {deviation:.3g} people; a mean cell holds {p.modelled / cells:.3g}")
            enough = math.ceil(3 * deviation * cells) * (2 if p.randomized else 1)
            needed.append(f"{enough} for mean cells of three times the noise")
        if p.tested:
            told.append(self._expected_records())
            needed.append(f"at least {p.k * (2 if p.randomized else 1)} for any record to pass (k = {p.k})")
        if budget is not None:
            tests = (leaf for leaf in flatten(event) if isinstance(leaf, RandomizedTest))
            told.extend(_cost(test, budget.delta) for test in tests)
        return "; ".join(told), "; ".join(needed)

    def _expected_records(self) -> str:
        p = self.parameters
        rate = self.spec.options.get("pass_rate")
        assumed = "" if rate is None else f" (pass_rate = {rate:g} assumed)"
        if rate is None:
            rate = even_pass_rate(categories=p.categories[p.task :], drawn=p.resampled, k=p.k, people=p.seeds)
        told = (
            f"{rate:.2g} of the candidates would pass if categories were even; real ones are less even, and more pass "
            "(the true rate is private; assume one with pass_rate)"
        )
        if p.randomized:
            started = (
                f"at that rate about {rate * p.trials:.3g} of {p.trials} records start from a seed{assumed}"
            )
            return started if assumed else f"{told}; {started}"
        if assumed:
            return f"{min(rate * p.trials, p.rows):.0f} of {p.rows} records in at most {p.trials} trials{assumed}"
        return f"all {p.rows} records if {p.rows / p.trials:.2g} of {p.trials} candidates pass; {told}"


def _cost(test: RandomizedTest, delta: float) -> str:
    """What a randomized test costs, trial by trial and added up; the promise is the exact composition."""
    t = best_t(test, delta)
    assert t is not None  # else the test could not be calibrated
    one, small = trial_cost(test, t)
    return (
        f"a trial costs ε = {one:.3g}, δ = {small:.2g} (t = {t}); added up over {test.trials} trials "
        f"ε = {one * test.trials:.4g}, δ = {small * test.trials:.2g}; the promise composes them exactly"
    )


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> RecordsOutput:
    """Fill in the public parameters of a records output.

    Raises:
        PlanError: a parameter contradicts another, or k people cannot be found.
        PolicyError: the test is vacuous and that is not acknowledged, or the promise would be false.
    """
    o = spec.options
    require_replace_one(spec, neighbours)
    attributes = _attributes(spec, source, facts)
    task = "task" in o
    m = len(attributes)
    randomized = o["threshold"] == RANDOMIZED
    rows, trials = _amounts(spec, randomized=randomized)
    parameters = RecordsParameters(
        model=o["model"],
        fit=o["fit"],
        noise=o.get("noise", LAPLACE),
        attributes=attributes,
        dependence=o["dependence"],
        task=task,
        per_task=o.get("per_task", task),
        order=tuple(range(m)),
        resampled=_resampled(spec, attributes, task=task, people=facts.people),
        threshold=o["threshold"],
        k=o["k"],
        gamma=float(o["gamma"]),
        epsilon0=float(o["epsilon0"]) if "epsilon0" in o else None,
        counted=o["count"],
        copies=o["copies"],
        rows=rows,
        trials=trials,
        neighbours=neighbours,
        people=facts.people,
    )
    _check_sense(spec, parameters)
    _check_policy(spec, parameters)
    return RecordsOutput(spec, source, parameters)


def _attributes(spec: OutputSpec, source: InputSpec, facts: Facts) -> tuple[Attribute, ...]:
    """The task's label, if any, then features and categories in the order in which they are kept."""
    o, lists = spec.options, source.options["categories"]
    task = o.get("task")
    labels_there = [RECORDING] * ("recording" in source.options["columns"]) + [
        name for name in lists if name != RECORDING
    ]
    if task is not None and task not in labels_there:
        raise PlanError(
            "there is no such label",
            where=f"{spec.where}.task",
            expected="one of " + ", ".join(labels_there) if labels_there else "a column of labels",
            remedy=f"add the column and its labels under inputs.{source.name}.categories, or map it as recording",
        )
    named = o.get("features", [*source.options["bounds"], *(name for name in lists if name != task)])
    bounds = chosen_features(spec, source, [name for name in named if name not in lists])
    order = o.get("order", named)
    if sorted(order) != sorted(named) or task in named:
        raise PlanError(
            "the order does not name every feature and category once",
            where=f"{spec.where}.order" if "order" in o else spec.where,
            expected="each of " + ", ".join(name for name in named if name != task),
        )
    clash = sorted({RECORDING, *_OWN_NAMES} & {*named, *lists})
    if clash:
        raise PlanError(
            "a column has a name that the bundle needs",
            where=spec.where,
            remedy=f"rename the column '{clash[0]}'",
        )
    missing = o["missing"] == "category"
    bins = o.get("bins", default_bins(facts.people))
    attributes = []
    if task is not None:
        labels = facts.names if task == RECORDING else tuple(lists[task])
        attributes.append(Attribute(task, len(labels), labels))
    for name in order:
        if name in bounds:
            low, high = bounds[name]
            attributes.append(Attribute(name, bins + missing, None, low, high, missing))
        else:
            attributes.append(
                Attribute(name, len(lists[name]) + missing, tuple(lists[name]), missing=missing)
            )
    return tuple(attributes)


def default_bins(people: int) -> int:
    """Return ⌈2·√n⌉, at least 5 and at most the 30 of David-John et al. 2022: few people share fine prefixes."""
    return min(30, max(5, math.ceil(2 * math.sqrt(people))))


def _amounts(spec: OutputSpec, *, randomized: bool) -> tuple[int, int]:
    """Rows and trials."""
    o = spec.options
    if not randomized:
        if "epsilon0" in o:
            raise PlanError('epsilon0 belongs to threshold = "randomized"', where=f"{spec.where}.epsilon0")
        rows = o.get("rows", _ROWS)
        trials = o.get("trials", _TRIALS_PER_ROW * rows)
        if trials < rows:
            raise PlanError(
                "there are fewer trials than records to publish",
                where=f"{spec.where}.trials",
                found=f"{trials} trials for {rows} records",
            )
        return rows, trials
    for key in ("trials", "epsilon0"):
        if key not in o:
            raise PlanError(
                f"a randomized test needs `{key}` in the plan: it is paid for",
                where=spec.where,
                expected=f"{key} = …",
            )
    if "rows" in o:
        raise PlanError(
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
            raise PlanError("the marginals model draws all attributes", where=f"{spec.where}.resampled")
        return (m,)
    most = m - task
    if "resampled" not in o:
        share, depth = max(people / o["k"], 1.0), 0
        for attribute in attributes[task:]:
            share /= attribute.categories
            depth += share >= 1.0
        return (max(1, most - max(1, depth)),)
    asked = o["resampled"] if isinstance(o["resampled"], list) else [o["resampled"]]
    if max(asked) > most:
        label = " besides the task label" if task else ""
        raise PlanError(
            "more attributes are to be drawn than there are",
            where=f"{spec.where}.resampled",
            found=str(max(asked)),
            expected=f"1 to {most}{label}",
        )
    return tuple(sorted(asked))


def _check_sense(spec: OutputSpec, p: RecordsParameters) -> None:
    if p.per_task and not p.task:
        raise PlanError("a model per task needs a task", where=f"{spec.where}.per_task", expected="task = …")
    if p.fit != DP and ("noise" in spec.options or (not p.randomized and "delta" in spec.options)):
        raise PlanError(
            "an exact fit has no noise", where=spec.where, remedy='leave it out, or say fit = "dp"'
        )
    if p.tested and p.counted == PERSON and p.k > p.seeds:
        raise PlanError(
            "no record can have so many plausible people",
            where=f"{spec.where}.k",
            found=f"k = {p.k} with {p.seeds} people" + (" as seeds" if p.randomized else ""),
            expected=f"k of at most {p.seeds}",
        )
    if p.threshold == RANDOMIZED and p.k < 2:
        raise PlanError(
            "a randomized test needs k of at least 2", where=f"{spec.where}.k", found=f"k = {p.k}"
        )
    if p.threshold == RANDOMIZED and p.model == MARGINALS:
        raise PlanError(
            "the marginals model keeps nothing of a seed: there is nothing to test",
            where=f"{spec.where}.threshold",
            remedy='leave out threshold, or choose model = "seeded"',
        )


def _check_policy(spec: OutputSpec, p: RecordsParameters) -> None:
    if p.randomized and (p.fit != DP or p.counted != PERSON):
        raise PolicyError(
            "a randomized test is differentially private only with a model that owes nothing to the seeds, counting people",
            where=spec.where,
            expected='fit = "dp" (then seeds and model come from different people) and count = "person"',
        )
    if p.copies == EXCLUDE and (p.randomized or not p.tested):
        raise PolicyError(
            "leaving out copies looks at the data again, and would void differential privacy",
            where=f"{spec.where}.copies",
            remedy='say copies = "keep"; the private report counts them',
        )
    if p.tested and p.vacuous and not spec.options["acknowledge_vacuous"]:
        raise PolicyError(
            "the deniability test cannot fail for this model and would promise nothing",
            where=spec.where,
            found="k = 1" if p.k == 1 else "nothing is kept of a seed that could tell people apart",
            remedy=_vacuous_remedy(p),
        )


def _vacuous_remedy(p: RecordsParameters) -> str:
    if p.k == 1:
        remedy = "raise k"
    elif p.model == MARGINALS:
        remedy = 'protect the model with fit = "dp", or keep attributes with model = "seeded"'
    else:
        remedy = "keep attributes of the seed: lower `resampled`"
        if p.fit != DP:
            remedy += '; or protect the model: model = "marginals" and fit = "dp"'
    return f"{remedy}; or say acknowledge_vacuous = true"
