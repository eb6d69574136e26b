r"""Nystroem's features: kernels with a few of the rows, turned so that their inner products are about those of the kernel.

With landmarks z_1 ... z_m drawn from the rows and B their kernel matrix,

    phi(x) = B^(-1/2) (k(x, z_1), ..., k(x, z_m))'                                                                     (1)
    phi(x)'phi(x') = k_x' B^-1 k_x'                                                                                    (2)

which is the kernel itself where x or x' is a landmark, and else that of their projections on the span of the landmarks' features.
docs/theory/kernel_machines.md.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from novum.base.device_forms import is_elsewhere
from novum.base.domains import Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.base.validation import home_of
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.fold.dealing import row_count
from novum.kernel_approximation.fourier import legacy_random_state
from novum.kernels.base import number_of_samples
from novum.kernels.choice import NAMES, KernelChoice, looks_numeric
from novum.kernels.device.choice import DeviceChoice, device_choice
from novum.kernels.kernel_machine import KernelLearner
from novum.runtime import arrays
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["Nystroem"]

PERMUTED_ROWS = 2**24  # scikit-learn draws a permutation of all rows; a longer one would be no small thing to hold
PURPOSE = "nystroem landmarks"
LEAST = 1e-12  # singular values of B are not taken for less, as in scikit-learn


class Landmarks(NamedTuple):
    """Parameters of (1)."""

    kernel: KernelChoice
    rows: Any  # landmarks; of a kernel matrix the numbers of their columns
    root: NDArray[np.float64]  # (m, m): B^(-1/2)


class SampledLandmarks(NamedTuple):
    """Rows with the least keys."""

    key: NDArray[np.float64]  # (m,)
    row: NDArray[np.int64]  # (m,): where they are in the data
    x: NDArray[Any]  # (m, d)


class Draw(NamedTuple):
    stream: Stream
    n_landmarks: int


def rows_at(index: NDArray[np.int64], block: Block) -> SampledLandmarks:
    """Return the rows of a block that are among some, with their places there as keys."""
    within = (index >= block.start) & (index < block.start + block.rows)
    places = np.flatnonzero(within)
    return SampledLandmarks(places.astype(np.float64), index[places], taken(block.X, index[places] - block.start))


def drawn_rows(draw: Draw, block: Block) -> SampledLandmarks:
    """Return the rows of a block with the least keys: a sample without replacement, whatever the blocks."""
    n = block.X.shape[0]
    key = draw.stream.keys(PURPOSE, 0, slice(block.start, block.start + n))
    least = np.argsort(key, kind="stable")[: draw.n_landmarks]
    return SampledLandmarks(key[least], block.start + least, taken(block.X, least))


def taken(X: Any, rows: NDArray[np.int64]) -> NDArray[Any]:
    """Return some rows as an array."""
    return arrays.to_numpy(X[arrays.like(X, rows, "int64")]) if arrays.is_tensor(X) else X[rows]


def keep_least(n_landmarks: int, a: SampledLandmarks, b: SampledLandmarks) -> SampledLandmarks:
    """Return the rows with the least keys of both."""
    key = np.concatenate([a.key, b.key])
    least = np.argsort(key, kind="stable")[:n_landmarks]
    row, x = np.concatenate([a.row, b.row]), np.concatenate([a.x, b.x])
    return SampledLandmarks(key[least], row[least], x[least])


def drawn_landmarks(source: Source, n: int, m: int, random_state: Any) -> SampledLandmarks:
    """Return m of n rows, in the order of their draws: those that `landmark_rows` draws."""
    if n <= PERMUTED_ROWS:
        index = landmark_rows(n, m, random_state)
        found = source.total(rows_at, index, partial(keep_least, m))
    else:
        found = source.total(drawn_rows, Draw(Stream(seed_of(random_state)), m), partial(keep_least, m))
    order = np.argsort(found.key, kind="stable")  # of a single block nothing was merged, so nothing sorted
    return SampledLandmarks(*(field[order] for field in found))


def landmark_rows(n: int, m: int, random_state: Any) -> NDArray[np.int64]:
    """Return which m of n rows are landmarks; up to PERMUTED_ROWS those that scikit-learn draws."""
    if n <= PERMUTED_ROWS:
        return legacy_random_state(random_state).permutation(n)[:m]
    return Stream(seed_of(random_state)).choice(PURPOSE, 0, n, m)


def inverse_root(B: NDArray[Any]) -> NDArray[np.float64]:
    """Return B^(-1/2) of (1), from singular values: then a kernel that is not valid keeps scikit-learn's features too.

    Those of a valid kernel are its eigenvalues, for half the work.
    """
    B = np.asarray(B, dtype=np.float64)
    if np.array_equal(B, B.T):
        values, vectors = np.linalg.eigh(B)
        if values[0] >= -len(B) * np.finfo(float).eps * values[-1]:
            return (vectors / np.sqrt(np.maximum(np.abs(values), LEAST))) @ vectors.T
    U, singular, V = np.linalg.svd(B)
    return (U / np.sqrt(np.maximum(singular, LEAST))) @ V


def features(params: Landmarks, block: Block) -> Any:
    """Return (1) for every row of a block."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    K = X[:, params.rows] if params.kernel.is_matrix else params.kernel.between(X, params.rows)
    out = np.asarray(K, dtype=np.float64) @ params.root.T
    return arrays.like(block.X, out) if hasattr(block.X, "dtype") and block.X.dtype != object else out


class LandmarksThere(NamedTuple):
    """The same on a device."""

    kernel: DeviceChoice
    rows: Any
    root: Any


