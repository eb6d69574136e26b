"""Markov chains that ask a function for the log density."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import novum._core.sampling.densities


class Walker:
    """
    A chain that says where it wants the log density and goes on when it receives it.
    """

    @property
    def recorded(self) -> int:
        """Draws that are recorded."""

    @property
    def undefined(self) -> int:
        """How often the density was no number."""

    @property
    def first_undefined(self) -> object:
        """Where it first was none."""

    @property
    def next_point(self) -> object:
        """Where it is wanted next."""

class HamiltonianChain(Walker):
    """A chain of the No-U-Turn sampler with its warm-up."""

    def __init__(self, seed: int, chain: int, begin: int, n_warmup: int, thin: int, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: bool, max_depth: int, target: float, step: float, covariance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], log_prob: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], accepted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], energy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], depth: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], diverged: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @property
    def step_size(self) -> float:
        """The step size now."""

    @property
    def covariance(self) -> object:
        """The inverse mass now."""

    @property
    def warmup_divergences(self) -> int:
        """Divergent trajectories of the warm-up."""

class RandomWalkChain(Walker):
    """A chain of Metropolis' random walk that learns its step."""

    def __init__(self, seed: int, chain: int, begin: int, n_warmup: int, thin: int, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: bool, adapts: bool, scale: float, covariance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], log_prob: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], accepted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @property
    def scale(self) -> float:
        """The scale of the steps now."""

    @property
    def covariance(self) -> object:
        """The shape of the steps now."""

def drive_compiled(chain: Walker, density: novum._core.sampling.densities.Density) -> bool:
    """
    Drive a chain by a compiled density until it is done; return whether the density was never +inf.
    """

def drive(chains: list, function: object, gradient: object | None, pair: bool, together: bool) -> int:
    """
    Drive chains until all are done; return the index of a chain whose density was +inf, or -1.
    """
