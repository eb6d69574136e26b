r"""What maximum likelihood says about the coefficients of a generalised linear model.

information  I = Z' diag(w e) Z,  e the expected curvatures by eta,  Z = [1, X]                                         (7)
cov = phi I^{-1},   phi = sum w (y - mu)^2/mu^q / (n - k)  (Pearson);  one for Poisson                                  (8)
sandwich  I^{-1} (sum w s^2 z z') I^{-1},  s the slopes of (3): right for any variance about the mean                   (9)
cluster   I^{-1} M I^{-1},  M as in `novum.linear_model.least_squares.clusters`: rows of a cluster may depend on each other;
          t with G - 1 degrees of freedom for z, G clusters
deviance explained  1 - D/D_0;   likelihood ratio (D_0 - D)/phi ~ chi^2(p)                                              (10)
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.linear_model.generalized.family import Family
from novum.linear_model.least_squares.clusters import check_groups, cluster_factor, cluster_note, cluster_outer
from novum.linear_model.least_squares.coefficient_table import CoefficientTable
from novum.report.numbers import num
from novum.runtime import arrays

__all__ = ["GeneralizedInference", "infer_generalized"]

COVARIANCES = ("information", "sandwich", "cluster")
STATIONARY = 1e-5  # largest slope, in units of its own spread, that a fit of these very rows may leave


@dataclass(frozen=True, repr=False)
class GeneralizedInference(CoefficientTable):
    """Coefficients of a generalised linear model and how far to trust them. Prints as a table; `to_frame()` gives the rows."""

    n_rows: float
    degrees_of_freedom: float
    dispersion: float
    deviance: float
    null_deviance: float
    pearson: float
    likelihood_ratio: float
    likelihood_ratio_p_value: float
    n_clusters: int | None = None

    def _freedom(self) -> float | None:
        return None if self.n_clusters is None else self.n_clusters - 1.0

    def _foot(self) -> list[str]:
        return [
            *cluster_note(self.n_clusters),
            f"{num(self.n_rows):.10g} rows, {num(self.degrees_of_freedom):.10g} degrees of freedom, covariance "
            f"{self.covariance_type},"
            f" dispersion {num(self.dispersion):.5g}",
            f"deviance {num(self.deviance):.6g} (null {num(self.null_deviance):.6g}, explained "
            f"{num(1 - self.deviance / self.null_deviance):.4f}),"
            f" Pearson {num(self.pearson):.6g}",
            f"likelihood ratio {num(self.likelihood_ratio):.5g} (p {num(self.likelihood_ratio_p_value):.3g})",
        ]


class Fitted(NamedTuple):
    family: Family
    coef: np.ndarray
    intercept: float
    mean: float  # of the targets


class Facts(NamedTuple):
    information: np.ndarray
    meat: np.ndarray
    gradient: np.ndarray
    deviance: float
    null: float
    pearson: float
    weight: float


def facts(fit: Fitted, block: Block) -> Facts:
    """Return the sums of (7) to (10) over a block."""
    X = np.asarray(arrays.to_numpy(arrays.dense(block.X)), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    Z = np.column_stack([np.ones(len(y)), X])
    rows = fit.family.rows(y, X @ fit.coef + fit.intercept)
    mu, s = rows.mean, rows.slope
    e = w * fit.family.expected_curvature(mu)
    at_mean = np.full(len(y), fit.mean)
    return Facts(
        (Z * e[:, None]).T @ Z,
        (Z * (w * s**2)[:, None]).T @ Z,
        Z.T @ (w * s),
        float(w @ fit.family.deviance(y, mu)),
        float(w @ fit.family.deviance(y, at_mean)),
        float(w @ ((y - mu) ** 2 / mu**fit.family.power)),
        float(w.sum()),
    )


def cluster_meat(owner: str, fit: Fitted, source: Source, groups: Any) -> tuple[np.ndarray, int]:
    """Return the sum over clusters of the squares of their scores, and how many there are."""
    held: Any = source.in_memory("rows are added up by cluster")
    X = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(held.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if held.weight is None else np.asarray(arrays.to_numpy(held.weight), dtype=np.float64)
    slopes = fit.family.rows(y, X @ fit.coef + fit.intercept).slope
    return cluster_outer(owner, np.column_stack([np.ones(len(y)), X]) * (w * slopes)[:, None], w > 0, groups)


def infer_generalized(
    model: Any, source: Source, *, covariance: str, level: float, groups: Any = None
) -> GeneralizedInference:
    """Return (7) to (10) of a fitted model for its training data."""
    from scipy import stats

    from novum.linear_model.generalized.fit import targets_in_range

    owner = f"{type(model).__name__}.inference"
    if model.alpha != 0:
        raise DataError(
            f"{owner}: alpha={model.alpha:g} pulls the coefficients towards zero; without it (alpha=0) they have a theory."
        )
    if covariance not in COVARIANCES:
        raise ParameterError(f"{owner}: covariance={covariance!r} is none of {', '.join(map(repr, COVARIANCES))}.")
    check_groups(owner, covariance, groups)
    if not 0 < level < 1:
        raise ParameterError(f"{owner}: level={level!r} must lie between 0 and 1, e.g. level=0.95.")
    if source.n_features != model.n_features_in_:
        raise DataError(f"{owner}: X has {source.n_features} columns, the training data had {model.n_features_in_}.")
    if getattr(model, "separation_", None) is not None:
        raise DataError(
            f"{owner}: rows that separation_ singles out have no counts, so that no finite maximum exists and neither do standard"
            f" errors; penalise, or leave out those rows or columns."
        )
    family = model._family()
    mass = targets_in_range(family, source)
    coef = np.asarray(model.coef_, dtype=np.float64)
    frame = getattr(model, "_frame", None)
    theta = np.append(coef, float(model.intercept_)) if frame is None else model._theta
    source = source if frame is None else frame.source(source)
    fit = Fitted(family, theta[:-1], float(theta[-1]), mass.target / mass.weight)
    found = source.total(facts, fit)
    first = 0 if model.fit_intercept else 1
    information, meat = found.information[first:, first:], found.meat[first:, first:]
    gradient, scale = found.gradient[first:], np.sqrt(np.diag(found.meat))[first:]
    if (
        np.abs(gradient) > STATIONARY * np.maximum(scale, np.finfo(float).tiny) * np.sqrt(mass.weight) + 1e-7 * scale
    ).any():
        raise DataError(
            f"{owner}: these rows do not have their maximum here; give X, y and sample_weight that `fit` saw."
        )
    unit = np.sqrt(np.diag(information))
    if not unit.all() or np.linalg.cond(information / np.outer(unit, unit)) > 1e13:
        raise DataError(
            f"{owner}: columns are collinear or constant, so single coefficients are not determined; drop some."
        )
    inverse = np.linalg.inv(information / np.outer(unit, unit)) / np.outer(unit, unit)
    n, k = found.weight, len(gradient)
    if n <= k:
        raise DataError(f"{owner}: {num(n):.10g} rows leave no degrees of freedom for {k} parameters; give more rows.")
    dispersion = 1.0 if family.power == 1 else found.pearson / (n - k)
    n_clusters = None
    if covariance == "cluster":
        outer, n_clusters = cluster_meat(owner, fit, source, groups)
        meat = cluster_factor(n_clusters, n, k) * outer[first:, first:]
    V = dispersion * inverse if covariance == "information" else inverse @ meat @ inverse
    if frame is not None:
        T = np.roll(frame.matrix(model.fit_intercept), int(model.fit_intercept), axis=(0, 1))  # the intercept first
        V = T @ V @ T.T
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(source.n_features)]))
    estimate = coef
    if model.fit_intercept:
        names, estimate = ["intercept", *names], np.append(float(model.intercept_), coef)
    error = np.sqrt(np.diag(V))
    statistic = estimate / error
    law = stats.norm() if n_clusters is None else stats.t(n_clusters - 1)
    half = law.ppf((1 + level) / 2) * error
    ratio = (found.null - found.deviance) / dispersion
    freedom = k - model.fit_intercept
    return GeneralizedInference(
        names, estimate, error, statistic, 2 * law.sf(np.abs(statistic)), estimate - half, estimate + half, V,
        covariance, level, n, n - k, float(dispersion), found.deviance, found.null, found.pearson, float(ratio),
        float(stats.chi2.sf(ratio, freedom)) if freedom else float("nan"), n_clusters,
    )  # fmt: skip
