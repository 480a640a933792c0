"""A plan as text, with a comment beside whatever a person must decide."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from synthrelease.data.coordinates import DEGREES, PIXELS, TOP_LEFT
from synthrelease.data.screen import BLUR_SHARE
from synthrelease.data.tables import Code
from synthrelease.proposal.draft import Draft
from synthrelease.proposal.roles import DURATION, PERSON, RECORDING, STIMULUS, TIME, X, Y
from synthrelease.proposal.trial_messages import messages_lines
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
# All keys: the documentation, page "plan". Nothing of a person may decide what stands here: no range, length or count taken from the data.

[release]
name = "my-release"         # short, public; with the version it names files
version = "1.0.0"
title = "{fill_in}"          # one line, public
# license = "CC-BY-4.0"
# contact = "data@example.org"

[privacy]
{people}
epsilon = 1.0               # up to 1 is called strong, up to 3 moderate
delta = 1e-6                # far below one in the number of people
# ledger = "ledger.sqlite"  # counts what all releases of these people cost together; dataset = "…" goes with it
"""
_MANY = 9  # means of which Gaussian noise is less, at a δ of 1e-6: √2 · 9 against about 4.2 · √9 times what one of them takes
_TWINS = """# Some labels differ only in capitals, blanks or the like (P1 and p1, 1 and 01). If they are one person's, write them in one way in
# the data, and leave this line out. If they are different people, write true.
distinct_labels = "{fill_in}"
"""
_FOUND_CODES = "# Found in the data. Does the tracker's manual, or the code book, say that these mark missing values? Then take {fill_in} away."
_ASSIGNMENT = '# assume_public = ["assignment"]   # if the design decided who saw which'
_ASSIGNMENT_TOO = '# assume_public = ["stimuli", "assignment"]   # if the design decided who saw which, too'


def plan_text(name: str, drafts: Sequence[Draft], *, twins: bool) -> str:
    """Return the text of a plan.

    Args:
        name: of its file.
        drafts: its inputs.
        twins: whether two labels of people may be one person's.
    """
    people = [
        f"# All rows of one label in the column `{one}` are one person, and hidden together."
        for one in dict.fromkeys(draft.person for draft in drafts)
    ]
    if len(drafts) > 1:
        people.append("# One label is one person in all inputs: check that it is.")
    if twins:
        people += _TWINS.format(fill_in=FILL_IN).splitlines()
    parts = [_HEAD.format(fill_in=FILL_IN, name=name, people="\n".join(people))]
    for draft in drafts:
        parts += [_gaze(draft) if draft.gaze else _features(draft), _output(draft, alone=len(drafts) == 1)]
    return "\n".join(parts)


def _output(draft: Draft, *, alone: bool) -> str:
    kind, called = ("heatmap", "attention") if draft.gaze else ("statistics", "summary")
    lines = [
        "[[outputs]]",
        f'name = "{called if alone else f"{called}_{draft.name}"}"',
        f'kind = "{kind}"',
        f'input = "{draft.name}"',
    ]
    if draft.gaze:
        lines.append(_blur_line(draft))
    else:
        groups = max(1, len(draft.listed)) if draft.roles.best(RECORDING) else 1
        lines.append(
            'statistics = ["mean"]       # also count, histogram, median, …; each, and every feature and group, is more noise'
        )
        lines += ['by = "recording"'] if draft.roles.best(RECORDING) else []
        lines += (
            ['noise = "gaussian"          # less than laplace for so many']
            if groups * len(draft.features) >= _MANY
            else []
        )
    return "\n".join(lines) + "\n"


def _blur_line(draft: Draft) -> str:
    """The default; in pixels if the screen is known."""
    told = "3 % of the screen's width; one degree of visual angle is usual"
    width = draft.setting.screen.get("width_px")
    return (
        f"# blur_px is by default {told}"
        if width is None
        else f"# blur_px = {BLUR_SHARE * width:g}  # the default: {told}"
    )


def _gaze(draft: Draft) -> str:
    roles = draft.roles
    named = {
        PERSON: draft.person,
        STIMULUS: roles.best(STIMULUS) or FILL_IN,
        **{role: roles.best(role) for role in (X, Y, DURATION) if roles.best(role)},
    }
    lines = [
        f"[inputs.{draft.name}]",
        'kind = "gaze"',
        *_source_lines(draft),
        *(
            []
            if roles.best(STIMULUS)
            else ["# stimulus: the column that says what was looked at, such as an image, a page or a task."]
        ),
        f"columns = {_table(named)}",
        *_setting_lines(draft),
        *_rows_lines(draft),
        'off_screen = "drop"         # points off the screen are left out, and counted for you; "error" names the first',
        *_public("stimuli", draft.listed),
        *([_ASSIGNMENT if draft.listed else _ASSIGNMENT_TOO] if draft.unequal else []),
        *_time_lines(draft),
    ]
    return "\n".join(lines) + "\n"


