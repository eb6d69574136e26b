r"""Losses of a score f against a sign t in {-1, +1}: functions of the margin m = t f alone.

    zero-one      [sign(f) != t],  sign(0) = +1                                    (1)
    perceptron    max(0, -m)                         slope at m = 0: -1             (2)
    hinge         max(0, 1 - m)                      slope at m = 1:  0             (3)
    squared hinge max(0, 1 - m)^2                                                   (4)
    exponential   exp(-m)                                                           (5)
    logistic      log(1 + exp(-m))                                                  (6)

The perceptron counts m = 0 as a mistake, so that training leaves the zero vector; the hinge counts m = 1 as enough.
With p = P(t = +1 | x), the score of least expected loss p phi(f) + (1 - p) phi(-f) is                (7)

    hinge sign(2p - 1);  squared hinge 2p - 1;  exponential log(p / (1-p)) / 2;  logistic log(p / (1-p))

Its sign is the Bayes decision, which is what makes a surrogate consistent: docs/theory/losses.md.
"""

from typing import ClassVar

import numpy as np
from scipy.special import expit, logit

from novum.exceptions import DataError, ParameterError
from novum.losses.base import Array, Loss, Pieces
from novum.runtime.checks import float_array
from novum.runtime.typing import Numbers

__all__ = [
    "ExponentialLoss",
    "HingeLoss",
    "LogisticLoss",
    "MarginLoss",
    "PerceptronLoss",
    "SquaredHingeLoss",
    "ZeroOneLoss",
]


class MarginLoss(Loss):
    """A loss phi(t f) of targets -1 and +1; a subclass gives phi, its slope and its curvature."""

    def margin_value(self, margin: Array) -> Array:
        """Return phi(m)."""
        raise NotImplementedError

    def margin_slope(self, margin: Array) -> Array:
        """Return d phi / d m."""
        raise NotImplementedError

    def margin_curvature(self, margin: Array) -> Array:
        """Return d2 phi / d m2."""
        raise NotImplementedError

    def margin_value_and_slope(self, margin: Array) -> tuple[Array, Array]:
        """Return both."""
        return self.margin_value(margin), self.margin_slope(margin)

    def best_score(self, probability: Numbers) -> Array:
        """Return (7), the score of least expected loss where P(t = +1) is `probability`.

        With p = P(t = +1 | x), the score of least expected loss p phi(f) + (1 - p) phi(-f) is    (7)
        """
        raise NotImplementedError

    def _check_target(self, target: Array, prediction: Array) -> Array:
        target = super()._check_target(target, prediction)
        if not np.all(np.abs(target) == 1):
            wrong = target[np.abs(target) != 1].flat[0]
            raise DataError(
                f"{type(self).__name__}: target holds {wrong:g}; targets are -1 and +1 (from 0 and 1: 2 * target - 1)."
            )
        return target

    def _value(self, target: Array, prediction: Array) -> Array:
        return self.margin_value(target * prediction)

    def _gradient(self, target: Array, prediction: Array) -> Array:
        return target * self.margin_slope(target * prediction)

    def _curvature(self, target: Array, prediction: Array) -> Array:
        return self.margin_curvature(target * prediction)

    def _value_and_gradient(self, target: Array, prediction: Array) -> tuple[Array, Array]:
        value, slope = self.margin_value_and_slope(target * prediction)
        return value, target * slope

    def _best_constant(self, target: Array, weight: Array) -> float:
        return float(self.best_score(weight[target > 0].sum() / weight.sum()))

    def response(self, prediction: Numbers) -> Array:
        """Return P(t = +1) where the loss determines it; (7) solved for p.

        With p = P(t = +1 | x), the score of least expected loss p phi(f) + (1 - p) phi(-f) is    (7)
        """
        raise ParameterError(
            f"{type(self).__name__}.response: its best score gives the likelier class but not how likely it is; "
            "calibrate the scores or train with LogisticLoss."
        )

    def link(self, mean: Numbers) -> Array:
        """Return (7): the score that stands for a probability.

        With p = P(t = +1 | x), the score of least expected loss p phi(f) + (1 - p) phi(-f) is    (7)
        """
        return self.best_score(mean)


