r"""Sums of kernels of a distance over all rows, for queries on a device: (1) of `kernel_regression` and of `density`, there.

Terms are taken relative to the largest of their query, so that rows far from all others have an answer. Squared distances of the
Gaussian kernel come from products where these are exact enough (`kernels.device.program`), all others from differences.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.engines.search.device.scan import DeviceScan, on_device
from novum.engines.search.kernels import log_norm
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.kernels.device.program import portions, squared_distances
from novum.runtime import arrays

__all__ = ["density_there", "smooth_there"]

METRICS = "euclidean, manhattan, chebyshev, minkowski, seuclidean and mahalanobis"


class RowsThere(NamedTuple):
    """The rows of a tree on a device, what each of them says, and the kernel."""

    scan: DeviceScan
    weight: Any  # (n,), or None
    target: Any  # (n, outputs), or None
    kernel: str
    width: float
    norm: float  # what is added to the logarithms of sums
    flat: bool


def rows_there(model: Any, X: Any, target: Any, norm: float, flat: bool) -> RowsThere:
    """Return the rows of a model's tree on the device of X, sent once."""
    tree = model.tree_
    scan, weight = model._once_there(X, "tree_", tree, scan_of, model)
    moved = None if target is None else model._once_there(X, "_y", target, matrix_of)
    return RowsThere(scan, weight, moved, model.kernel, float(model.bandwidth_), norm, flat)


def scan_of(X: Any, tree: Any, model: Any) -> Any:
    """Return the rows of a tree and their weights on the device of X; raise where its metric has no form there."""
    params = model.metric_params or {}
    found = (
        on_device(arrays.like(X, tree.data, "float64"), model.metric, params) if isinstance(model.metric, str) else None
    )
    if found is None or found.form is None:
        raise DataError(
            f"{type(model).__name__}: metric={model.metric!r} is computed in memory alone; of rows on a device these are:"
            f" {METRICS}. Give X.cpu(), or one of them."
        )
    weight = tree.sample_weight
    return found, None if weight is None else arrays.like(X, weight, "float64")


def matrix_of(X: Any, target: Any) -> Any:
    """Return a target as a matrix on the device of X."""
    return arrays.like(X, arrays.as_matrix(target), "float64")


def log_kernels(params: RowsThere, X: Any) -> Any:
    """Return the logarithms of the kernel of every query with every row, (q, n)."""
    import torch

    scan, rows = params.scan, params.scan.rows.double()
    changed = scan.as_compared(X).double()
    if scan.form is not None and scan.form.p == 2:
        scale = [1.0 / params.width] * rows.shape[1]
        if params.kernel == "gaussian":
            return squared_distances(changed, rows, scale, times=-0.5)
        r = squared_distances(changed, rows, scale, sharp=True).sqrt_()
    else:
        r = scan.all_distances(changed).div_(params.width)
        if params.kernel == "gaussian":
            return r.square_().mul_(-0.5)
    if params.kernel == "exponential":
        return r.neg_()
    outside = r >= 1
    inside = r.clamp_(max=1.0)
    value = {
        "tophat": lambda: torch.zeros_like(inside),
        "epanechnikov": lambda: torch.log1p(-inside * inside),
        "linear": lambda: torch.log1p(-inside),
        "cosine": lambda: (inside * (np.pi / 2)).cos().log(),
    }[params.kernel]()
    return value.masked_fill_(outside, -np.inf)


def sums_of_block(params: RowsThere, X: Any) -> tuple[Any, Any, Any]:
    """Return sums of kernels, the logarithms of their units, and sums of kernels times targets, of every query."""
    import torch

    totals, units, moved = [], [], []
    for part in portions(X.shape[0], 2 * params.scan.rows.shape[0]):
        terms = log_kernels(params, X[part])
        unit = terms.amax(1, keepdim=True)
        unit = unit.where(unit.isfinite(), 0.0)
        terms = terms.sub_(unit).exp_()
        terms = terms if params.weight is None else terms.mul_(params.weight)
        totals.append(terms.sum(1))
        units.append(unit[:, 0])
        if params.target is not None:
            moved.append(terms @ params.target)
    return torch.cat(totals), torch.cat(units), torch.cat(moved) if moved else None


def smooth_block(params: RowsThere, block: Block) -> Any:
    """Return (1) of `kernel_regression` for every query, NaN where all kernels are zero."""
    total, _, moved = sums_of_block(params, block.X)
    value = (moved / total[:, None]).to(block.X.dtype)
    return value[:, 0] if params.flat else value


def density_block(params: RowsThere, block: Block) -> Any:
    """Return the logarithm of (1) of `density` for every query."""
    total, unit, _ = sums_of_block(params, block.X)
    return (total.log() + unit + params.norm).to(block.X.dtype)


def smooth_there(model: Any, X: Any) -> Any:
    """Return the predictions of a `NadarayaWatson` for rows on a device, there."""
    return model._rows(X, smooth_block, rows_there(model, X, model._y, 0.0, model._y.ndim == 1))


def density_there(model: Any, X: Any) -> Any:
    """Return the log-densities of a `KernelDensity` of rows on a device, there."""
    norm = log_norm(model.kernel, float(model.bandwidth_), model.n_features_in_) - np.log(model.tree_.sum_weight)
    return model._rows(X, density_block, rows_there(model, X, None, norm, True))
