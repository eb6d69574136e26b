r"""The structure of the best score, by dynamic programming over sets of variables (Silander and Myllymaki 2006).

    b_j(C) = max { s(j | P) : P a subset of C, |P| <= max_parents } = max( s(j | C), max_{c in C} b_j(C - c) )       (1)
    B(W) = max_{j in W} B(W - j) + b_j(W - j),      B({}) = 0: some j is a sink of the best graph over W             (2)

B over all variables is the best score, the sinks taken on the way give the graph. n 2^(n-1) cells of (1), as many steps of (2).
"""

from collections.abc import Iterable
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import in_bytes
from novum.exceptions import ParameterError
from novum.graphical.structure_learning.learner import ARCS, SCORED, StructureLearner
from novum.graphical.structure_learning.scores import LocalScores, arcs_of

__all__ = ["ExactSearch", "local_table"]

Array = NDArray[np.float64]
MOST_SCORES = 4_000_000  # local scores: minutes on ten thousand rows
MOST_BYTES = 2 << 30
BYTES_PER_CELL = 12  # a score and the set that has it


def without(masks: NDArray[np.int64], j: int) -> NDArray[np.int64]:
    """Return sets as bits with the place of j left out; they must not hold j."""
    low = (1 << j) - 1
    return (masks & low) | ((masks >> (j + 1)) << j)


def local_table(
    scores: LocalScores, j: int, n: int, most: int, required: frozenset[int], allowed: frozenset[int]
) -> Array:
    """Return s(j | P) for all sets P of the others, as bits with the place of j left out; -inf where P is not allowed."""
    others = [i for i in range(n) if i != j]
    out = np.full(1 << (n - 1), -np.inf)
    free = sorted(allowed - required)
    sets = [
        required | set(chosen)
        for size in range(max(most - len(required), -1) + 1)
        for chosen in combinations(free, size)
    ]
    if sets:
        bit = {i: 1 << place for place, i in enumerate(others)}
        at = np.array([sum(bit[i] for i in one) for one in sets], dtype=np.int64)
        out[at] = scores.many(j, [frozenset(one) for one in sets])
    return out


def best_subsets(table: Array) -> tuple[Array, NDArray[np.int32]]:
    """Return (1) for every set, and the subset that has it."""
    best, chosen = table.copy(), np.arange(len(table), dtype=np.int32)
    half = 1
    while half < len(table):
        value, subset = best.reshape(-1, 2, half), chosen.reshape(-1, 2, half)
        better = value[:, 0] >= value[:, 1]  # the smaller set where both score the same
        np.copyto(value[:, 1], value[:, 0], where=better)
        np.copyto(subset[:, 1], subset[:, 0], where=better)
        half *= 2
    return best, chosen


def best_sinks(best: list[Array]) -> tuple[Array, NDArray[np.int8]]:
    """Return (2) for every set, and its sink."""
    n = len(best)
    total, sink = np.full(1 << n, -np.inf), np.full(1 << n, -1, dtype=np.int8)
    total[0] = 0.0
    masks = np.arange(1 << n, dtype=np.int64)
    size = np.bitwise_count(masks)
    for k in range(1, n + 1):
        layer = masks[size == k]
        for j in range(n):
            held = layer[(layer >> j) & 1 == 1]
            rest = held ^ (1 << j)
            value = total[rest] + best[j][without(rest, j)]
            better = value > total[held]
            total[held[better]], sink[held[better]] = value[better], j
    return total, sink


class ExactSearch(StructureLearner):
    """The graph of the best score of all, for up to about twenty variables.

    Parameters
    ----------
    scoring : {"bic", "aic", "bdeu", "k2", "log_likelihood"}, default="bic"
    equivalent_sample_size : float, default=1
        Of BDeu.
    max_parents : int, optional
        With many variables needed: n 2^(n-1) local scores without it.
    required, forbidden : iterables of arcs (parent, child), optional

    Attributes
    ----------
    dag_ : DAG
        One of the best graphs: equivalent ones have the same score (but for K2).
    score_ : float
    states_ : dict of variable to tuple
        Its states.
    n_scores_ : int
        Local scores that were computed.

    Examples
    --------
    >>> from novum.graphical import ExactSearch
    >>> rows = {"X1": list("TTTFTTT"), "X2": list("RRGRBBB"), "X3": list("FFTFTTT")}
    >>> print(ExactSearch("k2").fit(rows, states={"X1": "TF", "X2": "RGB", "X3": "TF"}))
    ExactSearch(scoring='k2'): X3 -> X2, X1 -> X3; score -15.7694
    """

    _domains = {**SCORED, "required": ARCS, "forbidden": ARCS}

    def __init__(
        self,
        scoring: str = "bic",
        *,
        equivalent_sample_size: float = 1.0,
        max_parents: int | None = None,
        required: Iterable[Any] | None = None,
        forbidden: Iterable[Any] | None = None,
    ) -> None:
        self.scoring = scoring
        self.equivalent_sample_size = equivalent_sample_size
        self.max_parents = max_parents
        self.required = required
        self.forbidden = forbidden

    def _search(self, owner: str, scores: LocalScores, names: tuple[Any, ...]) -> list[frozenset[int]]:
        n = len(names)
        most = n - 1 if self.max_parents is None else self.max_parents
        count = n * sum(comb(n - 1, k) for k in range(min(most, n - 1) + 1))
        size = n * BYTES_PER_CELL * 2 ** (n - 1) + 9 * 2**n
        if size > MOST_BYTES or count > MOST_SCORES:
            remedy = "use HillClimb" if size > MOST_BYTES else "set max_parents, or use HillClimb"
            raise ParameterError(
                f"{owner}: {n} variables with at most {min(most, n - 1)} parents need {count:,} local scores and "
                f"{in_bytes(size)}; {remedy}."
            )
        needed = arcs_of(owner, "required", self.required, names)
        banned = arcs_of(owner, "forbidden", self.forbidden, names)
        if needed & banned:
            i, j = min(needed & banned)
            raise ParameterError(f"{owner}: the arc {names[i]} -> {names[j]} is required and forbidden.")
        tables = []
        for j in range(n):
            fixed = frozenset(i for i, k in needed if k == j)
            allowed = frozenset(i for i in range(n) if i != j and (i, j) not in banned)
            tables.append(best_subsets(local_table(scores, j, n, most, fixed, allowed)))
        total, sink = best_sinks([best for best, _ in tables])
        if total[-1] == -np.inf:
            raise ParameterError(
                f"{owner}: no graph has the required arcs, with at most {most} parents and tables of a size that can be counted."
            )
        parents: list[frozenset[int]] = [frozenset()] * n
        left = (1 << n) - 1
        while left:
            j = int(sink[left])
            left ^= 1 << j
            place = int(without(np.array([left]), j)[0])
            found = int(tables[j][1][place])
            others = [i for i in range(n) if i != j]
            parents[j] = frozenset(others[b] for b in range(n - 1) if found >> b & 1)
        return parents
