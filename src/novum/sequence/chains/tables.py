"""Tables of transitions: as they may be given, and sequences drawn by them."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.runtime.checks import float_array, probability_table
from novum.sequence.chains.counts import check_cells

__all__ = ["drawn_states", "read_table"]

Array = NDArray[Any]


def read_table(owner: str, transition: Any, states: Any, order: int, homogeneous: bool) -> tuple[Array, list[Any]]:
    """Return given tables as (places, K^M, K) and the labels of the states."""
    names = list(transition.columns) if hasattr(transition, "columns") else None
    T = float_array(owner, "transition", transition).astype(np.float64, copy=False)
    k = T.shape[-1] if T.ndim else 0
    contexts = check_cells(owner, max(k, 1), order, 1)
    places = 1
    if not homogeneous:
        places = len(T)
    if k == 0 or T.size != places * contexts * k:
        wanted = f"({contexts}, {k})" if homogeneous else f"(places, {contexts}, {k})"
        raise DataError(f"{owner}: transition has shape {T.shape}; with order={order} it must have shape {wanted}.")
    T = probability_table(owner, "transition", T.reshape(places, contexts, k), axis=-1)
    labels = list(states) if states is not None else (names or list(range(k)))
    if len(labels) != k or len(set(labels)) != k:
        raise DataError(
            f"{owner}: states names {len(labels)} states ({len(set(labels))} distinct); transition has {k} columns."
        )
    return T, labels


def drawn_states(T: Array, first: Sequence[int], uniform: Array, n_samples: int, order: int) -> NDArray[np.int64]:
    """Return states by number, (sequences, n_samples), from the first context of each and uniform numbers for the later states."""
    contexts, k = T.shape[1:]
    rows: dict[int, list[float]] = {}
    table = np.cumsum(T, axis=2)
    out = np.empty((len(first), n_samples), dtype=np.int64)
    for r, context in enumerate(first):
        drawn = [context // k ** (order - 1 - i) % k for i in range(min(order, n_samples))]
        for t, u in enumerate(uniform[r].tolist()):
            key = context if len(T) == 1 else context + contexts * t
            row = rows.get(key)
            if row is None:
                row = rows[key] = table[0 if len(T) == 1 else t, context].tolist()
            x = bisect_right(row, u * row[-1])
            drawn.append(x)
            context = (context * k + x) % contexts
        out[r] = drawn
    return out
