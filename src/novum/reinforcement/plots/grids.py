"""Grids with values and arrows, and processes as graphs of states."""

from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.reinforcement.layout import Layout, cell_centers, mark_text, number_text
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.policies import Policy
from novum.report.plots.states import Arrow, draw_states
from novum.report.style import SIGNED, SMALL, paper, series, shade

__all__ = ["draw_arrows", "draw_cells", "draw_process", "draw_values"]

REACH = 0.3  # length of an arrow from the middle of its cell
STEPS = {"^": (0.0, -REACH), ">": (REACH, 0.0), "v": (0.0, REACH), "<": (-REACH, 0.0)}
MOST_NODES = 60  # that a drawn graph can be read with


def draw_cells(ax: Any, layout: Layout) -> None:
    """Draw the cells of a grid, walls filled, exits with their marks."""
    from matplotlib.patches import Rectangle

    rows, columns = layout.cells.shape
    for (r, c), s in np.ndenumerate(layout.cells):
        color = shade(ax, 0.3) if s < 0 else "none"
        ax.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, facecolor=color, edgecolor=shade(ax, 0.6)))
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_aspect("equal")
    ax.set_xticks(range(columns), [str(c + 1) for c in range(columns)])
    ax.set_yticks(range(rows), [str(rows - r) for r in range(rows)])
    ax.set(xlabel="column", ylabel="row")


def draw_values(ax: Any, layout: Layout, values: Any) -> None:
    """Write the values into their cells and shade them."""
    shown = np.full(layout.cells.shape, np.nan)
    for (r, c), s in np.ndenumerate(layout.cells):
        if s >= 0:
            shown[r, c] = values[s]
    ax.imshow(shown, cmap=SIGNED, alpha=0.5, zorder=0.5)
    for state, (x, y) in cell_centers(layout).items():
        text = mark_text(float(values[state])) if layout.marks[state] else number_text(float(values[state]))
        ax.text(x, y + 0.32, text, ha="center", va="center", fontsize=SMALL)


def draw_arrows(ax: Any, policy: Policy) -> None:
    """Draw an arrow for every best action, a star where all tie."""
    layout = policy.layout
    if layout is None:
        raise ParameterError("this policy has no grid to draw arrows on.")
    for s, (x, y) in cell_centers(layout).items():
        best = policy.ties[s]
        if layout.marks[s] or not best:
            continue
        if len(best) == len(policy.action_names):
            ax.plot([x], [y], marker="*", color=shade(ax, 0.2), markersize=10)
            continue
        for a in best:
            dx, dy = STEPS.get(str(policy.action_names[a]), (0.0, 0.0))
            ax.annotate("", (x + dx, y + dy), (x, y), arrowprops={"arrowstyle": "->", "color": shade(ax, 0.2)})


def draw_process(ax: Any, mdp: Any, plan: Any = None) -> None:
    """Draw a process on its grid with what is known of it, or as a graph."""
    if mdp.layout is None:
        draw_graph(ax, mdp, plan)
        return
    draw_cells(ax, mdp.layout)
    policy = plan if isinstance(plan, Policy) else getattr(plan, "policy", getattr(plan, "policy_", None))
    values = getattr(plan, "values", getattr(plan, "values_", None))
    if values is not None:
        draw_values(ax, mdp.layout, values)
    else:
        for s, (x, y) in cell_centers(mdp.layout).items():
            if mdp.layout.marks[s]:
                ax.text(x, y, mark_text(float(mdp.model.reward[mdp.model.first[s]])), ha="center", va="center")
    if policy is not None:
        if policy.layout is None:
            policy = mdp.policy(policy.probabilities)
        draw_arrows(ax, policy)
    ax.set_title(plan.method if isinstance(plan, Plan) else mdp.name)


def draw_graph(ax: Any, mdp: Any, plan: Any = None) -> None:
    """Draw states on a circle and an arrow for every transition: action, probability, reward; a plan's actions are thick."""
    n = mdp.n_states
    if n > MOST_NODES:
        raise ParameterError(f"{mdp.name}: a graph of {n} states cannot be read; draw one of at most {MOST_NODES}.")
    chosen = None if plan is None else (plan if isinstance(plan, Policy) else plan.policy).actions
    arrows = []
    for s in range(n):
        for pair in range(mdp.model.first[s], mdp.model.first[s + 1]):
            a = int(mdp.model.action[pair])
            for entry in range(mdp.model.start[pair], mdp.model.start[pair + 1]):
                target = int(mdp.model.next[entry])
                gain = mdp.model.reward[pair] if mdp.model.entry_reward is None else mdp.model.entry_reward[entry]
                thick = 2.0 if chosen is not None and chosen[s] == a else 0.8
                words = f"{mdp.actions[a]}: {mdp.model.probability[entry]:.3g}, {gain:g}"
                arrows.append(Arrow(s, ~target if target < 0 else target, words, series(ax, a), thick))
    grounds = [shade(ax, 0.75) if t else paper(ax) for t in mdp.model.terminal]
    draw_states(ax, [str(state) for state in mdp.states], grounds, arrows)
    ax.set_title(mdp.name)
