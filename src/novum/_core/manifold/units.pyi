"""Units of self-organising maps."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def nearest_units(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def nearest_units(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], number: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write the two nearest units of every row and their squared distances."""

@overload
def online_steps(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lattice: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], eta: float, sigma: float, first: int, total: int) -> None: ...

@overload
def online_steps(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], units: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lattice: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], eta: float, sigma: float, first: int, total: int) -> None:
    """Move the units towards rows, one after the other."""
