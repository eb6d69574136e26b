"""What planning returns: values, a policy, and how far from the best they can be."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.reinforcement.layout import value_lines
from novum.reinforcement.policies import Policy
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.typing import Axes, Label

if TYPE_CHECKING:
    from novum.reinforcement.mdp import MDP


__all__ = ["Plan", "StateValues", "power_text", "swept"]

GAP_OF_SIDES = "    "  # between the map of values and the map of actions


class StateValues(Result):
    """Values of the states of a process, and what follows from them."""

    _mdp: Any
    values: NDArray[np.float64]

    @property
    def action_values(self) -> NDArray[np.float64]:
        """Return R + gamma P values; NaN where an action cannot be taken."""
        return np.asarray(self._mdp.action_values(self.values))

    @property
    def start(self) -> float:
        """Return the expected value of the first state."""
        return float(self._mdp.initial @ self.values)


class Plan(StateValues):
    """Values and a policy of a process.

    Attributes
    ----------
    values : ndarray of shape (n_states,)
        Of the states; at terminal states what they pay.
    policy : Policy
        What to do; it remembers ties.
    action_values : ndarray of shape (n_states, n_actions)
        R + gamma P values; NaN where an action cannot be taken.
    gap : float
        Certified: following the policy loses at most this, from any state; rounded outward. inf where that is not known.
    error : float
        Certified: no value is farther than this from the optimal one.
    optimal : bool
        Whether the policy, evaluated exactly, leaves no better action and its gap is of the size of rounding.
    sweeps, rounds : int
        Passes over all states; policies that were evaluated.
    gain : float or None
        The mean reward a step, of the average criterion.
    history : dict of lists
        What was recorded on the way: "change" by sweep, "values" and "policies" by round of policy iteration; with `keep_path` the
        "path" of the values, "at" after how many sweeps.
    """

    values: NDArray[np.float64]
    policy: Policy
    gap: float
    error: float
    optimal: bool
    sweeps: int
    rounds: int
    gain: float | None
    history: dict[str, list[Any]]

    def __init__(
        self,
        mdp: "MDP",
        method: str,
        values: NDArray[np.float64],
        policy: Policy,
        *,
        gap: float,
        error: float,
        optimal: bool,
        work: str,
        sweeps: int = 0,
        rounds: int = 0,
        gain: float | None = None,
        history: dict[str, list[Any]] | None = None,
        occupancy: NDArray[np.float64] | None = None,
    ) -> None:
        self._mdp, self.method, self.values, self.policy = mdp, method, values, policy
        self.gap, self.error, self.optimal, self._work = float(gap), float(error), optimal, work
        self.sweeps, self.rounds, self.gain, self.history = sweeps, rounds, gain, history or {}
        self.occupancy = occupancy

    def plot_improvement(self, ax: Axes | None = None, *, state: Label | None = None) -> Axes:
        """Draw the zig-zag of policy iteration at a state (None: the likeliest first one): evaluate, improve, evaluate, ..."""
        from novum.reinforcement.plots.curves import draw_improvement
        from novum.report.axes import drawing_axes

        if not self.history.get("values"):
            raise ParameterError(
                f"{self.method} kept no values of rounds to draw; use policy_iteration on up to 200 states, or with initial=."
            )
        ax = drawing_axes(ax)
        draw_improvement(ax, self, state)
        return ax

    def plot_convergence(self, ax: Axes | None = None) -> Axes:
        """Draw the largest change of a value by sweep, on a logarithmic scale; for orders that sweep (`order="synchronous"`)."""
        from novum.reinforcement.plots.curves import draw_convergence
        from novum.report.axes import drawing_axes

        if not self.history.get("change"):
            raise ParameterError(f"{self.method} kept no changes to draw; use value_iteration(order='synchronous').")
        ax = drawing_axes(ax)
        draw_convergence(ax, self)
        return ax

    def sentence(self) -> str:
        """Return what was done and what is certain, in one line."""
        if self.optimal:
            sure = "the policy evaluated exactly leaves no better action: optimal"
        elif not np.isfinite(self.gap):
            sure = "how far the policy is from optimal is not known: rounding hides the cost of going round in circles"
        else:
            sure = f"the policy is within {power_text(self.gap)} of optimal everywhere (certified)"
        return f"{self.method}: {self._work}; {sure}"

    def __repr__(self) -> str:
        head = self.sentence()
        if self.gain is not None:
            head += f"; mean reward {num(self.gain):.6g} a step"
        if self._mdp.layout is None:
            return f"{head}\n{super().__repr__().partition(chr(10))[2]}"
        left = value_lines(self._mdp.layout, self.values)
        right = self.policy.lines()
        width = max(map(len, left))
        return "\n".join([head, *(f"{a:{width}}{GAP_OF_SIDES}{b}" for a, b in zip(left, right))])

    def _result_columns(self) -> dict[str, Any]:
        names = self.policy.action_names
        return {
            "state": list(self._mdp.states),
            "value": self.values.tolist(),
            "action": [None if a < 0 else names[a] for a in self.policy.actions],
        }

    def _result_scalars(self) -> dict[str, Any]:
        return {"gap": self.gap, "error": self.error, "sweeps": self.sweeps}

    def _result_caption(self) -> str:
        return self.sentence()

    def _result_picture(self, ax: Any) -> None:
        from novum.reinforcement.plots.grids import draw_process

        draw_process(ax, self._mdp, self)


def swept(count: int, change: float, bound: float) -> str:
    """Return how many sweeps there were and how small the last change was."""
    return (
        f"{counted(count, 'sweep')}, last change {f'< {power_text(bound)}' if change < bound else power_text(change)}"
    )


def power_text(value: float) -> str:
    """Return a small number as it is written by hand: 1e-6, not 1e-06."""
    return f"{num(value):.3g}".replace("e-0", "e-")
