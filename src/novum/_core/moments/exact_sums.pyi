"""Sums of floats without rounding."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


LIMBS: int = 70

def add(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, limbs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Add the products of values and weights, each rounded to a float, to the limbs of a sum; those that overflowed are left out.
    """
