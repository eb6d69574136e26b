"""Nearest rows and sums of kernels."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Tree:
    """The arrays of a search tree, checked once and kept alive."""

    def __init__(self, packed: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bounds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cut: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cut_column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, p: float, ball: bool) -> None: ...

    def nearest(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], skip: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """
        Write the nearest rows of every query, nearest first; `skip`: a row per query that it must not find.
        """

    def within(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        Return where the lists of the queries begin, the rows within their radius and the distances.
        """

    def count(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write how many rows lie within the radius of every query."""

    def kernel_sums(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], skip: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kernel: int, width: float, tail: float, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, target: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, sum: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], log_unit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], target_sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None:
        """
        Write the sums of a kernel around every query, each over exp(log_unit), and those of the targets.
        """

@overload
def frame(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def frame(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """Write the mean of the rows, return the largest distance from it."""

@overload
def distances(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def distances(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write all distances between two sets of rows."""

@overload
def nearest_by_scan(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def nearest_by_scan(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Write the nearest rows of every query, nearest first."""

@overload
def within_by_scan(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

@overload
def within_by_scan(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Return where the lists of the queries begin, the rows within their radius and the distances.
    """

@overload
def sums_by_scan(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sums_by_scan(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: float, radius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write sums over the rows within the radius of every query, and how many they are.
    """

@overload
def build(rows: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], packed: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], bounds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], cut: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], cut_column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], p: float, ball: bool, a: int, b: int, whole: bool) -> None: ...

@overload
def build(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], packed: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], index: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], bounds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], cut: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], cut_column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], p: float, ball: bool, a: int, b: int, whole: bool) -> None:
    """
    Split the node over leaves a to b of a search tree and, if `whole`, all below it; `index` lists the rows of its places.
    """
