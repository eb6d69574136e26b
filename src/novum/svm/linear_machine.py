"""What linear machines share: the choice between the primal and the dual, and the solvers of both."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base.domains import Bool, Choice, Domain, Int, RandomState, Real
from novum.base.estimator import Estimator
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Source
from novum.linear_model.decisions import SparseCoefficients
from novum.linear_model.logistic.descent import proximal_newton
from novum.linear_model.logistic.minimum import in_blocks
from novum.linear_model.logistic.newton import newton_cholesky
from novum.runtime.checks import is_true
from novum.runtime.random import seed_of
from novum.runtime.warn import warn
from novum.svm.squared_loss import MOST_FUSED, Loss, SquaredObjective, newton_conjugate, newton_on_few

__all__ = ["COMMON", "LinearMachine", "Solved"]

FEW = 1500  # columns up to which Hessians are summed
MOST_L1 = 6000  # columns that an L1 penalty may have: its quadratic model holds their products
SMALL = 1 << 18  # values of a table that is one block: threads would share nothing
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
    n_iter_: int
    dual: bool | str
    fit_intercept: bool
    intercept_scaling: float
    loss: str
    max_iter: int
    random_state: Any
    tol: float

    def _constant(self) -> float:
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _on_dual(self, squared: bool, source: Source, l1: bool) -> bool:
        """Return whether the dual is solved: what was requested, or what is quicker."""
        if l1 or not source.at_hand:
            if not squared:
                raise DataError(
                    f"{type(self).__name__}: loss={self.loss!r} steps from row to row, so X must be in memory, not in a"
                    f" {source.home}. Use the squared loss, or SGDClassifier and SGDRegressor with this one."
                )
            return False
        if not squared or is_true(self.dual):
            return True
        return self.dual == "auto" and (source.n_rows or 0) < source.n_features

    def _is_small(self, source: Source) -> bool:
        """Return whether a pass is so short that threads, and calls between the steps, would take longer than the steps."""
        return source.at_hand and (source.n_rows or 0) * (source.n_features + 1) <= SMALL

    def _by_newton(self, source: Source, loss: Loss, mass: float, tol: float, l1: bool) -> Solved:
        """Minimise on the primal."""
        constant, p = self._constant(), source.n_features
        if not l1 and p < MOST_FUSED and source.at_hand and not source.sparse and self._is_small(source):
            held: Any = source
            rows, most = np.ascontiguousarray(held.array()), int(self.max_iter)
            found = newton_on_few(rows, held.y, held.weight, loss, constant=constant, mass=mass, tol=tol, max_iter=most)
            return Solved(found.theta[0], found.n_iter, found.converged)
        ridge = np.full(p + 1, 0.0 if l1 else 1 / mass)
        source = source if l1 or p <= FEW else in_blocks(source)
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
            found = newton_conjugate(objective, start, tol, self.max_iter)
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
            warn(
                f"Liblinear failed to converge, increase the number of iterations. {type(self).__name__} stopped after"
                f" max_iter={self.max_iter}; scaled columns or a smaller C help too.",
                NotConverged,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
