r"""The multinomial distribution: how often each of K outcomes occurs in n independent trials.

    log P(x) = log n! - sum_k log x_k! + sum_k x_k log p_k,   x_k = 0, 1, ...,  sum_k x_k = n       (1)
    u = x without its last entry,  eta_k = log(p_k / p_K),  h = n! / prod_k x_k!,  A = -n log p_K   (2)
    p_k = N_k / sum_j N_j,  N_k = sum w x_k;  under a Dirichlet prior  p_k = (N_k + alpha_k - 1) / sum_j (N_j + alpha_j - 1)   (3)

The factorial is that of the number of trials, the sum of the row (a document's length, not the size of its vocabulary). With
n = 1 it is the categorical distribution of indicator vectors, with K = 2 the binomial.
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, gammaln, rel_entr

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.discrete.binomial import Binomial
from novum.distributions.discrete.categorical import Categorical
from novum.distributions.discrete.counts import expected_log_factorial
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.learning.priors import dirichlet_mode
from novum.distributions.multivariate.dirichlet import Dirichlet
from novum.distributions.numerics.draws import smallest_at_least
from novum.distributions.numerics.ops import where_inside
from novum.distributions.parameters import Parameter, simplex, whole_numbers
from novum.exceptions import ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Multinomial"]

TRIALS_AT_ONCE = 2**24  # uniform numbers held at a time while drawing


class Constants(NamedTuple):
    n: NDArray
    log_p: NDArray
    log_factorial: NDArray
    certain: NDArray  # whether a p is 0, so that 0 log 0 can occur


class Counts(NamedTuple):
    """Mass of the rows and of every outcome."""

    mass: NDArray
    counts: NDArray  # (..., K)


class Multinomial(ExponentialFamily):
    """Counts of K outcomes in n trials.

    Parameters
    ----------
    n : int or array
        Trials.
    p : array of shape (..., K)
        Probabilities that add up to one.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import Multinomial
    >>> float(Multinomial(6, np.full(6, 1 / 6)).prob(np.ones(6)).round(6))  # six throws, every face once
    0.015432
    >>> Multinomial.fit([[3, 1, 1], [1, 2, 2]]).p
    array([0.4, 0.3, 0.3])
    """

    n = Parameter()
    p = Parameter()
    _event_ndim = 1
    _sums = Counts
    _remedy = (
        "Give rows of one total; rows of several totals say as much about p as their sum, x.sum(axis=0, keepdims=True)."
    )
    _prior_advice = "give a Dirichlet"
    _fit_options = ("n",)

    def __init__(self, n: int | Numbers, p: Numbers) -> None:
        table = simplex("Multinomial", "p", p)
        self._set(table.shape[-1:], n=(whole_numbers("Multinomial", "n", n), 0), p=(table, 1))

    @property
    def _domain(self) -> str:  # type: ignore[override]
        return f"vectors of counts that add up to n={', '.join(f'{n:g}' for n in np.unique(self.n))}"

    @cached_property
    def _constants(self) -> Constants:
        with np.errstate(divide="ignore"):
            return Constants(self.n, np.log(self.p), gammaln(self.n + 1), np.array((self.p == 0).any()))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        with ops.quiet():
            terms = x * constants.log_p
        if constants.certain:
            terms = ops.where(x == 0, 0.0, terms)
        value = constants.log_factorial + (terms - ops.gammaln(x + 1)).sum(-1)
        total = x.sum(-1)
        inside = (ops.floor(abs(x)) == x).all(-1) & (total == constants.n)
        return where_inside(ops, inside, value, total + 0.0 * constants.n)

    @cached_property
    def _kernel_table(self) -> tuple[NDArray, NDArray, NDArray]:
        n, log_p, log_factorial, _ = self._constants
        return log_p.reshape(-1, self.event_shape[0]), np.array(n).reshape(-1), np.ravel(log_factorial)

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.multinomial(x, *self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        """Count the outcomes of n categorical draws."""
        k, columns = self.event_shape[0], self._columns()
        p, n = self.p.reshape(columns, k), self.n.reshape(columns)
        out = np.zeros((count, columns, k), np.int64)
        for j in range(columns):
            cumulative = np.cumsum(p[j])
            cumulative /= cumulative[-1]
            trials = int(n[j])
            step = max(1, TRIALS_AT_ONCE // max(1, trials))
            for start in range(0, count, step):
                rows = range(start, min(start + step, count))
                code = smallest_at_least(cumulative, 1 - stream.uniform("multinomial", j, rows, trials))
                place = np.arange(len(rows))[:, None] * k + code
                out[rows.start : rows.stop, j] = np.bincount(place.ravel(), minlength=len(rows) * k).reshape(-1, k)
        return out.reshape(count, *self.batch_shape, k)

    @property
    def mean(self) -> Any:
        return self.n[..., None] * self.p

    @property
    def var(self) -> Any:
        return self.n[..., None] * self.p * (1 - self.p)

    @property
    def cov(self) -> NDArray:
        """The covariance matrix n (diag(p) - p p')."""
        return self.n[..., None, None] * Categorical(self.p).cov

    @property
    def mode(self) -> Any:
        """The most probable counts: the largest remainders of (n + K/2) p, moved one by one until no move helps."""
        flat = [most_probable(int(n), p) for n, p in zip(self.n.reshape(-1), self.p.reshape(-1, self.p.shape[-1]))]
        return np.reshape(flat, self.p.shape)

    @property
    def support(self) -> Any:
        return Support("counts", 0, self.n)

    @property
    def n_parameters(self) -> Any:
        return self.event_shape[0] - 1

    def entropy(self) -> Any:
        binomials = Binomial(self.n[..., None], self.p)
        log_factorial = expected_log_factorial(binomials.mean, binomials.log_prob).sum(axis=-1)
        return self.n * entr(self.p).sum(axis=-1) - gammaln(self.n + 1) + log_factorial

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other), for equal numbers of trials."""
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        if np.any(self.n != other.n):
            raise ParameterError("Multinomial.kl: other must have the same number of trials n.")
        return self.n * rel_entr(self.p, other.p).sum(axis=-1)

    def natural_parameters(self) -> tuple[NDArray, ...]:
        return Categorical(self.p).natural_parameters()

    def log_partition(self) -> Any:
        return self.n * Categorical(self.p).log_partition()

    def sufficient_statistics(self, x: Any) -> tuple[NDArray, ...]:
        return (x[..., :-1],)

    def log_base_measure(self, x: Numbers) -> Any:
        return gammaln(self.n + 1) - gammaln(np.asarray(x) + 1).sum(axis=-1)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (self.mean[..., :-1],)

    @classmethod
    def from_natural(cls, *eta: Any, n: Numbers = 1) -> Self:
        """Return the distribution with natural parameter eta and n trials."""
        return cls(n, Categorical.from_natural(*eta).p)

    def from_mean_statistics(self, *mean: Any) -> Any:
        return Multinomial(self.n, Categorical(self.p).from_mean_statistics(mean[0] / self.n[..., None]).p)

    @classmethod
    def fit(
        cls, x: Numbers, sample_weight: RowWeights = None, prior: Distribution | None = None, **options: Any
    ) -> "Multinomial":
        """Return the shares of the outcomes, (3).

            p_k = N_k / sum_j N_j,  N_k = sum w x_k;
                under a Dirichlet prior  p_k = (N_k + alpha_k - 1) / sum_j (N_j + alpha_j - 1)   (3)

        Parameters
        ----------
        x : array-like, frame, scan, Dask collection or tensor of shape (rows, K)
            Counts; every row adds up to n. For rows of different totals (documents of different lengths) see
            `novum.naive_bayes.MultinomialNB`, or fit their sum: `Multinomial.fit(x.sum(axis=0, keepdims=True))` has the
            same p.
        sample_weight : array-like of shape (rows,), default=None
        prior : Dirichlet, default=None
        n : int, default=None
            Trials; None takes the total of the first row.
        """
        return super().fit(x, sample_weight, prior, **options)

    def statistics(self, x: Numbers, weight: RowWeights = None) -> Counts:
        """Return the mass of the rows and of every outcome."""
        x, weight = self._aligned(x, weight)
        return Counts(self._mass(x, weight), self._sum(x, weight))

    def from_statistics(self, statistics: Counts, prior: Any = None) -> "Multinomial":
        """Return (3).

        p_k = N_k / sum_j N_j,  N_k = sum w x_k;
            under a Dirichlet prior  p_k = (N_k + alpha_k - 1) / sum_j (N_j + alpha_j - 1)   (3)
        """
        if prior is not None and not isinstance(prior, Dirichlet):
            return super()._posterior_mode(statistics, prior)
        if isinstance(prior, Dirichlet):
            return Multinomial(self.n, dirichlet_mode("Multinomial", statistics.counts, prior.alpha))
        total = statistics.counts.sum(axis=-1, keepdims=True)
        share = statistics.counts / np.where(total > 0, total, 1.0)
        return Multinomial(self.n, np.where(total > 0, share, self.p))

    def _inside(self, x: Any) -> Any:
        total = x.sum(-1)
        return ((x >= 0) & (x == x.round())).all(-1) & (total == arrays.like(total, self.n, "float64"))

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, *, n: Any = None, **options: Any) -> Any:
        """Begin with equal probabilities; n is the total of the first row unless given."""
        if n is None:
            first = float(x[0].sum()) if x.shape[0] else 1.0
            n = np.floor(abs(first))  # a row that is no count is refused by `_inside`, with its place
        return cls(n, np.full(x.shape[-1], 1 / x.shape[-1]))


def most_probable(n: int, p: NDArray) -> NDArray:
    """Return the counts of largest probability, one trial at a time to the outcome with the largest p_k / (x_k + 1)."""
    x = np.floor(n * p)
    for _ in range(int(n - x.sum())):
        x[np.argmax(p / (x + 1))] += 1
    while True:
        with np.errstate(divide="ignore"):
            gain, loss = p / (x + 1), np.where(x > 0, p / np.maximum(x, 1), np.inf)
        up, down = int(np.argmax(gain)), int(np.argmin(loss))
        if gain[up] <= loss[down] * (1 + 1e-12):
            return x
        x[up] += 1
        x[down] -= 1
