r"""A network as one vector of numbers, and the compiled kernel that trains it.

    theta = (W_1, ..., W_L, b_1, ..., b_L, and with batch normalization the scales of the hidden layers)                (1)

The rule of the updates remembers one or two numbers for each of theta. Everything here is plain arrays: a kernel is made for a
call and thrown away, so an interrupted fit leaves nothing half done.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum import _core
from novum.activations import ELU, Activation, LeakyReLU, get_activation
from novum.exceptions import ParameterError
from novum.runtime import arrays

__all__ = [
    "CompiledNetwork",
    "Data",
    "Memory",
    "Settings",
    "activation_code",
    "fresh_memory",
    "join",
    "network_for",
    "split",
]

CODES = {
    name: code
    for code, name in enumerate(
        ("identity", "sigmoid", "tanh", "relu", "leaky_relu", "elu", "selu", "softplus", "gelu", "softmax")
    )
}
OUTPUTS = {"identity": 0, "logistic": 1, "softmax": 2, "exp": 3}
RULES = {"sgd": 0, "adagrad": 1, "rmsprop": 2, "adam": 3, "lbfgs": 0}
WHOLE = 512  # rows of a strip where all rows make one gradient or prediction


class Settings(NamedTuple):
    """What a network is and how it steps."""

    units: tuple[int, ...]
    activation: Activation
    output: str
    solver: str = "sgd"
    momentum: float = 0.0
    nesterov: bool = False
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8
    alpha: float = 0.0
    l1: float = 0.0
    dropout: float = 0.0
    batch_norm: bool = False
    seed: int = 0

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Shape of every matrix of weights."""
        return list(zip(self.units, self.units[1:]))

    @property
    def n_weights(self) -> int:
        """Numbers in all matrices of weights, the first of theta; they are what penalties are on."""
        return sum(n * m for n, m in self.shapes)

    @property
    def size(self) -> int:
        """Numbers in theta."""
        return self.n_weights + sum(self.units[1:]) + (sum(self.units[1:-1]) if self.batch_norm else 0)


class Memory(NamedTuple):
    """A network in training."""

    theta: np.ndarray
    first: np.ndarray
    second: np.ndarray
    running: np.ndarray  # means, then variances, of the hidden layers
    steps: int = 0


class Data(NamedTuple):
    """Rows with what they should give: codes of classes for a softmax, else numbers."""

    X: Any  # (n, d) row-major, or CSR
    code: np.ndarray | None
    value: np.ndarray | None  # (n, outputs)
    weight: np.ndarray | None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    def take(self, index: Any) -> "Data":
        """Return some of the rows."""
        return Data(self.X[index], *(None if part is None else part[index] for part in self[1:]))


def activation_code(owner: str, activation: Any) -> tuple[Activation, int, float]:
    """Return an activation with its number in the kernel and its parameter, or raise for one the kernel does not know."""
    found = get_activation(activation, trainable=True)
    parameter = found.slope if isinstance(found, LeakyReLU) else found.alpha if isinstance(found, ELU) else 0.0
    known = get_activation(found.name) if found.name in CODES else None
    if known is None or type(found) is not type(known):
        raise ParameterError(
            f"{owner}(activation={found!r}): the compiled network knows {', '.join(sorted(CODES))};"
            " FeedForwardGraph takes any Activation."
        )
    return found, CODES[found.name], float(parameter)


def fresh_memory(settings: Settings, theta: np.ndarray) -> Memory:
    """Return a network at its first step."""
    hidden = sum(settings.units[1:-1]) if settings.batch_norm else 0
    running = np.concatenate([np.zeros(hidden), np.ones(hidden)]).astype(theta.dtype)
    return Memory(theta, np.zeros_like(theta), np.zeros_like(theta), running)


def join(parts: list[list[np.ndarray]], dtype: Any) -> np.ndarray:
    """Return (1): weights, shifts, scales as one vector."""
    return np.concatenate([np.asarray(each, dtype).ravel() for part in parts for each in part])


