r"""The Dirichlet distribution of probability vectors.

    log p(x) = log Gamma(a0) - sum_k log Gamma(a_k) + sum_k (a_k - 1) log x_k,   a0 = sum_k a_k      (1)
    eta = alpha,  u = log x,  h = 1 / prod_k x_k,  A = sum_k log Gamma(a_k) - log Gamma(a0)          (2)

Maximum likelihood matches the mean of log x, g_k = mean of log x_k:

    digamma(a_k) - digamma(a0) = g_k                                                                 (3)

The log-likelihood per row is concave in alpha. Its Hessian is a diagonal plus a constant, so Newton's step costs K (Minka 2000):

    q_k = -trigamma(a_k),  z = trigamma(a0),  b = (sum_k r_k/q_k) / (1/z + sum_k 1/q_k),  step = (r_k - b) / q_k   (4)

with r the gradient; steps are halved until alpha stays positive and the log-likelihood does not fall.
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma

from novum import _core
from novum.distributions.base import Support
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.numerics.deviance import digamma_gap, stirling_error
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.numerics.ops import all_of, ops_of, where_inside
from novum.distributions.parameters import Parameter, positive
from novum.exceptions import DataError, ParameterError
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Dirichlet", "alpha_from_mean_log", "finite_alpha"]

NEWTON_STEPS, HALVINGS = (
    100,
    40,
)  # quadratic convergence needs about ten; a halving always succeeds on a concave function
TOLERANCE = 1e-13  # relative change of alpha
SUM_SLACK = 1e-6  # rows of float32 or printed numbers add up to one this closely


class Constants(NamedTuple):
    power: NDArray  # alpha - 1
    log_norm: NDArray


class DirichletSums(NamedTuple):
    """Mass and sum of log x."""

    mass: NDArray
    log_x: NDArray  # (..., K)


def objective(alpha: NDArray, g: NDArray) -> NDArray:
    """Return the mean log-likelihood, without its constant part."""
    return gammaln(alpha.sum(-1)) - gammaln(alpha).sum(-1) + ((alpha - 1) * g).sum(-1)


def alpha_from_mean_log(g: NDArray) -> NDArray:
    """Return the solution of (3) for every row of g."""
    share = np.exp(g)
    alpha = share / share.sum(-1, keepdims=True) * (g.shape[-1] - 1) / 2
    alpha /= np.maximum(
        -np.log(share.sum(-1, keepdims=True)), 1e-12
    )  # g of a large alpha: sum exp(g) = 1 - (K-1)/(2 a0)
    value = objective(alpha, g)
    for _ in range(NEWTON_STEPS):
        total = alpha.sum(-1, keepdims=True)
        gradient = digamma(total) - digamma(alpha) + g
        q, z = -polygamma(1, alpha), polygamma(1, total)
        b = (gradient / q).sum(-1, keepdims=True) / (1 / z + (1 / q).sum(-1, keepdims=True))
        step = (gradient - b) / q
        size = np.ones_like(total)
        for _ in range(HALVINGS):
            trial = alpha - size * step
            good = (trial > 0).all(-1)
            new = objective(np.where(good[..., None], trial, alpha), g)
            good &= new >= value - 1e-14 * np.abs(value)
            if good.all():
                break
            size = np.where(good[..., None], size, size / 2)
        alpha, before = np.where(good[..., None], trial, alpha), alpha
        value = np.where(good, new, value)
        if (np.abs(alpha - before) <= TOLERANCE * alpha).all():
            break
    return alpha


def finite_alpha(subject: str, g: NDArray) -> NDArray:
    """Return the solution of (3), which must be finite; `subject` says whose data are all equal and which parameter that is."""
    if (np.exp(g).sum(axis=-1) >= 1 - 1e-12).any():
        raise DataError(f"{subject} would be infinite; give data that vary.")
    return alpha_from_mean_log(g)


class Dirichlet(ConjugatePrior, ExponentialFamily):
    """The Dirichlet distribution of probability vectors with K entries.

    Parameters
    ----------
    alpha : array of shape (..., K)
        Above zero; reads as counts seen before, plus one.

    Examples
    --------
    >>> from novum.distributions import Dirichlet
    >>> model = Dirichlet([2.0, 3.0, 5.0])
    >>> model.mean, model.var.round(6)
    (array([0.2, 0.3, 0.5]), array([0.014545, 0.019091, 0.022727]))
    >>> float(model.prob([0.2, 0.3, 0.5]).round(3))
    8.505
    """

    alpha = Parameter()
    _event_ndim = 1
    _sums = DirichletSums
    _domain = "vectors of positive numbers that add up to one"
    support = Support("simplex", 0.0, 1.0)

    def __init__(self, alpha: Numbers) -> None:
        array = positive("Dirichlet", "alpha", alpha)
        if array.ndim == 0 or array.shape[-1] < 2:
            raise ParameterError(f"Dirichlet(alpha={alpha!r}): alpha needs two or more entries, one for every outcome.")
        self._set(array.shape[-1:], alpha=(array, 1))

    @cached_property
    def _constants(self) -> Constants:
        return Constants(self.alpha - 1, -self.log_partition())

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        with ops.quiet():
            terms = constants.power * ops.log(x)
        if not all_of(x > 0):
            terms = ops.where((x == 0) & (constants.power == 0), 0.0, terms)  # 0 log 0: a flat side of the simplex
        total = x.sum(-1)
        inside = (abs(total - 1) <= SUM_SLACK) & (x >= 0).all(-1)
        return where_inside(ops, inside, terms.sum(-1) + constants.log_norm, total)

    @cached_property
    def _kernel_table(self) -> tuple[NDArray, NDArray]:
        k = self.event_shape[0]
        return np.ascontiguousarray(self._constants.power).reshape(-1, k), np.ravel(self._constants.log_norm)

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.dirichlet(x, *self._kernel_table, SUM_SLACK, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        log_gamma = log_gamma_draws(stream, "dirichlet", self.alpha, count)
        power = np.exp(log_gamma - log_gamma.max(axis=-1, keepdims=True))
        return power / power.sum(axis=-1, keepdims=True)

    @property
    def _total(self) -> NDArray:
        return self.alpha.sum(axis=-1, keepdims=True)

    @property
    def mean(self) -> Any:
        return self.alpha / self._total

    @property
    def var(self) -> Any:
        return self.mean * (1 - self.mean) / (self._total + 1)

    @property
    def cov(self) -> NDArray:
        """The covariance matrix (diag(m) - m m') / (a0 + 1), with m the mean."""
        m = self.mean
        return (m[..., None] * np.eye(m.shape[-1]) - m[..., None] * m[..., None, :]) / (self._total + 1)[..., None]

    @property
    def mode(self) -> Any:
        peak = np.maximum(self.alpha - 1, 0.0)
        total = peak.sum(axis=-1, keepdims=True)
        flat = np.full_like(peak, 1 / peak.shape[-1])
        # no alpha above one: the density is largest at the corner it rises to fastest, and flat if all are one
        corner = np.eye(peak.shape[-1])[self.alpha.argmin(axis=-1)]
        corner = 1 - corner if peak.shape[-1] == 2 else corner
        flat = np.where((self.alpha == 1).all(axis=-1, keepdims=True), flat, corner)
        return np.where(total > 0, peak / np.where(total > 0, total, 1.0), flat)

    @property
    def n_parameters(self) -> Any:
        return self.event_shape[0]

    def entropy(self) -> Any:
        k, total = self.event_shape[0], self._total[..., 0]
        each = 0.5 * np.log(self.alpha) + stirling_error(self.alpha) + (self.alpha - 1) * digamma_gap(self.alpha)
        whole = (k - 0.5) * np.log(total) + stirling_error(total) + (total - k) * digamma_gap(total)
        return (each.sum(axis=-1) - whole + 0.5 * (k - 1) * np.log(2 * np.pi))[()]

    def natural_parameters(self) -> tuple[NDArray, ...]:
        return (self.alpha,)

    def log_partition(self) -> Any:
        return gammaln(self.alpha).sum(axis=-1) - gammaln(self.alpha.sum(axis=-1))

    def sufficient_statistics(self, x: Numbers) -> tuple[NDArray, ...]:
        return (ops_of(x).log(x),)

    def log_base_measure(self, x: Numbers) -> Any:
        return -np.log(x).sum(axis=-1)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (digamma(self.alpha) - digamma(self._total),)

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        return cls(eta[0])

    def from_mean_statistics(self, *mean: Any) -> Any:
        return Dirichlet(finite_alpha("Dirichlet: the rows are all equal, so alpha", mean[0]))

    def _inside(self, x: Any) -> Any:
        return (x > 0).all(-1) & (abs(x.sum(-1) - 1) <= SUM_SLACK)

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        if x.shape[-1] < 2:
            raise DataError(
                f"Dirichlet.fit: x has {x.shape[-1]} column; a row is a vector of two or more probabilities, one vector is"
                " [[...]]. For numbers between 0 and 1 there is Beta."
            )
        return cls(np.ones(x.shape[-1]))
