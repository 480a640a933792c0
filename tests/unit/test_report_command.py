"""`synthrelease report`: a page of a bundle that verifies, and none of any other."""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from goldens import check_text, figures
from layouts import GOLDEN
from pages import parsed
from signed import ARCHIVE, CURATOR

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.bundle.signing.keys import key_id
from synthrelease.bundle.signing.sign import sign
from synthrelease.cli import main

AREAS = next(path for path in GOLDEN if path.stem == "areas")
SEEDED = next(path for path in GOLDEN if "TEST-SEED" in path.name)


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.thorough
def test_a_page_is_written_once_and_replaced_when_asked(tmp_path):
    target = tmp_path / "report.html"
    done = run("report", AREAS, "-o", target)
    assert done.exit_code == 0, done.output
    _, named, size = done.stdout.partition(str(target))
    assert named
    first = target.read_bytes()
    assert figures(size) == [round(len(first) / 1e6, 2)]
    refused = run("report", AREAS, "-o", target)
    assert refused.exit_code == 6
    assert "--force" in refused.stderr
    target.write_text("older")
    done = run("report", AREAS, "-o", target, "--force", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {
        "report": str(target),
        "bytes": len(first),
        "test_seed": False,
        "warnings": [],
    }
    assert target.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_bundle_at_fault_has_no_page(tmp_path):
    bad = tmp_path / "bad.h5"
    raw = bytearray(AREAS.read_bytes())
    raw[len(raw) // 2] ^= 1
    bad.write_bytes(raw)
    done = run("report", bad, "-o", tmp_path / "report.html", "--json")
    assert done.exit_code == 1
    assert "checksum" in {one["code"] for one in json.loads(done.stdout)["error"]["findings"]}
    assert not (tmp_path / "report.html").exists()
    done = run("report", tmp_path / "none.h5", "-o", tmp_path / "report.html", "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["error"]["code"] == "no-such-file"


def test_a_test_seed_is_told(tmp_path):
    done = run("report", SEEDED, "-o", tmp_path / "report.html")
    assert done.exit_code == 0
    assert TEST_SEED_WORDS in done.stderr
    assert "TEST SEED" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("target", ["nowhere/report.html", "folder", "file/report.html"])
def test_a_target_that_cannot_be(target, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    done = run("report", AREAS, "-o", tmp_path / target, "--json")
    assert done.exit_code == 6, done.output
    assert "Traceback" not in done.output
    error = json.loads(done.stdout)["error"]
    assert error["code"] == {"folder": "output-is-folder"}.get(target, "cannot-write")
    assert error["where"] == str(tmp_path / target)


def test_wrong_usage(tmp_path):
    assert run("report").exit_code == 2
    assert run("report", AREAS, "--pictures", "0", "-o", tmp_path / "r.html").exit_code == 2


def test_the_bundle_itself_is_never_replaced(tmp_path):
    path = tmp_path / "b.h5"
    path.write_bytes(AREAS.read_bytes())
    done = run("report", path, "-o", path, "--force", "--json")
    assert done.exit_code == 6
    assert json.loads(done.stdout)["error"]["code"] == "output-replaces-input"
    assert path.read_bytes() == AREAS.read_bytes()


def test_progress_is_told_of(tmp_path, monkeypatch):
    told: list[str] = []

    @contextmanager
    def progress(_obj: object):
        yield lambda what, _done, _total: told.append(what)

    monkeypatch.setattr("synthrelease.cli.bundles.progress", progress)
    assert run("report", AREAS, "-o", Path(tmp_path) / "r.html").exit_code == 0
    assert {"visits", "dwell"} <= {what.split()[-1] for what in told}


@pytest.mark.thorough
def test_a_signed_bundle_s_page_says_whose_keys_and_how_to_check_them(tmp_path: Path) -> None:
    bundle, target = tmp_path / "areas.h5", tmp_path / "report.html"
    shutil.copyfile(AREAS, bundle)
    lines = []
    for keys in ((), (CURATOR, ARCHIVE)):
        for key in keys:
            sign(bundle, key)
        assert run("report", bundle, "-o", target, "--force").exit_code == 0
        page = parsed(target.read_text("utf-8"))
        lines.append(page.lines.splitlines())
        ids = [key_id(key.public_key())[:12] for key in (CURATOR, ARCHIVE)]
        assert [one for one in ids if one in page.texts("code")] == (ids if keys else [])
    assert "--public-key KEY.pub" in page.text
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    more = [line for line in lines[1] if line not in lines[0]]
    check_text("report/signed", "\n".join(more), digest=digest)
