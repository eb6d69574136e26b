r"""What maximum likelihood says about the coefficients of logistic regression.

With l the log-likelihood at its maximum, I = -d^2 l (the observed information) and b_k = theta_k - theta_base the coefficients
against a base class,

    cov(b) = I^{-1},   z_j = b_j / se_j,   b_j -+ z_{(1+level)/2} se_j                             (13)
    likelihood ratio 2 (l - l_0) ~ chi^2 with (K - 1) p degrees of freedom                         (14)
    McFadden's pseudo R^2 = 1 - l / l_0,   l_0 = sum_k W_k log(W_k / W)                            (15)
    sandwich:  I^{-1} M I^{-1},   M = sum_i u_i s_i s_i',   s_i the gradient of row i              (16)
    cluster:   the sums of w_i c_i s_i over clusters instead of rows (least_squares/clusters.py); t for z

l_0 belongs to the model with intercepts only; without intercepts to the one where all coefficients are zero, l_0 = -W log K: in
either case one that the fitted model contains. Weights mean what they mean for least squares: frequencies, u_i = w_i c_i^2 with
c_i that of `class_weight`, or precisions, u_i = (w_i c_i)^2. Weighted by precision or by class the objective is no likelihood:
(13) is then (16), and (14), AIC and BIC do not exist. A penalised fit has no such theory: its coefficients are pulled towards
zero, and the information says nothing of that. Where Wald's intervals fail (small samples, separated classes) those of the
likelihood itself serve, plain or after Firth: `novum.linear_model.logistic.profile`.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy import stats

from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Source
from novum.linear_model.least_squares.clusters import BY_CLUSTER, check_covariance, check_groups
from novum.linear_model.least_squares.coefficient_table import wald_columns
from novum.linear_model.least_squares.inference import WEIGHTS, root_of
from novum.linear_model.logistic import options
from novum.linear_model.logistic.inference_table import LogisticInference
from novum.linear_model.logistic.likelihood import Likelihood
from novum.linear_model.logistic.profile import likelihood_table
from novum.linear_model.logistic.scores import cluster_sums_of, meat_of
from novum.linear_model.logistic.sums import weight_facts
from novum.runtime.checks import check_level

__all__ = ["InferenceRequest", "infer_logistic"]

WITHOUT = ("HC2", "HC3")
METHODS = {
    "wald": "classical",
    "profile": "classical",
    "firth": "classical at Firth's estimates",
}
OWNER = "LogisticRegression.inference"
SINGULAR = 1e-13  # smallest eigenvalue of the unit-diagonal information, relative to the largest, that is not rounding


def base_form(theta: np.ndarray, information: np.ndarray, base: int) -> tuple[np.ndarray, np.ndarray]:
    """Return coefficients against a base class, (K - 1, m), and their information; two classes are in that form already."""
    k, m = theta.shape
    if k == 1:
        sign = 1.0 if base == 0 else -1.0
        return sign * theta, information
    others = [c for c in range(k) if c != base]
    inner = information.reshape(k, m, k, m)[np.ix_(others, range(m), others, range(m))]
    return theta[others] - theta[base], inner.reshape((k - 1) * m, (k - 1) * m)


def inverse_half(owner: str, information: np.ndarray) -> np.ndarray:
    """Return A with A A' the inverse of the information; raise where columns are collinear."""
    scale = np.sqrt(np.diag(information))
    if scale.all():
        unit = information / np.outer(scale, scale)
        values = np.linalg.eigvalsh(unit)
        if values[0] > SINGULAR * values[-1]:
            return np.asarray(scipy.linalg.inv(np.linalg.cholesky(unit).T) / scale[:, None])
    raise DataError(
        f"{owner}: columns are collinear or constant, so single coefficients are not determined; drop some columns."
    )


def covariance_root(V: np.ndarray) -> np.ndarray:
    """Return C with C C' = V, found in units of the coefficients' own standard errors; NaN where V is."""
    if not np.isfinite(V).all():
        return np.full(V.shape, np.nan)
    unit = np.sqrt(np.diag(V))
    return unit[:, None] * root_of(V / np.outer(unit, unit))


