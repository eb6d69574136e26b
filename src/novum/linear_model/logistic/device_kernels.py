"""A Triton kernel for a pass of logistic regression with two classes on a GPU: one read of the rows, everything in float64.

With f = theta' x', q = exp(-|f|) and the code t of a row, (1) to (3) of `sums` without a difference of near numbers:

    -log p(t) = max(f, 0) + log(1 + q) - t f,   s = q / (1 + q) where f < 0, else 1 / (1 + q),   s (1 - s) = q / (1 + q)^2
"""

import triton
import triton.language as tl

__all__ = ["binary_pass"]


@triton.jit
def binary_pass(  # type: ignore[no-untyped-def]
    X,
    code,
    weight,
    theta,
    out,
    curvature,
    n,
    p,
    run,
    WITH_CURVATURE: tl.constexpr,
    WEIGHTED: tl.constexpr,
    STEP: tl.constexpr,
    WIDTH: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write the sums of w (s - t) x, of w (s - t) and of the loss over a chunk: `out` is (chunks, d + 2), d = p * STEP.

    `theta` ends in the score's constant term; `curvature` gets w s (1 - s) of every row.
    """
    chunk = tl.program_id(0).to(tl.int64)
    d = p * STEP
    column = tl.arange(0, WIDTH)
    there = column < d
    b = tl.load(theta + column, mask=there, other=0.0)
    a = tl.load(theta + d)
    gradient = tl.zeros((ROWS, WIDTH), tl.float64)
    first = tl.zeros((ROWS,), tl.float64)
    loss = tl.zeros((ROWS,), tl.float64)
    stop = tl.minimum((chunk + 1) * run, n)
    for start in range(chunk * run, stop, ROWS):
        row = start + tl.arange(0, ROWS)
        inside = row < stop
        here = inside[:, None] & there[None, :]
        x = tl.load(X + row[:, None] * p * STEP + column[None, :], mask=here, other=0.0).to(tl.float64)
        f = tl.sum(x * b[None, :], 1) + a
        t = tl.load(code + row, mask=inside, other=0).to(tl.float64)
        w = inside.to(tl.float64)
        if WEIGHTED:
            w = tl.load(weight + row, mask=inside, other=0.0)
        q = tl.exp(-tl.abs(f))
        small, large = q / (1 + q), 1 / (1 + q)  # the less and the more probable class
        residual = tl.where(t > 0, tl.where(f > 0, -small, -large), tl.where(f > 0, large, small))
        gradient += x * (w * residual)[:, None]
        first += w * residual
        loss += w * (tl.maximum(f, 0.0) + tl.log(1 + q) - t * f)
        if WITH_CURVATURE:
            tl.store(curvature + row, w * small * large, mask=inside)
    place = out + chunk * (d + 2)
    tl.store(place + column, tl.sum(gradient, 0), mask=there)
    tl.store(place + d, tl.sum(first, 0))
    tl.store(place + d + 1, tl.sum(loss, 0))
