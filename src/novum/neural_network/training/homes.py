"""Networks over arrays and rows that are elsewhere: gathered from files and Dask, answered block by block, left on a device.

A network takes its batches from all rows, so a fit holds them in memory (`novum.fold.gathering` refuses those that do not fit);
its answers need a block at a time. Rows, labels and weights of a tensor on a device stay there, and so do answers about them.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.device_forms import is_elsewhere
from novum.base.fitted import check_is_fitted
from novum.base.validation import open_source, read_in_passes
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.fold.gathering import all_rows, whole_table
from novum.runtime import arrays, devices

__all__ = ["answers_by_block", "beside_rows", "column_moments", "rows_at_hand", "target_on_device"]


class BlockAnswer(NamedTuple):
    """A method of a fitted network, asked about one block."""

    name: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    def __call__(self, estimator: Any, block: Block) -> Any:
        """Return the answer for the rows of a block, under the names of the columns that the fit saw."""
        names = getattr(estimator, "feature_names_in_", None)
        return getattr(estimator, self.name)(named(block.X, names), *self.arguments, **self.options)


def named(X: NDArray, names: Any) -> Any:
    """Return rows as a frame where columns have names."""
    if names is None:
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=list(names))


def answers_by_block(method: Callable) -> Callable:
    """Let a method that says something of every row come in batches from a scan, and lazily from Dask."""

    @wraps(method)
    def wrapper(self: Any, X: Any, *arguments: Any, **options: Any) -> Any:
        if not read_in_passes(X):
            return method(self, X, *arguments, **options)
        check_is_fitted(self)
        return self._rows(X, BlockAnswer(method.__name__, arguments, options), self)

    return wrapper


def rows_at_hand(estimator: Any, X: Any, y: Any, sample_weight: Any, target: str | None) -> tuple[Any, Any, Any]:
    """Return rows, target and weights of a scan or of Dask in memory; anything else as it is."""
    if not read_in_passes(X):
        return X, y, sample_weight
    owner = type(estimator).__name__
    if getattr(X, "ndim", 2) != 2:
        return whole_table(owner, X), y, sample_weight
    source = open_source(estimator, X, y if target else None, sample_weight, target=target)
    found = all_rows(source, owner)
    return named(found.X, source.names), found.y if target else y, found.weight


def target_on_device(estimator: Any, rows: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Return target and weights beside rows on a device, after the checks of every tensor, and which rows count."""
    from novum.fold.homes.tensors import open_tensor

    there = open_tensor(estimator, rows.reshape(len(rows), -1), y, sample_weight)
    if y is not None and not arrays.is_tensor(there.y):
        raise DataError(
            f"{type(estimator).__name__}: labels that are text need X in memory, and it is on a device; give codes."
        )
    weight: Any = there.weight
    used = slice(None) if weight is None else weight > 0
    return there.y, None if weight is None else weight[used].float(), used


def column_moments(rows: Any, weight: Any) -> tuple[NDArray, NDArray]:
    """Return the mean and the variance of every column of a tensor, weighted where there are weights, as arrays."""
    if devices.on_host(rows):
        x, w = rows.double().numpy(), None if weight is None else weight.double().numpy()
        mean = np.average(x, axis=0, weights=w)
        return mean, np.average((x - mean) ** 2, axis=0, weights=w)
    x = rows.double()
    share = (arrays.ones(x, len(x)) if weight is None else weight.double()).to(x.device)
    share = share / share.sum()
    center = share @ x
    return arrays.to_numpy(center), arrays.to_numpy(share @ (x - center) ** 2)


def beside_rows(X: Any, answer: Any) -> Any:
    """Return an answer beside rows on a device, as an array to all others."""
    return answer.to(X.device) if is_elsewhere(X) else arrays.to_numpy(answer)
