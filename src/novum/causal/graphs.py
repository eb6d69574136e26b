r"""What a causal graph says about the effect of X on Y.

    confounder: H with a directed path to X that avoids Y, and one to Y that avoids X                                (1)
    back-door criterion for S: no descendant of X is in S, and S blocks every path from X to Y that begins with an
    arrow into X; then  p(y | do x) = sum_s p(y | x, s) p(s)                                                         (2)
    front-door criterion for M: M meets every directed path from X to Y, nothing confounds X and M, and X blocks every
    back-door path from M to Y; then  p(y | do x) = sum_m p(m | x) sum_x' p(y | x', m) p(x')                         (3)

The paths that begin with an arrow into X are those left when the arrows out of X are cut: (2) is a d-separation in that graph.
"""

from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

from novum.exceptions import ParameterError
from novum.graphical import DAG, BayesianNetwork
from novum.report.numbers import counted
from novum.report.result import result
from novum.runtime.message_text import first_few
from novum.runtime.typing import Arcs, Label, Labels

__all__ = ["CriterionCheck", "backdoor_sets", "confounders", "dag_of", "is_backdoor_set", "is_frontdoor_set"]

MOST_CANDIDATES = 24  # variables whose subsets are searched: more have more subsets than anyone will read


@result
class CriterionCheck(NamedTuple):
    """Whether a set is admissible, and why not."""

    admissible: bool
    reason: str
    dag: DAG
    separation: Any = None  # of treatment and outcome, the arrows out of the treatment cut

    def plot(self, ax: Any = None) -> Any:
        """Draw the graph with the adjustment set filled, open back-door paths in one color and blocked ones in another."""
        if self.separation is None:
            return self.dag.plot(ax)
        from novum.graphical.plots.graphs import draw_separation

        ax = draw_separation(self.dag, self.separation, ax)
        ax.set_title(f"{self.separation.a[0]}, {self.separation.b[0]}: {'admissible' if self else 'not admissible'}")
        return ax

    def __bool__(self) -> bool:
        return self.admissible

    def __repr__(self) -> str:
        return f"{self.admissible}: {self.reason}"


def dag_of(owner: str, graph: Any) -> DAG:
    """Return the graph of a network, a DAG, or what a DAG is made from."""
    if isinstance(graph, BayesianNetwork):
        return graph.dag
    return graph if isinstance(graph, DAG) else DAG(graph)


def checked_nodes(owner: str, dag: DAG, **nodes: Any) -> None:
    for name, node in nodes.items():
        if node not in dag:
            raise ParameterError(f"{owner}({name}={node!r}): no such node; the nodes are {first_few(dag)}.")


def node_set(owner: str, dag: DAG, name: str, nodes: Any) -> tuple[Any, ...]:
    """Return one node or several as a tuple."""
    try:
        if nodes in dag:
            return (nodes,)
    except TypeError:
        pass
    found = (nodes,) if isinstance(nodes, str) else tuple(nodes)
    for node in found:
        checked_nodes(owner, dag, **{name: node})
    return found


def confounders(graph: DAG | BayesianNetwork | Arcs, treatment: Label, outcome: Label) -> set[Any]:
    """Return the confounders (1) of a treatment and an outcome.

        confounder: H with a directed path to X that avoids Y, and one to Y that avoids X    (1)

    Examples
    --------
    >>> from novum.causal import confounders
    >>> sorted(confounders([("age", "drug"), ("age", "cure"), ("drug", "cure"), ("luck", "cure")], "drug", "cure"))
    ['age']
    """
    dag = dag_of("confounders", graph)
    checked_nodes("confounders", dag, treatment=treatment, outcome=outcome)
    without_y = dag.subgraph(node for node in dag if node != outcome)
    without_x = dag.subgraph(node for node in dag if node != treatment)
    return without_y.ancestors(treatment) & without_x.ancestors(outcome)


def without_arrows_out(dag: DAG, nodes: Iterable[Any]) -> DAG:
    cut = set(nodes)
    return DAG({n: tuple(p for p in parents if p not in cut) for n, parents in dag.parents.items()}, dag.nodes)


