r"""Advice on a network: what a careful builder would look at again.

zeros        a cell of 0 or 1 can never be overruled by data or evidence                                        (1)
unreachable  P(state) = 0 before anything is seen                                                               (2)
constant     a parent whose states all give the same row: the arc says nothing                                  (3)
disconnected parts that no path joins; a variable by itself                                                     (4)
latent       a hidden variable without children explains nothing                                                (5)
dense        tables with more free parameters than a thousandth of the data would settle                        (6)
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novum.exceptions import ParameterError
from novum.graphical.networks.nodes import Table
from novum.report.numbers import counted
from novum.report.result import Result, result

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["Finding", "Findings", "lint"]

MANY_PARENTS = 5
MANY_PARAMETERS = 10_000
SAME = 1e-12


@result
class Finding(NamedTuple):
    """One remark: which rule, about which variable, in a sentence."""

    rule: str
    variable: Any
    message: str


class Findings(tuple[Finding, ...], Result):
    """The remarks, printed one a line."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(f"{f.rule:12s} {f.message}" for f in self) or "nothing to remark"


def lint(network: "BayesianNetwork", latent: Iterable[Any] = ()) -> Findings:
    """Return remarks (1)-(6); `latent` names variables that are never observed."""
    found = list(structure(network, tuple(latent)))
    discrete = [v for v in network.nodes if v in network.states]
    for v in discrete if network.conditionals else ():
        found.extend(table_remarks(network, v))
    if discrete and len(network.conditionals) == len(network.dag):
        for v, posterior in network.marginals().items():
            never = [s for s, p in zip(network.states[v], posterior.p, strict=True) if p == 0]
            if never:
                found.append(
                    Finding(
                        "unreachable",
                        v,
                        f"{v}: P({v}={never[0]}) = 0 before anything is seen; drop the state, or give it a probability.",
                    )
                )
    if not network.conditionals:
        found.append(Finding("tables", None, "the network has no tables; estimate them with fit(data)."))
    return Findings(found)


def structure(network: "BayesianNetwork", latent: tuple[Any, ...]) -> Iterable[Finding]:
    for v in latent:
        if v not in network.dag:
            raise ParameterError(f"BayesianNetwork.lint(latent=...): no variable {v!r}.")
        if not network.dag.children[v]:
            yield Finding(
                "latent", v, f"{v}: hidden and without children; no data can tell anything about it. Remove it."
            )
    from novum.graphical.graphs.undirected import UndirectedGraph

    parts = UndirectedGraph(network.arcs, network.nodes).components()
    if len(parts) > 1:
        words = " | ".join(", ".join(map(str, part[:5])) + (", ..." if len(part) > 5 else "") for part in parts[:5])
        yield Finding("disconnected", None, f"{counted(len(parts), 'part')} without a path between them: {words}.")
    for v, parents in network.parents.items():
        if len(parents) > MANY_PARENTS:
            yield Finding(
                "dense", v, f"{v}: {len(parents)} parents; a noisy-or, or a variable between them, needs fewer numbers."
            )


def table_remarks(network: "BayesianNetwork", v: Any) -> Iterable[Finding]:
    if not isinstance(network.conditionals[v], Table):
        return
    table = network.conditionals[v].table()
    if len(network.states[v]) == 1:
        yield Finding("constant", v, f"{v}: one state only; it is no variable.")
        return
    zeros = int((table == 0).sum())
    if zeros:
        yield Finding(
            "zeros",
            v,
            f"{v}: {zeros} of {counted(table.size, 'cell', 'are')} zero; no evidence can overrule them. Is it truly impossible?",
        )
    free = int(table.size // table.shape[-1] * (table.shape[-1] - 1))
    if free > MANY_PARAMETERS:
        yield Finding("dense", v, f"{v}: {free} free parameters; learn them from data, or cut parents.")
    for axis, parent in enumerate(network.parents[v]):
        difference = np.abs(table - np.take(table, [0], axis=axis)).max() if table.shape[axis] > 1 else 0.0
        if difference <= SAME:
            yield Finding("constant", v, f"{v}: its table does not depend on {parent}; the arc {parent} -> {v} can go.")
