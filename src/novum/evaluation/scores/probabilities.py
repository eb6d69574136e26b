r"""Scores of predicted probabilities p_ik of class k: functions of sums over rows, with weights w and W their sum.

    log loss        = - sum_i w_i log p_{i, y_i} / W,     log likelihood = - W log loss                           (1)
    Brier           = sum_i w_i sum_k (p_ik - [y_i = k])^2 / W,   halved for two classes                          (2)
    calibration error = sum_b |sum_{i in b} w_i (o_i - q_i)| / W                                                  (3)

q_i is the probability of the positive class and o_i whether it is positive; with several classes, the largest
probability and whether that class is right. The bins b of (3) have equal width. (1) takes probabilities of at least the
smallest number above zero that 1 - p can show, as scikit-learn does, so that one impossible row does not make it infinite.
"""

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.scores.statistics import RowSums

__all__ = ["PROBABILITY_SCORES", "bin_of", "outcomes_and_probabilities", "probability_sums"]

PROBABILITY_SCORES = ("log_loss", "log_likelihood", "brier", "calibration_error")


def outcomes_and_probabilities(truth: NDArray, proba: NDArray, positive: int | None) -> tuple[NDArray, NDArray]:
    """Return the outcomes o and probabilities q that (3) compares."""
    if positive is not None:
        return (truth == positive).astype(np.float64), proba[:, positive]
    best = proba.argmax(axis=1)
    return (truth == best).astype(np.float64), proba[np.arange(len(best)), best]


def bin_of(q: NDArray, edges: NDArray) -> NDArray:
    """Return the bin of every probability: edges[b] < q <= edges[b + 1], zero in the first."""
    return np.clip(np.searchsorted(edges, q, side="left") - 1, 0, len(edges) - 2)


def probability_sums(
    truth: NDArray, proba: NDArray, weight: NDArray | None, positive: int | None, n_bins: int
) -> RowSums:
    """Return (1) to (3) as functions of sums."""
    n, k = proba.shape
    w = np.ones(n) if weight is None else weight
    tiny = np.finfo(proba.dtype).eps
    likelihood = np.log(np.clip(proba[np.arange(n), truth], tiny, 1 - tiny))
    square = ((proba - (truth[:, None] == np.arange(k))) ** 2).sum(axis=1) / (2 if k == 2 else 1)
    outcome, q = outcomes_and_probabilities(truth, proba, positive)
    place = bin_of(q, np.linspace(0, 1, n_bins + 1))
    occupied = np.unique(place)
    gaps = [np.where(place == b, w * (outcome - q), 0.0) for b in occupied]

    def function(S: NDArray) -> NDArray:
        total = S[..., 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.abs(S[..., 3:]).sum(axis=-1) / total
            return np.stack([-S[..., 1] / total, S[..., 1], S[..., 2] / total, error], axis=-1)

    return RowSums(PROBABILITY_SCORES, np.stack([w, w * likelihood, w * square, *gaps]), function)
