r"""The penalty of a lasso or an elastic net chosen by cross-validation: what LassoCV and ElasticNetCV share."""

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import column_or_1d

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.validation import check_weight
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.linear_model.penalized import gram_folds
from novum.linear_model.penalized.gram_paths import Penalties, Rule, penalties
from novum.linear_model.penalized.model import SparseLinearRegressor, warn_unfinished
from novum.linear_model.penalized.paths import grid_of
from novum.linear_model.penalized.plots import plot_validation
from novum.linear_model.penalized.problem import check_given_gram, open_problem
from novum.linear_model.routing import FOLDS, SplitterRouting
from novum.runtime.checks import is_true
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["PenaltyByValidation"]


def flat_target(name: str, y: Any) -> Any:
    """Return y as one column; refuse several."""
    if not isinstance(y, np.ndarray) or y.ndim != 2:
        return y
    if y.shape[1] > 1:
        raise DataError(
            f"For multi-task outputs, use MultiTask{name}. y has {y.shape[1]} columns, {name} chooses a penalty for one; fit"
            f" every column by itself."
        )
    return column_or_1d(y, warn=True)


def square_of(problem: Any) -> float:
    """Return the squared length of all targets, which tolerances are relative to."""
    return sum(problem.yy(t) for t in range(len(problem.target_mean)))


