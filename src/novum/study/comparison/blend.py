r"""The ensemble of the best: a weighted mean of several models' predictions, with weights learned from rows they had not seen.

    f(x) = sum_m w_m f_m(x),    w_m = (times m was drawn) / T                                                       (1)

The weights are those of greedy selection with replacement (Caruana et al. 2004): T times the model is added that makes the loss of
the mean smallest, log loss of probabilities or squared error of numbers, on predictions out of folds. Few rows say little about
weights, so they are drawn halfway to those of equal parts of the three best,

    w'_m = (w_m + 1[m among the first 3] / 3) / 2                                                                   (2)

For the leaderboard, the weights that a fold is judged with come from the other folds.
"""

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from novum.base.sklearn_base import BaseEstimator
from novum.study.scoring.measures import LEAST_PROBABILITY

__all__ = ["Blend", "greedy_weights", "steady_weights"]

ROUNDS = 25
EQUAL = 3  # of the best models, which share half of the weight


def greedy_weights(predictions: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the weights of (1).

    Parameters
    ----------
    predictions : array of shape (models, rows) of numbers, or (models, rows, classes) of probabilities
    truth : array of shape (rows,)
        Numbers, or the numbers of the classes.
    """
    if predictions.ndim == 3:
        predictions = predictions[:, np.arange(len(truth)), truth]  # the log loss sees nothing else

        def losses(mean: np.ndarray) -> np.ndarray:
            return -np.log(np.maximum(mean, LEAST_PROBABILITY))
    else:

        def losses(mean: np.ndarray) -> np.ndarray:
            return (mean - truth) ** 2

    counts = np.zeros(len(predictions))
    total = np.zeros(predictions.shape[1:])
    for done in range(ROUNDS):
        means = (total + predictions) / (done + 1)
        best = int(np.argmin(np.average(losses(means), axis=1, weights=weight)))
        counts[best] += 1
        total += predictions[best]
    return counts / ROUNDS


def steady_weights(predictions: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Return the weights of (2) for models from the best to the worst."""
    equal = np.arange(len(predictions)) < EQUAL
    return (greedy_weights(predictions, truth, weight) + equal / equal.sum()) / 2


class Blend(BaseEstimator):
    """Mean of fitted pipelines with weights that sum to one.

    Parameters
    ----------
    estimators : list of fitted estimators
        Classifiers of the same classes with `predict_proba`, or regressors.
    weights : list of float
    """

    def __init__(self, estimators: Any, weights: Any) -> None:
        self.estimators = estimators
        self.weights = weights

    def fit(self, X: Any = None, y: Any = None) -> "Blend":
        """Do nothing: the estimators are fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        """The classes, where the estimators have any."""
        return self.estimators[0].classes_

    def _mean(self, predictions: list[np.ndarray]) -> np.ndarray:
        """Return (1)."""
        return np.tensordot(np.asarray(self.weights, dtype=np.float64), np.stack(predictions), axes=1)

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable classes, or the mean of the numbers."""
        if hasattr(self, "classes_"):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return self._mean([estimator.predict(X) for estimator in self.estimators])

    @available_if(lambda self: hasattr(self, "classes_"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the mean of the probabilities."""
        return self._mean([estimator.predict_proba(X) for estimator in self.estimators])
