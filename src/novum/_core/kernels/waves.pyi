"""Random Fourier features."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def cosines(phase: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], offset: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> None: ...

@overload
def cosines(phase: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> None:
    """Turn phases into scale cos(phase + offset), in place."""
