"""Sequential minimal optimisation."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Trace:
    """What the steps did."""

    def __init__(self) -> None: ...

    @property
    def steps(self) -> list[int]:
        """Steps so far, after each move."""

    @property
    def objective(self) -> list[float]:
        """Of the dual, after each move."""

    @property
    def violation(self) -> list[float]:
        """After each move."""

    @property
    def end(self) -> list[int]:
        """Where the changes of each move end in the lists below."""

    @property
    def variable(self) -> list[int]:
        """Variables in the order of their changes."""

    @property
    def value(self) -> list[float]:
        """What they become."""

def dense(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kernel: tuple[str, float, float, int], threads: int, halves: int, by_half: bool, linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float, int, int, bool, bool], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trace: Trace | None = None) -> tuple[int, float, float, float, int, bool]:
    """
    Solve the dual over dense points; returns steps, violation, gap, objective, rows computed and whether it converged.
    """

def gram(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], halves: int, by_half: bool, linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float, int, int, bool, bool], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trace: Trace | None = None) -> tuple[int, float, float, float, int, bool]:
    """The same over a kernel matrix."""

def sparse(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, kernel: tuple[str, float, float, int], threads: int, halves: int, by_half: bool, linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limits: tuple[float, float, int, int, bool, bool], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trace: Trace | None = None) -> tuple[int, float, float, float, int, bool]:
    """The same over points in compressed rows."""
