"""Feature signals: LPA, FPA, CFPA, DCFPA, and spectral ones."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import made
import numpy as np

from synthrelease.maths import derived
from synthrelease.maths.fourier import basis
from synthrelease.maths.signal_form import CFPA, DCFPA, FPA, LPA, SignalForm, _of_differences
from synthrelease.maths.spectral_signals import (
    OF_PERSON,
    OF_RECORDING,
    OF_START,
    Known,
    SpectralSignalForm,
    masses,
)
from synthrelease.maths.stored import stored
from synthrelease.privacy.budget import Budget
from variants.features import FeaturesVariant, columns
from variants.gaze_maps import choosing
from variants.people import ATTAINED, BUDGET, GAUSSIAN, LAPLACE, Person
from variants.variant import Variant

if TYPE_CHECKING:
    from synthrelease.kinds.signals.coefficients import CoefficientSignals
    from variants.people import Arrays, Numbers


@dataclass(frozen=True, eq=False)
class SeriesVariant(FeaturesVariant):
    """Whatever completes series to a public length."""

    def of_features(self, features: int) -> Variant:
        """Return the variant with so many features."""
        wide = made.features_of((), columns(features))
        return replace(self.changed(features=wide), features=features)

    def equivalent(self, person: Person) -> Person:
        """Gaps filled as the mechanism says, rows beyond the length, values beyond the bounds."""
        blocks = []
        for r in range(self.recordings):
            rows = person.rows[person.rows[:, 0] == r, 1:][: self.steps]
            if len(rows) == 0:
                continue
            for u in rows.T:
                there = np.flatnonzero(~np.isnan(u))
                if there.size:
                    last = np.searchsorted(there, np.arange(len(u)), side="right") - 1
                    u[:] = u[there[np.maximum(last, 0)]]
            lacking = self.steps - len(rows)
            more = rows[-1] if self.parameters.completion == "hold" else np.full(rows.shape[1], np.nan)
            if not (lacking and self.parameters.completion == "centre"):
                rows = np.concatenate([rows, np.tile(more, (lacking, 1)), rows[:5] * 0.5])
            rows = np.where(np.abs(rows) > 1, 3 * rows, rows)
            blocks.append(np.column_stack([np.full(len(rows), r), rows]))
        return Person(np.concatenate([np.empty((0, 1 + self.features)), *blocks[::-1]]))


@dataclass(frozen=True, eq=False)
class SignalsVariant(SeriesVariant):
    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        form, deviation = self.parameters.form, self.event(people).standard_deviation
        out = {}
        for (recording, feature, what), array in values.items():
            if what == "noised":
                low, high = self.limits[int(feature.split()[-1])]
                unit = derived.Unit((float(low), float(high)), 1 if self.apart else people)
                out[recording, feature, "values"] = derived.signal(array, form, unit)
                out[recording, feature, "uncertainty"] = derived.signal_uncertainty(
                    form, unit, deviation=deviation
                )
        return out

    def made_adversaries(self) -> list[Person]:
        form = self.parameters.form
        out = super().made_adversaries()
        if form.mechanism == LPA:
            return out
        for norm in (1, 2):
            longest = np.concatenate(
                [np.tile(longest_series(form, part.length, norm), part.chunks) for part in form.parts]
            )
            out += [
                self.person(longest, f"longest in L{norm}"),
                self.person(-longest, f"opposite in L{norm}"),
            ]
        return out

    def wide(self) -> Variant:
        return self.of_features(max(2, 250 // (self.parameters.form.count * self.recordings)))


def longest_series(form: SignalForm, length: int, norm: int) -> Numbers:
    """Of many series of ±1, raised as far as flipping all signs that are to be flipped goes, the one of the longest coefficients."""
    frequencies = min(form.frequencies or 1, length // 2 + 1)
    rows = basis(length, frequencies) if form.mechanism != DCFPA else _of_differences(length, frequencies)
    generator = np.random.default_rng(7)
    series = np.sign(generator.choice([-1.0, 1.0], (60, len(rows))) @ rows + 1e-9)
    for _ in range(30):
        found = series @ rows.T
        towards = np.sign(found) if norm == 1 else found
        series = np.where(towards @ rows >= 0, 1.0, -1.0)
    return series[int(np.argmax(np.linalg.norm(series @ rows.T, norm, axis=1)))]


def signal_variant(
    name: str,
    noise: str,
    *,
    budget: Budget = BUDGET,
    attained: float = ATTAINED,
    mechanism: str = FPA,
    length: int = 32,
    chunk: int | None = None,
    frequencies: int | None = 5,
    max_change: int | None = None,
    clip: float = 1.0,
    features: int = 2,
    recordings: int = 2,
    **changes: Any,
) -> SignalsVariant:
    form = SignalForm(mechanism, length, chunk, None if mechanism == LPA else frequencies, max_change, clip)
    shape = {"features": features, "recordings": recordings, "steps": length}
    mechanism = made.signals(form, noise, of=columns(features, recordings), **changes)
    each = mechanism.parameters.is_each
    return SignalsVariant(name, mechanism, budget, apart=each, attained=attained, **shape)


def all_signals() -> list[Variant]:
    out: list[Variant] = []
    for noise, query, length in itertools.product((LAPLACE, GAUSSIAN), ("mean", "each"), (15, 32)):
        about = f"{noise}-{query}-n{length}"
        common = {"query": query, "length": length}
        out.append(signal_variant(f"signals-lpa-{about}", noise, mechanism=LPA, **common))
        out += [
            signal_variant(f"signals-fpa-{about}-k{k}", noise, frequencies=k, **common)
            for k in (1, 5, length // 2 + 1)
        ]
    for noise, query in itertools.product((LAPLACE, GAUSSIAN), ("mean", "each")):
        about = f"{noise}-{query}"
        chunked = {"query": query, "chunk": 8, "length": 21}  # two chunks of eight steps and one of five
        out += [
            *(
                signal_variant(f"signals-cfpa-{about}-k{k}", noise, mechanism=CFPA, frequencies=k, **chunked)
                for k in (1, 3, 5)
            ),
            # Differences of low frequency: no series of ±1 is as long as an eigenvector may be.
            *(
                signal_variant(
                    f"signals-dcfpa-{about}-k{k}",
                    noise,
                    mechanism=DCFPA,
                    frequencies=k,
                    attained=least,
                    **chunked,
                )
                for k, least in ((1, 0.99), (3, 0.65), (5, 0.7))
            ),
            signal_variant(
                f"signals-dcfpa-{about}-limited",
                noise,
                mechanism=DCFPA,
                max_change=3000,
                attained=0.6,
                **chunked,
            ),
            signal_variant(f"signals-cfpa-{about}-clipped", noise, mechanism=CFPA, clip=0.3, **chunked),
            signal_variant(f"signals-fpa-{about}-centre", noise, completion="centre", query=query),
        ]
    return out


def long_signals() -> list[SignalsVariant]:
    """At this length the basis, rounded to integers, is longer than 1: constant series leave the ball."""
    one = {"length": 33725, "features": 1, "recordings": 1}
    return [signal_variant(f"signals-fpa-long-k{k}", LAPLACE, frequencies=k, **one) for k in (1, 3)]


@dataclass(frozen=True, eq=False)
class PrivateFrequenciesVariant(SignalsVariant):
    """Signals whose number of frequencies is chosen privately; what is asked of them is in test_private_frequencies.py."""

    @property
    def private(self) -> CoefficientSignals:
        """The mechanism that chooses a number of frequencies."""
        return choosing(self.mechanism, candidates=(1, 2, 4))


def private_frequencies() -> list[PrivateFrequenciesVariant]:
    out = []
    for mechanism, noise, query in itertools.product(
        (FPA, CFPA, DCFPA), (LAPLACE, GAUSSIAN), ("mean", "each")
    ):
        chunk = None if mechanism == FPA else 8
        like = signal_variant(
            f"private-frequencies-{mechanism}-{noise}-{query}",
            noise,
            mechanism=mechanism,
            chunk=chunk,
            length=21,
            query=query,
        )
        out.append(PrivateFrequenciesVariant(**like.__dict__))
    return out


@dataclass(frozen=True, eq=False)
class SpectralSignalsVariant(SeriesVariant):
    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        """Only what the noised integers say, beside what is public of the data: nobody's rows."""
        form, deviation = self.parameters.form, self.event(people).standard_deviation
        names = [key[:2] for key in values if key[-1] == "noised"]
        constants = np.array([values[(*name, "noised")][0] for name in names])
        out: dict[tuple[str, ...], Any] = {}
        for name, mass in zip(
            names, masses(constants, form=form, deviation=deviation, people=people), strict=True
        ):
            low, high = self.limits[int(name[-1].split()[-1])]
            known = Known(*map(float, stored(mass)), deviation, people, (float(low), float(high)))
            noisy = values[(*name, "noised")]
            out[(*name, "mass")] = mass
            out[(*name, "values")] = form.signal(noisy, known)
            out[(*name, "uncertainty")] = form.uncertainty(noisy, known)
        return out

    def made_adversaries(self) -> list[Person]:
        """Also those whose every series is a cosine, or who have next to none of them."""
        t = (np.arange(self.steps) + 0.5) / self.steps
        cosines = [np.cos(np.pi * k * t) for k in range(3)]
        out = super().made_adversaries()
        for k, cosine in enumerate(cosines):
            out += [self.person(sign * cosine, f"{sign} cosine {k}") for sign in (-1.0, 1.0)]
            apart = np.stack([cosine if f % 2 else -cosine for f in range(self.features)], axis=1)
            out += [
                self.person(apart, f"cosine {k}, features apart"),
                self.person(cosine / 1e4, f"small {k}"),
            ]
        return out

    def wide(self) -> Variant:
        wide = self.of_features(250 // (self.parameters.form.count * self.recordings) + 1)
        return wide.changed(constant_steps=wide.parameters.form.constant)


def spectral_signal_variant(
    name: str,
    *,
    budget: Budget = BUDGET,
    attained: float = ATTAINED,
    features: int = 2,
    recordings: int = 2,
    baseline: str = OF_PERSON,
    length: int = 32,
    cosines: int = 6,
    clip: float = 0.03,
    completion: str = "hold",
) -> Variant:
    steps = 3 if baseline == OF_START else None
    form = SpectralSignalForm(length, features * recordings, cosines, baseline, steps, clip)
    mechanism = made.spectral_signals(form, of=columns(features, recordings), completion=completion)
    return SpectralSignalsVariant(
        name,
        mechanism,
        budget,
        attained=attained,
        in_l1=False,
        features=features,
        recordings=recordings,
        steps=length,
    )


def all_spectral_signals() -> list[Variant]:
    return [
        spectral_signal_variant("spectral-signals-person"),
        spectral_signal_variant("spectral-signals-recording", baseline=OF_RECORDING, completion="centre"),
        spectral_signal_variant("spectral-signals-start", baseline=OF_START),
        spectral_signal_variant("spectral-signals-none", baseline="none", clip=0.2),
        spectral_signal_variant("spectral-signals-one", baseline=OF_RECORDING, features=1, recordings=1),
        # Hardly anybody is clipped: the constant is large beside the rest, and the same in everybody.
        spectral_signal_variant("spectral-signals-unclipped", clip=1.0, length=15, cosines=15, attained=0.5),
    ]
