"""Pictures of message passing: messages on the edges of a factor graph, and the trellis of a chain."""

from math import hypot
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.graphical.plots.graphs import EDGE, factor_canvas, legend
from novum.report.axes import drawing_axes
from novum.report.style import ink, paper, series, shade

if TYPE_CHECKING:
    from novum.graphical.inference.message_passing import MaxProduct, SumProduct
    from novum.graphical.networks.factor_graph import FactorGraph

__all__ = ["draw_messages", "draw_trellis"]

LARGE_LOG = 12.0  # messages beyond exp(+-12) are written as a power of e times numbers up to 1
STATES_SHOWN = 4
INWARD, OUTWARD, BEST = "C0", "C1", 3


def in_figures(log: NDArray[np.float64]) -> str:
    """Return a message in few digits: (60, 120), e^-812 (1, 0.25)."""
    top = float(np.max(log))
    shift = round(top) if np.isfinite(top) and abs(top) > LARGE_LOG else 0
    cells = [f"{v:.3g}" for v in np.exp(log[:STATES_SHOWN] - shift)] + ["..."] * (len(log) > STATES_SHOWN)
    return (f"e^{shift} " if shift else "") + f"({', '.join(cells)})"


def draw_messages(found: "SumProduct", ax: Any) -> Any:
    """Draw both messages of every edge: towards the first variable in one color, away from it in another."""
    passing = found._passing
    seen = [v for v, local in passing.local.items() if np.isneginf(local).any()]
    longest = max((len(in_figures(log)) for log in passing.messages.values()), default=0)
    given = f" given {found.given}" if found.given else ""
    title = f"messages{given}, log Z = {found.log_partition:.4g}"
    canvas = factor_canvas(found.graph, ax, title, seen, max(1.6 * EDGE, 0.062 * longest + 0.75))
    inward = set(passing.plan.inward)
    for edge, log in passing.messages.items():
        (x, y), (u, v) = (canvas.at[node] for node in edge)
        length = hypot(u - x, v - y) or 1.0
        side = (-(v - y) / length, (u - x) / length)  # to the left of the way the message goes
        color = INWARD if edge in inward else OUTWARD
        ends = [(x + s * (u - x) + 0.06 * side[0], y + s * (v - y) + 0.06 * side[1]) for s in (0.3, 0.7)]
        canvas.ax.annotate(
            "",
            ends[1],
            ends[0],
            arrowprops={"arrowstyle": "->", "color": canvas.color(color), "shrinkA": 0, "shrinkB": 0},
            zorder=3,
        )
        angle = np.degrees(np.arctan2(v - y, u - x))
        angle = (angle + 90) % 180 - 90  # never upside down
        canvas.note(
            (x + u) / 2 + 0.15 * side[0],
            (y + v) / 2 + 0.15 * side[1],
            in_figures(log),
            color,
            ha="center",
            va="center",
            rotation=angle,
            rotation_mode="anchor",
            transform_rotates_text=True,
        )
    for a, b in found.graph.graph.edges:
        canvas.ax.plot(*zip(canvas.at[a], canvas.at[b], strict=True), color=shade(canvas.ax, 0.8), lw=0.8, zorder=1)
    root = next(iter(found.graph.states))
    legend(
        canvas.ax, ((canvas.color(INWARD), "-", f"towards {root}"), (canvas.color(OUTWARD), "-", f"away from {root}"))
    )
    return canvas.ax


def chain_of(graph: "FactorGraph", owner: str) -> tuple[list[Any], list[str]]:
    """Return the variables of a chain from end to end, and the factors between them."""
    between: dict[Any, list[tuple[Any, str]]] = {v: [] for v in graph.states}
    for factor in graph.factors:
        if len(factor.variables) == 2:
            a, b = factor.variables
            between[a].append((b, factor.name))
            between[b].append((a, factor.name))
    ends = [v for v, found in between.items() if len(found) < 2]
    variables, factors = ends[:1], list[str]()
    while variables:
        onward = [(v, name) for v, name in between[variables[-1]] if name not in factors]
        if not onward or len(between[variables[-1]]) > 2:
            break
        variables.append(onward[0][0])
        factors.append(onward[0][1])
    if len(variables) < len(between) or any(len(f.variables) > 2 for f in graph.factors):
        raise ParameterError(
            f"{owner}: a trellis needs a chain x1 - x2 - ... with factors of one or two neighbors; {graph!r} is none."
        )
    return variables, factors


def draw_trellis(found: "MaxProduct", ax: Any) -> Any:
    """Draw states by rows and positions by columns: the best predecessor of every state, and the best path."""
    graph = found.graph
    variables, factors = chain_of(graph, "MaxProduct.plot")
    fresh, ax = ax is None, drawing_axes(ax)
    most = max(len(states) for states in graph.states.values())
    if fresh:
        ax.figure.set_size_inches(1.2 + 0.9 * len(variables), 1.3 + 0.6 * most)
    best = [graph.states[v].index(found.values[v]) for v in variables]
    for t, (factor, right) in enumerate(zip(factors, variables[1:], strict=True)):
        for state, at in enumerate(found.pointer(factor, right)):
            if np.isfinite(found._passing.messages[("factor", factor), right][state]):
                ax.plot([t, t + 1], [int(at[0]), state], color=shade(ax, 0.7), lw=1.0, zorder=1)
    ax.plot(range(len(variables)), best, color=series(ax, BEST), lw=2.5, zorder=2, label="best path")
    same = len(set(map(tuple, graph.states.values()))) == 1
    for t, v in enumerate(variables):
        for s, state in enumerate(graph.states[v]):
            chosen = best[t] == s
            ax.plot(t, s, "o", ms=16, mfc=series(ax, BEST) if chosen else paper(ax), mec=ink(ax), zorder=3, alpha=1.0)
            if not same:
                ax.text(t, s, str(state)[:4], ha="center", va="center", size=7, zorder=4, parse_math=False)
    ax.set_xticks(range(len(variables)), list(map(str, variables)))
    ax.set_yticks(
        range(most), list(map(str, graph.states[variables[0]])) if same else [f"state {i}" for i in range(most)]
    )
    ax.set_ylim(most - 0.5, -0.5)
    ax.set_xlim(-0.5, len(variables) - 0.5)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    given = f" given {found.given}" if found.given else ""
    ax.set(xlabel="position", ylabel="state", title=f"best path{given}, log value {found.log_value:.4g}")
    return ax
