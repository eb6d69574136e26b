r"""What neighbors say together. With weights w_i of the neighbors i of a query,

share of class c  =  sum_i w_i [y_i = c] / sum_i w_i                                           (1)
value             =  sum_i w_i y_i / sum_i w_i                                                 (2)
w_i = 1, or 1 / d_i: there neighbors at distance zero, if any, decide alone                    (3)
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.search.index import Lists
from novum.exceptions import DataError, ParameterError
from novum.neighbors.base import Ready
from novum.neighbors.queries import nearest_rows, rows_within
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = [
    *("ByCount", "ByRadius", "class_shares", "labels_by_count", "labels_by_radius", "shares_by_count"),
    *("shares_by_radius", "values_by_count", "values_by_radius", "weights_of"),
]

BLOCK_VOTES = 1 << 22  # votes counted at a time: 32 MB
MOST_CLASSES = 16  # columns of indicators that are added up for every neighbor; more are counted from lists


class ByCount(NamedTuple):
    """Settings of a vote of the k nearest."""

    k: int
    weights: Any
    target: NDArray  # (n, outputs): codes of classes, or values
    classes: list[NDArray] | None = None
    flat: bool = True


class ByRadius(NamedTuple):
    """Settings of a vote of all within a radius."""

    radius: float
    weights: Any
    target: NDArray
    classes: list[NDArray] | None = None
    flat: bool = True
    outliers: list[Any] | None = None  # per output: the label of queries without neighbors


def in_dtype(values: Any, X: Any) -> Any:
    """Return values in the dtype of the queries."""
    return values.to(X.dtype) if arrays.is_tensor(values) else values.astype(X.dtype, copy=False)


def beside(index: Any, target: Any) -> Any:
    """Return what the rows say where the queries are; rows and queries may have met on a device or in memory."""
    return arrays.like(index, target, str(arrays.dtype_of(target)))


def side_by_side(columns: list[Any], classes: list[NDArray]) -> Any:
    """Return the labels of several outputs as one table."""
    if arrays.is_tensor(columns[0]):
        return arrays.concat([column[:, None] for column in columns])
    return np.column_stack(columns).astype(classes[0].dtype, copy=False)


def weights_of(distance: Any, weights: Any) -> Any:
    """Return (3) for the neighbors of every query (rows), or what a function makes of their distances; None for ones."""
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return None
    if not isinstance(weights, str):
        return arrays.like(distance, np.asarray(weights(arrays.to_numpy(distance))))
    zero = distance == 0
    with np.errstate(divide="ignore"):
        inverse = 1 / distance
    return arrays.where(zero.any(1)[:, None], arrays.double(zero), inverse)


def list_weights(found: Lists, weights: Any) -> NDArray | None:
    """Return (3) for lists of neighbors, flat."""
    if weights is None or (isinstance(weights, str) and weights == "uniform"):
        return None
    if not isinstance(weights, str):
        made = weights(found.split(found.distance))
        return (
            np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in made]) if len(made) else np.zeros(0)
        )
    zero = found.distance == 0
    query = np.repeat(np.arange(len(found.begin) - 1), np.diff(found.begin))
    decided = np.bincount(query[zero], minlength=len(found.begin) - 1)[query] > 0
    with np.errstate(divide="ignore"):
        return np.where(decided, zero, 1 / found.distance)


def refuse_silence(weight: Any) -> None:
    """Raise if all neighbors of a query have no weight."""
    if weight is not None and (weight == 0).all(1).any():
        raise DataError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you are using a"
            " user-defined function."
        )


def class_shares(code: Any, weight: Any, n_classes: int) -> Any:
    """Return the votes for every class: code (q, k), weight (q, k) or None for ones."""
    if arrays.is_tensor(code):
        votes = arrays.ones(code, len(code), n_classes) * 0
        return votes.scatter_add_(1, code, arrays.ones(code, *code.shape) if weight is None else weight)
    place = (np.arange(0, len(code) * n_classes, n_classes)[:, None] + code).ravel()
    votes = np.bincount(place, None if weight is None else weight.ravel(), minlength=len(code) * n_classes)
    return votes.reshape(len(code), n_classes)


def found_by_count(ready: Ready, threads: int, X: Any, own: bool) -> tuple[Any, Any]:
    """Return the neighbors of every query, and their weights."""
    distance, index = nearest_rows(ready, ready.settings.k, threads, X, own)
    return index, weights_of(distance, ready.settings.weights)


def labels_by_count(ready: Ready, threads: int, X: Any, own: bool) -> Any:
    """Return the class of most votes (1); of equals the first."""
    by = ready.settings
    index, weight = found_by_count(ready, threads, X, own)
    refuse_silence(weight)
    columns, target = [], beside(index, by.target)
    for output, classes in enumerate(by.classes):
        codes = []
        step = max(1, BLOCK_VOTES // len(classes))
        for start in range(0, len(index), step):
            part = slice(start, start + step)
            votes = class_shares(target[:, output][index[part]], None if weight is None else weight[part], len(classes))
            codes.append(votes.argmax(1))
        columns.append(arrays.labels_at(classes, arrays.stack_rows(codes)))
    return columns[0] if by.flat else side_by_side(columns, by.classes)


def shares_by_count(ready: Ready, threads: int, X: Any, own: bool) -> Any:
    """Return (1): an array, or a list of them, one per output."""
    by = ready.settings
    index, weight = found_by_count(ready, threads, X, own)
    refuse_silence(weight)
    shares, target = [], beside(index, by.target)
    for output, classes in enumerate(by.classes):
        votes = class_shares(target[:, output][index], weight, len(classes))
        shares.append(in_dtype(votes / votes.sum(1)[:, None], X))
    return shares[0] if by.flat else shares


def values_by_count(ready: Ready, threads: int, X: Any, own: bool) -> Any:
    """Return (2)."""
    by = ready.settings
    index, weight = found_by_count(ready, threads, X, own)
    target = beside(index, by.target)[index]  # (q, k, outputs)
    if arrays.is_tensor(target):
        value = (target.double() if weight is None else weight.double()[:, :, None] * target).sum(1)
        value = value / (target.shape[1] if weight is None else weight.sum(1)[:, None])
    elif weight is None:
        value = target.mean(1)
    else:
        value = np.einsum("qk,qko->qo", weight.astype(np.float64), target) / weight.sum(1)[:, None]
    value = in_dtype(value, X)
    return value[:, 0] if by.flat else value


def lists_by_radius(ready: Ready, threads: int, X: Any, own: bool) -> tuple[Lists, NDArray | None]:
    """Return the neighbors of every query, and their weights."""
    found = rows_within(ready, ready.settings.radius, threads, X, own)
    return found, list_weights(found, ready.settings.weights)


def list_sums(found: Lists, values: NDArray) -> NDArray:
    """Return the sum over every list, zero for an empty one."""
    query = np.repeat(np.arange(len(found.begin) - 1), np.diff(found.begin))
    return np.bincount(query, values, minlength=len(found.begin) - 1)


def added_on_device(ready: Ready, X: Any, own: bool, values: Any) -> tuple[Any, Any]:
    """Return weighted sums of values (n, m) and of weights over all rows within the radius of every query of a tensor."""
    by = ready.settings
    if callable(by.weights):
        raise ParameterError(
            "weights given as a function take lists of distances, which are made in memory; for rows within a radius of queries"
            " on a device give weights='uniform' or 'distance', or X.cpu()."
        )

    def added(distance: Any, near: Any, start: int) -> Any:
        if own:
            near.diagonal(start).fill_(False)
        if by.weights == "distance":
            zero = near & (distance == 0)
            weight = arrays.where(zero.any(1)[:, None], arrays.double(zero), arrays.where(near, 1 / distance, 0.0))
        else:
            weight = arrays.double(near)
        return weight @ values

    search: Any = ready.search
    sums = search.reduced_within(X, by.radius, added)
    return sums[:, :-1], sums[:, -1]


def added_by_radius(ready: Ready, threads: int, X: Any, own: bool, values: Callable[[], Any]) -> tuple[Any, Any] | None:
    """Return sums of values and counts where all neighbors weigh the same and the index adds up without lists, else None."""
    if arrays.is_tensor(X):
        columns = beside(X, values()).double()
        return added_on_device(ready, X, own, arrays.concat([columns, arrays.ones(X, len(columns), 1)]))
    by, add = ready.settings, getattr(ready.search, "sums_within", None)
    if own or add is None or not (by.weights is None or (isinstance(by.weights, str) and by.weights == "uniform")):
        return None
    radius = np.ascontiguousarray(np.broadcast_to(np.asarray(by.radius, np.float64), X.shape[0]))
    return add(X, radius, values(), threads)


def votes_by_radius(ready: Ready, threads: int, X: Any, own: bool) -> list[Any]:
    """Return the votes for every class, one array per output."""
    by = ready.settings
    edges = np.cumsum([0, *(len(classes) for classes in by.classes)])
    if edges[-1] <= MOST_CLASSES or arrays.is_tensor(X):
        added = added_by_radius(ready, threads, X, own, lambda: indicators(by.target, edges))
        if added is not None:
            return [added[0][:, a:b] for a, b in pairwise(edges)]
    found, weight = lists_by_radius(ready, threads, X, own)
    n = len(found.begin) - 1
    query = np.repeat(np.arange(n), np.diff(found.begin))
    votes = []
    for output, classes in enumerate(by.classes):
        place = query * len(classes) + by.target[:, output][found.row]
        votes.append(np.bincount(place, weight, minlength=n * len(classes)).reshape(n, -1).astype(np.float64))
    return votes


def indicators(codes: Any, edges: NDArray) -> Any:
    """Return one column per class of every output, one where a row is of it; those of output o begin at edges[o]."""
    if arrays.is_tensor(codes):
        return arrays.concat(
            [arrays.one_hot(codes, codes[:, o], int(b - a)) for o, (a, b) in enumerate(pairwise(edges))]
        )
    out = np.zeros((len(codes), edges[-1]))
    for output, edge in enumerate(edges[:-1]):
        out[np.arange(len(codes)), edge + codes[:, output]] = 1.0
    return out


def shares_of_outputs(ready: Ready, threads: int, X: Any, own: bool) -> list[Any]:
    """Return (1) per output, zero for queries without neighbors whose label is no class."""
    by, votes = ready.settings, votes_by_radius(ready, threads, X, own)
    lone = votes[0].sum(1) == 0
    if lone.any() and by.outliers is None:
        which = np.flatnonzero(arrays.to_numpy(lone))
        raise DataError(
            f"No neighbors found for test samples {which!r}, you can try using larger radius, giving a label for"
            " outliers, or considering removing them from your dataset."
        )
    shares = []
    for o, counted in enumerate(votes):
        if lone.any():
            place = np.flatnonzero(by.classes[o] == by.outliers[o])
            if place.size == 1:
                counted[lone, place[0]] = 1.0
            else:
                warn(
                    f"Outlier label {by.outliers[o]} is not in training classes. All class probabilities of outliers will be"
                    " assigned with 0.",
                )
        total = counted.sum(1)[:, None]
        shares.append(in_dtype(counted / (total + (total == 0)), X))
    return shares


def shares_by_radius(ready: Ready, threads: int, X: Any, own: bool) -> Any:
    """Return (1): an array, or a list of them, one per output."""
    shares = shares_of_outputs(ready, threads, X, own)
    return shares[0] if ready.settings.flat else shares


def labels_by_radius(ready: Ready, threads: int, X: Any, own: bool) -> Any:
    """Return the class of most votes; where there are none, the label of outliers."""
    by, columns = ready.settings, []
    for o, shares in enumerate(shares_of_outputs(ready, threads, X, own)):
        label = arrays.labels_at(by.classes[o], shares.argmax(1))
        nothing = (shares == 0).all(1)
        if nothing.any():
            label[nothing if arrays.is_tensor(label) else arrays.to_numpy(nothing)] = by.outliers[o]
        columns.append(label)
    return columns[0] if by.flat else side_by_side(columns, by.classes)


def values_by_radius(ready: Ready, threads: int, X: Any, own: bool) -> Any:
    """Return (2), NaN where nobody is near."""
    by = ready.settings
    added = added_by_radius(ready, threads, X, own, lambda: by.target)
    if added is None:
        found, weight = lists_by_radius(ready, threads, X, own)
        weight = np.ones(len(found.row)) if weight is None else weight
        columns = [list_sums(found, weight * by.target[:, o][found.row]) for o in range(by.target.shape[1])]
        added = np.column_stack(columns), list_sums(found, weight)
    with np.errstate(invalid="ignore"):
        value = in_dtype(added[0] / added[1][:, None], X)
    return value[:, 0] if by.flat else value
