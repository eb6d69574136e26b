"""Products of shifted rows on a device, in float64 whatever the rows are: (4) of `second` in one call and one small transfer.

float64 keeps the digits that least squares and principal components are promised, and on the matrix units of a GPU for computing it
costs little more than reading the rows. A learner that refines what it solves may ask for products by parts of bfloat16, which cost
less. Where Triton runs, `device_kernels` reads every row once for each; elsewhere rows are shifted a portion
at a time and multiplied as a batch of tall matrices, since one product with few columns and many rows leaves a device idle.
"""

from typing import Any

import numpy as np

from novum.runtime import arrays, devices

__all__ = ["PARTS_PRECISION", "by_kernels", "products", "residue", "run_of", "step_of", "takes", "weight_counts"]

VALUES = 2**25  # of shifted rows held at a time: 0.25 GB of float64
BATCH_ROWS = 2**12  # rows of a matrix of the batch
TILE, ROWS, SPLIT_ROWS = 64, 16, 64  # columns of a tile, rows at a time in float64 and by parts
CHUNKS = 4  # runs of rows per multiprocessor
SUM_VALUES = 2048  # of a tile of rows for sums with a target: what registers hold in float64
MOST_COLUMNS, MOST_TARGETS = 256, 4  # beyond, products of a library are as fast
PARTS_PRECISION = 2.0**-20  # of products by parts, relative to |x_i| |x_j|: float32 runs of 64 rows lose less
LEAST_RUN = 1024  # rows of a run at least


def takes(X: Any, q: int) -> bool:
    """Return whether kernels take rows of this shape with q targets: wide rows keep a device busy without them."""
    return X.shape[1] <= MOST_COLUMNS and q <= MOST_TARGETS and devices.runs_kernels(X)


def products(X: Any, y: Any, weight: Any, shift: np.ndarray, single: bool = False) -> np.ndarray:
    """Return (4) of the rows [x, y] about the shift; y is (rows, q), without columns where there is no target.

    `single`: products of x by parts of bfloat16, known to PARTS_PRECISION, where kernels take the rows.
    """
    kernels = takes(X, y.shape[1])
    found = by_kernels(X, y, weight, shift, single) if kernels else by_batches(X, y, weight, shift)
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


def by_kernels(X: Any, y: Any, weight: Any, shift: np.ndarray, single: bool) -> Any:
    """Return the products by tiles of (6), or of (7) where `single`, and what has a target by (8)."""
    import torch

    (n, p), q = X.shape, y.shape[1]
    square = squares(X, weight, shift[:p], single)
    away = arrays.like(X, shift, "float64")
    nothing = torch.zeros(p, dtype=torch.float64, device=X.device)
    found = [sums_of(X, y[:, k], weight, torch.cat([away[:p], away[p + k, None]]), nothing) for k in range(q)]
    last = found[0] if q else sums_of(X, None, weight, away, nothing)
    target = y - away[p:]
    inner = target.T @ (target if weight is None else target * weight[:, None])
    mixed = torch.stack([part[:p] for part in found] + [last[p : 2 * p]], dim=1)
    total = torch.stack([part[2 * p] for part in found] + [last[2 * p + 2]])
    corner = torch.cat([torch.cat([inner, total[:q, None]], dim=1), total[None]])
    return torch.cat([torch.cat([square, mixed], dim=1), torch.cat([mixed.T, corner], dim=1)])


def step_of(p: int) -> int:
    """Return the largest power of two up to 16 that divides the number of columns: so many cells lie aligned."""
    return min(16, p & -p)


