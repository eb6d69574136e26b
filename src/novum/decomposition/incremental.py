r"""Principal components of data that come in portions: the same as of all rows together, not an approximation.

What is kept of the rows so far is their weight W, mean m and a factor R with R'R = A'A (7), at most n_features rows. With
(W1, m1, R1) and (W2, m2, R2) of two portions,

    W = W1 + W2,   m = m1 + W2/W (m2 - m1),   R'R = R1'R1 + R2'R2 + W1 W2/W (m1 - m2)(m1 - m2)'    (24)

so R is the orthogonal factor of R1, R2 and one more row. Nothing is thrown away between portions, hence any portions in any
order give the axes of one fit to rounding.
"""

from typing import Self

import numpy as np
import scipy.sparse

from novum.base.domains import Bool, Domain, Int, Null
from novum.base.estimator import fits
from novum.decomposition.spectrum import of_factor
from novum.decomposition.subspace import PrincipalAxes
from novum.engines.moments.triangles import Factor, factor, reduce_rows
from novum.exceptions import ParameterError, ParameterTypeError
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["IncrementalPCA"]

BATCH_ROWS_PER_COLUMN = 5  # scikit-learn's batch_size_ where none is given


def merge_factors(a: Factor, b: Factor) -> Factor:
    """Return (24)."""
    weight = a.weight + b.weight
    gap = b.mean - a.mean
    step = np.sqrt(a.weight * b.weight / weight) * gap
    R = reduce_rows(np.vstack([a.xx, b.xx, step]))
    return Factor(R, R[:, :0], a.mean + b.weight / weight * gap, weight, a.rows + b.rows, a.log_weight + b.log_weight)


class IncrementalPCA(PrincipalAxes):
    """Principal component analysis in portions, exact: portions give the same axes as all rows at once.

    Parameters
    ----------
    n_components : int or None, default=None
        How many to keep; None takes min(n_samples, n_features) of the first portion.
    whiten : bool, default=False
        Divide every score by its standard deviation.
    copy : bool, default=True
        For scikit-learn's sake: X is neither copied nor changed.
    batch_size : int or None, default=None
        For scikit-learn's sake: `fit` is one pass over all rows and does not depend on it.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Axes in falling order of variance; the entry of largest size of each is positive.
    explained_variance_, explained_variance_ratio_, singular_values_ : array of shape (n_components,)
        Variances along the axes, their shares, and singular values of the centred rows.
    mean_, var_ : array of shape (n_features,)
        Mean and variance (divided by n) of every column.
    noise_variance_ : float
        Mean of the variances that were left out.
    n_components_ : int
    n_samples_seen_ : int or float
        Rows so far, or the sum of their weights.
    batch_size_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import PCA, IncrementalPCA
    >>> X = np.random.default_rng(0).normal(size=(60, 4)) * [4, 3, 2, 1]
    >>> model = IncrementalPCA(2)
    >>> for portion in (X[:10], X[10:11], X[11:]):
    ...     model = model.partial_fit(portion)
    >>> bool(np.allclose(model.components_, PCA(2).fit(X).components_, rtol=1e-12))
    True
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1) | Null(),
        "whiten": Bool(),
        "copy": Bool(),
        "batch_size": Int(1) | Null(),
    }
    var_: np.ndarray
    n_samples_seen_: float
    batch_size_: int

    def __init__(
        self, n_components: int | None = None, *, whiten: bool = False, copy: bool = True, batch_size: int | None = None
    ) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit from scratch.

        Sparse rows are made dense block by block.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight)
        self.batch_size_ = self.batch_size or BATCH_ROWS_PER_COLUMN * source.n_features
        found = factor(source)
        k = self._check_components(int(np.ceil(found.weight)), source.n_features)
        return self._learn(found, k, source.dtype)

    @fits
    def partial_fit(
        self, X: Rows, y: Target = None, sample_weight: RowWeights = None, check_input: bool = True
    ) -> Self:
        """Learn from one more portion.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, but not sparse.
        check_input : bool, default=True
            For scikit-learn's sake: X is always checked. There it is the third argument; a bool in that place is taken for it.
        """
        if isinstance(sample_weight, bool | np.bool_):
            sample_weight = None
        if scipy.sparse.issparse(X):
            raise ParameterTypeError(
                "IncrementalPCA.partial_fit does not support sparse input. Either convert data to dense or use"
                " IncrementalPCA.fit to do so in batches."
            )
        first = not hasattr(self, "components_")
        source = self._source(X, None, sample_weight, reset=first)
        found = factor(source)
        if first:
            k = self._check_components(int(np.ceil(found.weight)), source.n_features)
            return self._learn(found, k, source.dtype)
        k = len(self.components_)
        if self.n_components is not None and self.n_components != k:
            raise ParameterError(
                f"Number of input features has changed from {k} to {self.n_components} between calls to partial_fit! Try"
                f" setting n_components to a fixed value: IncrementalPCA keeps as many components as it began with."
            )
        dtype = np.result_type(self.components_.dtype, source.dtype)
        return self._learn(merge_factors(self._factor(), found), k, dtype)

    def _check_components(self, n: int, p: int) -> int:
        """Return the number of components for a first portion of n rows."""
        k = self.n_components
        if k is not None and k > p:
            raise ParameterError(
                f"n_components={k} invalid for n_features={p}, need more rows than columns for IncrementalPCA processing."
                f" Give at most {p}."
            )
        if k is not None and k > n:
            raise ParameterError(
                f"n_components={k} must be less or equal to the batch number of samples {n} for the first partial_fit call"
                f" of IncrementalPCA."
            )
        return k or min(n, p)

    def _factor(self) -> Factor:
        """Return what is kept of the rows so far."""
        root = self._root
        return Factor(root, root[:, :0], self._center, float(self.n_samples_seen_), self._seen, 0.0)

    def _learn(self, found: Factor, k: int, dtype: np.dtype) -> Self:
        """Turn the factor of all rows so far into fitted attributes."""
        self._root, self._center, self._seen = found.xx, found.mean, found.rows
        self.n_samples_seen_ = int(found.weight) if float(found.weight).is_integer() else float(found.weight)
        self.var_ = ((found.xx**2).sum(axis=0) / found.weight).astype(dtype)
        spectrum = of_factor(found.mean, found.weight, found.rows, found.xx, min(found.xx.shape))
        self._keep(spectrum, k, dtype)
        return self
