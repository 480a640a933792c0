"""How a fault is planted: a function that has a duty is replaced by one that neglects it, wherever the package uses it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

# Whatever is imported while a fault is planted would keep it.
import synthrelease.building.builder
import synthrelease.kinds.areas.prepare
import synthrelease.kinds.heatmap.prepare
import synthrelease.kinds.people.prepare
import synthrelease.kinds.records.prepare
import synthrelease.kinds.scanpaths.prepare
import synthrelease.kinds.signals.prepare
import synthrelease.kinds.statistics.prepare  # noqa: F401

if TYPE_CHECKING:
    from auditing.detectors import Detector

Plant = Callable[[], AbstractContextManager[object]]
_PACKAGES = ("synthrelease", "variants", "auditing")


@dataclass(frozen=True, eq=False)
class Fault:
    """Something that a mistaken change to the package could do.

    Attributes:
        words: what is wrong.
        where: which function neglects its duty.
        plant: makes it so until it is left.
        detectors: those that must notice, every one of them.
    """

    words: str
    where: str
    plant: Plant
    detectors: tuple[Detector, ...]


@contextmanager
def _everywhere(original: Any, replacement: Any) -> Iterator[None]:
    """Replace an object under all names that modules of the package, or adapters of its tests, have for it.

    The planted functions themselves go on using what they stand for.
    """
    with ExitStack() as stack:
        found = 0
        for module in _modules():
            names = [key for key, value in vars(module).items() if value is original]
            for key in names:
                stack.enter_context(patch.object(module, key, replacement))
            found += len(names)
        if not found:
            raise LookupError(f"nothing in the package is {original}: the fault was not planted")
        yield
    for module in _modules():
        if any(value is replacement for value in vars(module).values()):
            raise RuntimeError(f"{module.__name__} was imported while a fault was planted, and kept it")


def _modules() -> list[ModuleType]:
    return [
        module
        for name, module in tuple(sys.modules.items())
        if name.split(".")[0] in _PACKAGES and not name.startswith("auditing.faults")
    ]


def everywhere(original: Any, replacement: Any) -> Plant:
    """Return a plant that replaces a function wherever it was imported."""
    return partial(_everywhere, original, replacement)


def inside(owner: Any, name: str, replacement: Any) -> Plant:
    """Return a plant that replaces one name of a module or class: others go on using what it stood for."""
    return lambda: patch.object(owner, name, replacement)


def forgetting(function: Any, plant: Plant) -> Plant:
    """Return a plant below which, and after which, a function that remembers its results computes them again."""

    @contextmanager
    def planted() -> Iterator[None]:
        function.cache_clear()
        try:
            with plant():
                yield
        finally:
            function.cache_clear()

    return planted


def together(*plants: Plant) -> Plant:
    """Return a plant of several."""

    @contextmanager
    def all_of_them() -> Iterator[None]:
        with ExitStack() as stack:
            for plant in plants:
                stack.enter_context(plant())
            yield

    return all_of_them
