"""Arrays whose axes have names and whose places have labels: the ground that tables of probabilities stand on."""

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError

__all__ = ["align_axes", "check_names", "check_states", "evaluate_states", "known_names", "places", "sum_to"]

States = dict[str, tuple[Any, ...]]


def known_names(owner: str, which: Any, names: Iterable[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple of known, different names."""
    chosen = (which,) if isinstance(which, str) else tuple(which)
    known = tuple(names)
    for name in chosen:
        if name not in known:
            raise ParameterError(f"{owner}: there is no variable {name!r}; the variables are {', '.join(known)}.")
    if len(set(chosen)) < len(chosen):
        raise ParameterError(f"{owner}: a variable is named twice in {', '.join(chosen)}.")
    return chosen


def check_names(owner: str, names: Any, n_axes: int) -> tuple[str, ...]:
    """Return a name per axis: x0, x1, ... where none are given."""
    if names is None:
        return tuple(f"x{i}" for i in range(n_axes))
    chosen = (names,) if isinstance(names, str) else tuple(names)
    if len(chosen) != n_axes or len(set(chosen)) < n_axes or not all(isinstance(name, str) for name in chosen):
        raise ParameterError(f"{owner}: names={names!r} must be {n_axes} different strings, one per axis.")
    return chosen


def check_states(owner: str, states: Any, names: tuple[str, ...], shape: tuple[int, ...]) -> States:
    """Return the labels of every axis: 0, 1, ... where none are given."""
    if states is None:
        return {name: tuple(range(size)) for name, size in zip(names, shape)}
    given = dict(states) if isinstance(states, Mapping) else dict(zip(names, states))
    if set(given) - set(names):
        raise ParameterError(f"{owner}: states names {sorted(set(given) - set(names))}, which are no variables.")
    found: States = {}
    for name, size in zip(names, shape):
        labels = tuple(given.get(name, range(size)))
        if len(labels) != size or len(set(labels)) < size:
            raise ParameterError(
                f"{owner}: variable {name!r} has {size} places and the states {labels}; give {size} different."
            )
        found[name] = labels
    return found


def places(owner: str, evidence: Mapping[str, Any], states: States) -> dict[str, int]:
    """Return the place of every observed state."""
    known_names(owner, tuple(evidence), states)
    found = {}
    for name, value in evidence.items():
        try:
            found[name] = states[name].index(value)
        except ValueError:
            known = ", ".join(map(repr, states[name]))
            raise DataError(f"{owner}: {name!r} has no state {value!r}; its states are {known}.") from None
    return found


def sum_to(p: NDArray[Any], names: tuple[str, ...], keep: tuple[str, ...]) -> NDArray[Any]:
    """Return the sum over all axes but `keep`, whose axes come in that order."""
    out = p.sum(axis=tuple(i for i, name in enumerate(names) if name not in keep))
    order = [name for name in names if name in keep]
    return np.transpose(out, [order.index(name) for name in keep])


def align_axes(p: NDArray[Any], names: tuple[str, ...], target: tuple[str, ...]) -> NDArray[Any]:
    """Return p with its axes in the order of `target`, of length one where p does not have them."""
    present = [name for name in target if name in names]
    moved = np.transpose(p, [names.index(name) for name in present])
    return moved.reshape([moved.shape[present.index(name)] if name in names else 1 for name in target])


def evaluate_states(owner: str, function: Callable[..., Any], states: States) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the values of a function over all states of the variables that its arguments name, and these names."""
    arguments = known_names(owner, tuple(signature(function).parameters), states)
    shape = [len(states[name]) for name in arguments]
    values = np.empty(shape, dtype=object)
    for place, outcome in zip(np.ndindex(*shape), product(*(states[name] for name in arguments))):
        values[place] = function(*outcome)
    return values, arguments
