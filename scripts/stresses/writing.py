"""A build to which something happens at every step that touches the disk: the old bundle or the new one, whole, and nothing half.

The steps of a build are counted (files made, locked, written in halves, put on the disk, renamed, removed; entries of the ledger). Then it
is done again and again, in a forked process that before step 1, 2, 3 … is killed (SIGKILL) or interrupted (Ctrl-C), or for which the disk is
full, the folder forbidden or the disk broken from there on; and under a limit of file sizes of 0, 1, 2 … bytes. After each, what is there is
looked at, a new build is made, and what is there is looked at again.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import disk_steps
from disk_steps import NAMING, Steps
from forked import ended
from paid_study import grant, write_paid_study
from spending import kinds, without_syncing

HAPPENINGS: dict[str, Callable[[], Callable[[str], None]]] = {
    "killed": lambda: disk_steps.killed,
    "interrupted": lambda: disk_steps.Once(KeyboardInterrupt()),
    "full": lambda: disk_steps.full,
    "forbidden": lambda: disk_steps.forbidden,
    "broken": lambda: disk_steps.broken,
}
CODES = {"killed": -9, "interrupted": 130}  # of the others: the machine's
MACHINE = 6


@dataclass(frozen=True)
class Way:
    """One way to build.

    Attributes:
        force: over an old bundle.
        paid: from a ledger.
    """

    force: bool
    paid: bool

    def __str__(self) -> str:
        return f"{'over an old bundle' if self.force else 'a new bundle'}{', paid' if self.paid else ''}"


WAYS = tuple(Way(force, paid) for force in (False, True) for paid in (False, True))


@dataclass
class Stress:
    """Builds to which something happens, one after the other, each in a folder of its own.

    Attributes:
        folder: of all these folders.
        ends: what was found after builds, and how often.
        broken: guarantees that did not hold.
        old: what stands where a build goes over an old bundle: that, and its sidecar.
    """

    folder: Path
    ends: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    old: tuple[bytes, bytes] = (b"", b"")
    _read: dict[bool, Any] = field(default_factory=dict)  # by whether it is paid for
    _number: int = 0

    def __post_init__(self) -> None:
        """Read the data once: not even a forked process can read it again, whose threads did not come with it."""
        from synthrelease.building import builder, ready

        real = ready._read_once  # noqa: SLF001  what reads the data

        for paid in (True, False):
            place = self.place(Way(force=False, paid=paid))

            def read(plan: Any, *, paid: bool = paid) -> Any:
                self._read[paid] = real(plan)
                return copy.deepcopy(self._read[paid])

            with _replaced(ready, _read_once=read):
                built = builder.build(place.plan, place.bundle)
        self.old = built.path.read_bytes(), built.sidecar.read_bytes()

    @property
    def bytes(self) -> tuple[int, int]:
        """How long a bundle and its sidecar are."""
        return len(self.old[0]), len(self.old[1])

    def place(self, way: Way) -> Place:
        """Return a new folder to build in."""
        self._number += 1
        place = Place(self.folder / f"{self._number}")
        place.folder.mkdir()
        write_paid_study(place.folder)
        if way.paid:
            with without_syncing():
                grant(place.folder, 1000.0)
        else:
            text = place.plan.read_text()
            place.plan.write_text(text.replace('ledger = "ledger.sqlite"\ndataset = "study"\n', ""))
        if way.force:
            place.bundle.write_bytes(self.old[0])
            place.sidecar.write_bytes(self.old[1])
        return place

    def steps(self, way: Way) -> list[str]:
        """Return the kinds of all steps of a build."""
        place = self.place(way)

        def count() -> None:
            steps = Steps()
            steps.watch()
            self.command(place, way)
            print("steps:", *steps.kinds, sep="\n")

        code, said = ended(count)
        if code != 0:
            raise RuntimeError(said)
        return said.partition("steps:\n")[2].splitlines()

    def happen(self, way: Way, what: str, first: int) -> None:
        """Let something happen before a step, and look at what it left."""

        def build() -> None:
            Steps(first, HAPPENINGS[what]()).watch()
            self.command(place, way)

        place = self.place(way)
        code, said = ended(build)
        self._look(place, way, f"{what} before step {first}", (code, CODES.get(what, MACHINE)), said)

    def limit(self, way: Way, most_bytes: int) -> None:
        """Build under a limit of file sizes, and look at what it left."""

        def build() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY))
            self.command(place, way)

        place = self.place(way)
        code, said = ended(build)
        self._look(place, way, f"files of at most {most_bytes} bytes", (code, MACHINE), said)

    def command(self, place: Place, way: Way) -> None:
        """Build as the command does, in a forked process, of data that was read before.

        Nothing waits for the disk: that makes a difference if the power fails, and to the time that this takes.
        """
        from synthrelease.building import ready
        from synthrelease.cli import main

        sync = os.fsync
        if sync.__module__ == "posix":  # and not one that counts
            os.fsync = lambda _: None
        asked = [
            "--quiet",
            "build",
            str(place.plan),
            "--yes",
            "-o",
            str(place.bundle),
            *["--force"] * way.force,
            "--json",
        ]
        read = self._read[way.paid]
        with without_syncing(), _replaced(ready, _read_once=lambda _: copy.deepcopy(read)):
            main(asked, standalone_mode=False)

    def _look(self, place: Place, way: Way, what: str, codes: tuple[int, int], said: str) -> None:
        """Note whatever should not be as it is: after what happened, and after the next builds."""

        def hold(guarantee: bool, told: str) -> None:  # noqa: FBT001  an assertion that goes on
            if not guarantee:
                self.broken.append(f"{way}, {what}: {told}")

        code, failed = codes
        state = self._state(place, way)
        self.ends[f"{way}: {state}, exit code {code}"] += 1
        hold(not state.startswith("BROKEN"), state)
        hold(code in (0, failed), f"exit code {code}: {said[-600:]}")
        hold((code == 0) <= (state == "new-pair"), f"success, and {state}")
        if failed == MACHINE and code != 0:
            remedy = refusal(said).get("remedy", "")
            hold(bool(remedy) and "\nerror: " in said, f"no message but {said}")
            left = place.left()
            hold(not left or all(name in said for name in left), f"left behind untold: {left}")
            hold("Traceback" not in said, said)
            if way.paid and "drawing" in place.entries():
                told = str(place.bundle) if "new" in state else counted()
                hold(told in remedy, f"what was paid is not told: {said}")
        stands = place.bundle.exists()
        code, said = ended(lambda: self.command(place, Way(force=False, paid=way.paid)))
        hold(code == (MACHINE if stands else 0), f"the next build ended with {code}: {said[-600:]}")
        hold(not place.left(), f"left behind after the next build: {place.left()}")
        hold((self._state(place, way) == state) == stands, "replaced-unasked by the next build")
        if stands:
            code, said = ended(lambda: self.command(place, Way(force=True, paid=way.paid)))
            hold(code == 0, f"the next build by force ended with {code}: {said[-600:]}")
        hold(self._state(place, way) == "new-pair", f"after the next build {self._state(place, way)}")
        hold(not place.left(), f"left behind in the end: {place.left()}")

    def _state(self, place: Place, way: Way) -> str:
        """What has the names, in words that guarantees are made in."""
        bundle, text = place.read(place.bundle), place.read(place.sidecar)
        before = self.old if way.force else (None, None)
        if (bundle, text) == before:
            return "old-pair" if way.force else "nothing"
        if bundle == before[0]:
            return "old-bundle" if text is None else "BROKEN: lone-manifest"
        return "BROKEN: no-bundle" if bundle is None else place.new(text, paid=way.paid)


@dataclass(frozen=True)
class Place:
    """A folder of one study, and of builds of one name.

    Attributes:
        folder: itself.
    """

    folder: Path

    @property
    def plan(self) -> Path:
        """The plan."""
        return self.folder / "plan.toml"

    @property
    def bundle(self) -> Path:
        """Where the bundle goes."""
        return self.folder / "r.h5"

    @property
    def sidecar(self) -> Path:
        """Where its manifest goes."""
        return self.folder / "r.manifest.json"

    def read(self, path: Path) -> bytes | None:
        """Return what a file holds, None if there is none."""
        return path.read_bytes() if path.exists() else None

    def left(self) -> list[str]:
        """What is neither bundle nor sidecar nor what was there before."""
        known = {"plan.toml", "gaze.csv", "r.h5", "r.manifest.json", "ledger.sqlite", "ledger.sqlite-journal"}
        return sorted({path.name for path in self.folder.iterdir()} - known)

    def entries(self) -> list[str]:
        """Return the kinds of the ledger's entries."""
        return kinds(self.folder / "ledger.sqlite")

    def new(self, text: bytes | None, *, paid: bool) -> str:
        """Whether a new bundle is whole, and of one piece with what stands beside it."""
        from synthrelease.bundle import open_bundle, verify
        from synthrelease.bundle.manifest import to_bytes

        if not verify(self.bundle).ok:
            return "BROKEN: faulty-bundle"
        manifest = open_bundle(self.bundle).manifest
        if paid and not self._is_paid(manifest):
            return "BROKEN: uncounted-bundle"
        if text is None:
            return "new-bundle"
        return "new-pair" if text == to_bytes(manifest) else "BROKEN: unlike-pair"

    def _is_paid(self, manifest: dict[str, Any]) -> bool:
        """Whether the ledger counts a release, as one on which noise was drawn."""
        from synthrelease.ledgers import Ledger

        debits = Ledger(self.folder / "ledger.sqlite").to_json("study")["study"]["debits"]
        entry = manifest["ledger"]["entry"]
        return [d["drawn"] or d["manifest"] is not None for d in debits if d["entry"] == entry] == [True]


