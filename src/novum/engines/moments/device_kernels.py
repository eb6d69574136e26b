"""Triton kernels for second moments on a GPU: products of shifted columns, and sums with a target, each in one read of the rows.

With x the shifted columns, a program adds up one pair of tiles of columns over a run of rows,

    sum w x_i x_j'                                            in float64, on its matrix units            (6)
    x = x' + x'' + x''',  x'x' + x''x'' in float64 runs, x'x'' + x''x' + x'x''' + x'''x' in float32      (7)

(7) has parts of bfloat16 and leaves 2^-24 |x_i| |x_j| of a product aside. What has a target is always in float64:

    r = y - m_y - b (x - m),   sum w r (x - m),   sum w (x - m),   sum w r,   sum w r^2                   (8)

Who refines what he solves by (8) needs no more than two parts, of one narrow tile of columns or two, the target and a column of
ones among them, in one read of the rows: x = x' + x'' and, for columns of any kind,

    x'x' in float32 runs, summed in float64, and x'x'' + x''x' in float32                                 (9)

A matrix has p * STEP columns, STEP a power of two: from it follows how many cells may be read at once.
"""

import triton
import triton.language as tl

__all__ = ["design_products", "split_products", "target_sums", "tile_products"]


@triton.jit
def shifted(X, weight, shift, row, column, inside, p, STEP: tl.constexpr, WEIGHTED: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return a tile of sqrt(w) (x - shift) in the dtype of the shift, zero beyond the last row and column."""
    there = column < p * STEP
    here = inside[:, None] & there[None, :]
    x = tl.load(X + row[:, None] * p * STEP + column[None, :], mask=here, other=0.0)
    away = tl.load(shift + column, mask=there, other=0.0)
    x = tl.where(here, x.to(away.dtype) - away[None, :], 0.0)
    if WEIGHTED:
        x = x * tl.sqrt(tl.load(weight + row, mask=inside, other=0.0)).to(away.dtype)[:, None]
    return x


@triton.jit
def parts(value):  # type: ignore[no-untyped-def]
    """Split float32 into three numbers of bfloat16, 24 bits together."""
    high = value.to(tl.bfloat16)
    rest = value - high.to(tl.float32)
    middle = rest.to(tl.bfloat16)
    return high, middle, (rest - middle.to(tl.float32)).to(tl.bfloat16)


@triton.jit
def tile_products(  # type: ignore[no-untyped-def]
    X,
    weight,
    shift,
    group,
    edges,
    order,
    left,
    right,
    out,
    p,
    width,
    DIAGONAL: tl.constexpr,
    WEIGHTED: tl.constexpr,
    ORDERED: tl.constexpr,
    STEP: tl.constexpr,
    TILE: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write (6) of one pair of tiles over the rows of a chunk: `out` is (chunks, width, width).

    A chunk has the places between two of the `edges`, (2, chunks), and the shift of its group; ORDERED: the rows at these places
    of `order`.
    """
    chunk = tl.program_id(0).to(tl.int64)
    begin, stop = tl.load(edges + chunk), tl.load(edges + tl.num_programs(0) + chunk)
    shift += tl.load(group + chunk) * p * STEP
    i, j = tl.load(left + tl.program_id(1)), tl.load(right + tl.program_id(1))
    a_column, b_column = i * TILE + tl.arange(0, TILE), j * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float64)
    for start in range(begin, stop, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = row < stop
        if ORDERED:
            row = tl.load(order + row, mask=inside, other=0)
        b = shifted(
            X=X, weight=weight, shift=shift, row=row, column=b_column, inside=inside, p=p, STEP=STEP, WEIGHTED=WEIGHTED
        )
        a = (
            b
            if DIAGONAL
            else shifted(
                X=X,
                weight=weight,
                shift=shift,
                row=row,
                column=a_column,
                inside=inside,
                p=p,
                STEP=STEP,
                WEIGHTED=WEIGHTED,
            )
        )
        total += tl.dot(tl.trans(a), b, out_dtype=tl.float64)
    tl.store(out + (chunk * width + a_column[:, None]) * width + b_column[None, :], total)


@triton.jit
def split_products(  # type: ignore[no-untyped-def]
    X,
    weight,
    shift,
    group,
    edges,
    left,
    right,
    out,
    rest,
    p,
    width,
    DIAGONAL: tl.constexpr,
    WEIGHTED: tl.constexpr,
    STEP: tl.constexpr,
    TILE: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write (7) of one pair of tiles over the rows of a chunk: the large products to `out`, the small ones to `rest`.

    On the diagonal `rest` has x'x'' + x'x''' alone and is still to be added to its own transpose.
    """
    chunk = tl.program_id(0).to(tl.int64)
    begin, stop = tl.load(edges + chunk), tl.load(edges + tl.num_programs(0) + chunk)
    shift += tl.load(group + chunk) * p * STEP
    i, j = tl.load(left + tl.program_id(1)), tl.load(right + tl.program_id(1))
    a_column, b_column = i * TILE + tl.arange(0, TILE), j * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float64)
    small = tl.zeros((TILE, TILE), tl.float32)
    for start in range(begin, stop, ROWS):
        row = start + tl.arange(0, ROWS)
        b_high, b_middle, b_low = parts(
            shifted(
                X=X,
                weight=weight,
                shift=shift,
                row=row,
                column=b_column,
                inside=row < stop,
                p=p,
                STEP=STEP,
                WEIGHTED=WEIGHTED,
            )
        )
        large = tl.zeros((TILE, TILE), tl.float32)
        if DIAGONAL:
            high = tl.trans(b_high)
            small = tl.dot(high, b_low, small)
            small = tl.dot(high, b_middle, small)
            large = tl.dot(tl.trans(b_middle), b_middle, large)
            large = tl.dot(high, b_high, large)
        else:
            a_high, a_middle, a_low = parts(
                shifted(
                    X=X,
                    weight=weight,
                    shift=shift,
                    row=row,
                    column=a_column,
                    inside=row < stop,
                    p=p,
                    STEP=STEP,
                    WEIGHTED=WEIGHTED,
                )
            )
            high, middle = tl.trans(a_high), tl.trans(a_middle)
            small = tl.dot(high, b_low, small)
            small = tl.dot(tl.trans(a_low), b_high, small)
            small = tl.dot(high, b_middle, small)
            small = tl.dot(middle, b_high, small)
            large = tl.dot(middle, b_middle, large)
            large = tl.dot(high, b_high, large)
        total += large.to(tl.float64)
    place = (chunk * width + a_column[:, None]) * width + b_column[None, :]
    tl.store(out + place, total)
    tl.store(rest + place, small)


@triton.jit
def target_sums(  # type: ignore[no-untyped-def]
    X,
    y,
    weight,
    mean,
    group,
    edges,
    order,
    coef,
    out,
    p,
    WITH_TARGET: tl.constexpr,
    WEIGHTED: tl.constexpr,
    ORDERED: tl.constexpr,
    STEP: tl.constexpr,
    WIDTH: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write (8) over the rows of a chunk, and the sum of w: `out` is (chunks, 2 p STEP + 3).

    Chunks are those of `tile_products`; the mean of a group has m_y last where there is a target.
    """
    chunk = tl.program_id(0).to(tl.int64)
    begin, stop = tl.load(edges + chunk), tl.load(edges + tl.num_programs(0) + chunk)
    d = p * STEP
    mean += tl.load(group + chunk) * (d + 1 if WITH_TARGET else d)
    column = tl.arange(0, WIDTH)
    there = column < d
    middle = tl.load(mean + column, mask=there, other=0.0)
    b = tl.load(coef + column, mask=there, other=0.0)
    gradient = tl.zeros((ROWS, WIDTH), tl.float64)
    columns = tl.zeros((ROWS, WIDTH), tl.float64)
    first = tl.zeros((ROWS,), tl.float64)
    second = tl.zeros((ROWS,), tl.float64)
    mass = tl.zeros((ROWS,), tl.float64)
    for start in range(begin, stop, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = row < stop
        if ORDERED:
            row = tl.load(order + row, mask=inside, other=0)
        here = inside[:, None] & there[None, :]
        x = tl.load(X + row[:, None] * p * STEP + column[None, :], mask=here, other=0.0).to(tl.float64)
        x = tl.where(here, x - middle[None, :], 0.0)
        w = inside.to(tl.float64)
        if WEIGHTED:
            w = tl.load(weight + row, mask=inside, other=0.0)
        columns += x * w[:, None]
        mass += w
        if WITH_TARGET:
            target = tl.load(y + row, mask=inside, other=0.0).to(tl.float64) - tl.load(mean + d)
            r = tl.where(inside, target - tl.sum(x * b[None, :], 1), 0.0)
            gradient += x * (w * r)[:, None]
            first += w * r
            second += w * r * r
    place = out + chunk * (2 * d + 3)
    tl.store(place + column, tl.sum(gradient, 0), mask=there)
    tl.store(place + d + column, tl.sum(columns, 0), mask=there)
    tl.store(place + 2 * d, tl.sum(first, 0))
    tl.store(place + 2 * d + 1, tl.sum(second, 0))
    tl.store(place + 2 * d + 2, tl.sum(mass, 0))


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
