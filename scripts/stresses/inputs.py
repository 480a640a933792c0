"""Input files, plans and ledgers: damaged at random, costly, and hostile; tables of what becomes of them.

Every damaged input is looked at by `init` and by a dry run, in a process of its own. It must be used, or refused by an error of ours that repeats no private
cell; nothing may be left behind. A damage follows from the seed and its number alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from random import Random

_SECONDS = 60  # that a damaged input may take: then the process dies
_PIECE = 20  # inputs that a process tries in turn
_FLIPS = _FOUND, _SAME, _REFUSED = "found", "without effect", "refused in words"
_TOKENS = (
    b"\n",
    b"\r",
    b'"',
    b",",
    b"\t",
    b"\x00",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"nan",
    b"-inf",
    b"1e400",
    b"99999999999999999999",
    b"{" * 50,
    b"[" * 5000,
    b"\xe2\x80\xae",
    b"\xf0\x9f\x91\x81" * 60,
    b"x" * 300,
    b"\n" * 200,
)


def main(arguments: list[str]) -> int:
    """Do what is asked for, or all of it, and print what became of it."""
    parser = argparse.ArgumentParser(prog="scripts/stress inputs", description=__doc__)
    parser.add_argument(
        "--damaged", type=int, metavar="N", help="so many damages of the files of every family"
    )
    parser.add_argument(
        "--plans", type=int, metavar="N", help="so many plans with unusual texts, against a ledger"
    )
    parser.add_argument("--ledgers", type=int, metavar="N", help="every bit of so many ledgers, changed")
    parser.add_argument(
        "--costly",
        action="store_true",
        help="files that unpack to gigabytes, hang who reads them or fill memory",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    told = parser.parse_args(arguments)
    everything = not (told.damaged or told.plans or told.ledgers or told.costly)
    failures: list[str] = []
    if told.costly or everything:
        failures += costly() + hostile()
    if told.ledgers or everything:
        failures += ledgers(told.ledgers or 2, jobs=told.jobs)
    if told.plans or everything:
        failures += plans(told.plans or 1000, seed=told.seed, jobs=told.jobs)
    if told.damaged or everything:
        failures += damaged(told.damaged or 200, seed=told.seed, jobs=told.jobs)
    for failure in failures:
        print(f"BROKEN: {failure}")
    return 1 if failures else 0


# Damaged files


def damaged(count: int, *, seed: int, jobs: int) -> list[str]:
    """Damage the files of every family so often, and return what was not as it should be."""
    from malformed import FAMILIES

    names = [family.name for family in FAMILIES]
    pieces = [
        (name, seed, start, min(start + _PIECE, count)) for name in names for start in range(0, count, _PIECE)
    ]
    table: dict[str, Counter[str]] = {name: Counter() for name in names}
    failures: list[str] = []
    for (name, _, start, _), outcomes in zip(
        pieces, _side_by_side(_damaged_piece, pieces, jobs), strict=True
    ):
        for number, outcome in enumerate(outcomes, start):
            kind = outcome.partition(" ")[0]
            table[name][kind if kind in ("used", "refused") else "broken"] += 1
            if kind not in ("used", "refused"):
                failures.append(f"{name}, seed {seed}, number {number}: {outcome}")
    total = sum(table.values(), Counter())
    print(
        f"{total.total()} damaged inputs of {len(names)} families: refused in words, used all the same, broken"
    )
    for name, found in {**table, "all": total}.items():
        print(f"  {name:<44} {found['refused']:>6} {found['used']:>6} {found['broken']:>6}")
    return failures


def _damaged_piece(name: str, seed: int, start: int, stop: int) -> list[str]:
    from malformed import FAMILIES
    from malformed.case import written

    family = next(one for one in FAMILIES if one.name == name)
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(folder) / "sound"
        written(family, sound)
        outcomes = []
        for number in range(start, stop):
            signal.alarm(_SECONDS)
            random = Random(f"{seed} {name} {number}")  # noqa: S311  a test's
            try:
                outcomes.append(_tried(Path(folder) / "damaged", sound, family.file, random))
            except Exception as error:  # noqa: BLE001  whatever it is
                outcomes.append(f"{type(error).__name__}: {error}")
        signal.alarm(0)
    return outcomes


def _tried(folder: Path, sound: Path, file: str, random: Random) -> str:
    """What becomes of a damage, in this process."""
    from malformed.case import SECRETS

    import synthrelease
    from synthrelease.errors import SynthReleaseError

    shutil.copytree(sound, folder)
    try:
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "plan.toml"]
        path = random.choice(files)
        path.write_bytes(_damage(path.read_bytes(), random))
        before = sorted(folder.rglob("*"))
        outcomes = []
        for look in (
            lambda: synthrelease.init(folder / file, person="who", plan=folder / "proposed.toml"),
            lambda: synthrelease.dry_run(folder / "plan.toml", folder / "r.h5"),
        ):
            try:
                look()
                outcomes.append("used")
            except SynthReleaseError as error:
                said = str(error).replace(str(folder), "")
                if any(secret in said for secret in SECRETS):
                    return f"a private cell is repeated: {said}"
                if not error.remedy:
                    return f"no remedy: {said}"
                outcomes.append(f"refused {error.code}")
        if sorted(folder.rglob("*")) != before:
            return "something was left behind"
        return outcomes[-1]
    finally:
        shutil.rmtree(folder)


def _damage(raw: bytes, random: Random) -> bytes:
    """Some bytes with one to three damages."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(raw) + 1)
        length = random.choice([1, 1, 2, 8, 64, 512])
        match random.randrange(7):
            case 0 if raw:
                place = random.randrange(len(raw))
                raw = raw[:place] + bytes([raw[place] ^ 1 << random.randrange(8)]) + raw[place + 1 :]
            case 1:
                raw = raw[:at] + raw[at + length :]
            case 2:
                raw = raw[: at + length] + raw[at:]
            case 3:
                raw = raw[:at] + random.choice(_TOKENS) + raw[at:]
            case 4:
                raw = (
                    raw[:at]
                    if random.randrange(4) == 0
                    else raw[:at] + random.randbytes(length) + raw[at + length :]
                )
            case 5:
                raw = raw[:at] + bytes(length) + raw[at + length :]
            case _:
                digit = random.choice(b"0123456789")
                places = [n for n, byte in enumerate(raw[:65536]) if byte == digit]
                if places:
                    place = random.choice(places)
                    raw = raw[:place] + random.choice((b"-", b".", b"e9", b"x", b"")) + raw[place + 1 :]
    return raw


