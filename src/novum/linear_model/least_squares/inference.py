r"""What least squares says about the coefficients: standard errors, tests and intervals.

With k parameters, n rows and the inverse in the centred parameters,

    cov(b) = s^2 C_xx^{-1},   var(a) = s^2 (1/W + m' C_xx^{-1} m),   s^2 = rss / (n - k)           (14)
    robust:  B M B,   B = diag(1/W, C_xx^{-1}),   M = sum_i u_i z_i z_i',   z_i = [1, x_i - m]     (15)
    HC0  u_i = (w_i r_i)^2      HC1  times n/(n-k)      HC2  / (1 - h_i)      HC3  / (1 - h_i)^2
    cluster:  the sums of w_i r_i z_i over the rows of every cluster instead of rows, which may depend on each other as they
    like within it; t with the degrees of freedom that the clusters leave each coefficient: `clusters` (16)

AIC = 2 (k + 1) - 2 log L and BIC = (k + 1) log n - 2 log L count the noise variance among the parameters, as `model_criteria` of
novum.evaluation and R do; statsmodels counts k.

(a = intercept at x = 0 follows from the centred one by a linear map.) A row of weight w counts w times, as in every fit; with
weights="precision" weights are inverse variances: the rows are as many as have a positive weight, and doubling all weights
changes nothing. Covariances are kept as C with cov = C C': products lose half of the digits that joint tests need.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.linear_model.least_squares.clusters import (
    BY_CLUSTER,
    ClusterSums,
    check_covariance,
    check_groups,
    cluster_sums,
)
from novum.linear_model.least_squares.coefficient_table import CoefficientTable, number_text, wald_columns
from novum.linear_model.least_squares.hypothesis import f_test, wald
from novum.linear_model.least_squares.model import check_fitted_rows
from novum.report.numbers import num
from novum.runtime import arrays
from novum.runtime.checks import check_level

__all__ = ["WEIGHTS", "Inference", "infer"]

WEIGHTS = ("frequency", "precision")


INVOLVED = 1e-12  # share of a column in the null space from which it takes part
MOST_NAMES = 8  # printed


class MeatPass(NamedTuple):
    coef: np.ndarray  # (p,)
    intercept: float
    mean: np.ndarray  # (p,)
    inverse: np.ndarray  # (p, p)
    total: float  # W, infinite without an intercept
    target: int
    kind: str
    weights: str


class Meat(NamedTuple):
    outer: np.ndarray  # (p + 1, p + 1)
    rss: float  # of the rows given, which must be that of the rows fitted


def meat(s: MeatPass, block: Block) -> Meat:
    """Return M of (15) for one block."""
    X = arrays.to_numpy(arrays.dense(block.X)).astype(np.float64, copy=False)
    y = arrays.as_matrix(arrays.to_numpy(block.y)).astype(np.float64)[:, s.target]
    w = np.ones(block.rows) if block.weight is None else arrays.to_numpy(block.weight)
    r = y - X @ s.coef - s.intercept
    centred = X - s.mean
    leverage = 1 / s.total + np.einsum("ij,ij->i", centred @ s.inverse, centred)
    precision = s.weights == "precision"
    u = (w * r) ** 2 if precision else w * r**2
    h = w * leverage if precision else leverage
    if s.kind == "HC2":
        u = u / (1 - h)
    elif s.kind == "HC3":
        u = u / (1 - h) ** 2
    z = np.column_stack([np.ones(block.rows), centred])
    return Meat((z * u[:, None]).T @ z, float(w @ r**2))


@dataclass(frozen=True, repr=False)
class Inference(CoefficientTable):
    """Coefficients and how far to trust them. Prints as a table; `to_frame()` gives the rows."""

    n_rows: float
    degrees_of_freedom: float
    noise_variance: float
    r_squared: float
    adjusted_r_squared: float
    f_statistic: float
    f_p_value: float
    log_likelihood: float
    aic: float
    bic: float
    tied: tuple[str, ...] = ()  # columns that others determine: their coefficients are one choice of many

    def _foot(self) -> list[str]:
        tied = f"{', '.join(self.tied[:MOST_NAMES])}{' ...' if len(self.tied) > MOST_NAMES else ''}"
        note = f"the rows cannot tell these columns apart, so their coefficients are the shortest of many: {tied}"
        return [
            *([note] if self.tied else []),
            f"{num(self.n_rows):.10g} rows, {num(self.degrees_of_freedom):.10g} degrees of freedom, covariance "
            f"{self.covariance_type}",
            *self._notes(),
            f"R2 {num(self.r_squared):.4f} (adjusted {num(self.adjusted_r_squared):.4f}),"
            f" F {number_text(self.f_statistic, '.5g')} (p {number_text(self.f_p_value, '.3g')}), "
            f"residual sd {num(np.sqrt(self.noise_variance)):.5g}",
            f"log-likelihood {num(self.log_likelihood):.6g}, AIC {num(self.aic):.6g}, BIC {num(self.bic):.6g}",
        ]


def by_cluster(
    s: MeatPass, source: Source, groups: Any, half: tuple[np.ndarray, np.ndarray], n: float
) -> tuple[ClusterSums, float]:
    """Return (16), and the residual sum of squares; `half` of the inverse in the centred parameters, and as printed."""
    held: Any = source.in_memory("rows are added up by cluster")
    X = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
    y = arrays.as_matrix(arrays.to_numpy(held.y)).astype(np.float64)[:, s.target]
    w = np.ones(len(X)) if held.weight is None else np.asarray(arrays.to_numpy(held.weight), dtype=np.float64)
    r = y - X @ s.coef - s.intercept
    z = np.column_stack([np.ones(len(X)), X - s.mean]) @ half[0]
    sums = cluster_sums(
        "LinearRegression.inference",
        kind=s.kind,
        groups=groups,
        used=w > 0,
        rows=(z * np.sqrt(w)[:, None])[:, None, :],
        scores=z * (w * r)[:, None],
        half=half[1],
        n=n,
    )
    return sums, float(w @ r**2)


def infer(
    model: Any, source: Source | None, *, covariance: str, level: float, weights: str, target: int, groups: Any = None
) -> Inference:
    """Return the inference of a fitted LinearRegression; `source` holds the training data for the robust covariances."""
    check(model, source, covariance, level, weights, target)
    check_groups("LinearRegression.inference", covariance, groups)
    with np.errstate(divide="ignore", invalid="ignore"):  # a perfect fit: no noise, infinite t, infinite likelihood
        return table(model, source, covariance, level, weights, target, groups)


def halves(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return A with A A' = B of (15), and A for the parameters that are printed, the intercept at x = 0 first."""
    inner, p = model._inverse_half(), model.n_features_in_
    intercept = int(model.fit_intercept)
    centred = np.zeros((p + 1, inner.shape[1] + intercept))
    centred[1:, intercept:] = inner
    if not intercept:
        return centred, inner
    centred[0, 0] = 1 / np.sqrt(model._weight)
    printed = centred.copy()
    printed[0, 1:] = -model._mean[:p] @ inner
    return centred, printed


