r"""Principal curves: a smooth curve through the middle of the rows (Hastie and Stuetzle 1989).

A curve f is self-consistent if each of its points is the mean of the rows projected there: f(l) = E[x | l_f(x) = l]. A pass does

    l_i = place along the curve of the point nearest to row i,   d_i its distance                  (1)
    f(t) = a,   (a, b) = argmin sum_i w_i K((l_i - t)/h) |x_i - a - b (l_i - t)|^2                 (2)

with a Gaussian K and h a share of the length of the curve, at equidistant corners t; then places are lengths along the new curve
again. Between corners the curve is straight. (2) needs sums at nodes along the curve only (weight, l, l^2, x and l x), to which
rows count as they are near: a pass is a fold. K is taken at the nodes. The first curve is the first principal axis.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_array

from novum import _core
from novum.base.callbacks import reporting
from novum.base.domains import Domain, Int, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.engines.moments.second import central_moments
from novum.exceptions import DataError, NotConverged
from novum.fold import fold
from novum.fold.blocks import Block
from novum.report.axes import drawing_axes
from novum.report.style import series, shade
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["PrincipalCurve"]

NODES = 4  # of every piece between two corners
REACH = 3.0  # standard deviations that the first line covers on either side
FLAT = 0.01  # penalty of slopes in (2), in units of h: where all rows near a corner have one place, the slope is zero
FEW = 1e-9  # weight of neighbors, relative to all, below which a corner has none


class Curve(NamedTuple):
    """Corners, and their places along the curve."""

    curve: np.ndarray  # (m, p)
    arc: np.ndarray  # (m,)


class NodeSums(NamedTuple):
    """Sums of (2) at nodes along the curve, places being shares of its length; and of squared distances.

    A row counts at the two nodes beside it, more at the nearer one: so sums change little where its place does.
    """

    weight: np.ndarray  # (s,)
    place: np.ndarray  # (s,)
    square: np.ndarray  # (s,)
    rows: np.ndarray  # (s, p)
    products: np.ndarray  # (s, p)
    distance: float


def project(params: Curve, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return (1): places and squared distances."""
    X = np.ascontiguousarray(arrays.to_numpy(X))
    place, distance = np.empty(len(X)), np.empty(len(X))
    _core.manifold.polyline.project_on_line(X, params.curve, params.arc, place, distance)
    return place, distance


def node_sums(params: Curve, block: Block) -> NodeSums:
    """Return the sums over one block."""
    place, distance = project(params, block.X)
    count = NODES * (len(params.arc) - 1)
    share = place / params.arc[-1]
    number = np.minimum((share * count).astype(np.int64), count - 1)
    further = share * count - number  # how far a row is on its way to the next node
    weight = np.ones(block.rows) if block.weight is None else block.weight
    X = arrays.to_numpy(block.X).astype(np.float64, copy=False)
    near, far = weight * (1 - further), weight * further

    def add(values: Any) -> np.ndarray:
        return np.bincount(number, near * values, count + 1) + np.bincount(number + 1, far * values, count + 1)

    rows = np.stack([add(column) for column in X.T], axis=1)
    products = np.stack([add(share * column) for column in X.T], axis=1)
    return NodeSums(add(1.0), add(share), add(share**2), rows, products, float(weight @ distance))


def smooth(params: Curve, sums: NodeSums, span: float) -> Curve:
    """Return (2) at corners that reach from the first to the last row along the curve, and their new places."""
    m, count = len(params.arc), len(sums.weight)
    (used,) = np.nonzero(sums.weight)
    mean = sums.place[used] / sums.weight[used]
    t = np.linspace(mean[0], mean[-1], m)[:, None]
    K = np.exp(-(((np.linspace(0, 1, count) - t) / span) ** 2) / 2)  # (m, s)
    s0 = K @ sums.weight
    s1 = K @ sums.place - t[:, 0] * s0
    s2 = K @ sums.square - 2 * t[:, 0] * (K @ sums.place) + t[:, 0] ** 2 * s0
    x0, x1 = K @ sums.rows, K @ sums.products - t * (K @ sums.rows)
    known = s0 > FEW * sums.weight.sum()
    s2 += FLAT * span**2 * s0
    with np.errstate(divide="ignore", invalid="ignore"):
        corners = (s2[:, None] * x0 - s1[:, None] * x1) / (s0 * s2 - s1**2)[:, None]
    corners = corners[known]
    return by_length(corners, m)


def by_length(corners: np.ndarray, m: int) -> Curve:
    """Return the curve through corners with m of them at equal distances along it."""
    arc = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(corners, axis=0) ** 2).sum(axis=1)))])
    if len(corners) < 2 or arc[-1] <= 0:
        raise DataError(
            "PrincipalCurve: the curve shrank to a point; raise span, or look whether the rows differ at all."
        )
    places = np.linspace(0, arc[-1], m)
    curve = np.stack([np.interp(places, arc, column) for column in corners.T], axis=1)
    return Curve(np.ascontiguousarray(curve), places)


def places_of(params: Curve, block: Block) -> np.ndarray:
    """Return the place of every row along the curve, (n, 1)."""
    return project(params, block.X)[0][:, None].astype(arrays.dtype_of(block.X))


class Distances(NamedTuple):
    square: float
    weight: float


