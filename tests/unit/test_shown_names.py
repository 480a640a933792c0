"""What a plan calls features, their units and the length of a step: in the manifest, the bundle's axes, the tables and the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from signal_plans import design_signals

import synthrelease
from synthrelease.bundle import open_bundle
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.kinds.parameters import Feature, to_json
from synthrelease.reports.views import feature_quantity

MARKUP = "<b>pupil</b>"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a plan that names one of its two features."""
    folder = tmp_path_factory.mktemp("named")
    design_signals(folder, step_s=0.25)
    plan = folder / "plan.toml"
    named = f'bounds = {{ left = [2, 8], right = [2, 8] }}\nunits = {{ left = "µm", right = "mm" }}\nlabels = {{ left = "{MARKUP}" }}'
    plan.write_text(
        plan.read_text("utf-8").replace("bounds = { left = [2, 8], right = [2, 8] }", named), "utf-8"
    )
    return synthrelease.build(plan, folder / "r.h5").path


def test_the_manifest_states_them_and_verify_accepts_them(bundle: Path) -> None:
    parameters = open_bundle(bundle).manifest["outputs"][0]["mechanism"]["parameters"]
    assert parameters["step_s"] == 0.25
    left, right = parameters["features"]
    assert (left["unit"], left["title"]) == ("µm", MARKUP)
    assert right["unit"] == "mm"
    assert right["title"] is None
    assert synthrelease.verify(bundle).ok


def test_the_axis_of_the_series_is_in_seconds(bundle: Path) -> None:
    file = BundleFile(bundle)
    assert np.allclose(file.array("/outputs/course/time_s"), np.arange(40) * 0.25)
    assert file.anatomy.datasets["/outputs/course/time_s"].attributes["units"] == "s"
    # Features of two units share a dataset.
    assert "units" not in file.anatomy.datasets["/outputs/course/values"].attributes
    file.close()


def test_tables_have_seconds(bundle: Path, tmp_path: Path) -> None:
    synthrelease.export(bundle, "frictionless", tmp_path / "t")
    package = json.loads((tmp_path / "t" / "datapackage.json").read_text("utf-8"))
    fields = [field for resource in package["resources"] for field in resource["schema"]["fields"]]
    assert [field["unit"] for field in fields if field["name"] == "time_s"] == ["s"]


def test_the_report_shows_names_as_text(bundle: Path, tmp_path: Path) -> None:
    synthrelease.report(bundle, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text("utf-8")
    assert MARKUP not in page
    assert "&lt;b&gt;pupil&lt;/b&gt; (µm)" in page


def test_what_a_plan_does_not_say_is_null() -> None:
    stated = {"name": "pupil_mm", "low": 1, "high": 8, "unit": None, "title": None}
    assert to_json(Feature("pupil_mm", 1, 8)) == stated


@pytest.mark.parametrize(
    ("feature", "shown"),
    [
        (Feature("pupil_mm", 1, 8), "pupil (mm)"),
        (Feature("pupil", 1, 8), "pupil"),
        (Feature("angle_deg", 1, 8), "angle (°)"),
        (Feature("pupil_mm", 1, 8, unit="au"), "pupil_mm (au)"),
        (Feature("p", 1, 8, unit="mm", title="pupil diameter"), "pupil diameter (mm)"),
        (Feature("mm", 1, 8, unit="mm"), "mm (mm)"),
    ],
)
def test_a_quantity_of_a_feature(feature: Feature, shown: str) -> None:
    words = feature_quantity(feature, "mean in the unit of the feature")
    assert words.partition(" of ")[2] == shown
