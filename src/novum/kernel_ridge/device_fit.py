"""Kernel ridge regression whose rows lie on a device: they and the coefficients stay there."""

from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.kernel_ridge import device_solve
from novum.kernel_ridge.expansion import ExpansionThere, expansion_block
from novum.kernel_ridge.leave_one_out import check_penalties
from novum.kernels.device.choice import DeviceChoice, device_choice
from novum.kernels.device.program import portions
from novum.runtime import arrays

__all__ = ["fit_there", "predict_there"]


def fit_there(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Find the coefficients of a `KernelRidge` where X is, and keep them and the rows there."""
    source = model._source(X, y, sample_weight, target="numeric")
    rows, given, weight = source.X, source.y, source.weight
    choice = device_choice(model._choice(), rows.shape[1])
    matrix = choice.kernel is None
    if matrix and rows.shape[0] != rows.shape[1]:
        raise DataError(
            f"KernelRidge(kernel='precomputed'): Precomputed matrix must be a square matrix. Input is a"
            f" {rows.shape[0]}x{rows.shape[1]} matrix. Give the square kernel matrix of all training rows."
        )
    model._flat = given.ndim == 1
    target = arrays.double(arrays.as_matrix(given))
    alpha = None if isinstance(model.alpha, str) else model._penalties(target.shape[1])
    model.solver_ = model._cheaper(rows, alpha)
    part, on, by = rows.double(), target, weight
    used = None if weight is None or bool((weight > 0).all()) else weight > 0
    if used is not None:
        part, on, by = part[used], target[used], weight[used]
        part = part[:, used] if matrix else part
    by = None if by is None or bool((by == 1).all()) else by
    if alpha is None:
        alpha = np.full(target.shape[1], loo_penalty(model, choice, part, on, by))
    coefficient, v = solved(model, choice, part, on, alpha, by)
    c = target.new_zeros(target.shape)
    c[slice(None) if used is None else used] = coefficient
    model.alpha_ = float(alpha[0]) if np.ndim(model.alpha) == 0 else alpha
    kept = {"X_fit_": rows, "_target_fit": given, "dual_coef_": (c[:, 0] if model._flat else c).to(rows.dtype)}
    for name, value in (("_weights", v), ("_weight_fit", weight)):
        if value is None:
            setattr(model, name, None)
        else:
            kept[name] = value
    model._keep_on_device(**kept)


def solved(model: Any, choice: DeviceChoice, rows: Any, y: Any, alpha: Any, weight: Any) -> tuple[Any, Any]:
    """Return coefficients of the rows and, by the primal form, of the features."""
    if model.solver_ == "primal":
        features = model._features(rows.shape[1])
        v = device_solve.primal_weights(features, rows, y, alpha, weight)
        if v is not None:
            width, penalty = len(v), y.new_tensor(alpha)
            blocks = portions(rows.shape[0], width)
            c = arrays.stack_rows(
                [(y[at] - device_solve.features_of(features, rows[at]) @ v) / penalty for at in blocks]
            )
            return (c if weight is None else weight[:, None] * c), v
        model.solver_ = "dual"
    return device_solve.dual_coefficients(finite_gram(model, choice, rows), y, alpha, weight, "KernelRidge"), None


def finite_gram(model: Any, choice: DeviceChoice, rows: Any) -> Any:
    """Return the kernel matrix, if it is finite."""
    K = choice.gram(rows)
    if not arrays.all_finite(K):
        raise DataError(
            f"KernelRidge: kernel={model.kernel!r} returned NaN or infinity. Look at the rows it was given, scale"
            " them, or give it other parameters."
        )
    return K


def loo_penalty(model: Any, choice: DeviceChoice, rows: Any, y: Any, weight: Any) -> float:
    """Return the penalty of the least leave-one-out error."""
    import torch

    if len(y) < 2:
        raise DataError(f"KernelRidge: leaving one of {len(y)} rows out leaves none to learn from. Give more rows.")
    root = None if weight is None else weight.sqrt()
    if model.solver_ == "primal":
        Phi = device_solve.features_of(model._features(rows.shape[1]), rows)
        Phi = Phi if root is None else root[:, None] * Phi
        vectors, singular, _ = torch.linalg.svd(Phi, full_matrices=False)
        values, size = singular**2, float(Phi.square().sum()) / len(Phi)
    else:
        K = finite_gram(model, choice, rows)
        K = K if root is None else root[:, None] * K * root
        size = float(K.diagonal().mean())
        values, vectors = torch.linalg.eigh(K)
        rounding = len(values) * np.finfo(float).eps * float(values.abs().max())
        values = values.masked_fill(values.abs() <= rounding, 0.0)
    alphas = check_penalties(None, size)
    return device_solve.best_penalty(values, vectors, model.solver_ != "primal", y, alphas, weight)


def predict_there(model: Any, X: Any) -> Any:
    """Return f(x) for every row of X, on its device."""
    choice = device_choice(model._choice(), vars(model).get("n_features_in_", 1))
    if model._is_primal():
        (v,) = model._on_device(X, "_weights")
        params = ExpansionThere(choice, None, v, model._features(model.n_features_in_), model._flat)
    else:
        rows, c = model._on_device(X, "X_fit_", "dual_coef_")
        params = ExpansionThere(choice, rows, arrays.as_matrix(c), None, model._flat)
    return model._rows(X, expansion_block, params)
