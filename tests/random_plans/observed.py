"""What a plan shows of a study: everything public, and what went into noise and choices, which are drawn as if there were no data.

The two doors through which private integers leave are closed: `noised` returns the noise alone, and `private_choice` the first word of its
generator. What two neighbours still show differently passed beside them. What stood before the doors is kept, to be compared with the stated sensitivity.

Thousands of plans are built, so what is a function of public numbers alone, and slow, is made fast: unlike noises are composed by adding up ε, the most
probable maps of integers and what a heatmap is expected to be worth are remembered, and chains of scanpaths are fitted roughly.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

import numpy as np
from auditing.planting import everywhere, forgetting, inside
from rough_chains import rough_chains

from random_plans.files import FRAME, Format
from random_plans.plans import KIND_OF_INPUT, RandomPlan
from random_plans.study import Study
from synthrelease.building import builder, ready
from synthrelease.building.builder import _write_and_verify as write_and_verify
from synthrelease.building.builder import build
from synthrelease.building.design import make_design
from synthrelease.building.preview import preview
from synthrelease.building.ready import released_output
from synthrelease.building.release_manifest import with_contents
from synthrelease.bundle.content import released_content
from synthrelease.bundle.examination import examine
from synthrelease.bundle.layout import ValuesDigest
from synthrelease.bundle.manifest import to_bytes
from synthrelease.dp import accounting, mixed_losses
from synthrelease.dp.noise.addition import add_noise
from synthrelease.dp.noise.choice import private_choice
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.errors import SynthReleaseError
from synthrelease.numerics.expected_quality import correlation_of_cells
from synthrelease.numerics.log_normal_map import most_probable_maps
from synthrelease.plan import partitions
from synthrelease.plan.plan import load_plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 7
CRASH = "crash: "


@dataclass
class Drawn:
    """What went into one output's noise and choices.

    Attributes:
        integers: before noise, with the event.
        utilities: of every choice, with its sensitivity.
        order: of people, that was drawn before; None if none was.
    """

    integers: list[tuple[NDArray[np.int64], Any]] = field(default_factory=list)
    utilities: list[tuple[list[int], int]] = field(default_factory=list)
    order: NDArray[np.int64] | None = None

    def by_label(self, exact: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return rows of people in the order of their labels, as they stood before an order was drawn."""
        assert self.order is not None
        return exact[np.argsort(self.order)]


@dataclass(frozen=True)
class Observed:
    """What a plan shows.

    Attributes:
        refused: the code of the error, or the type of one that is none of ours; empty if there was none.
        preview: its text.
        manifest: as data.
        people: labels of those who have features, in the order of the study.
        in_parts: whether the inputs were read in parts.
        public: by name, what must not depend on anyone: manifest, sidecar, bundle, report.
        drawn: by output, what was before the doors.
    """

    refused: str
    preview: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    people: tuple[str, ...] = ()
    in_parts: bool = False
    public: Mapping[str, bytes] = field(default_factory=dict)
    drawn: Mapping[str, Drawn] = field(default_factory=dict)


