r"""Networks of radial basis functions: a linear model of features that are large near their centers.

    h_j(x) = h(|x - mu_j| / s)                                                    plain                                 (1)
    phi_j(x) = h_j(x) / sum_m h_m(x)                                              normalised: adds up to one everywhere (2)
    f(x) = v_0 + sum_j v_j phi_j(x),   minimises  sum_i w_i (y_i - f(x_i))^2 + alpha |v|^2,  v_0 not penalised           (3)

Between and beyond the centers all of (1) may be near zero, and so is f - v_0, whatever the data say: dead regions. (2) has none; it
is a softmax of -r^2/2 for the Gaussian profile, computed as one, so that it holds where every h_j underflows. The least squares are
solved by orthogonal factors of the blocks, which are merged by another factorization: as exact as one factorization of all rows.
"""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from novum.base.domains import ArrayLike, Bool, Choice, Domain, Function, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.plots import axes_last
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.engines.kmeans.lloyd import lloyd
from novum.engines.kmeans.seeding import random_rows
from novum.engines.kmeans.start import start_centers
from novum.engines.kmeans.variance import mean_variance
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block, Source
from novum.preprocessing.radial import PROFILES, neighbor_distance
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import ink, shade
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Axes, Numbers, Rows, RowWeights, Seed, Target

__all__ = ["RBFNetwork"]

Array = NDArray[np.float64]
DRAWN_POINTS = 200  # of the curves of a picture
SIGNED = ("thin_plate", "linear")  # profiles that vanish or change sign: nothing to divide by
TOLERANCE, SWEEPS = 1e-4, 300  # of k-means


class Basis(NamedTuple):
    """Parameters of (1) and (2)."""

    centers: Array  # (m, d)
    width: float
    profile: Any  # a name or a function
    normalized: bool


class Network(NamedTuple):
    """Parameters of (3)."""

    basis: Basis
    coefficient: Array  # (m, t)
    intercept: Array  # (t,)
    flat: bool


class Triangle(NamedTuple):
    """The triangular factor of the rows (1, phi(x), y), each times the root of its weight."""

    R: Array


def basis_values(basis: Basis, X: Any) -> Array:
    """Return (1) or (2) for every row."""
    distance = cdist(np.asarray(X, dtype=np.float64), basis.centers) / basis.width  # (n, m)
    if basis.normalized and basis.profile == "gaussian":
        exponent = -0.5 * distance**2
        values = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    else:
        profile = basis.profile if callable(basis.profile) else PROFILES[basis.profile]
        values = np.asarray(profile(distance), dtype=np.float64)
    if not basis.normalized:
        return values
    total = values.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        raise DataError(
            f"RBFNetwork(normalized=True, profile={basis.profile!r}): the basis functions of row {int(np.argmin(total))} add up to"
            " zero or less. Give a profile that is positive everywhere, such as 'gaussian'."
        )
    return values / total


def block_triangle(basis: Basis, block: Block) -> Triangle:
    """Return the triangular factor of one block."""
    Phi = basis_values(basis, arrays.to_numpy(block.X))
    y = arrays.as_matrix(np.asarray(arrays.to_numpy(block.y), dtype=np.float64))
    rows = np.hstack([np.ones((len(Phi), 1)), Phi, y])
    if block.weight is not None:
        rows *= np.sqrt(arrays.to_numpy(block.weight))[:, None]
    return Triangle(arrays.r_factor(rows))


def merge_triangles(a: Triangle, b: Triangle) -> Triangle:
    """Return the triangular factor of the rows of both."""
    return Triangle(arrays.r_factor(np.vstack([a.R, b.R])))


def least_squares(R: Array, m: int, alpha: float, intercept: bool) -> tuple[Array, Array]:
    """Return v and v_0 of (3); the shortest v where several do as well."""
    design, target = R[:, : m + 1], R[:, m + 1 :]
    if not intercept:
        design = design[:, 1:]
    if alpha > 0:
        penalty = np.sqrt(alpha) * np.eye(m + 1)[1:, 0 if intercept else 1 :]
        design, target = np.vstack([design, penalty]), np.vstack([target, np.zeros((m, target.shape[1]))])
    v: Array = np.asarray(np.linalg.lstsq(design, target, rcond=None)[0], dtype=np.float64)
    return (v[1:], np.asarray(v[0])) if intercept else (v, np.zeros(target.shape[1]))


