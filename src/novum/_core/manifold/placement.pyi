"""New points among fixed ones."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def place(D: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], P: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], steps: int, least: float, z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Move points to where their stress against fixed points P (q, n) is least; D (rows, n) are their dissimilarities.
    """
