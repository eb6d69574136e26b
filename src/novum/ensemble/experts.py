"""What several experts and their gate say together: (3) of novum.ensemble.mixture_of_experts, and where EM begins."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.cluster import KMeans
from novum.ensemble.gate import Gate, log_gate
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.random import Stream

__all__ = [
    "ExpertsState",
    "class_shares",
    "each_mean",
    "fitted_experts",
    "mean_and_std",
    "plain",
    "starting_shares",
    "trust",
]

SURE = 0.9  # responsibility of the nearest cluster at the start


class ExpertsState(NamedTuple):
    """Everything that EM changes."""

    gate: Gate
    experts: list[Any]
    variance: NDArray | None  # (K,), for numbers


def fitted_experts(state: ExpertsState) -> dict[str, Any]:
    """Return the fitted attributes that a state stands for."""
    gate = dict(zip(("gate_mean_", "gate_scale_", "gate_coef_"), state.gate))
    spread = {} if state.variance is None else {"variance_": state.variance}
    return {"experts_": state.experts, **gate, **spread}


def plain(_: Any, block: Block) -> NDArray:
    """Return the rows of a block as an array."""
    return arrays.to_numpy(block.X)


def each_mean(experts: list[Any], X: NDArray) -> NDArray:
    """Return h_k(x) (n, K)."""
    return np.column_stack([expert.predict(X) for expert in experts])


def trust(state: ExpertsState, block: Block) -> NDArray:
    """Return g_k(x) of every row (n, K), in its dtype."""
    X = plain(None, block)
    return np.exp(log_gate(state.gate, X.astype(np.float64, copy=False))).astype(X.dtype, copy=False)


def mean_and_std(state: ExpertsState, block: Block) -> NDArray:
    """Return the mean and the standard deviation of (3) of every row (n, 2), in its dtype."""
    rows = plain(None, block)
    X = rows.astype(np.float64, copy=False)
    share, means = np.exp(log_gate(state.gate, X)), each_mean(state.experts, X)
    mean = (share * means).sum(axis=1)
    variance = (share * (state.variance + (means - mean[:, None]) ** 2)).sum(axis=1)
    return np.column_stack([mean, np.sqrt(variance)]).astype(rows.dtype, copy=False)


def class_shares(state: ExpertsState, block: Block) -> NDArray:
    """Return (3) for every class (n, C), in the dtype of the rows."""
    rows = plain(None, block)
    X = rows.astype(np.float64, copy=False)
    each = np.stack([expert.predict_proba(X) for expert in state.experts])
    return np.einsum("nk,knc->nc", np.exp(log_gate(state.gate, X)), each).astype(rows.dtype, copy=False)


def starting_shares(X: NDArray, target: NDArray, k: int, stream: Stream, start: int) -> NDArray:
    """Return responsibilities (n, K) to begin with: mostly those of a cluster, or of a cell of random centers."""
    table = np.column_stack([X, target])
    scale = table.std(axis=0)
    table = (table - table.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    centers = table[stream.permutation("centers", start, len(table))[:k]]
    if start == 0 and len(np.unique(table, axis=0)) >= k:
        centers = KMeans(k, n_init=1, random_state=stream.seed % 2**31).fit(table).cluster_centers_
    nearest = ((table[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    out = np.full((len(table), k), (1 - SURE) / max(1, k - 1))
    out[np.arange(len(table)), nearest] = SURE if k > 1 else 1.0
    return out
