"""Most probable paths."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def decode(start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], trans: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_density: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, log_prob: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], path: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Write the most probable path of every sequence and its log-probability; return the row where the first impossible one ends.
    """

def best_paths(start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], trans: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_density: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_prob: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], paths: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> int:
    """
    Write the most probable paths of one sequence, best first; return how many there are.
    """
