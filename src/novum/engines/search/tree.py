"""The arrays of a search tree, and how the core searches them. What a user sees of it: `novum.neighbors.trees`."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum import _core
from novum.base.validation import check_weight
from novum.engines.search.index import Blocks, Lists, join_lists, lists_of, pieces
from novum.engines.search.kernels import KERNELS, dense_totals, tail_of
from novum.engines.search.metrics import Form, form_of, usual_name
from novum.exceptions import ParameterError
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count
from novum.runtime.typing import Metric, Rows, RowWeights

__all__ = ["TreeIndex"]

MOST_CAPACITY = (
    16  # rows of a leaf: two vectors of AVX-512; larger leaves compute more distances, smaller ones wait more
)
MANY_ROWS = 1 << 14  # below, a tree is built before a second thread would help
VECTOR = 8  # rows of a leaf are a multiple of the widest vector
TREE_QUERIES = 1 << 14  # most queries of a block


class TreeIndex:
    """Rows in leaves, as an index (`_search.Index`), with sums of kernels."""

    valid_metrics: ClassVar[list[str]] = []
    _ball: ClassVar[bool] = False

    def __init__(
        self,
        X: Rows,
        leaf_size: int = 40,
        metric: Metric = "minkowski",
        sample_weight: RowWeights = None,
        **kwargs: Any,
    ) -> None:
        X = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X", estimator=type(self).__name__)
        if not isinstance(leaf_size, int | np.integer) or leaf_size < 1:
            raise ParameterError("leaf_size must be greater than or equal to 1")
        if isinstance(metric, str) and metric not in self.valid_metrics:
            raise ParameterError(
                f"Unrecognized metric '{metric}': metric {metric} is not valid for {type(self).__name__}, which takes one of"
                f" {sorted(self.valid_metrics)}" + (" or a function." if self._ball else ".")
            )
        self.data, self.leaf_size, self.metric = X, int(leaf_size), metric
        if metric == "pyfunc":
            self.metric = kwargs.pop("func")
        self.metric_params = kwargs
        weight = check_weight(type(self).__name__, sample_weight, len(X))
        self.sample_weight = weight
        self.sum_weight = float(len(X)) if weight is None else float(weight.sum())
        form = form_of(self.metric, kwargs, X)
        if form is None and not self._ball:
            raise ParameterError(
                f"metric {metric} is not valid for KDTree: it is no norm and has no boxes; use BallTree."
            )
        if form is not None and form.p < 1:
            raise ParameterError(
                f"p must be greater or equal to one for a tree, got p={form.p:g}: below, the triangle inequality fails."
            )
        self._norm = None if form is None else form.p
        if form is not None:
            self._grow(form)

    def _grow(self, form: Form) -> None:
        n, d = self.data.shape
        capacity = min(MOST_CAPACITY, -(-self.leaf_size // VECTOR) * VECTOR)
        leaves = -(-n // capacity)
        self._change, self._squared = form.change, form.squared
        self._packed, self._index = np.empty((leaves, d, capacity)), np.empty((leaves, capacity), np.int64)
        self._bounds = np.zeros((2 * leaves, d + 1 if self._ball else 2 * d))
        self._cut, self._cut_column = np.zeros(leaves), np.zeros(leaves, np.int32)
        self._index.ravel()[:n] = np.arange(n)
        rows, threads = np.ascontiguousarray(form.changed(self.data)), thread_count(None)
        arrays = (self._packed, self._index, self._bounds, self._cut, self._cut_column, form.p, self._ball)
        parts: list[tuple[int, int]] = [(0, leaves)]
        while (
            threads > 1 and n > MANY_ROWS and len(parts) < 2 * threads
        ):  # the upper nodes here, what is below by threads
            for _ in map_ordered(
                lambda part: _core.search.neighbors.build(rows, *arrays, part[0], part[1], False), parts, threads
            ):
                pass
            parts = [half for a, b in parts for half in ((a, (a + b + 1) // 2), ((a + b + 1) // 2, b))]
        for _ in map_ordered(lambda part: _core.search.neighbors.build(rows, *arrays, *part, True), parts, threads):
            pass

    def _handle(self) -> Any:
        """Return the arrays as the core takes them; made for every search, as files and processes carry arrays only."""
        assert self._norm is not None
        n = len(self.data)
        return _core.search.neighbors.Tree(
            packed=self._packed,
            index=self._index,
            bounds=self._bounds,
            cut=self._cut,
            cut_column=self._cut_column,
            n=n,
            p=self._norm,
            ball=self._ball,
        )

    @property
    def form(self) -> Form | None:
        """The norm that the tree searches by, or None if it looks at all rows."""
        return None if self._norm is None else Form(self._norm, self._change, self._squared)

    def _scan(self) -> Blocks:
        return Blocks(self.data, usual_name(self.metric), self.metric_params)

    def _changed(self, X: NDArray) -> NDArray:
        assert self.form is not None
        return np.ascontiguousarray(self.form.changed(X), dtype=np.float64)

    def nearest(self, X: Any, k: int, threads: int, skip: NDArray | None = None) -> tuple[NDArray, NDArray]:
        """Return distances and numbers of the k nearest rows of every query, nearest first."""
        if (form := self.form) is None:
            return self._scan().nearest(X, k, threads)
        X, handle = self._changed(X), self._handle()
        distance, index = np.empty((len(X), k)), np.empty((len(X), k), np.int64)

        def work(part: Any) -> None:
            handle.nearest(X[part], None if skip is None else skip[part], distance[part], index[part])

        for _ in map_ordered(work, pieces(len(X), threads, TREE_QUERIES, 64), threads):
            pass
        return form.back(distance), index

    def within(self, X: Any, radius: NDArray, threads: int) -> Lists:
        """Return the rows within the radius of every query, by number."""
        if (form := self.form) is None:
            return self._scan().within(X, radius, threads)
        X, handle = self._changed(X), self._handle()
        radius = np.ascontiguousarray(form.radius(radius))
        parts = map_ordered(
            lambda part: lists_of(handle.within(X[part], radius[part])),
            pieces(len(X), threads, TREE_QUERIES, 64),
            threads,
        )
        found = join_lists(list(parts))
        return found._replace(distance=form.back(found.distance))

    def count(self, X: Any, radius: NDArray, threads: int) -> NDArray:
        """Return how many rows lie within the radius of every query."""
        if (form := self.form) is None:
            return np.diff(self._scan().within(X, radius, threads).begin)
        X, handle, out = self._changed(X), self._handle(), np.empty(len(X), np.int64)
        radius = np.ascontiguousarray(form.radius(radius))
        parts = pieces(len(X), threads, TREE_QUERIES, 64)
        for _ in map_ordered(lambda part: handle.count(X[part], radius[part], out[part]), parts, threads):
            pass
        return out

    def placed(self, values: NDArray | None) -> NDArray | None:
        """Return one value per row in the order of the leaves, zero where there is no row."""
        if values is None:
            return None
        places = self._index.ravel()
        there = places < len(self.data)
        out = np.zeros((len(places), *values.shape[1:]))
        out[there] = values[places[there]]
        return out

    def sums(
        self,
        X: Any,
        kernel: str,
        width: float,
        threads: int,
        *,
        rtol: float = 0.0,
        skip: Any = None,
        weight: RowWeights = None,
        target: Any = None,
    ) -> Any:
        """Return sum_j w_j K(d_ij / width) without the row skip[i], the logarithm of its unit, and the sums of w_j K t_j.

        `weight` and `target` are in the order of the leaves (`placed`). Only for norms.
        """
        X, handle = self._changed(X), self._handle()
        total, unit = np.empty(len(X)), np.empty(len(X))
        moved = None if target is None else np.empty((len(X), target.shape[1]))
        tail = tail_of(len(self.data), rtol)

        def work(part: Any) -> None:
            handle.kernel_sums(
                X[part],
                skip=None if skip is None else skip[part],
                kernel=KERNELS.index(kernel),
                width=float(width),
                tail=tail,
                weight=weight,
                target=target,
                sum=total[part],
                log_unit=unit[part],
                target_sum=None if moved is None else moved[part],
            )

        for _ in map_ordered(work, pieces(len(X), threads, TREE_QUERIES, 16), threads):
            pass
        return total, unit, moved

    def kernel_totals(
        self, X: NDArray, kernel: str, h: float, rtol: float, threads: int, skip: NDArray | None = None
    ) -> Any:
        """Return weighted sums of a kernel that is one at zero, and the logarithms of their units, under any metric."""
        if self.form is not None and not self.form.squared:
            weight = self.placed(self.sample_weight)
            return self.sums(X, kernel, h, threads, rtol=rtol, skip=skip, weight=weight)[:2]
        parts = map_ordered(
            lambda part: dense_totals(
                self._scan().between(X[part]), kernel, h, self.sample_weight, None if skip is None else skip[part]
            ),
            pieces(len(X), 1, max(1, (1 << 20) // len(self.data))),
            1,
        )
        total, unit = zip(*parts)
        return np.concatenate(total), np.concatenate(unit)
