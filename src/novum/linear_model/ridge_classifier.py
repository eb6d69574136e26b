r"""Ridge regression on class labels written as numbers.

    y_k = +1 for rows of class k, -1 for the others;   class(x) = argmax_k a_k + b_k'x             (1)

Two classes need one function, whose sign decides. Several labels per row have a function each, decided by sign.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import type_of_target

from novum.base.classes import labels_of
from novum.base.domains import Choice, ClassWeight, Domain, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.linear_model.class_weights import ClassWeighted, class_mass
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.least_squares.ridge_choice import FixedScores, RidgeByValidation, check_alphas
from novum.linear_model.least_squares.solve import solve
from novum.linear_model.least_squares.sparse_iterations import solve_sparse
from novum.linear_model.logistic.options import class_weights
from novum.linear_model.ridge import Ridge
from novum.runtime import arrays
from novum.runtime.typing import LabelWeights, Numbers, Rows, RowWeights, Seed, Splitter, Target

__all__ = ["RidgeClassifier", "RidgeClassifierCV"]

CLASS_WEIGHT: Domain = Null() | Choice("balanced") | ClassWeight()


class Decision(NamedTuple):
    line: Line
    classes: np.ndarray
    multilabel: bool


def signs(k: int, code: Any) -> Any:
    """Return the targets (1) of class codes: flat for two classes, else a column per class."""
    return 2 * arrays.double(code) - 1 if k <= 2 else 2 * arrays.one_hot(code, code, k) - 1


def decide(params: Decision, block: Block) -> Any:
    """Return the class of every row, or its indicator of labels."""
    scores = predict_block(params.line, block)
    if params.multilabel:
        return arrays.whole(scores > 0).reshape(block.rows, -1)
    return arrays.class_of(params.classes, arrays.whole(scores > 0) if scores.ndim == 1 else arrays.argmax(scores))


def several_labels(y: Any) -> bool:
    """Return whether y is an indicator of labels, one column each."""
    if scipy.sparse.issparse(y) or isinstance(y, np.ndarray):
        return y.ndim == 2 and type_of_target(y).startswith("multilabel")
    rows = isinstance(y, list | tuple) and len(y) > 0 and isinstance(y[0], list | tuple | np.ndarray)
    return rows and type_of_target(np.asarray(y)).startswith("multilabel")


class LabelsByRegression(ClassifierMixin):
    """What the ridge classifiers share: labels as targets, decisions from predictions."""

    intercept_: Any
    coef_: np.ndarray
    classes_: np.ndarray

    def _open(self: Any, X: Rows, y: Any, sample_weight: RowWeights) -> Source:
        """Return the data with targets (1); sets `classes_`."""
        self._multilabel = several_labels(y)
        if self._multilabel:
            y = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
            self.classes_ = np.arange(y.shape[1])
            return self._source(X, 2.0 * (y > 0) - 1, self._class_weights(y, sample_weight), target="numeric")
        source: Any = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        k = len(self.classes_)
        targets: Any = coded.map_target(partial(signs, k))
        targets.n_targets = 0 if k <= 2 else k
        if self.class_weight is None:
            return targets
        mass = class_mass(coded, k)
        by_class = np.asarray(class_weights(type(self).__name__, self.class_weight, self.classes_, mass))
        if not source.at_hand:
            return ClassWeighted(coded, by_class, partial(signs, k), targets.n_targets)
        code = np.asarray(coded.y)  # type: ignore[attr-defined]
        weight = by_class[code] if source.weight is None else by_class[code] * source.weight
        return targets.with_weight(weight)

    def _class_weights(self: Any, y: np.ndarray, sample_weight: Any) -> Any:
        if self.class_weight is not None:
            raise DataError(
                f"{type(self).__name__}(class_weight={self.class_weight!r}): rows with several labels have no single class"
                f" weight; give sample_weight."
            )
        return sample_weight

    def _keep_scores(self: Any, coef: np.ndarray, intercept: np.ndarray, dtype: np.dtype) -> None:
        """Store one row of coefficients per function."""
        self.coef_ = coef.astype(dtype)
        self.intercept_ = intercept.astype(dtype) if self.fit_intercept else 0.0

    def _functions(self: Any) -> Line:
        check_is_fitted(self)
        coef = np.atleast_2d(self.coef_)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), coef.shape[:1])
        return Line(coef, intercept, len(coef) == 1 and not self._multilabel)

    def decision_function(self: Any, X: Rows) -> Any:
        """Return the value of every function (1), one column per class; for two classes one value per row."""
        return self._rows(X, predict_block, self._functions())

    def predict(self: Any, X: Rows) -> Any:
        """Return the class of every row of X, or an indicator of labels where rows have several."""
        return self._rows(X, decide, Decision(self._functions(), self.classes_, self._multilabel))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags


class RidgeClassifier(LabelsByRegression, Estimator):
    """Classification by ridge regression on +1 and -1.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept, copy_X, max_iter, tol, solver, positive, random_state
        As in Ridge.
    class_weight : dict, "balanced" or None, default=None
        Multiplies the weights of the rows of a class; "balanced" gives every class the same total.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : float or array of shape (n_functions,)
    n_iter_ : None or array of shape (n_functions,)
    classes_ : array of shape (n_classes,)
    solver_ : str

    Examples
    --------
    >>> from novum.linear_model import RidgeClassifier
    >>> RidgeClassifier().fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"]).predict([[0.5], [3.5]])
    array(['a', 'b'], dtype='<U1')
    """

    _domains: dict[str, Domain] = {**Ridge._domains, "class_weight": CLASS_WEIGHT}
    n_iter_: np.ndarray | None
    solver_: str

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        class_weight: LabelWeights = None,
        solver: Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"] = "auto",
        positive: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), or an indicator of labels of shape (n_samples, n_labels)
            None for a scan, which brings its target.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Zero leaves a row out.
        """
        ridge = Ridge(self.alpha, solver=self.solver, positive=self.positive)
        ridge._check_solver()
        source = self._open(X, y, sample_weight)
        alpha = ridge._alphas(max(1, source.n_targets))
        iterated = solve_sparse(source, self, alpha)
        solution = iterated or solve(source, fit_intercept=self.fit_intercept, alpha=alpha, positive=self.positive)
        self._keep_scores(solution.coef, solution.intercept, source.dtype)
        self.n_iter_ = None if iterated is None else np.full(len(alpha), iterated.n_iter)
        route = "lbfgs" if self.positive else "cholesky" if iterated is None else "sparse_cg"
        self.solver_ = route if self.solver == "auto" else self.solver
        return self


