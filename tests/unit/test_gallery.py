"""Pictures of the gallery: they are drawn, they are small, and what they show is what was given."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from goldens import figures
from PIL import Image

IMAGES = Path(__file__).parent.parent.parent / "docs" / "images"


@pytest.fixture
def study(script):
    return lambda name: script(f"studies.{name}")


@pytest.fixture
def gaze(study, tmp_path):
    """Two images in the layout of osie_mouse: everyone looks at the upper left of one, at the lower right of the other."""
    write_mouse(tmp_path, {1011: (200, 150), 1012: (600, 450)})
    return study("_osie_mouse").attention(tmp_path)


def write_mouse(folder, places):
    """Write a file in the layout of osie_mouse, of people who look near one place of each image."""
    rng = np.random.default_rng(3)
    lines = ["image,worker,sample_index,x_px,y_px"]
    for image, (x, y) in places.items():
        for worker in range(30):
            for k, (across, down) in enumerate(rng.normal(0, 20, (40, 2)).round().astype(int)):
                lines.append(f"{image},{worker},{k},{x + across},{y + down}")
    (folder / "osie_mouse").mkdir()
    with gzip.open(folder / "osie_mouse" / "samples.csv.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")


def looked_at(path):
    with Image.open(path) as drawn:
        return drawn.mode, drawn.width


def test_maps_of_the_gallery(study, gaze, tmp_path, monkeypatch):
    gallery, rows = study("gallery"), []
    with monkeypatch.context() as patch:
        patch.setattr(gallery, "SHOWN", ("1012", "1011"))
        patch.setattr(gallery, "draw_maps", lambda images, given, path: rows.extend([images, given, path]))
        gallery.draw_heatmaps(gaze, tmp_path / "maps.png")
    images, given, path = rows
    assert images == ("1012", "1011")
    assert [figures(row.label) for row in given] == [[], [1], [3], [2019, 1], [2019, 3], []]
    assert ["synthrelease" in row.label for row in given] == [False, True, True, False, False, False]
    places = [np.unravel_index(cells.argmax(), cells.shape) for cells in given[0].maps]
    assert [(down > 50, across > 67) for down, across in places] == [(True, True), (False, False)]
    for row in given[1:]:
        for cells, exact, told in zip(row.maps, given[0].maps, row.correlations, strict=True):
            assert told == pytest.approx(np.corrcoef(cells.ravel(), exact.ravel())[0, 1])
    study("_gallery_figures").draw_maps(images, given, path)
    assert looked_at(path) == ("P", 700)


@pytest.mark.thorough
def test_other_pictures_of_the_gallery(study, gaze, tmp_path, monkeypatch):
    gallery = study("gallery")
    monkeypatch.setattr(gallery, "SHOWN", ("1011", "1012"))
    given = []
    monkeypatch.setattr(gallery, "draw_shares", lambda *arguments: given.extend(arguments))
    gallery.draw_areas(gaze, tmp_path / "areas.png")
    names, panels, errors, path = given
    (exact,) = (shares["exact"] for label, shares in panels.items() if figures(label) == [1011, 30])
    assert names[int(exact.argmax())] == "top left"  # not a sentence: the name of an area
    assert exact.sum() == pytest.approx(1)
    assert sorted(map(figures, errors)) == [[1], [3]]
    module = study("_gallery_figures")
    module.draw_shares(names, panels, errors, path)
    gallery.draw_check(tmp_path / "noise.png")
    edges = np.linspace(0, 1, 11)
    shares = {"real": np.full(10, 0.1), "made": np.arange(10) / 45}
    module.draw_histograms({"openness": (edges, shares)}, tmp_path / "records.png")
    for name in ("areas", "noise", "records"):
        assert looked_at(tmp_path / f"{name}.png") == ("P", 900)


@pytest.mark.thorough
def test_pictures_as_they_are_exported(study, tmp_path):
    write_mouse(tmp_path, {1005: (200, 150)})
    study("gallery").draw_exports(tmp_path, tmp_path)
    for name in ("heatmap_uncertainty", "heatmap_dynamic"):
        with Image.open(tmp_path / f"{name}.png") as drawn, Image.open(IMAGES / f"{name}.png") as shown:
            assert drawn.size == shown.size


@pytest.mark.parametrize(
    "picture",
    sorted([*IMAGES.glob("gallery_*.png"), *IMAGES.glob("davidjohn2022_*.png")]),
    ids=lambda p: p.name,
)
def test_pictures_of_the_docs_are_small(picture):
    assert picture.stat().st_size <= 200_000
