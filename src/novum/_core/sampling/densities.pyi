"""Compiled log densities."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Density:
    """A compiled log density."""

    @property
    def dimension(self) -> int:
        """How many numbers it takes."""

    def evaluate(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """Return the value at x and fill its gradient."""

class Logistic(Density):
    """The log posterior of logistic regression with a normal prior."""

    def __init__(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intercept: bool, precision: float) -> None: ...

class LogisticSingle(Density):
    """The log posterior of logistic regression with a normal prior."""

    def __init__(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intercept: bool, precision: float) -> None: ...

class Foreign(Density):
    """
    A function that a capsule holds: double (int, double *, double *, void *).
    """

    def __init__(self, capsule: object, d: int) -> None: ...
