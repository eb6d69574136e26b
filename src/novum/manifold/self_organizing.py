r"""Self-organising maps: units on a lattice that move to the rows and drag their neighbors along (Kohonen 1982).

With w_u the place of unit u among the rows, g(u, v) the squared distance of units on the lattice, and u(x) the unit nearest to x,

    h_t(u, v) = exp(-g(u, v) / (2 sigma_t^2))                                                      (1)
    batch:   n_u = sum of the weights of its rows, S_u = their sum;   w_v <- sum_u h_t S_u / sum_u h_t n_u   (2)
             sigma_t = sigma (sigma_end / sigma)^(t / (T - 1)),   t = 0, ..., T - 1
    online:  w_v <- w_v + eta_t h_t(u(x), v) (x - w_v), one row after the other                    (3)
             eta_t = eta / (1 + 2 t / T),  sigma_t = sigma / (1 + 2 t / T),  T steps in all

(2) is a fold: a pass needs n_u and S_u alone, whatever the number of rows. U-matrix: the mean distance of w_u to the units beside.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy.sparse

from novum import _core
from novum.base.callbacks import reporting
from novum.base.domains import ArrayLike, Choice, Domain, Int, Null, RandomState, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.engines.moments.second import central_moments
from novum.exceptions import ParameterError
from novum.fold.blocks import Block, Source
from novum.fold.dealing import deal_of, order_of_buckets, portions_of
from novum.manifold.lattice import Lattice, draw_map, lattice_of
from novum.manifold.online_map import Moving, OnlineSteps, move_units
from novum.runtime import arrays
from novum.runtime.journal import step
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target

__all__ = ["SelfOrganizingMap"]

REACH = 2.0  # standard deviations that the first plane of units covers
BLOCK, LEAST_ROWS = 2**16, 256  # values and rows of a block: units are compared with every row


class Units(NamedTuple):
    """What a pass needs."""

    places: np.ndarray  # (m, p)
    neighbors: np.ndarray  # (m, m)


class UnitSums(NamedTuple):
    """n_u and S_u of (2), and sums for the two errors."""

    weight: np.ndarray  # (m,)
    total: np.ndarray  # (m, p)
    distance: float
    torn: float  # weight of rows whose two nearest units do not touch


def nearest(places: np.ndarray, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the two nearest units of every row and their squared distances, (n, 2) each."""
    X = np.ascontiguousarray(arrays.to_numpy(X))
    number, distance = np.empty((len(X), 2), np.int32), np.empty((len(X), 2))
    _core.manifold.units.nearest_units(X, places, number, distance)
    return number, distance


def unit_sums(params: Units, block: Block) -> UnitSums:
    """Return the sums of (2) over one block."""
    number, distance = nearest(params.places, block.X)
    n, m = block.rows, len(params.places)
    weight = np.ones(n) if block.weight is None else block.weight
    member = scipy.sparse.csr_array((weight, number[:, 0], np.arange(n + 1)), shape=(n, m))
    total = member.T @ arrays.to_numpy(block.X).astype(np.float64, copy=False)
    torn = ~params.neighbors[number[:, 0], number[:, 1]] & (number[:, 0] != number[:, 1])
    counts = np.bincount(number[:, 0], weight, minlength=m)
    return UnitSums(counts, total, float(np.sqrt(distance[:, 0]) @ weight), float(torn @ weight))


def smooth(places: np.ndarray, sums: UnitSums, lattice: Lattice, sigma: float) -> np.ndarray:
    """Return (2); a unit that no row reaches stays where it is."""
    h = np.exp(-lattice.squares / (2 * sigma**2))
    below = h @ sums.weight
    reached = below > np.finfo(float).tiny
    return np.where(reached[:, None], (h @ sums.total) / np.where(reached, below, 1.0)[:, None], places)


def positions_of(params: tuple[np.ndarray, np.ndarray], block: Block) -> np.ndarray:
    """Return the place on the lattice of the unit nearest to every row."""
    places, positions = params
    return positions[nearest(places, block.X)[0][:, 0]].astype(arrays.dtype_of(block.X))


def numbers_of(places: np.ndarray, block: Block) -> np.ndarray:
    """Return the number of the unit nearest to every row."""
    return nearest(places, block.X)[0][:, 0].astype(np.int64)


