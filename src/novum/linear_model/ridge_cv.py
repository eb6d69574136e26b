r"""Ridge regression with the penalty chosen by leave-one-out or by cross-validation.

    alpha = argmin  1/n sum_i w_i (y_i - prediction of the model without row i)^2

Leave-one-out needs no refitting: one decomposition gives the errors of all penalties
(novum.linear_model.least_squares.leave_one_out).
"""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import Bool, Choice, Domain, Null
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.least_squares.ridge_choice import RidgeByValidation, check_alphas
from novum.linear_model.ridge import Ridge
from novum.runtime.typing import Numbers, Rows, RowWeights, Splitter, Target
from novum.runtime.warn import warn

__all__ = ["RidgeCV"]


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

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import RidgeCV
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> RidgeCV(alphas=[0.01, 1.0, 100.0]).fit(X, [1.0, 3.0, 2.0, 5.0]).alpha_
    0.01
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        **RidgeByValidation._domains,
        "gcv_mode": Null() | Choice("auto", "svd", "eigen"),
        "alpha_per_target": Bool(),
    }

    def __init__(
        self,
        alphas: float | Numbers = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Splitter = None,
        gcv_mode: Literal["auto", "svd", "eigen"] | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, **params: Any) -> Self:
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
        if source.sparse and self.gcv_mode == "svd":
            warn(
                "The 'svd' mode is not supported for sparse X, RidgeCV decomposes the Gram matrix; scikit-learn will raise a"
                " ValueError from 1.11 on. Leave gcv_mode at None.",
                FutureWarning,
            )
        self._leave_one_out(source, alphas, self._scorer(), weights if routed is None else routed.scorer.score)
        return self

    def predict(self, X: Rows) -> Any:
        """Return the prediction for every row of X."""
        check_is_fitted(self)
        coef = np.atleast_2d(self.coef_)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), coef.shape[:1])
        return self._rows(X, predict_block, Line(coef, intercept, np.ndim(self.coef_) == 1))
