"""An output of a bundle, or the result of a call of `arrays`, as inference reads it: public parameters, noise, and arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.event import DiscreteLaplace, Event, Noise, from_json, noise_of
from synthrelease.errors import Argument, ArgumentError, Remedy
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.registry import parameters_of

if TYPE_CHECKING:
    from synthrelease.arrays import ArrayRelease
    from synthrelease.bundle.reading import Bundle

P = TypeVar("P", bound=Parameters)
# What the functions of `arrays` make.
_KINDS = {
    "areas": "areas",
    "fixation_statistics": "statistics",
    "heatmaps": "heatmap",
    "mean_signals": "signals",
    "statistics": "statistics",
    "synthetic_records": "records",
}


@dataclass(frozen=True)
class NoisyIntegers:
    """Integers with independent noises of one law.

    Attributes:
        key: what their noise is known by: the same integers carry the same noise.
        values: shape (K,).
        deviation: standard deviation of the noise in each.
        is_laplace: whether the noise is Laplace; else it is Gaussian.
    """

    key: str
    values: NDArray[np.float64]
    deviation: float
    is_laplace: bool

    @property
    def count(self) -> int:
        """K, how many there are."""
        return self.values.size


@dataclass(frozen=True)
class Released:
    """What is public of an output."""

    name: str
    parameters: Parameters
    event: Event
    noise: Noise
    arrays: Mapping[str, NDArray[Any]]
    file: str = ""  # of a bundle

    def integers(self, path: str, place: tuple[Any, ...]) -> NoisyIntegers:
        """Return the integers of a place of an array, one after the other."""
        values = np.asarray(self.arrays[path][place], dtype=np.float64).ravel()
        is_laplace = isinstance(self.noise, DiscreteLaplace)
        return NoisyIntegers(
            f"{self.fingerprint(path)} {place}", values, self.noise.standard_deviation, is_laplace
        )

    def fingerprint(self, path: str) -> str:
        """Return what an array is known by, wherever it was read."""
        array = np.ascontiguousarray(self.arrays[path], dtype=np.int64)
        return f"{path} {hashlib.sha256(array.tobytes()).hexdigest()}"

    @property
    def people(self) -> str:
        """What the release's participants are known by: one bundle, or one call, has the same in all."""
        return self.file or self.fingerprint(min(path for path in self.arrays if path.endswith("noisy")))

    def parameters_as(self, kind: type[P], function: str, expected: str) -> P:
        """Return the parameters if they are of a kind.

        Raises:
            ArgumentError: they are of another.
        """
        if not isinstance(self.parameters, kind):
            raise ArgumentError(
                "wrong-output",
                f"'{self.name}' has nothing that {function}() is about",
                where=f"inference.{function}()",
                found=f"{self.parameters.kind} by {self.parameters.name}",
                expected=expected,
                remedy="name another output, or use the function of this kind: mean, proportions, curve or heatmap",
            )
        return self.parameters


def released(release: Bundle | ArrayRelease, output: str | None, *, allow_test_seed: bool) -> Released:
    """Return an output of a release.

    Args:
        release: a bundle, or what a function of `synthrelease.arrays` returned.
        output: its name in a bundle; None if there is one only, and for arrays.
        allow_test_seed: whether noise that can be repeated is no fault.

    Raises:
        ArgumentError: no release, no such output, a test seed, or values without noise.
    """
    name, kind, mechanism, event, arrays, seeded = _parts(release, output)
    if seeded and not allow_test_seed:
        raise ArgumentError(
            "test-seed",
            "the noise came from a test seed: it can be repeated, and protects no one",
            where=name,
            expected="a release for publication",
            remedy=Remedy("for a test, ", Argument("allow_test_seed", True)),
        )
    noise = noise_of(event)
    if noise is None:
        raise ArgumentError(
            "no-noise",
            f"no value of '{name}' carries noise of a known law",
            where=name,
            expected="an output of noisy integers",
            remedy="use the intervals that the release has, if any",
        )
    parameters = parameters_of({"kind": kind, "mechanism": mechanism})
    return Released(name, parameters, event, noise, arrays, str(getattr(release, "path", "")))


def _parts(
    release: Any, output: str | None
) -> tuple[str, str, dict[str, Any], Event, Mapping[str, NDArray[Any]], bool]:
    manifest = getattr(release, "manifest", None)
    if isinstance(manifest, dict):
        name = _name(manifest, output)
        entry = next(entry for entry in manifest["outputs"] if entry["name"] == name)
        return (
            name,
            entry["kind"],
            entry["mechanism"],
            from_json(entry["event"]),
            release[name],
            bool(manifest["randomness"]["test_seed"]),
        )
    if getattr(release, "name", None) in _KINDS and output in {None, release.name}:
        kind = _KINDS[release.name]
        return release.name, kind, release.mechanism, release.event, release.values, release.test_seed
    raise ArgumentError(
        "not-a-release",
        "that is no release, or not of that output",
        where="release",
        found=f"{type(release).__name__}{'' if output is None else ' and an output'}",
        expected="a bundle and the name of an output, or what a function of synthrelease.arrays returned",
        remedy="open_bundle(path), or arrays.statistics(…)",
    )


def _name(manifest: Mapping[str, Any], output: str | None) -> str:
    names = [entry["name"] for entry in manifest["outputs"]]
    if output is None and len(names) == 1:
        return str(names[0])
    if output is None or output not in names:
        raise ArgumentError(
            "no-such-output",
            "there is no such output" if output is not None else "the bundle has several outputs",
            where="output",
            found=str(output),
            expected=", ".join(names),
            remedy="write output=… with one of these",
        )
    return output
