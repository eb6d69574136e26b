r"""k-means: the centers that leave the least squared distance between every row and its nearest center.

    J(c, z) = sum_i w_i |x_i - c_{z_i}|^2                                                             (1)
    assign   z_i = argmin_j |x_i - c_j|                                                               (2)
    move     c_j = sum_{i: z_i = j} w_i x_i / sum_{i: z_i = j} w_i                                    (3)

(2) and (3) each minimise J over one of its arguments, so J never rises and the iterations end at a local minimum; which
one depends on the start. They stop when

    sum_j |c_j - c_j_before|^2  <=  tol * mean over the features of their variance                    (4)

Passes: novum.engines.kmeans.lloyd; what spares most of their work: _bounds (5)-(8); starts: _seeding (9), (10). Derivations:
docs/theory/kmeans.md.
"""

import logging
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from novum.base.callbacks import Logged, reporting
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Int, RandomState, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.cluster.centers import CenterModel, fitted_attributes
from novum.cluster.rows import warn_of_few_clusters
from novum.engines.kmeans.assignment import in_blocks
from novum.engines.kmeans.bounds import Lloyd
from novum.engines.kmeans.lloyd import Clusters, labels_of_block, lloyd, same_clustering
from novum.engines.kmeans.start import checked_centers, start_centers
from novum.engines.kmeans.variance import mean_variance
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["KMeans"]

MANY_STARTS = 10  # runs of n_init="auto" where starts are drawn without care
logger = logging.getLogger("novum")


def labels_in(source: Source, params: Lloyd) -> Any:
    """Return the label of every row, on a device as a tensor there; None for data that are only read in passes."""
    if not source.lists_rows:
        return None
    labels = source.rows(labels_of_block, params)
    return labels if source.on_device else arrays.to_numpy(labels)


def log_pass(run: int, n_iter: int, inertia: float) -> None:
    """Write a pass to the log."""
    logger.info("KMeans: start %d, iteration %d, inertia %.9g", run + 1, n_iter, inertia)


class KMeans(CenterModel):
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
        Index of the nearest center of every row; not kept for files and Dask collections, where `predict` gives it. Of a tensor
        on a GPU they stay there until they are read.
    inertia_ : float
        J of (1): the sum of weighted squared distances to the nearest center.
    history_ : History
        Inertia of the centers that entered every pass, and the final one. Without empty clusters it never rises.
    n_iter_ : int

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
    cluster_centers_: np.ndarray
    labels_: np.ndarray
    inertia_: float
    history_: History
    n_iter_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "random"] | Numbers | Callable[..., Any] = "k-means++",
        n_init: Literal["auto"] | int = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int | bool = 0,
        random_state: Seed = None,
        copy_x: bool = True,
        algorithm: Literal["lloyd", "elkan"] = "lloyd",
    ) -> None:
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
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the centers.

        sample_weight: zero leaves a row out; starts that are given or made by a callable do not see the weights.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = in_blocks(self._source(X, None, sample_weight))
        if source.n_rows is not None and source.n_rows < self.n_clusters:
            raise DataError(
                f"n_samples={source.n_rows} should be >= n_clusters={self.n_clusters}. Give KMeans more rows or fewer clusters."
            )
        if self.algorithm == "elkan" and self.n_clusters == 1:
            warn(
                "algorithm='elkan' doesn't make sense for a single cluster. Using 'lloyd' instead.",
                RuntimeWarning,
            )
        init, k = self.init, self.n_clusters
        if not isinstance(init, str) and not callable(init):
            init = checked_centers(init, k, source, "KMeans")
        self._n_init = self._runs()
        tol = self.tol * mean_variance(source) if self.tol else 0.0
        stream = Stream(seed_of(self.random_state))
        best: Clusters | None = None
        best_labels: Any = None
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight, "n_runs": self._n_init}
        with reporting(
            self, self.max_iter, attributes=partial(fitted_attributes, dtype=source.dtype), **options
        ) as report:
            for run in range(self._n_init):
                centers = start_centers(init, k, source, stream, run, "KMeans")
                with report.run() if self._n_init > 1 else nullcontext(report) as listener:
                    watch = Logged(listener, partial(log_pass, run)) if self.verbose else listener
                    found = lloyd(source, centers, run=run, tol=tol, max_iter=self.max_iter, report=watch)
                if best is not None and found.inertia >= best.inertia:
                    continue
                labels = labels_in(source, found.params)
                if best is None or labels is None or not same_clustering(labels, best_labels, k):
                    best, best_labels = found, labels
        assert best is not None
        self._learn(best, best_labels, source.dtype)
        return self

    def _runs(self) -> int:
        """Return the number of starts."""
        given = not isinstance(self.init, str) and not callable(self.init)
        if self.n_init == "auto":
            return MANY_STARTS if callable(self.init) or (not given and self.init == "random") else 1
        if given and self.n_init != 1:
            warn(
                "Explicit initial center position passed: performing only one init in KMeans instead of "
                f"n_init={self.n_init}.",
                RuntimeWarning,
            )
            return 1
        return self.n_init

    if not TYPE_CHECKING:  # type checkers know the attributes, and should report others

        def __getattr__(self, name: str) -> Any:
            """Return `labels_` of rows on a device: they come to the host when somebody asks, once."""
            if name == "labels_" and "_labels_there" in vars(self):
                self.labels_ = arrays.to_numpy(vars(self).pop("_labels_there"))
                return self.labels_
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> Any:
        getattr(self, "labels_", None)  # a copy or a file holds no tensor
        return super().__getstate__()

    def _learn(self, best: Clusters, labels: Any, dtype: np.dtype) -> None:
        """Turn the best run into fitted attributes."""
        warn_of_few_clusters(int((best.mass > 0).sum()), self.n_clusters)
        self.__dict__.update(fitted_attributes(best.params, dtype))
        self.inertia_, self.n_iter_ = best.inertia, best.n_iter
        self.history_ = History(best.history, name="inertia")
        for name in ("labels_", "_labels_there"):
            vars(self).pop(name, None)
        if labels is not None:
            vars(self)["_labels_there" if arrays.is_tensor(labels) else "labels_"] = labels
