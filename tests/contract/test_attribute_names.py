"""Attributes of records may have the names that a bundle uses itself, and those that an export gives."""

import numpy as np
import pytest

import synthrelease

NAMES = ("category", "value", "noisy", "record", "bin_value", "value_bin", "counts")


def study(folder):
    """Write a plan of records whose features have these names, each with bounds of its own."""
    random = np.random.default_rng(4)
    rows = [
        f"p{person},{','.join(f'{at + random.random():.3f}' for at in range(len(NAMES)))}"
        for person in range(30)
    ]
    (folder / "t.csv").write_text("\n".join([f"who,{','.join(NAMES)}", *rows]) + "\n")
    bounds = "\n".join(f"{name} = [{at}, {at + 1}]" for at, name in enumerate(NAMES))
    plan = folder / "plan.toml"
    plan.write_text(f"""
[release]
name = "names"
version = "1.0.0"
title = "Columns with names of datasets"
[privacy]
epsilon = 4.0
[inputs.t]
kind = "features"
path = "t.csv"
columns = {{ person = "who" }}
[inputs.t.bounds]
{bounds}
[[outputs]]
name = "r"
kind = "records"
input = "t"
model = "marginals"
fit = "dp"
dependence = "tree"
bins = 3
rows = 40
""")
    return plan


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    synthrelease.build(study(folder), folder / "r.h5")
    return folder / "r.h5"


def test_the_bundle_verifies(bundle):
    assert synthrelease.verify(bundle).findings == []


def test_every_column_keeps_its_own_values(bundle):
    frame = synthrelease.open_bundle(bundle).to_pandas("r")["r-records"]
    for at, name in enumerate(NAMES):
        assert frame[name].between(at, at + 1).all(), name
    assert len(frame.columns) == len(set(frame.columns)) == 2 * len(NAMES)


def test_every_variable_keeps_its_own_values(bundle):
    data = synthrelease.open_bundle(bundle).to_xarray("r")
    for at, name in enumerate(NAMES):
        values = data[f"value_{name}"]
        assert values.dims == ("record",)
        assert float(values.min()) >= at
        assert float(values.max()) <= at + 1


@pytest.mark.parametrize("form", ["csv", "parquet", "frictionless", "bids"])
def test_every_form_of_export_holds_all_columns(bundle, tmp_path, form):
    exported = synthrelease.export(bundle, form, tmp_path / "out")
    assert exported
    written = {path.name: path for path in (tmp_path / "out").rglob("*") if "records" in path.name}
    for path in written.values():
        if path.suffix in {".csv", ".tsv"}:
            header = path.read_text().splitlines()[0].split("\t" if path.suffix == ".tsv" else ",")
            assert set(NAMES) <= set(header)
            assert len(header) == len(set(header))
    assert written
