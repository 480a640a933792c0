"""The studio against the folder that it is opened in and other programs of the machine: results that it did not make, plans that change, connections that ask nothing, or read nothing.

A forged, replayed or stale result must not be shown, a plan that was changed after it was confirmed must not be charged, and a browser must be answered whatever else is
connected. A forgery follows from the seed and its number alone.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

_SHOWN = 'class="verdict'
_GOOD = {
    "ok": True,
    **{key: [] for key in ("findings", "checked", "signed_by", "on_trust", "not_done")},
    "unprotected": {},
}


def main(arguments: list[str]) -> int:
    """Do what is asked for, or all of it, and print what became of it."""
    parser = argparse.ArgumentParser(prog="scripts/stress studio", description=__doc__)
    parser.add_argument(
        "--forged", type=int, metavar="N", help="so many results that were forged, replayed or are stale"
    )
    parser.add_argument(
        "--plans", type=int, metavar="N", help="so many plans that change between page and command"
    )
    parser.add_argument("--connections", type=int, metavar="N", help="so many connections that ask nothing")
    parser.add_argument(
        "--pipelined", type=int, metavar="N", help="so many connections that ask often and read nothing"
    )
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args(arguments)
    everything = not (told.forged or told.plans or told.connections or told.pipelined)
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # not the user's own key
        if told.connections or everything:
            failures += connections(told.connections or 2200)
        if told.pipelined or everything:
            failures += connections(told.pipelined or 300, requests=40_000)
        if told.plans or everything:
            failures += plans(told.plans or 40)
        if told.forged or everything:
            failures += forged(told.forged or 2000, seed=told.seed)
    for failure in failures:
        print(f"BROKEN: {failure}")
    return 1 if failures else 0


def forged(count: int, *, seed: int) -> list[str]:
    """Change what the studio finds in its folder, and return what it showed all the same."""
    from studio_project import Browser, noted, project

    broken, seen = [], Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(project(Path(folder)))
        bundle, state = Path(folder) / "b.h5", browser.project.state
        names = ("verify.json", "verify.out", "verify.err", "verify.end")

        def made(content: bytes) -> dict[str, bytes]:
            bundle.write_bytes(content)
            noted(browser.project, "verify", "verify", "b.h5", printed=json.dumps(_GOOD))
            return {name: (state / name).read_bytes() for name in names}

        earlier, sound = made(b"another bundle"), made(b"a bundle")
        assert _SHOWN in browser.ask("/bundle?path=b.h5").text
        for number in range(count):
            random = Random(f"{seed} {number}")  # noqa: S311  a test's
            files: dict[str, bytes] = {**sound, "b.h5": b"a bundle"}
            name = random.choice([*files])
            kind = random.choice(("flipped", "cut", "replayed", "replaced"))
            if kind == "flipped" and files[name]:
                place = random.randrange(len(files[name]))
                changed = bytes([files[name][place] ^ 1 << random.randrange(8)])
                files[name] = files[name][:place] + changed + files[name][place + 1 :]
            elif kind == "cut" and files[name]:
                files[name] = files[name][: random.randrange(len(files[name]))]
            elif kind == "replayed":
                files |= {one: earlier[one] for one in random.sample(names, random.randint(1, len(names)))}
            else:
                files[name] += b" "
            if files == {**sound, "b.h5": b"a bundle"}:
                seen["the same"] += 1
                continue
            told = bundle.stat()
            for one, content in files.items():
                (bundle if one == "b.h5" else state / one).write_bytes(content)
            os.utime(bundle, ns=(told.st_atime_ns, told.st_mtime_ns))
            answer = browser.ask("/bundle?path=b.h5")
            seen[kind] += 1
            if answer.status != 200 or _SHOWN in answer.text:
                broken.append(
                    f"result {number} of seed {seed} ({kind} {name}): status {answer.status}, shown"
                )
    print(f"{count} results that were forged, replayed or are stale: {dict(seen)}, {len(broken)} shown")
    return broken


def plans(count: int) -> list[str]:
    """Change the plan after it was confirmed, and return what was charged."""
    from paid_study import grant, write_paid_study
    from studio_project import Browser

    from synthrelease.studio.jobs import Jobs
    from synthrelease.studio.project import Project

    broken = []
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        ledger = grant(here, epsilon=1000.0)
        browser = Browser(Project(here.resolve()))
        jobs = Jobs(browser.project.folder, browser.project.state)
        for number in range(count):
            plan = write_paid_study(here, version=f'"{number}"')
            assert browser.change("/jobs/start", name="build", yes="yes").status == 204
            time.sleep(number % 5 * 0.6)
            plan.write_text(plan.read_text().replace("epsilon = 1.0", "epsilon = 9.0"))
            while jobs.running() is not None:
                time.sleep(0.05)
        charged = [debit["epsilon_alone"] for debit in ledger.to_json()["study"]["debits"]]
        broken += [f"a release of ε = {epsilon} was charged" for epsilon in charged if epsilon > 1]
    print(
        f"{count} plans that changed after they were confirmed: {len(charged)} built as confirmed, {len(broken)} as changed"
    )
    return broken


def connections(count: int, *, requests: int = 0) -> list[str]:
    """Connect so often, ask so often over each, and read nothing; then ask, and return why there was no answer."""
    from studio_project import project
    from studio_running import pipelining

    which = "read nothing" if requests else "ask nothing"

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, count + 200), most))
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        project(Path(folder))
        command = [sys.executable, "-m", "synthrelease", "studio", folder, "--no-browser"]
        process: Any = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        port = int(re.findall(r":(\d+)/enter", process.stdout.readline())[0])
        try:
            for _ in range(count):
                stack.enter_context(pipelining(port, requests))
            time.sleep(3)  # until no more answers can be sent
            with socket.create_connection(("127.0.0.1", port), timeout=30) as asking:
                asking.sendall(f"GET /data HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                answer = asking.recv(100)
        except OSError as error:
            return [f"after {count} connections that {which}: {error}"]
        finally:
            process.send_signal(signal.SIGINT)
    print(f"{count} connections that {which}: a browser is answered, {answer[:12].decode()}")
    return [] if b" 403 " in answer else [f"after {count} connections that {which}: {answer!r}"]
