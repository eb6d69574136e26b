r"""Layers as modules: what each computes, how errors pass it, and what its own numbers should change.

    y = F(x; W),    dE/dW = dE/dy dF/dW,    dE/dx = dE/dy dF/dx                                                        (1)
    dense                a = x W + b,  y = h(a);   delta = dE/dy h'(a),  dE/dW = x' delta,  dE/db = sum delta,
                         dE/dx = delta W'                                                                              (2)
    batch normalization  x^ = (x - mean) / sqrt(variance + eps),  y = scale x^ + shift;
                         dE/dx = scale / sqrt(variance + eps) (dE/dy - mean dE/dy - x^ mean(dE/dy x^))                  (3)

These are the literal formulas in NumPy, to read, to check and to experiment with; MLPClassifier and MLPRegressor train with
compiled ones. A module keeps what its last forward pass saw, and `backward` leaves its gradients in `gradients`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from novum.activations import Activation, get_activation
from novum.exceptions import DataError, ParameterError
from novum.report.result import result
from novum.runtime.checks import float_array, vector
from novum.runtime.typing import Numbers

__all__ = ["Activate", "Array", "Backpropagation", "BatchNorm", "Dense", "Sequential", "backpropagate", "matrix"]

Array = NDArray[Any]
EPSILON = 1e-5  # PyTorch's
PAIRS = {  # outputs with delta = p - y
    "identity": "squared_error",
    "sigmoid": "log_loss",
    "softmax": "log_loss",
    "exp": "poisson",
}


class Exp(Activation):
    """exp(x), the output for counts: with minus the log-likelihood of Poisson's distribution delta is p - y."""

    name = "exp"

    def _value(self, x: Array) -> Array:
        return np.exp(x)

    def _derivative(self, x: Array) -> Array:
        return np.exp(x)


exp = Exp()


def matrix(owner: str, name: str, value: Any) -> Array:
    """Return `value` as a finite 2-D float64 array."""
    array = float_array(owner, name, value).astype(np.float64)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise DataError(f"{owner}: {name} has shape {array.shape}; it must be a matrix of finite numbers.")
    return array


class Module:
    """A layer: `parameters` and `gradients` are lists of arrays in the same order."""

    parameters: list[Array]
    gradients: list[Array]

    def forward(self, x: Array, training: bool = True) -> Array:
        """Return F(x; W)."""
        raise NotImplementedError

    def backward(self, error: Array) -> Array:
        """Return dE/dx for dE/dy, and leave dE/dW in `gradients`; (1)."""
        raise NotImplementedError


class Dense(Module):
    """A densely connected layer (2): every unit sees every unit below.

        a = x W + b,  y = h(a);   delta = dE/dy h'(a),  dE/dW = x' delta,  dE/db = sum delta,  dE/dx = delta W'    (2)

    Parameters
    ----------
    weights : array-like of shape (n_in, n_out)
        Column j holds the weights of unit j.
    shift : array-like of shape (n_out,), default=None
    activation : str or Activation, default="identity"
    """

    def __init__(
        self, weights: Numbers, shift: Numbers | None = None, activation: str | Activation = "identity"
    ) -> None:
        self.weights = matrix("Dense", "weights", weights)
        zero = np.zeros(self.weights.shape[1])
        self.shift = zero if shift is None else vector("Dense", "shift", shift)
        if self.shift.shape != zero.shape:
            raise DataError(f"Dense(shift=...): {len(self.shift)} numbers for {len(zero)} units.")
        self.activation = get_activation(activation)
        self.parameters = [self.weights, self.shift]
        self.gradients = []

    def forward(self, x: Array, training: bool = True) -> Array:
        self.x, self.sums = x, x @ self.weights + self.shift
        return self.activation(self.sums)

    def backward(self, error: Array) -> Array:
        return self.backward_sums(self.activation.vjp(self.sums, error))

    def backward_sums(self, delta: Array) -> Array:
        """The same from dE/da: where a loss gives that at once."""
        self.delta = delta
        self.gradients = [self.x.T @ delta, delta.sum(axis=0)]
        return delta @ self.weights.T


