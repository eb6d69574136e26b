"""Row-major tiles."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def pack_columns(columns: list, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write a list of equally long columns into the row-major tile `out`."""

@overload
def pack_columns(columns: list, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def all_finite(values: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> bool:
    """Return whether no value is NaN or infinite."""

@overload
def all_finite(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> bool: ...

def sum_of_squares(values: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)]) -> float:
    """Return the sum of the squares of the values."""
