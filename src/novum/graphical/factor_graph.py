r"""Factor graphs: a product of tables, drawn as variables joined to the factors that hold them.

p(x) = prod_f f(x_f) / Z,     Z = sum_x prod_f f(x_f)                                                          (1)
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.graphical._engine import Engine, Factor
from novum.graphical._queries import Queries
from novum.graphical.messages import MaxProduct, SumProduct, max_product, sum_product
from novum.graphical.undirected import UndirectedGraph

__all__ = ["FactorGraph", "NamedFactor", "read_factors"]


class NamedFactor(NamedTuple):
    """A table >= 0 over variables."""

    name: str
    variables: tuple[Any, ...]
    table: NDArray[np.float64]


def read_factors(
    owner: str, factors: Any, states: Mapping[Any, Any] | None
) -> tuple[dict[Any, tuple[Any, ...]], list[NamedFactor]]:
    """Return the states of the variables and the factors, from a mapping name -> (variables, table) or pairs (variables, table)."""
    named = (
        list(factors.items())
        if isinstance(factors, Mapping)
        else [(f"f{i + 1}", pair) for i, pair in enumerate(factors)]
    )
    found: dict[Any, tuple[Any, ...]] = {v: tuple(s) for v, s in (states or {}).items()}
    out = []
    for name, pair in named:
        try:
            variables, given = pair
            table = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"{owner}: factor {name!r} must be a pair (variables, table of numbers).") from None
        scope = (variables,) if isinstance(variables, str) else tuple(variables)
        if table.ndim != len(scope) or len(set(scope)) < len(scope):
            raise ParameterError(
                f"{owner}: factor {name!r} over {', '.join(map(str, scope))} needs one axis per variable, got shape {table.shape}."
            )
        if not np.isfinite(table).all() or (table < 0).any() or not table.any():
            raise ParameterError(f"{owner}: factor {name!r} must hold finite numbers >= 0, not all zero.")
        for variable, size in zip(scope, table.shape, strict=True):
            kept = found.setdefault(variable, tuple(range(size)))
            if len(kept) != size:
                raise ParameterError(f"{owner}: {variable!r} has {len(kept)} states, but {size} in factor {name!r}.")
        out.append(NamedFactor(str(name), scope, table))
    if not found:
        raise ParameterError(f"{owner}: give at least one factor.")
    return found, out


def engine_of(states: Mapping[Any, tuple[Any, ...]], factors: list[NamedFactor]) -> Engine:
    """Return the engine of a product of factors; a variable in no factor gets a factor of ones."""
    place = {variable: i for i, variable in enumerate(states)}
    listed = [Factor(tuple(place[v] for v in f.variables), f.table) for f in factors]
    held = {v for f in factors for v in f.variables}
    listed += [Factor((place[v],), np.ones(len(s))) for v, s in states.items() if v not in held]
    return Engine([len(s) for s in states.values()], listed)


class FactorGraph(Queries):
    """A product of tables (1).

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

    def __init__(self, factors: Any, states: Mapping[Any, Any] | None = None):
        self.states, self.factors = read_factors(type(self).__name__, factors, states)

    @cached_property
    def _compiled(self) -> Engine:
        return engine_of(self.states, self.factors)

    def _engine(self) -> Engine:
        return self._compiled

    def _log_probability(self, log: float) -> float:
        return float(log) - self.log_partition

    @cached_property
    def log_partition(self) -> float:
        """log Z of (1)."""
        _, logs = self._engine().marginals((), np.empty((1, 0), dtype=np.int32), [])
        return float(logs[0])

    @cached_property
    def graph(self) -> UndirectedGraph:
        """The bipartite graph of variables and factors; factors are nodes ("factor", name)."""
        edges = [(("factor", f.name), v) for f in self.factors for v in f.variables]
        return UndirectedGraph(edges, [*self.states, *(("factor", f.name) for f in self.factors)])

    @property
    def is_tree(self) -> bool:
        """Whether the graph has no loop, so that messages are exact; several trees count as one."""
        return self.graph.is_forest

    def sum_product(self, evidence: Any = None) -> SumProduct:
        """Return all messages of the sum-product algorithm, and the marginals they give; the graph must be a tree."""
        return sum_product(self, evidence)

    def max_product(self, evidence: Any = None) -> MaxProduct:
        """Return the messages of max-product with their back-pointers, and the best configuration; the graph must be a tree."""
        return max_product(self, evidence)

    def plot(self, ax: Any = None, observed: Any = ()) -> Any:
        """Draw circles for variables, filled where observed, and squares for factors."""
        from novum.graphical._drawing import draw_factor_graph

        return draw_factor_graph(self, ax, observed)

    def __repr__(self) -> str:
        if len(self.factors) > 12:
            shown = f"{len(self.states)} variables, {len(self.factors)} factors"
        else:
            shown = ", ".join(f"{f.name}({', '.join(map(str, f.variables))})" for f in self.factors)
        return f"{type(self).__name__}: {shown}; {'a tree' if self.is_tree else 'loopy'}"
