"""Which action is best where, as the step reward rises: a strip for every state that ever changes."""

from typing import Any

import numpy as np

from novum.report.style import SMALL, paper, series, shade

__all__ = ["draw_regimes"]


def draw_regimes(ax: Any, regimes: Any) -> None:
    """Draw a row of colored spans per state, with the letter of the best action in each; switches are dashed lines."""
    states = list(dict.fromkeys(one[1] for one in regimes.switches))
    names = regimes.policies[0].action_names
    for row, state in enumerate(states):
        actions = [policy[state] for policy in regimes.policies]
        begin = 0
        for k in range(1, len(actions) + 1):
            if k == len(actions) or actions[k] != actions[begin]:
                low, high = regimes.bounds[begin], regimes.bounds[k]
                color = series(ax, names.index(actions[begin]))
                ax.barh(row, high - low, left=low, color=color, alpha=0.6, edgecolor=paper(ax))
                ax.text((low + high) / 2, row, str(actions[begin]), ha="center", va="center", fontsize=SMALL)
                begin = k
    for bound in regimes.bounds[1:-1]:
        ax.axvline(bound, color=shade(ax, 0.5), lw=0.5, ls="--")
    ax.set_yticks(np.arange(len(states)), [str(state) for state in states])
    ax.set_xlim(regimes.bounds[0], regimes.bounds[-1])
    ax.set(xlabel="step reward", ylabel="state")
    ax.set_title("best action by step reward")
