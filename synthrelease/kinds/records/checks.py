"""Synthetic records: what a plan may not ask for, of whatever records are made (`records.proof.md`)."""

from __future__ import annotations

from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.records.public import DP, EXCLUDE, MARGINALS, PERSON, RANDOMIZED, RecordsParameters

_TRIALS_PER_ROW = 200


def trials_for(spec: OutputSpec, rows: int) -> int:
    """Return how many candidates are made at most for so many records.

    Raises:
        PlanError: fewer than records.
    """
    trials: int = spec.options.get("trials", _TRIALS_PER_ROW * rows)
    if trials < rows:
        raise PlanError(
            "too-few-trials",
            "there are fewer trials than records to publish",
            where=f"{spec.where}.trials",
            found=f"{trials} trials for {rows} records",
            remedy="raise trials, or leave it out",
        )
    return trials


def check_sense(spec: OutputSpec, p: RecordsParameters) -> None:
    """Refuse parameters that contradict each other.

    Raises:
        PlanError: they do, or k people cannot be found.
    """
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


def check_policy(spec: OutputSpec, p: RecordsParameters) -> None:
    """Refuse what would have a false guarantee or none.

    Raises:
        PolicyError: the test is vacuous and that is not acknowledged, or the guarantee would be false.
    """
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
    remedy = "raise k" if p.k == 1 else p.distinguishes
    return f"{remedy}; or say acknowledge_vacuous = true"
