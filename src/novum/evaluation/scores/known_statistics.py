"""Which functions of scikit-learn and NumPy the bootstrap computes from sums instead of from copies of the rows.

A function is recognised by identity and only for the data it takes without further arguments: then the compiled passes of
`novum.evaluation.scores.statistics` give what calling it on every resample would, to rounding.
"""

from typing import Any

import numpy as np
from sklearn import metrics

from novum.evaluation.scores.confusion import confusion_cells
from novum.evaluation.scores.regression import regression_sums
from novum.evaluation.scores.statistics import Areas, Cells, RowSums

__all__ = ["QUICK_NAMES", "quick_statistic"]

AREAS = {metrics.roc_auc_score: "roc_auc", metrics.average_precision_score: "average_precision"}
LABELS = {
    metrics.accuracy_score: "accuracy",
    metrics.zero_one_loss: "error",
    metrics.balanced_accuracy_score: "balanced_accuracy",
    metrics.matthews_corrcoef: "matthews",
}
NUMBERS = {
    metrics.mean_squared_error: "mse",
    metrics.root_mean_squared_error: "rmse",
    metrics.mean_absolute_error: "mae",
    metrics.r2_score: "r2",
}
KINDS = {**dict.fromkeys(AREAS.values(), "areas"), **dict.fromkeys(LABELS.values(), "labels")}
KINDS |= {**dict.fromkeys(NUMBERS.values(), "numbers"), "pr_auc": "areas", "pearson": "numbers", "mean": "mean"}
QUICK_NAMES = tuple(KINDS)
BY_FUNCTION: dict[Any, str] = {**AREAS, **LABELS, **NUMBERS, np.mean: "mean"}


def plain(values: Any, ndim: tuple[int, ...] = (1,)) -> np.ndarray | None:
    """Return finite numbers as float64, or None for anything else."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.ndim not in ndim:
        return None
    array = array.astype(np.float64)
    return array if np.isfinite(array).all() else None


def quick_statistic(statistic: Any, data: tuple) -> tuple[RowSums | Cells | Areas, str] | None:
    """Return the statistic as a function of sums and its name there, or None where the rows must be copied."""
    try:
        name = statistic if isinstance(statistic, str) else BY_FUNCTION.get(statistic)
    except TypeError:  # a callable that cannot be hashed is none of these
        return None
    kind = KINDS.get(name or "")
    if kind == "mean" and len(data) == 1 and (x := plain(data[0])) is not None:
        return RowSums(("mean",), np.stack([np.ones(len(x)), x]), lambda S: S[..., 1:] / S[..., :1]), "mean"
    if kind is None or kind == "mean" or len(data) != 2 or len(data[0]) != len(data[1]) or not len(data[0]):
        return None
    if kind == "numbers":
        y, f = plain(data[0]), plain(data[1])
        if y is None or f is None:
            return None
        return regression_sums(y[:, None], f[:, None], None), str(name)
    labels = np.asarray(data[0])
    if labels.ndim != 1 or labels.dtype.kind not in "biuUS":
        return None
    if kind == "areas":
        classes, score = np.unique(labels), plain(data[1])
        usual = name == "roc_auc" or classes.tolist() in ([0, 1], [-1, 1])  # what scikit-learn takes as positive
        if score is None or len(classes) != 2 or not usual:
            return None
        precision = name != "roc_auc"
        return Areas((labels == classes[1])[:, None], score[:, None], None, precision), str(name)
    predicted = np.asarray(data[1])
    if (
        predicted.ndim != 1
        or (predicted.dtype.kind in "US") != (labels.dtype.kind in "US")
        or predicted.dtype.kind in "fO"
    ):
        return None
    classes, code = np.unique(np.concatenate([labels, predicted]), return_inverse=True)
    n = len(labels)
    return confusion_cells(code[:n], code[n:], len(classes), None, positive=None), str(name)
