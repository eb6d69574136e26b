r"""Random Fourier features: cosines of random directions, whose inner products are about a Gaussian kernel.

    exp(-g |x - z|^2) = E cos(w'(x - z)),   w ~ N(0, 2 g I)                                        Bochner's theorem    (1)
    phi_j(x) = sqrt(2 / m) cos(w_j'x + b_j),   b_j uniform on [0, 2 pi)                                                 (2)
    E phi(x)'phi(z) = exp(-g |x - z|^2),   standard deviation at most sqrt(2 / m) at every pair                         (3)

docs/theory/kernel_machines.md. A fit looks at the number of columns alone, unless g is to be scaled by their variance.
"""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from novum import _core
from novum.base.domains import Choice, Domain, Int, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["RBFSampler"]

LARGEST_SEED = 2**32  # of NumPy's RandomState


class Cells(NamedTuple):
    """Number, mean and sum of squared deviations of all cells."""

    number: float
    mean: float
    square: float


class Waves(NamedTuple):
    """Parameters of (2)."""

    weights: NDArray[Any]  # (d, m)
    offset: NDArray[Any]  # (m,)


def cells_of(_: Any, block: Block) -> Cells:
    """Return the moments of the cells of a block."""
    count = float(block.X.shape[0] * block.X.shape[1])
    if arrays.is_sparse(block.X):
        mean = float(block.X.sum(dtype=np.float64)) / count
        square = float(((block.X.data.astype(np.float64) - mean) ** 2).sum()) + (count - block.X.nnz) * mean**2
        return Cells(count, mean, square)
    X = arrays.double(block.X)
    mean = float(X.mean())
    return Cells(count, mean, float(((X - mean) ** 2).sum()))


def merge_cells(a: Cells, b: Cells) -> Cells:
    """Return the moments of both."""
    number = a.number + b.number
    apart = b.mean - a.mean
    between = apart**2 * a.number * b.number / number
    return Cells(number, a.mean + apart * b.number / number, a.square + b.square + between)


def waves(params: Waves, block: Block) -> Any:
    """Return (2) for every row, in the dtype and home of the block."""
    if arrays.is_tensor(block.X):
        phase = block.X @ arrays.like(block.X, params.weights) + arrays.like(block.X, params.offset)
        return phase.cos() * (2 / len(params.offset)) ** 0.5
    phase = np.ascontiguousarray(block.X @ params.weights.astype(block.X.dtype, copy=False))
    offset = np.ascontiguousarray(params.offset, phase.dtype)
    _core.kernels.waves.cosines(phase, offset, (2 / len(offset)) ** 0.5)
    return phase


def legacy_random_state(random_state: Any) -> np.random.RandomState:
    """Return NumPy's RandomState of a seed, so that draws are scikit-learn's; of other random states, one seeded by them."""
    if isinstance(random_state, np.random.Generator | np.random.SeedSequence):
        return np.random.RandomState(seed_of(random_state) % LARGEST_SEED)
    return check_random_state(random_state)


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Random Fourier features of the Gaussian kernel.

    Parameters
    ----------
    gamma : float or "scale", default=1.0
        g of (1); "scale": one over the number of columns times the variance of all cells.
    n_components : int, default=100
        m of (2).
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Of directions and offsets; an int draws those that scikit-learn draws.

    Attributes
    ----------
    random_weights_ : array of shape (n_features, n_components)
        w of (2).
    random_offset_ : array of shape (n_components,)
        b of (2).

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernel_approximation import RBFSampler
    >>> X = np.array([[0.0, 0.0], [1.0, 0.5]])
    >>> features = RBFSampler(gamma=0.5, n_components=10_000, random_state=0).fit_transform(X)
    >>> round(float(features[0] @ features[1]), 2), round(float(np.exp(-0.5 * 1.25)), 2)
    (0.55, 0.54)
    """

    _domains: dict[str, Domain] = {
        "gamma": Real(0) | Choice("scale"),
        "n_components": Int(1),
        "random_state": RandomState(),
    }
    random_weights_: np.ndarray
    random_offset_: np.ndarray

    def __init__(
        self, *, gamma: float | Literal["scale"] = 1.0, n_components: int = 100, random_state: Seed = None
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Draw directions and offsets.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        source = self._source(X)
        d, m = source.n_features, int(self.n_components)
        if isinstance(self.gamma, str):
            cells = source.total(cells_of, None, merge_cells)
            self._gamma = cells.number / (d * cells.square) if cells.square > 0 else 1.0
        else:
            self._gamma = self.gamma
        draws = legacy_random_state(self.random_state)
        self.random_weights_ = ((2.0 * self._gamma) ** 0.5 * draws.normal(size=(d, m))).astype(source.dtype, copy=False)
        self.random_offset_ = draws.uniform(0, 2 * np.pi, size=m).astype(source.dtype, copy=False)
        self._n_features_out = m
        return self

    def transform(self, X: Rows) -> Any:
        """Return (2) for every row, in the home of X.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        return self._rows(X, waves, Waves(self.random_weights_, self.random_offset_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
