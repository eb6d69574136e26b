"""The penalty of a ridge regression chosen by leave-one-out or by cross-validation: what RidgeCV and RidgeClassifierCV share."""

from typing import Any

import numpy as np
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import GridSearchCV
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Null, Real
from novum.base.estimator import Estimator
from novum.base.sklearn_base import BaseEstimator, ClassifierMixin, RegressorMixin
from novum.base.validation import home_of
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.linear_model.least_squares.leave_one_out import decompose
from novum.linear_model.routing import FOLDS, SplitterRouting, routing_enabled
from novum.runtime.typing import Rows, Target

__all__ = ["FixedScores", "RidgeByValidation", "check_alphas"]


class Predictions(RegressorMixin, BaseEstimator):
    """Stands for a fitted regressor before a scorer: what it predicts is what it is given."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Rows) -> Any:
        """Return X."""
        return X


class FixedScores(ClassifierMixin, Estimator):
    """Stands for a fitted classifier before a scorer: its decision values are what it is given."""

    def __init__(self, classes: Any, multilabel: Any) -> None:
        self.classes, self.multilabel = classes, multilabel
        self.classes_ = classes

    def decision_function(self, X: Rows) -> Any:
        """Return X."""
        return X

    def predict(self, X: Any) -> Any:
        """Return the classes that the decision values X stand for."""
        if self.multilabel:
            return (X > 0).astype(int)
        return self.classes_[(X > 0).astype(int) if X.ndim == 1 else X.argmax(axis=1)]


def check_alphas(alphas: Any, name: str, positive: bool) -> np.ndarray:
    """Return the penalties as an array after a check of each, in scikit-learn's words."""
    values = list(np.ravel(np.asarray(alphas, dtype=object)))
    for index, alpha in enumerate(values):
        place = f"alphas[{index}]" if len(values) > 1 else "alphas"
        if not isinstance(alpha, (int, float, np.integer, np.floating)) or isinstance(alpha, bool):
            raise ParameterTypeError(
                f"{place} must be an instance of float, not {type(alpha).__name__}. {name} takes numbers."
            )
        if alpha < 0 or (positive and alpha == 0):
            bound = "> 0.0" if positive else ">= 0.0"
            raise ParameterError(
                f"{place} == {alpha}, must be {bound}. {name}: leave-one-out in closed form needs a penalty; give cv= a number"
                f" of folds to try alpha=0."
            )
    return np.array(values, dtype=np.float64)