def split(settings: Settings, theta: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Return the weights, shifts and scales of (1)."""
    shapes: list[tuple[int, ...]] = [*settings.shapes, *((m,) for m in settings.units[1:])]
    shapes += [(m,) for m in settings.units[1:-1]] if settings.batch_norm else []
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    parts = [part.reshape(shape) for part, shape in zip(np.split(theta, ends[:-1]), shapes)]
    layers = len(settings.units) - 1
    return parts[:layers], parts[layers : 2 * layers], parts[2 * layers :]


def compressed(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arrays of a CSR matrix as the kernel takes them."""
    return X.data, X.indices.astype(np.int64, copy=False), X.indptr.astype(np.int64, copy=False)


class CompiledNetwork:
    """A network in the layout of the kernel."""

    def __init__(self, settings: Settings, memory: Memory, batch: int, threads: int, trains: bool = True) -> None:
        self.settings, self.dtype = settings, memory.theta.dtype
        _, code, parameter = activation_code("CompiledNetwork", settings.activation)
        plan = _core.neural_network.perceptron.plan(
            list(settings.units),
            activation=code,
            parameter=parameter,
            output=OUTPUTS[settings.output],
            rule=RULES[settings.solver],
            momentum=settings.momentum,
            nesterov=settings.nesterov,
            beta_1=settings.beta_1,
            beta_2=settings.beta_2,
            epsilon=settings.epsilon,
            alpha=settings.alpha,
            l1=settings.l1,
            dropout=settings.dropout,
            normalize=settings.batch_norm,
            seed=settings.seed,
            batch=max(1, batch),
            threads=threads,
            trains=trains,
        )
        kernel = _core.neural_network.perceptron
        self.core = (kernel.Perceptron32 if self.dtype == np.float32 else kernel.Perceptron64)(plan)
        self.load(memory)

    def load(self, memory: Memory) -> None:
        """Take a state."""
        self.core.load(memory.theta, memory.first, memory.second, memory.running, memory.steps)
        self._running = memory.running

    def memory(self) -> Memory:
        """Return the state as plain arrays."""
        theta, first, second = (np.zeros(self.settings.size, self.dtype) for _ in range(3))
        running = np.zeros_like(self._running)
        self.core.store(theta, first, second, running)
        return Memory(theta, first, second, running, self.core.steps)

    def epoch(self, data: Data, order: np.ndarray, rate: float) -> float:
        """Step over rows in their order; return the sum over batches of rows times penalized loss."""
        if scipy.sparse.issparse(data.X):
            return self.core.epoch_sparse(*compressed(data.X), data.code, data.value, data.weight, order, rate)
        return self.core.epoch(data.X, data.code, data.value, data.weight, order, rate)

    def gradient(self, data: Data) -> tuple[float, np.ndarray]:
        """Return the sum of weight times loss over all rows, without penalty, and its gradient."""
        out = np.empty(self.settings.size, self.dtype)
        if scipy.sparse.issparse(data.X):
            return self.core.gradient_sparse(*compressed(data.X), data.code, data.value, data.weight, out), out
        return self.core.gradient(data.X, data.code, data.value, data.weight, out), out

    def predict(self, X: Any) -> np.ndarray:
        """Return what the network says of every row, (n, outputs)."""
        out = np.empty((X.shape[0], self.settings.units[-1]), self.dtype)
        if scipy.sparse.issparse(X):
            self.core.predict_sparse(*compressed(X), out)
        else:
            self.core.predict(X, out)
        return out


def network_for(X: Any, settings: Settings, memory: Memory, batch: int, threads: int, trains: bool = True) -> Any:
    """Return the network that is trained, or asked, where these rows are: rows on a device have one there."""
    if arrays.is_tensor(X):
        from novum.neural_network.mlp.device_network import DeviceNetwork

        return DeviceNetwork(settings, memory, batch, X, trains)
    return CompiledNetwork(settings, memory, batch, threads, trains)