def short_blocks(n: int, d: int) -> int:
    """Return the rows of a block: a function of n and d alone."""
    return max(LEAST_ROWS, -(-n // max(1, n * d // BLOCK)))


class SelfOrganizingMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Map of rows on a lattice of units.

    Parameters
    ----------
    n_rows, n_columns : int, default=10
        Units of the lattice.
    lattice : {"rectangular", "hexagonal"}, default="rectangular"
    algorithm : {"batch", "online"}, default="batch"
        All rows at once, or one after the other in a random order, the same in every home.
    init : {"pca", "random"} or array-like of shape (n_rows * n_columns, n_features), default="pca"
        Units on the plane of the first two principal axes, or drawn from a normal distribution with the moments of the columns.
    max_iter : int, default=20
        Passes over the data.
    sigma : float, default=None
        Width of the neighborhood at the beginning; None takes half of the longer side.
    sigma_end : float, default=0.5
        Width at the end of "batch"; at most sigma.
    learning_rate : float, default=0.5
        eta of "online".
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        For init="random" and the order of "online".

    Attributes
    ----------
    units_ : array of shape (n_rows * n_columns, n_features)
        Their places among the rows; unit r * n_columns + c stands in row r and column c.
    positions_ : array of shape (n_rows * n_columns, 2)
        Column and row on the lattice.
    hits_ : array of shape (n_rows * n_columns,)
        Weight of the training rows that each unit is nearest to.
    quantization_error_, topographic_error_ : float
        Mean distance of the training rows to their units; share of rows whose two nearest units do not touch.
    n_iter_ : int
    history_ : History
        Quantization error of the units that entered every pass.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.manifold import SelfOrganizingMap
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> model = SelfOrganizingMap(5, 5).fit(X)
    >>> model.transform(X[:2]).shape, model.u_matrix().shape, model.topographic_error_ < 0.1
    ((2, 2), (5, 5), True)
    """

    _domains: dict[str, Domain] = {
        "n_rows": Int(1),
        "n_columns": Int(1),
        "lattice": Choice("rectangular", "hexagonal"),
        "algorithm": Choice("batch", "online"),
        "init": Choice("pca", "random") | ArrayLike(),
        "max_iter": Int(1),
        "sigma": Real(0, open="low") | Null(),
        "sigma_end": Real(0, open="low"),
        "learning_rate": Real(0, 1, open="low"),
        "random_state": RandomState(),
    }
    _reports_passes = True
    _squares_columns = _squares_rows = True
    units_: np.ndarray
    positions_: np.ndarray
    hits_: np.ndarray
    quantization_error_: float
    topographic_error_: float
    n_iter_: int
    history_: History

    def __init__(
        self,
        n_rows: int = 10,
        n_columns: int = 10,
        *,
        lattice: Literal["rectangular", "hexagonal"] = "rectangular",
        algorithm: Literal["batch", "online"] = "batch",
        init: Literal["pca", "random"] | Numbers = "pca",
        max_iter: int = 20,
        sigma: float | None = None,
        sigma_end: float = 0.5,
        learning_rate: float = 0.5,
        random_state: Seed = None,
    ) -> None:
        self.n_rows = n_rows
        self.n_columns = n_columns
        self.lattice = lattice
        self.algorithm = algorithm
        self.init = init
        self.max_iter = max_iter
        self.sigma = sigma
        self.sigma_end = sigma_end
        self.learning_rate = learning_rate
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Move the units.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        if self.algorithm == "online" and sample_weight is not None:
            raise ParameterError(
                "SelfOrganizingMap(algorithm='online') takes one step per row, which no weight can stand for; use 'batch'."
            )
        source = self._source(X, None, sample_weight).host().cut(short_blocks)
        lattice = lattice_of(self.n_rows, self.n_columns, self.lattice)
        units = self._start(source, lattice)
        history: list[float] = []
        passes = self._batch if self.algorithm == "batch" else self._online

        def attributes(units: np.ndarray) -> dict[str, np.ndarray]:
            return {"units_": units.astype(source.dtype), "positions_": lattice.positions}

        with reporting(self, self.max_iter, X=X, sample_weight=sample_weight, attributes=attributes) as report:
            report.begin(units)
            for n_iter, (moved, error) in enumerate(passes(source, units, lattice), 1):
                units = moved
                history.append(error)
                if report(n_iter, error, units):
                    break
        last: UnitSums = source.total(unit_sums, Units(units, lattice.neighbors))
        weight = float(last.weight.sum())
        self.units_, self.positions_, self.hits_ = units.astype(source.dtype), lattice.positions, last.weight
        self.quantization_error_, self.topographic_error_ = last.distance / weight, last.torn / weight
        self.n_iter_, self.history_ = len(history), History(history, name="quantization error")
        return self

    def _start(self, source: Source, lattice: Lattice) -> np.ndarray:
        """Return where the units begin."""
        m, p = len(lattice.positions), source.n_features
        if not isinstance(self.init, str):
            units = np.array(self.init, dtype=np.float64)
            if units.shape != (m, p):
                raise ParameterError(f"SelfOrganizingMap: init must have the shape {(m, p)}, got {units.shape}.")
            return units
        moments = central_moments(source)
        covariance = moments.xx / moments.weight
        if self.init == "random":
            draws = Stream(seed_of(self.random_state)).normal("map units", 0, m, p)
            return moments.mean + draws * np.sqrt(np.maximum(np.diag(covariance), 0.0))
        values, vectors = np.linalg.eigh(covariance)
        axes = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))  # (p, 2)
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1.0, 1.0)
        extent = np.ptp(lattice.positions, axis=0)
        centered = lattice.positions - lattice.positions.min(axis=0) - extent / 2
        scaled = REACH * centered / np.maximum(extent / 2, 1.0)
        order = np.argsort(-extent, kind="stable")[: axes.shape[1]]  # the longer side along the first axis
        return moments.mean + scaled[:, order] @ axes.T

    def _width(self) -> float:
        return max(self.n_rows, self.n_columns) / 2 if self.sigma is None else float(self.sigma)

    def _batch(self, source: Source, units: np.ndarray, lattice: Lattice) -> Iterator[tuple[np.ndarray, float]]:
        """Yield the units and the error before them, pass by pass of (2)."""
        wide = self._width()
        end = min(float(self.sigma_end), wide)
        for t in range(self.max_iter):
            sums = source.total(unit_sums, Units(units, lattice.neighbors))
            sigma = wide * (end / wide) ** (t / max(1, self.max_iter - 1))
            units = smooth(units, sums, lattice, sigma)
            yield units, sums.distance / float(sums.weight.sum())

    def _online(self, source: Source, units: np.ndarray, lattice: Lattice) -> Iterator[tuple[np.ndarray, float]]:
        """Yield the units and the error before them, pass by pass of (3)."""
        rows = int(source.total(unit_sums, Units(units, lattice.neighbors)).weight.sum())
        deal = deal_of(source, seed_of(self.random_state))
        steps = OnlineSteps(deal, lattice.squares, self.learning_rate, self._width(), rows * self.max_iter)
        with portions_of(source, deal) as portions:
            done = 0
            for t in range(self.max_iter):
                error = source.total(unit_sums, Units(units, lattice.neighbors)).distance / rows
                start = Moving(units, done)
                visit = partial(move_units, steps._replace(epoch=t))
                units, done = step("epoch", partial(portions.walk, visit, start, order_of_buckets(deal, t)), start)
                yield units, error

    def transform(self, X: Rows) -> Any:
        """Return column and row on the lattice of the unit nearest to every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, 2)
        """
        check_is_fitted(self)
        return self._rows(X, positions_of, (self.units_.astype(np.float64), self.positions_))

    def predict(self, X: Rows) -> Any:
        """Return the number of the unit nearest to every row.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._rows(X, numbers_of, self.units_.astype(np.float64))

    def u_matrix(self) -> np.ndarray:
        """Return the mean distance of every unit to those that touch it, (n_rows, n_columns): ridges part groups of rows."""
        check_is_fitted(self)
        touching = lattice_of(self.n_rows, self.n_columns, self.lattice).neighbors
        units = self.units_.astype(np.float64)
        gaps = np.sqrt(((units[:, None, :] - units[None, :, :]) ** 2).sum(axis=2))
        count = touching.sum(axis=1)
        return ((gaps * touching).sum(axis=1) / np.maximum(count, 1)).reshape(self.n_rows, self.n_columns)

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the U-matrix as colors and the hits of the units as dots; return the axes."""
        lattice = lattice_of(self.n_rows, self.n_columns, self.lattice)
        return draw_map(lattice, self.u_matrix().ravel(), self.hits_, ax)

    @property
    def _n_features_out(self) -> int:
        return 2

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
