"""Rows through trees and into histograms as kernels of Triton; sums are whole numbers, so their order changes no bit."""

# mypy: disallow-untyped-defs=False
from typing import Any

import triton
import triton.language as tl

__all__ = ["add_pairs", "add_trees", "advance"]

ROWS = 1024  # of a program
FIELDS = tl.constexpr(5)  # of a node: feature (-1 in a leaf), code, whether missing goes left, left, right


@triton.jit
def _advance(nodes, codes, leaf, n, depth, missing, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = row < n
    at = tl.load(leaf + row, mask=there, other=0)
    level = 0
    while level < depth:
        feature = tl.load(nodes + at * FIELDS, mask=there, other=-1)
        inner = there & (feature >= 0)
        code = tl.load(codes + feature.to(tl.int64) * n + row, mask=inner, other=0).to(tl.int32)
        last = tl.load(nodes + at * FIELDS + 1, mask=inner, other=0)
        missing_left = tl.load(nodes + at * FIELDS + 2, mask=inner, other=0)
        goes_left = tl.where(code == missing, missing_left > 0, code <= last)
        to = tl.load(nodes + at * FIELDS + tl.where(goes_left, 3, 4), mask=inner, other=0)
        at = tl.where(inner, to, at)
        level += 1
    tl.store(leaf + row, at, mask=there)


@triton.jit
def _add_pairs(codes, leaf, slot, gradient, curvature, cells, counts, n, d, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1)
    at = tl.load(leaf + row, mask=row < n, other=0)
    place = tl.load(slot + at, mask=row < n, other=-1)
    there = (row < n) & (place >= 0)
    code = tl.load(codes + column.to(tl.int64) * n + row, mask=there, other=0).to(tl.int32)
    g = tl.load(gradient + row, mask=there, other=0).to(tl.int64)
    h = tl.load(curvature + row, mask=there, other=0).to(tl.int64)
    cell = (place * d + column) * width + code
    tl.atomic_add(cells + 2 * cell, g, mask=there, sem="relaxed")
    tl.atomic_add(cells + 2 * cell + 1, h, mask=there, sem="relaxed")
    tl.atomic_add(counts + cell, tl.full((BLOCK,), 1, tl.int32), mask=there, sem="relaxed")


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


def advance(nodes: Any, codes: Any, leaf: Any, depth: int, missing: int) -> None:
    """Let every row go on from its leaf to the one it is in now, in place."""
    n = codes.shape[1]
    _advance[(triton.cdiv(n, ROWS),)](nodes, codes, leaf, n, depth, missing, BLOCK=ROWS)


def add_pairs(codes: Any, leaf: Any, slot: Any, pairs: tuple[Any, Any], cells: Any, counts: Any) -> None:
    """Add gradients and curvatures of the rows of wanted leaves to cells (slots, d, width, 2), and their number to counts."""
    (d, n), width = codes.shape, counts.shape[2]
    _add_pairs[(triton.cdiv(n, ROWS), d)](codes, leaf, slot, *pairs, cells, counts, n, d, width, BLOCK=ROWS)


def add_trees(tables: Any, thresholds: Any, values: Any, root: Any, X: Any, raw: Any, depth: int) -> None:
    """Add what all trees say of rows to raw (rows, outputs), in the order of the trees."""
    (n, d), outputs = X.shape, raw.shape[1]
    grid = (triton.cdiv(n, ROWS), outputs)
    _add_trees[grid](tables, thresholds, values, root, X, raw, n, d, len(root), outputs, depth, BLOCK=ROWS)
