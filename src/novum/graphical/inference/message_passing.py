r"""Sum-product and max-product on factor graphs without loops.

    mu_{f->x}(x) = sum over x_f \ x of f(x_f) prod_{y in f, y != x} mu_{y->f}(y)                                    (1)
    mu_{x->f}(x) = prod_{g != f} mu_{g->x}(x);    a leaf variable sends 1, a leaf factor sends f(x)                 (2)
    p(x) = prod_f mu_{f->x}(x) / Z,    p(x_f) = f(x_f) prod_y mu_{y->f}(y) / Z                                      (3)
    max-product: the sum of (1) becomes a maximum, whose place Phi_{f->x}(x) is kept; the best configuration is read
    from the root outwards along Phi                                                                                (4)

Messages are kept as logs, so that long chains neither underflow nor overflow. Evidence is a factor that is zero elsewhere.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.graphical.inference.evidence import evidence_text, read_evidence
from novum.graphical.inference.result import Posterior, short
from novum.report.numbers import num
from novum.report.result import Result
from novum.runtime.message_text import first_few

if TYPE_CHECKING:
    from novum.graphical.networks.factor_graph import FactorGraph

__all__ = ["MaxProduct", "SumProduct", "max_product", "sum_product"]

Array = NDArray[np.float64]
Edge = tuple[Any, Any]  # (sender, receiver); a factor is ("factor", name)


class MessageOrder(NamedTuple):
    """The order of messages: every edge towards a root, leaves first, then the same edges away from it."""

    inward: list[Edge]
    roots: list[Any]  # of every tree, a variable


def message_order(graph: "FactorGraph", owner: str, root: Any = None) -> MessageOrder:
    """Return the order towards `root`, which is the first variable of its tree where it is None."""
    if not graph.is_tree:
        raise ParameterError(
            f"{owner}: the factor graph has loops, so messages are not exact; use query(method='junction_tree') or 'loopy_bp'."
        )
    edges: list[Edge] = []
    roots, seen = [], set()
    if root is not None and root not in graph.states:
        raise ParameterError(f"{owner}(root={root!r}): no such variable; there are {first_few(list(graph.states))}.")
    for start in graph.states if root is None else (root, *graph.states):
        if start in seen:
            continue
        roots.append(start)
        seen.add(start)
        queue = [start]
        for node in queue:
            for other in graph.graph.neighbors[node]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
                    edges.append((other, node))
    return MessageOrder(edges[::-1], roots)


def along(table: Array, axis: int, ndim: int) -> Array:
    shape = [1] * ndim
    shape[axis] = len(table)
    return table.reshape(shape)


class _Passing:
    """Logs of factors, local evidence, and the messages sent so far."""

    def __init__(self, graph: "FactorGraph", evidence: Any, owner: str, root: Any = None) -> None:
        self.graph, self.messages = graph, dict[Edge, Array]()
        self.plan = message_order(graph, owner, root)
        with np.errstate(divide="ignore"):
            self.logs = {("factor", f.name): np.log(f.table) for f in graph.factors}
            self.scopes = {("factor", f.name): f.variables for f in graph.factors}
            self.local = {v: np.zeros(len(s)) for v, s in graph.states.items()}
            seen = read_evidence(owner, evidence, graph.states)
            names = list(graph.states)
            for i, state in seen.hard.items():
                self.local[names[i]] = np.log(np.arange(len(graph.states[names[i]])) == state)
            for i, weight in seen.soft.items():
                self.local[names[i]] = np.log(weight)

    def from_variable(self, variable: Any, to: Any) -> Array:
        """Return the log of (2)."""
        total = self.local[variable].copy()
        for other in self.graph.graph.neighbors[variable]:
            if other != to:
                total = total + self.messages[other, variable]
        return total

    def log_product(self, factor: Any, leave: Any = None) -> Array:
        """Return the log of the factor times its incoming messages, that of `leave` left out."""
        scope = self.scopes[factor]
        total = self.logs[factor]
        for axis, variable in enumerate(scope):
            if variable != leave:
                total = total + along(self.messages[variable, factor], axis, len(scope))
        return total

    def edges(self) -> Iterator[Edge]:
        yield from self.plan.inward
        yield from ((b, a) for a, b in self.plan.inward[::-1])

    def schedule(self) -> list[tuple[Any, Any]]:
        """Return (sender, receiver) of every message in the order in which they were sent; a factor by its name."""
        return [(name_of(sender), name_of(receiver)) for sender, receiver in self.messages]


def name_of(node: Any) -> Any:
    """Return a variable, or the name of a factor."""
    return node[1] if is_factor(node) else node


def is_factor(node: Any) -> bool:
    return isinstance(node, tuple) and len(node) == 2 and node[0] == "factor"


def log_sum(x: Array, axes: tuple[int, ...]) -> Array:
    top = np.max(x, axis=axes, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(x - top).sum(axis=axes)) + np.squeeze(top, axis=axes)


class SumProduct(Result):
    """Messages, marginals (3) and the normaliser of a factor graph that is a tree."""

    def __init__(self, passing: _Passing, given: str) -> None:
        self._passing, self.graph, self.given = passing, passing.graph, given
        beliefs = {v: passing.from_variable(v, None) for v in self.graph.states}
        self.log_partition = float(sum(log_sum(beliefs[root], (0,)) for root in passing.plan.roots))
        if self.log_partition == -np.inf:
            raise DataError(f"FactorGraph.sum_product: the evidence {given} has probability zero.")
        self.marginals = {
            v: Posterior(
                np.exp(b - log_sum(b, (0,))), (v,), self.graph.states, given, float("nan"), "exact (sum-product)"
            )
            for v, b in beliefs.items()
        }

    @property
    def partition(self) -> float:
        """The sum of the product of all factors, given the evidence."""
        return float(np.exp(self.log_partition))

    @property
    def n_messages(self) -> int:
        return len(self._passing.messages)

    @property
    def schedule(self) -> list[tuple[Any, Any]]:
        """The messages (sender, receiver) in the order in which they were sent, towards the root first; a factor by its name."""
        return self._passing.schedule()

    def log_message(self, sender: Any, receiver: Any) -> Array:
        """Return the log of a message between a factor, by its name, and a variable."""
        for edge in ((("factor", sender), receiver), (sender, ("factor", receiver))):
            if edge in self._passing.messages:
                return self._passing.messages[edge]
        raise ParameterError(f"log_message({sender!r}, {receiver!r}): these are not a factor and one of its variables.")

    def message(self, sender: Any, receiver: Any) -> Array:
        """Return mu_{sender -> receiver} of (1) or (2)."""
        return np.exp(self.log_message(sender, receiver))

    def belief(self, factor: str) -> Array:
        """Return the marginal (3) of the variables of a factor."""
        log = self._passing.log_product(("factor", factor))
        return np.exp(log - log_sum(log, tuple(range(log.ndim))))

    def _result_columns(self) -> dict[str, Any]:
        rows = [(v, s, x) for v, q in self.marginals.items() for s, x in zip(q.states[v], q.p.tolist(), strict=True)]
        return dict(zip(("variable", "state", "p"), map(list, zip(*rows))))

    def plot(self, ax: Any = None) -> Any:
        """Draw the factor graph with both messages on every edge."""
        from novum.graphical.plots.messages import draw_messages

        return draw_messages(self, ax)

    def __repr__(self) -> str:
        lines = [
            f"  {v}  " + "   ".join(f"{s} {short(float(x))}" for s, x in zip(q.states[v], q.p, strict=True))
            for v, q in list(self.marginals.items())[:20]
        ]
        return "\n".join([f"sum-product: {self.n_messages} messages, log Z = {num(self.log_partition):.6g}", *lines])


class MaxProduct(Result):
    """Messages with back-pointers (4), and the best configuration they lead to.

    Attributes
    ----------
    values : dict of variable to state
        The best configuration; ties go to the state that comes first.
    log_value : float
        The log of the product of the factors there.
    log_max_marginals : dict of variable to ndarray
        The log of the best product for every state of a variable.
    """

    def __init__(self, passing: _Passing, pointers: dict[Edge, NDArray[np.intp]], given: str) -> None:
        self._passing, self._pointers, self.graph, self.given = passing, pointers, passing.graph, given
        chosen: dict[Any, int] = {}
        self.log_value = 0.0
        for root in passing.plan.roots:
            belief = passing.from_variable(root, None)
            chosen[root] = int(np.argmax(belief))
            self.log_value += float(belief[chosen[root]])
        if self.log_value == -np.inf:
            raise DataError(f"FactorGraph.max_product: the evidence {given} has probability zero.")
        for sender, receiver in passing.plan.inward[::-1]:
            if is_factor(sender):
                at = pointers[sender, receiver][chosen[receiver]]
                others = [v for v in passing.scopes[sender] if v != receiver]
                chosen.update(zip(others, (int(i) for i in at), strict=True))
        self.values = {v: states[chosen[v]] for v, states in self.graph.states.items()}
        self.log_max_marginals = {v: passing.from_variable(v, None) + self._elsewhere(v) for v in self.graph.states}

    def _elsewhere(self, variable: Any) -> float:
        """Return the best log value of the other trees."""
        total = 0.0
        inside = next(part for part in self.graph.graph.components() if variable in part)
        for root in self._passing.plan.roots:
            if root not in inside:
                total += float(np.max(self._passing.from_variable(root, None)))
        return total

    @property
    def schedule(self) -> list[tuple[Any, Any]]:
        """The messages (sender, receiver) in the order in which they were sent, towards the root first; a factor by its name."""
        return self._passing.schedule()

    def message(self, sender: Any, receiver: Any) -> Array:
        """Return the message (1) with a maximum for the sum."""
        for edge in ((("factor", sender), receiver), (sender, ("factor", receiver))):
            if edge in self._passing.messages:
                return np.exp(self._passing.messages[edge])
        raise ParameterError(f"message({sender!r}, {receiver!r}): these are not a factor and one of its variables.")

    def pointer(self, factor: str, variable: Any) -> NDArray[np.intp]:
        """Return Phi of (4): for every state of `variable`, the best states of the other variables of the factor."""
        return self._pointers[("factor", factor), variable]

    def optima(self, most: int = 1000, tol: float = 1e-12) -> list[dict[Any, Any]]:
        """Return all best configurations, at most `most`: they tie up to rounding."""
        order = list(self.graph.states)
        found: list[dict[Any, Any]] = []

        def extend(i: int, evidence: dict[Any, Any]) -> None:
            if len(found) >= most:
                return
            if i == len(order):
                found.append(dict(evidence))
                return
            for state in self.graph.states[order[i]]:
                if self._reaches({**evidence, order[i]: state}, tol):
                    extend(i + 1, {**evidence, order[i]: state})

        extend(0, {})
        return found

    def _reaches(self, values: dict[Any, Any], tol: float) -> bool:
        passing = _Passing(self.graph, None, "FactorGraph.max_product")
        place = {v: {s: i for i, s in enumerate(states)} for v, states in self.graph.states.items()}
        passing.local = dict(self._passing.local)
        with np.errstate(divide="ignore"):
            for v, state in values.items():
                passing.local[v] = passing.local[v] + np.log(np.arange(len(place[v])) == place[v][state])
        send_maxima(passing)
        total = sum(float(np.max(passing.from_variable(root, None))) for root in passing.plan.roots)
        return total >= self.log_value - tol * max(1.0, abs(self.log_value))

    def _result_columns(self) -> dict[str, Any]:
        return {"variable": list(self.values), "state": list(self.values.values())}

    def plot(self, ax: Any = None) -> Any:
        """Draw the trellis of a chain: states by rows, variables by columns, best predecessors, the best path."""
        from novum.graphical.plots.messages import draw_trellis

        return draw_trellis(self, ax)

    def __repr__(self) -> str:
        values = ", ".join(f"{v}={s}" for v, s in list(self.values.items())[:20])
        return f"max-product: {values}        log value {num(self.log_value):.6g}"


def send_sums(passing: _Passing) -> None:
    for sender, receiver in passing.edges():
        if is_factor(sender):
            scope = passing.scopes[sender]
            kept = scope.index(receiver)
            axes = tuple(axis for axis in range(len(scope)) if axis != kept)
            passing.messages[sender, receiver] = log_sum(passing.log_product(sender, receiver), axes)
        else:
            passing.messages[sender, receiver] = passing.from_variable(sender, receiver)


def send_maxima(passing: _Passing) -> dict[Edge, NDArray[np.intp]]:
    pointers = {}
    for sender, receiver in passing.edges():
        if is_factor(sender):
            scope = passing.scopes[sender]
            table = np.moveaxis(passing.log_product(sender, receiver), scope.index(receiver), 0)
            flat = table.reshape(len(table), -1)
            best = np.argmax(flat, axis=1)
            passing.messages[sender, receiver] = flat[np.arange(len(flat)), best]
            pointers[sender, receiver] = (
                np.stack(np.unravel_index(best, table.shape[1:]), axis=-1)
                if table.ndim > 1
                else np.empty((len(flat), 0), dtype=np.intp)
            )
        else:
            passing.messages[sender, receiver] = passing.from_variable(sender, receiver)
    return pointers


def sum_product(graph: "FactorGraph", evidence: Any = None, root: Any = None) -> SumProduct:
    """Run (1)-(3)."""
    passing = _Passing(graph, evidence, "FactorGraph.sum_product", root)
    send_sums(passing)
    return SumProduct(passing, evidence_text(evidence))


def max_product(graph: "FactorGraph", evidence: Any = None, root: Any = None) -> MaxProduct:
    """Run (4)."""
    passing = _Passing(graph, evidence, "FactorGraph.max_product", root)
    return MaxProduct(passing, send_maxima(passing), evidence_text(evidence))