class ZeroOneLoss(MarginLoss):
    """Misclassification (1): a measure, not something to descend.

        zero-one   [sign(f) != t],  sign(0) = +1    (1)

    It is piecewise constant, so its gradient is zero or undefined: `gradient` refuses, and so do the optimizers.

    Examples
    --------
    >>> from novum.losses import ZeroOneLoss
    >>> ZeroOneLoss().value([1, 1, -1, -1], [0.2, -3.0, 0.0, -0.1])
    array([0., 1., 1., 0.])
    """

    name: ClassVar[str] = "zero-one"
    convex = False
    differentiable = False
    trainable = False

    def _value(self, target: Array, prediction: Array) -> Array:
        return np.asarray((prediction >= 0) != (target > 0)).astype(prediction.dtype)

    def margin_value(self, margin: Array) -> Array:
        """Return (1) for t = +1.

        zero-one   [sign(f) != t],  sign(0) = +1    (1)
        """
        return np.asarray(margin < 0).astype(margin.dtype)

    def _gradient(self, target: Array, prediction: Array) -> Array:
        raise ParameterError(
            "ZeroOneLoss.gradient: the zero-one loss is piecewise constant, its gradient is zero or undefined; "
            "train with a surrogate (HingeLoss, LogisticLoss, ExponentialLoss) and measure with ZeroOneLoss."
        )

    _curvature = _gradient

    def best_score(self, probability: Numbers) -> Array:
        """Return the sign of the likelier class."""
        return np.where(float_array("ZeroOneLoss", "probability", probability) >= 0.5, 1.0, -1.0)[()]


class PerceptronLoss(MarginLoss):
    """Perceptron criterion (2): how far misclassified scores are on the wrong side.

        perceptron   max(0, -m)   slope at m = 0: -1    (2)

    Examples
    --------
    >>> from novum.losses import PerceptronLoss
    >>> PerceptronLoss().value([1, -1], [-2.0, -0.5]), PerceptronLoss().gradient([1, -1], [-2.0, -0.5])
    (array([2., 0.]), array([-1.,  0.]))
    """

    name: ClassVar[str] = "perceptron"
    differentiable = False
    lipschitz = 1.0

    def margin_value(self, margin: Array) -> Array:
        """Return (2).

        perceptron   max(0, -m)   slope at m = 0: -1    (2)
        """
        return np.maximum(0, -margin)

    def margin_slope(self, margin: Array) -> Array:
        """Return -1 for a mistake (m <= 0), else 0."""
        return -np.asarray(margin <= 0).astype(margin.dtype)

    def margin_curvature(self, margin: Array) -> Array:
        """Return zero."""
        return np.zeros_like(margin)

    def best_score(self, probability: Numbers) -> Array:
        """Return 0: the criterion is least at the zero score, whatever the classes."""
        return np.zeros_like(float_array("PerceptronLoss", "probability", probability))[()]

    def pieces(self, target: Numbers) -> Pieces:
        """Return the lines 0 and -t f."""
        target = self._check_target(np.asarray(target), np.empty(0))
        zero = np.zeros_like(target)
        return Pieces(np.stack([zero, -target]), np.stack([zero, zero]))


class HingeLoss(MarginLoss):
    """Hinge loss (3) of support vector machines; its subgradient is -t where t f < 1 and 0 from there on.

        hinge   max(0, 1 - m)   slope at m = 1:  0    (3)

    Examples
    --------
    >>> from novum.losses import HingeLoss
    >>> HingeLoss().value(1, [-1.0, 0.5, 1.0, 3.0])
    array([2. , 0.5, 0. , 0. ])
    """

    name: ClassVar[str] = "hinge"
    differentiable = False
    lipschitz = 1.0

    def margin_value(self, margin: Array) -> Array:
        """Return (3).

        hinge   max(0, 1 - m)   slope at m = 1:  0    (3)
        """
        return np.maximum(0, 1 - margin)

    def margin_slope(self, margin: Array) -> Array:
        """Return -1 below m = 1, else 0."""
        return -np.asarray(margin < 1).astype(margin.dtype)

    def margin_curvature(self, margin: Array) -> Array:
        """Return zero."""
        return np.zeros_like(margin)

    def best_score(self, probability: Numbers) -> Array:
        """Return the sign of the likelier class."""
        return np.where(float_array("HingeLoss", "probability", probability) >= 0.5, 1.0, -1.0)[()]

    def pieces(self, target: Numbers) -> Pieces:
        """Return the lines 0 and 1 - t f."""
        target = self._check_target(np.asarray(target), np.empty(0))
        zero = np.zeros_like(target)
        return Pieces(np.stack([zero, -target]), np.stack([zero, zero + 1]))


