"""Which datasets an output must have: no more, no less.

Derived datasets are functions of the noised integers (`maths.derived`), so that nothing floats free of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import statistic_claims
from synthrelease.bundle.content import Binned, Categories, Chosen, Content, Derived, Noised, Unprotected
from synthrelease.bundle.forms import signal_form, spectral_form, spectral_signal_form
from synthrelease.bundle.layout import dataset_path
from synthrelease.data.attribute import Attribute
from synthrelease.maths import derived, statistics
from synthrelease.maths.network import Network, counted_subsets, fitted_network
from synthrelease.maths.spectral import masses
from synthrelease.maths.spectral_signals import Known
from synthrelease.maths.spectral_signals import masses as signal_masses
from synthrelease.privacy.event import RandomizedTest, flatten, from_json, noise_of
from synthrelease.privacy.noise_error import reach

_ITERATED_CARE = 1e-9  # of maps found step by step: errors of 1e-16 grow a little


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
        case "records":
            m = len(p["attributes"])
            own = m - p["per_task"]
            counted = (
                (math.comb(own, 2) if p["dependence"] == "tree" and own > 1 else own)
                if p["fit"] == "dp"
                else 0
            )
            return m + sum(form["labels"] is None for form in p["attributes"]) + counted
    raise ValueError("Expected a known kind of output, found another")


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
        heatmap = dataset_path(output["name"], stimulus, "heatmap")
        yield Derived(heatmap, (p["rows"], p["columns"]), show, needed=(noised,))


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
        yield Derived(mass, (2,), partial(constants.mass, number), needed=(own,))
        for what, make in (("heatmap", heatmap), ("uncertainty", uncertainty)):
            path = dataset_path(name, stimulus, what)
            yield Derived(path, form.cells, make, _ITERATED_CARE, needed=(own, mass))


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
            yield Derived(shares, shape, partial(make, viewers=count), needed=(noised,))


def _signals(output: dict[str, Any]) -> Iterator[Content]:
    if output["mechanism"]["name"] == "spectral":
        yield from _spectral_signals(output)
        return
    p, people = output["mechanism"]["parameters"], _people(output) or 1
    if p["calibration"] == "bozkir2021":
        for recording in p["recordings"]:
            for feature in p["features"]:
                path = dataset_path(output["name"], recording, feature["name"], "values")
                yield Unprotected(path, (people, p["length"]), by_rows=True)
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
            rows = (people,) if each else ()
            show = partial(derived.signal, form=form, unit=unit)
            spread = partial(derived.signal_uncertainty, form, unit, deviation=deviation)
            yield Noised(noised, (*rows, form.count), by_rows=each)
            yield Derived(values, (*rows, form.length), show, needed=(noised,), by_rows=each)
            yield Derived(uncertainty, (form.length,), spread)


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
        yield Derived(mass, (2,), partial(constants.mass, number), needed=(noised,))
        for path, make in ((values, form.signal), (uncertainty, form.uncertainty)):
            show = partial(_of_known, make, deviation=deviation, people=people, bounds=bounds)
            yield Derived(path, (form.length,), show, _ITERATED_CARE, needed=(noised, mass))


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
                yield Chosen(path("chosen"), (1,), p["quantile_steps"])
                yield Derived(path("value"), (1,), shown, needed=(path("chosen"),))
                continue
            length = p["bins"] if name == statistics.HISTOGRAM else 1
            size = statistics.size(name, bins=p["bins"], quotient=unit.divisor is None)
            # Without noise something else is wrong, and is told.
            far = 0 if noise is None else reach(noise, together=statistics.together(name, unit))
            shown, ends = partial(statistics.value, name), partial(statistics.interval, name, reach=far)
            yield Noised(path("noised"), (size,))
            for what, shape, make in (("value", (length,), shown), ("interval", (length, 2), ends)):
                yield Derived(path(what), shape, partial(make, unit=unit), needed=(path("noised"),))


def _records(output: dict[str, Any]) -> Iterator[Content]:
    p = output["mechanism"]["parameters"]
    attributes = [Attribute.from_json(form) for form in p["attributes"]]
    for attribute in attributes:
        category = dataset_path(output["name"], attribute.name, "category")
        yield Categories(category, (p["rows"],), attribute, by_rows=True)
        if attribute.labels is None:
            value = dataset_path(output["name"], attribute.name, "value")
            yield Binned(value, (p["rows"],), attribute, needed=(category,), by_rows=True)
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
