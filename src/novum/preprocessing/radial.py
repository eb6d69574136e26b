r"""Radial basis functions: features that depend on the distance to a center alone.

    phi_j(x) = h(|x - mu_j| / s)                                                                   (1)

with a profile h: gaussian exp(-r^2/2), multiquadric sqrt(1 + r^2), inverse multiquadric 1/sqrt(1 + r^2), thin plate
r^2 log r, linear r, or a function of your own. The centers are given, or rows of the data, drawn; without a width s is the
mean distance from a center to its nearest neighbor.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.spatial.distance import cdist

from novum.base.domains import ArrayLike, Choice, Domain, Function, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["PROFILES", "RadialBasis", "neighbor_distance"]


class Best(NamedTuple):
    """Rows drawn so far, those with the least keys."""

    key: np.ndarray  # (m,)
    x: np.ndarray  # (m, d)


class Draw(NamedTuple):
    stream: Stream
    n_centers: int


class Centers(NamedTuple):
    """Parameters of (1)."""

    centers: np.ndarray  # (m, d)
    width: float
    profile: Any


def thin_plate(r: Any) -> Any:
    """Return r^2 log r, zero at zero."""
    square = r * r
    tiny = float(np.finfo(np.float64).tiny)
    return 0.5 * square * arrays.log(square + tiny)


PROFILES = {
    "gaussian": lambda r: arrays.exp(-0.5 * r * r),
    "multiquadric": lambda r: (1 + r * r) ** 0.5,
    "inverse_multiquadric": lambda r: (1 + r * r) ** -0.5,
    "thin_plate": thin_plate,
    "linear": lambda r: r,
}


def drawn_rows(draw: Draw, block: Block) -> Best:
    """Return the rows of a block with the least keys: a sample without replacement, by weight, whatever the blocks."""
    weight = None if block.weight is None else arrays.to_numpy(block.weight)
    key = draw.stream.keys("radial centers", 0, slice(block.start, block.start + block.rows), weight)
    least = np.argsort(key, kind="stable")[: draw.n_centers]
    least = least[np.isfinite(key[least])]
    rows = block.X[arrays.like(block.X, least, "int64")] if arrays.is_tensor(block.X) else block.X[least]
    return Best(key[least], arrays.to_numpy(rows).astype(np.float64))


def keep_least(count: int) -> Any:
    """Return the merge that keeps the rows with the least keys."""

    def merge(a: Best, b: Best) -> Best:
        key, x = np.concatenate([a.key, b.key]), np.concatenate([a.x, b.x])
        least = np.argsort(key, kind="stable")[:count]
        return Best(key[least], x[least])

    return merge


def neighbor_distance(centers: np.ndarray) -> float:
    """Return the mean distance from a center to its nearest neighbor; one where there is none."""
    if len(centers) < 2:
        return 1.0
    distance = cdist(centers, centers)
    np.fill_diagonal(distance, np.inf)
    mean = float(distance.min(axis=1).mean())
    return mean if mean > 0 else 1.0


def radial(params: Centers, block: Block) -> Any:
    """Return (1) for every row, in the dtype of the block."""
    X = arrays.double(block.X)
    if arrays.is_tensor(X):
        distance = (X[:, None, :] - arrays.like(X, params.centers)).square().sum(2) ** 0.5
        return params.profile(distance / params.width).to(block.X.dtype)
    return np.asarray(params.profile(cdist(X, params.centers) / params.width)).astype(block.X.dtype, copy=False)


class RadialBasis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Features of the distance to centers.

    Parameters
    ----------
    centers : int or array-like of shape (n_centers, n_features), default=20
        How many rows to draw as centers, by weight and without replacement (fewer where there are fewer); or the centers.
    profile : {"gaussian", "multiquadric", "inverse_multiquadric", "thin_plate", "linear"} or callable, default="gaussian"
        h of eq. (1); a callable takes an array of distances in widths and returns one of the same shape.
    width : float, default=None
        s of eq. (1); None: the mean distance from a center to its nearest neighbor.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Which rows are drawn.

    Attributes
    ----------
    centers_ : array of shape (n_centers, n_features)
    width_ : float

    Examples
    --------
    >>> from novum.preprocessing import RadialBasis
    >>> RadialBasis([[0.0, 0.0], [3.0, 4.0]], width=5.0).fit_transform([[0.0, 0.0]]).round(4)
    array([[1.    , 0.6065]])
    """

    _domains: dict[str, Domain] = {
        "centers": Int(1) | ArrayLike(),
        "profile": Choice(*PROFILES) | Function(),
        "width": Real(0, open="low") | Null(),
        "random_state": RandomState(),
    }
    centers_: np.ndarray
    width_: float

    def __init__(
        self,
        centers: int | Numbers = 20,
        *,
        profile: Literal["gaussian", "multiquadric", "inverse_multiquadric", "thin_plate", "linear"]
        | Callable[..., Any] = "gaussian",
        width: float | None = None,
        random_state: Seed = None,
    ) -> None:
        self.centers = centers
        self.profile = profile
        self.width = width
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Choose the centers.

        sample_weight: how likely a row is to be drawn; zero leaves it out.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight)
        self.centers_ = self._chosen(source)
        self.width_ = neighbor_distance(self.centers_) if self.width is None else float(self.width)
        self._n_features_out = len(self.centers_)
        return self

    def _chosen(self, source: Source) -> np.ndarray:
        """Return the centers, given or drawn."""
        if isinstance(self.centers, int | np.integer):
            draw = Draw(Stream(seed_of(self.random_state)), int(self.centers))
            found = source.total(drawn_rows, draw, keep_least(draw.n_centers))
            if not len(found.x):
                raise DataError("RadialBasis: no row has a positive weight, so there is nothing to draw centers from.")
            return found.x
        given = np.asarray(self.centers, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != source.n_features or not len(given) or not np.isfinite(given).all():
            raise ParameterError(
                f"RadialBasis(centers=...) has the shape {np.shape(self.centers)}; give a number of centers, or finite centers"
                f" as rows of {source.n_features} columns."
            )
        return given

    def transform(self, X: Rows) -> Any:
        """Return the features of every row, one column per center."""
        check_is_fitted(self)
        profile = self.profile if callable(self.profile) else PROFILES[self.profile]
        return self._rows(X, radial, Centers(self.centers_, self.width_, profile))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
