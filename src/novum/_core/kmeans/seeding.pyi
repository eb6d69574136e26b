"""k-means++ on a block of rows."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def absorb(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float) -> float: ...

@overload
def absorb(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float) -> float:
    """
    Take up the chosen centers from `first` on into the squared distances and owners of the rows; returns their weighted sum.
    """

@overload
def gains(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trial: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def gains(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, chosen: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], scale: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trial: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write how much the sum of squared distances would fall with every candidate, and the distances behind it.
    """

@overload
def adopt(found: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, number: int, square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def adopt(found: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, number: int, square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], owner: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """
    Take up a candidate by its row of `trial`; returns the weighted sum of the squared distances.
    """

@overload
def locate(square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def locate(square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the rows at which the cumulative sum of weighted squares passes the targets.
    """
