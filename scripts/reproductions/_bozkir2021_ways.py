"""The eight configurations of the paper, DCFPA with both inverses, and how much of it all to do."""

from __future__ import annotations

from dataclasses import dataclass

from reproductions._bozkir2021_data import Numbers, Study
from reproductions._bozkir2021_paper import PaperParameters


class AsPrinted(PaperParameters):
    """Parameters of DCFPA with Algorithm 1, line 3, as printed, which does not invert the differences."""

    def undifferenced(self, differences: Numbers) -> Numbers:
        """Return D̃_t + D̃_(t−1)."""
        printed = differences.copy()
        printed[..., 1:] += differences[..., :-1]
        return printed


@dataclass(frozen=True)
class Way:
    """A mechanism with its chunk, as the paper names it."""

    name: str
    mechanism: str
    chunk: int | None = None
    kind: type[PaperParameters] = PaperParameters

    def parameters(self, epsilon: float, evaluations: int) -> PaperParameters:
        """Return the paper's parameters, k by the oracle."""
        return self.kind(self.mechanism, epsilon, self.chunk, evaluations=evaluations)


CHUNKS = (32, 64, 128)
LPA, FPA = Way("LPA", "lpa"), Way("FPA", "fpa")
CFPA = tuple(Way(f"CFPA-{chunk}", "cfpa", chunk) for chunk in CHUNKS)
DCFPA = tuple(Way(f"DCFPA-{chunk}", "dcfpa", chunk) for chunk in CHUNKS)
AS_PRINTED = tuple(Way(f"DCFPA-{chunk} as printed", "dcfpa", chunk, AsPrinted) for chunk in CHUNKS)


@dataclass(frozen=True)
class Scale:
    """How much of it to do.

    Attributes:
        epsilons: ε of a feature.
        evaluations: noisy draws of the oracle.
        draws: noisy draws that utility is averaged over.
        classified: noisy draws that accuracies are averaged over, of a data set as large as IER's.
        chunks: how many of the three chunk sizes.
        told: whose releases are classified,
        controls: and whose noise alone.
    """

    epsilons: tuple[float, ...]
    evaluations: int
    draws: int
    classified: int
    chunks: int
    told: tuple[Way, ...]
    controls: tuple[Way, ...]

    @property
    def cfpa(self) -> tuple[Way, ...]:
        """CFPA of every chunk size."""
        return CFPA[: self.chunks]

    @property
    def dcfpa(self) -> tuple[Way, ...]:
        """DCFPA of every chunk size, with the running sum."""
        return DCFPA[: self.chunks]

    @property
    def as_printed(self) -> tuple[Way, ...]:
        """DCFPA of every chunk size, with the inverse as printed."""
        return AS_PRINTED[: self.chunks]

    @property
    def ways(self) -> tuple[Way, ...]:
        """All of them."""
        return (LPA, FPA, *self.cfpa, *self.dcfpa, *self.as_printed)

    def classified_of(self, study: Study) -> int:
        """Draws to classify of a data set: fewer of a larger one."""
        return max(1, self.classified * 15_000 // max(study.count, 15_000))  # IER has 14 037 windows


FULL = Scale(
    (0.01, 0.05, 0.1, 0.5, 1.0),
    evaluations=100,
    draws=100,
    classified=7,  # 20 minutes on two cores
    chunks=3,
    told=(LPA, FPA, *CFPA, *DCFPA, *AS_PRINTED),
    controls=(LPA, FPA, AS_PRINTED[0]),
)
QUICK = Scale(
    (0.01, 1.0),
    evaluations=10,
    draws=10,
    classified=1,
    chunks=1,
    told=(FPA, CFPA[0], DCFPA[0]),
    controls=(FPA,),
)
