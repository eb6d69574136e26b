r"""Coefficients of the lasso and the elastic net for a whole grid of penalties, from the largest down.

    minimise  1/(2 n) |y - X b|^2 + alpha l1_ratio |b|_1 + alpha (1 - l1_ratio)/2 |b|^2            (1)

There is no intercept: center X and y first. Each solution starts from the one before, and several alphas are checked
against all columns in one reading of X (novum.linear_model.penalized.working_set).
"""

from typing import Any, Literal

import numpy as np

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, RandomState, Real, check
from novum.engines.moments import second
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.linear_model.penalized.gram_paths import Rule, alpha_grid, penalties
from novum.linear_model.penalized.model import ElasticNetPath
from novum.linear_model.penalized.problem import GramProblem, open_problem
from novum.linear_model.penalized.several_targets import trace_blocks
from novum.runtime import random
from novum.runtime.blas import single_blas
from novum.runtime.typing import Numbers, Rows, Target
from novum.runtime.warn import warn

__all__ = ["enet_path", "grid_of", "lasso_path"]

DOMAINS: dict[str, Domain] = {
    "l1_ratio": Real(0, 1),
    "eps": Real(0, None, "low") | Null(),
    "n_alphas": Int(1) | Choice("deprecated"),
    "alphas": Int(1) | ArrayLike(1) | Null() | Choice("warn"),
    "precompute": Choice("auto") | Bool() | ArrayLike(),
    "Xy": ArrayLike() | Null(),
    "coef_init": ArrayLike() | Null(),
    "return_n_iter": Bool(),
    "positive": Bool(),
    "tol": Real(0),
    "max_iter": Int(1),
    "selection": Choice("cyclic", "random"),
    "random_state": RandomState(),
}
IGNORED = ("do_screening", "X_offset", "X_scale")  # scikit-learn's internal parameters: columns are always screened


def grid_of(problem: Any, alphas: Any, l1_ratio: float, eps: float, positive: bool) -> np.ndarray:
    """Return the alphas of a path: those given, falling, or as many as requested, down from the first that matters."""
    if not isinstance(alphas, (int, np.integer)):
        return np.sort(np.asarray(alphas, dtype=np.float64))[::-1]
    if l1_ratio == 0:
        raise ParameterError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing your"
            " estimator with the appropriate `alphas=` argument."
        )
    return alpha_grid(problem.xy(), problem.weight, l1_ratio, eps, int(alphas), positive)


def requested_alphas(alphas: Any, n_alphas: Any) -> Any:
    """Return the number of alphas or the alphas themselves, with scikit-learn's warnings on names that are going away."""
    if not isinstance(n_alphas, str):
        warn(
            "'n_alphas' was deprecated in 1.9 and will be removed in 1.11. 'alphas' now accepts an integer value which"
            " removes the need to pass 'n_alphas'.",
            FutureWarning,
        )
    if alphas is None:
        warn(
            "'alphas=None' is deprecated and will be removed in 1.11, at which point the default value will be set to 100."
            " Set 'alphas=100' to silence this warning.",
            FutureWarning,
        )
    if alphas is None or isinstance(alphas, str):
        return 100 if isinstance(n_alphas, str) else n_alphas
    return alphas


