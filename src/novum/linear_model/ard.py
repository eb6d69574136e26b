r"""Automatic relevance determination: every weight has a precision of its own, and those that are not needed go to zero.

    y = a + w'x + noise,   noise ~ N(0, 1/alpha),   w_j ~ N(0, 1/lambda_j)

With R'R = G the centred Gram matrix, L = diag(lambda), b a least-squares solution with residual sum rss, over the columns
that are kept:

    S = (L + alpha G)^-1,   w = alpha S G b,   sse = rss + |R (b - w)|^2                                        (1)
    gamma_j = 1 - lambda_j S_jj                                                                                 (2)
    lambda_j <- (gamma_j + 2 l_1) / (w_j^2 + 2 l_2),   alpha <- (W - sum gamma + 2 a_1) / (sse + 2 a_2)         (3)

Written so, gamma and b - w are differences of nearly equal numbers. Computed are, where R has at least as many rows as columns,

    gamma_j = alpha (S G)_jj,   b - w = S L b                                                                   (4)

and else, by Woodbury with M = I/alpha + R L^-1 R' and z = R b,

    w = L^-1 R' M^-1 z,   R (b - w) = M^-1 z / alpha,   gamma_j = (R' M^-1 R)_jj / lambda_j                     (5)

Columns whose lambda passes a threshold are dropped. One pass over the data, then p x p or n x n.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from novum.base.callbacks import reporting
from novum.base.domains import Domain, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.engines.moments.triangles import lengths
from novum.linear_model.evidence_regression import EvidenceRegression
from novum.linear_model.least_squares.evidence_maximum import Gammas, one_target, target_variance, unit_of
from novum.linear_model.least_squares.predictive import Predictive
from novum.linear_model.least_squares.solve import solve
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["ARDRegression"]


class Design(NamedTuple):
    """The data, as (1) to (3) see them."""

    root: np.ndarray  # (m, p): root'root = G
    gram: np.ndarray | None  # (p, p), where it is not larger than the root
    best: np.ndarray  # (p,): b
    fitted: np.ndarray  # (m,): root b
    moment: np.ndarray  # (p,): G b
    rss: float
    weight: float


class Weights(NamedTuple):
    """(1) and (2) over the kept columns."""

    coef: np.ndarray  # (k,)
    gamma: np.ndarray  # (k,)
    sse: float
    log_determinant: float  # of S


class ArdState(NamedTuple):
    alpha: float
    lambda_: np.ndarray  # (p,)
    kept: np.ndarray  # (p,) bool
    coef: np.ndarray  # (p,)
    score: float


def factor_of(matrix: np.ndarray) -> np.ndarray:
    """Return the upper Cholesky factor, its lower triangle undefined; a trace of the diagonal is added where rounding has taken the
    definiteness."""
    jitter = 0.0
    while True:
        factor, fault = lapack.dpotrf(matrix + jitter * np.eye(len(matrix)) if jitter else matrix, clean=0)
        if not fault:
            return factor
        jitter = max(10 * jitter, float(np.finfo(float).eps * np.trace(matrix)))


def weights_of(design: Design, alpha: float, lambda_: np.ndarray, kept: np.ndarray) -> Weights:
    """Return (1) and (2) in the form (4) or (5)."""
    every = bool(kept.all())
    precision, root = (lambda_, design.root) if every else (lambda_[kept], design.root[:, kept])
    k = len(precision)
    if design.gram is not None:
        gram = design.gram if every else design.gram[np.ix_(kept, kept)]
        matrix = alpha * gram
        matrix.reshape(-1)[:: k + 1] += precision  # the diagonal, as a view
        factor = factor_of(matrix)
        right = np.empty((k, k + 1 + every), order="F")
        right[:, :k], right[:, k] = gram, design.moment if every else design.moment[kept]
        if every:  # the difference in (1) is that of (4)
            right[:, k + 1] = precision * design.best
        solved = lapack.dpotrs(factor, right, overwrite_b=1)[0]
        coef = alpha * solved[:, k]
        rest = root @ solved[:, k + 1] if every else design.fitted - root @ coef
        gamma, log_determinant = alpha * solved.diagonal(), -2 * float(np.log(factor.diagonal()).sum())
        return Weights(coef, gamma, design.rss + float(rest @ rest), log_determinant)
    scaled = root / precision
    factor = factor_of(scaled @ root.T + np.eye(len(root)) / alpha)
    solved = lapack.dpotrs(factor, np.column_stack([root, design.fitted]))[0]
    rest = solved[:, -1] / alpha
    inner = len(root) * np.log(alpha) + 2 * float(np.log(factor.diagonal()).sum())
    log_determinant = -float(np.log(precision).sum()) - inner
    gamma = np.einsum("ij,ij->j", scaled, solved[:, :-1])
    return Weights(scaled.T @ solved[:, -1], gamma, design.rss + float(rest @ rest), log_determinant)


def covariance_of(design: Design, alpha: float, lambda_: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return S of (1) over the kept columns."""
    precision, root = lambda_[kept], design.root[:, kept]
    if design.gram is not None:
        inverse = scipy.linalg.solve_triangular(
            factor_of(alpha * design.gram[np.ix_(kept, kept)] + np.diag(precision)), np.eye(len(precision))
        )
        return inverse @ inverse.T
    scaled = root / precision
    factor = factor_of(scaled @ root.T + np.eye(len(root)) / alpha)
    half = scipy.linalg.solve_triangular(factor, scaled, trans="T")
    return np.diag(1 / precision) - half.T @ half


