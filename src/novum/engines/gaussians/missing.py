r"""Rows with missing cells: the missing part is integrated out, exactly, under every component.

With the observed cells o of a row, S the covariance of a component, z = inv(S_oo) (x_o - mean_o) padded with zeros:

    p(x_o | k) = N(x_o | mean_o, S_oo),     (x_o - mean_o)' z its square distance                  (8)
    E[x | x_o, k] = mean + S z,             which gives x_o back on o                              (9)
    Cov[x | x_o, k] = S - S inv(S_oo) S     zero on o (the inverse is padded with zeros)           (10)

(4) then uses (9) in place of x and adds w r times (10) to `second`. Rows with one pattern of missing cells share the inverse.
A padded inverse is that of S with the missing rows and columns replaced by those of the identity, minus that identity: one
batched inverse for many patterns. Where S is diagonal nothing is inverted.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.engines.gaussians.covariance import DIAGONAL, TIED, MixtureSums
from novum.engines.gaussians.tensors import log_sum
from novum.fold.blocks import Block, add
from novum.runtime import arrays as _array

__all__ = ["all_joint", "dense_joint", "moments_under", "observed_cells", "split_pass"]

BATCH_VALUES = 2**22  # of padded inverses held at a time: 32 MB
LOG_TWO_PI = float(np.log(2 * np.pi))


def library(x: Any) -> Any:
    """Return the module whose `linalg`, `log`, `where` and `einsum` work on x."""
    if _array.is_tensor(x):
        import torch

        return torch
    return np


def patterns_of(seen: Any) -> tuple[Any, Any]:
    """Return the distinct patterns of observed cells (p, d), and which of them every row has."""
    if _array.is_tensor(seen):
        import torch

        return torch.unique(seen, dim=0, return_inverse=True)
    packed = np.packbits(seen, axis=1)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return seen[first], which.ravel()


def padded_inverses(covariance: Any, seen: Any) -> tuple[Any, Any]:
    """Return inv(S_oo) padded with zeros (p, d, d) and log |S_oo| (p,) for every pattern of observed cells."""
    lib = library(covariance)
    both = seen[:, :, None] & seen[:, None, :]
    gap = lib.diag_embed((~seen).double()) if lib is not np else (~seen)[:, :, None] * np.eye(seen.shape[1])
    matrix = lib.where(both, covariance, 0.0) + gap
    return lib.linalg.inv(matrix) - gap, lib.linalg.slogdet(matrix)[1]


def diagonal_joint(density: Any, X: Any, seen: Any) -> tuple[Any, Any]:
    """Return l (rows, k), and E[x] - mean (k, rows, d), for diagonal covariances; X has zeros for what is missing."""
    mean, variance = (_array.like(X, values, "float64") for values in (density.mean, density.covariance))
    offset = (X[None] - mean[:, None]) * seen[None]
    logs = library(X).log(variance) + LOG_TWO_PI
    square = (offset**2 / variance[:, None] + seen[None] * logs[:, None]).sum(2)
    return _array.like(X, density.excess, "float64") - 0.5 * square.T, offset


def dense_joint(density: Any, X: Any, seen: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return l, E[x] - mean, the padded inverses (k, p, d, d), the patterns' log |S_oo| (k, p), and the pattern of every row."""
    lib = library(X)
    kinds, which = patterns_of(seen)
    cells = _array.double(seen.sum(1))
    columns, offsets, inverses, logs = [], [], [], []
    for c in range(len(density.mean)):
        S = _array.like(X, density.covariance if density.layout == TIED else density.covariance[c], "float64")
        offset = (X - _array.like(X, density.mean[c], "float64")) * seen
        inverse, log = padded_inverses(S, kinds)
        z = lib.einsum("nij,nj->ni", inverse[which], offset)
        columns.append(float(density.excess[c]) - 0.5 * ((offset * z).sum(1) + log[which] + cells * LOG_TWO_PI))
        offsets.append(z @ S)
        inverses.append(inverse)
        logs.append(log)
    return lib.stack(columns, 1), lib.stack(offsets), lib.stack(inverses), lib.stack(logs), which


def observed_cells(X: Any) -> tuple[Any, Any]:
    """Return X in float64 with zeros for missing cells, and which cells are observed."""
    lib = library(X)
    seen = ~lib.isnan(X)
    return lib.where(seen, _array.double(X), 0.0), seen


