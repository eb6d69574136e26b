"""Action values learned by acting."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import novum._core.decisions.episodes


class Diary:
    """What a learner lived through, and what it knew on the way."""

    def __init__(self, every: int, most: int) -> None: ...

    @property
    def episodes(self) -> NDArray[numpy.int64]:
        """Episodes that were over at each entry."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """The values at each entry."""

    @property
    def counts(self) -> NDArray[numpy.int64]:
        """The visits at each entry."""

    @property
    def episode(self) -> NDArray[numpy.int64]:
        """Of each transition."""

    @property
    def state(self) -> NDArray[numpy.int32]:
        """Where each began."""

    @property
    def action(self) -> NDArray[numpy.int32]:
        """What was done."""

    @property
    def reward(self) -> NDArray[numpy.float64]:
        """What it paid."""

    @property
    def next(self) -> NDArray[numpy.int32]:
        """Where it led."""

    @property
    def ended(self) -> NDArray[numpy.uint8]:
        """Whether the episode was over."""

def learn(world: novum._core.decisions.episodes.World, method: int, trace_decay: float, replacing: bool, target_epsilon: float, planning: int, softmax: bool, any_start: bool, most: int, exploration: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], episode_rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, visit_rate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, seed: int, purpose: int, starts: int, run: int, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], diary: Diary | None = None) -> int:
    """Learn action values by acting, one run; return the steps taken."""

def monte_carlo(world: novum._core.decisions.episodes.World, method: int, first_visit: bool, most: int, exploration: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, purpose: int, starts: int, run: int, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weight: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], diary: Diary | None = None) -> int:
    """Monte Carlo control, one run; return the steps taken."""

def adapt(world: novum._core.decisions.episodes.World, most: int, backups: int, tol: float, optimism: float, tries: int, exploration: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], policy: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, seed: int, purpose: int, starts: int, run: int, q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], visits: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], diary: Diary | None = None) -> int:
    """
    Learn a model by counting and plan on it, one run; return the steps taken.
    """
