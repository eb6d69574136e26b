r"""Gradient boosting of trees grown on histograms, for numbers.

    F_M(x) = F_0 + learning_rate sum_m T_m(x)                                                          (1)
    squared error, absolute error, Huber, quantile  f = F;   Poisson, gamma  f = exp F                 (2)

How trees are fitted: novum.ensemble.boosting.newton. Derivation: docs/theory/boosting.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Choice, Domain, Null, Real
from novum.base.estimator import fits
from novum.base.sklearn_base import RegressorMixin
from novum.engines.trees.passes.survey import Survey, survey
from novum.ensemble.boosting.base import HistGradientBoosting
from novum.ensemble.boosting.candidacy import CANDIDACY
from novum.ensemble.boosting.slopes import Descent, descent_of
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["HistGradientBoostingRegressor"]


class HistGradientBoostingRegressor(RegressorMixin, HistGradientBoosting):
    """Gradient boosting for numbers.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "gamma", "poisson", "quantile"}, default="squared_error"
        "gamma" needs positive targets, "poisson" none below zero; both predict the exponential of the raw score.
    quantile : float in [0, 1] or None, default=None
        The level for loss="quantile"; for loss="huber" the share of rows that start within its square, 0.9 if None.
    learning_rate : float, default=0.1
        Factor of every tree's values.
    max_iter : int, default=100
        Most iterations: a tree each, for more than two classes a tree per class.
    max_leaf_nodes : int or None, default=31
    max_depth : int or None, default=None
    min_samples_leaf : int, default=20
        Rows with positive weight that a leaf must hold.
    l2_regularization : float, default=0
        Penalty of leaf values.
    max_features : float, default=1.0
        Share of the columns that every node may choose from, drawn anew for each.
    max_bins : int, default=255
        Most bins of a column, one more is kept for missing values.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, default="from_dtype"
        Categorical columns by mask, position or name, or those that a frame's dtypes say.
    monotonic_cst : array-like of int of shape (n_features,), dict or None, default=None
        1: never falls in that column, -1: never rises, 0: free; a dict goes by name.
    interaction_cst : sequence of sets of int, "pairwise", "no_interactions" or None, default=None
        Columns that may follow each other on a path from the root.
    warm_start : bool, default=False
        Whether to keep the trees of the last fit and add to them.
    early_stopping : "auto" or bool, default="auto"
        Whether to stop when scores no longer rise; "auto": with more than 10,000 rows.
    scoring : str, callable or None, default="loss"
        What is scored: the loss, or a scorer; None is the `score` method.
    validation_fraction : float, int or None, default=0.1
        Rows held back to be scored; None scores the training rows. Of more than 2^20 rows each is held back by a draw of
        its own, so their number is that on average.
    n_iter_no_change : int, default=10
        Scores that must not rise before the fit stops.
    tol : float, default=1e-7
        What counts as a rise.
    verbose : int or bool, default=0
        Whether to log every iteration, to the logger "novum".
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    Attributes
    ----------
    n_iter_ : int
        Iterations that were made.
    n_trees_per_iteration_ : int
    train_score_, validation_score_ : array of shape (`n_iter_` + 1,) or (0,)
        Scores before the first and after every iteration; empty without early stopping.
    do_early_stopping_ : bool
    is_categorical_ : bool array of shape (n_features,) or None
    n_features_in_, feature_names_in_
        As in scikit-learn.
    Examples
    --------
    >>> import numpy as np
    >>> from novum.ensemble import HistGradientBoostingRegressor
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> y = np.floor(4 * X[:, 0])
    >>> HistGradientBoostingRegressor().fit(X, y).predict([[0.1], [0.6]]).round(3)
    array([0., 2.])
    """

    _candidacy = CANDIDACY
    _domains: dict[str, Domain] = {
        **HistGradientBoosting._domains,
        "loss": Choice("squared_error", "absolute_error", "huber", "gamma", "poisson", "quantile"),
        "quantile": Real(0, 1) | Null(),
    }

    def __init__(
        self,
        loss: Literal["squared_error", "absolute_error", "huber", "gamma", "poisson", "quantile"] = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Numbers | int | str | Literal["from_dtype"] | None = "from_dtype",
        monotonic_cst: Numbers | Mapping[Any, Any] | None = None,
        interaction_cst: Sequence[Any] | Literal["pairwise"] | Literal["no_interactions"] | None = None,
        warm_start: bool = False,
        early_stopping: Literal["auto"] | bool = "auto",
        scoring: str | Callable[..., Any] | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int | bool = 0,
        random_state: Seed = None,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    @fits
    def fit(
        self,
        X: Rows,
        y: Target = None,
        sample_weight: RowWeights = None,
        *,
        X_val: Rows | None = None,
        y_val: Target = None,
        sample_weight_val: RowWeights = None,
    ) -> Self:
        """Fit the trees.

        Parameters
        ----------
        X : array-like, frame, scan or Dask collection of shape (n_samples, n_features)
            NaN is a missing value. Rows outside memory are passed over where they are, in constant memory; for loss="huber"
            alone their codes, a byte per cell, are brought here.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Zero leaves a row out.
        X_val, y_val, sample_weight_val : like X, y and sample_weight, default=None
            Rows to be scored for early stopping, in place of a part of X.
        """
        return self._fit(X, y, sample_weight, X_val, y_val, sample_weight_val)

    def _encoded(self, y: NDArray, *, fitted: bool = False) -> NDArray:
        y = np.ascontiguousarray(y, np.float64)
        if self.loss == "gamma" and not (y > 0).all():
            raise DataError("loss='gamma' requires strictly positive y. Drop rows of zero, or use loss='poisson'.")
        if self.loss == "poisson" and not ((y >= 0).all() and y.sum() > 0):
            raise DataError("loss='poisson' requires non-negative y and sum(y) > 0.")
        return y

    def _blocks(self, source: Source) -> tuple[Source, Survey, NDArray | None]:
        found = survey(source, 0)
        self._encoded(np.array([found.low, found.high]))
        return source, found, None

    def _decoded(self, target: NDArray) -> NDArray:
        return target

    def _descent(self, target: NDArray, weight: NDArray | None) -> Descent:
        if self.loss == "quantile" and self.quantile is None:
            raise ParameterError(
                "HistGradientBoostingRegressor(loss='quantile') needs quantile, a level between 0 and 1."
            )
        return descent_of(self.loss, target, weight, self.quantile)

    def _finish(self, raw: Any) -> Any:
        return arrays.exp(raw[:, 0]) if self.loss in ("gamma", "poisson") else raw[:, 0]

    def predict(self, X: Rows) -> Any:
        """Return the prediction (2) of every row.

        regression: squared error, absolute error, Huber, quantile  f = F;   Poisson, gamma  f = exp F    (2)
        """
        return self._raw(X, self._finish)

    def staged_predict(self, X: Rows) -> Any:
        """Yield the predictions after every iteration."""
        return self._staged(X, self._finish)
