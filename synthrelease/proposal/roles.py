"""What a column is, by its name: as eye trackers' exports, analysis tools and people call it."""

from __future__ import annotations

import re
from dataclasses import dataclass

PERSON, STIMULUS, RECORDING, X, Y, TIME, DURATION = (
    "person",
    "stimulus",
    "recording",
    "x",
    "y",
    "time",
    "duration",
)
# Names in lower case, all but letters and numbers as one underscore. The first of a row is the likeliest.
_NAMES: dict[str, tuple[str, ...]] = {
    PERSON: (
        "person",
        "participant",
        "participant_id",
        "participant_name",  # Tobii Pro Lab
        "subject",
        "subject_id",
        "subj",
        "sub",
        "observer",
        "viewer",
        "worker",
        "user",
        "user_id",
        "who",
        "pid",
        "recording_session_label",  # EyeLink Data Viewer
        "session_label",
    ),
    STIMULUS: (
        "stimulus",
        "stimulus_name",
        "presented_stimulus_name",  # Tobii Pro Lab
        "stimulusname",
        "stim",
        "stim_file",  # BIDS
        "image",
        "image_name",
        "img",
        "picture",
        "photo",
        "page",
        "video",
        "trial_label",  # EyeLink Data Viewer
        "media",
        "media_name",
    ),
    RECORDING: (
        "recording",
        "recording_name",
        "session",
        "session_id",
        "condition",
        "task",
        "task_name",
        "block",
        "round",
        "run",
        "trial",
        "visit",
    ),
    X: (
        "x",
        "x_px",
        "x_pix",
        "gaze_x",
        "gaze_point_x",  # Tobii Pro Lab
        "fixation_point_x",
        "current_fix_x",  # EyeLink Data Viewer
        "average_gaze_x",
        "norm_pos_x",  # Pupil Core
        "gaze_x_px",  # Pupil Neon
        "x_coordinate",  # BIDS
        "por_x",
        "b_por_x_px",  # SMI
        "l_por_x_px",
        "left_gaze_x",
        "fix_x",
        "pos_x",
        "xp",
    ),
    TIME: (
        "time",
        "t",
        "timestamp",
        "time_stamp",
        "recording_timestamp",  # Tobii Pro Lab
        "recordingtime_ms",  # SMI
        "gaze_timestamp",  # Pupil Core
        "timestamp_ns",  # Pupil Neon
        "t_center_s",
        "time_ms",
        "time_s",
        "t_ms",
        "t_s",
        "n",  # GazeBase
        "sample_index",
        "fix_index",
        "current_fix_start",
    ),
    DURATION: (
        "duration",
        "duration_ms",
        "fix_duration",
        "fixation_duration",
        "current_fix_duration",  # EyeLink Data Viewer
        "gaze_event_duration",  # Tobii Pro Lab
        "event_duration_ms",
        "dur",
    ),
}
_NAMES[Y] = tuple(re.sub(r"(^|_)x($|_|p)", r"\1y\2", name) for name in _NAMES[X])
_NORMALISED = ("norm_pos_x",)
_BOTTOM_LEFT = ("norm_pos_x",)  # Pupil Core: y grows upwards


@dataclass(frozen=True)
class Roles:
    """The columns that are known by their names, the likeliest first.

    Attributes:
        candidates: by role.
        coordinates: what x and y are, by the tool that calls them so.
        origin: where they are 0.
    """

    candidates: dict[str, tuple[str, ...]]
    coordinates: str
    origin: str

    def best(self, role: str) -> str | None:
        """Return the likeliest column of a role; None if there is none."""
        return next(iter(self.candidates.get(role, ())), None)


def roles_of(columns: list[str]) -> Roles:
    """Return what columns are, by their names alone."""
    plain = {plain_name(column): column for column in reversed(columns)}
    found = {role: tuple(plain[name] for name in names if name in plain) for role, names in _NAMES.items()}
    across = found[X][:1]
    own = plain_name(across[0]) if across else ""
    return Roles(
        found,
        "normalised" if own in _NORMALISED else "pixels",
        "bottom-left" if own in _BOTTOM_LEFT else "top-left",
    )


def plain_name(column: str) -> str:
    """Return a name in lower case, all but letters and numbers as one underscore."""
    return re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")
