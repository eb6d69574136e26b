"""What processes read: points or other objects, their targets, and the kernel to compare them with."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.gaussian_process.kernels import Kernel
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.base.device_forms import is_elsewhere
from novum.base.domains import Choice, Domain, Function, Instance, Int, Null, RandomState
from novum.base.validation import home_of, rows_at_hand
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.fold.blocks import Block
from novum.kernels import RBF, Constant
from novum.kernels.choice import things_of
from novum.runtime import arrays
from novum.runtime.warn import warn

__all__ = [
    "SEARCH_DOMAINS",
    "compares_vectors",
    "new_points",
    "noise_of",
    "normalization",
    "read_training",
    "start_kernel",
    "warn_of_jitter",
]

FLAT = 10 * float(np.finfo(float).eps)  # relative deviation of a constant output
LARGE_JITTER = 1e-6  # of the mean variance: from there on it is noise that the user should know of
SEARCH_DOMAINS: dict[str, Domain] = {
    "kernel": Instance(Kernel) | Null(),
    "optimizer": Choice("fmin_l_bfgs_b") | Function() | Null(),
    "n_restarts_optimizer": Int(0),
    "random_state": RandomState(),
}
REMEDY = (
    "use SparseGaussianProcessRegressor, which reads its rows in passes, or give a sample of the rows (GaussianProcessRegressor"
    " can choose one by subset_size)"
)


def compares_vectors(kernel: Any) -> bool:
    """Return whether a kernel, or the default in place of None, compares vectors of numbers."""
    return kernel is None or bool(kernel.requires_vector_input)


def start_kernel(kernel: Any, learned: bool = True) -> Any:
    """Return a copy of the kernel; in place of None a Gaussian one, whose parameters may be `learned`."""
    if kernel is not None:
        return clone(kernel)
    return Constant(1.0) * RBF(1.0) if learned else Constant(1.0, "fixed") * RBF(1.0, "fixed")


def read_training(estimator: Any, X: Any, y: Any, target: str) -> tuple[Any, Any]:
    """Return points (float64, or a list of objects) and the target; of rows on a device both are tensors there.

    `target` is "numeric" or "classes"; features are recorded, everything is checked.
    """
    owner = type(estimator).__name__
    if not compares_vectors(estimator.kernel) and home_of(X) == "memory":
        return read_objects(estimator, X, y, target)
    if is_elsewhere(X):
        source: Any = estimator._source(X, y, target=target)
        return arrays.double(source.X), arrays.double(source.y)
    X = rows_at_hand(estimator, X, f"{owner} compares rows with each other", REMEDY)
    source = estimator._source(X, arrays.to_numpy(y) if arrays.is_tensor(y) else y, target=target).in_memory()
    copy = True if estimator.copy_X_train else None
    return np.array(source.array(), dtype=np.float64, order="C", copy=copy), np.asarray(source.y)


def read_objects(estimator: Any, X: Any, y: Any, target: str) -> tuple[Any, Any]:
    """Return objects that only the kernel understands (strings, sets, graphs), with their target."""
    owner = type(estimator).__name__
    if y is None:
        raise DataError(f"This {owner} estimator requires y to be passed, but the target y is None.")
    if target == "numeric":
        label = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y", estimator=owner)
        if label.ndim > 2:
            raise DataError(f"{owner}: y should have one or two dimensions, got shape {label.shape}.")
    else:
        label = column_or_1d(y, warn=True)
    check_consistent_length(X, label)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(estimator, name):
            delattr(estimator, name)
    return things_of(X), label


def as_they_are(_: Any, block: Block) -> Any:
    """Return the rows of a block."""
    return block.X


def new_points(estimator: Any, X: Any) -> Any:
    """Return new points after all checks, as float64 or as objects; a process that is not fitted takes any number of columns."""
    if not compares_vectors(estimator.kernel):
        return things_of(X)
    if hasattr(estimator, "n_features_in_"):
        if is_elsewhere(X):
            raise DataError(
                f"{type(estimator).__name__}: this takes rows in the memory of the processor; give X.cpu()."
            )
        rows = estimator._rows(X, as_they_are)
        if not hasattr(rows, "shape") or hasattr(rows, "dask"):
            raise DataError(f"{type(estimator).__name__}: this takes rows in memory; give batches of them.")
        return np.ascontiguousarray(arrays.to_numpy(rows), np.float64)
    if is_elsewhere(X):
        raise DataError(
            f"{type(estimator).__name__} that is not fitted answers in the memory of the processor, and X is on a device; give"
            " X.cpu()."
        )
    rows = arrays.to_numpy(X) if arrays.is_tensor(X) else X
    return check_array(rows, dtype=np.float64, input_name="X", estimator=type(estimator).__name__, order="C")


def noise_of(alpha: Any, n: int) -> Any:
    """Return the noise of n points as a number, or a number each."""
    noise = np.asarray(alpha, dtype=np.float64)
    if not (noise >= 0).all():
        raise ParameterError("GaussianProcessRegressor: alpha holds a negative number; variances are 0 or more.")
    if noise.size == 1:
        return float(noise.reshape(()))
    if noise.shape != (n,):
        raise ParameterError(
            f"alpha must be a scalar or an array with same number of entries as y. ({noise.shape[0]} != {n})"
            " GaussianProcessRegressor: give a variance per row."
        )
    return noise


def normalization(target: Any) -> tuple[Any, Any]:
    """Return mean and standard deviation of every output, as arrays; one in place of a deviation that is rounding."""
    if arrays.is_tensor(target):
        columns = arrays.as_matrix(target)
        mean, largest = columns.mean(0), columns.abs().amax(0)
        sums = arrays.to_numpy(
            arrays.stack_rows([mean[None], (columns - mean).square().mean(0).sqrt()[None], largest[None]])
        )
        mean, deviation, size = sums
    else:
        mean, deviation = np.atleast_1d(target.mean(axis=0)), np.atleast_1d(target.std(axis=0))
        size = np.abs(target).max(axis=0)
    flat = deviation <= FLAT * np.maximum(size, deviation)
    return mean, np.where(flat, 1.0, deviation)


def warn_of_jitter(owner: str, jitter: float, usual: float) -> None:
    """Warn where the jitter is more than rounding needs, measured by the usual variance."""
    if jitter > LARGE_JITTER * usual:
        warn(
            f"{owner}: a jitter of {jitter:.3g} ({jitter / usual:.2g} of the mean variance) had to be added to the diagonal: points"
            " are (nearly) equal, or the kernel is hardly valid. Predictions treat it as noise; a larger alpha or a WhiteKernel"
            " says so in the model.",
            DataWarning,
        )
