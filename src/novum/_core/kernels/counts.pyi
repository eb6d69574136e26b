"""Counts of what structured objects are made of."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def words(symbols: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], patterns: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bits: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int]:
    """
    Count the words of sequences: pointers, columns, counts, size of the vocabulary.
    """

def products(pointer: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_pointer: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], same: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Inner products of sparse rows."""

def refine(pointer: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], neighbor: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], refined: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """One round of relabelling; returns the number of labels."""
