"""The boundary of most of the rows: the plane in feature space that lies furthest from the origin, with a share nu beyond it."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import Domain, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import OutlierMixin
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target
from novum.svm.base import COMMON_DOMAINS, Decision, KernelMachine, Training, part_sums, single_decision
from novum.svm.dual import DualOptimum, enclose

__all__ = ["OneClassSVM"]


def verdict(decision: Decision, block: Block) -> Any:
    """Return +1 for rows inside and -1 for those outside."""
    return 2 * arrays.whole(single_decision(decision, block) > 0) - 1


def raw_score(decision: Decision, block: Block) -> Any:
    """Return the decision plus the offset."""
    exact = part_sums(decision, block.X)[:, 0, 0] + decision.intercept[0]
    return arrays.like(block.X, exact - decision.intercept[0])


class OneClassSVM(OutlierMixin, KernelMachine):
    """Detector of rows unlike those that it has seen.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol
        As in SVC.
    nu : float, default=0.5
        Upper bound on the share of training rows outside, lower bound on that of support vectors.
    shrinking, cache_size, verbose, max_iter
        As in SVC.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, shape_fit_, fit_status_
        As in SVC, for a single machine.
    offset_ : array of shape (1,)
        Scores below it are outside: decision = score - offset.
    n_iter_, dual_objective_, duality_gap_, kkt_violation_
        As in SVR.

    Examples
    --------
    >>> from novum.svm import OneClassSVM
    >>> OneClassSVM(gamma="auto").fit([[0], [0.44], [0.45], [0.46], [1]]).predict([[0], [0.45], [2]])
    array([-1,  1, -1])
    """

    _domains: dict[str, Domain] = {**COMMON_DOMAINS, "nu": Real(0, 1, open="low")}
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    offset_: np.ndarray
    n_iter_: int

    def __init__(
        self,
        *,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "precomputed"] | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the boundary.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        training, _ = self._read(X, None, sample_weight)
        used, points = training.used, training.points
        weight = np.ones(points.shape[0]) if training.weight is None else training.weight
        if len(used) < len(weight):
            points = points[np.ix_(used, used)] if training.kernel.is_matrix else points[used]
        limits = self._limits(points)

        def solve(max_iter: int | None) -> DualOptimum:
            return enclose(points, training.kernel, weight[used], self.nu, limits.at(max_iter))

        self._learn(training, self._reported(solve, training, {"X": X, "sample_weight": sample_weight}))
        self._tell()
        return self

    def _learn(self, training: Training, machine: DualOptimum) -> None:
        self._keep_single(training, machine)
        self.offset_ = -self._intercept_

    def _single(self) -> Decision:
        check_is_fitted(self)
        return self._decision([np.arange(len(self.support_))], self._dual_coef_)

    def decision_function(self, X: Rows) -> Any:
        """Return the distance from the boundary in feature space, times |w|: positive inside.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._ask(X, single_decision, self._single())

    def score_samples(self, X: Rows) -> Any:
        """Return the decision plus `offset_`.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._ask(X, raw_score, self._single())

    def predict(self, X: Rows) -> Any:
        """Return +1 for rows inside, -1 for others.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._ask(X, verdict, self._single())
