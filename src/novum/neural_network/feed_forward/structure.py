r"""The structure of a feed-forward graph: which node feeds which, through which weights.

    a_m = sum over edges (j, m) of z_j W_jm + b_m,     z_m = h_m(a_m)                                                  (1)
    W_jm[r, c] = theta[pattern[r, c]],   0 where the pattern is -1                                                     (2)

Nodes are layers of one or more units. (2) says all of sparse and shared weights: equal numbers in a pattern are one weight, and
edges with the same share name have the same weights. A directed cycle is refused.
"""

import itertools
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

import numpy as np

from novum.activations import Activation, get_activation
from novum.exceptions import ParameterError
from novum.runtime.checks import check_count

__all__ = ["INPUT", "OUTPUT", "Edge", "Node", "Structure", "build_structure", "convolution_pattern"]

OWNER = "FeedForwardGraph"
INPUT, OUTPUT = "input", "output"


class Node(NamedTuple):
    """A layer of units."""

    name: str
    units: int
    activation: Activation


class Edge(NamedTuple):
    """Weights between two nodes."""

    source: str
    target: str
    pattern: np.ndarray  # (units of source, units of target) places in theta, -1 where there is no connection


class Structure(NamedTuple):
    """A graph whose nodes are in topological order, the input first and the output last."""

    nodes: list[Node]
    edges: list[Edge]
    n_weights: int  # the shifts of the nodes follow in theta

    @property
    def size(self) -> int:
        """Numbers in theta."""
        return self.n_weights + sum(node.units for node in self.nodes[1:])

    def shifts(self, theta: np.ndarray) -> dict[str, np.ndarray]:
        """Return the shifts of every node above the input."""
        ends = np.cumsum([self.n_weights, *(node.units for node in self.nodes[1:])])
        return {node.name: theta[a:b] for node, a, b in zip(self.nodes[1:], ends, ends[1:])}

    def matrix(self, edge: Edge, theta: np.ndarray) -> np.ndarray:
        """Return (2)."""
        return np.where(edge.pattern >= 0, theta[edge.pattern], 0.0)


def convolution_pattern(n_in: int, width: int, channels: int = 1) -> np.ndarray:
    """Return the pattern of a 1-D convolution: every window of `width` neighbors has the same weights, `channels` times.

    Examples
    --------
    >>> from novum.neural_network.feed_forward.structure import convolution_pattern
    >>> convolution_pattern(4, 2)
    array([[ 0, -1, -1],
           [ 1,  0, -1],
           [-1,  1,  0],
           [-1, -1,  1]])
    """
    n_in, width = check_count("convolution_pattern", "n_in", n_in), check_count("convolution_pattern", "width", width)
    if width > n_in:
        raise ParameterError(f"convolution_pattern(width={width}): wider than its {n_in} inputs.")
    places = n_in - width + 1
    offset = np.arange(n_in)[:, None] - np.arange(places)
    one = np.where((offset >= 0) & (offset < width), offset, -1)
    return np.hstack([np.where(one >= 0, one + c * width, -1) for c in range(check_count("x", "channels", channels))])


def hidden_nodes(hidden: Any, activation: Any) -> list[Node]:
    """Return the nodes between input and output."""
    if not isinstance(hidden, Mapping):
        raise ParameterError(
            f"{OWNER}(hidden={hidden!r}): give a dict of names and units, as in {{'a': 8, 'b': (4, 'relu')}}."
        )
    nodes = []
    for name, given in hidden.items():
        units, own = given if isinstance(given, Sequence) and not isinstance(given, str) else (given, activation)
        if name in (INPUT, OUTPUT):
            raise ParameterError(
                f"{OWNER}(hidden=...): the name {name!r} is taken by the graph itself; choose another."
            )
        nodes.append(
            Node(str(name), check_count(OWNER, f"hidden[{name!r}]", units), get_activation(own, trainable=True))
        )
    return nodes


