r"""Policies: what is done in every state.

    pi(a|s) >= 0,  sum_a pi(a|s) = 1                                    a table, deterministic where one entry is 1       (1)
    greedy:          pi(s) in argmax_a Q(s, a)                                                                          (2)
    epsilon-greedy:  pi(a|s) = eps / m + (1 - eps) [a is greedy]         m actions in s                                   (3)
    softmax:         pi(a|s) = exp(Q(s, a) / T) / sum_b exp(Q(s, b) / T)                                                 (4)

A policy that changes with time is a sequence of such tables (`novum.reinforcement.backward_induction` returns one).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.reinforcement.layout import Layout, letters_of, policy_lines
from novum.reinforcement.tables import in_order
from novum.report.numbers import counted
from novum.report.result import Result
from novum.runtime.checks import check_number
from novum.runtime.softmax import softmax_rows
from novum.runtime.typing import Numbers

if TYPE_CHECKING:
    from novum.reinforcement.mdp import MDP


__all__ = ["Policy", "greedy_actions", "policy_table"]

TIE = 1e-9  # relative difference below which two action values count as equal
SLACK = 1e-8  # by which the probabilities of a state may miss one


def greedy_actions(values: NDArray[np.float64], possible: NDArray[np.bool_]) -> list[list[int]]:
    """Return the actions of every state whose values tie with the best, (2)."""
    best = np.where(possible, values, -np.inf)
    top = best.max(axis=1, initial=-np.inf)
    near = best >= (top - TIE * np.maximum(1.0, np.abs(top)))[:, None]
    return [np.flatnonzero(row & can).tolist() for row, can in zip(near, possible)]


class Policy(Result):
    """A table pi(a|s) with the names of states and actions.

    Parameters
    ----------
    probabilities : array-like of shape (n_states, n_actions)
        Rows sum to one; those of terminal states are zero.
    states, actions : sequences, default=None
        Their names; None: numbers.

    Attributes
    ----------
    probabilities : ndarray of shape (n_states, n_actions)

    Examples
    --------
    >>> from novum.reinforcement import Policy, room_4x3
    >>> room = room_4x3()
    >>> lower = Policy.from_actions(room, {(1, 1): ">", (2, 1): ">", (3, 1): "^", (3, 2): "^"}, default="<")
    >>> lower[(3, 1)]
    '^'
    >>> Policy.epsilon_greedy([[1.0, 4.0, 2.0, 0.0]], 0.1).probabilities.round(3).tolist()
    [[0.025, 0.925, 0.025, 0.025]]
    """

    probabilities: NDArray[np.float64]

    def __init__(
        self,
        probabilities: Numbers,
        states: Sequence[Any] | None = None,
        actions: Sequence[Any] | None = None,
        *,
        layout: Layout | None = None,
        ties: Callable[[], list[list[int]]] | None = None,
    ) -> None:
        try:
            table = np.asarray(probabilities, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"Policy: {str(probabilities)[:80]!r} is no policy; give a table of probabilities, a row per state, a column per "
                "action, or make one with mdp.policy({state: action})."
            ) from None
        if table.ndim != 2:
            raise DataError(
                f"Policy: probabilities has shape {table.shape}; give a row per state, a column per action."
            )
        total = table.sum(axis=1)
        wrong = ~(np.abs(total - 1) <= SLACK) & ~(table == 0).all(axis=1)
        if wrong.any() or not (table >= 0).all():
            row = int(np.argmax(wrong | ~(table >= 0).all(axis=1)))
            raise DataError(
                f"Policy: the probabilities of state {row if states is None else states[row]!r} are {table[row].tolist()}; "
                "they must be zero or more and sum to one."
            )
        self.probabilities = table
        self.state_names = list(range(len(table))) if states is None else list(states)
        self.action_names = list(range(table.shape[1])) if actions is None else list(actions)
        self.layout = layout
        self._ties = ties

    @cached_property
    def ties(self) -> list[list[int]]:
        """The actions of every state that are as good as the first of them; without values, those of equal probability."""
        if self._ties is not None:
            return self._ties()
        return [np.flatnonzero(row == row.max()).tolist() if row.any() else [] for row in self.probabilities]

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of: ties are found now, as the function that finds them cannot be written down."""
        return vars(self) | {"ties": self.ties, "_ties": None}

    @property
    def actions(self) -> NDArray[np.int64]:
        """The most probable action of every state, -1 where none is taken."""
        return np.where(self.probabilities.any(axis=1), self.probabilities.argmax(axis=1), -1)

    @property
    def deterministic(self) -> bool:
        """Whether one action is certain in every state."""
        return bool(((self.probabilities == 0) | (self.probabilities == 1)).all())

    @classmethod
    def uniform(cls, mdp: "MDP") -> "Policy":
        """Return the policy that takes every possible action with the same probability."""
        possible = mdp.possible
        return mdp.policy(possible / np.maximum(possible.sum(axis=1, keepdims=True), 1))

    @classmethod
    def from_actions(cls, mdp: "MDP", actions: Any, default: Any = None) -> "Policy":
        """Return the deterministic policy of one action per state: numbers, names, or a table {state: action}.

        States that a table does not name take `default`; an action that cannot be taken there is replaced by the first that can.
        """
        table = np.zeros((mdp.n_states, mdp.n_actions))
        if isinstance(actions, Mapping):
            for state in actions:
                mdp.state_number(state)
            chosen = [actions.get(state, default) for state in mdp.states]
        else:
            chosen = list(actions)
            if len(chosen) != mdp.n_states:
                raise DataError(
                    f"Policy: {len(chosen)} actions for {counted(mdp.n_states, 'state')}; give one for every state."
                )
        for s, action in enumerate(chosen):
            can = mdp.possible[s]
            if not can.any():
                continue
            if action is None:
                raise DataError(f"Policy: no action is given for state {mdp.states[s]!r}; give it one, or default=.")
            a = mdp.action_number(action)
            if not can[a]:
                if isinstance(actions, Mapping) and mdp.states[s] not in actions:
                    a = int(np.argmax(can))
                else:
                    raise DataError(f"Policy: action {action!r} cannot be taken in state {mdp.states[s]!r}.")
            table[s, a] = 1
        return mdp.policy(table)

    @classmethod
    def greedy(cls, values: Numbers, possible: Numbers | None = None) -> "Policy":
        """Return (2) for a table of action values; the first of those that tie."""
        q, can = values_of(values, possible)
        ties = greedy_actions(q, can)
        table = np.zeros_like(q)
        for s, best in enumerate(ties):
            if best:
                table[s, best[0]] = 1
        return cls(table, ties=lambda: ties)

    @classmethod
    def epsilon_greedy(cls, values: Numbers, exploration: float, possible: Numbers | None = None) -> "Policy":
        """Return (3) for a table of action values; the first of those that tie counts as greedy."""
        check_number("Policy.epsilon_greedy", "exploration", exploration, 0, 1)
        q, can = values_of(values, possible)
        count = np.maximum(can.sum(axis=1, keepdims=True), 1)
        return cls((1 - exploration) * cls.greedy(q, can).probabilities + exploration * can / count)

    @classmethod
    def softmax(cls, values: Numbers, temperature: float = 1.0, possible: Numbers | None = None) -> "Policy":
        """Return (4) for a table of action values."""
        check_number("Policy.softmax", "temperature", temperature, 0, open_low=True)
        q, can = values_of(values, possible)
        scores = np.where(can, q / temperature, -np.inf)
        scores[~can.any(axis=1)] = 0
        return cls(np.where(can, softmax_rows(scores), 0.0))

    def __getitem__(self, state: Any) -> Any:
        """Return the most probable action of a state, by name, or None where none is taken."""
        a = self.actions[self._number(state)]
        return None if a < 0 else self.action_names[a]

    def _number(self, state: Any) -> int:
        try:
            return self.state_names.index(state)
        except ValueError:
            raise ParameterError(
                f"Policy: there is no state {state!r}; states are {short(self.state_names)}."
            ) from None

    def __len__(self) -> int:
        return len(self.probabilities)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and np.array_equal(self.probabilities, other.probabilities)

    __hash__ = None  # type: ignore[assignment]

    def lines(self) -> list[str]:
        """Return the policy as a map, where states lie on a grid."""
        letters = letters_of(self.action_names, self.ties)
        return policy_lines(self.layout, letters) if self.layout else letters

    def __repr__(self) -> str:
        if self.layout is not None:
            return "\n".join(self.lines())
        return super().__repr__()

    def _result_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"state": self.state_names}
        if self.deterministic:
            return columns | {"action": [None if a < 0 else self.action_names[a] for a in self.actions]}
        return columns | {str(name): self.probabilities[:, a].tolist() for a, name in enumerate(self.action_names)}

    def _result_scalars(self) -> dict[str, Any]:
        return {}

    def _result_caption(self) -> str:
        return "Policy"

    def _result_picture(self, ax: Any) -> None:
        if self.layout is None:
            super()._result_picture(ax)
        else:
            from novum.reinforcement.plots.grids import draw_arrows, draw_cells

            draw_cells(ax, self.layout)
            draw_arrows(ax, self)


