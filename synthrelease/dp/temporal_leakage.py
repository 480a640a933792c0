"""What event-level releases leak of one moment, to an adversary who knows how the moments depend on each other.

A person's states l_1 … l_T follow a declared Markov chain, and the release of step t is ε_t-differentially private in
l_t. Releases of other steps leak l_t too: the earlier ones by the backward correlation Pr(l_{t−1} | l_t), the
later ones by the forward correlation Pr(l_{t+1} | l_t). (Cao, Yoshikawa, Xiao & Xiong 2017, "Quantifying
differential privacy under temporal correlations", ICDE, https://arxiv.org/abs/1610.07543.)

The guarantee of a person's whole series, Σ ε_t, does not care about the chain: nothing here adds to it.

With α nats leaked of the step before, rows q and d of the matrix, and a set S of its columns, x = e^α − 1,

    L(α) = max over pairs of rows and over S of ln[(1 + x·q_S)/(1 + x·d_S)],    q_S = Σ_{j∈S} q_j.

The best S is a prefix of the columns in decreasing order of q_j/d_j. Let ρ be the largest ratio. Then
(1 + x·q_S) − ρ(1 + x·d_S) ≤ 0 for every S, and 0 for the best; what is on the left is 1 − ρ + x·Σ_{j∈S} (q_j − ρd_j),
largest for S = {j: q_j > ρd_j}. So that prefix attains ρ. Which prefix it is depends on α, the prefixes do not: their
sums (q_S, d_S) are found once, and of two the one with no more q_S and no less d_S is dropped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]

_SUM = 1e-9  # how far from 1 the sum of a row may be: decimals of a declared matrix are rounded
_LARGEST = 700.0  # above, e^α leaves the floating-point numbers, and e^α − 1 is e^α


@dataclass(frozen=True, eq=False)
class Leakage:
    """What leaks of each step, in nats, shape (T,) each."""

    backward: Numbers  # BPL_t, by the releases up to and with step t
    forward: Numbers  # FPL_t, by the releases from step t on
    total: Numbers  # TPL_t, by all of them


def temporal_leakage(
    transitions: ArrayLike, epsilons: ArrayLike, *, backward: ArrayLike | None = None
) -> Leakage:
    """Return the temporal privacy leakage of event-level releases under a declared Markov chain.

    BPL_1 = ε_1, BPL_t = L_B(BPL_{t−1}) + ε_t;  FPL_T = ε_T, FPL_t = L_F(FPL_{t+1}) + ε_t;  TPL_t = BPL_t + FPL_t − ε_t,
    with L of this module for the backward and the forward matrix. An upper bound for every mechanism that is ε_t-private in
    l_t and draws fresh noise at every step; in a series of two steps some attain it. Rounding errs by a few parts in 10¹⁶
    a step.

    Args:
        transitions: P, forward correlation: row i is Pr(l_t | l_{t−1} = i), shape (states, states).
        epsilons: ε_t ≥ 0 of each step, shape (T,).
        backward: backward correlation: row i is Pr(l_{t−1} | l_t = i), shape (states, states). None uses P for
            both directions. Of a stationary chain that is right if and only if it is reversible, π_i·P_ij = π_j·P_ji, as
            every stationary chain of two states and every symmetric P is; else give `reversed_transitions(P)`. A chain
            that is not stationary has, as a rule, another backward correlation at every step; then neither is right.

    Raises:
        ValueError: a matrix is not square, has a negative or non-finite entry, or a row whose sum is not within 1e-9 of 1;
            the two matrices differ in shape; or ε is not a list of finite numbers ≥ 0.

    Source: Cao et al. 2017, backward, forward and total privacy leakage; Theorem 4 for the best S.
    """
    forward_rows = _rows(transitions, "transitions")
    ahead = _sums(forward_rows)
    behind = ahead
    if backward is not None:
        backward_rows = _rows(backward, "backward")
        if backward_rows.shape != forward_rows.shape:
            raise ValueError(
                f"Expected backward of the shape of transitions, found {backward_rows.shape} and {forward_rows.shape}"
            )
        behind = _sums(backward_rows)
    spent = np.asarray(epsilons, dtype=np.float64)
    if spent.ndim != 1 or not spent.size:
        raise ValueError(f"Expected epsilons of shape (T,) with T >= 1, found shape {spent.shape}")
    bad = spent[~(np.isfinite(spent) & (spent >= 0))]
    if bad.size:
        raise ValueError(f"Expected epsilons >= 0 and finite, found {bad[0]}")
    bpl = _accumulated(behind, spent)
    fpl = _accumulated(ahead, spent[::-1])[::-1]
    return Leakage(bpl, fpl, bpl + fpl - spent)


def reversed_transitions(transitions: ArrayLike) -> Numbers:
    """Return the backward correlation of the stationary chain, probabilities, Pr(l_{t−1} = j | l_t = i) = π_j·P_ji/π_i.

    π is stationary: π = πP. There may be many, one for each mixture of the closed classes, and all give this matrix. Of a
    transient state nothing follows, for π_i = 0.

    Args:
        transitions: P, shape (states, states), rows summing to 1.

    Raises:
        ValueError: as `temporal_leakage`; or a state is transient: the chain can leave it for good.
    """
    rows = _rows(transitions, "transitions")
    reached = (rows > 0) | np.eye(len(rows), dtype=bool)
    for _ in range(len(rows).bit_length()):
        reached = reached.astype(np.float64) @ reached > 0
    transient = np.flatnonzero((reached & ~reached.T).any(axis=1))
    if transient.size:
        raise ValueError(
            f"Expected transitions without transient states, found that state {transient[0]} can be left for good"
        )
    pi = _stationary(rows)
    out = rows.T * pi / pi[:, None]
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _stationary(rows: Numbers) -> Numbers:
    """π without subtraction, each closed class by itself from its first state (Grassmann, Taksar & Heyman 1985)."""
    p, pi = rows.copy(), np.ones(len(rows))
    leaves = np.zeros(len(rows))
    for k in range(len(rows) - 1, 0, -1):
        leaves[k] = p[k, :k].sum()
        if leaves[k] > 0:
            p[:k, k] /= leaves[k]
            p[:k, :k] += np.outer(p[:k, k], p[k, :k])
    for k in range(1, len(rows)):
        if leaves[k] > 0:
            pi[k] = pi[:k] @ p[:k, k]
    return pi


def _accumulated(sums: tuple[Numbers, Numbers], spent: Numbers) -> Numbers:
    """α_1 = ε_1, α_t = L(α_{t−1}) + ε_t."""
    out = np.empty(len(spent))
    alpha = 0.0
    for t, epsilon in enumerate(spent):
        alpha = _increase(sums, alpha) + epsilon
        out[t] = alpha
    return out


def _increase(sums: tuple[Numbers, Numbers], alpha: float) -> float:
    """L(α)."""
    q, d = sums
    if not q.size:
        return 0.0
    if alpha <= _LARGEST:
        x = math.expm1(alpha)
        return math.log1p(float(np.max(x * (q - d) / (1 + x * d))))
    with np.errstate(divide="ignore"):
        gained = np.logaddexp(0.0, alpha + np.log(q)) - np.logaddexp(0.0, alpha + np.log(d))
    return float(gained.max())


def _sums(rows: Numbers) -> tuple[Numbers, Numbers]:
    """(q_S, d_S) of the prefixes of all pairs of rows, without those that another beats at every α; q_S > d_S."""
    best_q, best_d = np.empty(0), np.empty(0)
    for row in rows:
        with np.errstate(divide="ignore", over="ignore"):
            ratio = np.divide(row, rows, out=np.zeros_like(rows), where=row > 0)
        order = np.argsort(-ratio, axis=1, kind="stable")[:, :-1]  # all columns together gain nothing
        q = np.cumsum(row[order], axis=1)
        d = np.cumsum(np.take_along_axis(rows, order, axis=1), axis=1)
        useful = q > d
        best_q, best_d = np.append(best_q, q[useful]), np.append(best_d, d[useful])
        by_d = np.lexsort((-best_q, best_d))
        best_q, best_d = best_q[by_d], best_d[by_d]
        largest = np.maximum.accumulate(np.append(0.0, best_q))
        better = best_q > largest[:-1]
        best_q, best_d = best_q[better], best_d[better]
    return best_q, best_d


def _rows(matrix: ArrayLike, name: str) -> Numbers:
    """A row-stochastic matrix, its rows summing to 1 as nearly as can be."""
    rows = np.asarray(matrix, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != rows.shape[1] or not rows.size:
        raise ValueError(f"Expected {name} to be a square matrix, found shape {rows.shape}")
    bad = np.argwhere(~(np.isfinite(rows) & (rows >= 0)))
    if bad.size:
        i, j = bad[0]
        raise ValueError(f"Expected {name} >= 0 and finite, found {rows[i, j]} in row {i}, column {j}")
    total = rows.sum(axis=1)
    i = int(np.argmax(np.abs(total - 1)))
    if abs(total[i] - 1) > _SUM:
        raise ValueError(f"Expected rows of {name} to sum to 1 within {_SUM}, found {total[i]} in row {i}")
    return np.asarray(rows / total[:, None])
