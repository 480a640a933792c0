"""Releases of signals that tests may forge, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
from clusters import running_cluster
from invented_study import write_signals_study
from layouts import STEPS

import synthrelease

WHOLE = """
[[outputs]]
name = "whole"
kind = "signals"
input = "pupils"
mechanism = "fpa"
length = 40
coefficients = 1
clip = 0.9
features = ["open"]
epsilon = 8
"""


def built(folder: Path, *names: str, noise: str = "laplace") -> bytes:
    """A release of some of the study's outputs: composition of unlike noises takes seconds to verify."""
    plan = write_signals_study(folder)
    head, *outputs = (plan.read_text() + STEPS + WHOLE).split("[[outputs]]")
    kept = [
        one.replace('noise = "gaussian"', f'noise = "{noise}"')
        for one in outputs
        if one.split('"')[1] in names
    ]
    plan.write_text("[[outputs]]".join([head.replace("epsilon = 40.0", "epsilon = 60.0"), *kept]))
    return synthrelease.build(plan, folder / "TEST-SEED.h5", test_seed=1).path.read_bytes()


@pytest.fixture(scope="session")
def spectral_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return built(tmp_path_factory.mktemp("spectral"), "course", "levels", "after")


@pytest.fixture(scope="session")
def noised_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return built(tmp_path_factory.mktemp("noisy"), "chunks", "changes", "steps", "whole")


@pytest.fixture(scope="session")
def gaussian_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return built(tmp_path_factory.mktemp("gaussian"), "chunks", noise="gaussian")


@pytest.fixture
def spectral(spectral_bytes: bytes, tmp_path: Path) -> Path:
    """Return the path of a copy of the spectral signals that the test may change."""
    (tmp_path / "r.h5").write_bytes(spectral_bytes)
    return tmp_path / "r.h5"


@pytest.fixture
def noised(noised_bytes: bytes, tmp_path: Path) -> Path:
    """Return the path of a copy of all others that the test may change."""
    (tmp_path / "r.h5").write_bytes(noised_bytes)
    return tmp_path / "r.h5"


@pytest.fixture
def scheduler(tmp_path):
    """The address of a Dask scheduler, and its two workers."""
    with running_cluster(tmp_path) as cluster:
        yield cluster