def enet_path(
    X: Rows,
    y: Target = None,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int | str = "deprecated",
    alphas: int | Numbers = "warn",
    precompute: Literal["auto"] | bool | Numbers = "auto",
    Xy: Numbers | None = None,
    copy_X: bool = True,
    coef_init: Numbers | None = None,
    verbose: bool = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> Any:
    """Return the elastic-net coefficients of (1) along a grid of penalties.

        minimise  1/(2 n) |y - X b|^2 + alpha l1_ratio |b|_1 + alpha (1 - l1_ratio)/2 |b|^2    (1)

    Parameters
    ----------
    X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        Centered, if there is to be an intercept.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        None for a scan, which brings its target. Several targets share their columns, as in MultiTaskElasticNet.
    l1_ratio : float, default=0.5
        Share of the L1 penalty.
    eps : float, default=1e-3
        Ratio of the smallest to the largest alpha of a grid that is made here.
    n_alphas : deprecated, give `alphas` a number
    alphas : int or array-like, default=100
        The grid, or how many alphas to take from the least that leaves all coefficients zero down to eps times it.
    precompute : {"auto"}, bool or array-like of shape (n_features, n_features), default="auto"
        X'X, where it is known; True computes it however many columns there are.
    Xy : array-like of shape (n_features,), default=None
        X'y, used with a given X'X.
    coef_init : array-like of shape (n_features,), default=None
        Where the first alpha starts.
    return_n_iter : bool, default=False
    positive : bool, default=False
        Restrict the coefficients to be >= 0.
    copy_X, verbose, check_input
        Kept for scikit-learn's sake.
    **params
        tol (1e-4), max_iter (1000), selection ("cyclic"), random_state and sample_weight, as in ElasticNet.

    Returns
    -------
    alphas : array of shape (n_alphas,)
        Falling.
    coefs : array of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
    dual_gaps : array of shape (n_alphas,)
    n_iters : list of int
        Epochs per alpha, only with return_n_iter.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import enet_path
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> alphas, coefs, gaps = enet_path(X, [-1.0, 0.0, 1.0], l1_ratio=1.0, alphas=[0.5, 0.1])
    >>> coefs.round(4)
    array([[0.25, 0.85],
           [0.  , 0.  ]])
    """
    options: dict[str, Any] = {
        "tol": 1e-4,
        "max_iter": 1000,
        "selection": "cyclic",
        "random_state": None,
        "sample_weight": None,
    }
    if unknown := set(params) - {*options, *IGNORED}:
        raise ParameterError(f"Unexpected parameters in params: enet_path takes no {', '.join(sorted(unknown))}.")
    options |= {name: value for name, value in params.items() if name not in IGNORED}
    given = {
        "l1_ratio": l1_ratio,
        "eps": eps,
        "n_alphas": n_alphas,
        "alphas": alphas,
        "precompute": precompute,
        "Xy": Xy,
    }
    given |= {"coef_init": coef_init, "return_n_iter": return_n_iter, "positive": positive} | options
    check(DOMAINS, given, "enet_path")
    requested = requested_alphas(alphas, n_alphas)
    with single_blas():
        source = ElasticNetPath()._source(X, y, options["sample_weight"], target="numeric", by_column=True)
        if source.n_targets > 1 and positive:
            raise DataError("positive=True is not allowed for multi-output (y.ndim != 1): enet_path(positive=False).")
        count = int(requested) if isinstance(requested, (int, np.integer)) else len(requested)
        problem = problem_of(source, precompute, Xy, count)
        grid = grid_of(problem, requested, l1_ratio, eps, positive)
        seed = random.seed_of(options["random_state"]) if options["selection"] == "random" else None
        rule = Rule(float(options["tol"]), int(options["max_iter"]), bool(positive), seed)
        path, start = penalties(grid, l1_ratio, problem.weight), None
        if coef_init is not None:
            start = np.asarray(coef_init, dtype=np.float64)
        traced: Any
        if source.n_targets:  # y is a matrix, and so are the coefficients
            traced = trace_blocks(problem, path, rule, start)
        else:
            traced = problem.trace(0, path, rule, None if start is None else start.ravel())
    if not traced.converged.all():
        worst = int(np.argmax(np.where(traced.converged, -np.inf, traced.gap)))
        warn(
            f"Objective did not converge. You might want to increase the number of iterations, check the scale of the"
            f" features or consider increasing regularisation. At alpha {grid[worst]:g}: Duality gap:"
            f" {traced.gap[worst]:.6e}, tolerance: {rule.tol * sum(map(problem.yy, range(len(problem.target_mean)))):.3e}.",
            NotConverged,
        )
    out = grid, traced.coef.astype(source.dtype), traced.gap / problem.weight
    return (*out, [int(n) for n in traced.epochs]) if return_n_iter else out


def problem_of(source: Any, precompute: Any, Xy: Any, alphas: int) -> Any:
    """Return the problem of the data, or of the Gram matrix and X'y that the caller has."""
    if np.ndim(precompute) == 0:
        return open_problem(source, False, precompute, alphas)
    gram = np.asarray(precompute, dtype=np.float64)
    if Xy is None or not source.at_hand:
        return open_problem(source, False, True, alphas)
    y = second.as_columns(source.y).astype(np.float64)
    weight = np.ones(len(y)) if source.weight is None else source.weight
    xy, yy = np.asarray(Xy, dtype=np.float64).reshape(-1, 1), weight @ y**2
    return GramProblem(gram, xy, yy, float(weight.sum()), np.zeros(len(gram) + 1))


def lasso_path(
    X: Rows,
    y: Target = None,
    *,
    eps: float = 1e-3,
    n_alphas: int | str = "deprecated",
    alphas: int | Numbers = "warn",
    precompute: bool | str | Numbers = "auto",
    Xy: Numbers | None = None,
    copy_X: bool = True,
    coef_init: Numbers | None = None,
    verbose: bool = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> Any:
    """Return the lasso coefficients along a grid of penalties: `enet_path` with l1_ratio=1, where the rest is described.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import lasso_path
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> alphas, coefs, gaps = lasso_path(X, [-1.0, 0.0, 1.0], alphas=[0.5, 0.1])
    >>> coefs[0].round(4)
    array([0.25, 0.85])
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )
