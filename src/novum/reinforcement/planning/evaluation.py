r"""What a policy is worth.

    V = R^pi + gamma P^pi V                     exactly, a sparse linear system                                            (1)
    V_{k+1} = R^pi + gamma P^pi V_k             by sweeps                                                                  (2)
    |V_k - V^pi| <= |V_{k+1} - V_k| / (1 - gamma)                                                                          (3)
    D(s) = E[(r + gamma V(s') - V(s))^2 | s] + gamma^2 sum_s' P^pi(s'|s) D(s')     the variance of the return                (4)

With discount 1 the states of a policy that never end are looked for first: where such a class of states has only zero
rewards its value is zero, otherwise the policy has no finite value and is refused by name.
"""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from novum.exceptions import NotConverged, ParameterError
from novum.reinforcement.bellman import pair_weights
from novum.reinforcement.layout import value_lines
from novum.reinforcement.mdp import MDP
from novum.reinforcement.model import pair_states
from novum.reinforcement.planning.finiteness import remedy
from novum.reinforcement.planning.gains import class_gain, closed_classes
from novum.reinforcement.planning.plan import StateValues
from novum.reinforcement.planning.precision import Rows, advantages, bounded, reward_sizes, solved, sums
from novum.reinforcement.policies import policy_table
from novum.report.numbers import counted, num
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.warn import warn

__all__ = ["PolicyValues", "evaluate_policy", "exact_values", "visits"]

MOST_DIRECT = 200  # states up to which policy iteration evaluates exactly and remembers its rounds


class PolicyValues(StateValues):
    """Values of a policy.

    Attributes
    ----------
    values : ndarray of shape (n_states,)
    error : float
        No value is farther than this from the truth, rounded outward: what the rounding of the probabilities and rewards that
        were given may change is in it. nan where that is not known.
    action_values : ndarray of shape (n_states, n_actions)
        Q^pi, the worth of every action if the policy is followed afterwards.
    variances : ndarray of shape (n_states,)
        Of the return from every state, randomness of the rewards included.
    sweeps : int
        Of the iterative method; 0: a linear system was solved.
    """

    values: NDArray[np.float64]
    error: float
    sweeps: int

    def __init__(
        self, mdp: MDP, table: NDArray[np.float64], values: NDArray[np.float64], error: float, sweeps: int
    ) -> None:
        self._mdp, self._table, self.values, self.error, self.sweeps = mdp, table, values, error, sweeps

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """Return the variance of the return from every state, (4); infinite where the total never comes to rest."""
        return return_variances(self._mdp, self._table, self.values)

    def _result_columns(self) -> dict[str, Any]:
        deviation = np.sqrt(self.variances)
        return {"state": list(self._mdp.states), "value": self.values.tolist(), "deviation": deviation.tolist()}

    def _result_scalars(self) -> dict[str, Any]:
        return {"error": self.error, "sweeps": self.sweeps}

    def __repr__(self) -> str:
        if self._mdp.layout is None:
            return super().__repr__()
        how = counted(self.sweeps, "sweep") if self.sweeps else "solved exactly"
        return "\n".join([f"values of a policy, {how}", *value_lines(self._mdp.layout, self.values)])


def evaluate_policy(mdp: Any, policy: Any, method: str, tol: float, max_iter: int) -> PolicyValues:
    """Return the values of a policy; see `MDP.evaluate`."""
    check_choice("evaluate", "method", method, ("exact", "iterative"))
    check_number("evaluate", "tol", tol, 0, open_low=True)
    check_count("evaluate", "max_iter", max_iter)
    table = policy_table(mdp, policy)
    process = mdp.reward_process(table)
    gamma = mdp.discount
    closed = never_ending(process, mdp, "evaluate") if gamma == 1 else None
    rows = process_rows(process, policy_sizes(mdp, table), closed)
    if method == "exact":
        values = solved(rows).astype(np.float64) + 0.0  # no negative zeros
        return PolicyValues(mdp, table, values, error_bound(rows, values), 0)
    values, change, sweep = np.zeros(mdp.n_states), np.inf, 0
    bound = tol * (1 - gamma) if gamma < 1 else tol
    while change > bound and sweep < max_iter:
        new = process.reward + gamma * (process.transition @ values)
        if closed is not None:
            new[closed] = 0
        change, values, sweep = float(np.abs(new - values).max()), new, sweep + 1
    if change > bound:
        warn(
            f"evaluate: {counted(sweep, 'sweep')} left a change of {num(change):.3g}; raise max_iter or use method='exact'.",
            NotConverged,
        )
    return PolicyValues(mdp, table, values, error_bound(rows, values), sweep)


def never_ending(process: Any, mdp: Any, owner: str) -> NDArray[np.bool_]:
    """Return the states that an undiscounted policy never ends from and is paid nothing in; raise where it is paid."""
    matrix = process.transition
    _, label = connected_components(matrix, directed=True, connection="strong")
    coo = matrix.tocoo()
    positive = coo.data > 0
    open_class = np.zeros(label.max() + 1, bool)
    rows, columns = coo.row[positive], coo.col[positive]
    open_class[label[rows[label[rows] != label[columns]]]] = True
    open_class[label[process.ending > 0]] = True
    closed = ~open_class[label]
    paid = closed & (process.reward != 0)
    if paid.any():
        s = int(np.argmax(paid))
        raise ParameterError(
            f"{owner}: discount=1 and the policy never ends from state {mdp.states[s]!r}, where every step is worth "
            f"{num(process.reward[s]):.4g}: it has no finite value.\n{remedy(mdp)}"
        )
    return closed


