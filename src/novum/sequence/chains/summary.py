"""The repr of a learned chain: a line on the fit, then the table of its transitions."""

from typing import Any

import numpy as np

from novum.report.numbers import counted, decimal, weight_text

__all__ = ["describe"]

MOST_CONTEXTS, MOST_STATES = 12, 8  # that are written out


def describe(model: Any) -> str:
    """Return the repr of a learned chain."""
    k = len(model.states_)
    head = (
        f"{type(model).__name__} of order {model.order}, {counted(k, 'state')}, {weight_text(float(model.counts_.sum()))} "
        f"transitions, {counted(model.n_parameters_, 'parameter')}"
    )
    if not model.homogeneous:
        return f"{head}, a table for each of {counted(len(model.transition_), 'place')}"
    if k > MOST_STATES:
        return head
    contexts = [model._context(c, model.states_) for c in range(min(len(model.transition_), MOST_CONTEXTS))]
    names = [" ".join(map(str, c)) if isinstance(c, tuple) and model.order != 1 else str(c) for c in contexts]
    table = [["", *map(str, model.states_), "seen"]]
    for name, row, seen in zip(names, model.transition_, np.sum(model.counts_, axis=1)):
        table.append([name, *(decimal(float(p)) for p in row), weight_text(float(seen))])
    widths = [max(len(row[j]) for row in table) for j in range(k + 2)]
    lines = [
        "  " + "   ".join([f"{row[0]:<{widths[0]}}", *(f"{cell:>{w}}" for cell, w in zip(row[1:], widths[1:]))])
        for row in table
    ]
    more = len(model.transition_) - len(contexts)
    return "\n".join([head, *lines, *([f"  and {counted(more, 'context')} more"] if more else [])])
