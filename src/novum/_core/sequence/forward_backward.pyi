"""Likelihoods and posteriors of the states of hidden Markov models."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def run(start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], trans: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], log_density: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], index: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, log_likelihood: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], filtered: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, smoothed: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, pairs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, emitted: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> tuple[int, int, int]:
    """
    Write the log-likelihood of every sequence, filtered or smoothed shares of the states, and add the expected transitions, and of a table the expected rows. Returns what went wrong (0 nothing, 1 an impossible row, 2 NaN), in which row, and how many sequences needed logarithms.
    """
