"""Gram matrices of kernel programs, and their derivatives."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Program:
    """A kernel with the points it compares."""

    def __init__(self, steps: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], columns: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], n: int, m: int, same: bool, slots: int) -> None: ...

    @overload
    def fill(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], begin: int, end: int) -> None:
        """Fill rows of the Gram matrix."""

    @overload
    def fill(self, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], begin: int, end: int) -> None: ...

    @overload
    def rows(self, index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Fill chosen rows of the Gram matrix."""

    @overload
    def rows(self, index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def times(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], begin: int, end: int) -> None:
        """Gram matrix times vectors, not stored."""

    def trace(self, a: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, scale: float, v: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: int, end: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Add weighted sums of derivatives."""

    def gradient(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], begin: int, end: int) -> None:
        """Derivatives of every pair."""
