"""Projections on a polygonal line."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def project_on_line(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], corners: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], arc: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def project_on_line(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], corners: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], arc: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write where on a polygonal line every row is projected, and its squared distance to the line.
    """