class RidgeByValidation(SplitterRouting, Estimator):
    """What RidgeCV and RidgeClassifierCV share."""

    _domains: dict[str, Domain] = {
        "alphas": ArrayLike(1) | Real(0, None, "low"),
        "fit_intercept": Bool(),
        "scoring": Null() | Choice(*get_scorer_names()) | Function(),
        "cv": FOLDS,
        "store_cv_results": Bool(),
    }
    alpha_per_target = False
    intercept_: Any
    alpha_: float | np.ndarray
    best_score_: float | np.ndarray
    coef_: np.ndarray
    cv_results_: Any
    fit_intercept: bool
    scoring: Any
    store_cv_results: bool

    def _scorer(self) -> Any:
        """Return the scorer requested, or None."""
        return None if self.scoring is None else check_scoring(self, scoring=self.scoring)

    def _scores(self, source: Any, found: Any, alphas: Any, scorer: Any, score_params: Any) -> np.ndarray:
        """Return the score of every penalty, by target if each may choose its own; stores `cv_results_` if requested."""
        if scorer is None and not self.store_cv_results:
            n = source.n_rows or found.weight
            mean = -found.squares(alphas).T / n
            return mean if self.alpha_per_target else mean.mean(axis=1)
        if not source.at_hand:
            raise DataError(
                f"{type(self).__name__}: scoring and store_cv_results need a prediction per row, kept in memory; data"
                f" elsewhere are scored by the mean squared error alone."
            )
        errors = found.errors(alphas)  # (n, q, k)
        results = errors**2
        if scorer is not None:
            root = np.ones(len(errors)) if source.weight is None else np.sqrt(source.weight)
            with np.errstate(divide="ignore", invalid="ignore"):
                results = source.y.reshape(len(errors), -1, 1) - errors / root[:, None, None]
        if self.store_cv_results:
            stored = results.astype(source.dtype)
            self.cv_results_ = stored if source.y.ndim == 2 else stored[:, 0]
        if scorer is None:
            mean = -results.mean(axis=0).T
            return mean if self.alpha_per_target else mean.mean(axis=1)
        return np.array([self._score(scorer, results[:, :, i], source.y, score_params) for i in range(len(alphas))])

    def _score(self, scorer: Any, predictions: Any, y: Any, score_params: Any) -> Any:
        """Return the score of the predictions of one penalty."""
        if self.alpha_per_target:
            columns = y.reshape(len(y), -1).T
            return [scorer(Predictions(), p, t, **score_params) for p, t in zip(predictions.T, columns)]
        return scorer(Predictions(), predictions if y.ndim == 2 else predictions[:, 0], y, **score_params)

    def _leave_one_out(self, source: Any, alphas: Any, scorer: Any, score_params: Any) -> None:
        """Choose the penalty by leave-one-out and store the model."""
        found = decompose(source, self.fit_intercept, float(alphas.min()))
        scores = self._scores(source, found, alphas, scorer, score_params)
        best = np.argmax(scores, axis=0)
        self.best_score_ = scores.max(axis=0)
        chosen = alphas[best]
        q, p = max(1, source.n_targets), source.n_features
        if scores.ndim == 1 or q == 1:
            self.best_score_, chosen = float(np.ravel(self.best_score_)[0]), float(np.ravel(chosen)[0])
        self.alpha_ = chosen
        coef = found.coef(np.broadcast_to(chosen, q))
        intercept = found.mean[p:] - coef @ found.mean[:p]
        self._store(coef.astype(source.dtype), intercept.astype(source.dtype), source)

    def _store(self, coef: Any, intercept: Any, source: Any) -> None:
        self.coef_ = coef[0] if len(coef) == 1 else coef
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            self.intercept_ = intercept[0] if source.n_targets == 0 else intercept

    def _by_folds(self, model: Any, X: Rows, y: Target, alphas: Any, params: Any) -> Any:
        """Choose the penalty by cross-validation; return the model fitted to all rows."""
        for name in ("store_cv_results", "alpha_per_target"):
            if getattr(self, name):
                raise ParameterError(
                    f"cv!=None and {name}=True are incompatible. {type(self).__name__} keeps no predictions of folds."
                )
        if home_of(X) == "file":
            raise DataError(
                f"{type(self).__name__}(cv={self.cv!r}) splits rows and takes data in memory, not a scan; leave cv at None for"
                " exact leave-one-out in one pass."
            )
        if routing_enabled():
            model.set_fit_request(sample_weight=True)
            if self.scoring is None and hasattr(
                model, "set_score_request"
            ):  # a scorer of one's own says itself what it takes
                model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"alpha": alphas}, cv=self.cv, scoring=self._scorer()).fit(X, y, **params)
        best = search.best_estimator_
        self.alpha_, self.best_score_ = float(search.best_params_["alpha"]), search.best_score_
        self.coef_, self.intercept_ = best.coef_, best.intercept_
        return best

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who takes which extra parameter."""
        router = MetadataRouter(owner=self).add_self_request(self)
        to_scorer, to_splitter = (MethodMapping().add(caller="fit", callee=name) for name in ("score", "split"))
        scorer = check_scoring(self, scoring=self.scoring, allow_none=True)
        if self.scoring is None:
            default = "accuracy" if hasattr(self, "class_weight") else "r2"
            scorer = check_scoring(self, scoring=default).set_score_request(sample_weight=True)
        return router.add(scorer=scorer, method_mapping=to_scorer).add(splitter=self.cv, method_mapping=to_splitter)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
