r"""Independent components by maximum likelihood: sources of a given density, mixed by an unknown matrix.

    x = m + A s,   s_i independent with density p_i = exp(-G_i),   y = W (x - m)
    mean log-likelihood  L(W) = log |det W| - sum_i E[G_i(y_i)]                                    (6)

With psi = G', the natural gradient W + E[-psi(y) (W'y)'] of (6) gives the step of the notes, and with it the relative gradient:

    W <- W + eta (W - E[psi(y) y'] W)                                                              (7)
    adaptive density: G_i = y^2/2 + t_i log cosh y,   t_i = sign(E[psi'(y_i)] E[y_i^2] - E[psi(y_i) y_i])   (8)
    D L(W) = I - E[psi(y) y']                                                                      (9)

The Hessian of (6) at independent sources falls into 2 x 2 blocks, h_ij = E[psi'(y_i)] E[y_j^2] (here E[psi'(y_i) y_j^2]):

    [h_ij 1; 1 h_ji] (D_ij, D_ji)' = (g_ij, g_ji)',   (h_ii + 1) D_ii = g_ii                       (10)

L-BFGS steps that begin from (10) are Picard's (Ablin, Cardoso and Gramfort 2018); with `orthogonal` W stays a rotation of white
rows, W <- exp(D) W with antisymmetric D. Sums: novum.decomposition.sources (3). Derivation: docs/theory/independent_components.md.
"""

from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.special import gammaln

from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.decomposition.likelihood_steps import LikelihoodMaximum, Point, evaluate, natural_gradient, quasi_newton
from novum.decomposition.mixing import Mixing
from novum.decomposition.sources import (
    Unmixing,
    check_variance,
    decorrelate,
    means,
    short_blocks,
    warn_of_few_directions,
    white_axes,
    whiten_rows,
)
from novum.engines.moments.second import central_moments
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["ICA"]

KERNEL = {"adaptive": "logcosh", "sech": "logcosh", "laplace": "laplace", "student": "student"}
LOG_SUPER = 0.6195404611792522  # log of the integral of exp(-y^2/2) / cosh y
LOG_SUB = 0.5 * np.log(2 * np.pi) + 0.5  # of exp(-y^2/2) cosh y


class Training(NamedTuple):
    """Rows for the passes: y = W matrix (x - mean) with rows of covariance `covariance` after `matrix`."""

    source: Source
    matrix: np.ndarray  # (k, p)
    shift: np.ndarray  # (p,)
    covariance: np.ndarray  # (k, k)
    basis: np.ndarray  # (k, p): components are W basis
    mean: np.ndarray


class Density(NamedTuple):
    components: np.ndarray
    mean: np.ndarray
    name: str
    df: float
    signs: np.ndarray


def student_constant(df: float) -> float:
    """Return the logarithm of Student's density at zero."""
    return float(gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi))


def log_density(params: Density, block: Block) -> Any:
    """Return the log-density of every row under (6)."""
    y = (arrays.to_numpy(block.X).astype(np.float64) - params.mean) @ params.components.T
    volume = 0.5 * np.linalg.slogdet(params.components @ params.components.T)[1]
    size = np.abs(y)
    if params.name in ("adaptive", "sech"):
        G = size + np.log1p(np.exp(-2 * size)) - np.log(2)
        if params.name == "sech":
            G = G + np.log(np.pi)
        else:
            G = y**2 / 2 + params.signs * G + np.where(params.signs > 0, LOG_SUPER, LOG_SUB)
    elif params.name == "laplace":
        G = size + np.log(2)
    else:
        G = (params.df + 1) / 2 * np.log1p(y**2 / params.df) - student_constant(params.df)
    return (volume - G.sum(axis=1)).astype(arrays.dtype_of(block.X))


