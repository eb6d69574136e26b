r"""Bellman's operators on a process, and what follows from them.

T^pi V = R^pi + gamma P^pi V            R^pi(s) = sum_a pi(a|s) R(s, a),  P^pi(s, s') = sum_a pi(a|s) P(s'|s, a)       (1)
T^pi Q = R + gamma P (sum_a' pi(a'|.) Q(., a'))                                                                       (2)
T* V  = max_a [R(., a) + gamma P_a V]                                                                                 (3)
T* Q  = R + gamma P max_a' Q(., a')                                                                                   (4)
f <= g  =>  T f <= T g                  monotone                                                                      (5)
|T f - T g|_inf <= gamma |f - g|_inf    a contraction                                                                 (6)
V^pi = (I - gamma P^pi)^-1 R^pi                                                                                       (7)
d = mu + gamma (P^pi)' d,  d(s, a) = d(s) pi(a|s)        occupancy: expected discounted visits, sum 1/(1 - gamma)      (8)
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError
from novum.reinforcement.model import Model, pair_states, planning_entries, row_sums
from novum.reinforcement.policies import policy_table
from novum.report.result import result
from novum.runtime.random import Stream, seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Seed

__all__ = ["OperatorCheck", "ProcessOperators", "RewardProcess"]

SLACK = 1e-12  # rounding of a backup, relative to the size of the values
MANY = 50_000  # entries from which a second thread pays


@result
class RewardProcess(NamedTuple):
    """The Markov reward process <S, P^pi, R^pi, gamma, mu> of a policy, (1)."""

    transition: Any  # sparse (n, n)
    reward: NDArray[np.float64]
    discount: float
    initial: NDArray[np.float64]
    ending: NDArray[np.float64]  # by state: the probability that a step ends the episode and nothing follows


@result
class OperatorCheck(NamedTuple):
    """How (5) and (6) came out on random functions."""

    monotone: bool
    contraction: bool
    largest_ratio: float  # of |T f - T g| to |f - g|
    discount: float


class ProcessOperators:
    """The operators as methods of a process."""

    model: Model
    discount: float
    name: str
    initial: NDArray[np.float64]

    @cached_property
    def sweeps(self) -> Any:
        """Return the compiled sweeps over this process."""
        start, following, probability = planning_entries(self.model)
        threads = thread_count() if len(following) > MANY else 1
        return _core.decisions.sweeps.Sweeps(
            self.model.first, start, following, probability, self.model.reward, self.discount, threads
        )

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value for name, value in self.__dict__.items() if name != "sweeps"
        }  # compiled: made again when needed

    def _pair_values(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return R + gamma P V of every pair."""
        out = np.empty(self.model.n_pairs)
        self.sweeps.pair_values(values, out)
        return out

    def action_values(self, values: Any) -> NDArray[np.float64]:
        """Return Q(s, a) = R(s, a) + gamma sum P(s'|s, a) V(s'), NaN where an action cannot be taken; terminal rows hold R(s)."""
        return pair_table(self.model, self._pair_values(self._values(values)))

    def bellman(self, values: Any, policy: Any = None) -> NDArray[np.float64]:
        """Return (3) of values (n_states,) or (4) of action values (n_states, n_actions); with a policy (1) or (2)."""
        table = np.asarray(values, dtype=np.float64)
        if table.ndim == 2:
            state = self._follow(table, policy)
            return self.action_values(state)
        q = self._pair_values(self._values(table))
        if policy is None:
            return np.asarray(np.maximum.reduceat(q, self.model.first[:-1]))
        return self._mean(pair_table(self.model, q), policy)

    def residual(self, values: Any, policy: Any = None) -> NDArray[np.float64]:
        """Return T V - V by state: zero everywhere exactly at the true values."""
        return self.bellman(values, policy) - self._values(values)

    def reward_process(self, policy: Any = None) -> RewardProcess:
        """Return the Markov reward process of a policy, uniform where none is given."""
        table = policy_table(self, policy)
        weights = pair_weights(self.model, table)
        start, following, probability = planning_entries(self.model)
        n = self.model.n_states
        entry_pair = np.repeat(np.arange(self.model.n_pairs), np.diff(start))
        matrix = scipy.sparse.csr_array(
            (probability * weights[entry_pair], (pair_states(self.model)[entry_pair], following)), shape=(n, n)
        )
        matrix.sum_duplicates()
        matrix.eliminate_zeros()  # an action that is never taken is no way from state to state
        reward = np.zeros(n)
        np.add.at(reward, pair_states(self.model), weights * self.model.reward)
        ends = row_sums(np.where(self.model.next < 0, self.model.probability, 0.0), self.model.start)
        ending = np.zeros(n)
        np.add.at(ending, pair_states(self.model), weights * np.where(self.model.action < 0, 1.0, ends))
        return RewardProcess(matrix, reward, self.discount, self.initial, ending)

    def evaluate(
        self, policy: Any = None, *, method: str = "exact", tol: float = 1e-10, max_iter: int = 1_000_000
    ) -> Any:
        """Return V^pi, (7), as an `PolicyValues` with `values`, `action_values` and a bound on its error.

        `method` is "exact" (a sparse linear system) or "iterative" (sweeps of (1) until the values are within `tol`).
        """
        from novum.reinforcement.planning.evaluation import evaluate_policy

        return evaluate_policy(self, policy, method, tol, max_iter)

    def occupancy(self, policy: Any = None) -> NDArray[np.float64]:
        """Return (8), the expected discounted number of visits of every (state, action)."""
        from novum.reinforcement.planning.evaluation import visits

        return visits(self, policy)

    def check_operator(self, policy: Any = None, *, trials: int = 20, random_state: Seed = 0) -> OperatorCheck:
        """Try (5) and (6) on random functions; terminal values, which the operators do not change, are the same in both."""
        stream, n = Stream(seed_of(random_state)), self.model.n_states
        monotone, ratio = True, 0.0
        inside = ~self.model.terminal
        for trial in range(trials):
            f = stream.normal("operator check", 2 * trial, n)
            g = f + np.where(inside, stream.uniform("operator check", 2 * trial + 1, n), 0.0)
            before, after = self.bellman(f, policy), self.bellman(g, policy)
            slack = SLACK * max(1.0, float(np.abs(before).max()))
            monotone &= bool((before <= after + slack).all())
            ratio = max(ratio, float(np.abs(after - before).max() / np.abs(g - f).max()))
            h = np.where(inside, stream.normal("operator check", 2 * trial + 1, n), f)
            apart = float(np.abs(self.bellman(h, policy) - before).max() / max(np.abs(h - f).max(), 1e-300))
            ratio = max(ratio, apart)
        return OperatorCheck(monotone, ratio <= self.discount + SLACK, ratio, self.discount)

    def survival(self) -> Any:
        """Return the undiscounted process that ends before every further step with probability 1 - discount: the values
        are the same."""
        from novum.reinforcement.worlds.changes import surviving

        return surviving(self)

    def _values(self, values: Any) -> NDArray[np.float64]:
        try:
            table = np.ascontiguousarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{self.name}: {str(values)[:80]!r} are no values; give one number per state, ({self.model.n_states},)."
            ) from None
        if table.shape != (self.model.n_states,) or np.isnan(table).any():
            raise DataError(
                f"{self.name}: values of shape {table.shape}; give one number per state, ({self.model.n_states},), without NaN."
            )
        return table

    def _mean(self, q: NDArray[np.float64], policy: Any) -> NDArray[np.float64]:
        table = policy_table(self, policy)
        own = np.where(self.model.terminal, self.model.reward[self.model.first[:-1]], 0.0)
        return own + (table * np.where(table > 0, q, 0.0)).sum(axis=1)

    def _follow(self, q: NDArray[np.float64], policy: Any) -> NDArray[np.float64]:
        own = self.model.reward[self.model.first[:-1]]
        if policy is not None:
            return self._mean(q, policy)
        possible = ~np.isnan(pair_table(self.model, self.model.reward))
        best = np.where(possible, q, -np.inf).max(axis=1)
        return np.where(self.model.terminal, own, best)


def pair_weights(model: Model, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return pi(a|s) of every pair; one for the silent pairs of terminal states."""
    return np.where(model.action < 0, 1.0, table[pair_states(model), np.maximum(model.action, 0)])


def pair_table(model: Model, pairs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values of pairs as a table (n_states, n_actions): NaN where an action cannot be taken, R(s) in terminal rows."""
    out = np.full((model.n_states, model.n_actions), np.nan)
    states, real = pair_states(model), model.action >= 0
    out[states[real], model.action[real]] = pairs[real]
    out[states[~real]] = pairs[~real, None]
    return out
