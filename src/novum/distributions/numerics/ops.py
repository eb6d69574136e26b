"""The elementwise functions that densities and statistics are written in, for NumPy arrays and for PyTorch tensors.

`ops_of(x)` gives the set that belongs to x. NumPy's are ufuncs taken as they are, so that a call costs what the ufunc costs.
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.special

from novum.runtime import arrays

__all__ = ["NUMPY", "Ops", "all_of", "ops_of", "real_rows", "where_inside"]


class Ops(NamedTuple):
    """Functions under one name in both libraries."""

    log: Callable
    log1p: Callable
    exp: Callable
    floor: Callable
    gammaln: Callable
    digamma: Callable
    where: Callable
    integers: Callable  # whole numbers as places in an array
    quiet: Callable  # a context in which logarithms of zero and of negative numbers, and overflow, raise no warning


class _Silence:
    """PyTorch never warns of arithmetic."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


def _numpy_quiet() -> Any:
    return np.errstate(divide="ignore", invalid="ignore", over="ignore")


def _numpy_integers(x: Any) -> Any:
    return x.astype(np.intp)


NUMPY = Ops(
    log=np.log,
    log1p=np.log1p,
    exp=np.exp,
    floor=np.floor,
    gammaln=scipy.special.gammaln,
    digamma=scipy.special.digamma,
    where=np.where,
    integers=_numpy_integers,
    quiet=_numpy_quiet,
)


@cache
def _torch_ops() -> Ops:
    torch = sys.modules["torch"]
    return Ops(
        log=torch.log,
        log1p=torch.log1p,
        exp=torch.exp,
        floor=torch.floor,
        gammaln=torch.lgamma,
        digamma=torch.digamma,
        where=torch.where,
        integers=torch.Tensor.long,
        quiet=_Silence,
    )


def ops_of(x: Any) -> Ops:
    """Return the functions that take x."""
    return _torch_ops() if arrays.is_tensor(x) else NUMPY


def all_of(mask: Any) -> bool:
    """Return whether a mask holds everywhere; a third of the cost of `mask.all()` on small arrays."""
    return bool(mask.all()) if arrays.is_tensor(mask) else np.count_nonzero(mask) == np.size(mask)


def where_inside(ops: Ops, inside: Any, value: Any, x: Any, edge: Callable[[], Any] | None = None) -> Any:
    """Return `value` inside the support and `edge()` (minus infinity) outside it; NaN stays NaN."""
    if all_of(inside):
        return value
    return ops.where(inside, value, ops.where(x == x, -np.inf if edge is None else edge(), x))


def real_rows(family: str, x: Any) -> Any:
    """Return x in float64: an array, or a tensor where it is one."""
    if arrays.is_tensor(x):
        return x.double()
    array = np.asarray(x)
    if array.ndim == 0 and array.dtype.kind == "O":
        from novum.exceptions import DataError

        raise DataError(f"{family}: x is {x!r}; give a number, or an array of numbers.")
    if array.dtype == np.float64:
        return array
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        from novum.exceptions import DataError

        raise DataError(
            f"{family}: x holds no numbers (dtype {array.dtype}); convert it with np.asarray(x, dtype=float)."
        ) from error