def arrange(W: np.ndarray, data: Training, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return W and the signs of (8) with sources in falling order of the variance they bring into the rows; the entry of
    largest size of each column of the mixing matrix is positive.
    """
    mixing = np.linalg.pinv(W @ data.basis)  # (p, k)
    deviation = np.sqrt(np.maximum(np.diag(W @ data.covariance @ W.T), 0.0))
    order = np.argsort(-(deviation * np.linalg.norm(mixing, axis=0)).round(12), kind="stable")
    largest = mixing[np.abs(mixing).argmax(axis=0), np.arange(mixing.shape[1])]
    return (np.where(largest < 0, -1.0, 1.0)[:, None] * W)[order], signs[order]


class ICA(Mixing):
    """Independent components by maximum likelihood.

    Parameters
    ----------
    n_components : int, default=None
        How many; None takes all directions in which the rows vary.
    method : {"quasi-newton", "natural-gradient"}, default="quasi-newton"
        Picard's steps, or the steps of a fixed length that the notes take.
    density : {"adaptive", "sech", "laplace", "student"}, default="adaptive"
        What sources are like: exp(-y^2/2) times 1/cosh y or cosh y, whichever the data ask for, so that sources with heavy and
        with light tails are distinguished; 1/(pi cosh y); exp(-|y|)/2 (natural gradient only: it has a corner); Student's t.
    orthogonal : bool, default=False
        Keep the sources exactly uncorrelated.
    whiten : bool, default=True
        Begin from white rows; False begins from the rows themselves, as the notes do.
    df : float, default=5.0
        Degrees of freedom of "student".
    learning_rate : float, default=0.1
        Length of the steps of "natural-gradient".
    max_iter : int, default=500
        Most steps.
    tol : float, default=1e-7
        Stop when no entry of the relative gradient is larger.
    w_init : array-like of shape (n_components, n_components), default=None
        Where to begin; None begins from the identity, so nothing is random.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        The unmixing matrix: sources are components_ (x - mean_). Sources come in falling order of the variance that they
        bring into the rows; the entry of largest size of each column of mixing_ is positive.
    mixing_ : array of shape (n_features, n_components)
    mean_ : array of shape (n_features,)
    signs_ : array of shape (n_components,)
        Of density="adaptive": 1 for heavy tails, -1 for light ones.
    loglike_ : float
        Mean log-likelihood of the rows.
    n_iter_ : int
    history_ : History
        The log-likelihood of every step, up to the constants of the densities.

    Notes
    -----
    With fewer components than directions the density is that of the rows projected on their first principal axes.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import ICA
    >>> sources = np.random.default_rng(0).laplace(size=(5000, 2))
    >>> A = np.array([[1.0, 0.6], [0.5, 1.0]])
    >>> model = ICA(density="sech").fit(sources @ A.T)
    >>> product = model.components_ @ A  # near a diagonal: every source alone
    >>> bool((np.abs(product).min(axis=1) / np.abs(product).max(axis=1) < 0.03).all())
    True
    """

    _domains: dict[str, Domain] = {
        "n_components": Int(1) | Null(),
        "method": Choice("quasi-newton", "natural-gradient"),
        "density": Choice("adaptive", "sech", "laplace", "student"),
        "orthogonal": Bool(),
        "whiten": Bool(),
        "df": Real(0, open="low"),
        "learning_rate": Real(0, open="low"),
        "max_iter": Int(1),
        "tol": Real(0),
        "w_init": ArrayLike() | Null(),
    }
    components_: np.ndarray
    mixing_: np.ndarray
    mean_: np.ndarray
    signs_: np.ndarray
    loglike_: float
    n_iter_: int
    history_: History

    def __init__(
        self,
        n_components: int | None = None,
        *,
        method: Literal["quasi-newton", "natural-gradient"] = "quasi-newton",
        density: Literal["adaptive", "sech", "laplace", "student"] = "adaptive",
        orthogonal: bool = False,
        whiten: bool = True,
        df: float = 5.0,
        learning_rate: float = 0.1,
        max_iter: int = 500,
        tol: float = 1e-7,
        w_init: Numbers | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.density = density
        self.orthogonal = orthogonal
        self.whiten = whiten
        self.df = df
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.w_init = w_init

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
        self._check_combination()
        source = self._source(X, None, sample_weight, min_rows=2).host()
        data = self._training(source)
        start = self._start(len(data.matrix))
        newton = self.method == "quasi-newton"
        curvature = newton and not self.orthogonal

        def at(W: np.ndarray, kinds: np.ndarray | None = None) -> Point:
            parameter = self.df if self.density == "student" else 1.0
            unmixing = Unmixing(W @ data.matrix, data.shift, KERNEL[self.density], parameter, curvature, True)
            found = means(data.source, unmixing)
            adaptive = self.density == "adaptive"
            return evaluate(W, found, data.covariance, adaptive=adaptive, orthogonal=self.orthogonal, kinds=kinds)

        steps = quasi_newton if newton else partial(natural_gradient, rate=self.learning_rate)
        options: dict[str, Any] = {"X": X, "sample_weight": sample_weight, "objective_of": "leaving"}
        learned = partial(self._learned, data, source.dtype)
        with reporting(self, self.max_iter, attributes=learned, **options) as report:
            found: LikelihoodMaximum = steps(at, start, self.orthogonal, self.max_iter, self.tol, report)
        self._judge(found)
        vars(self).update(learned(found.point))
        self.n_iter_ = found.n_iter
        self.history_ = History(found.history, name="log-likelihood")
        self.loglike_ = self._log_likelihood(found.point, data)
        return self

    def _check_combination(self) -> None:
        """Raise where parameters contradict each other."""
        if self.density == "laplace" and self.method == "quasi-newton":
            raise ParameterError(
                "ICA(density='laplace'): |y| has a corner, where quasi-Newton steps find no curvature; use"
                " method='natural-gradient', or density='sech'."
            )
        if self.orthogonal and not self.whiten:
            raise ParameterError("ICA(orthogonal=True) turns white rows, so whiten must be True.")
        if not self.whiten and self.n_components is not None:
            raise ParameterError(
                f"ICA(whiten=False) takes the columns as they are, so n_components={self.n_components} must be None."
            )

    def _training(self, source: Source) -> Training:
        """Return the rows for the passes."""
        p = source.n_features
        if not self.whiten:
            moments = central_moments(source)
            covariance = moments.xx / moments.weight
            return Training(source.cut(short_blocks), np.eye(p), moments.mean, covariance, np.eye(p), moments.mean)
        side = p if source.n_rows is None else min(source.n_rows, p)
        if self.n_components is not None and self.n_components > side:
            raise ParameterError(
                f"ICA: n_components={self.n_components} must be at most min(n_samples, n_features)={side}; None takes all."
            )
        k = side if self.n_components is None else self.n_components
        white, spectrum = white_axes(source, k, "svd")
        check_variance(spectrum, self)
        warn_of_few_directions(self, white, spectrum.rows, p)
        k = len(white.axes)
        basis = np.sqrt(white.weight) * white.axes
        if source.at_hand and k < p:
            return Training(whiten_rows(source, white), np.eye(k), np.zeros(k), np.eye(k), basis, white.mean)
        return Training(source.cut(short_blocks), basis, white.mean, np.eye(k), basis, white.mean)

    def _start(self, k: int) -> np.ndarray:
        """Return where W begins."""
        if self.w_init is None:
            return np.eye(k)
        start = np.asarray(self.w_init, dtype=np.float64)
        if start.shape != (k, k):
            raise ParameterError(f"w_init has invalid shape -- should be {(k, k)}; ICA got {start.shape}.")
        return decorrelate(start) if self.orthogonal else start

    def _learned(self, data: Training, dtype: np.dtype, point: Point) -> dict[str, np.ndarray]:
        """Return the fitted matrices and the signs of a point."""
        W, signs = arrange(point.W, data, point.signs)
        components = W @ data.basis
        matrices = {"components_": components, "mixing_": np.linalg.pinv(components), "mean_": data.mean}
        return {**{name: value.astype(dtype) for name, value in matrices.items()}, "signs_": signs.astype(np.int64)}

    def _judge(self, found: LikelihoodMaximum) -> None:
        """Warn of an end before the stopping rule was met; raise where the steps went astray."""
        if not np.isfinite(found.point.loss):
            raise DataError(
                f"ICA: the likelihood overflowed after {found.n_iter} steps of learning_rate={self.learning_rate:g}; lower it,"
                " whiten the rows, or take method='quasi-newton'."
            )
        if not found.converged:
            largest = float(np.abs(found.point.gradient).max())
            warn(
                f"ICA: after {found.n_iter} steps the relative gradient is still {largest:.2g}, with tol={self.tol:g}; raise"
                f" max_iter={self.max_iter} or tol.",
                NotConverged,
            )

    def _log_likelihood(self, point: Point, data: Training) -> float:
        """Return (6) of the training rows with all constants."""
        k = len(point.W)
        loss = point.loss - float(np.linalg.slogdet(point.W)[1]) * self.orthogonal
        constant = {"sech": k * np.log(np.pi), "laplace": k * np.log(2), "student": -k * student_constant(self.df)}
        if self.density == "adaptive":
            loss += 0.5 * float(np.trace(point.W @ data.covariance @ point.W.T)) * self.orthogonal
            constant["adaptive"] = float(np.where(point.signs > 0, LOG_SUPER, LOG_SUB).sum())
        volume = 0.5 * float(np.linalg.slogdet(data.basis @ data.basis.T)[1])
        return float(volume - loss - constant[self.density])

    def score_samples(self, X: Rows) -> Any:
        """Return the log-density (6) of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        wide = self.components_.astype(np.float64), self.mean_.astype(np.float64)
        return self._rows(X, log_density, Density(*wide, self.density, self.df, self.signs_))

    def score(self, X: Rows, y: Target = None) -> float:
        """Return the mean log-likelihood of rows in memory."""
        out = self.score_samples(X)
        if not hasattr(out, "shape"):
            raise DataError("ICA.score takes data in memory; average score_samples over the batches.")
        return float(out.mean())
