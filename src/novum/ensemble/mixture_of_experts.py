r"""Mixture of experts: several models, and a gate that says which to trust at x.

    p(t | x) = sum_k g_k(x) p_k(t | x)                                                             (3)
    r_ik = g_k(x_i) p_k(t_i | x_i) / sum_j g_j(x_i) p_j(t_i | x_i)          the E-step             (4)
    expert k: fitted with weights w_i r_ik;  the gate: (2) of gate.py      the M-step             (5)
    numbers: p_k = N(h_k(x), s_k^2),  s_k^2 = sum_i w_i r_ik (t_i - h_k(x_i))^2 / sum_i w_i r_ik   (6)

For experts that maximise their weighted likelihood (least squares, unpenalised logistic regression) the log-likelihood less
the gate's penalty never falls. Derivation: docs/theory/mixture_of_experts.md.
"""

from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import clone, is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d, has_fit_parameter

from novum.base.callbacks import reporting
from novum.base.classes import distinct
from novum.base.domains import Domain, Int, Methods, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.intervals import IntervalPrediction, check_interval, mixture_interval
from novum.base.sklearn_base import MetaEstimatorMixin
from novum.ensemble.experts import (
    ExpertsState,
    class_shares,
    each_mean,
    fitted_experts,
    mean_and_std,
    plain,
    starting_shares,
    trust,
)
from novum.ensemble.gate import Gate, log_gate, penalty, refit, start_gate
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.batch_results import of_results
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["MixtureOfExperts"]

NARROWEST = (
    1e-6  # least variance of an expert, in that of the target: one that passes through its rows would swallow all
)
LEAST_SHARE = 1e-9  # of all weight: an expert with less stays as it was


