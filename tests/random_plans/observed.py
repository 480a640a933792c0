"""What a plan shows of a study: everything public, and what went into noise and choices, which are drawn as if there were no data.

The two doors through which private integers leave are closed: `noised` returns the noise alone, and `private_choice` the first word of its
generator. What two neighbours still show differently passed beside them. What stood before the doors is kept, to be compared with the stated sensitivity.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

import numpy as np
from auditing.planting import everywhere

from random_plans.plans import FEATURES, GAZE, RandomPlan
from random_plans.study import Study
from synthrelease import parts
from synthrelease.builder import build, released_output
from synthrelease.bundle.manifest import to_bytes
from synthrelease.data import tables
from synthrelease.design import make_design
from synthrelease.errors import SynthReleaseError
from synthrelease.forecast import preview
from synthrelease.noise.addition import noised
from synthrelease.noise.choice import private_choice
from synthrelease.noise.entropy import SecureRandom
from synthrelease.plan import load_plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 7
_KIND = {GAZE: "gaze", FEATURES: "features"}


@dataclass
class Drawn:
    """What went into one output's noise and choices.

    Attributes:
        integers: before noise, with the event.
        utilities: of every choice, with its sensitivity.
        permuted: whether an order of all people was drawn before.
    """

    integers: list[tuple[NDArray[np.int64], Any]] = field(default_factory=list)
    utilities: list[tuple[list[int], int]] = field(default_factory=list)
    permuted: bool = False


@dataclass(frozen=True)
class Observed:
    """What a plan shows.

    Attributes:
        refused: the code of the error; empty if there was none.
        preview: its text.
        manifest: as data.
        in_parts: whether the inputs were read in parts.
        public: by name, what must not depend on anybody: manifest, sidecar, bundle, report.
        drawn: by output, what was before the doors.
    """

    refused: str
    preview: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)
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

    def __enter__(self) -> Self:
        enter = self._stack.enter_context
        self._folder = Path(enter(tempfile.TemporaryDirectory()))
        enter(everywhere(noised, self._noised)())
        enter(everywhere(private_choice, self._chosen)())
        enter(everywhere(released_output, self._released)())
        enter(patch.object(SecureRandom, "permutation", self._permutation))
        return self

    def __exit__(self, *raised: object) -> None:
        self._stack.close()

    def _released(self, planned: Any, collected: Any, random: SecureRandom) -> Any:
        self._output, self._signals = planned.name, planned.resolved.spec.kind == "signals"
        self._drawn[planned.name] = Drawn()
        return released_output(planned, collected, random)

    def _noised(self, exact: NDArray[np.int64], event: Any, *, largest: int, random: Any) -> Any:
        assert int(np.abs(exact).max(initial=0)) <= largest
        self._drawn[self._output].integers.append((exact.copy(), event))
        return noised(np.zeros_like(exact), event, largest=largest, random=random)

    def _chosen(self, utilities: Any, *, sensitivity: int, random: SecureRandom, **_: Any) -> int:
        self._drawn[self._output].utilities.append(([int(u) for u in utilities], sensitivity))
        return int(random.words(1)[0]) % len(utilities)

    def _permutation(self, count: int) -> NDArray[np.int64]:
        """The same order, for signals; it is noted that another one would have been drawn."""
        if self._signals:
            self._drawn[self._output].permuted = True
        return np.arange(count)

    def of(self, plan: RandomPlan, study: Study, *, cells: int | None = None) -> Observed:
        """Return what a plan shows of a study, with a test seed.

        Args:
            plan: the plan.
            study: its data.
            cells: of a part, if the inputs are to be read in parts.
        """
        self._drawn = {}
        path = self._folder / "plan.toml"
        path.write_text(plan.text)
        frames = {
            name: frame
            for name, kind in _KIND.items()
            if name in plan.document["inputs"]
            for frame in [study.tables()[kind]]
        }
        with ExitStack() as stack:
            if cells is not None:
                stack.enter_context(patch.object(parts, "PART_CELLS", cells))
                stack.enter_context(patch.object(tables, "_SMALL_CELLS", 0))
            try:
                text = str(preview(make_design(load_plan(path, frames))))
                built = build(path, self._folder / "r.h5", frames=frames, test_seed=SEED, force=True)
            except SynthReleaseError as error:
                return Observed(error.code)
        public = {"manifest": to_bytes(built.manifest), "sidecar": built.sidecar.read_bytes()}
        public["bundle"] = built.path.read_bytes()
        return Observed("", text, built.manifest, cells is not None, public, self._drawn)
