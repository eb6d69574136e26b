r"""The uniform distribution on an interval.

    log p(x) = -log(high - low),   low <= x <= high                                                (1)

Maximum likelihood: low and high are the least and the largest x that have weight. These statistics merge by minimum and maximum;
`Least` and `Most` say so where sums are added, so that the fold needs to know nothing of it.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.numerics.ops import where_inside
from novum.distributions.numerics.tails import log_of, log_one_minus
from novum.distributions.parameters import Parameter, finite, require
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Uniform"]


class Constants(NamedTuple):
    low: NDArray
    high: NDArray
    log_height: NDArray


class Least(NamedTuple):
    """The least of the data; adding two of them takes the lesser."""

    value: NDArray

    def __add__(self, other: Any) -> "Least":
        return Least(np.minimum(self.value, other.value))


class Most(NamedTuple):
    """The largest of the data; adding two of them takes the larger."""

    value: NDArray

    def __add__(self, other: Any) -> "Most":
        return Most(np.maximum(self.value, other.value))


class Range(NamedTuple):
    """Mass and ends of the data."""

    mass: NDArray
    low: Least
    high: Most


class Uniform(Distribution):
    """Equal density between low and high.

    Parameters
    ----------
    low, high : float or array
        With low < high.

    Examples
    --------
    >>> from novum.distributions import Uniform
    >>> float(Uniform(2.0, 6.0).prob(3.0)), float(Uniform(2.0, 6.0).mean)
    (0.25, 4.0)
    >>> Uniform.fit([3.0, 1.0, 2.5])
    Uniform(low=1., high=3.)
    """

    low = Parameter()
    high = Parameter()
    n_parameters = 2

    def __init__(self, low: float | Numbers = 0.0, high: float | Numbers = 1.0) -> None:
        self._set(low=(finite("Uniform", "low", low), 0), high=(finite("Uniform", "high", high), 0))
        require("Uniform", "high", self.high, self.high > self.low, "above low")

    @cached_property
    def _constants(self) -> Constants:
        return Constants(self.low, self.high, -np.log(self.high - self.low))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        inside = (x >= constants.low) & (x <= constants.high)
        value = 0.0 * x + constants.log_height
        return where_inside(ops, inside, value, value)

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants)

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.uniform(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        u = stream.uniform("uniform", 0, count, self._columns()).reshape(count, *self.batch_shape)
        return self.low + (self.high - self.low) * u

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        return np.clip((np.asarray(x, np.float64) - self.low) / (self.high - self.low), 0.0, 1.0)

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        return np.clip((self.high - np.asarray(x, np.float64)) / (self.high - self.low), 0.0, 1.0)

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        below, above = self.cdf(x), self.sf(x)
        return np.where(below < 0.5, log_of(below), log_one_minus(above))[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        below, above = self.cdf(x), self.sf(x)
        return np.where(above < 0.5, log_of(above), log_one_minus(below))[()]

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q."""
        q = np.asarray(q, np.float64)
        return np.where((q >= 0) & (q <= 1), self.high - (self.high - self.low) * q, np.nan)[()]

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q."""
        q = np.asarray(q, np.float64)
        return np.where((q >= 0) & (q <= 1), self.low + (self.high - self.low) * q, np.nan)[()]

    @property
    def mean(self) -> Any:
        return 0.5 * (self.low + self.high)

    @property
    def var(self) -> Any:
        return (self.high - self.low) ** 2 / 12

    @property
    def mode(self) -> Any:
        """The middle: no point is more probable than another."""
        return self.mean

    @property
    def support(self) -> Any:
        return Support("reals", self.low, self.high)

    def entropy(self) -> Any:
        return np.log(self.high - self.low)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other): infinite unless other covers self."""
        if not isinstance(other, Uniform):
            return super().kl(other)
        covered = (other.low <= self.low) & (other.high >= self.high)
        return np.where(covered, other.entropy() - self.entropy(), np.inf)[()]

    def statistics(self, x: Numbers, weight: RowWeights = None) -> Range:
        """Return the mass and the ends of the rows that have weight; they merge by `+`, field by field."""
        x, weight = self._aligned(x, weight)
        values = arrays.to_numpy(x)
        if weight is None:
            low, high = values.min(0, initial=np.inf), values.max(0, initial=-np.inf)
        else:
            present = arrays.to_numpy(weight) > 0
            low = np.where(present, values, np.inf).min(0, initial=np.inf)
            high = np.where(present, values, -np.inf).max(0, initial=-np.inf)
        mass = self._mass(x, weight)
        return Range(mass, Least(np.broadcast_to(low, mass.shape)), Most(np.broadcast_to(high, mass.shape)))

    def from_statistics(self, statistics: Range, prior: Distribution | None = None) -> "Uniform":
        """Return the narrowest interval that holds the data."""
        if prior is not None:
            raise ParameterError("Uniform: it is fitted without a prior; leave prior out.")
        present = statistics.mass > 0
        low = np.where(present, statistics.low.value, self.low)
        high = np.where(present, statistics.high.value, self.high)
        if np.any(low == high):
            raise DataError("Uniform: the data of a distribution are all equal; give data that vary.")
        return Uniform(low, high)

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        return cls(np.zeros(tuple(x.shape[1:])), 1.0)
