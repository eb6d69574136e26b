r"""Bayesian model averaging: one of the models made all the data, and which one it was stays uncertain.

    p(M_k | D) = p(M_k) p(D | M_k) / sum_j p(M_j) p(D | M_j)                                       (1)
    p(t | x, D) = sum_k p(M_k | D) p(t | x, M_k, D)                                                (2)

The evidence p(D | M_k) is the model's own where it knows it (`log_evidence_`). Else

    log p(D | M_k) ~ log p(D | theta_k) - (P_k / 2) log n            Schwarz's approximation       (3)
    log p(D | M_k) ~ sum over folds of log p(fold | M_k, other folds)                              (4)

with P_k parameters; numbers without a distribution of their own get a normal one with the variance of the residuals. A
mixture of experts lets every row choose its model; here all rows have the same one, so with more data (1) settles on one.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import clone, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from novum.base.domains import ArrayLike, Choice, Domain, Function, Int, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.intervals import check_interval, mixture_interval
from novum.base.sklearn_base import BaseComposition
from novum.base.validation import home_of, rows_at_hand
from novum.exceptions import DataError, ParameterError
from novum.fold.batch_results import of_results
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["BayesianModelAveraging"]


def last_step(model: Any) -> Any:
    """Return the learner at the end of a pipeline."""
    return model[-1] if isinstance(model, Pipeline) else model


def parameter_count(name: str, model: Any) -> int:
    """Return P of (3): as the model counts it, or the size of its coefficients; a variance more for numbers."""
    learner = last_step(model)
    if callable(getattr(learner, "parameter_count", None)):
        return int(learner.parameter_count())
    if hasattr(learner, "coef_"):
        size = np.size(learner.coef_) + np.size(getattr(learner, "intercept_", ()))
        return int(size) + (not is_classifier(learner))
    raise ParameterError(
        f"BayesianModelAveraging: the parameters of {name!r} ({type(learner).__name__}) cannot be counted; use"
        " evidence='cv', or give a function."
    )


def log_likelihood(model: Any, X: Any, y: NDArray, variance: float | None = None) -> float:
    """Return log p(y | X, model); a regressor without a standard deviation gets `variance`, or that of its residuals."""
    if is_classifier(model):
        proba = arrays.to_numpy(model.predict_proba(X))
        place = np.searchsorted(model.classes_, y)
        known = np.isin(y, model.classes_)
        with np.errstate(divide="ignore"):
            return float(np.log(np.where(known, proba[np.arange(len(y)), np.where(known, place, 0)], 0.0)).sum())
    residual = y - arrays.to_numpy(model.predict(X))
    noise = float(np.mean(residual**2)) if variance is None else variance
    noise = max(noise, float(np.finfo(np.float64).tiny))
    return float(-0.5 * (residual @ residual / noise + len(y) * np.log(2 * np.pi * noise)))


def in_home_of(X: Any, values: NDArray) -> Any:
    """Return an answer in the library and on the device of X."""
    return (
        arrays.like(X, values, str(values.dtype)) if arrays.is_tensor(X) and isinstance(values, np.ndarray) else values
    )


def own_evidence(model: Any) -> float | None:
    """Return the log evidence that a model knows of itself."""
    value = getattr(last_step(model), "log_evidence_", None)
    return float(value) if isinstance(value, int | float | np.floating) else None


def schwarz(name: str, model: Any, X: Any, y: NDArray) -> float:
    """Return (3)."""
    return log_likelihood(model, X, y) - 0.5 * parameter_count(name, model) * np.log(len(y))


def held_out(prototype: Any, X: Any, y: NDArray, cv: Any) -> float:
    """Return (4)."""
    total, rows = 0.0, np.arange(len(y))
    for learn, judge in check_cv(cv, y, classifier=is_classifier(prototype)).split(rows, y):
        model = clone(prototype).fit(take(X, learn), y[learn])
        variance = None if is_classifier(model) else float(np.mean((y[learn] - model.predict(take(X, learn))) ** 2))
        total += log_likelihood(model, take(X, judge), y[judge], variance)
    return total


def call_in_own_name(method: Callable, model: Any, *args: Any, **options: Any) -> Any:
    """Return what a method of a model returns; its errors speak of the whole instead of the model."""
    try:
        return method(*args, **options)
    except ValueError as error:
        raise type(error)(str(error).replace(type(model).__name__, "BayesianModelAveraging")) from error


def weighted_sum(share: NDArray, parts: Sequence[Any]) -> Any:
    """Return the mean of what all models say, by their shares, where they say it."""
    if arrays.is_tensor(parts[0]):
        return sum(float(one) * part for one, part in zip(share, parts))
    each = np.array([arrays.to_numpy(part) for part in parts])
    return np.asarray(np.tensordot(share.astype(each.dtype), each, axes=1))


def take(X: Any, rows: NDArray) -> Any:
    """Return rows of an array, a frame or a sparse matrix."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