class PenaltyByValidation(SplitterRouting, SparseLinearRegressor):
    """What LassoCV and ElasticNetCV share."""

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "eps": Real(0, None, "low"),
        "alphas": Int(1) | ArrayLike(1),
        "fit_intercept": Bool(),
        "precompute": Choice("auto") | Bool() | ArrayLike(),
        "max_iter": Int(1),
        "tol": Real(0),
        "copy_X": Bool(),
        "cv": FOLDS,
        "verbose": Bool() | Int(0),
        "n_jobs": Null() | Int(),
        "positive": Bool(),
        "random_state": RandomState(),
        "selection": Choice("cyclic", "random"),
    }
    alpha_: float
    l1_ratio_: float
    coef_: np.ndarray
    intercept_: float | np.ndarray
    dual_gap_: float
    n_iter_: int
    mse_path_: np.ndarray
    alphas_: np.ndarray
    alphas: Any
    eps: float
    fit_intercept: bool
    n_jobs: int | None
    positive: bool
    precompute: Any

    def _ratios(self) -> np.ndarray:
        """Return the shares of L1 to choose from."""
        if not hasattr(self, "l1_ratio"):
            return np.ones(1)
        ratios = np.atleast_1d(np.asarray(self.l1_ratio, dtype=np.float64))
        if not ((ratios >= 0) & (ratios <= 1)).all():
            raise ParameterError(f"{type(self).__name__}(l1_ratio={self.l1_ratio!r}): every share must lie in [0, 1].")
        return ratios

    def _target(self, y: Any) -> Any:
        """Return y as the model takes it."""
        return flat_target(type(self).__name__, y)

    def _admit(self, source: Any) -> None:
        """Refuse targets that the model is not for."""

    def _trace(self, problem: Any, path: Penalties, rule: Rule) -> Any:
        """Follow a path; `coef` of what is returned is (n_targets, n_features, n_alphas)."""
        traced = problem.trace(0, path, rule)
        return traced._replace(coef=traced.coef[None])

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, **params: Any) -> Any:
        """Choose the penalty by cross-validation and fit all rows with it.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Of the fit and of the errors within a fold; the folds count alike.
        **params
            For the splitter, where metadata routing is enabled.
        """
        if np.isscalar(sample_weight):  # a weight that all rows share changes nothing, if it is one
            check_weight(self, sample_weight, 1)
        weight = None if np.isscalar(sample_weight) else sample_weight
        routed = self._routed(params, sample_weight=weight)
        y = self._target(y)
        source = self._source(X, y, weight, target="numeric", by_column=True)
        self._admit(source)
        ratios, given = self._ratios(), self._given_alphas()
        count = len(ratios) * (given if isinstance(given, int) else len(given))
        split_params = {} if routed is None else routed.splitter.split
        splits = gram_folds.splits_of(source, self.cv, type(self).__name__, **split_params)
        grams = gram_folds.fold_grams(source, splits, self.fit_intercept)
        if grams is None:
            problem = open_problem(source, self.fit_intercept, is_true(self.precompute), count)
        else:
            problem = gram_folds.gram_problem(
                grams.products.sum(axis=0), grams.shift, float(grams.rows.sum()), self.fit_intercept, source.n_features
            )
        if np.ndim(self.precompute) > 0:  # a Gram matrix that is given
            check_given_gram(problem, self.precompute, self.fit_intercept, source.n_rows)
        grids = [grid_of(problem, given, ratio, self.eps, self.positive) for ratio in ratios]
        errors = self._validate(source, splits, grams, ratios, grids)
        self._choose(ratios, grids, errors)
        return self._refit(problem, source)

    def _given_alphas(self) -> Any:
        """Return the number of alphas, or the alphas after a check of each."""
        if isinstance(self.alphas, (int, np.integer)):
            return int(self.alphas)
        for index, alpha in enumerate(self.alphas):
            name = f"alphas[{index}]"
            if not isinstance(alpha, (int, float, np.integer, np.floating)) or isinstance(alpha, bool):
                kind = type(alpha).__name__
                raise ParameterTypeError(
                    f"{name} must be an instance of float, not {kind}. {type(self).__name__} takes a list of numbers."
                )
            if alpha < 0:
                raise ParameterError(f"{name} == {alpha}, must be >= 0.0. {type(self).__name__} takes penalties >= 0.")
        return np.asarray(self.alphas, dtype=np.float64)

    def _validate(self, source: Any, splits: Any, grams: Any, ratios: Any, grids: Any) -> np.ndarray:
        """Return the errors (n_ratios, n_folds, n_alphas)."""
        rule = self._rule()
        tasks = [(r, f) for r in range(len(ratios)) for f in range(splits.folds)]

        def errors_of(task: Any) -> Any:
            r, f = task
            problem = gram_folds.fold_problem(source, splits, grams, f, self.fit_intercept, len(grids[r]))
            traced = self._trace(problem, penalties(grids[r], ratios[r], problem.weight), rule)
            intercept = np.zeros((len(traced.coef), len(grids[r])))
            if self.fit_intercept:
                intercept = problem.target_mean[:, None] - problem.mean @ traced.coef
            unfinished = np.flatnonzero(~traced.converged)
            worst = (traced.gap[unfinished[0]], rule.tol * square_of(problem)) if unfinished.size else None
            return gram_folds.test_errors(source, splits, grams, f, traced.coef, intercept), worst

        results = list(map_ordered(errors_of, tasks, min(len(tasks), thread_count(self.n_jobs))))
        for _, worst in results:
            if worst is not None:
                warn_unfinished(type(self).__name__, worst[0], worst[1])
        return np.array([errors for errors, _ in results]).reshape(len(ratios), splits.folds, -1)

    def _choose(self, ratios: Any, grids: Any, errors: Any) -> None:
        """Store the errors and the pair with the least mean, the first of equals."""
        mean = errors.mean(axis=1)  # (n_ratios, n_alphas)
        best = np.unravel_index(np.argmin(mean), mean.shape)
        self.mse_path_ = np.squeeze(np.moveaxis(errors, 2, 1))
        self.alpha_, self.l1_ratio_ = float(grids[best[0]][best[1]]), float(ratios[best[0]])
        shared = len(ratios) == 1 or not isinstance(self.alphas, (int, np.integer))
        self.alphas_ = grids[0] if shared else np.array(grids)

    def _refit(self, problem: Any, source: Any) -> Self:
        """Fit all rows at the chosen penalty."""
        rule = self._rule()
        traced = self._trace(problem, penalties(np.array([self.alpha_]), self.l1_ratio_, problem.weight), rule)
        if not traced.converged[0]:
            warn_unfinished(type(self).__name__, traced.gap[0], rule.tol * square_of(problem))
        dtype = source.dtype.type
        self._keep(traced.coef[:, :, 0], problem.target_mean - traced.coef[:, :, 0] @ problem.mean, dtype)
        self.dual_gap_, self.n_iter_ = dtype(traced.gap[0] / problem.weight), int(traced.epochs[0])
        if not hasattr(self, "l1_ratio"):
            del self.l1_ratio_
        return self

    def _keep(self, coef: np.ndarray, intercept: np.ndarray, dtype: Any) -> None:
        """Store coefficients (1, p) and the intercept of the one target."""
        self.coef_ = coef[0].astype(dtype)
        self.intercept_ = dtype(intercept[0]) if self.fit_intercept else 0.0

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the error of every fold and their mean against the penalty, with the one that was chosen; return the axes."""
        return plot_validation(self, ax)
