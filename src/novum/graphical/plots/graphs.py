"""Drawings of graphs in matplotlib: boxes that fit their labels, arrows between them, observed nodes filled."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from novum.exceptions import ParameterError
from novum.graphical.graphs.separation import known_nodes
from novum.graphical.plots.canvas import ARC, LINES, LINK, PLAIN, Canvas, Style, box_size
from novum.graphical.plots.layout import Layout, Point, layered_layout, spring_layout
from novum.report.axes import new_figure
from novum.report.legends import draw_legend
from novum.report.style import SMALL
from novum.runtime.checks import is_false, is_true

if TYPE_CHECKING:
    from novum.graphical.graphs.dag import DAG
    from novum.graphical.graphs.enumeration import EquivalenceClasses
    from novum.graphical.graphs.equivalence import EssentialGraph
    from novum.graphical.graphs.separation import DSeparation
    from novum.graphical.graphs.undirected import UndirectedGraph
    from novum.graphical.networks.factor_graph import FactorGraph

__all__ = ["draw_classes", "draw_dag", "draw_essential", "draw_factor_graph", "draw_network", "draw_separation"]

SMALL_LETTER, SMALL_LINE = 0.058, 0.115  # of the monospaced tables beside nodes, at 7 points
OBSERVED, FACTOR = "#b9cbe4", "#d9d9d9"
OPEN, BLOCKED, REST = "C0", "C1", "0.6"
PATHS_DRAWN = 500  # colored at most: their number may be exponential
CLASSES_DRAWN = 16
PLATE = (0.1, 0.2)  # inches, from the boxes to the frame of a plate; more below, where its name is
EDGE = 1.0  # inches, of an edge between nodes


def directed_canvas(
    dag: "DAG",
    ax: Any,
    title: str,
    labels: Mapping[Any, str],
    beside: Mapping[Any, str] | None = None,
    plates: Iterable[Iterable[Any]] = (),
) -> tuple[Canvas, Layout]:
    """Return the canvas of a layered layout; `beside` is text to the right of a node, plates stand side by side."""
    from novum.graphical.graphs.undirected import UndirectedGraph

    parts: list[Sequence[Any]] = []
    left = dict.fromkeys(dag.nodes)
    for plate in plates:
        parts.append([node for node in plate if node in left])
        left = {node: None for node in left if node not in parts[-1]}
    arcs = [arc for arc in dag.arcs if arc[0] in left and arc[1] in left]
    parts = [part for part in [*parts, *UndirectedGraph(arcs, left).components()] if part]
    own = {node: box_size(labels[node]) for node in dag.nodes}
    texts = {node: text.split("\n") for node, text in (beside or {}).items()}
    extra = {node: 0.1 + SMALL_LETTER * max(map(len, lines)) for node, lines in texts.items()}
    sizes = {
        node: (own[node][0] + extra.get(node, 0), max(own[node][1], SMALL_LINE * len(texts.get(node, ())) + 0.1))
        for node in dag.nodes
    }
    layout = layered_layout(dag.parents, dag.order, sizes, parts)
    canvas = Canvas(ax, layout.at, sizes, title)
    moved = {n: (x - extra.get(n, 0) / 2, y) for n, (x, y) in layout.at.items()}
    canvas.at = moved
    for node, lines in texts.items():
        x, y = moved[node]
        canvas.note(x + own[node][0] / 2 + 0.08, y, "\n".join(lines), ha="left", va="center")
    return canvas, layout


def draw_arcs(
    canvas: Canvas,
    layout: Layout,
    arcs: Iterable[tuple[Any, Any]],
    style: Callable[[Any, Any], Style] = lambda a, b: ARC,
) -> None:
    for arc in arcs:
        canvas.arc(*arc, style(*arc), layout.via.get(arc, ()))


def legend(ax: Any, entries: Iterable[tuple[str, str, str]]) -> None:
    """Put (color, line, label) below the drawing."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=color, linestyle=line, label=label) for color, line, label in entries]
    if handles:
        draw_legend(ax, handles)


