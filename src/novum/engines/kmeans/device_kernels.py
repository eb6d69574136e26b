"""Triton kernels of a k-means pass on a GPU: labels from split products, labels looked at again, sums in a fixed order.

With x and c about the origin of `assignment`, and every number split into two of bfloat16, x = x' + x'' and c = c' + c'',

    s_j = |c_j|^2 / 2 - (x' c_j' + x'' c_j' + x' c_j'')        on the matrix units                     (15)
    z   = argmin_j s_j   is certain where the two smallest s differ by more than 2 E(x)                (16)

Rows that are not certain are listed, and `settle` scores them in float64. Sums are made of rows sorted by label: a piece of
PIECE rows of one cluster is added up by one program, then the pieces of a cluster in turn, so that every run gives the same
bits. Proof of E: docs/theory/kmeans.md.
"""

import triton
import triton.language as tl

__all__ = ["add_pieces", "add_rows", "nearest", "settle"]


@triton.jit
def smaller(a, place_a, second_a, b, place_b, second_b):  # type: ignore[no-untyped-def]
    """Combine two sets of scores: the least, its place, and the least but one."""
    first = a <= b
    second = tl.minimum(tl.maximum(a, b), tl.minimum(second_a, second_b))
    return tl.minimum(a, b), tl.where(first, place_a, place_b), second


@triton.jit
def centered(X, shift, row, d, first, inside, DEPTH: tl.constexpr):  # type: ignore[no-untyped-def]
    """Return columns `first` and on of some rows, minus the shift, in float32; zero beyond the last row and column."""
    column = first + tl.arange(0, DEPTH)
    here = inside[:, None] & (column < d)[None, :]
    x = tl.load(X + row[:, None] * d + column[None, :], mask=here, other=0.0)
    away = tl.load(shift + column, mask=column < d, other=0.0)
    return tl.where(here, x - away[None, :], 0.0).to(tl.float32)


@triton.jit
def split_product(x, high, low, place, width: tl.constexpr, first, DEPTH: tl.constexpr, total):  # type: ignore[no-untyped-def]
    """Add the three products of (15) to `total`."""
    column = first + tl.arange(0, DEPTH)
    offset = place[None, :] * width + column[:, None]
    c_high, c_low = tl.load(high + offset), tl.load(low + offset)
    x_high = x.to(tl.bfloat16)
    x_low = (x - x_high.to(tl.float32)).to(tl.bfloat16)
    total = tl.dot(x_low, c_high, total)
    total = tl.dot(x_high, c_low, total)
    return tl.dot(x_high, c_high, total)


