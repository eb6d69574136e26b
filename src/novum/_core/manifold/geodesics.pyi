"""Shortest paths in a graph."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def shortest_paths(begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], length: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def shortest_paths(begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], length: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write the lengths of the shortest paths from every source to every node.
    """

@overload
def squared_product(P: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], V: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def squared_product(P: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], V: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write the product of the squares of the entries of P with V (n, 8)."""
