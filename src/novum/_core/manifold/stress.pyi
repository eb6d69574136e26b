"""Stress of points against dissimilarities."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def guttman_rows(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: int, end: int, moved: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], stress: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write stress and squared distances of some points, and where the Guttman transform moves them; Z is (q, n).
    """

def disparities(Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: float, D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write the disparities of points (n, q): distances made monotone in the order of the pairs.
    """
