"""A k-means pass on a tensor that lies on a device: labels as exact as float64, sums in float64, one small transfer back.

Where Triton runs, the kernels of `device_kernels` score by split products with a bound on their error,

    E(x) = |x| max_j |c_j| (2^-16 + (3 d + 4) 2^-22) + max_j |c_j|^2 2^-23                            (17)

and settle in float64 the rows that (16) leaves open; the sums have a fixed order. Elsewhere the same is said in PyTorch: scores
of a portion of the rows by one product in float64, sums in whatever order the device adds. Rows and centers are about the origin of
`assignment`. Proof of (17): docs/theory/kmeans.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.runtime import arrays, devices

__all__ = ["DeviceSums", "FurthestRows", "all_distances", "distances", "furthest", "labels", "pass_sums"]

VALUES = 2**27  # what a device holds at a time for scores or differences: 1 GB of float64
NARROW = 64  # columns up to which a tile of rows stays in registers while all centers pass
ROWS, CENTERS = 128, 64  # tile of scores of one program: what its registers hold with no spill
SETTLE_ROWS, SETTLE_DEPTH = 32, 32
PIECE = 512  # rows of one cluster that a program adds up
SUM_WIDTH = 64  # columns it adds at a time
NEAR = 1e-4  # of |x|^2 + |c|^2: nearer pairs would keep fewer than twelve digits of their squared distance
FINE, COARSE = (
    2.0**-22,
    2.0**-16,
)  # (17): an addition on the matrix units; what two parts of bfloat16 leave of a product


class DeviceSums(NamedTuple):
    """Sums of a pass on the host."""

    first: NDArray  # (k, d): sum of w (x - origin)
    mass: NDArray  # (k,)
    inertia: float


class FurthestRows(NamedTuple):
    """Rows far from their centers, on the host."""

    square: NDArray  # (m,)
    row: NDArray  # (m,): their numbers
    x: NDArray  # (m, d)
    weight: NDArray  # (m,)
    label: NDArray  # (m,)


def portions(X: Any, values: int) -> list[slice]:
    """Return slices of the rows of a tensor, such that so many values for every row fit the memory of a device."""
    rows = max(1, VALUES // values)
    return [slice(start, start + rows) for start in range(0, X.shape[0], rows)]


class DeviceCenters(NamedTuple):
    """Centers about the origin, on the device."""

    shift: Any  # (d,), in the dtype of the rows
    exact: Any  # (k, d) float64
    half: Any  # (k,) float64: |c|^2 / 2
    longest: float  # max_j |c_j|


def on_device(centers: NDArray, origin: NDArray, X: Any) -> DeviceCenters:
    """Return centers about the origin where X is, by one transfer."""
    k, d = centers.shape
    about = centers - origin
    square = np.einsum("kd,kd->k", about, about)
    packed = arrays.like(X, np.concatenate([about.ravel(), square / 2, origin]), "float64")
    exact, half, shift = packed[: k * d].reshape(k, d), packed[k * d : k * d + k], packed[k * d + k :]
    return DeviceCenters(shift.to(X.dtype), exact, half, float(np.sqrt(square.max())))


def labels(centers: NDArray, origin: NDArray, X: Any) -> Any:
    """Return the nearest center of every row, the lowest of equals, as int32 on the device."""
    return nearest(on_device(centers, origin, X), X)


def nearest(c: DeviceCenters, X: Any) -> Any:
    """Return the nearest center of every row."""
    import torch

    if devices.runs_kernels(X):
        return nearest_by_kernels(c, X)
    return torch.cat(
        [
            torch.addmm(c.half, X[part].double() - c.shift, c.exact.T, alpha=-1).argmin(dim=1).int()
            for part in portions(X, max(c.exact.shape))
        ]
    )


def tile_width(d: int) -> tuple[int, int]:
    """Return the padded number of columns, and how many of them a tile takes at a time."""
    if d > NARROW:
        return -(-d // NARROW) * NARROW, NARROW
    width = max(16, 1 << (d - 1).bit_length())  # the matrix units take no fewer
    return width, width


def padded(values: Any, rows: int, width: int, fill: float = 0.0) -> Any:
    """Return a matrix with so many rows and columns, the new ones filled."""
    import torch

    return torch.nn.functional.pad(values, (0, width - values.shape[1], 0, rows - values.shape[0]), value=fill)


def nearest_by_kernels(c: DeviceCenters, X: Any) -> Any:
    """Return the nearest center of every row by (15) and (16), and in float64 where they leave it open."""
    import torch

    from novum.engines.kmeans import device_kernels as kernels

    (n, d), k = X.shape, len(c.half)
    width, depth = tile_width(d)
    tile = min(CENTERS, max(16, 1 << (k - 1).bit_length()))
    rows = -(-k // tile) * tile
    exact, half = padded(c.exact, rows, width), padded(c.half[None], 1, rows, float("inf"))[0]
    high = exact.bfloat16()
    low = (exact - high.double()).bfloat16()
    label = torch.empty(n, dtype=torch.int32, device=X.device)
    doubtful = torch.empty(n, dtype=torch.int64, device=X.device)
    count = torch.zeros(1, dtype=torch.int32, device=X.device)
    slope = c.longest * (COARSE + (3 * d + 4) * FINE)
    kernels.nearest[(-(-n // ROWS),)](
        X=X,
        shift=c.shift,
        high=high,
        low=low,
        half=half.float(),
        n=n,
        d=d,
        k=k,
        slope=slope,
        floor=c.longest**2 * FINE / 2,
        label=label,
        doubtful=doubtful,
        count=count,
        WIDTH=width,
        DEPTH=depth,
        CENTERS=tile,
        ROWS=ROWS,
        num_warps=4,
    )
    settle_depth = min(width, SETTLE_DEPTH)
    programs = min(-(-n // SETTLE_ROWS), 4 * devices.processors(X))
    kernels.settle[(programs,)](
        X=X,
        shift=c.shift,
        centers=exact,
        half=half,
        d=d,
        k=k,
        doubtful=doubtful,
        count=count,
        label=label,
        WIDTH=width,
        DEPTH=settle_depth,
        CENTERS=tile,
        ROWS=SETTLE_ROWS,
        num_warps=4,
    )
    return label


def pass_sums(centers: NDArray, origin: NDArray, X: Any, weight: Any) -> tuple[DeviceSums, Any]:
    """Return the sums of a pass, and the labels they rest on."""
    c = on_device(centers, origin, X)
    label = nearest(c, X)
    d = X.shape[1]
    found = arrays.to_numpy(
        sums_by_kernels(c, X, weight, label) if devices.runs_kernels(X) else sums(c, X, weight, label)
    )
    return DeviceSums(np.ascontiguousarray(found[:, :d]), found[:, d].copy(), float(found[:, d + 1].sum())), label


def sums(c: DeviceCenters, X: Any, weight: Any, label: Any) -> Any:
    """Return (k, d + 2): sums of w (x - origin), of w and of w |x - c|^2 of every cluster."""
    import torch

    k, d = c.exact.shape
    index = label.long()
    total = torch.zeros((k, d + 2), dtype=torch.float64, device=X.device)
    for part in portions(X, d):
        offset = X[part].double() - c.shift
        square = ((offset - c.exact[index[part]]) ** 2).sum(dim=1, keepdim=True)
        rows = torch.cat([offset, torch.ones_like(square), square], dim=1)
        total.index_add_(0, index[part], rows if weight is None else rows * weight[part, None])
    return total


def sums_by_kernels(c: DeviceCenters, X: Any, weight: Any, label: Any) -> Any:
    """Return the same, every cluster's rows in their order."""
    import torch

    from novum.engines.kmeans import device_kernels as kernels

    (n, d), k = X.shape, len(c.half)
    narrow = torch.uint8 if k <= 2**8 else torch.int16 if k <= 2**15 else torch.int32
    key, order = torch.sort(label.to(narrow), stable=True)  # few bits are sorted in few passes
    places = torch.arange(k, device=X.device)
    start = torch.nn.functional.pad(torch.searchsorted(key, places.to(narrow), right=True), (1, 0))
    pieces = torch.nn.functional.pad(((start.diff() + PIECE - 1) // PIECE).cumsum(0), (1, 0))
    most = n // PIECE + min(k, n)
    cluster = torch.searchsorted(pieces[1:], torch.arange(most, device=X.device), right=True)
    parts = torch.empty((most, d + 2), dtype=torch.float64, device=X.device)
    out = torch.empty((k, d + 2), dtype=torch.float64, device=X.device)
    width = min(SUM_WIDTH, max(2, 1 << (d - 1).bit_length()))
    kernels.add_rows[(most,)](
        X=X,
        weight=X if weight is None else weight,
        order=order,
        start=start,
        pieces=pieces,
        cluster=cluster,
        shift=c.shift,
        centers=c.exact,
        d=d,
        k=k,
        out=parts,
        WEIGHTED=weight is not None,
        WIDTH=width,
        ROWS=max(1, 1024 // width),
        PIECE=PIECE,
        num_warps=1,
    )
    kernels.add_pieces[(k, -(-(d + 2) // SUM_WIDTH))](parts, pieces, d + 2, out, WIDTH=SUM_WIDTH, num_warps=2)
    return out


def distances(centers: NDArray, X: Any, label: Any) -> Any:
    """Return the squared distance of every row to the center of its label, in float64 on the device."""
    import torch

    c, index = arrays.like(X, centers, "float64"), label.long()
    return torch.cat([((X[part].double() - c[index[part]]) ** 2).sum(dim=1) for part in portions(X, X.shape[1])])


def shifted_sums(X: Any, weight: Any, shift: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return the sums of w, of w (x - shift) and of w (x - shift)^2, the last two by columns."""
    import torch

    away, d = arrays.like(X, shift, "float64"), X.shape[1]
    total = torch.zeros(1 + 2 * d, dtype=torch.float64, device=X.device)
    for part in portions(X, 2 * d):
        offset = X[part].double() - away
        w = torch.ones(len(offset), dtype=torch.float64, device=X.device) if weight is None else weight[part]
        total += torch.cat([w.sum()[None], w @ offset, w @ (offset * offset)])
    found = arrays.to_numpy(total)
    return found[:1], found[1 : d + 1], found[d + 1 :]


def furthest(centers: NDArray, X: Any, weight: Any, label: Any, count: int) -> FurthestRows:
    """Return the rows furthest from the centers of their labels, of equals the first; one without weight comes last."""
    import torch

    square = distances(centers, X, label)
    if weight is not None:
        square = torch.where(weight > 0, square, -1.0)
    top = square.argsort(descending=True, stable=True)[:count]
    w = torch.ones_like(square[top]) if weight is None else weight[top]
    columns = torch.stack(
        [square[top], top.double(), w, label[top].double()], dim=1
    )  # whole numbers below 2^53 stay whole
    found = arrays.to_numpy(torch.cat([columns, X[top].double()], dim=1))
    return FurthestRows(
        found[:, 0], found[:, 1].astype(np.int64), found[:, 4:], found[:, 2], found[:, 3].astype(np.int64)
    )


def all_distances(centers: NDArray, origin: NDArray, X: Any) -> Any:
    """Return the distance of every row to every center, in the dtype of X.

    |x|^2 + |c|^2 - 2 x.c in float64; a pair so near that digits cancel is measured by its difference.
    """
    import torch

    c = on_device(centers, origin, X)
    found = torch.empty((X.shape[0], len(c.half)), dtype=X.dtype, device=X.device)
    for part in portions(X, 2 * max(centers.shape)):
        x = X[part].double() - c.shift
        size = (x * x).sum(dim=1, keepdim=True) + 2 * c.half
        square = torch.addmm(size, x, c.exact.T, alpha=-2)
        row, center = (square < NEAR * size).nonzero(as_tuple=True)
        square[row, center] = ((x[row] - c.exact[center]) ** 2).sum(dim=1)
        found[part] = square.sqrt_()
    return found
