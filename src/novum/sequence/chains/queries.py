"""Questions about the structure of a chain, answered on the chain of order one over its contexts."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_number, probability_table
from novum.runtime.message_text import first_few
from novum.sequence.chains.plots import draw_chain, graph_of
from novum.sequence.chains.results import ChainClasses, ChainVerdict, MixingTime
from novum.sequence.chains.structure import balance_gap, classes_of, stationary_distribution
from novum.sequence.chains.times import expected_hitting_times, hitting_probabilities, mixing

__all__ = ["ChainQueries"]

Array = NDArray[Any]
BALANCED = 1e-8  # relative difference of two flows that counts as none


class ChainQueries:
    """What needs the matrix of the chain alone; `_matrix` and `_nodes` give it and the names of its states."""

    _drawn_unfitted = True  # a chain may be given as its matrix

    def _matrix(self) -> scipy.sparse.csr_array:
        raise NotImplementedError

    def _nodes(self) -> list[Any]:
        raise NotImplementedError

    def classes(self) -> ChainClasses:
        """Return the communicating classes with their periods, and which are closed."""
        nodes, found = self._nodes(), classes_of(self._matrix())
        members = [[nodes[i] for i in one.members] for one in found]
        return ChainClasses(members, [one.closed for one in found], [one.period for one in found])

    def stationary(self, *, every: bool = False) -> Array:
        """Return the stationary distribution, pi T = pi.

        Parameters
        ----------
        every : bool, default=False
            Return one distribution per closed class, as rows: any mixture of them is stationary too. Without, several are an error.
        """
        matrix = self._matrix()
        closed = [one for one in classes_of(matrix) if one.closed]
        if not every and len(closed) > 1:
            nodes = self._nodes()
            parts = " and ".join("{" + first_few(nodes[i] for i in one.members) + "}" for one in closed[:3])
            raise DataError(
                f"MarkovChain.stationary: {len(closed)} closed classes ({parts}) have a distribution each; give every=True."
            )
        distributions = np.stack([stationary_distribution(matrix, one.members) for one in closed])
        return distributions if every else distributions[0]

    def is_stationary(self, distribution: Any) -> ChainVerdict:
        """Return whether a distribution over the states is left as it is by a step."""
        p = self._distribution("is_stationary", distribution)
        off = np.abs(p @ self._matrix() - p)
        worst = int(off.argmax())
        if off[worst] <= BALANCED * max(p[worst], 1e-12) or off.max() <= 1e-12:
            return ChainVerdict(True, "a step leaves it as it is")
        return ChainVerdict(False, f"a step changes p({self._nodes()[worst]}) by {off[worst]:.3g}")

    def detailed_balance(self, distribution: Any = None) -> ChainVerdict:
        """Return whether pi_i T_ij = pi_j T_ji for all pairs; `distribution` is the stationary distribution by default."""
        p = self.stationary() if distribution is None else self._distribution("detailed_balance", distribution)
        gap, i, j = balance_gap(self._matrix(), p)
        if gap <= BALANCED:
            return ChainVerdict(True, "flows between all pairs are equal: the chain is reversible")
        nodes, T = self._nodes(), self._matrix()
        a, b = nodes[i], nodes[j]
        there, back = p[i] * T[i, j], p[j] * T[j, i]
        return ChainVerdict(False, f"from {a} to {b} flows {there:.6g}, back {back:.6g}")

    def is_ergodic(self) -> ChainVerdict:
        """Return whether every start tends to one distribution that gives all states weight, and why (not)."""
        found = self.classes()
        closed = [k for k in range(len(found)) if found.closed[k]]
        names = ["{" + first_few(found.members[k]) + "}" for k in closed]
        if len(closed) > 1:
            return ChainVerdict(False, f"{len(closed)} closed classes, {' and '.join(names[:3])}: the start decides")
        period = found.period[closed[0]]
        if period > 1:
            return ChainVerdict(False, f"period {period}: the chain goes round, its distribution does not settle")
        if len(found) > 1:
            transient = [s for k in range(len(found)) if not found.closed[k] for s in found.members[k]]
            return ChainVerdict(
                False, f"{first_few(transient)} are left for good, though every start tends to one distribution"
            )
        return ChainVerdict(True, "one closed class, period 1: every start tends to the stationary distribution")

    def mixing_time(self, epsilon: float = 0.25) -> MixingTime:
        """Return the steps until every start is within `epsilon` of the stationary distribution, and the bound of its spectrum."""
        owner = "MarkovChain.mixing_time"
        epsilon = check_number(owner, "epsilon", epsilon, 0, 1, open_low=True, open_high=True)
        verdict = self.is_ergodic()
        if not verdict:
            raise ParameterError(f"{owner}: the chain is not ergodic ({verdict.reason}).")
        stationary, reversible = self.stationary(), bool(self.detailed_balance())
        found = mixing(self._matrix().toarray(), stationary, epsilon, reversible)
        return MixingTime(epsilon, found.time, found.bound, found.gap, reversible)

    def hitting_times(self, targets: Any) -> Array:
        """Return the expected number of steps to a state, or to the first of several, from every state; inf if not sure."""
        return expected_hitting_times(self._matrix(), self._goals("hitting_times", targets))

    def hitting_probabilities(self, targets: Any) -> Array:
        """Return the probability of ever being at a state, or at one of several, from every state."""
        return hitting_probabilities(self._matrix(), self._goals("hitting_probabilities", targets))

    def return_times(self) -> Array:
        """Return the expected number of steps until every state is seen again; inf for transient states."""
        stationary = self.stationary(every=True).max(axis=0)
        with np.errstate(divide="ignore"):
            return 1 / stationary

    def to_networkx(self) -> Any:
        """Return a networkx DiGraph with `probability` on every arrow."""
        return graph_of(self._nodes(), self._matrix())

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the states and arrows, closed classes in color, and return the axes; needs networkx."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        draw_chain(ax, self._nodes(), self._matrix(), self.classes())
        return ax

    def _distribution(self, method: str, distribution: Any) -> Array:
        p = probability_table(f"MarkovChain.{method}", "distribution", distribution)
        if p.shape != (self._matrix().shape[0],):
            raise DataError(
                f"MarkovChain.{method}: distribution has shape {p.shape}; it must have shape ({self._matrix().shape[0]},)."
            )
        return p

    def _goals(self, method: str, targets: Any) -> NDArray[np.bool_]:
        nodes = self._nodes()
        place = {state: i for i, state in enumerate(nodes)}
        try:
            wanted = [targets] if targets in place else list(targets)
        except TypeError:
            wanted = [targets] if not hasattr(targets, "__iter__") else list(targets)
        unknown = [state for state in wanted if state not in place]
        if unknown or not wanted:
            raise DataError(
                f"MarkovChain.{method}: targets={targets!r}; give one or more of the states {first_few(nodes, quoted=True)}."
            )
        goals = np.zeros(len(nodes), dtype=bool)
        goals[[place[state] for state in wanted]] = True
        return goals