def root_of(M: np.ndarray) -> np.ndarray:
    """Return C with C C' = M, a covariance."""
    values, vectors = np.linalg.eigh(M)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def table(
    model: Any, source: Source | None, covariance: str, level: float, weights: str, target: int, groups: Any
) -> Inference:
    """Return (14), (15) or (16) as a table."""
    covariance = "classical" if covariance == "auto" else covariance
    from scipy import stats  # half a second to import, needed by nobody who only fits

    p = model.n_features_in_
    coef, intercept = model._coef[target], float(model._intercept[target])
    mean, total, inverse = model._mean[:p], model._weight, model._inverse()
    rss, tss = np.float64(model._rss[target]), np.float64(model._tss[target])
    n = model._n_rows if weights == "precision" else total
    k = model._rank + model.fit_intercept
    counted = k + 1  # by AIC and BIC: the noise variance is a parameter of the likelihood, as in `model_criteria`
    freedom = n - k
    if freedom <= 0:
        raise DataError(
            f"LinearRegression.inference: {num(n):.10g} rows leave no degrees of freedom for {k} parameters; give more rows."
        )
    variance, clusters = rss / freedom, None
    half, printed = halves(model)
    if covariance == "classical":
        factor = np.sqrt(variance) * printed
    else:
        params = MeatPass(
            coef=coef,
            intercept=intercept,
            mean=mean,
            inverse=inverse,
            total=total if model.fit_intercept else np.inf,
            target=target,
            kind=covariance,
            weights=weights,
        )
        if covariance in BY_CLUSTER:
            clusters, found_rss = by_cluster(params, source, groups, (half, printed), n)  # type: ignore[arg-type]
            factor = clusters.factor
        else:
            found = source.total(meat, params)  # type: ignore[union-attr]
            found_rss = found.rss
            factor = printed @ root_of(half.T @ found.outer @ half) * np.sqrt(n / freedom if covariance == "HC1" else 1)
        check_fitted_rows("LinearRegression.inference", found_rss, float(rss), float(tss))
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(p)]))
    estimates = coef
    if model.fit_intercept:
        names, estimates = ["intercept", *names], np.append(intercept, coef)
    error = np.linalg.norm(factor, axis=1)
    if variance > 0:  # an error of zero beside noise belongs to a column without variance, of which nothing was learned
        error = np.where(error > 0, error, np.nan)
    t_freedom = np.full(len(names), float(freedom)) if clusters is None else clusters.freedoms()
    if covariance == "classical" and model._rank:
        f = float(((tss - rss) / model._rank) / variance)  # the Wald statistic, without a matrix
        f_p = float(stats.f.sf(f, model._rank, freedom))
    else:
        f, f_p = joint_test(coef, factor[-p:] if p else factor[:0], freedom, clusters)
    log_likelihood = -0.5 * n * (np.log(2 * np.pi * rss / n) + 1)
    if weights == "precision" and model._log_weight:
        log_likelihood += 0.5 * model._log_weight
    return Inference(
        names=names,
        **wald_columns(estimates, error, factor, t_freedom, level),
        covariance_type=covariance,
        clusters=clusters,
        weights=weights if model._log_weight else None,
        n_rows=n,
        degrees_of_freedom=freedom,
        noise_variance=float(variance),
        r_squared=float(1 - rss / tss),
        adjusted_r_squared=float(1 - (rss / freedom) / (tss / (n - model.fit_intercept))),
        f_statistic=f,
        f_p_value=f_p,
        log_likelihood=float(log_likelihood),
        aic=float(2 * counted - 2 * log_likelihood),
        bic=float(counted * np.log(n) - 2 * log_likelihood),
        tied=tied_columns(model, names[-p:] if p else []),
    )


