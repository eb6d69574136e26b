"""Points packed for kernels with many rows."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Points:
    """Points packed for kernels with many rows."""

    def __init__(self, z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def padded(self) -> int:
        """Number of points with the padding."""

@overload
def gram(points: Points, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kernel: tuple[str, float, float, int], threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write the kernels of all rows of x with all points."""

@overload
def gram(points: Points, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kernel: tuple[str, float, float, int], threads: int, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def weigh(points: Points, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kernel: tuple[str, float, float, int], coefficient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write sums of kernels, weighted by the rows of `coefficient`, for every row of x.
    """
