"""What mixtures share: answers about rows, criteria; and for Gaussian ones fit with its starts, and samples."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.callbacks import reporting
from novum.base.domains import Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import DensityMixin
from novum.engines.gaussians import density as _density
from novum.engines.gaussians.covariance import FORMS, FULL, dense, layout
from novum.engines.gaussians.draws import draw_gaussians
from novum.engines.gaussians.tensors import cast, log_sum
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block, Source
from novum.mixture.em import Run, Solved, best_run, work_blocks
from novum.mixture.start import INIT, filled_source, start_sums
from novum.report.axes import drawing_axes
from novum.report.plots import draw_ellipses
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["COMMON_DOMAINS", "GaussianBase", "MixtureBase", "Query", "Scored", "score_block"]

COMMON_DOMAINS: dict[str, Domain] = {
    "n_components": Int(1),
    "covariance_type": Choice(*FORMS),
    "tol": Real(0),
    "reg_covar": Real(0),
    "max_iter": Int(0),
    "n_init": Int(1),
    "init_params": Choice(*INIT),
    "trial_iter": Int(1) | Null(),
    "random_state": RandomState(),
    "warm_start": Bool(),
    "verbose": Int(0) | Bool(),
    "verbose_interval": Int(1),
}


class Scored(NamedTuple):
    """Sums behind a mean log-likelihood."""

    total: float
    weight: float


def score_block(score: tuple[Callable, Any], block: Block) -> Scored:
    """Return sum w log p(x) and sum w of one block; `score` is a function of a block and its parameters."""
    function, params = score
    values = arrays.double(function(params, block))
    if block.weight is None:
        return Scored(float(values.sum()), float(len(values)))
    values = arrays.where(block.weight > 0, values, 0.0)  # a row without weight may hold anything
    return Scored(float(block.weight @ values), float(block.weight.sum()))


class Query(NamedTuple):
    """A function of a block that gives log p(x, k), and its parameters."""

    joint: Callable
    params: Any


def posterior_of_block(query: Query, block: Block) -> Any:
    """Return p(k | x) in the dtype and home of the block."""
    joint = query.joint(query.params, block)
    return cast(arrays.exp(joint - log_sum(joint)[:, None]), block.X)


def total_of_block(query: Query, block: Block) -> Any:
    """Return log p(x)."""
    return cast(log_sum(query.joint(query.params, block)), block.X)


def label_of_block(query: Query, block: Block) -> Any:
    """Return the most probable component."""
    return arrays.argmax(query.joint(query.params, block))


class MixtureBase(DensityMixin, Estimator):
    """What every mixture answers; a subclass brings `_query()`, and `_n_parameters()`."""

    _reports_passes = True
    _functions: tuple[Callable, Callable, Callable] = (total_of_block, posterior_of_block, label_of_block)
    converged_: bool
    n_iter_: int
    lower_bound_: float
    lower_bounds_: list[float]
    history_: History
    random_state: Any
    weights_: np.ndarray

    if TYPE_CHECKING:  # of every estimator below

        def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self: ...

    def _query(self) -> Any:
        raise NotImplementedError

    def _n_parameters(self) -> int:
        raise NotImplementedError

    def fit_predict(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Fit, and return the most probable component of every row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def score_samples(self, X: Rows) -> Any:
        """Return log p(x) of every row; missing cells are integrated out.

        In memory an array, for a scan an iterator over batches, for Dask a lazy array, for a tensor a tensor.
        """
        check_is_fitted(self)
        return self._rows(X, self._functions[0], self._query())

    def predict_proba(self, X: Rows) -> Any:
        """Return the probability of every component, one row per row of X."""
        check_is_fitted(self)
        return self._rows(X, self._functions[1], self._query())

    def predict(self, X: Rows) -> Any:
        """Return the most probable component of every row."""
        check_is_fitted(self)
        return self._rows(X, self._functions[2], self._query())

    def _scored(self, X: Any, sample_weight: Any) -> Scored:
        check_is_fitted(self)
        source = self._source(X, None, sample_weight, reset=False)
        return source.total(score_block, (self._functions[0], self._query()))

    def score(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Return the (weighted) mean of log p(x)."""
        found = self._scored(X, sample_weight)
        return found.total / found.weight

    def _learn(self, best: Run, attributes: dict[str, Any]) -> None:
        """Turn the best run into fitted attributes."""
        if not best.converged and getattr(self, "max_iter", 1) > 0:
            warn(
                "Best performing initialization did not converge. Try different init parameters, or increase max_iter, tol,"
                " or check for degenerate data.",
                NotConverged,
            )
        self.__dict__.update(attributes)
        self.converged_, self.n_iter_ = best.converged, best.n_iter
        self.lower_bound_, self.lower_bounds_ = float(best.bound), list(best.bounds)
        self.history_ = History(best.objectives, name="objective")

    def _counts(self, n_samples: Any) -> tuple[Any, NDArray]:
        """Return a generator, and how many of the rows to be drawn come from every component."""
        check_is_fitted(self)
        if n_samples < 1:
            raise ParameterError(
                f"Invalid value for 'n_samples': {n_samples} . The sampling requires at least one sample."
            )
        rng = np.random.default_rng(seed_of(self.random_state))
        weights = np.asarray(self.weights_, np.float64)
        return rng, rng.multinomial(n_samples, weights / weights.sum())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def pass_of_block(params: Any, block: Block) -> Any:
    """Return the sums of one block under the density of the parameters."""
    return _density.pass_of(params.density, block)


