"""Rows that stay on the device of a tensor: the index over them there, and what can have none."""

from typing import Any

import scipy.sparse

from novum.engines.search.device.scan import DeviceScan, on_device
from novum.exceptions import DataError
from novum.runtime import arrays

__all__ = ["device_index", "only_arrays", "refuse_metric"]

FORMS = "euclidean, sqeuclidean, manhattan, chebyshev, minkowski, seuclidean, mahalanobis and cosine"


def device_index(model: Any, X: Any) -> DeviceScan | None:
    """Return an index over a model's rows on the device of the tensor X, made once; None where the metric has no form there."""
    moved: DeviceScan | None = model.__dict__.get("_moved")
    if moved is None or moved.rows.device != X.device:
        if scipy.sparse.issparse(model._fit_X):
            return None
        rows = arrays.like(X, model._fit_X, str(arrays.dtype_of(model._fit_X)))
        moved = on_device(rows, model.effective_metric_, model.effective_metric_params_)
        if moved is not None:
            model._moved = moved
    return moved


def refuse_metric(model: Any) -> DataError:
    """Return the error for rows on a device under a metric that is computed in memory alone."""
    return DataError(
        f"{type(model).__name__}: metric={model.metric!r} is computed in memory alone; of rows on a device these are: {FORMS}. Give"
        " X.cpu(), or one of them."
    )


def only_arrays(state: dict[str, Any]) -> dict[str, Any]:
    """Return what a copy or a file carries of a model: arrays, wherever it was fitted, and no index that a tensor holds."""
    kept = {name: value for name, value in state.items() if name != "_moved"}
    for name in ("_fit_X", "_y"):
        if arrays.is_tensor(kept.get(name)):
            kept[name] = arrays.to_numpy(kept[name])
    return {**kept, "_cached": None} if "_cached" in kept else kept
