"""A Triton kernel for least squares on a GPU: products of rows, target and ones in one read, for who corrects what he solves.

Corrections by float64 residuals, (8) of `device_kernels`, need no more than two parts of bfloat16, x = x' + x'': for columns of any
kind, the target and ones among them,

    x'x' in float32 runs, summed in float64, and x'x'' + x''x' in float32                                 (9)

A matrix has p * STEP columns, as there, and two tiles of them at most.
"""

import triton
import triton.language as tl

__all__ = ["design_products"]


@triton.jit
def two_parts(value):  # type: ignore[no-untyped-def]
    """Split float32 into two numbers of bfloat16, which leave 2^-18 of it aside."""
    high = value.to(tl.bfloat16)
    return high, (value - high.to(tl.float32)).to(tl.bfloat16)


@triton.jit
def design_tile(  # type: ignore[no-untyped-def]
    X, target, root, shift, row, column, inside, d, LAST: tl.constexpr, WEIGHTED: tl.constexpr
):
    """Return a tile of sqrt(w) [x - shift, target, 1] in float32; only the LAST tile has a target and ones behind its columns."""
    here = inside[:, None] & (column < d)[None, :]
    x = tl.load(X + row[:, None] * d + column[None, :], mask=here, other=0.0)
    x = tl.where(here, x.to(tl.float32) - shift[None, :], 0.0)
    if LAST:
        x = tl.where((column == d)[None, :], target[:, None], x)
        x = tl.where((column == d + 1)[None, :] & inside[:, None], 1.0, x)
    if WEIGHTED:
        x = x * root[:, None]
    return x


@triton.jit
def design_products(  # type: ignore[no-untyped-def]
    X,
    y,
    weight,
    shift,
    edges,
    out,
    rest,
    p,
    STEP: tl.constexpr,
    WIDE: tl.constexpr,
    WEIGHTED: tl.constexpr,
    TILE: tl.constexpr,
    ROWS: tl.constexpr,
    STEPS: tl.constexpr,
):
    """Write (9) of the rows of a chunk: `out` and `rest` are (chunks, width, width), the width one TILE or, if WIDE, two.

    The shift is (p STEP + 1,) in float64, that of the target last. On the diagonal `rest` has x'x'' alone and is still to be
    added to its own transpose; nothing is written below the diagonal tiles.
    """
    chunk = tl.program_id(0).to(tl.int64)
    begin, stop = tl.load(edges + chunk), tl.load(edges + tl.num_programs(0) + chunk)
    d = p * STEP
    left = tl.arange(0, TILE)
    right = TILE + left
    left_shift = tl.load(shift + left, mask=left < d, other=0.0).to(tl.float32)
    right_shift = tl.load(shift + right, mask=right < d, other=0.0).to(tl.float32)
    middle = tl.load(shift + d)
    left_total = tl.zeros((TILE, TILE), tl.float64)
    left_small = tl.zeros((TILE, TILE), tl.float32)
    right_total, cross_total = left_total, left_total
    right_small, cross_small = left_small, left_small
    for start in range(begin, stop, ROWS * STEPS):
        left_large = tl.zeros((TILE, TILE), tl.float32)
        right_large, cross_large = left_large, left_large
        for k in range(STEPS):
            row = start + k * ROWS + tl.arange(0, ROWS)
            inside = row < stop
            target = tl.load(y + row, mask=inside, other=0.0).to(tl.float64) - middle
            target = tl.where(inside, target, 0.0).to(tl.float32)
            root = target
            if WEIGHTED:
                root = tl.sqrt(tl.load(weight + row, mask=inside, other=0.0)).to(tl.float32)
            a = design_tile(
                X=X,
                target=target,
                root=root,
                shift=left_shift,
                row=row,
                column=left,
                inside=inside,
                d=d,
                LAST=not WIDE,
                WEIGHTED=WEIGHTED,
            )
            a_high, a_middle = two_parts(a)
            a_turned = tl.trans(a_high)
            left_small = tl.dot(a_turned, a_middle, left_small)
            left_large = tl.dot(a_turned, a_high, left_large)
            if WIDE:
                b = design_tile(
                    X=X,
                    target=target,
                    root=root,
                    shift=right_shift,
                    row=row,
                    column=right,
                    inside=inside,
                    d=d,
                    LAST=True,
                    WEIGHTED=WEIGHTED,
                )
                b_high, b_middle = two_parts(b)
                b_turned = tl.trans(b_high)
                right_small = tl.dot(b_turned, b_middle, right_small)
                cross_small = tl.dot(a_turned, b_middle, cross_small)
                cross_small = tl.dot(tl.trans(a_middle), b_high, cross_small)
                right_large = tl.dot(b_turned, b_high, right_large)
                cross_large = tl.dot(a_turned, b_high, cross_large)
        left_total += left_large.to(tl.float64)
        if WIDE:
            right_total += right_large.to(tl.float64)
            cross_total += cross_large.to(tl.float64)
    width = 2 * TILE if WIDE else TILE
    row = (chunk * width + left[:, None]) * width
    tl.store(out + row + left[None, :], left_total)
    tl.store(rest + row + left[None, :], left_small)
    if WIDE:
        tl.store(out + row + right[None, :], cross_total)
        tl.store(rest + row + right[None, :], cross_small)
        row += TILE * width
        tl.store(out + row + right[None, :], right_total)
        tl.store(rest + row + right[None, :], right_small)
