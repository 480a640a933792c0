"""The utility of a release and what an attacker would get from it: the whole of `synthrelease evaluate` but for its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.building.design import Design, make_design
from synthrelease.bundle.verification import refuse_no_bundle, verify
from synthrelease.data.features import Features
from synthrelease.data.gaze import Gaze, Reach
from synthrelease.data.losses import Loss, added, notes
from synthrelease.dp.event import PrivateChoice, flatten, noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import BundleError
from synthrelease.evaluation.attacks import judged
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.case import Case
from synthrelease.evaluation.curves import curve
from synthrelease.evaluation.ground_truth import kind_of
from synthrelease.evaluation.matched import MadeOutput, made_outputs
from synthrelease.evaluation.raw_data import evaluated_input
from synthrelease.evaluation.records.check import checked_records
from synthrelease.evaluation.records.evaluate import EvaluatedRecords, evaluated_records
from synthrelease.evaluation.result import EvaluatedOutput, Evaluation, KnownRest, NoiseCheck
from synthrelease.evaluation.utility import measured
from synthrelease.evaluation.worst_case import known_rest
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.parallel import checked_jobs
from synthrelease.plan.partitions import Partition, divided, small_tables, stamp_of
from synthrelease.plan.plan import load_plan
from synthrelease.report.exhibits import PICTURES
from synthrelease.report.released import Released

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

_DRAWS_OF_EACH = (
    3000  # shuffles for an output of records, so that one of all attacks, 15 of each, can be found
)


def evaluate(
    plan_path: str | Path,
    bundle: str | Path,
    *,
    frames: Mapping[str, object] | None = None,
    seed: int = 1,
    jobs: int = 1,
    pictures: int = PICTURES,
    progress: Progress | None = None,
) -> Evaluation:
    """Return the utility of the release in a bundle, and what attacks on it find, as `synthrelease evaluate` does. PRIVATE: do not publish.

    Reads the private data again and protects no one. To choose parameters by it and build again leaks it: that is another release.

    Args:
        plan_path: the plan that it was built from, beside the data.
        bundle: the file; it is verified first.
        frames: rows in memory that took the place of inputs' files, as `build` was given them.
        seed: of attacks, controls and fresh releases: the same seed, the same evaluation.
        jobs: processes for attacks; they change no result.
        pictures: how many pictures of an output are made at most.
        progress: called with (what, done, total).

    Returns:
        An `Evaluation`: `faults`, `outputs`, `found`, `to_json()`.

    Raises:
        BundleError: the bundle does not verify.
        InputError: plan or data cannot be used, there is no such bundle, or the bundle was not made from them.
    """
    path, jobs = Path(bundle), checked_jobs(jobs)
    manifest = _verified(path, progress)
    plan = load_plan(plan_path, frames)
    tables = small_tables(plan.used_inputs())
    design = make_design(plan, tables)
    made = made_outputs(design, manifest, path)
    cases: dict[str, Case] = {}
    inputs, notes = [], {}
    for name, spec in design.plan.used_inputs().items():
        of_input = [one for one in made if one.spec.input == name]
        parts = divided(spec, design.facts[name], stamp_of(spec.source), tables.pop(name, None))
        own, told = _read(name, parts, of_input, progress)
        cases |= own
        if told:
            notes[name] = told
        first = next(iter(own.values()))
        raw = evaluated_input(name, first.sample, seed=seed, jobs=jobs, progress=progress)
        remarks = (*raw.remarks, *first.sampled)
        inputs.append(replace(raw, people=design.facts[name].people, remarks=remarks))
    draws = max(DRAWS, _DRAWS_OF_EACH * sum(isinstance(one.mechanism, SyntheticRecords) for one in made))
    ways: dict[str, Any] = {"seed": seed, "jobs": jobs, "pictures": pictures, "progress": progress}
    with Released(path, manifest) as released:
        outputs = [_evaluated(cases[one.name], released, design, draws=draws, **ways) for one in made]
    return Evaluation(manifest, tuple(inputs), _judged_together(outputs), notes)


def _verified(path: Path, progress: Progress | None) -> dict[str, Any]:
    result = refuse_no_bundle(path, verify(path, allow_test_seed=True, progress=progress))
    if not result.ok or result.manifest is None:
        raise BundleError(
            "bundle-invalid",
            "the bundle does not verify",
            where=str(path),
            found="; ".join(map(str, result.findings)),
            remedy="get or build it again",
        )
    return result.manifest


def _read(
    name: str, parts: Sequence[Partition], made: Sequence[MadeOutput], progress: Progress | None
) -> tuple[dict[str, Case], tuple[str, ...]]:
    """Collect for all outputs of an input what they need, reading it once."""
    found: dict[str, Case] = {}
    losses: tuple[Loss, ...] = ()
    reach = Reach()
    for number, part in enumerate(parts):
        if progress is not None:
            progress(f"reading {name}", number, len(parts))
        data = part.read()
        losses = added((*losses, *data.losses))
        reach = reach.joined(data.reach) if isinstance(data, Gaze) else reach
        for one in made:
            collectors = one.mechanism.collect, kind_of(one.mechanism).truth(one.mechanism)
            collected, truth = (collect(data).numbered(part.numbers) for collect in collectors)
            before = found.get(one.name)
            if before is None:
                found[one.name] = Case(one, collected, truth, data, len(parts))
            else:
                collected, truth = before.collected.joined(collected), before.truth.joined(truth)
                found[one.name] = replace(before, collected=collected, truth=truth)
    return found, (*notes(losses), *reach.notes)


def _evaluated(
    case: Case,
    released: Released,
    design: Design,
    *,
    seed: int,
    jobs: int,
    pictures: int,
    progress: Progress | None,
    draws: int,
) -> EvaluatedOutput:
    made = case.made
    utility, noise, exhibits = measured(case, released, pictures=pictures + 1, progress=progress)
    rest = known_rest(made, case.sample, neighbours=design.plan.neighbours, seed=seed, progress=progress)
    records = _of_records(case, released, seed=seed, draws=draws, jobs=jobs, progress=progress)
    if records is not None:
        utility = replace(utility, compared={**utility.compared, **records.compared})
    return EvaluatedOutput(
        made.name,
        made.entry["kind"],
        utility=utility,
        curve=curve(
            made,
            case.collected,
            case.yardstick,
            items=len(utility.items),
            together=case.of_each,
            seed=seed,
            progress=progress,
        ),
        noise=noise,
        known_rest=rest,
        tasks=records.tasks if records else (),
        attacks=records.attacks if records else (),
        exhibits=exhibits[:pictures],
        remarks=tuple(_remarks(case, rest, records, noise)),
        cut=len(exhibits) > pictures,
        input=made.spec.input,
        faults=records.faults if records else (),
        of_each=case.of_each,
    )


def _of_records(
    case: Case, released: Released, *, seed: int, draws: int, jobs: int, progress: Progress | None
) -> EvaluatedRecords | None:
    """What is found of an output of records; None of others."""
    made, data = case.made, case.sample
    if not (isinstance(made.mechanism, SyntheticRecords) and isinstance(data, Features)):
        return None
    arrays = {
        labels: released.values(made.name, *labels)
        for group in case.kind.labels(made.mechanism)
        for labels in group
    }
    attacked = evaluated_records(
        made.name,
        made.mechanism,
        made.event,
        data,
        arrays,
        seed=seed,
        draws=draws,
        n_jobs=jobs,
        progress=progress,
    )
    random = SecureRandom.for_tests(seed).spawn("as many fresh records", made.name)
    check = checked_records(
        made, case.truth, arrays, counts=partial(released.values, made.name), random=random
    )
    remarks = (*check.sentences(), *attacked.remarks)
    return replace(attacked, remarks=remarks, faults=check.faults)


def _remarks(
    case: Case, rest: KnownRest | None, records: EvaluatedRecords | None, noise: NoiseCheck | None
) -> Iterator[str]:
    """How an output was tried, and what was not."""
    event = case.made.event
    yield from case.sampled
    if rest is not None and case.of_each:
        yield "The order of people is drawn by lot; the attack is told whose series is whose."
        yield "Who is who among the released series was not asked: identification and linkage were not tried on them."
    if rest is not None and any(isinstance(leaf, PrivateChoice) for leaf in flatten(event)):
        yield "What was chosen privately (a parameter, a quantile) is left out: the attack is on the noised sums."
    if records is not None:
        yield from records.remarks
    elif rest is None:
        yield _untried(case.made, case.sample.people)
    if noise is None and noise_of(event) is not None:
        yield "Whether there is as much noise as is stated was not looked at: to whom it was added is drawn by lot."


def _untried(made: MadeOutput, people: int) -> str:
    """Why no attack was tried on an output that is no records."""
    if people < 2 and noise_of(made.event) is not None:
        return "No attack was tried: there is one person, and nobody to be told from."
    if any(isinstance(leaf, PrivateChoice) for leaf in flatten(made.event)):
        return "No attack was tried: all of it was chosen privately, and attacks are on sums and records."
    return "No attack was tried: what is published so protects nobody."


def _judged_together(outputs: Sequence[EvaluatedOutput]) -> tuple[EvaluatedOutput, ...]:
    """Correct the verdicts for all attacks on the release, of whatever output."""
    attacks = iter(judged([attack for output in outputs for attack in output.attacks]))
    return tuple(replace(one, attacks=tuple(next(attacks) for _ in one.attacks)) for one in outputs)
