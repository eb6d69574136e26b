"""k-means++ on a block of rows."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def absorb(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, norm: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float) -> float: ...

@overload
def absorb(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float) -> float:
    """
    Take up the chosen centers from `first` on into the squared distances and owners of the rows; returns their weighted sum.
    """

@overload
def gains(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> list: ...

@overload
def gains(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> list:
    """
    Write how much the sum of squared distances would fall with every candidate; returns the rows it would take over.
    """