def tied_columns(model: Any, names: list[str]) -> tuple[str, ...]:
    """Return the columns that take part in a linear dependency, in the units of their own standard deviation."""
    if model._rank >= model.n_features_in_:
        return ()
    inverse = model._inverse()
    scale = np.sqrt(np.maximum(np.diag(inverse), np.finfo(float).tiny))
    _, vectors = np.linalg.eigh(inverse / np.outer(scale, scale))
    null = vectors[:, : model.n_features_in_ - model._rank]  # directions in which nothing was learned
    return tuple(name for name, share in zip(names, (null**2).sum(axis=1)) if share > INVOLVED)


def joint_test(
    coef: np.ndarray, factor: np.ndarray, freedom: float, clusters: ClusterSums | None
) -> tuple[float, float]:
    """Return F of the hypothesis that all slopes are zero (Wald), and its p-value."""
    from scipy import stats

    R = np.eye(len(coef))
    statistic, k = wald(R, coef, factor)
    if k == 0:
        return np.nan, np.nan
    if clusters is not None:
        slopes = np.eye(len(clusters.half))[-len(coef) :]
        freedom = clusters.freedom(slopes)
        if clusters.kind != "CR1" and not (k == len(coef) and freedom > k - 1):
            return np.nan, np.nan  # more slopes than the clusters can tell
    f, df = f_test(statistic, k, freedom, k if clusters is not None and clusters.kind != "CR1" else 0)
    return float(f), float(stats.f.sf(f, *df))


def check(model: Any, source: Any, covariance: Any, level: float, weights: Any, target: Any) -> None:
    """Raise for options outside their domain."""
    owner = "LinearRegression.inference"
    check_covariance(owner, covariance)
    if weights not in WEIGHTS:
        raise ParameterError(f"{owner}: weights={weights!r} is none of {', '.join(map(repr, WEIGHTS))}.")
    check_level(owner, level)
    if not 0 <= target < np.atleast_2d(model.coef_).shape[0]:
        raise ParameterError(
            f"{owner}: target={target!r}; the model has {np.atleast_2d(model.coef_).shape[0]} target(s)."
        )
    if model.positive:
        raise DataError(f"{owner}: coefficients held at >= 0 have no t distribution; fit with positive=False.")
    if model._root.shape[0] == 0:
        raise DataError(
            f"{owner}: the {model.n_features_in_} sparse columns were fitted iteratively, without a Gram matrix."
        )
    if covariance not in ("auto", "classical") and source is None:
        raise ParameterError(
            f"{owner}: covariance={covariance!r} needs the training data: inference(X, y, covariance={covariance!r})."
        )
