r"""k-means: the centers that leave the least squared distance between every row and its nearest center.

    J(c, z) = sum_i w_i |x_i - c_{z_i}|^2                                                             (1)
    assign   z_i = argmin_j |x_i - c_j|                                                               (2)
    move     c_j = sum_{i: z_i = j} w_i x_i / sum_{i: z_i = j} w_i                                    (3)

(2) and (3) each minimise J over one of its arguments, so J never rises and the iterations end at a local minimum; which
one depends on the start. They stop when

    sum_j |c_j - c_j_before|^2  <=  tol * mean over the features of their variance                    (4)

Passes: novum.cluster._lloyd; what spares most of their work: _bounds (5)-(8); starts: _seeding (9), (10). Derivations:
docs/theory/kmeans.md.
"""

import logging
import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from novum import _array, _core
from novum._random import Stream, seed_of
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Int, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.cluster import _blockwise, _seeding
from novum.cluster._bounds import Lloyd, guided_pass
from novum.cluster._lloyd import Clusters, labels_of_block, lloyd
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block, Source, block_rows
from novum.fold.memory import MemorySource

__all__ = ["KMeans"]

ROW_VALUES = 16  # looking a row up costs as much as reading this many of its values: blocks of narrow data hold fewer rows
MANY_STARTS = 10  # runs of n_init="auto" where starts are drawn without care
logger = logging.getLogger("novum")


class Spread(NamedTuple):
    """Sums about a shift."""

    mass: NDArray  # (1,)
    first: NDArray  # (1, d): sum of w (x - shift)
    second: NDArray  # (1, d): sum of w (x - shift)^2


def block_spread(shift: NDArray, block: Block) -> Spread:
    """Return the sums that the variance of every feature needs."""
    X, weight = _blockwise.host(block.X), _blockwise.host(block.weight)
    if scipy.sparse.issparse(X):
        w = np.ones(block.rows) if weight is None else weight
        first, second = X.T @ w, X.multiply(X).T @ w
        correction = w.sum() * shift[0]
        return Spread(np.array([w.sum()]), (first - correction)[None], (second - 2 * shift[0] * first + shift[0] * correction)[None])
    if _array.is_tensor(X):
        offset = _array.centred(X, shift[0])
        w = _array.ones(X, X.shape[0]) if weight is None else weight
        return Spread(*(_array.to_numpy(part)[None] for part in (w.sum(), w @ offset, w @ (offset * offset))))
    sums = Spread(np.zeros(1), np.zeros(shift.shape), np.zeros(shift.shape))
    _core.gaussian.class_moments(X, np.zeros(block.rows, np.int64), weight, shift, *sums)
    return sums


def mean_variance(source: Source) -> float:
    """Return the weighted variance of a feature, averaged over the features: the scale of (4)."""
    shift = np.zeros((1, source.n_features))
    if not source.sparse:
        shift = _array.row_mean(source.first().X)[None].astype(np.float64)
    sums = source.total(block_spread, shift)
    offset = sums.first[0] / sums.mass[0]
    return float(np.mean(np.maximum(sums.second[0] / sums.mass[0] - offset**2, 0.0)))


