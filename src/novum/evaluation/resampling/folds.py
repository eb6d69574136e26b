"""The folds of a cross-validation: each fitted and scored by scikit-learn's own function, failures kept by name.

Leave-one-out of a model that has it in closed form (`leave_one_out_predict`) takes one fit: the score of a fold is that of
one row predicted by the model fitted without it.
"""

import inspect
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils.parallel import Parallel, delayed

from novum.evaluation.scores.custom_scores import Recorded
from novum.report.result import result
from novum.runtime import sklearn_private

__all__ = ["FoldFailure", "is_leave_one_out", "leave_one_out", "run_folds", "single_row_scoring"]

ROW_SCORES = {  # scorers that are minus a mean of one loss per row
    "neg_mean_squared_error": lambda e: -(e**2),
    "neg_root_mean_squared_error": lambda e: -np.abs(e),
    "neg_mean_absolute_error": lambda e: -np.abs(e),
}


@result
class FoldFailure(NamedTuple):
    """A fold whose model could not be fitted or scored."""

    fold: int
    train_rows: int
    test_rows: int
    error: str


def one_fold(estimator: Any, X: Any, y: Any, split: tuple, options: dict) -> dict | str:
    """Return what scikit-learn measures on one fold, or the error."""
    try:
        return model_selection.cross_validate(estimator, X, y, cv=[split], error_score="raise", **options)
    except Exception as error:  # whatever a model raises on these rows is a result to report
        text = str(error).splitlines()[0] if str(error) else ""
        return f"{type(error).__name__}: {text[:200]}"


def run_folds(
    estimator: Any, X: Any, y: Any, splits: list, n_jobs: int | None, options: dict
) -> tuple[dict[str, list], list[FoldFailure]]:
    """Return scikit-learn's entries fold by fold (NaN or None where one failed) and the failures."""
    outcomes = Parallel(n_jobs=n_jobs)(delayed(one_fold)(estimator, X, y, split, options) for split in splits)
    keys = next((list(one) for one in outcomes if isinstance(one, dict)), [])
    found: dict[str, list] = {key: [] for key in keys}
    failures = []
    for number, (outcome, (train, test)) in enumerate(zip(outcomes, splits)):
        if isinstance(outcome, str):
            failures.append(FoldFailure(number, len(train), len(test), outcome))
        for key in keys:
            lost = None if key == "estimator" else float("nan")
            found[key].append(lost if isinstance(outcome, str) else outcome[key][0])
    return found, failures


def is_leave_one_out(cv: Any, n: int) -> bool:
    """Return whether a splitter leaves out one row at a time, in order."""
    if isinstance(cv, model_selection.LeaveOneOut):
        return True
    return isinstance(cv, model_selection.KFold) and cv.n_splits == n and not cv.shuffle


def single_row_scoring(estimator: Any, scoring: Any) -> Any:
    """Return a scoring that exists on single rows: R2, the default of regressors, does not."""
    if scoring is None and not is_classifier(estimator):
        return "neg_mean_squared_error"
    return scoring


def has_closed_form(estimator: Any) -> bool:
    """Return whether a model has leave-one-out predictions that equal refitting: nothing is chosen on all rows first."""
    width = getattr(estimator, "bandwidth", 1.0)
    return hasattr(estimator, "leave_one_out_predict") and not isinstance(width, str) and width is not None


def leave_one_out(estimator: Any, X: Any, y: Any, scoring: Any, params: dict) -> dict[str, NDArray] | None:
    """Return the scores of all rows from one fit, or None where there is no closed form for this model and scoring."""
    single = scoring is None or isinstance(scoring, str) or callable(scoring)
    if not has_closed_form(estimator) or y is None or not single or set(params) - {"sample_weight"}:
        return None
    start = time.perf_counter()
    try:
        model = clone(estimator).fit(X, y, **params)
        takes_rows = "X" in inspect.signature(model.leave_one_out_predict).parameters
        predicted = model.leave_one_out_predict(X, y, **params) if takes_rows else model.leave_one_out_predict()
    except Exception:  # then the folds, one by one, tell which rows make it fail
        return None
    middle = time.perf_counter()
    truth, predicted = np.asarray(y, np.float64), np.asarray(predicted, np.float64)
    if predicted.shape != truth.shape or not np.isfinite(predicted).all():
        return None  # a row that alone decides a coefficient: only refitting can tell
    n = len(truth)
    if isinstance(scoring, str) and scoring in ROW_SCORES:
        score = ROW_SCORES[scoring](truth - predicted)
        score = score if score.ndim == 1 else score.mean(axis=1)
    else:
        scorer = check_scoring(estimator, scoring) if not isinstance(scoring, str) else get_scorer(scoring)
        recorded = Recorded("regressor", predicted)
        score = np.array([scorer(recorded, np.array([[i]]), truth[i : i + 1]) for i in range(n)])
    seconds = middle - start, time.perf_counter() - middle
    return {
        "fit_time": np.broadcast_to(seconds[0] / n, n),  # views of one number: a fold per row is many folds
        "score_time": np.broadcast_to(seconds[1] / n, n),
        "test_score": np.asarray(score, np.float64),
    }


def split_list(cv: Any, X: Any, y: Any, groups: Any) -> list[tuple[NDArray, NDArray]]:
    """Return the splits as a list, made once."""
    return [(np.asarray(a), np.asarray(b)) for a, b in cv.split(X, y, groups)]


def rows(X: Any) -> int:
    """Return the number of rows."""
    return int(sklearn_private.num_samples(X))
