r"""Find a learning rate: take steps at rates that rise geometrically, and see where the loss falls fastest and where it explodes.

    rate_t = low (high/low)^{t/(T - 1)};   smoothed loss s_t = b s_{t-1} + (1 - b) L_t, divided by 1 - b^{t+1}              (1)

The run ends where the smoothed loss passes four times its least. The suggestion is the rate at which the smoothed loss falls
most steeply in the logarithm of the rate, before its least value (Smith 2017).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.style import ink
from novum.runtime.checks import check_count
from novum.runtime.devices import chosen_device
from novum.runtime.random import seed_of
from novum.runtime.torch_generators import own_generators
from novum.runtime.typing import Axes

__all__ = ["RateCurve", "rate_curve"]

SMOOTHING = 0.9
EXPLODED = 4.0


@dataclass(repr=False)
class RateCurve(Result):
    """Losses (1) by rate, and the rate to begin at."""

    rates: NDArray[np.float64]
    losses: NDArray[np.float64]
    smoothed: NDArray[np.float64]
    suggestion: float

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the losses against the rate, with the suggestion; return the axes."""
        ax = drawing_axes(ax)
        ax.plot(self.rates, self.losses, alpha=0.3, label="of a step")
        ax.plot(self.rates, self.smoothed, label="smoothed")
        ax.axvline(self.suggestion, color=ink(ax), linestyle=":", label=f"begin at {num(self.suggestion):.2g}")
        ax.set(xscale="log", xlabel="learning rate", ylabel="loss")
        draw_legend(ax)
        return ax


def rate_curve(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    low: float = 1e-6,
    high: float = 10.0,
    n_steps: int = 100,
) -> RateCurve:
    """Return (1) for a network of PyTorch; the estimator itself is not changed.

    Parameters
    ----------
    estimator : NetworkEstimator
    X, y, sample_weight
        As for its `fit`.
    low, high : float, default=1e-6 and 10
        First and last rate.
    n_steps : int, default=100

    Returns
    -------
    RateCurve
        With `suggestion`, `rates`, `losses`, `smoothed`, `plot`.
    """
    from sklearn.base import clone

    owner = f"{type(estimator).__name__}.find_learning_rate"
    n = check_count(owner, "n_steps", n_steps)
    if not 0 < low < high < np.inf or n < 3:
        raise ParameterError(
            f"{owner}: rates must rise in at least 3 steps, got low={low!r}, high={high!r}, n_steps={n}."
        )
    own = clone(estimator).set_params(schedule="constant", warmup_steps=0, averaging=None, checkpoint=None)
    device, seed = chosen_device(owner, own.device), seed_of(own.random_state)
    rates = low * (high / low) ** (np.arange(n) / (n - 1))
    with own_generators(device, seed):
        losses = steps_at(own, X, y, sample_weight, rates, device, seed)
    if len(losses) < 3:
        raise DataError(
            f"{owner}: the loss left the range of floating point at once; scale X, or give a lower low than {low:g}."
        )
    used = rates[: len(losses)]
    smoothed = smooth(losses)
    least = max(int(np.argmin(smoothed)), 1)
    slope = np.gradient(smoothed, np.log(used))[: least + 1]
    return RateCurve(used, losses, smoothed, float(used[int(np.argmin(slope))]))


def smooth(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return s of (1)."""
    mean, out = 0.0, np.empty(len(losses))
    for t, loss in enumerate(losses):
        mean = SMOOTHING * mean + (1 - SMOOTHING) * loss
        out[t] = mean / (1 - SMOOTHING ** (t + 1))
    return out


def steps_at(
    estimator: Any, X: Any, y: Any, sample_weight: Any, rates: NDArray[np.float64], device: Any, seed: int
) -> NDArray[np.float64]:
    """Return the losses of one step at each rate, as far as they stay finite and below the explosion."""
    from novum.neural_network.training.loop import Training

    examples = estimator._examples(X, y, sample_weight, True)
    config = estimator._config(examples)
    training = Training(estimator, estimator._built(config).to(device), examples, None, seed, config)
    training.module.train()
    losses: list[float] = []
    epoch = 0
    while True:
        rng = np.random.default_rng([seed, epoch])
        epoch += 1
        for index in training.examples.batches(rng, estimator.batch_size):
            for stepper in training.steppers:
                stepper.rate = float(rates[len(losses)])
                stepper.moving = True
            batch = training.examples.take(index)
            step_loss = training.step(batch)
            loss = float(step_loss["loss"] if isinstance(step_loss, dict) else step_loss)
            if not np.isfinite(loss):
                return np.array(losses)
            losses.append(loss)
            so_far = smooth(np.array(losses))
            if len(losses) == len(rates) or so_far[-1] > EXPLODED * so_far.min() > 0:
                return np.array(losses)
