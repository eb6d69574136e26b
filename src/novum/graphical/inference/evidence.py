"""Evidence by name into numbers: hard evidence is a state, soft evidence a likelihood of every state.

{"gauge": "empty"}                       gauge was seen empty
{"gauge": [0.2, 0.6]}                    P(what was seen | gauge = state), up to a factor, in the order of the states
{"gauge": {"empty": 0.2, "full": 0.6}}   the same by name; states left out have likelihood zero
"""

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError, ParameterTypeError
from novum.runtime.message_text import MOST_NAMES, first_few, value_text

__all__ = ["Evidence", "evidence_text", "known_variables", "read_evidence", "read_query", "state_index"]

States = Mapping[Any, tuple[Any, ...]]


class Evidence(NamedTuple):
    """What was seen, by the numbers of variables and states."""

    hard: dict[int, int]
    soft: dict[int, NDArray[np.float64]]  # likelihood of every state

    @property
    def observed(self) -> tuple[int, ...]:
        return tuple(self.hard)

    @property
    def row(self) -> NDArray[np.int32]:
        return np.array([list(self.hard.values())], dtype=np.int32).reshape(1, len(self.hard))


def check_known(owner: str, name: str, variable: Any, states: Mapping[Any, Any]) -> Any:
    if not isinstance(variable, Hashable) or variable not in states:
        raise ParameterError(
            f"{owner}({name}={value_text(variable)}): no such variable; the variables are {first_few(states)}."
        )
    return variable


def known_variables(owner: str, name: str, variables: Any, states: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Return one variable, or several, as a tuple of known names that differ."""
    if isinstance(variables, str) or (isinstance(variables, Hashable) and variables in states):
        return (check_known(owner, name, variables, states),)
    if not isinstance(variables, Iterable):
        raise ParameterTypeError(
            f"{owner}({name}={value_text(variables)}): pass the name of a variable, or several names."
        )
    names = tuple(check_known(owner, name, variable, states) for variable in variables)
    if len(set(names)) < len(names):
        raise ParameterError(f"{owner}({name}={value_text(variables)}): a variable is named twice.")
    return names


def state_index(owner: str, what: str, variable: Any, value: Any, states: States) -> int:
    """Return the number of a state."""
    for i, state in enumerate(states[variable]):
        if state == value and isinstance(state, bool | np.bool_) == isinstance(value, bool | np.bool_):
            return i
    raise ParameterError(
        f"{owner}: {what}={value_text(value)} is no state of {variable!r}; its states are "
        f"{first_few(states[variable], quoted=True)}."
    )


def likelihood(owner: str, variable: Any, value: Any, states: States) -> NDArray[np.float64]:
    names = states[variable]
    if isinstance(value, Mapping):
        weights = np.zeros(len(names))
        for state, weight in value.items():
            weights[state_index(owner, f'evidence["{variable}"]', variable, state, states)] = weight
    else:
        weights = np.asarray(value, dtype=np.float64)
    if weights.shape != (len(names),) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ParameterError(
            f'{owner}: evidence["{variable}"]={value_text(value)}; soft evidence is a likelihood >= 0, finite and not all zero, '
            f"for each of the {len(names)} states {first_few(names, quoted=True)}."
        )
    return weights


def read_evidence(owner: str, evidence: Any, states: States) -> Evidence:
    """Return evidence by numbers; a name or a state that does not exist raises."""
    if evidence is None:
        return Evidence({}, {})
    if not isinstance(evidence, Mapping):
        raise ParameterTypeError(
            f"{owner}(evidence={value_text(evidence)}): pass a mapping of variable to state, such as {{'rain': 'yes'}}."
        )
    place = {variable: i for i, variable in enumerate(states)}
    found = Evidence({}, {})
    for variable, value in evidence.items():
        check_known(owner, "evidence", variable, states)
        if isinstance(value, Mapping | list | np.ndarray):
            found.soft[place[variable]] = likelihood(owner, variable, value, states)
        else:
            found.hard[place[variable]] = state_index(owner, f'evidence["{variable}"]', variable, value, states)
    return found


def read_query(owner: str, variables: Any, evidence: Any, states: States) -> tuple[tuple[Any, ...], Evidence]:
    """Return the names that are queried, none of them observed, and the evidence by numbers."""
    names = known_variables(owner, "variables", variables, states)
    seen = read_evidence(owner, evidence, states)
    for name in names:
        if isinstance(evidence, Mapping) and name in evidence and list(states).index(name) in seen.hard:
            raise ParameterError(
                f"{owner}(variables={name!r}): {name!r} is among the evidence; ask for another variable."
            )
    if not names:
        raise ParameterError(f"{owner}: name at least one variable; the variables are {first_few(states)}.")
    return names, seen


def evidence_text(evidence: Any) -> str:
    """Return `gauge=empty, battery=flat`; of much evidence the beginning."""
    pairs = islice((evidence or {}).items(), MOST_NAMES + 1)
    return first_few(
        [f"{v}~soft" if isinstance(value, Mapping | list | np.ndarray) else f"{v}={value}" for v, value in pairs]
    )
