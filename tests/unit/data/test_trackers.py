"""The page about eye trackers is true: each of its plans reads an export as its software writes it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from headset_exports import CORE_SURFACE, NEON_IMAGE, VARJO
from refusals import refused
from tracker_exports import (
    ASC,
    EYELOGIC,
    FIXATION_REPORT,
    GAZEPOINT,
    IMOTIONS,
    IOHUB,
    PRO_LAB,
    SMI_EVENTS,
    STUDIO,
    TITTA,
    Export,
)

from synthrelease.building.design import make_design
from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import load_plan

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "import" / "trackers.md"
SECTIONS = PAGE.read_text("utf-8").split("\n## ")[1:]
BLOCKS = {
    section.partition("\n")[0]: found[1]
    for section in SECTIONS
    if (found := re.search(r"^```toml\n(.*?)^```", section, re.MULTILINE | re.DOTALL))
}
AROUND = """
[release]
name = "r"
version = "1"
title = "t"
[privacy]
epsilon = 1.0
delta = 1e-3
{input}
"""
MAPS = """
[[outputs]]
name = "maps"
kind = "heatmap"
input = "looks"
width_px = 8
height_px = 8
"""
STATISTICS = """
[[outputs]]
name = "pupils"
kind = "statistics"
input = "eyes"
statistics = ["mean"]
"""
# What a plan of the page reads, and the points of it in pixels from the top left.
READ = {
    "EyeLink recordings": (
        Export("eyelink/P1.asc", ASC, "", {}, ""),
        [(100.5, 200.0)],
    ),
    "EyeLink Data Viewer": (
        FIXATION_REPORT,
        [(100.5, 200.0), (640.0, 512.0), (32.5, 40.0), (33.5, 41.0)],
    ),
    "Tobii Pro Lab": (PRO_LAB, [(100.5, 200.0), (640.0, 512.0)]),
    "Tobii Studio": (STUDIO, [(100.0, 200.0), (640.0, 512.0)]),
    "Tobii Pro SDK and Titta": (TITTA, [(480.0, 270.0), (960.0, 540.0)]),
    "SMI BeGaze": (SMI_EVENTS, [(100.5, 200.0), (640.0, 512.0)]),
    "Pupil Core": (CORE_SURFACE, [(480.0, 270.0)]),
    "Neon and Invisible": (NEON_IMAGE, [(100.5, 200.0), (640.0, 512.0)]),
    "Gazepoint": (GAZEPOINT, [(480.0, 270.0), (960.0, 540.0)]),
    "iMotions": (IMOTIONS, [(100.5, 200.0), (640.0, 512.0)]),
    "EyeLogic": (EYELOGIC, [(100.5, 200.0)]),
    "PsychoPy's ioHub": (IOHUB, [(100.5, 200.0), (672.5, 552.0)]),
}


def part_of(folder: Path, name: str, export: Export, *, outputs: str = MAPS) -> object:
    export.write(folder)
    (folder / "plan.toml").write_text(AROUND.format(input=BLOCKS[name]) + outputs)
    plan = load_plan(folder / "plan.toml")
    ((given, spec),) = plan.inputs.items()
    (part,) = partitions_of(spec, make_design(plan).facts[given], stamp_of(spec.source))
    return part.read()


def test_every_plan_of_the_page_has_an_export_here() -> None:
    assert set(BLOCKS) == {*READ, "Headsets"}


@pytest.mark.quick(but=["EyeLink recordings"])
@pytest.mark.parametrize("name", READ)
def test_a_plan_of_the_page_reads_what_the_software_exports(tmp_path: Path, name: str) -> None:
    export, points = READ[name]
    gaze = part_of(tmp_path, name, export)
    assert isinstance(gaze, GazeData)
    # Two stimuli have the file of Neon: once is enough.
    found = {
        (x, y)
        for x, y, number in zip(gaze.x_px, gaze.y_px, gaze.stimulus.tolist(), strict=True)
        if gaze.stimuli[number] in {"sky", "sky.jpg", "DAT"}
    }
    assert found == set(points)


def test_pupils_of_a_headset_are_features(tmp_path: Path) -> None:
    features = part_of(tmp_path, "Headsets", VARJO, outputs=STATISTICS)
    assert isinstance(features, FeatureData)
    assert features.values.shape[1] == 2
    assert np.isnan(features.values[1:3]).all()
    np.testing.assert_array_equal(features.values[0], [3.2, 3.3])


def test_rows_between_stimuli_are_left_out_where_stimuli_are_listed(tmp_path: Path) -> None:
    between = replace(PRO_LAB, text=PRO_LAB.text.replace("\tsky\t\t\t\t\t\t", "\t" * 7))
    assert between.text != PRO_LAB.text
    gaze = part_of(tmp_path, "Tobii Pro Lab", between)
    assert isinstance(gaze, GazeData)
    assert gaze.x_px.size == part_of(tmp_path, "Tobii Pro Lab", PRO_LAB).x_px.size
    plan = tmp_path / "plan.toml"
    text = plan.read_text().replace('only = { Sensor = ["Eye Tracker"] }\n', "")
    plan.write_text(text.replace('stimuli = ["sea", "sky"]', 'assume_public = ["stimuli"]'))
    between.write(tmp_path)
    with refused(DataError, "missing-label"):
        make_design(load_plan(plan))


def test_decimal_commas_are_refused_with_the_way_out(tmp_path: Path) -> None:
    commas = replace(STUDIO, text=STUDIO.text.replace("\t100\t", "\t100,25\t"))
    with refused(DataError, "decimal-comma") as caught:
        part_of(tmp_path, "Tobii Studio", commas)
    assert "decimal_comma=True" in caught.value.remedy
    assert "missing" not in caught.value.remedy
    assert "100,25" not in str(caught.value)


def test_text_in_utf_16_is_refused_with_the_way_out(tmp_path: Path) -> None:
    path = PRO_LAB.write(tmp_path)
    path.write_bytes(path.read_text("utf-8-sig").encode("utf-16"))
    with refused(DataError, "utf16-or-binary", where=path) as caught:
        read_table(Source(path), ["Participant name"])
    assert "iconv -f utf-16" in caught.value.remedy
