"""Episodes of a policy and what they teach."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import novum._core.decisions.control


class World:
    def __init__(self, m: int, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], action: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], next: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], terminal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], discount: float) -> None: ...

    def simulate(self, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], state: int, most: int, seed: int, purpose: int, starts: int, run: int, returns: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write returns, totals and lengths of episodes of a policy."""

    def predict(self, view: int, first_visit: bool, weighted: bool, replacing: bool, n_steps: int, trace_decay: float, visit_rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rate: float, behavior: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ratios: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, episodes: int, most: int, seed: int, purpose: int, starts: int, run: int, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], truth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, errors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, diary: novum._core.decisions.control.Diary | None = None) -> None:
        """Live episodes and learn the values of states from them."""

def learn(view: int, first_visit: bool, weighted: bool, replacing: bool, n_steps: int, trace_decay: float, visit_rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, rate: float, discount: float, states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rewards: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ratios: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ended: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Learn the values of states from given episodes, one behind another; each has one state more than rewards.
    """