class MixtureOfExperts(MetaEstimatorMixin, Estimator):
    """Several models with a gate, trained together by EM.

    Parameters
    ----------
    estimator : regressor or classifier, default=None
        What an expert is; it takes weights, and a classifier gives probabilities. None: least squares. The mixture is a
        regressor or a classifier as its experts are.
    n_experts : int, default=2
    alpha : float, default=0.01
        Penalty of the gate's slopes, in columns of variance one.
    max_iter : int, default=500
    tol : float, default=1e-5
        Stop where a pass adds less than this to the mean log-likelihood of a row.
    n_init : int, default=4
        Starts; the best is kept. The first divides the rows by k-means of inputs and target together, the others at random.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    experts_ : list of fitted estimators
    variance_ : array of shape (n_experts,)
        Variances (6), of regressors.
    classes_ : array of shape (n_classes,)
        Of classifiers.
    log_likelihood_ : float
        Of the training rows.
    gate_mean_, gate_scale_ : array of shape (n_features,)
    gate_coef_ : array of shape (n_experts, n_features + 1)
        The gate's own units, slopes and, last, intercepts.
    history_ : History
        Log-likelihood less the penalty, pass by pass.
    n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from novum.ensemble import MixtureOfExperts
    >>> X = np.linspace(-2, 2, 80)[:, None]
    >>> model = MixtureOfExperts(n_experts=2, random_state=0).fit(X, np.abs(X[:, 0]))  # two straight lines
    >>> sorted(round(float(expert.coef_[0]), 3) for expert in model.experts_)
    [-1.0, 1.0]
    >>> model.gate_proba([[-1.5], [1.5]]).round(2).max(axis=1)
    array([1., 1.])
    """

    _domains: dict[str, Domain] = {
        "estimator": Methods("fit", "predict") | Null(),
        "n_experts": Int(1),
        "alpha": Real(0, open="low"),
        "max_iter": Int(1),
        "tol": Real(0),
        "n_init": Int(1),
        "random_state": RandomState(),
    }
    _reports_passes = True
    experts_: list[Any]
    variance_: np.ndarray
    classes_: np.ndarray
    log_likelihood_: float
    gate_mean_: np.ndarray
    gate_scale_: np.ndarray
    gate_coef_: np.ndarray
    history_: History
    n_iter_: int

    def __init__(
        self,
        estimator: Fittable | None = None,
        *,
        n_experts: int = 2,
        alpha: float = 0.01,
        max_iter: int = 500,
        tol: float = 1e-5,
        n_init: int = 4,
        random_state: Seed = None,
    ) -> None:
        self.estimator = estimator
        self.n_experts = n_experts
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _expert(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from novum.linear_model import LinearRegression

        return LinearRegression()

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Train experts and gate by EM.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        prototype = self._expert()
        chooses = is_classifier(prototype)
        if not has_fit_parameter(prototype, "sample_weight") or (chooses and not hasattr(prototype, "predict_proba")):
            raise ParameterError(
                f"MixtureOfExperts(estimator={prototype!r}): an expert takes sample_weight, and a classifier gives"
                " predict_proba; choose one that does, such as LogisticRegression."
            )
        because = "MixtureOfExperts fits every expert to all rows"
        source = self._source(X, y, sample_weight, target="classes" if chooses else "numeric").in_memory(because)
        X, y = source.array().astype(np.float64, copy=False), source.y
        y = y if y.ndim == 1 else column_or_1d(y, warn=True)
        weight = np.ones(len(X)) if source.weight is None else source.weight
        present = weight > 0
        X, y, weight = X[present], y[present], weight[present]
        if len(X) < self.n_experts:
            raise DataError(
                f"n_samples={len(X)} should be >= n_experts={self.n_experts}: MixtureOfExperts needs a row for each; ask for fewer."
            )
        if chooses:
            self.classes_, code = distinct(y)
        target = np.eye(len(self.classes_))[code] if chooses else np.asarray(y, np.float64)
        stream = Stream(seed_of(self.random_state))
        best: tuple[float, ExpertsState, History] | None = None
        with reporting(
            self,
            self.max_iter,
            X=X,
            y=y,
            sample_weight=sample_weight,
            n_runs=self.n_init,
            attributes=fitted_experts,
            objective_of="leaving",
        ) as report:
            for start in range(self.n_init):
                first = starting_shares(X, target, self.n_experts, stream, start)
                with report.run() if self.n_init > 1 else nullcontext(report) as passes:
                    state, history = self._climb(X, y, weight, first, passes)
                if best is None or history[-1] > best[0]:
                    best = (history[-1], state, history)
        assert best is not None
        objective, state, self.history_ = best
        gain = np.diff(self.history_[-2:])[-1] if len(self.history_) > 1 else np.inf
        if gain > self.tol * weight.sum():
            warn(
                f"MixtureOfExperts(max_iter={self.max_iter}) stopped while the log-likelihood still grew by {gain:.3g} a pass;"
                f" raise max_iter or tol.",
                NotConverged,
            )
        self.n_iter_ = len(self.history_)
        vars(self).update(fitted_experts(state))
        self.log_likelihood_ = float(objective + penalty(state.gate, self.alpha))
        return self

    def _climb(self, X: NDArray, y: NDArray, weight: NDArray, r: NDArray, report: Any) -> tuple[ExpertsState, History]:
        """Return what EM reaches from given responsibilities, and the objective of every pass."""
        state = ExpertsState(start_gate(X, weight, self.n_experts), [None] * self.n_experts, None)
        history = History(name="penalised log-likelihood")
        total = weight.sum()
        for step in range(self.max_iter):
            state = self._maximised(state, X, y, weight, r)
            joint = log_gate(state.gate, X) + self._log_densities(state, X, y)
            row = logsumexp(joint, axis=1)
            history.append(float(weight @ row) - penalty(state.gate, self.alpha))
            r = np.exp(joint - row[:, None])
            gain = history[-1] - history[-2] if step else np.inf
            if report(step + 1, history[-1], state) or gain <= self.tol * total:
                return state, history
        return state, history

    def _maximised(self, state: ExpertsState, X: NDArray, y: NDArray, weight: NDArray, r: NDArray) -> ExpertsState:
        """Return (5) and (6)."""
        mass = weight[:, None] * r
        experts = list(state.experts)
        for k, share in enumerate(mass.sum(axis=0)):
            if share > LEAST_SHARE * weight.sum() or experts[k] is None:
                experts[k] = self._fitted(X, y, np.maximum(mass[:, k], LEAST_SHARE * weight))
        gate = refit(state.gate, X, weight, r, self.alpha) if self.n_experts > 1 else state.gate
        if is_classifier(experts[0]):
            return ExpertsState(gate, experts, None)
        residual = np.column_stack([expert.predict(X) - y for expert in experts])
        total = np.average((y - np.average(y, weights=weight)) ** 2, weights=weight)
        least = max(NARROWEST * float(total), float(np.finfo(np.float64).tiny))
        variance = np.maximum((mass * residual**2).sum(axis=0) / np.maximum(mass.sum(axis=0), LEAST_SHARE), least)
        return ExpertsState(gate, experts, variance)

    def _fitted(self, X: NDArray, y: NDArray, weight: NDArray) -> Any:
        """Return an expert fitted with these weights; rows that are nearly nobody's keep every class in sight."""
        return clone(self._expert()).fit(X, y, sample_weight=weight)

    def _log_densities(self, state: ExpertsState, X: NDArray, y: NDArray) -> NDArray:
        """Return log p_k(t_i | x_i) (n, K)."""
        if state.variance is None:
            at, code = np.arange(len(y)), np.searchsorted(self.classes_, y)
            with np.errstate(divide="ignore"):
                return np.log(np.column_stack([expert.predict_proba(X)[at, code] for expert in state.experts]))
        residual = np.column_stack([expert.predict(X) - y for expert in state.experts])
        return -0.5 * (residual**2 / state.variance + np.log(2 * np.pi * state.variance))

    def _state(self) -> ExpertsState:
        gate = Gate(self.gate_mean_, self.gate_scale_, self.gate_coef_)
        return ExpertsState(gate, self.experts_, getattr(self, "variance_", None))

    def gate_proba(self, X: Rows) -> Any:
        """Return how much each expert is trusted at every row, g_k(x) (n_samples, n_experts)."""
        check_is_fitted(self)
        return self._rows(X, trust, self._state())

    def responsibilities(self, X: Rows, y: Target) -> Any:
        """Return (4): how likely each expert made the target of every row.

        r_ik = g_k(x_i) p_k(t_i | x_i) / sum_j g_j(x_i) p_j(t_i | x_i)   the E-step    (4)
        """
        check_is_fitted(self)
        X = np.asarray(self._rows(X, plain), np.float64)
        joint = log_gate(self._state().gate, X) + self._log_densities(self._state(), X, np.asarray(y))
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict(self, X: Rows, return_std: bool = False, *, interval: str | None = None, level: float = 0.95) -> Any:
        """Return the mean of (3), or its most probable class, for every row.

            p(t | x) = sum_k g_k(x) p_k(t | x)    (3)

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the standard deviation as well, for numbers.
        interval : {None, "confidence", "prediction"}, default=None
            "prediction": quantiles of (3), for numbers; the answer is IntervalPrediction(value, lower, upper).
        level : float, default=0.95
            Of the interval.
        """
        check_is_fitted(self)
        if interval is not None:
            return self._interval(X, interval, level, return_std)
        if hasattr(self, "classes_"):
            if return_std:
                raise ParameterError("MixtureOfExperts.predict(return_std=True): classes have no standard deviation.")
            return of_results(lambda p: self.classes_[np.asarray(p).argmax(axis=1)], self.predict_proba(X))
        both = self._rows(X, mean_and_std, self._state())
        return of_results(lambda b: (b[:, 0], b[:, 1]) if return_std else b[:, 0], both)

    def _interval(self, X: Any, interval: str, level: float, return_std: bool) -> IntervalPrediction:
        """Return the quantiles of (3) about its mean."""
        owner = "MixtureOfExperts.predict"
        check_interval(owner, interval, level, ("prediction",), std=return_std)
        if hasattr(self, "classes_"):
            raise ParameterError(f"{owner}(interval={interval!r}): classes have no intervals; see predict_proba.")
        rows = np.asarray(self._rows(X, plain), np.float64)
        share, means = np.exp(log_gate(self._state().gate, rows)), each_mean(self.experts_, rows)
        return mixture_interval(np.asarray(self.predict(X)), share, means, np.sqrt(self.variance_), level)

    @available_if(is_classifier)
    def predict_proba(self, X: Rows) -> Any:
        """Return (3) for every class, of a mixture of classifiers.

        p(t | x) = sum_k g_k(x) p_k(t | x)    (3)
        """
        check_is_fitted(self)
        return self._rows(X, class_shares, self._state())

    def predict_distribution(self, X: Rows) -> Any:
        """Return p(t | x) as one mixture of normal distributions per row, of a mixture of regressors."""
        from novum.distributions import MixtureDistribution, Normal

        check_is_fitted(self)

        def of_rows(rows: Any) -> list:
            rows = np.asarray(rows, np.float64)
            share, means = np.exp(log_gate(self._state().gate, rows)), each_mean(self.experts_, rows)
            return [MixtureDistribution(p / p.sum(), Normal(m, self.variance_)) for p, m in zip(share, means)]

        return of_results(of_rows, self._rows(X, plain))

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> float:
        """Return R^2 of the mean, or the accuracy of the classes."""
        metric = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self._expert().__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags.required = True
        return tags