def circle_gains(process: Any) -> list[float]:
    """Return the mean rewards of the circles that a policy never leaves and is paid in."""
    rows = process_rows(process, np.abs(process.reward))
    found = closed_classes(rows, len(rows.origin))
    return [class_gain(rows, members) for members in found if (process.reward[members] != 0).any()]


def process_rows(process: Any, size: NDArray[np.float64], closed: NDArray[np.bool_] | None = None) -> Rows:
    """Return the process of a policy as rows of `precision`; closed states end at once and are paid nothing."""
    n = len(process.reward)
    matrix = scipy.sparse.csr_array(process.transition)
    row = np.repeat(np.arange(n), np.diff(matrix.indptr))
    full = np.asarray(sums(matrix.data, matrix.indptr), float) + process.ending
    ending, missing, reward = process.ending, np.abs(1 - full), process.reward
    moving = row != matrix.indices
    if closed is not None and closed.any():
        moving &= ~closed[row]
        ending, missing = np.where(closed, 1.0, ending), np.where(closed, 0.0, missing)
        reward = np.where(closed, 0.0, reward)
    begin = np.concatenate([[0], np.cumsum(moving)])[matrix.indptr]
    following = matrix.indices[moving].astype(np.int64)
    size = np.maximum(size, np.abs(reward))
    return Rows(
        origin=np.arange(n),
        start=begin,
        next=following,
        probability=matrix.data[moving],
        ending=ending,
        missing=missing,
        reward=reward,
        size=size,
        discount=process.discount,
    )


def policy_sizes(mdp: Any, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return E |r| of a policy, by state."""
    out = np.zeros(mdp.n_states)
    np.add.at(out, pair_states(mdp.model), pair_weights(mdp.model, table) * reward_sizes(mdp.model))
    return out


def exact_values(process: Any, mdp: Any, owner: str) -> NDArray[np.float64]:
    """Return the solution of (1)."""
    closed = never_ending(process, mdp, owner) if process.discount == 1 else None
    return solved(process_rows(process, np.abs(process.reward), closed)).astype(np.float64) + 0.0  # no negative zeros


def error_bound(rows: Rows, values: Any) -> float:
    """Return what no value is farther than from the truth, rounded outward; nan where nothing can be verified."""
    rounded = float(np.spacing(np.abs(values).max(initial=0.0)))
    if rows.discount < 1:
        left, doubt = advantages(rows, values)
        return float((np.abs(left) + doubt).max()) / (1 - rows.discount) * (1 + 1e-12) + rounded
    z = bounded(rows, values)
    return float("nan") if z is None else float(z.max(initial=0.0)) * (1 + 1e-12) + rounded


def return_variances(mdp: Any, table: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (4) of a policy whose values are known."""
    model, gamma = mdp.model, mdp.discount
    states = pair_states(model)
    weights = np.where(model.action < 0, 0.0, table[states, np.maximum(model.action, 0)])
    pair = np.repeat(np.arange(model.n_pairs), np.diff(model.start))
    paid = model.reward[pair] if model.entry_reward is None else model.entry_reward
    later = np.where(model.next >= 0, gamma * values[np.maximum(model.next, 0)], 0.0)
    once = np.zeros(model.n_states)
    np.add.at(once, states[pair], weights[pair] * model.probability * (paid + later - values[states[pair]]) ** 2)
    process = mdp.reward_process(table)
    endless = np.zeros(model.n_states, bool)
    closed = None
    if gamma == 1:
        closed = never_ending(process, mdp, "evaluate")
        endless = reaches(process.transition, closed & (once > 0))
    rows = process_rows(process._replace(reward=once, discount=gamma**2), once, closed)
    out = np.maximum(solved(rows).astype(np.float64), 0.0)
    return np.where(endless, np.inf, out)


def reaches(matrix: Any, goal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the states from which some state of a set may be reached."""
    found = goal.copy()
    while True:
        wider = found | ((matrix @ found.astype(float)) > 0)
        if (wider == found).all():
            return found
        found = wider


def visits(mdp: Any, policy: Any) -> NDArray[np.float64]:
    """Return the expected discounted number of visits of every (state, action) under a policy."""
    table = policy_table(mdp, policy)
    process = mdp.reward_process(table)
    closed = None
    if mdp.discount == 1:
        closed = never_ending(process._replace(reward=np.where(mdp.model.terminal, 0.0, 1.0)), mdp, "occupancy")
    rows = process_rows(process, np.abs(process.reward), closed)
    n = mdp.n_states
    matrix = scipy.sparse.csr_array((rows.probability, rows.next, rows.start), shape=(n, n))
    leaving = (1 - mdp.discount) + mdp.discount * (rows.ending + np.asarray(matrix.sum(axis=1)).ravel())
    system = scipy.sparse.diags_array(leaving) - mdp.discount * matrix.T
    factors = scipy.sparse.linalg.splu(system.tocsc())
    weight = factors.solve(mdp.initial)
    weight = weight + factors.solve(mdp.initial - system @ weight)
    return np.asarray((weight + 0.0)[:, None] * table)
