"""
Losses of a line with their gradients and Hessians, in one read of the rows.
"""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def line_pass(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: str, parameter: float, middle: float, unit: float, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, constant: float = 1.0) -> float: ...

@overload
def line_pass(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: str, parameter: float, middle: float, unit: float, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, hessian: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, constant: float = 1.0) -> float:
    """
    Return the sum of a loss over rows; write the sums of its gradients and Hessians by theta where requested.
    """

@overload
def line_newton(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], loss: str, parameter: float, constant: float, middle: float, unit: float, mass: float, penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float, share: float, most: int) -> tuple[float, int, bool, bool]: ...

@overload
def line_newton(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], loss: str, parameter: float, constant: float, middle: float, unit: float, mass: float, penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float, share: float, most: int) -> tuple[float, int, bool, bool]:
    """
    Minimise the mean of a loss and a penalty of squares from `theta` on; return the objective, the steps, whether they ended, and whether objective and Hessian were sound.
    """
