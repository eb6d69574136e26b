r"""What a perceptron ended with, compared with what one answer for all its training rows would have: see `training.judging`.

counts:  least loss of a constant   sum_i w_i [y_i log(y_i / ybar) - y_i + ybar] / sum_i w_i                            (1)
labels:  least loss of a constant   the sum over labels of H(p_l),   p_l the weighted share of rows with label l         (2)
"""

import numpy as np
from scipy.special import entr, xlogy

from novum.neural_network.mlp.compiled_network import Data
from novum.neural_network.training.judging import least_constant_loss

__all__ = ["loss_and_constant_loss"]

TINY = float(np.finfo(np.float64).tiny)


def loss_and_constant_loss(output: str, data: Data, output_rows: np.ndarray) -> tuple[float, float]:
    """Return the mean loss of what a network says of rows, and the least that one answer for all of them has."""
    p, weight = output_rows.astype(np.float64), data.weight
    w = np.ones(len(p)) if weight is None else weight
    if output == "softmax":
        picked = p[np.arange(len(p)), data.code]
        return float(np.average(-np.log(np.maximum(picked, TINY)), weights=w)), least_constant_loss(data.code, w)
    y = np.asarray(data.value, np.float64)
    middle = np.average(y, axis=0, weights=w)
    if output == "logistic":
        each = -xlogy(y, np.maximum(p, TINY)) - xlogy(1 - y, np.maximum(1 - p, TINY))
        return float(np.average(each.sum(axis=1), weights=w)), float((entr(middle) + entr(1 - middle)).sum())
    if output == "exp":
        each, least = (
            xlogy(y, y) - xlogy(y, np.maximum(q, TINY)) - y + q for q in (p, np.broadcast_to(middle, y.shape))
        )
        return float(np.average(each.sum(axis=1), weights=w)), float(np.average(least.sum(axis=1), weights=w))
    variance = np.average((y - middle) ** 2, axis=0, weights=w)
    size = np.where(variance > 0, variance, 1.0)  # of every target in its own units
    with np.errstate(over="ignore"):
        lost = np.average((y - p) ** 2, axis=0, weights=w)
    return float((lost / size).mean()), float((variance / size).mean())
