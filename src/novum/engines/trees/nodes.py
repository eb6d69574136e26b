r"""The node table: a decision tree as arrays over its nodes, with scikit-learn's field names.

Node 0 is the root and a parent comes before its children, so every walk ends. A row at node i goes on to

    children_left[i]    if x[feature[i]] <= threshold[i], or if its category is in the set of node i            (1)
    children_right[i]   else; a missing cell to the left where missing_go_to_left[i]                            (2)

`value[i]` holds, for every output, the shares of the classes or the number that a leaf predicts. The set of a categorical
split is words `category_begin[i]:category_begin[i + 1]` of the bits `category_words` (bit c: category c goes left); an empty
one means a threshold. A tree with more than two children per node gives `branch_begin` and `branch_node`: the children of
node i are `branch_node[branch_begin[i]:branch_begin[i + 1]]` by the outcome of its test, and children_left and children_right the
first and last of them; `missing_branch[i]` is the outcome of a missing cell. `walk` walks such a tree.

    importance[j] = sum over splits on j of W_t I_t - sum over the children c of W_c I_c,  divided by W_root    (3)
"""

import atexit
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.walk import DIVIDE, Visit, largest, visits
from novum.exceptions import DataError
from novum.runtime.typing import Numbers, Rows

__all__ = ["LEAF", "UNDEFINED", "Tree"]

LEAF, UNDEFINED = -1, -2  # as scikit-learn marks the children and the columns of leaves

_walks: WeakKeyDictionary = WeakKeyDictionary()  # compiled form of trees that have predicted; never part of their state
atexit.register(_walks.clear)  # compiled objects that outlive the interpreter are reported as leaks


def dense(X: Any) -> NDArray:
    """Return an array; a sparse matrix is not made one silently."""
    if scipy.sparse.issparse(X):
        raise DataError(
            "a tree with more than two branches, or one that divides rows, reads no sparse X; give an array."
        )
    return np.asarray(X)


