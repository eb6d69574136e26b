"""What fitted models of independent components do: rows into sources, and sources back into rows."""

from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.decomposition.subspace import Projection, project, rebuild
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["Mixing"]


class Mixing(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of models x = m + A s with independent s."""

    _reports_passes = True
    _squares_columns = True
    components_: np.ndarray
    mixing_: np.ndarray

    if TYPE_CHECKING:  # of every estimator below

        def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self: ...

    def fit_transform(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Fit, and return the sources of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: Rows, copy: bool = True) -> Any:
        """Return the sources of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        copy : bool, default=True
            For scikit-learn's sake: X is never changed.

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        matrix = np.ascontiguousarray(self.components_.T)
        mean = getattr(self, "mean_", None)
        offset = np.zeros(matrix.shape[1], matrix.dtype)
        return self._rows(X, project, Projection(matrix, offset, mean), shows=True)

    def inverse_transform(self, X: Rows, copy: bool = True) -> Any:
        """Return the rows that sources stand for.

        Parameters
        ----------
        X : array-like, scan, Dask collection or tensor of shape (n_samples, n_components)
        copy : bool, default=True
            For scikit-learn's sake: X is never changed.

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        sources = copy_of(self)
        sources.n_features_in_ = len(self.components_)
        sources.__dict__.pop("feature_names_in_", None)
        mean = getattr(self, "mean_", np.zeros(len(self.mixing_), self.mixing_.dtype))
        return sources._rows(X, rebuild, Projection(np.ascontiguousarray(self.mixing_.T), mean, None))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def copy_of(model: Mixing) -> Any:
    """Return a shallow copy: methods have a parameter named `copy`."""
    return copy(model)
