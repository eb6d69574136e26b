r"""Exponential families: densities that are linear in a vector of statistics once their logarithm is taken.

    p(x | eta) = h(x) exp(eta . u(x) - A(eta)),     A(eta) = log of the integral of h(x) exp(eta . u(x))   (1)
    grad A(eta) = E[u(x)],     Hessian of A = Cov[u(x)]                                                    (2)
    maximum likelihood:   grad A(eta) = sum_i w_i u(x_i) / sum_i w_i                                       (3)
    KL(p || q) = A(eta_q) - A(eta_p) - (eta_q - eta_p) . E_p[u(x)]                                         (4)

The sums in (3) are all that has to be kept of the data: they add over portions, so learning is one pass. The moments of (2)
are those of u(x), which need not be x. Derivation: docs/theory/distributions.md.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novum.distributions.base import Distribution
from novum.exceptions import ParameterError
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A family of the form (1); `natural_parameters`, `log_partition`, u and h are those of the formula.

        p(x | eta) = h(x) exp(eta . u(x) - A(eta)),   A(eta) = log of the integral of h(x) exp(eta . u(x))    (1)

    Examples
    --------
    >>> from novum.distributions import Poisson
    >>> model = Poisson(4.0)
    >>> float(model.natural_parameters()[0].round(6)), float(model.log_partition())  # log 4, e^eta
    (1.386294, 4.0)
    >>> model.mean_statistics()
    (array(4.),)
    """

    _sums: ClassVar[Any]  # a NamedTuple: the mass, then a sum for every part of u

    @abstractmethod
    def natural_parameters(self) -> tuple[NDArray, ...]:
        """Return eta of (1), one array for every part of u.

        p(x | eta) = h(x) exp(eta . u(x) - A(eta)),   A(eta) = log of the integral of h(x) exp(eta . u(x))    (1)
        """

    @abstractmethod
    def log_partition(self) -> Any:
        """Return A(eta) of (1).

        p(x | eta) = h(x) exp(eta . u(x) - A(eta)),   A(eta) = log of the integral of h(x) exp(eta . u(x))    (1)
        """

    @abstractmethod
    def sufficient_statistics(self, x: Numbers) -> tuple[Any, ...]:
        """Return u(x) of (1).

        p(x | eta) = h(x) exp(eta . u(x) - A(eta)),   A(eta) = log of the integral of h(x) exp(eta . u(x))    (1)
        """

    @abstractmethod
    def log_base_measure(self, x: Numbers) -> Any:
        """Return log h(x) of (1).

        p(x | eta) = h(x) exp(eta . u(x) - A(eta)),   A(eta) = log of the integral of h(x) exp(eta . u(x))    (1)
        """

    @abstractmethod
    def mean_statistics(self) -> tuple[NDArray, ...]:
        """Return E[u(x)], eq. (2).

        grad A(eta) = E[u(x)],   Hessian of A = Cov[u(x)]    (2)
        """

    @classmethod
    @abstractmethod
    def from_natural(cls, *eta: Any) -> "ExponentialFamily":
        """Return the distribution with these natural parameters."""

    @abstractmethod
    def from_mean_statistics(self, *mean: Any) -> "ExponentialFamily":
        """Return the distribution of the family with these E[u(x)]: the solution of (3).

        maximum likelihood:   grad A(eta) = sum_i w_i u(x_i) / sum_i w_i    (3)
        """

    def _posterior_mode(self, statistics: Any, prior: Distribution) -> Any:
        """Return the mode of the posterior under a conjugate prior."""
        raise ParameterError(
            f"{type(self).__name__}: a {type(prior).__name__} is no prior that it can be fitted with;"
            f" {self._prior_advice}."
        )

    _prior_advice: ClassVar[str] = "leave prior out, or use novum.distributions.maximum_a_posteriori"

    def statistics(self, x: Numbers, weight: RowWeights = None) -> Any:
        x, weight = self._aligned(x, weight)
        parts = (self._sum(part, weight) for part in self.sufficient_statistics(x))
        return self._sums(self._mass(x, weight), *parts)

    def from_statistics(self, statistics: Any, prior: Distribution | None = None) -> Any:
        if prior is not None:
            return self._kept(statistics, self._posterior_mode(statistics, prior), prior)
        means = []
        for total, mine in zip(statistics[1:], self.mean_statistics()):
            mass = statistics[0].reshape(statistics[0].shape + (1,) * (total.ndim - statistics[0].ndim))
            means.append(np.where(mass > 0, total / np.where(mass > 0, mass, 1.0), mine))
        return self._kept(statistics, self.from_mean_statistics(*means), None)

    def _kept(self, statistics: Any, found: Any, prior: Distribution | None) -> Any:
        """Return `found`, with the parameters of this object where there was neither weight nor prior."""
        empty = statistics[0] <= 0
        if prior is not None or not empty.any():
            return found
        kept = {}
        for name, mine in self._parameters().items():
            mask = empty.reshape(empty.shape + (1,) * (mine.ndim - empty.ndim))
            kept[name] = np.where(mask, mine, found.__dict__[name])
        return type(self)(**kept)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other) by (4).

        KL(p || q) = A(eta_q) - A(eta_p) - (eta_q - eta_p) . E_p[u(x)]    (4)
        """
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        gap = 0.0
        for mine, theirs, mean in zip(self.natural_parameters(), other.natural_parameters(), self.mean_statistics()):
            batch = max(len(self.batch_shape), len(other.batch_shape))
            part = (theirs - mine) * mean
            gap = gap + part.sum(axis=tuple(range(batch, part.ndim)))
        return np.maximum(other.log_partition() - self.log_partition() - gap, 0.0)
