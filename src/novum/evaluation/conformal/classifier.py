r"""Sets of classes that hold the true one with a probability of at least `level`, around any classifier with probabilities.

The score of a class y at a row x with probabilities p is, by method:

    split      s(x, y) = 1 - p_y                                                                                  (1)
    adaptive   s(x, y) = sum of p_k over the classes k with p_k > p_y, plus half of that over p_k = p_y           (2)
    set        {y: s(x, y) <= q},   q the quantile (1) of novum.evaluation.conformal.base of the calibration scores   (3)

(1) gives the smallest sets on average, possibly none of the classes; (2) gives sets that grow where a row is hard: it is the
score of Romano, Sesia and Candes (2020) with their random share of p_y replaced by its mean, so that sets do not depend on chance
and the guarantee still holds. With `class_conditional` every class y has its own q_y from the calibration rows of that class, so
that each class is covered at the level, not only the classes on average. A class without calibration rows is in every set.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.device_forms import check_rows_on_device, is_elsewhere
from novum.base.domains import Bool, Choice, Domain, Methods, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.evaluation.conformal.base import ConformalEstimator, conformal_quantile
from novum.exceptions import DataError, ParameterError
from novum.fold.batch_results import of_results
from novum.runtime import sklearn_private
from novum.runtime.typing import Fittable, Rows, Seed, Target

__all__ = ["ConformalClassifier"]

ROUNDING = 1e-12  # of sums of probabilities: equal scores must compare as equal


def class_scores(proba: NDArray, method: str) -> NDArray:
    """Return (1) or (2) for every row and class."""
    p = np.asarray(proba, np.float64)
    if method == "split":
        return 1 - p
    order = np.argsort(-p, axis=1, kind="stable")
    sorted_p = np.take_along_axis(p, order, axis=1)
    through = np.cumsum(sorted_p, axis=1)
    before = through - sorted_p
    # classes of equal probability share the mass before the first and up to the last of them
    for j in range(1, p.shape[1]):
        tied = sorted_p[:, j] == sorted_p[:, j - 1]
        before[tied, j] = before[tied, j - 1]
    for j in range(p.shape[1] - 2, -1, -1):
        tied = sorted_p[:, j] == sorted_p[:, j + 1]
        through[tied, j] = through[tied, j + 1]
    scores = np.empty_like(p)
    np.put_along_axis(scores, order, (before + through) / 2, axis=1)
    return scores


class ConformalClassifier(ClassifierMixin, ConformalEstimator):
    """Prediction sets with guaranteed coverage around any classifier.

    Parameters
    ----------
    estimator : classifier, default=None
        With `predict_proba`; None is `GaussianNB`.
    method : {"adaptive", "split"}, default="adaptive"
        "adaptive" orders classes by probability and grows the set where a row is hard; "split" takes all classes above one
        probability: the smallest sets on average, possibly empty.
    class_conditional : bool, default=False
        Whether every class is to be covered at the level by itself.
    level : float, default=0.9
        Probability that the set of a new row holds its class.
    calibration_size : float, default=0.25
        Share of the rows set aside for calibration; the classifier is fitted to the others.
    fitted : bool, default=False
        Whether `estimator` is fitted already: then all rows given to `fit` calibrate, and it must not have seen them.
    random_state : default=None
        Which rows are set aside.

    Attributes
    ----------
    estimator_ : classifier
    classes_ : ndarray of shape (n_classes,)
    scores_ : ndarray
        Calibration scores, sorted.
    score_classes_ : ndarray
        The class of each of them, as its place in `classes_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.evaluation import ConformalClassifier
    >>> from novum.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(GaussianNB(), level=0.95, random_state=0).fit(X, y)
    >>> model.predict_set(X[[0, 70, 133]])
    array([[ True, False, False],
           [False,  True,  True],
           [False,  True,  True]])
    """

    _domains: dict[str, Domain] = {
        "estimator": Methods("fit", "predict_proba") | Null(),
        "method": Choice("adaptive", "split"),
        "class_conditional": Bool(),
        "level": Real(0.5, 1, open="high"),
        "calibration_size": Real(0, 1, open="both"),
        "fitted": Bool(),
        "random_state": RandomState(),
    }
    estimator_: Any
    classes_: np.ndarray
    scores_: np.ndarray
    score_classes_: np.ndarray

    def __init__(
        self,
        estimator: Fittable | None = None,
        *,
        method: Literal["adaptive", "split"] = "adaptive",
        class_conditional: bool = False,
        level: float = 0.9,
        calibration_size: float = 0.25,
        fitted: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.class_conditional = class_conditional
        self.level = level
        self.calibration_size = calibration_size
        self.fitted = fitted
        self.random_state = random_state

    def _default(self) -> Any:
        from novum.naive_bayes import GaussianNB

        return GaussianNB()

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Fit the classifier and calibrate it.

        Parameters
        ----------
        X : what the classifier takes
        y : array-like of shape (n_samples,)
            Labels.
        """
        X, labels = self._open(X, y, "classes")
        rows, aside = self._set_aside(len(labels))
        model = self._fitted_model(X, labels, rows)
        known = getattr(model, "classes_", np.unique(labels))
        classes = known if self.fitted else np.unique(labels)
        if self.fitted and not np.isin(labels, classes).all():
            raise DataError(f"ConformalClassifier: y holds labels that the fitted estimator does not know: {classes}.")
        self.estimator_, self.classes_ = model, classes
        code = np.searchsorted(classes, labels[aside])
        if len(aside):
            proba = self._padded(model.predict_proba(sklearn_private.take_rows(X, aside)))
            own = class_scores(proba, self.method)[np.arange(len(aside)), code]
        else:
            own = np.empty(0)
        order = np.argsort(own, kind="stable")
        self.scores_, self.score_classes_ = own[order], code[order]
        return self

    def _padded(self, proba: Any) -> NDArray:
        """Return probabilities of all classes: one that only calibration rows have gets zero."""
        proba = np.asarray(proba)
        if proba.shape[1] == len(self.classes_):
            return proba
        full = np.zeros((len(proba), len(self.classes_)), proba.dtype)
        full[:, np.searchsorted(self.classes_, self.estimator_.classes_)] = proba
        return full

    def predict_proba(self, X: Rows) -> Any:
        """Return the probabilities of the classifier."""
        check_is_fitted(self)
        check_rows_on_device(self, is_elsewhere(X))
        model = self.estimator_
        return of_results(self._padded, self._in_own_name(model, lambda: model.predict_proba(X)))

    def predict(self, X: Rows) -> Any:
        """Return the class that the classifier predicts."""
        check_is_fitted(self)
        check_rows_on_device(self, is_elsewhere(X))
        model = self.estimator_
        return self._in_own_name(model, lambda: model.predict(X))

    def thresholds(self, level: float | None = None) -> Any:
        """Return the largest score that a class of a set may have, by class, at the level given or the estimator's."""
        check_is_fitted(self)
        level = self._level("thresholds", level)
        if not self.class_conditional:
            return np.full(len(self.classes_), conformal_quantile(self.scores_, level))
        own = (self.scores_[self.score_classes_ == k] for k in range(len(self.classes_)))
        return np.array([conformal_quantile(scores, level) for scores in own])

    def predict_set(self, X: Rows, level: float | None = None) -> Any:
        """Return which classes the set of every row holds.

        Parameters
        ----------
        X : what the classifier takes
        level : float, default=None
            Another level than that of the estimator; no refitting is needed.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes)
            Columns in the order of `classes_`.
        """
        scores = class_scores(self.predict_proba(X), self.method)
        return scores <= self.thresholds(level) + ROUNDING

    def coverage(self, X: Rows, y: Target, level: float | None = None) -> Any:
        """Return the share of rows whose set holds their class, and the mean size of a set.

        Parameters
        ----------
        X, y
            Rows that took no part in `fit`.
        level : float, default=None

        Returns
        -------
        (float, float)
        """
        sets, labels = self.predict_set(X, level), np.asarray(y)
        if len(labels) != len(sets):
            raise ParameterError(f"ConformalClassifier.coverage: {len(sets)} rows and {len(labels)} labels.")
        place = np.searchsorted(self.classes_, labels).clip(0, len(self.classes_) - 1)
        inside = sets[np.arange(len(labels)), place] & (self.classes_[place] == labels)
        return float(inside.mean()), float(sets.sum(axis=1).mean())
