r"""The multivariate Student t distribution: normal vectors that share one Gamma distributed precision.

    log p(x) = c(nu, d) - 1/2 log |S| - (nu + d)/2 log(1 + delta/nu),   delta = (x - m)' S^-1 (x - m)   (1)
    c(nu, d) = log Gamma((nu + d)/2) - log Gamma(nu/2) - d/2 log(nu pi)                            (2)

The first Gamma function of the denominator has nu, not d: with d it would not integrate to one. Mean m (nu > 1), covariance
S nu/(nu - 2) (nu > 2). Maximum likelihood by the EM of `student_t_shared.py`.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from novum import _core
from novum.distributions.base import Distribution
from novum.distributions.continuous import student_t_shared
from novum.distributions.continuous.student_t_shared import StudentSums
from novum.distributions.learning.iterate import iterate
from novum.distributions.multivariate.elliptical import Elliptical
from novum.distributions.numerics import triangular
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.parameters import Parameter, finite, positive
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["MultivariateStudentT"]


class Constants(NamedTuple):
    loc: NDArray
    factor: NDArray
    df: NDArray
    minus_power: NDArray  # -(nu + d)/2
    log_peak: NDArray


class MultivariateStudentT(Elliptical, Distribution):
    """Student's t distribution of vectors.

    Parameters
    ----------
    df : float or array
        Degrees of freedom, above zero.
    loc : array of shape (..., d)
    scale_matrix : array of shape (..., d, d), (d,) or float
        Symmetric and positive definite; the covariance is df / (df - 2) times it.

    Examples
    --------
    >>> from novum.distributions import MultivariateStudentT
    >>> model = MultivariateStudentT(5.0, [0.0, 0.0], [[2.0, 0.5], [0.5, 1.0]])
    >>> float(model.prob([1.0, 1.0]).round(6))
    0.058533
    """

    df = Parameter()
    loc = Parameter()
    scale_matrix = Parameter()
    _event_ndim = 1
    _domain = "vectors of real numbers"
    _fit_options = ("df", "max_iter", "tol")

    def __init__(self, df: float | Numbers, loc: Numbers, scale_matrix: Numbers | float) -> None:
        family = "MultivariateStudentT"
        center = finite(family, "loc", loc)
        if center.ndim == 0:
            raise ParameterError(f"{family}(loc={loc!r}): loc must be a vector; for numbers there is StudentT.")
        matrix = triangular.covariance(family, "scale_matrix", scale_matrix, center.shape[-1])
        factor = triangular.cholesky(family, "scale_matrix", matrix)
        self._set(
            center.shape[-1:],
            df=(positive(family, "df", df), 0),
            loc=(center, 1),
            scale_matrix=(matrix, 2),
            factor=(factor, 2),
        )

    @property
    def cholesky(self) -> NDArray:
        """The lower triangular factor L of scale_matrix = L L'."""
        return self.__dict__["factor"]

    @cached_property
    def _constants(self) -> Constants:
        d = self.event_shape[0]
        log_peak = student_t_shared.log_norm(self.df, d) - 0.5 * triangular.log_determinant(self.cholesky)
        return Constants(self.loc, self.cholesky, self.df, -0.5 * (self.df + d), log_peak)

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        square = triangular.squared_length(constants.factor, x - constants.loc, spent=True)
        return constants.log_peak + constants.minus_power * ops.log1p(square / constants.df)

    @cached_property
    def _kernel_table(self) -> tuple[NDArray, NDArray]:
        d = self.event_shape[0]
        return np.ascontiguousarray(self.loc).reshape(-1, d), np.ascontiguousarray(self.cholesky).reshape(-1, d, d)

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.squared_length(x, *self._kernel_table, out)
        out /= self.df
        np.log1p(out, out=out)
        out *= self._constants.minus_power
        out += self._constants.log_peak

    def _draw(self, stream: Any, count: Any) -> Any:
        z = stream.normal("multivariate student", 0, count, self._columns() * self.event_shape[0])
        z = z.reshape(count, *self.batch_shape, *self.event_shape)
        log_tau = log_gamma_draws(stream, "multivariate student precision", 0.5 * self.df, count) - np.log(
            0.5 * self.df
        )
        return self.loc + (self.cholesky @ z[..., None])[..., 0] * np.exp(-0.5 * log_tau)[..., None]

    @property
    def mean(self) -> Any:
        return np.where(self.df[..., None] > 1, self.loc, np.nan)

    @property
    def cov(self) -> NDArray:
        """The covariance matrix; infinite for df <= 2, undefined for df <= 1."""
        df = self.df[..., None, None]
        wide = self.scale_matrix * df / np.where(df > 2, df - 2, 1.0)
        return np.where(df > 2, wide, np.where(df > 1, np.inf, np.nan))

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def n_parameters(self) -> Any:
        d = self.event_shape[0]
        return d + d * (d + 1) // 2 + 1

    def entropy(self) -> Any:
        half = 0.5 * (self.df + self.event_shape[0])
        return half * (digamma(half) - digamma(0.5 * self.df)) - self._constants.log_peak

    def statistics(self, x: Numbers, weight: RowWeights = None) -> StudentSums:
        """Return the sums of one EM step about these parameters."""
        x, weight = self._aligned(x, weight)
        d, batch = self.event_shape[0], self.batch_shape
        loc, factor, df = (arrays.like(x, value, "float64") for value in (self.loc, self.cholesky, self.df))
        offset = x - loc  # (n, *batch, d)
        scores = student_t_shared.row_scores(df, triangular.squared_length(factor, offset), d)
        heavy = scores.tau if weight is None else scores.tau * weight
        columns = self._columns()
        flat, strength = offset.reshape((x.shape[0], columns, d)), heavy.reshape((x.shape[0], columns))
        moments = [
            (
                arrays.to_numpy(strength[:, j] @ flat[:, j]),
                arrays.to_numpy((flat[:, j] * strength[:, j, None]).T @ flat[:, j]),
            )
            for j in range(flat.shape[1])
        ]
        first = np.array([m for m, _ in moments]).reshape(*batch, d)
        second = np.array([m for _, m in moments]).reshape(*batch, d, d)
        mass = self._mass(x, weight)
        rest = (self._sum(part, weight) for part in (scores.log_tau, scores.slope, scores.curvature))
        log_likelihood = mass * self._constants.log_peak + self._sum(scores.log_likelihood, weight)
        return StudentSums(*(mass, self._sum(scores.tau, weight), first, second, *rest, log_likelihood))

    def from_statistics(self, statistics: StudentSums, prior: Distribution | None = None) -> "MultivariateStudentT":
        """Return the parameters after one EM step, eq. (5) of `student_t_shared.py`: the likelihood does not fall."""
        if prior is not None:
            raise ParameterError("MultivariateStudentT: it has no conjugate prior; leave prior out.")
        return self._step(statistics, newton=False, df=None)

    def _step(self, sums: StudentSums, newton: bool, df: Any) -> "MultivariateStudentT":
        present = sums.mass > 0
        tau = np.where(present, sums.tau, 1.0)
        offset = sums.first / tau[..., None]
        matrix = sums.second / tau[..., None, None] - offset[..., None] * offset[..., None, :]
        matrix = np.where(present[..., None, None], matrix, self.scale_matrix)
        if df is None:
            df = student_t_shared.next_df(self.df, self.event_shape[0], sums, newton)
        try:
            return MultivariateStudentT(np.where(present, df, self.df), self.loc + offset, matrix)
        except ParameterError as error:
            raise self._too_equal() from error

    def _scales(self) -> NDArray:
        return np.sqrt(np.diagonal(self.scale_matrix, axis1=-2, axis2=-1))

    def _too_equal(self) -> DataError:
        return DataError(
            f"MultivariateStudentT: the rows lie in fewer than {self.event_shape[0]} dimensions, or most of them are equal;"
            f" give more rows or leave out dependent columns."
        )

    def _moved(self, before: "MultivariateStudentT") -> float:
        """Return the largest move since `before`, relative to the scale."""
        scales = self._scales()
        ratio = (self.scale_matrix - before.scale_matrix) / (scales[..., None] * scales[..., None, :])
        moves = (self.loc - before.loc) / scales, ratio, np.log(self.df / before.df)
        return float(max(np.abs(move).max() for move in moves))

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, *, df: Any = None, **options: Any) -> Any:
        rows, d = arrays.to_numpy(x), x.shape[-1]
        if not len(rows):
            return cls(4.0, np.zeros(d), 1.0)
        variance = rows.var(axis=0)
        return cls(4.0 if df is None else df, np.median(rows, axis=0), np.where(variance > 0, variance, 1.0))

    @classmethod
    def fit(
        cls, x: Numbers, sample_weight: RowWeights = None, prior: Distribution | None = None, **options: Any
    ) -> "MultivariateStudentT":
        """Return the most likely location, scale matrix and degrees of freedom.

        Parameters
        ----------
        x : array-like, frame, scan, Dask collection or tensor of shape (n, d)
        sample_weight : array-like of shape (n,), default=None
        prior : None
        df, max_iter, tol
            As in `StudentT.fit`.
        """
        return iterate(cls, x, sample_weight, prior, **options)
