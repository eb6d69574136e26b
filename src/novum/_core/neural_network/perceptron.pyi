"""Multilayer perceptrons, batch by batch."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Plan:
    """
    What stays the same over the epochs; activations, outputs and rules by their place in novum/neural_network.
    """

def plan(units: Sequence[int], activation: int, parameter: float, output: int, rule: int, momentum: float, nesterov: bool, beta_1: float, beta_2: float, epsilon: float, alpha: float, l1: float, dropout: float, normalize: bool, seed: int, batch: int, threads: int, trains: bool) -> Plan:
    """Return a plan."""

class Perceptron32:
    """A network in training, its weights in the layout that products read."""

    def __init__(self, plan: Plan) -> None: ...

    @property
    def size(self) -> int:
        """How many numbers are learned."""

    @property
    def running_size(self) -> int:
        """How many running moments there are."""

    @property
    def steps(self) -> int:
        """Steps taken."""

    def load(self, theta: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], running: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: int) -> None:
        """
        Take weights, the rule's memory (empty where it has none) and running moments.
        """

    def store(self, theta: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], first: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], running: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the state into arrays."""

    def epoch(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> float:
        """
        Step over the rows in their order, batch by batch; return the sum of rows times loss.
        """

    def epoch_sparse(self, entry: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> float:
        """The same over the rows of a CSR matrix."""

    def gradient(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """Return the sum of weight times loss over all rows; write its gradient."""

    def gradient_sparse(self, entry: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """The same over the rows of a CSR matrix."""

    def predict(self, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Write what the network says of every row."""

    def predict_sparse(self, entry: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """The same for the rows of a CSR matrix."""

class Perceptron64:
    """A network in training, its weights in the layout that products read."""

    def __init__(self, plan: Plan) -> None: ...

    @property
    def size(self) -> int:
        """How many numbers are learned."""

    @property
    def running_size(self) -> int:
        """How many running moments there are."""

    @property
    def steps(self) -> int:
        """Steps taken."""

    def load(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], running: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: int) -> None:
        """
        Take weights, the rule's memory (empty where it has none) and running moments.
        """

    def store(self, theta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], running: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the state into arrays."""

    def epoch(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> float:
        """
        Step over the rows in their order, batch by batch; return the sum of rows times loss.
        """

    def epoch_sparse(self, entry: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> float:
        """The same over the rows of a CSR matrix."""

    def gradient(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """Return the sum of weight times loss over all rows; write its gradient."""

    def gradient_sparse(self, entry: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], code: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, value: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
        """The same over the rows of a CSR matrix."""

    def predict(self, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Write what the network says of every row."""

    def predict_sparse(self, entry: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """The same for the rows of a CSR matrix."""