class Activate(Module):
    """An activation of its own: after normalization, say."""

    def __init__(self, activation: str | Activation) -> None:
        self.activation = get_activation(activation)
        self.parameters, self.gradients = [], []

    def forward(self, x: Array, training: bool = True) -> Array:
        self.sums = x
        return self.activation(x)

    def backward(self, error: Array) -> Array:
        return self.activation.vjp(self.sums, error)


class BatchNorm(Module):
    """Batch normalization (3) of the columns; new rows are normalized by running moments.

        x^ = (x - mean) / sqrt(variance + eps),  y = scale x^ + shift    (3)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network.modules import BatchNorm
    >>> BatchNorm(scale=[2.0], shift=[1.0], epsilon=0.0).forward(np.array([[1.0], [2.0], [3.0], [4.0]])).round(6).ravel()
    array([-1.683282,  0.105573,  1.894427,  3.683282])
    """

    def __init__(self, scale: Numbers, shift: Numbers, *, epsilon: float = EPSILON, rate: float = 0.1) -> None:
        self.scale, self.shift = (vector("BatchNorm", "scale", v) * 1.0 for v in (scale, shift))
        self.epsilon, self.rate = epsilon, rate
        self.running_mean, self.running_variance = np.zeros_like(self.scale), np.ones_like(self.scale)
        self.parameters, self.gradients = [self.scale, self.shift], []

    def forward(self, x: Array, training: bool = True) -> Array:
        mean, variance = (x.mean(axis=0), x.var(axis=0)) if training else (self.running_mean, self.running_variance)
        if training:
            n = len(x)
            self.running_mean += self.rate * (mean - self.running_mean)
            self.running_variance += self.rate * (variance * n / max(1, n - 1) - self.running_variance)
        self.inverse = 1 / np.sqrt(variance + self.epsilon)
        self.normal = (x - mean) * self.inverse
        return self.scale * self.normal + self.shift

    def backward(self, error: Array) -> Array:
        self.gradients = [(error * self.normal).sum(axis=0), error.sum(axis=0)]
        centered = error - error.mean(axis=0) - self.normal * (error * self.normal).mean(axis=0)
        return self.scale * self.inverse * centered


class Sequential(Module):
    """Modules one after the other: errors pass them in the opposite order.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neural_network.modules import Dense, Sequential
    >>> net = Sequential([Dense(np.ones((2, 3)), activation="tanh"), Dense(np.ones((3, 1)))])
    >>> net.forward(np.array([[0.1, 0.2]])).round(4)
    array([[0.8739]])
    >>> net.backward(np.ones((1, 1))).shape
    (1, 2)
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = list(modules)
        if not self.modules:
            raise ParameterError("Sequential(modules=[]): give at least one module.")

    @property
    def parameters(self) -> list[Array]:  # type: ignore[override]
        """Arrays of all modules, which may be changed in place."""
        return [p for module in self.modules for p in module.parameters]

    @property
    def gradients(self) -> list[Array]:  # type: ignore[override]
        """Gradients of all modules after `backward`."""
        return [g for module in self.modules for g in module.gradients]

    def forward(self, x: Array, training: bool = True) -> Array:
        for module in self.modules:
            x = module.forward(x, training)
        return x

    def backward(self, error: Array) -> Array:
        for module in reversed(self.modules):
            error = module.backward(error)
        return error

    def backward_loss(self, target: Array, weight: Array | None = None) -> Array:
        """Start from the loss that belongs to the last layer's activation, where delta = p - y; return dE/dx."""
        last = self.modules[-1]
        if not isinstance(last, Dense) or last.activation.name not in PAIRS:
            raise ParameterError(
                "Sequential.backward_loss: the last module must be Dense with one of " + ", ".join(PAIRS)
            )
        delta = last.activation(last.sums) - target
        error = last.backward_sums(delta if weight is None else delta * weight[:, None])
        for module in reversed(self.modules[:-1]):
            error = module.backward(error)
        return error


