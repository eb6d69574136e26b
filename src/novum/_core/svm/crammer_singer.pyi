"""Linear machines of all classes at once."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def dense(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], constant: float, problem: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float, int, int], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, float, bool]:
    """
    Descent over rows for all classes at once; returns epochs, violation and whether it converged.
    """

@overload
def dense(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], constant: float, problem: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float, int, int], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, float, bool]: ...

@overload
def sparse(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: float, problem: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float, int, int], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, float, bool]: ...

@overload
def sparse(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: float, problem: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float, int, int], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, float, bool]: ...

@overload
def sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: float, problem: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float, int, int], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, float, bool]: ...

@overload
def sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constant: float, problem: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], float, int, int], w: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, float, bool]:
    """The same over compressed rows."""
