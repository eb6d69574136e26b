r"""Mixtures of independent binary features, by expectation-maximisation.

    p(x) = sum_k weight[k] prod_j p[k,j]^x[j] (1 - p[k,j])^(1 - x[j]),   over the observed features j        (1)
    r[n,k] = weight[k] p(x[n] | k) / p(x[n])                                                                  (2)
    weight = sum w r / sum w,   p[k,j] = (sum w r x + c) / (sum w r + 2 c),   sums over rows that show j      (3)

(3) maximises the expected log-likelihood plus c sum log p (1 - p), c = `smoothing`: the log of a Beta(1 + c, 1 + c) prior. The
objective, recorded per row, never falls.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Domain, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.engines.gaussians.covariance import EMPTY, checked_array
from novum.engines.gaussians.tensors import log_sum
from novum.engines.kmeans import seeding
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.mixture.base import MixtureBase, Query
from novum.mixture.em import Solved, best_run, work_blocks
from novum.mixture.gaussian import checked_weights
from novum.mixture.start import column_means, filled_source
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["BernoulliMixture"]

LEAST = 1e-300  # in place of zero in a logarithm: an impossible row is very improbable, and zero times it is zero


class Params(NamedTuple):
    weights: NDArray  # (k,)
    probabilities: NDArray  # (k, d)
    threshold: float | None


class BernoulliSums(NamedTuple):
    mass: NDArray  # (k,): sum w r
    ones: NDArray  # (k, d): sum w r x over rows that show j
    seen: NDArray  # (k, d): sum w r over rows that show j
    log_likelihood: float
    weight: float


def binary(threshold: float | None, X: Any) -> tuple[Any, Any]:
    """Return where X is one, and where it is observed, as float64; without a threshold X must hold zeros and ones."""
    missing = X != X
    if threshold is None and bool(((X != 0) & (X != 1) & ~missing).any()):
        raise DataError("BernoulliMixture(binarize=None): X must hold 0, 1 and NaN only; give a threshold to binarize.")
    ones = X == 1 if threshold is None else X - threshold > 0
    return arrays.double(ones), arrays.double(~missing)


def joint(params: Params, block: Block) -> Any:
    """Return log weight + log p(x | k), the numerator of (2)."""
    ones, seen = binary(params.threshold, block.X)
    log_p = np.log(np.maximum(params.probabilities, LEAST))
    log_q = np.log(np.maximum(1 - params.probabilities, LEAST))
    first = ones @ arrays.like(ones, (log_p - log_q).T, "float64")
    constant = np.log(np.maximum(params.weights, LEAST))
    return first + seen @ arrays.like(ones, log_q.T, "float64") + arrays.like(ones, constant, "float64")


def pass_of(params: Params, block: Block) -> BernoulliSums:
    """Return the sums of (3) for one block."""
    if block.weight is not None:
        present = block.weight > 0
        block = Block(block.X[present], None, block.weight[present])
    scores = joint(params, block)
    total = log_sum(scores)
    r = arrays.exp(scores - total[:, None])
    r = r if block.weight is None else r * block.weight[:, None]
    ones, seen = binary(params.threshold, block.X)
    likelihood = total.sum() if block.weight is None else block.weight @ total
    weight = float(block.rows if block.weight is None else block.weight.sum())
    mass, on, shown = (arrays.to_numpy(value) for value in (r.sum(0), r.T @ ones, r.T @ seen))
    return BernoulliSums(mass, on, shown, float(likelihood), weight)


def maximize(smoothing: float, params: Params, sums: BernoulliSums) -> Solved:
    """Return (3), and the objective of the parameters that entered."""
    bound = sums.log_likelihood / sums.weight
    p = params.probabilities
    penalty = smoothing * float(np.log(np.maximum(p * (1 - p), LEAST)).sum()) if smoothing else 0.0
    empty = sums.seen + 2 * smoothing <= EMPTY  # nobody shows the feature to this component: it stays as it was
    found = np.where(empty, p, (sums.ones + smoothing) / np.where(empty, 1.0, sums.seen + 2 * smoothing))
    weights = sums.mass / sums.mass.sum()
    after = Params(weights, np.clip(found, 0.0, 1.0), params.threshold)
    objective = bound + penalty / sums.weight
    return Solved(after, objective, objective)


class BernoulliMixture(MixtureBase):
    """Mixture of independent binary features.

    Parameters
    ----------
    n_components : int, default=1
    tol : float, default=1e-3
        Stop when the objective per row changes by less.
    max_iter : int, default=100
    n_init : int, default=1
        Starts to try; the best is kept.
    weights_init, probabilities_init : array-like, default=None
        A start, in the shapes of `weights_` and `probabilities_`. None starts from rows drawn at random, halfway between them
        and one half.
    smoothing : float, default=0.0
        Pseudo-observations of each value in every component and feature.
    binarize : float or None, default=0.5
        Values above it are ones; None takes zeros and ones only.
    trial_iter : int, default=None
        Passes that each of several starts is given before only the best goes on; None runs all to their ends.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    verbose : int or bool, default=0
        Whether to log every pass, to the logger "novum".

    Attributes
    ----------
    weights_ : array of shape (n_components,)
    probabilities_ : array of shape (n_components, n_features)
        Probability of a one.
    converged_ : bool
    n_iter_ : int
    lower_bound_, lower_bounds_ : float, list of float
        The objective per row of the parameters that entered the last pass, and every pass.
    history_ : History
        The same; it never falls.

    Notes
    -----
    A missing cell (NaN) is integrated out, in `fit` and in every answer.

    Examples
    --------
    >>> from novum.mixture import BernoulliMixture
    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> start = [[0.6, 0.5, 0.4], [0.4, 0.5, 0.6]]
    >>> model = BernoulliMixture(2, probabilities_init=start, tol=1e-12, max_iter=1000).fit(X)
    >>> model.probabilities_.round(3), model.predict(X)
    (array([[1. , 0.5, 0. ],
           [0. , 0.5, 1. ]]), array([0, 0, 1, 1]))
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1),
        "tol": Real(0),
        "max_iter": Int(1),
        "n_init": Int(1),
        "weights_init": ArrayLike() | Null(),
        "probabilities_init": ArrayLike() | Null(),
        "smoothing": Real(0),
        "binarize": Real() | Null(),
        "trial_iter": Int(1) | Null(),
        "random_state": RandomState(),
        "verbose": Int(0) | Bool(),
    }
    weights_: np.ndarray
    probabilities_: np.ndarray

    def __init__(
        self,
        n_components: int = 1,
        *,
        tol: float = 1e-3,
        max_iter: int = 100,
        n_init: int = 1,
        weights_init: Numbers | None = None,
        probabilities_init: Numbers | None = None,
        smoothing: float = 0.0,
        binarize: float | None = 0.5,
        trial_iter: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
    ) -> None:
        self.n_components = n_components
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.weights_init = weights_init
        self.probabilities_init = probabilities_init
        self.smoothing = smoothing
        self.binarize = binarize
        self.trial_iter = trial_iter
        self.random_state = random_state
        self.verbose = verbose

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the parameters.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
            Cells may be missing (NaN).
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        k = self.n_components
        source = self._source(X, None, sample_weight)
        if source.n_rows is not None and source.n_rows < k:
            raise DataError(
                f"Expected n_samples >= n_components but got n_components = {k}, n_samples = {source.n_rows}."
                " Give BernoulliMixture more rows or fewer components."
            )
        source = work_blocks(source, 4 * k * source.n_features)
        column_means(source)  # every feature must be observed somewhere
        stream = Stream(seed_of(self.random_state))
        weights = np.full(k, 1 / k) if self.weights_init is None else checked_weights(self.weights_init, k)

        def start(run: int) -> Params:
            if self.probabilities_init is not None:
                given = checked_array(self.probabilities_init, (k, source.n_features), "probabilities")
                if (given < 0).any() or (given > 1).any():
                    raise ParameterError("BernoulliMixture(probabilities_init=...) must lie between 0 and 1.")
                return Params(weights, given, self.binarize)
            drawn = seeding.random_rows(filled_source(source), k, stream, run, "bernoulli rows").centers
            if len(drawn) < k:
                raise DataError(f"BernoulliMixture(n_components={k}): only {len(drawn)} rows have a positive weight.")
            return Params(weights, 0.25 + 0.5 * binary(self.binarize or 0.5, drawn)[0], self.binarize)

        runs = 1 if self.probabilities_init is not None else self.n_init
        trials = runs + 1 if runs > 1 and self.trial_iter is not None else runs
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight, "n_runs": trials}
        with reporting(
            self, self.max_iter, attributes=lambda params: fitted_attributes(params, source.dtype), **options
        ) as report:
            best = best_run(
                [lambda run=run: start(run) for run in range(runs)],  # type: ignore[misc]
                source,
                pass_of,
                lambda params, sums: maximize(self.smoothing, params, sums),
                tol=self.tol,
                max_iter=self.max_iter,
                trial_iter=self.trial_iter,
                report=report,
                log_every=1 if self.verbose else 0,
                owner="BernoulliMixture",
            )
        self._learn(best, fitted_attributes(best.params, source.dtype))
        return self

    def _query(self) -> Query:
        weights, p = (np.asarray(value, np.float64) for value in (self.weights_, self.probabilities_))
        return Query(joint, Params(weights, p, self.binarize))

    def _n_parameters(self) -> int:
        """Return the number of free parameters."""
        k, d = self.probabilities_.shape
        return k * d + k - 1

    def aic(self, X: Rows, sample_weight: RowWeights = None) -> float:
        """Return Akaike's criterion, -2 log-likelihood + 2 parameters: the lower the better."""
        return self._criterion(X, sample_weight, bayesian=False)

    def bic(self, X: Rows, sample_weight: RowWeights = None) -> float:
        """Return the Bayesian criterion, -2 log-likelihood + parameters log n: the lower the better."""
        return self._criterion(X, sample_weight, bayesian=True)

    def sample(self, n_samples: int = 1) -> Any:
        """Draw rows of zeros and ones; returns them and the component of each, component by component."""
        rng, counts = self._counts(n_samples)
        labels = np.repeat(np.arange(len(counts)), counts)
        return (rng.random((n_samples, self.probabilities_.shape[1])) < self.probabilities_[labels]).astype(
            float
        ), labels


def fitted_attributes(params: Params, dtype: np.dtype) -> dict[str, Any]:
    """Return the fitted attributes."""
    return {"weights_": params.weights.astype(dtype), "probabilities_": params.probabilities.astype(dtype)}
