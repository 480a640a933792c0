"""Invented exports of what is worn on the head: glasses and headsets."""

from __future__ import annotations

from tracker_exports import Export, lines

CORE_SURFACE = Export(
    "core/p1/exports/000/surfaces/gaze_positions_on_surface_sky.csv",
    lines(
        "world_timestamp,world_index,gaze_timestamp,x_norm,y_norm,x_scaled,y_scaled,on_surf,confidence",
        "1.5,0,1.498,0.25,0.75,0.25,0.75,True,0.98",
        "1.5,0,1.502,-0.25,0.5,-0.25,0.5,False,0.91",
        "1.6,1,1.506,-0.26,0.5,-0.26,0.5,False,0.90",
    ),
    "Pupil Core's surface tracker",
    {"x": "x_norm", "y": "y_norm", "time": "gaze_timestamp"},
    "part_1",
    "normalised",
    "bottom-left",
    unit="s",
    also="core/p2/exports/000/surfaces/gaze_positions_on_surface_sky.csv",
)
CORE_GAZE = Export(
    "core/1.csv",
    lines(
        "gaze_timestamp,world_index,confidence,norm_pos_x,norm_pos_y,base_data,gaze_point_3d_x,gaze_point_3d_y",
        "1.498,0,0.98,0.25,0.75,1.497-0 1.498-1,12.1,3.2",
        "1.502,0,0.0,0.5,0.5,1.501-0 1.502-1,11.9,3.1",
    ),
    "Pupil Core",
    {"x": "norm_pos_x", "y": "norm_pos_y", "time": "gaze_timestamp"},
    "part_1",
    "normalised",
    "bottom-left",
    unit="s",
    also="core/2.csv",
)
CORE_PUPIL = Export(
    "eyes/1.csv",
    lines(
        "pupil_timestamp,world_index,eye_id,confidence,norm_pos_x,norm_pos_y,diameter,method,diameter_3d",
        "1.497,0,0,0.98,0.41,0.55,38.1,2d c++,",
        "1.498,0,1,0.95,0.61,0.52,41.2,pye3d 0.3.0 real-time,3.21",
    ),
    "Pupil Core's pupil_positions.csv",
    {"time": "pupil_timestamp"},
    "part_1",
    unit="s",
    also="eyes/2.csv",
)
NEON_IMAGE = Export(
    "neon/sky/gaze.csv",
    lines(
        "section id,recording id,timestamp [ns],gaze detected in reference image,gaze position in reference image x [px],gaze position in reference image y [px],fixation id,blink id",
        "5f2a,a1f3,1654688461462000000,True,100.5,200.0,1,",
        "5f2a,a1f3,1654688461467000000,False,,,1,",
        "77b0,b2e4,1654688561462000000,True,640.0,512.0,1,",
        "77b0,b2e4,1654688561467000000,False,,,,1",
    ),
    "Pupil Cloud",
    {
        "recording": "recording id",
        "x": "gaze position in reference image x [px]",
        "y": "gaze position in reference image y [px]",
        "time": "timestamp [ns]",
    },
    "recording id",
    unit="ns",
    warned=("recording id", "timestamp [ns]"),
    also="neon/sea/gaze.csv",
)
NEON_SURFACE = Export(
    "surface.csv",
    lines(
        "section id,recording id,fixation id,start timestamp [ns],end timestamp [ns],duration [ms],fixation detected on surface,fixation x [normalized],fixation y [normalized]",
        "5f2a,a1f3,1,1654688461462000000,1654688461676000000,214,True,0.25,0.25",
        "5f2a,a1f3,2,1654688461700000000,1654688461790000000,90,False,1.25,0.5",
        "77b0,b2e4,1,1654688561462000000,1654688561682000000,220,True,0.5,0.5",
        "77b0,b2e4,2,1654688561700000000,1654688561790000000,90,True,0.5,0.4",
    ),
    "Pupil Cloud",
    {
        "x": "fixation x [normalized]",
        "y": "fixation y [normalized]",
        "time": "start timestamp [ns]",
        "duration": "duration [ms]",
    },
    "recording id",
    "normalised",
    unit="ns",
    warned=("recording id", "start timestamp [ns]", "end timestamp [ns]"),
)
VARJO = Export(
    "varjo/P1.csv",
    lines(
        "raw_timestamp,relative_to_unix_epoch_timestamp,relative_to_video_first_frame_timestamp,focus_distance,status,gaze_forward_x,gaze_forward_y,gaze_forward_z,gaze_projected_to_left_view_x,gaze_projected_to_left_view_y,left_status,left_pupil_diameter_in_mm,right_pupil_diameter_in_mm",
        "8100,1654688461462000000,0,1.9,2,0.01,0.02,0.99,-0.12,0.05,3,3.2,3.3",
        "8105,1654688461467000000,5000000,1.9,0,0,0,1,-nan(ind),-nan(ind),0,-nan(ind),-nan(ind)",
        "8110,1654688461472000000,10000000,1.9,0,0,0,1,-nan(ind),-nan(ind),0,-nan(ind),-nan(ind)",
        *(
            f"{8110 + 5 * n},{1654688461472000000 + 5000000 * n},{10000000 + 5000000 * n},1.9,2,0.01,0.02,0.99,-0.12,0.05,3,3.2,3.3"
            for n in range(1, 50)
        ),
    ),
    "Varjo Base",
    {"time": "relative_to_video_first_frame_timestamp"},
    "part_1",
    missing=["-nan(ind)"],
    unit="ns",
    warned=("relative_to_unix_epoch_timestamp",),
    also="varjo/P2.csv",
)
VIVE = Export(
    "vive/P1.csv",
    lines(
        "time(100ns),time_stamp(ms),frame,eye_valid_L,eye_valid_R,openness_L,openness_R,gaze_direct_L.x,gaze_direct_L.y,gaze_direct_L.z",
        "12345670000,1001,1,31,31,0.98,0.97,0.01,0.02,0.99",
        "12345753333,1009,2,0,0,0,0,0,0,0",
    ),
    "SRanipal (HTC Vive)",
    {"time": "time_stamp(ms)"},
    "part_1",
    unit="ms",
    also="vive/P2.csv",
)
ARETT = Export(
    "arett/P1.csv",
    lines(
        "eyeDataTimestamp,eyeDataRelativeTimestamp,frameTimestamp,isCalibrationValid,gazeHasValue,gazeDirection_x,gazeDirection_y,gazePointHit,gazePoint_x,gazePoint_y,gazePointAOIHit,gazePointAOI_name,info",
        "1654688461462,5001.1000,8.3,True,True,0.01000,0.02000,True,0.50000,0.25000,True,sky,",
        "1654688461495,5034.4000,8.4,True,False,NA,NA,NA,NA,NA,NA,NA,",
        "1654688461528,5067.7000,8.5,True,False,NA,NA,NA,NA,NA,NA,NA,",
        "1654688461561,5101.0000,8.6,True,True,0.01000,0.02000,True,0.50000,0.25000,True,sky,",
    ),
    "ARETT (HoloLens 2)",
    {"time": "eyeDataRelativeTimestamp"},
    "part_1",
    missing=["NA"],
    unit="ms",
    warned=("eyeDataTimestamp",),
    also="arett/P2.csv",
)
EXPORTS = {name: one for name, one in globals().items() if isinstance(one, Export)}