def refusal(said: str) -> dict[str, Any]:
    """Return what a command that was refused says to a program; empty if it says nothing."""
    start = said.find('{\n  "error": ')
    return dict(json.JSONDecoder().raw_decode(said, start)[0]["error"]) if start >= 0 else {}


def counted() -> str:
    """Return what a failed build says of a debit that noise was drawn on."""
    from synthrelease.ledgers import Debit

    debit = Debit(Path(), 0, {})
    debit._begun = True  # noqa: SLF001  without a ledger
    return debit.failure_remedy()


@contextmanager
def _replaced(module: Any, **others: Any) -> Iterator[None]:
    real = {name: getattr(module, name) for name in others}
    for name, other in others.items():
        setattr(module, name, other)
    try:
        yield
    finally:
        for name, one in real.items():
            setattr(module, name, one)


def telling(steps: list[str]) -> list[int]:
    """Return the steps that tell most: the first and last of each kind, and all around a change of names."""
    chosen = set()
    for kind in set(steps):
        places = [n for n, other in enumerate(steps, start=1) if other == kind]
        chosen |= {places[0], places[-1]}
        if kind in NAMING:
            chosen |= {near for n in places for near in (n - 1, n, n + 1)}
    return sorted(n for n in chosen if 1 <= n <= len(steps))