def chosen_covariance(owner: str, model: Any, source: Source | None, covariance: str, weights: str) -> tuple:
    """Return the kind of covariance, and whether the objective is a likelihood."""
    if weights not in WEIGHTS:
        raise ParameterError(f"{owner}: weights={weights!r} is none of {', '.join(map(repr, WEIGHTS))}.")
    check_covariance(owner, covariance, WITHOUT)
    facts, by_class = getattr(model, "_weight_facts", None), getattr(model, "_class_factor", None)
    weighted = facts is not None and facts[1] > 0 and weights == "precision"
    likely = not weighted and by_class is None
    kind = ("classical" if likely else "HC0") if covariance == "auto" else covariance
    if kind == "classical" and not likely:
        why = f"class_weight={model.class_weight!r}" if by_class is not None else "sample_weight, taken as precisions,"
        raise ParameterError(
            f"{owner}(covariance='classical'): with {why} the objective is no likelihood; use covariance='HC0'"
            + (", or weights='frequency' if the weights count rows." if by_class is None else ".")
        )
    if kind != "classical" and source is None:
        why = "class_weight" if by_class is not None else "sample_weight, taken as precisions," if weighted else "it"
        raise ParameterError(
            f"{owner}: {why} needs the sandwich covariance, and that the training data: inference(X, y, sample_weight)"
            + ("; or weights='frequency' if the weights count rows." if weighted and by_class is None else ".")
        )
    return kind, likely


def null_log_likelihood(mass: np.ndarray, fit_intercept: bool) -> float:
    """Return l_0: of the classes' shares with intercepts, of equal probabilities without."""
    seen = mass[mass > 0]
    if not fit_intercept:
        return -float(seen.sum() * np.log(len(mass)))
    return float((seen * np.log(seen / seen.sum())).sum())


class InferenceRequest(NamedTuple):
    """The request of an inference and the fitted model; `source` holds the training data, where they were given."""

    model: Any
    source: Source | None
    covariance: str
    level: float
    weights: str
    method: str
    groups: Any
    base: int = 0  # the class that others are measured against


def infer_logistic(request: InferenceRequest, base_class: Any) -> LogisticInference:
    """Return (13) to (16) of a fitted LogisticRegression, or (19), for which the training data are needed."""
    model, source, method = request.model, request.source, request.method
    classes = list(model.classes_)
    check_level(OWNER, request.level)
    if base_class is not None and base_class not in classes:
        raise ParameterError(f"{OWNER}: base_class={base_class!r} is none of the classes {classes}.")
    if method not in METHODS:
        raise ParameterError(f"{OWNER}: method={method!r} is none of {', '.join(map(repr, METHODS))}.")
    check_groups(OWNER, request.covariance, request.groups)
    frame = getattr(model, "_frame", None)
    if source is not None and frame is not None and source.n_features == len(frame.unit):
        source = frame.source(source)
    request = request._replace(source=source, base=0 if base_class is None else classes.index(base_class))
    if method != "wald":
        return from_likelihood(request)
    if model.separation_ is not None:
        raise DataError(
            f"{OWNER}: the classes are separated, so no finite maximum exists and Wald's intervals do not. Use"
            " inference(X, y, method='firth') for finite estimates, or method='profile' for the bounds that the data do give."
        )
    if model._information is None:
        raise DataError(
            f"{OWNER}: the fit was penalised or had too many columns for its Hessian, so there are no Wald intervals;"
            f" fit LogisticRegression(C=np.inf)."
        )
    return from_information(request)


def names_in(model: Any, base: int) -> list[str]:
    """Return the coefficients' names, the intercept of every class first."""
    features = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(model.n_features_in_)]))
    own = ["intercept", *features] if model.fit_intercept else features
    others = [label for c, label in enumerate(model.classes_) if c != base]
    return own if len(others) == 1 else [f"{label}: {name}" for label in others for name in own]


def intercepts_first(model: Any) -> np.ndarray:
    """Return where each printed coefficient stands among (class, column) with the intercept last."""
    p, k = model.n_features_in_, len(model.classes_)
    order = np.array([p, *range(p)] if model.fit_intercept else range(p), dtype=int)
    return np.concatenate([c * len(order) + order for c in range(k - 1)])


def outward(model: Any) -> np.ndarray:
    """Return the matrix from theta of one class, as the fit has it, to its coefficients and intercept."""
    m = model._theta.shape[1] - (not model.fit_intercept)
    frame, T = getattr(model, "_frame", None), np.eye(m)
    if frame is not None:
        T = frame.matrix(model.fit_intercept, model._constant)
    if model.fit_intercept:
        T[-1] *= model._constant  # the information is about theta, the table about theta times the constant
    return T


