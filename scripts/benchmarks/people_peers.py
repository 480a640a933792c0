"""Synthetic people against synthesisers of rows, each in an environment of its own: a table of docs/evidence/people.md.

All get the same people of populations that are known (`studies/_populations.py`), the same ε and δ, and the same public grid;
their rows are put together to people in four ways (`_people_modes.py`). Errors are against `TRUTH` people of the population.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from studies._people_metrics import MEASURES, compared, summary
from studies._populations import DELTA, POPULATIONS, People, Population, released

from benchmarks._measure import alone, machine, resident_bytes
from benchmarks._people_modes import MODES, budget_of, means_of, people_of, table_of
from benchmarks._people_page import OF_MEANS, OUR_MODE, OURS, Cell, Result, Setting, tables
from benchmarks._people_peers import PEERS, Environments, NoResultError, Peer
from synthrelease.errors import PolicyError
from synthrelease.evaluation.metrics.people import PeopleSummary

TRUTH, DRAWN, ROWS = 4000, 1000, 20_000
SETTINGS = ("A:24:1", "A:100:1", "A:500:1", "A:500:3", "A:2000:1", "B:500:1", "B:2000:1")
QUICK_SETTINGS, QUICK_PEERS = ("A:500:1",), ("datasynthesizer-independent", "smartnoise-aim")


@dataclass(frozen=True)
class Truth:
    """A population, and what is true of it: of windows, and of people's means in every condition."""

    population: Population
    windows: PeopleSummary
    means: PeopleSummary

    @classmethod
    def of(cls, population: Population) -> Truth:
        """Return it of `TRUTH` people."""
        people = population.draw(TRUTH, 1)
        return cls(population, summary(people, population), summary(means_of(people), population))

    def errors(self, people: People, mode: str) -> tuple[dict[str, float], dict[str, float]]:
        """Return errors of windows, and of means where a mode has people's means: see `Result`."""
        errors = dict(zip(MEASURES, compared(summary(people, self.population), self.windows), strict=True))
        if mode == "flat":
            errors["lag"] = np.nan  # there is no next window
        if mode not in ("flat", OUR_MODE):
            return errors, {}
        of_means = compared(summary(means_of(people), self.population), self.means)
        named = dict(zip(MEASURES, of_means, strict=True))
        return errors, {name: named[name] for name in OF_MEANS}


@dataclass(frozen=True)
class Sample:
    """People of a population, whom all methods get."""

    truth: Truth
    people: People
    setting: Setting
    repeat: int

    def cell(self, method: str, mode: str) -> Cell:
        """Return the cell of a method in a mode."""
        return Cell(self.setting, method, mode, self.repeat)


def main(arguments: list[str]) -> int:
    """Measure what is asked for and not yet kept, print the tables, and return 0."""
    options = _parser().parse_args(arguments)
    if options.print:
        _print(_kept(options.results), PEERS)
        return 0
    settings = [
        Setting.of(text) for text in options.settings or (QUICK_SETTINGS if options.quick else SETTINGS)
    ]
    chosen = options.peers or (QUICK_PEERS if options.quick else [peer.method for peer in PEERS])
    peers = [peer for peer in PEERS if peer.method in chosen]
    results = _kept(options.results)
    with tempfile.TemporaryDirectory() as temporary:
        environments = Environments(options.environments or Path(temporary), options.python)
        ours = {(OURS, OUR_MODE): measure_ours}
        theirs = {
            (peer.name, mode): partial(measure_peer, environments, peer, mode, limit_s=options.limit)
            for peer in peers
            for mode in options.modes
        }
        for sample in _samples(options.data, settings, options.repeats):
            for (method, mode), measure in (ours | theirs).items():
                cell = sample.cell(method, mode)
                if cell in (result.cell for result in results):
                    continue
                print(cell, file=sys.stderr, flush=True)
                results.append(measure(sample))
                _keep(options.results, results[-1])
    methods = {OURS, *(peer.name for peer in peers)}
    _print([r for r in results if r.cell.setting in settings and r.cell.method in methods], peers)
    return 0


