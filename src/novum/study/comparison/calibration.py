r"""One number that brings probabilities nearer to how often they come true: the temperature T of

    p_k(x)^(1/T) / sum_j p_j(x)^(1/T)                                                                                (1)

T > 1 makes a model less sure of itself, T < 1 surer; the order of the classes stays. It is fitted on predictions out of folds, by
the log loss. A fold is judged with the temperature of the others; with the mean gain g of its log loss over the folds and s the
corrected standard error of g, (1) is applied where

    g > s  and  g > .005 times the log loss                                                                          (2)
"""

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from novum.base.sklearn_base import BaseEstimator, ClassifierMixin
from novum.evaluation.resampling.corrected_t import variance_of_mean
from novum.study.scoring.measures import LEAST_PROBABILITY, log_losses, mean

__all__ = ["TemperatureScaled", "at_temperature", "helpful_temperature", "tempered"]

LOWEST, HIGHEST = -1.5, 1.5  # of log T
MOST_ROWS = 5_000  # that it is fitted on
LEAST_GAIN = 0.005
FLOOR = 1e-9  # of a probability in (1)


def at_temperature(proba: np.ndarray, temperature: float) -> np.ndarray:
    """Return (1)."""
    if temperature == 1.0:
        return proba
    raw = np.log(np.maximum(proba, max(FLOOR, LEAST_PROBABILITY))) / temperature
    raw = np.exp(raw - raw.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


def best_temperature(proba: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> float:
    """Return the temperature of the least log loss.

    Parameters
    ----------
    truth : array of shape (rows,)
        The numbers of the classes.
    """
    if len(truth) > MOST_ROWS:
        some = np.linspace(0, len(truth) - 1, MOST_ROWS).astype(np.intp)
        proba, truth, weight = proba[some], truth[some], None if weight is None else weight[some]
    loss = lambda log_t: mean(log_losses(truth, at_temperature(proba, float(np.exp(log_t)))), weight)  # noqa: E731
    found = minimize_scalar(loss, bounds=(LOWEST, HIGHEST), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))


def helpful_temperature(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]], ratio: float) -> float:
    """Return the temperature of all folds where (2) holds, else 1.

    Parameters
    ----------
    parts : list of (probabilities, truth, weight)
        By fold.
    ratio : float
        Rows of a test part over those of a training part.
    """
    if len(parts) < 2:
        return 1.0

    def joined(chosen: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        weights = [parts[f][2] for f in chosen]
        weight = None if weights[0] is None else np.concatenate([w for w in weights if w is not None])
        return np.concatenate([parts[f][0] for f in chosen]), np.concatenate([parts[f][1] for f in chosen]), weight

    gains, before = [], []
    for f, (proba, truth, weight) in enumerate(parts):
        t = best_temperature(*joined([g for g in range(len(parts)) if g != f]))
        before.append(mean(log_losses(truth, at_temperature(proba, 1.0 + 1e-12)), weight))
        gains.append(before[-1] - mean(log_losses(truth, at_temperature(proba, t)), weight))
    gain, error = float(np.mean(gains)), float(np.sqrt(variance_of_mean(np.array(gains), ratio)))
    if not gain > max(error, LEAST_GAIN * float(np.mean(before))):
        return 1.0
    return round(best_temperature(*joined(list(range(len(parts))))), 4)


class TemperatureScaled(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose probabilities are brought to a temperature.

    Parameters
    ----------
    estimator : fitted classifier with `predict_proba`
    temperature : float
    """

    def __init__(self, estimator: Any, temperature: float = 1.0) -> None:
        self.estimator = estimator
        self.temperature = temperature

    def fit(self, X: Any = None, y: Any = None) -> "TemperatureScaled":
        """Do nothing: the estimator is fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        """The classes."""
        return self.estimator.classes_

    def predict(self, X: Any) -> np.ndarray:
        """Return what the estimator says."""
        return self.estimator.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return (1)."""
        return at_temperature(self.estimator.predict_proba(X), self.temperature)


def tempered(model: Any, temperature: float) -> Any:
    """Return a fitted classifier of a study at a temperature: a pipeline whose last step has it, or a mean of several."""
    from sklearn.pipeline import Pipeline

    from novum.study.comparison.blend import Blend

    if temperature == 1.0:
        return model
    if isinstance(model, Blend):
        return Blend(model.estimators, model.weights, temperature)
    *before, (name, last) = model.steps
    return Pipeline([*before, (name, TemperatureScaled(last, temperature))])
