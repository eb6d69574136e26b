"""Merges of clusters."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import novum._core.search.neighbors


def merge_matrix(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], linkage: int, pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the merges of a symmetric matrix, which is overwritten."""

def ward(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int, pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the merges of Ward's linkage, without a matrix."""

def spanning_rows(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, threads: int, pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the edges of the least spanning tree of rows."""

def spanning_matrix(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the edges of the least spanning tree of a matrix of distances."""

def tree_of(pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: int, children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], size: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the numbers of the clusters that merges make, and their sizes."""

def distance_lines(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, squared: bool, from_: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Write the distances from some rows, from number `from_` on, to all rows.
    """

def constrained(linkage: int, pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], stop: int, children: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Merge along edges until `stop` clusters are left; return how many merges were made.
    """

class Rounds:
    """Boruvka's rounds over a search tree."""

    def __init__(self, tree: novum._core.search.neighbors.Tree, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], core: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def prepare(self) -> int:
        """Begin a round; return how many rows must be searched."""

    def search(self, begin: int, end: int) -> None:
        """Search some of them."""

    def merge(self) -> int:
        """Take the lightest edges; return how many components are left."""

    def edges(self, pair: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the edges."""
