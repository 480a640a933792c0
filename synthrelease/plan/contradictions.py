"""What the schema of a plan cannot check: invalid bounds, columns with two roles, unknown names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthrelease.data.coordinates import DEGREES
from synthrelease.data.input_spec import InputSpec
from synthrelease.errors import PlanError
from synthrelease.kinds.registry import kinds
from synthrelease.plan.complaints import nearest

if TYPE_CHECKING:
    from synthrelease.plan.plan import CheckedPlan

# Squares of bounds, with noise on them, must fit into the 32-bit floating-point numbers of a bundle.
_SMALLEST_BOUND, _LARGEST_BOUND, _LEAST_WIDTH = 1e-15, 1e15, 1e-3


def refuse_contradictions(plan: CheckedPlan) -> None:
    """Refuse a plan that contradicts itself.

    Raises:
        PlanError: it does.
    """
    for spec in plan.inputs.values():
        where = f"{plan.path}: inputs.{spec.name}"
        _check_bounds(where, spec.options.get("bounds", {}))
        _check_named(where, spec.options)
        _check_screen(where, spec.options)
        _check_columns(where, spec.options)
    _check_outputs(plan)
    for spec in plan.inputs.values():
        _check_lists(f"{plan.path}: inputs.{spec.name}", spec)


def _check_bounds(where: str, bounds: dict[str, list[float]]) -> None:
    for feature, (low, high) in bounds.items():
        if not _is_interval(low, high):
            raise PlanError(
                "bad-bounds",
                "the bounds are not an interval",
                where=f"{where}.bounds.{feature}",
                found=f"[{low}, {high}]",
                expected="two finite numbers, the lower first, clearly apart",
                remedy="subtract a public constant from the feature first"
                if low < high
                else "correct the bounds",
            )


def _check_named(where: str, options: dict[str, Any]) -> None:
    """Refuse units and names of columns that the plan does not release."""
    features = list(options.get("bounds", {}))
    columns = [*features, *options.get("categories", {})]
    for key, known in (("units", features), ("labels", columns)):
        for name in options.get(key, {}):
            if name not in known:
                raise PlanError(
                    "unknown-feature",
                    f"the plan has no bounds of '{name}'" + (" and no categories" if key == "labels" else ""),
                    where=f"{where}.{key}",
                    expected="one of " + ", ".join(known),
                    remedy=nearest(name, known) or "name a column that stands under bounds",
                )


def _check_screen(where: str, options: dict[str, Any]) -> None:
    if options.get("coordinates") == DEGREES and "width_mm" not in options["screen"]:
        raise PlanError(
            "screen-size-missing",
            "coordinates in degrees need the size and distance of the screen",
            where=f"{where}.screen",
            expected="width_mm and distance_mm",
            remedy="add both to the screen: width_mm = …, distance_mm = …",
        )


def _check_columns(where: str, options: dict[str, Any]) -> None:
    for role, column in options["columns"].items():
        if role != "person" and column == options["columns"]["person"]:
            raise PlanError(
                "column-used-twice",
                f"one column is both person and {role}",
                where=f"{where}.columns",
                found=f"'{column}' twice",
                expected="two different columns",
                remedy="set person to the column with the participant ID: all rows of one ID are protected together",
            )
    for column, accepted in options["valid"].items():
        if not _is_accepted(accepted):
            raise PlanError(
                "bad-valid",
                "the values of a valid measurement are neither labels nor a range",
                where=f"{where}.valid.{column}",
                found=str(accepted)[:80],
                expected='the lowest number and the highest, such as [0.6, 1], or labels, such as ["Valid"]',
                remedy="correct the list",
            )
    twice = sorted(set(options.get("bounds", {})) & set(options.get("categories", {})))
    if twice:
        raise PlanError(
            "column-used-twice",
            f"the column '{twice[0]}' is both a feature with bounds and a label with categories",
            where=where,
            expected="one of the two",
            remedy="remove it from bounds, or from categories",
        )


def _check_outputs(plan: CheckedPlan) -> None:
    names = [output.name for output in plan.outputs]
    for output in plan.outputs:
        if names.count(output.name) > 1:
            raise PlanError(
                "duplicate-output",
                "two outputs have the same name",
                where=output.where,
                expected="different names",
                remedy="rename one of them",
            )
        if output.input not in plan.inputs:
            raise PlanError(
                "unknown-input",
                f"there is no input '{output.input}'",
                where=output.where,
                expected="one of " + ", ".join(plan.inputs),
                remedy=nearest(output.input, list(plan.inputs)) or "name one of these",
            )
        allowed = kinds()[output.kind].input_kinds
        if plan.inputs[output.input].kind not in allowed:
            raise PlanError(
                "input-of-other-kind",
                f"{'an' if output.kind[0] in 'aeiou' else 'a'} {output.kind} output cannot be made of this input",
                where=output.where,
                found=f"an input of kind {plan.inputs[output.input].kind}",
                expected=f"one of kind {' or '.join(allowed)}",
                remedy="choose another input, or another kind of output",
            )
        _check_bounds(output.where, output.options.get("bounds", {}))
        if "share" in output.options and "epsilon" in output.options:
            raise PlanError(
                "share-and-epsilon",
                "share and epsilon are both set",
                where=output.where,
                expected="one of them",
                remedy="remove one of them",
            )


def _check_stimulus(where: str, spec: InputSpec) -> None:
    """Gaze has a column of stimuli, or is all of one."""
    columns, single = spec.options["columns"], "stimulus" in spec.options
    if single and (
        "stimulus" in columns or "stimuli" in spec.options or "stimuli" in spec.options["assume_public"]
    ):
        raise PlanError(
            "stimulus-and-stimuli",
            'stimulus = "all" makes all rows those of one stimulus, but stimuli are distinguished as well',
            where=where,
            expected="one of the two",
            remedy='remove stimulus = "all"; or the column stimulus, the list stimuli, and stimuli in assume_public',
        )
    if not single and "stimulus" not in columns:
        raise PlanError(
            "key-missing",
            "the key 'stimulus' is missing (column with the stimulus)",
            where=f"{where}.columns",
            remedy='add it, for example stimulus = "image"; or, next to columns, stimulus = "all" for one map of all rows',
        )


def _check_lists(where: str, spec: InputSpec) -> None:
    if spec.kind == "gaze":
        _check_stimulus(where, spec)
        if "stimulus" in spec.options:
            return
    what, column = ("stimuli", "stimulus") if spec.kind == "gaze" else ("recordings", "recording")
    listed, assumed = what in spec.options, what in spec.options["assume_public"]
    if column not in spec.options["columns"]:
        if listed or assumed:
            raise PlanError(
                "column-missing",
                f"{what} are listed, but no column has their labels",
                where=where,
                expected=f'{column} = "COLUMN" under columns',
                remedy=f"name the column, or remove the {what}",
            )
        return
    if listed and assumed:
        raise PlanError(
            "listed-and-assumed",
            f"{what} are both listed and assumed public",
            where=where,
            expected="one of the two",
            remedy=f"remove the list, or remove {what} from assume_public",
        )
    if not listed and not assumed:
        raise PlanError(
            "list-missing",
            f"the plan has no list of {what}; a list taken from the data is private unless the plan says otherwise",
            where=where,
            expected=f'{what} = ["…", "…"], or assume_public = ["{what}"] if the study design makes them public',
            remedy="add one of the two to the input",
        )


def _is_interval(low: float, high: float) -> bool:
    """Whether values between two bounds can be distinguished in 32 bits, in which the release shows them."""
    try:
        largest = max(abs(low), abs(high))
        return _SMALLEST_BOUND < largest < _LARGEST_BOUND and high - low > _LEAST_WIDTH * largest
    except (OverflowError, TypeError):
        return False


def _is_accepted(values: list[float | str]) -> bool:
    """Whether they are labels, or a range."""
    labels = [value for value in values if isinstance(value, str)]
    numbers = [float(value) for value in values if not isinstance(value, str)]
    return not numbers if labels else len(numbers) == 2 and numbers[0] <= numbers[1]
