"""Products of shifted rows on a device, in float64 whatever the rows are: (4) of `second` in one call and one small transfer.

float64 keeps the digits that least squares and principal components are promised, and on the matrix units of a GPU for computing it
costs little more than reading the rows. A learner that refines what it solves may ask for products by parts of bfloat16, which cost
less. Where Triton runs, `device_kernels` reads every row once for each; elsewhere rows are shifted a portion
at a time and multiplied as a batch of tall matrices, since one product with few columns and many rows leaves a device idle.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from novum.runtime import arrays, devices

__all__ = [
    "PARTS_PRECISION",
    "TWO_PARTS_PRECISION",
    "class_products",
    "design_products",
    "parts_precision",
    "products",
    "residue",
    "run_of",
    "squares_and_sums",
    "step_of",
    "takes",
    "weight_counts",
]

VALUES = 2**25  # of shifted rows held at a time: 0.25 GB of float64
BATCH_ROWS = 2**12  # rows of a matrix of the batch
TILE, ROWS, SPLIT_ROWS = 64, 32, 64  # columns of a tile, rows at a time in float64 and by parts
CHUNKS = 8  # runs of rows per multiprocessor
MOST_COLUMNS, MOST_TARGETS = 256, 4  # beyond, products of a library are as fast
PARTS_PRECISION = 2.0**-20  # of products by parts, relative to |x_i| |x_j|: float32 runs of 64 rows lose less
# Of (9): 3 * 2^-18 for what two parts leave aside, the rest for 128 additions of a float32 run, which drop half a digit each.
TWO_PARTS_PRECISION = 2.0**-16
DESIGN_ROWS, DESIGN_STEPS = 64, 16  # rows at a time of (9), and how many times before float64
LEAST_RUN = 1024  # rows of a run at least


def squares_and_sums(X: Any, weight: Any) -> Any:
    """Return sums of w x~ x~' for x~ = [x, 1], (p + 1, p + 1) on the device, by kernels."""
    return by_kernels(X, X[:, :0], weight, np.zeros(X.shape[1]), single=False)


def takes(X: Any, q: int) -> bool:
    """Return whether kernels take rows of this shape with q targets: wide rows keep a device busy without them."""
    return X.shape[1] <= MOST_COLUMNS and q <= MOST_TARGETS and devices.runs_kernels(X)


def products(X: Any, y: Any, weight: Any, shift: np.ndarray, single: bool = False) -> np.ndarray:
    """Return (4) of the rows [x, y] about the shift; y is (rows, q), without columns where there is no target.

    `single`: products by parts of bfloat16, known to `parts_precision`, where kernels take the rows.
    """
    if single and parts_precision(X.shape[1], y.shape[1]) == TWO_PARTS_PRECISION and devices.runs_kernels(X):
        return design_products(X, y, weight, shift)
    kernels = takes(X, y.shape[1])
    found = by_kernels(X, y, weight, shift, single) if kernels else by_batches(X, y, weight, shift)
    return arrays.to_numpy(found)


def parts_precision(p: int, q: int) -> float:
    """Return how well products by parts are known, relative to |x_i| |x_j|: a target, and then (8), make two parts do."""
    return TWO_PARTS_PRECISION if q == 1 and p + 2 <= 2 * TILE else PARTS_PRECISION


def design_products(X: Any, y: Any, weight: Any, shift: np.ndarray) -> np.ndarray:
    """Return (4) of the rows [x, y] with one target by (9), known to TWO_PARTS_PRECISION; y'y and the weights in float64."""
    import torch

    from novum.engines.moments import device_design as kernels

    p = X.shape[1]
    tile, step = (TILE if p + 2 <= TILE else 2 * TILE), step_of(p)
    chunks = chunks_of(X, 1)
    away, count = arrays.like(X, shift, "float64"), len(chunks.group)
    out = torch.empty((count, tile, tile), dtype=torch.float64, device=X.device)
    kernels.design_products[(count,)](
        X=X,
        y=y.contiguous(),
        weight=away if weight is None else weight,
        shift=away,
        edges=chunks.edges,
        out=out,
        p=p // step,
        STEP=step,
        WEIGHTED=weight is not None,
        TILE=tile,
        ROWS=DESIGN_ROWS,
        STEPS=DESIGN_STEPS,
        num_warps=8,
        num_stages=3,
    )
    square = out.sum(dim=0)[: p + 2, : p + 2]
    square = (square + square.T) / 2
    target = y[:, 0].double() - away[p]
    weighted = target if weight is None else target * weight
    exact = [target @ weighted, weighted.sum()] + ([] if weight is None else [weight.sum()])
    # One transfer: each waits for the device.
    found = arrays.to_numpy(torch.cat([square.reshape(-1), torch.stack(exact)]))
    total = found[: (p + 2) ** 2].reshape(p + 2, p + 2).copy()
    total[p, p], total[p, p + 1] = found[-len(exact) :][:2]
    total[p + 1, p], total[p + 1, p + 1] = total[p, p + 1], X.shape[0] if weight is None else found[-1]
    return total


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