def features_there(params: LandmarksThere, block: Block) -> Any:
    """Return (1) for every row of a block on a device, there."""
    X = block.X[:, params.rows] if params.kernel.kernel is None else block.X
    return params.kernel.of_blocks(lambda K: K @ params.root.T, X, params.rows).to(block.X.dtype)


class Nystroem(DeviceAttributes, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelLearner):
    """Features of a kernel from a few of the rows, which a linear model can follow.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        A name of `sklearn.metrics.pairwise.kernel_metrics`, a kernel of `novum.kernels`, a function of two rows, or "precomputed":
        then X is the kernel matrix.
    gamma : float, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None: one over the number of columns ("chi2": one).
    coef0 : float, default=None
        Of "poly" and "sigmoid"; None is one.
    degree : float, default=None
        Of "poly"; None is three.
    kernel_params : dict, default=None
        Keywords of a function.
    n_components : int, default=100
        Number of landmarks, and of features; fewer where there are fewer rows.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Which rows become landmarks; up to 2^24 rows an int draws those that scikit-learn draws, wherever the rows are.
    n_jobs : int, default=None
        Threads over blocks of rows.

    Attributes
    ----------
    components_ : array, sparse matrix or list of n_components rows
        The landmarks.
    component_indices_ : array of shape (n_components,)
        Where they are in the data.
    normalization_ : array of shape (n_components, n_components)
        B^(-1/2) of (1).

    Examples
    --------
    Data that lie in files or on a cluster are read once for the landmarks; `transform` then works block by block.

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from novum.kernel_approximation import Nystroem
    >>> from novum.svm import LinearSVC
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> label = (X**2).sum(axis=1) > 1.4
    >>> bool(make_pipeline(Nystroem(n_components=30, random_state=0), LinearSVC()).fit(X, label).score(X, label) > 0.95)
    True
    """

    _domains: dict[str, Domain] = {
        "kernel": Choice(*NAMES) | Function(),
        "gamma": Real(0) | Null(),
        "coef0": Real() | Null(),
        "degree": Real(1) | Null(),
        "kernel_params": Instance(dict) | Null(),
        "n_components": Int(1),
        "random_state": RandomState(),
        "n_jobs": Int() | Null(),
    }
    components_: Any
    component_indices_: np.ndarray
    normalization_: np.ndarray

    def __init__(
        self,
        kernel: Literal[
            "additive_chi2",
            "chi2",
            "cosine",
            "laplacian",
            "linear",
            "poly",
            "polynomial",
            "rbf",
            "sigmoid",
            "precomputed",
        ]
        | Callable[..., Any] = "rbf",
        *,
        gamma: float | None = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: Mapping[Any, Any] | None = None,
        n_components: int = 100,
        random_state: Seed = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _choice(self) -> KernelChoice:
        set_ones = {
            name: getattr(self, name) for name in ("gamma", "coef0", "degree") if getattr(self, name) is not None
        }
        if callable(self.kernel) or self.kernel == "precomputed":
            if set_ones:
                raise ParameterError(
                    f"Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel: got {set_ones}. A"
                    " function gets its keywords by kernel_params."
                )
            return KernelChoice(self.kernel, self.kernel_params or {}, "Nystroem")
        return KernelChoice(self.kernel, {**(self.kernel_params or {}), **set_ones}, "Nystroem")

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Draw the landmarks.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        choice = self._choice()
        numeric = not callable(self.kernel) or home_of(X) != "memory" or looks_numeric(X)
        source = self._source(X) if numeric and home_of(X) != "memory" else None
        if is_elsewhere(X):
            device_choice(choice, cast(Any, X).shape[-1])  # refused where `transform` could not follow
        if source is not None and (is_elsewhere(X) or not choice.is_matrix):
            seen = row_count(source)
            found = drawn_landmarks(source, seen, min(seen, int(self.n_components)), self.random_state)
            rows, index = cast(Any, found.x), found.row
        else:
            given = self._training_rows(X).X
            seen = number_of_samples(given)
            index = landmark_rows(seen, min(seen, int(self.n_components)), self.random_state)
            rows = given[index] if hasattr(given, "shape") else cast(Any, [given[i] for i in index])
        if self.n_components > seen:
            warn(
                f"n_components > n_samples. This is not possible. Nystroem(n_components={self.n_components}) has {seen} rows:"
                " n_components was set to n_samples, which results in inefficient evaluation of the full kernel.",
                UserWarning,
            )
        B = rows[:, index] if choice.is_matrix else choice.between(rows)
        single = hasattr(rows, "dtype") and rows.dtype == np.float32
        self.normalization_ = inverse_root(B).astype(np.float32 if single else np.float64, copy=False)
        self.components_, self.component_indices_ = rows, np.asarray(index)
        self._n_features_out = len(index)
        return self

    def transform(self, X: Rows) -> Any:
        """Return (1) for every row, in the home of X; with kernel="precomputed" X holds kernels with the training
        rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        if is_elsewhere(X):
            kernel = device_choice(self._choice(), vars(self).get("n_features_in_", 1))
            (root,) = self._on_device(X, "normalization_")
            if kernel.kernel is None:
                rows = arrays.like(X, self.component_indices_, "int64")
            else:
                (rows,) = self._on_device(X, "components_")
            return self._rows(X, features_there, LandmarksThere(kernel, rows, root))
        return self._ask(X, features, self._landmarks())

    def _landmarks(self) -> Landmarks:
        choice = self._choice()
        rows = self.component_indices_ if choice.is_matrix else self.components_
        return Landmarks(choice, rows, self.normalization_.astype(np.float64, copy=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
