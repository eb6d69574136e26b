"""Stochastic gradient descent for linear functions."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Plan:
    """
    What stays the same over the epochs; losses and rates by their place in novum/linear_model/sgd.h.
    """

class Stopping:
    """When epochs end."""

def stopping(most: int, tol: float | None, patience: int, clean: bool, adaptive: bool) -> Stopping:
    """Return when epochs end; tol=None: not by the objective."""

def plan(loss: int, epsilon: float, rate: int, eta0: float, power: float, t0: float, alpha: float, rho: float, decay: float, batch: int, mean: bool, first: float) -> Plan:
    """Return a plan."""

def shuffle(seed: int, purpose: int, iteration: int, out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Fill `out` with the order of an epoch."""

@overload
def dense(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def dense(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """
    Run an epoch over rows of an array; change w, total, paid and numbers, return the sum of the objective.
    """

@overload
def dense_epochs(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], seed: int | None, purpose: int, stopping: Stopping) -> tuple[list[float], list[float], bool]: ...

@overload
def dense_epochs(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], seed: int | None, purpose: int, stopping: Stopping) -> tuple[list[float], list[float], bool]:
    """
    Run epochs until they are to stop, shuffled where there is a seed; return the objective and the updates of each, and whether all is finite.
    """

@overload
def sparse(value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def sparse(value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def sparse(value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

@overload
def sparse(value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """
    Run an epoch over rows of a CSR matrix; change w, total, paid and numbers, return the sum of the objective.
    """

@overload
def sparse_epochs(value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], seed: int | None, purpose: int, stopping: Stopping) -> tuple[list[float], list[float], bool]: ...

@overload
def sparse_epochs(value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], seed: int | None, purpose: int, stopping: Stopping) -> tuple[list[float], list[float], bool]: ...

@overload
def sparse_epochs(value: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], seed: int | None, purpose: int, stopping: Stopping) -> tuple[list[float], list[float], bool]: ...

@overload
def sparse_epochs(value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: Plan, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], total: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, paid: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], seed: int | None, purpose: int, stopping: Stopping) -> tuple[list[float], list[float], bool]:
    """
    Run epochs until they are to stop, shuffled where there is a seed; return the objective and the updates of each, and whether all is finite.
    """
