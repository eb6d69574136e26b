r"""Trials that are simulated: what a coin flip buys, and what a selection costs.

randomised:     x by a coin, everything else as in the network; E[y | x = 1] - E[y | x = 0] is the effect         (1)
observational:  the same difference, x chosen as in the network; confounders stay in                              (2)
selection:      x and y independent, rows kept by a common effect; the rows kept are dependent                    (3)
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from novum.exceptions import ParameterError
from novum.graphical import BayesianNetwork
from novum.graphical.inference.ancestral import draw_states
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.report.style import shade
from novum.runtime.checks import check_count, check_number
from novum.runtime.message_text import first_few
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Axes, Label, Seed

__all__ = ["Selection", "Trial", "simulate_selection", "simulate_trial"]

Z = float(norm.ppf(0.975))


@result
class Trial(NamedTuple):
    """The effect found by a coin flip, by looking on, and the true one."""

    randomised: float
    randomised_error: float
    observational: float
    observational_error: float
    truth: float
    n: int
    label: str

    def __repr__(self) -> str:
        lines = [f"{self.label}, {self.n} people each"]
        for name, value, error in (
            ("randomised trial", self.randomised, self.randomised_error),
            ("observational study", self.observational, self.observational_error),
        ):
            lines.append(
                f"  {name:20s} {num(value):+.4f}   95 % interval {num(value - Z * error):+.4f} to {num(value + Z * error):+.4f}"
            )
        lines.append(f"  {'truth, by do':20s} {num(self.truth):+.4f}")
        return "\n".join(lines)


def states_of(owner: str, network: BayesianNetwork, variable: Any, states: Any) -> tuple[int, int]:
    if variable not in network.states:
        raise ParameterError(
            f"{owner}: {variable!r} is no discrete variable of the network; they are {first_few(network.states)}."
        )
    known = network.states[variable]
    chosen = (known[0], known[-1]) if states is None else tuple(states)
    if len(chosen) != 2 or any(s not in known for s in chosen) or chosen[0] == chosen[1]:
        raise ParameterError(
            f"{owner}: name two of the states of {variable!r}: {first_few(known, quoted=True)}; got {states!r}."
        )
    return known.index(chosen[0]), known.index(chosen[1])


def simulate_trial(
    network: BayesianNetwork,
    treatment: Label,
    outcome: Label,
    n_samples: int = 1000,
    *,
    treatments: tuple[Any, Any] | None = None,
    outcome_state: Label | None = None,
    random_state: Seed = None,
) -> Trial:
    """Return a randomised trial (1) beside an observational study (2) of the same network, and the truth.

        randomised:   x by a coin, everything else as in the network; E[y | x = 1] - E[y | x = 0] is the effect    (1)
        observational:  the same difference, x chosen as in the network; confounders stay in    (2)

    Parameters
    ----------
    network : BayesianNetwork
    treatment, outcome : names
    n_samples : int, default=1000
        People in each study.
    treatments : (control, treated), optional
        First and last state, by default.
    outcome_state : optional
        The state that counts as one; the last, by default.
    random_state : int, Generator, ..., optional

    Examples
    --------
    >>> from novum.teaching import simulate_trial
    >>> from novum.graphical import BayesianNetwork
    >>> network = BayesianNetwork(
    ...     {"h": [], "x": ["h"], "y": ["h", "x"]},
    ...     {"h": [0.5, 0.5], "x": [[0.8, 0.2], [0.3, 0.7]], "y": [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]]},
    ... )
    >>> trial = simulate_trial(network, "x", "y", 20_000, random_state=0)
    >>> abs(trial.randomised - trial.truth) < 0.03, trial.observational - trial.truth > 0.15
    (True, True)
    """
    owner = "simulate_trial"
    n_samples = check_count(owner, "n_samples", n_samples, 4)
    control, treated = states_of(owner, network, treatment, treatments)
    wanted = network.states[outcome][-1] if outcome_state is None and outcome in network.states else outcome_state
    if outcome not in network.states or wanted not in network.states[outcome]:
        raise ParameterError(f"{owner}: outcome {outcome!r} has no state {wanted!r}.")
    good = network.states[outcome].index(wanted)
    place = {v: i for i, v in enumerate(network.states)}
    seed = seed_of(random_state)
    coin = Stream(seed).permutation("coin", 0, n_samples) < n_samples // 2
    known = network.states[treatment]
    arms = []
    for state, rows in ((control, int((~coin).sum())), (treated, int(coin.sum()))):
        codes, _ = draw_states(network.do({treatment: known[state]}), rows, seed + 1 + state, {})
        arms.append((codes[:, place[outcome]] == good).astype(float))
    codes, _ = draw_states(network, n_samples, seed + 10_007, {})
    chose = codes[:, place[treatment]]
    y = (codes[:, place[outcome]] == good).astype(float)
    seen = [y[chose == control], y[chose == treated]]
    if min(len(part) for part in seen) < 2:
        raise ParameterError(
            f"{owner}: fewer than two of {n_samples} people chose one of the treatments; raise n_samples."
        )
    truth = [float(network.do({treatment: known[s]}).query(outcome)[wanted]) for s in (control, treated)]
    label = f"effect of {treatment}={known[treated]} against {known[control]} on P({outcome}={wanted})"
    found = [value for pair in (arms, seen) for value in contrast(*pair)]
    return Trial(found[0], found[1], found[2], found[3], truth[1] - truth[0], n_samples, label)


def contrast(zero: Any, one: Any) -> tuple[float, float]:
    """Return the difference of two means and its standard error."""
    return float(one.mean() - zero.mean()), float(np.sqrt(one.var(ddof=1) / len(one) + zero.var(ddof=1) / len(zero)))


@result
class Selection(NamedTuple):
    """Correlation before and after rows were selected by a common effect."""

    x: Any
    y: Any
    kept: Any  # mask
    correlation: float
    correlation_kept: float

    def __repr__(self) -> str:
        return (
            f"x and y independent: correlation {num(self.correlation):+.3f} of {counted(len(self.x), 'row')}; "
            f"{num(self.correlation_kept):+.3f} among the {int(self.kept.sum())} selected by x + y"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw all rows, and those that were selected."""
        from novum.report.axes import drawing_axes

        ax = drawing_axes(ax)
        ax.scatter(self.x[~self.kept], self.y[~self.kept], s=6, color=shade(ax, 0.75), label="not selected")
        ax.scatter(
            self.x[self.kept], self.y[self.kept], s=6, label=f"selected, correlation {num(self.correlation_kept):+.2f}"
        )
        ax.set(xlabel="x", ylabel="y", title="Selection makes causes dependent")
        draw_legend(ax)
        return ax


def simulate_selection(n_samples: int = 1000, share: float = 0.3, random_state: Seed = None) -> Selection:
    """Return (3): two independent normals, and the rows in which their sum is among the largest `share`.

        selection:   x and y independent, rows kept by a common effect; the rows kept are dependent    (3)

    Dependence needs a cause, X -> Y, Y -> X or a confounder, only where rows were not selected.
    """
    n_samples = check_count("simulate_selection", "n_samples", n_samples, 10)
    share = check_number("simulate_selection", "share", share, 0, 1, open_low=True, open_high=True)
    draws = Stream(seed_of(random_state)).normal("selection", 0, n_samples, 2)
    x, y = draws[:, 0], draws[:, 1]
    kept = x + y >= np.quantile(x + y, 1 - share)
    return Selection(x, y, kept, float(np.corrcoef(x, y)[0, 1]), float(np.corrcoef(x[kept], y[kept])[0, 1]))
