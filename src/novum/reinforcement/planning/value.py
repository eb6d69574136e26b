r"""Value iteration: Bellman's optimality backup, again and again.

V_{k+1}(s) = max_a [R(s, a) + gamma sum_s' P(s'|s, a) V_k(s')]              all states at once: synchronous             (1)
V(s) <- max_a [R(s, a) + gamma sum_s' P(s'|s, a) V(s')]                      in place, in some order: asynchronous        (2)
|V_{k+1} - V_k| < eps  =>  |V_{k+1} - V*| < eps gamma/(1 - gamma)            the greedy policy loses at most twice that   (3)
h <- T* h - (T* h)(s_0),   min(T*h - h) <= g <= max(T*h - h)                 mean reward g a step                         (4)
"""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.exceptions import NotConverged, ParameterError
from novum.reinforcement.mdp import MDP
from novum.reinforcement.model import pair_states, planning_entries
from novum.reinforcement.planning.choices import chosen_policy, first_choice, rounding, settled
from novum.reinforcement.planning.finiteness import check_finite, leaks
from novum.reinforcement.planning.plan import Plan, power_text, swept
from novum.report.numbers import counted
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Environment, Numbers, Seed
from novum.runtime.warn import warn

__all__ = ["checked_process", "modified_iterations", "value_iteration"]

ORDERS = ("auto", "synchronous", "gauss-seidel", "symmetric", "prioritized", "random")
STOPS = ("auto", "gap", "change")
LARGE = 10_000  # states from which the order "auto" goes by place instead of all at once
SETTLED = 2.0**-51  # change of a value, relative to the largest, below which rounding alone moves it
LAZY = 0.5  # share of steps that stay in the mean-reward sweeps, so that cycles do not make them swing


def checked_process(owner: str, mdp: Any) -> Any:
    """Return the process, made from a Gymnasium environment if that is what was given."""
    from novum.reinforcement.mdp import MDP

    return mdp if isinstance(mdp, MDP) else MDP.from_gymnasium(mdp)


def value_iteration(
    mdp: MDP | Environment,
    *,
    tol: float = 1e-6,
    order: str = "auto",
    stop: str = "auto",
    criterion: str = "total",
    max_iter: int = 100_000,
    initial: Numbers | None = None,
    random_state: Seed = 0,
    keep_path: bool = False,
) -> Plan:
    """Return the optimal plan of a process by value iteration.

    Parameters
    ----------
    mdp : MDP or tabular Gymnasium environment
        The process.
    tol : float, default=1e-6
        What the policy may lose (`stop="gap"`), or the last change of a value (`stop="change"`).
    order : {"auto", "synchronous", "gauss-seidel", "symmetric", "prioritized", "random"}, default="auto"
        All states at once; in place, state after state; the same forwards and backwards in turn; in place, the largest
        change first; in place, in random orders. "auto": synchronous backups, with discount < 1 and partial evaluations of
        the policy between them; with discount 1 large processes go in place.
    stop : {"auto", "gap", "change"}, default="auto"
        By the certified bound on the policy's loss, or by the last change. "auto": the gap where discount < 1.
    criterion : {"total", "average"}, default="total"
        What is best: the (discounted) total, or the mean reward a step (relative value iteration; `plan.gain`).
    max_iter : int, default=100_000
        The most sweeps.
    initial : array-like, default=None
        Values to begin with; None: zero.
    random_state : default=0
        Of the random order.
    keep_path : bool, default=False
        Whether `plan.history["path"]` holds the values on the way, the start first, and `plan.history["at"]` the sweeps done by
        then: after every sweep, in place or not; with order "auto" and discount < 1 after every sweep over all actions and after
        the partial evaluation behind it. With order "prioritized" an entry is a single backup, `history["at"]` counts backups and
        `history["states"]` names the states. What the plan does last, the exact evaluation of its policy, is not on the path.

    Examples
    --------
    >>> from novum.reinforcement import room_4x3, value_iteration
    >>> plan = value_iteration(room_4x3(discount=0.9))
    >>> plan.values[:3].round(4).tolist()
    [0.5094, 0.6496, 0.7954]
    >>> plan.gap < 1e-6
    True
    """
    owner = "value_iteration"
    mdp = checked_process(owner, mdp)
    check_number(owner, "tol", tol, 0, open_low=True)
    check_choice(owner, "order", order, ORDERS)
    check_choice(owner, "stop", stop, STOPS)
    check_choice(owner, "criterion", criterion, ("total", "average"))
    check_count(owner, "max_iter", max_iter)
    values = np.zeros(mdp.n_states) if initial is None else mdp._values(initial).copy()
    if criterion == "average":
        return average_plan(mdp, tol, max_iter, values, keep_path)
    if mdp.discount == 1:
        check_finite(mdp, owner)
        if stop == "gap":
            raise ParameterError(
                "value_iteration(stop='gap'): with discount=1 sweeps have no gap; stop by 'change', the policy is then "
                "evaluated exactly."
            )
    gap = stop == "gap" or (stop == "auto" and mdp.discount < 1)
    if order == "auto":
        if gap and mdp.discount < 1:
            return modified_iterations(mdp, "value iteration", tol, max_iter, values, keep_path)
        order = "symmetric" if mdp.n_states > LARGE else "synchronous"
    if order == "prioritized":
        return prioritized_plan(mdp, tol, gap, max_iter, values, keep_path)
    return swept_plan(mdp, tol, gap, order, max_iter, values, random_state=random_state, keep_path=keep_path)


