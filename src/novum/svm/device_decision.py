"""The decision of a kernel machine over rows on a device: sums of kernels over support vectors there, and probabilities."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.kernels import RBF, Constant, Linear, Polynomial, Sigmoid
from novum.kernels.device.program import DeviceKernel, device_kernel, refuse_kernel
from novum.runtime import arrays
from novum.svm.kernel_choice import Kernel

__all__ = ["DecisionThere", "decision_there", "probabilities_there", "sums_there"]


class DecisionThere(NamedTuple):
    """What a decision over new rows needs, as tensors."""

    kernel: DeviceKernel | None  # None: rows are rows of a kernel matrix
    parts: tuple[Any, ...]  # support vectors, a part per class; with a kernel matrix their rows in the fit
    coefficient: tuple[Any, ...]
    intercept: NDArray[np.float64]


def named_kernel(kernel: Kernel) -> Any:
    """Return a kernel of the formulas (1) of `kernel_choice` as a program can be made of it; a function as it is."""
    if kernel.function is not None:
        return kernel.function
    name, gamma, offset, degree = kernel.arguments
    if name == "linear":
        return Linear()
    if name == "poly":
        return Polynomial(degree=degree, coef0=offset, gamma=gamma)
    if name == "sigmoid":
        return Sigmoid(gamma=gamma, coef0=offset)
    return RBF(float(np.sqrt(0.5 / gamma))) if gamma > 0 else Constant(1.0)


def decision_there(machine: Any, decision: Any, X: Any) -> DecisionThere:
    """Return the decision of a machine for rows on the device of X; its support vectors are sent once."""
    lines = tuple(arrays.like(X, c, "float64") for c in decision.coefficient)
    if decision.kernel.is_matrix and decision.kernel.function is None:
        parts = tuple(arrays.like(X, part, "int64") for part in decision.parts)
        return DecisionThere(None, parts, lines, decision.intercept)
    kernel = device_kernel(named_kernel(decision.kernel), vars(machine).get("n_features_in_", 1))
    if kernel is None:
        raise refuse_kernel(type(machine).__name__, machine.kernel)
    if decision.kernel.function is None:
        (vectors,) = machine._on_device(X, "support_vectors_")
        parts = vectors.split([c.shape[1] for c in decision.coefficient])
    else:
        (rows,) = machine._on_device(X, "_rows_fit")
        parts = tuple(rows[arrays.like(X, part, "int64")] for part in decision.parts)
    return DecisionThere(kernel, parts, lines, decision.intercept)


def sums_there(decision: DecisionThere, X: Any) -> Any:
    """Return the sums of kernels over every part for every row, (n, parts, outputs)."""
    import torch

    X, each = X.double(), zip(decision.parts, decision.coefficient, strict=True)
    if decision.kernel is None:
        return torch.stack([X[:, part] @ c.T for part, c in each], dim=1)
    times = decision.kernel.times
    sums = [times(X, part, c.T) if len(part) else X.new_zeros((len(X), len(c))) for part, c in each]
    return torch.stack(sums, dim=1)


def probabilities_there(decision: Any, table: NDArray[np.float64], classes: int, least: float) -> Any:
    """Return (3) of `probabilities` for every row; no pair is surer than `least`."""
    import torch

    scale = arrays.like(decision, table, "float64")
    pair = (-(decision * scale[:, 0] + scale[:, 1])).sigmoid().clamp(least, 1 - least)
    if classes == 2:
        return torch.cat([pair, 1 - pair], dim=1)
    n = len(decision)
    r = decision.new_zeros((n, classes, classes))
    for k, (i, j) in enumerate(combinations(range(classes), 2)):
        r[:, i, j], r[:, j, i] = pair[:, k], 1 - pair[:, k]
    Q = -r.mT * r
    Q.diagonal(dim1=1, dim2=2).copy_(r.square().sum(1))
    system = decision.new_ones((n, classes + 1, classes + 1))
    system[:, :classes, :classes], system[:, classes, classes] = Q, 0.0
    right = decision.new_zeros((n, classes + 1, 1))
    right[:, classes] = 1.0
    p = torch.linalg.solve(system, right)[:, :classes, 0].clamp(min=0.0)
    return p / p.sum(1, keepdim=True)