def main(arguments: list[str]) -> int:
    """Let everything happen everywhere; 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(prog="scripts/stress writing", description=__doc__)
    parser.add_argument("--only", choices=[*HAPPENINGS, "limit"], help="let one kind of thing happen only")
    parser.add_argument(
        "--every", type=int, default=1, help="let it happen at every so manieth step (default 1)"
    )
    parser.add_argument("--bytes", type=int, default=1, help="raise the limit by so many bytes (default 1)")
    asked = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        stress = Stress(Path(folder))
        for way in WAYS:
            steps = stress.steps(way)
            for what in HAPPENINGS if asked.only is None else {asked.only} - {"limit"}:
                for first in range(1, len(steps) + 1, asked.every):
                    stress.happen(way, what, first)
                print(f"{way}, {what}: {len(steps)} steps, {len(stress.broken)} broken", flush=True)
            if asked.only in (None, "limit") and not way.paid:
                for most in range(0, max(stress.bytes) + 2, asked.bytes):
                    stress.limit(way, most)
                print(
                    f"{way}, limits up to {max(stress.bytes)} bytes, {len(stress.broken)} broken", flush=True
                )
    for end, often in sorted(stress.ends.items()):
        print(f"{often:6} {end}")
    print(f"{time.monotonic() - began:.0f} s")
    for fault in stress.broken:
        print(f"BROKEN: {fault}")
    return 1 if stress.broken else 0
