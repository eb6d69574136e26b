"""Raw scores of boosted trees: of all, of those of some iterations, and after every iteration."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.base import validation
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.engines.trees.histograms import Packed, add_packed, pack
from novum.ensemble.boosting.categories import as_numbers
from novum.ensemble.boosting.coded_rows import known_raw
from novum.ensemble.boosting.newton import Trees
from novum.ensemble.boosting.predictors import Predictor, partial_dependence, predictors_of
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.runtime import arrays, devices

__all__ = ["BoostedModel", "BoostedTrees", "raw_of_block"]


class BoostedModel(NamedTuple):
    """What raw scores are made of."""

    packed: Packed
    start: NDArray  # (outputs,)


def raw_of_block(model: BoostedModel, block: Block) -> Any:
    """Return the raw scores of a block, of shape (rows, outputs), in float64."""
    if arrays.is_tensor(block.X) and not devices.on_host(block.X):
        from novum.engines.trees.device.passes import add_packed_rows

        start = arrays.like(block.X, model.start, "float64")
        return add_packed_rows(model.packed, block.X, start.repeat(block.rows, 1))
    raw = np.empty((block.rows, len(model.start)))
    raw[:] = model.start
    return add_packed(model.packed, block, raw)


def finish_block(params: tuple[BoostedModel, Any], block: Block) -> Any:
    """Return what a subclass makes of the raw scores of a block, numbers in the dtype of the rows."""
    model, finish = params
    out = finish(raw_of_block(model, block))
    if arrays.is_tensor(out):
        return out.to(block.X.dtype) if out.is_floating_point() and out.dtype != block.X.dtype else out
    return out.astype(arrays.dtype_of(block.X), copy=False) if out.dtype.kind == "f" else out


class BoostedTrees(Estimator):
    """Fitted trees and what they add up to."""

    _start: NDArray  # (outputs,): raw scores before the first tree
    _nodes: NDArray
    _root: NDArray
    _sets: NDArray
    _encoder: Any
    _weighted_fit: bool
    is_categorical_: np.ndarray | None

    @property
    def n_iter_(self) -> int:
        """Iterations: trees per output."""
        check_is_fitted(self, "_nodes")
        return len(self._root) // len(self._start)

    @property
    def _trees(self) -> Trees:
        return Trees(self._nodes, self._root, self._sets)

    # Tools that look inside scikit-learn's class know these two names.
    def _raw_predict(self, X: Any) -> Any:
        return self._raw(X, np.asarray)

    @property
    def _predictors(self) -> list[list[Predictor]]:
        return predictors_of(self._trees, len(self._start))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_nodes") or hasattr(self, "_known")  # the second while a scorer runs

    def _check_state(self) -> None:
        """Raise ValueError unless every tree begins where the one before ends, and refers to columns and nodes that exist."""
        if "_nodes" not in vars(self):
            return
        root, nodes = self._root, self._nodes
        if (
            len(root) % len(self._start)
            or (len(root) and (root[0] != 0 or root[-1] >= len(nodes)))
            or (np.diff(root) < 1).any()
        ):
            raise ValueError("its trees do not begin where they should")
        if not len(root):
            return
        model = pack(nodes, root, self._sets, len(self._start))
        _core.trees.traversal.add_values(
            model.nodes,
            model.value,
            model.sets,
            model.root,
            np.zeros((1, self.n_features_in_)),
            np.zeros((1, len(self._start))),
        )

    def _model(self, iterations: slice = slice(None)) -> BoostedModel:
        """Return the trees of some iterations, packed."""
        trees, outputs = self._trees, len(self._start)
        first, last, _ = iterations.indices(len(trees.root) // outputs)
        bounds = np.append(trees.root, len(trees.nodes))
        begin, end = bounds[first * outputs], bounds[last * outputs]
        root = trees.root[first * outputs : last * outputs] - begin
        return BoostedModel(pack(trees.nodes[begin:end], root, trees.sets, outputs), self._start)

    def _raw(self, X: Any, finish: Any) -> Any:
        """Return `finish(raw)` of the raw scores of every row, in the dtype and the home of X."""
        known = known_raw(self, X)
        if known is not None:
            return finish(known)
        check_is_fitted(self)
        if self.is_categorical_ is not None and arrays.is_tensor(X) and not devices.on_host(X):
            raise DataError(
                f"{type(self).__name__}: categorical_features are encoded in memory, and X is on a device; give X.cpu()."
            )
        return self._rows(as_numbers(X, self.is_categorical_, self._encoder), finish_block, (self._model(), finish))

    def _staged(self, X: Any, finish: Any) -> Iterator[Any]:
        """Yield `finish(raw)` after every iteration."""
        check_is_fitted(self)
        source = validation.open_rows(self, as_numbers(X, self.is_categorical_, self._encoder))
        source = source.in_memory(f"{type(self).__name__} adds staged predictions up", "give the rows in portions")
        raw = np.empty((source.n_rows or 0, len(self._start)))
        raw[:] = self._start
        for i in range(self.n_iter_):
            model = self._model(slice(i, i + 1))._replace(start=np.zeros(len(self._start)))
            raw = raw + source.rows(raw_of_block, model)
            yield finish(raw).astype(source.dtype) if finish(raw).dtype.kind == "f" else finish(raw)

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> NDArray:
        if self._weighted_fit:
            raise NotImplementedError(
                f"{type(self).__name__} does not support partial dependence plots with the 'recursion' method when"
                " sample weights were given during fit time."
            )
        grid, columns = np.asarray(grid, np.float64), np.asarray(target_features, np.intp)
        parts = [[partial_dependence(tree, grid, columns) for tree in trees] for trees in self._predictors]
        return np.array([np.sum([part[k] for part in parts], axis=0) for k in range(len(self._start))])
