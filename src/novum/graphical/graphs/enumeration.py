r"""All directed acyclic graphs over a few nodes, and their classes of I-equivalence.

    a(n) = sum_{k=1..n} (-1)^(k+1) C(n, k) 2^(k(n-k)) a(n-k),   a(0) = 1      DAGs over n labelled nodes        (11)

(Robinson 1973): k nodes without parents, inclusion and exclusion. A graph over n nodes is one over the first n - 1 with a last
node added, its parents and its children such that no child is an ancestor of a parent; so every graph is met once.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

from novum.exceptions import ParameterError
from novum.graphical.graphs.equivalence import EssentialGraph, essential_graph
from novum.report.numbers import counted, num
from novum.report.result import Result, result

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG

__all__ = ["EquivalenceClass", "EquivalenceClasses", "count_dags", "enumerate_dags", "equivalence_classes"]

MOST_LISTED = 6  # 3 781 503 graphs, one at a time
MOST_PARTITIONED = 5  # 29 281 graphs in 8 782 classes, held together

Masks = tuple[int, ...]  # the parents of every node as bits


@cache
def count_dags(n: int) -> int:
    """Return (11)."""
    if n == 0:
        return 1
    return sum((-1) ** (k + 1) * comb(n, k) * 2 ** (k * (n - k)) * count_dags(n - k) for k in range(1, n + 1))


def ancestors_of(parents: Masks) -> list[int]:
    """Return the ancestors of every node, itself among them, as bits."""
    found = [1 << i | mask for i, mask in enumerate(parents)]
    for middle in range(len(found)):
        for i, mask in enumerate(found):
            if mask >> middle & 1:
                found[i] |= found[middle]
    return found


def all_masks(n: int) -> Iterator[Masks]:
    if n == 0:
        yield ()
        return
    last = n - 1
    for parents in all_masks(last):
        above = ancestors_of(parents)
        for chosen in range(1 << last):
            forbidden = 0  # ancestors of the chosen parents cannot be children
            for i in range(last):
                if chosen >> i & 1:
                    forbidden |= above[i]
            for below in range(1 << last):
                if not below & forbidden:
                    yield (*(mask | (below >> i & 1) << last for i, mask in enumerate(parents)), chosen)


def named_graph(nodes: Sequence[Any], parents: Masks) -> "DAG":
    from novum.graphical.graphs.dag import DAG

    return DAG({node: [other for j, other in enumerate(nodes) if mask >> j & 1] for node, mask in zip(nodes, parents)})


def class_key(parents: Masks) -> tuple[Masks, frozenset[tuple[int, int, int]]]:
    """Return skeleton and immoralities: equal for I-equivalent graphs only."""
    n = len(parents)
    joined = list(parents)
    for child, mask in enumerate(parents):
        for j in range(n):
            if mask >> j & 1:
                joined[j] |= 1 << child
    wedges = frozenset(
        (child, a, b)
        for child, mask in enumerate(parents)
        for a in range(n)
        if mask >> a & 1
        for b in range(a)
        if mask >> b & 1 and not joined[a] >> b & 1
    )
    return tuple(joined), wedges


def checked_nodes(owner: str, nodes: Any, most: int) -> tuple[Any, ...]:
    found = tuple(range(nodes)) if isinstance(nodes, int) else tuple(nodes)
    if len(set(found)) < len(found) or not found:
        raise ParameterError(f"{owner}({nodes!r}): name at least one node, each once.")
    if len(found) > most:
        raise ParameterError(
            f"{owner}: {counted(len(found), 'node', 'have')} {num(float(count_dags(len(found)))):.3g} graphs; at "
            f"most {counted(most, 'node', 'are')} listed."
        )
    return found


def enumerate_dags(nodes: Any) -> Iterator["DAG"]:
    """Yield every DAG over the nodes."""
    found = checked_nodes("DAG.enumerate", nodes, MOST_LISTED)
    return (named_graph(found, masks) for masks in all_masks(len(found)))


@result
class EquivalenceClass(NamedTuple):
    """I-equivalent graphs and the essential graph that stands for them."""

    essential: EssentialGraph
    members: tuple["DAG", ...]

    def __repr__(self) -> str:
        return f"{self.essential!r}        {len(self.members)} member{'s' * (len(self.members) > 1)}"


class EquivalenceClasses(tuple[EquivalenceClass, ...], Result):
    """The classes of all DAGs over some nodes, in order of their number of arcs."""

    __slots__ = ()

    @property
    def n_graphs(self) -> int:
        return sum(len(one.members) for one in self)

    def __repr__(self) -> str:
        shown = [f"  {one!r}" for one in self[:12]] + ["  ..."] * (len(self) > 12)
        return "\n".join(
            [f"{self.n_graphs} DAGs in {len(self)} class{'es' * (len(self) > 1)} of I-equivalence", *shown]
        )

    def _result_columns(self) -> dict[str, Any]:
        return {"class": [repr(one.essential) for one in self], "members": [len(one.members) for one in self]}

    def plot(self, ax: Any = None, *, figure: Any = None) -> Any:
        """Draw the members of each class side by side, a row for each of the first classes; return the axes (class, member).

        They are drawn into a figure (a new one unless it is given); on given axes there is room for the sizes of the classes only.
        """
        if ax is not None and not hasattr(ax, "subplots"):
            return super().plot(ax)
        from novum.graphical.plots.graphs import draw_classes

        return draw_classes(self, figure if ax is None else ax)


def equivalence_classes(nodes: Iterable[Any] | int) -> EquivalenceClasses:
    """Return the partition of all DAGs over the nodes."""
    names = checked_nodes("DAG.equivalence_classes", nodes, MOST_PARTITIONED)
    groups: dict[Any, list[Masks]] = {}
    for masks in all_masks(len(names)):
        groups.setdefault(class_key(masks), []).append(masks)
    found = []
    for group in sorted(groups.values(), key=lambda g: sum(mask.bit_count() for mask in g[0])):
        members = tuple(named_graph(names, masks) for masks in group)
        found.append(EquivalenceClass(essential_graph(members[0]), members))
    return EquivalenceClasses(found)
