r"""Whether the probabilities of a study's model are brought to a temperature (`novum.evaluation.temperature`), and to which.

It is fitted on predictions out of folds, by the log loss. A fold is judged with the temperature of the others; with the mean gain g
of its log loss over the folds and s the corrected standard error of g, it is applied where

    g > s  and  g > .005 times the log loss                                                                          (1)
"""

from typing import Any

import numpy as np

from novum.evaluation.resampling.corrected_t import variance_of_mean
from novum.evaluation.temperature import TemperatureScaledClassifier, at_temperature, best_temperature
from novum.study.scoring.measures import log_losses, mean

__all__ = ["helpful_temperature", "tempered"]

LEAST_GAIN = 0.005


def helpful_temperature(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]], ratio: float) -> float:
    """Return the temperature of all folds where (1) holds, else 1.

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


def tempered(model: Any, temperature: float) -> Any:
    """Return a fitted classifier of a study at a temperature: a pipeline whose last step has it, or a mean of several."""
    from sklearn.pipeline import Pipeline

    from novum.study.comparison.blend import Blend

    if temperature == 1.0:
        return model
    if isinstance(model, Blend):
        return Blend(model.estimators, model.weights, temperature)
    *before, (name, last) = model.steps
    return Pipeline([*before, (name, TemperatureScaledClassifier.from_fitted(last, temperature))])
