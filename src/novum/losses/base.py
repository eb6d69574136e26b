r"""What every loss offers: value, gradient and curvature in the prediction, and the risk they add up to.

A loss l(t, f) says what the prediction f costs when the target is t. Everything is row by row and elementwise:

    gradient   l'(t, f)  = d l / d f,   at a kink the documented element of the subdifferential       (1)
    curvature  l''(t, f) = d2 l / d f2, zero at a kink                                                 (2)
    risk       R         = sum_n w[n] l(t[n], f[n])   or that sum over sum_n w[n]                       (3)
    constant   f*        = argmin_c sum_n w[n] l(t[n], c)                                               (4)

`value`, `gradient` and `curvature` check their arguments. A learner that iterates checks once with `check` and calls
the cores `_value`, `_gradient`, `_curvature`, `_value_and_gradient` under `np.errstate(over="ignore")`: they trust
their arrays, all of one float dtype, and overflow to infinity where a loss does.
Derivations: docs/theory/losses.md.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.runtime.checks import check_choice, float_array, row_weights
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Loss", "Pieces", "empirical_risk"]

Array = NDArray[Any]


class Pieces(NamedTuple):
    """A loss that is a maximum of lines: l(t, f) = max_p slopes[p] f + offsets[p]."""

    slopes: Array  # (p, n)
    offsets: Array  # (p, n)


class Loss:
    """What a prediction costs; the base of all losses.

    Attributes
    ----------
    name : str
        What a picture calls it.
    convex, differentiable : bool
        In the prediction, everywhere.
    trainable : bool
        Whether the gradient says where to go; False where it is zero almost everywhere.
    smoothness : float
        Largest curvature: the Lipschitz constant of the gradient, infinite where there is none.
    lipschitz : float
        Largest absolute gradient, infinite where there is none.
    """

    name: ClassVar[str] = ""
    convex: bool = True
    differentiable: bool = True
    trainable: bool = True
    smoothness: float = np.inf
    lipschitz: float = np.inf

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"  # losses with parameters are dataclasses and print them

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def _check_target(self, target: Array, prediction: Array) -> Array:
        """Return the target in the dtype of the prediction; subclasses refuse values outside their coding."""
        return float_array(type(self).__name__, "target", target).astype(prediction.dtype, copy=False)

    def check(self, target: Numbers, prediction: Numbers) -> tuple[Array, Array]:
        """Return target and prediction as arrays of the prediction's float dtype; a scalar goes with any shape."""
        owner = type(self).__name__
        prediction = float_array(owner, "prediction", prediction)
        target = self._check_target(np.asarray(target), prediction)
        if target.ndim and prediction.ndim and target.shape != prediction.shape:
            raise DataError(
                f"{owner}: target has shape {target.shape}, prediction {prediction.shape}; they must be equal "
                "(reshape a column with .ravel())."
            )
        return target, prediction

    def value(self, target: Numbers, prediction: Numbers) -> Array:
        """Return l(t, f) of every row."""
        target, prediction = self.check(target, prediction)
        with np.errstate(over="ignore", under="ignore"):
            return self._value(target, prediction)[()]

    def gradient(self, target: Numbers, prediction: Numbers) -> Array:
        """Return (1) of every row.

        gradient   l'(t, f)  = d l / d f,   at a kink the documented element of the subdifferential    (1)
        """
        target, prediction = self.check(target, prediction)
        with np.errstate(over="ignore", under="ignore"):
            return self._gradient(target, prediction)[()]

    def curvature(self, target: Numbers, prediction: Numbers) -> Array:
        """Return (2) of every row.

        curvature  l''(t, f) = d2 l / d f2, zero at a kink    (2)
        """
        target, prediction = self.check(target, prediction)
        with np.errstate(over="ignore", under="ignore"):
            return self._curvature(target, prediction)[()]

    def _value(self, target: Array, prediction: Array) -> Array:
        raise NotImplementedError

    def _gradient(self, target: Array, prediction: Array) -> Array:
        raise NotImplementedError

    def _curvature(self, target: Array, prediction: Array) -> Array:
        raise NotImplementedError

    def _value_and_gradient(self, target: Array, prediction: Array) -> tuple[Array, Array]:
        """Return both at once; losses whose value and gradient share an exponential override it."""
        return self._value(target, prediction), self._gradient(target, prediction)

    def pieces(self, target: Numbers) -> Pieces | None:
        """Return the lines whose maximum is the loss, or None where it is not piecewise linear and convex."""
        return None

    def response(self, prediction: Numbers) -> Array:
        """Return the mean (or the probability of the positive class) that a prediction stands for; here itself."""
        return float_array(type(self).__name__, "prediction", prediction)

    def link(self, mean: Numbers) -> Array:
        """Return the prediction that stands for a mean: the inverse of `response`."""
        return float_array(type(self).__name__, "mean", mean)

    def best_constant(self, target: Numbers, sample_weight: RowWeights = None) -> Any:
        """Return (4), the best prediction that does not look at the inputs.

        constant   f*   = argmin_c sum_n w[n] l(t[n], c)    (4)
        """
        target = self._check_target(np.asarray(target), np.empty(0))
        if target.ndim != 1 or target.size == 0:
            raise DataError(
                f"{type(self).__name__}.best_constant: target has shape {target.shape}; it needs (n,), n >= 1."
            )
        if not np.all(np.isfinite(target)):
            raise DataError(f"{type(self).__name__}.best_constant: target holds NaN or infinity; remove those rows.")
        weight = row_weights(f"{type(self).__name__}.best_constant", sample_weight, target.size)
        weight = np.ones(target.size) if weight is None else weight
        present = weight > 0
        return self._best_constant(target[present], weight[present])

    def _best_constant(self, target: Array, weight: Array) -> Any:
        raise NotImplementedError


def empirical_risk(
    loss: Loss, target: Numbers, prediction: Numbers, sample_weight: RowWeights = None, *, reduction: str = "mean"
) -> float:
    """Return the training error (3): the losses of all rows, averaged or added up.

        risk   R   = sum_n w[n] l(t[n], f[n])   or that sum over sum_n w[n]    (3)

    The outputs of a row with several are added before rows are averaged. Low risk on the rows a model was trained on
    says little about new rows: a flexible model drives it to zero by memorising. Judge with rows held back.

    Parameters
    ----------
    loss : Loss
    target, prediction : array-like of shape (n,) or (n, k)
    sample_weight : array-like of shape (n,), optional
    reduction : {"mean", "sum"}
        "sum" of `SquaredLoss()` is the SSE, "mean" the MSE, "sum" of `SquaredLoss(scale=0.5)` the network error.

    Examples
    --------
    >>> from novum.losses import SquaredLoss, empirical_risk
    >>> round(empirical_risk(SquaredLoss(), [1, 3, 2, 5], [1.1, 2.2, 3.3, 4.4], reduction="sum"), 6)
    2.7
    """
    check_choice("empirical_risk", "reduction", reduction, ("mean", "sum"))
    losses = np.atleast_1d(loss.value(target, prediction)).astype(np.float64, copy=False)
    if losses.size == 0:
        raise DataError("empirical_risk: no rows; the average of nothing is undefined, pass at least one row.")
    losses = losses.reshape(losses.shape[0], -1).sum(axis=1)
    weight = row_weights("empirical_risk", sample_weight, losses.size)
    if weight is None:
        return float(losses.mean() if reduction == "mean" else losses.sum())
    present = weight > 0  # a row of weight zero is absent, even where its loss is infinite
    total = float(weight[present] @ losses[present])
    return total / float(weight.sum()) if reduction == "mean" else total