def is_backdoor_set(
    graph: DAG | BayesianNetwork | Arcs, treatment: Label, outcome: Label, adjustment: Labels = ()
) -> CriterionCheck:
    """Return whether a set satisfies the back-door criterion (2), with the open path or the rule it breaks.

        arrow into X; then  p(y | do x) = sum_s p(y | x, s) p(s)    (2)

    Examples
    --------
    >>> from novum.causal import is_backdoor_set
    >>> graph = [("h", "x"), ("h", "y"), ("x", "y")]
    >>> is_backdoor_set(graph, "x", "y")
    False: open path x <- h -> y (h is a fork and is not observed)
    >>> is_backdoor_set(graph, "x", "y", "h")
    True: every back-door path is blocked
    """
    owner = "is_backdoor_set"
    dag = dag_of(owner, graph)
    checked_nodes(owner, dag, treatment=treatment, outcome=outcome)
    given = node_set(owner, dag, "adjustment", adjustment)
    if treatment == outcome:
        raise ParameterError(f"{owner}: treatment and outcome are both {treatment!r}.")
    for node in given:
        if node in (treatment, outcome):
            return CriterionCheck(False, f"{node} is the {'treatment' if node == treatment else 'outcome'} itself", dag)
    below = dag.descendants(treatment)
    for node in given:
        if node in below:
            return CriterionCheck(False, f"{node} is a descendant of {treatment}", dag)
    found = without_arrows_out(dag, [treatment]).d_separated(treatment, outcome, given)
    if found:
        return CriterionCheck(True, "every back-door path is blocked", dag, found)
    return CriterionCheck(False, repr(found).partition(": ")[2], dag, found)


def backdoor_sets(
    graph: DAG | BayesianNetwork | Arcs, treatment: Label, outcome: Label, observed: Labels | None = None
) -> list[tuple[Any, ...]]:
    """Return all minimal sets that satisfy the back-door criterion, smallest first; [()] where nothing has to be adjusted for.

    Parameters
    ----------
    graph : DAG, BayesianNetwork, or arcs (parent, child)
    treatment, outcome : nodes
    observed : nodes, optional
        Those that may be used; all, by default.

    Examples
    --------
    >>> from novum.causal import backdoor_sets
    >>> arcs = [("x1", "x3"), ("x1", "x4"), ("x2", "x4"), ("x2", "x5"), ("x3", "x7"), ("x4", "x7")]
    >>> arcs += [("x4", "x8"), ("x5", "x8"), ("x7", "x8")]
    >>> backdoor_sets(arcs, "x7", "x8")
    [('x1', 'x4'), ('x3', 'x4'), ('x4', 'x2'), ('x4', 'x5')]
    """
    owner = "backdoor_sets"
    dag = dag_of(owner, graph)
    checked_nodes(owner, dag, treatment=treatment, outcome=outcome)
    if treatment == outcome:
        raise ParameterError(f"{owner}: treatment and outcome are both {treatment!r}.")
    allowed = set(dag.nodes) if observed is None else set(node_set(owner, dag, "observed", observed))
    cut = without_arrows_out(dag, [treatment])
    # A node of a minimal set lies on a path that has to be blocked, and all nodes of it are ancestors of what is separated.
    useful = (cut.ancestors(treatment) | cut.ancestors(outcome)) - dag.descendants(treatment) - {treatment, outcome}
    candidates = [node for node in dag.nodes if node in useful and node in allowed]
    if not cut.d_separated(treatment, outcome, candidates):
        return []  # a set of ancestors separates if and only if all allowed ones do
    if len(candidates) > MOST_CANDIDATES:
        raise ParameterError(
            f"{owner}: {counted(len(candidates), 'variable')} could be adjusted for; name at most {MOST_CANDIDATES} by observed=."
        )
    found: list[tuple[Any, ...]] = []
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            if any(set(smaller) <= set(chosen) for smaller in found):
                continue
            if cut.d_separated(treatment, outcome, chosen):
                found.append(chosen)
    return found


def is_frontdoor_set(
    graph: DAG | BayesianNetwork | Arcs, treatment: Label, outcome: Label, mediators: Labels
) -> CriterionCheck:
    """Return whether a set satisfies the front-door criterion (3), with the rule it breaks.

    back-door path from M to Y; then  p(y | do x) = sum_m p(m | x) sum_x' p(y | x', m) p(x')    (3)
    """
    owner = "is_frontdoor_set"
    dag = dag_of(owner, graph)
    checked_nodes(owner, dag, treatment=treatment, outcome=outcome)
    through = node_set(owner, dag, "mediators", mediators)
    around = dag.subgraph(node for node in dag if node not in through)
    if treatment in through or outcome in through:
        return CriterionCheck(False, "treatment and outcome cannot mediate", dag)
    if outcome in around.descendants(treatment):
        return CriterionCheck(
            False,
            f"a directed path from {treatment} to {outcome} avoids {', '.join(map(str, through)) or 'the empty set'}",
            dag,
        )
    first = without_arrows_out(dag, [treatment]).d_separated(treatment, through, ()) if through else True
    if not first:
        return CriterionCheck(
            False, f"{treatment} and the mediators are confounded: {repr(first).partition(': ')[2]}", dag
        )
    second = without_arrows_out(dag, through).d_separated(through, outcome, (treatment,)) if through else True
    if not second:
        return CriterionCheck(
            False, f"the mediators and {outcome} are confounded: {repr(second).partition(': ')[2]}", dag
        )
    return CriterionCheck(True, "every directed path is mediated, and no back-door path is open", dag)
