r"""Ridge regression with the penalty chosen by leave-one-out or by cross-validation.

    alpha = argmin  1/n sum_i w_i (y_i - prediction of the model without row i)^2

Leave-one-out needs no refitting: one decomposition gives the errors of all penalties (novum.linear_model._leave_one_out).
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import GridSearchCV
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Null, Real
from novum.base.estimator import Estimator, fits
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.linear_model._leave_one_out import decompose
from novum.linear_model._model import Line, predict_block
from novum.linear_model._routing import FOLDS, SplitterRouting, routing_enabled
from novum.linear_model.ridge import Ridge

__all__ = ["RidgeCV", "RidgeByValidation"]


class Predictions(RegressorMixin, BaseEstimator):
    """Stands for a fitted regressor before a scorer: what it predicts is what it is given."""

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X):
        """Return X."""
        return X


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
        "alphas": ArrayLike() | Real(0, None, "low"),
        "fit_intercept": Bool(),
        "scoring": Null() | Choice(*get_scorer_names()) | Function(),
        "cv": FOLDS,
        "store_cv_results": Bool(),
    }
    alpha_per_target = False

    def _scorer(self) -> Any:
        """Return the scorer asked for, or None."""
        return None if self.scoring is None else check_scoring(self, scoring=self.scoring)

    def _scores(self, source, found, alphas, scorer, score_params) -> np.ndarray:
        """Return the score of every penalty, by target if each may choose its own; stores `cv_results_` if asked to."""
        if scorer is None and not self.store_cv_results:
            n = source.n_rows or found.weight
            mean = -found.squares(alphas).T / n
            return mean if self.alpha_per_target else mean.mean(axis=1)
        if source.home != "memory":
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

    def _score(self, scorer, predictions, y, score_params) -> Any:
        """Return the score of the predictions of one penalty."""
        if self.alpha_per_target:
            columns = y.reshape(len(y), -1).T
            return [scorer(Predictions(), p, t, **score_params) for p, t in zip(predictions.T, columns)]
        return scorer(Predictions(), predictions if y.ndim == 2 else predictions[:, 0], y, **score_params)

    def _leave_one_out(self, source, alphas, scorer, score_params) -> None:
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

    def _store(self, coef, intercept, source) -> None:
        self.coef_ = coef[0] if len(coef) == 1 else coef
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            self.intercept_ = intercept[0] if source.n_targets == 0 else intercept

    def _by_folds(self, model, X, y, alphas, params) -> Any:
        """Choose the penalty by cross-validation; return the model fitted to all rows."""
        for name in ("store_cv_results", "alpha_per_target"):
            if getattr(self, name):
                raise ParameterError(
                    f"cv!=None and {name}=True are incompatible. {type(self).__name__} keeps no predictions of folds."
                )
        if routing_enabled():
            model.set_fit_request(sample_weight=True)
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class RidgeCV(MultiOutputMixin, RegressorMixin, RidgeByValidation):
    """Ridge regression with the penalty chosen by leave-one-out, in closed form, or by cross-validation.

    Parameters
    ----------
    alphas : float or array-like, default=(0.1, 1.0, 10.0)
        Penalties to choose from, > 0 for leave-one-out.
    fit_intercept : bool, default=True
    scoring : str or callable, default=None
        None is the mean squared error of leave-one-out, or the coefficient of determination with `cv`.
    cv : int, splitter or iterable of (train, test), default=None
        None is exact leave-one-out.
    gcv_mode : {None, "auto", "svd", "eigen"}, default=None
        Kept for scikit-learn's sake: the decomposition is chosen by the shape of the data and the smallest penalty.
    store_cv_results : bool, default=False
        Keep the squared leave-one-out errors, or the predictions if there is a `scoring`, in `cv_results_`.
    alpha_per_target : bool, default=False
        Let every target have a penalty of its own.

    Attributes
    ----------
    alpha_ : float or array of shape (n_targets,)
        The chosen penalty.
    best_score_ : float or array of shape (n_targets,)
        Its score.
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or array of shape (n_targets,)
    cv_results_ : array of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        Only with store_cv_results.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import RidgeCV
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> RidgeCV(alphas=[0.01, 1.0, 100.0]).fit(X, [1.0, 3.0, 2.0, 5.0]).alpha_
    1.0
    """

    _domains: dict[str, Domain] = {
        **RidgeByValidation._domains,
        "gcv_mode": Null() | Choice("auto", "svd", "eigen"),
        "alpha_per_target": Bool(),
    }

    def __init__(
        self,
        alphas=(0.1, 1.0, 10.0),
        *,
        fit_intercept=True,
        scoring=None,
        cv=None,
        gcv_mode=None,
        store_cv_results=False,
        alpha_per_target=False,
    ):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    @fits
    def fit(self, X, y=None, sample_weight=None, **params):
        """Choose the penalty and fit all rows with it.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
            With `cv`: in memory.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : float or array-like of shape (n_samples,), default=None
        **params
            For the scorer and the splitter, where metadata routing is enabled.

        Returns
        -------
        self
        """
        alphas = check_alphas(self.alphas, type(self).__name__, positive=self.cv is None)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.cv is not None:
            self._routed(params)
            best = self._by_folds(Ridge(fit_intercept=self.fit_intercept), X, y, alphas, {**params, **weights})
            self.n_features_in_ = best.n_features_in_
            if hasattr(best, "feature_names_in_"):
                self.feature_names_in_ = best.feature_names_in_
            return self
        routed = self._routed(params, **weights)
        source = self._source(X, y, sample_weight, target="numeric")
        self._leave_one_out(source, alphas, self._scorer(), weights if routed is None else routed.scorer.score)
        return self

    def predict(self, X):
        """Return the prediction for every row of X."""
        check_is_fitted(self)
        coef = np.atleast_2d(self.coef_)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), coef.shape[:1])
        return self._rows(X, predict_block, Line(coef, intercept, np.ndim(self.coef_) == 1))
