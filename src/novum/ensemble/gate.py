r"""The gate of a mixture of experts: a softmax of the row says how much each expert is worth there.

    g_k(x) = exp(v_k'z) / sum_j exp(v_j'z),   z = [(x - m) / s, 1]                                 (1)
    V maximises  sum_i w_i sum_k r_ik log g_k(x_i) - (alpha / 2) ||V without intercepts||^2        (2)

(2) is multinomial logistic regression whose targets are responsibilities instead of labels. It is concave, and the penalty
keeps V finite where a hyperplane separates the experts.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from novum.optimize import lbfgs

__all__ = ["Gate", "log_gate", "penalty", "refit", "start_gate"]

TOLERANCE = 1e-6  # of the gradient of (2) per unit of weight
STEPS = 500


class Gate(NamedTuple):
    """Parameters of (1)."""

    mean: NDArray  # (d,)
    scale: NDArray  # (d,)
    V: NDArray  # (K, d + 1), the intercept last


def start_gate(X: NDArray, weight: NDArray, k: int) -> Gate:
    """Return a gate that trusts all experts alike, in the units of the columns."""
    mean = np.average(X, axis=0, weights=weight)
    scale = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    return Gate(mean, np.where(scale > 0, scale, 1.0), np.zeros((k, X.shape[1] + 1)))


def design(gate: Gate, X: NDArray) -> NDArray:
    """Return z of every row."""
    return np.column_stack([(X - gate.mean) / gate.scale, np.ones(len(X))])


def log_gate(gate: Gate, X: NDArray) -> NDArray:
    """Return log g_k(x) (n, K)."""
    return log_softmax(design(gate, X) @ gate.V.T, axis=1)


def penalty(gate: Gate, alpha: float) -> float:
    """Return what (2) subtracts."""
    return float(alpha / 2 * (gate.V[:, :-1] ** 2).sum())


def refit(gate: Gate, X: NDArray, weight: NDArray, responsibility: NDArray, alpha: float) -> Gate:
    """Return the gate of (2), from the one before on."""
    Z, mass, shape = design(gate, X), weight[:, None] * responsibility, gate.V.shape
    total = float(mass.sum())

    def cost(flat: NDArray) -> tuple[float, NDArray]:
        V = flat.reshape(shape)
        log_g = log_softmax(Z @ V.T, axis=1)
        slope = (np.exp(log_g) * mass.sum(axis=1, keepdims=True) - mass).T @ Z
        shrunk = V.copy()
        shrunk[:, -1] = 0.0
        value = -(mass * log_g).sum() + alpha / 2 * (shrunk**2).sum()
        return float(value) / total, (slope + alpha * shrunk).ravel() / total

    found = lbfgs(cost, gate.V.ravel(), gradient=True, tol=TOLERANCE, max_iter=STEPS)
    return gate._replace(V=found.x.reshape(shape))
