"""Detectors of faults that lie where options meet: random plans with a pair of options, each against neighbours of its data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from random_plans.compared import differences
from random_plans.corners import neighbours, plan_of, study_of
from random_plans.draws import OfGenerator
from random_plans.observed import Observer
from random_plans.plans import random_plan
from random_plans.trial import tried

from auditing.detectors import Detector, Verdict

if TYPE_CHECKING:
    from random_plans.files import Format

    from synthrelease.dp.noise import SecureRandom

Document = dict[str, Any]
_NEIGHBOURS = 4
_BRIEFLY = 2  # plans


def _outputs(document: Document, kind: str) -> Iterator[tuple[Document, Document]]:
    """Outputs of a kind, each with its input."""
    for output in document["outputs"]:
        if output["kind"] == kind:
            yield output, document["inputs"][output["input"]]


def each_with_private(document: Document) -> bool:
    """Whether everyone's own series are released with a private number of frequencies."""
    return any(
        output.get("query") == "each" and output.get("coefficients") == "private"
        for output, _ in _outputs(document, "signals")
    )


def each(document: Document) -> bool:
    """Whether everyone's own series are released; every plan is read in parts, too."""
    return any(output.get("query") == "each" for output, _ in _outputs(document, "signals"))


def public_maps(document: Document) -> bool:
    """Whether heatmaps start from public maps."""
    return any(output.get("prior") == "maps" for output, _ in _outputs(document, "heatmap"))


def scanpaths(document: Document) -> bool:
    """Whether synthetic scanpaths are released."""
    return any(True for _ in _outputs(document, "scanpaths"))


def only_with(assumed: str, kind: str) -> Callable[[Document], bool]:
    """Return whether `only` leaves rows out where a fact is assumed to be public that an output of a kind uses."""

    def has(document: Document) -> bool:
        return any(
            "only" in source and assumed in source["assume_public"] for _, source in _outputs(document, kind)
        )

    return has


def groups_with_filters(document: Document) -> bool:
    """Whether statistics stand in groups, few for each person, of an input whose rows are chosen."""
    return any(
        output.get("max_groups_per_person") == 1 and ("only" in source or "valid" in source)
        for output, source in _outputs(document, "statistics")
    )


def in_files(stored: Format) -> Detector:
    """Detect that someone who is taken out of a file moves what others contribute."""

    def make(_random: SecureRandom) -> list[str]:
        plan, study = plan_of("areas", "add-remove-one", 1), study_of(40)
        with Observer() as observer:
            shown, *others = (
                observer.of(plan, one, stored=stored, whole=False)
                for one in (study, *neighbours(study, "add-remove-one"))
            )
        return [line for other in others for line in differences(plan, shown, other)]

    said = "those who are left contribute the same, or the plan is refused"
    return Detector(
        f"someone taken out of {stored.name}",
        make,
        lambda found: Verdict(bool(found), found[0] if found else said),
    )


def plans_where(name: str, has: Callable[[Document], bool], *, plans: int = 6) -> Detector:
    """Detect random plans of a kind, among so many, that show more than noisy values."""

    def make(random: SecureRandom) -> tuple[str, ...]:
        first = int(random.integers(2**31, 1)[0])
        shown: list[str] = []
        tried_plans = 0
        with Observer() as observer:
            for seed in count(first):
                if not has(random_plan(OfGenerator(seed)).document):
                    continue
                trial = tried(OfGenerator(seed), observer, neighbours=_NEIGHBOURS)
                tried_plans += not trial.refused
                shown += trial.found
                if tried_plans == plans or shown:
                    return tuple(shown)
        raise AssertionError

    return Detector(
        f"plans where {name}",
        make,
        lambda shown: Verdict(bool(shown), shown[0] if shown else f"{plans} plans show noisy values alone"),
        plans_where(name, has, plans=_BRIEFLY) if plans > _BRIEFLY else None,
    )
