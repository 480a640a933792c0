"""A plan as text, with a comment beside whatever a person must decide."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from synthrelease.data.source import Source
from synthrelease.proposal.roles import DURATION, PERSON, RECORDING, STIMULUS, TIME, Roles, X, Y
from synthrelease.proposal.usual_ranges import usual_range
from synthrelease.settings_file import FILL_IN

_SCREENS = (
    (800, 600),
    (1024, 768),
    (1280, 720),
    (1280, 1024),
    (1680, 1050),
    (1920, 1080),
    (1920, 1200),
    (2560, 1440),
    (3840, 2160),
)
_HEAD = """# Proposed by `synthrelease init` from the names and forms of columns. Read it; whatever says {fill_in} is for you to decide.
#
#   synthrelease preview {name}     what it will cost and be worth; reads no private value
#   synthrelease build {name}       the release
#
# All keys: docs/plan.md of synthrelease. Nothing of a person may decide what stands here: no range, length or count taken from the data.

[release]
name = "my-release"
version = "1.0.0"
title = "{fill_in}"          # one line, public
# license = "CC-BY-4.0"
# contact = "data@example.org"

[privacy]
# All rows of one label in the column `{person}` are one person, and hidden together.
epsilon = 1.0               # up to 1 is called strong, up to 3 moderate
delta = 1e-6                # far below one in the number of people
# ledger = "ledger.sqlite"  # counts what all releases of these people cost together; dataset = "…" goes with it
"""


@dataclass(frozen=True)
class Draft:
    """What a plan is written of.

    Attributes:
        name: of the plan's file.
        source: how the data are read.
        path: of the data, relative to the plan.
        person: the column of people.
        roles: what the other columns are.
        missing: codes.
        features: columns of numbers that are no role's.
        listed: the labels of the stimuli or recordings, in natural order; none where there are too many for a list.
    """

    name: str
    source: Source
    path: str
    person: str
    roles: Roles
    missing: Sequence[float | str]
    features: Sequence[str]
    listed: Sequence[str]

    @property
    def gaze(self) -> bool:
        """Whether rows are points on a screen."""
        return bool(self.roles.best(X) and self.roles.best(Y))


def plan_text(draft: Draft) -> str:
    """Return the text of a plan."""
    head = _HEAD.format(fill_in=FILL_IN, name=draft.name, person=draft.person)
    if draft.gaze:
        return "\n".join([head, _gaze(draft), _HEATMAPS])
    by = '\nby = "recording"' if draft.roles.best(RECORDING) else ""
    return "\n".join([head, _features(draft), _STATISTICS.format(by=by)])


_HEATMAPS = """[[outputs]]
name = "attention"
kind = "heatmap"
input = "gaze"
# blur_px = 24               # about one degree of visual angle
"""
_STATISTICS = """[[outputs]]
name = "summary"
kind = "statistics"
input = "features"
statistics = ["mean", "median"]{by}
"""


def _gaze(draft: Draft) -> str:
    roles = draft.roles
    named = {
        PERSON: draft.person,
        STIMULUS: roles.best(STIMULUS) or FILL_IN,
        X: roles.best(X),
        Y: roles.best(Y),
    }
    if roles.best(DURATION):
        named[DURATION] = roles.best(DURATION)
    screens = ", ".join(f"{width} × {height}" for width, height in _SCREENS)
    lines = [
        "[inputs.gaze]",
        'kind = "gaze"',
        *_source_lines(draft),
        f"columns = {_table(named)}",
        f"# The screen's own pixels. Usual ones: {screens}.",
        f'screen = {{ width_px = "{FILL_IN}", height_px = "{FILL_IN}" }}',
        *(
            []
            if roles.coordinates == "pixels"
            else [f'coordinates = "{roles.coordinates}"', f'origin = "{roles.origin}"']
        ),
        f"missing = {_list(draft.missing)}",
        '# off_screen = "drop"       # else a point off the screen is an error',
        *_public("stimuli", draft.listed),
    ]
    return "\n".join(lines) + "\n"


def _features(draft: Draft) -> str:
    roles = draft.roles
    named = {
        PERSON: draft.person,
        **{role: roles.best(role) for role in (RECORDING, TIME) if roles.best(role)},
    }
    lines = [
        "[inputs.features]",
        'kind = "features"',
        *_source_lines(draft),
        f"columns = {_table(named)}",
        f"missing = {_list(draft.missing)}",
        *(_public("recordings", draft.listed) if RECORDING in named else []),
        "",
        "# What each feature can be, from the device or the literature: values beyond are clipped. Take out the features that you do not publish.",
        "[inputs.features.bounds]",
    ]
    for feature in draft.features:
        usual = usual_range(feature)
        beside = f"  # {usual}" if usual else ""
        lines.append(f'{_key(feature)} = ["{FILL_IN}", "{FILL_IN}"]{beside}')
    return "\n".join(lines) + "\n"


def _source_lines(draft: Draft) -> list[str]:
    source = draft.source
    lines = [f"path = {json.dumps(draft.path, ensure_ascii=False)}"]
    for key in ("format", "pattern", "separator"):
        value = getattr(source, key)
        if value:
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    if source.header and not source.format:
        lines.append(f"header = {_list(source.header)}  # the first line is data: name the columns")
    return lines


def _public(key: str, listed: Sequence[str]) -> list[str]:
    if not listed:
        return [
            f'# Did the design of the study decide which {key} there are? Then it is ["{key}"]; else list those that it made: {key} = [...].',
            f'assume_public = ["{FILL_IN}"]',
        ]
    return [
        f"# Found in the data; leave those that the design of the study made. If people decided which {key} there are, the list is private.",
        f"{key} = {_list(listed)}",
    ]


def _table(named: dict[str, str | None]) -> str:
    return (
        "{ "
        + ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in named.items())
        + " }"
    )


def _list(values: Sequence[float | str]) -> str:
    told = [json.dumps(v, ensure_ascii=False) if isinstance(v, str) else f"{v:g}" for v in values]
    return f"[{', '.join(told)}]"


def _key(name: str) -> str:
    return (
        name
        if name.replace("_", "").replace("-", "").isalnum() and name.isascii()
        else json.dumps(name, ensure_ascii=False)
    )
