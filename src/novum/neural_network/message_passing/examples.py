"""What a `GraphNetwork` learns from, in batches: nodes with their neighbourhoods, pairs of nodes, graphs side by side."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.message_passing.graphs import Graph, blocks_of
from novum.neural_network.message_passing.neighborhoods import Incoming, incoming_edges, neighborhood
from novum.neural_network.training.examples import Examples
from novum.runtime.torch_generators import generator

__all__ = ["GraphExamples", "LinkExamples", "NodeExamples", "epoch_generator"]


def epoch_generator() -> np.random.Generator:
    """Return a NumPy generator seeded by that of the training, which the loop seeds by the epoch."""
    import torch

    return np.random.default_rng(int(torch.randint(0, 2**62, (), generator=generator("cpu"))))


def tensor(values: NDArray, device: Any) -> Any:
    """Return an array as a tensor: numbers in float32, counts in int64."""
    import torch

    kind = torch.int64 if values.dtype.kind in "iu" else torch.float32
    return torch.as_tensor(np.ascontiguousarray(values), dtype=kind, device=device)


class PartsOfGraph(Examples):
    """Examples that are parts of one graph; derive and write `take_places`."""

    def __init__(self, graph: Graph, n_layers: int, n_neighbors: int | None) -> None:
        self.graph, self.n_layers, self.n_neighbors = graph, n_layers, n_neighbors
        self.incoming: Incoming = incoming_edges(graph)
        self.home: Any = "cpu"
        self.whole: Any = None  # the batch of all nodes, which then is made once
        self.sampled = False  # whether neighbours are drawn: in training only

    def to(self, device: Any) -> "PartsOfGraph":
        """Return the examples with batches that are made for a device."""
        self.home, self.whole = device, None
        return self

    def batches(self, rng: Any, size: int) -> Any:
        """Return the places of every batch; in training, which shuffles, neighbours are drawn."""
        self.sampled = rng is not None and self.n_neighbors is not None
        return super().batches(rng, size)

    def around(self, seeds: NDArray) -> tuple[Any, Any]:
        """Return a batch that decides about some nodes, and their places in it."""
        n = self.graph.n_nodes
        if not self.sampled and len(seeds) * 4 > n:  # most of the graph is needed anyway
            if self.whole is None:
                self.whole = self.batch(np.arange(n), self.graph.edges, self.graph.weight)
            return self.whole, tensor(seeds, self.home)
        own, back = np.unique(seeds, return_inverse=True)
        found = neighborhood(
            self.incoming,
            own,
            self.n_layers,
            self.n_neighbors if self.sampled else None,
            epoch_generator() if self.sampled else None,
        )
        return self.batch(found.nodes, found.edges, found.weight), tensor(back, self.home)

    def batch(self, nodes: NDArray, edges: NDArray, weight: NDArray) -> Any:
        """Return nodes and edges as tensors."""
        from novum.neural_network.message_passing.layers import Batch

        rows = nodes if self.graph.features is None else self.graph.features[nodes]
        parts = (rows, edges, weight, self.incoming.degree[nodes])
        return Batch(*(tensor(part, self.home) for part in parts))


class NodeExamples(PartsOfGraph):
    """Nodes with their classes; a batch is (Batch, places of the nodes, codes[, weights])."""

    def __init__(
        self,
        graph: Graph,
        nodes: NDArray,
        codes: NDArray,
        weight: NDArray | None,
        n_layers: int,
        n_neighbors: int | None,
    ) -> None:
        super().__init__(graph, n_layers, n_neighbors)
        self.nodes, self.codes, self.node_weight = nodes, codes, weight

    def __len__(self) -> int:
        return len(self.nodes)

    def take(self, index: Any) -> Any:
        """Return the nodes at some places with what decides about them."""
        at = index.cpu().numpy()
        batch, places = self.around(self.nodes[at])
        weight = () if self.node_weight is None else (tensor(self.node_weight[at], self.home),)
        return batch, places, tensor(self.codes[at], self.home), *weight

    def part(self, index: NDArray) -> "NodeExamples":
        """Return some of the nodes, in the same graph."""
        weight = None if self.node_weight is None else self.node_weight[index]
        args = self.graph, self.nodes[index], self.codes[index], weight, self.n_layers, self.n_neighbors
        return NodeExamples(*args)

    def labels(self) -> NDArray:
        """Return the class of every node."""
        return self.codes

    def weight(self, index: Any) -> Any:
        """Return the number of nodes, or their weight."""
        return len(index) if self.node_weight is None else float(self.node_weight[index.cpu().numpy()].sum())


class LinkExamples(PartsOfGraph):
    """Edges of a graph, each with as many drawn pairs that are none; a batch is (Batch, pairs, 1 for edges and 0 for the rest)."""

    def __init__(
        self,
        graph: Graph,
        pairs: NDArray,
        known: set[tuple[int, int]],
        n_negative: int,
        n_layers: int,
        n_neighbors: int | None,
    ) -> None:
        super().__init__(graph, n_layers, n_neighbors)
        self.pairs, self.known, self.n_negative = pairs, known, n_negative

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, index: Any) -> Any:
        """Return edges at some places and pairs that are no edges."""
        real = self.pairs[index.cpu().numpy()]
        none = pairs_without_edge(self.graph.n_nodes, self.n_negative * len(real), self.known, epoch_generator())
        pairs = np.concatenate([real, none])
        batch, places = self.around(pairs.ravel())
        truth = np.concatenate([np.ones(len(real)), np.zeros(len(none))])
        return batch, places.reshape(-1, 2), tensor(truth, self.home)

    def part(self, index: NDArray) -> "LinkExamples":
        """Return some of the edges."""
        args = self.graph, self.pairs[index], self.known, self.n_negative, self.n_layers, self.n_neighbors
        return LinkExamples(*args)


def pairs_without_edge(n_nodes: int, count: int, known: set[tuple[int, int]], rng: np.random.Generator) -> NDArray:
    """Return pairs of different nodes drawn from those that are no edge; fewer where nearly all are."""
    found = np.empty((0, 2), np.int64)
    for _ in range(20):
        drawn = rng.integers(n_nodes, size=(2 * (count - len(found)) + 8, 2))
        fresh = [k for k, (a, b) in enumerate(drawn.tolist()) if a != b and (a, b) not in known and (b, a) not in known]
        found = np.concatenate([found, drawn[fresh]])[:count]
        if len(found) == count:
            break
    return found


class GraphExamples(Examples):
    """Graphs with their classes; a batch is (Batch, number of the graph of every node, number of graphs, codes[, weights])."""

    def __init__(self, graphs: list[Graph], codes: NDArray, graph_weight: NDArray | None) -> None:
        self.graphs, self.codes, self.graph_weight, self.home = graphs, codes, graph_weight, "cpu"

    def __len__(self) -> int:
        return len(self.graphs)

    def to(self, device: Any) -> "GraphExamples":
        """Return the examples with batches that are made for a device."""
        self.home = device
        return self

    def take(self, index: Any) -> Any:
        """Return some graphs as one of blocks."""
        at = index.cpu().numpy()
        whole, owner = blocks_of([self.graphs[k] for k in at])
        every = PartsOfGraph(whole, 0, None)
        every.home = self.home
        batch = every.batch(np.arange(whole.n_nodes), whole.edges, whole.weight)
        weight = () if self.graph_weight is None else (tensor(self.graph_weight[at], self.home),)
        return batch, tensor(owner, self.home), len(at), tensor(self.codes[at], self.home), *weight

    def part(self, index: NDArray) -> "GraphExamples":
        """Return some of the graphs."""
        weight = None if self.graph_weight is None else self.graph_weight[index]
        return GraphExamples([self.graphs[k] for k in index], self.codes[index], weight)

    def labels(self) -> NDArray:
        """Return the class of every graph."""
        return self.codes

    def weight(self, index: Any) -> Any:
        """Return the number of graphs, or their weight."""
        return len(index) if self.graph_weight is None else float(self.graph_weight[index.cpu().numpy()].sum())
