"""From the graphs and labels that a user has to the examples of a training: nodes, links or whole graphs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.base.validation import check_weight
from novum.exceptions import DataError, ParameterError
from novum.fold.gathering import check_at_hand
from novum.neural_network.message_passing.examples import GraphExamples, LinkExamples, NodeExamples
from novum.neural_network.message_passing.graphs import (
    Graph,
    as_graph,
    is_networkx,
    is_one_way,
    labels_of,
    node_numbers,
)

__all__ = ["GraphInput", "without_edges"]


class GraphInput:
    """What a network on graphs is given, in one form and checked."""

    task: str
    hidden: Sequence[int]
    n_neighbors: int | None
    n_negative: int
    classes_: np.ndarray
    n_features_in_: int

    def _graphs(self, given: Any, features: Any = None) -> Any:
        """Return what was given as a Graph, or as a list of them for whole graphs."""
        owner = type(self).__name__
        check_at_hand(owner, "graphs", given)
        if self.task != "graph":
            graph = as_graph(given, features, owner)
            if self.task == "link" and is_one_way(graph):
                raise DataError(
                    f"{owner}(task='link'): the graph is directed, and a link is scored by h_u'h_v, which is the same from v to u;"
                    " give a graph without directions (graph.to_undirected(), or A + A.T) to predict whether two nodes are linked."
                )
            return graph
        if not isinstance(given, list | tuple) or isinstance(given, Graph):
            raise DataError(f"{owner}(task='graph') takes a list of graphs, not a {type(given).__name__}.")
        each = [features] * len(given) if features is None or isinstance(features, str) else features
        if len(each) != len(given):
            raise DataError(f"{owner}: {len(given)} graphs and features of {len(each)}; give a matrix for every graph.")
        graphs = [as_graph(one, rows, owner) for one, rows in zip(given, each)]
        if len({None if g.features is None else g.features.shape[1] for g in graphs}) > 1:
            raise DataError(f"{owner}: nodes of all graphs need the same features.")
        if (
            graphs and graphs[0].features is None
        ):  # nodes of different graphs have no names in common: their degree is what is known
            graphs = [g._replace(features=np.bincount(g.edges[1], g.weight, g.n_nodes)[:, None]) for g in graphs]
        return graphs

    def _target(self, given: Any, y: Any) -> Any:
        """Return labels with an attribute of networkx looked up, while the graph is still one."""
        if self.task == "node" and isinstance(y, str) and is_networkx(given):
            return {node: held[y] for node, held in given.nodes(data=True) if y in held}
        return y

    def _examples(self, X: Any, y: Any, sample_weight: Any, reset: bool) -> Any:
        owner, y, X = type(self).__name__, self._target(X, y), self._graphs(X)
        first: Graph = X[0] if self.task == "graph" and len(X) else X
        if self.task == "graph" and not len(X):
            raise DataError(f"{owner}: the list of graphs is empty.")
        if reset:
            self.n_features_in_ = first.n_nodes if first.features is None else first.features.shape[1]
            self._by_place = first.features is None
        self._check(first)
        if self.task == "link":
            if sample_weight is not None:
                raise ParameterError(
                    f"{owner}(task='link') takes no sample_weight; give the edges of the graph weights."
                )
            return self._link_examples(X, y)
        if y is None:
            raise DataError(f"{owner} requires y to be passed, but the target y is None")
        if self.task == "graph":
            at, labels = np.arange(len(X)), np.asarray(y)
            if labels.shape != (len(X),):
                raise DataError(
                    f"{owner}: {len(X)} graphs and labels of shape {labels.shape}; give a label for every graph."
                )
        else:
            at, labels = labels_of(X, y, None, owner)
        weight = check_weight(self, sample_weight, len(X) if self.task == "graph" else X.n_nodes)
        if weight is not None:
            used = weight[at] > 0
            at, labels, weight = at[used], labels[used], weight[at][used]
        if reset:
            self.classes_ = np.unique(labels)
            if len(self.classes_) < 2:
                raise DataError(
                    f"{owner}: y has one class, {self.classes_.tolist()[0]!r}; a classifier needs at least two classes."
                )
        codes = np.searchsorted(self.classes_, labels)
        known = self.classes_[np.minimum(codes, len(self.classes_) - 1)] == labels
        if not known.all():
            raise DataError(
                f"{owner}: the label {labels[~known].tolist()[0]!r} is none of the classes {self.classes_}."
            )
        if self.task == "graph":
            return GraphExamples([X[k] for k in at], codes, weight)
        return NodeExamples(X, at, codes, weight, self._n_layers(), self.n_neighbors)

    def _link_examples(self, graph: Graph, pairs: Any) -> LinkExamples:
        known = {(a, b) for a, b in graph.edges.T.tolist()}
        if pairs is None:
            once = graph.edges.T if graph.directed else graph.edges.T[graph.edges[0] < graph.edges[1]]
            found = np.ascontiguousarray(once)
        else:
            found = self._pairs(graph, pairs)
            known |= {(a, b) for a, b in found.tolist()}
        if not len(found):
            raise DataError(f"{type(self).__name__}(task='link') learns from edges, and the graph has none.")
        return LinkExamples(graph, found, known, self.n_negative, self._n_layers(), self.n_neighbors)

    def _pairs(self, graph: Graph, pairs: Any) -> np.ndarray:
        listed = [tuple(pair) for pair in (pairs.tolist() if isinstance(pairs, np.ndarray) else pairs)]
        if not all(len(pair) == 2 for pair in listed):
            raise DataError(f"{type(self).__name__}: pairs are (node, node).")
        names = [name for pair in listed for name in pair]
        return node_numbers(graph, names, type(self).__name__).reshape(-1, 2)

    def _n_layers(self) -> int:
        return len(list(self.hidden)) + 1

    def _check(self, graph: Graph) -> None:
        """Raise where nodes are not described as those of the fit were."""
        found = graph.n_nodes if graph.features is None else graph.features.shape[1]
        if (graph.features is None) != self._by_place or found != self.n_features_in_:
            here = "no features" if graph.features is None else f"{found} features"
            known = (
                f"the {self.n_features_in_} nodes of the fit" if self._by_place else f"{self.n_features_in_} features"
            )
            more = f" and {found} nodes" if graph.features is None else ""
            raise DataError(f"{type(self).__name__}: nodes have {here}{more}, and the network was trained for {known}.")


def without_edges(graph: Graph, fraction: float, seed: int, owner: str) -> tuple[Graph, Any]:
    """Return a graph without a share of its edges, and these as pairs of names."""
    once = np.ones(len(graph.weight), bool) if graph.directed else graph.edges[0] < graph.edges[1]
    places = np.flatnonzero(once)
    count = int(np.ceil(fraction * len(places)))
    if count >= len(places):
        raise DataError(f"{owner}: validation_fraction={fraction:g} of {len(places)} edges leaves none to learn from.")
    held = np.random.default_rng(seed).choice(places, count, replace=False)
    pairs = graph.edges[:, held].T
    gone = set(map(tuple, pairs.tolist()))
    if not graph.directed:
        gone |= {(b, a) for a, b in gone}
    keep = np.array([(a, b) not in gone for a, b in graph.edges.T.tolist()], dtype=bool)
    names = [(graph.nodes[a], graph.nodes[b]) for a, b in pairs]
    return graph._replace(edges=graph.edges[:, keep], weight=graph.weight[keep]), names