def ordered(nodes: dict[str, Node], pairs: list[tuple[str, str]]) -> list[Node]:
    """Return the nodes in topological order, or raise for a cycle or a node that no path uses."""
    for pair in pairs:
        for name in pair:
            if name not in nodes:
                raise ParameterError(
                    f"{OWNER}(edges=...): edge {pair} names {name!r}; the nodes are {', '.join(nodes)}."
                )
        if pair[1] == INPUT or pair[0] == OUTPUT:
            raise ParameterError(f"{OWNER}(edges=...): edge {pair} goes into the input or out of the output.")
    parents: dict[str, set[str]] = {name: set() for name in nodes}
    for source, target in pairs:
        parents[target].add(source)
    try:
        order = list(TopologicalSorter(parents).static_order())
    except CycleError as error:
        raise ParameterError(
            f"{OWNER}(edges=...): {' -> '.join(error.args[1])} is a cycle; a feed-forward graph has none."
        ) from error
    idle = [name for name in nodes if name != INPUT and not parents[name]]
    idle += [name for name in nodes if name != OUTPUT and name not in {source for source, _ in pairs}]
    if idle:
        raise ParameterError(
            f"{OWNER}(edges=...): {idle[0]!r} has no edge in or no edge out; connect it or leave it away."
        )
    return [nodes[INPUT], *(nodes[name] for name in order if name not in (INPUT, OUTPUT)), nodes[OUTPUT]]


def pattern_of(edge: Any, shape: tuple[int, int]) -> tuple[np.ndarray, str | None]:
    """Return what an edge says of its weights: places from 0 on (-1: none), and the name under which they are shared."""
    extra = edge[2:] if len(edge) > 2 else ()
    name = next((part for part in extra if isinstance(part, str)), None)
    given = next((part for part in extra if part is not None and not isinstance(part, str)), None)
    dense = np.arange(shape[0] * shape[1]).reshape(shape)
    if given is None:
        return dense, name
    pattern = np.asarray(given)
    if pattern.shape != shape or pattern.dtype.kind not in "biu":
        raise ParameterError(
            f"{OWNER}(edges=...): the pattern of {tuple(edge[:2])} has shape {pattern.shape} and type {pattern.dtype}; it must be"
            f" {shape}, of booleans (which connections there are) or whole numbers (equal ones share a weight, -1: none)."
        )
    if pattern.dtype.kind == "b":
        pattern = np.where(pattern, dense, -1)
    used, places = np.unique(pattern[pattern >= 0], return_inverse=True)
    if not len(used):
        raise ParameterError(f"{OWNER}(edges=...): the pattern of {tuple(edge[:2])} connects nothing.")
    compact = np.full(shape, -1)
    compact[pattern >= 0] = places.ravel()
    return compact, name


def build_structure(
    hidden: Any, edges: Any, activation: Any, n_inputs: int, n_outputs: int, output: Activation
) -> Structure:
    """Return the checked structure; without edges the nodes make a chain."""
    inner = hidden_nodes(hidden, activation)
    given = [Node(INPUT, n_inputs, get_activation("identity")), *inner, Node(OUTPUT, n_outputs, output)]
    nodes = {node.name: node for node in given}
    if edges is None:
        edges = [(a.name, b.name) for a, b in itertools.pairwise(given)]
    edges = [tuple(edge) for edge in edges]
    if not edges or any(len(edge) < 2 or len(edge) > 4 for edge in edges):
        raise ParameterError(
            f"{OWNER}(edges=...): an edge is (source, target), and perhaps a pattern and a name to share by."
        )
    pairs = [(str(edge[0]), str(edge[1])) for edge in edges]
    if len(set(pairs)) < len(pairs):
        raise ParameterError(f"{OWNER}(edges=...): two edges join the same nodes; one is enough.")
    in_order = ordered(nodes, pairs)
    made, count = [], 0
    shared: dict[str, tuple[int, np.ndarray]] = {}
    for edge, (source, target) in zip(edges, pairs):
        pattern, name = pattern_of(edge, (nodes[source].units, nodes[target].units))
        start = count
        if name is not None and name in shared:
            start, known = shared[name]
            if not np.array_equal(known, pattern):
                raise ParameterError(
                    f"{OWNER}(edges=...): edges that share {name!r} have different shapes or patterns."
                )
        else:
            count += int(pattern.max()) + 1
            if name is not None:
                shared[name] = (start, pattern)
        made.append(Edge(source, target, np.where(pattern >= 0, pattern + start, -1)))
    return Structure(in_order, made, count)
