r"""The clusters of a density tree that are worth keeping (HDBSCAN), and how strongly rows belong to them.

A cluster is born where it splits off, at the density lambda = 1 / height, and a row falls out of it, or dies with its last
split, at lambda_i:

    stability  S_c = sum over its rows and the clusters that split off it of (lambda - birth_c) * rows   (1)
    kept       c, if S_c is at least the sum of what is kept below it (excess of mass); or all leaves    (2)
    strength   min(lambda_i, D_c) / D_c,  D_c the largest lambda in c                                    (3)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.cluster.hierarchy.merges import Merged

__all__ = ["CondensedTree", "condense", "labels_and_strengths", "selected_clusters"]

ROOT = 0


class CondensedTree(NamedTuple):
    """Clusters in the order in which they split off; number 0 holds all rows."""

    parent: NDArray  # (k,), -1 for the first
    size: NDArray  # (k,)
    birth: NDArray  # (k,)
    row_cluster: NDArray  # (n,): the cluster that a row falls out of
    row_death: NDArray  # (n,): at which density


def condense(tree: Merged, least: int) -> CondensedTree:
    """Return a tree of single linkage without clusters of fewer than `least` rows."""
    n = len(tree.children) + 1
    row_cluster, row_death = np.empty(n, np.int64), np.empty(n)
    found = _core.cluster.density.condense(tree.children, tree.height, tree.size, least, row_cluster, row_death)
    parent, size, birth = (np.asarray(part) for part in found)
    return CondensedTree(
        parent.astype(np.int64), size.astype(np.int64), birth.astype(np.float64), row_cluster, row_death
    )


def stability_of(tree: CondensedTree) -> NDArray:
    """Return (1); a cluster born at infinite density adds nothing."""
    k = len(tree.parent)
    owner = np.concatenate([tree.row_cluster, tree.parent[1:]])
    leaving = np.concatenate([tree.row_death, tree.birth[1:]])
    rows = np.concatenate([np.ones(len(tree.row_cluster)), tree.size[1:]])
    born = tree.birth[owner]
    with np.errstate(invalid="ignore"):
        gain = np.where(leaving > born, (leaving - born) * rows, 0.0)
    return np.bincount(owner, gain, minlength=k)


def selected_clusters(
    tree: CondensedTree, method: str, *, single: bool = False, epsilon: float = 0.0, most: int | None = None
) -> NDArray:
    """Return the numbers of the clusters that (2) keeps.

    `single` allows the cluster of all rows; clusters that split off at a distance below `epsilon` are merged upwards; `most`
    bounds the rows of a cluster.
    """
    k, parent = len(tree.parent), tree.parent
    below: list[list[int]] = [[] for _ in range(k)]
    for c in range(1, k):
        below[parent[c]].append(c)
    if method == "leaf":
        kept = {c for c in range(k) if not below[c]} if k > 1 else set()
        if not kept and single:
            kept = {ROOT}
        if k == 1:
            return np.array(sorted(kept), np.int64)
    else:
        kept = most_stable(tree, below, single, most)
    if epsilon > 0 and k > 1 and kept != {ROOT}:
        kept = merged_upwards(tree, kept, below, epsilon, single)
    return np.array(sorted(kept), np.int64)


def most_stable(tree: CondensedTree, below: list[list[int]], single: bool, most: int | None) -> set[int]:
    """Return the clusters with the largest excess of mass, none inside another."""
    stability = stability_of(tree)
    limit = len(tree.row_cluster) + 1 if most is None else most
    chosen: list[bool] = [False] * len(below)
    for c in range(len(below) - 1, -1 if single else 0, -1):  # what splits off later comes first
        inside = sum(stability[child] for child in below[c])
        if inside > stability[c] or tree.size[c] > limit:
            stability[c] = inside
        else:
            chosen[c] = True
    kept = set()
    open_clusters = [ROOT]
    while open_clusters:
        c = open_clusters.pop()
        if chosen[c]:
            kept.add(c)
        else:
            open_clusters += below[c]
    return kept


def merged_upwards(
    tree: CondensedTree, kept: set[int], below: list[list[int]], epsilon: float, single: bool
) -> set[int]:
    """Return clusters of which none split off at a distance below `epsilon`, as far as their ancestors allow."""
    selected: set[int] = set()
    covered: set[int] = set()
    for c in sorted(kept):
        if 1 / tree.birth[c] >= epsilon:
            selected.add(c)
            continue
        if c in covered:
            continue
        top = c
        while True:
            up = int(tree.parent[top])
            if up == ROOT:
                top = ROOT if single else top
                break
            top = up
            if 1 / tree.birth[up] > epsilon:
                break
        selected.add(top)
        open_clusters = list(below[top])
        while open_clusters:
            inner = open_clusters.pop()
            covered.add(inner)
            open_clusters += below[inner]
    return selected


def labels_and_strengths(
    tree: CondensedTree, kept: NDArray, *, single: bool = False, epsilon: float = 0.0
) -> tuple[NDArray, NDArray]:
    """Return the label of every row, -1 for noise, and (3)."""
    k = len(tree.parent)
    number = np.full(k, -1)
    number[kept] = np.arange(len(kept))
    home = np.full(k, -1)  # the kept cluster that a cluster lies in
    for c in range(k):
        home[c] = c if number[c] >= 0 else home[tree.parent[c]] if c else -1
    cluster = home[tree.row_cluster]
    labels = np.where(cluster >= 0, number[cluster], -1)
    if len(kept) == 1 and kept[0] == ROOT:  # rows that leave the only cluster early are noise
        in_root = tree.row_cluster == ROOT
        leaving = np.concatenate([tree.row_death[in_root], tree.birth[1:][tree.parent[1:] == ROOT]])
        threshold = 1 / epsilon if epsilon > 0 else leaving.max(initial=0.0)
        labels = np.where(tree.row_death >= threshold, 0, -1)
    death = np.zeros(k)
    np.maximum.at(death, tree.row_cluster, tree.row_death)
    np.maximum.at(death, tree.parent[1:], tree.birth[1:])
    strength = np.zeros(len(labels))
    inside = labels >= 0
    last = death[kept[labels[inside]]]
    own = tree.row_death[inside]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.minimum(own, last) / last
    strength[inside] = np.where((last == 0) | np.isinf(own), 1.0, share)
    return labels, strength
