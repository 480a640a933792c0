"""Which datasets an output must have, and what each must be: no more, no less.

Derived datasets are functions of the noised integers (`maths.derived`), so that nothing floats free of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.layout import dataset_path
from synthrelease.data.attribute import Attribute
from synthrelease.maths import derived
from synthrelease.maths.fourier import coefficient_count
from synthrelease.maths.network import Network, counted_subsets, fitted_network
from synthrelease.privacy.event import RandomizedTest, flatten, from_json

_CARE = 1e-12  # relative to the largest value: what 64-bit arithmetic may differ between machines


@dataclass(frozen=True)
class Noised:
    """Integers that carry noise."""

    path: str
    shape: tuple[int, ...]

    def fault(self, array: NDArray[Any], _others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        if array.dtype.kind != "i" or array.shape != self.shape:
            return f"expected integers of shape {self.shape}"
        return None


@dataclass(frozen=True)
class Derived:
    """Floating-point values that follow from a noised dataset."""

    path: str
    source: str
    function: Callable[[NDArray[Any]], NDArray[np.float64]]

    def fault(self, array: NDArray[Any], others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        exact = self.function(others[self.source])
        expected = exact.astype(np.float32)
        if array.dtype != np.float32 or array.shape != expected.shape:
            return f"expected 32-bit floating-point values of shape {expected.shape}"
        allowed = np.spacing(np.abs(expected)) + _CARE * np.abs(exact).max(initial=0.0)
        if not (np.isfinite(exact) & (np.abs(array - exact) <= allowed)).all():
            return "the values do not follow from the noised integers"
        return None


@dataclass(frozen=True)
class Categories:
    """Category numbers of synthetic records."""

    path: str
    rows: int
    categories: int

    def fault(self, array: NDArray[Any], _others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        if array.dtype.kind != "i" or array.shape != (self.rows,):
            return f"expected integers of shape ({self.rows},)"
        if ((array < 0) | (array >= self.categories)).any():
            return f"expected categories from 0 to {self.categories - 1}"
        return None


@dataclass(frozen=True)
class Binned:
    """Values of synthetic records: in the bin of their category, at public fractions of its width."""

    path: str
    source: str
    attribute: Attribute

    def fault(self, array: NDArray[Any], others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        bins = others[self.source]
        if array.dtype != np.float64 or array.shape != bins.shape:
            return f"expected 64-bit floating-point values of shape {bins.shape}"
        if not np.array_equal(array, self.attribute.values(bins), equal_nan=True):
            return "a value is not where the bin of its category and the public fractions put it"
        return None


Content = Noised | Derived | Categories | Binned


def contents(output: dict[str, Any]) -> list[Content]:
    """Return the datasets that an output's entry in the manifest calls for, sources before what follows."""
    describe = {"heatmap": _heatmap, "signals": _signals, "statistics": _statistics, "records": _records}
    return list(describe[output["kind"]](output))


def dataset_count(output: dict[str, Any]) -> int:
    """Return how many datasets `contents` would list, without listing them: a manifest may be anybody's."""
    p = output["mechanism"]["parameters"]
    match output["kind"]:
        case "heatmap":
            return 2 * len(p["stimuli"])
        case "signals":
            return 2 * len(p["recordings"]) * len(p["features"])
        case "statistics":
            return 2 * len(p["statistics"]) * len(p["features"])
    m = len(p["attributes"])
    own = m - p["per_task"]
    counted = (math.comb(own, 2) if p["dependence"] == "tree" and own > 1 else own) if p["fit"] == "dp" else 0
    return m + sum(form["labels"] is None for form in p["attributes"]) + counted


def _heatmap(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    screen = (p["screen"]["width_px"], p["screen"]["height_px"])
    show = partial(derived.heatmap, people=_people(output), blur_px=p["blur_px"], screen_px=screen)
    for stimulus in p["stimuli"]:
        noised = dataset_path(output["name"], stimulus, "noised")
        yield Noised(noised, (p["rows"], p["columns"]))
        yield Derived(dataset_path(output["name"], stimulus, "heatmap"), noised, show)


def _signals(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    k = p["coefficients"]
    count = p["length"] if k is None else coefficient_count(p["length"], k)
    people = _people(output)
    each = p["query"] == "each"
    for recording in p["recordings"]:
        for feature in p["features"]:
            noised = dataset_path(output["name"], recording, feature["name"], "noised")
            yield Noised(noised, (people or 0, count) if each else (count,))
            show = partial(
                derived.signal,
                bounds=(feature["low"], feature["high"]),
                divisor=1 if each else people or 1,
                length=p["length"],
                frequencies=k,
            )
            yield Derived(dataset_path(output["name"], recording, feature["name"], "values"), noised, show)


def _statistics(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    people = _people(output)
    for name in p["statistics"]:
        size = p["bins"] if name == derived.HISTOGRAM else 1 + (name == derived.MEAN and people is None)
        for feature in p["features"]:
            noised = dataset_path(output["name"], name, feature["name"], "noised")
            yield Noised(noised, (size,))
            bounds = (feature["low"], feature["high"])
            show = partial(derived.statistic, name, bounds=bounds, people=people)
            yield Derived(dataset_path(output["name"], name, feature["name"], "value"), noised, show)


def _records(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    attributes = [Attribute.from_json(form) for form in p["attributes"]]
    for attribute in attributes:
        category = dataset_path(output["name"], attribute.name, "category")
        yield Categories(category, p["rows"], attribute.categories)
        if attribute.labels is None:
            yield Binned(dataset_path(output["name"], attribute.name, "value"), category, attribute)
    if p["fit"] == "dp":
        for subset in records_subsets(p):
            names = (attributes[a].name for a in subset)
            shape = tuple(attributes[a].categories for a in subset)
            yield Noised(dataset_path(output["name"], *names, "noised"), shape)


def records_subsets(parameters: dict[str, Any]) -> list[tuple[int, ...]]:
    """Return the sets of attributes that the records' model was counted in."""
    return counted_subsets(
        len(parameters["attributes"]),
        tree=parameters["dependence"] == "tree",
        per_task=parameters["per_task"],
    )


def noised_network(output: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Network:
    """Return the network that an output's noised joint counts call for.

    Args:
        output: an entry of the manifest's `outputs`, records with a DP fit.
        arrays: its datasets by path.
    """
    p = output["mechanism"]["parameters"]
    names = [form["name"] for form in p["attributes"]]
    tests = [leaf for leaf in flatten(from_json(output["event"])) if isinstance(leaf, RandomizedTest)]
    counts = {
        subset: arrays[dataset_path(output["name"], *(names[a] for a in subset), "noised")]
        for subset in records_subsets(p)
    }
    return fitted_network(
        counts,
        [form["categories"] for form in p["attributes"]],
        tree=p["dependence"] == "tree",
        per_task=p["per_task"],
        order=None if output["mechanism"]["name"] == "marginals" else p["order"],
        people=(_people(output) or 0) - sum(test.seeds for test in tests),
    )


def _people(output: dict[str, Any]) -> int | None:
    people: int | None = output["mechanism"]["public_inputs"]["people"]
    return people
