"""What models of records are released: of which counts, with labels, missing values and tasks, and drawn by whom.

Distributions are tested under fixed seeds: a chance below 1e-9 would fail, and a control shows that a wrong
distribution does.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import made
import numpy as np
import pytest
from invented_records import (
    ALARM,
    BOUNDS,
    BUDGET,
    GROUP,
    LABELLED,
    MARGINALS_MODEL,
    NAMES,
    RECORDING,
    TASK,
    Spy,
    Wanted,
    binned,
    categories_of,
    coded_records,
    collect,
    p_of,
    parameters,
    passing_of,
    release,
    seeded,
    study,
    told,
)

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian, flatten
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.records import candidates
from synthrelease.kinds.records import mechanism as module
from synthrelease.kinds.records.fit import fit_model, weighted_counts
from synthrelease.numerics.binning import bin_numbers, equal_width_edges
from synthrelease.numerics.network import Network, fitted_network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from synthrelease.data.features import FeatureData


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


def network_of(values: dict[tuple[str, ...], NDArray[Any]], asked: Wanted) -> Network:
    """The network that the released noised counts call for: what an auditor computes."""
    names = [attribute.name for attribute in asked.attributes]
    counts = {
        tuple(names.index(name) for name in key[:-1]): array
        for key, array in values.items()
        if key[-1] == "noisy"
    }
    assert list(counts) == asked.subsets()
    return fitted_network(
        counts,
        asked.categories,
        tree=asked.dependence == "tree",
        per_task=asked.per_task,
        order=None if asked.model == "marginals" else asked.order,
        people=asked.people,
    )


# --- the model


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"noise": "gaussian"},
        {"dependence": "tree"},
        {**TASK, "per_task": True},
        {**TASK, "per_task": True, "dependence": "tree", "noise": "gaussian"},
        {**LABELLED, "dependence": "tree"},
    ],
    ids=told,
)
def test_the_tested_model_is_that_of_the_published_noised_counts(changed: dict[str, Any], spy: Spy) -> None:
    asked, data = parameters(fit="dp", k=1, **changed), study([9] * 12, recordings=2)
    values, event, _ = release(data, asked, BUDGET, random=seeded(7))
    network = network_of(values, asked)
    (made,) = spy.sets
    assert (made.model.order, made.model.parents) == (asked.order, network.parents)
    for of_model, expected in zip(made.model.marginals, network.tables, strict=True):
        np.testing.assert_array_equal(of_model, expected)
    kind = RoundedGaussian if asked.noise == "gaussian" else DiscreteLaplace
    noise = next(leaf for leaf in flatten(event) if isinstance(leaf, kind))
    exact = weighted_counts(*coded_records(data, asked), asked.categories, asked.subsets())
    drawn = np.concatenate(
        [
            (values[(*(asked.attributes[a].name for a in subset), "noisy")] - exact[subset]).ravel()
            for subset in asked.subsets()
        ]
    )
    assert noise.count == drawn.size
    assert 0.3 < np.sqrt(np.mean(drawn.astype(float) ** 2)) / noise.standard_deviation < 2


@pytest.mark.parametrize("changed", [{}, {"dependence": "tree"}, {**TASK, "per_task": True}], ids=told)
def test_an_exact_fit_is_that_of_the_weighted_counts_and_publishes_none(
    changed: dict[str, Any], spy: Spy
) -> None:
    data, asked = study([1, 30, 2, 2, 2, 9, 9, 1, 1, 1, 5, 6], recordings=2), parameters(**changed)
    values, _, _ = release(data, asked, None, random=seeded(8))
    assert not any(key[-1] == "noisy" for key in values)
    expected, _ = fit_model(*coded_records(data, asked), asked.parameters, None, random=seeded())
    assert spy.sets[0].model.parents == expected.parents
    for of_model, p in zip(spy.sets[0].model.marginals, expected.marginals, strict=True):
        np.testing.assert_array_equal(of_model, p)


def test_along_a_tree_what_is_drawn_depends_on_what_stands_before() -> None:
    """c is a copy of b in the data, and both are drawn: the tree keeps that, independence does not."""
    data = study([9] * 12)
    copied = data.values.copy()
    copied[:, 2] = BOUNDS[2, 0] + (copied[:, 1] - BOUNDS[1, 0]) / 6 * 2
    data = replace(data, values=copied)
    agree = {}
    for dependence in ("tree", "independent"):
        asked = parameters(dependence=dependence, order=(0, 1, 2), resampled=(2,), k=1, rows=2000)
        values, _, _ = release(data, asked, None, random=seeded(9))
        agree[dependence] = np.mean(values["b", "category"] == values["c", "category"])
    assert agree["tree"] > 0.8
    assert agree["independent"] < 0.5


def test_a_label_is_never_drawn_and_belongs_to_the_seed(spy: Spy) -> None:
    for changed in (TASK, {**TASK, "per_task": True, "dependence": "tree"}):
        spy.calls.clear()
        spy.sets.clear()
        values, _, _ = release(study([8] * 12, recordings=2), parameters(**changed), None, random=seeded(10))
        labels = spy.sets[0].records[spy.all("seeds")][:, 0]
        np.testing.assert_array_equal(spy.all("candidates")[:, 0], labels)
        assert set(values["recording", "category"].tolist()) == {0, 1}
        assert ("recording", "value") not in values


def test_with_a_model_per_task_the_tasks_differ_and_without_one_they_do_not() -> None:
    """b is low in one task and high in the other; it is drawn after the label alone."""
    data = study([40] * 12, recordings=2)
    shifted = data.values.copy()
    shifted[:, 1] = np.where(data.recording == 1, 7.0, 3.0)
    data = replace(data, values=shifted)
    for per_task, apart in ((True, 0.9), (False, 0.0)):
        asked = parameters(**TASK, per_task=per_task, k=1, rows=3000)
        asked = replace(asked, resampled=(3,))
        values, _, _ = release(data, asked, None, random=seeded(11))
        task, high = values["recording", "category"] == 1, values["b", "category"] >= 2
        found = high[task].mean() - high[~task].mean()
        assert (found > apart) if per_task else (abs(found) < 0.15)


# --- labels and missing values


def test_records_are_the_label_and_the_bins() -> None:
    data = study([5, 6], recordings=2)
    asked = parameters(task=True, attributes=(RECORDING, *binned(4, 7, 4), GROUP), order=(0, 1, 2, 3, 4))
    records, people = coded_records(data, asked)
    np.testing.assert_array_equal(people, data.person)
    np.testing.assert_array_equal(records[:, 0], data.recording)
    np.testing.assert_array_equal(records[:, 4], data.labels[:, 0])
    for f, bins in enumerate((4, 7, 4)):
        edges = equal_width_edges(*BOUNDS[f], bins)
        np.testing.assert_array_equal(records[:, f + 1], bin_numbers(data.values[:, f], edges))


def test_labels_come_back_as_their_numbers_in_the_proportions_of_the_model(spy: Spy) -> None:
    asked = parameters(**{**LABELLED, "order": (0, 1, 2), "resampled": (1,), "k": 1, "rows": 6000})
    values, _, _ = release(study([9] * 12), asked, None, random=seeded(12))
    assert ("group", "value") not in values
    group = values["group", "category"]
    assert p_of(np.bincount(group, minlength=3), spy.sets[0].model.marginals[2]) > ALARM
    assert p_of(np.bincount(group, minlength=3), [0.5, 0.3, 0.2]) < ALARM  # the control


def holes(data: FeatureData) -> FeatureData:
    """Values and labels missing here and there; of person 3 nothing is left."""
    values, labels = data.values.copy(), data.labels.copy()
    values[data.person == 3] = np.nan
    values[::5, 1] = np.nan
    values[3::7, 2] = np.nan
    labels[2::6] = -1
    return replace(data, values=values, labels=labels)


@pytest.mark.parametrize(
    "changed", [{}, LABELLED, {**TASK, "per_task": True}], ids=["bins", "labels", "task"]
)
def test_rows_with_a_missing_value_take_no_part(changed: dict[str, Any], spy: Spy) -> None:
    asked, data = parameters(**changed), holes(study([6] * 12, recordings=2))
    columns = [data.column(attribute.name) for attribute in asked.attributes]
    complete = np.all([~np.isnan(c) if c.dtype.kind == "f" else c >= 0 for c in columns], axis=0)
    without = replace(
        data,
        values=data.values[complete],
        labels=data.labels[complete],
        person=data.person[complete],
        recording=data.recording[complete],
    )
    one, _, _ = release(data, asked, None, random=seeded(13))
    other, _, _ = release(without, asked, None, random=seeded(13))
    for key, array in one.items():
        np.testing.assert_array_equal(array, other[key])
    entered = set(zip(data.person[complete], data.recording[complete] * asked.task, strict=True))
    assert 3 not in {person for person, _ in entered}
    assert len(spy.sets[0].records) == len(entered)


@pytest.mark.parametrize("fit", ["exact", "dp"])
def test_a_missing_value_with_a_category_takes_part_and_comes_back_missing(fit: str, spy: Spy) -> None:
    """NaN for the last bin's neighbour, and never a number of another bin; nothing else is NaN."""
    group = replace(GROUP, categories=4, missing=True)
    asked = parameters(
        attributes=(*binned(4, 4, 4, missing=True), group), order=(3, 0, 1, 2), k=1, rows=3000, fit=fit
    )
    data = holes(study([6] * 12))
    values, _, _ = release(data, asked, BUDGET, random=seeded(14))
    records, people = coded_records(data, asked)
    np.testing.assert_array_equal(people, data.person)  # all rows
    assert set(map(tuple, spy.sets[0].records.tolist())) <= set(map(tuple, records.tolist()))
    np.testing.assert_array_equal(records[:, :3] == 4, np.isnan(data.values))
    np.testing.assert_array_equal(records[:, 3] == 3, data.labels[:, 0] == -1)
    for name, (low, high) in zip(NAMES, BOUNDS, strict=True):
        category, value = values[name, "category"], values[name, "value"]
        assert {0, 1, 2, 4} <= set(category.tolist())
        np.testing.assert_array_equal(np.isnan(value), category == 4)
        there = category < 4
        np.testing.assert_array_equal(
            bin_numbers(value[there], equal_width_edges(low, high, 4)), category[there]
        )
        if fit == "dp":
            assert values[name, "noisy"].shape == (5,)
    assert set(values["group", "category"].tolist()) == {0, 1, 2, 3}
    drawn = np.bincount(values["c", "category"], minlength=5)  # always drawn
    assert p_of(drawn, spy.sets[0].model.marginals[2]) > ALARM


