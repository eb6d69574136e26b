"""What the kernels of `device_kernels` make of a tensor: a pass of EM, joint densities, moments of known classes.

Everything is in float64 whatever the rows are, so that the moments (17) lose no digits where components are far from each other. The
kernels are for few dimensions and components, as many as the registers of a program hold.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians.covariance import FULL
from novum.runtime import arrays, devices

__all__ = ["class_pairs", "joint_by_kernels", "pair_sums", "portions", "sums_by_kernels", "takes", "takes_shape"]

MOST_COLUMNS, MOST_COMPONENTS = 64, 64
ROWS, PAIR_ROWS, PAIRS = 64, 32, 64  # rows that are whitened at a time; rows and pairs of a product
CHUNKS = 2  # runs of rows per multiprocessor and tile of pairs
VALUES = 2**27  # responsibilities held at a time: 1 GB of float64


def takes_shape(k: int, X: Any) -> bool:
    """Return whether the kernels take rows of this width and so many components."""
    return k <= MOST_COMPONENTS and X.shape[1] <= MOST_COLUMNS and devices.runs_kernels(X)


def takes(layout: int, k: int, X: Any) -> bool:
    """Return whether the kernels take this mixture."""
    return layout == FULL and takes_shape(k, X)


def side(size: int) -> int:
    """Return the power of two, 16 or more, to which a side of a product is padded."""
    return max(16, 1 << (size - 1).bit_length())


class Whitening(NamedTuple):
    """A density about a center, on the device."""

    center: Any  # (d,)
    factor: Any  # (k, width, width)
    offset: Any  # (k, width)
    constant: Any  # (k,)
    width: int


def whitening(density: Any, center: NDArray, X: Any) -> Whitening:
    """Return what (18) needs, by one transfer."""
    k, d = density.mean.shape
    width = side(d)
    factor, offset = np.zeros((k, width, width)), np.zeros((k, width))
    factor[:, :d, :d] = density.factor
    offset[:, :d] = np.einsum("ki,kij->kj", density.mean - center, density.factor)
    packed = arrays.like(X, np.concatenate([factor.ravel(), offset.ravel(), density.constant, center]), "float64")
    parts = packed.split([k * width * width, k * width, k, d])
    return Whitening(parts[3], parts[0], parts[1], parts[2], width)


def whiten(white: Whitening, X: Any, weight: Any, *, joint: bool) -> tuple[Any, Any]:
    """Return w r of (18), or l where `joint`, and the sums of the programs."""
    import torch

    from novum.engines.gaussians import device_kernels as kernels

    (n, d), k = X.shape, len(white.constant)
    programs = -(-n // ROWS)
    found = torch.empty((n, k), dtype=torch.float64, device=X.device)
    sums = torch.empty((1 if joint else programs, 2), dtype=torch.float64, device=X.device)
    kernels.responsibilities[(programs,)](
        X,
        white.center if weight is None else weight,
        white.center,
        white.factor,
        white.offset,
        white.constant,
        n,
        d,
        k,
        found,
        sums,
        WEIGHTED=weight is not None,
        WIDTH=white.width,
        COMPONENTS=side(k),
        JOINT=joint,
        ROWS=ROWS,
        num_warps=4,
    )
    return found, sums.sum(dim=0)


def pair_sums(X: Any, center: Any, pairs: Any, k: int, shares: Any, code: Any, weight: Any) -> Any:
    """Return (19) of the pairs, (pairs, k): under responsibilities, or of classes by their codes."""
    import torch

    from novum.engines.gaussians import device_kernels as kernels

    (n, d), count = X.shape, pairs.shape[1]
    run = max(PAIR_ROWS, -(-n // (CHUNKS * devices.processors(X))))
    chunks = -(-n // run)
    out = torch.empty((chunks, count, k), dtype=torch.float64, device=X.device)
    kernels.weighted_pairs[(chunks, -(-count // PAIRS))](
        X,
        center,
        center if shares is None else shares,
        center if code is None else code,
        center if weight is None else weight,
        pairs[0],
        pairs[1],
        n,
        d,
        k,
        count,
        run,
        out,
        BY_CODE=code is not None,
        WEIGHTED=weight is not None,
        COMPONENTS=side(k),
        PAIRS=PAIRS,
        ROWS=PAIR_ROWS,
        num_warps=4,
    )
    return out.sum(dim=0)


def portions(X: Any, k: int) -> list[slice]:
    """Return slices of the rows such that their responsibilities fit the memory."""
    rows = max(1, VALUES // k)
    return [slice(start, start + rows) for start in range(0, X.shape[0], rows)]


def joint_by_kernels(density: Any, center: NDArray, X: Any) -> Any:
    """Return l of (18) for every row and component, in float64."""
    white = whitening(density, center, X)
    return arrays.stack_rows([whiten(white, X[part], None, joint=True)[0] for part in portions(X, len(density.constant))])


def sums_by_kernels(density: Any, center: NDArray, X: Any, weight: Any) -> tuple[Any, ...]:
    """Return mass, first and second moments about the center, sum w total and sum w r log r, on the device."""
    import torch

    d, k = X.shape[1], len(density.constant)
    white = whitening(density, center, X)
    places = arrays.like(X, np.stack(np.triu_indices(d + 1)), "int64")
    total = torch.zeros((places.shape[1], k), dtype=torch.float64, device=X.device)
    scalars = torch.zeros(2, dtype=torch.float64, device=X.device)
    for part in portions(X, k):
        w = None if weight is None else weight[part]
        shares, sums = whiten(white, X[part], w, joint=False)
        total += pair_sums(X[part], white.center, places, k, shares, None, w)
        scalars += sums
    full = torch.empty((d + 1, d + 1, k), dtype=torch.float64, device=X.device)
    full[places[0], places[1]] = total
    full[places[1], places[0]] = total
    first, second = full[:d, d].T, full[:d, :d].permute(2, 0, 1).reshape(k, d * d)
    return full[d, d], first, second, scalars[0], scalars[1]


def class_pairs(X: Any, code: Any, weight: Any, k: int, center: NDArray, *, diagonal: bool) -> tuple[NDArray, ...]:
    """Return mass (k,), first (k, d) and second moments of classes about a common center, (k, d, d) or only (k, d) of them."""
    d = X.shape[1]
    column = np.arange(d)
    pairs = np.stack(np.triu_indices(d + 1))
    if diagonal:
        pairs = np.stack([np.concatenate([column, np.arange(d + 1)]), np.concatenate([column, np.full(d + 1, d)])])
    places = arrays.like(X, pairs, "int64")
    found = arrays.to_numpy(pair_sums(X, arrays.like(X, center, "float64"), places, k, None, code.contiguous(), weight))
    if diagonal:
        return found[-1], found[d : 2 * d].T, found[:d].T
    full = np.empty((d + 1, d + 1, k))
    full[pairs[0], pairs[1]] = full[pairs[1], pairs[0]] = found
    return full[d, d].copy(), full[:d, d].T.copy(), full[:d, :d].transpose(2, 0, 1).copy()
