r"""Columns that are linear combinations of others, found and left out.

The triangle R with R'R = X'X (columns centred where a constant counts as a column) has the dependencies of X. From left to
right, a column is kept if what remains of it after its projection on the columns kept so far is longer than `tol` times its
own length:

    r = R_j - Q Q'R_j,   keep j if |r| > tol |R_j|,   then Q gets the column r / |r|               (1)

so of two equal columns the first stays. Q Q'R_j is subtracted twice: once is not orthogonal to rounding. What a dropped column
is made of, X_j = X_kept c (plus a constant), follows from the triangle of the kept ones.
"""

from typing import Any, Self

import numpy as np

from novum.base.domains import Bool, Domain, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import TransformerMixin
from novum.base.sklearn_selector import SelectorMixin
from novum.engines.moments.triangles import factor, lengths
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["ColumnSelector", "DropDependentFeatures"]

SLACK = 100.0  # times eps and the number of columns: rounding of the triangle


def independent_columns(R: np.ndarray, noise: np.ndarray, tol: float) -> np.ndarray:
    """Return which columns of R are kept by (1); those no longer than their `noise` never are."""
    length = lengths(R)
    kept = np.zeros(R.shape[1], bool)
    Q = np.empty((R.shape[0], 0))
    for j in range(R.shape[1]):
        if length[j] <= noise[j]:
            continue
        r = R[:, j] / length[j]
        for _ in range(2):
            r = r - Q @ (Q.T @ r)
        rest = float(np.linalg.norm(r))
        if rest > max(tol, noise[j] / length[j]) and Q.shape[1] < R.shape[0]:
            kept[j] = True
            Q = np.column_stack([Q, r / rest])
    return kept


def kept_columns(kept: np.ndarray, block: Block) -> Any:
    """Return the kept columns of a block."""
    return (
        block.X[:, arrays.like(block.X, np.flatnonzero(kept), "int64")]
        if arrays.is_tensor(block.X)
        else block.X[:, kept]
    )


class ColumnSelector(SelectorMixin, TransformerMixin, Estimator):
    """Base of the selectors that keep some columns, `support_`, wherever the rows live."""

    support_: np.ndarray

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Rows) -> Any:
        """Return the kept columns."""
        check_is_fitted(self)
        return self._rows(X, kept_columns, self.support_)


class DropDependentFeatures(ColumnSelector):
    """Keep the columns that are not linear combinations of those before them.

    Parameters
    ----------
    with_constant : bool, default=True
        Whether a constant column counts as one of those before, as in a model with an intercept.
    tol : float, default=None
        A column is dropped if less than this share of its length is left beside the others; None: rounding.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        Which columns are kept.
    dropped_ : array of int
        Which are not.
    combinations_ : array of shape (n_dropped, n_kept)
        What the dropped columns are made of.
    rank_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from novum.preprocessing import DropDependentFeatures
    >>> x, y = np.arange(6.0), np.array([1.0, 0, 1, 0, 0, 1])
    >>> model = DropDependentFeatures().fit(np.column_stack([x, y, 2 * x - y, np.ones(6)]))
    >>> model.dropped_, model.combinations_.round(6)
    (array([2, 3]), array([[ 2., -1.],
           [ 0.,  0.]]))
    """

    _domains: dict[str, Domain] = {"with_constant": Bool(), "tol": Real(0) | Null()}
    support_: np.ndarray
    dropped_: np.ndarray
    combinations_: np.ndarray
    rank_: int

    def __init__(self, *, with_constant: bool = True, tol: float | None = None) -> None:
        self.with_constant = with_constant
        self.tol = tol

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the dependent columns.

        sample_weight: rows of weight zero are left out; the others count alike but for rounding.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight)
        found = factor(source, self.with_constant)
        R, eps = found.xx, float(np.finfo(source.dtype).eps)
        noise = 4 * eps * np.abs(found.mean) * np.sqrt(max(found.weight, 1.0))
        tol = SLACK * eps * R.shape[1] if self.tol is None else float(self.tol)
        self.support_ = independent_columns(R, noise, tol)
        self.dropped_ = np.flatnonzero(~self.support_)
        self.rank_ = int(self.support_.sum())
        kept = R[:, self.support_]
        scale = np.where(lengths(kept) > 0, lengths(kept), 1.0)
        made = np.linalg.lstsq(kept / scale, R[:, self.dropped_], rcond=None)[0] / scale[:, None]
        self.combinations_ = made.T
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
