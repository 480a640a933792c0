"""Every output of the golden bundles that has a mean, a proportion, a curve or a map has intervals; others are refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from synthrelease import inference, open_bundle
from synthrelease.errors import ArgumentError

BUNDLES = sorted((Path(__file__).parents[2] / "golden" / "bundles").glob("*.h5"))
OPTIONS = {"target": "participants", "allow_test_seed": True}
NO_INTERVALS = {"no-noise", "no-such-statistic", "private-people", "not-a-mean", "wrong-output"}


def asked(output):
    """Yield functions and arguments for everything that the output may have an interval of."""
    parameters = output["mechanism"]["parameters"]
    features = [feature["name"] for feature in parameters.get("features", [])]
    match output["kind"]:
        case "statistics":
            for feature, group in itertools.product(features, parameters["groups"] or [None]):
                yield inference.mean, {"feature": feature, "group": group}
                yield inference.proportions, {"feature": feature, "group": group}
        case "areas":
            yield from ((inference.proportions, {"stimulus": stimulus}) for stimulus in parameters["stimuli"])
        case "signals":
            for feature, recording in itertools.product(features, parameters["recordings"]):
                yield inference.curve, {"feature": feature, "recording": recording}
        case "heatmap":
            yield from (
                (inference.heatmap, {"stimulus": stimulus, "every": 5}) for stimulus in parameters["stimuli"]
            )
        case _:
            yield inference.mean, {}


def estimated(function, bundle, name, options):
    """Return the estimate, or the code of its refusal."""
    try:
        return function(bundle, name, **options, **OPTIONS)
    except ArgumentError as error:
        return error.code


@pytest.mark.parametrize("path", BUNDLES, ids=lambda path: path.stem)
def test_an_output_has_intervals_or_is_refused(path):
    bundle = open_bundle(path, allow_test_seed=True)
    for output in bundle.manifest["outputs"]:
        for function, options in asked(output):
            estimate = estimated(function, bundle, output["name"], options)
            if isinstance(estimate, str):
                assert estimate in NO_INTERVALS
                continue
            assert np.isfinite(estimate.estimate).all()
            assert (estimate.low <= estimate.high).all()
            assert (estimate.standard_error > 0).all()
            assert (estimate.band_low <= estimate.low + 1e-9).all()


def test_an_output_must_be_named_and_a_test_seed_allowed():
    seeded = next(path for path in BUNDLES if "TEST-SEED" in path.name)
    bundle = open_bundle(seeded, allow_test_seed=True)
    for options, code in (
        ({"output": "signals"}, "test-seed"),
        ({"allow_test_seed": True}, "no-such-output"),
        ({"output": "another", "allow_test_seed": True}, "no-such-output"),
    ):
        with pytest.raises(ArgumentError) as caught:
            inference.curve(bundle, target="participants", **options)
        assert caught.value.code == code
