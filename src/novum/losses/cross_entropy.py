r"""Cross-entropy: the negative log-likelihood of class labels, from scores or from probabilities.

Two classes, one score f, s = 1 / (1 + exp(-f)), target t in [0, 1]:

    l = -(t log s + (1 - t) log(1 - s))  =  log(1 + exp(-|f|)) + (1 - t) max(f, 0) + t max(-f, 0)      (1)
    l' = s - t,    l'' = s (1 - s)                                                                      (2)

k classes, scores f[1..k], y = softmax(f), target a class index or a distribution t[1..k]:

    l = -sum_j t[j] log y[j]  =  log sum_j exp(f[j]) - sum_j t[j] f[j]                                  (3)
    l' = y - t,    l'' = diag(y) - y y^T,  of which `curvature` returns the diagonal                    (4)

The right-hand sides of (1) and (3) are what is computed: no exponential overflows, no logarithm meets a zero. With
`from_probabilities=True` the prediction is s or y itself, and derivatives are taken in it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit, xlog1py, xlogy

from novum.exceptions import DataError, ParameterTypeError
from novum.losses.base import Array, Loss
from novum.runtime.checks import check_number, float_array, row_weights
from novum.runtime.softmax import log_softmax_and_softmax, softmax_rows
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["CrossEntropyLoss"]

SUM_SLACK = 1e-4  # a target distribution in float32 may miss one by this much


@dataclass(frozen=True)
class CrossEntropyLoss(Loss):
    """Cross-entropy of two classes (1) or of k classes (3).

        l = -(t log s + (1 - t) log(1 - s))  =  log(1 + exp(-|f|)) + (1 - t) max(f, 0) + t max(-f, 0)    (1)
        l = -sum_j t[j] log y[j]  =  log sum_j exp(f[j]) - sum_j t[j] f[j]    (3)

    A prediction of shape (n,) is one number per row: the score of class 1, with targets 0 and 1 (or probabilities). A
    prediction of shape (n, k) holds a score per class, with targets 0..k-1 of shape (n,) or distributions of (n, k).

    Parameters
    ----------
    from_probabilities : bool
        The prediction is a probability, not a score.
    clip : float
        Probabilities are first cut to [clip, 1 - clip]; at 0 a certain and wrong prediction costs infinitely much.

    Examples
    --------
    >>> from novum.losses import CrossEntropyLoss
    >>> CrossEntropyLoss(from_probabilities=True).value([1, 1], [0.9, 0.1]).round(6)
    array([0.105361, 2.302585])
    >>> CrossEntropyLoss().value([0], [[2.0, 1.0, 0.0]]).round(6)
    array([0.407606])
    """

    from_probabilities: bool = False
    clip: float = 0.0
    name: ClassVar[str] = "cross-entropy"

    def __post_init__(self) -> None:
        if not isinstance(self.from_probabilities, bool | np.bool_):
            raise ParameterTypeError(
                f"CrossEntropyLoss(from_probabilities={self.from_probabilities!r}): it must be True or False."
            )
        object.__setattr__(self, "clip", check_number("CrossEntropyLoss", "clip", self.clip, 0, 0.5, open_high=True))

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        """1/2 bounds the eigenvalues of (4); of (2) even 1/4 does.

        l' = y - t,   l'' = diag(y) - y y^T,  of which `curvature` returns the diagonal    (4)
        l' = s - t,   l'' = s (1 - s)    (2)
        """
        return np.inf if self.from_probabilities else 0.5

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """The Euclidean norm of y - t is below sqrt(2)."""
        return np.inf if self.from_probabilities else float(np.sqrt(2))

    def check(self, target: Numbers, prediction: Numbers) -> tuple[Array, Array]:
        """Return class indices (intp) or floats as target, and the prediction as floats."""
        prediction = float_array("CrossEntropyLoss", "prediction", prediction)
        target = np.asarray(target)
        if self.from_probabilities and prediction.size and not (prediction.min() >= 0 and prediction.max() <= 1):
            raise DataError(
                "CrossEntropyLoss(from_probabilities=True): prediction spans "
                f"{prediction.min():g} to {prediction.max():g}; "
                "probabilities lie in [0, 1] (scores: from_probabilities=False)."
            )
        if prediction.ndim < 2:
            target = self._check_target(target, prediction)
            if target.ndim and prediction.ndim and target.shape != prediction.shape:
                raise DataError(
                    f"CrossEntropyLoss: target has shape {target.shape}, prediction {prediction.shape}; "
                    "they must be equal (reshape a column with .ravel())."
                )
            return target, prediction
        if prediction.ndim > 2:
            raise DataError(f"CrossEntropyLoss: prediction has shape {prediction.shape}; it must be (n,) or (n, k).")
        if target.shape == prediction.shape:
            target = self._check_target(target, prediction)
            if target.size and np.abs(target.sum(axis=1) - 1).max() > SUM_SLACK:
                raise DataError(
                    "CrossEntropyLoss: the rows of target must add up to one; "
                    "divide them by target.sum(axis=1, keepdims=True)."
                )
            return target, prediction
        return self._check_classes(target, *prediction.shape), prediction

    def _check_target(self, target: Array, prediction: Array) -> Array:
        target = super()._check_target(target, prediction)
        if target.size and not (target.min() >= 0 and target.max() <= 1):
            raise DataError(
                f"CrossEntropyLoss: target spans {target.min():g} to {target.max():g}; "
                "with one prediction per row targets lie in [0, 1] "
                "(from -1 and +1: (target + 1) / 2, or use LogisticLoss)."
            )
        return target

    @staticmethod
    def _check_classes(target: Array, n_rows: int, n_classes: int) -> Array:
        if target.shape != (n_rows,):
            raise DataError(
                f"CrossEntropyLoss: target has shape {target.shape}, prediction ({n_rows}, {n_classes}); "
                f"target must be ({n_rows},) class indices or ({n_rows}, {n_classes}) distributions."
            )
        index = target.astype(np.intp) if target.dtype.kind in "biuf" else None
        if (
            index is None
            or not np.array_equal(index, target)
            or (n_rows and not 0 <= index.min() <= index.max() < n_classes)
        ):
            raise DataError(
                f"CrossEntropyLoss: class indices must be whole numbers from 0 to {n_classes - 1}; "
                "encode other labels first."
            )
        return index

    def _cut(self, probability: Array) -> Array:
        return np.clip(probability, self.clip, 1 - self.clip) if self.clip else probability

    def _value(self, target: Array, prediction: Array) -> Array:
        if prediction.ndim < 2:
            if self.from_probabilities:
                y = self._cut(prediction)
                return -xlogy(target, y) - xlog1py(1 - target, -y)
            return np.log1p(np.exp(-np.abs(prediction))) + np.where(prediction > 0, 1 - target, -target) * prediction
        if self.from_probabilities:
            if target.ndim == 2:
                return -xlogy(target, self._cut(prediction)).sum(axis=1)
            with np.errstate(divide="ignore"):
                return -np.log(self._cut(prediction)[np.arange(target.size), target])
        return self._value_from_log(target, log_softmax_and_softmax(prediction)[0])

    @staticmethod
    def _value_from_log(target: Array, log_probability: Array) -> Array:
        if target.ndim == 1:
            return -log_probability[np.arange(target.size), target]
        return -np.where(target == 0, 0, target * log_probability).sum(axis=1)

    def _gradient(self, target: Array, prediction: Array) -> Array:
        if self.from_probabilities:
            with np.errstate(divide="ignore", invalid="ignore"):
                y = self._cut(prediction)
                if prediction.ndim < 2:
                    return np.where(y == target, 0, (y - target) / (y * (1 - y))).astype(y.dtype, copy=False)
                hot = self._one_hot(target, y)
                return np.where(hot == 0, 0, -hot / y).astype(y.dtype, copy=False)
        if prediction.ndim < 2:
            return expit(prediction) - target
        return self._subtract(softmax_rows(prediction), target)

    @staticmethod
    def _one_hot(target: Array, like: Array) -> Array:
        if target.ndim == 2:
            return target
        hot = np.zeros_like(like)
        hot[np.arange(target.size), target] = 1
        return hot

    @staticmethod
    def _subtract(probability: Array, target: Array) -> Array:
        """Return y - t, written over y."""
        if target.ndim == 2:
            probability -= target
        else:
            probability[np.arange(target.size), target] -= 1
        return probability

    def _value_and_gradient(self, target: Array, prediction: Array) -> tuple[Array, Array]:
        if self.from_probabilities:
            return super()._value_and_gradient(target, prediction)
        if prediction.ndim < 2:
            small = np.exp(-np.abs(prediction))
            response = np.where(prediction > 0, 1, small) / (1 + small)
            value = np.log1p(small) + np.where(prediction > 0, 1 - target, -target) * prediction
            return value, (response - target).astype(prediction.dtype, copy=False)
        log_probability, probability = log_softmax_and_softmax(prediction)
        return self._value_from_log(target, log_probability), self._subtract(probability, target)

    def _curvature(self, target: Array, prediction: Array) -> Array:
        if self.from_probabilities:
            with np.errstate(divide="ignore", invalid="ignore"):
                y = self._cut(prediction)
                if prediction.ndim < 2:
                    parts = np.where(target == 0, 0, target / y**2) + np.where(
                        target == 1, 0, (1 - target) / (1 - y) ** 2
                    )
                    return parts.astype(y.dtype, copy=False)
                hot = self._one_hot(target, y)
                return np.where(hot == 0, 0, hot / y**2).astype(y.dtype, copy=False)
        if prediction.ndim < 2:
            return expit(prediction) * expit(-prediction) + np.zeros_like(target)
        probability = softmax_rows(prediction)
        return probability * (1 - probability)

    def hessian_product(self, prediction: Numbers, direction: Numbers) -> Array:
        """Return l'' times a direction for every row: y * v for two classes, y * (v - y . v) for k, from scores."""
        prediction = float_array("CrossEntropyLoss", "prediction", prediction)
        direction = float_array("CrossEntropyLoss", "direction", direction).astype(prediction.dtype, copy=False)
        if prediction.ndim < 2:
            return expit(prediction) * expit(-prediction) * direction
        y = softmax_rows(prediction)
        return y * (direction - (y * direction).sum(axis=-1, keepdims=True))

    def response(self, prediction: Numbers) -> Array:
        """Return the probability of class 1, or of every class."""
        prediction = float_array("CrossEntropyLoss", "prediction", prediction)
        if self.from_probabilities:
            return prediction
        return expit(prediction) if prediction.ndim < 2 else softmax_rows(prediction)

    def link(self, mean: Numbers) -> Array:
        """Return scores for given probabilities: the log-odds, or logarithms."""
        mean = float_array("CrossEntropyLoss", "mean", mean)
        if self.from_probabilities:
            return mean
        with np.errstate(divide="ignore"):
            return logit(mean) if mean.ndim < 2 else np.log(mean)

    def best_constant(self, target: Numbers, sample_weight: RowWeights = None) -> Any:
        """Return the best constant: of 1-D targets in [0, 1] one number, of distributions (n, k) one per class."""
        target = np.asarray(target)
        if target.ndim == 2:
            weight = row_weights("CrossEntropyLoss.best_constant", sample_weight, len(target))
            return self.link(np.average(self._check_target(target, np.empty(0)), axis=0, weights=weight)[None])[0]
        return super().best_constant(target, sample_weight)

    def _best_constant(self, target: Array, weight: Array) -> float:
        return float(self.link(np.average(target, weights=weight)))
