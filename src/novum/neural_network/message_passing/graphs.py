"""Graphs as arrays, from whatever a user has: a networkx graph, an adjacency matrix, a list of edges.

An edge (j, i) carries a message from node j to node i. A graph without directions has every edge both ways. Loops are dropped:
every layer says itself what a node makes of itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["Graph", "as_graph", "blocks_of", "is_networkx", "is_one_way", "labels_of", "node_numbers"]

FEATURES = "features"  # the attribute of nodes in which features are looked for where none are given


class Graph(NamedTuple):
    """A graph; `features` is None where nodes have none, and then a node is known by its number."""

    nodes: list[Any]  # their names
    edges: NDArray  # (2, m): from, to
    weight: NDArray  # (m,)
    features: NDArray | None  # (n, f)
    directed: bool = False

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.nodes)


def is_networkx(value: Any) -> bool:
    """Return whether a value is a graph of networkx, without importing it."""
    return hasattr(value, "nodes") and hasattr(value, "edges") and hasattr(value, "is_directed")


def as_graph(value: Any, features: Any = None, owner: str = "GraphNetwork") -> Graph:
    """Return a graph from a networkx graph, an adjacency matrix (dense or sparse) or pairs of nodes.

    Parameters
    ----------
    value : networkx graph, array or sparse matrix of shape (n, n), or sequence of pairs of node names
        Edges of networkx may have an attribute `weight`. Square matrices of numbers are adjacency matrices; an array of two
        columns, or a list of pairs, names the ends of edges.
    features : array-like of shape (n, f), str or None
        A row for every node in the order of the graph, or the name of the attribute that holds them; None: the attribute
        "features" if every node has it.
    owner : str
        Who is named in errors.
    """
    if isinstance(value, Graph):
        return value if features is None else value._replace(features=checked_features(features, value.n_nodes, owner))
    if is_networkx(value):
        graph, features = from_networkx(value, features, owner)
    elif scipy.sparse.issparse(value) or is_square(value):
        graph = from_matrix(value, owner)
    else:
        graph = from_pairs(value, owner)
    if not graph.n_nodes:
        raise DataError(f"{owner}: the graph has no nodes.")
    if isinstance(features, str):
        raise DataError(
            f"{owner}: features={features!r} names an attribute of nodes, and this graph is not of networkx."
        )
    return graph if features is None else graph._replace(features=checked_features(features, graph.n_nodes, owner))


def is_one_way(graph: Graph) -> bool:
    """Return whether some edge has no edge back."""
    if not graph.directed:
        return False
    start, to = graph.edges
    return not np.array_equal(np.sort(start * graph.n_nodes + to), np.sort(to * graph.n_nodes + start))


def is_square(value: Any) -> bool:
    """Return whether a value is a matrix with as many rows as columns (two pairs of names are edges)."""
    shape = getattr(value, "shape", None)
    if shape is None and isinstance(value, Sequence) and value and isinstance(value[0], list | np.ndarray):
        shape = (len(value), len(value[0]))
    return shape is not None and len(shape) == 2 and shape[0] == shape[1]


def from_networkx(value: Any, features: Any, owner: str) -> tuple[Graph, Any]:
    """Return a graph of networkx as arrays, and its features."""
    nodes = list(value.nodes)
    number = {node: k for k, node in enumerate(nodes)}
    triples = [(number[a], number[b], attributes.get("weight", 1.0)) for a, b, attributes in value.edges(data=True)]
    name = features if isinstance(features, str) else FEATURES
    if features is None or isinstance(features, str):
        held = [attributes.get(name) for _, attributes in value.nodes(data=True)]
        lacking = sum(one is None for one in held)
        if isinstance(features, str) and lacking:
            raise DataError(f"{owner}: {lacking} of {len(nodes)} nodes have no attribute {features!r}.")
        features = None if lacking else [np.atleast_1d(one) for one in held]
    return from_triples(nodes, triples, value.is_directed(), owner), features


def from_matrix(value: Any, owner: str) -> Graph:
    """Return the graph of an adjacency matrix; entry (j, i) is the weight of the edge from j to i."""
    matrix = scipy.sparse.coo_array(value if scipy.sparse.issparse(value) else np.asarray(value, dtype=np.float64))
    if matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"{owner}: an adjacency matrix is square, and this one has the shape {matrix.shape}.")
    directed = abs(matrix - matrix.T).nnz > 0
    triples = np.column_stack([*matrix.coords, matrix.data])
    if not directed:
        triples = triples[triples[:, 0] <= triples[:, 1]]
    return from_triples(list(range(matrix.shape[0])), triples, directed, owner)


def from_pairs(value: Any, owner: str) -> Graph:
    """Return the graph of a list of edges; nodes in the order of their names where these can be sorted."""
    try:
        pairs = [tuple(pair) for pair in (value.tolist() if isinstance(value, np.ndarray) else value)]
    except TypeError:
        pairs = [()]
    numbers = isinstance(value, np.ndarray) and value.dtype.kind == "f"  # a table of measurements, not of names
    if numbers or not all(len(pair) in (2, 3) for pair in pairs):
        raise DataError(
            f"{owner}: give a networkx graph, an adjacency matrix, or edges as pairs (from, to) or triples (from, to, weight)."
        )
    names = dict.fromkeys(node for pair in pairs for node in pair[:2])
    try:
        nodes = sorted(names)
    except TypeError:
        nodes = list(names)
    if nodes and all(isinstance(node, int | np.integer) for node in nodes) and nodes[0] >= 0:
        nodes = list(range(int(nodes[-1]) + 1))  # numbers are places: a node without edges has one too
    number = {node: k for k, node in enumerate(nodes)}
    return from_triples(nodes, [(number[p[0]], number[p[1]], *(p[2:] or (1.0,))) for p in pairs], False, owner)


def from_triples(nodes: list[Any], triples: Any, directed: bool, owner: str) -> Graph:
    """Return a graph from (from, to, weight): loops dropped, edges both ways unless directed, equal ones added up."""
    table = np.asarray(triples, dtype=np.float64).reshape(-1, 3)
    if not np.isfinite(table).all() or (table[:, 2] < 0).any():
        raise DataError(f"{owner}: weights of edges are finite numbers of 0 or more.")
    table = table[(table[:, 0] != table[:, 1]) & (table[:, 2] > 0)]
    if not directed:
        table = np.concatenate([table, table[:, [1, 0, 2]]])
    n = len(nodes)
    matrix = scipy.sparse.coo_array(
        (table[:, 2], (table[:, 1].astype(int), table[:, 0].astype(int))), shape=(n, n)
    ).tocsr()
    to, start = matrix.nonzero()  # rows are where messages arrive, so edges lie sorted by that end
    return Graph(nodes, np.stack([start, to]).astype(np.int64), matrix.data.astype(np.float64), None, directed)


def checked_features(features: Any, n_nodes: int, owner: str) -> NDArray:
    """Return a row of finite numbers for every node."""
    if scipy.sparse.issparse(features):
        features = features.toarray()
    try:
        rows = np.asarray(
            [np.asarray(row, dtype=np.float64) for row in features] if isinstance(features, list) else features,
            dtype=np.float64,
        )
    except (TypeError, ValueError) as error:
        raise DataError(f"{owner}: features are numbers, as many for every node: {error}") from error
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or len(rows) != n_nodes:
        raise DataError(f"{owner}: features have the shape {rows.shape}; give a row for each of the {n_nodes} nodes.")
    if not np.isfinite(rows).all():
        raise DataError(f"{owner}: features contain NaN or infinity; fill the gaps first.")
    return rows


def labels_of(graph: Graph, y: Any, source: Any, owner: str) -> tuple[NDArray, NDArray]:
    """Return the numbers of the labelled nodes and their labels.

    y has a label for every node, None, NaN or (for whole numbers) -1 where there is none; or is a dict with labels of some nodes;
    or the name of an attribute of the nodes of a networkx graph.
    """
    if isinstance(y, str):
        if not is_networkx(source):
            raise DataError(f"{owner}: y={y!r} names an attribute of nodes, and this graph is not of networkx.")
        y = {node: attributes[y] for node, attributes in source.nodes(data=True) if y in attributes}
    if isinstance(y, Mapping):
        numbers = node_numbers(graph, list(y), owner)
        values = np.array(list(y.values()), dtype=object)
    else:
        values = np.asarray(y, dtype=object)
        if values.shape != (graph.n_nodes,):
            raise DataError(
                f"{owner}: y has the shape {values.shape}; give a label for each of the {graph.n_nodes} nodes."
            )
        numbers = np.arange(graph.n_nodes)
    known = np.array([v is not None and v == v for v in values], dtype=bool)
    whole = [isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values[known]]
    if whole and all(whole):
        known[known] = values[known].astype(np.int64) != -1  # scikit-learn's mark of rows without a label
    if not known.any():
        raise DataError(f"{owner}: no node has a label.")
    return numbers[known], np.array(values[known].tolist())


def node_numbers(graph: Graph, names: Sequence[Any], owner: str) -> NDArray:
    """Return the numbers of nodes by their names."""
    number = {node: k for k, node in enumerate(graph.nodes)}
    try:
        return np.array([number[name] for name in names], dtype=np.int64)
    except (KeyError, TypeError) as error:
        raise DataError(f"{owner}: the graph has no node {error.args[0]!r}.") from error


def blocks_of(graphs: Sequence[Graph]) -> tuple[Graph, NDArray]:
    """Return several graphs as one whose adjacency matrix is made of blocks, and the number of the graph of every node."""
    first = np.cumsum([0, *(g.n_nodes for g in graphs)])
    edges = np.concatenate([g.edges + first[k] for k, g in enumerate(graphs)], axis=1)
    weight = np.concatenate([g.weight for g in graphs])
    features = None if graphs[0].features is None else np.concatenate([g.features for g in graphs])
    owner = np.repeat(np.arange(len(graphs)), [g.n_nodes for g in graphs])
    return Graph(list(range(first[-1])), edges, weight, features), owner
