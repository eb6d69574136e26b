"""Rows of probabilities under Dirichlet priors: their maximum, their log-density, and draws by them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

__all__ = ["ABSENT", "dirichlet_log", "draw_symbols", "row_ratios"]

ABSENT = 1e-10  # rows: a state with less keeps its parameters


def row_ratios(counts: NDArray, prior: Any, before: NDArray, allowed: NDArray | None = None) -> NDArray:
    """Return rows of counts + prior - 1, each divided by its sum; a row without counts stays as it was."""
    found = np.maximum(counts + (np.asarray(prior, np.float64) - 1), 0.0)
    if allowed is not None:
        found = np.where(allowed, found, 0.0)
    total = found.sum(axis=-1, keepdims=True)
    return np.where(total > ABSENT, found / np.where(total > ABSENT, total, 1.0), before)


def dirichlet_log(probs: NDArray, prior: Any) -> float:
    """Return sum (prior - 1) log p, where the prior is not flat."""
    excess = np.broadcast_to(np.asarray(prior, np.float64) - 1, probs.shape)
    return float(np.where(excess != 0, xlogy(excess, np.maximum(probs, 1e-300)), 0.0).sum())


def draw_symbols(probs: NDArray, states: NDArray, rng: Any) -> NDArray:
    """Return a symbol per state, by the inverse of the cumulated probabilities."""
    cumulated = np.cumsum(probs, axis=1)
    draws = np.asarray(rng.uniform(size=len(states))) * cumulated[states, -1]
    return (draws[:, None] >= cumulated[states]).sum(axis=1).clip(max=probs.shape[1] - 1)
