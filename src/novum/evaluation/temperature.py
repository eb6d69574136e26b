r"""One number that brings probabilities nearer to how often they come true: the temperature T of

    p_k(x)^(1/T) / sum_j p_j(x)^(1/T)                                                                                (1)

T > 1 makes a model less sure of itself, T < 1 surer; the order of the classes stays. It is the one of the least log loss on rows
that the model has not seen (Guo, Pleiss, Sun and Weinberger 2017).
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import has_fit_parameter

from novum.base.device_forms import check_fit_on_device, check_rows_on_device, is_elsewhere
from novum.base.domains import Domain, Fittable, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin, MetaEstimatorMixin
from novum.engines.wrapped import in_own_name, open_for_parts, pass_on_tags
from novum.exceptions import DataError, ParameterError
from novum.fold.batch_results import of_results
from novum.report.numbers import counted
from novum.runtime import sklearn_private
from novum.runtime.typing import Numbers, Predictor, Rows, RowWeights, Target

__all__ = ["TemperatureScaledClassifier", "at_temperature", "best_temperature"]

LOWEST, HIGHEST = -1.5, 1.5  # of log T
MOST_ROWS = 5_000  # that it is fitted on
FLOOR = 1e-9  # of a probability in (1)
LEAST_PROBABILITY = 1e-15  # in the logarithm: one confident mistake must not outweigh all rows for ever


def at_temperature(proba: Numbers, temperature: float) -> NDArray:
    """Return probabilities at a temperature.

        p_k^(1/T) / sum_j p_j^(1/T)    (1)

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
    temperature : float
        T; 1 returns them as they are, more makes them less sure.

    Examples
    --------
    >>> from novum.evaluation import at_temperature
    >>> at_temperature([[0.1, 0.9]], 2.0)
    array([[0.25, 0.75]])
    """
    proba = np.asarray(proba)
    if temperature == 1.0:
        return proba
    raw = np.log(np.maximum(proba, FLOOR)) / temperature
    raw = np.exp(raw - raw.max(axis=1, keepdims=True))
    return np.asarray(raw / raw.sum(axis=1, keepdims=True))


def best_temperature(proba: Numbers, truth: Numbers, sample_weight: Numbers | None = None) -> float:
    """Return the temperature of the least log loss, between exp(-1.5) and exp(1.5).

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Of rows that the model was not fitted to.
    truth : array-like of int of shape (n_samples,)
        The numbers of the classes: columns of `proba`.
    sample_weight : array-like of shape (n_samples,), default=None

    Examples
    --------
    A model that says .9 and is right in three of four cases:

    >>> from novum.evaluation import best_temperature
    >>> round(best_temperature([[0.1, 0.9]] * 4, [1, 1, 1, 0]), 2)
    2.0
    """
    proba, truth = np.asarray(proba), np.asarray(truth)
    weight = None if sample_weight is None else np.asarray(sample_weight)
    if len(truth) > MOST_ROWS:
        some = np.linspace(0, len(truth) - 1, MOST_ROWS).astype(np.intp)
        proba, truth, weight = proba[some], truth[some], None if weight is None else weight[some]
    rows = np.arange(len(truth))

    def loss(log_t: float) -> float:
        scaled = at_temperature(proba, float(np.exp(log_t)))
        p = scaled[rows, truth] / scaled.sum(axis=1)
        return float(np.average(-np.log(np.maximum(p, LEAST_PROBABILITY)), weights=weight))

    found = minimize_scalar(loss, bounds=(LOWEST, HIGHEST), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))


class TemperatureScaledClassifier(MetaEstimatorMixin, ClassifierMixin, Estimator):
    """A classifier whose probabilities are brought to a temperature, which makes a model that is too sure of itself less so.

    What it predicts is what the classifier inside predicts.

    Parameters
    ----------
    estimator : classifier, default=None
        With `predict_proba`; None is `GaussianNB`.
    temperature : float, default=None
        None finds the one of the least log loss on predictions out of folds.
    cv : int, default=5
        Folds by which it is found; of a class with fewer rows, as many.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows.
    temperature_ : float
    classes_ : array of shape (n_classes,)

    Examples
    --------
    Naive Bayes takes six copies of a column for six pieces of evidence:

    >>> import numpy as np
    >>> from novum.evaluation import TemperatureScaledClassifier
    >>> from novum.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 600)
    >>> X = np.repeat((y + rng.normal(size=600))[:, None], 6, axis=1)
    >>> model = TemperatureScaledClassifier(GaussianNB()).fit(X, y)
    >>> round(model.temperature_)  # the largest that is tried is 4.48
    4
    """

    _domains: dict[str, Domain] = {
        "estimator": Fittable() | Null(),
        "temperature": Real(0, open="low") | Null(),
        "cv": Int(2),
    }
    estimator_: Any
    temperature_: float
    classes_: np.ndarray

    def __init__(self, estimator: Predictor | None = None, *, temperature: float | None = None, cv: int = 5) -> None:
        self.estimator = estimator
        self.temperature = temperature
        self.cv = cv

    @classmethod
    def from_fitted(cls, estimator: Predictor, temperature: float) -> "TemperatureScaledClassifier":
        """Return a fitted classifier at a temperature, without another fit.

        Parameters
        ----------
        estimator : fitted classifier
        temperature : float
        """
        made = cls(clone(estimator), temperature=temperature)
        made._take(estimator, temperature)
        return made

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from novum.naive_bayes import GaussianNB

        return GaussianNB()

    def _take(self, model: Any, temperature: float) -> None:
        self.estimator_, self.temperature_, self.classes_ = model, float(temperature), model.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the temperature, unless it is given, and fit the classifier to all rows.

        Parameters
        ----------
        X, y : as the classifier takes them
        sample_weight : array-like of shape (n_samples,), default=None
        """
        check_fit_on_device(self, X)
        base = self._base()
        if sample_weight is not None and not has_fit_parameter(base, "sample_weight"):
            raise ParameterError(f"TemperatureScaledClassifier: {type(base).__name__} takes no sample_weight.")
        if not hasattr(base, "predict_proba"):
            raise ParameterError(
                f"TemperatureScaledClassifier(estimator={base!r}): it gives no probabilities; calibrate it by"
                " sklearn.calibration.CalibratedClassifierCV."
            )
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        model = clone(base)
        in_own_name(self, model, lambda: model.fit(X, y, **more))
        temperature = self._found(X, y, sample_weight) if self.temperature is None else self.temperature
        self._take(model, temperature)
        return self

    def _found(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Return the best temperature on predictions out of folds."""
        X, given, weight = open_for_parts(self, X, y, "classes", sample_weight)
        if weight is not None and not (weight > 0).all():
            there = np.flatnonzero(weight > 0)
            X, given, weight = sklearn_private.take_rows(X, there), given[there], weight[there]
        classes, truth, counts = np.unique(given, return_inverse=True, return_counts=True)
        if len(classes) == 1:
            return 1.0
        if counts.min() < 2:
            raise DataError(
                f"TemperatureScaledClassifier: the class {classes[counts.argmin()]!r} has {counted(1, 'row')}, so it is in no"
                " part but one; give `temperature`, or leave the class out."
            )
        proba = np.empty((len(truth), len(classes)))
        for train, test in StratifiedKFold(min(self.cv, int(counts.min()))).split(truth, truth):
            part = clone(self._base())
            more = {} if weight is None else {"sample_weight": weight[train]}
            part.fit(sklearn_private.take_rows(X, train), given[train], **more)
            proba[test] = part.predict_proba(sklearn_private.take_rows(X, test))
        return best_temperature(proba, truth, weight)

    def predict(self, X: Rows) -> Any:
        """Return the classes that the classifier predicts."""
        check_is_fitted(self)
        check_rows_on_device(self, is_elsewhere(X))
        return in_own_name(self, self.estimator_, lambda: self.estimator_.predict(X))

    def predict_proba(self, X: Rows) -> Any:
        """Return the probabilities at the temperature, (1)."""
        check_is_fitted(self)
        check_rows_on_device(self, is_elsewhere(X))
        proba = in_own_name(self, self.estimator_, lambda: self.estimator_.predict_proba(X))
        return of_results(lambda given: at_temperature(given, self.temperature_), proba)

    def __sklearn_tags__(self) -> Any:
        return pass_on_tags(super().__sklearn_tags__(), self._base())
