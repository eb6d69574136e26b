r"""Binary units in layers, each layer connected to its neighbours only: the deep Boltzmann machine.

    E(h_0, ..., h_L) = -sum_l b_l'h_l - sum_l h_{l-1}' W_l h_l,    h_0 = v                               (1)
    p(h_l = 1 | neighbours) = sigmoid(b_l + W_l' h_{l-1} + W_{l+1} h_{l+1})                              (2)

Layers of even number touch layers of odd number only, so the deep machine *is* a machine with two sides, whose weights are blocks:
its constant Z is counted or annealed, and its units are drawn, by the formulas of the restricted one (`bipartite`). With the
visible layer held fast the rest is such a machine again, whose constant is exp(-F(v)).

Mean field puts q(h) = prod of Bernoulli(mu) in the place of p(h | v). Its best mu solves (2) with means for units, and gives

    log p(v) >= -E(v, mu) + H(mu) - log Z,     H(mu) = -sum mu log mu + (1 - mu) log(1 - mu)             (3)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from novum.neural_network.generative.boltzmann.parameters import BoltzmannParameters
from novum.neural_network.generative.boltzmann.partition import counted_with

__all__ = [
    "Layers",
    "bipartite",
    "bound_without_constant",
    "exact_free_energy",
    "layer_input",
    "mean_field",
    "split_sides",
]


class Layers(NamedTuple):
    """The parameters of (1)."""

    weights: list[NDArray]  # W_l, (n_{l-1}, n_l)
    biases: list[NDArray]  # b_0 (visible), b_1, ..., b_L


def bipartite(layers: Layers) -> BoltzmannParameters:
    """Return the machine with two sides: even layers are the visible side, odd layers the hidden one."""
    sizes = [len(b) for b in layers.biases]
    offset = [sum(sizes[k] for k in range(layer % 2, layer, 2)) for layer in range(len(sizes))]
    weight = np.zeros((sum(sizes[1::2]), sum(sizes[0::2])))  # (odd, even)
    for k, W in enumerate(layers.weights):  # between layers k and k + 1
        odd, even, block = (k + 1, k, W.T) if k % 2 == 0 else (k, k + 1, W)
        weight[offset[odd] : offset[odd] + sizes[odd], offset[even] : offset[even] + sizes[even]] = block
    return BoltzmannParameters(weight, np.concatenate(layers.biases[1::2]), np.concatenate(layers.biases[0::2]))


def split_sides(layers: Layers, even: NDArray, odd: NDArray) -> list[NDArray]:
    """Return the units of every layer from those of the two sides."""
    sizes = [len(b) for b in layers.biases]
    units: list[NDArray] = [np.empty(0)] * len(sizes)
    for side, first in ((even, 0), (odd, 1)):
        units[first::2] = np.split(side, np.cumsum(sizes[first::2])[:-1], axis=1)
    return units


def layer_input(layers: Layers, units: list[NDArray], layer: int) -> NDArray:
    """Return the argument of (2)."""
    total = layers.biases[layer]
    if layer:
        total = total + units[layer - 1] @ layers.weights[layer - 1]
    if layer < len(layers.weights):
        total = total + units[layer + 1] @ layers.weights[layer].T
    return total


def upward(layers: Layers, v: NDArray) -> list[NDArray]:
    """Return means to begin with: one pass up, weights doubled where a layer has a neighbour above that is not known yet."""
    units = [v]
    for k, (W, b) in enumerate(zip(layers.weights, layers.biases[1:])):
        factor = 1.0 if k == len(layers.weights) - 1 else 2.0
        units.append(expit(factor * (units[-1] @ W) + b))
    return units


def mean_field(layers: Layers, v: NDArray, max_steps: int, tol: float = 1e-6) -> list[NDArray]:
    """Return the means of all layers (the first is v) at the fixed point of (2), or after so many sweeps.

    A sweep renews the odd layers together, then the even ones: as no layer touches its own kind, each half is the exact
    maximum of (3) over those layers, so the bound never falls.
    """
    units = upward(layers, v)
    for _ in range(max_steps):
        change = 0.0
        for first in (1, 2):
            for layer in range(first, len(units), 2):
                new = expit(layer_input(layers, units, layer))
                change = max(change, float(np.abs(new - units[layer]).max(initial=0.0)))
                units[layer] = new
        if change < tol:
            break
    return units


def bound_without_constant(layers: Layers, units: list[NDArray]) -> NDArray:
    """Return -E(v, mu) + H(mu) of every row: (3) without log Z."""
    total = units[0] @ layers.biases[0]
    for below, W, b, mean in zip(units, layers.weights, layers.biases[1:], units[1:]):
        total = total + mean @ b + ((below @ W) * mean).sum(axis=1) + (entr(mean) + entr(1 - mean)).sum(axis=1)
    return total


def exact_free_energy(layers: Layers, v: NDArray) -> NDArray:
    """Return F(v) = -log sum_h exp(-E(v, h)) of every row by counting: the layers above v are a machine of their own.

    A row changes the biases of one layer of that machine only, so its states are made once for many rows.
    """
    first = v @ layers.weights[0] + layers.biases[1]  # (n, n_1)
    if len(layers.weights) == 1:
        return -(v @ layers.biases[0]) - np.logaddexp(0, first).sum(axis=1)
    above = bipartite(Layers(layers.weights[1:], [np.zeros(first.shape[1]), *layers.biases[2:]]))
    return -(v @ layers.biases[0]) - counted_with(above, first)
