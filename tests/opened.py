"""Golden bundles with one leaf of the manifest changed and sealed anew, and all that a reader does with a bundle: values, or our own errors.

A mutant follows from seed and number alone. Readers do it in processes that may have little memory beyond what they have.
"""

from __future__ import annotations

import copy
import functools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from layouts import GOLDEN, Layout, read
from mutants import Place, Random, at, pattern, places, text_of, written

import synthrelease
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import SynthReleaseError
from synthrelease.exports.readable import ReadableBundle
from synthrelease.kinds.records.model import SeededModel
from synthrelease.kinds.scanpaths.drawing import ScanpathModel
from synthrelease.reports.summary import as_text

SEED = 20261129
MEMORY_BYTES = 1 << 30  # beyond what a child has that has read a bundle
SECONDS = 60.0  # of the processor: a mutant that takes more hangs
_PATIENCE = 900  # seconds, for what waits and does nothing
_BATCH = 250
_READY = "ready"
_WRITTEN = 10  # of so many, one is exported and reported on: both verify in full first
_FIRST = "people.h5"  # read by every child before memory is limited: libraries load what they need
_DEEP = functools.reduce(lambda below, _: {"a": [below]}, range(60), {})
_LEAVES: tuple[Any, ...] = (
    *(None, True, "x", "nan", "", [], {}, [[]], [1.0], {"a": 1}, _DEEP),
    *(
        0,
        -1,
        2,
        7,
        255,
        10**6,
        2**31,
        2**62,
        10**30,
        0.0,
        -0.5,
        0.5,
        1e-300,
        5e-324,
        2e-8,
        1e18,
        1e300,
        "1e308",
        "5e-324",
    ),
)


@dataclass(frozen=True)
class Opened:
    """What became of a mutant.

    Attributes:
        number: gives the mutant.
        bundle: the golden one.
        what: was changed, in words.
        became: refused when it is opened, read, or broken.
        failures: what raised anything but our own errors, and where.
    """

    number: int
    bundle: str
    what: str
    became: str
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"mutant {self.number} ({self.bundle}, {self.what}): {'; '.join(self.failures) or self.became}"


@functools.cache
def _golden(path: Path) -> Layout:
    return read(path, path.name)


def mutant(number: int, *, seed: int) -> tuple[Layout, str, bytes]:
    """Return the bundle, what was changed and the bytes of the mutant of a number."""
    random = np.random.default_rng([seed, number])
    original = _golden(GOLDEN[number % len(GOLDEN)])
    manifest = copy.deepcopy(original.manifest)
    place, old, new = _changed(manifest, random)
    what = f"{'/'.join(map(str, place))}: {str(old)[:40]} → {str(new)[:40]}"
    return original, what, written(original, dict(original.arrays), text_of(manifest))


def _changed(manifest: dict[str, Any], random: Random) -> tuple[Place, Any, Any]:
    """Change something, mostly of a mechanism, where no one minds how many there are of its kind."""
    number = int(random.integers(len(manifest["outputs"])))
    below: Place = _some(random, [(), ("outputs", number), *[("outputs", number, "mechanism")] * 3])
    kinds: dict[str, list[Place]] = {}
    for place in places(at(manifest, below), below):
        if place[0] != "digests":
            kinds.setdefault(pattern(place), []).append(place)
    place = _some(random, kinds[_some(random, sorted(kinds))])
    old, news = at(manifest, place), [*_LEAVES]
    if isinstance(old, int | float) and not isinstance(old, bool):
        news += [old + 1, old - 1, old * 2, old // 2, old * 1000, old * 1.001, old / 1e6, -old] * 3
    new = _some(random, [new for new in news if type(new) is not type(old) or new != old])
    at(manifest, place[:-1])[place[-1]] = new
    return place, old, new


def _some(random: Random, things: Sequence[Any]) -> Any:
    return things[int(random.integers(len(things)))]


def opened(numbers: Sequence[int], *, seed: int = SEED) -> Iterator[Opened]:
    """Yield what becomes of mutants; one that its reader dies of is broken."""
    left = [*numbers]
    while left:
        batch = left[:_BATCH]
        # A process of its own: polars waits forever in a fork of one that has used it.
        done = subprocess.run(
            [sys.executable, __file__, str(seed), *map(str, batch)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])},
            capture_output=True,
            text=True,
            check=False,
        )
        printed = done.stdout
        assert _READY in printed, done.stderr
        told = [json.loads(line) for line in printed.splitlines() if line.startswith('{"number"')]
        for one in told:
            yield Opened(**{**one, "failures": tuple(one["failures"])})
        left = left[len(told) :]
        if len(told) < len(batch):
            number = left.pop(0)
            original, what, _ = mutant(number, seed=seed)
            yield Opened(number, original.name, what, "broken", (f"ended with {done.returncode}",))


