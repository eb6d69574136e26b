r"""A curve that brings probabilities nearer to how often they come true, where no temperature does.

For every class k the curve g_k never falls. The predictions p_i that were made out of folds are taken in order, in bins of about 20
rows (equal ones stay together); t_b is (the rows of class k + 1/2) / (rows + 1) of a bin, so nothing is impossible or sure, and

    (g_b) = argmin sum_b n_b (t_b - g_b)^2,    g_b <= g_c where bin b is below bin c                                (1)
    p'_k(x) = g_k(p_k(x)) / sum_j g_j(p_j(x))                                                                       (2)

(1) is made of steps, joined by straight lines from the end of one to the beginning of the next. Of two classes the second has a
curve, the first the rest. Rows on a step are no longer told apart, so measures of the order of rows (AUC, average precision) have
no curves.

A curve needs rows: from n = 1,000 on, it is taken where folds, judged by the curves of the others, gain by it what they must gain
by a temperature (novum.study.comparison.calibration), against the temperature that is there.
"""

from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from novum.base.sklearn_base import BaseEstimator, ClassifierMixin
from novum.evaluation.resampling.corrected_t import variance_of_mean
from novum.evaluation.temperature import at_temperature
from novum.study.comparison.calibration import LEAST_GAIN
from novum.study.scoring.measures import log_losses, mean

__all__ = ["Curve", "IsotonicScaled", "along_curves", "curved", "fit_curves", "helpful_curves"]

LEAST_ROWS, BIN = 1_000, 20
Curve = tuple[np.ndarray, np.ndarray]  # probabilities said, in order, and those that are meant
Part = tuple[np.ndarray, np.ndarray, np.ndarray | None]  # probabilities, numbers of the classes, weights of rows


def fit_curve(said: np.ndarray, true: np.ndarray, weight: np.ndarray) -> Curve:
    """Return the curve of one class by (1)."""
    _, first, place = np.unique(np.sort(said), return_index=True, return_inverse=True)
    order = np.argsort(said, kind="stable")
    _, bins = np.unique(first[place] // BIN, return_inverse=True)  # of the rows in order
    rows, sums = np.bincount(bins, weight[order]), np.bincount(bins, (weight * true)[order])
    scale = len(said) / weight.sum()
    found = isotonic_regression((scale * sums + 0.5) / (scale * rows + 1), weights=rows).x
    ends = np.flatnonzero(np.r_[True, np.diff(found[bins]) > 0] | np.r_[np.diff(found[bins]) > 0, True])
    at, kept = np.unique(said[order][ends], return_index=True)
    return at, found[bins][ends][kept]


def fit_curves(part: Part) -> list[Curve]:
    """Return the curves of all classes; of two, that of the second alone."""
    proba, truth, weight = part
    weight = np.ones(len(truth)) if weight is None else np.asarray(weight, dtype=np.float64)
    some = weight > 0
    classes = range(proba.shape[1]) if proba.shape[1] > 2 else (1,)
    return [fit_curve(proba[some, k], (truth[some] == k).astype(np.float64), weight[some]) for k in classes]


def along_curves(proba: np.ndarray, curves: list[Curve]) -> np.ndarray:
    """Return (2)."""
    meant = [np.interp(proba[:, -len(curves) + i], *curve) for i, curve in enumerate(curves)]
    if len(curves) == 1:
        return np.column_stack([1 - meant[0], meant[0]])
    return np.column_stack(meant) / np.sum(meant, axis=0)[:, None]


def joined(parts: list[Part]) -> Part:
    """Return the rows of several folds."""
    weights = [weight for _, _, weight in parts if weight is not None]
    proba, truth = np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    return proba, truth, np.concatenate(weights) if weights else None


def helpful_curves(parts: list[Part], ratio: float, temperature: float = 1.0) -> list[Curve]:
    """Return the curves of all folds where they help, else none.

    Parameters
    ----------
    parts : list of (probabilities, truth, weight)
        By fold.
    ratio : float
        Rows of a test part over those of a training part.
    temperature : float
        That the probabilities have otherwise.
    """
    if len(parts) < 2 or sum(len(truth) for _, truth, _ in parts) < LEAST_ROWS:
        return []
    gains, before = [], []
    for f, (proba, truth, weight) in enumerate(parts):
        curves = fit_curves(joined([part for g, part in enumerate(parts) if g != f]))
        before.append(mean(log_losses(truth, at_temperature(proba, temperature)), weight))
        gains.append(before[-1] - mean(log_losses(truth, along_curves(proba, curves)), weight))
    gain, error = float(np.mean(gains)), float(np.sqrt(variance_of_mean(np.array(gains), ratio)))
    return fit_curves(joined(parts)) if gain > max(error, LEAST_GAIN * float(np.mean(before))) else []


class IsotonicScaled(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose probabilities go along curves.

    Parameters
    ----------
    estimator : fitted classifier with `predict_proba`
    curves : list of (said, meant)
        One for each class; of two classes, that of the second alone.
    """

    def __init__(self, estimator: Any, curves: Any) -> None:
        self.estimator = estimator
        self.curves = curves

    def fit(self, X: Any = None, y: Any = None) -> "IsotonicScaled":
        """Do nothing: the estimator is fitted."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def classes_(self) -> np.ndarray:
        """The classes."""
        return self.estimator.classes_

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable classes."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return (2)."""
        return along_curves(self.estimator.predict_proba(X), self.curves)


def curved(model: Any, curves: list[Curve]) -> Any:
    """Return a fitted pipeline whose last step has its probabilities go along curves; the same where there are none."""
    from sklearn.pipeline import Pipeline

    if not curves:
        return model
    *before, (name, last) = model.steps
    return Pipeline([*before, (name, IsotonicScaled(last, curves))])
