r"""Two sides of units without connections inside a side: energies, conditionals and Gibbs steps.

A machine has hidden units h in {0, 1}^m and visible units v, which are 0/1 or real. Its energy is

    binary    E(v, h) = -b'v - c'h - h'Wv                                                                (1)
    Gaussian  E(v, h) = sum_j (v_j - b_j)^2 / (2 s_j^2) - c'h - h'W(v / s^2)                             (2)

and p(v, h) = exp(-E(v, h)) / Z. Given one side, the units of the other are independent:

    p(h_i = 1 | v) = sigmoid(c + Wv)_i         (Gaussian: v / s^2 in the place of v)                     (3)
    p(v_j = 1 | h) = sigmoid(b + W'h)_j        (Gaussian: v_j | h ~ N(b + W'h, s_j^2))                   (4)

Summing h out leaves the free energy F, with p(v) = exp(-F(v)) / Z:

    F(v) = -b'v - sum_i log(1 + exp(c + Wv)_i)        (Gaussian: sum (v - b)^2 / (2 s^2) instead of -b'v)   (5)

The pseudo-likelihood predicts each visible unit from the others, and needs no Z: with v^(j) the row whose unit j is turned

    PL(v) = sum_j log p(v_j | all others) = -sum_j log(1 + exp(F(v) - F(v^(j))))                         (6)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = [
    "BoltzmannParameters",
    "free_energy",
    "gibbs_step",
    "hidden_input",
    "hidden_mean",
    "log_pseudo_likelihood",
    "softplus",
    "turned",
    "visible_draw",
    "visible_mean",
]


class BoltzmannParameters(NamedTuple):
    """The parameters of (1) or (2); `log_variance` is log s^2 for real visible units, None for binary ones."""

    weight: NDArray  # W, (m, d)
    hidden: NDArray  # c, (m,)
    visible: NDArray  # b, (d,)
    log_variance: NDArray | None = None  # (d,)


def softplus(x: NDArray) -> NDArray:
    """Return log(1 + exp(x)) without overflow."""
    return np.logaddexp(0.0, x)


def hidden_input(machine: BoltzmannParameters, v: NDArray) -> NDArray:
    """Return the argument of (3), (n, m)."""
    seen = v if machine.log_variance is None else v * np.exp(-machine.log_variance)
    return seen @ machine.weight.T + machine.hidden


def hidden_mean(machine: BoltzmannParameters, v: NDArray) -> NDArray:
    """Return (3)."""
    return expit(hidden_input(machine, v))


def visible_mean(machine: BoltzmannParameters, h: NDArray) -> NDArray:
    """Return the means of (4)."""
    total = h @ machine.weight + machine.visible
    return total if machine.log_variance is not None else expit(total)


def turned(mean: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return units that are 1 with the probabilities `mean`."""
    return (rng.uniform(size=mean.shape) < mean).astype(mean.dtype)


def visible_draw(machine: BoltzmannParameters, h: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return visible units drawn by (4)."""
    mean = visible_mean(machine, h)
    if machine.log_variance is None:
        return turned(mean, rng)
    return mean + np.exp(machine.log_variance / 2) * rng.standard_normal(mean.shape)


def gibbs_step(machine: BoltzmannParameters, v: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return visible units after one step: hidden units by (3), visible ones by (4)."""
    return visible_draw(machine, turned(hidden_mean(machine, v), rng), rng)


def free_energy(machine: BoltzmannParameters, v: NDArray) -> NDArray:
    """Return (5), (n,)."""
    inner = softplus(hidden_input(machine, v)).sum(axis=1)
    if machine.log_variance is None:
        return -(v @ machine.visible) - inner
    away = (v - machine.visible) ** 2 * np.exp(-machine.log_variance)
    return away.sum(axis=1) / 2 - inner


def log_pseudo_likelihood(machine: BoltzmannParameters, v: NDArray) -> NDArray:
    """Return (6) of binary rows, (n,); turning unit j moves the hidden inputs by (1 - 2 v_j) W[:, j]."""
    inputs = hidden_input(machine, v)  # (n, m)
    inner = softplus(inputs).sum(axis=1)
    total = np.zeros(len(v))
    for j in range(v.shape[1]):
        move = (1 - 2 * v[:, j])[:, None]
        gain = softplus(inputs + move * machine.weight[:, j]).sum(axis=1) - inner + move[:, 0] * machine.visible[j]
        total -= softplus(gain)  # F(v) - F(v^(j)) = gain
    return total
