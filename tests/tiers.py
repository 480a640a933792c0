"""Two tiers of tests, and how long each test took.

Tests marked `thorough` run in `scripts/test --thorough`, all others in `scripts/test`. Properties (Hypothesis) run in both: with few
examples in the one, with many in the other.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

import pytest
from hypothesis import settings

SLOW_S = 2.0
_LISTED = 50

settings.register_profile("quick", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("quick")  # unless pytest is called with --hypothesis-profile


def few(function):
    """Decorate a property of which an example takes long: it gets fewer of them."""
    return settings(max_examples=settings.default.max_examples // 5)(function)


def fewer(function):
    """Decorate a property that very many variants have: in the quick tier it gets as many as with `few`, in the thorough one half."""
    default = settings.default.max_examples
    return settings(max_examples=min(default // 5, 10))(function)


def params(values, *, quick):
    """Return parameters for `parametrize`, those that are not in `quick` marked `thorough`: where several tests have them."""
    return [
        one
        if one in quick
        else pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.thorough)
        for one in values
    ]


def covering(cases: Mapping[str, Sequence[Hashable]], *, together: int) -> set[str]:
    """Return names of few cases in which all that meets in any of them meets, of so many settings at a time.

    Args:
        cases: settings of each case, by its name.
        together: 1 if each setting is to be there, 2 if every two that are in one case anywhere.
    """
    met = {name: set(itertools.combinations(settings, together)) for name, settings in cases.items()}
    left, chosen = set().union(*met.values()), set()
    used: Counter[Hashable] = Counter()
    while left:
        # Of those with most that is new, the one whose settings have been chosen least.
        best = max(met, key=lambda name: (len(met[name] & left), -sum(used[one] for one in cases[name])))
        chosen.add(best)
        used.update(cases[best])
        left -= met.pop(best)
    return chosen


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as thorough what `quick` leaves for that tier: all parameters but `quick(*ids)`, those of `quick(but=ids)`, or all but few that have each value."""
    marked: dict[str, dict[str, pytest.Function]] = defaultdict(dict)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("quick"):
            marked[item.nodeid.partition("[")[0]][item.callspec.id] = item
    for function, by_id in marked.items():
        marker = next(iter(by_id.values())).get_closest_marker("quick")
        assert marker is not None
        left_out = set(marker.kwargs.get("but", ()))
        named = left_out | set(marker.args)
        if len(by_id) > 1 and named - set(by_id):  # of a test called by its id the others are not there
            raise pytest.UsageError(f"{function}: no parameter is called {sorted(named - set(by_id))}")
        quick = set(marker.args) or covering(
            {name: list(_values(item)) for name, item in by_id.items()}, together=1
        )
        for name, item in by_id.items():
            if name in left_out if left_out else name not in quick:
                item.add_marker("thorough")


def _values(item: pytest.Function) -> Iterator[Hashable]:
    """Yield what a test has of each of its `parametrize`: values need not be comparable, and each is one object."""
    for marker in item.iter_markers("parametrize"):
        listed = marker.args[0]
        names = tuple(one.strip() for one in listed.split(",")) if isinstance(listed, str) else tuple(listed)
        yield names, tuple(id(item.callspec.params[name]) for name in names)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the slowest tests."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for one in reports:
            if isinstance(one, pytest.TestReport):
                seconds[one.nodeid] += one.duration
    slowest = sorted(seconds.items(), key=lambda item: -item[1])[:_LISTED]
    if not slowest or slowest[0][1] < SLOW_S:
        return
    terminalreporter.section(f"slowest: {len(seconds)} tests took {sum(seconds.values()):.0f} s together")
    for name, took in slowest:
        if took > 0.1:
            terminalreporter.write_line(f"{took:7.2f} s  {name}")