def draw_dag(dag: "DAG", ax: Any, observed: Any, fixed: Any, plates: Mapping[Any, Any] | None) -> Any:
    seen, dots = (set(known_nodes(dag, "DAG.plot", nodes)) for nodes in (observed, fixed))
    labels = {node: str(node) for node in dag.nodes}
    framed = {
        label: known_nodes(dag, f"DAG.plot(plates={{{label!r}: ...}})", nodes)
        for label, nodes in (plates or {}).items()
    }
    title = f"directed graph, {len(dag)} nodes, {len(dag.arcs)} arcs"
    canvas, layout = directed_canvas(dag, ax, title, labels, plates=framed.values())
    for node in dag.nodes:
        if node in dots:
            canvas.dot(node, labels[node])
        else:
            canvas.node(node, labels[node], OBSERVED if node in seen else PLAIN)
    draw_arcs(canvas, layout, dag.arcs)
    for label, inside in framed.items():
        spans = [
            [
                (layout.at[n][k] - box_size(labels[n])[k] / 2, layout.at[n][k] + box_size(labels[n])[k] / 2)
                for n in inside
            ]
            for k in (0, 1)
        ]
        (left, low), (right, high) = ([end(edge[i] for edge in s) for s in spans] for i, end in ((0, min), (1, max)))
        canvas.frame((left - PLATE[0], low - PLATE[1]), (right + PLATE[0], high + PLATE[0]), str(label))
    return canvas.ax


def draw_network(network: Any, ax: Any, evidence: Any, tables: Any) -> Any:
    from novum.graphical.plots.tables import table_text

    owner = f"{type(network).__name__}.plot"
    seen = known_nodes(network.dag, owner, list(evidence) if isinstance(evidence, Mapping) else evidence)
    values = {v: f"{v}\n= {evidence[v]}" for v in seen} if isinstance(evidence, Mapping) else {}
    shown = network.nodes if is_true(tables) else () if is_false(tables) else known_nodes(network.dag, owner, tables)
    if shown and not network.conditionals:
        raise ParameterError(
            f"{owner}(tables={tables!r}): the network has no tables yet; pass tables= or call fit(data)."
        )
    labels = {v: values.get(v, str(v)) for v in network.nodes}
    beside = {v: table_text(network, v) for v in shown if v in network.states}
    canvas, layout = directed_canvas(network.dag, ax, network.name or type(network).__name__, labels, beside)
    for v in network.nodes:
        canvas.node(v, labels[v], OBSERVED if v in seen else PLAIN)
    draw_arcs(canvas, layout, network.arcs)
    return canvas.ax


def draw_separation(dag: "DAG", result: "DSeparation", ax: Any) -> Any:
    state: dict[frozenset[Any], bool] = {}
    blocking: set[Any] = set()
    for path in islice(result.paths(), PATHS_DRAWN):
        blocking.update(path.blocked_by)
        for one, other in zip(path.nodes, path.nodes[1:], strict=False):
            key = frozenset((one, other))
            state[key] = state.get(key, False) or path.open
    styles = {None: Style(REST), True: Style(OPEN, "-", "-|>", 2.0), False: Style(BLOCKED, "--", "-|>", 1.6)}
    a, b, given = (", ".join(map(str, part)) for part in (result.a, result.b, result.given))
    words = "separated" if result else "connected"
    labels = {node: str(node) for node in dag.nodes}
    canvas, layout = directed_canvas(dag, ax, f"{a}, {b} given {given or 'nothing'}: {words}", labels)
    for node in dag.nodes:
        ends = node in result.a or node in result.b
        edge = OPEN if ends and not result else BLOCKED if node in blocking else LINES
        canvas.node(node, labels[node], OBSERVED if node in result.given else PLAIN, edge=edge)
    draw_arcs(canvas, layout, dag.arcs, lambda a, b: styles[state.get(frozenset((a, b)))])
    kinds = ((True, "open path"), (False, "blocked path"))
    legend(
        canvas.ax, [(canvas.color(styles[k].color), styles[k].line, label) for k, label in kinds if k in state.values()]
    )
    return canvas.ax


