r"""Networks that pass messages along the edges of a graph, for nodes, for pairs of nodes and for whole graphs.

The layers are in `layers`. Nodes are classified by the scores V h_u, graphs by V of the sum, mean or maximum over their nodes, and
an edge between u and v has the log odds h_u'h_v + c, learned from the edges against as many drawn pairs that are none.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import ArrayLike, Choice, Domain, Int, Null, Real
from novum.base.estimator import fits
from novum.base.validation import check_weight
from novum.exceptions import DataError, ParameterError
from novum.neural_network.message_passing.examples import GraphExamples, LinkExamples, NodeExamples
from novum.neural_network.message_passing.graphs import (
    Graph,
    as_graph,
    is_networkx,
    is_one_way,
    labels_of,
    node_numbers,
)
from novum.neural_network.message_passing.predictions import GraphAnswers
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.network import NetworkEstimator
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import cross_entropy, weighted_mean
from novum.runtime.random import seed_of
from novum.runtime.typing import HasEdges, Numbers, Rows, RowWeights, Seed, Target

__all__ = ["GraphNetwork"]


class GraphNetwork(GraphAnswers, NetworkEstimator):
    """Message-passing network on graphs: classes of nodes, missing links, classes of graphs, and embeddings.

    A graph is one of networkx, an adjacency matrix (dense or sparse), or a list of pairs of nodes. Features of nodes are given as a
    matrix or the name of an attribute, or found in the attribute "features"; where there are none, every node is known by its
    place, and predictions are for the nodes of the fit.

    Parameters
    ----------
    task : {"node", "link", "graph"}, default="node"
        Classify nodes of which some have a label; tell edges from pairs that are none (of a graph without directions: a link is
        scored by h_u'h_v, the same both ways); classify whole graphs.
    layer : {"gcn", "mean", "sum", "max", "attention"}, default="gcn"
        Graph convolution, a node beside the mean, sum or maximum of its neighbours, or attention.
    hidden : sequence of int, default=(32,)
        Sizes of the node vectors after every layer but the last.
    n_components : int, default=16
        Size after the last layer: the embedding. There are len(hidden) + 1 layers, and a node hears of nodes so many steps away.
    n_heads : int, default=4
        Of layer="attention".
    dropout : float, default=0.0
        Share of the numbers that every layer is given set to zero in training.
    readout : {"mean", "sum", "max"}, default="mean"
        Over the nodes of a graph, for task="graph".
    n_neighbors : int or None, default=None
        Messages to a node in training, drawn anew for every batch: for large graphs. None: all.
    n_negative : int, default=1
        Pairs without an edge drawn for each edge, for task="link".
    max_epochs : int, default=200
        Most passes over the training rows.
    batch_size : int, default=1024
        Labelled nodes, edges or graphs of a step.
    learning_rate : float, default=0.01
        The length of the first step, before `schedule` shortens it.
    patience : int or None, default=None
        Epochs without a gain of `tol` in the loss (on the rows held back, or else in training) after which training ends. None:
        after max_epochs.
    optimizer : {"sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"}, default='adam'
        The rule of a step; momentum is .9.
    weight_decay : float, default=0.0
        Weight of half the sum of squared weights in what is minimised ("adamw": the share by which weights shrink at a step).
    schedule : {"constant", "linear", "cosine", "step", "plateau"}, default='constant'
        How the rate falls: not at all, to zero along a line or half a cosine over all epochs, to a tenth after one half and after
        three quarters of them, or to a tenth whenever the loss has not fallen for half of `patience` epochs.
    warmup_steps : int, default=0
        Steps over which the rate first rises from zero.
    clip_norm : float or None, default=None
        Longest gradient of a step; longer ones are shortened. None: as they are.
    averaging : float or None, default=None
        Decay of the exponential average of the weights over steps, which then predicts; None: the last weights do.
    validation_fraction : float, default=0.0
        Share of the rows held back to watch the loss; the weights of the best epoch are kept. `fit(validation=...)` brings its own.
    tol : float, default=0.0001
        See `patience`; a share of the loss.
    mixed_precision : bool or "auto", default='auto'
        Multiply in bfloat16; "auto": on a GPU.
    compile : bool, default=False
        Compile the network with PyTorch's compiler: a minute at first, faster steps on a GPU.
    checkpoint : path or None, default=None
        File that is written after every epoch, from which `resume` goes on to the same curve.
    device : {"auto", "cpu", "cuda"}, default='auto'
        Where to train and to predict; "auto": on a GPU if there is one.
    verbose : bool, default=False
        Print a line for every epoch.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Weights, order of rows, dropout. An int: the same network every time, on one machine and device.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Not for task="link".
    n_features_in_ : int
        Features of a node, or nodes where there are none.
    module_, weights_, config_, history_, n_epochs_, best_epoch_
        As in every network: see `NetworkEstimator`.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network import GraphNetwork
    >>> edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)]  # two triangles and a bridge
    >>> model = GraphNetwork(random_state=0).fit(edges, {0: "left", 5: "right"})  # doctest: +SKIP
    >>> model.predict(edges).tolist()  # doctest: +SKIP
    ['left', 'left', 'left', 'right', 'right', 'right']
    """

    _domains: dict[str, Domain] = {
        "task": Choice("node", "link", "graph"),
        "layer": Choice("gcn", "mean", "sum", "max", "attention"),
        "hidden": ArrayLike(0),
        "n_components": Int(1),
        "n_heads": Int(1),
        "dropout": Real(0, 1, open="high"),
        "readout": Choice("mean", "sum", "max"),
        "n_neighbors": Null() | Int(1),
        "n_negative": Int(1),
        **TRAINING,
    }
    classes_: np.ndarray

    def __init__(
        self,
        task: Literal["node", "link", "graph"] = "node",
        *,
        layer: Literal["gcn", "mean", "sum", "max", "attention"] = "gcn",
        hidden: Sequence[int] = (32,),
        n_components: int = 16,
        n_heads: int = 4,
        dropout: float = 0.0,
        readout: Literal["mean", "sum", "max"] = "mean",
        n_neighbors: int | None = None,
        n_negative: int = 1,
        max_epochs: int = 200,
        batch_size: int = 1024,
        learning_rate: float = 0.01,
        patience: int | None = None,
        optimizer: Literal["sgd", "momentum", "nesterov", "adagrad", "rmsprop", "adam", "adamw"] = "adam",
        weight_decay: float = 0.0,
        schedule: Literal["constant", "linear", "cosine", "step", "plateau"] = "constant",
        warmup_steps: int = 0,
        clip_norm: float | None = None,
        averaging: float | None = None,
        validation_fraction: float = 0.0,
        tol: float = 1e-4,
        mixed_precision: bool | Literal["auto"] = "auto",
        compile: bool = False,
        checkpoint: str | os.PathLike[str] | None = None,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        verbose: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.task = task
        self.layer = layer
        self.hidden = hidden
        self.n_components = n_components
        self.n_heads = n_heads
        self.dropout = dropout
        self.readout = readout
        self.n_neighbors = n_neighbors
        self.n_negative = n_negative
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.optimizer = optimizer
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.warmup_steps = warmup_steps
        self.clip_norm = clip_norm
        self.averaging = averaging
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.mixed_precision = mixed_precision
        self.compile = compile
        self.checkpoint = checkpoint
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    @fits
    def fit(
        self,
        graph: Rows | HasEdges,
        y: Target | Mapping[Any, Any] = None,
        sample_weight: RowWeights = None,
        *,
        features: Numbers | str | None = None,
        validation: Sequence[Any] | None = None,
    ) -> Self:
        """Train the network.

        Parameters
        ----------
        graph : graph, or list of graphs for task="graph"
        y : array-like, dict, str or None
            task="node": a label for every node, with None, NaN or (among whole numbers) -1 where there is none; or a dict with the
            labels of some nodes; or the name of an attribute of the nodes. task="graph": a label for every graph. task="link":
            None.
        sample_weight : array-like, default=None
            How often every node, or graph, counts in the loss.
        features : array-like of shape (n_nodes, n_features), str or None, default=None
            Of the nodes; for task="graph" a list of matrices, or the name of the attribute.
        validation : tuple, default=None
            (graph, y) to watch, or (graph, pairs) for task="link", instead of a share of the labelled nodes, graphs or edges.
        """
        given = self._graphs(graph, features), self._target(graph, y)
        return self._train(*given, sample_weight, validation)

    @fits
    def resume(
        self,
        graph: Rows | HasEdges,
        y: Target | Mapping[Any, Any] = None,
        sample_weight: RowWeights = None,
        *,
        features: Numbers | None = None,
        validation: Any = None,
    ) -> Self:
        """Go on with the training whose state is in the file `checkpoint`, to the curve of one that never stopped.

        Parameters
        ----------
        graph, y, sample_weight, features, validation
            The same as in the `fit` that was interrupted.
        """
        given = self._graphs(graph, features), self._target(graph, y)
        return self._train(*given, sample_weight, validation, resumed=True)

    def _graphs(self, given: Any, features: Any = None) -> Any:
        """Return what was given as a Graph, or as a list of them for whole graphs."""
        owner = type(self).__name__
        if self.task != "graph":
            graph = as_graph(given, features, owner)
            if self.task == "link" and is_one_way(graph):
                raise DataError(
                    f"{owner}(task='link'): the graph is directed, and a link is scored by h_u'h_v, which is the same from v to u;"
                    " give a graph without directions (graph.to_undirected(), or A + A.T) to ask whether two nodes are linked."
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
            return {node: told[y] for node, told in given.nodes(data=True) if y in told}
        return y

    def _train(
        self, X: Any, y: Any, sample_weight: Any, validation: Any, resumed: bool = False, start: Any = None
    ) -> Self:
        if self.task == "link" and validation is None and self.validation_fraction > 0:
            X = self._graphs(X)  # edges held back carry no messages either
            X, held = without_edges(X, self.validation_fraction, seed_of(self.random_state), type(self).__name__)
            validation = (X, held)
        return super()._train(X, y, sample_weight, validation, resumed, start)

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
            told = (
                f"the {self.n_features_in_} nodes of the fit" if self._by_place else f"{self.n_features_in_} features"
            )
            more = f" and {found} nodes" if graph.features is None else ""
            raise DataError(f"{type(self).__name__}: nodes have {here}{more}, and the network was trained for {told}.")

    def _config(self, examples: Any) -> dict[str, Any]:
        graphs = examples.graphs if self.task == "graph" else [examples.graph]
        mean = scale = None
        if not self._by_place:
            rows = np.concatenate([g.features for g in graphs])
            mean, spread = rows.mean(axis=0), rows.std(axis=0)
            mean, scale = mean.tolist(), np.where(spread > 0, spread, 1.0).tolist()
        return {
            "task": self.task,
            "layer": self.layer,
            "sizes": [int(self.n_features_in_), *(int(size) for size in self.hidden), int(self.n_components)],
            "n_heads": int(self.n_heads),
            "dropout": float(self.dropout),
            "readout": self.readout,
            "n_classes": 0 if self.task == "link" else len(self.classes_),
            "mean": mean,
            "scale": scale,
        }

    def _build(self, config: dict[str, Any]) -> Any:
        from novum.neural_network.message_passing.layers import GraphNet

        return GraphNet(config)

    def _scores(self, module: Any, batch: Any) -> tuple[Any, Any, Any]:
        """Return scores, what they should say, and weights."""
        if self.task == "node":
            graph, places, codes, *weight = batch
            return module.node_scores(graph, places), codes, weight
        graph, owner, n_graphs, codes, *weight = batch
        return module.graph_scores(graph, owner, n_graphs), codes, weight

    def _loss(self, module: Any, batch: Any) -> Any:
        if self.task == "link":
            import torch.nn.functional as F

            graph, pairs, truth = batch
            return F.binary_cross_entropy_with_logits(module.link_scores(module.embed(graph), pairs), truth)
        scores, codes, weight = self._scores(module, batch)
        return cross_entropy(scores, codes, *weight)

    def _judged(self, module: Any, batch: Any) -> Any:
        loss = self._loss(module, batch)
        if self.task == "link":
            return loss, [Aim(batch[2].long())]
        codes, *weight = batch[2:] if self.task == "node" else batch[3:]
        return loss, [Aim(codes, *weight)]

    def _measures(self, module: Any, batch: Any) -> dict[str, Any]:
        if self.task == "link":
            graph, pairs, truth = batch
            return {"accuracy": ((module.link_scores(module.embed(graph), pairs) > 0) == (truth > 0)).double().mean()}
        scores, codes, weight = self._scores(module, batch)
        return {"accuracy": weighted_mean((scores.argmax(dim=1) == codes).double(), *(weight or (None,)))}


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
