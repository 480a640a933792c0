"""What tools call the columns of their exports, and what they mean by them: docs/formats/trackers.md has the sources.

Names are plain: in lower case, all but letters and numbers as one underscore, without a unit of time or of pixels in square brackets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

TYPED = "what was typed in as somebody's name"  # no finding where it is P01, P02 and so on
_DATE, _TIME_OF_DAY, _DEMOGRAPHIC = "dates", "times of the day", "something of who somebody is"
_BOTH_EYES = (
    "The plan takes one eye; name the other's columns, or average both for each sample, if that is better."
)
_HEAD = "They are of the picture of a camera on the head, not of a stimulus: map gaze to a surface or an image first."
_CONFIDENCE = {"confidence": (0.6, 1.0)}  # what Pupil Labs advise
_NO_SCREEN = "They are of a room or of a direction, not of a screen: the plan is one of features."


@dataclass(frozen=True)
class Point:
    """Two columns that say where somebody looked.

    Attributes:
        name: of both, with {} where one has x and the other y.
        coordinates: "pixels", or "normalised": shares of the width and height.
        origin: where both are 0, as a plan has it.
    """

    name: str
    coordinates: str = "pixels"
    origin: str = "top-left"

    @property
    def across(self) -> str:
        """The plain name of x."""
        return self.name.format("x")

    @property
    def down(self) -> str:
        """The plain name of y."""
        return self.name.format("y")


@dataclass(frozen=True)
class Tool:
    """What writes a kind of file.

    Attributes:
        name: of the tool.
        signs: names that give it away; all of any one of the groups.
        points: where somebody looked, the likeliest first. None if that is on no screen.
        person, stimulus, recording, time, duration: names by role, the likeliest first. `duration` is of fixations with a row each, never of
            samples that repeat it.
        time_unit: of times whose name has no unit; empty if that depends on the version, or names always have one.
        screen: names of columns that hold the screen's width and height in pixels.
        note: what to mind, in a sentence or two.
        telling: names of columns that say who somebody is, or when, and what they say.
        only: labels by name of a column: rows with others are of something else.
        valid: lowest and highest number by name of a column: in rows outside nothing was measured.
    """

    name: str
    signs: tuple[tuple[str, ...], ...]
    points: tuple[Point, ...] = ()
    person: tuple[str, ...] = ()
    stimulus: tuple[str, ...] = ()
    recording: tuple[str, ...] = ()
    time: tuple[str, ...] = ()
    duration: tuple[str, ...] = ()
    time_unit: str = ""
    screen: tuple[str, ...] = ()
    note: str = ""
    telling: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    valid: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def wrote(self, names: Collection[str]) -> bool:
        """Whether a file with columns of these plain names looks like one of its."""
        return any(all(name in names for name in group) for group in self.signs)


TOOLS: tuple[Tool, ...] = (
    Tool(
        "EyeLink Data Viewer",
        signs=(("recording_session_label",), ("current_fix_x",), ("current_fix_index",)),
        points=(
            Point("current_fix_{}"),
            Point("average_gaze_{}"),
            Point("right_gaze_{}"),
            Point("left_gaze_{}"),
        ),
        person=("recording_session_label", "session_name"),
        stimulus=("image", "image_name", "stimulus", "trial_label"),
        recording=("trial_index",),
        time=("current_fix_start", "timestamp"),
        duration=("current_fix_duration",),
        time_unit="ms",
        telling={"recording_session_label": TYPED, "session_name": TYPED},
    ),
    Tool(
        "Tobii Pro Lab",
        signs=(
            ("recording_timestamp",),
            ("presented_stimulus_name",),
            ("presented_media_name",),
            ("gaze_point_x_mcsnorm",),
            ("gaze_point_x_mcs_norm",),
        ),
        points=(
            Point("gaze_point_{}"),
            Point("fixation_point_{}"),
            Point("gaze_point_{}_mcsnorm", "normalised"),
            Point("gaze_point_{}_mcs_norm", "normalised"),
            Point("fixation_point_{}_mcsnorm", "normalised"),
            Point("fixation_point_{}_mcs_norm", "normalised"),
        ),
        person=("participant_name",),
        stimulus=("presented_stimulus_name", "presented_media_name", "recording_media_name"),
        recording=("recording_name",),
        time=("recording_timestamp", "eyetracker_timestamp", "computer_timestamp"),
        screen=("recording_resolution_width", "recording_resolution_height"),
        note="Rows between stimuli have no stimulus, and those of other sensors and of events no gaze.",
        telling={
            "participant_name": TYPED,
            "recording_date": _DATE,
            "recording_date_utc": _DATE,
            "export_date": _DATE,
            "recording_start_time": _TIME_OF_DAY,
            "recording_start_time_utc": _TIME_OF_DAY,
        },
        only={"sensor": ("Eye Tracker",)},
    ),
    Tool(
        "Tobii Studio",
        signs=(("gazepointx_adcspx",), ("fixationpointx_mcspx",), ("recordingtimestamp",)),
        points=(Point("gazepoint{}_adcspx"), Point("gazepoint{}_mcspx"), Point("fixationpoint{}_mcspx")),
        person=("participantname",),
        stimulus=("medianame",),
        recording=("recordingname",),
        time=("recordingtimestamp",),
        time_unit="ms",
        note="MCSpx are pixels of the media, ADCSpx of the display. Rows between media have no MediaName.",
        telling={
            "participantname": TYPED,
            "recordingdate": _DATE,
            "exportdate": _DATE,
            "localtimestamp": _TIME_OF_DAY,
        },
    ),
    Tool(
        "Tobii Pro SDK",  # and Titta
        signs=(("left_gaze_point_on_display_area_x",), ("right_gaze_point_on_display_area_x",)),
        points=(
            Point("left_gaze_point_on_display_area_{}", "normalised"),
            Point("right_gaze_point_on_display_area_{}", "normalised"),
        ),
        time=("system_time_stamp", "device_time_stamp"),
        time_unit="µs",
        note=_BOTH_EYES,
    ),
    Tool(
        "SMI BeGaze",
        signs=(
            ("recordingtime",),
            ("event_start_trial_time",),
            ("fixation_position_x",),
            ("point_of_regard_right_x",),
            ("point_of_regard_left_x",),
            ("b_por_x",),
            ("l_por_x",),
            ("r_por_x",),
        ),
        points=(
            Point("fixation_position_{}"),
            Point("point_of_regard_binocular_{}"),
            Point("point_of_regard_right_{}"),
            Point("point_of_regard_left_{}"),
            Point("b_por_{}"),
            Point("r_por_{}"),
            Point("l_por_{}"),
        ),
        person=("participant",),
        stimulus=("stimulus",),
        recording=("trial",),
        time=("event_start_trial_time", "recordingtime", "time"),
        duration=("event_duration",),
        time_unit="µs",
        note="Rows of the category Separator, and of events that are no fixations, have no gaze.",
        telling={
            "participant": TYPED,
            "date": _DATE,
            "time_of_day_h_m_s_ms": _TIME_OF_DAY,
            "trial_start_time_of_day_h_m_s_ms": _TIME_OF_DAY,
            "age": _DEMOGRAPHIC,
            "gender": _DEMOGRAPHIC,
        },
        only={"category": ("Fixation",)},
    ),
    Tool(
        "Pupil Core's surface tracker",
        signs=(("on_surf",), ("on_srf",)),
        points=(
            Point("{}_norm", "normalised", "bottom-left"),
            Point("norm_pos_{}", "normalised", "bottom-left"),
        ),
        time=("gaze_timestamp", "start_timestamp", "world_timestamp"),
        duration=("duration",),
        time_unit="s",
        note="Rows of a low confidence hold positions all the same; rows that are not on_surf lie outside of 0 to 1.",
        valid=_CONFIDENCE,
    ),
    Tool(
        "Pupil Core's pupil_positions.csv",
        signs=(("pupil_timestamp",), ("eye_id", "norm_pos_x")),
        time=("pupil_timestamp", "world_timestamp"),
        time_unit="s",
        note="Its norm_pos_x and norm_pos_y are where the pupil is in the picture of the eye, not where somebody looked; diameter is in pixels, diameter_3d in mm. Each eye has its own rows.",
        valid=_CONFIDENCE,
    ),
    Tool(
        "Pupil Core",
        signs=(("gaze_timestamp",), ("norm_pos_x",)),
        points=(Point("norm_pos_{}", "normalised", "bottom-left"),),
        time=("gaze_timestamp", "start_timestamp", "world_timestamp"),
        duration=("duration",),
        time_unit="s",
        note=_HEAD,
        telling={"start_time_system": "times of a clock on the wall", "start_time": _TIME_OF_DAY},
        valid=_CONFIDENCE,
    ),
    Tool(
        "Pupil Cloud",  # of Neon and Invisible
        signs=(
            ("section_id", "recording_id"),
            ("recording_id", "gaze_x"),
            ("gaze_position_in_reference_image_x",),
            ("gaze_position_on_surface_x_normalized",),
            ("fixation_x_normalized",),
        ),
        points=(
            Point("gaze_position_in_reference_image_{}"),
            Point("gaze_position_on_surface_{}_normalized", "normalised"),
            Point("fixation_{}_normalized", "normalised"),
            Point("fixation_{}"),
            Point("gaze_{}"),
        ),
        person=("wearer_id", "wearer_name"),
        recording=("recording_id", "section_id"),
        time=("timestamp", "start_timestamp"),
        duration=("duration",),
        note="Points called gaze x or, of no enrichment, fixation x are of the scene camera's picture, not of a stimulus. "
        "A recording id is one recording, not one wearer.",
        telling={
            "wearer_name": TYPED,
            "recording_id": "what Pupil Cloud knows a recording by",
            "wearer_id": "what Pupil Cloud knows a wearer by",
        },
    ),
    Tool(
        "Gazepoint",
        signs=(("fpogx",), ("bpogx",)),
        points=(Point("fpog{}", "normalised"), Point("bpog{}", "normalised")),
        person=("user", "user_file"),
        stimulus=("media_name", "media_id"),
        time=("cnt",),
        note="Where FPOGV (or BPOGV) is 0 the point is not valid, and stands there all the same.",
        valid={"fpogv": (1, 1)},
    ),
    Tool(
        "iMotions",
        signs=(("et_gazeleftx",), ("et_gazerightx",), ("sourcestimuliname",)),
        points=(Point("gaze_{}"), Point("et_gazeleft{}"), Point("et_gazeright{}")),
        person=("respondent", "respondent_name", "participant"),
        stimulus=("sourcestimuliname",),
        time=("timestamp",),
        time_unit="ms",
        note=_BOTH_EYES,
        telling={
            "respondent": TYPED,
            "respondent_name": TYPED,
            "participant": TYPED,
            "age": _DEMOGRAPHIC,
            "gender": _DEMOGRAPHIC,
            "group": _DEMOGRAPHIC,
        },
    ),
    Tool(
        "EyeLogic",
        signs=(("porfilteredx",), ("timestampmicrosec",)),
        points=(Point("porfiltered{}"), Point("porraw{}"), Point("porleft{}"), Point("porright{}")),
        time=("timestampmicrosec",),
        time_unit="µs",
        only={"type": ("DAT",)},
    ),
    Tool(
        "PsychoPy's ioHub",
        signs=(("logged_time", "device_time"),),
        points=(
            Point("gaze_{}", origin="centre-y-up"),
            Point("left_gaze_{}", origin="centre-y-up"),
            Point("right_gaze_{}", origin="centre-y-up"),
            Point("average_gaze_{}", origin="centre-y-up"),
        ),
        recording=("session_id",),
        time=("time",),
        time_unit="s",
        note="They are in the units of the experiment's window: pixels only if that says pix. " + _BOTH_EYES,
        valid={"status": (0, 0)},
    ),
    Tool(
        "Varjo Base",
        signs=(("gaze_projected_to_left_view_x",), ("relative_to_video_first_frame_timestamp",)),
        time=("relative_to_video_first_frame_timestamp", "raw_timestamp"),
        time_unit="ns",
        note="gaze_projected_… are of the headset's view, from −1 to 1 with y growing upwards. " + _NO_SCREEN,
        telling={"relative_to_unix_epoch_timestamp": "times of a clock on the wall"},
        valid={"status": (2, 2)},
    ),
    Tool(
        "SRanipal (HTC Vive)",
        signs=(("gaze_direct_l_x",), ("gaze_direct_r_x",)),
        time=("time_stamp_ms", "time_100ns", "frame"),
        note=_NO_SCREEN,
        valid={"eye_valid_l": (31, 31)},
    ),
    Tool(
        "ARETT (HoloLens 2)",
        signs=(("eyedatarelativetimestamp",),),
        time=("eyedatarelativetimestamp", "eyedatatimestamp", "frametimestamp"),
        time_unit="ms",
        note=_NO_SCREEN,
        telling={"eyedatatimestamp": "times of a clock on the wall"},
    ),
)
