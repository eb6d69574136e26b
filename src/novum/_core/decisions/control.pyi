"""Action values learned by acting."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import novum._core.decisions.episodes


def learn(world: novum._core.decisions.episodes.World, method: int, trace_decay: float, replacing: bool, target_epsilon: float, planning: int, softmax: bool, any_start: bool, most: int, exploration: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], episode_rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, visit_rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seed: int, purpose: int, starts: int, run: int, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """Learn action values by acting, one run; return the steps taken."""

def monte_carlo(world: novum._core.decisions.episodes.World, method: int, first_visit: bool, most: int, exploration: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, purpose: int, starts: int, run: int, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """Monte Carlo control, one run; return the steps taken."""

def adapt(world: novum._core.decisions.episodes.World, most: int, backups: int, tol: float, optimism: float, tries: int, exploration: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], policy: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, seed: int, purpose: int, starts: int, run: int, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Learn a model by counting and plan on it, one run; return the steps taken.
    """
