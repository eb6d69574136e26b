r"""The best tree: a maximum spanning tree of mutual informations (Chow and Liu 1968), also given a class.

    log-likelihood of a tree = N sum_{arcs} I(x_i; x_j) - N sum_i H(x_i)                                             (1)
    I(x_i; x_j) = [l(x_j | x_i) - l(x_j)] / N,    l: log-likelihood of a family from its counts                       (2)
    with a class c:  I(x_i; x_j | c) = [l(x_j | x_i, c) - l(x_j | c)] / N    (Friedman, Geiger, Goldszmidt 1997)      (3)

No tree has a higher likelihood. All roots give I-equivalent trees; arcs point away from the one chosen.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.exceptions import ParameterError
from novum.graphical.structure_learning.learner import VARIABLE, StructureLearner
from novum.graphical.structure_learning.scores import LocalScores
from novum.runtime.typing import Label

__all__ = ["ChowLiu", "informations", "spanning_tree"]

Array = NDArray[np.float64]


def informations(scores: LocalScores, nodes: list[int], given: int | None) -> Array:
    """Return (2), or (3), between the nodes; the scores must be log-likelihoods."""
    known = frozenset() if given is None else frozenset({given})
    out = np.zeros((len(nodes), len(nodes)))
    for b in range(1, len(nodes)):
        alone, *joined = scores.many(nodes[b], [known, *(known | {nodes[a]} for a in range(b))])
        out[:b, b] = out[b, :b] = (np.array(joined) - alone) / scores.n
    return np.maximum(out, 0)  # rounding


def spanning_tree(weight: Array, root: int) -> list[int]:
    """Return the parent of every node in the maximum spanning tree, -1 for the root (Prim 1957); ties go to the first node."""
    n = len(weight)
    parent = np.full(n, -1)
    best, outside = np.full(n, -np.inf), np.ones(n, dtype=bool)
    node = root
    for _ in range(n - 1):
        outside[node] = False
        closer = outside & (weight[node] > best)
        best[closer], parent[closer] = weight[node][closer], node
        node = int(np.argmax(np.where(outside, best, -np.inf)))
    return parent.tolist()


class ChowLiu(StructureLearner):
    """The tree of the highest likelihood.

    Parameters
    ----------
    root : variable, optional
        Arcs point away from it; the first variable by default.
    target : variable, optional
        A class: it becomes a parent of all others, and the tree is that of (3), the structure of tree-augmented naive Bayes.

    Attributes
    ----------
    dag_ : DAG
    score_ : float
        The log-likelihood (1).
    states_ : dict of variable to tuple
        Its states.
    n_scores_ : int
        Local scores that were computed.
    information_ : dict of (variable, variable) to float
        (2) or (3) in nats, of the pairs that the tree joins.

    Examples
    --------
    >>> from novum.graphical import BayesianNetwork, ChowLiu
    >>> chain = BayesianNetwork(
    ...     {"a": [], "b": ["a"], "c": ["b"]},
    ...     {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.2, 0.8]], "c": [[0.8, 0.2], [0.1, 0.9]]},
    ... )
    >>> ChowLiu(root="b").fit(chain.sample(1000, random_state=0)).dag_
    DAG: b -> a, b -> c
    """

    _domains = {"root": VARIABLE, "target": VARIABLE}
    scoring = "log_likelihood"
    equivalent_sample_size = 1.0

    def __init__(self, root: Label | None = None, target: Label | None = None) -> None:
        self.root = root
        self.target = target

    def _search(self, owner: str, scores: LocalScores, names: tuple[Any, ...]) -> list[frozenset[int]]:
        for name, value in (("root", self.root), ("target", self.target)):
            if value is not None and value not in names:
                raise ParameterError(
                    f"{owner}: {name}={value!r} is no variable; the variables are {', '.join(map(str, names[:20]))}."
                )
        if self.root is not None and self.root == self.target:
            raise ParameterError(
                f"{owner}: {self.root!r} is the class and cannot be the root of the tree of the others."
            )
        given = None if self.target is None else names.index(self.target)
        nodes = [i for i in range(len(names)) if i != given]
        parents: list[frozenset[int]] = [frozenset()] * len(names)
        self._information: list[tuple[Any, Any, float]] = []
        if not nodes:
            return parents
        weight = informations(scores, nodes, given)
        root = 0 if self.root is None else nodes.index(names.index(self.root))
        for child, parent in enumerate(spanning_tree(weight, root)):
            above = set() if parent < 0 else {nodes[parent]}
            parents[nodes[child]] = frozenset(above if given is None else above | {given})
            if parent >= 0:
                self._information.append((names[nodes[parent]], names[nodes[child]], float(weight[parent, child])))
        return parents

    @property
    def information_(self) -> dict[tuple[Any, Any], float]:
        """(2) or (3) in nats, of the pairs that the tree joins."""
        check_is_fitted(self)
        return {(a, b): value for a, b, value in self._information}
