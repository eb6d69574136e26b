"""Nodes of a Bayesian network from what a caller passes: their states, and their distribution in the order of the parents."""

from typing import Any

import numpy as np

from novum.engines.factors.states import plain
from novum.exceptions import ParameterError
from novum.graphical.linear_gaussian.nodes import LinearGaussian
from novum.graphical.networks.nodes import NoisyOr, Table, conditional_table
from novum.runtime.message_text import value_text

__all__ = ["node_of", "states_of"]


def states_of(owner: str, variable: Any, table: Any, states: Any) -> tuple[Any, ...] | None:
    """Return the states of a node of a network, those given or those of its table; None for a real one."""
    if isinstance(table, LinearGaussian):
        return None
    if states is not None and not isinstance(table, Table):
        found = tuple(map(plain, states))
        if isinstance(table, NoisyOr) and len(found) != 2:
            raise ParameterError(
                f"{owner}(states=...): {variable!r} is a NoisyOr and has two states, off and on; got {value_text(found)}."
            )
    elif isinstance(table, NoisyOr | Table):
        found = tuple(table.states)
    elif table is None:
        return None
    else:
        try:
            size = np.shape(table)[-1] if np.ndim(table) else 0
        except ValueError:
            raise ParameterError(
                f"{owner}: the table of {variable!r} must be a regular array; its rows differ in length."
            ) from None
        found = ("no", "yes") if size == 2 else tuple(range(size))
    if not found or len(set(found)) < len(found):
        raise ParameterError(f"{owner}(states=...): {variable!r} needs states that differ, got {value_text(found)}.")
    return found


def node_of(owner: str, variable: Any, given: Any, parents: tuple[Any, ...], states: dict[Any, tuple[Any, ...]]) -> Any:
    """Return a node as a network keeps it, after every check: a table, a NoisyOr or a LinearGaussian among its parents."""
    real = tuple(parent for parent in parents if parent not in states)
    if isinstance(given, LinearGaussian):
        return given.placed(owner, variable, real, tuple(len(states[p]) for p in parents if p not in real))
    if real:
        raise ParameterError(
            f"{owner}: the discrete node {variable!r} has the real parent {real[0]!r}; turn the arc, or cut it into states."
        )
    if isinstance(given, NoisyOr):
        for parent in parents:
            if len(states[parent]) != 2:
                raise ParameterError(f"{owner}: {variable!r} is a NoisyOr, but its parent {parent!r} is not binary.")
        return given.ordered(owner, variable, parents, states[variable])
    shape = tuple(len(states[v]) for v in (*parents, variable))
    return Table(
        conditional_table(owner, variable, given.p if isinstance(given, Table) else given, shape),
        states[variable],
    )
