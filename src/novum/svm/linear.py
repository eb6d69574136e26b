"""Linear machines without a kernel: cost grows with the rows, not with their pairs.

    minimise  penalty(w) + C sum_i loss_i,   the constant column penalised like the others (as in LIBLINEAR)             (1)
    hinge max(0, 1 - y f)    squared hinge    epsilon-insensitive max(0, |y - f| - e)    and its square                  (2)

Squared losses are minimised by Newton's method on the primal (`novum.svm.squared_loss`: rows may lie in files or on a cluster),
absolute ones, and short wide tables, by coordinate descent on the dual (`novum/svm/dual_descent.h`).
"""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from novum import _core
from novum.base.classes import labels_of
from novum.base.domains import Bool, Choice, ClassWeight, Domain, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.parameters import stores
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Source
from novum.linear_model.decisions import LinearDecisions, SparseCoefficients, dense_coef
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.logistic.descent import proximal_newton
from novum.linear_model.logistic.newton import newton_cholesky
from novum.linear_model.logistic.sums import class_mass
from novum.runtime.pool import map_ordered
from novum.runtime.random import seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Rows, RowWeights, Target
from novum.svm.squared_loss import Loss, SquaredObjective, newton_conjugate

__all__ = ["LinearSVC", "LinearSVR"]

FEW = 1500  # columns up to which Hessians are summed
MOST_L1 = 6000  # columns that an L1 penalty may have: its quadratic model holds their products
COMMON: dict[str, Domain] = {
    "tol": Real(0, open="low"),
    "C": Real(0, open="low"),
    "fit_intercept": Bool(),
    "intercept_scaling": Real(0, open="low"),
    "dual": Bool() | Choice("auto"),
    "verbose": Bool() | Int(0),
    "random_state": RandomState(),
    "max_iter": Int(0),
}


class Solved(NamedTuple):
    """Weights of the columns, the constant last, and how they were found."""

    theta: NDArray[np.float64]
    n_iter: int
    converged: bool


