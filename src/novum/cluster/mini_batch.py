r"""Mini-batch k-means: centers that follow the rows of small draws, for data too many for whole passes.

    batch       c_j <- (n_j c_j + sum of w x over the batch's rows of j) / (n_j + their weight)       (1)
    one by one  c_j <- c_j + 2 eta (x - c_j)   for the nearest center of every row in turn            (2)

(1) with n_j the weight that j has won so far is a mean of all its rows, whatever batch they came in. (2) is the notes' stochastic
rule: a fixed rate forgets, and never comes to rest. Rows are drawn by weight. The mean inertia of the batches is
averaged,

    e <- (1 - a) e + a (batch inertia / rows),   a = min(1, 2 rows / (n + 1))                         (3)

and the search ends when (3) has not fallen for `max_no_improvement` batches. Centers that won little are thrown back among
the rows now and then.
"""

import logging
from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.cluster.centers import CenterModel, fitted_attributes
from novum.cluster.mini_batch_steps import (
    BatchStopping,
    Draws,
    Progress,
    batch_step,
    dense_rows,
    source_of,
    throw_back,
    with_weight,
)
from novum.cluster.rows import warn_of_few_clusters
from novum.engines.kmeans.assignment import in_blocks
from novum.engines.kmeans.bounds import Lloyd, guided_pass
from novum.engines.kmeans.lloyd import labels_of_block
from novum.engines.kmeans.start import checked_centers, start_centers
from novum.engines.kmeans.variance import mean_variance
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["MiniBatchKMeans"]

FEW_STARTS = 3  # runs of n_init="auto" where starts are drawn without care
ROWS_PER_REASSIGNMENT = 10  # times the clusters: how many rows pass between two looks at centers that won little
logger = logging.getLogger("novum")


