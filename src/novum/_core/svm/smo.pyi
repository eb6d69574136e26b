"""Sequential minimal optimisation."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def dense(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kernel: tuple[str, float, float, int], threads: int, halves: int, by_half: bool, linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float, int, int, bool, bool], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, float, float, float, int, bool]:
    """
    Solve the dual over dense points; returns steps, violation, gap, objective, rows computed and whether it converged.
    """

def gram(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], halves: int, by_half: bool, linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float, int, int, bool, bool], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, float, float, float, int, bool]:
    """The same over a kernel matrix."""

def sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, kernel: tuple[str, float, float, int], threads: int, halves: int, by_half: bool, linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float, int, int, bool, bool], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, float, float, float, int, bool]:
    """The same over points in compressed rows."""
