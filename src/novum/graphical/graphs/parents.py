"""Parents of every node from whatever describes a directed graph, and a cycle where there is one."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from novum.exceptions import ParameterError, ParameterTypeError
from novum.runtime.message_text import value_text

__all__ = ["Parents", "find_cycle", "read_parents"]

Parents = dict[Any, tuple[Any, ...]]


def read_parents(owner: str, graph: Any, nodes: Iterable[Any] = ()) -> Parents:
    """Return node -> parents from a DAG, a networkx digraph, a mapping child -> parents or arcs (parent, child)."""
    if isinstance(known := getattr(graph, "parents", None), dict):
        return dict(known)
    if hasattr(graph, "is_directed") and hasattr(graph, "predecessors"):
        return {node: tuple(graph.predecessors(node)) for node in graph.nodes}
    found: dict[Any, list[Any]] = {node: [] for node in nodes}
    if isinstance(graph, Mapping):
        for child, parents in graph.items():
            if isinstance(parents, str) or not isinstance(parents, Iterable):
                raise ParameterTypeError(
                    f"{owner}: the parents of {child!r} must be a sequence of nodes, got {value_text(parents)}."
                )
            found.setdefault(child, []).extend(parents)
        for parent in [parent for parents in found.values() for parent in parents]:
            found.setdefault(parent, [])
        return {node: tuple(parents) for node, parents in found.items()}
    if isinstance(graph, str) or not isinstance(graph, Iterable):
        raise ParameterTypeError(
            f"{owner}: pass arcs (parent, child), a mapping of child to parents, a DAG or a networkx.DiGraph, "
            f"not {type(graph).__name__}."
        )
    for arc in graph:
        if isinstance(arc, str) or not isinstance(arc, Iterable) or len(pair := tuple(arc)) != 2:
            raise ParameterError(f"{owner}: {value_text(arc)} is no arc; pass pairs (parent, child).")
        if not all(isinstance(node, Hashable) for node in pair):
            raise ParameterTypeError(
                f"{owner}: {value_text(arc)} has a node that cannot be hashed; name nodes by text, numbers or tuples."
            )
        found.setdefault(pair[0], [])
        found.setdefault(pair[1], []).append(pair[0])
    return {node: tuple(parents) for node, parents in found.items()}


def find_cycle(parents: Mapping[Any, tuple[Any, ...]]) -> list[Any]:
    """Return a directed cycle as a list of nodes that ends where it begins, or []."""
    state: dict[Any, int] = {}  # 1: on the way, 2: done
    for start in parents:
        if start in state:
            continue
        path, stack = [start], [iter(parents[start])]
        state[start] = 1
        while stack:
            for parent in stack[-1]:
                if state.get(parent) == 1:
                    loop = path[path.index(parent) :]
                    return [parent, *loop[:0:-1], parent]
                if parent not in state:
                    state[parent] = 1
                    path.append(parent)
                    stack.append(iter(parents[parent]))
                    break
            else:
                stack.pop()
                state[path.pop()] = 2
    return []
