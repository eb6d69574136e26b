r"""The geometric median: the point with the least sum of distances to the rows. Copy this file to begin an estimator.

    minimise  f(c) = sum_i w_i |x_i - c|                                                           (1)

Each pass of Weiszfeld's method needs, over the rows that do not lie on c itself,

    pull = sum w_i (x_i - c)/|x_i - c|,   stiffness = sum w_i/|x_i - c|,   here = sum of w_i on c  (2)
    c <- c + max(0, 1 - here/|pull|) pull / stiffness                                              (3)

The factor in (3) is Vardi and Zhang's (2000): it keeps the method from sticking at a row, and vanishes exactly where that
row is the minimiser. f never rises. Less than half of the weight, moved anywhere, cannot carry c away.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novum.base.callbacks import reporting
from novum.base.domains import Domain, Int, Real
from novum.base.estimator import Estimator, fits
from novum.base.history import History
from novum.base.sklearn_base import OneToOneFeatureMixin, TransformerMixin
from novum.exceptions import NotConverged
from novum.fold import Block, fold
from novum.runtime import arrays

__all__ = ["MedianCenter"]


class Mean(NamedTuple):
    """Stage one: where to begin."""

    weight: float
    total: np.ndarray  # (d,)


class Forces(NamedTuple):
    """Stage two: the sums (2), and f(c)."""

    pull: np.ndarray  # (d,)
    stiffness: float
    here: float
    loss: float


class Center(NamedTuple):
    """The parameters; field `center` becomes the attribute `center_`."""

    center: np.ndarray  # (d,)


def mean_of(_, block: Block) -> Mean:
    """Return the sums that make the mean, for one block."""
    weight = arrays.ones(block.X, block.rows) if block.weight is None else block.weight
    return Mean(float(weight.sum()), arrays.to_numpy(weight @ arrays.double(block.X)))


def forces_of(params: Center, block: Block) -> Forces:
    """Return (2) and f(c) for one block."""
    offset = arrays.center(block.X, params.center)  # (rows, d), float64
    distance = (offset**2).sum(1) ** 0.5
    weight = arrays.ones(block.X, block.rows) if block.weight is None else block.weight
    away = distance > 0
    rate = weight * away / (distance + ~away)  # the sum is a stand-in of 1 where the distance is 0
    pull = arrays.to_numpy(rate @ offset)
    return Forces(pull, float(rate.sum()), float((weight * ~away).sum()), float(weight @ distance))


def step(params: Center, total: Forces) -> Center:
    """Return (3)."""
    length = float(np.linalg.norm(total.pull))
    if length <= total.here or total.stiffness == 0:
        return params
    return Center(params.center + (1 - total.here / length) * total.pull / total.stiffness)


def subtract(center: np.ndarray, block: Block):
    """Return x - c for every row, in the dtype and home of the block."""
    return block.X - arrays.like(block.X, center)


class MedianCenter(OneToOneFeatureMixin, TransformerMixin, Estimator):
    """Move the geometric median of the rows to the origin.

    Parameters
    ----------
    max_iter : int, default=500
        Most passes over the data.
    tol : float, default=1e-7
        Stop when a pass moves the center by less than this share of the mean distance to it.

    Attributes
    ----------
    center_ : array of shape (n_features,)
    n_iter_ : int
        Passes.
    history_ : History
        f(c) of eq. (1) before every pass.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from skeleton.median_center import MedianCenter
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [1000.0, 1000.0]])
    >>> MedianCenter().fit(X).center_.round(3)  # where the diagonals cross; the mean is (250.5, 250.5)
    array([1., 1.])
    """

    _domains: dict[str, Domain] = {"max_iter": Int(1), "tol": Real(0)}
    _reports_passes = True

    def __init__(self, *, max_iter=500, tol=1e-7):
        self.max_iter = max_iter
        self.tol = tol

    @fits
    def fit(self, X, y=None, sample_weight=None):
        """Find the center.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Zero leaves a row out.

        Returns
        -------
        self
        """
        source = self._source(X, None, sample_weight)
        mean = source.total(mean_of)
        with reporting(self, self.max_iter, X=X, sample_weight=sample_weight) as report:
            found = fold(
                Center(mean.total / mean.weight),
                forces_of,
                step,
                source,
                objective=lambda total: total.loss,
                converged=lambda a, b, f: np.linalg.norm(b.center - a.center) <= self.tol * f[-1] / mean.weight,
                max_iter=self.max_iter,
                report=report,
            )
        if not found.converged:
            warnings.warn(
                f"MedianCenter: the center still moved after max_iter={self.max_iter} passes; raise max_iter or tol.",
                NotConverged,
                stacklevel=3,
            )
        self.center_ = found.params.center.astype(source.dtype)
        self.n_iter_, self.history_ = found.n_iter, History(found.history, name="sum of distances")
        return self

    def transform(self, X):
        """Return X with the center subtracted from every row."""
        check_is_fitted(self)
        return self._rows(X, subtract, self.center_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
