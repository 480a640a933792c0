"""What a privacy budget buys: figures of a plan at every position of a slider and however it is divided, from public facts alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from types import MappingProxyType
from typing import Any

from synthrelease.building.affordable import in_proportion
from synthrelease.building.design import Design, design_with, public_facts
from synthrelease.building.preview import Preview, figures, spending
from synthrelease.data.facts import Facts
from synthrelease.dp.best_guess import best_guess_of
from synthrelease.errors import SynthReleaseError
from synthrelease.number_words import listed
from synthrelease.plan.plan import CheckedPlan
from synthrelease.studio.fields import Place
from synthrelease.studio.project import Project
from synthrelease.studio.simulated import Picture, picture

LOWEST, HIGHEST, STEPS = 0.1, 20.0, 46  # ε of the ends, and positions of the slider
POSITIONS = tuple(
    float(f"{LOWEST * (HIGHEST / LOWEST) ** (step / (STEPS - 1)):.2g}") for step in range(STEPS)
)
_WIDTH = 100.0  # of a bar, in units of its drawing
_MOST_KEPT = 2 * STEPS
_MOST_NAMED = 3  # subjects of a bar
_SHARE_DIGITS = 6  # of shares, as pages show them

Shares = Mapping[str, float | None]  # of the release's ε, by output; None for an equal part of what is left


@dataclass(frozen=True)
class Bar:
    """What is expected of one kind of released value, on a line from no data to exact."""

    subjects: str
    measure: str
    best: float
    worst: float
    without_data: float
    from_place: float  # of the worse end, 0 to 100
    to_place: float  # of the better end
    is_useless: bool
    picture: Picture | None


@dataclass(frozen=True)
class View:
    """A plan at one ε; or why there is no release at that."""

    epsilon: float
    preview: Preview | None = None
    bars: Mapping[str, tuple[Bar, ...]] = field(default_factory=dict)  # by output
    guess: float | None = None  # of the best attacker
    problem: SynthReleaseError | None = None
    plan: str = ""  # digest of the plan


class Budgets:
    """Views of the project's plan; labels of the data are read once for each state of the plan and of the files that it names."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._lock = Lock()
        self._plan: CheckedPlan | None = None
        self._read = ""  # its fingerprint
        self._facts: dict[str, Facts] = {}
        self._views: dict[tuple[object, ...], tuple[View, Design | None]] = {}

    def at(self, epsilon: float | None = None, shares: Shares = MappingProxyType({})) -> View:
        """Return the plan's figures.

        Args:
            epsilon: of the release; the plan's own without one.
            shares: of outputs, instead of those in the plan.

        Raises:
            SynthReleaseError: the plan or its data cannot be used.
        """
        with self._lock:
            plan = self._current()
            here = changes(plan, plan.epsilon if epsilon is None else epsilon, shares)
            key = tuple(here.items())
            if key not in self._views:
                if len(self._views) >= _MOST_KEPT:
                    self._views.clear()
                self._views[key] = _view(_with(plan, here), self._facts)
            view, design = self._views[key]
            if design is None or view.preview is None:
                return view
            try:
                return replace(view, preview=Preview(view.preview | {"ledger": spending(design)}))
            except SynthReleaseError as error:  # the ledger is read each time: others charge it, too
                return replace(view, problem=error)

    def is_known(self) -> bool:
        """Return whether figures of the plan as it is are there already."""
        with self._lock:
            return bool(self._views) and self._is_current()

    def _current(self) -> CheckedPlan:
        if self._plan is None or not self._is_current():
            plan = self._project.load_plan()
            here = self._project.fingerprint(plan)  # before they are read: they may be others afterwards
            self._facts = public_facts(plan)
            self._plan, self._read, self._views = plan, here, {}
        return self._plan

    def _is_current(self) -> bool:
        plan = self._plan
        return (
            plan is not None
            and plan.digest == self._project.digest()
            and self._read == self._project.fingerprint(plan)
        )


def changes(
    plan: CheckedPlan, epsilon: float, shares: Shares = MappingProxyType({})
) -> dict[Place, float | None]:
    """Return the changes of a plan that give it another ε: of the release, and, in proportion, of outputs that have one of their own.

    Args:
        plan: as it is.
        epsilon: of the release.
        shares: of outputs without an ε of their own.
    """
    made: dict[Place, float | None] = {("privacy", "epsilon"): epsilon}
    for number, spec in enumerate(plan.outputs):
        own, share = (spec.options.get(key) for key in ("epsilon", "share"))
        tried = shares.get(spec.name, share)
        if own is not None:
            if epsilon != plan.epsilon:
                made["outputs", number, "epsilon"] = in_proportion(plan, epsilon, own)
        elif (tried and round(tried, _SHARE_DIGITS)) != (share and round(share, _SHARE_DIGITS)):
            made["outputs", number, "share"] = tried and round(tried, _SHARE_DIGITS)
    return made


def _with(plan: CheckedPlan, made: Mapping[Place, float | None]) -> CheckedPlan:
    options = [dict(spec.options) for spec in plan.outputs]
    for place, value in made.items():
        if place[0] == "outputs":
            _, number, key = place
            options[int(number)].pop(str(key), None)
            options[int(number)] |= {} if value is None else {str(key): value}
    outputs = (replace(spec, options=own) for spec, own in zip(plan.outputs, options, strict=True))
    epsilon = made["privacy", "epsilon"]
    assert epsilon is not None
    return replace(plan, epsilon=epsilon, outputs=tuple(outputs))


def nearest_position(epsilon: float) -> int:
    """Return the position of the slider next to an ε."""
    return min(range(STEPS), key=lambda step: abs(math.log(POSITIONS[step] / epsilon)))


def _view(plan: CheckedPlan, facts: dict[str, Facts]) -> tuple[View, Design | None]:
    """What does not depend on the ledger; and the design, for what does."""
    try:
        design = design_with(plan, facts)
    except SynthReleaseError as error:
        return View(plan.epsilon, problem=error, plan=plan.digest), None
    here = figures(design, None)
    bars = {row["name"]: _bars(row["expected"]) for row in here["outputs"]}
    return View(plan.epsilon, here, bars, _guess(design), plan=plan.digest), design


def _guess(design: Design) -> float | None:
    return best_guess_of([output.event for output in design.outputs if output.private])


def _bars(expected: Sequence[Mapping[str, Any]]) -> tuple[Bar, ...]:
    """One for all subjects of which the same is expected, such as the means of features."""
    alike: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for one in expected:
        alike.setdefault(tuple(value for key, value in one.items() if key != "subject"), []).append(one)
    return tuple(
        _bar(ones[0], listed([one["subject"] for one in ones], most=_MOST_NAMED)) for ones in alike.values()
    )


def _bar(expected: Mapping[str, Any], subjects: str) -> Bar:
    best, worst, without = (expected[key] for key in ("best", "worst", "without_data"))
    exact = 1.0 if expected["higher_is_better"] else 0.0
    measure = expected["measure"]

    def place(value: float) -> float:
        span: float = exact - without
        if not (math.isfinite(value) and math.isfinite(span)) or span == 0:
            return 0.0
        return min(max(_WIDTH * float(value - without) / span, 0.0), _WIDTH)

    return Bar(
        subjects,
        measure,
        best,
        worst,
        without,
        min(place(worst), place(best)),
        max(place(worst), place(best)),
        expected["useless"],
        picture(measure, worst),
    )
