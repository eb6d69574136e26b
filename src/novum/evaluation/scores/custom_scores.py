"""Scores of the user's own, or of scikit-learn, on predictions that are already there; intervals by the BCa bootstrap over rows.

A scorer of scikit-learn calls a model for predictions of X. Here the model has recorded them: X is the number of a row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils.metaestimators import available_if

from novum.base.sklearn_base import BaseEstimator
from novum.evaluation.intervals.bootstrap_intervals import interval_from, jackknife_groups
from novum.evaluation.scores.evaluation_result import Score
from novum.evaluation.scores.prediction_input import PredictionInput
from novum.evaluation.scores.settings import Settings
from novum.evaluation.scores.statistics import resample_rows
from novum.exceptions import ParameterError

__all__ = ["Recorded", "own_scores", "row_bootstrap"]


class Recorded(BaseEstimator):
    """A fitted model that only knows the rows it has predicted; X is a column of row numbers."""

    classes_: Any

    def __init__(self, kind: str = "regressor", labels: Any = None, proba: Any = None, score: Any = None) -> None:
        self.kind, self.labels, self.proba, self.score_ = kind, labels, proba, score
        self.n_features_in_ = 1

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = self.kind
        tags.classifier_tags = ClassifierTags() if self.kind == "classifier" else None
        tags.regressor_tags = RegressorTags() if self.kind == "regressor" else None
        return tags

    @available_if(lambda self: self.labels is not None)
    def predict(self, X: Any) -> Any:
        """Return what was predicted for these rows."""
        return self.labels[np.asarray(X)[:, 0]]

    @available_if(lambda self: self.proba is not None)
    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities recorded."""
        return self.proba[np.asarray(X)[:, 0]]

    @available_if(lambda self: self.score_ is not None)
    def decision_function(self, X: Any) -> Any:
        """Return the scores recorded."""
        return self.score_[np.asarray(X)[:, 0]]


def row_bootstrap(of_rows: Callable[[NDArray], float], n: int, settings: Settings) -> Score:
    """Return a statistic of some rows with its BCa interval; a resample in which it fails does not count."""

    def careful(rows: NDArray) -> float:
        try:
            return float(of_rows(rows))
        except (ValueError, ZeroDivisionError, FloatingPointError):
            return float("nan")

    value = float(of_rows(np.arange(n)))
    with np.errstate(all="ignore"):
        replicates = np.array([careful(resample_rows(n, r, settings.seed)) for r in range(settings.n_resamples)])
        group, k = jackknife_groups(n, settings.seed)
        jackknife = np.array([careful(np.flatnonzero(group != g)) for g in range(k)])
    return Score(value, *interval_from(value, replicates, settings.level, "bca", jackknife), "bca")


def own_scores(name: str, function: Any, given: PredictionInput, settings: Settings, known: tuple[str, ...]) -> Score:
    """Return a score by a function of (y, y_pred), by a scorer, or by the name of one of scikit-learn's."""
    labels: Any = given.classes
    truth, predicted = given.truth, given.predicted
    if labels is not None:
        truth, predicted = labels[truth], None if predicted is None else labels[predicted]
    elif truth.shape[1] == 1:
        truth, predicted = truth[:, 0], None if predicted is None else predicted[:, 0]
    if function is None and name not in get_scorer_names():
        raise ParameterError(
            f"evaluate_predictions(scoring={name!r}): not among {', '.join(known)}, nor a scorer of scikit-learn"
            f" (sklearn.metrics.get_scorer_names()), or these predictions do not have it. Give a function of (y, y_pred)."
        )
    scorer = get_scorer(name) if function is None else function
    weight = given.weight
    extra = (lambda rows: {}) if weight is None else (lambda rows: {"sample_weight": weight[rows]})
    if function is None or hasattr(scorer, "_score_func"):
        model = Recorded("regressor" if labels is None else "classifier", predicted, given.proba, given.score)
        if labels is not None:
            model.classes_ = labels
        try:
            scorer(model, np.arange(given.n)[:, None], truth, **extra(np.arange(given.n)))
        except AttributeError as problem:
            remedy = "y_pred, the labels" if predicted is None else "y_proba or y_score"
            raise ParameterError(
                f"evaluate_predictions(scoring={name!r}): these predictions do not have what it needs; give {remedy}."
            ) from problem
        return row_bootstrap(lambda rows: scorer(model, rows[:, None], truth[rows], **extra(rows)), given.n, settings)
    if predicted is None:
        raise ParameterError(f"evaluate_predictions(scoring={name!r}): a function of (y, y_pred) needs y_pred.")
    value = scorer(truth, predicted, **extra(np.arange(given.n)))
    if np.ndim(value) or not isinstance(value, int | float | np.number | np.bool_):
        raise ParameterError(
            f"evaluate_predictions(scoring={name!r}): the function must return a number; got {type(value).__name__}."
        )
    return row_bootstrap(lambda rows: scorer(truth[rows], predicted[rows], **extra(rows)), given.n, settings)
