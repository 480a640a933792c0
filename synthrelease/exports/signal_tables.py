"""Signals as tables: of means one, a row for each step; of everybody's own series one for each recording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from synthrelease.exports.columns import spread
from synthrelease.exports.table import Column, Table
from synthrelease.exports.units import unit_of
from synthrelease.report.released import Released

_BASELINES = {"person": "all recordings", "recording": "the recording", "start": "the recording's start"}
_SPREAD = "Standard deviation of the value's error, in the unit of the feature."


def signal_tables(released: Released, output: dict[str, Any]) -> Iterator[Table]:
    """Yield the mean signals of an output; or everybody's own by recording, and then the uncertainty of all, if it is known."""
    p = output["mechanism"]["parameters"]
    if p["query"] == "mean":
        yield _mean(released, output)
        return
    for recording in p["recordings"]:
        yield _each(released, output, recording)
    if output["noise"] is not None:
        yield _uncertainty(released, output)


def course_words(output: dict[str, Any]) -> str:
    """Return what the values of a signals output are, in a sentence.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    baseline = output["mechanism"]["parameters"].get("baseline", "none")
    unit = "in the unit of the feature"
    if baseline == "none":
        return f"Value of the feature, {unit}."
    return f"Change of the feature against each person's own mean of {_BASELINES[baseline]}, {unit}."


def _mean(released: Released, output: dict[str, Any]) -> Table:
    arrays = [
        [released.values(output["name"], recording, feature, what) for what in ("values", "uncertainty")]
        for recording, feature in _series(output)
    ]
    frame = _places(output)
    frame["value"] = np.concatenate([values for values, _ in arrays])
    frame["uncertainty"] = np.concatenate([spread for _, spread in arrays])
    return Table(
        "mean",
        output["name"],
        "Mean signals",
        f"Mean over people of each feature at each step of each recording. {_units(output)}",
        (
            *_columns(output),
            Column("value", "number", course_words(output)),
            Column("uncertainty", "number", _SPREAD, lowest=0),
        ),
        ("recording", "feature", "step"),
        pl.DataFrame(frame),
    )


def _each(released: Released, output: dict[str, Any], recording: str) -> Table:
    p = output["mechanism"]["parameters"]
    features = [feature["name"] for feature in p["features"]]
    values = [released.values(output["name"], recording, feature, "values") for feature in features]
    people, steps = values[0].shape
    of_recording, of_feature, of_step = _columns(output)
    frame = {
        "feature": spread(features, np.repeat(np.arange(len(features)), people * steps)),
        "series": np.tile(np.repeat(np.arange(1, people + 1, dtype=np.int32), steps), len(features)),
        "step": np.tile(np.arange(steps, dtype=np.int32), len(features) * people),
        "value": np.concatenate([one.reshape(-1) for one in values]),
    }
    words = "Number of the person's series, in random order; the same in all features and recordings."
    return Table(
        recording,
        output["name"],
        f"Series of {recording}",
        f"Everybody's own noisy series of each feature of {recording}. {_units(output)}",
        (
            of_recording,
            of_feature,
            Column("series", "integer", words, lowest=1, highest=people),
            of_step,
            Column("value", "number", course_words(output)),
        ),
        ("recording", "feature", "series", "step"),
        pl.DataFrame(frame).select(pl.lit(recording).alias("recording"), pl.all()),
    )


def _uncertainty(released: Released, output: dict[str, Any]) -> Table:
    frame = _places(output)
    frame["uncertainty"] = np.concatenate(
        [
            released.values(output["name"], recording, feature, "uncertainty")
            for recording, feature in _series(output)
        ]
    )
    return Table(
        "uncertainty",
        output["name"],
        "Uncertainty of every series",
        f"How far the values of every single series may be off; the same for all people. {_units(output)}",
        (*_columns(output), Column("uncertainty", "number", _SPREAD, lowest=0)),
        ("recording", "feature", "step"),
        pl.DataFrame(frame),
    )


def _series(output: dict[str, Any]) -> list[tuple[str, str]]:
    p = output["mechanism"]["parameters"]
    return [(recording, feature["name"]) for recording in p["recordings"] for feature in p["features"]]


def _places(output: dict[str, Any]) -> dict[str, Any]:
    steps, series = output["mechanism"]["parameters"]["length"], _series(output)
    place = np.repeat(np.arange(len(series)), steps)
    return {
        "recording": spread([recording for recording, _ in series], place),
        "feature": spread([feature for _, feature in series], place),
        "step": np.tile(np.arange(steps, dtype=np.int32), len(series)),
    }


def _columns(output: dict[str, Any]) -> tuple[Column, Column, Column]:
    p = output["mechanism"]["parameters"]
    return (
        Column("recording", "string", "Recording that the signal is of.", labels=tuple(p["recordings"])),
        Column(
            "feature",
            "string",
            "What was measured.",
            labels=tuple(feature["name"] for feature in p["features"]),
        ),
        Column("step", "integer", "Number of the step, from 0.", lowest=0, highest=p["length"] - 1),
    )


def _units(output: dict[str, Any]) -> str:
    return features_words(output["mechanism"]["parameters"]["features"])


def features_words(features: list[dict[str, Any]]) -> str:
    """Return the public bounds of features, with the units that their names end in, in a sentence.

    Args:
        features: entries of the manifest with `name`, `low` and `high`.
    """
    told = (
        f"{one['name']} {one['low']:g} to {one['high']:g} {unit_of(one['name'])}".strip() for one in features
    )
    return f"Public bounds of the features: {', '.join(told)}."
