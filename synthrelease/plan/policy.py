"""What a curator, an archive or a review board asks of every release: a TOML file, checked before and after a build."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.bundle.finding import Finding
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.event import DeniabilityTest, Event, RandomizedTest, flatten
from synthrelease.dp.guarantee import ApproxDP, Guarantee, Neighbours, PlausibleDeniability, PureDP
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.errors import PolicyError
from synthrelease.plan.settings_file import read_settings

# A policy that limits ε accepts only outputs that have one, unless it lists the guarantees that it accepts.
_SPENDING, _PRIVATE = {"max_epsilon", "max_delta", "max_epsilon_of_dataset"}, [PureDP.kind, ApproxDP.kind]


@dataclass(frozen=True)
class OutputGuarantee:
    """What a policy asks about an output."""

    name: str  # the output's
    mechanism: dict[str, Any]  # the manifest's entry: name, parameters, public inputs
    guarantee: Guarantee  # of it by itself
    event: Event  # what is done


@dataclass(frozen=True)
class ReleaseGuarantees:
    """What a policy limits of a release, planned or made."""

    neighbours: str  # the relation
    guarantee: Guarantee  # of all differentially private outputs together
    outputs: Sequence[OutputGuarantee]  # each by itself
    dataset_epsilon: float | None  # ε of all releases of the dataset; None if it is not tracked
    dataset_delta: float | None = None  # δ at which that is; None if it is not tracked

    @classmethod
    def from_manifest(cls, manifest: dict[str, Any]) -> ReleaseGuarantees:
        """Read the guarantees of a bundle's manifest."""
        privacy, spent = manifest["privacy"], manifest["ledger"]
        return cls(
            privacy["neighbours"],
            guarantee_from_json(privacy["guarantee"]),
            [
                OutputGuarantee(
                    output["name"],
                    output["mechanism"],
                    guarantee_from_json(output["guarantee"]),
                    events.from_json(output["event"]),
                )
                for output in manifest["outputs"]
            ],
            None if spent is None else spent["spent_after"],
            None if spent is None else spent["delta"],
        )


