r"""Lasso and elastic net: least squares whose coefficients pay for their size, so that most of them are exactly zero.

    minimise  1/(2 W) sum_i w_i (y_i - a - b'x_i)^2 + alpha l1_ratio |b|_1 + alpha (1 - l1_ratio)/2 |b|^2        (1)

W is the sum of the weights. The lasso is l1_ratio = 1. Coordinate descent that stops at a duality gap of tol |y|^2; few
columns from the Gram matrix, many by working sets: novum.linear_model.penalized.gram_paths, _working_set, _problem. Derivations:
docs/theory/penalised_regression.md.
"""

from typing import Any, Literal, Self

import numpy as np

from novum.base.candidacy import Candidacy
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, RandomState, Real
from novum.base.estimator import fits
from novum.base.sklearn_base import MultiOutputMixin
from novum.base.validation import check_weight
from novum.linear_model.penalized.gram_paths import penalties
from novum.linear_model.penalized.model import SparseLinearRegressor, warn_unfinished
from novum.linear_model.penalized.paths import enet_path, lasso_path
from novum.linear_model.penalized.problem import check_given_gram, open_problem
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["ElasticNet", "Lasso"]


class ElasticNet(MultiOutputMixin, SparseLinearRegressor):
    """Least squares with an L1 and an L2 penalty.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty. Zero is least squares, for which LinearRegression is the better class.
    l1_ratio : float, default=0.5
        Share of the L1 penalty: 1 is the lasso, 0 is ridge.
    fit_intercept : bool, default=True
    precompute : bool or array-like of shape (n_features, n_features), default=False
        True solves from the Gram matrix however many columns there are; a matrix is compared with the data's own. Up to
        a few hundred columns, and for data outside of memory, the Gram matrix is used in any case.
    max_iter : int, default=1000
        Most epochs of coordinate descent.
    copy_X : bool, default=True
        Kept for scikit-learn's sake; X is never overwritten.
    tol : float, default=1e-4
        Stop when the duality gap is at most this share of the squared length of the centred target.
    warm_start : bool, default=False
        Begin at the coefficients of the previous call of `fit`.
    positive : bool, default=False
        Restrict the coefficients to be >= 0.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None
        Of the coordinates that selection="random" draws.
    selection : {"cyclic", "random"}, default="cyclic"
        Order of the coordinates.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    sparse_coef_ : sparse matrix of shape (n_targets, n_features)
    intercept_ : float or array of shape (n_targets,)
    n_iter_ : int or list of int
        Epochs, of every target where there are several.
    dual_gap_ : float or array of shape (n_targets,)
        How far the objective (1) is above its minimum, at most.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import ElasticNet
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> model = ElasticNet(alpha=0.1).fit(X, [-1.0, 0.0, 1.0])
    >>> model.coef_.round(4)
    array([0.8605, 0.    ])
    """

    _domains: dict[str, Domain] = {
        "alpha": Real(0),
        "l1_ratio": Real(0, 1),
        "fit_intercept": Bool(),
        "precompute": Bool() | ArrayLike(),
        "max_iter": Int(1),
        "copy_X": Bool(),
        "tol": Real(0),
        "warm_start": Bool(),
        "positive": Bool(),
        "random_state": RandomState(),
        "selection": Choice("cyclic", "random"),
    }
    path = staticmethod(enet_path)
    coef_: np.ndarray
    intercept_: Any
    n_iter_: Any
    dual_gap_: Any

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        precompute: bool | Numbers = False,
        max_iter: int = 1000,
        copy_X: bool = True,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.copy_X = copy_X
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None, check_input: bool = True) -> Self:
        """Fit the model.

        y: none for a scan, which brings its target. Every target is fitted by itself.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        check_input : bool, default=True
            Kept for scikit-learn's sake; the checks cost little.
        """
        if self.alpha == 0:
            warn(
                "With alpha=0, this algorithm does not converge well. You are advised to use the LinearRegression estimator",
            )
        if np.isscalar(sample_weight):  # a weight that all rows share changes nothing, if it is one
            check_weight(self, sample_weight, 1)
        weight = None if np.isscalar(sample_weight) else sample_weight
        source = self._source(X, y, weight, target="numeric", by_column=True, defer=True)
        problem = open_problem(source, self.fit_intercept, self.precompute)
        if np.ndim(self.precompute) > 0:  # a Gram matrix that is given
            check_given_gram(problem, self.precompute, self.fit_intercept, source.n_rows)
        return self._learn(problem, source)

    def _learn(self, problem: Any, source: Any) -> Self:
        """Solve every target and store the result."""
        q, p, rule = max(1, source.n_targets), source.n_features, self._rule()
        start = np.atleast_2d(self.coef_) if self.warm_start and hasattr(self, "coef_") else None
        if start is not None and start.shape != (q, p):
            start = None
        path = penalties(np.array([self.alpha]), self.l1_ratio, problem.weight)
        coef, gaps, epochs = np.empty((q, p)), np.empty(q), []
        for k in range(q):
            traced = problem.trace(k, path, rule, None if start is None else start[k])
            coef[k], gaps[k] = traced.coef[:, 0], traced.gap[0] / problem.weight
            epochs.append(int(traced.epochs[0]))
            if not traced.converged[0]:
                warn_unfinished(type(self).__name__, traced.gap[0], rule.tol * problem.yy(k))
        intercept = problem.target_mean - coef @ problem.mean
        dtype = source.dtype
        flat = q == 1
        self.coef_ = coef[0].astype(dtype) if flat else coef.astype(dtype)
        self.dual_gap_ = dtype.type(gaps[0]) if flat else gaps.astype(dtype)
        self.n_iter_ = epochs[0] if flat else epochs
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            self.intercept_ = dtype.type(intercept[0]) if source.n_targets == 0 else intercept.astype(dtype)
        return self


class Lasso(ElasticNet):
    """Least squares with an L1 penalty.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept, precompute, copy_X, max_iter, tol, warm_start, positive, random_state, selection
        As in ElasticNet.

    Attributes
    ----------
    coef_, sparse_coef_, intercept_, n_iter_, dual_gap_, n_features_in_, feature_names_in_
        As in ElasticNet.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import Lasso
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> model = Lasso(alpha=0.1).fit(X, [-1.0, 0.0, 1.0])
    >>> model.coef_.round(4)  # 1 - 0.1 * 3/2, and nothing for a column that explains nothing
    array([0.85, 0.  ])
    """

    _candidacy = Candidacy(
        rank=1,
        settings={"alpha": 0.02},
        search=tuple({"alpha": a} for a in (0.001, 0.005, 0.05, 0.1, 0.2)),
        scaled=True,
        units={"alpha": "target"},
    )
    _domains: dict[str, Domain] = {name: domain for name, domain in ElasticNet._domains.items() if name != "l1_ratio"}
    path = staticmethod(lasso_path)
    l1_ratio = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        precompute: bool | str | Numbers = False,
        copy_X: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        positive: bool = False,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