# Plans


def plans(count: int, *, seed: int, jobs: int) -> list[str]:
    """Build so many plans with unusual texts against a ledger; none may be paid for in vain."""
    first = seed * 1_000_000
    pieces = [(start, min(start + _PIECE, first + count)) for start in range(first, first + count, _PIECE)]
    tried = [outcome for outcomes in _side_by_side(_plans_piece, pieces, jobs) for outcome in outcomes]
    found = Counter(outcome.partition("\n")[0][:60] for outcome in tried)
    print(f"{count} plans with unusual texts, against a ledger")
    for outcome, number in found.most_common():
        print(f"  {number:>6} {outcome}")
    return [
        f"plan {first + number}: {outcome}"
        for number, outcome in enumerate(tried)
        if outcome != "built" and not outcome.startswith("refused: ")
    ]


def _plans_piece(start: int, stop: int) -> list[str]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract" / "plans"))
    import test_paid_plans
    from random_plans.draws import OfGenerator

    outcomes = []
    for number in range(start, stop):
        signal.alarm(_SECONDS)
        try:
            with tempfile.TemporaryDirectory() as name:
                outcomes.append(test_paid_plans.spent_in_vain(OfGenerator(number), Path(name))[0] or "built")
        except Exception as error:  # noqa: BLE001  whatever it is
            outcomes.append(f"{type(error).__name__}: {error}")
    signal.alarm(0)
    return outcomes


# Ledgers


def ledgers(count: int, *, jobs: int) -> list[str]:
    """Change every bit of ledgers, one at a time: a change is found, makes no difference, or is refused in words."""
    failures: list[str] = []
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for number in range(count):
            path = Path(name) / f"{number}.sqlite"
            _make_ledger(path, releases=number + 1)
            size = path.stat().st_size
            pieces = [(str(path), start, min(start + 64, size)) for start in range(0, size, 64)]
            for (_, start, _), outcomes in zip(
                pieces, _side_by_side(_flips_piece, pieces, jobs), strict=True
            ):
                total.update(one for one in outcomes if one in _FLIPS)
                failures += [
                    f"ledger {number}, bytes from {start}: {one}" for one in outcomes if one not in _FLIPS
                ]
    told = ", ".join(f"{total[kind]} {kind}" for kind in _FLIPS)
    print(f"{total.total()} one-bit changes of {count} ledgers: {told}")
    return failures


def _make_ledger(path: Path, *, releases: int) -> None:
    from spending import charge, gaussian, laplace

    from synthrelease.ledgers import Ledger

    ledger = Ledger(path)
    ledger.grant("study", 10_000, 1e-5)
    for number in range(releases):
        ledger.debit(charge(gaussian(10.0) if number % 2 else laplace(10.0)))


