r"""What a regression can mend and what it cannot: the squared loss split at the conditional mean h(x) = E[t | x].

    E (y - t)^2  =  E (y - h)^2  +  E (h - t)^2        a model's part, and noise       (1)

The mixed term vanishes because h - t has mean zero at every x. The best predictor is h, and its loss is the noise.
"""

from typing import NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.report.result import result
from novum.runtime.checks import float_array, row_weights
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["LossSplit", "split_squared_loss"]


@result
class LossSplit(NamedTuple):
    """The two parts of (1).

    E (y - t)^2  =  E (y - h)^2  +  E (h - t)^2   a model's part, and noise    (1)
    """

    model: float  # E (y - h)^2
    noise: float  # E (h - t)^2, which no function of x can lower
    total: float  # E (y - t)^2


def split_squared_loss(
    target: Numbers, prediction: Numbers, group: Numbers, sample_weight: RowWeights = None
) -> LossSplit:
    """Return the split (1) of the mean squared loss; rows with the same `group` have the same input x.

        E (y - t)^2  =  E (y - h)^2  +  E (h - t)^2   a model's part, and noise    (1)

    Examples
    --------
    >>> from novum.teaching import split_squared_loss
    >>> split_squared_loss([0.0, 2.0, 5.0, 5.0], [1.5, 1.5, 4.0, 4.0], ["a", "a", "b", "b"])
    LossSplit(model=0.625, noise=0.5, total=1.125)
    """
    target = float_array("split_squared_loss", "target", target).astype(np.float64, copy=False)
    prediction = float_array("split_squared_loss", "prediction", prediction).astype(np.float64, copy=False)
    group = np.asarray(group)
    if not target.shape == prediction.shape == group.shape or target.ndim != 1:
        raise DataError(
            f"split_squared_loss: target {target.shape}, prediction {prediction.shape} and group {group.shape} "
            "must all have the shape (n,)."
        )
    weight = row_weights("split_squared_loss", sample_weight, target.size)
    weight = np.ones(target.size) if weight is None else weight
    _, index = np.unique(group, return_inverse=True)
    mass = np.bincount(index, weight)
    sums = np.bincount(index, weight * target)
    mean = np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)[index]
    model, noise, total = (
        float(np.average(np.square(a - b), weights=weight))
        for a, b in ((prediction, mean), (mean, target), (prediction, target))
    )
    return LossSplit(model, noise, total)
