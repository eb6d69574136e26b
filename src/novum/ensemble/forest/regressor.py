"""Forests for numbers: the mean of what the trees predict."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from novum.base.domains import Choice, Domain
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.ensemble.forest.base import FOREST_DOMAINS, BaseForest
from novum.ensemble.forest.out_of_bag import OutOfBagCurve, VoteSums, curve_of
from novum.ensemble.forest.votes import mean_number, mean_value
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.tree.dependence import tree_dependence
from novum.tree.regressor import checked_numbers, current_criterion

__all__ = ["REGRESSOR_DOMAINS", "ForestRegressor"]

REGRESSOR_DOMAINS: dict[str, Domain] = {
    **FOREST_DOMAINS,
    "criterion": Choice("squared_error", "absolute_error", "poisson", "friedman_mse"),
}


class ForestRegressor(RegressorMixin, BaseForest):
    """Base of the forests for numbers."""

    oob_score_: Any
    oob_prediction_: Any

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: bool | Callable[..., Any] = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: int | float | None = None,
        monotonic_cst: Numbers | Mapping[Any, int] | None = None,
        categorical_features: Numbers | str | None = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = current_criterion(criterion)
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features

    def _read_target(self, y: NDArray, weight: NDArray | None) -> tuple[NDArray, NDArray | None]:
        return checked_numbers(self, y, "strictly positive"), weight

    def _oob_attributes(self, y: NDArray, sums: VoteSums) -> None:
        mean = sums.mean
        self.oob_prediction_ = mean[:, 0] if self.n_outputs_ == 1 else mean
        truth = y[:, 0] if self.n_outputs_ == 1 else y
        self.oob_score_ = (self.oob_score if callable(self.oob_score) else r2_score)(truth, self.oob_prediction_)

    def oob_curve(self, X: Rows, y: Target) -> Any:
        """Return the out-of-bag R^2 after 1, 2, ... trees.

        Parameters
        ----------
        X, y
            The data of `fit`: rows are recognized by their place.

        Returns
        -------
        OutOfBagCurve
            With `n_trees`, `score`, `n_rows` and `plot(ax=None)`.
        """
        check_is_fitted(self)
        table, y = self._training_rows(X, y)

        def score(rows: NDArray, mean: NDArray) -> float:
            return r2_score(y[rows], mean) if len(rows) > 1 else np.nan

        curve: OutOfBagCurve = curve_of(self._out_of_bag(table), score, r"out-of-bag $R^2$")
        return curve

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Grow the trees.

        NaN is missing, in a sparse matrix refused. Rows outside memory are coded where they are, and drawn one by one:
        Notes of RandomForestClassifier.
        sample_weight: with `bootstrap`, rows are drawn in proportion to it; without, trees use it.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self._fit(X, y, sample_weight)
        return self

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> NDArray:
        grid, columns = np.asarray(grid, np.float64), np.asarray(target_features, np.intp)
        return np.mean(
            [tree_dependence(tree.tree_, grid, columns, type(self).__name__) for tree in self.estimators_], axis=0
        )

    def predict(self, X: Rows) -> Any:
        """Return the mean of the trees' predictions.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        return self._ask(X, mean_number if self.n_outputs_ == 1 else mean_value, self._votes())
