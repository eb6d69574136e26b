"""Logistic regression with C and l1_ratio chosen by cross-validation, whole paths at a time."""

import numbers
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import BaseCrossValidator, check_cv
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing

from novum.base.classes import labels_of
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Instance, Int, Null, Real
from novum.base.estimator import fits
from novum.exceptions import DataWarning, NotConverged, ParameterError
from novum.fold.homes.memory import MemorySource
from novum.linear_model.logistic import options
from novum.linear_model.logistic.estimator import LogisticRegression
from novum.linear_model.logistic.minimum import Design
from novum.linear_model.logistic.paths import Path, Table, along, paths, score_of
from novum.runtime import sklearn_private
from novum.runtime.typing import LabelWeights, Numbers, Rows, RowWeights, Seed, Splitter, Target
from novum.runtime.warn import warn

__all__ = ["LogisticRegressionCV"]


def gives_splits(value: Any) -> bool:
    """Return whether a value is a splitter or yields pairs of train and test rows."""
    return not isinstance(value, str) and (hasattr(value, "split") or hasattr(value, "__next__"))


class LogisticRegressionCV(LogisticRegression):
    """Logistic regression with its penalty chosen by cross-validation.

    Parameters
    ----------
    Cs : int or array-like, default=10
        Values of C to try; a number stands for that many between 1e-4 and 1e4.
    l1_ratios : array-like, default=None
        Values of l1_ratio to try; None and "warn" stand for 0 and leave the axis of l1_ratios out of the attributes.
    cv : int, splitter or iterable, default=None
        As in scikit-learn; None for five stratified folds.
    scoring : str or callable, default=None
        None and "warn" stand for accuracy.
    refit : bool, default=True
        Whether to fit the best penalty on all rows; else the coefficients of the best penalties of the folds are averaged.
    use_legacy_attributes : bool, default=True
        Whether `coefs_paths_` and `scores_` are dicts by class, as in scikit-learn before 1.10, or arrays; "warn" stands for True.
    fit_intercept, dual, penalty, solver, tol, max_iter, class_weight, n_jobs, verbose, intercept_scaling, random_state
        As in LogisticRegression; n_jobs threads share the folds.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in LogisticRegression.
    Cs_, l1_ratios_ : array
        The grid.
    C_, l1_ratio_ : array of shape (n_classes,), or float with use_legacy_attributes=False
        The best.
    coefs_paths_ : dict of class: array (n_folds, n_cs[, n_l1_ratios], n_features + 1)
        Or array (n_folds, n_l1_ratios, n_cs, n_classes, n_features + 1).
    scores_ : dict of class: array (n_folds, n_cs[, n_l1_ratios]), or array (n_folds, n_l1_ratios, n_cs)
    n_iter_ : array of shape (1, n_folds, n_cs[, n_l1_ratios]), or (n_folds, n_l1_ratios, n_cs)

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from novum.linear_model import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=5, l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False).fit(scale(X), y)
    >>> model.C_, model.scores_.shape
    (1.0, (5, 1, 5))
    """

    _domains: dict[str, Domain] = {
        **{
            name: domain
            for name, domain in LogisticRegression._domains.items()
            if name not in ("C", "warm_start", "l1_ratio")
        },
        "Cs": Int(1) | ArrayLike(1),
        "l1_ratios": ArrayLike(1) | Null() | Choice("warn"),
        "cv": Int(2) | Null() | ArrayLike(1) | Instance(BaseCrossValidator, gives_splits),
        "scoring": Instance(str) | Function() | Null(),
        "refit": Bool(),
        "penalty": Choice("l1", "l2", "elasticnet", "deprecated"),
        "intercept_scaling": Real(0, open="low"),
        "use_legacy_attributes": Bool() | Choice("warn"),
    }
    C_: Any
    l1_ratio_: Any
    _reports_passes = False
    __metadata_request__score = {"sample_weight": UNUSED}  # it goes to the scorer
    Cs_: np.ndarray
    l1_ratios_: np.ndarray
    coefs_paths_: dict[Any, Any]
    scores_: dict[Any, Any] | np.ndarray

    def __init__(
        self,
        *,
        Cs: int | Numbers = 10,
        l1_ratios: Numbers = "warn",
        fit_intercept: bool = True,
        cv: Splitter = None,
        dual: bool = False,
        penalty: Literal["l1", "l2", "elasticnet", "deprecated"] = "deprecated",
        scoring: str | Callable[..., Any] = "warn",
        solver: Literal["lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"] = "lbfgs",
        tol: float = 1e-4,
        max_iter: int = 100,
        class_weight: LabelWeights = None,
        n_jobs: int | None = None,
        verbose: int | bool = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: Seed = None,
        use_legacy_attributes: bool | Literal["warn"] = "warn",
    ) -> None:
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, **params: Any) -> Self:
        """Fit every penalty of the grid on every fold, then the best on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        **params : dict
            For the splitter and the scorer, with metadata routing.
        """
        sklearn_private.raise_for_params(params, self, "fit")
        ratios, name = self._ratios()
        source = self._source(X, y, sample_weight, target="classes")
        remedy = "fit LogisticRegression there, which takes data in memory and elsewhere"
        source = source.in_memory(f"{type(self).__name__} splits rows at random", remedy)
        labels = np.asarray(source.y)
        self.classes_, coded = labels_of(source)
        options.check_classes(type(self).__name__, self.solver, self.classes_)
        if self.solver == "liblinear":
            options.check_size(source)
        routed = self._routed(sample_weight, params)
        code, weight = coded.y, coded.weight  # type: ignore[attr-defined]
        table = Table(coded.array(), code, weight)
        folds = list(check_cv(self.cv, labels, classifier=True).split(table.X, labels, **routed.splitter.split))
        Cs = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, numbers.Integral) else np.asarray(self.Cs)
        mass = np.bincount(code, weight, minlength=len(self.classes_)).astype(np.float64)
        weights = options.class_weights(type(self).__name__, self.class_weight, self.classes_, mass)
        designs = [partial(self._design_at, ratio, weights) for ratio in ratios]
        tasks: list = [(train, design) for train, _ in folds for design in designs]
        found = list(paths(table, tasks, Cs, self.tol, self.max_iter, self.n_jobs))
        theta = np.stack([path.theta for path in found]).reshape(
            len(folds), len(ratios), len(Cs), *found[0].theta.shape[1:]
        )
        theta = theta if self.fit_intercept else theta[..., :-1]
        if self.fit_intercept and self.solver == "liblinear":
            theta[..., -1] *= self.intercept_scaling
        self.Cs_, self.l1_ratios_ = Cs, np.asarray(ratios, dtype=np.float64)
        scores = self._scores(theta, folds, table.X, labels, routed.scorer.score)
        n_iter = np.stack([path.n_iter for path in found]).reshape(scores.shape)
        unfinished = [norm for path in found for norm in path.unfinished]
        self._choose(theta, scores, table, designs, name, unfinished)
        self.coef_, self.intercept_ = self.coef_.astype(source.dtype), self.intercept_.astype(source.dtype)
        self._keep(theta, scores, n_iter)
        if unfinished:
            warn(options.not_converged(self.solver, self.max_iter, max(unfinished), self.tol), NotConverged)
        return self

    def _ratios(self) -> tuple[list[float], str | None]:
        """Return the l1_ratios to try and the name of the penalty they make."""
        given: Any = None if isinstance(self.l1_ratios, str) else self.l1_ratios
        if self.penalty != "deprecated":
            warn(options.DEPRECATED.format(ratio="l1_ratios", strength="Cs"), FutureWarning)
            name = self.penalty
        else:
            kinds = {options.penalty_name(ratio) for ratio in ([0.0] if given is None else given)}
            name = kinds.pop() if len(kinds) == 1 else "elasticnet"
        options.check_solver(type(self).__name__, self.solver, name, self.dual)
        if name != "elasticnet":
            if given is not None and self.penalty != "deprecated":
                warn(
                    f"l1_ratios parameter is only used when penalty is 'elasticnet'. Got (penalty={name}).", DataWarning
                )
            return [1.0 if name == "l1" else 0.0] * (1 if given is None else len(given)), name
        if (
            given is None
            or len(given) == 0
            or not all(isinstance(r, numbers.Real) and 0 <= float(r) <= 1 for r in given)
        ):
            raise ParameterError(
                f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={given!r})."
            )
        return list(given), name

    def _routed(self, sample_weight: RowWeights, params: Any) -> Any:
        """Return what the splitter and the scorer are given."""
        if sklearn_private.routing_enabled():
            return process_routing(self, "fit", sample_weight=sample_weight, **params)
        given = dict(params) if sample_weight is None else {**params, "sample_weight": sample_weight}
        return sklearn_private.manual_routing({"splitter": {}, "scorer": {"score": given}})

    def _design_at(self, ratio: float, weights: Any, C: float, source: MemorySource) -> Design:
        """Return the problem of one grid point on some rows."""
        mass = np.bincount(source.y, source.weight, minlength=len(self.classes_)).astype(np.float64)  # type: ignore[arg-type]
        liblinear = self.solver == "liblinear"
        constant = float(self.intercept_scaling if liblinear else 1.0) if self.fit_intercept else 0.0
        total = float(mass.sum() if weights is None else weights @ mass)
        penalty = options.Penalty(options.penalty_name(ratio), C, float(ratio))
        return Design(len(self.classes_), constant, liblinear, weights, total, penalty)

    def _scores(self, theta: Any, folds: Any, X: Any, labels: Any, params: Any) -> np.ndarray:
        """Return the score of every fold, l1_ratio and C."""
        model = LogisticRegression(solver=self.solver)
        model.classes_, model.n_features_in_ = self.classes_, X.shape[1]
        scores = np.empty(theta.shape[:3])
        for f, (_, test) in enumerate(folds):
            score = score_of(self._scoring(), self.classes_, X, params, test)
            X_test, y_test = X[test], labels[test]
            for r, c in np.ndindex(*theta.shape[1:3]):
                here = theta[f, r, c]
                model.C = float(self.Cs_[c])
                model.coef_ = here[:, :-1] if self.fit_intercept else here
                model.intercept_ = here[:, -1] if self.fit_intercept else np.zeros(len(here))
                scores[f, r, c] = score(model, X_test, y_test)
        return scores

    def _choose(
        self, theta: Any, scores: Any, table: Table, designs: Any, name: str | None, unfinished: list[float]
    ) -> None:
        """Set C_, l1_ratio_, coef_ and intercept_ from the scores."""
        if self.refit:
            c, r = np.unravel_index(scores.sum(axis=0).T.argmax(), scores.shape[:0:-1])
            start = None
            if self.solver != "liblinear":
                start = theta[:, r, c].mean(axis=0)
                start = start if self.fit_intercept else np.column_stack([start, np.zeros(len(start))])
            path: Path = along(table.source(slice(None)), designs[r], self.Cs_[[c]], self.tol, self.max_iter, start)
            unfinished += path.unfinished
            best, self.C_, self.l1_ratio_ = path.theta[0], self.Cs_[c], self.l1_ratios_[r]
            attributes = self._attributes(best if best.shape[0] == 1 or name != "l2" else best - best.mean(axis=0))
            self.coef_, self.intercept_ = attributes["coef_"], attributes["intercept_"]
            return
        flat = [np.unravel_index(fold.T.argmax(), fold.T.shape) for fold in scores]
        best = np.mean([theta[f, r, c] for f, (c, r) in enumerate(flat)], axis=0)
        self.C_ = np.mean([self.Cs_[c] for c, _ in flat])
        self.l1_ratio_ = np.mean([self.l1_ratios_[r] for _, r in flat]) if name == "elasticnet" else 0.0
        self.coef_ = best[:, :-1] if self.fit_intercept else best
        self.intercept_ = best[:, -1] if self.fit_intercept else np.zeros(len(best))

    def _keep(self, theta: Any, scores: Any, n_iter: Any) -> None:
        """Set the attributes of the grid in the form that use_legacy_attributes requests."""
        if not self.use_legacy_attributes:
            self.coefs_paths_, self.scores_, self.n_iter_ = theta, scores, n_iter
            self.C_, self.l1_ratio_ = float(self.C_), float(self.l1_ratio_)
            return
        labels = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        by_c = np.moveaxis(theta, 1, 2)  # (n_folds, n_cs, n_l1_ratios, n_classes, n_features + 1)
        scores, n_iter = scores.swapaxes(1, 2), n_iter.swapaxes(1, 2)[None]
        if self.l1_ratios is None or isinstance(self.l1_ratios, str):
            by_c, scores, n_iter = by_c[:, :, 0], scores[:, :, 0], n_iter[..., 0]
        self.coefs_paths_ = {label: by_c[..., k, :] for k, label in enumerate(labels)}
        self.scores_ = dict.fromkeys(labels, scores)
        self.n_iter_ = n_iter
        self.C_, self.l1_ratio_ = np.full(len(labels), self.C_), np.full(len(labels), self.l1_ratio_)

    def _scoring(self) -> Any:
        default = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return "accuracy" if default else self.scoring

    def score(self, X: Rows, y: Target, sample_weight: RowWeights = None, **score_params: Any) -> float:
        """Return the score of the model on X and y by `scoring`."""
        sklearn_private.raise_for_params(score_params, self, "score")
        if sample_weight is not None:
            score_params["sample_weight"] = sample_weight
        if sklearn_private.routing_enabled():
            score_params = process_routing(self, "score", **score_params).scorer.score
        return get_scorer(self._scoring())(self, X, y, **score_params)

    def get_metadata_routing(self) -> Any:
        """Return what metadata the splitter and the scorer ask for."""
        scorer = MethodMapping().add(caller="score", callee="score").add(caller="fit", callee="score")
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
            .add(scorer=get_scorer(self._scoring()), method_mapping=scorer)
        )
