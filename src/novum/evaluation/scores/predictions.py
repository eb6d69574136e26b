r"""The usual scores of predictions, each with an interval.

What is computed and how it is bounded:

    shares of independent rows (accuracy, precision, recall, ...)     Wilson or Clopper-Pearson (intervals.proportion)
    area under the ROC curve of two classes                           DeLong on the logit scale (novum.evaluation.intervals.area)
    everything else                                                   BCa bootstrap (novum.evaluation.intervals.bootstrap_intervals)

Formulas: novum.evaluation.scores.confusion, probabilities, regression. Intervals are about the model as it is fitted: how its
score would vary over test samples of this size, not over training samples (for those: `cross_validate`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from novum.evaluation.scores.evaluation_result import Evaluation
from novum.evaluation.scores.prediction_input import (
    PredictionInput,
    classification_given,
    guessed_task,
    regression_given,
)
from novum.evaluation.scores.settings import Settings
from novum.evaluation.scores.with_intervals import classification_scores, regression_scores
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Fittable, Label, Numbers, Rows, RowWeights, Seed, Target

__all__ = ["evaluate", "evaluate_predictions"]

MANY_NUMBERS = 10  # whole numbers in y that are more than the digits are perhaps counts


def values_in_memory(values: Any) -> Any:
    """Return values of any home in memory: of a lazy array, an iterator over batches, a tensor."""
    if hasattr(values, "compute"):
        values = values.compute()
    if hasattr(values, "__next__"):
        values = np.concatenate([np.asarray(part) for part in values])
    return arrays.to_numpy(values) if arrays.is_tensor(values) else values


def evaluate(model: Fittable, X: Rows, y: Target, **options: Any) -> Evaluation:
    r"""Return the usual scores of a fitted model on rows it has not seen, each with an interval.

    Parameters
    ----------
    model : fitted classifier or regressor
        Of novum, scikit-learn or alike: `predict`, and `predict_proba` or `decision_function` where it has them.
    X : what the model takes
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
    **options
        Those of `evaluate_predictions` but the predictions: sample_weight, scoring, level, pos_label, cost, k, ...

    Returns
    -------
    Evaluation
        Prints as a table; `evaluation["accuracy"]` is (value, lower, upper, method).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from novum.evaluation import evaluate
    >>> from novum.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, new, y, truth = train_test_split(X, y, random_state=0, stratify=y)
    >>> evaluate(GaussianNB().fit(X, y), new, truth, scoring=["accuracy", "recall", "roc_auc"])
    Evaluation of 143 rows, 2 classes, positive: 1
                classification   95 % interval
      accuracy            .923    .868 - .957    Wilson
      recall              .933    .862 - .969    Wilson
      roc auc             .976    .941 - .990    DeLong
    <BLANKLINE>
      truth \ predicted   0   1
      0                  48   5
      1                   6  84
    """
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise ParameterError(f"evaluate(model={model!r}): give a fitted classifier or regressor.")
    classify = is_classifier(model)
    given: dict[str, Any] = {"y_pred": values_in_memory(model.predict(X))}
    if classify:
        given["classes"] = getattr(model, "classes_", None)
        for method, name in (("predict_proba", "y_proba"), ("decision_function", "y_score")):
            if hasattr(model, method):
                given[name] = values_in_memory(getattr(model, method)(X))
                break
    elif hasattr(model, "predict_distribution"):
        given["log_density"] = np.asarray(model.predict_distribution(X).log_prob(np.asarray(values_in_memory(y))))
    for name in (*given, "task"):
        if name in options and name != "classes":
            raise ParameterError(f"evaluate({name}=...): the model gives this; see evaluate_predictions.")
    task = "classification" if classify else "regression"
    return evaluate_predictions(values_in_memory(y), **{**given, **options}, task=task)


def evaluate_predictions(
    y: Target,
    y_pred: Numbers | None = None,
    *,
    y_proba: Numbers | None = None,
    y_score: Numbers | None = None,
    classes: Numbers | None = None,
    sample_weight: RowWeights = None,
    scoring: str | Sequence | dict[str, Callable] | None = None,
    task: str | None = None,
    pos_label: Label | None = None,
    beta: float = 1.0,
    cost: Numbers | None = None,
    k: int | Sequence[int] | None = None,
    log_density: Numbers | None = None,
    zero_division: float = 0.0,
    n_bins: int = 10,
    proportion: str = "wilson",
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: Seed = 0,
) -> Evaluation:
    """Return the usual scores of predictions, each with an interval.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Truth.
    y_pred : array-like of the shape of y, default=None
        Predicted labels or numbers; None takes the class of the largest probability, or of the largest of several scores. One
        column of scores has no threshold of its own: scores of labels then need y_pred.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,), default=None
        Probabilities of the classes in the order of `classes`; one column is that of the positive class.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores that grow with the probability of the positive class, or of each class, where there are no probabilities.
    classes : array-like of shape (n_classes,), default=None
        Order of the columns; None takes the sorted labels of y and y_pred.
    sample_weight : array-like of shape (n_samples,), default=None
    scoring : list, str, dict or None, default=None
        Names as they are printed (with underscores), names of scikit-learn's scorers, or functions of (y, y_pred), by name in
        a dict; None gives all that are printed. Others than these get a bootstrap interval.
    task : {"classification", "regression"}, default=None
        None guesses: labels, probabilities or whole numbers in both make a classification.
    pos_label : label, default=None
        The positive class of two; None takes the second.
    beta : float, default=1.0
        Of the F score: how much more recall matters than precision.
    cost : array-like of shape (n_classes, n_classes), default=None
        Cost of predicting the class of the column where that of the row is true; adds the score "cost".
    k : int or list of int, default=None
        Adds "precision_at_k": share of positives among the k largest scores, ties at the border counted in proportion.
    log_density : array-like of shape (n_samples,), default=None
        Log-density of every target under the model; adds "log_likelihood" to a regression.
    zero_division : float, default=0.0
        Value of a ratio of nothing to nothing, such as the precision where nothing is predicted positive; its interval is
        [0, 1].
    n_bins : int, default=10
        Bins of equal width of the calibration error.
    proportion : {"wilson", "clopper_pearson"}, default="wilson"
        Interval of shares. With weights both use the effective number of rows.
    level : float, default=0.95
    n_resamples : int, default=2000
        Of the bootstrap.
    random_state : default=0
        Of the bootstrap.

    Notes
    -----
    How often the 95 % intervals hold the truth was measured (docs/theory/coverage_of_intervals.md): Wilson 92.7-98 % where two
    of either outcome are expected, DeLong 93-97.5 % of normal scores from 20 + 20 rows on, BCa 92.6-96.4 % from 100 rows on
    unless the model is nearly perfect, a class is small or errors have outliers. Where they were measured to fall below that, a
    DataWarning says so and `notes` repeats it. The calibration error is positive even for a
    perfect model, so its interval is about the value that samples of this size give, not about zero.

    Examples
    --------
    >>> import warnings
    >>> from novum.evaluation import evaluate_predictions
    >>> warnings.simplefilter("ignore")  # that intervals of four rows hold little
    >>> found = evaluate_predictions([3, -0.5, 2, 7.0], [2.5, 0, 2, 8])
    >>> round(found["rmse"].value, 6), round(found["pearson"].value, 6)
    (0.612372, 0.98487)
    """
    settings = Settings.checked(
        "evaluate_predictions",
        scoring=scoring,
        beta=beta,
        zero_division=zero_division,
        n_bins=n_bins,
        proportion=proportion,
        level=level,
        n_resamples=n_resamples,
        random_state=random_state,
        k=k,
    )
    if y_pred is None and y_proba is None and y_score is None:
        raise DataError("evaluate_predictions: give y_pred, y_proba or y_score.")
    guessed = task is None
    task = task or guessed_task(y, y_pred, y_proba, y_score)
    if task == "regression":
        given: PredictionInput = regression_given(y, y_pred, sample_weight, log_density)
        return regression_scores(given, settings)
    if task != "classification":
        raise ParameterError(f"evaluate_predictions(task={task!r}): task must be 'classification' or 'regression'.")
    given = classification_given(
        y,
        y_pred=y_pred,
        y_proba=y_proba,
        y_score=y_score,
        classes=classes,
        sample_weight=sample_weight,
        pos_label=pos_label,
        cost=cost,
    )
    known: Any = given.classes
    if guessed and len(known) > MANY_NUMBERS and known.dtype.kind in "iuf" and y_proba is None and y_score is None:
        note = f"whole numbers were taken for labels of {len(known)} classes; for counts give task='regression'"
        given = replace(given, notes=(*given.notes, note))
    return classification_scores(given, settings)
