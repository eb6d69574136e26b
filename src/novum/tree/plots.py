"""A tree as a picture: boxes for the nodes, their tests inside, the outcomes on the edges.

Leaves stand side by side in the order of the branches, a node in the middle above its children. The texts in the boxes are
scikit-learn's; nodes of more than two branches, or of sets of categories, have the categories on their edges.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Int, Null, check
from novum.base.fitted import check_is_fitted
from novum.engines.trees.nodes import LEAF, Tree
from novum.exceptions import ParameterError
from novum.report.axes import new_figure
from novum.report.style import PALETTE, ink, letters, paper, shade
from novum.runtime.checks import is_false, is_true
from novum.runtime.typing import Axes, Numbers
from novum.tree.base import BaseTree
from novum.tree.conditions import Names, edge_condition, float_rows, names_of

__all__ = ["plot_tree"]

CUT = "\n  (...)  \n"  # in place of what lies below `max_depth`
LARGEST_FONT, SMALLEST_FONT = 11.0, 1.0  # a large tree is read by zooming in; boxes never lie on each other
WIDTHS = (5.0, 18.0)  # inches of a figure, at least and at most
GAP = 0.94  # of the way to its neighbor that a box may fill
LONGEST_EDGE = 24  # characters of a label on an edge


class Style(NamedTuple):
    """What the boxes say."""

    names: Names
    class_names: Any  # None: no line for the class
    label: str
    impurity: bool
    node_ids: bool
    proportion: bool
    precision: int
    indexed: bool  # columns as x[0], x[1], ...


def positions(tree: Tree, depth: NDArray, last: int) -> NDArray:
    """Return the place of every node that is drawn, in leaves from the left; NaN for the others."""
    x = np.full(tree.node_count, np.nan)
    waiting, taken = [(0, False)], 0
    while waiting:
        node, done = waiting.pop()
        children = tree.children(node) if depth[node] < last else tree.children(node)[:0]
        if not len(children):
            x[node], taken = taken, taken + 1
        elif done:
            x[node] = (x[children[0]] + x[children[-1]]) / 2
        else:
            waiting.append((node, True))
            waiting.extend((child, False) for child in children[::-1].tolist())
    return x


def question(tree: Tree, node: int, style: Style) -> str:
    """Return the question of a node; that of a multiway node is the column."""
    j = int(tree.feature[node])
    name = f"x[{j}]" if style.indexed else style.names.features[j]
    if tree.n_categories[j]:
        return name
    return f"{name} <= {round(float(tree.threshold[node]), style.precision)}"


def numbers_text(value: NDArray) -> str:
    """Return numbers in brackets, a line per output."""
    rows = [", ".join(map(str, row.tolist())) for row in np.atleast_2d(value)]
    return "[" + rows[0] + "]" if len(rows) == 1 else "[[" + "]\n[".join(rows) + "]]"


def box_text(model: Any, node: int, style: Style) -> str:
    """Return the lines of a node."""
    tree, lines = model.tree_, []
    named = style.label == "all" or (style.label == "root" and node == 0)

    def line(name: str, text: Any) -> None:
        lines.append(f"{name}{text}" if named else str(text))

    if style.node_ids:
        line("node ", f"#{node}")
    if tree.children_left[node] != LEAF:
        lines.append(question(tree, node, style))
    if style.impurity:
        line(f"{model.criterion} = ", round(float(tree.impurity[node]), style.precision))
    rows = int(tree.n_node_samples[node])
    line("samples = ", f"{round(100.0 * rows / float(tree.n_node_samples[0]), 1)}%" if style.proportion else rows)
    numbers = not hasattr(model, "classes_")
    value = tree.value[node, 0] if tree.n_outputs == 1 else tree.value[node]
    best = int(value.argmax())
    if not numbers and not style.proportion:
        value = value * tree.weighted_n_node_samples[node]
    value = np.around(value, style.precision) + 0.0
    if not numbers and not style.proportion and (np.mod(value, 1) == 0).all():
        value = value.astype(int)
    line("value = ", value[0] if numbers and tree.n_outputs == 1 else numbers_text(value))
    if style.class_names is not None and not numbers and tree.n_outputs == 1:
        line("class = ", f"y[{best}]" if is_true(style.class_names) else (style.names.classes or [])[best])
    return "\n".join(lines)


def colors_of(model: Any) -> list[Any]:
    """Return a color per node: that of the class, paler the more mixed; for numbers from pale to deep by their size."""
    from matplotlib.colors import to_rgb

    tree = model.tree_
    if tree.n_outputs > 1:
        mixed = tree.impurity / max(float(tree.impurity.max()), np.finfo(float).tiny)
        strength, base = 1 - mixed, np.zeros(tree.node_count, int)
    elif hasattr(model, "classes_"):
        order = np.sort(tree.value[:, 0], axis=1)
        second = order[:, -2] if order.shape[1] > 1 else np.zeros(len(order))
        strength, base = (order[:, -1] - second) / np.maximum(1 - second, 1e-12), tree.value[:, 0].argmax(1)
    else:
        value = tree.value[:, 0, 0]
        strength, base = (value - value.min()) / max(float(np.ptp(value)), 1e-300), np.zeros(tree.node_count, int)
    pure = np.array([to_rgb(PALETTE[k % len(PALETTE)]) for k in base])
    return [tuple(one) for one in 1 - (1 - pure) * (0.75 * strength[:, None])]


def edge_text(tree: Tree, node: int, child: int, names: Names) -> str:
    """Return the outcome on an edge; of thresholds only the root's, as in scikit-learn."""
    if not tree.n_categories[tree.feature[node]]:
        return "" if node else ("True" if child == tree.children_left[node] else "False")
    condition = edge_condition(tree, node, child)
    text = ", ".join(names.levels[condition.feature][c] for c in condition.categories or ())
    return text if len(text) <= LONGEST_EDGE else text[: LONGEST_EDGE - 1] + "…"