class Tree:
    """A decision tree, node by node.

    Parameters
    ----------
    n_features : int
    n_classes : array of shape (n_outputs,)
        Classes of every output; ones for a regression.
    children_left, children_right, feature : array of shape (node_count,)
        -1 and -2 at leaves.
    threshold, impurity, weighted_n_node_samples : array of shape (node_count,)
    n_node_samples : array of shape (node_count,)
    value : array of shape (node_count, n_outputs, max_n_classes)
    missing_go_to_left : array of shape (node_count,)
    category_begin, category_words : array, default=None
        Sets of categories; None where every split is a threshold.
    n_categories : array of shape (n_features,), default=None
        Categories of every column, 0 for numbers.
    branch_begin, branch_node : array, default=None
        Children of nodes that may have more than two.
    missing_branch : array of shape (node_count,), default=None
        Where these send a missing cell; -1: to all children by their weights.

    Examples
    --------
    >>> from novum.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], [0, 0, 1]).tree_
    >>> tree.node_count, tree.threshold.tolist(), tree.children_left.tolist()
    (3, [3.0, -2.0, -2.0], [1, -1, -1])
    """

    _packed_in_files = True  # novum.persistence.packing
    _in_journals = True  # novum.runtime.journal.values

    def __init__(
        self,
        n_features: int,
        n_classes: NDArray,
        *,
        children_left: NDArray,
        children_right: NDArray,
        feature: NDArray,
        threshold: NDArray,
        impurity: NDArray,
        n_node_samples: NDArray,
        weighted_n_node_samples: NDArray,
        value: NDArray,
        missing_go_to_left: NDArray,
        category_begin: NDArray | None = None,
        category_words: NDArray | None = None,
        n_categories: NDArray | None = None,
        branch_begin: NDArray | None = None,
        branch_node: NDArray | None = None,
        missing_branch: NDArray | None = None,
    ) -> None:
        self.n_features = n_features
        self.n_classes = np.asarray(n_classes, np.int64)
        self.children_left, self.children_right, self.feature = children_left, children_right, feature
        self.threshold, self.impurity, self.value = threshold, impurity, value
        self.n_node_samples, self.weighted_n_node_samples = n_node_samples, weighted_n_node_samples
        self.missing_go_to_left = missing_go_to_left
        count = len(children_left)
        # Without sets one zero stands for all: a forest has millions of nodes.
        self.category_begin = np.broadcast_to(np.int64(0), count + 1) if category_begin is None else category_begin
        self.category_words = np.zeros(0, np.uint32) if category_words is None else category_words
        self.n_categories = (
            np.zeros(n_features, np.int64) if n_categories is None else np.asarray(n_categories, np.int64)
        )
        self.branch_begin, self.branch_node, self.missing_branch = branch_begin, branch_node, missing_branch

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.children_left)

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.n_classes)

    @property
    def max_n_classes(self) -> int:
        """Most classes of an output."""
        return int(self.n_classes.max())

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def capacity(self) -> int:
        """Number of nodes: nothing is kept in reserve."""
        return self.node_count

    @property
    def max_depth(self) -> int:
        """Most splits on the way to a leaf."""
        return int(self.depths().max())

    @property
    def divides(self) -> bool:
        """Whether a row may reach several leaves, each with a part of its weight."""
        return self.missing_branch is not None and bool((self.missing_branch == DIVIDE).any())

    def children(self, node: int) -> NDArray:
        """Return the children of a node, from left to right; none of a leaf."""
        if self.branch_begin is not None:
            return np.unique(self.branches(node))
        pair = np.array([self.children_left[node], self.children_right[node]])
        return pair[pair != LEAF]

    def branches(self, node: int) -> NDArray:
        """Return the child for every outcome of a node's test; outcomes without rows share one."""
        if self.branch_begin is not None and self.branch_node is not None:
            return self.branch_node[self.branch_begin[node] : self.branch_begin[node + 1]]
        return self.children(node)

    def left_categories(self, node: int) -> NDArray:
        """Return the categories that go left at a node, among them those of no row where missing cells do; none at a threshold."""
        words = self.category_words[self.category_begin[node] : self.category_begin[node + 1]]
        bits = (words[:, None] >> np.arange(32, dtype=np.uint32) & 1).ravel()
        return np.flatnonzero(bits[: self.n_categories[self.feature[node]]])

    def parents(self) -> NDArray:
        """Return the parent of every node; -1 for the root."""
        parent = np.full(self.node_count, LEAF)
        for node, child in self.edges():
            parent[child] = node
        return parent

    def edges(self) -> list[tuple[NDArray, NDArray]]:
        """Return pairs of parents and children: the left ones and the right ones, or all branches at once."""
        if self.branch_begin is not None and self.branch_node is not None:
            pairs = [(np.repeat(np.arange(self.node_count), np.diff(self.branch_begin)), self.branch_node)]
        else:
            inner = np.flatnonzero(self.children_left != LEAF)
            pairs = [(inner, self.children_left[inner]), (inner, self.children_right[inner])]
        if any((child <= node).any() or (child >= self.node_count).any() for node, child in pairs):
            raise DataError("a tree leads to a node that is not there, or back: its arrays were changed.")
        return pairs

    def depths(self) -> NDArray:
        """Return the number of splits above every node."""
        parent, depth = self.parents(), np.zeros(self.node_count, np.int64)
        above = parent.copy()
        while (alive := above != LEAF).any():
            depth[alive] += 1
            above[alive] = parent[above[alive]]
        return depth

    def compute_node_depths(self) -> NDArray:
        """Return the depth of every node as scikit-learn counts it: the root has 1."""
        return self.depths() + 1

    def _check_state(self) -> None:
        """Raise ValueError unless every index leads to a node, column or set of categories that is there."""
        count, p = self.node_count, int(self.n_features)
        fields: tuple[NDArray, ...] = (
            self.children_right,
            self.feature,
            self.threshold,
            self.impurity,
            self.n_node_samples,
            self.value,
        )
        fields += (self.weighted_n_node_samples, self.missing_go_to_left, self.category_begin[1:])
        if count < 1 or any(len(field) != count for field in fields) or self.n_categories.shape != (p,):
            raise ValueError("its arrays have different lengths")
        if (
            self.n_classes.ndim != 1
            or self.n_classes.min() < 1
            or self.value.shape[1:] != (self.n_outputs, self.max_n_classes)
        ):
            raise ValueError("its values are not those of its classes")
        inner = self.children_left != LEAF
        if self.branch_begin is not None and self.branch_node is not None and self.missing_branch is not None:
            inner = np.diff(self.branch_begin) > 0
            ends = np.diff(self.branch_begin).min() < 0 or self.branch_begin[0] != 0
            if ends or self.branch_begin[-1] != len(self.branch_node) or len(self.branch_begin) != count + 1:
                raise ValueError("its branches do not begin where they should")
            if (self.missing_branch < DIVIDE).any() or (
                self.missing_branch >= np.maximum(np.diff(self.branch_begin), 1)
            ).any():
                raise ValueError("a missing cell leads to a branch that is not there")
        steps = np.diff(self.category_begin)
        if self.category_begin[0] != 0 or steps.min() < 0 or self.category_begin[-1] > len(self.category_words):
            raise ValueError("it has a set of categories that is not there")
        used = self.feature[inner]
        if ((used < 0) | (used >= p)).any():
            raise ValueError("it splits on a column that is not there")
        self.edges()
        if self.branch_begin is None:
            self.apply(np.zeros((1, p)))  # the compiled walk has its own check

    def apply(self, X: Any) -> NDArray:
        """Return the leaf of every row of a float array or a CSR matrix; where rows are divided, that of the largest part."""
        if self.branch_begin is not None:
            return largest(X.shape[0], self.leaf_parts(X))
        if (walk := _walks.get(self)) is None:
            walk = _core.trees.exact.walk(
                self.children_left,
                right=self.children_right,
                feature=self.feature,
                threshold=self.threshold,
                missing_left=self.missing_go_to_left,
                word_begin=np.ascontiguousarray(self.category_begin),
                words=self.category_words,
                columns=self.n_features,
            )
            _walks[self] = walk
        leaf = np.empty(X.shape[0], np.int64)
        if scipy.sparse.issparse(X):
            X = X.tocsr()
            walk.leaves_sparse(X.indptr, X.indices, X.data, leaf)
        else:
            walk.leaves(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64), leaf)
        return leaf

    def leaf_parts(self, X: Rows) -> Visit:
        """Return the leaves of every row with the parts of it that arrive there; branches only."""
        assert self.branch_begin is not None
        row, node, part = (np.concatenate(field) for field in zip(*visits(self, dense(X))))
        end = np.diff(self.branch_begin)[node] == 0
        return Visit(row[end], node[end], part[end])

    def leaf_values(self, X: Any, answer: NDArray) -> NDArray:
        """Return the answers (node_count, ...) of every row's leaf, their mean by parts where a row reaches several."""
        if not self.divides:
            return answer.take(self.apply(X), axis=0)
        at = self.leaf_parts(X)
        shape = (X.shape[0], self.node_count)
        parts = scipy.sparse.csr_array((at.weight, (at.row, at.node)), shape=shape)
        return (parts @ answer.reshape(self.node_count, -1)).reshape(X.shape[0], *answer.shape[1:])

    def predict(self, X: Numbers) -> NDArray:
        """Return the values of every row's leaf: (n, max_n_classes), or (n, n_outputs, max_n_classes) of several outputs."""
        return self.leaf_values(X, self.value[:, 0] if self.n_outputs == 1 else self.value)

    def decision_path(self, X: Any) -> scipy.sparse.csr_matrix:
        """Return which nodes every row passes, as a CSR matrix (n, node_count) of ones, or of parts of the row."""
        if not self.divides:
            return self.paths_to(self.apply(X))
        row, node, part = (np.concatenate(field) for field in zip(*visits(self, dense(X))))
        return scipy.sparse.csr_matrix((part, (row, node)), shape=(X.shape[0], self.node_count))

    def paths_to(self, leaf: NDArray) -> scipy.sparse.csr_matrix:
        """Return which nodes lie on the way to given ones, as a CSR matrix of ones."""
        parent, depth = self.parents(), self.depths()
        begin = np.concatenate([[0], np.cumsum(depth[leaf] + 1)])
        column = np.empty(begin[-1], np.int64)
        here, place, at = leaf.copy(), begin[1:] - 1, np.arange(len(leaf))
        while at.size:
            column[place[at]] = here[at]
            here[at], place[at] = parent[here[at]], place[at] - 1
            at = at[here[at] != LEAF]
        shape = (len(leaf), self.node_count)
        return scipy.sparse.csr_matrix((np.ones(len(column), np.int64), column, begin), shape=shape)

    def compute_feature_importances(self, normalize: bool = True) -> NDArray:
        """Return (3), scaled to sum to one unless `normalize` is false.

        importance[j] = sum over splits on j of W_t I_t - sum over the children c of W_c I_c,  divided by W_root    (3)
        """
        mass = self.weighted_n_node_samples * self.impurity
        gain = np.where(self.children_left == LEAF, 0.0, mass)
        for node, child in self.edges():
            np.subtract.at(gain, node, mass[child])
        inner = self.children_left != LEAF
        total = (
            np.bincount(self.feature[inner], gain[inner], minlength=self.n_features) / self.weighted_n_node_samples[0]
        )
        return total / total.sum() if normalize and total.sum() > 0 else total
