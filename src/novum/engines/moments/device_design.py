"""A Triton kernel for least squares on a GPU: products of rows, target and ones in one read, for who corrects what he solves.

Corrections by float64 residuals, (8) of `device_kernels`, need no more than two parts of bfloat16, x = x' + x'': for columns of any
kind, the target and ones among them, the symmetric part of

    x' (x' + 2 x'')'       in float32 runs of ROWS * STEPS rows, summed in float64                       (9)

is x'x' + x'x'' + x''x'. A matrix has p * STEP columns, as there; with target and ones they are one tile.
"""

import triton
import triton.language as tl

__all__ = ["design_products"]


@triton.jit
def design_products(  # type: ignore[no-untyped-def]
    X,
    y,
    weight,
    shift,
    edges,
    out,
    p,
    STEP: tl.constexpr,
    WEIGHTED: tl.constexpr,
    TILE: tl.constexpr,
    ROWS: tl.constexpr,
    STEPS: tl.constexpr,
):
    """Write (9) of the rows sqrt(w) [x - shift, y - shift, 1] of a chunk: `out` is (chunks, TILE, TILE).

    The shift is (p STEP + 1,) in float64, that of the target last.
    """
    chunk = tl.program_id(0).to(tl.int64)
    begin, stop = tl.load(edges + chunk), tl.load(edges + tl.num_programs(0) + chunk)
    d = p * STEP
    column = tl.arange(0, TILE)
    away = tl.load(shift + column, mask=column < d, other=0.0).to(tl.float32)
    middle = tl.load(shift + d)
    total = tl.zeros((TILE, TILE), tl.float64)
    for start in range(begin, stop, ROWS * STEPS):
        run = tl.zeros((TILE, TILE), tl.float32)
        for k in range(STEPS):
            row = start + k * ROWS + tl.arange(0, ROWS)
            inside = row < stop
            here = inside[:, None] & (column < d)[None, :]
            x = tl.load(X + row[:, None] * d + column[None, :], mask=here, other=0.0)
            target = tl.load(y + row, mask=inside, other=0.0).to(tl.float64) - middle
            target = tl.where(inside, target, 0.0).to(tl.float32)
            x = tl.where(here, x - away[None, :], 0.0)
            x = tl.where((column == d)[None, :], target[:, None], x)
            x = tl.where((column == d + 1)[None, :] & inside[:, None], 1.0, x)
            if WEIGHTED:
                x = x * tl.sqrt(tl.load(weight + row, mask=inside, other=0.0)).to(tl.float32)[:, None]
            high = x.to(tl.bfloat16)
            low = (2.0 * (x - high.to(tl.float32))).to(tl.bfloat16)
            turned = tl.trans(high)
            run = tl.dot(turned, high, run)
            run = tl.dot(turned, low, run)
        total += run.to(tl.float64)
    place = (chunk * TILE + column[:, None]) * TILE + column[None, :]
    tl.store(out + place, total)
