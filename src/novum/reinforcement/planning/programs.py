r"""The two linear programs of a discounted process, solved by HiGHS.

    min  sum_s mu(s) V(s)            V(s) >= R(s, a) + gamma sum_s' P(s'|s, a) V(s')   for all s, a                         (1)
    max  sum_{s,a} d(s, a) R(s, a)   sum_a d(s', a) = mu(s') + gamma sum_{s,a} P(s'|s, a) d(s, a),   d >= 0                 (2)

mu > 0. The solution of (1) is V*; that of (2) is the occupancy of an optimal policy, pi(a|s) proportional to d(s, a). Each
is the dual of the other, so that values and occupancies come together.
"""

from typing import Any

import numpy as np
import scipy.sparse
from scipy.optimize import linprog

from novum.exceptions import DataError, ParameterError
from novum.reinforcement.bellman import pair_table
from novum.reinforcement.mdp import MDP
from novum.reinforcement.model import pair_states, planning_entries
from novum.reinforcement.planning.choices import first_choice, improved_to_the_end, settled
from novum.reinforcement.planning.finiteness import check_finite
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.planning.value import checked_process
from novum.runtime.checks import check_choice, probability_table
from novum.runtime.typing import Environment, Numbers

__all__ = ["linear_program"]


def linear_program(mdp: MDP | Environment, *, form: str = "primal", weights: Numbers | None = None) -> Plan:
    """Return the optimal plan of a process by linear programming; `plan.occupancy` holds the expected discounted visits.

    Parameters
    ----------
    mdp : MDP or tabular Gymnasium environment
        The process.
    form : {"primal", "dual"}, default="primal"
        Over values, or over occupancies.
    weights : array-like, default=None
        mu, positive everywhere; None: equal weights.

    Examples
    --------
    >>> from novum.reinforcement import linear_program
    >>> from novum.teaching.reinforcement.worlds import two_state
    >>> linear_program(two_state(), form="dual").occupancy.round(4).tolist()
    [[0.0, 0.6098], [9.3902, 0.0]]
    """
    owner = "linear_program"
    mdp = checked_process(owner, mdp)
    check_choice(owner, "form", form, ("primal", "dual"))
    model, n = mdp.model, mdp.n_states
    if mdp.discount == 1:
        endings = check_finite(mdp, owner)
        if endings.free.any():
            raise ParameterError(
                f"{owner}: discount=1, and one may stay for ever at no cost, e.g. around state "
                f"{mdp.states[int(np.argmax(endings.free))]!r}: the program has no single solution; use value_iteration."
            )
    mu = np.full(n, 1 / n) if weights is None else np.asarray(probability_table(owner, "weights", weights), dtype=float)
    if mu.shape != (n,) or not (mu > 0).all():
        raise DataError(f"{owner}: weights must be {n} positive numbers that sum to one.")
    start, following, probability = planning_entries(model)
    pairs = np.arange(model.n_pairs)
    origin = scipy.sparse.csr_array((np.ones(model.n_pairs), (pairs, pair_states(model))), shape=(model.n_pairs, n))
    balance = origin - mdp.discount * scipy.sparse.csr_array((probability, following, start), shape=(model.n_pairs, n))
    if form == "primal":
        found = linprog(mu, A_ub=-balance, b_ub=-model.reward, bounds=(None, None), method="highs")
    else:
        found = linprog(-model.reward, A_eq=balance.T.tocsr(), b_eq=mu, bounds=(0, None), method="highs")
    if not found.success:
        raise DataError(f"{owner}: the program was not solved ({found.message}); use policy_iteration.")
    if form == "primal":
        values, visits = np.asarray(found.x), -np.asarray(found.ineqlin.marginals)
    else:
        values, visits = -np.asarray(found.eqlin.marginals), np.asarray(found.x)
    out, choice = np.empty(n), first_choice(mdp)
    low, high, _ = mdp.sweeps.improve(np.ascontiguousarray(values), 0.0, out, choice)
    best = np.maximum.reduceat(visits, model.first[:-1])
    choice = model.first[:-1] + np.array(
        [int(np.argmax(visits[a:b])) for a, b in zip(model.first[:-1], model.first[1:])]
    )
    table = pair_table(model, np.maximum(visits, 0.0))
    table[model.terminal | ~(best > 0)] = 0
    work = f"{form} program with {n} values and {model.n_pairs} pairs, {int(found.nit)} iterations"
    if mdp.discount < 1 and not improved_to_the_end(mdp, choice).ended:
        raise DataError(f"{owner}: the policy of the solution could be improved; the program is badly scaled.")
    record: dict[str, Any] = {"occupancy": np.nan_to_num(table), "rounds": 0}
    return settled(mdp, "linear program", work, out, choice, low=low, high=high, **record)
