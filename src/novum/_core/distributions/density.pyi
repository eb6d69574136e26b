"""Log-densities of the standard families."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def gamma(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the gamma family."""

def beta(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the beta family."""

def bernoulli(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the bernoulli family."""

def poisson(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the poisson family."""

def binomial(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the binomial family."""

def exponential(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the exponential family."""

def uniform(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the uniform family."""

def dirichlet(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], power: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slack: float, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-density of the Dirichlet family."""

def multinomial(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], log_p: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write the log-probability of the multinomial family."""

def squared_length(x: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Write |L^-1 (x - mean)|^2."""
