"""The pass of an EM iteration by the kernels of `device_kernels`, for full covariances of few dimensions and components.

Everything is in float64 whatever the rows are, so that the moments (17) lose no digits where components are far from each other.
"""

from typing import Any

import numpy as np

from novum.engines.gaussians.covariance import FULL
from novum.runtime import arrays, devices

__all__ = ["sums_by_kernels", "takes"]

MOST_COLUMNS, MOST_COMPONENTS = 64, 64  # what the registers of a program hold in float64
ROWS, PAIR_ROWS, PAIRS = 64, 32, 64  # rows that are whitened at a time; rows and pairs of a product
CHUNKS = 2  # runs of rows per multiprocessor and tile of pairs
VALUES = 2**27  # responsibilities held at a time: 1 GB of float64


def takes(layout: int, k: int, X: Any) -> bool:
    """Return whether the kernels take this mixture."""
    return layout == FULL and k <= MOST_COMPONENTS and X.shape[1] <= MOST_COLUMNS and devices.runs_kernels(X)


def side(size: int) -> int:
    """Return the power of two, 16 or more, to which a side of a product is padded."""
    return max(16, 1 << (size - 1).bit_length())


def sums_by_kernels(density: Any, center: np.ndarray, X: Any, weight: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return mass, first and second moments about the center, sum w total and sum w r log r, on the device."""
    import torch

    from novum.engines.gaussians import device_kernels as kernels

    (n, d), k = X.shape, len(density.constant)
    width = side(d)
    factor = np.zeros((k, width, width))
    factor[:, :d, :d] = density.factor
    offset = np.zeros((k, width))
    offset[:, :d] = np.einsum("ki,kij->kj", density.mean - center, density.factor)
    packed = arrays.like(X, np.concatenate([factor.ravel(), offset.ravel(), density.constant, center]), "float64")
    factors, offsets, constant, middle = packed.split([k * width * width, k * width, k, d])
    left, right = np.triu_indices(d + 1)
    places = arrays.like(X, np.stack([left, right]), "int64")
    pairs = len(left)
    total = torch.zeros((pairs, k), dtype=torch.float64, device=X.device)
    scalars = torch.zeros(2, dtype=torch.float64, device=X.device)
    rows = max(1, VALUES // k)
    for start in range(0, n, rows):
        part = X[start : start + rows]
        w = None if weight is None else weight[start : start + rows]
        m = len(part)
        shares = torch.empty((m, k), dtype=torch.float64, device=X.device)
        programs = -(-m // ROWS)
        sums = torch.empty((programs, 2), dtype=torch.float64, device=X.device)
        kernels.responsibilities[(programs,)](
            part,
            middle if w is None else w,
            middle,
            factors,
            offsets,
            constant,
            m,
            d,
            k,
            shares,
            sums,
            WEIGHTED=w is not None,
            WIDTH=width,
            COMPONENTS=side(k),
            ROWS=ROWS,
            num_warps=4,
        )
        run = max(PAIR_ROWS, -(-m // (CHUNKS * devices.processors(X))))
        chunks = -(-m // run)
        out = torch.empty((chunks, pairs, k), dtype=torch.float64, device=X.device)
        kernels.weighted_pairs[(chunks, -(-pairs // PAIRS))](
            part,
            middle,
            shares,
            places[0],
            places[1],
            m,
            d,
            k,
            pairs,
            run,
            out,
            COMPONENTS=side(k),
            PAIRS=PAIRS,
            ROWS=PAIR_ROWS,
            num_warps=4,
        )
        total += out.sum(dim=0)
        scalars += sums.sum(dim=0)
    full = torch.empty((d + 1, d + 1, k), dtype=torch.float64, device=X.device)
    full[places[0], places[1]] = total
    full[places[1], places[0]] = total
    first, second = full[:d, d].T, full[:d, :d].permute(2, 0, 1).reshape(k, d * d)
    return full[d, d], first, second, scalars[0], scalars[1]
