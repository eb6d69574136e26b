r"""The second layer: a model of the predictions that the best models made out of folds. It adds logarithms, where the ensemble
(novum.study.comparison.blend) adds probabilities. With p_mk the probability of class k by model m, and of numbers f_m,

    p_k(x) ~ exp(b_k + sum_m a_m log q_mk(x)),    q = (1 - e) p + e / K,    e = .01                                (1)
    f(x) = b + sum_m a_m f_m(x)                                                                                     (2)

No a_m is negative, so what all models rise with the whole rises with. The a_m need not sum to one: models that are all too unsure
of themselves are made surer. With w the weights of the ensemble, n rows and L their mean log loss, or half their mean squared error
over that of the ensemble,

    (a, b) = argmin L(a, b) + (n_0 / 2 n) (sum_m (a_m - w_m)^2 + sum_k b_k^2),    n_0 = 10                         (3)

so few rows leave the weights as they are. A fold is judged by the layer of the predictions on the other folds alone.
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from novum.study.comparison.blend import Combination

__all__ = ["Stack", "second_layer"]

FLATTENED = 0.01  # e in (1)
PRIOR_ROWS = 10.0
MOST_NUMBERS = 1_000_000  # that the layer is fitted on
STEPS = 100  # of the search


def logarithms(proba: np.ndarray) -> np.ndarray:
    """Return log q of (1)."""
    return np.log((1 - FLATTENED) * proba + FLATTENED / proba.shape[-1])


class Stack(Combination):
    """Fitted pipelines under a second layer.

    Parameters
    ----------
    estimators : list of fitted estimators
        Classifiers of the same classes with `predict_proba`, or regressors.
    weights : list of float
        The a_m of (1) or (2).
    bias : list of float
        The b_k of (1), one for each class; or b of (2), alone.
    """

    def __init__(self, estimators: Any, weights: Any, bias: Any) -> None:
        self.estimators = estimators
        self.weights = weights
        self.bias = bias

    def combined(self, predictions: np.ndarray) -> np.ndarray:
        """Return (1) of probabilities, (2) of numbers."""
        a, b = np.asarray(self.weights, dtype=np.float64), np.asarray(self.bias, dtype=np.float64)
        if len(b) == 1:
            return b + np.tensordot(a, predictions, axes=1)
        return softmax(b + np.tensordot(a, logarithms(predictions), axes=1), axis=-1)


def second_layer(
    predictions: np.ndarray, truth: np.ndarray, weight: np.ndarray | None, center: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return a and b of (3).

    Parameters
    ----------
    predictions : array of shape (models, rows) of numbers, or (models, rows, classes) of probabilities
    truth : array of shape (rows,)
        Numbers, or the numbers of the classes.
    center : array of shape (models,)
        The weights of the ensemble.
    """
    most = max(1, MOST_NUMBERS // (predictions.size // len(truth)))
    if len(truth) > most:
        some = np.linspace(0, len(truth) - 1, most).astype(np.intp)
        predictions, truth = predictions[:, some], truth[some]
        weight = None if weight is None else weight[some]
    share = np.full(len(truth), 1 / len(truth)) if weight is None else weight / weight.sum()
    return (of_classes if predictions.ndim == 3 else of_numbers)(predictions, truth, share, center)


def of_classes(
    predictions: np.ndarray, truth: np.ndarray, share: np.ndarray, center: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (3) for probabilities."""
    Z, (m, n, k), pull = logarithms(predictions), predictions.shape, PRIOR_ROWS / len(truth)
    rows = np.arange(n)
    flat = Z.reshape(m, n * k)

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        a, b = point[:m], point[m:]
        log_p = log_softmax((a @ flat).reshape(n, k) + b, axis=1)
        error = np.exp(log_p)
        error[rows, truth] -= 1
        error *= share[:, None]
        value = -share @ log_p[rows, truth] + pull / 2 * (np.sum((a - center) ** 2) + np.sum(b**2))
        slope = np.concatenate([flat @ error.ravel() + pull * (a - center), error.sum(axis=0) + pull * b])
        return float(value), slope

    bounds = [(0, None)] * m + [(None, None)] * k
    found = minimize(
        loss,
        np.concatenate([center, np.zeros(k)]),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": STEPS},
    )
    return found.x[:m], found.x[m:]


def of_numbers(
    predictions: np.ndarray, truth: np.ndarray, share: np.ndarray, center: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return (3) for numbers: non-negative least squares of what the ensemble leaves, in the units of its error."""
    from scipy.optimize import lsq_linear

    left = truth - center @ predictions
    scale = float(np.sqrt(share @ left**2)) or 1.0
    spread = np.sqrt(share)
    pull = np.sqrt(PRIOR_ROWS / len(truth))
    m = len(predictions)
    X = np.vstack([np.column_stack([(predictions * spread / scale).T, spread]), pull * np.eye(m + 1)])
    y = np.concatenate([left * spread / scale, np.zeros(m + 1)])
    low = np.append(-center, -np.inf)  # of the change
    Q, R = np.linalg.qr(X)
    found = lsq_linear(R, Q.T @ y, bounds=(low - 1e-12, np.full(m + 1, np.inf)), method="bvls")
    return np.maximum(center + found.x[:m], 0.0), found.x[m:] * scale
