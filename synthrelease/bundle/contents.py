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

from synthrelease.bundle import statistic_claims
from synthrelease.bundle.forms import signal_form, spectral_form, spectral_signal_form
from synthrelease.bundle.layout import dataset_path
from synthrelease.data.attribute import Attribute
from synthrelease.maths import derived, statistics
from synthrelease.maths.network import Network, counted_subsets, fitted_network
from synthrelease.maths.spectral import masses
from synthrelease.maths.spectral_signals import Known
from synthrelease.maths.spectral_signals import masses as signal_masses
from synthrelease.maths.stored import is_stored_form
from synthrelease.privacy.event import RandomizedTest, flatten, from_json, noise_of
from synthrelease.privacy.noise_error import reach

_NOISED = (np.dtype(np.int32), np.dtype(np.int64))
_ITERATED_CARE = 1e-9  # of maps found step by step: errors of 1e-16 grow a little


@dataclass(frozen=True)
class Noised:
    """Integers that carry noise; `tell` hears of them if they are as they should be."""

    path: str
    shape: tuple[int, ...]
    tell: Callable[[NDArray[Any]], None] | None = None

    def fault(self, array: NDArray[Any], _others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        if array.dtype not in _NOISED or array.shape != self.shape:
            return f"expected integers of 32 or 64 bits and shape {self.shape}"
        if self.tell is not None:
            self.tell(array)
        return None


@dataclass(frozen=True)
class Derived:
    """Floating-point values that follow from noised datasets, or from values that do.

    Attributes:
        path: the dataset.
        sources: those that it follows from.
        function: of them.
        shape: of the result, if known beforehand: nothing is then computed for a dataset of another.
        care: relative to the largest value: what 64-bit arithmetic may differ between machines.
    """

    path: str
    sources: tuple[str, ...]
    function: Callable[..., NDArray[np.float64]]
    shape: tuple[int, ...] | None = None
    care: float = 1e-12

    def fault(self, array: NDArray[Any], others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        if array.dtype != np.float32 or (self.shape is not None and array.shape != self.shape):
            return "expected 32-bit floating-point values" + (f" of shape {self.shape}" if self.shape else "")
        exact = self.function(*(others[source] for source in self.sources))
        if array.shape != exact.shape:
            return f"expected 32-bit floating-point values of shape {exact.shape}"
        return (
            None
            if is_stored_form(array, exact, care=self.care)
            else "the values do not follow from the noised integers"
        )


@dataclass(frozen=True)
class Unprotected:
    """Values that protect nobody, and follow from nothing that is in the file."""

    path: str
    shape: tuple[int, ...]

    def fault(self, array: NDArray[Any], _others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        if array.dtype != np.float32 or array.shape != self.shape or not np.isfinite(array).all():
            return f"expected finite 32-bit floating-point values of shape {self.shape}"
        return None


@dataclass(frozen=True)
class Categories:
    """Category numbers of synthetic records."""

    path: str
    rows: int
    attribute: Attribute

    def fault(self, array: NDArray[Any], _others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        kind, categories = self.attribute.number_type, self.attribute.categories
        if array.dtype != kind or array.shape != (self.rows,):
            return f"expected integers of {8 * kind.itemsize} bits and shape ({self.rows},)"
        if ((array < 0) | (array >= categories)).any():
            return f"expected categories from 0 to {categories - 1}"
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
        # Bit for bit: a NaN has room in it.
        if not np.array_equal(array.view(np.uint64), self.attribute.values(bins).view(np.uint64)):
            return "a value is not where the bin of its category and the public fractions put it"
        return None


@dataclass(frozen=True)
class Chosen:
    """The number of a candidate that was chosen privately."""

    path: str
    candidates: int

    def fault(self, array: NDArray[Any], _others: dict[str, NDArray[Any]]) -> str | None:
        """Return what is wrong with the dataset, if anything."""
        if array.dtype != np.int32 or array.shape != (1,):
            return "expected a 32-bit integer"
        if not 0 <= array[0] < self.candidates:
            return f"expected a candidate from 0 to {self.candidates - 1}"
        return None


Content = Noised | Derived | Unprotected | Categories | Binned | Chosen


def contents(output: dict[str, Any]) -> list[Content]:
    """Return the datasets that an output's entry in the manifest calls for, sources before what follows."""
    describe = {
        "heatmap": _heatmap,
        "areas": _areas,
        "signals": _signals,
        "statistics": _statistics,
        "records": _records,
    }
    return list(describe[output["kind"]](output))


def dataset_count(output: dict[str, Any]) -> int:
    """Return how many datasets `contents` would list, without listing them: a manifest may be anybody's."""
    p = output["mechanism"]["parameters"]
    match output["kind"]:
        case "heatmap":
            return (4 if output["mechanism"]["name"] == "spectral" else 2) * len(p["stimuli"])
        case "areas":
            return (4 if p["transitions"] else 2) * len(p["stimuli"])
        case "signals":
            each = 4 if output["mechanism"]["name"] == "spectral" else 3
            each = 1 if p.get("calibration") == "bozkir2021" else each
            return each * len(p["recordings"]) * len(p["features"])
        case "statistics":
            places = len(p["features"]) * len(p["groups"] or [1])
            return (2 * len(p["statistics"]) + len(statistic_claims.noised(p))) * places
    m = len(p["attributes"])
    own = m - p["per_task"]
    counted = (math.comb(own, 2) if p["dependence"] == "tree" and own > 1 else own) if p["fit"] == "dp" else 0
    return m + sum(form["labels"] is None for form in p["attributes"]) + counted


def _heatmap(output: dict[str, Any]) -> Iterator[Content]:
    if output["mechanism"]["name"] == "spectral":
        yield from _spectral(output)
        return
    p = output["mechanism"]["parameters"]
    screen = (p["screen"]["width_px"], p["screen"]["height_px"])
    show = partial(derived.heatmap, people=_people(output), blur_px=p["blur_px"], screen_px=screen)
    for stimulus in p["stimuli"]:
        noised = dataset_path(output["name"], stimulus, "noised")
        yield Noised(noised, (p["rows"], p["columns"]))
        yield Derived(dataset_path(output["name"], stimulus, "heatmap"), (noised,), show)


def _spectral(output: dict[str, Any]) -> Iterator[Content]:
    p, form = output["mechanism"]["parameters"], spectral_form(output["mechanism"]["parameters"])
    name, deviation = output["name"], float(output["noise"]["standard_deviation"])
    viewers = output["mechanism"]["public_inputs"]["viewers"]
    constants = _Constants(
        partial(
            masses,
            deviation=deviation,
            viewers=None if viewers is None else np.array(viewers),
            people=_people(output),
            joint=p["clipping"] == "joint",
        )
    )
    for stimulus in p["stimuli"]:
        noised = dataset_path(name, stimulus, "noised")
        yield Noised(noised, (form.band.count,), tell=constants.add)

    def heatmap(noised: NDArray[Any], mass: NDArray[Any]) -> NDArray[np.float64]:
        return form.heatmap(noised, mass=float(mass[0]), deviation=deviation)

    def uncertainty(noised: NDArray[Any], mass: NDArray[Any]) -> NDArray[np.float64]:
        return form.uncertainty(noised, mass=float(mass[0]), mass_error=float(mass[1]), deviation=deviation)

    for number, stimulus in enumerate(p["stimuli"]):
        own, mass = dataset_path(name, stimulus, "noised"), dataset_path(name, stimulus, "mass")
        yield Derived(mass, (own,), partial(constants.mass, number), (2,))
        for what, make in (("heatmap", heatmap), ("uncertainty", uncertainty)):
            path = dataset_path(name, stimulus, what)
            yield Derived(path, (own, mass), make, form.cells, _ITERATED_CARE)


class _Constants:
    """The noised constants of all maps or series, gathered as they are read, and the masses that follow from them together."""

    def __init__(self, masses_of: Callable[[NDArray[np.int64]], NDArray[np.float64]]) -> None:
        self._masses_of = masses_of
        self._found: list[int] = []
        self._masses: NDArray[np.float64] | None = None

    def add(self, noised: NDArray[Any]) -> None:
        self._found.append(int(noised[0]))

    def mass(self, number: int, _noised: NDArray[Any]) -> NDArray[np.float64]:
        if self._masses is None:
            self._masses = self._masses_of(np.array(self._found))
        one: NDArray[np.float64] = self._masses[number]
        return one


def _areas(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    size = len(p["areas"])
    shown: dict[str, tuple[tuple[int, ...], Callable[..., NDArray[np.float64]]]] = {
        "dwell": ((size,), derived.dwell_shares)
    }
    if p["transitions"]:
        shown["transitions"] = ((size, size), derived.transition_shares)
    viewers = output["mechanism"]["public_inputs"]["viewers"] or [None] * len(p["stimuli"])
    for stimulus, count in zip(
        p["stimuli"], viewers, strict=False
    ):  # another number of them is found elsewhere
        for what, (shape, make) in shown.items():
            noised = dataset_path(output["name"], stimulus, what, "noised")
            shares = dataset_path(output["name"], stimulus, what, "shares")
            yield Noised(noised, shape)
            yield Derived(shares, (noised,), partial(make, viewers=count), shape)


def _signals(output: dict[str, Any]) -> Iterator[Content]:
    if output["mechanism"]["name"] == "spectral":
        yield from _spectral_signals(output)
        return
    p, people = output["mechanism"]["parameters"], _people(output) or 1
    if p["calibration"] == "bozkir2021":
        for recording in p["recordings"]:
            for feature in p["features"]:
                path = dataset_path(output["name"], recording, feature["name"], "values")
                yield Unprotected(path, (people, p["length"]))
        return
    form, deviation = signal_form(output["mechanism"]), float(output["noise"]["standard_deviation"])
    each = p["query"] == "each"
    for recording in p["recordings"]:
        for feature in p["features"]:
            unit = derived.Unit((feature["low"], feature["high"]), 1 if each else people)
            noised, values, uncertainty = (
                dataset_path(output["name"], recording, feature["name"], what)
                for what in ("noised", "values", "uncertainty")
            )
            yield Noised(noised, (people, form.count) if each else (form.count,))
            yield Derived(values, (noised,), partial(derived.signal, form=form, unit=unit))
            spread = partial(derived.signal_uncertainty, form, unit, deviation=deviation)
            yield Derived(uncertainty, (), spread, (form.length,))


def _spectral_signals(output: dict[str, Any]) -> Iterator[Content]:
    p, people = output["mechanism"]["parameters"], _people(output) or 1
    form, deviation = spectral_signal_form(p), float(output["noise"]["standard_deviation"])
    constants = _Constants(partial(signal_masses, form=form, deviation=deviation, people=people))
    series = [(recording, feature) for recording in p["recordings"] for feature in p["features"]]
    for recording, feature in series:
        path = dataset_path(output["name"], recording, feature["name"], "noised")
        yield Noised(path, (form.count,), tell=constants.add)
    for number, (recording, feature) in enumerate(series):
        noised, mass, values, uncertainty = (
            dataset_path(output["name"], recording, feature["name"], what)
            for what in ("noised", "mass", "values", "uncertainty")
        )
        bounds = (feature["low"], feature["high"])
        yield Derived(mass, (noised,), partial(constants.mass, number), (2,))
        for path, make in ((values, form.signal), (uncertainty, form.uncertainty)):
            show = partial(_of_known, make, deviation=deviation, people=people, bounds=bounds)
            yield Derived(path, (noised, mass), show, (form.length,), _ITERATED_CARE)


def _of_known(
    make: Callable[[NDArray[Any], Known], NDArray[np.float64]],
    noised: NDArray[Any],
    mass: NDArray[Any],
    **public: Any,
) -> NDArray[np.float64]:
    return make(noised, Known(float(mass[0]), float(mass[1]), **public))


def _statistics(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    of_noise = statistic_claims.noised(p)
    noise = noise_of(from_json(output["event"]))
    for name in p["statistics"]:
        for labels, feature in statistic_claims.labels(p):
            path = partial(dataset_path, output["name"], name, *labels)
            unit = statistic_claims.unit(output["mechanism"], feature)
            if name not in of_noise:
                shown = partial(statistics.quantile_value, bounds=unit.bounds, steps=p["quantile_steps"])
                yield Chosen(path("chosen"), p["quantile_steps"])
                yield Derived(path("value"), (path("chosen"),), shown, (1,))
                continue
            length = p["bins"] if name == statistics.HISTOGRAM else 1
            size = statistics.size(name, bins=p["bins"], quotient=unit.divisor is None)
            # Without noise something else is wrong, and is told.
            far = 0 if noise is None else reach(noise, together=statistics.together(name, unit))
            ends = partial(statistics.interval, name, unit=unit, reach=far)
            yield Noised(path("noised"), (size,))
            yield Derived(
                path("value"), (path("noised"),), partial(statistics.value, name, unit=unit), (length,)
            )
            yield Derived(path("interval"), (path("noised"),), ends, (length, 2))


def _records(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    attributes = [Attribute.from_json(form) for form in p["attributes"]]
    for attribute in attributes:
        category = dataset_path(output["name"], attribute.name, "category")
        yield Categories(category, p["rows"], attribute)
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