def squares(X: Any, weight: Any, shift: np.ndarray, single: bool) -> Any:
    """Return the products of the columns of x."""
    import torch

    from novum.engines.moments import device_kernels as kernels

    n, p = X.shape
    tile = TILE // 2 if p <= TILE // 2 and not single else TILE  # the matrix units for bfloat16 take 64 columns at least
    tiles = -(-p // tile)
    width = tiles * tile
    left, right = np.triu_indices(tiles, 1)
    places = arrays.like(X, np.concatenate([np.arange(tiles), left, right]), "int64")
    run = run_of(X)
    chunks = -(-n // run)
    out = torch.zeros((chunks, width, width), dtype=torch.float64, device=X.device)
    rest = torch.zeros((chunks, width, width), dtype=torch.float32, device=X.device) if single else None
    away = arrays.like(X, shift, "float32" if single else "float64")
    step = step_of(p)
    for diagonal, i, j in (
        (True, places[:tiles], places[:tiles]),
        (False, places[tiles : tiles + len(left)], places[tiles + len(left) :]),
    ):
        if not len(i):
            continue
        kernel, written = (kernels.split_products, (out, rest)) if single else (kernels.tile_products, (out,))
        kernel[(chunks, len(i))](
            X,
            away if weight is None else weight,
            away,
            i,
            j,
            *written,
            n,
            p // step,
            run,
            width,
            DIAGONAL=diagonal,
            WEIGHTED=weight is not None,
            STEP=step,
            TILE=tile,
            ROWS=SPLIT_ROWS if single else ROWS,
            num_warps=4,
        )
    total = out.sum(dim=0)
    if rest is not None:
        small = rest.sum(dim=0, dtype=torch.float64).view(tiles, TILE, tiles, TILE)
        small.diagonal(dim1=0, dim2=2).add_(small.diagonal(dim1=0, dim2=2).transpose(0, 1).clone())
        total += small.view(width, width)
    total = total[:p, :p]
    return total.triu() + total.triu(1).T


def run_of(X: Any) -> int:
    """Return how many rows a program adds up."""
    return max(LEAST_RUN, -(-X.shape[0] // (CHUNKS * devices.processors(X))))


def sums_of(X: Any, y: Any, weight: Any, mean: Any, coef: Any) -> Any:
    """Return (8) for one target or none, and the sum of w: (2 p + 3,) on the device."""
    import torch

    from novum.engines.moments import device_kernels as kernels

    n, p = X.shape
    run, step = run_of(X), step_of(p)
    chunks = -(-n // run)
    out = torch.empty((chunks, 2 * p + 3), dtype=torch.float64, device=X.device)
    width = max(16, 1 << (p - 1).bit_length())
    kernels.target_sums[(chunks,)](
        X,
        X if y is None else y.contiguous(),
        mean if weight is None else weight,
        mean,
        coef,
        out,
        n,
        p // step,
        run,
        WITH_TARGET=y is not None,
        WEIGHTED=weight is not None,
        STEP=step,
        WIDTH=width,
        ROWS=max(1, SUM_VALUES // width),
        num_warps=4,
    )
    return out.sum(dim=0)


def residue(X: Any, y: Any, weight: Any, mean: np.ndarray, coef: np.ndarray) -> np.ndarray | None:
    """Return sum w r (x - m), sum w r and sum w r^2 of every target, (q, p + 2), or None where kernels do not run."""
    import torch

    q, p = coef.shape
    if not takes(X, q):
        return None
    middle, b = arrays.like(X, mean, "float64"), arrays.like(X, coef, "float64")
    found = [sums_of(X, y[:, k], weight, torch.cat([middle[:p], middle[p + k, None]]), b[k]) for k in range(q)]
    return arrays.to_numpy(torch.stack([torch.cat([part[:p], part[2 * p : 2 * p + 2]]) for part in found]))


def weight_counts(weight: Any) -> tuple[float, float]:
    """Return the number of positive weights and the sum of their logarithms."""
    import torch

    positive = weight > 0
    logs = torch.where(positive, weight, 1.0).log().sum()
    rows, log_weight = arrays.to_numpy(torch.stack([positive.sum().double(), logs]))
    return float(rows), float(log_weight)
