r"""Scores of predicted labels: functions of the confusion table n_ij, the weight of rows of class i predicted as j.

    TP_i = n_ii,   FP_i = sum_{j != i} n_ji,   FN_i = sum_{j != i} n_ij,   TN_i = n - TP_i - FP_i - FN_i                  (1)
    accuracy = sum_i n_ii / n   (MAcc with several classes),     error = 1 - accuracy                                    (2)
    precision_i = TP_i / (TP_i + FP_i),   recall_i = TP_i / (TP_i + FN_i),   F_i = (1 + b^2) P_i R_i / (b^2 P_i + R_i)    (3)
    balanced accuracy = mean_i recall_i   (with two classes: every positive counts N/P times as much as a negative)      (4)
    cost = sum_ij C_ij n_ij / n                                                                                          (5)
    matthews = (n sum_i n_ii - sum_i t_i p_i) / sqrt((n^2 - sum p_i^2)(n^2 - sum t_i^2)),   t, p the margins             (6)

Averages over classes ("macro") leave out classes that neither occur nor are predicted; balanced accuracy those that do not
occur. A ratio of nothing to nothing takes the value `zero_division`.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.scores.statistics import Cells

__all__ = ["BINARY_SCORES", "MULTICLASS_SCORES", "confusion_cells", "one_against_rest", "ratio"]

BINARY_SCORES = (
    "accuracy",
    "error",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "f_score",
    "matthews",
)
MULTICLASS_SCORES = (
    "accuracy",
    "error",
    "balanced_accuracy",
    "macro_precision",
    "macro_recall",
    "macro_f_score",
    "matthews",
)


def ratio(above: NDArray, below: NDArray, zero_division: float) -> NDArray:
    """Return above / below, and `zero_division` for 0/0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / np.where(below > 0, below, 1.0), zero_division)


def one_against_rest(table: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return TP, FP, FN and TN (1) of every class, for tables (..., K, K)."""
    hit = np.diagonal(table, axis1=-2, axis2=-1)
    false = table.sum(axis=-2) - hit
    missed = table.sum(axis=-1) - hit
    return hit, false, missed, table.sum(axis=(-2, -1))[..., None] - hit - false - missed


def f_scores(table: NDArray, beta: float, zero_division: float) -> NDArray:
    """Return F (3) of every class."""
    hit, false, missed, _ = one_against_rest(table)
    return ratio((1 + beta**2) * hit, (1 + beta**2) * hit + beta**2 * missed + false, zero_division)


def class_average(values: NDArray, counted: NDArray) -> NDArray:
    """Return the mean over the classes that count."""
    number = counted.sum(axis=-1)
    return np.where(counted, values, 0.0).sum(axis=-1) / np.where(number > 0, number, 1)


def matthews(table: NDArray) -> NDArray:
    """Return (6); 0 where a margin is degenerate, as in scikit-learn."""
    n, truth, predicted = table.sum(axis=(-2, -1)), table.sum(axis=-1), table.sum(axis=-2)
    agreement = np.diagonal(table, axis1=-2, axis2=-1).sum(axis=-1) * n - (truth * predicted).sum(axis=-1)
    variances = (n**2 - (predicted**2).sum(axis=-1)) * (n**2 - (truth**2).sum(axis=-1))
    return ratio(agreement, np.sqrt(np.maximum(variances, 0.0)), 0.0)


def scores_of(S: NDArray, k: int, positive: int | None, beta: float, zero: float, cost: NDArray | None) -> NDArray:
    """Return the scores by the order of their names, for stacks (..., K K) of tables."""
    table = S.reshape(*S.shape[:-1], k, k)
    hit, false, missed, rest = one_against_rest(table)
    n = table.sum(axis=(-2, -1))
    accuracy = ratio(hit.sum(axis=-1), n, zero)
    occurs, predicted = hit + missed > 0, hit + false > 0
    recall, precision = ratio(hit, hit + missed, zero), ratio(hit, hit + false, zero)
    f_score, balanced = f_scores(table, beta, zero), class_average(ratio(hit, hit + missed, 0.0), occurs)
    if positive is None:
        used = occurs | predicted
        each = [class_average(values, used) for values in (precision, recall, f_score)]
    else:
        specificity = ratio(rest, rest + false, zero)
        each = [values[..., positive] for values in (precision, recall, specificity, f_score)]
    found = [accuracy, 1 - accuracy, balanced, *each, matthews(table)]
    if cost is not None:
        found.append(ratio((table * cost).sum(axis=(-2, -1)), n, zero))
    return np.stack(found, axis=-1)


def confusion_cells(
    truth: NDArray,
    predicted: NDArray,
    k: int,
    weight: NDArray | None,
    *,
    positive: int | None,
    beta: float = 1.0,
    zero_division: float = 0.0,
    cost: NDArray | None = None,
) -> Cells:
    """Return the scores of predicted classes as functions of the confusion table; `positive` is None for several classes."""
    names = (MULTICLASS_SCORES if positive is None else BINARY_SCORES) + (() if cost is None else ("cost",))
    function: Callable[[NDArray], NDArray] = partial(
        scores_of, k=k, positive=positive, beta=beta, zero=zero_division, cost=cost
    )
    return Cells(names, truth * k + predicted, k * k, weight, function)
