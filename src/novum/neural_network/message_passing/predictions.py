"""Predictions of a fitted `GraphNetwork`: embeddings, classes, links, and pictures."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import ParameterError
from novum.neural_network.message_passing.examples import GraphExamples, NodeExamples, pairs_without_edge
from novum.neural_network.message_passing.graphs import Graph, labels_of
from novum.neural_network.message_passing.plots import plot_graph
from novum.neural_network.message_passing.unrolled import ComputationGraph, computation_graph
from novum.runtime import arrays
from novum.runtime.typing import Axes, Target

__all__ = ["GraphPredictions"]


class GraphPredictions:
    """Predictions; the network itself is in `network`."""

    classes_: np.ndarray
    task: str
    weights_: Any

    if TYPE_CHECKING:  # of the network
        _check: Callable[..., Any]
        _graphs: Callable[..., Any]
        _link_examples: Callable[..., Any]
        _n_layers: Callable[..., Any]
        _outputs: Callable[..., Any]
        _pairs: Callable[..., Any]
        _target: Callable[..., Any]

    def _checked_graphs(self, graph: Any, features: Any) -> Any:
        check_is_fitted(self)
        given = self._graphs(graph, features)
        for one in given if self.task == "graph" else [given]:
            self._check(one)
        return given

    def _per_node(self, graph: Graph, function: Any) -> np.ndarray:
        """Return `function(module, batch, places)` of all nodes, by neighbourhoods where the graph is large."""
        import torch

        n = graph.n_nodes
        examples = NodeExamples(graph, np.arange(n), np.zeros(n, np.int64), None, self._n_layers(), None)
        return arrays.to_numpy(torch.cat(self._outputs(examples, lambda module, batch: function(module, *batch[:2]))))

    def _per_graph(self, graphs: list[Graph], function: Any) -> np.ndarray:
        import torch

        examples = GraphExamples(graphs, np.zeros(len(graphs), np.int64), None)
        return arrays.to_numpy(torch.cat(self._outputs(examples, lambda module, batch: function(module, *batch[:3]))))

    def transform(self, graph: Any, features: Any = None) -> np.ndarray:
        """Return the embedding of every node, or for task="graph" of every graph, (n, n_components)."""
        given = self._checked_graphs(graph, features)
        if self.task == "graph":
            from novum.neural_network.message_passing.layers import read_out

            return self._per_graph(given, lambda m, batch, owner, n: read_out(m.embed(batch), owner, n, m.readout))
        return self._per_node(given, lambda module, batch, places: module.embed(batch)[places])

    def predict_proba(self, graph: Any, features: Any = None) -> np.ndarray:
        """Return the probability of every class, of every node or graph."""
        if self.task == "link":
            raise ParameterError(
                f"{type(self).__name__}(task='link') has no classes; use link_probability(graph, pairs)."
            )
        given = self._checked_graphs(graph, features)
        if self.task == "graph":
            return self._per_graph(given, lambda m, *batch: m.graph_scores(*batch).double().softmax(dim=1))
        return self._per_node(given, lambda m, *batch: m.node_scores(*batch).double().softmax(dim=1))

    def predict(self, graph: Any, features: Any = None) -> np.ndarray:
        """Return the most probable class of every node or graph."""
        best = self.predict_proba(graph, features).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def link_probability(self, graph: Any, pairs: Any, features: Any = None) -> np.ndarray:
        """Return the probability of an edge between the two nodes of every pair; `graph` has the edges that are known."""
        self._for_links("link_probability")
        given = self._checked_graphs(graph, features)
        at, h = self._pairs(given, pairs), self.transform(given).astype(np.float64)
        odds = (h[at[:, 0]] * h[at[:, 1]]).sum(axis=1) + float(self.weights_["offset"])
        return 1 / (1 + np.exp(-odds))

    def recommend_links(self, graph: Any, n_links: int = 10, features: Any = None) -> list[tuple[Any, Any, float]]:
        """Return the pairs without an edge that most likely have one: (node, node, probability), best first."""
        self._for_links("recommend_links")
        given = self._checked_graphs(graph, features)
        h = self.transform(given).astype(np.float64)
        odds = h @ h.T + float(self.weights_["offset"])
        odds[given.edges[0], given.edges[1]] = odds[given.edges[1], given.edges[0]] = -np.inf
        odds[np.tril_indices(len(h))] = -np.inf
        best = np.argsort(-odds, axis=None, kind="stable")[:n_links]
        found = [divmod(int(k), len(h)) for k in best if np.isfinite(odds.flat[k])]
        return [(given.nodes[a], given.nodes[b], float(1 / (1 + np.exp(-odds[a, b])))) for a, b in found]

    def _for_links(self, method: str) -> None:
        if self.task != "link":
            raise ParameterError(f"{type(self).__name__}.{method} is for task='link', and task={self.task!r}.")

    def score(self, graph: Any, y: Target = None, features: Any = None) -> float:
        """Return the share of right answers among nodes or graphs with a label; for task="link" the area under the ROC curve.

        Parameters
        ----------
        graph : graph or list of graphs
        y : labels as in `fit`; for task="link" pairs with an edge, which are to be separated from as many drawn ones without
            None: the edges of the graph.
        features : as in `fit`
        """
        given = self._checked_graphs(graph, features)
        if self.task == "graph":
            return float(np.mean(self.predict(given) == np.asarray(y)))
        if self.task == "node":
            at, labels = labels_of(given, self._target(graph, y), None, type(self).__name__)
            return float(np.mean(self.predict(given)[at] == labels))
        from sklearn.metrics import roc_auc_score

        examples = self._link_examples(given, y)
        none = pairs_without_edge(given.n_nodes, len(examples), examples.known, np.random.default_rng(0))
        pairs = [(given.nodes[a], given.nodes[b]) for a, b in np.concatenate([examples.pairs, none])]
        truth = np.arange(len(pairs)) < len(examples)
        return float(roc_auc_score(truth, self.link_probability(given, pairs)))

    def computation_graph(self, graph: Any, node: Any) -> ComputationGraph:
        """Return the tree of messages that decide about a node: prints, `plot()` draws it."""
        return computation_graph(graph, node, self._n_layers())

    def plot(self, graph: Any, y: Target = None, features: Any = None, ax: Axes | None = None) -> Any:
        """Draw the graph with the predicted class of every node (for links: the first number of its embedding); return the axes.

        Nodes whose label is known by `y` have a black ring.
        """
        given = self._checked_graphs(graph, features)
        if self.task == "graph":
            raise ParameterError(
                f"{type(self).__name__}(task='graph').plot: draw single graphs by message_passing.plots.plot_graph."
            )
        values = self.predict(given) if self.task == "node" else self.transform(given)[:, 0].astype(np.float64)
        marked = None
        if y is not None and self.task == "node":
            marked = np.zeros(given.n_nodes, dtype=bool)
            marked[labels_of(given, self._target(graph, y), None, type(self).__name__)[0]] = True
        return plot_graph(graph, values, marked=marked, ax=ax)
