r"""How the weights of a graph are learned: by L-BFGS on all rows, or by steps on batches.

E(theta) = (sum_i w_i loss_i + alpha / 2 |weights|^2) / sum_i w_i                                                   (1)
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from novum.neural_network.feed_forward.passes import loss_and_gradient
from novum.neural_network.feed_forward.structure import Structure

__all__ = ["Problem", "Trained", "start_of", "train_batches", "train_whole"]


class Problem(NamedTuple):
    """Rows, targets and weights, and the structure that learns them."""

    structure: Structure
    X: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    alpha: float

    def at(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Return (1) and its gradient."""
        return loss_and_gradient(self.structure, theta, self.X, self.target, self.weight, self.alpha)

    def some(self, rows: np.ndarray) -> "Problem":
        """Return the problem of a batch; its share of the penalty is that of its weight."""
        share = self.weight[rows].sum() / self.weight.sum()
        return self._replace(
            X=self.X[rows], target=self.target[rows], weight=self.weight[rows], alpha=self.alpha * share
        )


class Trained(NamedTuple):
    """Weights after training, with the losses on the way."""

    theta: np.ndarray
    loss: float
    losses: list[float]
    converged: bool


def start_of(structure: Structure, random: np.random.RandomState) -> np.ndarray:
    """Return weights of variance 1 / (connections into a unit), and shifts of zero."""
    theta = np.zeros(structure.size)
    fan_in = dict.fromkeys((node.name for node in structure.nodes), 0.0)
    for edge in structure.edges:
        fan_in[edge.target] += (edge.pattern >= 0).sum() / edge.pattern.shape[1]
    for edge in structure.edges:
        places = np.unique(edge.pattern[edge.pattern >= 0])
        theta[places] = random.normal(0.0, 1 / np.sqrt(max(1.0, fan_in[edge.target])), len(places))
    return theta


def train_whole(problem: Problem, start: np.ndarray, max_iter: int, tol: float) -> Trained:
    """Minimize (1) by L-BFGS."""
    losses: list[float] = []

    def record(intermediate_result: Any) -> None:
        losses.append(float(intermediate_result.fun))

    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "gtol": tol}
    found = minimize(problem.at, start, method="L-BFGS-B", jac=True, options=options, callback=record)
    return Trained(found.x, float(found.fun), losses, found.status == 0)


def train_batches(
    problem: Problem, theta: np.ndarray, rule: Any, batch: int, max_iter: int, tol: float, random: np.random.RandomState
) -> Trained:
    """Run epochs of batches until the loss has not fallen by tol for ten of them."""
    state, step, best, waited = rule.init(theta), 0, np.inf, 0
    losses: list[float] = []
    for _ in range(max_iter):
        order, total = random.permutation(len(problem.X)), 0.0
        for begin in range(0, len(order), batch):
            rows = order[begin : begin + batch]
            loss, gradient = problem.some(rows).at(theta)
            total += loss * problem.weight[rows].sum()
            move, state = rule.update(gradient, state, step)
            theta, step = theta + move, step + 1
        losses.append(total / problem.weight.sum())
        waited = waited + 1 if losses[-1] > best - tol else 0
        best = min(best, losses[-1])
        if waited > 10 or not np.isfinite(losses[-1]):
            return Trained(theta, losses[-1], losses, bool(np.isfinite(losses[-1])))
    return Trained(theta, losses[-1], losses, False)
