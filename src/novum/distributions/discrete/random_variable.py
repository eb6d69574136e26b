r"""A discrete random variable given by its table: finitely many values and their probabilities.

    P(x = v_j) = p_j,  p_j >= 0,  sum_j p_j = 1;   E[f(x)] = sum_j p_j f(v_j);   var = E[x^2] - E[x]^2 = E[(x - E[x])^2]   (1)

Values may be numbers or words; means, variances and cdf are those of numbers. The table is checked when it is made.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, rel_entr

from novum.distributions.base import Distribution, Support
from novum.distributions.discrete.categorical import Categorical, Counts
from novum.distributions.multivariate.dirichlet import Dirichlet
from novum.distributions.numerics.draws import smallest_at_least
from novum.distributions.numerics.tails import log_share
from novum.distributions.parameters import Parameter, simplex
from novum.exceptions import DataError, ParameterError
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Discrete"]


class Discrete(Distribution):
    """A random variable with finitely many values.

    Parameters
    ----------
    values : array of shape (m,)
        Different numbers or words.
    p : array of shape (..., m), default=None
        Their probabilities; None makes them equal.

    Examples
    --------
    >>> from novum.distributions import Discrete
    >>> die = Discrete([1, 2, 3, 4, 5, 6])
    >>> float(die.mean), float(die.var.round(6)), round(die.expect(lambda x: x**2), 6)
    (3.5, 2.916667, 15.166667)
    >>> weather = Discrete.fit(["rain", "clouds", "clouds", "sun", "sun", "sun", "rain", "clouds"])
    >>> dict(zip(weather.values.tolist(), weather.p.tolist()))
    {'clouds': 0.375, 'rain': 0.25, 'sun': 0.375}
    """

    values = Parameter()
    p = Parameter()
    _domain = "the values of its table"

    def __init__(self, values: Numbers, p: Numbers | None = None) -> None:
        given = np.asarray(values)
        if given.ndim != 1 or not given.size or given.dtype.kind not in "fiubUS":
            raise ParameterError(
                f"Discrete(values=...): values must be a list of numbers or of words, got shape {given.shape}, {given.dtype}."
            )
        known, order = np.unique(given, return_index=True)
        if known.size < given.size:
            raise ParameterError(
                "Discrete(values=...): a value occurs twice; name every value once and add its probabilities."
            )
        if given.dtype.kind in "fiub":
            known = known.astype(np.float64)
            if not np.isfinite(known).all():
                raise ParameterError("Discrete(values=...): values must be finite.")
        table = np.full(given.size, 1 / given.size) if p is None else simplex("Discrete", "p", p)
        if table.shape[-1] != given.size:
            raise ParameterError(
                f"Discrete(p=...): there are {given.size} values and {table.shape[-1]} probabilities; give one each."
            )
        self._set(p=(table[..., order], 1))
        known.flags.writeable = False
        self.__dict__["values"] = known

    def __getitem__(self, index: Any) -> "Discrete":
        """Return one of a batch, or several."""
        if not self.batch_shape:
            raise ParameterError("Discrete: there is one distribution here, no batch to index.")
        return Discrete(self.values, self.p[index])

    def _codes(self, x: Any) -> NDArray:
        """Return the places of x among the values, -1 for what is not there."""
        x = np.asarray(x)
        if (x.dtype.kind in "US") != (self.values.dtype.kind in "US"):
            raise DataError(
                f"Discrete: x has dtype {x.dtype}, the values of the table {self.values.dtype}; give the same kind."
            )
        code = np.minimum(np.searchsorted(self.values, x), self.values.size - 1)
        return np.where(self.values[code] == x, code, -1)

    @property
    def _constants(self) -> tuple:
        return Categorical(self.p)._constants

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        return Categorical._log_density(constants, x, ops)

    def log_prob(self, x: Numbers) -> Any:
        """Return the logarithm of the probability of x; minus infinity for what is not in the table."""
        return Categorical(self.p).log_prob(self._codes(x))

    def _draw(self, stream: Any, count: Any) -> Any:
        return self.values[Categorical(self.p)._draw(stream, count)]

    def _numbers(self, what: str) -> NDArray:
        """Return the values if they are numbers."""
        if self.values.dtype.kind in "US":
            raise ParameterError(f"Discrete.{what}: the values are words, which have none; use numbers as values.")
        return self.values

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        x = np.asarray(x, np.float64)
        below = self._numbers("cdf") <= x[..., None]
        return np.where(np.isnan(x), np.nan, np.minimum((self.p * below).sum(axis=-1), 1.0))[()]

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        x = np.asarray(x, np.float64)
        above = self._numbers("sf") > x[..., None]
        return np.where(np.isnan(x), np.nan, np.minimum((self.p * above).sum(axis=-1), 1.0))[()]

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        return log_share(self.cdf(x), self.sf(x))

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return log_share(self.sf(x), self.cdf(x))

    def isf(self, q: Numbers) -> Any:
        """Return the least value x with P(X > x) <= q."""
        values, q = self._numbers("isf"), np.asarray(q, np.float64)
        above = np.cumsum(self.p[..., ::-1], axis=-1)[..., ::-1] - self.p
        above[..., -1] = 0.0
        place = (above > q[..., None]).sum(axis=-1)
        return np.where((q >= 0) & (q <= 1), values[place], np.nan)[()]

    def quantile(self, q: Numbers) -> Any:
        """Return the least value x with P(X <= x) >= q."""
        values, q = self._numbers("quantile"), np.asarray(q, np.float64)
        cumulative = np.cumsum(self.p, axis=-1)
        cumulative[..., -1] = 1.0
        return np.where((q >= 0) & (q <= 1), values[smallest_at_least(cumulative, q)], np.nan)[()]

    @property
    def mean(self) -> Any:
        return self.p @ self._numbers("mean")

    @property
    def var(self) -> Any:
        return (self.p * (self._numbers("var") - self.mean[..., None]) ** 2).sum(axis=-1)

    @property
    def mode(self) -> Any:
        return self.values[self.p.argmax(axis=-1)]

    @property
    def support(self) -> Any:
        if self.values.dtype.kind in "US":
            return Support("values", None, None)
        return Support("values", float(self.values[0]), float(self.values[-1]))

    @property
    def n_parameters(self) -> Any:
        return self.values.size - 1

    def entropy(self) -> Any:
        return entr(self.p).sum(axis=-1)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other); infinite where other cannot do what self does."""
        if not isinstance(other, Discrete):
            return super().kl(other)
        code = other._codes(self.values)
        theirs = np.where(code >= 0, other.p[..., np.maximum(code, 0)], 0.0)
        return rel_entr(self.p, theirs).sum(axis=-1)

    def statistics(self, x: Numbers, weight: RowWeights = None) -> Counts:
        """Return the mass of all rows and of every value."""
        code = self._codes(x)
        if (code < 0).any():
            raise DataError(
                f"Discrete: x holds {np.asarray(x)[code < 0][0]!r}, which is not among the values of the table."
            )
        return Categorical(self.p).statistics(code, weight)

    def from_statistics(self, statistics: Counts, prior: Distribution | None = None) -> "Discrete":
        """Return the shares of the values, or the mode of the posterior under a Dirichlet prior."""
        return Discrete(self.values, Categorical(self.p).from_statistics(statistics, prior).p)

    @classmethod
    def fit(
        cls, x: Numbers, sample_weight: RowWeights = None, prior: Distribution | None = None, **options: Any
    ) -> "Discrete":
        """Return the table of the values that occur and their shares.

        Parameters
        ----------
        x : array-like, one-dimensional, of numbers or words; or one column in any home
        sample_weight : array-like of shape (n,), default=None
        prior : Dirichlet, default=None
            One entry for every value that occurs, in sorted order.
        """
        from novum.distributions.learning.fit import open_rows, statistics_of

        if options:
            raise ParameterError(f"Discrete.fit({next(iter(options))}=...): there is no such option.")
        words = np.asarray(x) if isinstance(x, (list, tuple, np.ndarray)) else None
        if words is not None and words.dtype.kind in "US":
            known = np.unique(words)
            start = cls(known)
            weight = None if sample_weight is None else np.asarray(sample_weight, np.float64)
            return start.from_statistics(start.statistics(words, weight), prior)
        source, _ = open_rows("Discrete.fit", x, sample_weight)
        if source.n_features != 1:
            raise DataError(f"Discrete.fit: x has {source.n_features} columns; give one.")
        start = cls(np.array(sorted(source.total(_values_of, None, set.union))))
        counts = source.total(statistics_of, (start, True))
        if prior is not None and not (isinstance(prior, Dirichlet) and prior.event_shape == start.values.shape):
            raise ParameterError(
                f"Discrete.fit(prior={prior!r}): prior must be a Dirichlet with {start.values.size} entries."
            )
        return start.from_statistics(counts, prior)


def _values_of(_: Any, block: Any) -> set[float]:
    """Return the values of the rows of a block that have weight."""
    from novum.runtime import arrays

    x = block.X if block.weight is None else block.X[block.weight > 0]
    return set(arrays.unique(x).astype(np.float64).tolist())
