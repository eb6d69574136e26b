"""Softmax and best class of rows of scores."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def normalize_rows(score: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], logarithm: bool) -> None: ...

@overload
def normalize_rows(score: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], logarithm: bool) -> None:
    """Replace the scores of every row by their softmax, or its logarithm."""

@overload
def best_of_rows(score: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def best_of_rows(score: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the position of the largest score of every row."""
