"""Posteriors of many rows: rows with the same cells observed share a plan, equal rows an answer."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from novum.engines.factors.plan import Engine

__all__ = ["by_pattern", "posterior_rows"]


def by_pattern(rows: NDArray[np.int32]) -> list[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """Return the groups of rows with the same cells observed: (row numbers, mask of the columns)."""
    seen = rows >= 0
    if seen.all():
        return [(np.arange(len(rows)), np.ones(rows.shape[1], dtype=bool))]
    packed = np.packbits(seen, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(group, kind="stable")
    cuts = np.searchsorted(group[order], np.arange(1, len(first)))
    return [(part, seen[part[0]]) for part in np.split(order, cuts)]


def posterior_rows(
    engine: Engine, variables: Sequence[int], rows: NDArray[np.int32], targets: Sequence[Sequence[int]]
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Return p(target | row) for every target, rows first, and log p(row); `rows` has a column for each of `variables`."""
    out = [np.empty((len(rows), *(engine.cards[v] for v in target))) for target in targets]
    log = np.empty(len(rows))
    columns = np.asarray(variables, dtype=np.int64)
    for part, mask in by_pattern(rows):
        cells = np.ascontiguousarray(rows[part][:, mask])
        tables, logs = engine.marginals(columns[mask].tolist(), cells, targets)
        log[part] = logs
        for whole, table in zip(out, tables, strict=True):
            whole[part] = table
    return out, log
