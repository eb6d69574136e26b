"""What learners of principal axes share: projection, reconstruction, the Gaussian that they stand for. Formulas: pca.py."""

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from novum import _core
from novum.base.checks.learned import check_densities
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.decomposition.plots import plot_spectrum
from novum.decomposition.spectrum import Spectrum, fill_axes
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.blas import single_blas
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["PrincipalAxes"]

EPS = float(np.finfo(np.float64).eps)
NARROW = 64  # columns up to which our product is faster than BLAS
FAR = (
    4.0  # size of the mean, in standard deviations of a column, from which rows are centred before they are multiplied
)


class Projection(NamedTuple):
    matrix: np.ndarray  # (p, k)
    offset: np.ndarray  # (k,): added after the product
    shift: np.ndarray | None  # (p,): subtracted before it


class Axes(NamedTuple):
    mean: np.ndarray  # (p,)
    vectors: np.ndarray  # (k, p)
    values: np.ndarray  # (k,): variances along them
    noise: float  # variance of every other direction


class Error(NamedTuple):
    square: float
    weight: float


def project(params: Projection, block: Block) -> Any:
    """Return the scores (3) or (5) of every row, in its dtype and home."""
    X = block.X
    with np.errstate(
        invalid="ignore", over="ignore"
    ):  # the scores of rows with NaN or infinity are looked at afterwards
        return project_block(params, X)


def project_block(params: Projection, X: Any) -> Any:
    """Return the scores of rows."""
    if params.shift is not None and not arrays.is_sparse(X):
        X = X - arrays.like(X, params.shift)
        return X @ arrays.like(X, params.matrix)
    matrix, offset = arrays.like(X, params.matrix), arrays.like(X, params.offset)
    if isinstance(X, np.ndarray) and matrix.shape[1] <= NARROW:
        out = np.empty((X.shape[0], matrix.shape[1]), X.dtype)
        _core.products.narrow.narrow(X, np.ascontiguousarray(matrix), offset, out)
        return out
    out = X @ matrix
    out += offset
    return out


def residual_lengths(axes: Axes, block: Block) -> tuple[Any, Any]:
    """Return the scores and the squared distance to the reconstruction (4) of every row, in float64."""
    rows = arrays.center(arrays.dense(block.X), axes.mean)
    vectors = arrays.like(rows, axes.vectors, "float64")
    scores = rows @ vectors.T
    rest = rows - scores @ vectors
    return scores, (rest * rest).sum(1)


def log_density(axes: Axes, block: Block) -> Any:
    """Return the log-density of every row under N(m, V' diag(values - noise) V + noise I), in the dtype of the row."""
    p, k = axes.vectors.shape[1], len(axes.values)
    scores, rest = residual_lengths(axes, block)
    constant = p * np.log(2 * np.pi) + np.log(axes.values).sum() + (p - k) * np.log(axes.noise)
    inverse = arrays.like(scores, 1 / axes.values, "float64")
    out = -0.5 * ((scores * scores) @ inverse + rest / axes.noise + constant)
    return out if arrays.is_tensor(out) else out.astype(arrays.dtype_of(block.X))


def squared_error(axes: Axes, block: Block) -> Error:
    """Return the weighted sum of squared distances to the reconstruction."""
    _, rest = residual_lengths(axes, block)
    if block.weight is None:
        return Error(float(rest.sum()), float(block.rows))
    used = block.weight > 0
    return Error(float((rest[used] * block.weight[used]).sum()), float(block.weight.sum()))


def rebuild(params: Projection, block: Block) -> Any:
    """Return the reconstruction (3) of every row of scores."""
    return block.X @ arrays.like(block.X, params.matrix) + arrays.like(block.X, params.offset)


