"""How `scripts/test` chooses tests and says how they went, and that the faults of `scripts/mutate` can be planted."""

import importlib.machinery
import importlib.util
import subprocess
import tomllib

import pytest
from goldens import figures
from reproducing import SCRIPTS

FILES = {
    "synthrelease/__init__.py": 'HOME = {"build": "synthrelease.building.builder"}\n',
    "synthrelease/building/builder.py": "from synthrelease.dp.noise import rounded\n",
    "synthrelease/dp/noise/__init__.py": "",
    "synthrelease/dp/noise/rounded.py": "import numpy\n",
    "synthrelease/dp/noise/table.json": "{}",
    "synthrelease/report.py": 'PAGE = "page.html"\n',
    "synthrelease/templates/page.html": "",
    "tests/conftest.py": "import synthrelease\ndef study(): ...\n",
    "tests/helper.py": "from synthrelease import report\n",
    "tests/test_all.py": "import synthrelease\n",
    "tests/test_rounded.py": "from synthrelease.dp.noise.rounded import noise\n",
    "tests/test_report.py": "import helper\n",
    "tests/test_fixture.py": "def test_it(study): ...\n",
    "tests/test_none.py": "import numpy\n",
    "tests/documentation/test_pages.py": "import re\n",
    "docs/page.md": "",
    "pyproject.toml": "",
    "constraints.txt": "",
}
EVERY = sorted(name for name in FILES if "/test_" in name)


@pytest.fixture
def changed(script):
    return script("testing.changed")


@pytest.fixture
def checkout(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "scripts").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("file", "reached"),
    [
        ("synthrelease/dp/noise/rounded.py", ["test_rounded", "test_all", "test_fixture"]),
        ("synthrelease/dp/noise/table.json", ["test_all", "test_fixture", "test_rounded"]),
        ("synthrelease/report.py", ["test_report"]),
        ("synthrelease/templates/page.html", ["test_report"]),
        ("tests/helper.py", ["test_report"]),
        ("tests/test_none.py", ["test_none"]),
        ("docs/page.md", ["documentation/test_pages"]),
    ],
)
def test_a_change_reaches_what_imports_it(changed, checkout, file, reached):
    assert changed.tests_of(checkout, [file]) == [f"tests/{name}.py" for name in reached]


@pytest.mark.parametrize("file", ["pyproject.toml", "tests/conftest.py", "scripts/testing/environment.py"])
def test_some_files_are_of_all_tests(changed, checkout, file):
    assert changed.tests_of(checkout, [file]) == EVERY


def test_changed_files_are_those_that_differ_and_those_that_are_new(changed, checkout):
    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=checkout,
            check=True,
            capture_output=True,
        )

    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    (checkout / "docs" / "page.md").write_text("text")
    (checkout / "docs" / "new.md").write_text("text")
    assert changed.changed_files(checkout, "HEAD") == ["docs/new.md", "docs/page.md"]
    git("commit", "-am", "one")
    assert changed.changed_files(checkout, "HEAD~1") == ["docs/new.md", "docs/page.md"]
    assert changed.changed_files(checkout, "HEAD") == ["docs/new.md"]


REPORT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/><testcase name="c"><failure message="no"/></testcase><testcase name="d"><error message="no"/></testcase>
<testcase name="e"><skipped message="jq is missing (apt install jq)"/></testcase>
</testsuite></testsuites>"""


def test_the_last_line_says_what_passed_failed_and_was_skipped(script, tmp_path):
    verdict = script("testing.verdict").Verdict()
    verdict.add("lint", ok=True)
    verdict.add("types", ok=False)
    (tmp_path / "report.xml").write_text(REPORT)
    verdict.add_tests(tmp_path / "report.xml", 1)
    assert verdict.passed == ["lint", "2 tests"]
    assert verdict.failed == ["types", "2 tests"]
    assert verdict.skipped.total() == 1
    passed, failed, skipped, took = verdict.line(65.4).split(" · ")
    assert "lint" in passed
    assert "types" in failed
    assert "jq" in skipped
    assert figures(took) == [1, 5]


@pytest.mark.parametrize("exit_code", [2, 5])
def test_a_run_without_tests_did_not_pass(script, tmp_path, exit_code):
    verdict = script("testing.verdict").Verdict()
    verdict.add_tests(tmp_path / "missing.xml", exit_code)
    assert verdict.failed


def test_the_environment_is_made_once_and_again_when_what_it_is_made_from_changes(
    script, checkout, monkeypatch
):
    module = script("testing.environment")
    made = []
    monkeypatch.setattr(
        module, "_make", lambda folder, root: (made.append(root), folder.mkdir(parents=True, exist_ok=True))
    )
    folder = module.own_environment(checkout)
    assert folder.is_relative_to(checkout / ".venv-test")
    assert module.own_environment(checkout) == folder
    assert len(made) == 1
    for number, name in enumerate(("pyproject.toml", "constraints.txt"), start=2):
        (checkout / name).write_text("# another")
        module.own_environment(checkout)
        assert len(made) == number


def test_an_environment_that_could_not_be_made_is_made_again(script, checkout, monkeypatch):
    module = script("testing.environment")

    def fail(_folder, _root):
        raise module.EnvironmentUnavailableError("no network")

    monkeypatch.setattr(module, "_make", fail)
    for _ in range(2):
        with pytest.raises(module.EnvironmentUnavailableError):
            module.own_environment(checkout)


def test_a_process_in_the_environment_knows_of_no_other_one(script, tmp_path, monkeypatch):
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME"):
        monkeypatch.setenv(name, "/elsewhere")
    variables = script("testing.environment").variables(tmp_path)
    assert variables["VIRTUAL_ENV"] == str(tmp_path)
    assert variables["PATH"].startswith(f"{tmp_path}/bin:")
    assert "/elsewhere" not in variables.values()


@pytest.fixture
def mutate():
    loader = importlib.machinery.SourceFileLoader("mutate", str(SCRIPTS / "mutate"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))
        patch.setitem(__import__("sys").modules, "mutate", module)
        loader.exec_module(module)
        yield module


def test_every_fault_can_be_planted_and_leaves_python_or_toml(mutate):
    faults = mutate.all_faults()
    assert len({one.name for one in faults}) == len(faults) >= 60
    for one in faults:
        planted = one.planted((mutate.ROOT / one.file).read_text("utf-8"))
        if one.file.endswith(".toml"):
            assert tomllib.loads(planted)
        else:
            compile(planted, one.file, "exec")


def test_a_fault_whose_text_is_gone_is_an_error(mutate):
    with pytest.raises(SystemExit, match="gone"):
        mutate.Fault("gone", "a.py", "x = 1", "x = 2", "").planted("y = 1")
