"""The part of a graph that decides about some nodes: their neighbours, the neighbours of these, as many times as there are layers.

A node takes messages from all its neighbours, or from a few drawn at random, so that a batch of a large graph stays small. Weights
of drawn edges are multiplied by (neighbours / drawn): sums over them are then right in the mean.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.message_passing.graphs import Graph

__all__ = ["Incoming", "Neighborhood", "incoming_edges", "neighborhood"]


class Incoming(NamedTuple):
    """Edges by the node they lead to: those of node i lie at first[i]:first[i + 1]."""

    first: NDArray  # (n + 1,)
    start: NDArray  # (m,)
    weight: NDArray  # (m,)
    degree: NDArray  # 1 + the weight that arrives, (n,)


class Neighborhood(NamedTuple):
    """Some nodes of a graph, the requested ones first, with the edges that lead to them."""

    nodes: NDArray  # numbers in the graph
    edges: NDArray  # (2, m): places in `nodes`
    weight: NDArray  # (m,)


def incoming_edges(graph: Graph) -> Incoming:
    """Return the edges of a graph sorted by where they lead."""
    order = np.argsort(graph.edges[1], kind="stable")
    start, to, weight = graph.edges[0][order], graph.edges[1][order], graph.weight[order]
    first = np.searchsorted(to, np.arange(graph.n_nodes + 1))
    degree = 1.0 + np.bincount(to, weights=weight, minlength=graph.n_nodes)
    return Incoming(first, start, weight, degree)


def neighborhood(
    incoming: Incoming, seeds: NDArray, n_layers: int, n_neighbors: int | None = None, rng: Any = None
) -> Neighborhood:
    """Return what `n_layers` layers at the seeds see; at most `n_neighbors` messages to a node, drawn by `rng`."""
    place = np.full(len(incoming.degree), -1)
    nodes = [np.asarray(seeds)]
    place[seeds] = np.arange(len(seeds))
    frontier, count = nodes[0], len(seeds)
    starts, ends, weights = [], [], []
    for _ in range(n_layers):
        at, to, scale = chosen_edges(incoming, frontier, n_neighbors, rng)
        start = incoming.start[at]
        new = np.unique(start[place[start] < 0])
        place[new] = np.arange(count, count + len(new))
        count += len(new)
        starts.append(start)
        ends.append(to)
        weights.append(incoming.weight[at] * scale)
        nodes.append(new)
        frontier = new
        if not len(new):
            break
    edges = np.stack([place[np.concatenate(starts)], place[np.concatenate(ends)]])
    return Neighborhood(np.concatenate(nodes), edges, np.concatenate(weights))


def chosen_edges(
    incoming: Incoming, targets: NDArray, n_neighbors: int | None, rng: Any
) -> tuple[NDArray, NDArray, NDArray]:
    """Return places of edges to the targets, where each leads, and what its weight is multiplied by."""
    first, counts = incoming.first[targets], np.diff(incoming.first)[targets]
    to = np.repeat(targets, counts)
    within = np.arange(len(to)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(first, counts) + within
    scale = np.ones(len(at))
    if n_neighbors is None or not (counts > n_neighbors).any():
        return at, to, scale
    group = np.repeat(np.arange(len(targets)), counts)
    order = np.lexsort((rng.random(len(at)), group))  # a random order of the edges of every target
    keep = np.sort(order[within < n_neighbors])  # whose first so many are taken: groups lie where they lay
    scale = np.repeat(counts / np.minimum(counts, n_neighbors).clip(min=1), counts)
    return at[keep], to[keep], scale[keep]