class PrincipalAxes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of transformers that project on orthonormal axes in falling order of variance."""

    components_: np.ndarray
    explained_variance_: np.ndarray
    explained_variance_ratio_: np.ndarray
    singular_values_: np.ndarray
    mean_: np.ndarray
    noise_variance_: float
    n_components_: int | np.int64
    whiten: bool

    if TYPE_CHECKING:  # of every estimator below

        def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self: ...

    def _keep(self, found: Spectrum, k: int | np.int64, dtype: np.dtype) -> None:
        """Store the first k axes as fitted attributes."""
        if found.weight <= 1:
            raise DataError(
                f"{type(self).__name__} needs a total weight above 1 to estimate a variance, got n_samples=1 row or weights"
                f" that sum to {found.weight:g}: weights count how often a row occurs."
            )
        rest = found.singular[k:]
        found = fill_axes(found, int(k))
        freedom = found.weight - 1
        values = found.singular**2 / freedom
        total = found.total / freedom
        limit = min(self.n_features_in_, int(np.ceil(found.weight)))
        self.n_components_ = k
        self.components_ = np.ascontiguousarray(found.vectors).astype(dtype)
        self.explained_variance_ = values.astype(dtype)
        self.explained_variance_ratio_ = (values / total if total > 0 else np.zeros(k)).astype(dtype)
        self.singular_values_ = found.singular.astype(dtype)
        self.mean_ = found.mean.astype(dtype)
        left = (rest**2).sum() / freedom if k + len(rest) >= limit else total - values.sum()
        self.noise_variance_ = float(max(left, 0.0) / (limit - k)) if k < limit else 0.0
        self._far = bool(np.abs(found.mean).max() > FAR * np.sqrt(max(total, 0.0) / self.n_features_in_))

    def _scale(self) -> np.ndarray:
        """Return the standard deviation along every axis, not below what rounding can tell from zero."""
        return np.maximum(np.sqrt(self.explained_variance_), np.finfo(self.explained_variance_.dtype).eps)

    def _axes(self) -> Axes:
        """Return the Gaussian of `log_density`: no variance below that of rounding."""
        values, noise = self.explained_variance_.astype(np.float64), float(self.noise_variance_)
        largest = max(float(values.max(initial=0.0)), noise, float(np.finfo(np.float64).tiny) / EPS)
        noise = max(noise, EPS * largest)
        least = noise if self.noise_variance_ > 0 else EPS * largest
        return Axes(
            self.mean_.astype(np.float64), self.components_.astype(np.float64), np.maximum(values, least), noise
        )

    def fit_transform(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Fit, and return the scores of every row."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: Rows) -> Any:
        """Return the scores of every row: its coordinates along the axes, whitened if requested.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components)
            A lazy array on Dask, an iterator over batches for a scan, a tensor for a tensor.
        """
        check_is_fitted(self)
        matrix = self.components_.T.astype(np.float64)
        if self.whiten:
            matrix = matrix / self._scale()
        mean, dtype = self.mean_.astype(np.float64), self.components_.dtype
        shift = mean if self._far else None
        return self._rows(
            X, project, Projection(np.ascontiguousarray(matrix, dtype), -mean @ matrix, shift), shows=bool(matrix.size)
        )

    def inverse_transform(self, X: Rows) -> Any:
        """Return the rows that scores stand for, eq. (3): the point of the subspace nearest to the original row.

        Parameters
        ----------
        X : array-like, scan, Dask collection or tensor of shape (n_samples, n_components)

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        matrix = self.components_
        if self.whiten:
            matrix = np.sqrt(self.explained_variance_[:, None]) * matrix
        scores = copy(self)  # takes rows of k columns without names
        scores.n_features_in_ = len(matrix)
        scores.__dict__.pop("feature_names_in_", None)
        return scores._rows(X, rebuild, Projection(matrix, self.mean_, None))

    def get_covariance(self) -> Any:
        """Return the covariance of the fitted Gaussian, V' diag(lambda - noise) V + noise I."""
        check_is_fitted(self)
        V, noise = self.components_, self.noise_variance_
        excess = np.maximum(self.explained_variance_ - noise, 0.0)
        out = (V.T * excess) @ V
        out.flat[:: len(out) + 1] += noise
        return out

    def get_precision(self) -> Any:
        """Return the inverse of `get_covariance`; variances below rounding count as rounding."""
        check_is_fitted(self)
        axes = self._axes()
        k, p = axes.vectors.shape
        if k == p:
            out = (axes.vectors.T / axes.values) @ axes.vectors
        else:
            out = (axes.vectors.T * (1 / axes.values - 1 / axes.noise)) @ axes.vectors
            out.flat[:: p + 1] += 1 / axes.noise
        return out.astype(self.components_.dtype)

    def score_samples(self, X: Rows) -> Any:
        """Return the log-density of every row under the fitted Gaussian (that of probabilistic PCA)."""
        check_is_fitted(self)
        with np.errstate(over="ignore"):
            return check_densities(self, X, self._rows(X, log_density, self._axes()))

    def score(self, X: Rows, y: Target = None) -> Any:
        """Return the mean log-density of the rows of X, which must be in memory or on a device."""
        check_is_fitted(self)
        out = self.score_samples(X)
        if not hasattr(out, "shape"):
            raise DataError(
                f"{type(self).__name__}.score takes data in memory; average score_samples over the batches."
            )
        return float(out.mean())

    def reconstruction_error(self, X: Rows, sample_weight: RowWeights = None) -> Any:
        """Return the mean squared distance of the rows of X to their reconstructions, eq. (4).

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
            On the training data the sum of the variances that were left out, with W in place of W - 1.
        """
        check_is_fitted(self)
        with single_blas():
            source = self._source(X, None, sample_weight, reset=False)
            total = source.total(squared_error, self._axes())
        return total.square / total.weight

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the share of the variance of every component and the share of the first k together; return the axes."""
        return plot_spectrum(self.explained_variance_ratio_, ax)

    @property
    def _n_features_out(self) -> Any:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
