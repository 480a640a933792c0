"""Examples in docstrings are run, of whatever is installed; what users begin with has some."""

import doctest
import importlib
import pkgutil

import pytest

import synthrelease

MODULES = pkgutil.walk_packages(synthrelease.__path__, "synthrelease.")
NAMES = ["synthrelease", *sorted(m.name for m in MODULES if "__main__" not in m.name)]
WITH_EXAMPLES = [
    "synthrelease.api:init",
    "synthrelease.api:preview",
    "synthrelease.api:verify",
    "synthrelease.api:export",
    "synthrelease.api:report",
    "synthrelease.api:diff",
    "synthrelease.api:sign",
    "synthrelease.building.builder:build",
    "synthrelease.bundle.signing.key_pair:keygen",
    "synthrelease.exports.readable:open_bundle",
    "synthrelease.ledgers.book:Ledger",
    "synthrelease.data.gaze:GazeData.from_arrays",
    "synthrelease.data.features:FeatureData.from_arrays",
    "synthrelease.plan_object:Plan",
    "synthrelease.arrays.gaze:heatmaps",
    "synthrelease.arrays.gaze:areas",
    "synthrelease.arrays.fixations:fixation_statistics",
    "synthrelease.arrays.features:mean_signals",
    "synthrelease.arrays.features:statistics",
    "synthrelease.arrays.features:synthetic_records",
    "synthrelease.arrays.composition:compose",
    "synthrelease.kinds.records.deniability:deniability_test",
    "synthrelease.dp.accounting:compose",
    "synthrelease.dp.calibration:gaussian_sigma",
    "synthrelease.dp.noise.rounded:rounded_gaussian",
]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    found = doctest.DocTestFinder().find(importlib.import_module(name), name)
    runner = doctest.DocTestRunner(verbose=False)
    for one in found:
        if one.examples:  # or each docstring would make it look at all files that Python has read
            runner.run(one)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("place", WITH_EXAMPLES)
def test_what_users_begin_with_has_an_example(place):
    module, _, name = place.partition(":")
    found = doctest.DocTestFinder(recurse=True).find(importlib.import_module(module), module)
    (example,) = [one for one in found if one.name == f"{module}.{name}"]
    assert example.examples


def test_a_wrong_example_fails():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None)
    assert doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None).failed == 1
