r"""Small networks, several of one shape side by side, in one vector of weights.

    x_0 = x,   x_{l+1} = g(x_l W_l + b_l),   the last layer without g                                                       (1)
    d_l = (d_{l+1} W_l') * g'(x_l),   dW_l = x_l' d_{l+1},   db_l = sum of d_{l+1} over rows                                (2)
    Adam: m <- b1 m + (1 - b1) d,  v <- b2 v + (1 - b2) d^2,  w <- w - rate m/(1 - b1^t) / (sqrt(v/(1 - b2^t)) + eps)       (3)

An actor and its critic are two networks of the same shape, multiplied in one call; (2) is written out, because for networks
this small a tape of operations costs more than the operations; and a step of (3) is a handful of calls on one vector. On the
CPU actions are chosen by NumPy on the same memory: a batch of eight rows is over before PyTorch has begun.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.runtime.devices import needs_torch

__all__ = ["Adam", "Networks", "dense_outputs"]

Array = NDArray[np.float32]


def orthogonal(rng: np.random.Generator, rows: int, columns: int, gain: float) -> NDArray[np.float64]:
    """Return a matrix with orthogonal rows or columns."""
    q, r = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return np.asarray(gain * (q if rows >= columns else q.T))


def dense_outputs(arrays: Sequence[Array], activation: str, x: Array) -> Array:
    """Return (1) of rows by NumPy: weights and biases in turn, (count, rows, columns) and (count, 1, columns)."""
    h = x[None]
    for layer in range(0, len(arrays), 2):
        h = np.matmul(h, arrays[layer])
        h += arrays[layer + 1]
        if layer + 2 < len(arrays):
            h = np.tanh(h, out=h) if activation == "tanh" else np.maximum(h, 0, out=h)
    return h


class Networks:
    """`count` networks of layers `sizes`, (1), over one vector `flat`.

    Parameters
    ----------
    sizes : sequence of int
        Inputs, hidden units, outputs.
    count : int
    activation : {"tanh", "relu"}
    device : torch.device
    rng : Generator
        Draws the first weights.
    gains : sequence of float, default=None
        Of the last layer of every network: the weights are orthogonal matrices, biases zero. None: PyTorch's uniform distribution.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        count: int,
        activation: str,
        device: Any,
        rng: np.random.Generator,
        gains: Sequence[float] | None = None,
    ) -> None:
        self.torch = torch = needs_torch("an agent with networks")
        self.sizes, self.count, self.activation, self.device = tuple(sizes), count, activation, device
        self.shapes: list[tuple[int, ...]] = []
        values = []
        last = len(sizes) - 2
        for layer, (rows, columns) in enumerate(pairwise(sizes)):
            if gains is None:
                bound = 1 / np.sqrt(rows)
                weight, bias = (rng.uniform(-bound, bound, size=(count, k, columns)) for k in (rows, 1))
            else:
                used = [np.sqrt(2)] * count if layer < last else gains
                weight = np.stack([orthogonal(rng, rows, columns, gain) for gain in used])
                bias = np.zeros((count, 1, columns))
            self.shapes += [weight.shape, bias.shape]
            values += [weight.ravel(), bias.ravel()]
        self.flat = torch.tensor(np.concatenate(values).astype(np.float32), device=device)
        self.slope = torch.zeros_like(self.flat)
        self.lengths = [int(np.prod(shape)) for shape in self.shapes]
        self.parts, self.slopes = self.views(self.flat), self.views(self.slope)
        self.arrays: list[Array] | None = [part.numpy() for part in self.parts] if device.type == "cpu" else None

    def views(self, flat: Any) -> list[Any]:
        """Return a vector as the matrices and biases that lie in it."""
        return [part.view(shape) for part, shape in zip(flat.split(self.lengths), self.shapes)]

    def set(self, values: Any) -> None:
        """Copy weights in, from an array or another vector of the same length."""
        self.flat.copy_(self.torch.as_tensor(values))

    def weights(self) -> dict[str, Array]:
        """Return copies of the weights as arrays, by name, in the order of the layers."""
        names = [f"{what}_{k // 2}" for k, what in enumerate(("weight", "bias") * (len(self.parts) // 2))]
        return {name: part.detach().cpu().numpy().copy() for name, part in zip(names, self.parts)}

    def layers(self, x: Any) -> list[Any]:
        """Return (1) of rows (n, d), layer by layer: x itself, and (count, n, units) of each."""
        torch, kept = self.torch, [x.expand(self.count, *x.shape)]
        for k in range(0, len(self.parts), 2):
            h = torch.baddbmm(self.parts[k + 1], kept[-1], self.parts[k])
            if k + 2 < len(self.parts):
                h = h.tanh_() if self.activation == "tanh" else h.relu_()
            kept.append(h)
        return kept

    def backward(self, kept: list[Any], d: Any) -> None:
        """Write (2) to `slope`: the gradient of a loss by all weights, from that by the outputs, (count, n, outputs)."""
        torch = self.torch
        for k in reversed(range(0, len(self.parts), 2)):
            h = kept[k // 2]
            torch.bmm(h.transpose(1, 2), d, out=self.slopes[k])
            torch.sum(d, dim=1, keepdim=True, out=self.slopes[k + 1])
            if k:
                d = torch.bmm(d, self.parts[k].transpose(1, 2))
                d = d.mul_(1 - h * h) if self.activation == "tanh" else d.mul_(h > 0)

    def outputs(self, x: Array) -> Array:
        """Return (1) as an array, without gradients."""
        if self.arrays is None:
            rows = self.torch.as_tensor(x, device=self.device)
            return np.asarray(self.layers(rows)[-1].cpu().numpy())
        return dense_outputs(self.arrays, self.activation, x)


class Adam:
    """(3) on one vector, by PyTorch's fused loop, after the gradient is cut to a largest norm."""

    def __init__(self, networks: Networks, eps: float, largest_norm: float | None) -> None:
        self.torch, self.slope, self.largest_norm = networks.torch, networks.slope, largest_norm
        self.flat = networks.flat
        self.flat.grad = self.slope
        self.optimizer = networks.torch.optim.Adam([self.flat], eps=eps, fused=True)

    def move(self, rate: float) -> None:
        """Apply (3) with the gradient that the networks hold."""
        if self.largest_norm is not None:
            norm = float(self.torch.linalg.vector_norm(self.slope))
            if norm > self.largest_norm:
                self.slope.mul_(self.largest_norm / norm)
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.step()

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold."""
        kept = self.optimizer.state.get(self.flat, {})
        return {f"adam.{name}": value.cpu().numpy() for name, value in kept.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what a checkpoint holds."""
        kept = {
            k[5:]: self.torch.as_tensor(v, device=self.flat.device) for k, v in state.items() if k.startswith("adam.")
        }
        if kept:
            self.optimizer.state[self.flat] = {k: v.clone() for k, v in kept.items()}
