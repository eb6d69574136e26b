"""The forms in which a process is given: nested tables, matrices by action, arrays.

    {state: {action: [(probability, next state, reward, ended), ...]}}      Gymnasium's table; `ended` may be missing       (1)
    {action: matrix} or [matrix, ...], (n_states, n_states) each             dense, sparse or frames, one per action         (2)
    array (n_states, n_actions, n_states)                                                                                   (3)

A state that a table (1) gives no actions and that is only entered by steps that end is terminal.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.exceptions import DataError, ParameterError
from novum.reinforcement.model import interleaved, is_matrix

__all__ = ["PairMatrix", "checked_table", "ended_states", "in_order", "pair_matrix", "table_names"]

Table = dict[Any, dict[Any, list[tuple[float, Any, float, bool]]]]


class PairMatrix(NamedTuple):
    """Transitions as a sparse matrix with a row per (state, action), and the names that came with them."""

    matrix: Any
    n_states: int
    n_actions: int
    states: list[Any] | None = None
    actions: list[Any] | None = None


def checked_table(owner: str, table: Mapping[Any, Any]) -> Table:
    """Return (1) with plain numbers in it, or raise in the names of the table."""
    form = "{state: {action: [(probability, next state, reward, ended), ...]}}"
    if not table:
        raise DataError(f"{owner}: transitions is an empty table; give {form}.")
    out: Table = {}
    for state, row in table.items():
        if not isinstance(row, Mapping):
            raise DataError(f"{owner}: transitions[{state!r}] is {row!r}; give {form}.")
        out[state] = {}
        for action, outcomes in row.items():
            try:
                out[state][action] = [
                    (float(p), following, float(reward), bool(ended and ended[0]))
                    for p, following, reward, *ended in outcomes
                ]
                hash(tuple(one[1] for one in out[state][action]))
            except (TypeError, ValueError):
                raise DataError(
                    f"{owner}: transitions[{state!r}][{action!r}] is {outcomes!r}; give a list of "
                    "(probability, next state, reward, ended)."
                ) from None
    return out


def table_names(
    table: Table, states: Sequence[Any] | None, actions: Sequence[Any] | None
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the names of states and actions that a table uses: its keys, then states that are only led to."""
    found = dict.fromkeys(table)
    acts: dict[Any, None] = {}
    for row in table.values():
        for action, outcomes in row.items():
            acts.setdefault(action)
            for outcome in outcomes:
                found.setdefault(outcome[1])
    return (list(found) if states is None else list(states)), (list(acts) if actions is None else list(actions))


def ended_states(table: Table) -> set[Any]:
    """Return the states without actions that are entered, and only by steps that end."""
    ended: dict[Any, bool] = {}
    for row in table.values():
        for outcomes in row.values():
            for _, following, _, end in outcomes:
                ended[following] = ended.get(following, True) and end
    return {state for state, always in ended.items() if always and not table.get(state)}


def pair_matrix(owner: str, transitions: Any) -> PairMatrix:
    """Return the transitions of (2), of (3), or of a sparse matrix with a row per (state, action)."""
    if isinstance(transitions, Mapping):
        return matrices_by_action(owner, list(transitions.values()), list(transitions))
    if isinstance(transitions, list | tuple) and transitions and all(map(is_matrix, transitions)):
        square = all(one.shape[0] == one.shape[1] for one in transitions)
        if square or any(scipy.sparse.issparse(one) for one in transitions):
            return matrices_by_action(owner, list(transitions), None)
    if scipy.sparse.issparse(transitions):
        rows, n = transitions.shape
        if n == 0 or rows % n:
            raise DataError(
                f"{owner}: transitions has shape {transitions.shape}; a sparse matrix has a row per (state, action): "
                "n_states * n_actions rows and n_states columns."
            )
        return PairMatrix(scipy.sparse.csr_array(transitions), n, rows // n)
    if isinstance(transitions, str):
        raise ParameterError(f"{owner}(transitions={transitions!r}): for an environment use MDP.from_gymnasium.")
    try:
        table = np.asarray(transitions, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{owner}: transitions must be numbers of shape (n_states, n_actions, n_states).") from None
    if table.ndim != 3 or table.shape[0] != table.shape[2] or not table.size:
        hint = ""
        if table.size and table.ndim == 3 and table.shape[1] == table.shape[2]:
            hint = " These look like one matrix per action: give np.swapaxes(transitions, 0, 1)."
        raise DataError(
            f"{owner}: transitions has shape {table.shape}; it must be (n_states, n_actions, n_states).{hint}"
        )
    n, m = table.shape[:2]
    return PairMatrix(scipy.sparse.csr_array(table.reshape(n * m, n)), n, m)


def in_order(values: Any, states: Sequence[Any], actions: Sequence[Any] | None = None) -> Any:
    """Return a series or frame whose labels are the states (and the actions) in their order; anything else as it is."""
    for axis, names in (("index", states), ("columns", actions)):
        labels = getattr(values, axis, None)
        if names is not None and labels is not None and not callable(labels) and set(labels) == set(names):
            values = values.reindex(**{axis: list(names)})
    return values


def matrices_by_action(owner: str, matrices: list[Any], actions: list[Any] | None) -> PairMatrix:
    """Return (2); the states of frames are named by their rows, and columns go by name."""
    n, m = matrices[0].shape[0], len(matrices)
    if any(one.shape != (n, n) for one in matrices):
        raise DataError(f"{owner}: matrices of shapes {[one.shape for one in matrices]}; each must be {n} x {n}.")
    states = None
    if all(hasattr(one, "index") and hasattr(one, "columns") for one in matrices):
        states = list(matrices[0].index)
        if len(set(states)) < n or any(
            set(one.index) != set(states) or set(one.columns) != set(states) for one in matrices
        ):
            raise DataError(
                f"{owner}: the frames of the actions must have the same states as rows and columns, each once; the rows of the "
                f"first are {states[:8]}."
            )
        matrices = [one.loc[states, states].to_numpy() for one in matrices]
    try:
        parts = [scipy.sparse.csr_array(one, dtype=np.float64) for one in matrices]
    except (TypeError, ValueError):
        raise DataError(f"{owner}: the matrices of transitions must hold numbers.") from None
    return PairMatrix(scipy.sparse.vstack(parts).tocsr()[interleaved(n, m)], n, m, states, actions)
