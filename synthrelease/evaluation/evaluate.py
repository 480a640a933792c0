"""The utility of a release and what an attacker would get from it: the whole of `synthrelease evaluate` except for its report."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.building.design import Design, make_design
from synthrelease.bundle.verification import refuse_no_bundle, verify
from synthrelease.data.gaze import GazeData, Reach
from synthrelease.data.losses import Loss, added, notes, of_output
from synthrelease.dp.event import PrivateChoice, flatten, noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import BundleError
from synthrelease.evaluation.attack_run import Attacked, AttackRun
from synthrelease.evaluation.attacks import judged
from synthrelease.evaluation.attacks.chance import DRAWS
from synthrelease.evaluation.case import Case
from synthrelease.evaluation.curves import curve
from synthrelease.evaluation.ground_truth import kind_of
from synthrelease.evaluation.matched import BundleOutput, bundle_outputs, noisy_datasets
from synthrelease.evaluation.raw_data import evaluated_input
from synthrelease.evaluation.records.check import checked_records
from synthrelease.evaluation.records.evaluate import EvaluatedRecords, evaluated_records
from synthrelease.evaluation.result import EvaluatedOutput, Evaluation, NoiseCheck, WorstCaseAttack
from synthrelease.evaluation.usefulness import remedies
from synthrelease.evaluation.utility import measured_utility
from synthrelease.evaluation.worst_case import worst_case_attack
from synthrelease.extras import require
from synthrelease.files.scratch import scratch
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.parallel import checked_jobs
from synthrelease.plan.partitions import Partition, partitions_of, small_tables, stamp_of
from synthrelease.plan.plan import PlanLike, load_plan
from synthrelease.reports.exhibits import PICTURES
from synthrelease.reports.released import Released

if TYPE_CHECKING:
    from synthrelease.parallel import Progress

# Shuffles for each output of records, so that one of all attacks, 15 on each, can be significant.
_DRAWS_OF_EACH = 3000


@dataclass(frozen=True)
class _Run:
    """How an evaluation is run."""

    seed: int
    draws: int  # shuffles behind a p-value
    jobs: int
    pictures: int
    progress: Progress | None


@scratch()
def evaluate(
    plan: PlanLike,
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
        plan: that it was built from, next to the data: the path of a TOML file, a `Plan`, or a dict.
        bundle: the file; it is verified first.
        frames: rows in memory that took the place of inputs' files, as `build` was given them.
        seed: of attacks, controls and fresh releases: the same seed, the same evaluation.
        jobs: processes for attacks; they change no result.
        pictures: how many pictures of an output are made at most.
        progress: called with (what, done, total).

    Returns:
        An `Evaluation`: `faults`, `outputs`, `significant_attacks`, `to_json()`.

    Raises:
        BundleError: the bundle does not verify.
        InputError: plan or data cannot be used, there is no such bundle, or the bundle was not made from them.
        MachineError: scikit-learn is not installed.
    """
    require("sklearn")
    path, jobs = Path(bundle), checked_jobs(jobs)
    manifest = _verified(path, progress)
    checked = load_plan(plan, frames)
    tables = small_tables(checked.used_inputs())
    design = make_design(checked, tables)
    outputs = bundle_outputs(design, manifest, path)
    cases: dict[str, Case] = {}
    inputs, notes_by_input = [], {}
    for name, spec in design.plan.used_inputs().items():
        of_input = [output for output in outputs if output.spec.input == name]
        parts = partitions_of(spec, design.facts[name], stamp_of(spec.source), tables.pop(name, None))
        input_cases, input_notes = _read(name, parts, of_input, progress)
        cases |= input_cases
        if input_notes:
            notes_by_input[name] = input_notes
        first = next(iter(input_cases.values()))
        raw = evaluated_input(name, first.sample, seed=seed, jobs=jobs, progress=progress)
        remarks = (*raw.remarks, *first.sampled)
        inputs.append(replace(raw, people=design.facts[name].people, remarks=remarks))
    of_records = sum(isinstance(output.mechanism, SyntheticRecords) for output in outputs)
    run = _Run(seed, max(DRAWS, _DRAWS_OF_EACH * of_records), jobs, pictures, progress)
    with Released(path, manifest) as released:
        evaluated = [_evaluated(cases[output.name], released, design, run) for output in outputs]
    return Evaluation(manifest, tuple(inputs), _judged_together(evaluated), notes_by_input)


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
    name: str, parts: Sequence[Partition], outputs: Sequence[BundleOutput], progress: Progress | None
) -> tuple[dict[str, Case], tuple[str, ...]]:
    """Collect for all outputs of an input what they need, reading it once."""
    cases: dict[str, Case] = {}
    losses: tuple[Loss, ...] = ()
    reach = Reach()
    for number, part in enumerate(parts):
        if progress is not None:
            progress(f"reading {name}", number, len(parts))
        data = part.read()
        of_outputs = (of_output(output.mechanism.losses(data), output.name) for output in outputs)
        losses = added((*losses, *data.losses, *itertools.chain.from_iterable(of_outputs)))
        reach = reach.joined(data.reach) if isinstance(data, GazeData) else reach
        for output in outputs:
            collectors = output.mechanism.collect, kind_of(output.mechanism).collector(output.mechanism)
            collected, truth = (collect(data).numbered(part.numbers) for collect in collectors)
            before = cases.get(output.name)
            if before is None:
                cases[output.name] = Case(output, collected, truth, data, len(parts))
            else:
                collected, truth = before.collected.joined(collected), before.truth.joined(truth)
                cases[output.name] = replace(before, collected=collected, truth=truth)
    return cases, (*notes(losses), *reach.notes)


