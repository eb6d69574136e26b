"""k-means one row at a time."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def online(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rate: float, centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def online(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rate: float, centers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """
    Move the nearest center towards every row in turn; return the sum of squared distances before the moves.
    """
