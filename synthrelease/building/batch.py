"""Many plans: built side by side, each on its own feet, and resumed where the last batch ended.

One failure spoils no other. What a bundle costs is paid by the coordinator, as in a single build; what was committed is not
built again, and what was paid for and not committed follows the ledger's rule.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from synthrelease.building.builder import Built, build_job
from synthrelease.building.curator import ConfirmAll, Payment, not_mostly_lost
from synthrelease.building.design import make_design
from synthrelease.building.journal import DONE, MOVING, Journal, JournalEntry
from synthrelease.building.targets import default_name, mode_of, sidecar, sweep, target
from synthrelease.bundle import open_bundle, verify
from synthrelease.bundle.layout import sealed_digest
from synthrelease.bundle.manifest import to_bytes
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import (
    Argument,
    ArgumentError,
    MachineError,
    NotConfirmedError,
    PlanError,
    Remedy,
    SynthReleaseError,
)
from synthrelease.files import atomic
from synthrelease.files.scratch import scratch
from synthrelease.files.unwritable import refuse_taken
from synthrelease.ledgers import Charge, Ledger
from synthrelease.parallel import Call, Failed, Job, Pool, Round, checked_jobs, pool_of, run_all
from synthrelease.plan.plan import CheckedPlan, load_plan
from synthrelease.plan.policy import load_policy

BUILT, KEPT, FAILED = "built", "kept", "failed"


@dataclass(frozen=True)
class PlanOutcome:
    """What became of a plan."""

    plan: Path
    state: str  # BUILT, KEPT from an earlier batch, or FAILED
    bundle: Path | None = None
    reason: str = ""  # why it failed, in the words of the error
    code: str = ""  # of that error
    error: SynthReleaseError | None = None  # itself, if it is one of ours


@dataclass(frozen=True)
class _BatchPlan:
    """A plan of the batch that could be read."""

    number: int
    plan: CheckedPlan
    bundle: Path  # its file
    key: str  # what the bundle depends on besides the data, in the journal


@scratch()
def batch(
    plans: Sequence[str | Path],
    folder: str | Path,
    *,
    jobs: int = 1,
    cluster: Callable[[], Pool] | None = None,
    resume: bool = False,
    force: bool = False,
    policy: str | Path | None = None,
    test_seed: int | None = None,
    confirm: ConfirmAll | None = None,
    allow_losses: bool | None = None,
    ended: Callable[[PlanOutcome], None] = lambda _: None,
) -> list[PlanOutcome]:
    """Build many plans, and return what became of each, in their order.

    Args:
        plans: TOML files.
        folder: for the bundles, <name>-<version>.h5 each, and the journal; made if needed.
        jobs: processes of this machine.
        cluster: opens another pool than these.
        resume: keep what an earlier batch in this folder has built.
        force: replace bundles that are in the way.
        policy: a file of limits that every release must keep to.
        test_seed: as for `build`.
        confirm: called once, with what all plans cost each dataset together, before a ledger is charged; unless it returns true, nothing is charged or
            built. None charges unasked.
        allow_losses: charge also a plan of which more than half of the rows or values would be dropped or clipped, as with a wrong unit;
            default: only without `confirm`.
        ended: called with each plan's end, as they come.

    Raises:
        MachineError: the folder cannot be used, or another batch works in it.
        PlanError: the policy is none.
        ArgumentError: one plan in place of a list, or jobs below 1.
        NotConfirmedError: `confirm` did not agree.
    """
    _refuse_single_plan(plans)
    checked_jobs(jobs)
    if allow_losses is None:
        allow_losses = confirm is None
    if policy is not None:
        load_policy(policy)  # better an error now than one for every plan
    outcomes: dict[int, PlanOutcome] = {}  # by number of the plan

    def note(number: int, outcome: PlanOutcome) -> None:
        outcomes[number] = outcome
        ended(outcome)

    paths = [Path(plan).absolute() for plan in plans]  # workers may stand elsewhere
    with Journal(Path(folder).absolute()) as journal:
        to_build = []
        for number, planned in enumerate(_read_plans(paths, journal.path.parent, test_seed)):
            if isinstance(planned, SynthReleaseError):
                note(number, _failed(paths[number], planned))
            elif (outcome := _earlier_outcome(planned, journal, resume=resume, force=force)) is not None:
                note(number, outcome)
            else:
                to_build.append(planned)
        journal.reserve(len(to_build))
        if confirm is not None and test_seed is None:
            _ask_once(to_build, confirm, pool_of(jobs))
        builds = [
            build_job(
                planned.plan,  # not its file again, which may be another one by now
                planned.bundle,
                force=force,
                policy=policy,
                test_seed=test_seed,
                confirm=None if allow_losses else not_mostly_lost,
                before_move=partial(_note_moving, journal, planned),
            )
            for planned in to_build
        ]
        for number, outcome in _run(to_build, builds, journal, cluster or (lambda: pool_of(jobs))):
            note(number, outcome)
    return [outcomes[number] for number in range(len(paths))]


def _refuse_single_plan(plans: object) -> None:
    if isinstance(plans, str | Path):
        raise ArgumentError(
            "not-a-list-of-plans",
            "one plan, not a list of plans",
            where="batch().plans",
            found=type(plans).__name__,
            expected="a list",
            remedy='write ["a.toml", "b.toml"]; `build` takes one',
        )


def charges(plan: str | Path) -> bool:
    """Whether a plan charges a ledger; one that cannot be read does not."""
    try:
        return load_plan(plan).ledger is not None
    except SynthReleaseError:
        return False


def _ask_once(planned: Sequence[_BatchPlan], confirm: ConfirmAll, pool: Pool) -> None:
    """Ask once whether to charge what all plans cost together; a plan that cannot be designed fails later, when it is built."""
    paying = [(release, release.plan.ledger) for release in planned if release.plan.ledger is not None]
    if not paying:
        return
    by_account: dict[tuple[Path, str], list[tuple[_BatchPlan, Charge]]] = {}
    for index, charge in run_all(
        [_charge_job(release.plan) for release, _ in paying], pool, most_open=2 * pool.workers
    ):
        if not isinstance(charge, Failed):
            release, ledger = paying[index]
            file = ledger.resolve()  # plans of several folders name it by several paths
            by_account.setdefault((file, charge.dataset), []).append((release, charge))
    payments = []
    for (ledger, dataset), charges_due in by_account.items():
        try:
            grant, standing = Ledger(ledger).preview([charge for _, charge in charges_due])
        except SynthReleaseError:  # every plan of it will say so
            continue
        replaced = tuple(release.bundle for release, _ in charges_due if release.bundle.exists())
        names = tuple(f"{charge.release['name']} {charge.release['version']}" for _, charge in charges_due)
        payments.append(Payment(names, ledger, dataset, grant, standing, replaced))
    if payments and not confirm(payments):
        raise NotConfirmedError(
            "not-confirmed",
            "nothing was charged and nothing was built",
            remedy="run the batch again to confirm the charge",
        )


def _charge_job(plan: CheckedPlan) -> Job[Charge]:
    charge: Charge
    (charge,) = yield Round("reading public facts", [Call(_charge_of, (plan,))])
    return charge


def _charge_of(plan: CheckedPlan) -> Charge:
    return make_design(plan).charge()


def _read_plans(
    paths: Sequence[Path], folder: Path, test_seed: int | None
) -> Iterator[_BatchPlan | SynthReleaseError]:
    """Each plan, or why there is none; no two may have one bundle."""
    taken: dict[Path, Path] = {}
    for number, path in enumerate(paths):
        try:
            plan = load_plan(path)
            bundle = target(plan, folder / default_name(plan), test_seed)
            if bundle in taken:
                raise PlanError(
                    "duplicate-release",
                    "this plan is listed twice"
                    if path == taken[bundle]
                    else f"it has the same release name and version as {taken[bundle]}",
                    where=str(path),
                    remedy="list it once"
                    if path == taken[bundle]
                    else "give each plan its own name or version under [release]",
                )
        except SynthReleaseError as error:
            yield error
        else:
            taken[bundle] = path
            key = hashlib.sha256(f"{plan.digest} {test_seed}".encode()).hexdigest()
            yield _BatchPlan(number, plan, bundle, key)


def _earlier_outcome(
    planned: _BatchPlan, journal: Journal, *, resume: bool, force: bool
) -> PlanOutcome | None:
    """What an earlier batch built of this plan, or why it cannot be built; None if it has to be."""
    sweep(planned.bundle)
    plan, path, kept = planned.plan.path, planned.bundle, None
    try:
        if resume and (entry := _earlier_entry(planned, journal, force=force)) is not None:
            kept = path
            if entry.state == MOVING:  # killed just after it had its name
                manifest = open_bundle(path, allow_test_seed=True).manifest
                mode = mode_of(manifest["randomness"]["test_seed"])
                atomic.write_atomically(sidecar(path), to_bytes(manifest), force=True, mode=mode)
                journal.add(replace(entry, state=DONE))
            return PlanOutcome(plan, KEPT, kept)
        if not force:
            keep = (
                () if resume else ("keep the bundles that are built: ", Argument("resume", True), "; else ")
            )
            instead = "give the plan another version, choose another folder, or replace the bundle (this spends ε again): "
            refuse_taken(path, Remedy(*keep, instead, Argument("force", True)))
    except SynthReleaseError as error:
        return _failed(plan, error, kept)
    return None


def _earlier_entry(planned: _BatchPlan, journal: Journal, *, force: bool) -> JournalEntry | None:
    """What an earlier batch noted of the bundle of this plan, if that is there.

    Raises:
        MachineError: it is gone, or was changed since, and `force` is not set.
    """
    entry, path = journal.entries.get(planned.bundle.name), planned.bundle
    if entry is None or entry.plan != planned.key:
        return None
    if path.exists():
        if _is_unchanged(entry, path):
            return entry
        code, problem = "bundle-changed", "the bundle was changed since it was built"
    elif entry.state == DONE:
        code, problem = "bundle-gone", "the bundle was built and is missing"
    else:  # killed just before it had its name
        return None
    if force:
        return None
    raise MachineError(
        code,
        problem,
        where=str(path),
        remedy=Remedy("restore it, or build it again, which spends ε again: ", Argument("force", True)),
    )


def _is_unchanged(entry: JournalEntry, path: Path) -> bool:
    """Whether a file is the bundle that was built: to the last byte after its user block, or signed, and else the same."""
    try:
        with BundleFile(path) as file:
            if file.body_digest() == entry.checksum == sealed_digest(file.text_block):
                return True
    except OSError:
        return False
    checked = verify(path, allow_test_seed=True)  # no fault, and the same manifest: then the same values
    return checked.ok and checked.manifest is not None and _digest(checked.manifest) == entry.manifest


def _digest(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(to_bytes(manifest)).hexdigest()


def _failed(plan: Path, error: SynthReleaseError, bundle: Path | None = None) -> PlanOutcome:
    return PlanOutcome(plan, FAILED, bundle, str(error), error.code, error)


def _note_moving(journal: Journal, planned: _BatchPlan, checksum: str, manifest: str) -> None:
    """Note that a bundle is about to get its name: a batch that is resumed then knows it."""
    with suppress(MachineError):  # the bundle is paid for: the note that it is done says so
        journal.add(JournalEntry(planned.bundle.name, planned.key, checksum, MOVING, manifest))


def _run(
    planned: Sequence[_BatchPlan], builds: Sequence[Job[Built]], journal: Journal, pool: Callable[[], Pool]
) -> Iterator[tuple[int, PlanOutcome]]:
    """Build, and yield what became of each; if the pool is lost, of all that are left."""
    unfinished = dict(enumerate(planned))
    if not unfinished:
        return
    try:
        opened = pool()
        for index, result in run_all(builds, opened, most_open=2 * opened.workers):
            ended = unfinished.pop(index)
            yield ended.number, _outcome(ended, result, journal)
    except MachineError as error:
        for pending in unfinished.values():
            yield pending.number, _failed(pending.plan.path, error)


def _outcome(planned: _BatchPlan, result: Any, journal: Journal) -> PlanOutcome:
    plan, bundle = planned.plan.path, planned.bundle
    if isinstance(result, Failed):
        if isinstance(result.error, SynthReleaseError):
            return _failed(plan, result.error)
        return PlanOutcome(plan, FAILED, reason=_reason(result), code="internal-error")
    try:
        journal.add(replace(journal.entries[bundle.name], state=DONE))
    except MachineError as error:
        error.add_remedy(f"{bundle} is complete, verified and charged: keep it, and do not build it again")
        return _failed(plan, error, bundle)
    return PlanOutcome(plan, BUILT, bundle)


def _reason(failed: Failed) -> str:
    """Why a plan failed by an error that is not ours: neither its text nor values, which may be private."""
    at = f" ({failed.at})" if failed.at else ""
    return f"{type(failed.error).__name__} in synthrelease itself{at}: use build for this plan to see more"
