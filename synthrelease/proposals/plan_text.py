"""A plan as text: plan.toml.jinja, with a comment wherever the curator must decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from synthrelease.data.coordinates import DEGREES, PIXELS, TOP_LEFT
from synthrelease.data.screen import BLUR_SHARE
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.plan.toml_text import toml, toml_key
from synthrelease.printable import printable
from synthrelease.proposals.draft import Draft
from synthrelease.proposals.roles import DURATION, PERSON, RECORDING, STIMULUS, TIME, X, Y
from synthrelease.proposals.usual_ranges import usual_range

_MOST_LISTED = 100  # stimuli or recordings that are written into a plan
_MANY = 9  # means of which Gaussian noise is less, at a δ of 1e-6: √2 · 9 against about 4.2 · √9 times what one of them takes


def plan_text(name: str, drafts: Sequence[Draft], *, twins: bool) -> str:
    """Return the text of a plan.

    Args:
        name: of its file.
        drafts: its inputs.
        twins: whether two labels of participants may be one person's.
    """
    environment = Environment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701  TOML, whose values are written by `toml`
    )
    environment.filters |= {"toml": toml, "key": toml_key, "printable": printable}
    template = environment.from_string((files(__package__) / "plan.toml.jinja").read_text("utf-8"))
    people = list(dict.fromkeys(draft.person for draft in drafts))
    inputs = [_template_values(draft) for draft in drafts]
    return template.render(name=name, people=people, inputs=inputs, twins=twins, FILL_IN=FILL_IN)


def _template_values(draft: Draft) -> dict[str, object]:
    """What the template writes of an input."""
    source, setting = draft.source, draft.setting
    source_keys = {key: getattr(source, key) for key in ("format", "pattern", "table", "separator")}
    listed = draft.listed if len(draft.listed) <= _MOST_LISTED else []
    width_px = setting.screen.get("width_px")
    means = max(1, len(listed)) * len(draft.features)
    return {
        **{key: getattr(draft, key) for key in _AS_THEY_ARE},
        "remarks": draft.roles.remarks,
        "screen_columns": draft.roles.screen_columns,
        "source": {"path": draft.path, **{key: value for key, value in source_keys.items() if value}},
        "header": () if source.format else source.header,
        "stop_at_blank": source.stop_at_blank,
        "lists": source.lists,
        "axes": source.axes,
        "messages": source.messages,
        "columns": _columns(draft),
        "screen": {key: setting.screen.get(key, FILL_IN) for key in _screen_keys(draft)},
        "usual_coordinates": (setting.coordinates, setting.origin) == (PIXELS, TOP_LEFT),
        "missing": [FILL_IN, *setting.missing, *draft.codes] if draft.codes else setting.missing,
        "groups": {column: [FILL_IN, *labels] for column, labels in draft.groups.items()},
        "alternatives": draft.alternatives,
        "suggested": draft.suggested.valid,
        "public": "stimuli" if draft.gaze else "recordings" if draft.labelled else "",
        "listed": listed,
        "time": None if draft.roles.best(DURATION) else draft.roles.best(TIME),
        "features": {feature: _usual(feature, draft.units) for feature in draft.features},
        "units": {column: unit for column, unit in draft.units.items() if column not in draft.features},
        "blur_px": width_px and round(BLUR_SHARE * width_px, 2),
        "many": means >= _MANY,
    }


_AS_THEY_ARE = ("name", "kind", "gaze", "words", "setting", "codes", "chosen", "unequal", "counters")


def _usual(feature: str, units: Mapping[str, str]) -> str:
    """What is usual for a feature, as a comment; empty if nothing is known."""
    usual, unit = usual_range(feature, unit=units.get(feature, "")), units.get(feature)
    return "" if usual is None else f"{usual}{f'; the values look like {unit}: check this' if unit else ''}"


def _columns(draft: Draft) -> dict[str, str]:
    best = draft.roles.best
    roles = (STIMULUS, X, Y, DURATION) if draft.gaze else (RECORDING, TIME)
    columns_of_roles = {role: column for role in roles if (column := best(role))}
    if draft.alternatives:
        columns_of_roles[STIMULUS if draft.gaze else RECORDING] = FILL_IN
    return {PERSON: draft.person, **({STIMULUS: FILL_IN} if draft.gaze else {}), **columns_of_roles}


def _screen_keys(draft: Draft) -> list[str]:
    in_degrees = draft.setting.coordinates == DEGREES or "width_mm" in draft.setting.screen
    return ["width_px", "height_px", *(["width_mm", "distance_mm"] if in_degrees else [])]