def _print(results: Sequence[Result], peers: Sequence[Peer]) -> None:
    versions = ", ".join(dict.fromkeys(peer.version for peer in peers))
    print(f"{machine('synthrelease', 'numpy')}; peers: {versions}.\n")
    print(tables(results, [peer.name for peer in PEERS]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench people-peers", description=(__doc__ or "").partition("\n")[0]
    )
    add, methods = parser.add_argument, [peer.method for peer in PEERS]
    add("data", type=Path, help="the folder with ier2023_vr_pupil")
    add(
        "--quick", action="store_true", help="500 people of A at ε = 1, and two peers, if no others are named"
    )
    add(
        "--settings",
        nargs="+",
        metavar="A:500:1",
        help=f"population, people and ε; or else {', '.join(SETTINGS)}",
    )
    add("--peers", nargs="+", choices=methods, metavar="PEER", help=f"of {', '.join(methods)}; or else all")
    add("--modes", nargs="+", choices=MODES, default=MODES, help="how people become rows; or else all")
    add("--repeats", type=int, default=1, help="releases of each method, each of other people; or else 1")
    add(
        "--limit", type=int, default=120, help="seconds of the processor for one table of a peer; or else 120"
    )
    add(
        "--environments",
        type=Path,
        help="a folder that keeps the peers' environments (2 GB) for the next run",
    )
    add("--python", default=sys.executable, help="the Python of these environments; dpmm needs 3.11")
    add("--results", type=Path, help="a file that keeps results: what is in it is not measured again")
    add("--print", action="store_true", help="measure nothing: print all that --results keeps")
    return parser


def _kept(file: Path | None) -> list[Result]:
    if file is None or not file.is_file():
        return []
    results = []
    for line in file.read_text("utf-8").splitlines():
        read = json.loads(line)
        setting = Setting(**read["cell"].pop("setting"))
        results.append(Result(Cell(setting, **read.pop("cell")), **read))
    return results


def _keep(file: Path | None, result: Result) -> None:
    if file is not None:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(result)) + "\n")


def _samples(data: Path, settings: Sequence[Setting], repeats: int) -> Iterator[Sample]:
    truths = {
        name: Truth.of(POPULATIONS[name](data))
        for name in sorted({setting.population for setting in settings})
    }
    for setting in settings:
        truth = truths[setting.population]
        for repeat in range(repeats):
            people = truth.population.draw(setting.people, 1000 + repeat)
            yield Sample(truth, people, setting, repeat)


def measure_ours(sample: Sample) -> Result:
    """Return the result of this package, in a process of its own; or why it refuses."""
    cell = sample.cell(OURS, OUR_MODE)
    try:
        people, seconds, peak = alone(_release, sample)
    except PolicyError as error:
        return Result(cell, {}, {}, without=f"refused: {error.remedy}")
    return Result(cell, *sample.truth.errors(people, OUR_MODE), seconds=seconds, peak_bytes=peak)


def _release(sample: Sample) -> tuple[People, float, int]:
    start = process_time()
    release = released(
        sample.truth.population,
        sample.people,
        epsilon=sample.setting.epsilon,
        seed=sample.repeat,
        drawn=DRAWN,
    )
    people = release.people
    return people, process_time() - start, resident_bytes()


def measure_peer(
    environments: Environments, peer: Peer, mode: str, sample: Sample, *, limit_s: int
) -> Result:
    """Return the result of a peer; or why it has none."""
    cell, population = sample.cell(peer.name, mode), sample.truth.population
    random = np.random.default_rng([sample.repeat, zlib.crc32(str(cell).encode())])
    table = table_of(sample.people, population, mode, random)
    budget = budget_of(population, mode, sample.setting.epsilon, DELTA)
    rows = DRAWN if mode == "flat" else ROWS
    try:
        made = environments.run(peer, table, budget, rows=rows, seed=sample.repeat, limit_s=limit_s)
    except NoResultError as error:
        return Result(cell, {}, {}, without=str(error))
    people = people_of(made.rows, population, mode, DRAWN, random)
    errors, of_means = sample.truth.errors(people, mode)
    return Result(cell, errors, of_means, seconds=made.seconds, peak_bytes=made.peak_bytes)
