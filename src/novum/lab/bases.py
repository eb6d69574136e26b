"""Basis functions of one variable, as scenes step through them: a constant and so many powers, bumps or steps."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["BASES", "basis_code", "basis_columns", "basis_names"]

BASES = ("polynomial", "gaussian", "sigmoid")
CLASSES = {"gaussian": "GaussianBasis", "sigmoid": "SigmoidBasis"}
POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"


def basis_columns(kind: str, size: int, X: NDArray) -> Callable[[NDArray], NDArray]:
    """Return the function from rows (n, 1) to columns (n, size + 1); bumps and steps stand evenly over the range of X."""
    if kind == "polynomial" or size == 0:
        return lambda at: at ** np.arange(size + 1)
    from novum import preprocessing

    return getattr(preprocessing, CLASSES[kind])(size, include_bias=True).fit(X).transform


def basis_code(kind: str, size: int) -> str:
    """Return lines of a script that make the same function `phi`."""
    if kind == "polynomial" or size == 0:
        return f"def phi(at):\n    return at ** np.arange({size + 1})"
    name = CLASSES[kind]
    return f"from novum.preprocessing import {name}\nphi = {name}({size}, include_bias=True).fit(X).transform"


def basis_names(kind: str, size: int) -> list[str]:
    """Return what the columns are called."""
    if kind != "polynomial":
        return ["1", *(f"φ{j}" for j in range(1, size + 1))]
    return ["1", "x", *("x" + "".join(POWERS[int(digit)] for digit in str(j)) for j in range(2, size + 1))][: size + 1]
