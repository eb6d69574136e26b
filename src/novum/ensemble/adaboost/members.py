"""How a round of boosting gets its member, and what a member says of rows.

A tree of novum is grown again from columns that are sorted once; any other learner is fitted anew.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import clone

from novum.engines.trees.input_table import Table
from novum.exceptions import DataError
from novum.runtime.random import Stream
from novum.tree.base import BaseTree
from novum.tree.regrowth import regrower

__all__ = ["by_row", "codes_of", "members", "numbers_of"]


def fresh(prototype: Any, seed: int) -> Any:
    """Return an unfitted copy of a learner, its random states (also those of parts) set from `seed`."""
    member = clone(prototype)
    names = [name for name in sorted(member.get_params()) if name == "random_state" or name.endswith("__random_state")]
    draws = Stream(seed).integers("random states of parts", 0, len(names), high=2**31 - 1) if names else ()
    return member.set_params(**{name: int(draw) for name, draw in zip(names, draws)})


def by_row(X: Any) -> Any:
    """Return cells as members read them."""
    return X.tocsr() if scipy.sparse.issparse(X) else np.ascontiguousarray(X)


def members(owner: str, prototype: Any, table: Table, X: Any, y: NDArray) -> Callable[..., Any]:
    """Return the function of (weights, seed, rows drawn) that gives a fitted member; X holds the table row by row."""
    if isinstance(prototype, BaseTree):
        grown = regrower(prototype, table, y[:, None])

        def tree(weight: NDArray | None, seed: int, drawn: NDArray | None = None) -> Any:
            counts = None if drawn is None else np.bincount(drawn, minlength=len(y)).astype(np.float64)
            return grown(weight if counts is None else counts, seed)

        return tree
    if any(table.levels):
        raise DataError(f"{owner}: columns with categories need trees as members, not {type(prototype).__name__}.")

    def fitted(weight: NDArray | None, seed: int, drawn: NDArray | None = None) -> Any:
        member = fresh(prototype, seed)
        if drawn is not None:
            member.fit(X[drawn], y[drawn])
        else:
            member.fit(X, y, sample_weight=weight)
        return member

    return fitted


def codes_of(member: Any, X: Any, classes: NDArray) -> NDArray:
    """Return the place among `classes` of what a member predicts for every row."""
    if isinstance(member, BaseTree) and not member.tree_.divides:
        return member.tree_.value[:, 0].argmax(axis=1)[member.tree_.apply(X)]
    return np.searchsorted(classes, member.predict(X))


def numbers_of(member: Any, X: Any) -> NDArray:
    """Return what a member predicts for every row."""
    if isinstance(member, BaseTree) and not member.tree_.divides:
        return member.tree_.value[:, 0, 0][member.tree_.apply(X)]
    return np.asarray(member.predict(X), np.float64)
