"""What several calls on the same participants cost together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synthrelease.arrays.release import ArrayRelease
from synthrelease.dp import accounting
from synthrelease.dp.guarantee import Guarantee, NoGuarantee
from synthrelease.errors import ArgumentError


def compose(calls: Sequence[ArrayRelease], *, delta: float = 0.0) -> Guarantee:
    """Return the guarantee of several calls together for a person who is in all of them, composed exactly from their events.

    It holds if all that was to be called was settled before the first result was seen. Who chooses a call after
    seeing others needs a ledger (`synthrelease.Ledger`, docs/howto/budget.md).

    Args:
        calls: every call on these participants, including those whose result was discarded.
        delta: δ at which ε is stated; needed if there is Gaussian noise. Dimensionless, as ε.

    Returns:
        The guarantee; `NoGuarantee` if one of several calls is no differential privacy: k and γ of records say nothing of other calls.

    Raises:
        ArgumentError: no calls, calls under different relations, a call with a test seed, or Gaussian noise without δ.

    Source: `synthrelease/dp/accounting.proof.md`.

    Example:
        >>> from synthrelease.arrays import statistics
        >>> pupil = {"pupil_mm": [3.1, 3.3, 2.9, 4.0]}
        >>> ways = {"person": ["a", "b", "c", "d"], "values": pupil, "bounds": {"pupil_mm": (1.5, 8.0)}}
        >>> one = statistics(**ways, statistics=["mean"], epsilon=0.5)
        >>> other = statistics(**ways, statistics=["median"], epsilon=0.25)
        >>> print(compose([one, other]))
        ε = 0.75 per person (replace-one)
    """
    composable = _composable(calls)
    relation = composable[0].guarantee.neighbours
    if not isinstance(delta, int | float) or not 0 <= delta < 0.5:
        raise ArgumentError(
            "bad-delta",
            "there is no such δ",
            where="compose().delta",
            expected="at least 0, and less than 0.5",
            remedy="write one well below 1/participants, such as delta=1e-6",
        )
    events = [call.event for call in composable]
    without_epsilon = [call for call in composable if not accounting.is_differentially_private(call.event)]
    if without_epsilon and len(composable) > 1:
        reason = "; ".join(f"{call.name}: {call.guarantee}" for call in without_epsilon)
        return NoGuarantee(reason=f"not all calls have an ε ({reason})", neighbours=relation)
    if not without_epsilon and not delta and accounting.parts_of(events).needs_delta:
        raise ArgumentError(
            "gaussian-needs-delta",
            "Gaussian noise has no guarantee with δ = 0",
            where="compose().delta",
            expected="delta > 0",
            remedy="give the δ at which ε is to be stated, such as compose([…], delta=1e-6)",
        )
    return accounting.compose(events, delta=delta, neighbours=relation)


def _composable(calls: object) -> list[ArrayRelease]:
    """All calls, under one relation: a list, since what can be gone through once only would be composed to nothing."""
    several = list(calls) if isinstance(calls, Iterable) and not isinstance(calls, ArrayRelease) else None
    if not several or not all(isinstance(call, ArrayRelease) for call in several):
        empty = several is not None and not several
        raise ArgumentError(
            "nothing-to-compose" if empty else "not-a-list-of-calls",
            "there are no calls to compose" if empty else "not a list of what calls returned",
            where="compose().calls",
            found="" if empty else f"one {type(calls).__name__}",
            expected="one call or more, in a list",
            remedy="write compose([call, another])",
        )
    relations = {call.guarantee.neighbours for call in several}
    if len(relations) != 1:
        raise ArgumentError(
            "mixed-neighbours",
            "the calls are not under one relation",
            where="compose().calls",
            found=", ".join(sorted(relations)),
            expected="one",
            remedy="make all calls with the same neighbours",
        )
    if any(call.test_seed for call in several):
        raise ArgumentError(
            "composed-test-seed",
            "a call was made with a test seed: its noise has no guarantee",
            where="compose().calls",
            expected="noise that no one can repeat",
            remedy="make the calls without test_seed",
        )
    return several
