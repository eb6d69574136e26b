"""Distances as kernels of Triton: lower bounds of groups of rows, whose tile of products is never written, and exact ones."""

# mypy: disallow-untyped-defs=False
from typing import Any

import triton
import triton.language as tl

__all__ = ["absolute_distances", "group_bounds"]

QUERIES, ROWS = 128, 128  # of a tile
DIRECT = 64  # queries and rows of a tile of absolute differences, in float64
COLUMNS = 32  # of the products that are added up at a time


@triton.jit
def _group_bounds(
    queries,
    rows,
    query_norms,
    row_norms,
    out,
    n_queries,
    n_rows,
    n_groups,
    query_tiles,
    relative,
    rounding,
    tiny,
    D: tl.constexpr,
    GROUP: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    PRECISION: tl.constexpr,
):
    tile = tl.program_id(0)
    query = (tile % query_tiles) * BM + tl.arange(0, BM)  # all queries meet one tile of rows while it is near
    first = (tile // query_tiles) * BN
    row = first + tl.arange(0, BN)
    column = tl.arange(0, BK)
    query_there, row_there = query < n_queries, row < n_rows
    products = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, D, BK):
        there = (start + column) < D
        left = tl.load(
            queries + query[:, None].to(tl.int64) * D + (start + column)[None, :],
            mask=query_there[:, None] & there[None, :],
            other=0.0,
        )
        right = tl.load(
            rows + row[None, :].to(tl.int64) * D + (start + column)[:, None],
            mask=row_there[None, :] & there[:, None],
            other=0.0,
        )
        products = tl.dot(left, right, products, input_precision=PRECISION)
    length = tl.load(row_norms + row, mask=row_there, other=0.0)
    half = 0.5 * length * length
    reach = tl.load(query_norms + query, mask=query_there, other=0.0)
    bound = (half - rounding * half)[None, :] - products - (relative * reach)[:, None] * length[None, :]
    bound = tl.where(row_there[None, :], bound, float("inf"))
    least = tl.min(tl.reshape(bound, (BM, BN // GROUP, GROUP)), axis=2) - tiny
    group = first // GROUP + tl.arange(0, BN // GROUP)
    tl.store(
        out + query[:, None].to(tl.int64) * n_groups + group[None, :],
        least,
        mask=query_there[:, None] & (group < n_groups)[None, :],
    )


@triton.jit
def _absolute_distances(
    queries, rows, out, n_queries, n_rows, query_tiles, d, LARGEST: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr
):
    tile = tl.program_id(0)
    query = (tile % query_tiles) * BM + tl.arange(0, BM)
    row = (tile // query_tiles).to(tl.int64) * BN + tl.arange(0, BN)
    query_there, row_there = query < n_queries, row < n_rows
    found = tl.zeros((BM, BN), dtype=tl.float64)
    left_at, right_at, column = query.to(tl.int64), row, 0
    while column < d:
        left = tl.load(queries + left_at, mask=query_there, other=0.0)
        right = tl.load(rows + right_at, mask=row_there, other=0.0)
        gap = tl.abs(left[:, None] - right[None, :])
        found = tl.maximum(found, gap) if LARGEST else found + gap
        left_at += n_queries
        right_at += n_rows
        column += 1
    tl.store(
        out + query[:, None].to(tl.int64) * n_rows + row[None, :],
        found,
        mask=query_there[:, None] & row_there[None, :],
    )


def absolute_distances(queries: Any, rows: Any, largest: bool) -> Any:
    """Return the sums (or the largest) of absolute differences of all queries and rows, (q, n), of float64 tensors."""
    import torch

    n_queries, n_rows = len(queries), len(rows)
    out = torch.empty((n_queries, n_rows), dtype=torch.float64, device=queries.device)
    query_tiles = triton.cdiv(n_queries, DIRECT)
    _absolute_distances[(query_tiles * triton.cdiv(n_rows, DIRECT),)](
        queries.T.contiguous(),
        rows=rows.T.contiguous(),
        out=out,
        n_queries=n_queries,
        n_rows=n_rows,
        query_tiles=query_tiles,
        d=queries.shape[1],
        LARGEST=largest,
        BM=DIRECT,
        BN=DIRECT,
    )
    return out


def group_bounds(
    queries: Any,
    rows: Any,
    query_norms: Any,
    row_norms: Any,
    relative: float,
    rounding: float,
    tiny: float,
    group: int,
    tf32: bool,
) -> Any:
    """Return the least lower bound of every group of rows for every query, (q, groups) in float32."""
    import torch

    (n_queries, d), n_rows = queries.shape, rows.shape[0]
    n_groups = triton.cdiv(n_rows, group)
    out = torch.empty((n_queries, n_groups), dtype=torch.float32, device=queries.device)
    query_tiles = triton.cdiv(n_queries, QUERIES)
    _group_bounds[(query_tiles * triton.cdiv(n_rows, ROWS),)](
        queries,
        rows=rows,
        query_norms=query_norms,
        row_norms=row_norms,
        out=out,
        n_queries=n_queries,
        n_rows=n_rows,
        n_groups=n_groups,
        query_tiles=query_tiles,
        relative=relative,
        rounding=rounding,
        tiny=tiny,
        D=d,
        GROUP=group,
        BM=QUERIES,
        BN=ROWS,
        BK=COLUMNS,
        PRECISION="tf32" if tf32 else "ieee",
        num_warps=8,
    )
    return out
