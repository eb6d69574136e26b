r"""What maximum likelihood says about the coefficients of logistic regression.

With l the log-likelihood at its maximum, I = -d^2 l (the observed information) and b_k = theta_k - theta_base the coefficients
against a base class,

    cov(b) = I^{-1},   z_j = b_j / se_j,   b_j -+ z_{(1+level)/2} se_j                             (13)
    likelihood ratio 2 (l - l_0) ~ chi^2 with (K - 1) p degrees of freedom                         (14)
    McFadden's pseudo R^2 = 1 - l / l_0,   l_0 = sum_k W_k log(W_k / W)                            (15)

l_0 belongs to the model with intercepts only. Weights count rows. A penalised fit has no such theory: its coefficients are
pulled towards zero, and the information says nothing of that.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.linear_model.least_squares.coefficient_table import CoefficientTable

__all__ = ["LogisticInference", "infer_logistic"]

SINGULAR = 1e-13  # smallest eigenvalue of the unit-diagonal information, relative to the largest, that is not rounding


@dataclass(frozen=True, repr=False)
class LogisticInference(CoefficientTable):
    """Coefficients of a logistic regression and how far to trust them. Prints as a table; `to_frame()` gives the rows."""

    n_rows: float
    log_likelihood: float
    null_log_likelihood: float
    likelihood_ratio: float
    likelihood_ratio_p_value: float
    degrees_of_freedom: int  # of the likelihood ratio
    pseudo_r_squared: float
    aic: float
    bic: float

    symbol: ClassVar[str] = "z"

    def odds_ratios(self) -> np.ndarray:
        """Return exp of the coefficients and of their bounds, one row per coefficient."""
        return np.exp(np.column_stack([self.coef, self.lower, self.upper]))

    def _foot(self) -> list[str]:
        return [
            f"{self.n_rows:.10g} rows, covariance {self.covariance_type}",
            f"likelihood ratio {self.likelihood_ratio:.5g} on {self.degrees_of_freedom} degrees of freedom"
            f" (p {self.likelihood_ratio_p_value:.3g}), pseudo R2 {self.pseudo_r_squared:.4f}",
            f"log-likelihood {self.log_likelihood:.6g} (null {self.null_log_likelihood:.6g}), AIC {self.aic:.6g},"
            f" BIC {self.bic:.6g}",
        ]


def base_form(theta: np.ndarray, information: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients against a base class, (K - 1, m), and their information; two classes are in that form already."""
    k, m = theta.shape
    if k == 1:
        sign = 1.0 if base == 0 else -1.0
        return sign * theta, information
    others = [c for c in range(k) if c != base]
    inner = information.reshape(k, m, k, m)[np.ix_(others, range(m), others, range(m))]
    return theta[others] - theta[base], inner.reshape((k - 1) * m, (k - 1) * m)


def inverse(owner: str, information: np.ndarray) -> np.ndarray:
    """Return the inverse of the information; raise where columns are collinear."""
    scale = np.sqrt(np.diag(information))
    if scale.all():
        unit = information / np.outer(scale, scale)
        values = np.linalg.eigvalsh(unit)
        if values[0] > SINGULAR * values[-1]:
            return np.linalg.inv(unit) / np.outer(scale, scale)
    raise DataError(
        f"{owner}: columns are collinear or constant, so single coefficients are not determined; drop some columns."
    )


def infer_logistic(model: Any, *, level: float, base_class: Any) -> LogisticInference:
    """Return (13) to (15) of a fitted LogisticRegression."""
    from scipy import stats

    owner, classes = "LogisticRegression.inference", list(model.classes_)
    if not 0 < level < 1:
        raise ParameterError(f"{owner}: level={level!r} must lie between 0 and 1, e.g. level=0.95.")
    if base_class is not None and base_class not in classes:
        raise ParameterError(f"{owner}: base_class={base_class!r} is none of the classes {classes}.")
    if model.separation_ is not None:
        raise DataError(
            f"{owner}: the classes are separated, so no finite maximum exists and nothing can be inferred. Penalise (C=1.0)."
        )
    if model._information is None:
        raise DataError(
            f"{owner}: the fit was penalised or had too many columns for its Hessian, so there are no Wald intervals;"
            f" fit LogisticRegression(C=np.inf)."
        )
    base = 0 if base_class is None else classes.index(base_class)
    k, p, m = len(classes), model.n_features_in_, model._theta.shape[1] - (not model.fit_intercept)
    rows = model._theta[:, :m] + 0.0
    if model.fit_intercept:
        rows[:, -1] *= model._constant
    estimate, information = base_form(rows, model._information, base)
    order = [p, *range(p)] if model.fit_intercept else list(range(p))  # the intercept first, as it prints
    estimate = estimate[:, order].ravel()
    place = np.concatenate([c * m + np.array(order, dtype=int) for c in range(k - 1)])
    covariance = inverse(owner, information)[np.ix_(place, place)]
    error = np.sqrt(np.diag(covariance))
    statistic = estimate / error
    half = stats.norm.ppf((1 + level) / 2) * error
    features = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(p)]))
    own = ["intercept", *features] if model.fit_intercept else features
    others = [label for c, label in enumerate(classes) if c != base]
    names = own if k == 2 else [f"{label}: {name}" for label in others for name in own]
    mass, log_likelihood = model._class_mass, model._log_likelihood
    seen = mass[mass > 0]
    null = float((seen * np.log(seen / seen.sum())).sum())
    ratio, freedom, weight = 2 * (log_likelihood - null), (k - 1) * p, float(mass.sum())
    return LogisticInference(
        names,
        estimate,
        error,
        statistic,
        2 * stats.norm.sf(np.abs(statistic)),
        estimate - half,
        estimate + half,
        covariance,
        "observed information",
        level,
        weight,
        log_likelihood,
        null,
        ratio,
        float(stats.chi2.sf(ratio, freedom)),
        freedom,
        1 - log_likelihood / null,
        2 * len(estimate) - 2 * log_likelihood,
        float(len(estimate) * np.log(weight) - 2 * log_likelihood),
    )
