r"""d-separation: which independences a directed graph implies, and by which paths.

An inner node c of a path a - c - b is a fork (a <- c -> b), a chain (a -> c -> b) or a collider (a -> c <- b).

    a fork or a chain lets dependence pass   <=>  c is not observed                                             (1)
    a collider lets dependence pass          <=>  c or a descendant of c is observed                            (2)
    a path is open if all its inner nodes let dependence pass; A and B are d-separated by C if no path between
    them is open, and then A is independent of B given C in every p that factorizes over the graph              (3)
    Markov blanket of x: parents, children and the other parents of the children                                (4)
    local:  x independent of NonDesc(x) \ Pa(x) given Pa(x);   global: all (A, B, C) that are d-separated        (5)

(3) is decided in one search over pairs (node, direction of arrival), which takes time linear in the arcs. The first path it
finds is a shortest one, and it never meets a node twice: a detour could be cut out and the rest would stay open.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from novum.exceptions import ParameterError
from novum.report.numbers import counted
from novum.report.result import Result, result
from novum.runtime.checks import check_choice
from novum.runtime.message_text import first_few

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG

__all__ = [
    "Connection",
    "DSeparation",
    "Independence",
    "Path",
    "d_separated",
    "independences",
    "markov_blanket",
    "paths",
]

PATHS_SHOWN = 6  # blocked paths that a repr spells out; their number may be exponential
MOST_NODES = 16  # whose global independences are listed: 15 * 2^18 statements at worst


@result
class Independence(NamedTuple):
    """a is independent of b given c; each is a tuple of nodes."""

    a: tuple[Any, ...]
    b: tuple[Any, ...]
    given: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        a, b, given = (", ".join(map(str, part)) for part in self)
        return f"{a} ⊥ {b}" + (f" | {given}" if given else "")


@result
class Connection(NamedTuple):
    """An inner node of a path: a fork, a chain or a collider, and whether it lets dependence pass, by (1) or (2)."""

    node: Any
    kind: str
    open: bool
    reason: str

    def __repr__(self) -> str:
        return f"{self.node} is a {self.kind} and {self.reason}"


@result
class Path(NamedTuple):
    """A path between two nodes, with what happens at every inner node.

    `forward[i]` says whether the arc between nodes i and i + 1 points along the path.
    """

    nodes: tuple[Any, ...]
    forward: tuple[bool, ...]
    connections: tuple[Connection, ...]

    @property
    def open(self) -> bool:
        return all(connection.open for connection in self.connections)

    @property
    def blocked_by(self) -> tuple[Any, ...]:
        """The nodes that block the path; none if it is open."""
        return tuple(connection.node for connection in self.connections if not connection.open)

    @property
    def arrows(self) -> str:
        """The path in words: `a -> e <- f`."""
        parts = [str(self.nodes[0])]
        for node, along in zip(self.nodes[1:], self.forward, strict=True):
            parts += ["->" if along else "<-", str(node)]
        return " ".join(parts)

    @property
    def reason(self) -> str:
        """Why the path is open, or what blocks it."""
        if not self.connections:
            return "they are joined by an arc"
        if not self.open:
            return "; ".join(repr(connection) for connection in self.connections if not connection.open)
        colliders = [repr(c) for c in self.connections if c.kind == "collider"]
        others = [c for c in self.connections if c.kind != "collider"]
        if len(others) > 1:
            colliders.append(f"{', '.join(str(c.node) for c in others)} are not observed")
        return "; ".join(colliders + [repr(c) for c in others if len(others) == 1])

    def __repr__(self) -> str:
        return f"{'open' if self.open else 'blocked'} path {self.arrows} ({self.reason})"


class DSeparation(Result):
    """Whether (3) holds, and why: true in an `if` where the sets are d-separated.

    Attributes
    ----------
    separated : bool
    a, b, given : tuple of nodes
    path : Path or None
        A shortest open path where they are not separated.
    """

    def __init__(
        self, dag: "DAG", a: tuple[Any, ...], b: tuple[Any, ...], given: tuple[Any, ...], path: Path | None
    ) -> None:
        self._dag, self.a, self.b, self.given, self.path = dag, a, b, given, path
        self.separated = path is None

    def __bool__(self) -> bool:
        return self.separated

    def paths(self) -> Iterator[Path]:
        """Yield every path between the two sets, open or blocked, with the reasons."""
        for a in self.a:
            for b in self.b:
                yield from paths(self._dag, a, b, self.given)

    def _result_columns(self) -> dict[str, Any]:
        sides = {name: [", ".join(map(str, getattr(self, name)))] for name in ("a", "b", "given")}
        return {**sides, "separated": [self.separated], "open_path": [self.path]}

    def __repr__(self) -> str:
        if self.path is not None:
            return f"False: {self.path!r}"
        found = list(islice(self.paths(), PATHS_SHOWN + 1))
        if not found:
            return f"True: there is no path between {', '.join(map(str, self.a))} and {', '.join(map(str, self.b))}"
        if len(found) == 1:
            return f"True: {found[0]!r}"
        if len(found) > PATHS_SHOWN:
            return "\n".join(["True: every path is blocked, among them", *(f"  {p!r}" for p in found[:PATHS_SHOWN])])
        return "\n".join([f"True: all {counted(len(found), 'path', 'are')} blocked", *(f"  {p!r}" for p in found)])

    def plot(self, ax: Any = None) -> Any:
        """Draw the graph with the observed nodes filled, open paths in one color and blocked ones in another."""
        from novum.graphical.plots.graphs import draw_separation

        return draw_separation(self._dag, self, ax)


def known_nodes(dag: "DAG", owner: str, nodes: Any) -> tuple[Any, ...]:
    """Return one node, or several, as a tuple; what is no node raises."""
    try:
        if nodes in dag.parents:
            return (nodes,)
    except TypeError:
        pass
    found = tuple(nodes) if isinstance(nodes, Iterable) else (nodes,)
    unknown = [node for node in found if node not in dag.parents]
    if unknown:
        wrong = nodes if isinstance(nodes, str) else unknown[0]
        raise ParameterError(f"{owner}: no node {wrong!r}; the nodes are {first_few(dag.nodes)}.")
    return tuple(dict.fromkeys(found))


def three_sets(dag: "DAG", owner: str, a: Any, b: Any, given: Any) -> tuple[tuple[Any, ...], ...]:
    sets = [known_nodes(dag, owner, nodes) for nodes in (a, b, () if given is None else given)]
    for (one, first), (other, second) in combinations(zip(("a", "b", "given"), sets, strict=True), 2):
        shared = [node for node in first if node in set(second)]
        if shared:
            raise ParameterError(f"{owner}: {shared[0]!r} is in {one} and in {other}; the sets must not share nodes.")
    return tuple(sets)


def ancestral(dag: "DAG", nodes: Iterable[Any]) -> set[Any]:
    """Return the nodes and their ancestors: where a collider is open (2)."""
    seen: set[Any] = set()
    queue = list(nodes)
    while queue:
        node = queue.pop()
        if node not in seen:
            seen.add(node)
            queue.extend(dag.parents[node])
    return seen


def search(dag: "DAG", sources: Iterable[Any], given: Iterable[Any]) -> dict[tuple[Any, bool], tuple[Any, bool] | None]:
    """Return every state (node, arrived along an arrow) on an open walk from the sources, nearest first, with the one before."""
    observed = set(given)
    awake = ancestral(dag, observed)
    came: dict[tuple[Any, bool], tuple[Any, bool] | None] = {(node, False): None for node in sources}
    queue = list(came)
    for state in queue:
        node, along = state
        onward: list[tuple[Any, bool]] = []
        if node not in observed:  # (1): on to the children; to the parents unless we came from one
            onward += [(child, True) for child in dag.children[node]]
        if (along and node in awake) or (not along and node not in observed):  # (2), or a chain upwards
            onward += [(parent, False) for parent in dag.parents[node]]
        for other in onward:
            if other not in came:
                came[other] = state
                queue.append(other)
    return came


def describe_path(dag: "DAG", nodes: tuple[Any, ...], given: tuple[Any, ...]) -> Path:
    """Return a path with the state (1), (2) of its inner nodes."""
    forward = tuple(one in dag.parents[other] for one, other in pairwise(nodes))
    observed, connections = set(given), []
    for i, node in enumerate(nodes[1:-1], 1):
        into, out = forward[i - 1], forward[i]
        kind = "collider" if into and not out else "fork" if not into and out else "chain"
        seen = node in observed
        if kind != "collider" or seen:
            let = seen == (kind == "collider")
            connections.append(Connection(node, kind, let, "is observed" if seen else "is not observed"))
            continue
        below = dag.descendants(node)
        witness = next((other for other in given if other in below), None)
        closed = "neither it nor a descendant is observed" if below else "is not observed"
        reason = closed if witness is None else f"its descendant {witness} is observed"
        connections.append(Connection(node, kind, witness is not None, reason))
    return Path(nodes, forward, tuple(connections))


def d_separated(dag: "DAG", a: Any, b: Any, given: Any = (), owner: str = "DAG.d_separated") -> DSeparation:
    """Decide (3)."""
    first, second, observed = three_sets(dag, owner, a, b, given)
    came = search(dag, first, observed)
    ends = set(second)
    state = next((state for state in came if state[0] in ends), None)
    if state is None:
        return DSeparation(dag, first, second, observed, None)
    nodes = []
    while state is not None:
        nodes.append(state[0])
        state = came[state]
    return DSeparation(dag, first, second, observed, describe_path(dag, tuple(nodes[::-1]), observed))


def paths(dag: "DAG", a: Any, b: Any, given: Any = ()) -> Iterator[Path]:
    """Yield the paths between two nodes, depth first; a step is taken only where the end can still be reached."""
    (start, *more), (end, *others), observed = three_sets(dag, "DAG.paths", a, b, given)
    if more or others:
        raise ParameterError("DAG.paths: a and b are single nodes; d_separated(a, b).paths() takes sets.")
    joined = {node: (*dag.parents[node], *dag.children[node]) for node in dag.nodes}

    def reaches(used: set[Any]) -> set[Any]:
        seen, queue = {end}, [end]
        while queue:
            for other in joined[queue.pop()]:
                if other not in seen and other not in used:
                    seen.add(other)
                    queue.append(other)
        return seen

    def steps(path: tuple[Any, ...]) -> Iterator[Any]:
        within = reaches(set(path))
        return iter([node for node in joined[path[-1]] if node in within])

    stack: list[tuple[tuple[Any, ...], Iterator[Any]]] = [((start,), steps((start,)))]
    while stack:
        path, following = stack[-1]
        for node in following:
            if node == end:
                yield describe_path(dag, (*path, node), observed)
                continue
            stack.append(((*path, node), steps((*path, node))))
            break
        else:
            stack.pop()


def markov_blanket(dag: "DAG", node: Any) -> set[Any]:
    """Return (4)."""
    (found,) = known_nodes(dag, "DAG.markov_blanket", (node,))
    children = dag.children[found]
    return {*dag.parents[found], *children, *(p for child in children for p in dag.parents[child])} - {found}


def independences(dag: "DAG", kind: str) -> list[Independence]:
    """Return (5): the local statements, or every pair that is d-separated by some set of others, smallest sets first."""
    check_choice("DAG.independences", "kind", kind, ("local", "global"))
    nodes = dag.nodes
    if kind == "local":
        rest = {x: dag.non_descendants(x) - set(dag.parents[x]) for x in nodes}
        return [Independence((x,), tuple(n for n in nodes if n in rest[x]), dag.parents[x]) for x in nodes if rest[x]]
    if len(nodes) > MOST_NODES:
        raise ParameterError(
            f"DAG.independences(kind='global'): {counted(len(nodes), 'node', 'have')} too many statements (at most "
            f"{counted(MOST_NODES, 'node', 'are')} "
            "listed); ask d_separated, or take kind='local', from which the others follow."
        )
    found = []
    for size in range(len(nodes) - 1):
        for given in combinations(nodes, size):
            for i, a in enumerate(nodes):
                if a not in given:
                    met = {node for node, _ in search(dag, (a,), given)}
                    found += [
                        Independence((a,), (b,), given) for b in nodes[i + 1 :] if b not in met and b not in given
                    ]
    return found