class LinearMachine(SparseCoefficients, Estimator):
    """What linear machines share."""

    _squares_columns = True

    def _constant(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _on_dual(self, squared: bool, source: Source, l1: bool) -> bool:
        """Return whether the dual is solved: what was asked for, or what is quicker."""
        if l1 or not source.at_hand:
            if not squared:
                raise DataError(
                    f"{type(self).__name__}: loss={self.loss!r} steps from row to row, so X must be in memory, not in a"
                    f" {source.home}. Use the squared loss, or SGDClassifier and SGDRegressor with this one."
                )
            return False
        if not squared or self.dual is True:
            return True
        return self.dual == "auto" and (source.n_rows or 0) < source.n_features

    def _by_newton(self, source: Source, loss: Loss, mass: float, tol: float, l1: bool) -> Solved:
        """Minimise on the primal."""
        constant, p = self._constant(), source.n_features
        ridge = np.full(p + 1, 0.0 if l1 else 1 / mass)
        objective = SquaredObjective(source, constant, loss, mass, ridge)
        start = objective.start()
        if l1:
            if p > MOST_L1:
                raise ParameterError(
                    f"{type(self).__name__}: penalty='l1' takes up to {MOST_L1} columns, got {p}. Use"
                    " LogisticRegression(l1_ratio=1) or SGDClassifier(penalty='l1')."
                )
            weight = np.full(p + 1, 1 / mass)
            found = proximal_newton(objective, start, weight, tol, self.max_iter)
        elif p <= FEW:
            found = newton_cholesky(objective, start, self._largest_slope(objective, start, tol), self.max_iter)
        else:
            found = newton_conjugate(objective, start, self._largest_slope(objective, start, tol), self.max_iter)
        return Solved(found.theta[0], found.n_iter, found.converged)

    def _largest_slope(self, objective: SquaredObjective, start: NDArray[np.float64], tol: float) -> float:
        """Return `tol` of the first gradient: what LIBLINEAR compares with."""
        return tol * float(np.abs(objective.value(objective.point(start)).gradient).max())

    def _by_descent(
        self, source: Any, target: NDArray, price: NDArray, squared: bool, epsilon: float, sign: NDArray | None
    ) -> Solved:
        """Minimise on the dual."""
        X, n = source.array(), len(target)
        bound = np.full(n, np.inf) if squared else price
        lower = -bound if sign is None else np.where(sign > 0, 0.0, -bound)
        upper = bound if sign is None else np.where(sign > 0, bound, 0.0)
        used = price > 0
        lower, upper = np.where(used, lower, 0.0), np.where(used, upper, 0.0)
        ridge = np.divide(0.5, price, out=np.zeros(n), where=used) if squared else np.zeros(n)
        b, theta = np.zeros(n), np.zeros(source.n_features + 1)
        terms = (np.ascontiguousarray(target, dtype=np.float64), lower, upper, ridge, float(epsilon))
        seed = seed_of(0 if self.random_state is None else self.random_state)
        rest = (self._constant(), terms, float(self.tol), sign is None, int(self.max_iter), seed, b, theta)
        solver: Any = _core.svm.dual_descent
        if source.sparse:
            epochs, _, converged = solver.sparse(X.data, X.indices, X.indptr, *rest)
        else:
            epochs, _, converged = solver.dense(np.ascontiguousarray(X), *rest)
        return Solved(theta, epochs, converged)

    def _tell(self, found: list[Solved]) -> None:
        self.n_iter_ = int(max(each.n_iter for each in found))
        if not all(each.converged for each in found):
            warnings.warn(
                f"Liblinear failed to converge, increase the number of iterations. {type(self).__name__} stopped after"
                f" max_iter={self.max_iter}; scaled columns or a smaller C help too.",
                NotConverged,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearSVC(LinearDecisions, LinearMachine):
    """Linear support vector classifier, one class against the rest.

    Parameters
    ----------
    penalty : {"l1", "l2"}, default="l2"
        "l1" goes with the squared hinge and the primal.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
    dual : bool or "auto", default="auto"
        Whether the dual is solved; "auto" by the shape of the table and the loss.
    tol : float, default=1e-4
        Share of the first slopes that may be left (primal), or largest violation (dual).
    C : float, default=1.0
        Price of a unit of loss, times the weights of rows and classes.
    multi_class : {"ovr"}, default="ovr"
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1
        The constant column, whose weight is penalised like the others.
    class_weight : dict, "balanced" or None, default=None
    verbose : int, default=0
        Accepted for scikit-learn's sake.
    random_state : int, Generator, RandomState or None, default=None
        Of the order in which the dual visits rows; None is 0.
    max_iter : int, default=1000

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (1, n_features), or (n_classes, n_features) for more than two classes
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : int
        Newton steps or epochs of the slowest class.

    Examples
    --------
    >>> from novum.svm import LinearSVC
    >>> model = LinearSVC(tol=1e-8).fit([[-2.0], [-1], [1], [2]], [0, 0, 1, 1])
    >>> model.coef_.round(4), model.predict([[-0.5], [0.5]])
    (array([[0.8]]), array([0, 1]))
    """

    _domains: dict[str, Domain] = {
        **COMMON,
        "penalty": Choice("l1", "l2"),
        "loss": Choice("hinge", "squared_hinge"),
        "multi_class": Choice("ovr"),
        "class_weight": ClassWeight() | Choice("balanced") | Null(),
    }

    @stores
    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None: ...

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the plane of every class.

        From files and clusters with the squared hinge, which needs passes only.

        [rows or a sparse matrix, target, weights]
        """
        l1, squared = self.penalty == "l1", self.loss == "squared_hinge"
        if (l1 and (not squared or self.dual is True)) or (not squared and self.dual is False):
            raise ParameterError(
                f"Unsupported set of arguments: The combination of penalty='{self.penalty}' and loss='{self.loss}' is not supported"
                f" when dual={self.dual}, Parameters: penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}. The hinge"
                " is solved on the dual with penalty='l2', the L1 penalty on the primal with the squared hinge."
            )
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        k = len(self.classes_)
        if k < 2:
            raise DataError(
                f"This solver needs samples of at least 2 classes in the data, but the data contains only one class:"
                f" {self.classes_[0]!r}. LinearSVC has nothing to tell apart."
            )
        mass = coded.without_features().total(class_mass, k).mass
        factor = self._class_factor(mass)
        positives = [1] if k == 2 else list(range(k))
        threads = thread_count(None) if source.at_hand and len(positives) > 1 else 1
        one = lambda c: self._one(coded, c, mass, factor, l1, squared)  # noqa: E731
        found = list(map_ordered(one, positives, min(threads, len(positives))))
        theta = np.array([each.theta for each in found])
        self.coef_ = theta[:, :-1].astype(source.dtype)
        self.intercept_ = (self._constant() * theta[:, -1]).astype(source.dtype)
        self._tell(found)
        return self

    def _class_factor(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the factor on C of every class; "balanced" counts rows by their weights."""
        if self.class_weight == "balanced":
            return mass.sum() / (len(mass) * np.where(mass > 0, mass, np.inf))
        if isinstance(self.class_weight, dict):
            unknown = [label for label in self.class_weight if label not in set(self.classes_.tolist())]
            if unknown:
                raise DataError(f"LinearSVC: class_weight names {unknown}, and y has {self.classes_.tolist()}.")
        return compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_)

    def _one(
        self, source: Any, c: int, mass: NDArray[np.float64], factor: NDArray[np.float64], l1: bool, squared: bool
    ) -> Solved:
        """Tell class c from the rest."""
        rest = 1.0 if len(mass) > 2 else factor[1 - c]
        price = self.C * np.array([rest, factor[c]])  # as in LIBLINEAR, the others of several count once
        if self._on_dual(squared, source, l1):
            sign = np.where(np.asarray(source.y) == c, 1.0, -1.0)
            each = price[(sign > 0).astype(np.intp)]
            each = each if source.weight is None else each * source.weight
            return self._by_descent(source, sign, each, squared, 0.0, sign)
        total = float(price[1] * mass[c] + price[0] * (mass.sum() - mass[c]))
        balance = min(mass[c], mass.sum() - mass[c]) / mass.sum()
        tol = self.tol if l1 else self.tol * max(balance, 1 / mass.sum())
        return self._by_newton(source, Loss(c, price, 0.0), total, tol, l1)


class LinearSVR(RegressorMixin, LinearMachine):
    """Linear support vector regressor.

    Parameters
    ----------
    epsilon : float, default=0.0
        Errors up to it cost nothing.
    tol : float, default=1e-4
        Share of the first slopes that may be left.
    C : float, default=1.0
        Price of a unit of loss, times the weights of the rows.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
    fit_intercept, intercept_scaling, dual, verbose, random_state, max_iter
        As in LinearSVC.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : array of shape (1,), or 0.0 without one
    n_iter_ : int

    Examples
    --------
    >>> from novum.svm import LinearSVR
    >>> model = LinearSVR(C=1000, tol=1e-8, max_iter=10000).fit([[0.0], [1], [2], [3]], [1.0, 3, 5, 7])
    >>> model.coef_.round(3), model.intercept_.round(3)
    (array([2.]), array([1.]))
    """

    _domains: dict[str, Domain] = {
        **COMMON,
        "epsilon": Real(0),
        "loss": Choice("epsilon_insensitive", "squared_epsilon_insensitive"),
    }

    @stores
    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None: ...

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the plane.

        From files and clusters with the squared loss, which needs passes only.

        [rows or a sparse matrix, target, weights]
        """
        squared = self.loss == "squared_epsilon_insensitive"
        if not squared and self.dual is False:
            raise ParameterError(
                f"Unsupported set of arguments: The combination of penalty='l2' and loss='{self.loss}' is not supported when"
                " dual=False. LinearSVR solves it on the dual: leave dual='auto'."
            )
        source = self._source(X, y, sample_weight, target="numeric")
        if source.n_targets > 1:
            raise DataError(f"LinearSVR: y should be a 1d array, got {source.n_targets} target columns instead.")
        if source.n_targets == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for"
                " example using ravel().",
                DataConversionWarning,
                stacklevel=3,
            )
            source = source.map_target(lambda target: target[:, 0])
        mass = source.without_features().total(total_weight, None).weight
        if self._on_dual(squared, source, False):
            target: Any = np.asarray(source.y, dtype=np.float64)  # type: ignore[attr-defined]
            price = np.full(len(target), float(self.C))
            price = price if source.weight is None else price * source.weight  # type: ignore[attr-defined]
            found = self._by_descent(source, target, price, squared, self.epsilon, None)
        else:
            loss = Loss(None, np.array([float(self.C)]), float(self.epsilon))
            found = self._by_newton(source, loss, self.C * mass, self.tol, False)
        self.coef_ = found.theta[:-1].astype(source.dtype)
        self.intercept_ = (
            np.array([self._constant() * found.theta[-1]]).astype(source.dtype) if self.fit_intercept else 0.0
        )
        self._tell([found])
        return self

    def predict(self, X: Rows) -> Any:
        """Return the prediction for every row.

        [rows or a sparse matrix] -> array of shape (n_samples,)
        """
        check_is_fitted(self)
        line = Line(np.atleast_2d(dense_coef(self.coef_)), np.atleast_1d(self.intercept_), True)
        return self._rows(X, predict_block, line)


class Total(NamedTuple):
    weight: float


def total_weight(_: None, block: Any) -> Total:
    """Return the weight of a block."""
    return Total(float(block.rows) if block.weight is None else float(block.weight.sum()))