def figure_for(tree: Tree, max_depth: int) -> Any:
    """Return a new figure in which the boxes of so many levels can be read."""
    depth = tree.depths()
    leaves = np.nanmax(positions(tree, depth, max_depth + 1)) + 1
    levels = min(int(depth.max()), max_depth + 1) + 1
    return new_figure(float(np.clip(1.4 * leaves, *WIDTHS)), 1.25 * levels + 0.5)


def plot_tree(
    decision_tree: BaseTree,
    *,
    max_depth: int | None = None,
    feature_names: Sequence[Any] | None = None,
    class_names: Sequence[Any] | bool | None = None,
    label: str = "all",
    filled: bool = False,
    impurity: bool = True,
    node_ids: bool = False,
    proportion: bool = False,
    rounded: bool = False,
    precision: int = 3,
    ax: Axes | None = None,
    fontsize: float | None = None,
    sample: Numbers | None = None,
) -> list[Any]:
    """Draw a tree.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree.
    max_depth : int, default=None
        Deeper nodes are left out.
    feature_names : sequence of str, default=None
        Names of the columns in place of those of `fit`.
    class_names : sequence of str or bool, default=None
        Names of the classes in order; True writes y[0], y[1], ...; None leaves the line out, unless the tree has categories.
    label : {"all", "root", "none"}, default="all"
        Where numbers have names.
    filled : bool, default=False
        Color boxes by class or number.
    impurity, node_ids, proportion : bool, default=True, False, False
        Write the impurity and the number of the node; write shares instead of counts.
    rounded : bool, default=False
        Round the corners.
    precision : int, default=3
        Digits of numbers.
    ax : Axes, default=None
        Where to draw; a new figure without it.
    fontsize : float, default=None
        None makes the boxes fit.
    sample : array-like or frame of shape (1, n_features), default=None
        A row: the edges it takes are drawn heavy, with the part of it that goes there where a missing cell divides it.

    Returns
    -------
    list of Text
        The boxes and the words on edges.

    Examples
    --------
    >>> from novum.datasets import load_play_tennis
    >>> from novum.tree import ID3, plot_tree
    >>> boxes = plot_tree(ID3().fit(*load_play_tennis(return_X_y=True, as_frame=True)), impurity=False)
    >>> boxes[0].get_text().splitlines(), boxes[1].get_text()
    (['Outlook', 'samples = 14', 'value = [5, 9]', 'class = Yes'], 'Sunny')
    """
    domains = {
        "max_depth": Int(0) | Null(),
        "label": Choice("all", "root", "none"),
        "precision": Int(0),
        **{name: Bool() for name in ("filled", "impurity", "node_ids", "proportion", "rounded")},
    }
    flags = {"filled": filled, "impurity": impurity, "node_ids": node_ids, "proportion": proportion, "rounded": rounded}
    check(domains, {"max_depth": max_depth, "label": label, "precision": precision, **flags}, "plot_tree")
    check_is_fitted(decision_tree)
    tree = decision_tree.tree_
    names = names_of(decision_tree, feature_names, None if isinstance(class_names, bool | np.bool_) else class_names)
    if class_names is None and tree.n_categories.any():
        class_names = names.classes
    indexed = feature_names is None and not hasattr(decision_tree, "feature_names_in_")
    shown = None if is_false(class_names) else class_names
    style = Style(
        names=names,
        class_names=shown,
        label=label,
        impurity=impurity,
        node_ids=node_ids,
        proportion=proportion,
        precision=precision,
        indexed=indexed,
    )
    part = None
    if sample is not None:
        rows = float_rows(decision_tree, sample)
        if len(rows) != 1:
            raise ParameterError(f"plot_tree(sample=...): give one row; it has {len(rows)}.")
        part = tree.decision_path(rows).toarray()[0]
    return draw_tree(
        decision_tree,
        style=style,
        max_depth=tree.max_depth if max_depth is None else max_depth,
        ax=ax,
        fontsize=fontsize,
        filled=filled,
        rounded=rounded,
        part=part,
    )