def from_likelihood(request: InferenceRequest) -> LogisticInference:
    """Return (19) of the rows that a model without penalty was fitted to."""
    model, source, covariance, level, weights, method, _, base = request
    if covariance != "auto":
        raise ParameterError(f"{OWNER}(method={method!r}, covariance={covariance!r}): only Wald's intervals have one.")
    if source is None:
        raise ParameterError(
            f"{OWNER}(method={method!r}): needs the training data: inference(X, y, method={method!r})."
        )
    if options.penalty_of(model).name is not None:
        raise DataError(
            f"{OWNER}(method={method!r}): the fit was penalised; fit LogisticRegression(C=np.inf) and ask that."
        )
    facts = source.without_features().total(weight_facts)
    if (facts.other and weights == "precision") or model._class_factor is not None:
        why = "class_weight" if model._class_factor is not None else "sample_weight, taken as precisions,"
        raise ParameterError(
            f"{OWNER}(method={method!r}): with {why} the objective is no likelihood"
            + ("." if model._class_factor is not None else "; use weights='frequency' if the weights count rows.")
        )
    meat_of(OWNER, model, source, weights)  # these are the rows of the fit
    k = len(model.classes_)
    frame = getattr(model, "_frame", None)
    units = 1.0 if frame is None else frame.unit
    likelihood = Likelihood(OWNER, source, k, base, model.fit_intercept, method == "firth", units)
    found = likelihood_table(likelihood, level, model.separation_ is not None, frame)
    place = intercepts_first(model)
    mass = float(model._class_mass.sum())
    n_rows = mass if weights == "frequency" else facts.rows
    ratio, freedom = 2 * (found.value - found.null), (k - 1) * model.n_features_in_
    plain = 0.0 if method == "profile" else np.nan
    return LogisticInference(
        names=names_in(model, base),
        coef=found.coef[place],
        standard_error=found.standard_error[place],
        statistic=found.statistic[place],
        p_value=found.p_value[place],
        lower=found.lower[place],
        upper=found.upper[place],
        covariance=found.covariance[np.ix_(place, place)],
        factor=covariance_root(found.covariance[np.ix_(place, place)]),
        covariance_type=METHODS[method],
        level=level,
        t_freedom=None,
        clusters=None,
        weights=weights if facts.other else None,
        n_rows=n_rows,
        log_likelihood=found.value,
        null_log_likelihood=found.null,
        likelihood_ratio=ratio,
        likelihood_ratio_p_value=float(stats.chi2.sf(ratio, freedom)),
        degrees_of_freedom=freedom,
        pseudo_r_squared=1 - found.value / found.null + plain,
        aic=2 * len(place) - 2 * found.value + plain,
        bic=float(len(place) * np.log(n_rows) - 2 * found.value) + plain,
        method=method,
        rarest=float(model._class_mass.min()),
    )


def from_information(request: InferenceRequest) -> LogisticInference:
    """Return (13) to (16)."""
    model, source, covariance, level, weights, _, groups, base = request
    kind, likely = chosen_covariance(OWNER, model, source, covariance, weights)
    k, p, m = len(model.classes_), model.n_features_in_, model._theta.shape[1] - (not model.fit_intercept)
    estimate, information = base_form(model._theta[:, :m], model._information, base)
    place = intercepts_first(model)
    T = outward(model)
    estimate = (estimate @ T.T).ravel()[place]
    half, clusters = inverse_half(OWNER, information), None
    printed = (np.kron(np.eye(len(information) // m), T) @ half)[place]  # the table's coefficients, in the user's units
    factor = printed
    if source is not None:
        meat = meat_of(OWNER, model, source, weights)  # these are the rows of the fit
        if kind in BY_CLUSTER:
            clusters = cluster_sums_of(
                OWNER,
                model=model,
                source=source,
                weights=weights,
                kind=kind,
                groups=groups,
                base=base,
                half=(half, printed),
            )
            factor = clusters.factor
        elif kind in ("HC0", "HC1"):
            factor = printed @ root_of(half.T @ base_form(model._theta[:, :m], meat, base)[1] @ half)
    mass, log_likelihood, facts = model._class_mass, model._log_likelihood, getattr(model, "_weight_facts", None)
    n_rows = float(mass.sum()) if weights == "frequency" or facts is None else facts[0]
    if kind == "HC1":
        factor = factor * np.sqrt(n_rows / max(n_rows - len(information), 1.0))
    error = np.linalg.norm(factor, axis=1)
    t_freedom = None if clusters is None else clusters.freedoms()
    by_class = getattr(model, "_class_factor", None)
    null = null_log_likelihood(mass if by_class is None else by_class * mass, model.fit_intercept)
    ratio, freedom = 2 * (log_likelihood - null), (k - 1) * p
    unlikely = 0.0 if likely else np.nan
    return LogisticInference(
        names=names_in(model, base),
        **wald_columns(estimate, error, factor, t_freedom, level),
        covariance_type=kind,
        clusters=clusters,
        weights=weights if facts is not None and facts[1] else None,
        n_rows=n_rows,
        log_likelihood=log_likelihood,
        null_log_likelihood=null,
        likelihood_ratio=ratio,
        likelihood_ratio_p_value=float(stats.chi2.sf(ratio, freedom)) + unlikely,
        degrees_of_freedom=freedom,
        pseudo_r_squared=1 - log_likelihood / null,
        aic=2 * len(estimate) - 2 * log_likelihood + unlikely,
        bic=float(len(estimate) * np.log(n_rows) - 2 * log_likelihood) + unlikely,
    )