@triton.jit
def nearest(  # type: ignore[no-untyped-def]
    X,
    shift,
    high,
    low,
    half,
    n,
    d,
    k,
    slope,
    floor,
    label,
    doubtful,
    count,
    WIDTH: tl.constexpr,
    DEPTH: tl.constexpr,
    CENTERS: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write (16) for every row, and list the rows that are not certain; E = slope |x| + floor.

    `high` and `low` are (k, WIDTH), padded with zeros to whole tiles of CENTERS, `half` with infinity.
    """
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inside = row < n
    best = tl.full((ROWS,), float("inf"), tl.float32)
    second = tl.full((ROWS,), float("inf"), tl.float32)
    found = tl.zeros((ROWS,), tl.int32)
    square = tl.zeros((ROWS,), tl.float32)
    if WIDTH == DEPTH:
        x = centered(X, shift, row, d, 0, inside, DEPTH)
        square += tl.sum(x * x, 1)
    else:
        for first in range(0, WIDTH, DEPTH):
            x = centered(X, shift, row, d, first, inside, DEPTH)
            square += tl.sum(x * x, 1)
    for base in range(0, k, CENTERS):
        place = base + tl.arange(0, CENTERS)
        product = tl.zeros((ROWS, CENTERS), tl.float32)
        if WIDTH == DEPTH:
            product = split_product(
                x=x, high=high, low=low, place=place, width=WIDTH, first=0, DEPTH=DEPTH, total=product
            )
        else:
            for first in range(0, WIDTH, DEPTH):
                part = centered(X, shift, row, d, first, inside, DEPTH)
                product = split_product(
                    x=part, high=high, low=low, place=place, width=WIDTH, first=first, DEPTH=DEPTH, total=product
                )
        score = tl.load(half + place)[None, :] - product
        places = tl.broadcast_to(place[None, :], (ROWS, CENTERS))
        nothing = tl.full((ROWS, CENTERS), float("inf"), tl.float32)
        least, at, next_least = tl.reduce((score, places, nothing), 1, smaller)
        second = tl.minimum(tl.maximum(best, least), tl.minimum(second, next_least))
        found = tl.where(least < best, at, found)
        best = tl.minimum(best, least)
    tl.store(label + row, found, mask=inside)
    error = slope * tl.sqrt(square) + floor
    unsure = inside & ~(second - best > 2 * error)  # also where a score is not a number
    number = unsure.to(tl.int32)
    start = tl.atomic_add(count, tl.sum(number, 0))
    tl.store(doubtful + start + tl.cumsum(number, 0) - number, row, mask=unsure)


@triton.jit
def settle(  # type: ignore[no-untyped-def]
    X,
    shift,
    centers,
    half,
    d,
    k,
    doubtful,
    count,
    label,
    WIDTH: tl.constexpr,
    DEPTH: tl.constexpr,
    CENTERS: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write the label of every listed row from scores in float64, the lowest of equals."""
    number = tl.load(count)
    for start in range(tl.program_id(0) * ROWS, number, tl.num_programs(0) * ROWS):
        at = start + tl.arange(0, ROWS)
        inside = at < number
        row = tl.load(doubtful + at, mask=inside, other=0)
        best = tl.full((ROWS,), float("inf"), tl.float64)
        found = tl.zeros((ROWS,), tl.int32)
        for base in range(0, k, CENTERS):
            place = base + tl.arange(0, CENTERS)
            product = tl.zeros((ROWS, CENTERS), tl.float64)
            for first in range(0, WIDTH, DEPTH):
                column = first + tl.arange(0, DEPTH)
                here = inside[:, None] & (column < d)[None, :]
                x = tl.load(X + row[:, None] * d + column[None, :], mask=here, other=0.0).to(tl.float64)
                away = tl.load(shift + column, mask=column < d, other=0.0).to(tl.float64)
                x = tl.where(here, x - away[None, :], 0.0)
                c = tl.load(centers + place[None, :] * WIDTH + column[:, None])
                product += tl.dot(x, c, out_dtype=tl.float64)
            score = tl.load(half + place)[None, :] - product
            least = tl.min(score, 1)
            nearer = least < best
            found = tl.where(nearer, base + tl.argmin(score, 1, tie_break_left=True), found)
            best = tl.where(nearer, least, best)
        tl.store(label + row, found.to(tl.int32), mask=inside)


@triton.jit
def add_rows(  # type: ignore[no-untyped-def]
    X,
    weight,
    order,
    start,
    pieces,
    cluster,
    shift,
    centers,
    d,
    k,
    out,
    WEIGHTED: tl.constexpr,
    WIDTH: tl.constexpr,
    ROWS: tl.constexpr,
    PIECE: tl.constexpr,
):
    """Write the sums of a piece: w (x - shift) by columns, then w and w |x - c|^2; centers are about the shift."""
    piece = tl.program_id(0)
    own = tl.load(cluster + piece)
    if own < k:
        before = tl.load(pieces + own)  # pieces of the clusters before
        begin = tl.load(start + own) + (piece - before) * PIECE
        end = tl.minimum(begin + PIECE, tl.load(start + own + 1))
        for first in range(0, d, WIDTH):
            column = first + tl.arange(0, WIDTH)
            there = column < d
            away = tl.load(shift + column, mask=there, other=0.0).to(tl.float64)
            c = tl.load(centers + own * d + column, mask=there, other=0.0)
            total = tl.zeros((ROWS, WIDTH), tl.float64)
            square = tl.zeros((ROWS, WIDTH), tl.float64)
            mass = tl.zeros((ROWS,), tl.float64)
            for at in range(begin, end, ROWS):
                place = at + tl.arange(0, ROWS)
                inside = place < end
                row = tl.load(order + place, mask=inside, other=0)
                here = inside[:, None] & there[None, :]
                x = tl.load(X + row[:, None] * d + column[None, :], mask=here, other=0.0).to(tl.float64)
                x = tl.where(here, x - away[None, :], 0.0)
                far = tl.where(here, x - c[None, :], 0.0)
                if WEIGHTED:
                    w = tl.load(weight + row, mask=inside, other=0.0)
                    total += w[:, None] * x
                    square += w[:, None] * (far * far)
                    mass += w
                else:
                    total += x
                    square += far * far
                    mass += inside.to(tl.float64)
            target = out + piece * (d + 2)
            tl.store(target + column, tl.sum(total, 0), mask=there)
            inertia = tl.sum(tl.sum(square, 1), 0)
            if first == 0:
                tl.store(target + d, tl.sum(mass, 0))
                tl.store(target + d + 1, inertia)
            else:
                tl.store(target + d + 1, tl.load(target + d + 1) + inertia)


@triton.jit
def add_pieces(parts, pieces, width, out, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    """Write the sums of one cluster, its pieces added in their order."""
    own = tl.program_id(0)
    column = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    total = tl.zeros((WIDTH,), tl.float64)
    for piece in range(tl.load(pieces + own), tl.load(pieces + own + 1)):
        total += tl.load(parts + piece * width + column, mask=column < width, other=0.0)
    tl.store(out + own * width + column, total, mask=column < width)
