"""A distribution meets the columns of a table: rows as it takes them, cells that are missing left out."""

from typing import Any

import numpy as np

from novum.distributions.base import Distribution
from novum.runtime import arrays

__all__ = ["columns_of", "component_inside", "component_log_prob", "component_statistics", "is_vector"]


def is_vector(component: Distribution) -> bool:
    """Return whether outcomes are vectors."""
    return bool(component.event_shape)


def columns_of(component: Distribution, X: Any) -> Any:
    """Return the rows as a component takes them: rows, numbers, or numbers for each of a batch."""
    return X[:, 0] if not is_vector(component) and not component.batch_shape else X


def component_log_prob(component: Distribution, X: Any) -> Any:
    """Return log p_k(x) of every row, in float64; a missing cell counts for nothing."""
    x = columns_of(component, X)
    value = component.log_prob(x)
    if is_vector(component):
        return value
    if arrays.is_tensor(value):
        value = value.where(x == x, 0.0)
    else:
        value = np.where(x == x, value, 0.0)
    return value if value.ndim == 1 else value.sum(1)


def component_inside(component: Distribution, X: Any) -> Any:
    """Return which rows could come from the family of a component, as zeros and ones."""
    inside = component._inside(columns_of(component, X))
    return arrays.double(inside.reshape((X.shape[0], -1)).all(1))


def component_statistics(component: Distribution, X: Any, weight: Any) -> Any:
    """Return the statistics of one component, with weights of the rows; missing cells have none.

    Rows without weight are left out before, not multiplied by zero: outside the support their statistics may be no numbers.
    """
    used = weight > 0
    if not bool(used.all()):
        X, weight = X[used], weight[used]
    x = columns_of(component, X)
    if is_vector(component):
        return component.statistics(x, weight)
    seen = x == x
    if not bool(seen.all()):
        weight = weight * seen if x.ndim == 1 else weight[:, None] * seen
        middle = component.mean if np.shape(component.mean) == component.batch_shape else component.mode
        typical = arrays.like(x, np.broadcast_to(middle, tuple(x.shape)), "float64")
        x = x.where(seen, typical) if arrays.is_tensor(x) else np.where(seen, x, typical)
    elif x.ndim == 2:
        weight = weight[:, None] * arrays.double(seen)
    return component.statistics(x, weight)
