"""Bellman's operators over a process."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Sweeps:
    def __init__(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], probability: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], reward: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], discount: float, threads: int) -> None: ...

    def pair_values(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write R + gamma P v of every pair."""

    def improve(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], choice: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple:
        """
        Write T* v and the best pairs; return the least and the largest change and how many choices changed.
        """

    def improve_in_place(self, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, choice: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple:
        """The same, state after state in place."""

    def prioritized(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], from_: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tol: float, most: int, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], choice: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], keep_path: bool) -> tuple:
        """
        Back up the state that changes most, again and again; return the number of backups, and the states and their values in turn.
        """

    def evaluate(self, choice: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], tol: float, most: int, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int:
        """
        Solve v = T^pi v from v until the residual is below tol; return the products used.
        """

    def modified(self, tol: float, most: int, leaks: bool, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], choice: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], keep_path: bool) -> tuple:
        """
        Modified policy iteration; leaves T* v in v; returns (low, high, sweeps, rounds, converged, sweeps and values on the way).
        """