def _flips_piece(path: str, start: int, stop: int) -> list[str]:
    from synthrelease.errors import SynthReleaseError
    from synthrelease.ledgers import Ledger

    raw, outcomes = Path(path).read_bytes(), []
    with tempfile.TemporaryDirectory() as name:
        changed = Path(name) / "ledger.sqlite"
        changed.write_bytes(raw)
        sound = Ledger(changed).to_json()
        for place in range(start, stop):
            for bit in range(8):
                signal.alarm(_SECONDS)
                changed.write_bytes(raw[:place] + bytes([raw[place] ^ 1 << bit]) + raw[place + 1 :])
                try:
                    ledger = Ledger(changed)
                    if ledger.check().faults:
                        outcomes.append(_FOUND)
                    elif ledger.to_json() == sound:
                        outcomes.append(_SAME)
                    else:
                        outcomes.append(f"byte {place}, bit {bit}: another history that no one notices")
                except SynthReleaseError:
                    outcomes.append(_REFUSED)
                except Exception as error:  # noqa: BLE001  whatever it is
                    outcomes.append(f"byte {place}, bit {bit}: {type(error).__name__}: {error}")
    signal.alarm(0)
    return outcomes


# Costly files


def costly() -> list[str]:
    """Read small files that unpack to gigabytes; each is refused within the limits."""
    from costly import AXES, COSTLY, MOST_MEMORY_BYTES, MOST_SECONDS

    failures = []
    print(f"{'file':<30} {'bytes':>10} {'seconds':>8} {'MiB':>6}  refused")
    for name, (called, write) in COSTLY.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / called
            write(path)
            axes = ["--axes", AXES[name]] if name in AXES else []
            began = time.monotonic()
            process = subprocess.Popen(
                [sys.executable, "-m", "synthrelease", "init", called, "--person", "who", *axes],
                cwd=folder,
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            )
            said = process.stderr.read() if process.stderr is not None else ""
            _, status, used = os.wait4(process.pid, 0)
            seconds, peak = time.monotonic() - began, used.ru_maxrss * 1024
            code = os.waitstatus_to_exitcode(status)
            process.returncode = code
            print(
                f"{name:<30} {path.stat().st_size:>10} {seconds:>8.1f} {peak >> 20:>6}  {said.partition(chr(10))[0].partition(': ')[2][:90]}"
            )
            if code != 3 or seconds > MOST_SECONDS or peak > MOST_MEMORY_BYTES:
                failures.append(f"{name}: exit code {code}, {seconds:.1f} s, {peak >> 20} MiB")
    return failures


def hostile(times: int = 2) -> list[str]:
    """Read files that hang their reader or fill memory, twice as large as in the tests; each is refused in words, soon, in the memory that it is given."""
    from costly import MOST_SECONDS
    from hostile_inputs import COMMANDS, HOSTILE, run, study

    failures = []
    print(f"{'file':<50} {'command':<40} {'seconds':>8}  code")
    for name, one in HOSTILE.items():
        for command in COMMANDS[one.use]:
            with tempfile.TemporaryDirectory() as folder:
                study(Path(folder), one.use)
                one.write(Path(folder), times)
                began = time.monotonic()
                try:
                    code = run(Path(folder), command).returncode
                except subprocess.TimeoutExpired:
                    code = -1
            seconds = time.monotonic() - began
            print(f"{name:<50} {command[:40]:<40} {seconds:>8.1f} {code:>5}")
            if code not in (1, 3, 4) or seconds > MOST_SECONDS:
                failures.append(f"{name}: {command}: exit code {code}, {seconds:.1f} s")
    return failures


# Processes


def _side_by_side(
    work: Callable[..., list[str]], pieces: Sequence[tuple[object, ...]], jobs: int
) -> list[list[str]]:
    """Do pieces of work in other processes; one that dies is an outcome of its piece."""
    outcomes: list[list[str]] = []
    left = list(pieces)
    while left:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            asked = [pool.submit(work, *piece) for piece in left]
            for piece, one in zip(left, asked, strict=True):
                try:
                    outcomes.append(one.result())
                except BrokenProcessPool:  # of this piece, or of one beside it: it is done again alone
                    outcomes.append(_alone(work, piece))
                    break
        left = pieces[len(outcomes) :]
    return outcomes


def _alone(work: Callable[..., list[str]], piece: tuple[object, ...]) -> list[str]:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(work, *piece).result()
        except BrokenProcessPool:
            return ["the process died, or took too long"]
