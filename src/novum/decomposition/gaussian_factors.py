"""What factor models share once their parameters are known: posterior of the factors, densities, imputation, samples."""

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import scipy.linalg

from novum.base.checks.learned import check_densities
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.decomposition.latent import Factors, posterior
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.report.result import result
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["FactorModel", "FactorPosterior"]

TINY_NOISE = 1e-6  # noise, relative to the variance of the factors, below which the small system costs digits


@result
class FactorPosterior(NamedTuple):
    """Normal posterior of the factors of every row."""

    mean: Any  # (n, q)
    covariance: Any  # (n, q, q)


def cast(values: Any, block: Block) -> Any:
    """Return float64 values in the dtype of the block."""
    return values.to(block.X.dtype) if arrays.is_tensor(values) else values.astype(block.X.dtype, copy=False)


def factor_means(params: Factors, block: Block) -> Any:
    """Return E[z | x] of every row."""
    return cast(posterior(params, block)[0], block)


def factor_covariances(params: Factors, block: Block) -> Any:
    """Return cov(z | x) of every row."""
    return cast(posterior(params, block, covariance=True)[1], block)


def log_densities(params: Factors, block: Block) -> Any:
    """Return the log-density of the observed cells of every row."""
    return cast(posterior(params, block)[2], block)


def impute_block(params: Factors, block: Block) -> Any:
    """Return the rows with every missing cell at its mean given the observed ones."""
    z = posterior(params, block)[0]
    W, mean = arrays.like(z, params.loadings, "float64"), arrays.like(z, params.mean, "float64")
    filled = z @ W.T + mean
    seen = block.X == block.X
    return arrays.where(seen, block.X, cast(filled, block))


def rebuilt(params: Factors, block: Block) -> Any:
    """Return mu + W z for every row of factors."""
    return block.X @ arrays.like(block.X, params.loadings.T) + arrays.like(block.X, params.mean)


class FactorModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Base of x = mu + W z + noise; a missing cell (NaN) is integrated out everywhere."""

    _mean: np.ndarray
    _loadings: np.ndarray
    _noise: np.ndarray
    components_: np.ndarray
    mean_: np.ndarray

    if TYPE_CHECKING:  # of every estimator below

        def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self: ...

    def _factors(self) -> Factors:
        check_is_fitted(self)
        return Factors(self._mean, self._loadings, self._noise)

    def fit_transform(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Fit, and return the posterior mean of the factors of every row."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: Rows) -> Any:
        """Return the posterior mean of the factors of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
            NaN marks a missing cell.

        Returns
        -------
        array of shape (n_samples, n_components)
            A lazy array on Dask, an iterator over batches for a scan, a tensor for a tensor.
        """
        return self._rows(X, factor_means, self._factors())

    def posterior(self, X: Rows) -> FactorPosterior:
        """Return mean and covariance of the factors of every row, eq. (16); X in memory or on a device."""
        return FactorPosterior(self.transform(X), self._rows(X, factor_covariances, self._factors()))

    def inverse_transform(self, X: Rows) -> Any:
        """Return mu + W z for every row of factors, shape (n_samples, n_features)."""
        scores = copy(self)  # takes rows of q columns without names
        params = self._factors()
        scores.n_features_in_ = params.loadings.shape[1]
        scores.__dict__.pop("feature_names_in_", None)
        return scores._rows(X, rebuilt, params)

    def impute(self, X: Rows) -> Any:
        """Return X with every missing cell replaced by its mean given the observed cells of its row."""
        return self._rows(X, impute_block, self._factors())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Any:
        """Draw rows and their factors: first the factors, then the row given them.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

        Returns
        -------
        X, Z : arrays of shape (n_samples, n_features) and (n_samples, n_components)
        """
        params = self._factors()
        if n_samples < 1:
            raise ParameterError(
                f"Invalid value for 'n_samples': {n_samples}. {type(self).__name__}.sample needs 1 or more."
            )
        stream, (p, q) = Stream(seed_of(random_state)), params.loadings.shape
        z = stream.normal("factors", 0, n_samples, q) if q else np.zeros((n_samples, 0))
        noise = stream.normal("noise", 0, n_samples, p) * np.sqrt(params.noise)
        rows = z @ params.loadings.T + params.mean + noise
        return rows.astype(self.mean_.dtype), z.astype(self.mean_.dtype)

    def get_covariance(self) -> Any:
        """Return the covariance of a row, W W' + diag(psi)."""
        params = self._factors()
        out = params.loadings @ params.loadings.T
        out.flat[:: len(out) + 1] += params.noise
        return out.astype(self.mean_.dtype)

    def get_precision(self) -> Any:
        """Return the inverse of `get_covariance`, by a system of the size of the factors where the noise is not too small."""
        _, W, psi = self._factors()
        if W.shape[1] == len(psi) or psi.min() < TINY_NOISE * (W**2).sum(axis=1).max(initial=0.0):
            return scipy.linalg.inv(W @ W.T + np.diag(psi)).astype(self.mean_.dtype)
        scaled = W / psi[:, None]
        inner = W.T @ scaled
        inner.flat[:: len(inner) + 1] += 1.0
        out = -scaled @ scipy.linalg.solve(inner, scaled.T, assume_a="pos") if W.shape[1] else np.zeros((len(psi),) * 2)
        out.flat[:: len(out) + 1] += 1 / psi
        return out.astype(self.mean_.dtype)

    def score_samples(self, X: Rows) -> Any:
        """Return the log-density (17) of the observed cells of every row."""
        with np.errstate(over="ignore"):
            return check_densities(self, X, self._rows(X, log_densities, self._factors()))

    def score(self, X: Rows, y: Target = None) -> Any:
        """Return the mean of `score_samples`; X in memory or on a device."""
        out = self.score_samples(X)
        if not hasattr(out, "shape"):
            raise DataError(
                f"{type(self).__name__}.score takes data in memory; average score_samples over the batches."
            )
        return float(out.mean())

    @property
    def _n_features_out(self) -> Any:
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
