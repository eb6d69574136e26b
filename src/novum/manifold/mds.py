"""Multidimensional scaling: points in few dimensions with given dissimilarities. Formulas: stress_majorization.py, torgerson.py."""

from typing import Any, Literal, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import Bool, Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.large_numbers import largest_of, too_large
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.base.validation import rows_at_hand
from novum.engines.search.index import distances_between
from novum.engines.search.metrics import usual_name
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.manifold.centered import CenteredAxes, centered_axes, euclidean_axes
from novum.manifold.parameters import Settings, Text, settings_of
from novum.manifold.quality import trustworthiness
from novum.manifold.scaling import (
    best_layout,
    checked_dissimilarities,
    given_start,
    random_starts,
    smacof,
    stress_of,
)
from novum.manifold.stress_majorization import place_rows, stress_at
from novum.manifold.torgerson import classical_points, place_by_axes
from novum.runtime.typing import Metric, Numbers, Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["MDS", "smacof"]

KNOTS = 4096  # of the function from dissimilarities to disparities that new rows need
PLACED = 2**22  # distances of new rows looked at together
NEEDS_PAIRS = "{} compares every row with every other"


class MDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Multidimensional scaling.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    metric_mds : bool, default=True
        Distances as near to the dissimilarities as possible; False: to any increasing function of them, and dissimilarities
        of zero are missing.
    n_init : int, default=1
        Random starts, of which the least stress is kept.
    init : {"random", "classical_mds"}, default="warn"
        Where to begin. Left open it means "random" and warns, as in scikit-learn, whose default will change.
    max_iter : int, default=300
        Most steps of a run.
    verbose : int, default=0
        For scikit-learn's sake: progress is reported to callbacks.
    eps : float, default=1e-6
        Stop when the stress falls by less than this share of the sum of squared distances.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        For random starts; the draws are scikit-learn's.
    dissimilarity : {"euclidean", "precomputed"}, default="deprecated"
        Old name of `metric`.
    metric : str or function, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed": X holds dissimilarities.
    metric_params : dict, default=None
        Further arguments of the metric.
    normalized_stress : bool or "auto", default="auto"
        Whether `stress_` is Kruskal's stress-1; "auto": for non-metric scaling.
    algorithm : {"smacof", "classical"}, default="smacof"
        Least stress by iterations, or inner products by eigenvectors, which need no start.

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
    stress_ : float
    dissimilarity_matrix_ : array of shape (n_samples, n_samples)
    eigenvalues_ : array of shape (n_components,)
        Of algorithm="classical".
    n_iter_ : int
    history_ : History
        The stress after every step.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import MDS
    >>> triangle = np.array([[0.0, 3, 5], [3, 0, 4], [5, 4, 0]])
    >>> points = MDS(metric="precomputed", algorithm="classical").fit_transform(triangle)
    >>> np.linalg.norm(points[0] - points[2]).round(10)
    np.float64(5.0)
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1),
        "metric_mds": Bool(),
        "n_init": Int(1) | Choice("warn"),
        "init": Choice("random", "classical_mds", "warn"),
        "max_iter": Int(1),
        "verbose": Int(0) | Bool(),
        "eps": Real(0),
        "n_jobs": Int() | Null(),
        "random_state": RandomState(),
        "dissimilarity": Choice("euclidean", "precomputed", "deprecated"),
        "metric": Text() | Function() | Bool(),
        "metric_params": Instance(dict) | Null(),
        "normalized_stress": Bool() | Choice("auto"),
        "algorithm": Choice("smacof", "classical"),
    }
    _reports_passes = True
    embedding_: np.ndarray
    stress_: float
    dissimilarity_matrix_: np.ndarray
    eigenvalues_: np.ndarray
    n_iter_: int
    history_: History

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric_mds: bool = True,
        n_init: int = 1,
        init: Literal["random", "classical_mds", "warn"] = "warn",
        max_iter: int = 300,
        verbose: int = 0,
        eps: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Seed = None,
        dissimilarity: Literal["euclidean", "precomputed", "deprecated"] = "deprecated",
        metric: Metric = "euclidean",
        metric_params: dict[str, Any] | None = None,
        normalized_stress: bool | Literal["auto"] = "auto",
        algorithm: Literal["smacof", "classical"] = "smacof",
    ) -> None:
        self.n_components = n_components
        self.metric_mds = metric_mds
        self.n_init = n_init
        self.init = init
        self.max_iter = max_iter
        self.verbose = verbose
        self.eps = eps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.dissimilarity = dissimilarity
        self.metric = metric
        self.metric_params = metric_params
        self.normalized_stress = normalized_stress
        self.algorithm = algorithm

    @fits
    def fit(self, X: Rows, y: Target = None, init: Numbers | None = None) -> Self:
        """Find the map.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features), or dissimilarities (n_samples, n_samples)
        y : ignored
        init : array-like of shape (n_samples, n_components), default=None
            Where to begin, instead of what the parameter says.

        Returns
        -------
        self
        """
        self._learn(X, init)
        return self

    @fits
    def fit_transform(self, X: Rows, y: Target = None, init: Numbers | None = None) -> Any:
        """Find the map, and return it: `embedding_`; parameters as in `fit`."""
        self._learn(X, init)
        return self.embedding_

    def _learn(self, X: Any, init: Any) -> None:
        """Set the fitted attributes."""
        settings = settings_of(self)
        rows = self._source(rows_at_hand(self, X, NEEDS_PAIRS.format(type(self).__name__)), None).array()
        if rows.shape[0] == rows.shape[1] and settings.metric != "precomputed":
            warn(
                "The provided input is a square matrix. Note that ``fit`` constructs a dissimilarity matrix from data and will"
                " treat rows as samples and columns as features. To use a pre-computed dissimilarity matrix, set"
                " ``metric='precomputed'``.",
            )
        D = self._dissimilarities(rows, settings)
        if settings.metric != "precomputed" and not np.isfinite(D).all():
            raise too_large("MDS", "X", largest_of(rows))
        plain = (
            isinstance(settings.metric, str) and usual_name(settings.metric) == "euclidean" and not self.metric_params
        )
        D = np.ascontiguousarray(D, np.float64) if plain else checked_dissimilarities(D, "MDS")
        self.dissimilarity_matrix_, self._fit_X = D, None if settings.metric == "precomputed" else rows
        self._settled = {"metric": settings.metric} if isinstance(settings.metric, str) else {}
        q = self.n_components
        if self.algorithm == "classical":
            axes = self._leading_axes(D, rows if plain else None)
            self._axis_values, self._axis_vectors, self._axis_means = axes
            self.eigenvalues_ = np.pad(axes.values, (0, q - len(axes.values)))
            start = classical_points(axes, q)
            layout = stress_at(D, start, self.n_jobs)
        else:
            starts = self._starts(D, rows if plain else None, settings, init)
            tasks: dict[str, Any] = {"n_runs": len(starts), "objective_of": "leaving"}
            tasks["attributes"] = lambda Z: {"embedding_": Z.astype(rows.dtype, copy=False)}
            with reporting(self, self.max_iter, X=X, **tasks) as report:
                layout = best_layout(
                    D,
                    starts=starts,
                    metric=settings.metric_mds,
                    max_iter=self.max_iter,
                    eps=self.eps,
                    normalized=settings.normalized,
                    report=report,
                    n_jobs=self.n_jobs,
                )
        if not layout.converged and self.eps > 0 and layout.square > 0:  # eps=0 requests all steps
            warn(
                f"MDS: the stress still fell by more than eps={self.eps:g} of the squared distances after max_iter={self.max_iter}"
                " steps; raise max_iter or eps, or begin with init='classical_mds'.",
                NotConverged,
            )
        self.embedding_ = layout.points.astype(rows.dtype, copy=False)
        self.stress_ = stress_of(layout, settings.normalized)
        self.n_iter_, self.history_ = layout.n_iter, History(layout.history, name="stress")
        if self.algorithm == "smacof" and not settings.metric_mds:
            self._keep_disparities(D, layout.disparities)

    def _dissimilarities(self, rows: np.ndarray, settings: Settings, others: np.ndarray | None = None) -> np.ndarray:
        """Return the dissimilarities of rows to each other, or to the training rows."""
        if settings.metric == "precomputed":
            return rows
        if others is not None:
            rows, others = rows.astype(np.float64), others.astype(np.float64)
        try:
            return distances_between(
                rows, rows if others is None else others, settings.metric, self.metric_params or {}
            )
        except ValueError as error:
            if "Unknown metric" in str(error) or "metric" in str(error).lower():
                raise ParameterError(f"The 'metric' parameter of MDS: {error}") from error
            raise

    def _leading_axes(self, D: np.ndarray, rows: np.ndarray | None) -> CenteredAxes:
        """Return the axes of classical scaling; `rows` are those between which D are Euclidean distances."""
        if rows is not None and self.n_components <= rows.shape[1] < len(rows):
            return euclidean_axes(rows, self.n_components)
        return centered_axes(D, self.n_components, n_jobs=self.n_jobs)

    def _starts(self, D: np.ndarray, rows: np.ndarray | None, settings: Settings, init: Any) -> list[np.ndarray]:
        """Return where the runs begin."""
        q = self.n_components
        if init is not None:
            if self.n_init not in (1, "warn"):
                warn(
                    f"Explicit initial positions passed: performing only one init of the MDS instead of {self.n_init}",
                )
            return [given_start(init, len(D), "MDS")]
        if settings.init == "classical_mds":
            return [classical_points(self._leading_axes(D, rows), q)]
        return random_starts(len(D), q, 1 if self.n_init == "warn" else self.n_init, self.random_state)

    def _keep_disparities(self, D: np.ndarray, disparities: np.ndarray) -> None:
        """Keep the increasing function of (3), thinned, for new rows."""
        first, second = np.triu_indices(len(D), 1)
        known = D[first, second] > 0
        x, value = D[first, second][known], disparities[first, second][known]
        order = np.argsort(x, kind="stable")
        places: Any = (
            np.unique(np.linspace(0, len(order) - 1, min(KNOTS, len(order))).astype(int)) if len(order) else []
        )
        self._knots = np.array([x[order][places], value[order][places]])

    def transform(self, X: Rows) -> Any:
        """Return the places of new rows on the map: each where its own stress against the training points is least.

        Of algorithm="classical" the projection (6) instead. The map stays as it is.

        Parameters
        ----------
        X : array-like or frame of shape (n_queries, n_features), or dissimilarities to the training rows if metric="precomputed"

        Returns
        -------
        array of shape (n_queries, n_components)
        """
        check_is_fitted(self)
        metric = "precomputed" if self._fit_X is None else self._settled.get("metric", self.metric)
        settings = Settings(metric, True, "", False)
        return self._rows(rows_at_hand(self, X, NEEDS_PAIRS.format(type(self).__name__)), self._place, settings)

    def _place(self, settings: Settings, block: Any) -> np.ndarray:
        """Return the places of the rows of a block."""
        points = self.embedding_.astype(np.float64)
        out = np.empty((block.rows, points.shape[1]), block.X.dtype)
        classical = self.algorithm == "classical"
        axes = CenteredAxes(self._axis_values, self._axis_vectors, self._axis_means) if classical else None
        step = max(1, PLACED // (len(points) * max(1, points.shape[1])))
        for start in range(0, block.rows, step):
            D = self._dissimilarities(block.X[start : start + step], settings, self._fit_X)
            if (D < 0).any():
                raise DataError(f"MDS: dissimilarities are numbers >= 0, got {D.min():g}.")
            if axes is not None:
                out[start : start + step] = place_by_axes(D**2, axes, points.shape[1])
                continue
            if hasattr(self, "_knots"):
                D = np.interp(D, *self._knots)
            out[start : start + step] = place_rows(np.asarray(D, dtype=np.float64), points)
        return out

    def trustworthiness(self, n_neighbors: int = 5) -> float:
        """Return the share of neighborhoods on the map that are neighborhoods of the training rows."""
        check_is_fitted(self)
        return trustworthiness(
            self.dissimilarity_matrix_, self.embedding_, n_neighbors=n_neighbors, metric="precomputed"
        )

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = "precomputed" in (
            self.dissimilarity,
            self.metric if isinstance(self.metric, str) else "",
        )
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.non_deterministic = True
        return tags