def same_clustering(a: NDArray, b: NDArray, k: int) -> bool:
    """Return whether two labellings differ by the names of the clusters alone."""
    pairs = np.unique(a.astype(np.int64) * k + b)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Estimator):
    """k-means clustering.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"k-means++", "random"}, array-like of shape (n_clusters, n_features) or callable, default="k-means++"
        Where to start: rows drawn far apart, rows drawn at random (both by weight), the centers given, or what
        `init(X, n_clusters, random_state=...)` returns. Data outside memory are sampled for "k-means++": 65536 rows, or
        64 per cluster if that is more.
    n_init : int or "auto", default="auto"
        Starts to try; the best result in inertia is kept. "auto" is 10 for "random" and for a callable, else 1.
    max_iter : int, default=300
    tol : float, default=1e-4
        Stop when the centers together move by at most `tol` times the mean variance of a feature, in squared distance.
    verbose : int or bool, default=0
        Whether to log every pass, to the logger "novum".
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    copy_x : bool, default=True
        For scikit-learn's sake: X is neither copied nor changed.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        Both run the same passes; bounds that spare distances are used wherever they pay.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
    labels_ : array of shape (n_samples,)
        Index of the nearest center of every row; not kept for files and Dask collections, where `predict` gives it.
    inertia_ : float
        J of (1): the sum of weighted squared distances to the nearest center.
    history_ : list of float
        Inertia of the centers that entered every pass, and the final one. Without empty clusters it never rises.
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import KMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = KMeans(2, random_state=0).fit(X)
    >>> model.inertia_
    16.0
    >>> same = model.predict([[0, 0], [12, 3]]) == model.labels_[[0, 3]]
    >>> bool(same.all())
    True
    """

    _domains: dict[str, Domain] = {
        "n_clusters": Int(1),
        "init": Choice("k-means++", "random") | Function() | ArrayLike(),
        "n_init": Choice("auto") | Int(1),
        "max_iter": Int(1),
        "tol": Real(0),
        "verbose": Int(0) | Bool(),
        "random_state": RandomState(),
        "copy_x": Bool(),
        "algorithm": Choice("lloyd", "elkan"),
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        init="k-means++",
        n_init="auto",
        max_iter=300,
        tol=1e-4,
        verbose=0,
        random_state=None,
        copy_x=True,
        algorithm="lloyd",
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm

    @fits
    def fit(self, X, y=None, sample_weight=None):
        """Find the centers.

        Parameters
        ----------
        X : array-like, CSR matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            Zero leaves a row out; starts that are given or made by a callable do not see the weights.

        Returns
        -------
        self
        """
        source = self._blocks(self._source(X, None, sample_weight))
        if source.n_rows is not None and source.n_rows < self.n_clusters:
            raise DataError(
                f"n_samples={source.n_rows} should be >= n_clusters={self.n_clusters}. Give KMeans more rows or fewer clusters."
            )
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warnings.warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.", RuntimeWarning, stacklevel=3
            )
        starts, self._n_init = self._start(source), self._runs()
        tol = self.tol * mean_variance(source) if self.tol else 0.0
        stream = Stream(seed_of(self.random_state))
        best, best_labels = None, None
        for run in range(self._n_init):
            centers = self._centers(starts, source, stream, run)
            report = self._report(run) if self.verbose else None
            found = lloyd(source, centers, run=run, tol=tol, max_iter=self.max_iter, report=report)
            if best is not None and found.inertia >= best.inertia:
                continue
            labels = _array.to_numpy(source.rows(labels_of_block, found.params)) if self._keeps_labels(source) else None
            if best is None or labels is None or not same_clustering(labels, best_labels, self.n_clusters):
                best, best_labels = found, labels
        assert best is not None
        self._learn(best, best_labels, source.dtype)
        return self

    @staticmethod
    def _blocks(source: Source) -> Source:
        """Return the source in blocks that suit k-means: a row costs something however narrow it is."""
        if isinstance(source, MemorySource) and source.n_rows:
            return source.cut(block_rows(source.n_rows, source.n_features + ROW_VALUES))
        return source

    @staticmethod
    def _keeps_labels(source: Source) -> bool:
        return source.home in ("memory", "tensor")

    def _runs(self) -> int:
        """Return the number of starts."""
        given = not isinstance(self.init, str) and not callable(self.init)
        if self.n_init == "auto":
            return MANY_STARTS if callable(self.init) or (not given and self.init == "random") else 1
        if given and self.n_init != 1:
            warnings.warn(
                "Explicit initial center position passed: performing only one init in KMeans instead of "
                f"n_init={self.n_init}.",
                RuntimeWarning,
                stacklevel=4,
            )
            return 1
        return self.n_init

    def _start(self, source: Source) -> NDArray | None:
        """Return the centers that `init` gives, or None where it names or makes them."""
        if isinstance(self.init, str) or callable(self.init):
            return None
        return self._checked(self.init, source)

    def _checked(self, centers: Any, source: Source) -> NDArray:
        """Return initial centers as float64 rows in the precision of the data, one per cluster."""
        given = centers.toarray() if scipy.sparse.issparse(centers) else _array.to_numpy(centers)
        given = check_array(given, dtype=source.dtype, input_name="init", estimator=self).astype(np.float64)
        if given.shape[0] != self.n_clusters:
            raise ParameterError(
                f"The shape of the initial centers {given.shape} does not match the number of clusters {self.n_clusters}."
                " Give KMeans(init=...) one row per cluster."
            )
        if given.shape[1] != source.n_features:
            raise ParameterError(
                f"The shape of the initial centers {given.shape} does not match the number of features of the data"
                f" {source.n_features}. Give KMeans(init=...) one column per feature."
            )
        return given

    def _centers(self, given: NDArray | None, source: Source, stream: Stream, run: int) -> NDArray:
        """Return the centers at which one run starts."""
        k = self.n_clusters
        if given is not None:
            return given
        if callable(self.init):
            if not isinstance(source, MemorySource):
                raise ParameterError(
                    f"KMeans(init={self.init!r}): a callable needs X as one array, which data in a {source.home} are not. Give"
                    " the centers, or 'k-means++' or 'random'."
                )
            seed = int(stream.integers("kmeans callable", run, 1, 2**31)[0])
            X = source.tiles.tile(0, source.n_rows)
            return self._checked(self.init(X, k, random_state=np.random.RandomState(seed)), source)
        if self.init == "random":
            seeds = _seeding.random_rows(source, k, stream, run)
        else:
            seeds = _seeding.plus_plus(_seeding.sampled(source, k, stream, run), k, stream, run)
        if len(seeds.centers) < k:
            raise DataError(
                f"KMeans(n_clusters={k}): only {len(seeds.centers)} rows have a positive weight. Give more of them, or fewer"
                " clusters."
            )
        return seeds.centers

    def _report(self, run: int):
        """Return what tells the log of every pass."""

        def report(n_iter: int, inertia: float, params: Lloyd) -> bool:
            logger.info("KMeans start %d, iteration %d, inertia %.9g", run, n_iter, inertia)
            return False

        return report

    def _learn(self, best: Clusters, labels: NDArray | None, dtype: np.dtype) -> None:
        """Turn the best run into fitted attributes."""
        occupied = int((best.mass > 0).sum()) if labels is None else len(np.unique(labels))
        if occupied < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({occupied}) found smaller than n_clusters ({self.n_clusters})."
                " Possibly due to duplicate points in X.",
                NotConverged,
                stacklevel=4,
            )
        self.cluster_centers_ = best.params.centers.astype(dtype)
        self._n_features_out = self.n_clusters
        self.inertia_, self.history_, self.n_iter_ = best.inertia, best.history, best.n_iter
        if labels is not None:
            self.labels_ = labels
        elif hasattr(self, "labels_"):
            del self.labels_

    def _fitted(self) -> Lloyd:
        """Return the fitted centers as parameters of a pass."""
        check_is_fitted(self)
        return Lloyd(np.ascontiguousarray(self.cluster_centers_, dtype=np.float64), -1, 0, None)

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, and return the label of every row."""
        self.fit(X, sample_weight=sample_weight)
        return self.labels_ if hasattr(self, "labels_") and not _array.is_tensor(X) else self.predict(X)

    def fit_transform(self, X, y=None, sample_weight=None):
        """Fit, and return the distance of every row to every center."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def predict(self, X):
        """Return the index of the nearest center of every row.

        In memory an array, for a scan an iterator over batches, for Dask a lazy array, for a tensor a tensor.
        """
        return self._rows(X, labels_of_block, self._fitted())

    def transform(self, X):
        """Return the distance of every row to every center, shape (n_samples, n_clusters)."""
        return self._rows(X, distances_of_block, self._fitted())

    def score(self, X, y=None, sample_weight=None):
        """Return -J of (1) for the fitted centers: minus the inertia of these rows."""
        params = self._fitted()
        source = self._blocks(self._source(X, None, sample_weight, reset=False))
        return -float(source.total(guided_pass, params).inertia)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def distances_of_block(params: Lloyd, block: Block) -> Any:
    """Return the distance of every row of a block to every center."""
    return _blockwise.all_distances(params.centers, block)
