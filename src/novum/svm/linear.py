"""Linear machines without a kernel: cost grows with the rows, not with their pairs.

    minimise  penalty(w) + C sum_i loss_i,   the constant column penalised like the others (as in LIBLINEAR)             (1)
    hinge max(0, 1 - y f)    squared hinge    epsilon-insensitive max(0, |y - f| - e)    and its square                  (2)

Squared losses are minimised by Newton's method on the primal (`novum.svm.squared_loss`: rows may lie in files or on a cluster),
absolute ones, and short wide tables, by coordinate descent on the dual (`novum/svm/dual_descent.h`).
"""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import compute_class_weight

from novum import _core
from novum.base.classes import labels_of
from novum.base.domains import Choice, ClassWeight, Domain, Null, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import RegressorMixin
from novum.exceptions import DataError, ParameterError
from novum.linear_model.decisions import LinearDecisions, dense_coef
from novum.linear_model.frame import say_far
from novum.linear_model.least_squares.model import Line, predict_block
from novum.linear_model.logistic.sums import class_mass
from novum.runtime.checks import is_false, is_true
from novum.runtime.pool import map_ordered
from novum.runtime.random import seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import LabelWeights, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn
from novum.svm.linear_machine import COMMON, LinearMachine, Solved
from novum.svm.squared_loss import Loss

__all__ = ["LinearSVC", "LinearSVR"]


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
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        One problem per class against the rest, or one for all classes: the right class ahead of every other by one, slack priced
        by C; rows in memory, and `penalty`, `loss` and `dual` have no say.
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
        "multi_class": Choice("ovr", "crammer_singer"),
        "class_weight": ClassWeight() | Choice("balanced") | Null(),
    }

    def __init__(
        self,
        penalty: Literal["l1", "l2"] = "l2",
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        *,
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: Literal["ovr", "crammer_singer"] = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: LabelWeights = None,
        verbose: int = 0,
        random_state: Seed = None,
        max_iter: int = 1000,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the plane of every class.

        From files and clusters with the squared hinge, which needs passes only.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        l1, squared = self.penalty == "l1", self.loss == "squared_hinge"
        if (l1 and (not squared or is_true(self.dual))) or (not squared and is_false(self.dual)):
            raise ParameterError(
                f"Unsupported set of arguments: The combination of penalty='{self.penalty}' and loss='{self.loss}' is not supported"
                f" when dual={self.dual}, Parameters: penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}. The hinge"
                " is solved on the dual with penalty='l2', the L1 penalty on the primal with the squared hinge."
            )
        source = self._source(X, y, sample_weight, target="classes")
        say_far(source, "LinearSVC", bool(self.fit_intercept))
        self.classes_, coded = labels_of(source)
        k = len(self.classes_)
        if k < 2:
            raise DataError(
                f"This solver needs samples of at least 2 classes in the data, but the data contains only one class:"
                f" {self.classes_[0]!r}. LinearSVC has nothing to tell apart."
            )
        mass = coded.without_features().total(class_mass, k).mass
        factor = self._class_factor(mass)
        if self.multi_class == "crammer_singer":
            found = [self._all_classes(coded, factor)]
            self._set_planes(found[0].theta, source.dtype)
            self._tell(found)
            return self
        positives = [1] if k == 2 else list(range(k))
        short = self._is_small(source) and not self._on_dual(squared, source, l1)
        threads = thread_count(None) if source.at_hand and len(positives) > 1 and not short else 1
        one = lambda c: self._one(coded, c, mass, factor, l1, squared)  # noqa: E731
        found = list(map_ordered(one, positives, min(threads, len(positives))))
        self._set_planes(np.array([each.theta for each in found]), source.dtype)
        self._tell(found)
        return self

    def _set_planes(self, theta: NDArray[np.float64], dtype: Any) -> None:
        self.coef_ = theta[:, :-1].astype(dtype)
        self.intercept_ = (self._constant() * theta[:, -1]).astype(dtype)

    def _all_classes(self, source: Any, factor: NDArray[np.float64]) -> Solved:
        """Solve one problem for all classes; two of them differ by a single plane."""
        if not source.at_hand:
            raise DataError(
                f"LinearSVC: multi_class='crammer_singer' steps from row to row, so X must be in memory, not in a {source.home}."
                " Use multi_class='ovr'."
            )
        label = np.asarray(source.y, dtype=np.int64)
        price = self.C * factor[label]
        price = price if source.weight is None else price * source.weight
        theta = np.zeros((len(factor), source.n_features + 1))
        problem = (label, price, float(self.tol), int(self.max_iter), seed_of(self.random_state or 0))
        X, solver = source.array(), _core.svm.crammer_singer
        rows = (X.data, X.indices, X.indptr) if source.sparse else (np.ascontiguousarray(X),)
        solve: Any = solver.sparse if source.sparse else solver.dense
        epochs, _, converged = solve(*rows, self._constant(), problem, theta)
        return Solved(theta if len(factor) > 2 else theta[1:] - theta[:1], epochs, converged)

    def _class_factor(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the factor on C of every class; "balanced" counts rows by their weights."""
        if self.class_weight == "balanced":
            return mass.sum() / (len(mass) * np.where(mass > 0, mass, np.inf))
        if self.class_weight is None:
            return np.ones(len(mass))
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
    intercept_: np.ndarray | float

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | Literal["auto"] = "auto",
        verbose: int = 0,
        random_state: Seed = None,
        max_iter: int = 1000,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the plane.

        From files and clusters with the squared loss, which needs passes only.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        squared = self.loss == "squared_epsilon_insensitive"
        if not squared and is_false(self.dual):
            raise ParameterError(
                f"Unsupported set of arguments: The combination of penalty='l2' and loss='{self.loss}' is not supported when"
                " dual=False. LinearSVR solves it on the dual: leave dual='auto'."
            )
        source = self._source(X, y, sample_weight, target="numeric")
        say_far(source, "LinearSVR", bool(self.fit_intercept))
        if source.n_targets > 1:
            raise DataError(f"LinearSVR: y should be a 1d array, got {source.n_targets} target columns instead.")
        if source.n_targets == 1:
            warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for"
                " example using ravel().",
                DataConversionWarning,
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

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        line = Line(np.atleast_2d(dense_coef(self.coef_)), np.atleast_1d(self.intercept_), True)
        return self._rows(X, predict_block, line)


class Total(NamedTuple):
    weight: float


def total_weight(_: None, block: Any) -> Total:
    """Return the weight of a block."""
    return Total(float(block.rows) if block.weight is None else float(block.weight.sum()))
