r"""Lasso and elastic net for several targets, with the penalty chosen by cross-validation.

    alpha, l1_ratio = argmin  mean over folds and targets of the squared error on the rows of the fold

As novum.linear_model.penalized.elastic_net_cv, with the paths of novum.linear_model.penalized.several_targets: all folds
share one pass over the data while the columns are few.
"""

from typing import Any, Literal

import numpy as np

from novum.base.domains import ArrayLike, Domain, Real
from novum.linear_model.penalized.choice import PenaltyByValidation
from novum.linear_model.penalized.paths import enet_path, lasso_path
from novum.linear_model.penalized.several_targets import need_columns, trace_blocks
from novum.runtime.typing import Numbers, Seed, Splitter, Target

__all__ = ["MultiTaskElasticNetCV", "MultiTaskLassoCV"]


class _TasksByValidation(PenaltyByValidation):
    """What MultiTaskLassoCV and MultiTaskElasticNetCV share."""

    _domains: dict[str, Domain] = {
        name: domain for name, domain in PenaltyByValidation._domains.items() if name not in ("precompute", "positive")
    }
    precompute = "auto"
    positive = False
    fit_intercept: bool

    def _target(self, y: Target) -> Any:
        return y

    def _admit(self, source: Any) -> None:
        need_columns(self, source)

    def _trace(self, problem: Any, path: Any, rule: Any) -> Any:
        return trace_blocks(problem, path, rule)

    def _keep(self, coef: np.ndarray, intercept: np.ndarray, dtype: Any) -> None:
        self.coef_ = coef.astype(dtype)
        self.intercept_ = (intercept if self.fit_intercept else np.zeros(len(coef))).astype(dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class MultiTaskLassoCV(_TasksByValidation):
    """Multi-task lasso with the penalty chosen by cross-validation.

    Parameters
    ----------
    eps, alphas, fit_intercept, max_iter, tol, copy_X, cv, verbose, n_jobs, random_state, selection
        As in LassoCV.

    Attributes
    ----------
    alpha_, mse_path_, alphas_
        As in LassoCV; errors are means over the targets.
    coef_, intercept_, dual_gap_, n_iter_
        Of the fit on all rows, as in MultiTaskLasso.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import MultiTaskLassoCV
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> model = MultiTaskLassoCV(alphas=20).fit(X, X[:, :2] - 2 * X[:, [1]])
    >>> np.flatnonzero(model.coef_.any(axis=0))
    array([0, 1])
    """

    path = staticmethod(lasso_path)

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: Numbers | None = 100,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Splitter = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.selection = selection


class MultiTaskElasticNetCV(_TasksByValidation):
    """Multi-task elastic net with the penalty, and the share of the L2,1 norm in it, chosen by cross-validation.

    Parameters
    ----------
    l1_ratio : float or array-like of floats, default=0.5
        Share of the L2,1 norm; of several the best is taken.
    eps, alphas, fit_intercept, max_iter, tol, cv, copy_X, verbose, n_jobs, random_state, selection
        As in ElasticNetCV.

    Attributes
    ----------
    alpha_, l1_ratio_, mse_path_, alphas_
        As in ElasticNetCV; errors are means over the targets.
    coef_, intercept_, dual_gap_, n_iter_
        Of the fit on all rows, as in MultiTaskElasticNet.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import MultiTaskElasticNetCV
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> MultiTaskElasticNetCV(l1_ratio=[0.5, 0.9], alphas=20).fit(X, X[:, :2] - 2 * X[:, [1]]).l1_ratio_
    0.9
    """

    _domains: dict[str, Domain] = {**_TasksByValidation._domains, "l1_ratio": Real(0, 1) | ArrayLike(1)}
    path = staticmethod(enet_path)

    def __init__(
        self,
        *,
        l1_ratio: float | Numbers = 0.5,
        eps: float = 1e-3,
        alphas: Numbers | None = 100,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Splitter = None,
        copy_X: bool = True,
        verbose: bool | int = 0,
        n_jobs: int | None = None,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.selection = selection
