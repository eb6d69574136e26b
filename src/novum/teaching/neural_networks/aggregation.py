r"""What a node makes of the numbers of its neighbours: sum, mean or maximum, none of which cares for their order.

    sum_i = sum over j in N(i) of a_ij x_j,    mean_i = sum_i / sum over j of a_ij,    max_i = max over j in N(i) of x_j     (1)

N(i) are the nodes with an edge to i, with i itself where self-loops are requested (then a_ii = 1). In NumPy, for tables and for
teaching; the layers of networks do the same in PyTorch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.neural_network.message_passing.graphs import as_graph
from novum.runtime.typing import HasArray, HasEdges, HasShape, Rows

__all__ = ["aggregate_neighbors"]


def aggregate_neighbors(
    graph: HasEdges | HasShape | HasArray | Sequence[Any], X: Rows, how: str = "mean", *, include_self: bool = True
) -> NDArray:
    """Return (1) of every node; 0 for a node without neighbours.

    Parameters
    ----------
    graph : networkx graph, adjacency matrix or pairs of nodes
    X : array-like of shape (n_nodes,) or (n_nodes, n_features)
        Numbers of the nodes, in their order.
    how : {"sum", "mean", "max"}, default="mean"
    include_self : bool, default=True

    Examples
    --------
    >>> from novum.teaching import aggregate_neighbors
    >>> path = [(0, 1), (1, 2)]
    >>> aggregate_neighbors(path, [1, 2, 3], "sum").tolist(), aggregate_neighbors(path, [1, 2, 3]).tolist()
    ([3.0, 6.0, 5.0], [1.5, 2.0, 2.5])
    """
    given = as_graph(graph, owner="aggregate_neighbors")
    values = np.asarray(X, dtype=np.float64)
    n = given.n_nodes
    if how not in ("sum", "mean", "max"):
        raise ParameterError(f"aggregate_neighbors(how={how!r}): choose 'sum', 'mean' or 'max'.")
    if values.ndim not in (1, 2) or len(values) != n:
        raise DataError(f"aggregate_neighbors: X has the shape {values.shape}; give a row for each of the {n} nodes.")
    (start, to), weight = given.edges, given.weight
    if include_self:
        start, to, weight = np.r_[start, np.arange(n)], np.r_[to, np.arange(n)], np.r_[weight, np.ones(n)]
    rows = values.reshape(n, -1)
    if how == "max":
        out = np.full(rows.shape, -np.inf)
        np.maximum.at(out, to, rows[start])
        out[np.isneginf(out)] = 0.0
    else:
        out = np.zeros(rows.shape)
        np.add.at(out, to, rows[start] * weight[:, None])
        if how == "mean":
            mass = np.bincount(to, weights=weight, minlength=n)
            out /= np.where(mass > 0, mass, 1.0)[:, None]
    return out.reshape(values.shape)