# --- noised counts alone


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"noise": "gaussian", "dependence": "tree"},
        {**TASK, "per_task": True, "dependence": "tree", "resampled": (4,)},
    ],
    ids=["marginals", "gaussian tree", "tree per task"],
)
def test_after_a_private_fit_the_marginals_model_never_looks_at_the_data(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = parameters(**{**MARGINALS_MODEL, "fit": "dp", **changed})
    data = study([9] * 12, recordings=2)
    expected, _, _ = release(data, asked, BUDGET, random=seeded(18))

    def forbidden(*_: object, **__: object) -> None:
        pytest.fail("looked at the data after the fit")

    for name in ("passing", "substituted", "RecordSet"):
        monkeypatch.setattr(module, name, forbidden)
    for name in ("SeedSet", "Owners"):
        monkeypatch.setattr(candidates, name, forbidden)
    collected = collect(data, asked)
    assert isinstance(collected, Sums)  # counts: all that anyone hands over
    for array in (data.values, data.person, data.recording, data.labels):
        array[...] = 0
    drawn = asked.mechanism.draw(collected, BUDGET, seeded(18))
    assert isinstance(drawn.event, DiscreteLaplace | RoundedGaussian)
    assert passing_of(drawn, asked).copies is None
    found = made.arrays(drawn)
    assert found.keys() == expected.keys()
    for key, array in expected.items():
        np.testing.assert_array_equal(found[key], array)


def test_data_of_equal_noised_counts_give_equal_releases() -> None:
    """The same weighted counts in other records: shuffled columns keep every person's marginals."""
    data = study([9] * 12)
    shuffled = data.values.copy()
    rng = np.random.default_rng(0)
    for person in range(12):
        own = np.flatnonzero(data.person == person)
        for f in range(3):
            shuffled[own, f] = rng.permutation(shuffled[own, f])
    assert not np.array_equal(shuffled, data.values)
    asked = parameters(**MARGINALS_MODEL, fit="dp")
    one, _, _ = release(data, asked, BUDGET, random=seeded(19))
    other, _, _ = release(replace(data, values=shuffled), asked, BUDGET, random=seeded(19))
    for key, array in one.items():
        np.testing.assert_array_equal(array, other[key])


@pytest.mark.parametrize(
    "changed",
    [
        MARGINALS_MODEL,
        {**MARGINALS_MODEL, "dependence": "tree"},
        {**TASK, "model": "marginals", "resampled": (4,), "per_task": True},
        {**TASK, "model": "marginals", "resampled": (4,), "per_task": True, "dependence": "tree"},
        {**TASK, "model": "marginals", "resampled": (4,)},
    ],
    ids=["marginals", "tree", "per task", "tree per task", "task"],
)
def test_records_of_noised_counts_follow_their_network(changed: dict[str, Any]) -> None:
    """All attributes are drawn, the task's label too: the joint distribution of what is published."""
    asked = parameters(**{**changed, "fit": "dp", "rows": 20_000})
    values, _, passing = release(
        study([9] * 12, recordings=2), asked, Budget(epsilon=60.0), random=seeded(20)
    )
    assert passing.trials == passing.passed == 20_000
    network = network_of(values, asked)
    drawn = categories_of(values, [attribute.name for attribute in asked.attributes])
    cells = list(itertools.product(*map(range, asked.categories)))

    def joint(of: Network) -> NDArray[np.float64]:
        return np.array(
            [
                np.prod(
                    [
                        t[(*(y[b] for b in own), y[a])]
                        for a, (t, own) in enumerate(zip(of.tables, of.parents, strict=True))
                    ]
                )
                for y in cells
            ]
        )

    observed = np.bincount(np.ravel_multi_index(drawn.T, asked.categories), minlength=len(cells))
    assert p_of(observed, joint(network)) > ALARM
    wrong = replace(network, tables=(*network.tables[:-1], np.roll(network.tables[-1], 1, axis=-1)))
    assert p_of(observed, joint(wrong)) < ALARM  # the control
