r"""Forward and backward passes through a feed-forward graph.

    forward    a_m = sum_j z_j W_jm + b_m,   z_m = h_m(a_m)      in topological order                                  (1)
    backward   dE/dz_j = sum over edges (j, m) of delta_m W_jm',   delta_j = dE/dz_j h'(a_j)     in the opposite one    (2)
               dE/dW_jm = z_j' delta_m;  a shared weight gets the sum over its places, dE/db_m = sum delta_m             (3)

(2) adds the errors of all ways out of a node: that is all that skip connections need.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.neural_network.feed_forward.structure import OUTPUT, Structure
from novum.neural_network.modules import total_loss

__all__ = ["Pass", "forward", "loss_and_gradient"]


class Pass(NamedTuple):
    """What a forward pass computed, node by node."""

    sums: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]


def forward(structure: Structure, theta: np.ndarray, X: np.ndarray) -> Pass:
    """Return (1)."""
    shifts = structure.shifts(theta)
    sums: dict[str, np.ndarray] = {}
    outputs = {structure.nodes[0].name: X}
    for node in structure.nodes[1:]:
        a = np.broadcast_to(shifts[node.name], (len(X), node.units)).copy()
        for edge in structure.edges:
            if edge.target == node.name:
                a += outputs[edge.source] @ structure.matrix(edge, theta)
        sums[node.name], outputs[node.name] = a, node.activation(a)
    return Pass(sums, outputs)


def backward(structure: Structure, theta: np.ndarray, seen: Pass, delta: np.ndarray) -> np.ndarray:
    """Return (3) for dE/da of the output."""
    gradient = np.zeros(structure.size)
    shifts = structure.shifts(gradient)  # views
    deltas: dict[str, np.ndarray] = {OUTPUT: delta}
    for node in reversed(structure.nodes[1:]):
        if node.name != OUTPUT:
            error: Any = 0.0
            for edge in structure.edges:
                if edge.source == node.name:
                    error = error + deltas[edge.target] @ structure.matrix(edge, theta).T
            deltas[node.name] = node.activation.vjp(seen.sums[node.name], error)
        shifts[node.name] += deltas[node.name].sum(axis=0)
    for edge in structure.edges:
        whole = seen.outputs[edge.source].T @ deltas[edge.target]
        present = edge.pattern >= 0
        gradient += np.bincount(edge.pattern[present], whole[present], minlength=structure.size)
    return gradient


def loss_and_gradient(
    structure: Structure, theta: np.ndarray, X: np.ndarray, target: np.ndarray, weight: np.ndarray, alpha: float
) -> tuple[float, np.ndarray]:
    """Return the weighted mean loss plus alpha / 2 |weights|^2 over the sum of weights, and its gradient."""
    seen = forward(structure, theta, X)
    output, p = structure.nodes[-1].activation.name, seen.outputs[OUTPUT]
    mass = weight.sum()
    loss = total_loss(output, p, target, weight)
    gradient = backward(structure, theta, seen, (p - target) * weight[:, None])
    weights = theta[: structure.n_weights]
    gradient[: structure.n_weights] += alpha * weights
    return float(loss + 0.5 * alpha * weights @ weights) / mass, gradient / mass
