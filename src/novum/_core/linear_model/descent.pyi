"""Coordinate descent for penalised least squares."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def descend_gram(G: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], yy: float, l1: float, l2: float, positive: bool, gap: float, max_epochs: int, seed: int | None, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, int, bool]:
    """
    Coordinate descent from G = X'X and c = X'y; returns the gap, the epochs and whether the gap was reached.
    """

def descend_blocks(G: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], yy: float, l1: float, l2: float, gap: float, max_epochs: int, seed: int | None, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[float, int, bool]:
    """
    Block coordinate descent for several targets; returns the gap, the epochs and whether the gap was reached.
    """

def descend_columns(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float, l2: float, positive: bool, gap: float, max_epochs: int, seed: int | None, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], residual: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, int, bool]:
    """
    Coordinate descent over the rows of X, which are the columns of a design.
    """

def descend_sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: float, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float, l2: float, positive: bool, gap: float, max_epochs: int, seed: int | None, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], residual: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, int, bool]:
    """
    Coordinate descent over compressed columns that are centred implicitly.
    """

@overload
def column_moments(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: int, stop: int, first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def column_moments(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: int, stop: int, first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the weighted first and second moments of columns start to stop about their first values.
    """

@overload
def gather_columns(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def gather_columns(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], root: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write root (x - mean) of the chosen columns to the rows of `out`."""

@overload
def compressed_moments(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: int, stop: int, first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def compressed_moments(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: int, stop: int, first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the weighted first and second moments of compressed columns start to stop.
    """

@overload
def compressed_products(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], R: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: int, stop: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def compressed_products(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], R: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: int, stop: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write the products of compressed columns start to stop with the columns of R to the rows of `out`.
    """