def short(names: Sequence[Any], most: int = 8) -> str:
    """Return the first of many names."""
    text = ", ".join(map(repr, names[:most]))
    return text if len(names) <= most else f"{text}, ... ({len(names)} in all)"


def values_of(values: Any, possible: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return action values and which actions there are, checked."""
    q = np.asarray(values, dtype=np.float64)
    if q.ndim != 2 or np.isnan(q).any():
        raise DataError(f"Policy: action values of shape {q.shape} must be a matrix (n_states, n_actions) without NaN.")
    return q, np.ones(q.shape, bool) if possible is None else np.asarray(possible, dtype=bool)


def policy_table(mdp: Any, policy: Any) -> NDArray[np.float64]:
    """Return the table (1) of a Policy, of a matrix, or of one action per state, checked against the process."""
    if policy is None:
        return Policy.uniform(mdp).probabilities
    policy = in_order(policy, mdp.states, mdp.actions)
    if isinstance(policy, Policy):
        table = policy.probabilities
    elif isinstance(policy, Mapping) or np.ndim(policy) == 1:
        return Policy.from_actions(mdp, policy).probabilities
    else:
        table = Policy(policy, mdp.states).probabilities
    if table.shape != (mdp.n_states, mdp.n_actions):
        raise DataError(
            f"the policy has shape {table.shape}; this process has {counted(mdp.n_states, 'state')} and {mdp.n_actions} actions."
        )
    wrong = ((table > 0) & ~mdp.possible).any(axis=1) | (mdp.possible.any(axis=1) & ~table.any(axis=1))
    wrong &= ~mdp.model.terminal
    if wrong.any():
        s = int(np.argmax(wrong))
        raise DataError(f"the policy takes no possible action in state {mdp.states[s]!r}: {table[s].tolist()}.")
    return table
