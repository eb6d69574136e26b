"""Rows times a narrow matrix."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def narrow(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def narrow(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write x matrix + offset to `out`, for a matrix of few columns."""
