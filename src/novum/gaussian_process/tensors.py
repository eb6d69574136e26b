r"""The marginal likelihood of a process with all its gradients where a PyTorch tensor lives, in float64.

The program of a kernel (`novum.kernels.device.program`) is run forwards over whole matrices, and the weights W = A A' - q C^-1 of
`evidence` (3) are handed back through it; a leaf turns what reaches it into sums:

    sum_ij F_ij (x_id - x_jd)^2 = 2 [ sum_i (F 1)_i x_id^2 - x_d' F x_d ]        F symmetric: one product with X for all d     (1)
    T = L^-1:  T_21 = -T_22 L_21 T_11;   C^-1 = T'T:  (T'T)_11 = T_11'T_11 + T_21'T_21,  (T'T)_21 = T_22'T_21                 (2)

(2), block by block, is made of products of matrices only, which is what these devices do best. Constants and white noise stay
numbers and diagonals.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.gaussian_process.covariance import FIRST_JITTER, MOST_JITTER
from novum.kernels.device.program import (
    DIAGONAL,
    FULL,
    SCALAR,
    DeviceKernel,
    Node,
    device_kernel,
    filled,
    forward,
    refuse_kernel,
)

__all__ = ["TensorProcess", "factor_of", "inverse_of", "log_evidence"]

BLOCK = 512  # rows of a triangle that is inverted by substitution
ROOTS = {"matern32": 3**0.5, "matern52": 5**0.5}
UNARY = ("power", "exponential", "polynomial", "sigmoid")


def pull(weight: Any, parent: int, other: Any, other_kind: int, child: int) -> Any:
    """Return the weight that reaches a child: the parent's times the other operand, summed to the child's kind."""
    import torch

    if parent == FULL and other_kind == FULL and child == SCALAR:
        return torch.dot(weight.reshape(-1), other.reshape(-1))
    if parent == FULL and (child == DIAGONAL or other_kind == DIAGONAL):
        weight, parent = weight.diagonal(), DIAGONAL
    if parent == DIAGONAL and other_kind == FULL:
        other = other.diagonal()
    found = weight if isinstance(other, float) and other == 1.0 else weight * other
    if parent == DIAGONAL and child == FULL:
        return torch.diag(found)
    return found.sum() if child == SCALAR and parent != SCALAR else found


def backward(nodes: list[Node], weight: Any, slots: int) -> NDArray[np.float64]:
    """Return sum_ij weight_ij dK_ij / dtheta."""
    import torch

    found: dict[int, Any] = {}
    nodes[-1].weight = weight.diagonal() if nodes[-1].kind == DIAGONAL else weight
    for node in reversed(nodes):
        if node.op in ("sum", "product"):
            for at, beside in ((node.left, node.right), (node.right, node.left)):
                child, other = nodes[at], nodes[beside]
                value, kind = (other.value, other.kind) if node.op == "product" else (1.0, SCALAR)
                part = pull(node.weight, node.kind, value, kind, child.kind)
                child.weight = part if child.weight is None else child.weight + part
        elif node.op in UNARY:
            pull_through(node, nodes[node.left], found)
        elif node.slots != (-1, -1):
            leaf_slopes(node, found)
        node.weight = node.value = node.base = None
    sums = [torch.as_tensor(found.get(s, 0.0), dtype=weight.dtype, device=weight.device) for s in range(slots)]
    return np.array(torch.stack(sums).tolist()) if slots else np.zeros(0)


def pull_through(node: Node, child: Node, found: dict[int, Any]) -> None:
    """Hand the weight of a function of one kernel to that kernel, and put the function's own derivatives into their slots."""
    inner = child.value if child.kind == SCALAR else filled(child)
    number = node.numbers
    if node.op == "power":
        slope = number[0] * inner ** (number[0] - 1)
    elif node.op == "exponential":
        slope = node.value
    else:
        outer = (
            number[2] * (number[0] * inner + number[1]) ** (number[2] - 1)
            if node.op == "polynomial"
            else 1 - node.value * node.value
        )
        slope = number[0] * outer
        for slot, own in zip(node.slots, (number[0] * inner, number[1]), strict=True):
            if slot >= 0:
                found[slot] = (node.weight * outer * own).sum()
    part = node.weight * slope
    part = part.diagonal() if child.kind == DIAGONAL else part
    child.weight = part if child.weight is None else child.weight + part