class MiniBatchKMeans(CenterModel):
    """k-means from small draws of rows.

    Parameters
    ----------
    n_clusters : int, default=8
    init : {"k-means++", "random"}, array-like of shape (n_clusters, n_features) or callable, default="k-means++"
        Where to start, as in `KMeans`; methods see `init_size` rows.
    max_iter : int, default=100
        Most times that as many rows as there are are drawn.
    batch_size : int, default=1024
        Rows of a batch.
    verbose : int or bool, default=0
        Whether to log every batch, to the logger "novum".
    compute_labels : bool, default=True
        Whether labels and inertia of all rows are found at the end.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    tol : float, default=0.0
        Stop when the centers together move by at most `tol` times the mean variance of a feature; 0 sets no such limit.
    max_no_improvement : int or None, default=10
        Batches without a fall of the averaged inertia after which the search ends.
    init_size : int, default=None
        Rows drawn for the start; None is three batches, or three rows per cluster if that is more.
    n_init : int or "auto", default="auto"
        Starts to try on `init_size` rows; "auto" is 3 for "random" and for a callable, else 1.
    reassignment_ratio : float, default=0.01
        Centers that won less than this share of the largest are put on rows of a batch now and then.
    learning_rate : float or None, default=None
        None averages all rows that a center has won. A number moves the nearest center of every row in turn by twice this share
        of the way: the stochastic rule with a fixed rate, below 0.5.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
    labels_ : array of shape (n_samples,)
    inertia_ : float
        Sum of squared distances to the nearest center; of the averaged batches if `compute_labels` is False.
    n_iter_ : int
        How often as many rows as there are were drawn, rounded up.
    n_steps_ : int
        Batches.
    history_ : History
        Mean inertia of every batch, before it moved the centers.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import MiniBatchKMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = MiniBatchKMeans(2, random_state=0).fit(X)
    >>> model.cluster_centers_[model.predict([[0, 0], [12, 3]])].round().tolist()
    [[1.0, 2.0], [10.0, 2.0]]

    The notes' rule, one row at a time:

    >>> online = MiniBatchKMeans(1, init=[[0.0, 0.0]], learning_rate=0.1)
    >>> online.partial_fit([[1.0, 2.0]]).cluster_centers_
    array([[0.2, 0.4]])
    """

    _domains: dict[str, Domain] = {
        "n_clusters": Int(1),
        "init": Choice("k-means++", "random") | Function() | ArrayLike(),
        "max_iter": Int(1),
        "batch_size": Int(1),
        "verbose": Int(0) | Bool(),
        "compute_labels": Bool(),
        "random_state": RandomState(),
        "tol": Real(0),
        "max_no_improvement": Int(0) | Null(),
        "init_size": Int(1) | Null(),
        "n_init": Choice("auto") | Int(1),
        "reassignment_ratio": Real(0),
        "learning_rate": Real(0, 0.5, open="low") | Null(),
    }
    cluster_centers_: np.ndarray
    labels_: np.ndarray
    inertia_: float
    n_iter_: int
    n_steps_: int
    history_: History

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Literal["k-means++", "random"] | Numbers | Callable[..., Any] = "k-means++",
        max_iter: int = 100,
        batch_size: int = 1024,
        verbose: int | bool = 0,
        compute_labels: bool = True,
        random_state: Seed = None,
        tol: float = 0.0,
        max_no_improvement: int | None = 10,
        init_size: int | None = None,
        n_init: Literal["auto"] | int = "auto",
        reassignment_ratio: float = 0.01,
        learning_rate: float | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.verbose = verbose
        self.compute_labels = compute_labels
        self.random_state = random_state
        self.tol = tol
        self.max_no_improvement = max_no_improvement
        self.init_size = init_size
        self.n_init = n_init
        self.reassignment_ratio = reassignment_ratio
        self.learning_rate = learning_rate

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the centers. Rows outside memory come by `partial_fit`, batch by batch.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight).host()
        source = source.in_memory(
            "MiniBatchKMeans draws rows at random", "give every batch to partial_fit, or use KMeans"
        )
        whole = source
        source = with_weight(source)
        rows, weight = dense_rows(source.array()), source.weight
        n = rows.shape[0]
        self._check_enough(n)
        size = min(self.batch_size, n)
        self._seed = seed_of(self.random_state)
        stream = Stream(self._seed)
        progress = Progress(self._start(source, stream), np.zeros(self.n_clusters), 0)
        tol = self.tol * mean_variance(in_blocks(source)) if self.tol else 0.0
        watch, draws = BatchStopping(size, n, tol, self.max_no_improvement), Draws(stream, n, weight)
        history: list[float] = []
        n_steps = max(1, self.max_iter * n // size)
        with reporting(
            self,
            n_steps,
            X=X,
            sample_weight=sample_weight,
            attributes=lambda params: fitted_attributes(params, source.dtype),
        ) as report:
            report.begin(Lloyd(progress.centers, -1, 0, None))
            for step in range(1, n_steps + 1):
                batch = rows[draws.rows(step, size)]
                moved, inertia = self._move(progress, batch, None, stream, step)
                shift = float(((moved.centers - progress.centers) ** 2).sum()) if tol else 0.0
                progress = moved
                history.append(inertia / size)
                if self.verbose:
                    logger.info("MiniBatchKMeans: batch %d/%d, mean inertia %.9g", step, n_steps, history[-1])
                stop = report(step, history[-1], Lloyd(progress.centers, -1, 0, None))
                if watch.ends(step, history[-1], shift) or stop:
                    break
        self._learn(progress, source.dtype)
        self.n_steps_, self.n_iter_ = step, int(np.ceil(step * size / n))
        self.history_ = History(history, name="mean inertia of a batch")
        if self.compute_labels:
            self._label(whole)
            warn_of_few_clusters(len(np.unique(self.labels_)), self.n_clusters)
        else:
            total = float(n if weight is None else weight.sum())
            self.inertia_ = (history[-1] if watch.average is None else watch.average) * total
        return self

    @fits
    def partial_fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Move the centers by one batch; the first brings the start.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        first = not hasattr(self, "cluster_centers_")
        source = self._source(X, None, sample_weight, reset=first).host()
        source = source.in_memory("a batch is an array", "iterate over the scan and give every batch")
        if first:
            self._check_enough(source.n_rows)
            self._seed = seed_of(self.random_state)
            progress = Progress(self._start(source, Stream(self._seed)), np.zeros(self.n_clusters), 0)
        else:
            centers = np.ascontiguousarray(self.cluster_centers_, dtype=np.float64)
            progress = Progress(centers, self._counts.astype(np.float64), self._waited)
        step = getattr(self, "n_steps_", 0) + 1
        rows, weight = dense_rows(source.array()), source.weight
        progress, _ = self._move(progress, rows, weight, Stream(self._seed), step)
        self._learn(progress, source.dtype)
        self.n_steps_ = step
        if self.compute_labels:
            self._label(source)
        return self

    def _check_enough(self, n: int | None) -> None:
        if n is not None and n < self.n_clusters:
            raise DataError(
                f"n_samples={n} should be >= n_clusters={self.n_clusters}. Give MiniBatchKMeans more rows or fewer clusters."
            )

    def _start(self, source: Source, stream: Stream) -> NDArray:
        """Return the best start on a draw of rows."""
        init, k, n = self.init, self.n_clusters, int(source.n_rows or 0)
        given = not isinstance(init, str) and not callable(init)
        if given:
            init = np.ascontiguousarray(checked_centers(init, k, source, "MiniBatchKMeans"))
        size = 3 * min(self.batch_size, n) if self.init_size is None else self.init_size
        if self.init_size is None and size < k:
            size = 3 * k
        elif size < k:
            warn(
                f"init_size={size} should be larger than n_clusters={k}. Setting it to min(3*n_clusters, n_samples)",
                RuntimeWarning,
            )
            size = 3 * k
        self._init_size = min(size, n)
        self._n_init = self._runs(given)
        rows, weight = dense_rows(source.array()), source.weight  # type: ignore[attr-defined]
        drawn = np.sort(stream.permutation("mini-batch start", 0, n)[: self._init_size])
        part = source_of(rows[drawn], None if weight is None else weight[drawn])
        if weight is not None and (weight[drawn] > 0).sum() < k:
            part = source_of(rows, weight)
        if self._n_init == 1:
            centers = start_centers(init, k, part if isinstance(init, str) else source, stream, 0, "MiniBatchKMeans")
            return np.ascontiguousarray(centers)
        best, least = None, np.inf
        for run in range(self._n_init):
            centers = start_centers(init, k, part if isinstance(init, str) else source, stream, run, "MiniBatchKMeans")
            inertia = float(part.total(guided_pass, Lloyd(centers, run, 0, None)).inertia)
            if best is None or inertia < least:
                best, least = centers, inertia
        assert best is not None
        return np.ascontiguousarray(best)

    def _runs(self, given: bool) -> int:
        """Return the number of starts."""
        if self.n_init == "auto":
            return FEW_STARTS if callable(self.init) or (not given and self.init == "random") else 1
        if given and self.n_init != 1:
            warn(
                "Explicit initial center position passed: performing only one init in MiniBatchKMeans instead of"
                f" n_init={self.n_init}.",
                RuntimeWarning,
            )
            return 1
        return self.n_init

    def _move(
        self, progress: Progress, X: Any, weight: NDArray | None, stream: Stream, step: int
    ) -> tuple[Progress, float]:
        """Return the progress after a batch, and its inertia before."""
        rows = X.shape[0]
        progress = progress._replace(waited=progress.waited + rows)
        look = (progress.mass == 0).any() or progress.waited >= ROWS_PER_REASSIGNMENT * self.n_clusters
        progress, inertia = batch_step(progress, X, weight, self.learning_rate)
        if look and self.reassignment_ratio > 0 and self.learning_rate is None:
            keys = stream.uniform("mini-batch reassignment", step, rows)
            progress = throw_back(progress._replace(waited=0), X, self.reassignment_ratio, keys)
        return progress, inertia

    def _learn(self, progress: Progress, dtype: np.dtype) -> None:
        if not np.isfinite(progress.centers).all():
            raise ParameterError(
                f"MiniBatchKMeans(learning_rate={self.learning_rate}): the centers left the numbers; give a smaller rate."
            )
        self.__dict__.update(fitted_attributes(Lloyd(progress.centers, -1, 0, None), dtype))
        self._counts, self._waited = progress.mass, progress.waited

    def _label(self, source: Source) -> None:
        """Find the nearest center of every row, and the inertia."""
        blocks = in_blocks(source)
        self.labels_ = arrays.to_numpy(blocks.rows(labels_of_block, self._fitted()))
        self.inertia_ = float(blocks.total(guided_pass, self._fitted()).inertia)
