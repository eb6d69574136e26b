r"""How a machine with two sides learns: the statistics of the data against those of its own dreams.

The slope of the mean log-likelihood is a difference of two means of -dE/d(parameter), the hidden units averaged out by p(h | v):

    d log p / dW = E_data[h v'] - E_model[h v'],    dc = E_data[h] - E_model[h],    db = E_data[v] - E_model[v]   (1)

The model's mean has no closed form. Contrastive divergence (CD-k, Hinton 2002) takes rows k Gibbs steps away from the data;
persistent contrastive divergence (Tieleman 2008) lets chains run on between the steps of learning. Real visible units have, with
z = log s^2 and the slopes of W and b multiplied by s^2 (a change of scale that keeps steps alike while s shrinks),

    dW = D[h v'],   db = D[v - b],   dz = exp(-z) D[(v - b)^2 / 2 - v * (W'h)],    D = E_data - E_model           (2)

`up` and `down` multiply W where it is read towards the hidden and towards the visible side: a layer of a deep machine that is
trained alone stands in for the neighbours it will have (Salakhutdinov and Hinton 2009).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.neural_network.generative.boltzmann.parameters import (
    BoltzmannParameters,
    hidden_mean,
    turned,
    visible_draw,
    visible_mean,
)

__all__ = ["Learner", "Settings", "batches_of", "first_machine", "learn", "reconstruction_error", "slope", "still"]

START = 0.01  # standard deviation of the first weights, as Hinton's guide and scikit-learn have it
LOG_VARIANCE = (-5.0, 2.0)  # the noise of standardised columns stays between 8 % and 270 % of their deviation

NOISE_RATE = 0.1  # of the rate: noise that shrinks before the means have found their places never grows again


class Settings(NamedTuple):
    """What does not change between steps."""

    rate: float
    momentum: float = 0.0
    decay: float = 0.0
    n_steps: int = 1
    persistent: bool = True
    up: float = 1.0
    down: float = 1.0
    learn_noise: bool = True


class Learner(NamedTuple):
    """The state between two steps."""

    machine: BoltzmannParameters
    velocity: BoltzmannParameters
    chains: NDArray  # hidden units of the chains that run on, (n_chains, m)


def first_machine(n_hidden: int, n_visible: int, real: bool, rng: np.random.RandomState) -> BoltzmannParameters:
    """Return small random weights and no biases."""
    weight = rng.normal(0, START, (n_hidden, n_visible))
    return BoltzmannParameters(weight, np.zeros(n_hidden), np.zeros(n_visible), np.zeros(n_visible) if real else None)


def still(machine: BoltzmannParameters) -> BoltzmannParameters:
    """Return the velocity of a machine that has not moved yet."""
    return BoltzmannParameters(*(None if part is None else np.zeros_like(part) for part in machine))  # type: ignore[arg-type]


def batches_of(order: NDArray, size: int) -> Iterator[NDArray]:
    """Yield the rows of an epoch a batch at a time; the last may be smaller."""
    for first in range(0, len(order), size):
        yield order[first : first + size]


def statistics(machine: BoltzmannParameters, v: NDArray, h: NDArray, weight: NDArray | None) -> BoltzmannParameters:
    """Return the means of (1) or (2) over rows, by weight."""
    if machine.log_variance is None and weight is None:  # most steps: nothing but sums
        n = len(v)
        return BoltzmannParameters(h.T @ v / n, h.sum(axis=0) / n, v.sum(axis=0) / n)
    share = np.full(len(v), 1 / len(v)) if weight is None else weight / weight.sum()
    shared = h * share[:, None]
    noise = None
    if machine.log_variance is not None:
        away = (v - machine.visible) ** 2 / 2 - v * (h @ machine.weight)
        noise = share @ (away * np.exp(-machine.log_variance))
    return BoltzmannParameters(shared.T @ v, shared.sum(axis=0), share @ v, noise)


def slope(data: BoltzmannParameters, model: BoltzmannParameters) -> BoltzmannParameters:
    """Return the difference of two statistics."""
    noise = None if data.log_variance is None or model.log_variance is None else data.log_variance - model.log_variance
    return BoltzmannParameters(
        data.weight - model.weight, data.hidden - model.hidden, data.visible - model.visible, noise
    )


def moved(
    machine: BoltzmannParameters, velocity: BoltzmannParameters, by: BoltzmannParameters, settings: Settings
) -> tuple[BoltzmannParameters, BoltzmannParameters]:
    """Return the parameters after a step along `by`, and the new velocity."""
    if settings.decay:
        by = by._replace(weight=by.weight - settings.decay * machine.weight)
    if by.log_variance is not None:
        by = by._replace(log_variance=NOISE_RATE * by.log_variance)
    steps = [None if part is None else settings.rate * part for part in by]
    if settings.momentum:
        steps = [None if s is None or v is None else s + settings.momentum * v for s, v in zip(steps, velocity)]
        velocity = BoltzmannParameters(*steps)  # type: ignore[arg-type]
    stepped = BoltzmannParameters(*(None if p is None or s is None else p + s for p, s in zip(machine, steps)))  # type: ignore[arg-type]
    if stepped.log_variance is not None:
        learned = np.clip(stepped.log_variance, *LOG_VARIANCE) if settings.learn_noise else machine.log_variance
        stepped = stepped._replace(log_variance=learned)
    return stepped, velocity


def directed(machine: BoltzmannParameters, settings: Settings) -> tuple[BoltzmannParameters, BoltzmannParameters]:
    """Return the machine as its hidden side reads it, and as its visible side does."""
    up = machine if settings.up == 1 else machine._replace(weight=settings.up * machine.weight)
    down = machine if settings.down == 1 else machine._replace(weight=settings.down * machine.weight)
    return up, down


def learn(
    learner: Learner, v: NDArray, settings: Settings, rng: np.random.RandomState, weight: NDArray | None = None
) -> Learner:
    """Return the state after one step on a batch."""
    machine = learner.machine
    upward, downward = directed(machine, settings)
    h_data = hidden_mean(upward, v)
    h = learner.chains if settings.persistent else turned(h_data, rng)
    v_model = visible_draw(downward, h, rng)
    h_model = hidden_mean(upward, v_model)
    for _ in range(settings.n_steps - 1):
        v_model = visible_draw(downward, turned(h_model, rng), rng)
        h_model = hidden_mean(upward, v_model)
    by = slope(statistics(machine, v, h_data, weight), statistics(machine, v_model, h_model, None))
    chains = turned(h_model, rng) if settings.persistent else learner.chains
    return Learner(*moved(machine, learner.velocity, by, settings), chains)


def reconstruction_error(machine: BoltzmannParameters, v: NDArray, settings: Settings) -> float:
    """Return the mean squared error of rows after the way to the hidden means and back."""
    upward, downward = directed(machine, settings)
    return float(((v - visible_mean(downward, hidden_mean(upward, v))) ** 2).mean())
