"""Names for what a user may pass: wider than any array type, so they are aliases that say what is meant."""

from typing import Any, TypeAlias

__all__ = ["RowWeights", "Rows", "Target"]

Rows: TypeAlias = Any  # an array, frame or sparse matrix, a scan, a Dask collection or a tensor: n_samples x n_features
Target: TypeAlias = Any  # labels or numbers of the rows; None where a scan brings its target
RowWeights: TypeAlias = Any  # weights of the rows, or None for ones