def path_history(path: list[NDArray[np.float64]], at: list[int] | None = None) -> dict[str, list[Any]]:
    """Return a path as a plan keeps it: nothing of an empty one."""
    return {"path": path, "at": list(range(len(path))) if at is None else at} if path else {}


def modified_iterations(
    mdp: Any, method: str, tol: float, max_iter: int, values: NDArray[np.float64], keep_path: bool = False
) -> Plan:
    """Return the plan of compiled sweeps with partial evaluations between them; discount < 1."""
    choice = first_choice(mdp)
    open_ended = bool(leaks(mdp).any() or mdp.model.terminal.any())
    start = values.copy()
    low, high, sweeps, rounds, converged, (at, path) = mdp.sweeps.modified(
        tol, max_iter, open_ended, values, choice, keep_path
    )
    history = path_history([start, *path], [0, *at.tolist()]) if keep_path else {}
    work = f"{counted(sweeps, 'sweep')}, {rounds:,} of them over all actions"
    record = {"sweeps": sweeps, "rounds": rounds, "history": history}
    plan = settled(mdp, method, work, values, choice, low=low, high=high, **record)
    if not (converged or plan.optimal):
        complain(method, sweeps, plan.gap, "gap")
    return plan


def complain(method: str, sweeps: int, left: float, what: str) -> None:
    """Warn that sweeps ended too early."""
    warn(
        f"{method.replace(' ', '_')}: {sweeps} sweeps left a {what} of {power_text(left)}; raise max_iter or tol.",
        NotConverged,
    )


def swept_plan(
    mdp: Any,
    tol: float,
    gap: bool,
    order: str,
    max_iter: int,
    values: NDArray[np.float64],
    random_state: Any,
    keep_path: bool,
) -> Plan:
    """Return the plan of whole sweeps, synchronous or in place."""
    gamma, n = mdp.discount, mdp.n_states
    choice, out = first_choice(mdp), np.empty(n)
    stream, forwards = Stream(seed_of(random_state)), np.arange(n)
    backwards = forwards[::-1].copy()
    changes: list[float] = []
    path = [values.copy()] if keep_path else []
    low = high = np.inf
    bound = tol * (1 - gamma) / (2 * max(gamma, 1e-300)) if gap else tol
    margin = 0.0 if gamma < 1 else rounding(mdp.model.reward)
    converged = False
    while not converged and len(changes) < max_iter:
        if order == "synchronous":
            low, high, _ = mdp.sweeps.improve(values, margin, out, choice)
            values, out = out, values
        else:
            permutation = stream.permutation("sweep", len(changes), n) if order == "random" else forwards
            if order == "symmetric" and len(changes) % 2:
                permutation = backwards
            low, high, _ = mdp.sweeps.improve_in_place(values, permutation, margin, choice)
        changes.append(max(abs(low), abs(high)))
        if keep_path:
            path.append(values.copy())
        converged = changes[-1] < max(bound, SETTLED * float(np.abs(values).max()))
        if gap and order == "synchronous":  # the bounds of all states together are tighter than the largest change
            converged |= gamma / (1 - gamma) * span_of(mdp, low, high) <= tol
    if not converged:
        complain("value_iteration", len(changes), changes[-1], "change")
    if order != "synchronous":  # bounds hold for synchronous backups: one more, which is not counted
        low, high, _ = mdp.sweeps.improve(values, margin, out, choice)
        values = out
    work = swept(len(changes), changes[-1], bound)
    record = {"sweeps": len(changes), "history": {"change": changes, **path_history(path)}}
    return settled(mdp, "value iteration", work, values, choice, low=low, high=high, polish=converged, **record)


