r"""Plates unrolled: a graph whose nodes are repeated for every example, with what the examples share.

    x(i) for i = 1..N, arcs u(i) -> x(i) for u in Pa(x); a node outside of the plate stays single and is joined to all  (15)
    theta_x -> x(i) for every i: the parameters of p(x | Pa(x)) as a node                                               (16)

In (16), all parameters are d-separated from each other given complete examples, so each table can be learned by itself; a
missing cell whose node has children opens paths between them.
"""

from typing import TYPE_CHECKING, Any

from novum.exceptions import ParameterError
from novum.graphical.graphs.separation import known_nodes
from novum.runtime.checks import check_count

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG

__all__ = ["unroll"]


def unroll(dag: "DAG", n: int, outside: Any, parameters: bool) -> "DAG":
    """Return (15), with (16) where requested."""
    from novum.graphical.graphs.dag import DAG

    owner = "DAG.unroll"
    n = check_count(owner, "n", n)
    single = set(known_nodes(dag, owner, outside))

    def copies(node: Any) -> list[str]:
        return [str(node)] if node in single else [f"{node}({i})" for i in range(1, n + 1)]

    repeated = [node for node in dag.nodes if node not in single]
    parents: dict[str, list[str]] = {f"theta_{node}": [] for node in repeated} if parameters else {}
    names = [*parents, *(copy for node in dag.nodes for copy in copies(node))]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"{owner}: two nodes would be called {twice!r}; rename the nodes of the graph.")
    for i in range(n):
        for node in repeated:
            found = [copies(p)[0 if p in single else i] for p in dag.parents[node]]
            parents[copies(node)[i]] = found + [f"theta_{node}"] * parameters
    for node in dag.nodes:
        if node in single:
            parents[str(node)] = [copy for parent in dag.parents[node] for copy in copies(parent)]
    return DAG(parents)
