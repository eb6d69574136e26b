r"""Chains of order M over K states: a context is the last M states, numbered c = x[1] K^{M-1} + ... + x[M].

T[c, k] = p(x[t] = k | context c) = (n[c, k] + alpha) / (n[c] + alpha K)                                 (1)
log p(x) = log p(first context) + sum over t of log T[c[t], x[t]]                                        (2)
free numbers: K^M - 1 for the first context, K^M (K - 1) for the rest; (N - M) times as many rows of their own     (3)
order one: y[t] = (x[t], ..., x[t+M-1]); y -> y' has T[y, last of y'] if they overlap, else 0            (4)
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError

__all__ = [
    "Counts",
    "advanced",
    "count_parameters",
    "counts_of",
    "first_states",
    "probabilities",
    "reduced_matrix",
    "sequence_log_probability",
    "windows",
]

Array = NDArray[Any]
Codes = NDArray[np.int64]
LONGEST = 10_000  # states of a context
MOST_CELLS = 2**28  # of a table of counts: 2 GiB


class Counts:
    """Weighted numbers of transitions (steps, K^M, K) and of first contexts (K^M,)."""

    def __init__(self, transitions: Array, first: Array) -> None:
        self.transitions, self.first = transitions, first


def check_cells(owner: str, k: int, order: int, steps: int) -> int:
    """Return K^M, or raise where the table would not fit."""
    if order > LONGEST or k ** min(order, 64) * k * steps > MOST_CELLS:  # never the power itself, which may have no end
        count = f"{k**order}" if order <= 64 else f"{k}^{order}"
        raise ParameterError(
            f"{owner}(order={order}): {k} states make {count} contexts, too many for a table; lower order."
        )
    return int(k**order)


def windows(codes: Codes, k: int, order: int) -> Codes:
    """Return the contexts before every state from place `order` on, and after the last: len(codes) - order + 1 of them."""
    found = np.zeros(len(codes) - order + 1, dtype=np.int64)
    for i in range(order):
        found = found * k + codes[i : len(codes) - order + 1 + i]
    return found


def counts_of(owner: str, sequences: Sequence[Codes], weights: Array, k: int, order: int, homogeneous: bool) -> Counts:
    """Return the counts of (1), one table for all places or one for each."""
    lengths = {len(codes) for codes in sequences}
    if not homogeneous and (len(lengths) > 1 or max(lengths) <= order):
        raise DataError(
            f"{owner}(homogeneous=False): a table for every place needs sequences of one length above order={order}; got lengths "
            f"{sorted(lengths)[:5]}."
        )
    steps = 1 if homogeneous else max(lengths) - order
    contexts = check_cells(owner, k, order, steps)
    transitions, first = np.zeros(steps * contexts * k), np.zeros(contexts)
    for codes, weight in zip(sequences, weights):
        if len(codes) < order:
            continue
        context = windows(codes, k, order)
        first[context[0]] += weight
        cells = context[:-1] * k + codes[order:]
        if not homogeneous:
            cells = cells + np.arange(len(cells)) * contexts * k
        transitions += weight * np.bincount(cells, minlength=len(transitions))
    return Counts(transitions.reshape(steps, contexts, k), first)


def probabilities(counts: Array, smoothing: float) -> tuple[Array, NDArray[np.bool_]]:
    """Return (1), and which rows have no count at all: they are uniform."""
    total = counts.sum(axis=-1, keepdims=True) + smoothing * counts.shape[-1]
    empty = total[..., 0] == 0
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(total > 0, (counts + smoothing) / total, 1 / counts.shape[-1])
    return found, empty


def count_parameters(k: int, order: int, steps: int = 1) -> tuple[int, int]:
    """Return (3): the free numbers of the first context and of the transitions."""
    if order == 0:
        return (k - 1) * steps, 0
    return k**order - 1, k**order * (k - 1) * steps


def first_states(initial: Array, k: int, order: int, length: int) -> Array:
    """Return the distribution of the first `length` < M states, a number per context of that length."""
    return initial.reshape(k**length, -1).sum(axis=1)


def sequence_log_probability(codes: Codes, transition: Array, initial: Array, k: int, order: int) -> float:
    """Return (2)."""
    with np.errstate(divide="ignore"):
        if len(codes) < order:
            distribution = first_states(initial, k, order, len(codes))
            return float(np.log(distribution[windows(codes, k, len(codes))[0]]))
        context = windows(codes, k, order)
        step = 0 if len(transition) == 1 else np.arange(len(codes) - order)
        return float(np.log(initial[context[0]]) + np.log(transition[step, context[:-1], codes[order:]]).sum())


def advanced(distribution: Array, transition: Array, k: int) -> Array:
    """Return the distribution of the next context, given that of this one."""
    joint = distribution[:, None] * transition  # (K^M, K)
    return joint.reshape(k, -1).sum(axis=0) if len(distribution) > 1 else np.ones(1)


def reduced_matrix(transition: Array, k: int) -> scipy.sparse.csr_array:
    """Return (4), sparse."""
    contexts = len(transition)
    here = np.repeat(np.arange(contexts), k)
    there = (here * k + np.tile(np.arange(k), contexts)) % contexts if contexts > 1 else np.zeros(k, dtype=np.int64)
    if contexts == 1:  # order zero: every state is drawn anew
        return scipy.sparse.csr_array(np.repeat(transition, k, axis=0))
    found = scipy.sparse.csr_array((transition.ravel(), (here, there)), shape=(contexts, contexts))
    found.eliminate_zeros()
    return found
