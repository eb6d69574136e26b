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
from novum.neural_network.message_passing.inputs import GraphInput, without_edges
from novum.neural_network.message_passing.predictions import GraphPredictions
from novum.neural_network.training.judging import Aim
from novum.neural_network.training.network import NetworkEstimator
from novum.neural_network.training.parameters import TRAINING
from novum.neural_network.training.targets import cross_entropy, weighted_mean
from novum.runtime.random import seed_of
from novum.runtime.typing import HasEdges, Numbers, Rows, RowWeights, Seed, Target

__all__ = ["GraphNetwork"]


class GraphNetwork(GraphInput, GraphPredictions, NetworkEstimator):
    """Message-passing network on graphs: classes of nodes, missing links, classes of graphs, and embeddings.

    A graph is one of networkx, an adjacency matrix (dense or sparse), or a list of pairs of nodes. Features of nodes are given as a
    matrix or the name of an attribute, or found in the attribute "features"; where there are none, every node is known by its
    place, and predictions are for the nodes of the fit.

    Parameters
    ----------
    task : {"node", "link", "graph"}, default="node"
        Classify nodes of which some have a label; separate edges from pairs that are none (of a graph without directions: a link is
        scored by h_u'h_v, the same both ways); classify whole graphs.
    layer : {"gcn", "mean", "sum", "max", "attention"}, default="gcn"
        Graph convolution, a node next to the mean, sum or maximum of its neighbours, or attention.
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

    def _train(
        self, X: Any, y: Any, sample_weight: Any, validation: Any, resumed: bool = False, start: Any = None
    ) -> Self:
        if self.task == "link" and validation is None and self.validation_fraction > 0:
            X = self._graphs(X)  # edges held back carry no messages either
            X, held = without_edges(X, self.validation_fraction, seed_of(self.random_state), type(self).__name__)
            validation = (X, held)
        return super()._train(X, y, sample_weight, validation, resumed, start)

    def _config(self, examples: Any) -> dict[str, Any]:
        graphs = examples.graphs if self.task == "graph" else [examples.graph]
        mean = scale = None
        if not self._by_place:
            rows = np.concatenate([g.features for g in graphs])
            mean, deviation = rows.mean(axis=0), rows.std(axis=0)
            mean, scale = mean.tolist(), np.where(deviation > 0, deviation, 1.0).tolist()
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
