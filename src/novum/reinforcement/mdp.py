r"""Markov decision processes <S, A, P, R, gamma, mu>, which are Gymnasium environments at the same time.

    P(s'|s, a)        rows sum to one                                                                                      (1)
    R(s), R(s, a) or R(s, a, s')                                                                                           (2)
    U(s) = R(s) + gamma max_a sum_s' P(s'|s, a) U(s'),    U(s) = R(s) at a terminal state                                  (3)

A reward of states is received in the state: on the way out, and at the end in the terminal state. A step of the
environment that ends in a terminal state s' therefore pays R(s, a, s') + gamma R(s'), so that discounted sums of paid
rewards have the mean (3).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.reinforcement.bellman import ProcessOperators
from novum.reinforcement.environment import EnvironmentFace
from novum.reinforcement.layout import Layout
from novum.reinforcement.model import Model, is_matrix, model_of_lists, model_of_matrices, pair_states
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.policies import TIE, Policy, greedy_actions, policy_table, short
from novum.reinforcement.tables import checked_table, ended_states, in_order, pair_matrix, table_names
from novum.report.numbers import counted, num
from novum.runtime.checks import check_number, probability_table
from novum.runtime.typing import Axes, Environment, Label, Numbers

__all__ = ["MDP"]


class MDP(ProcessOperators, EnvironmentFace):
    """A finite Markov decision process; see the module for its formulas.

    Parameters
    ----------
    transitions : array-like, sparse matrix, list of matrices or mapping
        P(s'|s, a) as an array (n_states, n_actions, n_states); as a sparse matrix with row s * n_actions + a; as a list
        or mapping {action: matrix} with a matrix (n_states, n_states) per action, dense, sparse or a frame, whose index names
        the states; or as Gymnasium's table {state: {action: [(probability, next state, reward, ended), ...]}}, which
        holds the rewards too.
    rewards : array-like, mapping or sparse matrix, default=None
        By state (n_states,), by action (n_states, n_actions), by transition (n_states, n_actions, n_states), or in the
        sparse forms of `transitions`. -inf for an action that cannot be taken. Terminal states pay by the first form only.
        With a table as `transitions`: None, or {terminal state: reward}.
    discount : float in [0, 1], default=1.0
        What a reward is worth a step later.
    initial : array-like, mapping or state, default=None
        Probabilities of the first state, in order or {state: probability}, or the one that it always is; None: any state
        that is not terminal, with equal probability.
    terminal : state, sequence of states or boolean array, default=()
        Where episodes end. Of a table also the states without actions that are only entered by steps that end.
    states, actions : sequences, default=None
        Names; None: numbers, or the keys of a table.
    name : str, default="MDP"
        What it is called in messages.
    layout : Layout, default=None
        Where states lie on a grid; `grid_world` gives it.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.reinforcement import MDP, value_iteration
    >>> stay_or_go = MDP(
    ...     [[[1.0, 0.0], [0.2, 0.8]], [[0.0, 1.0], [1.0, 0.0]]], [[0.0, -1.0], [2.0, 0.0]], discount=0.9, actions=["stay", "go"]
    ... )
    >>> value_iteration(stay_or_go).values.round(4).tolist()
    [16.3415, 20.0]
    >>> observation, _ = stay_or_go.reset(seed=0, options={"state": 0})
    >>> stay_or_go.step(1)[1]  # a Gymnasium environment
    -1.0
    """

    def __init__(
        self,
        transitions: Any,
        rewards: Any = None,
        *,
        discount: float = 1.0,
        initial: Any = None,
        terminal: Any = (),
        states: Sequence[Any] | None = None,
        actions: Sequence[Any] | None = None,
        name: str = "MDP",
        layout: Layout | None = None,
    ) -> None:
        self.name, self.recipe = name, ""
        self.discount = check_number(name, "discount", discount, 0, 1)
        self.layout = layout
        if isinstance(transitions, Mapping) and not (transitions and all(map(is_matrix, transitions.values()))):
            table = checked_table(name, transitions)
            self.states, self.actions = table_names(table, states, actions)
            self._check_names()
            ends = self._terminal_mask(terminal)
            paid = self._terminal_rewards(rewards)
            silent = ended_states(table) | {state for state in rewards or () if not table.get(state)}
            ends |= [state in silent for state in self.states]
            if lost := [state for state in rewards or () if not ends[self.state_number(state)]]:
                raise ParameterError(
                    f"{name}(rewards=...): state {lost[0]!r} is not terminal, so its table holds the rewards; leave it out of "
                    "rewards=, or name it in terminal=."
                )
            self.model = model_of_lists(name, table, ends, paid, self.states, self.actions)
        else:
            matrix, n, m, own_states, own_actions = pair_matrix(name, transitions)
            self.states = named(name, "states", own_states if states is None else states, n)
            self.actions = named(name, "actions", own_actions if actions is None else actions, m)
            self._check_names()
            ends = self._terminal_mask(terminal)
            if rewards is None:
                raise ParameterError(f"{name}: rewards= is missing; give them by state, by action or by transition.")
            if isinstance(rewards, Mapping):
                rewards = [rewards.get(state, 0.0) for state in self.states]
            rewards = in_order(rewards, self.states, self.actions)
            self.model = model_of_matrices(name, matrix, rewards, ends, self.states, self.actions)
        self.initial = self._initial_distribution(initial)

    @classmethod
    def from_model(
        cls,
        model: Model,
        *,
        discount: float,
        initial: NDArray[np.float64],
        states: Sequence[Any] | None = None,
        actions: Sequence[Any] | None = None,
        name: str = "MDP",
        layout: Layout | None = None,
    ) -> "MDP":
        """Return the process of arrays that are known to be right: nothing is checked, nothing copied."""
        made = cls.__new__(cls)
        made.recipe = ""
        made.name, made.discount, made.layout, made.model, made.initial = name, float(discount), layout, model, initial
        made.states = range(model.n_states) if states is None else states
        made.actions = range(model.n_actions) if actions is None else actions
        return made

    @classmethod
    def from_gymnasium(
        cls,
        environment: "MDP | Environment | str | Callable[[], Any]",
        *,
        discount: float | None = None,
        **options: Any,
    ) -> "MDP":
        """Return the process behind a tabular Gymnasium environment, an object or a name such as "FrozenLake-v1".

        Environments with a table (`env.unwrapped.P`) are taken over exactly. Others with finitely many observations and
        actions, such as "Blackjack-v1", are sampled (`samples=` steps, `random_state=`) and their frequencies taken.
        `options` go to " "`gymnasium.make`.
        """
        from novum.reinforcement.gymnasium_tables import process_of_environment

        return process_of_environment(cls, environment, discount, options)

    @property
    def n_states(self) -> int:
        """Return the number of states, terminal ones included."""
        return self.model.n_states

    @property
    def n_actions(self) -> int:
        """Return the number of different actions."""
        return self.model.n_actions

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Return which actions can be taken where, (n_states, n_actions)."""
        out = np.zeros((self.n_states, self.n_actions), bool)
        real = self.model.action >= 0
        out[pair_states(self.model)[real], self.model.action[real]] = True
        return out

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """Return the number of every state."""
        return {state: k for k, state in enumerate(self.states)}

    @property
    def terminal_states(self) -> list[Any]:
        """Return the names of the states where episodes end."""
        return [self.states[s] for s in np.flatnonzero(self.model.terminal)]

    def state_number(self, state: Label) -> int:
        """Return the number of a state given by name, or raise."""
        try:
            return self.numbers[state]
        except (KeyError, TypeError):
            raise ParameterError(
                f"{self.name}: there is no state {state!r}; states are {short(self.states)}."
            ) from None

    def action_number(self, action: Label) -> int:
        """Return the number of an action given by name or number, or raise."""
        for a, known in enumerate(self.actions):
            if known is action or (type(known) is type(action) and known == action):
                return a
        if isinstance(action, int | np.integer) and 0 <= action < self.n_actions:
            return int(action)
        raise ParameterError(f"{self.name}: there is no action {action!r}; actions are {short(self.actions)}.")

    def policy(self, probabilities: Numbers | None = None, ties: Callable[[], list[list[int]]] | None = None) -> Policy:
        """Return a policy with the names of this process: of a table of probabilities, of one action per state (names,
        numbers or {state: action}); None: uniform."""
        if not (isinstance(probabilities, np.ndarray) and probabilities.ndim == 2):
            probabilities = policy_table(self, probabilities)
        return Policy(probabilities, self.states, self.actions, layout=self.layout, ties=ties)

    def greedy(self, values: Numbers) -> Policy:
        """Return the policy that is greedy with respect to values of states or of actions; it remembers ties."""
        table = np.asarray(values, dtype=np.float64)
        q = table if table.ndim == 2 else self.action_values(table)
        if q.shape != (self.n_states, self.n_actions):
            raise DataError(f"{self.name}: values of shape {table.shape} do not fit {self.n_states} states.")
        filled = np.where(self.possible, np.nan_to_num(q, nan=-np.inf), -np.inf)
        top = filled.max(axis=1, keepdims=True)
        best = (filled >= top - TIE * np.maximum(1.0, np.abs(np.where(np.isfinite(top), top, 0.0)))).argmax(axis=1)
        chosen = np.zeros(self.possible.shape)
        chosen[np.arange(self.n_states), best] = 1
        return self.policy(np.where(self.possible, chosen, 0.0), lambda: greedy_actions(q, self.possible))

    def replaced(self, **changes: Any) -> "MDP":
        """Return a copy with another `discount`, `model`, `initial` or `name`."""
        state: dict[str, Any] = {
            "discount": self.discount,
            "initial": self.initial,
            "name": self.name,
            "model": self.model,
        } | changes
        check_number(self.name, "discount", state["discount"], 0, 1)
        return type(self).from_model(
            state.pop("model"), states=self.states, actions=self.actions, layout=self.layout, **state
        )

    def scaled(self, factor: float) -> "MDP":
        """Return the process with every reward multiplied by a positive number: optimal policies stay, values are multiplied."""
        factor = check_number(self.name, "factor", factor, 0, open_low=True)
        entry = None if self.model.entry_reward is None else self.model.entry_reward * factor
        return self.replaced(model=self.model._replace(reward=self.model.reward * factor, entry_reward=entry))

    def plot(self, plan: Plan | None = None, ax: Axes | None = None) -> Axes:
        """Draw the process: values and arrows of a plan or policy on its grid, or states and transitions as a graph."""
        from novum.reinforcement.plots.grids import draw_process
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        draw_process(ax, self, plan)
        return ax

    def __repr__(self) -> str:
        kinds = (
            f"{counted(self.n_states, 'state')} ({int(self.model.terminal.sum())} terminal), "
            f"{counted(self.n_actions, 'action')}"
        )
        return f"{self.name}: {kinds}, {counted(len(self.model.next), 'transition')}, discount {num(self.discount):g}"

    def __str__(self) -> str:
        return repr(self)

    def _check_names(self) -> None:
        for what, given in (("states", self.states), ("actions", self.actions)):
            if not isinstance(given, range) and len(set(given)) < len(given):
                twice = next(one for k, one in enumerate(given) if one in list(given)[:k])
                raise ParameterError(f"{self.name}: {twice!r} is named twice in {what}=; names must differ.")

    def _terminal_mask(self, terminal: Any) -> NDArray[np.bool_]:
        n = len(self.states)
        if isinstance(terminal, np.ndarray) and terminal.dtype == bool:
            if terminal.shape != (n,):
                raise DataError(f"{self.name}: terminal has shape {terminal.shape}; there are {n} states.")
            return terminal.copy()
        out = np.zeros(n, bool)
        known = isinstance(terminal, Hashable) and terminal in set(self.states)  # one state, by its name alone
        if not known and (isinstance(terminal, str) or not isinstance(terminal, Iterable)):
            self.state_number(terminal)
        for state in (terminal,) if known else terminal:
            out[self.state_number(state)] = True
        return out

    def _terminal_rewards(self, rewards: Any) -> NDArray[np.float64]:
        out = np.zeros(len(self.states))
        if rewards is not None and not isinstance(rewards, Mapping):
            raise ParameterError(
                f"{self.name}: a table of transitions holds the rewards; rewards= may only be {{terminal state: reward}}."
            )
        for state, value in (rewards or {}).items():
            out[self.state_number(state)] = value
        return out

    def _initial_distribution(self, initial: Any) -> NDArray[np.float64]:
        open_states = ~self.model.terminal
        if initial is None:
            return open_states / max(1, open_states.sum())
        if isinstance(initial, Mapping):
            for state in initial:
                self.state_number(state)
            initial = [initial.get(state, 0.0) for state in self.states]
        initial = in_order(initial, self.states)
        if np.ndim(initial) == 1 and len(initial) == self.n_states and not isinstance(initial, str | tuple):
            return np.asarray(probability_table(self.name, "initial", initial), dtype=np.float64)
        out = np.zeros(self.n_states)
        out[self.state_number(initial)] = 1
        return out


def named(owner: str, what: str, names: Sequence[Any] | None, count: int) -> Sequence[Any]:
    """Return the names of states or actions, numbers where none are given."""
    if names is None:
        return range(count)
    if len(names) != count:
        raise DataError(f"{owner}: {len(names)} names in {what}= for {count} {what}; give one each.")
    return list(names)
