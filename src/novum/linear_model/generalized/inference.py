r"""What maximum likelihood says about the coefficients of a generalised linear model.

information  I = Z' diag(w e) Z,  e the expected curvatures by eta,  Z = [1, X]                                         (7)
cov = phi I^{-1},   phi = sum w (y - mu)^2/mu^q / (n - k)  (Pearson);  one for Poisson                                  (8)
sandwich  I^{-1} (sum u s^2 z z') I^{-1},  s the slopes of (3): right for any variance about the mean                   (9)
cluster   as `novum.linear_model.least_squares.clusters`: rows of a cluster may depend on each other; t for z
deviance explained  1 - D/D_0;   likelihood ratio (D_0 - D)/phi ~ chi^2(p)                                              (10)

D_0 belongs to a model that the fitted one contains: the mean of all targets where there is an intercept, eta = 0 where there is
none. With the identity link and a distribution of positive targets eta = 0 is no mean: (10) does not exist then (NaN).
Weights count rows: n = sum w, u = w. With weights="precision" the variance of a row is phi mu^q / w: n rows of positive weight,
u = w^2 (statsmodels: freq_weights and var_weights).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.linear_model.least_squares.clusters import (
    BY_CLUSTER,
    ClusterSums,
    check_covariance,
    check_groups,
    cluster_sums,
)
from novum.linear_model.least_squares.coefficient_table import CoefficientTable, number_text, wald_columns
from novum.linear_model.least_squares.inference import WEIGHTS, root_of
from novum.linear_model.newton.losses.tweedie import Tweedie
from novum.report.numbers import num
from novum.runtime import arrays
from novum.runtime.checks import check_choice, check_level

__all__ = ["GeneralizedInference", "infer_generalized"]

WITHOUT = ("HC2", "HC3")
STATIONARY = 1e-5  # largest slope, in units of its own standard deviation, that a fit of these very rows may leave


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

    def _foot(self) -> list[str]:
        no_null = (
            "likelihood ratio and explained deviance do not exist: without an intercept the null model has no mean here"
        )
        explained = number_text(1 - self.deviance / self.null_deviance, ".4f")
        return [
            *self._notes(),
            f"{num(self.n_rows):.10g} rows, {num(self.degrees_of_freedom):.10g} degrees of freedom, covariance "
            f"{self.covariance_type}, dispersion {num(self.dispersion):.5g}",
            f"deviance {num(self.deviance):.6g} (null {number_text(self.null_deviance, '.6g')}, explained {explained}),"
            f" Pearson {num(self.pearson):.6g}",
            no_null
            if np.isnan(self.null_deviance)
            else f"likelihood ratio {num(self.likelihood_ratio):.5g} (p {number_text(self.likelihood_ratio_p_value, '.3g')})",
        ]


class FittedTweedie(NamedTuple):
    family: Tweedie
    coef: np.ndarray
    intercept: float
    null: float  # the mean of every row in the null model; NaN where there is none
    precision: bool


class InferenceSums(NamedTuple):
    information: np.ndarray
    meat: np.ndarray
    gradient: np.ndarray
    deviance: float
    null: float
    pearson: float
    weight: float
    rows: float  # of positive weight
    weighted: float  # whose weight is not one


def facts(fit: FittedTweedie, block: Block) -> InferenceSums:
    """Return the sums of (7) to (10) over a block."""
    X = np.asarray(arrays.to_numpy(arrays.dense(block.X)), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight))
    Z = np.column_stack([np.ones(len(y)), X])
    eta = X @ fit.coef + fit.intercept
    mu, s = fit.family.mean(eta), fit.family.rows(y, eta).slope
    e = w * fit.family.expected_curvature(mu)
    at_null = np.full(len(y), fit.null)
    return InferenceSums(
        information=(Z * e[:, None]).T @ Z,
        meat=(Z * ((w**2 if fit.precision else w) * s**2)[:, None]).T @ Z,
        gradient=Z.T @ (w * s),
        deviance=float(w @ fit.family.deviance(y, mu)),
        null=float(w @ fit.family.deviance(y, at_null)),
        pearson=float(w @ ((y - mu) ** 2 / mu**fit.family.power)),
        weight=float(w.sum()),
        rows=float(np.count_nonzero(w > 0)),
        weighted=float(np.count_nonzero((w > 0) & (w != 1))),
    )


def null_mean(family: Tweedie, mean: float, intercept: bool) -> float:
    """Return what the null model expects of every row: the mean of the targets, or without an intercept eta = 0."""
    if intercept:
        return mean
    return 1.0 if family.link == "log" else 0.0 if family.power <= 0 else np.nan


def by_cluster(
    owner: str,
    fit: FittedTweedie,
    source: Source,
    kind: str,
    groups: Any,
    half: np.ndarray,
    printed: np.ndarray,
    n: float,
) -> ClusterSums:
    """Return what clusters say; `half` of the inverse information, and the same for the coefficients that are printed."""
    held: Any = source.in_memory("rows are added up by cluster")
    X = np.asarray(arrays.to_numpy(arrays.dense(held.array())), dtype=np.float64)
    y = np.asarray(arrays.to_numpy(held.y), dtype=np.float64).ravel()
    w = np.ones(len(y)) if held.weight is None else np.asarray(arrays.to_numpy(held.weight), dtype=np.float64)
    eta = X @ fit.coef + fit.intercept
    rows = fit.family.rows(y, eta)
    Z = np.column_stack([np.ones(len(y)), X])[:, -len(half) :] @ half
    working = np.sqrt(w * fit.family.expected_curvature(fit.family.mean(eta)))
    return cluster_sums(
        owner,
        kind=kind,
        groups=groups,
        used=w > 0,
        rows=(Z * working[:, None])[:, None, :],
        scores=Z * (w * rows.slope)[:, None],
        half=printed,
        n=n,
    )


def infer_generalized(
    model: Any, source: Source, *, covariance: str, level: float, weights: str, groups: Any = None
) -> GeneralizedInference:
    """Return (7) to (10) of a fitted model for its training data."""
    from scipy import stats

    from novum.linear_model.generalized.targets import targets_in_range

    owner = f"{type(model).__name__}.inference"
    if model.alpha != 0:
        raise DataError(
            f"{owner}: alpha={model.alpha:g} pulls the coefficients towards zero; without it (alpha=0) they have a theory."
        )
    check_covariance(owner, covariance, WITHOUT)
    covariance = "classical" if covariance == "auto" else covariance
    check_groups(owner, covariance, groups)
    check_choice(owner, "weights", weights, WEIGHTS)
    check_level(owner, level)
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
    null = null_mean(family, mass.target / mass.weight, model.fit_intercept)
    fit = FittedTweedie(family, theta[:-1], float(theta[-1]), null, weights == "precision")
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
    half = scipy.linalg.inv(np.linalg.cholesky(information / np.outer(unit, unit)).T) / unit[:, None]
    n, k = found.rows if weights == "precision" else found.weight, len(gradient)
    if n <= k:
        raise DataError(f"{owner}: {num(n):.10g} rows leave no degrees of freedom for {k} parameters; give more rows.")
    dispersion = 1.0 if family.power == 1 else found.pearson / (n - k)
    clusters, printed = None, half
    if frame is not None:  # the table's coefficients, in the user's units, the intercept first
        printed = np.roll(frame.matrix(model.fit_intercept), int(model.fit_intercept), axis=(0, 1)) @ half
    if covariance in BY_CLUSTER:
        clusters = by_cluster(
            owner, fit=fit, source=source, kind=covariance, groups=groups, half=half, printed=printed, n=n
        )
        factor = clusters.factor
    elif covariance == "classical":
        factor = np.sqrt(dispersion) * printed
    else:
        factor = printed @ root_of(half.T @ meat @ half) * np.sqrt(n / (n - k) if covariance == "HC1" else 1.0)
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(source.n_features)]))
    estimate = coef
    if model.fit_intercept:
        names, estimate = ["intercept", *names], np.append(float(model.intercept_), coef)
    error = np.linalg.norm(factor, axis=1)
    t_freedom = None if clusters is None else clusters.freedoms()
    ratio = (found.null - found.deviance) / dispersion
    freedom = k - model.fit_intercept
    return GeneralizedInference(
        names=names,
        **wald_columns(estimate, error, factor, t_freedom, level),
        covariance_type=covariance,
        clusters=clusters,
        weights=weights if found.weighted else None,
        n_rows=n,
        degrees_of_freedom=n - k,
        dispersion=float(dispersion),
        deviance=found.deviance,
        null_deviance=found.null,
        pearson=found.pearson,
        likelihood_ratio=float(ratio),
        likelihood_ratio_p_value=float(stats.chi2.sf(ratio, freedom)) if freedom else float("nan"),
    )
