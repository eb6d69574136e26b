r"""The marginal likelihood of a process with all its gradients where a PyTorch tensor lives, in float64.

The program of a kernel (`novum.kernels.program`) is run forwards over whole matrices, and the weights W = A A' - q C^-1 of
`evidence` (3) are handed back through it; a leaf turns what reaches it into sums:

    sum_ij F_ij (x_id - x_jd)^2 = 2 [ sum_i (F 1)_i x_id^2 - x_d' F x_d ]        F symmetric: one product with X for all d     (1)
    T = L^-1:  T_21 = -T_22 L_21 T_11;   C^-1 = T'T:  (T'T)_11 = T_11'T_11 + T_21'T_21,  (T'T)_21 = T_22'T_21                 (2)

(2), block by block, is made of products of matrices only, which is what these devices do best. Constants and white noise stay
numbers and diagonals. Kernels: constant, white, linear, RBF, Matern (1/2, 3/2, 5/2), rational quadratic, sums and products of them;
with any other part the work is done by the compiled kernels on the processor.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.gaussian_process.covariance import FIRST_JITTER, MOST_JITTER, Factor
from novum.kernels.program import NODES, Builder, build_kernel

__all__ = ["TensorProcess", "inverse_of", "log_evidence"]

KNOWN = {"constant", "white", "linear", "rbf", "matern12", "matern32", "matern52", "rational", "sum", "product"}
SCALAR, DIAGONAL, FULL = range(3)  # what a node's value is: a number, a vector on the diagonal, a matrix
BLOCK = 512  # rows of a triangle that is inverted by substitution
ROOTS = {"matern32": 3**0.5, "matern52": 5**0.5}


class Node:
    """A node of a program with its value, and the weight that reaches it from above."""

    def __init__(self, step: list[int], builder: Builder) -> None:
        code, self.left, self.right, self.source, self.first, slot, second, each = step
        self.op, self.slots, self.each_column = NODES[code], (slot, second), bool(each)
        self.numbers = builder.numbers
        self.kind = FULL
        self.value: Any = None
        self.weight: Any = None
        self.base: Any = None  # squared distances
        self.points: Any = None  # divided by the length scales


def forward(builder: Builder, device: Any) -> list[Node]:
    """Return the nodes of a program with their values; the last is the kernel."""
    import torch

    nodes = [Node(step, builder) for step in builder.steps]
    for node in nodes:
        number = node.numbers[node.first] if node.first < len(node.numbers) else 0.0
        if node.op == "constant":
            node.kind, node.value = SCALAR, number
        elif node.op == "white":
            node.kind, node.value = DIAGONAL, number
        elif node.op in ("sum", "product"):
            combine(node, nodes[node.left], nodes[node.right])
        else:
            table = torch.as_tensor(builder.rows[node.source], dtype=torch.float64, device=device)
            own = 1 if node.op in ("linear", "rational") else 0
            if node.op == "linear":
                node.value = (table @ table.T).add_(number)
                continue
            factor = node.numbers[node.first + own : node.first + own + table.shape[1]]
            node.points = (table - table.mean(0)) * torch.as_tensor(factor, dtype=torch.float64, device=device)
            node.base = squared_distances(node.points)
            node.value = leaf_value(node, number)
            node.base = None if node.op == "rbf" else node.base
    return nodes


def squared_distances(X: Any) -> Any:
    """Return |x_i - x_j|^2, zero on the diagonal."""
    import torch

    square = (X * X).sum(1)
    found = torch.addmm(square[:, None] + square, X, X.T, alpha=-2.0).clamp_(min=0.0)
    found.fill_diagonal_(0.0)
    return found


def leaf_value(node: Node, alpha: float) -> Any:
    """Return the value of a leaf from squared distances."""
    if node.op == "rbf":
        return node.base.mul_(-0.5).exp_()
    if node.op == "rational":
        return (1 + node.base / (2 * alpha)).pow_(-alpha)
    if node.op == "matern12":
        return node.base.sqrt().neg_().exp_()
    a = node.base.sqrt().mul_(ROOTS[node.op])
    return (1 + a if node.op == "matern32" else 1 + a + a * a / 3) * (-a).exp()


def combine(node: Node, left: Node, right: Node) -> None:
    """Set value and kind of a sum or a product."""
    a, b = (left, right) if left.kind >= right.kind else (right, left)  # a is the fuller one
    if node.op == "product":
        node.kind = DIAGONAL if DIAGONAL in (a.kind, b.kind) and b.kind != SCALAR else a.kind
        first = a.value.diagonal() if a.kind == FULL and b.kind == DIAGONAL else a.value
        node.value = first * b.value
        return
    if a.kind == DIAGONAL and b.kind == SCALAR:
        raise NotImplementedError("a constant and white noise alone make no matrix here")
    node.kind = a.kind
    if a.kind == FULL and b.kind == DIAGONAL:
        node.value = a.value.clone()
        node.value.diagonal().add_(b.value)
    else:
        node.value = a.value + b.value


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
    found: dict[int, Any] = {}
    nodes[-1].weight = weight
    for node in reversed(nodes):
        if node.op in ("sum", "product"):
            for at, beside in ((node.left, node.right), (node.right, node.left)):
                child, other = nodes[at], nodes[beside]
                value, kind = (other.value, other.kind) if node.op == "product" else (1.0, SCALAR)
                part = pull(node.weight, node.kind, value, kind, child.kind)
                child.weight = part if child.weight is None else child.weight + part
            node.weight = node.value = None
        elif node.slots != (-1, -1):
            leaf_slopes(node, found)
            node.weight = node.value = node.base = None
    return np.array([float(found.get(s, 0.0)) for s in range(slots)])


def leaf_slopes(node: Node, found: dict[int, Any]) -> None:
    """Put the derivatives of a leaf into their slots."""
    slot, second = node.slots
    number = node.numbers[node.first]
    if node.op in ("constant", "white"):
        found[slot] = node.weight.sum() * node.value
        return
    if node.op == "linear":
        found[slot] = node.weight.sum() * 2 * number
        return
    if node.op == "rational":
        inside = 1 + node.base / (2 * number)
        if second >= 0:
            slope = node.value * (0.5 * node.base / inside - number * inside.log())
            found[second] = (node.weight * slope).sum()
        F = node.weight * node.value / inside
    elif node.op == "rbf":
        F = node.weight * node.value
    elif node.op == "matern12":
        root = node.base.sqrt()
        F = (node.weight * node.value / root).masked_fill_(root == 0, 0.0)
    else:
        a = node.base.sqrt().mul_(ROOTS[node.op])
        F = node.weight * (-a).exp() * (3.0 if node.op == "matern32" else 5.0 / 3 * (1 + a))
    if slot < 0:
        return
    X = node.points
    each = 2 * (F.sum(1) @ (X * X) - ((F @ X) * X).sum(0))  # (1)
    if node.each_column:
        found.update({slot + d: each[d] for d in range(X.shape[1])})
    else:
        found[slot] = each.sum()


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


def take_value(node: Node) -> Any:
    """Return the value of the last node to be overwritten; leaves need theirs again on the way back."""
    if node.op not in ("sum", "product"):
        return node.value.clone()
    value, node.value = node.value, None
    return value


def log_evidence(kernel: Any, rows: Any, X: Any, Y: Any, noise: Any, gradient: bool = True) -> Any:
    """Return (2) of `evidence`, and its gradient if requested.

    Parameters
    ----------
    kernel : Kernel that this module knows
    rows : array of shape (n, d)
        The points in the memory of the processor, from which a kernel makes its program.
    X : tensor of shape (n, d)
        The same points; says where to work.
    Y : tensor of shape (n, q), float64
    noise : float or tensor of shape (n,)
    gradient : bool, default=True
    """
    import torch

    builder = build_kernel(kernel, rows)
    assert builder is not None
    with torch.no_grad():
        nodes = forward(builder, X.device)
        C = take_value(nodes[-1])
        C.diagonal().add_(noise)
        L, _ = factor_of(C)
        del C
        A = torch.cholesky_solve(Y, L)
        n, outputs = Y.shape
        value = -0.5 * float((Y * A).sum()) - outputs * float(L.diagonal().log().sum())
        value -= 0.5 * outputs * n * float(np.log(2 * np.pi))
        if not gradient:
            return np.float64(value)
        weight = inverse_of(L)
        del L
        weight = weight.addmm_(A, A.T, beta=-float(outputs))
        return np.float64(value), 0.5 * backward(nodes, weight, builder.slots)


class TensorProcess:
    """A training set on a device.

    Parameters
    ----------
    X : tensor of shape (n, d)
    outputs : array of shape (n, q)
    noise : float or array of shape (n,)
    """

    def __init__(self, X: Any, outputs: NDArray[np.float64], noise: Any) -> None:
        import torch

        self.X = X
        self.rows = np.ascontiguousarray(X.detach().cpu().numpy(), np.float64)
        self.Y = torch.as_tensor(outputs, dtype=torch.float64, device=X.device)
        self.noise = noise if np.ndim(noise) == 0 else torch.as_tensor(noise, dtype=torch.float64, device=X.device)

    def takes(self, kernel: Any) -> bool:
        """Return whether every part of the kernel is known here, and the whole is a matrix."""
        builder = build_kernel(kernel, self.rows[:2]) if hasattr(kernel, "compile") else None
        if builder is None or any(NODES[step[0]] not in KNOWN for step in builder.steps):
            return False
        try:
            return forward(build_kernel(kernel, self.rows[:2]), "cpu")[-1].kind == FULL  # type: ignore[arg-type]
        except NotImplementedError:
            return False

    def objective(self, kernel: Any) -> Callable[[NDArray[np.float64], bool], Any]:
        """Return the log evidence as a function of theta, which the kernel takes."""

        def evidence(theta: NDArray[np.float64], gradient: bool) -> Any:
            kernel.theta = theta
            try:
                return log_evidence(kernel, self.rows, self.X, self.Y, self.noise, gradient)
            except np.linalg.LinAlgError:
                return (-np.inf, np.zeros(kernel.n_dims)) if gradient else -np.inf

        return evidence

    def factor(self, kernel: Any) -> Factor:
        """Return the factor of the covariance as an array."""
        builder = build_kernel(kernel, self.rows)
        assert builder is not None
        C = take_value(forward(builder, self.X.device)[-1])
        C.diagonal().add_(self.noise)
        L, jitter = factor_of(C)
        return Factor(np.ascontiguousarray(L.cpu().numpy()), jitter)