def _batch(numbers: Sequence[int], seed: int) -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = next(path for path in GOLDEN if path.name == _FIRST)
        signal.alarm(_PATIENCE)
        assert _read(first, folder, written=True) == ("read", [])
        print(_READY, flush=True)
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most, hard = pages * resource.getpagesize() + MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]
        for number in numbers:
            original, what, raw = mutant(number, seed=seed)
            path = folder / "r.h5"
            path.write_bytes(raw)
            signal.alarm(_PATIENCE)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
            became, failures = _read(path, folder, written=number % _WRITTEN == 0)
            resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
            told = Opened(number, original.name, what, became, tuple(failures))
            print(json.dumps(asdict(told)), flush=True)


def _read(path: Path, folder: Path, *, written: bool) -> tuple[str, list[str]]:
    """Do all that a reader does, and return what became of it."""
    failures: list[str] = []

    def tried(what: str, work: Callable[[], object]) -> Any:
        try:
            return work()
        except SynthReleaseError:
            return None
        except BaseException as error:  # noqa: BLE001  what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            failures.append(f"{what}: {type(error).__name__} in {Path(place.filename).name}:{place.lineno}")
            return None

    bundle = tried("open", lambda: synthrelease.open_bundle(path, allow_test_seed=True))
    if bundle is None:
        return "broken" if failures else "refused", failures
    uses = [*_uses(bundle, path)]
    if written and synthrelease.verify(path, allow_test_seed=True).ok:
        uses += [
            ("export", lambda: synthrelease.export(path, "csv", folder / "csv", force=True)),
            ("report", lambda: synthrelease.report(path, folder / "r.html", pictures=1, force=True)),
        ]
    for what, work in uses:
        tried(what, work)
    bundle.close()
    return "broken" if failures else "read", failures


def _uses(bundle: ReadableBundle, path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "show", lambda: as_text(bundle.manifest)
    yield "repr", lambda: (repr(bundle), bundle._repr_html_(), str(bundle.guarantee))
    for name in bundle:
        yield f"{name}", lambda name=name: _look_at(bundle[name])
        yield f"model of {name}", lambda name=name: _sample(bundle.model(name))
        yield f"pandas of {name}", lambda name=name: bundle.to_pandas(name)
        yield f"xarray of {name}", lambda name=name: bundle.to_xarray(name)
    yield "plot", bundle.plot
    yield "diff", lambda: synthrelease.diff(path, path, quick=True)


def _look_at(output: Any) -> None:
    repr(output), output._repr_html_(), str(output.guarantee)
    for dataset in output.values():
        if isinstance(dataset, np.generic | int | float):
            continue
        _ = (
            dataset.name,
            dataset.quantity,
            dataset.unit,
            dataset.dims,
            dataset.coords,
            dataset.shape,
            dataset.dtype,
        )
        _ = dataset.labels, dataset[:1] if dataset.ndim else None, np.asarray(dataset)


def _sample(model: Any) -> None:
    if isinstance(model, SeededModel):
        model.whole.sample(np.zeros((3, len(model.order)), dtype=np.int64), SecureRandom.for_tests(1))
    elif isinstance(model, ScanpathModel):
        model.sample(model.stimuli[0], scanpaths=3)
    else:
        model.sample(people=3)
        model.posterior(draws=1)


if __name__ == "__main__":
    _batch([*map(int, sys.argv[2:])], int(sys.argv[1]))
