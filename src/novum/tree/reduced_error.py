r"""Rows that did not grow the tree judge it: reduced-error pruning, and validation error against the size of the tree.

Let V_t be the held-out weight that arrives at node t and is right (for numbers: minus its squared error) if t is a leaf. With the
leaves below t,

    D_t = V_t - sum over leaves l below t of V_l                                                               (1)

is what the held-out score gains if t becomes a leaf. The node with the largest D_t becomes one as long as D_t >= 0: an equal
score with fewer leaves is taken, and of equal nodes the one nearer to the root. A cut adds D_t to the sums of the nodes above, so a
round costs the depth of the node. Rows divided at missing cells count by their parts.

The curve follows the subtrees of cost-complexity pruning (`engines.trees.pruning`), from the full tree to the root.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.exact import Target
from novum.engines.trees.nodes import LEAF, Tree
from novum.engines.trees.pruning import collapse, pruning_path
from novum.report.axes import drawing_axes, plain_log_ticks
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import ink
from novum.runtime.random import Stream
from novum.runtime.typing import Axes, DataFrame
from novum.tree.splits import tables

__all__ = ["PruningCurve", "curve_of", "held_out", "leaf_scores", "prune_by_score"]


def held_out(target: Target, n: int, share: float, seed: int) -> NDArray:
    """Return a mask of the rows that judge: the same share of every class of a single target, one row at least."""
    key = Stream(seed).uniform("held-out rows", 0, n)
    group = np.zeros(n, np.int64)
    if target.code is not None and target.code.shape[1] == 1:
        group = target.code[:, 0].astype(np.int64)
    order = np.lexsort((key, group))
    size = np.bincount(group)
    place = np.arange(n) - (np.cumsum(size) - size)[group[order]]
    mask = np.zeros(n, bool)
    mask[order] = place < np.floor(share * size + 0.5)[group[order]]
    if not mask.any() or mask.all():
        mask[order[0]] = not mask.any()
    return mask


def leaf_scores(tree: Tree, X: Any, target: Target, weight: NDArray) -> NDArray:
    """Return V_t of every node: right weight, or minus the squared error, the mean over outputs."""
    if tree.divides:
        row, node, part = tree.leaf_parts(X)
    else:
        row, node = np.arange(X.shape[0]), tree.apply(X)
        part = np.ones(len(row))
    sums = tables(target, node, tree.node_count, row, weight[row] * part)
    parent = tree.parents()
    for t in range(tree.node_count - 1, 0, -1):  # children come after their parents
        sums[parent[t]] += sums[t]
    outputs = tree.n_outputs
    if target.y is not None:
        value = tree.value[:, :, 0]
        error = sums[:, 1 + outputs :] - 2 * value * sums[:, 1 : 1 + outputs] + value**2 * sums[:, :1]
        return -np.maximum(error, 0.0).mean(1)
    begin = np.cumsum(target.n_classes) - target.n_classes
    label = begin + np.stack([tree.value[:, o, :k].argmax(1) for o, k in enumerate(target.n_classes)], axis=1)
    return np.take_along_axis(sums, label, 1).mean(1)


class Cutter:
    """The sums below every node while nodes become leaves."""

    def __init__(self, tree: Tree, *scores: NDArray) -> None:
        self.parent = tree.parents()
        self.children = [tree.children(node) for node in range(tree.node_count)]
        self.inner = tree.children_left != LEAF
        self.scores = np.stack([*scores, np.ones(tree.node_count)])  # the last row counts leaves
        self.below = np.where(self.inner, 0.0, self.scores)
        for node in range(tree.node_count - 1, 0, -1):
            self.below[:, self.parent[node]] += self.below[:, node]

    def cut(self, node: int) -> None:
        """Make a node a leaf."""
        rise = self.scores[:, node] - self.below[:, node]
        at = node
        while at != LEAF:
            self.below[:, at] += rise
            at = int(self.parent[at])
        gone = [node]
        while gone:
            at = gone.pop()
            if self.inner[at]:
                self.inner[at] = False
                gone.extend(self.children[at].tolist())


def prune_by_score(tree: Tree, score: NDArray, whole: float) -> tuple[Tree, dict[str, NDArray]]:
    """Return the tree after reduced-error pruning by `score` V_t, and its log: node, score before, score after."""
    cutter = Cutter(tree, score)
    slack = 1e-12 * max(1.0, float(np.abs(score).max()))  # sums in another order
    nodes, before, after = [], [], []
    while cutter.inner.any():
        gain = np.where(cutter.inner, score - cutter.below[0], -np.inf)
        node = int((gain >= gain.max() - slack).argmax())
        if gain[node] < -slack:
            break
        nodes.append(node)
        before.append(float(cutter.below[0, 0]) / whole)
        cutter.cut(node)
        after.append(float(cutter.below[0, 0]) / whole)
    log = {"node": np.array(nodes, np.int64), "before": np.array(before), "after": np.array(after)}
    return collapse(tree, log["node"]), log


@dataclass(frozen=True, repr=False)
class PruningCurve(Result):
    """Errors of the subtrees that cost-complexity pruning leaves, from the full tree to the root.

    Attributes
    ----------
    ccp_alphas : array of shape (n_trees,)
        Least price per leaf of each tree.
    n_leaves : array of shape (n_trees,)
    training_error, validation_error : array of shape (n_trees,)
        Share of wrong rows, or mean squared error, on the rows that grew the tree and on those held out.
    scoring : str
        Which of them.
    """

    ccp_alphas: NDArray
    n_leaves: NDArray
    training_error: NDArray
    validation_error: NDArray
    scoring: str

    @property
    def best_index(self) -> int:
        """Number of the smallest tree with the least validation error."""
        return int(np.flatnonzero(self.validation_error <= self.validation_error.min() + 1e-12)[-1])

    @property
    def best_alpha(self) -> float:
        """Price that gives the smallest tree with the least validation error."""
        return float(self.ccp_alphas[self.best_index])

    def __repr__(self) -> str:
        k = self.best_index
        return (
            f"PruningCurve({counted(len(self.n_leaves), 'tree')}, {self.n_leaves[0]} to "
            f"{counted(self.n_leaves[-1], 'leaf')}; least validation"
            f" {self.scoring} {num(self.validation_error[k]):.4g} at {counted(self.n_leaves[k], 'leaf')}, "
            f"ccp_alpha={self.best_alpha:.4g})"
        )

    def to_frame(self) -> DataFrame:
        """Return a pandas frame with a row per tree."""
        import pandas as pd

        names = ("ccp_alphas", "n_leaves", "training_error", "validation_error")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both errors against the number of leaves, mark the best tree and return the axes."""
        ax = drawing_axes(ax)
        ax.step(self.n_leaves, self.training_error, where="post", label="training")
        ax.step(self.n_leaves, self.validation_error, where="post", label="held out")
        best = self.best_index
        ax.plot(
            self.n_leaves[best],
            self.validation_error[best],
            "o",
            color=ink(ax),
            label=counted(self.n_leaves[best], "leaf"),
        )
        ax.set(xlabel="leaves", ylabel=self.scoring, xscale="log")
        plain_log_ticks(ax, "x")
        draw_legend(ax)
        return ax


def curve_of(
    tree: Tree, training: NDArray, validation: NDArray, totals: tuple[float, float], numbers: bool
) -> PruningCurve:
    """Return the curve of a full tree from V_t on both parts and their weights."""
    path = pruning_path(tree)
    cutter = Cutter(tree, training, validation)
    rows = [cutter.below[:, 0].copy()]
    for node in path.node.tolist():
        cutter.cut(node)
        rows.append(cutter.below[:, 0].copy())
    sums = np.array(rows)
    right = sums[:, :2] / np.array(totals)
    error = -right if numbers else 1 - right
    measure = "mean squared error" if numbers else "error"
    leaves = np.rint(sums[:, 2]).astype(np.int64)
    return PruningCurve(path.alpha, leaves, error[:, 0], error[:, 1], measure)
