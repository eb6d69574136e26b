"""A Triton kernel for the products of second moments on a GPU: rows are read once, shifted, and multiplied in float64.

With x the shifted columns and e = [y - s_y, 1] the columns beside them, a program adds up one pair of tiles of columns over a
run of rows, on the matrix units for float64:

    sum w x_i x_j'     for the pair (i, j);      sum w x_i e',  sum w e e'     where i = j            (6)
"""

import triton
import triton.language as tl

__all__ = ["tile_products"]


@triton.jit
def shifted(X, shift, row, column, inside, p):  # type: ignore[no-untyped-def]
    """Return a tile of the rows minus the shift in float64, zero beyond the last row and column."""
    here = inside[:, None] & (column < p)[None, :]
    x = tl.load(X + row[:, None] * p + column[None, :], mask=here, other=0.0).to(tl.float64)
    away = tl.load(shift + column, mask=column < p, other=0.0)
    return tl.where(here, x - away[None, :], 0.0)


@triton.jit
def tile_products(  # type: ignore[no-untyped-def]
    X,
    y,
    weight,
    shift,
    left,
    right,
    out,
    beside,
    n,
    p,
    q,
    run,
    width,
    DIAGONAL: tl.constexpr,
    WEIGHTED: tl.constexpr,
    TILE: tl.constexpr,
    EXTRA: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write (6) of one pair of tiles over rows `run` * chunk and on: `out` (chunks, width, width), `beside` (chunks, width + EXTRA, EXTRA)."""
    chunk = tl.program_id(0).to(tl.int64)
    i, j = tl.load(left + tl.program_id(1)), tl.load(right + tl.program_id(1))
    a_column, b_column = i * TILE + tl.arange(0, TILE), j * TILE + tl.arange(0, TILE)
    extra = tl.arange(0, EXTRA)
    total = tl.zeros((TILE, TILE), tl.float64)
    mixed = tl.zeros((TILE, EXTRA), tl.float64)
    inner = tl.zeros((EXTRA, EXTRA), tl.float64)
    stop = tl.minimum((chunk + 1) * run, n)
    for start in range(chunk * run, stop, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = row < stop
        b = shifted(X, shift, row, b_column, inside, p)
        a = b if DIAGONAL else shifted(X, shift, row, a_column, inside, p)
        if WEIGHTED:
            w = tl.load(weight + row, mask=inside, other=0.0)
            b = b * w[:, None]
        total += tl.dot(tl.trans(a), b, out_dtype=tl.float64)
        if DIAGONAL:
            there = inside[:, None] & (extra < q)[None, :]
            target = tl.load(y + row[:, None] * q + extra[None, :], mask=there, other=0.0)
            away = tl.load(shift + p + extra, mask=extra < q, other=0.0)
            e = tl.where(there, target - away[None, :], 0.0)
            e = tl.where(inside[:, None] & (extra == q)[None, :], 1.0, e)
            weighted = e * w[:, None] if WEIGHTED else e
            mixed += tl.dot(tl.trans(a), weighted, out_dtype=tl.float64)
            inner += tl.dot(tl.trans(e), weighted, out_dtype=tl.float64)
    tl.store(out + (chunk * width + a_column[:, None]) * width + b_column[None, :], total)
    if DIAGONAL:
        first = beside + chunk * (width + EXTRA) * EXTRA
        tl.store(first + a_column[:, None] * EXTRA + extra[None, :], mixed)
        if i == 0:
            tl.store(first + (width + extra[:, None]) * EXTRA + extra[None, :], inner)
