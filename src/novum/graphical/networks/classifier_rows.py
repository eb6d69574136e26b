r"""Rows of a classifier that is a network: cells into states, and log p(row, class).

    log p(x, c) = log p(c | Pa_c) + sum_j log p(x_j | Pa_j)                                                          (1)

Whole rows look their terms up; a row with a missing cell goes through exact inference, which sums it out.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.cuts import state_of
from novum.engines.factors.plan import Engine, Factor
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.graphical.inference.evidence_patterns import posterior_rows
from novum.runtime import arrays

__all__ = ["NetworkArrays", "intervals", "joint_log", "row_states"]


class NetworkArrays(NamedTuple):
    """The network in numbers: columns 0, ..., d - 1 and the class d."""

    owner: str
    cuts: list[Any]  # of numbers; None: codes 0, 1, 2, ...
    cards: list[int]
    parents: list[tuple[int, ...]]
    tables: list[NDArray]  # axes (parents, variable)


def row_states(model: NetworkArrays, X: NDArray) -> NDArray[np.int32]:
    """Return the states of rows, -1 where a cell is missing."""
    out = np.empty(X.shape, np.int32)
    for j, cuts in enumerate(model.cuts):
        column = X[:, j].astype(np.float64)
        if cuts is not None:
            out[:, j] = state_of(column, cuts)
            continue
        seen = np.where(np.isnan(column), -1.0, column)
        bad = (seen != np.floor(seen)) | (seen >= model.cards[j]) | (seen < -1) | ((seen < 0) & ~np.isnan(column))
        if bad.any():
            raise DataError(
                f"{model.owner}: row {int(np.argmax(bad))} of the categorical column {j} holds {column[int(np.argmax(bad))]:g}; "
                f"fit saw the categories 0, ..., {model.cards[j] - 1}."
            )
        out[:, j] = seen
    return out


def joint_log(model: NetworkArrays, block: Block) -> Any:
    """Return (1) of every row and class, in the dtype and home of the block."""
    codes = row_states(model, arrays.to_numpy(block.X))
    n, d = codes.shape
    k = model.cards[d]
    score = np.zeros((n, k))
    whole = (codes >= 0).all(axis=1)
    rows = codes[whole]
    part = np.zeros((len(rows), k))
    for v, (parents, table) in enumerate(zip(model.parents, model.tables, strict=True)):
        scope = [*parents, v]
        log = np.log(table)
        if d not in scope:
            part += log[tuple(rows[:, u] for u in scope)][:, None]
            continue
        log = np.moveaxis(log, scope.index(d), -1)
        part += log[tuple(rows[:, u] for u in scope if u != d)]
    score[whole] = part
    if not whole.all():
        factors = [
            Factor((*parents, v), table, v)
            for v, (parents, table) in enumerate(zip(model.parents, model.tables, strict=True))
        ]
        (posterior,), log_row = posterior_rows(Engine(model.cards, factors), range(d), codes[~whole], [(d,)])
        score[~whole] = np.log(posterior) + log_row[:, None]
    return arrays.like(block.X, score) if arrays.is_tensor(block.X) else score.astype(block.X.dtype, copy=False)


def intervals(cuts: NDArray) -> list[str]:
    """Return the states of a column of numbers in words."""
    if not len(cuts):
        return ["any"]
    inner = [f"({low:.6g}, {high:.6g}]" for low, high in pairwise(cuts)]
    words = [f"<= {cuts[0]:.6g}", *inner, f"> {cuts[-1]:.6g}"]
    return words if len(set(words)) == len(words) else [f"{i}: {word}" for i, word in enumerate(words)]