class Chunks(NamedTuple):
    """Runs of rows, each for a program and of one group: a group has a shift of its own."""

    group: Any  # (chunks,)
    edges: Any  # (2, chunks): first row, and the one behind the last
    groups: int
    order: Any = None  # (n,): where rows are not taken as they lie, their numbers in the order of the groups


def run_of(X: Any, chunks: int = CHUNKS) -> int:
    """Return how many rows a program adds up, where every multiprocessor has so many chunks."""
    return max(LEAST_RUN, -(-X.shape[0] // (chunks * devices.processors(X))))


def chunks_of(X: Any, chunks: int = CHUNKS) -> Chunks:
    """Return the rows of X as runs of one group."""
    return even_chunks(X.shape[0], run_of(X, chunks), X.device)


@lru_cache(maxsize=16)
def even_chunks(n: int, run: int, device: Any) -> Chunks:
    """Return n rows as runs of one group; kept, since a fit asks for the same ones at every pass, and each costs launches."""
    import torch

    begin = torch.arange(0, n, run, device=device)
    return Chunks(torch.zeros_like(begin), torch.stack([begin, (begin + run).clamp(max=n)]), 1)


def chunks_of_groups(X: Any, count: np.ndarray, order: Any) -> Chunks:
    """Return runs of rows that `order` puts group after group, `count` of each."""
    run, ends = run_of(X), np.cumsum(count)
    begin = [np.arange(end - rows, end, run) for rows, end in zip(count, ends)]
    group = np.repeat(np.arange(len(count)), [len(part) for part in begin])
    first = np.concatenate(begin)
    packed = arrays.like(X, np.stack([group, first, np.minimum(first + run, ends[group])]), "int64")
    return Chunks(packed[0], packed[1:], len(count), order)


def group_sums(values: Any, chunks: Chunks) -> Any:
    """Return sums of what the programs wrote, (groups, ...), in float64."""
    import torch

    if chunks.groups == 1:
        return values.sum(dim=0, keepdim=True, dtype=torch.float64)
    member = arrays.one_hot(values, chunks.group, chunks.groups)
    return (member.T @ values.reshape(len(values), -1).double()).reshape(chunks.groups, *values.shape[1:])


def step_of(p: int) -> int:
    """Return the largest power of two up to 16 that divides the number of columns: so many cells lie aligned."""
    return min(16, p & -p)


def by_kernels(X: Any, y: Any, weight: Any, shift: np.ndarray, single: bool) -> Any:
    """Return the products by tiles of (6), or of (7) where `single`, and what has a target by (8)."""
    import torch

    p, q = X.shape[1], y.shape[1]
    away, chunks = arrays.like(X, shift, "float64"), chunks_of(X)
    square = squares(X, weight, away[None, :p], chunks, single)[0]
    means = [torch.cat([away[:p], away[p + k, None]])[None] for k in range(q)]
    found = [sums_of(X, y[:, k], weight, mean, None, chunks)[0] for k, mean in enumerate(means)]
    last = found[0] if q else sums_of(X, None, weight, away[None], None, chunks)[0]
    target = y - away[p:]
    inner = target.T @ (target if weight is None else target * weight[:, None])
    mixed = torch.stack([part[:p] for part in found] + [last[p : 2 * p]], dim=1)
    total = torch.stack([part[2 * p] for part in found] + [last[2 * p + 2]])
    corner = torch.cat([torch.cat([inner, total[:q, None]], dim=1), total[None]])
    return torch.cat([torch.cat([square, mixed], dim=1), torch.cat([mixed.T, corner], dim=1)])


def squares(X: Any, weight: Any, away: Any, chunks: Chunks, single: bool) -> Any:
    """Return the products of the columns of x about the shifts of the groups, (groups, p, p)."""
    import torch

    from novum.engines.moments import device_kernels as kernels

    p, count = X.shape[1], len(chunks.group)
    # The matrix units take 64 columns of bfloat16 at least, and half of that in float64.
    tile = TILE // 2 if p <= TILE // 2 and not single else TILE
    tiles = -(-p // tile)
    width = tiles * tile
    same = torch.arange(tiles, device=X.device)  # tiles below the diagonal are never written, and never read
    out = torch.empty((count, width, width), dtype=torch.float64, device=X.device)
    rest = torch.empty((count, width, width), dtype=torch.float32, device=X.device) if single else None
    shift = (away.float() if single else away).contiguous()
    step = step_of(p)
    for i, j in ((same, same), torch.triu_indices(tiles, tiles, 1, device=X.device)):
        if not len(i):
            continue
        given = (X, shift if weight is None else weight, shift, chunks.group, chunks.edges)
        shape = {"DIAGONAL": i is j, "WEIGHTED": weight is not None, "STEP": step, "TILE": tile, "num_warps": 4}
        if single:
            kernels.split_products[(count, len(i))](*given, i, j, out, rest, p // step, width, ROWS=SPLIT_ROWS, **shape)
        else:
            order = chunks.group if chunks.order is None else chunks.order
            kernels.tile_products[(count, len(i))](
                *given, order, i, j, out, p // step, width, ORDERED=chunks.order is not None, ROWS=ROWS, **shape
            )
    return whole_square(group_sums(out, chunks), None if rest is None else group_sums(rest, chunks), p, tile)


def whole_square(total: Any, small: Any, columns: int, tile: int = TILE) -> Any:
    """Return the symmetric products of the first columns from the upper triangle of `total` and, by parts, what is small."""
    if small is not None:
        tiles = total.shape[1] // tile
        parts = small.view(-1, tiles, tile, tiles, tile)
        diagonal = parts.diagonal(dim1=1, dim2=3)
        diagonal.add_(diagonal.transpose(1, 2).clone())
        total = total + small
    total = total[:, :columns, :columns]
    return total.triu() + total.triu(1).transpose(1, 2)


def sums_of(X: Any, y: Any, weight: Any, mean: Any, coef: Any, chunks: Chunks) -> Any:
    """Return (8) for one target or none, and the sum of w, (groups, 2 p + 3); coefficients of None are zero."""
    import torch

    from novum.engines.moments import device_kernels as kernels

    p, count = X.shape[1], len(chunks.group)
    out = torch.empty((count, 2 * p + 3), dtype=torch.float64, device=X.device)
    width, step = max(16, 1 << (p - 1).bit_length()), step_of(p)
    values, warps = (512, 4) if X.dtype == torch.float32 else (256, 1)  # of a tile of rows: measured on one H200
    kernels.target_sums[(count,)](
        X=X,
        y=X if y is None else y.contiguous(),
        weight=mean if weight is None else weight,
        mean=mean.contiguous(),
        group=chunks.group,
        edges=chunks.edges,
        order=chunks.group if chunks.order is None else chunks.order,
        coef=torch.zeros(p, dtype=torch.float64, device=X.device) if coef is None else coef,
        out=out,
        p=p // step,
        WITH_TARGET=y is not None,
        WEIGHTED=weight is not None,
        ORDERED=chunks.order is not None,
        STEP=step,
        WIDTH=width,
        ROWS=max(1, values // width),
        num_warps=warps,
    )
    return group_sums(out, chunks)


def residue(X: Any, y: Any, weight: Any, mean: np.ndarray, coef: np.ndarray) -> np.ndarray | None:
    """Return sum w r (x - m), sum w (x - m), sum w r and sum w r^2 of every target, (q, 2 p + 2), or None without kernels."""
    import torch

    q, p = coef.shape
    if not takes(X, q):
        return None
    packed = arrays.like(X, np.concatenate([mean, coef.ravel()]), "float64")
    middle, b, chunks = packed[: p + q], packed[p + q :].view(q, p), chunks_of(X)
    found = [
        sums_of(X, y[:, k], weight, torch.cat([middle[:p], middle[p + k, None]])[None], b[k], chunks)[0]
        for k in range(q)
    ]
    return arrays.to_numpy(torch.stack([part[: 2 * p + 2] for part in found]))


def class_products(X: Any, code: Any, weight: Any, shift: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass (k,), first (k, p) and second (k, p, p) moments of every class about its shift.

    Rows are taken in the order of their classes, so that a class costs its own rows only.
    """
    import torch

    k, p = shift.shape
    narrow = torch.uint8 if k <= 2**8 else torch.int32  # few bits are sorted in few passes
    order = torch.sort(code.to(narrow), stable=True).indices
    chunks = chunks_of_groups(X, arrays.class_counts(code, None, k).astype(np.int64), order)
    away = arrays.like(X, shift, "float64")
    sums = sums_of(X, None, weight, away, None, chunks)
    second = squares(X, weight, away, chunks, False)
    found = arrays.to_numpy(torch.cat([sums[:, p:], second.reshape(k, p * p)], dim=1))
    return found[:, p + 2].copy(), found[:, :p].copy(), found[:, p + 3 :].reshape(k, p, p).copy()


def weight_counts(weight: Any) -> tuple[float, float]:
    """Return the number of positive weights and the sum of their logarithms."""
    import torch

    positive = weight > 0
    logs = torch.where(positive, weight, 1.0).log().sum()
    rows, log_weight = arrays.to_numpy(torch.stack([positive.sum().double(), logs]))
    return float(rows), float(log_weight)
