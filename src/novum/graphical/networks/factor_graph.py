r"""Factor graphs: a product of tables, drawn as variables joined to the factors that hold them.

p(x) = prod_f f(x_f) / Z,     Z = sum_x prod_f f(x_f)                                                          (1)
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from novum.graphical.graphs.undirected import UndirectedGraph
from novum.graphical.inference.message_passing import MaxProduct, SumProduct, max_product, sum_product
from novum.graphical.networks.product import NamedFactor, Product, read_factors
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.message_text import first_few
from novum.runtime.typing import Axes, Label, Labels

__all__ = ["FactorGraph"]


class FactorGraph(Product, Result):
    """A product of tables (1).

        p(x) = prod_f f(x_f) / Z,   Z = sum_x prod_f f(x_f)    (1)

    Parameters
    ----------
    factors : mapping of name to (variables, table), or iterable of (variables, table)
    states : mapping of variable to states, optional
        0, 1, ... by default.

    Attributes
    ----------
    factors : list of NamedFactor
    states : dict of variable to tuple

    Examples
    --------
    >>> from novum.graphical import FactorGraph
    >>> graph = FactorGraph({"fa": (("x1", "x2"), [[1, 2], [3, 4]]), "fb": (("x2", "x3"), [[2, 1], [1, 3]]),
    ...                      "fc": (("x4", "x2"), [[1, 1], [2, 5]])})
    >>> graph
    FactorGraph: fa(x1, x2), fb(x2, x3), fc(x4, x2); a tree
    >>> found = graph.sum_product()
    >>> found.message("fb", "x3"), found.partition
    (array([ 60., 120.]), 180.0)
    >>> graph.query("x3").p.round(4)
    array([0.3333, 0.6667])
    """

    factors: list[Any]

    def __init__(self, factors: Mapping[Any, Any] | Iterable[Any], states: Mapping[Any, Any] | None = None) -> None:
        self.states, self.factors = read_factors(type(self).__name__, factors, states)

    def _tables(self) -> list[NamedFactor]:
        return self.factors

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The bipartite graph of variables and factors; factors are nodes ("factor", name)."""
        edges = [(("factor", f.name), v) for f in self.factors for v in f.variables]
        return UndirectedGraph(edges, [*self.states, *(("factor", f.name) for f in self.factors)])

    @property
    def is_tree(self) -> bool:
        """Whether the graph has no loop, so that messages are exact; several trees count as one."""
        return self.graph.is_forest

    def sum_product(self, evidence: Mapping[Any, Any] | None = None, root: Label | None = None) -> SumProduct:
        """Return all messages of the sum-product algorithm, and the marginals they give; the graph must be a tree.

        Messages go to `root` first, by default the first variable, then away from it.
        """
        return sum_product(self, evidence, root)

    def max_product(self, evidence: Mapping[Any, Any] | None = None, root: Label | None = None) -> MaxProduct:
        """Return the messages of max-product with their back-pointers, and the best configuration; the graph must be a tree.

        The configuration is read from `root`, by default the first variable, outwards.
        """
        return max_product(self, evidence, root)

    def plot(self, ax: Axes | None = None, observed: Labels = ()) -> Axes:
        """Draw circles for variables, filled where observed, and squares for factors."""
        from novum.graphical.plots.graphs import draw_factor_graph

        return draw_factor_graph(self, ax, observed)

    def _result_columns(self) -> dict[str, Any]:
        return {"factor": [f.name for f in self.factors], "variables": [first_few(f.variables) for f in self.factors]}

    def __repr__(self) -> str:
        if len(self.factors) > 12:
            shown = f"{counted(len(self.states), 'variable')}, {counted(len(self.factors), 'factor')}"
        else:
            shown = ", ".join(f"{f.name}({', '.join(map(str, f.variables))})" for f in self.factors)
        return f"{type(self).__name__}: {shown}; {'a tree' if self.is_tree else 'loopy'}"
