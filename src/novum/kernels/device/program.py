r"""Programs of kernels over PyTorch tensors, where these lie: values in float64, by whole matrices or by blocks of rows.

    r^2_ij = (-2 x_i, |x_i|^2, 1)'(z_j, 1, |z_j|^2)  one product of matrices; off by some eps (|x_i|^2 + |z_j|^2)           (1)
    r^2_ij = sum_d (x_id - z_jd)^2                   a pass for every column, and exact to rounding of itself                 (2)

(1) serves where its error, about the mean of the points, is below `SMALL_ERROR` for all pairs, and (2) elsewhere: for length scales
that are tiny beside the spread of the points, and for kernels that feel the root of r^2 near zero (Matern 1/2, periodic).
A constant stays a number and white noise a diagonal as long as possible. Kernels that make tables of their own from the points
(features, quadratic forms) or run in Python have no form here.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.kernels.base import Kernel
from novum.kernels.composition import Mapped
from novum.kernels.program import NODES, Builder, build_kernel

__all__ = [
    *("DIAGONAL", "FULL", "SCALAR", "DeviceKernel", "Node", "device_kernel", "filled", "forward", "portions"),
    *("refuse_kernel", "squared_distances"),
]

SCALAR, DIAGONAL, FULL = range(3)  # what a node's value is: a number, a vector on the diagonal, a matrix
VALUES = 2**26  # numbers of a block: half a gigabyte of float64, as of the blocks of rows
SMALL_ERROR = 1e-13  # of squared distances: what (1) may be off where kernels change by as much
ROOTS = {"matern32": 3**0.5, "matern52": 5**0.5}
SHARP = ("matern12", "periodic")  # functions of r and not of r^2, which has no slope at zero
UNARY = ("power", "exponential", "polynomial", "sigmoid")
KNOWN = (
    "constant, white, linear, RBF, Matern (1/2, 3/2, 5/2), rational quadratic, Laplacian, periodic, their sums, products and"
    " powers, exponentials, polynomials and sigmoids"
)


class Node:
    """A node of a program with its value, and the weight that reaches it from above."""

    def __init__(self, step: list[int], builder: Builder) -> None:
        code, self.left, self.right, _, first, slot, second, each = step
        self.op, self.slots, self.each_column = NODES[code], (slot, second), bool(each)
        self.numbers = builder.numbers[first:]
        self.kind = FULL
        self.value: Any = None
        self.weight: Any = None
        self.base: Any = None  # squared distances, or sums of absolute differences
        self.points: Any = None  # about their mean, divided by the length scales


def forward(builder: Builder, X: Any, Z: Any = None, *, keep: bool = False) -> list[Node]:
    """Return the nodes of a program with their values; the last is the kernel of all rows of X and Z, or of X with itself.

    Without `keep` a sum or product takes the place of an operand, so that one matrix less is written and held.
    """
    nodes = [Node(step, builder) for step in builder.steps]
    for node in nodes:
        if node.op == "constant":
            node.kind, node.value = SCALAR, node.numbers[0]
        elif node.op == "white":
            node.kind = DIAGONAL if Z is None else SCALAR
            node.value = X.new_full((X.shape[0],), node.numbers[0]) if Z is None else 0.0
        elif node.op == "linear":
            node.value = (X @ (X if Z is None else Z).T).add_(node.numbers[0])
        elif node.op in ("sum", "product"):
            combine(node, nodes[node.left], nodes[node.right], keep)
        elif node.op in UNARY:
            inner = nodes[node.left]
            node.kind = SCALAR if inner.kind == SCALAR else FULL
            node.value = link(node, inner.value if inner.kind == SCALAR else filled(inner))
        else:
            measured(node, X, Z, keep)
    return nodes


def measured(node: Node, X: Any, Z: Any, keep: bool) -> None:
    """Set the value of a leaf that is a function of a distance."""
    d, own = X.shape[1], 1 if node.op == "rational" else 0
    scale = [1.0] * d if node.op == "periodic" else node.numbers[own : own + d]
    other = X if Z is None else Z
    node.points = (X - other.mean(0)) * X.new_tensor(scale) if keep else None
    if node.op == "rbf":
        node.value = squared_distances(X, Z, scale, times=-0.5).exp_()
        return
    if node.op == "laplacian":
        node.base = differences(X, other, scale, 1)
    else:
        node.base = squared_distances(X, Z, scale, sharp=node.op in SHARP)
    node.value = leaf_value(node)


def differences(X: Any, Z: Any, scale: list[float], power: int) -> Any:
    """Return (2), or the sum of absolute differences, of columns times their scales."""
    import torch

    found, gap = X.new_zeros((X.shape[0], Z.shape[0])), X.new_empty((X.shape[0], Z.shape[0]))
    for j, factor in enumerate(scale):
        torch.sub(X[:, j : j + 1], Z[:, j], out=gap).mul_(factor)
        found = found.addcmul_(gap, gap) if power == 2 else found.add_(gap.abs_())
    return found


def squared_distances(X: Any, Z: Any, scale: list[float], *, sharp: bool = False, times: float = 1.0) -> Any:
    """Return r^2 of all rows of X and Z, or of X with itself (None), columns times their scales: by (1), where it will do.

    `times` is a factor of all of them.
    """
    import torch

    same, factor, other = Z is None, X.new_tensor(scale), X if Z is None else Z
    if not sharp:
        middle = other.mean(0)
        points, others = (X - middle) * factor, (other - middle) * factor
        own, beside = (points * points).sum(1, keepdim=True), (others * others).sum(1, keepdim=True)
        if float(own.max() + beside.max()) * np.finfo(float).eps <= SMALL_ERROR:
            left = torch.cat([points * (-2 * times), own * times, torch.full_like(own, times)], dim=1)
            found = left @ torch.cat([others, torch.ones_like(beside), beside], dim=1).T
            found = found.clamp_(min=0.0) if times > 0 else found.clamp_(max=0.0)
            return found.fill_diagonal_(0.0) if same else found
    found = differences(X, other, scale, 2)
    return found if times == 1.0 else found.mul_(times)


def leaf_value(node: Node) -> Any:
    """Return the value of a leaf from distances."""
    if node.op == "laplacian":
        return (-node.base).exp_()
    if node.op == "rational":
        alpha = node.numbers[0]
        return (node.base / (2 * alpha)).log1p_().mul_(-alpha).exp_()
    if node.op == "matern12":
        return node.base.sqrt().neg_().exp_()
    if node.op == "periodic":
        length, period = node.numbers[:2]
        return node.base.sqrt().mul_(math.pi / period).sin_().square_().mul_(-2 / length**2).exp_()
    a = node.base.sqrt().mul_(ROOTS[node.op])
    return (1 + a if node.op == "matern32" else 1 + a + a * a / 3) * (-a).exp()


def combine(node: Node, left: Node, right: Node, keep: bool) -> None:
    """Set value and kind of a sum or a product, in place of an operand unless these are to be kept."""
    a, b = (left, right) if left.kind >= right.kind else (right, left)  # a is the fuller one
    node.kind, free = a.kind, a.kind == FULL and not keep
    if node.op == "product":
        if b.kind == DIAGONAL:
            node.kind, node.value = DIAGONAL, (a.value.diagonal() if a.kind == FULL else a.value) * b.value
        elif b.kind == SCALAR and b.value == 1.0:
            node.value = a.value
        else:
            node.value = a.value.mul_(b.value) if free else a.value * b.value
    elif a.kind == DIAGONAL and b.kind == SCALAR:
        node.kind, node.value = FULL, filled(a) + b.value
    elif a.kind == FULL and b.kind == DIAGONAL:
        node.value = a.value if free else a.value.clone()
        node.value.diagonal().add_(b.value)
    elif b.kind == SCALAR and b.value == 0.0:
        node.value = a.value
    else:
        node.value = a.value.add_(b.value) if free else a.value + b.value


def filled(node: Node) -> Any:
    """Return the value of a node that is no number as a matrix."""
    return node.value.diag() if node.kind == DIAGONAL else node.value


def link(node: Node, k: Any) -> Any:
    """Return the function of one kernel that a node is, of numbers or of a tensor."""
    if node.op == "power":
        return k ** node.numbers[0]
    if node.op == "polynomial":
        gamma, offset, degree = node.numbers[:3]
        return (gamma * k + offset) ** (int(degree) if float(degree).is_integer() else degree)
    inner = k if node.op == "exponential" else node.numbers[0] * k + node.numbers[1]
    if isinstance(inner, float):
        return math.exp(inner) if node.op == "exponential" else math.tanh(inner)
    return inner.exp() if node.op == "exponential" else inner.tanh()


def portions(rows: int, each: int) -> list[slice]:
    """Return pieces of `rows`, of which every one takes `each` numbers, that are no more than a block."""
    step = max(1, VALUES // max(1, each))
    return [slice(begin, min(begin + step, rows)) for begin in range(0, rows, step)]


class DeviceKernel(NamedTuple):
    """A kernel as a program for tensors of one number of columns, in float64."""

    builder: Builder

    def gram(self, X: Any) -> Any:
        """Return k(x_i, x_j) for all rows of X, white noise included; a matrix that may be overwritten."""
        last = forward(self.builder, X)[-1]
        if last.kind == SCALAR:
            return X.new_full((X.shape[0], X.shape[0]), last.value)
        return filled(last)

    def between(self, X: Any, Z: Any) -> Any:
        """Return k(x_i, z_j)."""
        last = forward(self.builder, X, Z)[-1]
        return last.value if last.kind == FULL else X.new_full((X.shape[0], Z.shape[0]), last.value)

    def diagonal(self, X: Any) -> Any:
        """Return k(x_i, x_i) of every row, white noise included."""
        nodes = [Node(step, self.builder) for step in self.builder.steps]
        for node in nodes:
            if node.op in ("constant", "white"):
                node.value = node.numbers[0]
            elif node.op == "linear":
                node.value = (X * X).sum(1) + node.numbers[0]
            elif node.op in ("sum", "product"):
                a, b = nodes[node.left].value, nodes[node.right].value
                node.value = a + b if node.op == "sum" else a * b
            elif node.op in UNARY:
                node.value = link(node, nodes[node.left].value)
            else:
                node.value = 1.0
        return X.new_zeros(X.shape[0]) + nodes[-1].value

    def portions(self, rows: int, others: int) -> list[slice]:
        """Return pieces of `rows` whose kernels with `others` take no more than a block with all parts of the kernel."""
        return portions(rows, others * len(self.builder.steps))

    def times(self, X: Any, Z: Any, V: Any) -> Any:
        """Return the sums of k(x_i, z_j) V_j for every row of X, (n, columns of V), a block of kernels at a time."""
        import torch

        parts = [self.between(X[part], Z) @ V for part in self.portions(X.shape[0], Z.shape[0])]
        return parts[0] if len(parts) == 1 else torch.cat(parts)


def device_kernel(kernel: Any, n_features: int) -> DeviceKernel | None:
    """Return the program of a kernel for tensors, or None where a part of it has no form there."""
    if not isinstance(kernel, Kernel) or any(isinstance(part, Mapped) for part in parts_of(kernel)):
        return None
    builder = build_kernel(kernel, np.zeros((1, n_features)))  # programs depend on the number of columns alone
    return None if builder is None or len(builder.rows) > 1 else DeviceKernel(builder)


def parts_of(kernel: Any) -> list[Any]:
    """Return a kernel and all that it is made of."""
    inner = [part for _, one in kernel._inner() for part in parts_of(one)] if isinstance(kernel, Kernel) else []
    return [kernel, *inner]


def refuse_kernel(owner: str, kernel: Any) -> DataError:
    """Return the error for rows on a device under a kernel that is computed in memory alone."""
    return DataError(
        f"{owner}: kernel={kernel!r} is computed in memory alone; of rows on a device these are: {KNOWN}. Give X.cpu(), or one of"
        " them."
    )