def draw_undirected(graph: "UndirectedGraph", ax: Any, observed: Iterable[Any]) -> Any:
    seen = set(observed)
    sizes = {node: box_size(str(node)) for node in graph.nodes}
    unit = EDGE * max([1.0, *(0.6 + width for width, _ in sizes.values())])
    canvas = Canvas(
        ax, spring_layout(graph.neighbors, unit), sizes, f"undirected graph, {len(graph)} nodes", equal=True
    )
    for node in graph.nodes:
        canvas.node(node, str(node), OBSERVED if node in seen else PLAIN)
    for a, b in graph.edges:
        canvas.arc(a, b, LINK)
    return canvas.ax


def factor_canvas(graph: "FactorGraph", ax: Any, title: str, observed: Iterable[Any], unit: float) -> Canvas:
    """Return the canvas with circles for variables, squares for factors and the edges between them."""
    seen = set(observed)
    labels = {node: str(node) for node in graph.states} | {("factor", f.name): f.name for f in graph.factors}
    sizes = {node: box_size(label) for node, label in labels.items()}
    unit = max([unit, *(0.4 + width for width, _ in sizes.values())])
    canvas = Canvas(ax, spring_layout(graph.graph.neighbors, unit), sizes, title, equal=True)
    for node, label in labels.items():
        factor = node not in graph.states
        canvas.node(node, label, FACTOR if factor else OBSERVED if node in seen else PLAIN, square=factor)
    return canvas


def draw_factor_graph(graph: "FactorGraph", ax: Any, observed: Any) -> Any:
    title = f"factor graph, {len(graph.states)} variables, {len(graph.factors)} factors"
    canvas = factor_canvas(graph, ax, title, graph.graph._listed("plot", observed), EDGE)
    for a, b in graph.graph.edges:
        canvas.arc(a, b, LINK)
    return canvas.ax


def draw_essential(graph: "EssentialGraph", ax: Any) -> Any:
    dag = graph.to_dag()
    labels = {node: str(node) for node in dag.nodes}
    canvas, layout = directed_canvas(dag, ax, f"essential graph, {graph.n_members} members", labels)
    for node in dag.nodes:
        canvas.node(node, labels[node])
    free = {frozenset(edge) for edge in graph.edges}
    draw_arcs(canvas, layout, dag.arcs, lambda a, b: LINK if frozenset((a, b)) in free else ARC)
    return canvas.ax


def on_circle(nodes: Sequence[Any], radius: float) -> dict[Any, Point]:
    angle = np.pi / 2 + 2 * np.pi * np.arange(len(nodes)) / len(nodes)
    return {n: (radius * float(np.cos(t)), radius * float(np.sin(t))) for n, t in zip(nodes, angle, strict=True)}


def draw_classes(classes: "EquivalenceClasses", figure: Any) -> Any:
    shown = classes[:CLASSES_DRAWN]
    columns = max(len(one.members) for one in shown)
    if figure is None:
        figure = new_figure(1.5 * columns + 0.5, 1.5 * len(shown))
    grid = figure.subplots(len(shown), columns, squeeze=False)
    more = f" (the first {len(shown)})" if len(shown) < len(classes) else ""
    figure.suptitle(f"{classes.n_graphs} directed graphs, {len(classes)} classes{more}")
    for row, (row_axes, one) in enumerate(zip(grid, shown, strict=True), 1):
        for ax in row_axes[len(one.members) :]:
            ax.set_axis_off()
        for ax, member in zip(row_axes, one.members, strict=False):
            at = on_circle(member.nodes, 0.6)
            canvas = Canvas(ax, at, dict.fromkeys(at, (0.5, 0.5)), "", scale=0.8)
            for node in member.nodes:
                canvas.node(node, str(node))
            for arc in member.arcs:
                canvas.arc(*arc)
        row_axes[0].set_title(f"class {row}", fontsize=SMALL, loc="left")
    return grid
