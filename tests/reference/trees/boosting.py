"""Slow, obvious histogram growth and split search, straight from the definitions."""

import numpy as np


def best_split(codes, g, h, rows, *, l2, least_rows, missing):
    """Return (gain, column, rows that go left) of the best cut of numeric columns, missing values to either side."""
    G, H = g[rows].sum(), h[rows].sum()
    best = (0.0, -1, None)
    for j in range(codes.shape[1]):
        column = codes[rows, j]
        gaps = column == missing
        for to_left in (False, True) if gaps.any() else (False,):
            for cut in range(missing):
                left = np.where(gaps, to_left, column <= cut)
                if left.sum() < least_rows or (~left).sum() < least_rows:
                    continue
                a, b = g[rows][left].sum(), h[rows][left].sum()
                gain = a**2 / (b + l2) + (G - a) ** 2 / (H - b + l2) - G**2 / (H + l2)
                if gain > best[0] * (1 + 1e-12) + 1e-12:
                    best = (gain, j, rows[left])
    return best


def leaves(codes, g, h, *, l2, least_rows, most_leaves, missing):
    """Return the rows of the leaves of a tree grown best first, sorted, with their values -G / (H + l2)."""
    options = {"l2": l2, "least_rows": least_rows, "missing": missing}
    nodes = [np.arange(len(codes))]
    found = [best_split(codes, g, h, nodes[0], **options)]
    while len(nodes) < most_leaves and max(gain for gain, _, _ in found) > 0:
        at = int(np.argmax([gain for gain, _, _ in found]))
        rows, (_, _, left) = nodes.pop(at), found.pop(at)
        for part in (left, np.setdiff1d(rows, left)):
            nodes.append(part)
            found.append(best_split(codes, g, h, part, **options))
    return sorted((tuple(rows), -g[rows].sum() / (h[rows].sum() + l2)) for rows in nodes)
