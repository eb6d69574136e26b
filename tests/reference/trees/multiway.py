"""A slow, recursive grower of multiway trees: what the level-wise one must equal.

A node is {"weight", "share", "feature", "threshold", "branches", "missing"}; entries are (row, part) pairs.
"""

from itertools import pairwise
from math import isnan, log2

TIE = 1e-10


def shares(entries, y, weight, k):
    total = sum(weight[i] * part for i, part in entries)
    out = [sum(weight[i] * part for i, part in entries if y[i] == c) / total for c in range(k)]
    return total, out


def impurity(entries, y, weight, k, criterion):
    if not entries:
        return 0.0
    _, p = shares(entries, y, weight, k)
    return 1 - sum(q * q for q in p) if criterion == "gini" else -sum(q * log2(q) for q in p if q > 0)


def mass(entries, weight):
    return sum(weight[i] * part for i, part in entries)


def left_over(groups, y, weight, k, criterion):
    return sum(mass(g, weight) * impurity(g, y, weight, k, criterion) for g in groups.values())


def heaviest(groups, weight, y=None, label=None):
    def size(v):
        return mass([e for e in groups[v] if label is None or y[e[0]] == label], weight)

    best = max(size(v) for v in sorted(groups))
    return next(v for v in sorted(groups) if size(v) > best - TIE), best


def settled(groups, lost, y, weight, k, criterion, policy):
    """Return groups with the missing entries in them, and the outcome of a missing cell."""
    main, _ = heaviest(groups, weight)
    if policy == "fractional":
        known = sum(mass(g, weight) for g in groups.values())
        full = {v: g + [(i, part * mass(g, weight) / known) for i, part in lost] for v, g in groups.items()}
        return full, -1
    if policy == "best_side" and lost:
        main = min(
            sorted(groups), key=lambda v: round(left_over({**groups, v: groups[v] + lost}, y, weight, k, criterion), 9)
        )
    full = {v: list(g) for v, g in groups.items()}
    for i, part in lost:
        own, size = heaviest(groups, weight, y, y[i]) if policy == "fill_by_class" else (main, 1.0)
        full[own if size > 0 else main].append((i, part))
    return full, main


def quality(groups, full, lost, y, weight, k, criterion, policy):
    used = groups if policy == "fractional" else full
    every = [e for g in used.values() for e in g]
    total = mass(every, weight)
    measure = "entropy" if criterion == "gain_ratio" else criterion
    gain = impurity(every, y, weight, k, measure) - left_over(used, y, weight, k, measure) / total
    if policy == "fractional":
        gain *= total / (total + mass(lost, weight))
    if criterion != "gain_ratio":
        return gain, gain
    branches = (
        [*used.values(), lost] if policy == "fractional" else [*used.values()]
    )  # Quinlan: the unknown are a branch
    every = sum(mass(g, weight) for g in branches)
    split = -sum(mass(g, weight) / every * log2(mass(g, weight) / every) for g in branches if g)
    return gain, gain / split


def candidates(X, levels, j, entries):
    known = [(i, part) for i, part in entries if not isnan(X[i][j])]
    if levels[j]:
        values = sorted({int(X[i][j]) for i, _ in known})
        yield None, {v: [e for e in known if X[e[0]][j] == v] for v in values}
        return
    values = sorted({X[i][j] for i, _ in known})
    for a, b in pairwise(values):
        t = (a + b) / 2
        yield t, {0: [e for e in known if X[e[0]][j] <= t], 1: [e for e in known if X[e[0]][j] > t]}


def grow(X, levels, y, weight, k, criterion="entropy", policy="fractional", entries=None, depth=99):
    entries = [(i, 1.0) for i in range(len(X))] if entries is None else entries
    total, share = shares(entries, y, weight, k)
    node = {"weight": total, "share": share, "feature": None}
    measure = "entropy" if criterion == "gain_ratio" else criterion
    if impurity(entries, y, weight, k, measure) < 1e-12 or sum(part for _, part in entries) < 2 - 1e-9 or not depth:
        return node
    best = None
    for j in range(len(levels)):
        inner = None
        for t, groups in candidates(X, levels, j, entries):
            if sum(sum(part for _, part in g) >= 1 - 1e-9 for g in groups.values()) < 2:
                continue
            lost = [e for e in entries if isnan(X[e[0]][j])]
            full, missing = settled(groups, lost, y, weight, k, measure, policy)
            gain, score = quality(groups, full, lost, y, weight, k, criterion, policy)
            if inner is None or gain > inner[0] + TIE:
                inner = gain, score, j, t, full, missing
        if inner is not None and (best is None or inner[1] > best[1] + TIE):
            best = inner
    if best is None:
        return node
    _, _, j, t, full, missing = best
    branches = {v: grow(X, levels, y, weight, k, criterion, policy, g, depth - 1) for v, g in full.items()}
    return {**node, "feature": j, "threshold": t, "branches": branches, "missing": missing}


def predict(node, x, levels):
    """Return the shares of the classes for a row."""
    j = node["feature"]
    if j is None:
        return node["share"]
    branches = node["branches"]
    if isnan(x[j]):
        if node["missing"] == -1:
            total = sum(b["weight"] for b in branches.values())
            parts = [(b["weight"] / total, predict(b, x, levels)) for b in branches.values()]
            return [sum(w * p[c] for w, p in parts) for c in range(len(node["share"]))]
        return predict(branches[node["missing"]], x, levels)
    outcome = int(x[j]) if levels[j] else int(x[j] > node["threshold"])
    return predict(branches[outcome], x, levels) if outcome in branches else node["share"]