def draw_tree(
    model: Any,
    style: Style,
    max_depth: int,
    ax: Any,
    fontsize: float | None,
    filled: bool,
    rounded: bool,
    part: NDArray | None,
) -> list[Any]:
    """Draw the boxes and edges, and return their texts."""
    if ax is None:
        ax = new_figure(10, 6).subplots()
    tree, depth = model.tree_, model.tree_.depths()
    x = positions(tree, depth, max_depth + 1)
    levels = min(int(depth.max()), max_depth + 1) + 1
    colors = colors_of(model) if filled else None
    place = np.column_stack([(x + 0.5) / (np.nanmax(x) + 1), 1 - (depth + 0.5) / levels])
    box = {"boxstyle": "round" if rounded else "square", "edgecolor": ink(ax)}
    font = fontsize if fontsize is not None else LARGEST_FONT
    texts, boxes, waiting = [], [], [0]
    while waiting:
        node = waiting.pop()
        cut = depth[node] > max_depth
        color = shade(ax, 0.6) if cut else colors[node] if colors else paper(ax)
        text = CUT if cut else box_text(model, node, style)
        boxes.append(
            ax.text(
                *place[node],
                text,
                ha="center",
                va="center",
                size=font,
                zorder=3,
                color=letters(ax, color),
                bbox={**box, "facecolor": color},
            )
        )
        texts.append(boxes[-1])
        if cut or tree.children_left[node] == LEAF:
            continue
        for child in tree.children(node).tolist():
            taken = part is not None and part[child] > 0
            ax.plot(
                *place[[node, child]].T,
                color=ink(ax) if taken else shade(ax, 0.5),
                linewidth=2.5 if taken else 0.9,
                zorder=1,
            )
            words = edge_text(tree, node, child, style.names)
            if taken and part is not None and part[child] < 1:
                words = f"{words} {part[child]:.3g}".strip()
            if words:
                middle = place[[node, child]].mean(0)
                edge = {"facecolor": paper(ax), "edgecolor": "none", "pad": 1.0}
                texts.append(ax.text(*middle, words, ha="center", va="center", size=font * 0.9, zorder=2, bbox=edge))
        waiting.extend(tree.children(node)[::-1].tolist())
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.set_axis_off()
    if fontsize is None:
        shrink(ax, boxes, texts, 1 / levels)
    return texts


def shrink(ax: Any, boxes: list[Any], texts: list[Any], height: float) -> None:
    """Make the font so small that no box touches its neighbors on the same level, nor the edge of the axes."""
    renderer = ax.figure.canvas.get_renderer() if hasattr(ax.figure.canvas, "get_renderer") else None
    if renderer is None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        renderer = FigureCanvasAgg(ax.figure).get_renderer()
    room = ax.get_window_extent(renderer)
    levels: dict[float, list[tuple[float, float]]] = {}
    factor = 1.0
    for box in boxes:
        box.update_bbox_position_size(renderer)  # before that a frame knows nothing of its text
        extent = box.get_bbox_patch().get_window_extent(renderer)
        x, y = box.get_position()
        levels.setdefault(round(y, 6), []).append((x, extent.width / room.width / 2))
        factor = min(factor, 0.8 * height * room.height / extent.height)
    for found in levels.values():
        ends = [(0.0, 0.0), *sorted(found), (1.0, 0.0)]
        for (x, half), (other, its_half) in pairwise(ends):
            factor = min(factor, GAP * (other - x) / (half + its_half))
    for text in texts:
        text.set_fontsize(max(SMALLEST_FONT, factor * text.get_fontsize()))
