r"""Looking into boosted trees one at a time, and averaging them over columns that are left out.

Partial dependence of a tree on some columns, weighted recursion (Friedman 2001): a split on one of them sends a grid point one
way; a split on any other sends its share of the training rows each way,

    pd(node) = sum over children c of  n_c / n_node  pd(c)                                              (1)
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.ensemble.boosting.newton import Trees

__all__ = ["Predictor", "partial_dependence", "predictors_of"]


class Predictor(NamedTuple):
    """One tree, with scikit-learn's names."""

    nodes: NDArray  # novum.engines.trees.histograms.NODE
    raw_left_cat_bitsets: NDArray  # (sets, 8) uint32

    def get_n_leaf_nodes(self) -> int:
        """Return the number of leaves."""
        return int(self.nodes["is_leaf"].sum())

    def get_max_depth(self) -> int:
        """Return the depth of the deepest leaf."""
        return int(self.nodes["depth"].max())


def predictors_of(trees: Trees, outputs: int) -> list[list[Predictor]]:
    """Return the trees as a list of iterations, each a list with a tree per output."""
    bounds = np.append(trees.root, len(trees.nodes))
    out: list[list[Predictor]] = []
    for t, (start, stop) in enumerate(pairwise(bounds)):
        nodes = trees.nodes[start:stop].copy()
        categorical = nodes["is_categorical"] == 1
        sets = trees.sets[nodes["bitset_idx"][categorical]]
        nodes["bitset_idx"][categorical] = np.arange(len(sets))
        if t % outputs == 0:
            out.append([])
        out[-1].append(Predictor(nodes, sets))
    return out


def partial_dependence(predictor: Predictor, grid: NDArray, columns: NDArray) -> NDArray:
    """Return (1) of one tree at every point of a grid over `columns`."""
    nodes = predictor.nodes
    out = np.zeros(len(grid))
    place = {int(column): i for i, column in enumerate(columns)}
    stack = [(0, np.ones(len(grid)))]
    while stack:
        at, share = stack.pop()
        node = nodes[at]
        if node["is_leaf"]:
            out += share * node["value"]
            continue
        left, right = int(node["left"]), int(node["right"])
        i = place.get(int(node["feature_idx"]))
        if i is None:
            part = np.full(len(grid), nodes["count"][left] / node["count"])
        else:
            x = grid[:, i]
            below = x <= node["num_threshold"]
            if node["is_categorical"]:
                known = (x >= 0) & (x < 256)
                code = np.where(known, x, 0).astype(np.int64)
                words = predictor.raw_left_cat_bitsets[node["bitset_idx"]]
                below = known & ((words[code // 32] >> (code % 32).astype(np.uint32)) & 1 == 1)
                x = np.where(known, x, np.nan)
            part = np.where(np.isnan(x), bool(node["missing_go_to_left"]), below).astype(np.float64)
        for child, weight in ((right, share * (1 - part)), (left, share * part)):
            if weight.any():
                stack.append((child, weight))
    return out
