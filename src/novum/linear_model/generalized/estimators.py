"""Poisson, gamma and Tweedie regression with scikit-learn's names and objective, and inference on the coefficients."""

from typing import Literal

from novum.base.candidacy import Candidacy
from novum.base.domains import Choice, Real
from novum.linear_model.generalized.base import SHARED, GeneralizedLinearModel
from novum.linear_model.newton.losses.tweedie import Tweedie

__all__ = ["GammaRegressor", "PoissonRegressor", "TweedieRegressor"]

CANDIDACY = Candidacy(  # after least squares: the logarithm of the mean is the weighted sum
    rank=1, settings={"alpha": 0.001}, search=tuple({"alpha": a} for a in (0.0001, 0.01, 0.1)), scaled=True
)


class PoissonRegressor(GeneralizedLinearModel):
    """Counts whose expectation is the exponential of a line.

    Parameters
    ----------
    alpha : float, default=1
        Weight of half the squared coefficients in the objective; 0: maximum likelihood.
    fit_intercept : bool, default=True
    solver : {"lbfgs", "newton-cholesky"}, default="lbfgs"
        Newton's method in either case, L-BFGS beyond 1,500 columns; the optimum is the same.
    max_iter : int, default=100
    tol : float, default=1e-4
        Largest gradient at which to stop, in units of columns and target; Newton's method goes on to 1e-11 where that costs a
        step or two.
    warm_start : bool, default=False
        Begin at the coefficients of the last fit.
    verbose : int, default=0
        Kept for scikit-learn's sake.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    separation_ : array of shape (n_features + 1,) or None
        Without a penalty: a direction of coefficients and intercept along which the likelihood rises without end, because rows
        that it singles out have no counts; None where there is none.

    Examples
    --------
    >>> from novum.linear_model import PoissonRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21]
    >>> model = PoissonRegressor().fit(X, y)
    >>> round(model.score(X, y), 4), model.coef_.round(4), model.predict([[1, 1], [3, 4]]).round(4)
    (0.9905, array([0.1211, 0.1584]), array([10.6765, 21.8751]))
    """

    _candidacy = CANDIDACY._replace(shapes=("counts",))
    _domains = SHARED

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: Literal["lbfgs", "newton-cholesky"] = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _family(self) -> Tweedie:
        return Tweedie(1.0, "log")


class GammaRegressor(GeneralizedLinearModel):
    """Positive targets whose variance grows with their mean, which is the exponential of a line.

    Parameters
    ----------
    alpha, fit_intercept, solver, max_iter, tol, warm_start, verbose
        As in `PoissonRegressor`.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    separation_ : None
        As in `PoissonRegressor`; positive targets have none.

    Examples
    --------
    >>> from novum.linear_model import GammaRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [19, 26, 33, 30]
    >>> model = GammaRegressor().fit(X, y)
    >>> round(model.score(X, y), 4), model.coef_.round(4), round(model.intercept_, 4)
    (0.7727, array([0.0729, 0.0668]), 2.8971)
    """

    _candidacy = CANDIDACY._replace(shapes=("skewed amounts",))
    _domains = SHARED

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: Literal["lbfgs", "newton-cholesky"] = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _family(self) -> Tweedie:
        return Tweedie(2.0, "log")


class TweedieRegressor(GeneralizedLinearModel):
    """Targets whose variance is a power of their mean: normal (0), Poisson (1), compound (between 1 and 2), gamma (2), ...

    Parameters
    ----------
    power : float, default=0
        Not between 0 and 1.
    alpha, fit_intercept, solver, max_iter, tol, warm_start, verbose
        As in `PoissonRegressor`.
    link : {"auto", "identity", "log"}, default="auto"
        "auto": identity for power <= 0, else log.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_iter_ : int
    separation_ : array of shape (n_features + 1,) or None
        As in `PoissonRegressor`.

    Examples
    --------
    >>> from novum.linear_model import TweedieRegressor
    >>> X, y = [[1, 2], [2, 3], [3, 4], [4, 3]], [2, 3.5, 5, 5.5]
    >>> model = TweedieRegressor().fit(X, y)
    >>> round(model.score(X, y), 4), model.coef_.round(4), round(model.intercept_, 4)
    (0.84, array([0.6, 0.3]), 1.6)
    """

    _candidacy = CANDIDACY._replace(settings={"alpha": 0.001, "power": 1.5}, shapes=("skewed amounts and 0",))
    _domains = {"power": Real(None, 0) | Real(1), **SHARED, "link": Choice("auto", "identity", "log")}

    def __init__(
        self,
        *,
        power: float = 0.0,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        link: Literal["auto", "identity", "log"] = "auto",
        solver: Literal["lbfgs", "newton-cholesky"] = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-4,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.power = power
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose

    def _family(self) -> Tweedie:
        link = ("identity" if self.power <= 0 else "log") if self.link == "auto" else self.link
        return Tweedie(float(self.power), link)
