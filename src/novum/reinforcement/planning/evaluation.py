r"""What a policy is worth.

    V = R^pi + gamma P^pi V                     exactly, a sparse linear system                                            (1)
    V_{k+1} = R^pi + gamma P^pi V_k             by sweeps                                                                  (2)
    |V_k - V^pi| <= |V_{k+1} - V_k| / (1 - gamma)                                                                          (3)

With discount 1 the states of a policy that never end are looked for first: where such a class of states has only zero
rewards its value is zero, otherwise the policy has no finite value and is refused by name.
"""

from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from novum import _core
from novum.exceptions import NotConverged, ParameterError
from novum.reinforcement.layout import value_lines
from novum.reinforcement.planning.finiteness import FULL, remedy
from novum.reinforcement.policies import policy_table
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn

__all__ = ["PolicyValues", "evaluate_policy", "exact_values", "visits"]

MOST_DIRECT = 200  # states up to which policy iteration evaluates exactly and remembers its rounds
SOLVED_DIRECTLY = 250  # states up to which a factorization is as fast as iterations
MOST_THIN, THIN = 2000, 3.5  # states, and entries a row, up to which it does not fill up: corridors and grids
PRECISION = 1e-13  # residual of an iterative solve, relative to the largest reward or value
MOST_PRODUCTS = 20_000
MANY = 50_000  # entries from which a second thread pays


class PolicyValues(Result):
    """Values of a policy.

    Attributes
    ----------
    values : ndarray of shape (n_states,)
    error : float
        No value is farther than this from the truth (nan with discount 1, where nothing contracts; the residual is then
        below rounding).
    sweeps : int
        Of the iterative method; 0: a linear system was solved.
    """

    def __init__(self, mdp: Any, values: NDArray[np.float64], error: float, sweeps: int) -> None:
        self._mdp, self.values, self.error, self.sweeps = mdp, values, error, sweeps

    @property
    def action_values(self) -> NDArray[np.float64]:
        """Return Q^pi, the worth of every action if the policy is followed afterwards."""
        return np.asarray(self._mdp.action_values(self.values))

    @property
    def start(self) -> float:
        """Return the expected value of the first state."""
        return float(self._mdp.initial @ self.values)

    def _result_columns(self) -> dict[str, Any]:
        return {"state": list(self._mdp.states), "value": self.values.tolist()}

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
    process = mdp.reward_process(policy_table(mdp, policy))
    gamma = mdp.discount
    if method == "exact":
        values = exact_values(process, mdp, "evaluate")
        residual = float(np.abs(process.reward + gamma * (process.transition @ values) - values).max())
        return PolicyValues(mdp, values, residual / (1 - gamma) if gamma < 1 else np.nan, 0)
    closed = never_ending(process, mdp, "evaluate") if gamma == 1 else None
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
    return PolicyValues(mdp, values, gamma * change / (1 - gamma) if gamma < 1 else np.nan, sweep)


def never_ending(process: Any, mdp: Any, owner: str) -> NDArray[np.bool_]:
    """Return the states that an undiscounted policy never ends from and is paid nothing in; raise where it is paid."""
    matrix = process.transition
    _, label = connected_components(matrix, directed=True, connection="strong")
    coo = matrix.tocoo()
    positive = coo.data > 0
    open_class = np.zeros(label.max() + 1, bool)
    rows, columns = coo.row[positive], coo.col[positive]
    open_class[label[rows[label[rows] != label[columns]]]] = True
    total = np.asarray(matrix.sum(axis=1)).ravel()
    open_class[label[(total < FULL)]] = True
    closed = ~open_class[label]
    paid = closed & (process.reward != 0)
    if paid.any():
        s = int(np.argmax(paid))
        raise ParameterError(
            f"{owner}: discount=1 and the policy never ends from state {mdp.states[s]!r}, where every step is worth "
            f"{num(process.reward[s]):.4g}: it has no finite value.\n{remedy(mdp)}"
        )
    return closed


def exact_values(process: Any, mdp: Any, owner: str) -> NDArray[np.float64]:
    """Return the solution of (1)."""
    gamma, reward, n = process.discount, process.reward, len(process.reward)
    keep = np.ones(n, bool)
    if gamma == 1:
        keep = ~never_ending(process, mdp, owner)
    matrix = process.transition
    if not keep.all():
        matrix = scipy.sparse.diags_array(keep.astype(float)) @ matrix
        reward = np.where(keep, reward, 0.0)
    system = scipy.sparse.eye_array(n, format="csc") - gamma * matrix.tocsc()
    thin = n <= MOST_THIN and matrix.nnz <= THIN * n
    if n <= SOLVED_DIRECTLY or thin:
        return solved_directly(system, reward)
    values = iterated(scipy.sparse.csr_array(matrix), reward, gamma)
    scale = max(float(np.abs(values).max()), float(np.abs(reward).max()), 1e-300)
    if not np.abs(system @ values - reward).max() <= 100 * PRECISION * scale:
        values = solved_directly(system, reward)
    return values


def solved_directly(system: Any, reward: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solution by a factorization, with one step of refinement."""
    factors = scipy.sparse.linalg.splu(system.tocsc())
    values = factors.solve(reward)
    return np.asarray(values + factors.solve(reward - system @ values)) + 0.0  # no negative zeros


def iterated(matrix: Any, reward: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Return the solution of (1) by the compiled Krylov method."""
    n = len(reward)
    threads = thread_count() if matrix.nnz > MANY else 1
    rows = np.arange(n + 1, dtype=np.int64)
    sweeps = _core.decisions.sweeps.Sweeps(
        rows,
        matrix.indptr.astype(np.int64),
        matrix.indices.astype(np.int32),
        np.ascontiguousarray(matrix.data, dtype=np.float64),
        np.ascontiguousarray(reward),
        gamma,
        threads,
    )
    values = np.zeros(n)
    scale = max(float(np.abs(reward).max()), 1e-300)
    sweeps.evaluate(rows[:-1].copy(), PRECISION * scale, MOST_PRODUCTS, values)
    return values


def visits(mdp: Any, policy: Any) -> NDArray[np.float64]:
    """Return the expected discounted number of visits of every (state, action) under a policy."""
    table = policy_table(mdp, policy)
    process = mdp.reward_process(table)
    n = mdp.n_states
    matrix = process.transition
    if mdp.discount == 1:
        closed = never_ending(process._replace(reward=np.where(mdp.model.terminal, 0.0, 1.0)), mdp, "occupancy")
        matrix = scipy.sparse.diags_array((~closed).astype(float)) @ matrix
    system = scipy.sparse.eye_array(n, format="csc") - mdp.discount * matrix.T.tocsc()
    weight = solved_directly(system, mdp.initial.copy())
    return np.asarray(weight[:, None] * table)
