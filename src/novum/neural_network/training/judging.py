r"""What a training ended with: weights that are numbers, and answers that beat one answer for all rows.

classes:  least loss of a constant   H = -sum_c p_c log p_c,   p_c the weighted share of class c                         (1)
numbers:  least loss of a constant   V = sum_i w_i |y_i - ybar|^2 / (k sum_i w_i),   ybar the weighted mean of k targets  (2)

A network that cannot reach (1) or (2) on rows it has learned from has gone astray, most often by steps too long, or was not
trained long enough: either way its answers are worse than none. It is judged on `ROWS` training rows at most, without dropout, so
that the judgment costs less than a few steps.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from novum.exceptions import DataError, NotConverged
from novum.report.numbers import number
from novum.runtime import arrays, devices
from novum.runtime.warn import warn

__all__ = ["ROWS", "Aim", "check_weights", "is_worse", "judge", "least_constant_loss"]

ROWS = 4096
NEARLY = 1.01  # times the loss of a constant: with nothing to learn, steps leave a network about so far from it


class Aim(NamedTuple):
    """What a network should say of some rows."""

    target: Any  # (n,) whole numbers: classes; (n, k) fractions: numbers
    weight: Any = None
    factor: float = 1.0  # of this loss in the whole


def is_worse(loss: float, constant: float) -> bool:
    """Return whether a loss is beyond what one answer for all rows has; the small number is for targets that do not vary."""
    return not loss <= NEARLY * constant + 1e-2


def least_constant_loss(target: Any, weight: Any = None) -> float:
    """Return (1) of whole numbers, (2) of fractions.

    Examples
    --------
    >>> least_constant_loss(np.array([0, 1, 1, 0])), least_constant_loss(np.array([[1.0], [3.0]]))
    (0.6931471805599453, 1.0)
    """
    w = np.ones(len(target)) if weight is None else np.asarray(weight, np.float64)
    if target.dtype.kind in "iu":
        share = np.bincount(target, w) / w.sum()
        return float(entr(share).sum())
    y = target.reshape(len(target), -1).astype(np.float64)
    return float(np.average((y - np.average(y, axis=0, weights=w)) ** 2, axis=0, weights=w).mean())


def least_loss_of_tensor(target: Any, weight: Any) -> float:
    """Return (1) or (2) of a tensor, whose rows stay where they are."""
    if devices.on_host(target):
        return least_constant_loss(target.numpy(), None if weight is None else weight.numpy())
    w = arrays.ones(target, len(target)) if weight is None else weight.double()
    if not target.is_floating_point():
        counts = arrays.to_numpy(target.bincount(w))
        return float(entr(counts / counts.sum()).sum())
    y, share = target.reshape(len(target), -1).double(), w / w.sum()
    return float((share @ (y - share @ y) ** 2).mean())


def check_weights(estimator: Any, weights: dict[str, np.ndarray]) -> None:
    """Raise where a weight is no longer a number."""
    for name, value in weights.items():
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise DataError(
                f"{type(estimator).__name__}: the weight {name!r} is no longer finite after training: the steps left the range of"
                f" floating point. Scale X, lower learning_rate={estimator.learning_rate:g}, or give clip_norm=1.0."
            )


def judge(estimator: Any, module: Any, examples: Any) -> None:
    """Warn where a trained network does worse on its training rows than one answer for all of them."""
    import torch

    if len(examples) > ROWS:
        rng = np.random.default_rng(0)
        examples = examples.part(np.sort(rng.choice(len(examples), ROWS, replace=False)))
    home = examples.to(next(module.parameters()).device)
    total = aimed_total = count = 0.0
    aims: list[list[Aim]] = []
    module.eval()
    with torch.no_grad():
        for index in home.batches(None, max(estimator.batch_size, 256)):
            found = estimator._judged(module, home.take(index))
            if found is None:
                return
            loss, aimed = found
            weight = float(home.weight(index))
            total, count = total + float(loss) * weight, count + weight
            if isinstance(aimed, list):
                aims.append(aimed)
            else:
                aimed_total += float(aimed) * weight
    constant = aimed_total / count
    for parts in zip(*aims):
        target = torch.cat([part.target for part in parts])
        weights = None if parts[0].weight is None else torch.cat([part.weight for part in parts])
        if len(target):
            constant += parts[0].factor * least_loss_of_tensor(target, weights)
    if is_worse(total / count, constant):
        warn(
            f"{type(estimator).__name__}: after training the loss on the training rows is {number(total / count)}, and one answer"
            f" for all of them has {number(constant)}: the network is worse than none. Lower"
            f" learning_rate={estimator.learning_rate:g}, scale X, give clip_norm=1.0, or train longer"
            f" (max_epochs={estimator.max_epochs}).",
            NotConverged,
        )
