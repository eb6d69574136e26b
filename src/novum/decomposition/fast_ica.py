r"""FastICA: sources as uncorrelated and as far from normal as possible, by fixed-point steps (Hyvarinen 1999).

On white rows z (novum.decomposition.sources (1)) with g = G' of a contrast G,

    parallel:   W <- E[g(y) z'] - diag(E[g'(y)]) W,   y = W z,   then W <- (W W')^{-1/2} W         (4)
    deflation:  w <- E[g(w'z) z] - E[g'(w'z)] w, made orthogonal to the rows before it and of length one   (5)

until no row turns by more than tol: max_i | |w_i' w_i^old| - 1 | < tol. As W is orthogonal, E[g(y) z'] = E[g(y) y'] W: the sums
(3) of one pass over the sources are all that (4) needs. Derivation: docs/theory/independent_components.md.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.history import History
from novum.decomposition.fixed_points import Contrast, FixedPoint, WhiteRows, by_deflation, in_parallel
from novum.decomposition.mixing import Mixing
from novum.decomposition.sources import (
    check_variance,
    short_blocks,
    warn_of_few_directions,
    white_axes,
    whiten_rows,
)
from novum.exceptions import DataWarning, NotConverged, ParameterError
from novum.fold.blocks import Source
from novum.runtime.random import numpy_state
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.runtime.warn import warn

__all__ = ["FastICA", "fastica"]


class Unwhitened(Domain):
    """False: the rows are taken as they are."""

    def contains(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_) and not value

    right_type = contains

    def __str__(self) -> str:
        return "a bool among {False}"


class FastICA(Mixing):
    """Independent components by fixed-point steps.

    Parameters
    ----------
    n_components : int, default=None
        How many, at most min(n_samples, n_features); None takes all directions in which the rows vary.
    algorithm : {"parallel", "deflation"}, default="parallel"
        All components at once, or one after the other.
    whiten : {"unit-variance", "arbitrary-variance"} or False, default="unit-variance"
        Sources of variance one, or of variance 1/n_samples, or rows that are white already and are taken as they are.
    fun : {"logcosh", "exp", "cube"} or function, default="logcosh"
        The contrast. A function of sources (n_components, n_rows) returns g(y) and the mean of its derivative over the last axis.
    fun_args : dict, default=None
        Arguments of the contrast; "logcosh" has alpha, from 1 to 2.
    max_iter : int, default=200
        Most passes over the data; of each component in "deflation".
    tol : float, default=1e-4
        Stop when no row of the unmixing matrix turns by more: | |w'w_old| - 1 | < tol.
    w_init : array-like of shape (n_components, n_components), default=None
        Where to begin; None draws from the normal distribution.
    whiten_solver : {"svd", "eigh"}, default="svd"
        "eigh" takes the eigenvectors of the covariance; "svd" does so too where squares keep the digits, else orthogonal factors.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        For w_init; the draws are scikit-learn's.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The unmixing matrix: sources are components_ (x - mean_). Order and signs are those that the start leads to.
    mixing_ : array of shape (n_features, n_components)
        Its pseudo-inverse.
    mean_ : array of shape (n_features,)
        Only if the rows were whitened.
    whitening_ : array of shape (n_components, n_features)
        The first principal axes, each divided by its singular value; only if the rows were whitened.
    n_iter_ : int
        Passes; in "deflation" the most of any component.
    history_ : History
        The largest turn of a row in every pass.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import FastICA
    >>> t = np.linspace(0, 8, 2000)
    >>> sources = np.column_stack([np.sin(2 * t), np.sign(np.sin(3 * t))])
    >>> X = sources @ np.array([[1.0, 0.5], [1.0, 2.0]])
    >>> found = FastICA(random_state=0).fit_transform(X)
    >>> np.abs(np.corrcoef(found.T, sources.T)[:2, 2:]).round(2).max(axis=1)
    array([1., 1.])
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1) | Null(),
        "algorithm": Choice("parallel", "deflation"),
        "whiten": Choice("arbitrary-variance", "unit-variance") | Unwhitened(),
        "fun": Choice("logcosh", "exp", "cube") | Function(),
        "fun_args": Instance(dict) | Null(),
        "max_iter": Int(1),
        "tol": Real(0),
        "w_init": ArrayLike() | Null(),
        "whiten_solver": Choice("eigh", "svd"),
        "random_state": RandomState(),
    }
    components_: np.ndarray
    mixing_: np.ndarray
    mean_: np.ndarray
    whitening_: np.ndarray
    n_iter_: int
    history_: History
    _unmixing: Any

    def __init__(
        self,
        n_components: int | None = None,
        *,
        algorithm: Literal["parallel", "deflation"] = "parallel",
        whiten: Literal["unit-variance", "arbitrary-variance", False] = "unit-variance",
        fun: Literal["logcosh", "exp", "cube"] | Callable[..., Any] = "logcosh",
        fun_args: Mapping[Any, Any] | None = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        w_init: Numbers | None = None,
        whiten_solver: Literal["eigh", "svd"] = "svd",
        random_state: Seed = None,
    ) -> None:
        self.n_components = n_components
        self.algorithm = algorithm
        self.whiten = whiten
        self.fun = fun
        self.fun_args = fun_args
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init
        self.whiten_solver = whiten_solver
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the sources.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        contrast = self._contrast(sample_weight)
        source = self._source(X, None, sample_weight, min_rows=2).host()
        data = self._prepared(source, contrast)
        start = self._start(len(data.matrix))
        solve = in_parallel if self.algorithm == "parallel" else by_deflation
        attributes = self._attributes(data, source.dtype)
        passes = self.max_iter * (
            1 if self.algorithm == "parallel" else len(data.matrix)
        )  # deflation: of every component
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight, "objective_of": "leaving"}
        with reporting(self, passes, attributes=attributes, **options) as report:
            found: FixedPoint = solve(data, start, contrast, self.max_iter, self.tol, report)
        if not found.converged:
            warn(
                "FastICA did not converge. Consider increasing tolerance or the maximum number of iterations. After"
                f" max_iter={self.max_iter} passes a component still turned by {found.turns[-1]:.2g}, with tol={self.tol:g}.",
                NotConverged,
            )
        vars(self).update(attributes(found.rotation))
        self.n_iter_, self.history_ = found.n_iter, History(found.turns, name="largest turn")
        return self

    def _contrast(self, sample_weight: Any) -> Contrast:
        """Return the contrast after the checks that need no data."""
        arguments = {} if self.fun_args is None else dict(self.fun_args)
        alpha = arguments.get("alpha", 1.0)
        if not 1 <= alpha <= 2:
            raise ParameterError(f"alpha must be in [1,2]; FastICA(fun_args=...) got alpha={alpha!r}.")
        if callable(self.fun) and sample_weight is not None:
            raise ParameterError(
                "FastICA: a function given as fun averages its derivative over rows of equal weight, so sample_weight must be"
                " None; name a contrast ('logcosh', 'exp', 'cube'), or repeat rows."
            )
        return Contrast(self.fun, arguments)

    def _prepared(self, source: Source, contrast: Contrast) -> WhiteRows:
        """Return the rows for the passes; the words of warnings are scikit-learn's."""
        n, p = source.n_rows, source.n_features
        k = self.n_components
        if not self.whiten:
            if k is not None:
                warn("Ignoring n_components with whiten=False.")
            if n is not None and n < p:
                raise ParameterError(
                    f"FastICA(whiten=False) takes rows that are white, and {n} rows of {p} columns cannot be; whiten them."
                )
            return WhiteRows(source.cut(short_blocks), None, np.eye(p), np.zeros(p))
        side = p if n is None else min(n, p)
        if k is not None and k > side:
            warn(f"n_components is too large: it will be set to {side}")
        k = side if k is None else min(k, side)
        white, spectrum = white_axes(source, k, self.whiten_solver)
        check_variance(spectrum, self)
        if self.whiten_solver == "eigh" and len(white.axes) < k:
            warn(
                "There are some small singular values, using whiten_solver = 'svd' might lead to more accurate results.",
                DataWarning,
            )
        elif self.whiten_solver == "svd":
            warn_of_few_directions(self, white, spectrum.rows, p)
        k = len(white.axes)
        if source.at_hand and (k < p or not contrast.compiled or self.algorithm == "deflation"):
            return WhiteRows(whiten_rows(source, white), white, np.eye(k), np.zeros(k))
        return WhiteRows(source.cut(short_blocks), white, np.sqrt(white.weight) * white.axes, white.mean)

    def _start(self, k: int) -> np.ndarray:
        """Return the start of the rotation."""
        if self.w_init is None:
            return numpy_state(self.random_state).normal(size=(k, k))
        start = np.asarray(self.w_init, dtype=np.float64)
        if start.shape != (k, k):
            raise ParameterError(f"w_init has invalid shape -- should be {(k, k)}; FastICA got {start.shape}.")
        return start

    def _attributes(self, data: WhiteRows, dtype: np.dtype) -> Any:
        """Return what makes the fitted matrices of a rotation."""

        def matrices(rotation: np.ndarray) -> dict[str, np.ndarray]:
            white = data.white
            unmixing = rotation * (np.sqrt(white.weight) if white and self.whiten == "unit-variance" else 1.0)
            components = unmixing @ white.axes if white else unmixing
            out = {"components_": components, "mixing_": np.linalg.pinv(components), "_unmixing": unmixing}
            out |= {"mean_": white.mean, "whitening_": white.axes} if white else {}
            return {name: value.astype(dtype) for name, value in out.items()}

        return matrices


def fastica(X: Rows, n_components: int | None = None, **options: Any) -> list[Any]:
    """Return whitening matrix, unmixing matrix and sources of `FastICA`, as scikit-learn's function of this name does.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    n_components : int, default=None
    **options
        Parameters of `FastICA`, and `return_X_mean=False`, `compute_sources=True`, `return_n_iter=False`.

    Returns
    -------
    list
        K (None if the rows were not whitened), W, the sources or None; then the mean and the number of passes if requested.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import fastica
    >>> X = np.random.default_rng(0).laplace(size=(300, 3))
    >>> K, W, S = fastica(X, random_state=0)
    >>> np.allclose(S, (X - X.mean(axis=0)) @ (W @ K).T)
    True
    """
    with_mean, sources = options.pop("return_X_mean", False), options.pop("compute_sources", True)
    with_passes = options.pop("return_n_iter", False)
    model = FastICA(n_components, **options).fit(X)
    out = [getattr(model, "whitening_", None), model._unmixing, model.transform(X) if sources else None]
    out += [getattr(model, "mean_", None)] if with_mean else []
    return [*out, model.n_iter_] if with_passes else out