def pass_of_all(source: Source, params: Any) -> Any:
    """Return the sums of all rows by one call, or None where they go block by block."""
    return _density.pass_of_all(params.density, source)


class LikelihoodCriteria:
    """Criteria of mixtures that maximize a likelihood."""

    _scored: Callable[[Any, Any], Scored]
    _n_parameters: Callable[[], int]

    def _criterion(self, X: Any, sample_weight: Any, bayesian: bool) -> float:
        found = self._scored(X, sample_weight)
        return -2 * found.total + self._n_parameters() * float(np.log(found.weight) if bayesian else 2)

    def aic(self, X: Rows, sample_weight: RowWeights = None) -> Any:
        """Return Akaike's criterion, -2 log-likelihood + 2 parameters: the lower the better."""
        return self._criterion(X, sample_weight, bayesian=False)

    def bic(self, X: Rows, sample_weight: RowWeights = None) -> Any:
        """Return the Bayesian criterion, -2 log-likelihood + parameters log n: the lower the better."""
        return self._criterion(X, sample_weight, bayesian=True)


class GaussianBase(MixtureBase):
    """A mixture of Gaussians with scikit-learn's interface; subclasses say how parameters follow from sums."""

    _squares_columns = _squares_rows = True
    _functions = (_density.total, _density.posterior, _density.label)
    covariance_type: str
    covariances_: np.ndarray
    init_params: str
    max_iter: int
    means_: np.ndarray
    n_components: int
    n_init: int
    random_state: Any
    tol: float
    trial_iter: int | None
    verbose: int | bool
    verbose_interval: int
    warm_start: bool
    weights_: np.ndarray

    # What a subclass brings: parameters checked against the data, parameters of a start, the maximisation, fitted attributes.
    def _prepare(self, source: Source, filled: Source) -> Any:
        raise NotImplementedError

    def _begin(self, context: Any, sums: Any, shift: NDArray | None) -> Any:
        raise NotImplementedError

    def _solve(self, context: Any, params: Any, sums: Any) -> Solved:
        raise NotImplementedError

    def _attributes(self, context: Any, params: Any, dtype: np.dtype) -> dict[str, Any]:
        raise NotImplementedError

    def _resume(self, context: Any) -> Any:
        raise NotImplementedError

    def _given_start(self) -> bool:
        return False

    def _fit(self, X: Any, sample_weight: Any) -> Source:
        """Find the parameters; returns the data."""
        owner, k = type(self).__name__, self.n_components
        source = self._source(X, None, sample_weight, min_rows=2)
        if source.n_rows is not None and source.n_rows < k:
            raise DataError(
                f"Expected n_samples >= n_components but got n_components = {k}, n_samples = {source.n_rows}."
                f" Give {owner} more rows or fewer components."
            )
        d = source.n_features
        source = work_blocks(source, k * d * (d if layout(self.covariance_type) == FULL else 4))
        filled = filled_source(source)
        context = self._prepare(source, filled)
        stream = Stream(seed_of(self.random_state))
        resumed = self.warm_start and hasattr(self, "converged_")

        def starting(run: int) -> Callable[[], Any]:
            if resumed:
                return lambda: self._resume(context)
            if self._given_start():
                return lambda: self._begin(context, None, None)
            return lambda: self._begin(
                context, *start_sums(self.init_params, self.covariance_type, filled, k, stream, run, owner)
            )

        runs = 1 if resumed else self.n_init
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight}
        trials = runs + 1 if runs > 1 and self.trial_iter is not None else runs

        def attributes(params: Any) -> dict[str, Any]:
            return self._attributes(context, params, source.dtype)

        with reporting(self, self.max_iter, n_runs=trials, attributes=attributes, **options) as report:
            best = best_run(
                [starting(run) for run in range(runs)],
                source,
                pass_of_block,
                lambda params, sums: self._solve(context, params, sums),
                tol=self.tol,
                max_iter=self.max_iter,
                trial_iter=self.trial_iter,
                previous=self.lower_bound_ if resumed else -np.inf,
                total=pass_of_all if source.at_hand else None,
                report=report,
                log_every=self.verbose_interval if self.verbose else 0,
                owner=owner,
            )
        self._learn(best, attributes(best.params))
        return source

    def _centers(self) -> NDArray:
        """Return the point about which tied covariances whiten rows."""
        return np.average(np.asarray(self.means_, np.float64), axis=0, weights=np.asarray(self.weights_, np.float64))

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the components: curves of one column, ellipses of more; return the axes."""
        return self._picture_of_rows(None, None, None, ax)

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        """Draw the components over rows in the colors of those they belong to; return the axes."""
        ax = drawing_axes(ax)
        means, weights = np.asarray(self.means_, np.float64), np.asarray(self.weights_, np.float64)
        covariances = dense(self.covariance_type, self.covariances_, *self.means_.shape)
        draw_ellipses(self, rows, means, covariances, weights, None if X is None else np.asarray(self.predict(X)), ax)
        return ax

    def sample(self, n_samples: int = 1) -> Any:
        """Draw rows from the mixture.

        Parameters
        ----------
        n_samples : int, default=1

        Returns
        -------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The component of every row; rows come component by component, as in scikit-learn.
        """
        rng, counts = self._counts(n_samples)
        covariances = dense(self.covariance_type, self.covariances_, *self.means_.shape)
        rows = draw_gaussians(rng, counts, np.asarray(self.means_, np.float64), covariances)
        return rows, np.repeat(np.arange(len(counts)), counts)
