"""The public parameters of a records output (`records.proof.md` says what each means)."""

from __future__ import annotations

from dataclasses import dataclass

from synthrelease.data.attribute import Attribute
from synthrelease.maths.network import Subset, counted_subsets
from synthrelease.privacy.deniability import is_vacuous
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import Sensitivity, joint_counts

# Against "seeded", "exact", "record", "independent", "fixed", "keep".
MARGINALS, DP, PERSON, TREE = "marginals", "dp", "person", "tree"
RANDOMIZED, EXCLUDE = "randomized", "exclude"


@dataclass(frozen=True)
class RecordsParameters:
    """The public parameters of a records output.

    Attributes:
        model: "marginals" (nothing kept of a seed) or "seeded".
        fit: "exact" or "dp".
        noise: of the fit, "laplace" or "gaussian".
        attributes: in the plan's order; the task's label, if any, is the first.
        dependence: "independent" or "tree".
        task: whether the first attribute is the task's label, which is never drawn after a seed.
        per_task: whether each task has a model of its own.
        order: σ, a permutation of the attributes.
        resampled: Ω, the allowed numbers of drawn attributes.
        threshold: "fixed" (Test 1) or "randomized" (Test 2).
        k: plausible seeds asked for.
        gamma: γ of the test.
        epsilon0: ε₀ of a randomized threshold; None for a fixed one.
        counted: what k counts, "person" or "record".
        copies: whether to "keep" or "exclude" records that equal a real one.
        rows: records to publish.
        trials: candidates made at most; with a randomized threshold exactly as many as rows.
        neighbours: the neighbouring relation.
        people: n, public.
    """

    model: str
    fit: str
    attributes: tuple[Attribute, ...]
    order: tuple[int, ...]
    resampled: tuple[int, ...]
    k: int
    gamma: float
    counted: str
    rows: int
    trials: int
    neighbours: Neighbours
    people: int
    noise: str = "laplace"
    dependence: str = "independent"
    task: bool = False
    per_task: bool = False
    threshold: str = "fixed"
    epsilon0: float | None = None
    copies: str = "keep"

    @property
    def categories(self) -> tuple[int, ...]:
        """The number of categories of each attribute."""
        return tuple(attribute.categories for attribute in self.attributes)

    @property
    def tested(self) -> bool:
        """Whether the data is looked at after the fit: not when only a model fitted with noise is sampled."""
        return not (self.model == MARGINALS and self.fit == DP)

    @property
    def randomized(self) -> bool:
        """Whether the test is Test 2."""
        return self.tested and self.threshold == RANDOMIZED

    @property
    def vacuous(self) -> bool:
        """Whether no candidate can fail the test."""
        return is_vacuous(categories=self.categories, order=self.order, resampled=self.resampled, k=self.k)

    @property
    def seeds(self) -> int:
        """People who may be seeds; with a randomized threshold the others, and they alone, make the model."""
        return self.people // 2 if self.randomized else self.people

    @property
    def modelled(self) -> int:
        """People whom the model is fitted on."""
        return self.people - self.seeds if self.randomized else self.people

    def subsets(self) -> list[Subset]:
        """Return the sets of attributes that are counted jointly."""
        return counted_subsets(len(self.attributes), tree=self.dependence == TREE, per_task=self.per_task)

    def sensitivity(self) -> Sensitivity:
        """Return that of all joint counts."""
        return joint_counts(sets=len(self.subsets()), neighbours=self.neighbours)