def step(design: Design, state: ArdState, gammas: Gammas, threshold: float) -> ArdState:
    """Return the state after (1) to (3)."""
    kept, lambda_ = state.kept, state.lambda_.copy()
    found = weights_of(design, state.alpha, lambda_, kept)
    coef = np.zeros(len(kept))
    coef[kept] = found.coef
    lambda_[kept] = (found.gamma + 2 * gammas.lambda_1) / (found.coef**2 + 2 * gammas.lambda_2)
    alpha = (design.weight - float(found.gamma.sum()) + 2 * gammas.alpha_1) / (found.sse + 2 * gammas.alpha_2)
    left = lambda_ < threshold
    coef[~left] = 0.0
    logarithms = float(np.log(lambda_).sum())
    score = gammas.lambda_1 * logarithms - gammas.lambda_2 * float(lambda_.sum())
    score += gammas.alpha_1 * np.log(alpha) - gammas.alpha_2 * alpha
    score += 0.5 * (found.log_determinant + design.weight * np.log(alpha) + logarithms)
    score -= 0.5 * (alpha * found.sse + float((lambda_ * coef) @ coef))
    return ArdState(alpha, lambda_, left, coef, float(score))


class ARDRegression(EvidenceRegression):
    """Bayesian regression with automatic relevance determination.

    Parameters
    ----------
    threshold_lambda : float, default=1e4
        Columns whose precision passes it are dropped. Where the target or a column has a standard deviation beyond 128 or below
        1/128, this, the priors and `tol` refer to data divided by their scales: scikit-learn's fit of targets of 1e6 is a constant.
    max_iter, tol, alpha_1, alpha_2, lambda_1, lambda_2, compute_score, fit_intercept, copy_X, verbose
        As in BayesianRidge, with a precision, and its Gamma prior, for every weight.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    alpha_ : float
        Precision of the noise.
    lambda_ : array of shape (n_features,)
        Precisions of the weights.
    sigma_ : array of shape (n_kept, n_kept)
        Covariance of the weights that were kept.
    scores_ : array of shape (n_iter,)
        The objective, if requested.
    history_ : History
        The same, always.
    n_iter_ : int
    X_offset_, X_scale_ : array of shape (n_features,)
        Mean of the columns, and ones.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import ARDRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 6))
    >>> model = ARDRegression().fit(X, 3 * X[:, 2] + 0.1 * rng.normal(size=50))
    >>> abs(model.coef_).round(1)
    array([0., 0., 3., 0., 0., 0.])
    """

    _domains: dict[str, Domain] = {
        **EvidenceRegression._domains,
        "tol": Real(0),
        "threshold_lambda": Real(0),
    }
    lambda_: np.ndarray

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1.0e-3,
        alpha_1: float = 1.0e-6,
        alpha_2: float = 1.0e-6,
        lambda_1: float = 1.0e-6,
        lambda_2: float = 1.0e-6,
        compute_score: bool = False,
        threshold_lambda: float = 1.0e4,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: bool | int = False,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.compute_score = compute_score
        self.threshold_lambda = threshold_lambda
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = one_target(self._source(X, y, sample_weight, target="numeric", min_rows=2), self)
        solution = solve(source, fit_intercept=self.fit_intercept)
        variance, p = target_variance(source, solution, self.fit_intercept), source.n_features
        units = unit_of(np.append(lengths(solution.root) / np.sqrt(solution.weight), np.sqrt(variance)))
        t, u = float(units[-1]), units[:-1]
        root, best = solution.root / u, solution.coef[0] * (u / t)
        design = Design(
            root,
            root.T @ root if len(root) >= p else None,
            best,
            root @ best,
            root.T @ (root @ best),
            float(solution.rss[0]) / t**2,
            solution.weight,
        )
        gammas = Gammas(self.alpha_1, self.alpha_2, self.lambda_1, self.lambda_2)
        start = 1 / (variance / t**2 + float(np.finfo(np.float64).eps))
        state = ArdState(start, np.ones(p), np.ones(p, bool), np.zeros(p), -np.inf)
        scores: list[float] = []
        dtype, mean, scale = source.dtype, solution.mean, t / u

        def attributes(state: ArdState) -> dict[str, Any]:
            coef, covariance = np.zeros(p), np.zeros((0, 0))
            if state.kept.any():
                covariance = covariance_of(design, state.alpha, state.lambda_, state.kept)
                coef[state.kept] = weights_of(design, state.alpha, state.lambda_, state.kept).coef
            coef, covariance = coef * scale, covariance * np.outer(scale[state.kept], scale[state.kept])
            return {
                "coef_": coef.astype(dtype),
                "intercept_": dtype.type(mean[-1] - mean[:-1] @ coef) if self.fit_intercept else 0.0,
                "alpha_": dtype.type(state.alpha / t**2),
                "lambda_": (state.lambda_ / scale**2).astype(dtype),
                "sigma_": covariance.astype(dtype),
                "_kept": state.kept,
                "X_offset_": mean[:-1].astype(dtype),
                "X_scale_": np.ones(p, dtype),
            }

        options: dict[str, Any] = {"X": X, "y": y, "sample_weight": sample_weight, "objective_of": "during"}
        with reporting(self, self.max_iter, attributes=attributes, **options) as report:
            report.begin(state)
            for n_iter in range(1, self.max_iter + 1):
                before, state = state.coef, step(design, state, gammas, self.threshold_lambda)
                scores.append(state.score - solution.weight * np.log(t))  # of the targets in their own unit
                moved = np.inf if n_iter == 1 else float(np.abs(state.coef - before).sum())
                stopped = report(n_iter, scores[-1], state)
                if moved < self.tol or stopped or not state.kept.any():
                    break
        vars(self).update(attributes(state), n_iter_=n_iter)
        self.history_ = History(scores, name="objective")
        self.scores_ = np.array(scores if self.compute_score else [])
        return self

    def _predictive(self) -> Predictive:
        """Return the parameters of (6) of novum.linear_model.least_squares.predictive."""
        kept = getattr(self, "_kept", self.lambda_ < self.threshold_lambda)
        values, vectors = np.linalg.eigh(self.sigma_.astype(np.float64))
        root = np.zeros((len(kept), len(values)))
        root[kept] = vectors * np.sqrt(np.maximum(values, 0.0))
        offset = self.X_offset_.astype(np.float64)
        coef, noise = self.coef_.astype(np.float64), 1 / float(self.alpha_)
        return Predictive(coef, float(self.intercept_), root, offset, noise, np.zeros(root.shape[1]))
