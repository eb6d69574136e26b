r"""Tests by counts: how long is the memory, does it change in time.

    G^2 = 2 sum n log(n / expected) ~ chi^2;  order M - 1 in M: expected n[c] T'[c without its first state, k]              (15)
    parts: expected n[c] of the part times T[c, k] of all                                                              (16)

Degrees of freedom count the contexts that occur and, in each coarser context, the states that ever follow it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from novum.exceptions import DataError
from novum.sequence.chains.counts import check_cells, windows
from novum.sequence.chains.results import HomogeneityCheck, OrderComparison

__all__ = ["compare_orders", "homogeneity"]

Array = NDArray[Any]
Codes = NDArray[np.int64]


def table(sequences: Sequence[Codes], weights: Array, k: int, order: int, skip: int) -> Array:
    """Return the counts of an order at places from `skip` >= order on, so that orders are compared on the same data."""
    cells = np.zeros(k**order * k)
    for codes, weight in zip(sequences, weights):
        if len(codes) > skip:
            context = windows(codes[skip - order :], k, order)[:-1]
            cells += weight * np.bincount(context * k + codes[skip:], minlength=len(cells))
    return cells.reshape(-1, k)


def log_likelihood(counts: Array) -> float:
    """Return the largest log-likelihood that a table of counts can have."""
    total = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    seen = counts > 0
    return float((counts[seen] * np.log(counts[seen] / total[seen])).sum())


def free_cells(counts: Array, coarse: Array) -> int:
    """Return the free numbers of a table: per context that occurs, the states that follow its coarser context, less one."""
    follows = (coarse > 0).sum(axis=1)
    parent = np.arange(len(counts)) % len(coarse)
    occurs = counts.sum(axis=1) > 0
    return int((follows[parent[occurs]] - 1).sum())


def compare_orders(owner: str, sequences: Sequence[Codes], weights: Array, k: int, most: int) -> OrderComparison:
    """Return (15) for the orders 0 to `most`."""
    check_cells(owner, k, most, 1)
    if not any(len(codes) > most for codes in sequences):
        raise DataError(f"{owner}: no sequence is longer than the largest order {most}; give longer ones.")
    tables = [table(sequences, weights, k, order, most) for order in range(most + 1)]
    values = np.array([log_likelihood(t) for t in tables])
    free = np.array([free_cells(t, tables[0]) for t in tables])
    rows = float(tables[0].sum())
    statistic, df, p = (np.full(most + 1, np.nan) for _ in range(3))
    for order in range(1, most + 1):
        statistic[order] = max(2 * (values[order] - values[order - 1]), 0.0)
        df[order] = free_cells(tables[order], tables[order - 1]) - free_cells(tables[order - 1], tables[order - 1])
        p[order] = float(chdtrc(df[order], statistic[order])) if df[order] > 0 else 1.0
    aic, bic = -2 * values + 2 * free, -2 * values + free * np.log(max(rows, 1.0))
    return OrderComparison(
        order=np.arange(most + 1),
        log_likelihood=values,
        parameters=free,
        aic=aic,
        bic=bic,
        statistic=statistic,
        df=df,
        p_value=p,
    )


def homogeneity(
    owner: str, sequences: Sequence[Codes], weights: Array, k: int, order: int, parts: int
) -> HomogeneityCheck:
    """Return (16): every sequence is cut into so many parts of equal length."""
    check_cells(owner, k, order, parts)
    pieces: list[list[Codes]] = [[] for _ in range(parts)]
    kept: list[float] = []
    for codes, weight in zip(sequences, weights):
        if len(codes) - order < parts:
            continue
        cuts = np.linspace(order, len(codes), parts + 1).astype(int)
        for part in range(parts):
            pieces[part].append(codes[cuts[part] - order : cuts[part + 1]])
        kept.append(float(weight))
    if not kept:
        raise DataError(
            f"{owner}: no sequence has a transition in each of {parts} parts; give longer ones or fewer parts."
        )
    tables = [table(piece, np.array(kept), k, order, order) for piece in pieces]
    whole = np.sum(tables, axis=0)
    statistic = 2 * (sum(map(log_likelihood, tables)) - log_likelihood(whole))
    df = sum(free_cells(t, whole) for t in tables) - free_cells(whole, whole)
    p = float(chdtrc(df, max(statistic, 0.0))) if df > 0 else 1.0
    return HomogeneityCheck(max(float(statistic), 0.0), int(df), p, parts)