@result
class Backpropagation(NamedTuple):
    """Everything that one forward and one backward pass compute; sums over the rows."""

    loss: float
    sums: list[Array]  # a of every layer, (rows, units)
    outputs: list[Array]  # h(a)
    deltas: list[Array]  # dE/da
    coef_gradients: list[Array]
    intercept_gradients: list[Array]


def total_loss(output: str, p: Array, y: Array, weight: Array | None = None) -> float:
    """Return E of the pairs with delta = p - y: half squares, minus log-likelihoods, or (for counts) half the deviance."""
    weight = np.ones(len(p)) if weight is None else weight
    if output == "identity":
        return float(0.5 * weight @ np.square(p - y).sum(axis=1))
    if output == "exp":
        return float(weight @ (xlogy(y, y) - xlogy(y, p) - y + p).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(y > 0, y * np.log(p), 0.0)
        if output == "sigmoid":
            terms = terms + np.where(y < 1, (1 - y) * np.log1p(-p), 0.0)
    return float(-weight @ terms.sum(axis=1))


def backpropagate(
    coefs: Sequence[Any],
    intercepts: Sequence[Any] | None,
    X: Numbers,
    y: Numbers,
    *,
    activation: str | Activation = "tanh",
    output: str = "identity",
) -> Backpropagation:
    """Return the errors and gradients of a network for some rows, by (2).

        delta_k = p_k - y_k,   delta_j = h'(a_j) sum_k w_jk delta_k,   dE/dw_ij = delta_j z_i    (2)

    Parameters
    ----------
    coefs : list of array-likes of shape (n_in, n_out)
    intercepts : list of array-likes of shape (n_out,), or None for none
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    activation : str or Activation, default="tanh"
        Of the hidden layers.
    output : {"identity", "sigmoid", "softmax", "exp"}, default="identity"
        With half the squared error, minus the log-likelihood, or half the deviance of counts: then delta = p - y.

    Examples
    --------
    >>> from novum.neural_network.modules import backpropagate
    >>> W1, w2 = [[0.1, 0.4], [-0.2, 0.3]], [[0.5], [-0.6]]  # column j: the weights of unit j
    >>> found = backpropagate([W1, w2], None, [[1.0, 2.0]], [1.0], activation="sigmoid")
    >>> round(found.loss, 6), found.coef_gradients[1].ravel().round(6)
    (0.751362, array([-0.521672, -0.896173]))
    """
    last = exp if output == "exp" else get_activation(output)
    if last.name not in PAIRS:
        raise ParameterError(f"backpropagate(output={output!r}): use one of {', '.join(PAIRS)}.")
    rows = matrix("backpropagate", "X", X)
    target = float_array("backpropagate", "y", y).astype(np.float64).reshape(len(rows), -1)
    shifts = [None] * len(coefs) if intercepts is None else list(intercepts)
    kinds = [activation] * (len(coefs) - 1) + [last]
    network = Sequential([Dense(w, b, h) for w, b, h in zip(coefs, shifts, kinds)])
    p = network.forward(rows)
    if p.shape != target.shape:
        raise DataError(
            f"backpropagate: y has shape {np.shape(y)}, the network gives {p.shape}; a row of y per row of X."
        )
    network.backward_loss(target)
    layers: list[Any] = network.modules
    return Backpropagation(
        total_loss(last.name, p, target),
        [layer.sums for layer in layers],
        [layer.activation(layer.sums) for layer in layers],
        [layer.delta for layer in layers],
        *([layer.gradients[k] for layer in layers] for k in (0, 1)),
    )
