"""Invented exports of eye trackers' software, with the headers and the quirks of real ones.

docs/howto/import/trackers.md has a plan for each. Sources, read in November 2026; of a repository that reads
files, the names are those that its code asks for:

* EyeLink Data Viewer: SR Research support, "Why are the AVERAGE_* variables in the sample report blank?";
  NivLink's page on Data Viewer; dmirman/gazer/R/merge_gazer_files.R (tabs, .xls, dots)
* Tobii Pro Lab: misavojte/GazePlotter/tests/TobiiEyeDeserializer.test.data.ts (a real export) and
  TobiiAdapter.unitSuffix.test.ts (both forms of names); exports as scripts of laboratories read them that
  pool their data (kokuHamburg, childdevlabAshoka)
* Tobii Studio: scripts of such laboratories (DevlabAU); jnhwkim/Eye-Tracking/Pororo/anal_gat.m
* Tobii Pro SDK, Titta: dmirman/gazer/inst/extdata/titta_gaze (real) and R/merge_tobii_titta.R; the
  dataset mpib_sp_eeg, …_recording-eyetracking_physio.json (origin, µs)
* PyGaze: esdalmaijer/PyGaze/pygaze/_eyetracker/libtobii.py
* SMI: aeye-lab/pymovements/tests/files/didec_example.txt (real, raw);
  Human-AI-Interaction-UBC/EMDAT/src/sampledata/SMI/SMI_Sample_67_Events.txt (real, events);
  misavojte/GazePlotter/tests/BeGazeEyeDeserializer.test.ts; the import scripts of Peekbank (samples)
* Pupil Core: Pupil Labs' documentation of Pupil Player; pupil-labs/pupil, exporters of surfaces,
  fixations and blinks
* Neon, Invisible: Pupil Labs' documentation: Recording Format, Reference Image Mapper, Marker Mapper
  (surface coordinates)
* Gazepoint: misavojte/GazePlotter/tests/GazePointEyeDeserializer.test.ts; tests of gp3tools; FPOGX, FPOGV
  as scripts on the Open Gaze API describe them
* iMotions: several public scripts that read ET_Eyetracker.csv and its −1; of the head above a table only
  that #DATA ends it
* EyeLogic: the package fixated, read_eyelogic (columns, messages, origin, code); EyeLogic's ELApi.py in
  esdalmaijer/PyGaze
* ioHub: PsychoPy's ioHub documentation and its Tobii device (status, display coordinates)
* Varjo: Varjo's developer pages, Gaze data logging; public readers of its exports (-nan(ind), radii, −1
  to 1)
* SRanipal: EveCharbie/EyeDentify3d/docs/data_parsing/htc_vive_pro.md
* ARETT: its data logger's source, which writes the header; the R package arett
* WebGazer: jsPsych's page on eye tracking, and its extension's source
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Export:
    """A file, and what `init` must see in it.

    Attributes:
        path: of the file, in some folder.
        text: of it.
        tool: that wrote it.
        roles: columns by role: the likeliest one.
        person: the column that a curator says.
        coordinates, origin, missing, unit: of the proposal; the unit of times.
        warned: columns that say too much.
        also: path of a second file with the same text, where each person has one.
    """

    path: str
    text: str
    tool: str
    roles: dict[str, str]
    person: str
    coordinates: str = "pixels"
    origin: str = "top-left"
    missing: list[float | str] = field(default_factory=list)
    unit: str = ""
    warned: tuple[str, ...] = ()
    also: str = ""

    def write(self, folder: Path) -> Path:
        """Write it; return what `init` is given, the file or the folder of both."""
        for path in filter(None, (self.path, self.also)):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(self.text.encode())
        return folder / (Path(self.path).parts[0] if self.also else self.path)


def lines(*rows: str, tabs: bool = False, end: str = "\n") -> str:
    """Rows as a file has them; of a tool that separates by tabs, written with | here."""
    return "".join(row.replace("|", "\t") + end if tabs else row + end for row in rows)


ASC = """** RECORDED BY x
MSG\t1 TRIALID sky
MSG\t2 RECCFG CR 1000 2 1 L
MSG\t2 GAZE_COORDS 0.00 0.00 1279.00 1023.00
START\t3 \tLEFT\tSAMPLES\tEVENTS
SAMPLES\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2
4\t  100.5\t  200.0\t  778.0\t...
5\t   .\t   .\t    0.0\t...
END\t6 \tSAMPLES\tEVENTS\tRES\t  38.54\t  31.12
MSG\t7 TRIAL_RESULT 0
START\t8 \tLEFT\tSAMPLES\tEVENTS
SAMPLES\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2
9\t  1.5\t  2.0\t  778.0\t...
"""
FIXATION_REPORT = Export(
    "fixations.txt",
    lines(
        "RECORDING_SESSION_LABEL|TRIAL_INDEX|CURRENT_FIX_INDEX|CURRENT_FIX_START|CURRENT_FIX_DURATION|CURRENT_FIX_X|CURRENT_FIX_Y|NEXT_SAC_AMPLITUDE|TRIAL_LABEL|image",
        "ab0312|1|1|12|214|100.5|200.0|4.31|Trial: 1|sky",
        "ab0312|1|2|300|120|640.0|512.0|.|Trial: 1|sky",
        "cd0412|1|1|8|250|32.5|40.0|2.5|Trial: 1|sky",
        "cd0412|1|2|300|90|33.5|41.0|.|Trial: 1|sky",
        tabs=True,
    ),
    "EyeLink Data Viewer",
    {
        "person": "RECORDING_SESSION_LABEL",
        "stimulus": "image",
        "recording": "TRIAL_INDEX",
        "x": "CURRENT_FIX_X",
        "y": "CURRENT_FIX_Y",
        "time": "CURRENT_FIX_START",
        "duration": "CURRENT_FIX_DURATION",
    },
    "RECORDING_SESSION_LABEL",
    unit="ms",
    warned=("RECORDING_SESSION_LABEL",),
)
# One eye was recorded: the averages of both and the other eye are dots.
SAMPLE_REPORT = Export(
    "samples.txt",
    lines(
        "RECORDING_SESSION_LABEL|TRIAL_INDEX|TIMESTAMP|AVERAGE_GAZE_X|AVERAGE_GAZE_Y|LEFT_GAZE_X|LEFT_GAZE_Y|RIGHT_GAZE_X|RIGHT_GAZE_Y|RIGHT_PUPIL_SIZE|RIGHT_IN_BLINK|SAMPLE_MESSAGE",
        "p1|1|1001|.|.|.|.|100.5|200.0|778|0|.",
        "p1|1|1002|.|.|.|.|.|.|.|1|.",
        "p2|1|1001|.|.|.|.|32.5|40.0|801|0|.",
        "p2|1|1002|.|.|.|.|.|.|.|1|.",
        tabs=True,
    ),
    "EyeLink Data Viewer",
    {"person": "RECORDING_SESSION_LABEL", "x": "RIGHT_GAZE_X", "y": "RIGHT_GAZE_Y", "time": "TIMESTAMP"},
    "RECORDING_SESSION_LABEL",
    missing=["."],
    unit="ms",
)
PRO_LAB = Export(
    "tobii.tsv",
    "\ufeff"
    + lines(
        "Recording timestamp [μs]|Sensor|Export date|Participant name|Recording name|Recording date|Recording start time|Recording resolution height [px]|Recording resolution width [px]|Gaze point X [DACS px]|Gaze point Y [DACS px]|Pupil diameter left [mm]|Validity left|Validity right|Presented Stimulus name|Gaze point X [MCS norm]|Gaze point Y [MCS norm]|Eye movement type|Gaze event duration [ms]|Fixation point X [DACS px]|Fixation point Y [DACS px]",
        "8331|Eye Tracker|22.11.2026|Ada L|Recording1|21.11.2026|50:23.6|1080|1920|100.5|200|3.21|Valid|Valid|sky|0.0523|0.1852|Fixation|214|101|201",
        "16664|Eye Tracker|22.11.2026|Ada L|Recording1|21.11.2026|50:23.6|1080|1920||||Invalid|Invalid|sky|||EyesNotFound|17||",
        "16700|Mouse|22.11.2026|Ada L|Recording1|21.11.2026|50:23.6|1080|1920||||||sky||||||",
        "8331|Eye Tracker|22.11.2026|Bo M|Recording2|21.11.2026|02:03.0|1080|1920|640|512|2.9|Valid|Invalid|sky|0.3333|0.4741|Fixation|214|640|512",
        tabs=True,
        end="\r\n",
    ),
    "Tobii Pro Lab",
    {
        "person": "Participant name",
        "stimulus": "Presented Stimulus name",
        "recording": "Recording name",
        "x": "Gaze point X [DACS px]",
        "y": "Gaze point Y [DACS px]",
        "time": "Recording timestamp [μs]",
    },
    "Participant name",
    unit="µs",
    warned=("Export date", "Participant name", "Recording date", "Recording start time"),
)
PRO_LAB_OLD = Export(
    "tobii-old.tsv",
    lines(
        "Recording timestamp|Project name|Export date|Participant name|Recording name|Gaze point X|Gaze point Y|Presented Media name|Gaze point X (MCSnorm)|Gaze point Y (MCSnorm)|Gaze event duration",
        "1051|P|4/10/2026|P1|Recording1|100|200|sky.jpg|0.0523|0.1852|214",
        "1067|P|4/10/2026|P1|Recording1|||sky.jpg|||17",
        "1051|P|4/10/2026|P2|Recording2|640|512|sky.jpg|0.3333|0.4741|90",
        "1067|P|4/10/2026|P2|Recording2|641|513|sky.jpg|0.3338|0.4750|90",
        tabs=True,
    ),
    "Tobii Pro Lab",
    {
        "person": "Participant name",
        "stimulus": "Presented Media name",
        "x": "Gaze point X",
        "y": "Gaze point Y",
        "time": "Recording timestamp",
    },
    "Participant name",
    warned=("Export date",),
)
STUDIO = Export(
    "studio.tsv",
    lines(
        "ExportDate|ParticipantName|RecordingName|RecordingDate|MediaName|RecordingTimestamp|LocalTimeStamp|GazeEventType|GazeEventDuration|FixationPointX (MCSpx)|FixationPointY (MCSpx)|GazePointX (ADCSpx)|GazePointY (ADCSpx)|PupilLeft|ValidityLeft|",
        "22.11.2026|Ada L|Rec 01|21.11.2026|sky.jpg|3|10:50:23.603|Fixation|214|61|81|100|200|3.21|0|",
        "22.11.2026|Ada L|Rec 01|21.11.2026|sky.jpg|20|10:50:23.620|Unclassified|17||||||4|",
        "22.11.2026|Bo M|Rec 02|21.11.2026|sky.jpg|3|11:02:03.003|Fixation|90|600|400|640|512|2.9|0|",
        "22.11.2026|Bo M|Rec 02|21.11.2026|sky.jpg|20|11:02:03.020|Unclassified|17||||||4|",
        tabs=True,
    ),
    "Tobii Studio",
    {
        "person": "ParticipantName",
        "stimulus": "MediaName",
        "recording": "RecordingName",
        "x": "GazePointX (ADCSpx)",
        "y": "GazePointY (ADCSpx)",
        "time": "RecordingTimestamp",
    },
    "ParticipantName",
    unit="ms",
    warned=("ExportDate", "ParticipantName", "RecordingDate", "LocalTimeStamp"),
)
TITTA = Export(
    "titta/P1_sky.csv",
    lines(
        "device_time_stamp,system_time_stamp,left_gaze_point_on_display_area_x,left_gaze_point_on_display_area_y,left_gaze_point_valid,left_pupil_diameter,left_pupil_valid,right_gaze_point_on_display_area_x,right_gaze_point_on_display_area_y,right_gaze_point_valid",
        "2891813653,2942210832,0.25,0.25,TRUE,3.2040253,TRUE,0.26,0.25,TRUE",
        "2891821987,2942219166,nan,nan,FALSE,nan,FALSE,nan,nan,FALSE",
        "2891830320,2942227499,nan,nan,FALSE,nan,FALSE,nan,nan,FALSE",
        "2891838653,2942235833,0.5,0.5,TRUE,3.1694794,TRUE,0.51,0.5,TRUE",
    ),
    "Tobii Pro SDK",
    {
        "x": "left_gaze_point_on_display_area_x",
        "y": "left_gaze_point_on_display_area_y",
        "time": "system_time_stamp",
    },
    "part_1",  # nothing in the file says who it is of
    "normalised",
    missing=["nan"],
    unit="µs",
    also="titta/P2_sky.csv",
)
SMI_EVENTS = Export(
    "smi.txt",
    lines(
        "Trial|Stimulus|Participant|Color|Tracking Ratio [%]|Category Group|Category|Event Start Trial Time [ms]|Event End Trial Time [ms]|Event Duration [ms]|Fixation Position X [px]|Fixation Position Y [px]|AOI Name|Port Status|Index",
        "Trial001|sky|Ada L|Orange|98.2|Information|Separator|-|-|-|-|-|-|-|-",
        "Trial001|sky|Ada L|Orange|98.2|Eye|Fixation|12.1|226.3|214.2|100.5|200.0|White Space|-|1",
        "Trial001|sky|Ada L|Orange|98.2|Eye|Saccade|226.3|250.2|23.9|-|-|-|-|1",
        "Trial001|sky|Bo M|Blue|91.0|Eye|Fixation|8.0|98.0|90.0|640.0|512.0|White Space|-|1",
        "Trial001|sky|Bo M|Blue|91.0|Eye|Blink|98.0|230.0|132.0|-|-|-|-|1",
        tabs=True,
        end="\r\n",
    ),
    "SMI BeGaze",
    {
        "person": "Participant",
        "stimulus": "Stimulus",
        "recording": "Trial",
        "x": "Fixation Position X [px]",
        "y": "Fixation Position Y [px]",
        "time": "Event Start Trial Time [ms]",
        "duration": "Event Duration [ms]",
    },
    "Participant",
    missing=["-"],
    unit="ms",
    warned=("Participant",),
)
SMI_SAMPLES = Export(
    "smi-raw.txt",
    lines(
        "RecordingTime [ms]|Time of Day [h:m:s:ms]|Trial|Stimulus|Participant|Category Right|Category Left|Pupil Diameter Right [mm]|Point of Regard Right X [px]|Point of Regard Right Y [px]|Point of Regard Left X [px]|Point of Regard Left Y [px]",
        "1000.1|10:50:23:603|Trial001|sky|P1|Fixation|Fixation|3.21|100.5|200.0|99.5|201.0",
        "1004.2|10:50:23:607|Trial001|sky|P1|Blink|Blink|-|-|-|-|-",
        "1000.1|11:02:03:003|Trial001|sky|P2|Fixation|Fixation|2.90|640.0|512.0|641.0|512.0",
        "1004.2|11:02:03:007|Trial001|sky|P2|Blink|Blink|-|-|-|-|-",
        tabs=True,
    ),
    "SMI BeGaze",
    {
        "stimulus": "Stimulus",
        "x": "Point of Regard Right X [px]",
        "y": "Point of Regard Right Y [px]",
        "time": "RecordingTime [ms]",
    },
    "Participant",
    missing=["-"],
    unit="ms",
    warned=("Time of Day [h:m:s:ms]",),
)
# Rows end with a comma, and the header with a name that is none.
GAZEPOINT = Export(
    "gazepoint/User 1_all_gaze.csv",
    lines(
        "MEDIA_ID,MEDIA_NAME,CNT,TIME(2021/07/13 09:21:09.801),TIMETICK(f=10000000),FPOGX,FPOGY,FPOGS,FPOGD,FPOGID,FPOGV,BPOGX,BPOGY,BPOGV,BKID,AOI,",
        "0,sky,44,0.00000,696216388878,0.25000,0.25000,0.00000,0.06689,1,1,0.26134,0.26619,1,0,,",
        "0,sky,45,0.01660,696216555878,0.50000,0.50000,0.00000,0.06689,1,1,0.51134,0.49619,1,0,AOI 1,",
        "0,sky,46,0.03320,696216722878,1.25000,0.50000,0.00000,0.06689,1,0,1.25000,0.49619,0,1,,",
    ),
    "Gazepoint",
    {"stimulus": "MEDIA_NAME", "x": "FPOGX", "y": "FPOGY", "time": "CNT"},
    "part_1",
    "normalised",
    warned=("TIME(2021/07/13 09:21:09.801)",),
    also="gazepoint/User 2_all_gaze.csv",
)
IMOTIONS = Export(
    "imotions.csv",
    lines(
        "RowNumber,Timestamp,SourceStimuliName,Respondent,Age,Gender,ET_GazeLeftx,ET_GazeLefty,ET_GazeRightx,ET_GazeRighty,ET_PupilLeft,ET_PupilRight",
        "1,1000.1,sky,Ada L,29,FEMALE,100.5,200.0,101.5,200.0,3.2,3.3",
        "2,1008.4,sky,Ada L,29,FEMALE,-1,-1,-1,-1,-1,-1",
        "1,1000.1,sky,Bo M,34,MALE,640.0,512.0,641.0,512.0,2.9,2.8",
        "2,1008.4,sky,Bo M,34,MALE,-1,-1,-1,-1,-1,-1",
    ),
    "iMotions",
    {
        "person": "Respondent",
        "stimulus": "SourceStimuliName",
        "x": "ET_GazeLeftx",
        "y": "ET_GazeLefty",
        "time": "Timestamp",
    },
    "Respondent",
    missing=[-1],
    unit="ms",
    warned=("Respondent", "Age", "Gender"),
)
# As it is once the line for Excel and the messages are out; what was not seen is the least number there is.
EYELOGIC = Export(
    "eyelogic/P1.csv",
    lines(
        "TYPE;timestampMicroSec;index;porFilteredX;porFilteredY;porLeftX;porLeftY;pupilRadiusLeft;porRightX;porRightY;pupilRadiusRight",
        "DAT;1654688461462000;1;100.5;200.0;99.5;200.0;1.6;101.5;200.0;1.6",
        "DAT;1654688461466000;2" + ";-1.7976931348623157e+308" * 8,
        "DAT;1654688461470000;3" + ";-1.7976931348623157e+308" * 8,
    ),
    "EyeLogic",
    {"x": "porFilteredX", "y": "porFilteredY", "time": "timestampMicroSec"},
    "part_1",
    missing=[-1.7976931348623157e308],
    unit="µs",
    warned=("timestampMicroSec",),
    also="eyelogic/P2.csv",
)
IOHUB = Export(
    "iohub.csv",
    lines(
        "experiment_id,session_id,event_id,device_time,logged_time,time,left_gaze_x,left_gaze_y,left_pupil_measure1,right_gaze_x,right_gaze_y,status,participant,image",
        "1,1,101,2891.81,12.1,12.09,-539.5,312.0,3.2,-538.5,312.0,0,P1,sky",
        "1,1,102,2891.82,12.2,12.19,nan,nan,nan,nan,nan,22,P1,sky",
        "1,2,101,2892.81,12.1,12.09,32.5,-40.0,3.1,33.5,-40.0,0,P2,sky",
        "1,2,102,2892.82,12.2,12.19,nan,nan,nan,nan,nan,22,P2,sky",
    ),
    "PsychoPy's ioHub",
    {
        "person": "participant",
        "stimulus": "image",
        "recording": "session_id",
        "x": "left_gaze_x",
        "y": "left_gaze_y",
        "time": "time",
    },
    "participant",
    origin="centre-y-up",
    missing=["nan"],
    unit="s",
)
EXPORTS = {name: one for name, one in globals().items() if isinstance(one, Export)}
