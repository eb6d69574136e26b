"""Sums over sources of independent components."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def independent_sums(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unmixing: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], contrast: int, parameter: float, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], curvature: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> None: ...

@overload
def independent_sums(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unmixing: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], contrast: int, parameter: float, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], curvature: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> None:
    """
    Add what learners of independent components need of a block of rows: sums of psi(y) y', psi'(y), psi'(y_i) y_j^2 and G(y).
    """
