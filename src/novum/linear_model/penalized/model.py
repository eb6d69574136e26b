"""What the regressors with sparse coefficients share: prediction, stopping rule, the warning where it was not met."""

from typing import Any

import numpy as np
import scipy.sparse

from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.exceptions import NotConverged
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.penalized.gram_paths import Rule
from novum.runtime import random, sklearn_private
from novum.runtime.typing import Rows
from novum.runtime.warn import warn

__all__ = ["ElasticNetPath", "SparseLinearRegressor", "warn_unfinished"]


def warn_unfinished(name: str, gap: float, limit: float) -> None:
    """Warn that a duality gap stayed above its limit."""
    warn(
        f"Objective did not converge. You might want to increase the number of iterations, check the scale of the features"
        f" or consider increasing regularisation. {name}: Duality gap: {gap:.6e}, tolerance: {limit:.3e}; raise max_iter"
        f" or tol.",
        NotConverged,
    )


class ElasticNetPath(Estimator):
    """Opens the data of a path as estimators do."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class SparseLinearRegressor(RegressorMixin, Estimator):
    """Base of the regressors with sparse coefficients: prediction, and the coefficients as a sparse matrix."""

    coef_: np.ndarray
    intercept_: Any
    max_iter: int
    positive: bool
    random_state: Any
    selection: str
    tol: float

    def _rule(self) -> Rule:
        seed = None
        if self.selection == "random":
            seed = int(random.seed_of(self.random_state))
        return Rule(float(self.tol), int(self.max_iter), bool(self.positive), seed)

    def _line(self) -> Line:
        coef = np.atleast_2d(self.coef_)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), coef.shape[:1])
        return Line(coef, intercept, np.ndim(self.coef_) == 1)

    def predict(self, X: Rows) -> Any:
        """Return the prediction for every row of X.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        y : array of shape (n_samples,) or (n_samples, n_targets)
            A lazy array on Dask, an iterator over batches for a scan, a tensor for a tensor.
        """
        check_is_fitted(self)
        return self._rows(X, predict_block, self._line())

    @property
    def sparse_coef_(self) -> Any:
        """Coefficients as a sparse matrix of one row per target."""
        return sklearn_private.as_configured(scipy.sparse.csr_array(np.atleast_2d(self.coef_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