def _evaluated(case: Case, released: Released, design: Design, run: _Run) -> EvaluatedOutput:
    output, seed, progress = case.output, run.seed, run.progress
    utility, noise, exhibits = measured_utility(
        case, released, pictures=run.pictures + 1, seed=seed, progress=progress
    )
    worst_case = worst_case_attack(
        output,
        case.sample,
        neighbours=design.plan.neighbours,
        seed=seed,
        released=noisy_datasets(output, released) if output.mechanism.is_adaptive else None,
        progress=progress,
    )
    if utility.not_useful:
        whole = design.guarantee.epsilon or 0.0
        utility = replace(utility, remedies=tuple(remedies(output, whole, len(design.outputs))))
    records = _of_records(case, released, run)
    further = _of_what_follows(case, run)
    if records is not None:
        utility = replace(utility, compared={**utility.compared, **records.compared})
    return EvaluatedOutput(
        output.name,
        output.entry["kind"],
        utility=utility,
        curve=curve(
            output,
            case.collected,
            case.ground_truth,
            items=len(utility.items),
            together=case.of_each,
            seed=seed,
            progress=progress,
        ),
        noise=noise,
        known_rest=worst_case,
        tasks=records.tasks if records else (),
        attacks=records.attacks if records else further[0],
        exhibits=exhibits[: run.pictures],
        remarks=(*_remarks(case, worst_case, records, noise), *further[1]),
        cut=len(exhibits) > run.pictures,
        input=output.spec.input,
        faults=records.faults if records else (),
        of_each=case.of_each,
        from_sums=case.kind.attacks is not None,
    )


def _of_what_follows(case: Case, run: _Run) -> Attacked:
    """Attacks on what follows from noisy sums, of kinds that have such."""
    output, attacks = case.output, case.kind.attacks
    if attacks is None:
        return (), ()
    how = AttackRun(output.name, run.seed, run.draws, run.jobs, run.progress)
    return attacks(output.mechanism, output.event, case.truth, how)


def _of_records(case: Case, released: Released, run: _Run) -> EvaluatedRecords | None:
    """What is found of an output of records; None of others."""
    output, data = case.output, case.sample
    if not isinstance(output.mechanism, SyntheticRecords):
        return None
    arrays = {
        labels: released.values(output.name, *labels)
        for group in case.kind.labels(output.mechanism)
        for labels in group
    }
    evaluated = evaluated_records(
        output.name,
        output.mechanism,
        output.event,
        output.mechanism.table(data),
        arrays,
        seed=run.seed,
        draws=run.draws,
        n_jobs=run.jobs,
        progress=run.progress,
    )
    random = SecureRandom.for_tests(run.seed).spawn("as many fresh records", output.name)
    check = checked_records(
        output, case.truth, arrays, counts=partial(released.values, output.name), random=random
    )
    remarks = (*check.sentences(), *evaluated.remarks)
    return replace(evaluated, remarks=remarks, faults=check.faults)


def _remarks(
    case: Case, worst_case: WorstCaseAttack | None, records: EvaluatedRecords | None, noise: NoiseCheck | None
) -> Iterator[str]:
    """How an output was tried, and what was not."""
    event = case.output.event
    yield from case.sampled
    yield from case.kind.remarks
    if worst_case is not None and case.of_each:
        yield "The order of participants is random. The attack knows whose series is whose."
        yield "Re-identification and linkage of the released series were not tried."
    if worst_case is not None and any(isinstance(leaf, PrivateChoice) for leaf in flatten(event)):
        yield "What was chosen by DP selection (a parameter, a quantile) is left out: the attack is on the noisy sums."
    if records is not None:
        yield from records.remarks
    elif worst_case is None:
        yield _untried(case.output, case.sample.people)
    if noise is None and noise_of(event) is not None:
        yield "The amount of noise was not checked: the order of participants is random, so the noise cannot be computed."


def _untried(output: BundleOutput, people: int) -> str:
    """Why no attack was tried on an output that is no records."""
    if people < 2 and noise_of(output.event) is not None:
        return "No attack was run: there is only one participant."
    return "No attack was run: all values were chosen by DP selection, and attacks are on sums and records."


def _judged_together(outputs: Sequence[EvaluatedOutput]) -> tuple[EvaluatedOutput, ...]:
    """Correct the verdicts for all attacks on the release, of whatever output."""
    attacks = iter(judged([attack for output in outputs for attack in output.attacks]))
    return tuple(
        replace(evaluated, attacks=tuple(next(attacks) for _ in evaluated.attacks)) for evaluated in outputs
    )
