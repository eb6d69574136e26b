"""Shapes that priors of hidden Markov models may have: checked before the first pass, where the width of X is known."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from novum.exceptions import ParameterError, ParameterTypeError

__all__ = ["Shape", "check_priors"]

Shape = tuple[int, ...]


def fits_shape(found: Shape, wanted: Shape) -> bool:
    """Return whether an array of a shape can stand for one of another: the same axes, each of full length or 1."""
    return len(found) == len(wanted) and all(a in (1, b) for a, b in zip(found, wanted))


def check_priors(owner: str, values: Mapping[str, Any], shapes: Mapping[str, Sequence[Shape]]) -> None:
    """Raise unless every prior is a number or has one of its shapes, and is finite."""
    for name, allowed in shapes.items():
        value = values.get(name)
        if value is None:
            continue
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterTypeError(
                f"{owner}: {name} must be a number or an array of numbers; got {value!r:.60}."
            ) from error
        if array.ndim and not any(fits_shape(array.shape, shape) for shape in allowed):
            wanted = " or ".join(map(str, dict.fromkeys(allowed)))
            raise ParameterError(f"{owner}: {name} must be a number or have shape {wanted}; got shape {array.shape}.")
        if not np.isfinite(array).all():
            raise ParameterError(f"{owner}: {name} holds NaN or infinity; give finite numbers.")
