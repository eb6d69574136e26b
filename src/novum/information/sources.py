"""Where probabilities come from: an array, counts, labels with weights, a table with names, or a distribution.

Every function takes exactly one of them. Arrays and counts may have any number of axes; a JointTable brings names for its axes;
a distribution answers for itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import float_array, probability_table, row_weights
from novum.runtime.labels import coded_labels

__all__ = ["axes_of", "counts_of", "is_distribution", "one_source", "table_of"]


def is_distribution(value: Any) -> bool:
    """Return whether a value answers as a distribution of novum does."""
    return all(callable(getattr(value, name, None)) for name in ("log_prob", "sample", "entropy"))


def one_source(owner: str, **sources: Any) -> str:
    """Return the name of the one source that is given."""
    given = [name for name, value in sources.items() if value is not None]
    if len(given) != 1:
        found = "none is" if not given else "there are " + " and ".join(given)
        raise ParameterError(f"{owner}: give exactly one of {', '.join(sources)}; {found}.")
    return given[0]


def counts_of(owner: str, columns: tuple[Any, ...], sample_weight: Any) -> NDArray[Any]:
    """Return the weighted counts of the combinations of label columns, an axis per column."""
    coded = [coded_labels(owner, f"labels[{i}]", column) for i, column in enumerate(columns)]
    rows = {codes.size for _, codes in coded}
    if len(rows) > 1:
        raise DataError(f"{owner}: the columns of labels have {sorted(rows)} entries; they must be equally long.")
    weight = row_weights(owner, sample_weight, coded[0][1].size)
    shape = tuple(len(states) for states, _ in coded)
    flat = np.ravel_multi_index(tuple(codes for _, codes in coded), shape)
    return np.bincount(flat, weight, minlength=int(np.prod(shape))).reshape(shape)


def normalized_counts(owner: str, name: str, counts: Any) -> NDArray[Any]:
    """Return counts as probabilities."""
    array = float_array(owner, name, counts).astype(np.float64, copy=False)
    if array.ndim == 0 or not np.all(array >= 0) or not np.isfinite(array).all() or not array.any():
        raise DataError(f"{owner}: {name} must be an array of numbers >= 0, finite, and not all zero.")
    return array / array.sum()


def table_of(
    owner: str, p: Any, counts: Any, labels: Any, sample_weight: Any, n_columns: int | None = None
) -> NDArray[Any]:
    """Return the probabilities of whichever source is given."""
    source = one_source(owner, p=p, counts=counts, labels=labels)
    if sample_weight is not None and source != "labels":
        raise ParameterError(f"{owner}: sample_weight belongs to labels; weigh {source} before you pass them.")
    if source == "p":
        return probability_table(owner, "p", getattr(p, "p", p))
    if source == "counts":
        return normalized_counts(owner, "counts", counts)
    if n_columns is None:
        found = counts_of(owner, (labels,), sample_weight)
    else:
        if len(labels) != n_columns:
            raise DataError(
                f"{owner}: labels must be {n_columns} columns, as in labels=(x, y); there are {len(labels)}."
            )
        found = counts_of(owner, tuple(labels), sample_weight)
    return found / found.sum()


def axes_of(owner: str, name: str, which: Any, p: Any, n_axes: int) -> tuple[int, ...]:
    """Return axes as numbers: given as numbers, or as names where p is a table that has names."""
    names = getattr(p, "names", None)
    listed = which if isinstance(which, tuple | list) else (which,)
    axes = []
    for one in listed:
        if isinstance(one, str) and names is not None and one in names:
            axes.append(list(names).index(one))
        elif isinstance(one, int | np.integer) and not isinstance(one, bool) and -n_axes <= one < n_axes:
            axes.append(int(one) % n_axes)
        else:
            known = f"names {list(names)} or " if names is not None else ""
            raise ParameterError(f"{owner}({name}={which!r}): {one!r} is no axis; there are {known}0 to {n_axes - 1}.")
    if len(set(axes)) < len(axes):
        raise ParameterError(f"{owner}({name}={which!r}): an axis is named twice.")
    return tuple(axes)