@dataclass(frozen=True)
class Policy:
    """A policy that has been read."""

    path: Path  # the file
    limits: dict[str, Any]  # the keys of `schemas/policy-v1.schema.json` that it states

    @property
    def most_epsilon_of_dataset(self) -> float | None:
        """The limit for ε of all releases of a dataset, if there is one."""
        most: float | None = self.limits.get("max_epsilon_of_dataset")
        return most

    @property
    def required_attacks(self) -> list[str]:
        """Attacks to run before publishing, which no bundle shows."""
        attacks: list[str] = self.limits.get("required_attacks", [])
        return attacks

    def breaches(self, release: ReleaseGuarantees) -> list[str]:
        """Return where a release violates the policy, in sentences."""
        return [*self._of_release(release), *self._of_outputs(release)]

    def require(self, release: ReleaseGuarantees) -> None:
        """Refuse a release that violates the policy.

        Raises:
            PolicyError: it is not; all breaches are named.
        """
        breaches = self.breaches(release)
        if breaches:
            raise PolicyError(
                "policy-violated",
                f"the release violates the policy '{self.limits['name']}'",
                where=str(self.path),
                found="; ".join(breaches),
                remedy="change the plan, or ask the authors of the policy",
            )

    def _of_release(self, release: ReleaseGuarantees) -> Iterator[str]:
        limits = self.limits
        private = any(output.guarantee.kind in _PRIVATE for output in release.outputs)
        if private and release.guarantee.kind not in _PRIVATE and _SPENDING & set(limits):
            yield "all outputs together have no ε"
        for key, letter in (("epsilon", "ε"), ("delta", "δ")):
            value, most = getattr(release.guarantee, key, None) or 0.0, limits.get(f"max_{key}")
            if most is not None and value > most:
                yield f"{letter} = {value:g} exceeds the limit {most:g}"
        yield from self._of_noise_beside_tests(release)
        if release.neighbours not in limits.get("neighbours", [release.neighbours]):
            yield f"the neighbouring relation is {release.neighbours}, required: {' or '.join(limits['neighbours'])}"
        spent, most = release.dataset_epsilon, limits.get("max_epsilon_of_dataset")
        if spent is None and (limits.get("require_ledger", False) or most is not None):
            yield "no ledger tracks the budget across releases"
        elif spent is not None and most is not None and spent > most:
            yield f"ε = {spent:g} of all releases together exceeds the limit {most:g}"
        delta, most = release.dataset_delta, limits.get("max_delta")
        if delta is not None and most is not None and delta > most:
            yield f"δ = {delta:g} of all releases together exceeds the limit {most:g}"

    def _of_noise_beside_tests(self, release: ReleaseGuarantees) -> Iterator[str]:
        """Noise that no stated ε covers, such as that of a model under a deniability test, is based on the data, too."""
        most, delta = self.limits.get("max_epsilon"), self.limits.get("max_delta", 0.0)
        beside = (output.event for output in release.outputs if output.guarantee.kind not in _PRIVATE)
        if most is None or not any(map(accounting.protected_part, beside)):
            return
        all_of_it = [output.event for output in release.outputs]
        epsilon = accounting.epsilon_at(
            all_of_it, delta=delta, neighbours=Neighbours(release.neighbours), budget=most
        )
        if epsilon > most:
            noise = "all noise, including noise next to deniability tests,"
            if math.isinf(epsilon):
                yield f"{noise} has no ε, limit {most:g} at δ = {delta:g}"
            else:
                yield f"ε = {epsilon:g} of {noise} exceeds the limit {most:g} at δ = {delta:g}"

    def _of_outputs(self, release: ReleaseGuarantees) -> Iterator[str]:
        for output in release.outputs:
            for breach in self._of_output(output):
                yield f"{output.name}: {breach}"

    def _of_output(self, output: OutputGuarantee) -> Iterator[str]:
        limits, guarantee = self.limits, output.guarantee
        people, least = output.mechanism["public_inputs"]["people"], limits.get("least_people")
        if least is not None and people is None:
            yield f"the number of participants is private, required: at least {least}"
        elif least is not None and people < least:
            yield f"{people} participants, required: at least {least}"
        most = limits.get("max_delta")
        delta = getattr(guarantee, "delta", 0.0)
        if most is not None and delta > most:
            yield f"δ = {delta:g} exceeds the limit {most:g}"
        kinds = limits.get("guarantees", _PRIVATE if _SPENDING & set(limits) else [guarantee.kind])
        if guarantee.kind not in kinds:
            yield f"the guarantee is {guarantee.kind}, required: {' or '.join(kinds)}"
        names = {output.mechanism["name"], output.mechanism["parameters"].get("calibration")}
        names |= {leaf.type for leaf in flatten(output.event)}
        for name in sorted(names & set(limits.get("forbidden_mechanisms", []))):
            yield f"{name} is forbidden"
        tests = [leaf for leaf in flatten(output.event) if isinstance(leaf, DeniabilityTest | RandomizedTest)]
        for test in tests:
            yield from self._of_test(test)
        if (
            isinstance(guarantee, PlausibleDeniability)
            and guarantee.vacuous
            and {"least_k", "max_gamma"} & set(limits)
        ):
            yield "a deniability test that cannot fail"

    def _of_test(self, test: DeniabilityTest | RandomizedTest) -> Iterator[str]:
        least, most = self.limits.get("least_k"), self.limits.get("max_gamma")
        counted = test.counted if isinstance(test, DeniabilityTest) else "person"
        if least is not None and (test.k < least or counted != "person"):
            yield f"k = {test.k} (each a {counted}), required: at least {least} participants"
        if most is not None and test.gamma > most:
            yield f"γ = {test.gamma:g} exceeds the limit {most:g}"


def policy_findings(policy: Policy, manifest: dict[str, Any]) -> list[Finding]:
    """Return where a bundle, which has been verified, violates a policy."""
    return [
        Finding("policy", "", breach) for breach in policy.breaches(ReleaseGuarantees.from_manifest(manifest))
    ]


def load_policy(path: str | Path) -> Policy:
    """Read and check a policy.

    Raises:
        PlanError: it is not TOML, or does not fit the schema.
        MachineError: it may not be read.
    """
    document, _ = read_settings(Path(path), "policy")
    return Policy(Path(path), document["policy"])
