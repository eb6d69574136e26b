"""A line that was fitted by another loss than the square: how it predicts."""

from typing import Any

import numpy as np

from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.typing import Rows

__all__ = ["RobustLine"]


def predict_block(params: tuple[np.ndarray, float], block: Block) -> Any:
    """Return b'x + a for every row."""
    return block.X @ arrays.like(block.X, params[0]) + params[1]


class RobustLine(RegressorMixin, Estimator):
    """Base of regressions with one target, `coef_` and `intercept_`."""

    coef_: np.ndarray
    intercept_: float

    def predict(self, X: Rows) -> Any:
        """Return the prediction for every row: of a quantile regression, the quantile.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._rows(X, predict_block, (self.coef_, float(self.intercept_)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
