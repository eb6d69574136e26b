r"""A network on a PyTorch device: the steps of cpp/include/novum/neural_network/{perceptron,updates,normalization}.h in PyTorch.

Rows, weights and what the rule remembers stay on the device; the order of an epoch is drawn in memory and sent (8 bytes a row), and
the loss of an epoch, the gradient of all rows and the weights at the end come back. PyTorch carries back the errors

    delta_L = weight (p - y)                                                                                           (1)

and (1) to (6) of updates.h change one vector of all that is learned. Sums are added in another order than in memory, so that losses
and weights agree to rounding, which grows from step to step.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.mlp.compiled_network import Data, Memory, Settings
from novum.runtime import arrays

__all__ = ["DeviceNetwork", "mean_losses", "score"]

NORM_EPSILON, NORM_RATE = 1e-5, 0.1  # as in normalization.h
AT_ONCE = 2**24  # numbers of the widest layer where all rows make one gradient or prediction


def activation_function(activation: Any) -> Callable[[Any], Any]:
    """Return an activation on tensors."""
    import torch
    import torch.nn.functional as F

    functions: dict[str, Callable[[Any], Any]] = {
        "identity": lambda z: z,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "relu": F.relu,
        "leaky_relu": lambda z: F.leaky_relu(z, activation.slope),
        "elu": lambda z: F.elu(z, activation.alpha),
        "selu": F.selu,
        "softplus": lambda z: torch.logaddexp(z, torch.zeros_like(z)),  # PyTorch's own is a line beyond 20
        "gelu": F.gelu,
        "softmax": lambda z: torch.softmax(z, dim=1),
    }
    return functions[activation.name]


class DeviceNetwork:
    """A network in training where its rows are, with the methods of `CompiledNetwork`."""

    def __init__(self, settings: Settings, memory: Memory, batch: int, rows: Any, trains: bool = True) -> None:
        self.settings, self.batch, self.rows, self.trains = settings, max(1, batch), rows, trains
        self.function = activation_function(settings.activation)
        self.load(memory)

    def load(self, memory: Memory) -> None:
        """Take a state."""
        self.theta, self.running = self._sent(memory.theta), self._sent(memory.running)
        if self.trains:
            self.first, self.second = self._sent(memory.first), self._sent(memory.second)
        self.steps = memory.steps

    def _sent(self, values: NDArray) -> Any:
        return arrays.like(self.rows, values).clone()  # a state that was given is not written to

    def memory(self) -> Memory:
        """Return the state as plain arrays."""
        state = (self.theta, self.first, self.second, self.running)
        theta, first, second, running = (arrays.to_numpy(part).copy() for part in state)
        return Memory(theta, first, second, running, self.steps)

    def _parts(self, theta: Any) -> tuple[list[Any], list[Any], list[Any]]:
        """Return views of the weights, shifts and scales."""
        shapes: list[tuple[int, ...]] = [*self.settings.shapes, *((m,) for m in self.settings.units[1:])]
        shapes += [(m,) for m in self.settings.units[1:-1]] if self.settings.batch_norm else []
        sizes = [int(np.prod(shape)) for shape in shapes]
        parts = [part.view(shape) for part, shape in zip(theta.split(sizes), shapes)]
        layers = len(self.settings.shapes)
        return parts[:layers], parts[layers : 2 * layers], parts[2 * layers :]

    def _sums(self, theta: Any, x: Any, training: bool) -> Any:
        """Return the sums of the last layer, before its own activation."""
        weights, shifts, scales = self._parts(theta)
        last, at, half = len(weights) - 1, 0, len(self.running) // 2
        for layer, (w, b) in enumerate(zip(weights, shifts)):
            if layer == last:
                return x @ w + b
            z = x @ w
            if scales:
                here = slice(at, at + len(b))
                moments = self.running[:half][here], self.running[half:][here]
                z, at = self._normalized(z, *moments, training) * scales[layer] + b, at + len(b)
            else:
                z = z + b
            x = self.function(z)
        raise AssertionError("a network has a last layer")

    def _normalized(self, z: Any, mean: Any, variance: Any, training: bool) -> Any:
        """Return z in units of its columns, those of the batch in training; moves the running moments, which are views."""
        import torch

        if not training:
            return (z - mean) / (variance + NORM_EPSILON).sqrt()
        center = z.mean(dim=0)
        squares = ((z - center) ** 2).sum(dim=0)
        with torch.no_grad():
            mean += NORM_RATE * (center - mean)
            if len(z) > 1:
                variance += NORM_RATE * (squares / (len(z) - 1) - variance)
        return (z - center) / (squares / len(z) + NORM_EPSILON).sqrt()

    def _backward(self, data: Any, training: bool) -> tuple[Any, Any]:
        """Return the sum of weight times loss of rows, in float64, and its gradient as one vector."""
        import torch

        theta = self.theta.detach().requires_grad_()
        with torch.enable_grad():
            z = self._sums(theta, data.X, training)
        p = applied(self.settings.output, z.detach())
        delta = p.clone()
        if data.code is not None:
            delta[torch.arange(len(p), device=p.device), data.code] -= 1
        else:
            delta -= data.value
        if data.weight is not None:
            delta *= data.weight[:, None].to(delta.dtype)
        (gradient,) = torch.autograd.grad(z, theta, delta)
        losses = row_losses(self.settings.output, p, data)
        return (losses if data.weight is None else losses * data.weight).sum(), gradient

    def epoch(self, data: Data, order: NDArray, rate: float) -> float:
        """Step over rows in their order; return the sum over batches of rows times penalized loss."""
        import torch

        total = torch.zeros((), dtype=torch.float64, device=self.rows.device)
        for index in arrays.like(data.X, order, "int64").split(self.batch):
            part: Any = data.take(index)
            rows = float(len(index)) if part.weight is None else part.weight.sum()
            loss, gradient = self._backward(part, True)
            total += (loss + self._penalty()) / rows * len(index)
            self.steps += 1
            self._change(gradient, rate, rows)
        return float(total)

    def _penalty(self) -> Any:
        weights = self.theta[: self.settings.n_weights].double()
        return 0.5 * self.settings.alpha * (weights @ weights) + self.settings.l1 * weights.abs().sum()

    def _change(self, g: Any, rate: float, rows: Any) -> None:
        """Apply (1) to (6) of updates.h; `rows` is s."""
        own, theta, weights = self.settings, self.theta, slice(0, self.settings.n_weights)
        scale: Any
        g[weights] += own.alpha * theta[weights]
        g = (g / rows).to(theta.dtype)
        if own.solver == "sgd":
            self.first = own.momentum * self.first - rate * g
            theta = theta + (own.momentum * self.first - rate * g if own.nesterov else self.first)
            scale = rate / (1 - own.momentum) if own.momentum < 1 else rate
        else:
            keep, add = (1.0, 1.0) if own.solver == "adagrad" else (own.beta_2, 1 - own.beta_2)
            self.second = keep * self.second + add * (g * g)
            if own.solver == "adam":
                self.first = own.beta_1 * self.first + (1 - own.beta_1) * g
                rate *= np.sqrt(1 - own.beta_2**self.steps) / (1 - own.beta_1**self.steps)
                g = self.first
            scale = rate / (self.second.sqrt() + own.epsilon)
            theta = theta - scale * g
        if own.l1:
            w = theta[weights]
            step = scale if own.solver == "sgd" else scale[weights]
            theta[weights] = w.sign() * (w.abs() - own.l1 / rows * step).clamp(min=0).to(w.dtype)
        self.theta = theta

    def gradient(self, data: Data) -> tuple[float, NDArray]:
        """Return the sum of weight times loss over all rows, without penalty, and its gradient."""
        total: Any = 0.0
        gradient: Any = 0.0
        for part in self._portions(data):
            loss, own = self._backward(part, False)
            total, gradient = total + loss, gradient + own
        return float(total), arrays.to_numpy(gradient)

    def _portions(self, data: Data) -> list[Data]:
        step = max(1, AT_ONCE // max(self.settings.units))
        return [data.take(slice(start, start + step)) for start in range(0, data.rows, step)]

    def predict(self, X: Any) -> Any:
        """Return what the network says of every row, (n, outputs)."""
        import torch

        with torch.no_grad():
            parts = [self._sums(self.theta, part.X, False) for part in self._portions(Data(X, None, None, None))]
            return applied(self.settings.output, torch.cat(parts))


def applied(output: str, z: Any) -> Any:
    """Return the outputs of the last layer from its sums."""
    import torch

    if output == "softmax":
        return torch.softmax(z, dim=1)
    return {"identity": lambda x: x, "logistic": torch.sigmoid, "exp": torch.exp}[output](z)


def row_losses(output: str, p: Any, data: Any) -> Any:
    """Return the loss of every row, in float64, as outputs.h has it."""
    import torch

    eps = torch.finfo(p.dtype).eps
    if output == "softmax":
        own = p.gather(1, data.code[:, None])[:, 0].double()
        return -own.clamp(eps, 1 - eps).log()
    y, q = data.value.double(), p.double()
    if output == "logistic":
        q = q.clamp(eps, 1 - eps)
        return -(torch.xlogy(y, q) + torch.xlogy(1 - y, 1 - q)).sum(dim=1)
    if output == "identity":
        return 0.5 * ((q - y) ** 2).mean(dim=1)
    return (torch.xlogy(y, y / q) - y + q).sum(dim=1)


def shares(data: Any) -> Any:
    """Return the weights of rows, adding up to one."""
    weight = arrays.ones(data.X, data.rows) if data.weight is None else data.weight
    return weight / weight.sum()


def mean_losses(output: str, data: Any, p: Any) -> tuple[float, float]:
    """Return the mean loss of what a network says of rows, and the least that one answer for all of them has.

    Squared errors are in units of the variance of every target, as in novum.neural_network.mlp.judging.
    """
    import torch

    w = shares(data)
    if output == "softmax":
        mass = torch.bincount(data.code, weights=w, minlength=p.shape[1])
        return float(w @ row_losses(output, p, data)), float(torch.special.entr(mass).sum())
    y = data.value.double()
    middle = (w @ y).expand_as(y)
    if output != "identity":
        return float(w @ row_losses(output, p, data)), float(w @ row_losses(output, middle, data))
    variance = w @ (y - middle) ** 2
    size = torch.where(variance > 0, variance, 1.0)
    return float(((w @ (y - p.double()) ** 2) / size).mean()), float((variance / size).mean())


def score(data: Any, p: Any, classifies: bool) -> float:
    """Return the accuracy, or R^2, of what a network says of rows: novum.neural_network.mlp.scores on a device."""
    if not bool(p.isfinite().all()):
        return float("nan")
    w = shares(data)
    if classifies:
        right = p.argmax(dim=1) == data.code if data.code is not None else ((p > 0.5) == (data.value > 0.5)).all(dim=1)
        return float(w @ right.double())
    y = data.value.double()
    left, total = w @ (y - p) ** 2, w @ (y - w @ y) ** 2
    flat = total == 0
    part = 1 - left / total.masked_fill(flat, 1.0)
    return float(part.where(~flat, (left == 0).double()).mean())
