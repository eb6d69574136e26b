r"""Student's t distribution: a normal with heavy tails, for data with outliers.

    log p(x) = c(nu) - log s - (nu + 1)/2 log(1 + ((x - m)/s)^2 / nu)                              (1)
    c(nu) = log Gamma((nu + 1)/2) - log Gamma(nu/2) - 1/2 log(nu pi)                               (2)

It is a normal whose precision is Gamma distributed; maximum likelihood by EM over that precision, see `student_t_shared.py`. The
scale s is not the standard deviation, which is s sqrt(nu/(nu - 2)) and exists for nu > 2 only.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv, betaln, stdtr, stdtrit

from novum.distributions.base import Distribution, Support
from novum.distributions.continuous import student_t_shared
from novum.distributions.continuous.student_t_shared import StudentSums
from novum.distributions.learning.iterate import iterate
from novum.distributions.numerics.deviance import digamma_gap
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.numerics.tails import SMALLEST, log_beta_tail, log_of, log_one_minus
from novum.distributions.parameters import Parameter, finite, positive
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["StudentT"]


FAR_TAIL = 0.05  # probability below which a quantile is taken from the incomplete beta function
TINY_SHARE = 1e-17  # y below which its first term is all of it


class Constants(NamedTuple):
    loc: NDArray
    inverse: NDArray  # 1 / (s sqrt(nu))
    minus_power: NDArray  # -(nu + 1)/2
    log_peak: NDArray


def log1p_square(z: Any, ops: Any) -> Any:
    """Return log(1 + z^2), also where the square is beyond the floats."""
    with ops.quiet():
        value = ops.log1p(z * z)
    lost = (value == np.inf) & (abs(z) < np.inf)
    return ops.where(lost, 2 * ops.log(ops.where(lost, abs(z), 1.0)), value) if lost.any() else value


def standard_quantile(df: NDArray, q: NDArray) -> NDArray:
    """Return the quantile of the standard distribution; a small tail is half of I_y(df/2, 1/2), y = df / (df + t^2)."""
    df, q = np.broadcast_arrays(df, q)
    tail = np.minimum(q, 1 - q)
    with np.errstate(all="ignore"):
        a, twice = 0.5 * df, np.where(tail > 0, 2 * tail, 1.0)
        y, rest = betaincinv(a, 0.5, twice), betainccinv(0.5, a, twice)
        log_y = np.where(y > TINY_SHARE, np.log(y), (np.log(twice) + np.log(a) + betaln(a, 0.5)) / a)
        far = np.exp(0.5 * (np.log(df) + np.log(np.where(y > TINY_SHARE, rest, 1.0)) - log_y))
        out = np.where((tail < FAR_TAIL) | ((df < 1) & (q != 0.5)), np.copysign(far, q - 0.5), stdtrit(df, q))
    return np.where(q == 0, -np.inf, np.where(q == 1, np.inf, out))


class StudentT(Distribution):
    """Student's t distribution with a location and a scale.

    Parameters
    ----------
    df : float or array
        Degrees of freedom, above zero; the tails fall like |x|^-(df + 1).
    loc : float or array, default=0
    scale : float or array, default=1

    Examples
    --------
    >>> from novum.distributions import Normal, StudentT
    >>> x = [-1.0, -0.5, 0.0, 0.2, 0.4, 0.8, 1.0, 10.0]
    >>> robust = StudentT.fit(x)  # the outlier hardly moves it
    >>> float(robust.loc.round(6)), float(robust.scale.round(6)), float(robust.df.round(6))
    (0.243974, 0.521675, 1.004328)
    >>> Normal.fit(x).mean
    array(1.3625)
    """

    df = Parameter()
    loc = Parameter()
    scale = Parameter()
    _fit_options = ("df", "max_iter", "tol")
    support = Support("reals", -np.inf, np.inf)
    n_parameters = 3

    def __init__(self, df: float | Numbers, loc: float | Numbers = 0.0, scale: float | Numbers = 1.0) -> None:
        self._set(
            df=(positive("StudentT", "df", df), 0),
            loc=(finite("StudentT", "loc", loc), 0),
            scale=(positive("StudentT", "scale", scale), 0),
        )

    @cached_property
    def _constants(self) -> Constants:
        log_peak = student_t_shared.log_norm(self.df, 1) - np.log(self.scale)
        return Constants(self.loc, 1 / (self.scale * np.sqrt(self.df)), -0.5 * (self.df + 1), log_peak)

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        value = x - constants.loc
        value *= constants.inverse
        value = log1p_square(value, ops)
        value *= constants.minus_power
        value += constants.log_peak
        return value

    def _draw(self, stream: Any, count: Any) -> Any:
        z = stream.normal("student", 0, count, self._columns()).reshape(count, *self.batch_shape)
        log_tau = log_gamma_draws(stream, "student precision", 0.5 * self.df, count) - np.log(0.5 * self.df)
        return self.loc + self.scale * z * np.exp(-0.5 * log_tau)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        return stdtr(self.df, (np.asarray(x) - self.loc) / self.scale)

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        return stdtr(self.df, (self.loc - np.asarray(x)) / self.scale)

    def _log_tail(self, z: NDArray) -> NDArray:
        """Return log P(T <= z) of the standard distribution: half of an incomplete beta function far out."""
        square = np.where(z < 0, z, 1.0) ** 2
        with np.errstate(over="ignore", invalid="ignore"):
            share, rest = self.df / (self.df + square), square / (self.df + square)
            rest = np.where(np.isinf(square), 1.0, rest)
            a = 0.5 * self.df
            power = (
                a * (np.log(self.df) - 2 * np.log(np.abs(z))) - np.log(a) - betaln(a, 0.5)
            )  # share^a, where it underflows
        tail = np.where(share > TINY_SHARE, log_beta_tail(a, 0.5, share, rest), power) - np.log(2.0)
        body = stdtr(self.df, z)
        near = np.where(body < 0.5, log_of(body), log_one_minus(stdtr(self.df, -z)))
        return np.where((z < 0) & ((body < SMALLEST) | (share <= TINY_SHARE)), tail, near)[()]

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        return self._log_tail((np.asarray(x, np.float64) - self.loc) / self.scale)

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return self._log_tail((self.loc - np.asarray(x, np.float64)) / self.scale)

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q."""
        q = np.asarray(q, np.float64)
        ends = -standard_quantile(self.df, q)
        return (self.loc + self.scale * np.where((q >= 0) & (q <= 1), ends, np.nan))[()]

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q."""
        q = np.asarray(q, np.float64)
        ends = standard_quantile(self.df, q)
        return (self.loc + self.scale * np.where((q >= 0) & (q <= 1), ends, np.nan))[()]

    @property
    def mean(self) -> Any:
        return np.where(self.df > 1, self.loc, np.nan)

    @property
    def var(self) -> Any:
        wide = self.scale**2 * self.df / np.where(self.df > 2, self.df - 2, 1.0)
        return np.where(self.df > 2, wide, np.where(self.df > 1, np.inf, np.nan))

    @property
    def mode(self) -> Any:
        return self.loc

    def entropy(self) -> Any:
        half, base = 0.5 * (self.df + 1), 0.5 * self.df
        # digamma(x + 1/2) - digamma(x), which cancels for large x
        rise = np.log1p(0.5 / base) + digamma_gap(base) - digamma_gap(half)
        return (half * rise - self._constants.log_peak)[()]

    def statistics(self, x: Numbers, weight: RowWeights = None) -> StudentSums:
        """Return the sums of one EM step about these parameters."""
        x, weight = self._aligned(x, weight)
        loc, scale, df = (arrays.like(x, value, "float64") for value in (self.loc, self.scale, self.df))
        offset = x - loc
        scores = student_t_shared.row_scores(df, (offset / scale) ** 2, 1)
        weighted = scores.tau * offset
        parts = (scores.tau, weighted, weighted * offset, scores.log_tau, scores.slope, scores.curvature)
        mass = self._mass(x, weight)
        log_likelihood = mass * self._constants.log_peak + self._sum(scores.log_likelihood, weight)
        return StudentSums(*(mass, *(self._sum(part, weight) for part in parts), log_likelihood))

    def from_statistics(self, statistics: StudentSums, prior: Distribution | None = None) -> "StudentT":
        """Return the parameters after one EM step, eq. (5) of `student_t_shared.py`: the likelihood does not fall."""
        if prior is not None:
            raise ParameterError("StudentT: it has no conjugate prior; leave prior out.")
        return self._step(statistics, newton=False, df=None)

    def _step(self, sums: StudentSums, newton: bool, df: Any) -> "StudentT":
        present = sums.mass > 0
        tau = np.where(present, sums.tau, 1.0)
        offset = sums.first / tau
        square = np.maximum(sums.second / tau - offset**2, 0.0)
        if (present & (square <= 0)).any():
            raise self._too_equal()
        if df is None:
            df = student_t_shared.next_df(self.df, 1, sums, newton)
        scale = np.sqrt(np.where(present, square, self.scale**2))
        return StudentT(np.where(present, df, self.df), np.where(present, self.loc + offset, self.loc), scale)

    def _scales(self) -> NDArray:
        return self.scale

    def _too_equal(self) -> DataError:
        return DataError(
            "StudentT: the data of a distribution are all equal, or most of them are equal, so that its scale falls to zero;"
            " give data that vary, or fit a Normal."
        )

    def _moved(self, before: "StudentT") -> float:
        """Return the largest move since `before`: of the location in scales, of the others relative."""
        moves = (self.loc - before.loc) / self.scale, np.log(self.scale / before.scale), np.log(self.df / before.df)
        return float(max(np.abs(move).max() for move in moves))

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, *, df: Any = None, **options: Any) -> Any:
        rows = arrays.to_numpy(x)
        if not len(rows):
            return cls(4.0, np.zeros(rows.shape[1:]), 1.0)
        scale = np.subtract(*np.quantile(rows, [0.75, 0.25], axis=0))
        scale = np.where(scale > 0, scale / 1.35, np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0))
        return cls(4.0 if df is None else df, np.median(rows, axis=0), scale)

    @classmethod
    def fit(
        cls, x: Numbers, sample_weight: RowWeights = None, prior: Distribution | None = None, **options: Any
    ) -> "StudentT":
        """Return the most likely location, scale and degrees of freedom.

        Parameters
        ----------
        x : array-like, frame, scan, Dask collection or tensor
            Numbers; every column of a table gives one of a batch.
        sample_weight : array-like of shape (n,), default=None
        prior : None
        df : float, default=None
            Known degrees of freedom; None learns them (up to 1e6, which is the normal distribution).
        max_iter : int, default=500
            Most passes over the data.
        tol : float, default=1e-9
            Stop when no parameter moves by more than this, relative to the scale.
        """
        return iterate(cls, x, sample_weight, prior, **options)
