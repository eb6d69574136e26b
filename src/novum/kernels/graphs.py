r"""Weisfeiler and Lehman: graphs compared by what nodes see when they look around, farther with every round.

    M_i(v) = sorted labels l_(i-1)(u) of the neighbors u of v
    l_i(v) = one label for every pair (l_(i-1)(v), M_i(v)), the same in all graphs                               (1)
    k(G, H) = sum_{i=0}^{h} k_0(G_i, H_i),   k_0 the inner product of label counts                               (2)

Two graphs whose label counts differ in a round are not isomorphic. Where they never differ, nothing is proved: a ring of six and
two triangles look the same from every node.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novum import _core
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.kernels.base import Kernel, is_kernel
from novum.kernels.structured import Counted
from novum.report.numbers import counted
from novum.report.result import Result
from novum.report.style import CODES, TINY, class_colors, letters, series, shade
from novum.runtime.checks import check_count
from novum.runtime.typing import HasEdges
from novum.runtime.warn import warn

__all__ = ["IsomorphismTest", "WeisfeilerLehman", "refined_labels", "wl_isomorphism_test"]

MISSING = ("no label",)  # stands for the label of nodes that have none
Labels = NDArray[np.uint32]


class Graphs:
    """Graphs side by side: neighbors of all nodes, labels, and where every graph ends."""

    def __init__(self, owner: str, graphs: Sequence[Any], node_label: str) -> None:
        neighbor = array("q")  # 64 bits each
        words: list[Any] = []
        degrees: list[int] = []
        ends = []
        for place, graph in enumerate(graphs):
            if not (hasattr(graph, "adjacency") and hasattr(graph, "nodes")):
                raise DataError(
                    f"{owner}: X[{place}] is {type(graph).__name__}, not a networkx graph; make one with networkx.Graph(edges)."
                )
            number = {v: i for i, v in enumerate(graph, len(words))}
            words += [label for _, label in graph.nodes(data=node_label, default=MISSING)]
            around = [others for _, others in graph.adjacency()]
            degrees.extend(map(len, around))
            neighbor.extend(map(number.__getitem__, chain.from_iterable(around)))
            ends.append(len(words))
        try:
            codes = {word: code for code, word in enumerate(dict.fromkeys(words))}
        except TypeError as error:
            raise DataError(f"{owner}: labels of nodes must be hashable ({error}).") from None
        self.labels = np.fromiter(map(codes.__getitem__, words), np.uint32, len(words))
        missing = int((self.labels == codes[MISSING]).sum()) if MISSING in codes else 0
        if 0 < missing < len(words):
            warn(
                f"{owner}: {missing} of {counted(len(words), 'node', 'have')} no {node_label!r}; they share a label of their own.",
                DataWarning,
            )
        self.words = list(codes)
        self.pointer = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        self.neighbor = np.frombuffer(neighbor, np.int64) if neighbor else np.empty(0, np.int64)
        self.ends = np.array(ends, np.int64)

    def parts(self, values: Any) -> list[Any]:
        """Return values of nodes, cut by graph."""
        return np.split(values, self.ends[:-1])


def next_labels(graphs: Graphs, labels: Labels) -> Labels:
    """Return (1) of one round."""
    new = np.empty_like(labels)
    _core.kernels.counts.refine(graphs.pointer, graphs.neighbor, labels, new)
    return new


def refined_labels(graphs: Graphs, max_iter: int) -> list[Labels]:
    """Return (1) of every round, the given labels first."""
    rounds = [graphs.labels]
    for _ in range(max_iter):
        rounds.append(next_labels(graphs, rounds[-1]))
    return rounds


class WeisfeilerLehman(Counted):
    """Graphs compared by the labels of their nodes over rounds of relabelling (2).

    Parameters
    ----------
    max_iter : int, default=3
        Rounds h.
    base : {"counts", "binary"} or Kernel, default="counts"
        What compares the labels of a round: how often each occurs, whether it occurs, or a kernel of lists of labels such as
        `SetKernel().normalized()`.
    node_label : str, default="label"
        The attribute of nodes with their label; nodes without it share one.

    Notes
    -----
    X is a list of networkx graphs; in directed ones a node looks along its edges.

    Examples
    --------
    >>> import networkx as nx
    >>> from novum.kernels import WeisfeilerLehman
    >>> kernel = WeisfeilerLehman(max_iter=2)
    >>> kernel([nx.path_graph(4)], [nx.star_graph(3)])  # 16 + 6 + 0
    array([[22.]])
    """

    def __init__(self, max_iter: int = 3, base: str | Kernel = "counts", node_label: str = "label") -> None:
        self.max_iter = max_iter
        self.base = base
        self.node_label = node_label

    def _rounds(self, objects: Sequence[Any]) -> tuple[Graphs, list[Labels]]:
        max_iter = check_count("WeisfeilerLehman", "max_iter", self.max_iter, 0)
        if not is_kernel(self.base) and self.base not in ("counts", "binary"):
            raise ParameterError(
                f"WeisfeilerLehman(base={self.base!r}): base must be 'counts', 'binary' or a kernel of lists of labels."
            )
        graphs = Graphs("WeisfeilerLehman", objects, self.node_label)
        return graphs, refined_labels(graphs, max_iter)

    def _counts(self, objects: Sequence[Any]) -> Any:
        if is_kernel(self.base):
            raise DataError(f"{self!r}: only base='counts' and base='binary' have explicit features.")
        graphs, rounds = self._rounds(objects)
        sizes = [int(labels.max(initial=0)) + 1 for labels in rounds]
        shifted = np.stack(rounds, axis=1) + np.cumsum(
            [0, *sizes[:-1]]
        )  # (nodes, rounds): every round has labels of its own
        symbols, bits = shifted.astype(np.uint32).ravel(), sum(sizes).bit_length()
        single = np.zeros((1, 1), np.int32)
        pointer, column, count, vocabulary = _core.kernels.counts.words(
            symbols, graphs.ends * len(rounds), single, bits
        )
        table = sparse.csr_matrix((count, column, pointer), shape=(len(objects), max(1, vocabulary)))
        if self.base == "binary":
            table.data[:] = 1.0
        return table

    def _values(self, X: Any, Y: Any) -> Any:
        if not is_kernel(self.base):
            return super()._values(X, Y)
        graphs, rounds = self._rounds([*X, *(Y or ())])
        K: Any = 0.0
        base: Any = self.base
        for labels in rounds:
            parts = [part.tolist() for part in graphs.parts(labels)]
            K = K + base(parts[: len(X)], None if Y is None else parts[len(X) :])
        return K

    def diag(self, X: Any) -> Any:
        """Return k(G, G)."""
        return super().diag(X) if not is_kernel(self.base) else np.diagonal(self._values(list(X), None)).copy()

    @property
    def is_valid(self) -> bool | None:
        """Whether the base kernel is valid."""
        return self.base.is_valid if isinstance(self.base, Kernel) else True

    def __repr__(self) -> str:
        return f"WeisfeilerLehman(max_iter={self.max_iter}, base={self.base!r})"

    def formula(self) -> str:
        """Return k(x, z) in words of mathematics."""
        return f"sum over rounds 0 .. {self.max_iter} of inner products of {self.base} of labels"


@dataclass(frozen=True, repr=False)
class IsomorphismTest(Result):
    """What Weisfeiler's and Lehman's test says; as a condition, whether the graphs were not distinguished.

    Attributes
    ----------
    distinguished : bool
        True proves that the graphs are not isomorphic.
    round : int or None
        The first round in which label counts differ.
    labels : list of (list, list)
        The labels of the nodes of both graphs, by round.
    reason : str
    """

    distinguished: bool
    round: int | None
    labels: list[Any]
    reason: str
    _graphs: tuple[Any, Any]
    _words: list[Any]

    def __bool__(self) -> bool:
        return not self.distinguished

    def __repr__(self) -> str:
        return f"Isomorphism test: {self.reason}"

    def histograms(self) -> list[tuple[dict[int, int], dict[int, int]]]:
        """Return how often every label occurs in either graph, by round."""
        found = []
        for pair in self.labels:
            counted = [dict(zip(*(part.tolist() for part in np.unique(one, return_counts=True)))) for one in pair]
            found.append((counted[0], counted[1]))
        return found

    def compression(self, i: int) -> dict[int, tuple[int, tuple[int, ...]]]:
        """Return what the labels of round i > 0 stand for: the label before, and the sorted labels around."""
        table: dict[int, tuple[int, tuple[int, ...]]] = {}
        for graph, before, after in zip(self._graphs, self.labels[i - 1], self.labels[i]):
            old = dict(zip(graph, before.tolist()))
            for v, label in zip(graph, after.tolist()):
                table[label] = old[v], tuple(sorted(old[u] for u in graph.adj[v]))
        return dict(sorted(table.items()))

    def _result_columns(self) -> dict[str, Any]:
        rows = [
            (i, label, first.get(label, 0), second.get(label, 0))
            for i, (first, second) in enumerate(self.histograms())
            for label in sorted({*first, *second})
        ]
        columns = [list(column) for column in zip(*rows)] or [[]] * 4
        return dict(zip(("round", "label", "first", "second"), columns))

    def _result_picture(self, ax: Any) -> None:
        """Draw both graphs after every round, a row each, nodes marked with their labels."""
        import networkx as nx

        for side, graph in enumerate(self._graphs):
            layout = nx.spring_layout(graph, seed=0)
            for i, pair in enumerate(self.labels):
                at = {v: (3 * i + xy[0], -3 * side + xy[1]) for v, xy in layout.items()}
                nx.draw_networkx_edges(graph, at, ax=ax, edge_color=shade(ax, 0.6))
                codes = [int(label) % CODES for label in pair[side]]
                ax.scatter(*zip(*(at[v] for v in graph)), c=codes, s=160, zorder=2, **class_colors(ax))
                for v, label in zip(graph, pair[side]):
                    ax.text(
                        *at[v],
                        str(label),
                        ha="center",
                        va="center",
                        color=letters(ax, series(ax, int(label) % CODES)),
                        fontsize=TINY,
                        zorder=3,
                    )
        for i in range(len(self.labels)):
            table = self.compression(i) if i else {}
            words = [f"{new} = {old}|{','.join(map(str, around))}" for new, (old, around) in table.items()]
            ax.text(3 * i, 1.4, f"round {i}", ha="center")
            ax.text(3 * i, -4.6, "\n".join(words), ha="center", va="top", fontsize=TINY, family="monospace")
        ax.set(title=self.reason, ylim=(-6.5, 1.9))
        ax.set_axis_off()


def wl_isomorphism_test(
    first: HasEdges, second: HasEdges, *, max_iter: int | None = None, node_label: str = "label"
) -> IsomorphismTest:
    """Test whether two graphs can be distinguished by rounds of relabelling (1).

    Parameters
    ----------
    first, second : networkx graphs
    max_iter : int, optional
        Rounds; by default as many as there are nodes, fewer where the labels stop refining.
    node_label : str, default="label"
        The attribute of nodes with their label; nodes without it share one.

    Returns
    -------
    IsomorphismTest
        False as a condition proves that they are not isomorphic; True does not prove that they are.

    Examples
    --------
    >>> import networkx as nx
    >>> from novum.kernels import wl_isomorphism_test
    >>> wl_isomorphism_test(nx.path_graph(4), nx.star_graph(3))
    Isomorphism test: not isomorphic: label counts differ after round 1
    >>> bool(wl_isomorphism_test(nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))))  # and yet they differ
    True
    """
    graphs = Graphs("wl_isomorphism_test", [first, second], node_label)
    n = int(graphs.ends[0])
    if 2 * n != graphs.ends[1]:
        reason = f"not isomorphic: {n} and {counted(graphs.ends[1] - n, 'node')}"
        return IsomorphismTest(True, 0, [tuple(graphs.parts(graphs.labels))], reason, (first, second), graphs.words)
    rounds = n if max_iter is None else check_count("wl_isomorphism_test", "max_iter", max_iter, 0)
    labels, shown = graphs.labels, [tuple(graphs.parts(graphs.labels))]
    for i in range(rounds + 1):
        left, right = shown[-1]
        if sorted(left.tolist()) != sorted(right.tolist()):
            reason = f"not isomorphic: label counts differ after round {i}"
            return IsomorphismTest(True, i, shown, reason, (first, second), graphs.words)
        if i == rounds:
            break
        refined = next_labels(graphs, labels)
        if int(refined.max(initial=0)) == len(np.unique(labels)) - 1 and i > 0 and max_iter is None:
            break  # no label was split: none will be
        labels = refined
        shown.append(tuple(graphs.parts(labels)))
    rounds = counted(len(shown) - 1, "round")
    reason = f"not distinguished in {rounds}, which does not prove that they are isomorphic"
    return IsomorphismTest(False, None, shown, reason, (first, second), graphs.words)