def portions(density: Any, X: Any) -> list[slice]:
    """Return slices of the rows whose patterns' inverses fit the memory."""
    k, d = density.mean.shape
    rows = max(1, BATCH_VALUES // (k * d * (1 if density.layout == DIAGONAL else d)))
    return [slice(start, start + rows) for start in range(0, X.shape[0], rows)]


def all_joint(density: Any, X: Any) -> Any:
    """Return l of every row, (8) in place of (2), in float64."""
    parts = [observed_cells(X[part]) for part in portions(density, X)]
    one = diagonal_joint if density.layout == DIAGONAL else dense_joint
    return _array.stack_rows([one(density, filled, seen)[0] for filled, seen in parts])


def diagonal_second(density: Any, filled: Any, seen: Any, wr: Any, offset: Any) -> Any:
    """Return the second moments (k, d) under shares wr (rows, k), with what (10) adds for missing cells."""
    covariance = _array.like(filled, density.covariance, "float64")
    return library(filled).einsum("nk,knd->kd", wr, offset**2) + (wr.T @ _array.double(~seen)) * covariance


def dense_second(density: Any, S: Any, wr: Any, offset: Any, inverse: Any, which: Any) -> Any:
    """Return the second moments (k, d, d), tied (d, d), of covariances S (k, d, d): as `diagonal_second`."""
    shares = sums_by_group(wr, which, inverse.shape[1])  # (p, k)
    mean_inverse = library(wr).einsum("pk,kpij->kij", shares, inverse)
    second = (offset * wr.T[:, :, None]).swapaxes(1, 2) @ offset
    second = second + wr.sum(0)[:, None, None] * S - S @ mean_inverse @ S
    return second.sum(0) if density.layout == TIED else second


def moments_under(density: Any, X: Any, shares: Any) -> tuple[Any, Any, Any]:
    """Return mass, first and second moments about the means of rows with missing cells, under given shares (rows, k)."""
    k, d = density.mean.shape
    mass, first, second = 0.0, 0.0, 0.0
    for part in portions(density, X):
        (filled, seen), wr = observed_cells(X[part]), shares[part]
        lib = library(filled)
        if density.layout == DIAGONAL:
            offset = diagonal_joint(density, filled, seen)[1]
            second = second + diagonal_second(density, filled, seen, wr, offset)
        else:
            _, offset, inverse, _, which = dense_joint(density, filled, seen)
            S = lib.broadcast_to(_array.like(filled, density.covariance, "float64"), (k, d, d))
            second = second + dense_second(density, S, wr, offset, inverse, which)
        mass, first = mass + wr.sum(0), first + lib.einsum("nk,knd->kd", wr, offset)
    return mass, first, second


def portion_sums(density: Any, X: Any, weight: Any) -> list[Any]:
    """Return mass, first, second, the log-likelihood and the information of some rows with missing cells, in their library."""
    lib = library(X)
    filled, seen = observed_cells(X)
    gaps = _array.double((~seen).sum(1))
    if density.layout == DIAGONAL:
        joint, offset = diagonal_joint(density, filled, seen)
    else:
        joint, offset, inverse, log, which = dense_joint(density, filled, seen)
    total = log_sum(joint)
    logs = joint - total[:, None]
    r = lib.exp(logs)
    wr = r if weight is None else r * weight[:, None]  # (rows, k)
    first = lib.einsum("nk,knd->kd", wr, offset)
    if density.layout == DIAGONAL:
        covariance, missing = _array.like(filled, density.covariance, "float64"), _array.double(~seen)
        second = diagonal_second(density, filled, seen, wr, offset)
        entropy = (missing @ (lib.log(covariance) + LOG_TWO_PI + 1).T) / 2  # entropy of the missing cells
    else:
        S = lib.broadcast_to(
            _array.like(filled, density.covariance, "float64"), (len(density.mean), *first.shape[1:] * 2)
        )
        second = dense_second(density, S, wr, offset, inverse, which)
        whole = lib.linalg.slogdet(S)[1]
        entropy = (whole - log[:, which].T + (gaps * (LOG_TWO_PI + 1))[:, None]) / 2
    information = (wr * lib.where(r > 0, logs - entropy, 0.0)).sum()  # a component without rows may have no volume
    likelihood = total.sum() if weight is None else weight @ total
    return [wr.sum(0), first, second, likelihood, information]


def sums_by_group(values: Any, which: Any, count: int) -> Any:
    """Return the sums of the rows of `values` by group."""
    if _array.is_tensor(values):
        import torch

        return torch.zeros(count, values.shape[1], dtype=values.dtype, device=values.device).index_add_(
            0, which, values
        )
    return np.stack([np.bincount(which, column, minlength=count) for column in values.T], axis=1)


def split_pass(density: Any, block: Block, complete_pass: Callable[[Any, Block], MixtureSums]) -> MixtureSums:
    """Return (4) of a block of which some rows have missing cells: complete rows by `complete_pass`, the others by (8)-(10)."""
    X, weight = block.X, block.weight
    lib = library(X)
    gaps = lib.isnan(X).any(1)
    rest, gaps = (~gaps, gaps) if weight is None else (~gaps & (weight > 0), gaps & (weight > 0))
    whole = X[rest] if _array.is_tensor(X) else np.ascontiguousarray(X[rest])
    memory = {"complete": True} if block.memory is None else block.memory.setdefault("rest", {"complete": True})
    sums = complete_pass(density, Block(whole, None, None if weight is None else weight[rest], block.start, memory))
    partial, weight = X[gaps], None if weight is None else weight[gaps]
    for part in portions(density, partial):
        rows = partial[part]
        w = None if weight is None else weight[part]
        arrays = [np.asarray(_array.to_numpy(value), np.float64) for value in portion_sums(density, rows, w)]
        mass = float(rows.shape[0] if w is None else w.sum())
        found = MixtureSums(arrays[0], arrays[1], arrays[2], float(arrays[3]), float(arrays[4]), mass)
        sums = add(sums, found)
    return sums
