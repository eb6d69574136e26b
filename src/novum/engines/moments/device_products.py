"""Products of shifted rows on a device, in float64 whatever the rows are: (4) of `second` in one call and one small transfer.

float64 keeps the digits that least squares and principal components are promised, and on the matrix units of a GPU for computing it
costs little more than reading the rows. Where Triton runs, `device_kernels` reads every row once; elsewhere rows are shifted a portion
at a time and multiplied as a batch of tall matrices, since one product with few columns and many rows leaves a device idle.
"""

from typing import Any

import numpy as np

from novum.runtime import arrays, devices

__all__ = ["products", "weight_counts"]

VALUES = 2**25  # of shifted rows held at a time: 0.25 GB of float64
BATCH_ROWS = 2**12  # rows of a matrix of the batch
TILE, EXTRA, ROWS = 64, 16, 16  # columns of a tile, columns beside the rows that one call takes, rows at a time
CHUNKS = 4  # runs of rows per multiprocessor and pair of tiles
LEAST_RUN = 1024  # rows of a run at least


def products(X: Any, y: Any, weight: Any, shift: np.ndarray) -> np.ndarray:
    """Return (4) of the rows [x, y] about the shift; y is (rows, q), without columns where there is no target."""
    q = y.shape[1]
    kernels = devices.runs_kernels(X) and q < EXTRA
    found = by_kernels(X, y, weight, shift) if kernels else by_batches(X, y, weight, shift)
    return arrays.to_numpy(found)


def by_batches(X: Any, y: Any, weight: Any, shift: np.ndarray) -> Any:
    """Return the products by batches of matrices of shifted rows."""
    import torch

    (n, p), q = X.shape, y.shape[1]
    columns = p + q + 1
    away = arrays.like(X, shift, "float64")
    height = min(BATCH_ROWS, n)
    batch = max(1, min(-(-n // height), VALUES // (height * columns)))
    rows = torch.empty((batch * height, columns), dtype=torch.float64, device=X.device)
    total = torch.zeros((columns, columns), dtype=torch.float64, device=X.device)
    for start in range(0, n, len(rows)):
        part = slice(start, min(start + len(rows), n))
        some = rows[: part.stop - start]
        torch.sub(X[part], away[:p], out=some[:, :p])
        torch.sub(y[part], away[p:], out=some[:, p : p + q])
        some[:, p + q] = 1.0
        if weight is not None:
            some *= weight[part].sqrt()[:, None]
        rows[len(some) :] = 0.0
        matrices = rows.view(batch, height, columns)
        total += torch.bmm(matrices.transpose(1, 2), matrices).sum(dim=0)
    return total


def by_kernels(X: Any, y: Any, weight: Any, shift: np.ndarray) -> Any:
    """Return the products by (6), tile by tile."""
    import torch

    from novum.engines.moments import device_kernels as kernels

    (n, p), q = X.shape, y.shape[1]
    tiles = -(-p // TILE)
    width = tiles * TILE
    left, right = np.triu_indices(tiles, 1)
    places = arrays.like(X, np.concatenate([np.arange(tiles), left, right]), "int64")
    run = max(LEAST_RUN, -(-n // (CHUNKS * devices.processors(X))))
    chunks = -(-n // run)
    out = torch.zeros((chunks, width, width), dtype=torch.float64, device=X.device)
    beside = torch.zeros((chunks, width + EXTRA, EXTRA), dtype=torch.float64, device=X.device)
    away = arrays.like(X, shift, "float64")
    target = y.double().contiguous()
    for diagonal, i, j in (
        (True, places[:tiles], places[:tiles]),
        (False, places[tiles : tiles + len(left)], places[tiles + len(left) :]),
    ):
        if not len(i):
            continue
        kernels.tile_products[(chunks, len(i))](
            X,
            target,
            target if weight is None else weight,
            away,
            i,
            j,
            out,
            beside,
            n,
            p,
            q,
            run,
            width,
            DIAGONAL=diagonal,
            WEIGHTED=weight is not None,
            TILE=TILE,
            EXTRA=EXTRA,
            ROWS=ROWS,
            num_warps=4,
        )
    square, strip = out.sum(dim=0)[:p, :p], beside.sum(dim=0)
    square = square.triu() + square.triu(1).T
    mixed, inner = strip[:p, : q + 1], strip[width : width + q + 1, : q + 1]
    return torch.cat([torch.cat([square, mixed], dim=1), torch.cat([mixed.T, inner], dim=1)])


def weight_counts(weight: Any) -> tuple[float, float]:
    """Return the number of positive weights and the sum of their logarithms."""
    import torch

    positive = weight > 0
    logs = torch.where(positive, weight, 1.0).log().sum()
    rows, log_weight = arrays.to_numpy(torch.stack([positive.sum().double(), logs]))
    return float(rows), float(log_weight)
