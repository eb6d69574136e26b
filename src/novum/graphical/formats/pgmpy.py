r"""Networks of pgmpy, there and back, and tables whose axes name their parents.

    pgmpy: values[x, u_1, ..., u_k], the parents in the table's own order;  here p[u_1, ..., u_k, x], in the order of the graph (1)
    pgmpy: a linear Gaussian node has a standard deviation;  here it has a variance                                           (2)

A table that is copied by hand goes wrong without a word where the order of its parents is not that of the arcs; naming them,
{"given": ["a", "b"], "p": table}, puts the axes right.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from novum.exceptions import ParameterError, ParameterTypeError
from novum.graphical.linear_gaussian.nodes import LinearGaussian
from novum.runtime.message_text import first_few, value_text

__all__ = ["Exchanges", "in_graph_order"]


def in_graph_order(owner: str, variable: Any, given: Any, parents: tuple[Any, ...]) -> Any:
    """Return a table, its axes moved into the order of the graph where it names its parents."""
    if not isinstance(given, Mapping):
        return given
    if set(given) != {"given", "p"}:
        raise ParameterError(
            f"{owner}: the table of {variable!r} is a mapping with {first_few(given, quoted=True)}; it needs 'given' (its "
            "parents) and 'p'."
        )
    named = (given["given"],) if isinstance(given["given"], str) else tuple(given["given"])
    if len(named) != len(parents) or set(named) != set(parents):
        raise ParameterError(
            f"{owner}: the table of {variable!r} is given {first_few(named) or 'nothing'}; its parents are "
            f"{first_few(parents) or 'none'}."
        )
    p = np.asarray(given["p"], dtype=np.float64)
    if p.ndim != len(named) + 1:
        raise ParameterError(
            f"{owner}: the table of {variable!r} has shape {p.shape}; it needs an axis for each of {first_few(named)}, and a "
            "last one for itself."
        )
    return np.transpose(p, [*(named.index(parent) for parent in parents), p.ndim - 1])


def from_table(cpd: Any) -> tuple[tuple[Any, ...], Any, Any]:
    """Return parents, table (1) and the states of a TabularCPD."""
    values = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
    return tuple(cpd.variables[1:]), values, {v: tuple(cpd.state_names[v]) for v in cpd.variables}


def same_states(owner: str, states: dict[Any, tuple[Any, ...]], found: dict[Any, tuple[Any, ...]], cpd: Any) -> None:
    for v, names in found.items():
        if states.setdefault(v, names) != names:
            raise ParameterError(
                f"{owner}: the table of {cpd.variable!r} has the states {first_few(names, quoted=True)} of {v!r}, another one "
                f"{first_few(states[v], quoted=True)}; give all tables the same state_names, in the same order."
            )


class Exchanges:
    """`from_pgmpy` and `to_pgmpy` of a Bayesian network."""

    @classmethod
    def from_pgmpy(cls, model: Any) -> Self:
        """Return the network of a DiscreteBayesianNetwork or LinearGaussianBayesianNetwork of pgmpy; without tables, its graph.

        Parents come in the order of each table, whatever the order of the arcs, and standard deviations become variances.
        """
        owner = f"{cls.__name__}.from_pgmpy"
        if not hasattr(model, "nodes") or not hasattr(model, "predecessors"):
            raise ParameterTypeError(f"{owner}: pass a Bayesian network of pgmpy, not {type(model).__name__}.")
        nodes = list(model.nodes())
        parents: dict[Any, tuple[Any, ...]] = {v: tuple(model.predecessors(v)) for v in nodes}
        cpds = {v: model.get_cpds(v) for v in nodes} if hasattr(model, "get_cpds") else {}
        if not any(cpd is not None for cpd in cpds.values()):
            return cls(parents)  # type: ignore[call-arg]
        lost = [v for v in nodes if cpds[v] is None]
        if lost:
            raise ParameterError(f"{owner}: no table for {first_few(lost)}.")
        tables: dict[Any, Any] = {}
        states: dict[Any, tuple[Any, ...]] = {}
        for v, cpd in cpds.items():
            if hasattr(cpd, "beta"):
                order, beta = tuple(cpd.evidence), np.asarray(cpd.beta, dtype=np.float64)
                tables[v] = LinearGaussian(beta[0], dict(zip(order, beta[1:], strict=True)), float(cpd.std) ** 2)
            elif hasattr(cpd, "values") and hasattr(cpd, "state_names"):
                order, tables[v], found = from_table(cpd)
                same_states(owner, states, found, cpd)
            else:
                raise ParameterTypeError(
                    f"{owner}: {v!r} has a {type(cpd).__name__}; tables and linear Gaussian nodes are known."
                )
            if set(order) != set(parents[v]):
                raise ParameterError(
                    f"{owner}: the table of {v!r} is given {first_few(order) or 'nothing'}, its parents are "
                    f"{first_few(parents[v]) or 'none'}."
                )
            parents[v] = order
        return cls(parents, tables, states, str(getattr(model, "name", "") or ""))  # type: ignore[call-arg]

    def to_pgmpy(self) -> Any:
        """Return a DiscreteBayesianNetwork, or a LinearGaussianBayesianNetwork, of pgmpy."""
        network: Any = self
        owner = f"{type(self).__name__}.to_pgmpy"
        real = [v for v in network.nodes if network.is_real(v)]
        if real and len(real) < len(network.nodes):
            raise ParameterError(
                f"{owner}: {value_text(real[0])} is real and others are not; pgmpy has no such networks."
            )
        from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork  # type: ignore[import-untyped,import-not-found,unused-ignore]

        model = (LinearGaussianBayesianNetwork if real else DiscreteBayesianNetwork)(network.arcs)
        model.add_nodes_from([v for v in network.nodes if v not in model.nodes()])
        for v, node in network.conditionals.items():
            parents = list(network.parents[v])
            if real:
                from pgmpy.factors.continuous import LinearGaussianCPD  # type: ignore[import-untyped,import-not-found,unused-ignore]

                beta = [float(node.intercept), *(float(node.coefficients[p]) for p in parents)]
                model.add_cpds(LinearGaussianCPD(v, beta, float(np.sqrt(node.variance)), parents))
                continue
            from pgmpy.factors.discrete import TabularCPD  # type: ignore[import-untyped,import-not-found,unused-ignore]

            table = node.table()
            cards = [len(network.states[p]) for p in parents]
            named = {u: list(network.states[u]) for u in (v, *parents)}
            model.add_cpds(TabularCPD(v, table.shape[-1], table.reshape(-1, table.shape[-1]).T, parents, cards, named))
        return model