def leaf_slopes(node: Node, found: dict[int, Any]) -> None:
    """Put the derivatives of a leaf into their slots."""
    slot, second = node.slots
    number, weight = node.numbers[0], node.weight
    if node.op in ("constant", "white"):
        found[slot] = weight.sum() * number
        return
    if node.op == "linear":
        found[slot] = weight.sum() * 2 * number
        return
    if node.op in ("laplacian", "periodic"):
        slopes_of_roots(node, found)
        return
    if node.op == "rational":
        inside = 1 + node.base / (2 * number)
        if second >= 0:
            slope = node.value * (0.5 * node.base / inside - number * inside.log())
            found[second] = (weight * slope).sum()
        F = weight * node.value / inside
    elif node.op == "rbf":
        F = weight * node.value
    elif node.op == "matern12":
        root = node.base.sqrt()
        F = (weight * node.value / root).masked_fill_(root == 0, 0.0)
    else:
        a = node.base.sqrt().mul_(ROOTS[node.op])
        F = weight * (-a).exp() * (3.0 if node.op == "matern32" else 5.0 / 3 * (1 + a))
    if slot < 0:
        return
    X = node.points
    each = 2 * (F.sum(1) @ (X * X) - ((F @ X) * X).sum(0))  # (1)
    if node.each_column:
        found.update({slot + d: each[d] for d in range(X.shape[1])})
    else:
        found[slot] = each.sum()


def slopes_of_roots(node: Node, found: dict[int, Any]) -> None:
    """Put the derivatives of a Laplacian or a periodic kernel into their slots."""
    slot, second = node.slots
    F = node.weight * node.value
    if node.op == "periodic":
        length, period = node.numbers[:2]
        angle = node.base.sqrt().mul_(np.pi / period)
        if slot >= 0:
            found[slot] = (F * angle.sin().square_()).sum() * 4 / length**2
        if second >= 0:
            found[second] = (F * angle * (2 * angle).sin_()).sum() * 2 / length**2
    elif node.each_column:
        X = node.points
        found.update({slot + d: (F * (X[:, d : d + 1] - X[:, d]).abs_()).sum() for d in range(X.shape[1])})
    else:
        found[slot] = (F * node.base).sum()


def inverse_of(L: Any) -> Any:
    """Return (L L')^-1 by (2)."""
    import torch

    n = L.shape[0]
    T, out = torch.zeros_like(L), torch.empty_like(L)

    def invert(begin: int, end: int) -> None:
        if end - begin <= BLOCK:
            part = L[begin:end, begin:end]
            unit = torch.eye(end - begin, dtype=L.dtype, device=L.device)
            T[begin:end, begin:end] = torch.linalg.solve_triangular(part, unit, upper=False)
            return
        middle = halfway(begin, end)
        invert(begin, middle)
        invert(middle, end)
        inner = L[middle:end, begin:middle] @ T[begin:middle, begin:middle]
        T[middle:end, begin:middle] = (T[middle:end, middle:end] @ inner).neg_()

    def square(begin: int, end: int) -> None:
        if end - begin <= BLOCK:
            part = T[begin:end, begin:end]
            out[begin:end, begin:end] = part.T @ part
            return
        middle = halfway(begin, end)
        square(begin, middle)
        square(middle, end)
        below = T[middle:end, begin:middle]
        out[begin:middle, begin:middle] += below.T @ below
        corner = T[middle:end, middle:end].T @ below
        out[middle:end, begin:middle] = corner
        out[begin:middle, middle:end] = corner.T

    invert(0, n)
    square(0, n)
    return out


