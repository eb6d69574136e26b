r"""The categorical distribution: one of K outcomes, coded 0, ..., K - 1.

    P(x = k) = p_k                                                                                 (1)
    u = indicator of the first K - 1 outcomes,  eta_k = log(p_k / p_K),  h = 1,  A = -log p_K      (2)
    p_k = N_k / sum_j N_j;  under a Dirichlet prior  p_k = (N_k + alpha_k - 1) / sum_j (N_j + alpha_j - 1)   (3)

with N_k = sum of the weights of the rows with outcome k. Mean and covariance are those of the indicator vector of the outcome: p
and diag(p) - p p'. Counts of several trials are the multinomial's.
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr

from novum.distributions.base import Distribution, Support
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.learning.priors import dirichlet_mode
from novum.distributions.multivariate.dirichlet import Dirichlet
from novum.distributions.numerics.draws import smallest_at_least
from novum.distributions.numerics.ops import ops_of, where_inside
from novum.distributions.parameters import Parameter, simplex
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.checks import check_count
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Categorical"]


class Constants(NamedTuple):
    log_p: NDArray  # all of the batch, one after another
    offset: NDArray  # (batch): where the probabilities of each begin
    outcomes: NDArray


class Counts(NamedTuple):
    """Mass of all rows and of every outcome."""

    mass: NDArray
    counts: NDArray  # (..., K)


class Categorical(ExponentialFamily):
    """An outcome 0, ..., K - 1 with probabilities p.

    Parameters
    ----------
    p : array of shape (..., K)
        Probabilities that add up to one.

    Examples
    --------
    >>> from novum.distributions import Categorical, Dirichlet
    >>> days = [0, 1, 1, 2, 2, 2, 0, 1]  # rain, clouds, sun
    >>> Categorical.fit(days)
    Categorical(p=[0.25 , 0.375, 0.375])
    >>> Categorical.fit(days, prior=Dirichlet([2, 2, 2])).p * 11
    array([3., 4., 4.])
    """

    p = Parameter()
    _sums = Counts
    _remedy = "Count more outcomes (n_categories of fit, entries of a prior), or remove such rows."
    _prior_advice = "give a Dirichlet"
    _fit_options = ("n_categories",)

    def __init__(self, p: Numbers) -> None:
        self._set(p=(simplex("Categorical", "p", p), 1))

    @property
    def _domain(self) -> str:  # type: ignore[override]
        return f"whole numbers 0 to {self.p.shape[-1] - 1}"

    @cached_property
    def _constants(self) -> Constants:
        k = self.p.shape[-1]
        with np.errstate(divide="ignore"):
            log_p = np.log(self.p).reshape(-1)
        return Constants(
            log_p, k * np.arange(self._columns(), dtype=np.float64).reshape(self.batch_shape), np.array(float(k))
        )

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        inside = (x >= 0) & (x < constants.outcomes) & (ops.floor(x) == x)
        code = ops.where(inside, x, 0.0) + constants.offset
        return where_inside(ops, inside, constants.log_p[ops.integers(code)], x)

    def _draw(self, stream: Any, count: Any) -> Any:
        u = stream.uniform("categorical", 0, count, self._columns()).reshape(count, *self.batch_shape)
        cumulative = np.cumsum(self.p, axis=-1)
        cumulative /= cumulative[..., -1:]
        return smallest_at_least(
            cumulative, 1 - u
        )  # 1 - u is never 0, so no outcome of probability zero is drawn first

    def _at(self, sums: NDArray, x: Any) -> Any:
        """Return the entry of `sums` for every x: the first below code 0, then one for each code."""
        x = np.asarray(x, np.float64)
        codes = np.clip(np.floor(np.where(np.isnan(x), 0.0, x)), -1, self.p.shape[-1] - 1).astype(np.intp) + 1
        shape = np.broadcast_shapes(codes.shape, sums.shape[:-1])
        rows, codes = np.broadcast_to(sums, (*shape, sums.shape[-1])), np.broadcast_to(codes, shape)
        return np.where(np.isnan(x), np.nan, np.take_along_axis(rows, codes[..., None], axis=-1)[..., 0])[()]

    def _below(self) -> NDArray:
        """Return P(X < 0), P(X <= 0), ..., P(X <= K - 1), which is one to the last digit."""
        none = np.zeros((*self.p.shape[:-1], 1))
        return np.concatenate([none, np.minimum(np.cumsum(self.p, axis=-1), 1.0)[..., :-1], none + 1], axis=-1)

    def _above(self) -> NDArray:
        """Return P(X >= 0), P(X > 0), ..., P(X > K - 1), added from the top, so that small tails keep their digits."""
        none = np.zeros((*self.p.shape[:-1], 1))
        tails = np.cumsum(self.p[..., :0:-1], axis=-1)[..., ::-1]
        return np.concatenate([none + 1, np.minimum(tails, 1.0), none], axis=-1)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x), outcomes in the order of their codes."""
        return self._at(self._below(), x)

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x), outcomes in the order of their codes."""
        return self._at(self._above(), x)

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        with np.errstate(divide="ignore"):
            low, high = np.log(self.cdf(x)), np.log1p(-np.asarray(self.sf(x)))
        return np.where(np.asarray(self.sf(x)) < 0.5, high, low)[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        with np.errstate(divide="ignore"):
            low, high = np.log(self.sf(x)), np.log1p(-np.asarray(self.cdf(x)))
        return np.where(np.asarray(self.cdf(x)) < 0.5, high, low)[()]

    def _least(self, q: Any, reached: Any) -> Any:
        """Return the least code at which a condition on q holds, NaN for a q that is no probability."""
        q = np.asarray(q, np.float64)
        code = self.p.shape[-1] - reached(q[..., None]).sum(axis=-1)
        return np.where((q >= 0) & (q <= 1), np.clip(code, 0, self.p.shape[-1] - 1), np.nan)[()]

    def quantile(self, q: Numbers) -> Any:
        """Return the least code x with P(X <= x) >= q."""
        return self._least(q, lambda level: self._below()[..., 1:] >= level)

    def isf(self, q: Numbers) -> Any:
        """Return the least code x with P(X > x) <= q."""
        return self._least(q, lambda level: self._above()[..., 1:] <= level)

    @property
    def mean(self) -> Any:
        return self.p

    @property
    def var(self) -> Any:
        return self.p * (1 - self.p)

    @property
    def cov(self) -> NDArray:
        """The covariance matrix of the indicator vector, diag(p) - p p'."""
        return self.p[..., None] * np.eye(self.p.shape[-1]) - self.p[..., None] * self.p[..., None, :]

    @property
    def mode(self) -> Any:
        return self.p.argmax(axis=-1).astype(np.float64)

    @property
    def support(self) -> Any:
        return Support("integers", 0, self.p.shape[-1] - 1)

    @property
    def n_parameters(self) -> Any:
        return self.p.shape[-1] - 1

    def entropy(self) -> Any:
        return entr(self.p).sum(axis=-1)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other); infinite where other cannot do what self does."""
        if type(other) is not type(self):
            return super().kl(other)
        if other.p.shape[-1] != self.p.shape[-1]:
            raise ParameterError(
                f"Categorical.kl(other={other!r}): other has {other.p.shape[-1]} outcomes, this one {self.p.shape[-1]}; list"
                " the same outcomes in both, with probability zero where one lacks them."
            )
        return rel_entr(self.p, other.p).sum(axis=-1)

    def natural_parameters(self) -> tuple[NDArray, ...]:
        with np.errstate(divide="ignore"):
            log_p = np.log(self.p)
        return (log_p[..., :-1] - log_p[..., -1:],)

    def log_partition(self) -> Any:
        with np.errstate(divide="ignore"):
            return -np.log(self.p[..., -1])

    def sufficient_statistics(self, x: Numbers) -> tuple[NDArray, ...]:
        return (_indicator(x, self.p.shape[-1])[..., :-1],)

    def log_base_measure(self, x: Numbers) -> Any:
        return np.zeros(np.shape(x))

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (self.p[..., :-1],)

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        score = np.concatenate([eta[0], np.zeros(np.shape(eta[0])[:-1] + (1,))], axis=-1)
        power = np.exp(score - score.max(axis=-1, keepdims=True))
        return cls(power / power.sum(axis=-1, keepdims=True))

    def from_mean_statistics(self, *mean: Any) -> Any:
        first = mean[0]
        return Categorical(np.concatenate([first, np.maximum(1 - first.sum(axis=-1, keepdims=True), 0.0)], axis=-1))

    def statistics(self, x: Numbers, weight: RowWeights = None) -> Counts:
        """Return the mass of all rows and of every outcome."""
        x, weight = self._aligned(x, weight)
        return Counts(self._mass(x, weight), self._sum(_indicator(x, self.p.shape[-1]), weight))

    def from_statistics(self, statistics: Counts, prior: Any = None) -> "Categorical":
        """Return (3).

        p_k = N_k / sum_j N_j;  under a Dirichlet prior  p_k = (N_k + alpha_k - 1) / sum_j (N_j + alpha_j - 1)    (3)
        """
        if prior is not None:
            return self._posterior_mode(statistics, prior)
        total = statistics.counts.sum(axis=-1, keepdims=True)
        share = statistics.counts / np.where(total > 0, total, 1.0)
        return Categorical(np.where(total > 0, share, self.p))

    def _posterior_mode(self, statistics: Any, prior: Any) -> Any:
        if not isinstance(prior, Dirichlet):
            return super()._posterior_mode(statistics, prior)
        return Categorical(dirichlet_mode("Categorical", statistics.counts, prior.alpha))

    def _inside(self, x: Any) -> Any:
        return (x >= 0) & (x < self.p.shape[-1]) & (x == x.round())

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, *, n_categories: Any = None, **options: Any) -> Any:
        k = check_count("Categorical.fit", "n_categories", n_categories, 2)
        return cls(np.full((*x.shape[1:], k), 1 / k))

    @classmethod
    def fit(
        cls, x: Numbers, sample_weight: RowWeights = None, prior: Distribution | None = None, **options: Any
    ) -> Self:
        """Return the outcome fractions, or the mode of the posterior; see `Distribution.fit`.

        Parameters
        ----------
        x : array-like, frame, scan, Dask collection or tensor
            Codes 0, 1, ...; every column of a table gives one of a batch.
        sample_weight : array-like of shape (n,), default=None
        prior : Dirichlet, default=None
        n_categories : int, default=None
            Number of outcomes; None is that of the prior, or the largest code and one more.
        """
        from novum.distributions.learning.fit import fit, open_rows

        if options.get("n_categories") is None and isinstance(prior, Dirichlet):
            options["n_categories"] = prior.event_shape[0]
        if options.get("n_categories") is None:
            source, _ = open_rows("Categorical.fit", x, sample_weight)
            options["n_categories"] = max(2, int(source.total(_largest, None, max)) + 1)
        return fit(cls, x, sample_weight, prior, **options)


def _largest(_: Any, block: Any) -> float:
    """Return the largest code of the rows of a block that have weight."""
    x = block.X if block.weight is None else block.X[block.weight > 0]
    return float(x.max()) if x.shape[0] else 0.0


def _indicator(x: Any, k: int) -> Any:
    """Return the (..., k) indicator of codes."""
    if not arrays.is_tensor(x):
        if ((x < 0) | (x >= k)).any():
            raise DataError(
                f"Categorical: x holds the code {x[(x < 0) | (x >= k)].flat[0]:g}; codes run from 0 to {k - 1}."
                f" {Categorical._remedy}"
            )
        return np.eye(k)[x.astype(np.intp)]
    return arrays.one_hot(x, ops_of(x).integers(x), k)
