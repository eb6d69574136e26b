"""What all models of clusters with centers share: the nearest center of a row, distances to the centers, the inertia of rows."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from novum.engines.kmeans import assignment
from novum.engines.kmeans.assignment import in_blocks
from novum.engines.kmeans.bounds import Lloyd, guided_pass
from novum.engines.kmeans.lloyd import labels_of_block
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["CenterModel", "fitted_attributes"]


def fitted_attributes(params: Lloyd, dtype: np.dtype) -> dict[str, Any]:
    """Return the fitted attributes that the parameters of a pass stand for."""
    return {"cluster_centers_": params.centers.astype(dtype), "_n_features_out": len(params.centers)}


class CenterModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """Base of the estimators that keep `cluster_centers_`."""

    _squares_columns = _squares_rows = True
    _reports_passes = True
    cluster_centers_: np.ndarray

    if TYPE_CHECKING:  # of every estimator below

        def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self: ...

    def _fitted(self) -> Lloyd:
        """Return the fitted centers as parameters of a pass."""
        check_is_fitted(self)
        return Lloyd(np.ascontiguousarray(self.cluster_centers_, dtype=np.float64), -1, 0, None)

    def fit_predict(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Fit, and return the label of every row."""
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if not arrays.is_tensor(X) and hasattr(self, "labels_") else self.predict(X)

    def fit_transform(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Fit, and return the distance of every row to every center."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def predict(self, X: Rows) -> Any:
        """Return the index of the nearest center of every row.

        In memory an array, for a scan an iterator over batches, for Dask a lazy array, for a tensor a tensor.
        """
        return self._rows(X, labels_of_block, self._fitted())

    def transform(self, X: Rows) -> Any:
        """Return the distance of every row to every center, shape (n_samples, n_clusters)."""
        return self._rows(X, distances_of_block, self._fitted())

    def score(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Return -J of (1) for the fitted centers: minus the inertia of these rows.

        J(c, z) = sum_i w_i |x_i - c_{z_i}|^2    (1)
        """
        params = self._fitted()
        source = in_blocks(self._source(X, None, sample_weight, reset=False))
        return -float(source.total(guided_pass, params).inertia)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def distances_of_block(params: Lloyd, block: Block) -> Any:
    """Return the distance of every row of a block to every center."""
    return assignment.all_distances(params.centers, block)
