r"""Lasso and elastic net with the penalty chosen by cross-validation.

    alpha, l1_ratio = argmin  mean over folds of  1/W_f sum_{i in f} w_i (y_i - prediction of the model without f)^2

Every fold follows a path over the whole grid; then all rows are fitted at the chosen penalty. Up to a thousand columns all
folds share one pass over the data (novum.linear_model.penalized.gram_folds), so a grid costs little more than a fit.
"""

from typing import Literal

from novum.base.domains import ArrayLike, Domain, Real
from novum.linear_model.penalized.choice import PenaltyByValidation
from novum.linear_model.penalized.paths import enet_path, lasso_path
from novum.runtime.typing import Numbers, Seed, Splitter

__all__ = ["ElasticNetCV", "LassoCV"]


class LassoCV(PenaltyByValidation):
    """Lasso with the penalty chosen by cross-validation.

    Parameters
    ----------
    eps : float, default=1e-3
        Ratio of the smallest to the largest alpha of a grid that is made here.
    alphas : int or array-like, default=100
        The grid, or how many alphas it is to have.
    fit_intercept : bool, default=True
    precompute : {"auto"}, bool or array-like, default="auto"
        As in ElasticNet.
    max_iter : int, default=1000
    tol : float, default=1e-4
    copy_X, verbose
        Kept for scikit-learn's sake.
    cv : int, splitter or iterable of (train, test), default=None
        None is five folds of consecutive rows. Outside of memory only a number will do.
    n_jobs : int, default=None
        Threads over the folds; None uses all that are allowed.
    positive : bool, default=False
    random_state : default=None
    selection : {"cyclic", "random"}, default="cyclic"

    Attributes
    ----------
    alpha_ : float
        The chosen penalty.
    coef_, intercept_, dual_gap_, n_iter_
        Of the fit on all rows, as in Lasso.
    mse_path_ : array of shape (n_alphas, n_folds)
    alphas_ : array of shape (n_alphas,)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import LassoCV
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> model = LassoCV(alphas=20).fit(X, X[:, 0] - 2 * X[:, 1])
    >>> np.flatnonzero(model.coef_)
    array([0, 1])
    """

    path = staticmethod(lasso_path)

    def __init__(
        self,
        *,
        eps: float = 1e-3,
        alphas: int | Numbers = 100,
        fit_intercept: bool = True,
        precompute: Literal["auto"] | bool | Numbers = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        copy_X: bool = True,
        cv: Splitter = None,
        verbose: bool | int = False,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.copy_X = copy_X
        self.cv = cv
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection


class ElasticNetCV(PenaltyByValidation):
    """Elastic net with the penalty, and the share of L1 in it, chosen by cross-validation.

    Parameters
    ----------
    l1_ratio : float or array-like of floats, default=0.5
        Share of the L1 penalty; of several the best is taken.
    eps, alphas, fit_intercept, precompute, max_iter, tol, cv, copy_X, verbose, n_jobs, positive, random_state, selection
        As in LassoCV; each l1_ratio has a grid of its own.

    Attributes
    ----------
    alpha_, l1_ratio_ : float
        The chosen penalty.
    coef_, intercept_, dual_gap_, n_iter_
        Of the fit on all rows, as in ElasticNet.
    mse_path_ : array of shape (n_alphas, n_folds) or (n_l1_ratios, n_alphas, n_folds)
    alphas_ : array of shape (n_alphas,) or (n_l1_ratios, n_alphas)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import ElasticNetCV
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> model = ElasticNetCV(l1_ratio=[0.5, 0.9], alphas=20).fit(X, X[:, 0] - 2 * X[:, 1])
    >>> model.l1_ratio_, model.coef_.round(2)[:2]
    (0.9, array([ 1., -2.]))
    """

    _domains: dict[str, Domain] = {**PenaltyByValidation._domains, "l1_ratio": Real(0, 1) | ArrayLike(1)}
    path = staticmethod(enet_path)

    def __init__(
        self,
        *,
        l1_ratio: float | Numbers = 0.5,
        eps: float = 1e-3,
        alphas: Numbers | None = 100,
        fit_intercept: bool = True,
        precompute: bool | Literal["auto"] | Numbers = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Splitter = None,
        copy_X: bool = True,
        verbose: bool | int = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: Seed = None,
        selection: Literal["cyclic", "random"] = "cyclic",
    ) -> None:
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
