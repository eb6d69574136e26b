"""Rows that stand for clusters."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def faster_pam(matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, medoid: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], most_rounds: int, label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, int, int, bool]: ...

@overload
def faster_pam(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, medoid: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], most_rounds: int, label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, int, int, bool]:
    """
    Swap medoids while the loss falls; return loss, rounds, swaps and whether no swap helps any more.
    """

@overload
def build_medoids(matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, medoid: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def build_medoids(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, medoid: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write medoids chosen one after the other, each the best."""