def halfway(begin: int, end: int) -> int:
    """Return where a triangle is cut: half of it, in whole blocks."""
    return begin + max(1, (end - begin) // (2 * BLOCK)) * BLOCK


def factor_of(C: Any) -> tuple[Any, float]:
    """Return the lower factor of C with as much jitter as it takes, and the jitter; C is left as it is."""
    import torch

    scale, share = float(C.diagonal().abs().mean()), 0.0
    while True:
        L, fault = torch.linalg.cholesky_ex(C)
        if int(fault) == 0:
            return L, share * scale
        before, share = share, share * 10 if share else FIRST_JITTER
        if share > MOST_JITTER:
            raise np.linalg.LinAlgError("a matrix is not positive definite, and no jitter makes it so")
        C.diagonal().add_((share - before) * scale)


def take_value(nodes: list[Node], n: int, like: Any) -> Any:
    """Return the matrix of the last node to be overwritten; leaves and functions need theirs again on the way back."""
    node = nodes[-1]
    if node.kind != FULL:
        return like.new_full((n, n), node.value) if node.kind == SCALAR else filled(node)
    if node.op not in ("sum", "product") or any(nodes[at].value is node.value for at in (node.left, node.right)):
        return node.value.clone()
    value, node.value = node.value, None
    return value


def log_evidence(kernel: DeviceKernel, X: Any, Y: Any, noise: Any, gradient: bool = True) -> Any:
    """Return (2) of `evidence`, and its gradient if requested.

    Parameters
    ----------
    kernel : DeviceKernel
    X : float64 tensor of shape (n, d)
        The points; say where to work.
    Y : float64 tensor of shape (n, q)
    noise : float or tensor of shape (n,)
    gradient : bool, default=True
    """
    import torch

    with torch.no_grad():
        nodes = forward(kernel.builder, X, keep=True)
        C = take_value(nodes, len(X), X)
        C.diagonal().add_(noise)
        L, _ = factor_of(C)
        del C
        A = torch.cholesky_solve(Y, L)
        n, outputs = Y.shape
        half = torch.stack([(Y * A).sum(), L.diagonal().log().sum()]).tolist()
        value = -0.5 * half[0] - outputs * half[1] - 0.5 * outputs * n * float(np.log(2 * np.pi))
        if not gradient:
            return np.float64(value)
        weight = inverse_of(L)
        del L
        weight = weight.addmm_(A, A.T, beta=-float(outputs))
        return np.float64(value), 0.5 * backward(nodes, weight, kernel.builder.slots)


class TensorProcess:
    """A training set on a device.

    Parameters
    ----------
    X : float64 tensor of shape (n, d)
    Y : float64 tensor of shape (n, q)
    noise : float or array of shape (n,)
    """

    def __init__(self, X: Any, Y: Any, noise: Any) -> None:
        self.X, self.Y = X, Y
        self.noise = noise if np.ndim(noise) == 0 else X.new_tensor(noise)

    def program(self, kernel: Any) -> DeviceKernel:
        """Return a kernel's program; raise where it has none."""
        found = device_kernel(kernel, self.X.shape[1])
        if found is None:
            raise refuse_kernel("GaussianProcessRegressor", kernel)
        return found

    def objective(self, kernel: Any) -> Callable[[NDArray[np.float64], bool], Any]:
        """Return the log evidence as a function of theta, which the kernel takes."""

        def evidence(theta: NDArray[np.float64], gradient: bool) -> Any:
            kernel.theta = theta
            try:
                return log_evidence(self.program(kernel), self.X, self.Y, self.noise, gradient)
            except np.linalg.LinAlgError:
                return (-np.inf, np.zeros(kernel.n_dims)) if gradient else -np.inf

        return evidence

    def condition(self, kernel: Any) -> tuple[Any, Any, float, float]:
        """Return the lower factor of the covariance, its inverse times Y, the jitter, and the mean variance with it."""
        import torch

        C = self.program(kernel).gram(self.X)
        C.diagonal().add_(self.noise)
        L, jitter = factor_of(C)
        return L, torch.cholesky_solve(self.Y, L), jitter, float(C.diagonal().mean())
