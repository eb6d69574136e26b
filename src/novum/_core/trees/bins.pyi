"""Numbers into one-byte codes."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


GROUP: int = 4

@overload
def encode(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], first: int) -> None: ...

@overload
def encode(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], first: int) -> None: ...
