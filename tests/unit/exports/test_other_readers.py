"""Others read a bundle: HDF5's own tools, and R, of every kind of output all values, without plugins."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from layouts import GOLDEN, NAMES, layout, read
from programs import program

from synthrelease.bundle.layout import MANIFEST
from synthrelease.cli import main

DOCS = Path(__file__).parents[3] / "docs" / "howto"
EVERY_DATASET = """
library(hdf5r)
for (name in commandArgs(trailingOnly = TRUE)) {
  file <- H5File$new(name, mode = "r")
  for (path in file$ls(recursive = TRUE)$name) {
    if (inherits(file[[path]], "H5D")) {
      values <- file[[path]]$read()
      shown <- if (is.character(values)) values else sprintf("%.17g", as.double(values))
      cat(name, "|", path, "|", rev(file[[path]]$dims), "|", paste(shown, collapse = "\\t"), "\\n")
    }
  }
  file$close_all()
}
"""


@pytest.fixture
def tool():
    def run(name, *arguments):
        done = subprocess.run(
            [program(name), *map(str, arguments)], capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        return done.stdout

    return run


@pytest.fixture
def in_r(tmp_path):
    def run(script, *arguments):
        (tmp_path / "script.R").write_text(script, encoding="utf-8")
        done = subprocess.run(
            [program("Rscript"), "--vanilla", tmp_path / "script.R", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_hdf5s_tools_list_and_dump_every_dataset(tool, path):
    listed = re.findall(r"^(/\S+)\s+Dataset \{([^}]*)\}$", tool("h5ls", "-r", path).decode(), re.MULTILINE)
    whole = read(path)
    shapes = {name: tuple(map(int, sides.split(", "))) for name, sides in listed}
    assert shapes.pop(MANIFEST)
    assert shapes == {name: array.shape for name, array in whole.arrays.items()}
    dumped = tool("h5dump", "-w", "0", path).decode("utf-8", errors="replace")
    assert len(re.findall(r'^ *DATASET "', dumped, re.MULTILINE)) == len(whole.arrays) + 1
    assert "unable" not in dumped


@pytest.mark.parametrize("name", NAMES)
def test_hdf5s_tools_read_values_of_every_type(tool, name, tmp_path):
    whole = layout(name)
    (tmp_path / "r.h5").write_bytes(whole.raw)
    of_each_type = {array.dtype.str: path for path, array in sorted(whole.arrays.items())}
    for path in of_each_type.values():
        expected = whole.arrays[path]
        if expected.dtype.kind == "S":  # texts have no order of bytes, and are dumped as texts
            dumped = tool("h5dump", "-w", "0", "-A", "0", "-d", path, tmp_path / "r.h5").decode("utf-8")
            labels = re.findall(r'"([^"]*)"', dumped.rpartition("DATA {")[2])
            padded = [label.decode("utf-8").ljust(expected.itemsize, "\0") for label in expected]
            assert [label.replace(r"\000", "\0") for label in labels] == padded, path
            continue
        tool("h5dump", "-d", path, "-b", "LE", "-o", tmp_path / "values", tmp_path / "r.h5")
        found = np.fromfile(tmp_path / "values", dtype=expected.dtype.newbyteorder("<"))
        assert found.tobytes() == expected.astype(found.dtype).tobytes(), path


@pytest.mark.thorough
def test_r_reads_every_value(in_r, tmp_path):
    for name in NAMES:
        (tmp_path / name).write_bytes(layout(name).raw)
    found = {name: {} for name in NAMES}
    for line in in_r(EVERY_DATASET, *NAMES).splitlines():
        name, path, sides, values = (part.strip() for part in line.split("|"))
        # R has the last axis first, and its values column by column: as they stand in the file.
        shape = [int(side) for side in sides.split()]
        found[name][f"/{path}"] = np.array(values.split("\t")).reshape(shape)
    for name in NAMES:
        assert bytes(found[name].pop(MANIFEST).astype(float).astype(np.uint8)).startswith(b'{\n  "digests"')
        assert set(found[name]) == set(layout(name).arrays)
        for path, array in layout(name).arrays.items():
            assert found[name][path].shape == array.shape
            if array.dtype.kind == "S":
                assert found[name][path].tolist() == [label.decode("utf-8") for label in array], path
            else:
                read_in_r = found[name][path].astype(float)
                assert np.array_equal(read_in_r, array.astype(float), equal_nan=True), path


@pytest.fixture
def demonstration(tmp_path):
    """What the bundle of the demonstration has, in a folder that pages are run in."""
    assert CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "synthrelease-demo")]).exit_code == 0
    return read(tmp_path / "synthrelease-demo" / "release.h5")


def blocks(page, language):
    """The code of a page."""
    found = re.findall(
        rf"^```{language}\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(found) >= 4
    return found


def numbers_of(demonstration):
    """What both pages print: ε, δ, and the mean with its interval."""
    guarantee = demonstration.manifest["privacy"]["guarantee"]
    mean = demonstration.arrays["/outputs/summary/mean/value"][0]
    low, high = demonstration.arrays["/outputs/summary/mean/interval"][0]
    return guarantee["epsilon"], guarantee["delta"], f"{mean:.3f} [{low:.3f}, {high:.3f}]"


@pytest.mark.thorough
def test_the_page_for_r_works(in_r, demonstration, tmp_path):
    checked = 'cat(sprintf("%.9g", map[1, 2]), names(dimnames(maps)), "\\n")\n'
    printed = in_r("".join(blocks("r.md", "r")) + checked)
    epsilon, delta, mean = numbers_of(demonstration)
    heatmap = demonstration.arrays["/outputs/heatmaps/heatmap"][0]
    lines = [line.strip() for line in printed.splitlines()]
    assert lines[0] == f"{heatmap.shape[0]} {heatmap.shape[1]} px"
    assert lines[2].split() == [f"{epsilon:g}", f"{delta:g}"]
    assert lines[-2] == mean
    assert np.float32(lines[-1].split()[0]) == heatmap[0, 1]
    assert lines[-1].split()[1:] == ["stimulus", "y_px", "x_px"]
    assert (tmp_path / "map.png").stat().st_size > 1000


@pytest.mark.thorough
def test_the_page_for_matlab_works_in_octave(demonstration, tmp_path):
    (drawn,) = [block for block in blocks("matlab.md", "matlab") if "imagesc" in block]
    script = "".join(block for block in blocks("matlab.md", "matlab") if block != drawn)
    (tmp_path / "page.m").write_text(script + "fprintf('%.9g\\n', map(1, 2));\n", encoding="utf-8")
    done = subprocess.run(
        [program("octave"), "--no-gui", "--quiet", "page.m"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=tmp_path,
    )
    epsilon, delta, mean = numbers_of(demonstration)
    heatmap = demonstration.arrays["/outputs/heatmaps/heatmap"][0]
    lines = done.stdout.splitlines()
    assert lines[0].startswith("x_px x y_px x stimulus"), done.stderr  # not a sentence: axes
    assert re.findall(r"\d[\d.e-]*", lines[1]) == [f"{epsilon:g}", f"{delta:.0e}", *map(str, heatmap.shape)]
    assert lines[2] == mean
    assert np.float32(lines[3]) == heatmap[0, 1]