class Observer:
    """Builds of random plans with closed doors; a context, since closing them takes a while."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._drawn: dict[str, Drawn] = {}
        self._output = ""
        self._signals = False
        self._known: dict[bytes, Any] = {}
        self._design: Any = None
        self._whole = True

    def __enter__(self) -> Self:
        enter = self._stack.enter_context
        self._folder = Path(enter(tempfile.TemporaryDirectory()))
        enter(everywhere(add_noise, self._noised)())
        enter(everywhere(private_choice, self._chosen)())
        enter(everywhere(released_output, self._released)())
        enter(patch.object(SecureRandom, "permutation", self._permutation))
        enter(everywhere(examine, self._examined)())
        enter(patch.object(builder, "load_plan", self._loaded))
        enter(patch.object(ready, "make_design", self._designed))
        enter(patch.object(builder, "_write_and_verify", self._written))
        for function in (correlation_of_cells, most_probable_maps):
            enter(everywhere(function, self._remembered(function))())
        enter(forgetting(mixed_losses.mixed_epsilon, inside(accounting, "_LARGEST_PLD", 0.0))())
        enter(rough_chains())
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def _examined(self, path: Path, **options: Any) -> Any:
        """What `verify` finds in bytes that it has seen is what it has found."""
        seen = sha256(path.read_bytes()).digest()
        if seen not in self._known:
            self._known[seen] = examine(path, **options)
        return self._known[seen]

    def _written(self, path: Path, manifest: Any, drawn: Any) -> tuple[Any, str]:
        """A whole bundle; or, where only the manifest is wanted, the digests of all that a bundle would hold."""
        if self._whole:
            return write_and_verify(path, manifest, drawn)
        content = released_content(manifest["outputs"], drawn)
        states = {path: ValuesDigest(form.dtype, form.shape) for path, form in content.forms.items()}
        for place, values in content.values:
            states[place].add(values)
        return with_contents(manifest, {path: state.hexdigest() for path, state in states.items()}), ""

    def _remembered(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same function of numbers, which is computed once of the same."""

        def of(*given: Any, **named: Any) -> Any:
            key = sha256(pickle.dumps((function.__name__, given, named))).digest()
            if key not in self._known:
                self._known[key] = function(*given, **named)
            return copy(self._known[key])

        return of

    def _loaded(self, *_: Any) -> Any:
        """A plan that is built has just been loaded and designed."""
        return self._design.plan

    def _designed(self, plan: Any, _tables: Any) -> Any:
        assert plan is self._design.plan
        return self._design

    def _released(self, planned: Any, collected: Any, random: SecureRandom) -> Any:
        self._output, self._signals = planned.name, planned.spec.kind == "signals"
        self._drawn[planned.name] = Drawn()
        return released_output(planned, collected, random)

    def _noised(self, exact: NDArray[np.int64], event: Any, *, largest: int, random: Any) -> Any:
        assert int(np.abs(exact).max(initial=0)) <= largest
        self._drawn[self._output].integers.append((exact.copy(), event))
        return add_noise(np.zeros_like(exact), event, largest=largest, random=random)

    def _chosen(self, utilities: Any, *, sensitivity: int, random: SecureRandom, **_: Any) -> int:
        self._drawn[self._output].utilities.append(([int(u) for u in utilities], sensitivity))
        return int(random.words(1)[0]) % len(utilities)

    def _permutation(self, count: int) -> NDArray[np.int64]:
        """One order, always; for signals it is noted, so that rows can be put back."""
        order = np.roll(np.arange(count), 1)
        if self._signals:
            self._drawn[self._output].order = order
        return order

    def of(
        self,
        plan: RandomPlan,
        study: Study,
        *,
        stored: Format | None = None,
        cells: int | None = None,
        whole: bool = True,
    ) -> Observed:
        """Return what a plan shows of a study, with a test seed.

        Args:
            plan: the plan.
            study: its data.
            stored: how they are written; None for frames in memory.
            cells: of a part, if the inputs are to be read in parts.
            whole: whether the bundle is written and verified; else its manifest, with the digest of every dataset, stands for it.
        """
        self._drawn, self._whole = {}, whole
        path, frames = self._folder / "plan.toml", None
        if stored is None:
            tables = study.tables()
            frames = {name: tables[KIND_OF_INPUT[name]] for name in plan.document["inputs"]}
        else:
            plan = plan.of_files(
                {kind: stored.write(self._folder, kind, study) for kind in ("gaze", "features")}
            )
        path.write_text(plan.text)
        with ExitStack() as stack:
            if cells is not None:
                stack.enter_context(patch.object(partitions, "PART_CELLS", cells))
            try:
                self._design = make_design(load_plan(path, frames))
                text = str(preview(self._design))
                built = build(path, self._folder / "r.h5", frames=frames, test_seed=SEED, force=True)
            except SynthReleaseError as error:
                return Observed(error.code, drawn=self._drawn)
            except Exception as error:  # noqa: BLE001  whatever it is, no plan may end so
                return Observed(f"{CRASH}{type(error).__name__}")
        public = {"manifest": to_bytes(built.manifest), "sidecar": built.sidecar.read_bytes()}
        if whole:
            public["bundle"] = built.path.read_bytes()
        people = (stored or FRAME).labels(study)
        return Observed("", text, built.manifest, people, cells is not None, public, self._drawn)