def span_of(mdp: Any, low: float, high: float) -> float:
    """Return the width of the bounds, widened to hold zero where episodes end."""
    return max(high, 0.0) - min(low, 0.0) if mdp.model.terminal.any() or leaks(mdp).any() else high - low


def prioritized_plan(
    mdp: Any, tol: float, gap: bool, max_iter: int, values: NDArray[np.float64], keep_path: bool
) -> Plan:
    """Return the plan of single backups, the largest change first."""
    gamma, n = mdp.discount, mdp.n_states
    start, following, _ = planning_entries(mdp.model)
    origin = np.repeat(pair_states(mdp.model), np.diff(start))
    back = scipy.sparse.csr_array((np.ones(len(origin), np.int8), (following, origin)), shape=(n, n))
    back.sum_duplicates()
    choice, out = first_choice(mdp), np.empty(n)
    bound = tol * (1 - gamma) / (2 * max(gamma, 1e-300)) if gap else tol
    path = [values.copy()] if keep_path else []
    backups, (states, became) = mdp.sweeps.prioritized(
        back.indptr.astype(np.int64), back.indices.astype(np.int32), bound, max_iter * n, values, choice, keep_path
    )
    for state, value in zip(states, became[:, 0]):
        path.append(path[-1].copy())
        path[-1][state] = value
    history = {**path_history(path), "states": [mdp.states[s] for s in states]} if keep_path else {}
    low, high, _ = mdp.sweeps.improve(values, 0.0, out, choice)
    left = max(abs(low), abs(high))
    if left > max(bound * (1 + 1e-9), rounding(values)):
        complain("value_iteration", backups // n, left, "change")
    work = f"{backups:,} single backups, {backups / n:.1f} a state"
    record = {"sweeps": -(-backups // n), "history": history}
    return settled(mdp, "value iteration", work, out, choice, low=low, high=high, **record)


def average_plan(mdp: Any, tol: float, max_iter: int, values: NDArray[np.float64], keep_path: bool) -> Plan:
    """Return the plan with the best mean reward a step, by (4) on lazy steps; `values` are relative to the first state."""
    if mdp.model.terminal.any() or leaks(mdp).any():
        raise ParameterError(
            "value_iteration(criterion='average'): episodes of this process end, so a mean over all time says nothing; use "
            "criterion='total'."
        )
    start, following, probability = planning_entries(mdp.model)
    from novum import _core

    sweeps = _core.decisions.sweeps.Sweeps(mdp.model.first, start, following, probability, mdp.model.reward, 1.0, 1)
    choice, out, count = first_choice(mdp), np.empty(mdp.n_states), 0
    low, high = -np.inf, np.inf
    path = [values.copy()] if keep_path else []
    while high - low > tol and count < max_iter:
        low, high, _ = sweeps.improve(values, 0.0, out, choice)
        values = values + LAZY * (out - values)
        values -= values[0]
        count += 1
        if keep_path:
            path.append(values.copy())
    if high - low > tol:
        complain("value_iteration", count, high - low, "gap of the mean reward")
    work = f"{count} sweeps, the mean reward lies in [{low:.6g}, {high:.6g}]"
    return Plan(
        mdp,
        "relative value iteration",
        values,
        chosen_policy(mdp, choice),
        gap=high - low,
        error=(high - low) / 2,
        optimal=False,
        work=work,
        sweeps=count,
        gain=(low + high) / 2,
        history=path_history(path),
    )
