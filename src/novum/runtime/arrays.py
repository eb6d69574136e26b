"""One small vocabulary for NumPy and PyTorch: what statistics and predictions need to run where the data are.

Functions take their library and device from their first argument. Small parameters are NumPy arrays; `like` brings them to
a tensor's device, `to_numpy` brings statistics back. PyTorch is never imported unless a tensor was given.
"""

import sys
from typing import Any

import numpy as np
import scipy.sparse

__all__ = [
    "all_finite",
    "argmax",
    "as_matrix",
    "center",
    "class_counts",
    "class_of",
    "concat",
    "dense",
    "double",
    "dtype_of",
    "exp",
    "inverse",
    "is_sparse",
    "is_tensor",
    "labels_at",
    "like",
    "log",
    "log_determinant",
    "log_softmax",
    "one_hot",
    "ones",
    "r_factor",
    "row_mean",
    "stack_rows",
    "to_numpy",
    "unique",
    "where",
    "whole",
]


def is_tensor(x: Any) -> bool:
    """Return whether x is a PyTorch tensor."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def is_sparse(x: Any) -> bool:
    """Return whether x is a sparse matrix or array of SciPy."""
    return scipy.sparse.issparse(x)


def _torch() -> Any:
    return sys.modules["torch"]


def to_numpy(x: Any) -> np.ndarray:
    """Return x as a NumPy array, from whatever device."""
    return x.detach().cpu().numpy() if is_tensor(x) else np.asarray(x)


def dtype_of(x: Any) -> np.dtype:
    """Return the NumPy dtype of the cells of x."""
    return np.dtype(str(x.dtype).removeprefix("torch.")) if is_tensor(x) else x.dtype


def like(x: Any, values: Any, dtype: str | None = None) -> Any:
    """Return NumPy `values` in the library and on the device of x, in its dtype or in "float64" or "int64"."""
    if is_tensor(x):
        torch = _torch()
        kind = x.dtype if dtype is None else getattr(torch, dtype)
        if isinstance(values, np.ndarray) and not values.flags.writeable:
            values = values.copy()  # PyTorch warns of views it could write through
        return torch.as_tensor(values, device=x.device).to(kind)
    return np.asarray(values).astype(x.dtype if dtype is None else dtype, copy=False)


def double(x: Any) -> Any:
    """Return x in float64."""
    return x.double() if is_tensor(x) else x.astype(np.float64, copy=False)


def whole(x: Any) -> Any:
    """Return x as whole numbers of 64 bits."""
    return x.long() if is_tensor(x) else x.astype(np.int64)


def all_finite(x: Any) -> bool:
    """Return whether a tensor holds neither NaN nor infinity, from one read of it: the largest size is neither."""
    return not x.numel() or bool(_torch().linalg.vector_norm(x, float("inf")).isfinite())


def as_matrix(y: Any) -> Any:
    """Return a target as (rows, columns), a flat one as one column; also without rows."""
    return y if y.ndim == 2 else y.reshape(y.shape[0], 1)


def dense(x: Any) -> Any:
    """Return x as a dense array: a sparse block is made dense, all else is returned as it is."""
    return x.toarray() if scipy.sparse.issparse(x) else x


def concat(parts: list[Any]) -> Any:
    """Return columns side by side."""
    return _torch().cat(parts, dim=1) if is_tensor(parts[0]) else np.concatenate(parts, axis=1)


def stack_rows(parts: list[Any]) -> Any:
    """Return rows one below the other."""
    return _torch().cat(parts, dim=0) if is_tensor(parts[0]) else np.concatenate(parts, axis=0)


def ones(x: Any, *shape: int) -> Any:
    """Return float64 ones in the library and on the device of x."""
    return _torch().ones(shape, dtype=_torch().float64, device=x.device) if is_tensor(x) else np.ones(shape)


def row_mean(x: Any, weight: Any = None) -> np.ndarray:
    """Return the float64 (weighted) mean of every column, as a NumPy array; zero where there is no weight."""
    if weight is None:
        if type(x) is np.ndarray:
            return np.asarray(np.add.reduce(x, axis=0, dtype=np.float64) / max(1, x.shape[0]))  # what `mean` comes to
        return to_numpy(x.double().mean(dim=0)) if is_tensor(x) else np.asarray(x.mean(axis=0, dtype=np.float64))
    total = float(weight.sum())
    return to_numpy(weight @ double(x)) / total if total > 0 else np.zeros(x.shape[1])


def center(x: Any, mean: np.ndarray) -> Any:
    """Return x - mean in float64."""
    return double(x) - like(x, mean, "float64")


def one_hot(x: Any, code: Any, k: int) -> Any:
    """Return the (rows, k) float64 indicator of `code`, in the library and on the device of x."""
    if is_tensor(x):
        code = _torch().as_tensor(code, device=x.device).long()
        return _torch().nn.functional.one_hot(code, k).double()
    return np.eye(k)[np.asarray(code)]


def unique(x: Any) -> np.ndarray:
    """Return the sorted distinct values, as a NumPy array."""
    return to_numpy(_torch().unique(x)) if is_tensor(x) else np.unique(x)


def positions(values: np.ndarray, x: Any) -> tuple[Any, Any]:
    """Return where every x stands among the sorted `values`, and which x do not occur there."""
    if is_tensor(x):
        torch = _torch()
        known = torch.as_tensor(values, device=x.device)
        if x.dtype == torch.bool:  # PyTorch searches no truth values
            known, x = known.to(torch.uint8), x.to(torch.uint8)
        code = torch.searchsorted(known, x.contiguous()).clamp(max=len(values) - 1)
        return code, known[code] != x
    x = np.asarray(x)
    code = np.minimum(np.searchsorted(values, x), len(values) - 1).astype(np.int64)
    return code, np.asarray(values[code] != x)


def labels_at(classes: np.ndarray, code: Any) -> Any:
    """Return the labels of codes: beside them where labels are numbers, else an array."""
    if is_tensor(code) and classes.dtype.kind in "fiub":
        return like(code, classes, str(classes.dtype))[code]
    return classes.take(to_numpy(code))


def exp(x: Any) -> Any:
    """Return the exponential."""
    return x.exp() if is_tensor(x) else np.exp(x)


def log(x: Any) -> Any:
    """Return the natural logarithm."""
    return x.log() if is_tensor(x) else np.log(x)


def argmax(x: Any) -> Any:
    """Return the position of the largest entry of every row, the first of equals."""
    return x.argmax(dim=1) if is_tensor(x) else x.argmax(axis=1)


def class_of(classes: np.ndarray, position: Any) -> Any:
    """Return the class at every position, where the positions are; labels that are no numbers are a NumPy array."""
    if is_tensor(position) and classes.dtype.kind in "fiub":
        return like(position, classes, str(classes.dtype))[position]
    return classes[to_numpy(position)]


def class_counts(code: Any, weight: Any, k: int) -> np.ndarray:
    """Return the weight of every class of codes 0 to k - 1, as a NumPy array; ones for a weight of None."""
    if not is_tensor(code):
        return np.bincount(code, weight, minlength=k).astype(np.float64)
    torch = _torch()
    return to_numpy(torch.bincount(code.long(), weights=weight, minlength=k).double())


def log_softmax(x: Any) -> Any:
    """Return x minus the logarithm of the sum of exponentials of its row."""
    # The maximum is taken off first: far from all classes it is so large that adding a logarithm to it changes nothing.
    if is_tensor(x):
        x = x - x.amax(dim=1, keepdim=True)
        return x - _torch().logsumexp(x, dim=1, keepdim=True)
    x = x - x.max(axis=1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=1, keepdims=True))


def r_factor(x: Any) -> np.ndarray:
    """Return the R factor of a tall matrix, as a NumPy array."""
    return to_numpy(_torch().linalg.qr(x, mode="r").R) if is_tensor(x) else np.asarray(np.linalg.qr(x, mode="r"))


def inverse(x: Any) -> Any:
    """Return the inverses of a batch of square matrices."""
    return _torch().linalg.inv(x) if is_tensor(x) else np.linalg.inv(x)


def log_determinant(x: Any) -> Any:
    """Return the logarithm of the size of the determinants of a batch of square matrices."""
    return (_torch() if is_tensor(x) else np).linalg.slogdet(x)[1]


def where(condition: Any, x: Any, other: Any) -> Any:
    """Return x where the condition holds, else the other (an array or a number)."""
    return _torch().where(condition, x, other) if is_tensor(x) else np.where(condition, x, other)