class RidgeClassifierCV(LabelsByRegression, RidgeByValidation):
    """Classification by ridge regression with the penalty chosen by leave-one-out or by cross-validation.

    Parameters
    ----------
    alphas, fit_intercept, scoring, cv, store_cv_results
        As in RidgeCV; without `scoring` the squared error of the targets +1 and -1 decides.
    class_weight : dict, "balanced" or None, default=None
        As in RidgeClassifier.

    Attributes
    ----------
    alpha_, best_score_, cv_results_
        As in RidgeCV.
    coef_ : array of shape (n_features,) or (n_classes, n_features)
        Of shape (1, n_features) for two classes with `cv`, as in scikit-learn.
    intercept_, classes_, n_features_in_, feature_names_in_
        As in RidgeClassifier.

    Examples
    --------
    >>> from novum.linear_model import RidgeClassifierCV
    >>> model = RidgeClassifierCV(alphas=[0.1, 10.0]).fit([[0.0], [1.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> model.alpha_
    0.1
    """

    _domains: dict[str, Domain] = {**RidgeByValidation._domains, "class_weight": CLASS_WEIGHT}

    def __init__(
        self,
        alphas: Numbers | None = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: str | Callable[..., Any] | None = None,
        cv: Splitter = None,
        class_weight: LabelWeights = None,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, **params: Any) -> Self:
        """Choose the penalty and fit all rows with it; parameters as in RidgeCV, y as in RidgeClassifier."""
        alphas = check_alphas(self.alphas, type(self).__name__, positive=self.cv is None)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if self.cv is not None:
            self._routed(params)
            if self.class_weight is not None:  # of all rows, so that the folds weight alike
                classes, code = np.unique(np.asarray(y), return_inverse=True)
                given = np.ones(len(code)) if sample_weight is None else np.asarray(sample_weight, np.float64)
                mass = np.bincount(code, given)
                by_class = np.asarray(class_weights(type(self).__name__, self.class_weight, classes, mass))
                weights["sample_weight"] = by_class[code] * given
            best = self._by_folds(
                RidgeClassifier(fit_intercept=self.fit_intercept), X, y, alphas, {**params, **weights}
            )
            self.classes_, self._multilabel, self.n_features_in_ = best.classes_, best._multilabel, best.n_features_in_
            if hasattr(best, "feature_names_in_"):
                self.feature_names_in_ = best.feature_names_in_
            return self
        routed = self._routed(params, **weights)
        source = self._open(X, y, sample_weight)
        self._leave_one_out(source, alphas, self._scorer(), weights if routed is None else routed.scorer.score)
        return self

    def _store(self, coef: Any, intercept: Any, source: Any) -> None:
        self._keep_scores(coef, intercept, source.dtype)
        if len(coef) == 1:  # as in scikit-learn: leave-one-out leaves flat coefficients for two classes
            self.coef_ = self.coef_[0]
            if self.store_cv_results and self.cv_results_.ndim == 2:
                self.cv_results_ = self.cv_results_[:, None]

    def _score(self, scorer: Any, predictions: Any, y: Any, score_params: Any) -> Any:
        known = FixedScores(self.classes_, self._multilabel)
        if self._multilabel:
            return scorer(known, predictions, (y > 0).astype(int), **score_params)
        code = (y > 0).astype(int) if y.ndim == 1 else y.argmax(axis=1)
        return scorer(known, predictions[:, 0] if y.ndim == 1 else predictions, self.classes_[code], **score_params)
