"""`synthrelease report`: a page of a bundle that verifies, and none of any other."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from layouts import GOLDEN
from signed import ARCHIVE, CURATOR

from synthrelease.bundle.signing.keys import key_id
from synthrelease.bundle.signing.sign import sign
from synthrelease.cli import main

AREAS = next(path for path in GOLDEN if path.stem == "areas")
SEEDED = next(path for path in GOLDEN if "TEST-SEED" in path.name)


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_a_page_is_written_once_and_replaced_when_asked(tmp_path):
    target = tmp_path / "report.html"
    done = run("report", AREAS, "-o", target)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"Report     {target}  (")
    first = target.read_bytes()
    refused = run("report", AREAS, "-o", target)
    assert refused.exit_code == 6
    assert "--force" in refused.stderr
    target.write_text("older")
    assert run("report", AREAS, "-o", target, "--force").exit_code == 0
    assert target.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_bundle_at_fault_has_no_page(tmp_path):
    bad = tmp_path / "bad.h5"
    raw = bytearray(AREAS.read_bytes())
    raw[len(raw) // 2] ^= 1
    bad.write_bytes(raw)
    done = run("report", bad, "-o", tmp_path / "report.html")
    assert done.exit_code == 1
    assert "NOT TO BE RELIED ON" in done.stdout
    assert not (tmp_path / "report.html").exists()
    assert run("report", tmp_path / "none.h5", "-o", tmp_path / "report.html").exit_code == 3


def test_a_test_seed_is_told(tmp_path):
    done = run("report", SEEDED, "-o", tmp_path / "report.html")
    assert done.exit_code == 0
    assert "DO NOT PUBLISH" in done.stderr
    assert "TEST SEED – DO NOT PUBLISH" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("target", ["nowhere/report.html", "folder", "file/report.html"])
def test_a_target_that_cannot_be(target, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    done = run("report", AREAS, "-o", tmp_path / target)
    assert done.exit_code == 6, done.output
    assert "Traceback" not in done.output


def test_wrong_usage(tmp_path):
    assert run("report").exit_code == 2
    assert run("report", AREAS, "--pictures", "0", "-o", tmp_path / "r.html").exit_code == 2


def test_the_bundle_itself_is_never_replaced(tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(AREAS.read_bytes())
    done = run("report", path, "-o", path, "--force")
    assert done.exit_code == 6
    assert path.read_bytes() == AREAS.read_bytes()


def test_progress_is_told_of(tmp_path, monkeypatch):
    told: list[str] = []

    @contextmanager
    def progress(_obj: object):
        yield lambda what, _done, _total: told.append(what)

    monkeypatch.setattr("synthrelease.cli.bundles.progress", progress)
    assert run("report", AREAS, "-o", Path(tmp_path) / "r.html").exit_code == 0
    assert {"drawing visits", "drawing dwell"} <= set(told)


def test_a_signed_bundle_s_page_says_whose_keys_and_how_to_check_them(bundle: Path) -> None:
    page = bundle.with_name("report.html")
    assert run("report", bundle, "-o", page).exit_code == 0
    assert "is signed by" not in page.read_text()
    for key in (CURATOR, ARCHIVE):
        sign(bundle, key)
    assert run("report", bundle, "-o", page, "--force").exit_code == 0
    text = page.read_text()
    assert "says that it is signed by the keys" in text
    for key in (CURATOR, ARCHIVE):
        assert f"<code>{key_id(key.public_key())[:12]}</code>" in text
    assert "--public-key KEY.pub" in text
