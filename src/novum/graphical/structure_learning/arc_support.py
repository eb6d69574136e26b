r"""How sure a learned structure is of its arcs: the search repeated on resampled rows.

    support(a, b) = share of the repeats that join a and b;   direction(a -> b): share of these with the arc, an edge as half  (1)

Rows are drawn with replacement as weights, and directions are read off essential graphs: those that equivalent graphs may turn
count half each way (Friedman, Goldszmidt and Wyner 1999).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.graphical.graphs.dag import DAG
from novum.graphical.graphs.parents import find_cycle
from novum.report.numbers import num
from novum.report.result import result
from novum.report.tables import html_table
from novum.runtime.checks import check_count, check_number
from novum.runtime.message_text import value_text
from novum.runtime.random import Stream, seed_of

__all__ = ["ArcSupport", "arc_support"]


@result
class ArcSupport(NamedTuple):
    """The support of every arc from bootstrap resamples (1)."""

    nodes: tuple[Any, ...]
    joined: NDArray[np.float64]  # [a, b]: share of the repeats that join them
    directed: NDArray[np.float64]  # [a, b]: share of all repeats with a -> b, an edge as half
    n_resamples: int

    def pairs(self) -> list[tuple[Any, Any, float, float]]:
        """Return (parent, child, support, direction) of pairs that were joined, the surest first, in the likelier direction."""
        found = []
        for i, a in enumerate(self.nodes):
            for j, b in enumerate(self.nodes[:i]):
                if self.joined[i, j] > 0:
                    forward = self.directed[i, j] >= self.directed[j, i]
                    one, other = (i, j) if forward else (j, i)
                    share = float(self.directed[one, other] / self.joined[i, j])
                    found.append((*((a, b) if forward else (b, a)), float(self.joined[i, j]), share))
        return sorted(found, key=lambda row: (-row[2], -row[3]))

    def support(self, a: Any, b: Any) -> float:
        """Return the share of the repeats that join two nodes."""
        for node in (a, b):
            if node not in self.nodes:
                raise ParameterError(f"ArcSupport.support: no node {value_text(node)}.")
        return float(self.joined[self.nodes.index(a), self.nodes.index(b)])

    def dag(self, threshold: float = 0.5) -> DAG:
        """Return the averaged graph: arcs with at least this support, the surest first, those left out that would close a cycle."""
        threshold = check_number("ArcSupport.dag", "threshold", threshold, 0, 1)
        parents: dict[Any, tuple[Any, ...]] = dict.fromkeys(self.nodes, ())
        for a, b, support, _ in self.pairs():
            if support >= threshold:
                tried = {**parents, b: (*parents[b], a)}
                parents = parents if find_cycle(tried) else tried
        return DAG(parents)

    def to_frame(self) -> Any:
        """Return a pandas frame with the columns parent, child, support, direction."""
        import pandas as pd

        return pd.DataFrame(self.pairs(), columns=["parent", "child", "support", "direction"])

    def __repr__(self) -> str:
        found = self.pairs()
        lines = [f"  {a} -> {b}  support {num(s):.2f}   direction {num(d):.2f}" for a, b, s, d in found[:20]]
        return "\n".join(
            [f"support of arcs in {self.n_resamples} bootstrap resamples", *lines, *["  ..."] * (len(found) > 20)]
        )

    def _repr_html_(self) -> str:
        rows = [[f"{a} -> {b}", f"{num(s):.2f}", f"{num(d):.2f}"] for a, b, s, d in self.pairs()[:200]]
        return html_table([["arc", "support", "direction"], *rows])

    def plot(self, ax: Any = None) -> Any:
        """Draw the support of the surest arcs as bars."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        found = self.pairs()[:30][::-1]
        ax.barh([f"{a} -> {b}" for a, b, _, _ in found], [s for _, _, s, _ in found])
        ax.set(xlim=(0, 1), xlabel="support", title=f"{self.n_resamples} bootstrap resamples")
        return ax


def arc_support(learner: Any, n_resamples: int, random_state: Any) -> ArcSupport:
    """Return (1) for a fitted structure learner."""
    owner = f"{type(learner).__name__}.bootstrap"
    repeats = check_count(owner, "n_resamples", n_resamples, 2)
    if not hasattr(learner, "dag_"):
        raise ParameterError(f"{owner}: call fit(data) first.")
    data, states, weight = learner._fitted_rows(owner)
    nodes = tuple(data)
    place = {v: i for i, v in enumerate(nodes)}
    n = len(data[nodes[0]])
    share = np.full(n, 1.0 / n) if weight is None else weight / weight.sum()
    total = n if weight is None else max(1, round(float(weight.sum())))
    edges = np.cumsum(share)
    stream, directed = Stream(seed_of(random_state)), np.zeros((len(nodes), len(nodes)))
    for repeat in range(repeats):
        u = stream.uniform("bootstrap of arcs", repeat, total)
        drawn = np.minimum(np.searchsorted(edges, u, side="right"), n - 1)
        again = learner._unfitted().fit(data, states, np.bincount(drawn, minlength=n).astype(np.float64))
        graph = again.graph_ if hasattr(again, "graph_") else again.dag_.essential_graph()
        for a, b in graph.arcs:
            directed[place[a], place[b]] += 1
        for a, b in graph.edges:
            directed[place[a], place[b]] += 0.5
            directed[place[b], place[a]] += 0.5
    directed /= repeats
    return ArcSupport(nodes, directed + directed.T, directed, repeats)
