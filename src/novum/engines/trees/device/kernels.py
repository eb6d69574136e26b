"""Rows through trees and into histograms as kernels of Triton; sums are whole numbers, so their order changes no bit.

A histogram is a product of matrices of bytes: for a run of rows of one leaf, with M[b, i] = 1 where row i has code b, and the
digits D[i, :] of its gradient, its curvature and one, M D holds the sums of digits by code, exactly, in 32 bits. Nothing waits for
rows of equal code, as additions to one place of memory would.
"""

# mypy: disallow-untyped-defs=False
from typing import Any

import triton
import triton.language as tl

__all__ = ["add_pairs", "add_trees", "advance"]

ROWS = 1024  # of a program
CHUNK, BLOCK = 8192, 128  # rows of a leaf that a program adds up, and that it looks at together
DIGITS, DIGIT_BITS = tl.constexpr(5), tl.constexpr(7)  # a slope as whole numbers that a byte holds with its sign
OFFSET = tl.constexpr(2**30)  # added to gradients, which then have no sign
FIELDS = tl.constexpr(6)  # of a node: feature (-1 in a leaf), code, whether missing goes left, left, right, histogram


@triton.jit
def _advance(nodes, codes, leaf, place, n, missing, PLACES: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = row < n
    at = tl.load(leaf + row, mask=there, other=0)
    feature = tl.load(nodes + at * FIELDS, mask=there, other=-1)
    while tl.max(feature, axis=0) >= 0:
        inner = feature >= 0
        code = tl.load(codes + feature.to(tl.int64) * n + row, mask=inner, other=0).to(tl.int32)
        last = tl.load(nodes + at * FIELDS + 1, mask=inner, other=0)
        missing_left = tl.load(nodes + at * FIELDS + 2, mask=inner, other=0)
        goes_left = tl.where(code == missing, missing_left > 0, code <= last)
        to = tl.load(nodes + at * FIELDS + tl.where(goes_left, 3, 4), mask=inner, other=0)
        at = tl.where(inner, to, at)
        feature = tl.load(nodes + at * FIELDS, mask=inner, other=-1)
    tl.store(leaf + row, at, mask=there)
    if PLACES:
        tl.store(place + row, tl.load(nodes + at * FIELDS + 5, mask=there, other=0).to(tl.uint8), mask=there)


@triton.jit
def _add_pairs(
    codes,
    order,
    begin,
    gradient,
    curvature,
    cells,
    counts,
    n,
    d,
    width,
    slots,
    CHUNK: tl.constexpr,
    BLOCK: tl.constexpr,
    WIDTH: tl.constexpr,
):
    column, left, slot = tl.program_id(1), tl.program_id(0).to(tl.int64), 0
    first, last = tl.load(begin), tl.load(begin + 1)
    chunks = (last - first + CHUNK - 1) // CHUNK
    while (slot < slots - 1) & (left >= chunks):
        left -= chunks
        slot += 1
        first = last
        last = tl.load(begin + slot + 1)
        chunks = (last - first + CHUNK - 1) // CHUNK
    start = first + left * CHUNK
    stop = tl.minimum(start + CHUNK, last)
    code_number, digit = tl.arange(0, WIDTH), tl.arange(0, 16)
    shift = tl.where(digit < DIGITS, digit, tl.where(digit < 2 * DIGITS, digit - DIGITS, 0)) * DIGIT_BITS
    total = tl.zeros((WIDTH, 16), dtype=tl.int32)
    while start < stop:
        place = start + tl.arange(0, BLOCK)
        there = place < stop
        row = tl.load(order + place, mask=there, other=0)
        code = tl.load(codes + column.to(tl.int64) * n + row, mask=there, other=0).to(tl.int32)
        g = (tl.load(gradient + row, mask=there, other=0) + OFFSET).to(tl.uint32)
        h = tl.load(curvature + row, mask=there, other=0).to(tl.uint32)
        values = tl.where((digit < DIGITS)[None, :], g[:, None], h[:, None]) >> shift[None, :].to(tl.uint32)
        values = tl.where((digit == 2 * DIGITS)[None, :], 1, values & (2**DIGIT_BITS - 1))
        values = tl.where((digit > 2 * DIGITS)[None, :], 0, values).to(tl.int8)
        code = tl.where(there, code, -1)
        member = (code_number[:, None] == code[None, :]).to(tl.int8)
        total = tl.dot(member, values, total, out_dtype=tl.int32)
        start += BLOCK
    wide = total.to(tl.int64) << shift[None, :].to(tl.int64)
    count = tl.sum(tl.where((digit == 2 * DIGITS)[None, :], wide, 0), axis=1)
    g = tl.sum(tl.where((digit < DIGITS)[None, :], wide, 0), axis=1) - count * OFFSET
    h = tl.sum(tl.where(((digit >= DIGITS) & (digit < 2 * DIGITS))[None, :], wide, 0), axis=1)
    there = (code_number < width) & (count > 0)
    cell = (slot * d + column) * width + code_number
    tl.atomic_add(cells + 2 * cell, g, mask=there, sem="relaxed")
    tl.atomic_add(cells + 2 * cell + 1, h, mask=there, sem="relaxed")
    tl.atomic_add(counts + cell, count.to(tl.int32), mask=there, sem="relaxed")


@triton.jit
def _add_trees(tables, thresholds, values, root, X, raw, n, d, trees, outputs, depth, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = row < n
    output = tl.program_id(1)
    total = tl.load(raw + row * outputs + output, mask=there, other=0.0)
    tree = output
    while tree < trees:
        at = tl.load(root + tree) + tl.zeros((BLOCK,), tl.int32)
        level = 0
        while level < depth:
            feature = tl.load(tables + at * FIELDS, mask=there, other=-1)
            inner = there & (feature >= 0)
            x = tl.load(X + row * d + feature, mask=inner, other=0.0).to(tl.float64)
            edge = tl.load(thresholds + at, mask=inner, other=0.0)
            missing_left = tl.load(tables + at * FIELDS + 2, mask=inner, other=0)
            goes_left = tl.where(x != x, missing_left > 0, x <= edge)
            to = tl.load(tables + at * FIELDS + tl.where(goes_left, 3, 4), mask=inner, other=0)
            at = tl.where(inner, to, at)
            level += 1
        total += tl.load(values + at, mask=there, other=0.0)
        tree += outputs
    tl.store(raw + row * outputs + output, total, mask=there)


def advance(nodes: Any, codes: Any, leaf: Any, missing: int, place: Any = None) -> None:
    """Let every row go on from its leaf to the one it is in now, in place; `place` (uint8) gets the number of its histogram."""
    n = codes.shape[1]
    into = leaf if place is None else place
    _advance[(triton.cdiv(n, ROWS),)](nodes, codes, leaf, into, n, missing, PLACES=place is not None, BLOCK=ROWS)


def add_pairs(codes: Any, order: Any, begin: Any, pairs: tuple[Any, Any], cells: Any, counts: Any) -> None:
    """Add gradients and curvatures of rows to cells (slots, d, width, 2), and their number to counts.

    Those of slot s are order[begin[s]] to order[begin[s + 1] - 1].
    """
    (d, n), (slots, _, width) = codes.shape, counts.shape
    grid = (triton.cdiv(len(order), CHUNK) + slots, d)
    padded = max(16, triton.next_power_of_2(width))
    _add_pairs[grid](
        codes,
        order=order,
        begin=begin,
        gradient=pairs[0],
        curvature=pairs[1],
        cells=cells,
        counts=counts,
        n=n,
        d=d,
        width=width,
        slots=slots,
        CHUNK=CHUNK,
        BLOCK=BLOCK,
        WIDTH=padded,
    )


def add_trees(tables: Any, thresholds: Any, values: Any, root: Any, X: Any, raw: Any, depth: int) -> None:
    """Add what all trees say of rows to raw (rows, outputs), in the order of the trees."""
    (n, d), outputs = X.shape, raw.shape[1]
    grid = (triton.cdiv(n, ROWS), outputs)
    _add_trees[grid](
        tables,
        thresholds=thresholds,
        values=values,
        root=root,
        X=X,
        raw=raw,
        n=n,
        d=d,
        trees=len(root),
        outputs=outputs,
        depth=depth,
        BLOCK=ROWS,
    )
