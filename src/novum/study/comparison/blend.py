r"""The ensemble of the best: a weighted mean of several models' predictions, with weights learned from rows they had not seen.

    f(x) = sum_m w_m f_m(x),    w_m = (times m was drawn) / T                                                       (1)

The weights are those of greedy selection with replacement (Caruana et al. 2004): T times the model is added that makes the loss of
the mean smallest, log loss of probabilities or squared error of numbers (the absolute one, where that is the measure), on
predictions out of folds. Few rows say little about weights, so of n rows they are drawn to those of equal parts of the three best,
halfway up to n_0 = 1,000,

    w'_m = (1 - a) w_m + a 1[m in E] / |E|,    a = min(1, n_0 / n) / 2                                               (2)

with E those of the first three whose loss is at most a quarter above the best one's.

For the leaderboard, the weights that a fold is judged with come from the other folds.
"""

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from novum.base.sklearn_base import BaseEstimator
from novum.evaluation.temperature import at_temperature
from novum.study.scoring.measures import LEAST_PROBABILITY

__all__ = ["Blend", "Combination", "greedy_weights", "steady_weights"]

ROUNDS = 25
ABSOLUTE = ("mae", "median_error")  # measures that the absolute error stands for
NEARLY = 1.25  # times the loss of the best: such models share it
EQUAL = 3  # of the best models, which share the weight that the rows do not decide
FEW_ROWS = 1_000  # up to which that is half of it


def mean_losses(predictions: np.ndarray, truth: np.ndarray, weight: np.ndarray | None, measure: str) -> np.ndarray:
    """Return the mean loss of every model: of probabilities of all classes, or of the true one alone, or of numbers."""
    if predictions.ndim == 3:
        predictions = predictions[:, np.arange(len(truth)), truth]
    if truth.dtype.kind != "f":
        losses = -np.log(np.maximum(predictions, LEAST_PROBABILITY))
    else:
        losses = np.abs(predictions - truth) if measure in ABSOLUTE else (predictions - truth) ** 2
    return np.average(losses, axis=1, weights=weight)


def greedy_weights(
    predictions: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None, measure: str = ""
) -> np.ndarray:
    """Return the weights of (1).

    Parameters
    ----------
    predictions : array of shape (models, rows) of numbers, or (models, rows, classes) of probabilities
    truth : array of shape (rows,)
        Numbers, or the numbers of the classes.
    measure : str
        By which the models are compared.
    """
    if predictions.ndim == 3:
        predictions = predictions[:, np.arange(len(truth)), truth]  # the log loss sees nothing else
    counts = np.zeros(len(predictions))
    total = np.zeros(predictions.shape[1:])
    for done in range(ROUNDS):
        means = (total + predictions) / (done + 1)
        best = int(np.argmin(mean_losses(means, truth, weight, measure)))
        counts[best] += 1
        total += predictions[best]
    return counts / ROUNDS


def steady_weights(
    predictions: np.ndarray, truth: np.ndarray, weight: np.ndarray | None = None, measure: str = ""
) -> np.ndarray:
    """Return the weights of (2) for models from the best to the worst."""
    losses = mean_losses(predictions, truth, weight, measure)
    equal = (np.arange(len(predictions)) < EQUAL) & (losses <= NEARLY * losses[:EQUAL].min())
    share = min(1.0, FEW_ROWS / len(truth)) / 2
    return (1 - share) * greedy_weights(predictions, truth, weight, measure) + share * equal / equal.sum()


class Combination(BaseEstimator):
    """Fitted pipelines whose predictions are made one: `combined` says how."""

    estimators: Any
    weights: Any

    def combined(self, predictions: np.ndarray) -> np.ndarray:
        """Return what is said together, given what each says, of shape (estimators, rows[, classes])."""
        raise NotImplementedError

    def fit(self, X: Any = None, y: Any = None) -> "Combination":
        """Do nothing: the estimators are fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        """The classes, where the estimators have any."""
        return self.estimators[0].classes_

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable classes, or the numbers."""
        if hasattr(self, "classes_"):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return self.combined(np.stack([estimator.predict(X) for estimator in self.estimators]))

    @available_if(lambda self: hasattr(self, "classes_"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities that are said together."""
        return self.combined(np.stack([estimator.predict_proba(X) for estimator in self.estimators]))


class Blend(Combination):
    """Mean of fitted pipelines with weights that sum to one.

    Parameters
    ----------
    estimators : list of fitted estimators
        Classifiers of the same classes with `predict_proba`, or regressors.
    weights : list of float
    temperature : float, default=1.0
        Of the mean's probabilities (novum.evaluation.temperature).
    """

    temperature = 1.0  # of a file of before it had one

    def __init__(self, estimators: Any, weights: Any, temperature: float = 1.0) -> None:
        self.estimators = estimators
        self.weights = weights
        self.temperature = temperature

    def combined(self, predictions: np.ndarray) -> np.ndarray:
        """Return (1), of probabilities at the temperature."""
        mixed = np.tensordot(np.asarray(self.weights, dtype=np.float64), predictions, axes=1)
        return at_temperature(mixed, self.temperature)
