r"""Lasso and elastic net for several targets that use the same columns.

    minimise  1/(2 W) sum_i w_i |y_i - a - B x_i|^2 + alpha l1_ratio sum_j |B_j| + alpha (1 - l1_ratio)/2 |B|^2

B_j are the coefficients of column j for all targets: the norm of the whole vector is what costs, so a column serves all targets
or none. Block coordinate descent that stops at a duality gap of tol |Y|^2: novum.linear_model.penalized.several_targets.
Derivations: docs/theory/penalised_regression.md.
"""

from typing import Any, Literal, Self

import numpy as np

from novum.base.domains import Bool, Choice, Domain, Int, RandomState, Real
from novum.base.estimator import fits
from novum.base.sklearn_base import MultiOutputMixin
from novum.base.validation import check_weight
from novum.linear_model.penalized.gram_paths import penalties
from novum.linear_model.penalized.model import SparseLinearRegressor, warn_unfinished
from novum.linear_model.penalized.paths import enet_path, lasso_path
from novum.linear_model.penalized.problem import open_problem
from novum.linear_model.penalized.several_targets import need_columns, trace_blocks
from novum.runtime.typing import Rows, RowWeights, Seed, Target

__all__ = ["MultiTaskElasticNet", "MultiTaskLasso"]


class MultiTaskElasticNet(MultiOutputMixin, SparseLinearRegressor):
    """Least squares for several targets under the L2,1 norm and an L2 penalty.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    l1_ratio : float, default=0.5
        Share of the L2,1 norm in it: 1 is the multi-task lasso, 0 is ridge.
    fit_intercept, copy_X, max_iter, tol, warm_start, random_state, selection
        As in ElasticNet; tol is relative to the squared length of all targets.

    Attributes
    ----------
    coef_ : array of shape (n_targets, n_features)
        A column is zero for all targets or, in general, for none.
    sparse_coef_ : sparse matrix of shape (n_targets, n_features)
    intercept_ : array of shape (n_targets,)
    n_iter_ : int
        Epochs.
    dual_gap_ : float
        How far the objective is above its minimum, at most.
    eps_ : float
        The gap at which the iteration stops.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import MultiTaskElasticNet
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> model = MultiTaskElasticNet(alpha=0.1).fit(X, [[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]])
    >>> model.coef_.round(4)
    array([[0.899 , 0.    ],
           [1.7981, 0.    ]])
    """

    _domains: dict[str, Domain] = {
        "alpha": Real(0),
        "l1_ratio": Real(0, 1),
        "fit_intercept": Bool(),
        "copy_X": Bool(),
        "max_iter": Int(1),
        "tol": Real(0),
        "warm_start": Bool(),
        "random_state": RandomState(),
        "selection": Choice("cyclic", "random"),
    }
    path = staticmethod(enet_path)
    positive = False
    coef_: np.ndarray
    intercept_: np.ndarray
    n_iter_: int
    dual_gap_: float
    eps_: float

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples, n_targets)
            None for a scan, which brings its targets.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Zero leaves a row out.
        """
        if np.isscalar(sample_weight):  # a weight that all rows share changes nothing, if it is one
            check_weight(self, sample_weight, 1)
        weight = None if np.isscalar(sample_weight) else sample_weight
        source = self._source(X, y, weight, target="numeric", by_column=True, defer=True)
        need_columns(self, source)
        problem, rule = open_problem(source, self.fit_intercept), self._rule()
        start = np.atleast_2d(self.coef_) if self.warm_start and hasattr(self, "coef_") else None
        if start is not None and start.shape != (source.n_targets, source.n_features):
            start = None
        path = penalties(np.array([self.alpha]), self.l1_ratio, problem.weight)
        traced = trace_blocks(problem, path, rule, start)
        limit = rule.tol * sum(problem.yy(t) for t in range(source.n_targets))
        if not traced.converged[0]:
            warn_unfinished(type(self).__name__, traced.gap[0], limit)
        coef, dtype = traced.coef[:, :, 0], source.dtype
        self.coef_ = coef.astype(dtype)
        intercept = problem.target_mean - coef @ problem.mean if self.fit_intercept else np.zeros(len(coef))
        self.intercept_ = intercept.astype(dtype)
        self.n_iter_ = int(traced.epochs[0])
        self.dual_gap_, self.eps_ = dtype.type(traced.gap[0] / problem.weight), dtype.type(limit / problem.weight)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class MultiTaskLasso(MultiTaskElasticNet):
    """Least squares for several targets under the L2,1 norm.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept, copy_X, max_iter, tol, warm_start, random_state, selection
        As in MultiTaskElasticNet.

    Attributes
    ----------
    coef_, sparse_coef_, intercept_, n_iter_, dual_gap_, eps_, n_features_in_, feature_names_in_
        As in MultiTaskElasticNet.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import MultiTaskLasso
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> MultiTaskLasso(alpha=0.1).fit(X, [[-1.0, -2.0], [0.0, 0.0], [1.0, 2.0]]).coef_.round(4)
    array([[0.9329, 0.    ],
           [1.8658, 0.    ]])
    """

    _domains: dict[str, Domain] = {
        name: domain for name, domain in MultiTaskElasticNet._domains.items() if name != "l1_ratio"
    }
    path = staticmethod(lasso_path)
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection
