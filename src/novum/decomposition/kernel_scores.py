"""The scores of kernel principal components, (1) to (3) of `kernel_pca`, in memory and on a device, and the fit on a device."""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import ParameterError
from novum.fold.blocks import Block
from novum.kernels.choice import KernelChoice
from novum.kernels.device.choice import DeviceChoice, device_choice
from novum.runtime import arrays, sklearn_private

__all__ = ["KernelComponents", "axes_there", "center_kernel", "fit_there", "scores", "transform_there"]


class KernelComponents(NamedTuple):
    kernel: KernelChoice
    rows: Any  # training rows
    column_means: np.ndarray  # (n,): of K
    mean: float
    weights: np.ndarray  # (n, k): a_j


def center_kernel(K: np.ndarray, column_means: np.ndarray, mean: float) -> np.ndarray:
    """Return (1) for rows of kernels with the training rows."""
    return K - column_means - K.mean(axis=1, keepdims=True) + mean


def scores(params: KernelComponents, block: Block) -> np.ndarray:
    """Return (3) for every row."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    K = params.kernel.between(X, params.rows)
    out = center_kernel(K, params.column_means, params.mean) @ params.weights
    return out.astype(X.dtype, copy=False) if hasattr(X, "dtype") and X.dtype.kind == "f" else out


class ComponentsThere(NamedTuple):
    """The same on a device."""

    kernel: DeviceChoice
    rows: Any
    column_means: Any
    mean: float
    weights: Any


def scores_there(params: ComponentsThere, block: Block) -> Any:
    """Return (3) for every row of a block on a device, there."""

    def projected(K: Any) -> Any:
        return (K - params.column_means - K.mean(1, keepdim=True) + params.mean) @ params.weights

    return params.kernel.of_blocks(projected, block.X, params.rows).to(block.X.dtype)


def fit_there(model: Any, X: Any) -> None:
    """Find the axes (2) where X is, by the whole decomposition whatever the solver, and keep them and the rows there."""
    import torch

    if model.fit_inverse_transform:
        raise ParameterError(
            "KernelPCA(fit_inverse_transform=True) is learned in the memory of the processor, and X is on a device; give X.cpu()."
        )
    source = model._source(X)
    rows = source.X.clone() if model.copy_X else source.X
    model.gamma_ = 1 / rows.shape[1] if model.gamma is None else model.gamma
    K = device_choice(model._choice(), rows.shape[1]).gram(rows)
    k = min(n for n in (len(K), model.n_components) if n is not None)
    means = K.mean(0)
    model._kernel_mean = float(means.mean())
    K += model._kernel_mean - means - means[:, None]  # K is symmetric
    found, vectors = torch.linalg.eigh(K)
    values = sklearn_private.check_psd_eigenvalues(arrays.to_numpy(found[-k:]), enable_warnings=False)[::-1]
    vectors = vectors[:, -k:].flip(1)
    largest = vectors.gather(0, vectors.abs().argmax(0, keepdim=True))
    vectors = vectors * largest.sign()  # as `svd_flip` has it
    kept = int((values > 0).sum()) if model.remove_zero_eig or model.n_components is None else k
    model.eigenvalues_ = values[:kept].astype(source.dtype)
    model._keep_on_device(eigenvectors_=vectors[:, :kept].to(rows.dtype), X_fit_=rows, _column_means=means)
    model._n_features_out = kept


def axes_there(model: Any, X: Any, power: float) -> Any:
    """Return v_j l_j^power on the device of X, zero for axes without variance."""
    (vectors,) = model._on_device(X, "eigenvectors_")
    values = np.asarray(model.eigenvalues_, np.float64)
    return vectors * arrays.like(
        X, np.where(values > 0, np.maximum(values, np.finfo(float).tiny) ** power, 0.0), "float64"
    )


def transform_there(model: Any, X: Any) -> Any:
    """Return (3) for every row of X, on its device."""
    kernel = device_choice(model._choice(), vars(model).get("n_features_in_", 1))
    rows, means = model._on_device(X, "X_fit_", "_column_means")
    return model._rows(
        X, scores_there, ComponentsThere(kernel, rows, means, model._kernel_mean, axes_there(model, X, -0.5))
    )
