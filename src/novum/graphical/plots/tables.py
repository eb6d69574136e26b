"""Conditional tables as frames, as text beside a node, and as pictures with nested headers."""

from itertools import chain, product
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.graphical.graphs.separation import known_nodes
from novum.graphical.inference.result import short
from novum.report.axes import drawing_axes
from novum.report.style import ink, shade

__all__ = ["draw_table", "table_frame", "table_text"]

MOST_COLUMNS = 64  # of a picture: more cannot be read
MOST_LINES = 16  # of a table beside a node


def parts_of(network: Any, owner: str, variable: Any) -> tuple[Any, tuple[Any, ...], np.ndarray]:
    """Return variable, parents, and the table with a row per combination of the parents' states."""
    (name,) = known_nodes(network.dag, owner, (variable,))
    if name not in network.conditionals:
        raise ParameterError(f"{owner}({variable!r}): the network has no tables yet; pass tables= or call fit(data).")
    if name not in network.states:
        raise ParameterError(f"{owner}({variable!r}): {variable!r} is a real variable; it has no table.")
    table = network.conditionals[name].table()
    return name, network.dag.parents[name], table.reshape(-1, table.shape[-1])


def table_frame(network: Any, variable: Any) -> Any:
    import pandas as pd

    name, parents, table = parts_of(network, f"{type(network).__name__}.table_frame", variable)
    rows = pd.Index(network.states[name], name=name)
    if not parents:
        return pd.DataFrame(table.T, index=rows, columns=["p"])
    columns = [network.states[parent] for parent in parents]
    if len(parents) == 1:
        return pd.DataFrame(table.T, index=rows, columns=pd.Index(columns[0], name=parents[0]))
    return pd.DataFrame(table.T, index=rows, columns=pd.MultiIndex.from_product(columns, names=parents))


def number(value: float) -> str:
    """Return up to four digits without trailing zeros: .9, 1, .3333."""
    text = short(value)
    return text.rstrip("0").rstrip(".") or "0" if "." in text and "e" not in text else text


def table_text(network: Any, variable: Any) -> str:
    """Return the table as monospaced lines, a line per combination of the parents' states."""
    name, parents, table = parts_of(network, f"{type(network).__name__}.plot", variable)
    states = network.states[name]
    head = [*map(str, parents), *map(str, states)]
    combinations = product(*(network.states[parent] for parent in parents))
    body = [
        [*map(str, combination), *(number(float(p)) for p in row)]
        for combination, row in zip(combinations, table[:MOST_LINES], strict=False)
    ]
    width = [max(len(line[k]) for line in [head, *body]) for k in range(len(head))]
    lines = [" ".join(cell.rjust(w) for cell, w in zip(line, width, strict=True)) for line in [head, *body]]
    return "\n".join(lines + [f"... {len(table) - MOST_LINES} more"] * (len(table) > MOST_LINES))


def draw_table(network: Any, variable: Any, ax: Any, symbol: str | None) -> Any:
    """Draw a grid: a row of merged headers per parent, a row per state, a column per combination."""
    owner = f"{type(network).__name__}.plot_table"
    name, parents, table = parts_of(network, owner, variable)
    n = len(table)
    if n > MOST_COLUMNS:
        raise ParameterError(
            f"{owner}({variable!r}): the table has {n} columns, a picture takes {MOST_COLUMNS}; table_frame has them all."
        )
    combinations = list(product(*(network.states[parent] for parent in parents)))
    states = network.states[name]
    cells = [
        [
            number(float(table[j, i]))
            if symbol is None
            else f"{symbol}({state}{' | ' * bool(parents)}{', '.join(map(str, combinations[j]))})"
            for j in range(n)
        ]
        for i, state in enumerate(states)
    ]
    column = max(
        0.6, 0.085 * max(len(text) for text in chain.from_iterable([*cells, *(map(str, c) for c in combinations)]))
    )
    first = 0.3 + 0.09 * max(len(str(text)) for text in (*parents, name, *states))
    height = len(parents) + len(states) + 0.0
    fresh, ax = ax is None, drawing_axes(ax)
    if fresh:
        ax.figure.set_size_inches(first + n * column + 0.4, 0.3 * height + 0.8)

    def write(x: float, row: float, text: Any, **options: Any) -> None:
        ax.text(x, -row - 0.5, str(text), ha="center", va="center", parse_math=False, **options)

    for row, parent in enumerate(parents):
        write(first / 2, row, parent, style="italic")
        span = int(np.prod([len(network.states[p]) for p in parents[row + 1 :]], dtype=int))
        for start in range(0, n, span):
            write(first + (start + span / 2) * column, row, combinations[start][row])
            ax.plot([first + start * column] * 2, [-row, -height], color=shade(ax, 0.8), lw=0.8, zorder=1)
    for i, state in enumerate(states):
        row = len(parents) + i
        write(first / 2, row, state, weight="bold")
        for j in range(n):
            write(first + (j + 0.5) * column, row, cells[i][j])
    for y in (0.0, -float(len(parents)), -height):
        ax.plot([0, first + n * column], [y, y], color=ink(ax), lw=1.0, zorder=2)
    ax.plot([first, first], [0, -height], color=ink(ax), lw=1.0, zorder=2)
    ax.set_xlim(0, first + n * column)
    ax.set_ylim(-height - 0.05, 0.05)
    ax.set_axis_off()
    given = f" | {', '.join(map(str, parents))}" if parents else ""
    ax.set_title(f"P({name}{given})", parse_math=False)
    return ax
