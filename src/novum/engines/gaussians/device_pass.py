"""What the kernels of `device_kernels` make of a tensor: a pass of EM, joint densities, products under given shares.

Everything is in float64 whatever the rows are, so that the moments (17) lose no digits where components are far from each other.
The kernels are for few dimensions and components, as many as the registers of a program hold.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians.covariance import FULL
from novum.runtime import arrays, devices

__all__ = ["joint_by_kernels", "portions", "products", "sums_by_kernels", "takes", "takes_shape"]

MOST_COLUMNS, MOST_COMPONENTS = 64, 64
ROWS, PAIR_ROWS = 64, 32  # rows that are whitened at a time, rows of a product
CELLS = 64  # rows or columns of a tile of sums, the longer side
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
        X=X,
        weight=white.center if weight is None else weight,
        center=white.center,
        factor=white.factor,
        offset=white.offset,
        constant=white.constant,
        n=n,
        d=d,
        k=k,
        shares=found,
        sums=sums,
        WEIGHTED=weight is not None,
        WIDTH=white.width,
        COMPONENTS=side(k),
        JOINT=joint,
        ROWS=ROWS,
        num_warps=4,
    )
    return found, sums.sum(dim=0)


def products(X: Any, center: Any, shares: Any, weight: Any) -> Any:
    """Return sums of shares times z~ z~' for z~ = [z, 1], (d + 1, d + 1, k): (19) and the masses; shares hold the weights."""
    import torch

    from novum.engines.gaussians import device_kernels as kernels

    (n, d), k = X.shape, shares.shape[1]
    width, components = side(d), side(k)
    left = max(1, CELLS // max(width, components))
    run = max(PAIR_ROWS, -(-n // (CHUNKS * devices.processors(X))))
    chunks = -(-n // run)
    out = torch.empty((chunks, d + 1, width, k), dtype=torch.float64, device=X.device)
    kernels.weighted_products[(chunks, -(-(d + 1) // left))](
        X=X,
        center=center,
        shares=shares,
        weight=center if weight is None else weight,
        n=n,
        d=d,
        k=k,
        run=run,
        out=out,
        WEIGHTED=weight is not None,
        WIDTH=width,
        LEFT=left,
        COMPONENTS=components,
        ROWS=PAIR_ROWS,
        num_warps=4,
        num_stages=2,
    )
    found = out.sum(dim=0)[:, :d]
    last = torch.cat([found[d], shares.sum(dim=0)[None]])
    return torch.cat([found, last[:, None]], dim=1)


def portions(X: Any, k: int) -> list[slice]:
    """Return slices of the rows such that their responsibilities fit the memory."""
    rows = max(1, VALUES // k)
    return [slice(start, start + rows) for start in range(0, X.shape[0], rows)]


def joint_by_kernels(density: Any, center: NDArray, X: Any) -> Any:
    """Return l of (18) for every row and component, in float64."""
    white = whitening(density, center, X)
    return arrays.stack_rows(
        [whiten(white, X[part], None, joint=True)[0] for part in portions(X, len(density.constant))]
    )


def sums_by_kernels(density: Any, center: NDArray, X: Any, weight: Any) -> tuple[Any, ...]:
    """Return mass, first and second moments about the center, sum w total and sum w r log r, on the device."""
    d, k = X.shape[1], len(density.constant)
    white = whitening(density, center, X)
    full: Any = 0.0
    scalars: Any = 0.0
    for part in portions(X, k):
        w = None if weight is None else weight[part]
        shares, sums = whiten(white, X[part], w, joint=False)
        full, scalars = full + products(X[part], white.center, shares, w), scalars + sums
    return full[d, d], full[d, :d].T, full[:d, :d].permute(2, 0, 1).reshape(k, d * d), scalars[0], scalars[1]