class BayesianModelAveraging(BaseComposition, Estimator):
    """Average over models by the probability that each made the data.

    Parameters
    ----------
    estimators : list of (str, estimator), default=None
        Classifiers with `predict_proba`, or regressors. None: least squares and its Bayesian form. `set_params` reaches a
        model by its name, and its parameters as `name__parameter`.
    prior : array-like of shape (n_estimators,), default=None
        Probabilities of the models before the data; None: equal.
    evidence : {"auto", "bic", "cv"} or callable, default="auto"
        "auto": the model's own `log_evidence_`, where all have one, else "bic". "bic": (3). "cv": (4). A function of
        (fitted model, X, y) returns a log evidence.
    cv : int, default=5
        Folds of (4).

    Attributes
    ----------
    estimators_ : list of fitted estimators
    names_ : list of str
    log_evidence_each_ : array of shape (n_estimators,)
    probability_ : array of shape (n_estimators,)
        Posterior (1).
    log_evidence_ : float
        Of the whole: log sum_k p(M_k) p(D | M_k).
    classes_ : array of shape (n_classes,)
        Of classifiers.
    n_features_in_, feature_names_in_
        As the models have them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from novum.ensemble import BayesianModelAveraging
    >>> from novum.linear_model import LinearRegression
    >>> x = np.linspace(-1, 1, 30)[:, None]
    >>> t = x[:, 0] ** 2 + 0.1 * np.random.default_rng(0).normal(size=30)
    >>> orders = [(str(k), make_pipeline(PolynomialFeatures(k, include_bias=False), LinearRegression())) for k in (1, 2, 3)]
    >>> model = BayesianModelAveraging(orders).fit(x, t)
    >>> model.best, bool(model.probability_[0] < 1e-6)
    ('2', True)
    """

    _domains: dict[str, Domain] = {
        "estimators": ArrayLike() | Null(),
        "prior": ArrayLike() | Null(),
        "evidence": Choice("auto", "bic", "cv") | Function(),
        "cv": Int(2),
    }
    estimators_: list[Any]
    names_: list[str]
    log_evidence_each_: np.ndarray
    probability_: np.ndarray
    log_evidence_: float
    classes_: np.ndarray

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        prior: Numbers | None = None,
        evidence: Literal["auto", "bic", "cv"] | Callable[..., Any] = "auto",
        cv: int = 5,
    ) -> None:
        self.estimators = estimators
        self.prior = prior
        self.evidence = evidence
        self.cv = cv

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; `deep` those of the models too, as `name__parameter`, and the models by their names."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, whole models by name, or parameters of a model as `name__parameter`."""
        self._set_params("estimators", **params)
        return self

    def _pairs(self) -> list[tuple[str, Any]]:
        if self.estimators is not None:
            return [(str(name), model) for name, model in self.estimators]
        from novum.linear_model import BayesianRidge, LinearRegression

        return [("least squares", LinearRegression()), ("Bayesian ridge", BayesianRidge())]

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Fit every model, and weigh it.

        Parameters
        ----------
        X : as the models take it
        y : array-like of shape (n_samples,)
        """
        pairs = self._pairs()
        kinds = {is_classifier(model) for _, model in pairs}
        if len(kinds) != 1 or len({name for name, _ in pairs}) != len(pairs):
            raise ParameterError(
                "BayesianModelAveraging(estimators=...): give one or more models under different names, all classifiers or"
                f" all regressors; got {[name for name, _ in pairs]}."
            )
        prior = np.full(len(pairs), 1 / len(pairs)) if self.prior is None else np.asarray(self.prior, np.float64)
        if prior.shape != (len(pairs),) or not (prior >= 0).all() or not np.isclose(prior.sum(), 1):
            raise ParameterError(
                f"BayesianModelAveraging(prior={self.prior!r}): give {len(pairs)} probabilities that add up to one."
            )
        if home_of(X) == "file":
            rows_at_hand(self, X, "BayesianModelAveraging weighs its models on all rows at once")
        if y is None:
            raise DataError("BayesianModelAveraging requires y to be passed, but the target y is None.")
        y = column_or_1d(arrays.to_numpy(y) if arrays.is_tensor(y) else y, warn=True)
        self.names_ = [name for name, _ in pairs]
        self.estimators_ = [call_in_own_name(clone(model).fit, model, X, y) for _, model in pairs]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))
        if kinds == {True}:
            self.classes_ = self.estimators_[0].classes_
        values = self._evidences(pairs, X, y)
        with np.errstate(divide="ignore"):
            joint = np.log(prior) + values
        self.log_evidence_each_, self.log_evidence_ = values, float(logsumexp(joint))
        self.probability_ = np.exp(joint - self.log_evidence_)
        return self

    def _evidences(self, pairs: list[tuple[str, Any]], X: Any, y: NDArray) -> NDArray:
        """Return the log evidence of every model."""
        if callable(self.evidence):
            values = [self.evidence(model, X, y) for model in self.estimators_]
        elif self.evidence == "cv":
            values = [held_out(prototype, X, y, self.cv) for _, prototype in pairs]
        else:
            own = [own_evidence(model) for model in self.estimators_]
            approximate = self.evidence == "bic" or None in own
            values = [schwarz(*pair, X, y) for pair in zip(self.names_, self.estimators_)] if approximate else own
        found = np.array(values, dtype=np.float64)
        if np.isnan(found).any():
            name = self.names_[int(np.isnan(found).argmax())]
            raise DataError(f"BayesianModelAveraging: the log evidence of {name!r} is not a number.")
        return found

    @property
    def best(self) -> str:
        """Name of the most probable model."""
        check_is_fitted(self)
        return self.names_[int(self.probability_.argmax())]

    def _plausible(self) -> list[tuple[float, Any]]:
        check_is_fitted(self)
        return [(p, model) for p, model in zip(self.probability_, self.estimators_) if p > 0]

    def predict(self, X: Rows, return_std: bool = False, *, interval: str | None = None, level: float = 0.95) -> Any:
        """Return the mean of (2), or its most probable class.

            p(t | x, D) = sum_k p(M_k | D) p(t | x, M_k, D)    (2)

        Parameters
        ----------
        X : as the models take it
        return_std : bool, default=False
            Whether to return the standard deviation of (2) as well; the models' `predict` then takes it.
        interval : {None, "confidence", "prediction"}, default=None
            "prediction": quantiles of (2), for models with a normal distribution each; the answer is IntervalPrediction.
        level : float, default=0.95
            Of the interval.
        """
        if interval is not None:
            check_interval("BayesianModelAveraging.predict", interval, level, ("prediction",), std=return_std)
            if hasattr(self, "classes_"):
                raise ParameterError("BayesianModelAveraging.predict(interval=...): classes have no intervals.")
        if hasattr(self, "classes_"):
            return of_results(lambda p: self._labels(X, p), self._probabilities(X))
        plausible = self._plausible()
        share = np.array([p for p, _ in plausible])
        if not return_std and interval is None:
            each = [call_in_own_name(model.predict, model, X) for _, model in plausible]
            return of_results(lambda *means: in_home_of(X, weighted_sum(share, means)), *each)
        pairs = [call_in_own_name(model.predict, model, X, return_std=True) for _, model in plausible]
        both = np.array([[arrays.to_numpy(part) for part in pair] for pair in pairs])  # (models, 2, rows)
        share = share.astype(both.dtype)
        mean = share @ both[:, 0]
        if interval is not None:
            return mixture_interval(mean, share, both[:, 0].T, both[:, 1].T, level)
        deviation = np.sqrt(share @ (both[:, 1] ** 2 + (both[:, 0] - mean) ** 2))
        return in_home_of(X, mean), in_home_of(X, deviation)

    @available_if(lambda self: is_classifier(self))
    def predict_proba(self, X: Rows) -> Any:
        """Return (2) for every class.

        p(t | x, D) = sum_k p(M_k | D) p(t | x, M_k, D)    (2)
        """
        return of_results(lambda p: in_home_of(X, p), self._probabilities(X))

    def _probabilities(self, X: Any) -> Any:
        plausible = self._plausible()
        share = np.array([p for p, _ in plausible])
        each = [call_in_own_name(model.predict_proba, model, X) for _, model in plausible]
        return of_results(lambda *parts: weighted_sum(share, parts), *each)

    def _labels(self, X: Any, probabilities: NDArray) -> Any:
        """Return the most probable classes."""
        labels = self.classes_[probabilities.argmax(axis=1)]
        return in_home_of(X, labels) if labels.dtype.kind in "fiub" else labels

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return R^2 of the mean, or the accuracy of the classes."""
        metric = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(metric(arrays.to_numpy(y), arrays.to_numpy(self.predict(X)), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self._pairs()[0][1].__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags.required = True
        return tags
