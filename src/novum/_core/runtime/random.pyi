"""Counter-based random numbers."""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


def philox(counter: Sequence[int], key: int) -> list[int]:
    """Return the four words of the Philox4x32-10 block of a counter."""

def normal_quantile(p: float) -> float:
    """Return the quantile of the standard normal at 0 < p < 1."""

def bits(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.uint64], dict(order='C', device='cpu')]) -> None:
    """Fill `out` with 64 random bits per place."""

@overload
def uniform(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Fill `out` with uniform numbers from [0, 1)."""

@overload
def uniform(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')]) -> None: ...

@overload
def normal(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Fill `out` with standard normal numbers."""

@overload
def normal(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')]) -> None: ...

@overload
def exponential(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')]) -> None:
    """Fill `out` with standard exponential numbers."""

@overload
def exponential(seed: int, purpose: int, iteration: int, start_row: int, out: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')]) -> None: ...

def below(seed: int, purpose: int, iteration: int, start_row: int, n: int, out: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')]) -> None:
    """Fill `out` with integers 0, ..., n - 1."""

def permutation(seed: int, purpose: int, iteration: int, out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Fill `out` with a permutation of 0, ..., out.size - 1."""
