r"""Scores of rows held back, the same numbers as scikit-learn's `accuracy_score` and `r2_score` without their checks.

accuracy = sum w [all outputs right] / sum w,     R^2 = mean over outputs of 1 - sum w (y - p)^2 / sum w (y - mean y)^2   (1)
"""

from typing import Any

import numpy as np

from novum.neural_network.mlp.compiled_network import Data
from novum.runtime import arrays

__all__ = ["accuracy", "labels_from", "r2"]


def labels_from(output: Any) -> Any:
    """Return the decision of every row: the code of the likeliest class, or of a flat or multilabel output whether p > 1/2."""
    return arrays.whole(output > 0.5)


def device_score(data: Data, output: Any, classifies: bool) -> float:
    from novum.neural_network.mlp.device_network import score

    return score(data, output, classifies)


def accuracy(data: Data, output: Any) -> float:
    """Return the first of (1), NaN where the network has left the range of floating point."""
    if arrays.is_tensor(output):
        return device_score(data, output, True)
    if not np.isfinite(output).all():
        return float("nan")
    if data.code is not None:
        right = output.argmax(axis=1) == data.code
    else:
        right = (labels_from(output) == data.value).all(axis=1)
    return float(np.average(right, weights=data.weight))


def r2(data: Data, output: Any) -> float:
    """Return the second of (1), NaN where the network has left the range of floating point."""
    if arrays.is_tensor(output):
        return device_score(data, output, False)
    if not np.isfinite(output).all():
        return float("nan")
    y = np.asarray(data.value, np.float64)
    weight = np.ones(len(y)) if data.weight is None else data.weight
    left = weight @ (y - output) ** 2
    total = weight @ (y - np.average(y, axis=0, weights=data.weight)) ** 2
    flat = total == 0
    return float(np.mean(np.where(flat, left == 0, 1 - left / np.where(flat, 1.0, total))))
