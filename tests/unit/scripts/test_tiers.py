"""Which combinations of parameters the quick tier leaves out."""

import itertools
import subprocess
import sys

import pytest
from reproducing import SCRIPTS
from tiers import covering

CASES = {"".join(one): one for one in itertools.product("ab", "cde", "fg", "hi")}


@pytest.mark.parametrize("together", [1, 2, 3])
def test_whatever_meets_meets_in_one_of_few(together):
    def met(names):
        return {meeting for name in names for meeting in itertools.combinations(CASES[name], together)}

    chosen = covering(CASES, together=together)
    assert met(chosen) == met(CASES)
    assert len(chosen) == {1: 3, 2: 8, 3: 12}[together]  # of 24


@pytest.mark.thorough
def test_of_combinations_the_quick_tier_has_each_value_and_the_thorough_tier_the_others(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n"
        "@pytest.mark.quick\n"
        "@pytest.mark.parametrize('one, other', [('a', 'b'), ('a', 'c'), ('b', 'b')])\n"
        "@pytest.mark.parametrize('third', [[1], {2}])\n"
        "def test_it(one, other, third): ...\n"
    )

    def ids(tier):
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", tier, "-p", "tiers"]
        options = ["-c", SCRIPTS.parent / "pyproject.toml", "--rootdir", tmp_path, "-p", "no:cacheprovider"]
        done = subprocess.run([*command, *options, tmp_path], capture_output=True, text=True, check=False)
        return [line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "::" in line]

    quick, thorough = ids("not thorough"), ids("thorough")
    assert quick == ["third0-a-b", "third0-b-b", "third1-a-c"]
    assert thorough == ["third0-a-c", "third1-a-b", "third1-b-b"]
