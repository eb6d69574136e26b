"""Filters and smoothers of linear dynamical systems."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def filter(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], transition_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, observation: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], observation_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], predicted_mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, predicted_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None, filtered_mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, filtered_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None, log_likelihood: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], last_mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], last_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], root: bool, gemm: int) -> int:
    """
    Filter rows; write predicted and filtered laws, log-densities and the prediction after the last row. With `root` factors are
    written in place of covariances. Return the row from which the gains were kept.
    """

def smooth(p: int, transition: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], transition_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], predicted_mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], predicted_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], filtered_mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], filtered_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], lag_one: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None, root: bool, gemm: int, potrf: int, potrs: int) -> None:
    """
    Smooth what a filter wrote; write means, covariances (factors with `root`) and, if asked, cov(z[t+1], z[t]).
    """