def distances_of(params: Curve, block: Block) -> Distances:
    """Return the sum of squared distances to the curve."""
    weight = np.ones(block.rows) if block.weight is None else block.weight
    return Distances(float(project(params, block.X)[1] @ weight), float(weight.sum()))


class PrincipalCurve(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A smooth curve through the middle of the rows.

    Parameters
    ----------
    n_corners : int, default=100
        Corners of the polygon that stands for the curve.
    span : float, default=0.05
        Standard deviation of the smoothing weights, as a share of the length of the curve: less follows the rows more closely.
    max_iter : int, default=100
        Most passes over the data.
    tol : float, default=1e-4
        Stop when a pass changes the mean squared distance by less than this share of it.

    Attributes
    ----------
    curve_ : array of shape (n_corners, n_features)
    arc_ : array of shape (n_corners,)
        Lengths along the curve up to its corners.
    n_iter_ : int
    history_ : History
        Mean squared distance of the rows to the curve that entered every pass.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import PrincipalCurve
    >>> rng = np.random.default_rng(0)
    >>> angle = rng.uniform(0, np.pi, 1000)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(1000, 2))
    >>> model = PrincipalCurve().fit(X)
    >>> bool(abs(model.arc_[-1] - np.pi) < 0.2)  # half a circle
    True
    """

    _domains: dict[str, Domain] = {
        "n_corners": Int(2),
        "span": Real(0, open="low"),
        "max_iter": Int(1),
        "tol": Real(0),
    }
    _reports_passes = True
    _squares_columns = _squares_rows = True
    curve_: np.ndarray
    arc_: np.ndarray
    n_iter_: int
    history_: History

    def __init__(self, n_corners: int = 100, *, span: float = 0.05, max_iter: int = 100, tol: float = 1e-4) -> None:
        self.n_corners = n_corners
        self.span = span
        self.max_iter = max_iter
        self.tol = tol

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the curve.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight, min_rows=2).host()
        moments = central_moments(source)
        values, vectors = np.linalg.eigh(moments.xx / moments.weight)
        axis = vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1])
        if values[-1] <= 0:
            raise DataError(
                f"PrincipalCurve: the rows do not vary (n_samples={moments.rows:g}), so no curve runs through them; give rows that"
                " differ."
            )
        reach = REACH * np.sqrt(values[-1])
        start = by_length(moments.mean + np.outer(np.linspace(-reach, reach, self.n_corners), axis), self.n_corners)
        weight = float(moments.weight)
        noise = np.finfo(float).eps * float(values.sum())

        def resting(before: Curve, after: Curve, history: list[float]) -> bool:
            return len(history) > 1 and bool(abs(history[-2] - history[-1]) <= self.tol * history[-1] + noise)

        with reporting(self, self.max_iter, X=X, sample_weight=sample_weight) as report:
            found = fold(
                start,
                node_sums,
                lambda params, sums: smooth(params, sums, self.span),
                source,
                objective=lambda sums: sums.distance / weight,
                converged=resting,
                max_iter=self.max_iter,
                report=report,
            )
        if not found.converged:
            warn(
                f"PrincipalCurve: the curve still moved after max_iter={self.max_iter} passes; raise max_iter, tol or span.",
                NotConverged,
            )
        self.curve_, self.arc_ = found.params.curve.astype(source.dtype), found.params.arc.astype(source.dtype)
        self.n_iter_, self.history_ = found.n_iter, History(found.history, name="mean squared distance")
        return self

    def _curve(self) -> Curve:
        check_is_fitted(self)
        return Curve(self.curve_.astype(np.float64), self.arc_.astype(np.float64))

    def transform(self, X: Rows) -> Any:
        """Return the place along the curve of the point nearest to every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, 1)
        """
        return self._rows(X, places_of, self._curve())

    def inverse_transform(self, X: Rows) -> np.ndarray:
        """Return the points of the curve at given places.

        Parameters
        ----------
        X : array-like of shape (n_samples, 1)
            Lengths along the curve; beyond its ends the ends themselves.

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        curve = self._curve()
        places = check_array(X, dtype=[np.float64, np.float32])
        if places.shape[1] != 1:
            raise DataError(f"PrincipalCurve.inverse_transform takes one column of places, got {places.shape[1]}.")
        out = np.stack([np.interp(places[:, 0], curve.arc, column) for column in curve.curve.T], axis=1)
        return out.astype(places.dtype)

    def reconstruction_error(self, X: Rows, sample_weight: RowWeights = None) -> float:
        """Return the mean squared distance of rows to the curve.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        curve = self._curve()
        total = self._source(X, None, sample_weight, reset=False).host().total(distances_of, curve)
        return total.square / total.weight

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the first two columns of the curve; return the axes."""
        return self._picture_of_rows(None, None, None, ax)

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        """Draw the first two columns of the curve, over rows where they are given; return the axes."""
        curve = self._curve().curve
        ax = drawing_axes(ax)
        other = 1 if curve.shape[1] > 1 else 0
        if rows is not None:
            ax.scatter(rows[:, 0], rows[:, other], s=8, color=shade(ax, 0.7))
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(curve.shape[1])])
        ax.plot(curve[:, 0], curve[:, other], color=series(ax, 1), linewidth=2)
        ax.set(xlabel=names[0], ylabel=names[other])
        return ax

    @property
    def _n_features_out(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
