"""Feature signals: LPA, FPA, CFPA, DCFPA, and spectral ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import made
import numpy as np
from wanted import OfSpectralSignals, Signals

from synthrelease.dp.budget import Budget
from synthrelease.kinds.mechanism import Drawn
from synthrelease.kinds.signals import coefficients
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.numerics import derived
from synthrelease.numerics.fourier import basis
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA, LPA, SignalForm, _of_differences
from synthrelease.numerics.spectral_signals import OF_PERSON, OF_RECORDING, OF_START, SpectralSignalForm
from variants.features import FeaturesVariant
from variants.people import ATTAINED, BUDGET, GAUSSIAN, LAPLACE, REPLACE, Person
from variants.variant import Variant

if TYPE_CHECKING:
    from variants.people import Arrays, Integers, Numbers


@dataclass(frozen=True, eq=False)
class SeriesVariant(FeaturesVariant):
    """Whatever completes series to a public length."""

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
    def of(self, people: int) -> Any:
        return replace(super().of(people), bounds=tuple(map(tuple, self.limits.tolist())))

    def own(self, people: Sequence[Person], order: int | None = None) -> Integers:
        return coefficients.contributions(self.data(people, order), self.of(len(people)).parameters)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        form, deviation = self.parameters.form, self.event(people).standard_deviation
        out = {}
        for (recording, feature, what), array in values.items():
            if what == "noisy":
                low, high = self.limits[int(feature.split()[-1])]
                unit = derived.IntegerUnit((float(low), float(high)), 1 if self.apart else people)
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
        features = max(2, 250 // (self.parameters.form.count * self.parameters.recordings))
        return replace(self, parameters=replace(self.parameters, features=features), features=features)


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
    **changes: Any,
) -> SignalsVariant:
    form = SignalForm(mechanism, length, chunk, None if mechanism == LPA else frequencies, max_change, clip)
    parameters = Signals(
        **{
            "form": form,
            "noise": noise,
            "query": "mean",
            "features": 2,
            "recordings": 2,
            "neighbours": REPLACE,
            "people": 1,
        }
        | changes
    )
    return SignalsVariant(
        name,
        noise,
        parameters,
        budget,
        apart=parameters.query == "each",
        attained=attained,
        features=parameters.features,
        recordings=parameters.recordings,
        steps=length,
    )


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

    def choosing(
        self, people: int, candidates: tuple[int, ...] = (1, 2, 4), share: float = 0.1
    ) -> CoefficientSignals:
        """Return the mechanism with a choice, for so many people."""
        return replace(self.of(people), candidates=candidates, choice_share=share).mechanism


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
    def of(self, people: int) -> Any:
        return replace(super().of(people), bounds=tuple(map(tuple, self.limits.tolist())))

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        """Only what the noised integers say, beside what is public of the data: no one's rows."""
        noisy = np.stack([array for key, array in values.items() if key[-1] == "noisy"])
        whole = {"noisy": noisy.reshape(self.recordings, self.features, -1)}
        drawn = Drawn(whole, self.event(people), self.of(people).parameters)
        return {key: array for key, array in made.arrays(drawn).items() if key[-1] != "noisy"}

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
        features = 250 // (self.parameters.form.count * self.recordings) + 1
        form = replace(self.parameters.form, series=features * self.recordings)
        parameters = replace(self.parameters, form=form, features=features)
        return replace(self, parameters=parameters, features=features)


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
    parameters = OfSpectralSignals(form, features, recordings, REPLACE, 1, completion)
    return SpectralSignalsVariant(
        name,
        GAUSSIAN,
        parameters,
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
        # Hardly anyone is clipped: the constant is large beside the rest, and the same in everyone.
        spectral_signal_variant("spectral-signals-unclipped", clip=1.0, length=15, cosines=15, attained=0.5),
    ]