def outputs(network: Network, block: Block) -> Any:
    """Return f(x) of (3) for every row of a block."""
    out = basis_values(network.basis, arrays.to_numpy(block.X)) @ network.coefficient + network.intercept
    return arrays.like(block.X, out[:, 0] if network.flat else out)


def features(basis: Basis, block: Block) -> Any:
    """Return (1) or (2) for every row of a block."""
    return arrays.like(block.X, basis_values(basis, arrays.to_numpy(block.X)))


class RBFNetwork(MultiOutputMixin, RegressorMixin, Estimator):
    """Regression by a network of radial basis functions.

    Parameters
    ----------
    centers : int or array-like of shape (n_centers, n_features), default=20
        How many centers to place, fewer where there are fewer rows; or the centers.
    placement : {"kmeans", "random"}, default="kmeans"
        Where they are placed: at the means of clusters, or at rows drawn by weight.
    profile : {"gaussian", "multiquadric", "inverse_multiquadric", "thin_plate", "linear"} or callable, default="gaussian"
        h of (1); a callable takes an array of distances in widths and returns one of the same shape.
    width : float, default=None
        s of (1); None: the mean distance from a center to its nearest neighbor.
    normalized : bool, default=False
        Whether the features are (2), not (1).
    alpha : float, default=0.0
        Penalty of (3); 0 is least squares.
    fit_intercept : bool, default=True
        Whether there is v_0.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Of the placement.

    Attributes
    ----------
    centers_ : array of shape (n_centers, n_features)
    width_ : float
    coef_ : array of shape (n_centers,) or (n_targets, n_centers)
        v of (3).
    intercept_ : float or array of shape (n_targets,)
        v_0 of (3).

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernels import RBFNetwork
    >>> x = np.linspace(0, 6, 80)[:, None]
    >>> model = RBFNetwork(np.arange(7.0)[:, None], normalized=True).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.05)
    True
    >>> model.basis([[2.0], [100.0]]).sum(axis=1)
    array([1., 1.])
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "centers": Int(1) | ArrayLike(1),
        "placement": Choice("kmeans", "random"),
        "profile": Choice(*PROFILES) | Function(),
        "width": Real(0, open="low") | Null(),
        "normalized": Bool(),
        "alpha": Real(0),
        "fit_intercept": Bool(),
        "random_state": RandomState(),
    }
    centers_: np.ndarray
    width_: float
    coef_: np.ndarray
    intercept_: float | np.ndarray

    def __init__(
        self,
        centers: int | Numbers = 20,
        *,
        placement: Literal["kmeans", "random"] = "kmeans",
        profile: Literal["gaussian", "multiquadric", "inverse_multiquadric", "thin_plate", "linear"]
        | Callable[..., Any] = "gaussian",
        width: float | None = None,
        normalized: bool = False,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        random_state: Seed = None,
    ) -> None:
        self.centers = centers
        self.placement = placement
        self.profile = profile
        self.width = width
        self.normalized = normalized
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Place the centers and find the weights.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        if self.normalized and self.profile in SIGNED:
            raise ParameterError(
                f"RBFNetwork(normalized=True, profile={self.profile!r}): this profile is zero or negative somewhere, so that"
                " its sum cannot be divided by. Give 'gaussian', 'multiquadric' or 'inverse_multiquadric'."
            )
        source = self._source(X, y, sample_weight, target="numeric")
        self.centers_ = self._placed(source)
        self.width_ = neighbor_distance(self.centers_) if self.width is None else float(self.width)
        m = len(self.centers_)
        R = source.total(block_triangle, self._basis(), merge_triangles).R
        v, v_0 = least_squares(R, m, float(self.alpha), self.fit_intercept)
        self._flat = source.n_targets == 0
        self.coef_ = (v[:, 0] if self._flat else v.T).astype(source.dtype, copy=False)
        self.intercept_ = source.dtype.type(v_0[0]) if self._flat else v_0.astype(source.dtype, copy=False)
        return self

    def _placed(self, source: Source) -> Array:
        """Return the centers, given or placed."""
        if not isinstance(self.centers, int | np.integer):
            given = np.asarray(self.centers, dtype=np.float64)
            if given.ndim != 2 or given.shape[1] != source.n_features or not len(given):
                raise ParameterError(
                    f"RBFNetwork(centers=...) has the shape {np.shape(self.centers)}; give a number of centers, or centers as"
                    f" rows of {source.n_features} columns."
                )
            return given
        stream = Stream(seed_of(self.random_state))
        drawn = random_rows(source, int(self.centers), stream, 0, "radial network")
        if self.placement == "random" or len(drawn.centers) < int(self.centers):
            return np.asarray(drawn.centers, dtype=np.float64)
        start = start_centers("k-means++", int(self.centers), source, stream, 0, "RBFNetwork")
        found = lloyd(source, start, run=0, tol=TOLERANCE * mean_variance(source), max_iter=SWEEPS)
        return np.unique(np.asarray(found.params.centers, dtype=np.float64), axis=0)  # equal rows make equal centers

    def _basis(self) -> Basis:
        return Basis(self.centers_, self.width_, self.profile, bool(self.normalized))

    def predict(self, X: Rows) -> Any:
        """Return f(x) of (3) for every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        v = np.asarray(self.coef_, dtype=np.float64)
        network = Network(self._basis(), v[:, None] if self._flat else v.T, np.atleast_1d(self.intercept_), self._flat)
        return self._rows(X, outputs, network)

    def basis(self, X: Rows) -> Any:
        """Return the basis functions (1), or (2), of every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_centers)
        """
        check_is_fitted(self)
        return self._rows(X, features, self._basis())

    def _reach(self) -> NDArray:
        """Return the places of one variable from the first center to the last and as far again around them."""
        low, high = float(self.centers_.min()), float(self.centers_.max())
        return np.linspace(low - (high - low or 1.0), high + (high - low or 1.0), DRAWN_POINTS)

    @axes_last
    def plot(self, X: Rows | None = None, y: Target = None, *, ax: Axes | None = None, show: str = "basis") -> Axes:
        """Draw the basis functions, or what each adds to the prediction, along one variable.

        Parameters
        ----------
        X : array-like of shape (n_points,) or (n_points, 1)
            Where to draw them; None draws them from the first center to the last and as far again around them.
        y : array-like of shape (n_points,), default=None
            Targets to draw as points.
        ax : matplotlib axes, default=None
        show : {"basis", "parts"}, default="basis"
            "basis" draws (1) or (2) and their sum, "parts" v_j phi_j and the prediction.

        Returns
        -------
        matplotlib axes
        """
        check_is_fitted(self)
        if show not in ("basis", "parts"):
            raise ParameterError(f"RBFNetwork.plot(show={show!r}): give 'basis' or 'parts'.")
        if self.centers_.shape[1] != 1 or (show == "parts" and not self._flat):
            raise DataError("RBFNetwork.plot draws networks of one variable and, for show='parts', of one target.")
        x = self._reach() if X is None else np.ravel(np.asarray(X, dtype=np.float64))
        values = self.basis(x[:, None])
        lines, whole = (
            (values, values.sum(axis=1)) if show == "basis" else (values * self.coef_, self.predict(x[:, None]))
        )
        ax = drawing_axes(ax)
        for center, line in zip(self.centers_[:, 0], lines.T, strict=True):
            ax.plot(x, line, label=f"center {center:.3g}")
        ax.plot(x, whole, color=ink(ax), linestyle="--", label="sum" if show == "basis" else "prediction")
        if y is not None:
            ax.scatter(x, np.ravel(np.asarray(y, dtype=np.float64)), s=12, color=shade(ax, 0.5))
        ax.set_xlabel(str(getattr(self, "feature_names_in_", ["x"])[0]))
        ax.set_ylabel(("normalised " if self.normalized else "") + ("basis functions" if show == "basis" else "parts"))
        draw_legend(ax)
        return ax