class SquaredHingeLoss(MarginLoss):
    """Squared hinge loss (4): the hinge without its kink.

    squared hinge max(0, 1 - m)^2    (4)
    """

    name: ClassVar[str] = "squared hinge"
    smoothness = 2.0

    def margin_value(self, margin: Array) -> Array:
        """Return (4).

        squared hinge max(0, 1 - m)^2    (4)
        """
        return np.square(np.maximum(0, 1 - margin))

    def margin_slope(self, margin: Array) -> Array:
        """Return -2 max(0, 1 - m)."""
        return -2 * np.maximum(0, 1 - margin)

    def margin_curvature(self, margin: Array) -> Array:
        """Return 2 below m = 1, else 0."""
        return 2 * np.asarray(margin < 1).astype(margin.dtype)

    def best_score(self, probability: Numbers) -> Array:
        """Return 2 p - 1."""
        return (2 * float_array("SquaredHingeLoss", "probability", probability) - 1)[()]

    def response(self, prediction: Numbers) -> Array:
        """Return (f + 1) / 2, cut to [0, 1]."""
        return np.clip((float_array("SquaredHingeLoss", "prediction", prediction) + 1) / 2, 0, 1)[()]


class ExponentialLoss(MarginLoss):
    """Exponential loss (5), which AdaBoost descends.

    exponential   exp(-m)    (5)
    """

    name: ClassVar[str] = "exponential"

    def margin_value(self, margin: Array) -> Array:
        """Return (5); infinite where it overflows.

        exponential   exp(-m)    (5)
        """
        return np.exp(-margin)

    def margin_slope(self, margin: Array) -> Array:
        """Return -exp(-m)."""
        return -np.exp(-margin)

    def margin_curvature(self, margin: Array) -> Array:
        """Return exp(-m)."""
        return np.exp(-margin)

    def margin_value_and_slope(self, margin: Array) -> tuple[Array, Array]:
        """Return both from one exponential."""
        value = np.exp(-margin)
        return value, -value

    def best_score(self, probability: Numbers) -> Array:
        """Return half the log-odds."""
        return logit(float_array("ExponentialLoss", "probability", probability)) / 2

    def response(self, prediction: Numbers) -> Array:
        """Return 1 / (1 + exp(-2 f))."""
        return expit(2 * float_array("ExponentialLoss", "prediction", prediction))


class LogisticLoss(MarginLoss):
    """Logistic loss (6): cross-entropy for targets -1 and +1.

        logistic   log(1 + exp(-m))    (6)

    Examples
    --------
    >>> from novum.losses import LogisticLoss
    >>> LogisticLoss().value([1, 1, -1], [0.0, 800.0, 800.0]).round(6)
    array([6.93147e-01, 0.00000e+00, 8.00000e+02])
    """

    name: ClassVar[str] = "logistic"
    smoothness = 0.25
    lipschitz = 1.0

    def margin_value(self, margin: Array) -> Array:
        """Return (6) by log1p(exp(-|m|)), which neither overflows nor cancels.

        logistic   log(1 + exp(-m))    (6)
        """
        return np.log1p(np.exp(-np.abs(margin))) + np.maximum(0, -margin)

    def margin_slope(self, margin: Array) -> Array:
        """Return -1 / (1 + exp(m))."""
        return -expit(-margin)

    def margin_curvature(self, margin: Array) -> Array:
        """Return s(m) s(-m); 1 - s(m) would cancel."""
        return expit(margin) * expit(-margin)

    def margin_value_and_slope(self, margin: Array) -> tuple[Array, Array]:
        """Return both from one exponential."""
        small = np.exp(-np.abs(margin))
        slope = -np.where(margin > 0, small, 1) / (1 + small)
        return np.log1p(small) + np.maximum(0, -margin), slope.astype(margin.dtype, copy=False)

    def best_score(self, probability: Numbers) -> Array:
        """Return the log-odds."""
        return logit(float_array("LogisticLoss", "probability", probability))

    def response(self, prediction: Numbers) -> Array:
        """Return 1 / (1 + exp(-f))."""
        return expit(float_array("LogisticLoss", "prediction", prediction))
