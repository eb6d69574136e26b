"""Triton kernels for a pass of a Gaussian mixture with full covariances on a GPU, in float64 on its matrix units.

In the notation of `tensors`, one program whitens some rows for all components in turn and never stores what is whitened,

    l_k = constant_k - 1/2 |U_k' z - U_k' g_k|^2,   total = log sum_k exp l_k,   r_k = exp(l_k - total)    (18)

and another multiplies responsibilities with products of coordinates, made where they are needed. With a constant coordinate on the
left, z~ = [z, 1], first and second moments are one product:

    S[(i, j), k] = sum w r_k z~_i z_j                                                                       (19)
"""

import triton
import triton.language as tl

__all__ = ["responsibilities", "weighted_products"]


@triton.jit
def responsibilities(  # type: ignore[no-untyped-def]
    X,
    weight,
    center,
    factor,
    offset,
    constant,
    n,
    d,
    k,
    shares,
    sums,
    WEIGHTED: tl.constexpr,
    WIDTH: tl.constexpr,
    COMPONENTS: tl.constexpr,
    JOINT: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write w r of (18), (n, k), and of every program sum w total and sum w r log r: `sums` is (programs, 2).

    With JOINT write l alone, in place of w r. `factor` is (k, WIDTH, WIDTH) and `offset` (k, WIDTH), padded with zeros; a row
    without weight may hold anything.
    """
    program = tl.program_id(0)
    row = program.to(tl.int64) * ROWS + tl.arange(0, ROWS)
    counts = row < n
    w = counts.to(tl.float64)
    if WEIGHTED:
        w = tl.load(weight + row, mask=counts, other=0.0)
        counts = w > 0
    column = tl.arange(0, WIDTH)
    here = counts[:, None] & (column < d)[None, :]
    z = tl.load(X + row[:, None] * d + column[None, :], mask=here, other=0.0).to(tl.float64)
    z = tl.where(here, z - tl.load(center + column, mask=column < d, other=0.0)[None, :], 0.0)
    place = tl.arange(0, COMPONENTS)
    joint = tl.full((ROWS, COMPONENTS), float("-inf"), tl.float64)
    for component in range(k):
        own = factor + component * WIDTH * WIDTH
        u = tl.load(own + column[:, None] * WIDTH + column[None, :])
        white = tl.dot(z, u, out_dtype=tl.float64) - tl.load(offset + component * WIDTH + column)[None, :]
        value = tl.load(constant + component) - 0.5 * tl.sum(white * white, 1)
        joint = tl.where((place == component)[None, :], value[:, None], joint)
    target, kept = shares + row[:, None] * k + place[None, :], (row < n)[:, None] & (place < k)[None, :]
    if JOINT:
        tl.store(target, joint, mask=kept)
    else:
        top = tl.max(joint, 1)
        total = top + tl.log(tl.sum(tl.exp(joint - top[:, None]), 1))
        logs = joint - total[:, None]
        share = tl.exp(logs) * w[:, None]
        tl.store(target, share, mask=kept)
        information = tl.sum(tl.where(share > 0, share * logs, 0.0), 1)
        tl.store(sums + 2 * program, tl.sum(tl.where(counts, w * total, 0.0), 0))
        tl.store(sums + 2 * program + 1, tl.sum(information, 0))


@triton.jit
def weighted_products(  # type: ignore[no-untyped-def]
    X,
    center,
    shares,
    weight,
    n,
    d,
    k,
    run,
    out,
    WEIGHTED: tl.constexpr,
    WIDTH: tl.constexpr,
    LEFT: tl.constexpr,
    COMPONENTS: tl.constexpr,
    ROWS: tl.constexpr,
):
    """Write (19) for LEFT values of i and all j over the rows of a chunk: `out` is (chunks, d + 1, WIDTH, k), padded beyond d.

    `shares` are w r; a row without weight may hold anything.
    """
    chunk = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * LEFT + tl.arange(0, LEFT)
    j = tl.arange(0, WIDTH)
    i_center = tl.load(center + i, mask=i < d, other=0.0)
    j_center = tl.load(center + j, mask=j < d, other=0.0)
    place = tl.arange(0, COMPONENTS)
    total = tl.zeros((LEFT * WIDTH, COMPONENTS), tl.float64)
    stop = tl.minimum((chunk + 1) * run, n)
    for start in range(chunk * run, stop, ROWS):
        row = start + tl.arange(0, ROWS)
        counts = row < stop
        here = counts[:, None] & (place < k)[None, :]
        share = tl.load(shares + row[:, None] * k + place[None, :], mask=here, other=0.0)
        if WEIGHTED:
            counts = tl.load(weight + row, mask=counts, other=0.0) > 0
        first, second = counts[:, None] & (i < d)[None, :], counts[:, None] & (j < d)[None, :]
        a = tl.load(X + row[:, None] * d + i[None, :], mask=first, other=0.0).to(tl.float64)
        a = tl.where(first, a - i_center[None, :], tl.where(i == d, 1.0, 0.0)[None, :])
        b = tl.load(X + row[:, None] * d + j[None, :], mask=second, other=0.0).to(tl.float64)
        b = tl.where(second, b - j_center[None, :], 0.0)
        pairs = tl.reshape(a[:, :, None] * b[:, None, :], (ROWS, LEFT * WIDTH))
        total += tl.dot(tl.trans(pairs), share, out_dtype=tl.float64)
    cell = tl.program_id(1) * LEFT * WIDTH + tl.arange(0, LEFT * WIDTH)
    target = out + (chunk * (d + 1) * WIDTH + cell[:, None]) * k + place[None, :]
    tl.store(target, total, mask=(cell < (d + 1) * WIDTH)[:, None] & (place < k)[None, :])