def _setting_lines(draft: Draft) -> list[str]:
    """The screen, and what coordinates are; what nobody said is to be filled in."""
    setting = draft.setting
    keys = ["width_px", "height_px"]
    if setting.coordinates == DEGREES or "width_mm" in setting.screen:
        keys += ["width_mm", "distance_mm"]
    usual = ", ".join(f"{width} × {height}" for width, height in _SCREENS)
    lines = [
        f"# The screen, as {setting.told} has it."
        if setting.told and setting.screen
        else f"# The screen's own pixels. Usual ones: {usual}.",
        f"screen = {_table({key: setting.screen.get(key, FILL_IN) for key in keys})}",
    ]
    if (setting.coordinates, setting.origin) == (PIXELS, TOP_LEFT):
        return lines
    if setting.guessed:
        lines.append(f"# The values look like {setting.guessed}: check it.")
    lines.append(f'coordinates = "{setting.coordinates}"')
    if setting.origin is None:
        lines.append(
            "# Where x and y are 0: top-left, bottom-left, centre (y grows downwards) or centre-y-up."
        )
    lines.append(f'origin = "{setting.origin or FILL_IN}"')
    return lines


def _time_lines(draft: Draft) -> list[str]:
    column = draft.roles.best(TIME)
    if column is None or draft.roles.best(DURATION):  # fixations have been found already
        return []
    told = f"time = {_quoted(column)} in columns, and the screen's width_mm and distance_mm"
    return [f"# Fixations and features can be made of samples: synthrelease prepare. It takes {told}."]


def _features(draft: Draft) -> str:
    roles = draft.roles
    named = {
        PERSON: draft.person,
        **{role: roles.best(role) for role in (RECORDING, TIME) if roles.best(role)},
    }
    lines = [
        f"[inputs.{draft.name}]",
        'kind = "features"',
        *_source_lines(draft),
        f"columns = {_table(named)}",
        *_rows_lines(draft),
        *(_public("recordings", draft.listed) if RECORDING in named else []),
        "",
        "# What each feature can be, from the device or the literature: values beyond are clipped. Take out the features that you do not publish.",
        f"[inputs.{draft.name}.bounds]",
    ]
    for feature in draft.features:
        usual = usual_range(feature)
        beside = f"  # {usual}" if usual else ""
        lines.append(f'{_key(feature)} = ["{FILL_IN}", "{FILL_IN}"]{beside}')
    lines += [f"# {_key(one)} seems to count rows" for one in draft.counters]
    return "\n".join(lines) + "\n"


def _source_lines(draft: Draft) -> list[str]:
    source = draft.source
    lines = [f"# {sentence}" for sentence in draft.roles.told()]
    lines.append(f"path = {_quoted(draft.path)}")
    for key in ("format", "pattern", "table", "separator"):
        value = getattr(source, key)
        if value:
            lines.append(f"{key} = {_quoted(value)}")
    if source.header and not source.format:
        lines.append(f"header = {_list(source.header)}  # the first line is data: name the columns")
    if source.axes:
        lines.append(f"axes = {_list(source.axes)}")
    if source.messages or draft.words:
        lines += messages_lines(source.messages, draft.words)
    return lines


def _rows_lines(draft: Draft) -> list[str]:
    said = draft.setting.missing
    lines = [
        *([_FOUND_CODES.format(fill_in=FILL_IN)] if draft.codes else []),
        f"missing = {_list([FILL_IN, *said, *draft.codes] if draft.codes else said)}",
    ]
    if draft.chosen.only:
        lines.append(f"only = {_lists(draft.chosen.only)}  # other rows are left out")
    if draft.chosen.valid:
        lines.append(f"valid = {_lists(draft.chosen.valid)}  # rows outside hold no measurement")
    return lines


def _lists(named: Mapping[str, Sequence[Code]]) -> str:
    return "{ " + ", ".join(f"{_key(name)} = {_list(values)}" for name, values in named.items()) + " }"


def _public(key: str, listed: Sequence[str]) -> list[str]:
    if not listed:
        return [
            f'# Did the design of the study decide which {key} there are? Then it is ["{key}"]; else list those that it made: {key} = [...].',
            f'assume_public = ["{FILL_IN}"]',
        ]
    return [
        f"# Found in the data. Did the design of the study make this list? Then take {FILL_IN} away. If people decided which {key} there",
        "# are, the list is private, and may not stand here.",
        f"{key} = {_list([FILL_IN, *listed])}",
    ]


def _table(named: Mapping[str, str | float | None]) -> str:
    pairs = (
        f"{key} = {_quoted(value) if isinstance(value, str) else f'{value:g}'}"
        for key, value in named.items()
    )
    return "{ " + ", ".join(pairs) + " }"


def _list(values: Sequence[Code]) -> str:
    told = [_quoted(value) if isinstance(value, str) else _number(value) for value in values]
    return f"[{', '.join(told)}]"


def _number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _quoted(name)
