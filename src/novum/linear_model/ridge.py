r"""Ridge regression: least squares with a penalty on the squared length of the coefficients.

    minimise  sum_i w_i (y_i - a - b'x_i)^2 + alpha |b|^2                                          (1)

The intercept is not penalised. One data pass, then a solve of the size of the features; see novum.linear_model.least_squares.solve.
"""

from typing import Any, Literal, Self

import numpy as np

from novum.base.candidacy import Candidacy
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.validation import home_of
from novum.exceptions import ParameterError
from novum.linear_model.least_squares.model import LinearRegressor
from novum.linear_model.least_squares.solve import solve
from novum.linear_model.least_squares.sparse_iterations import solve_sparse
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["Ridge", "ridge_regression"]

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


class Ridge(LinearRegressor):
    """Ridge regression.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1.0
        Strength of the penalty; zero is least squares. An array gives every target its own.
    fit_intercept : bool, default=True
    copy_X : bool, default=True
        Kept for scikit-learn's sake; X is never overwritten.
    max_iter : int, default=None
        Most iterations of the iterative solver for sparse input with very many columns.
    tol : float, default=1e-4
        Stopping tolerance of that solver.
    solver : {"auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"}, default="auto"
        All names of scikit-learn are taken; the optimum is unique, and the route to it is chosen by the data: exact by a
        factorisation, or (sparse, very many columns) conjugate gradients.
    positive : bool, default=False
        Restrict the coefficients to be >= 0.
    random_state : default=None
        Kept for scikit-learn's sake; nothing is drawn.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    intercept_ : float or array of shape (n_targets,)
    n_iter_ : None or array of shape (n_targets,)
        Iterations, where the route is iterative.
    solver_ : str
        The solver requested; with "auto" the route that was taken: "cholesky", "sparse_cg" or "lbfgs" (positive).
    noise_variance_, log_likelihood_
        Of the residuals, as in LinearRegression.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import Ridge
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> Ridge(alpha=2.0).fit(X, [0.0, 1.0, 2.0]).coef_
    array([0.5])
    """

    _squares_columns = True
    _candidacy = Candidacy(
        rank=1,
        settings={"alpha": 0.01},
        search=tuple({"alpha": a} for a in (0.001, 0.03, 0.1, 0.3, 1.0, 5.0)),
        scaled=True,
        units={"alpha": "rows"},
        order=2,
    )
    _domains: dict[str, Domain] = {
        "alpha": Real(0) | ArrayLike(),
        "fit_intercept": Bool(),
        "copy_X": Bool(),
        "max_iter": Int(1) | Null(),
        "tol": Real(0),
        "solver": Choice(*SOLVERS),
        "positive": Bool(),
        "random_state": RandomState(),
    }
    n_iter_: np.ndarray | None
    solver_: str

    def __init__(
        self,
        alpha: float | Numbers = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: Literal["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"] = "auto",
        positive: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self._check_solver()
        source = self._source(X, y, sample_weight, target="numeric", defer=home_of(X) == "tensor")
        alpha = self._alphas(max(1, source.n_targets))
        iterated = solve_sparse(source, self, alpha)
        solution = iterated or solve(source, fit_intercept=self.fit_intercept, alpha=alpha, positive=self.positive)
        self._keep(solution, source, source.n_targets == 0)
        if source.n_targets == 1:  # as in scikit-learn: a single column of targets leaves flat coefficients
            self.coef_ = self.coef_[0]
        self.n_iter_ = None if iterated is None else np.full(len(alpha), iterated.n_iter)
        route = "lbfgs" if self.positive else "cholesky" if iterated is None else "sparse_cg"
        self.solver_ = route if self.solver == "auto" else self.solver
        return self

    def _check_solver(self) -> None:
        """Refuse the combinations that scikit-learn refuses."""
        if self.solver == "lbfgs" and not self.positive:
            raise ParameterError(
                "'lbfgs' solver can be used only when positive=True. Please use another solver. "
                "Ridge(solver='lbfgs', positive=False): solver='auto' finds the same optimum."
            )
        if self.positive and self.solver not in ("auto", "lbfgs"):
            raise ParameterError(
                f"solver='{self.solver}' does not support positive fitting. Please set the solver to 'auto' or 'lbfgs', or"
                f" set `positive=False`"
            )

    def _alphas(self, n_targets: int) -> np.ndarray:
        """Return the penalty of every target."""
        if type(self.alpha) is float and 0 <= self.alpha < np.inf:
            return np.full(n_targets, self.alpha)
        try:
            alpha = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64)).ravel()
        except (TypeError, ValueError) as error:
            raise ParameterError(f"Ridge(alpha={self.alpha!r}): every penalty must be a number ({error}).") from error
        if alpha.size not in (1, n_targets):
            raise ParameterError(
                f"Number of targets and number of penalties do not correspond: {alpha.size} != {n_targets}."
                f" Ridge(alpha=...) takes one number, or one per target."
            )
        if not (alpha >= 0).all() or not np.isfinite(alpha).all():
            raise ParameterError(f"Ridge(alpha={self.alpha!r}): every penalty must be finite and >= 0.")
        return np.broadcast_to(alpha, n_targets).copy()

    def _penalty(self) -> Any:
        return self._alphas(np.atleast_2d(self.coef_).shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def ridge_regression(
    X: Rows,
    y: Any,
    alpha: Numbers,
    *,
    sample_weight: RowWeights = None,
    solver: Any = "auto",
    max_iter: int | None = None,
    tol: float = 1e-4,
    verbose: int | bool = 0,
    positive: bool = False,
    random_state: Seed = None,
    return_n_iter: bool = False,
    return_intercept: bool = False,
    check_input: bool = True,
) -> Any:
    """Return the coefficients of (1), without an intercept unless it is requested.

        minimise  sum_i w_i (y_i - a - b'x_i)^2 + alpha |b|^2    (1)

    Parameters
    ----------
    X, y, sample_weight
        As in `Ridge.fit`.
    alpha, solver, max_iter, tol, positive, random_state
        As in Ridge.
    return_n_iter : bool, default=False
        Also return the iterations, None where the solution is direct.
    return_intercept : bool, default=False
        Fit an intercept and return it too.
    verbose, check_input
        Kept for scikit-learn's sake.

    Returns
    -------
    coef : array of shape (n_features,) or (n_targets, n_features)
    n_iter : None or array, only with return_n_iter
    intercept : float or array of shape (n_targets,), only with return_intercept

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import ridge_regression
    >>> ridge_regression(np.array([[1.0], [2.0]]), np.array([1.0, 2.0]), alpha=5.0)
    array([0.5])
    """
    if return_intercept and solver not in ("auto", "sag"):
        raise ParameterError(
            f"In Ridge, only 'sag' solver can directly fit the intercept. Please change solver to 'sag' or set"
            f" return_intercept=False. ridge_regression(solver={solver!r}): Ridge fits an intercept with any solver."
        )
    if positive and solver not in ("auto", "lbfgs"):
        raise ParameterError(
            f"When positive=True, only 'lbfgs' solver can be used. Please change solver {solver} to 'lbfgs' or set"
            f" positive=False."
        )
    model = Ridge(
        alpha,
        fit_intercept=return_intercept,
        max_iter=max_iter,
        tol=tol,
        solver=solver,
        positive=positive,
        random_state=random_state,
    ).fit(X, y, sample_weight)
    coef = np.atleast_2d(model.coef_) if np.ndim(y) == 2 else model.coef_
    extra = [model.n_iter_] * return_n_iter + [model.intercept_] * return_intercept
    return (coef, *extra) if extra else coef
