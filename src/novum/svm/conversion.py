"""scikit-learn's trained machines as ours, without training again: the same support vectors, coefficients and decisions."""

from typing import Any

import numpy as np
import scipy.sparse
import sklearn.svm

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterTypeError
from novum.runtime.checks import is_true
from novum.svm.base import KernelMachine
from novum.svm.classification import SVC, NuSVC
from novum.svm.kernel_choice import Kernel
from novum.svm.outliers import OneClassSVM
from novum.svm.regression import SVR, NuSVR

__all__ = ["from_sklearn"]

OURS: dict[type, type[KernelMachine]] = {
    sklearn.svm.SVC: SVC,
    sklearn.svm.NuSVC: NuSVC,
    sklearn.svm.SVR: SVR,
    sklearn.svm.NuSVR: NuSVR,
    sklearn.svm.OneClassSVM: OneClassSVM,
}
UNKNOWN = float("nan")  # what scikit-learn does not keep of its solver


def from_sklearn(model: Any) -> Any:
    """Return novum's machine of a trained SVC, NuSVC, SVR, NuSVR or OneClassSVM of scikit-learn.

    Parameters
    ----------
    model : fitted estimator of sklearn.svm

    Returns
    -------
    SVC, NuSVC, SVR, NuSVR or OneClassSVM
        Fitted; it predicts what the model predicts, in every home of data. `dual_objective_`, `duality_gap_` and
        `kkt_violation_`, which scikit-learn does not keep, are NaN, and so is `epsilon_` of a NuSVR.

    Examples
    --------
    >>> from sklearn import svm
    >>> from novum.svm import from_sklearn
    >>> X, y = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [1, 1, 1, 2, 2, 2]
    >>> ours = from_sklearn(svm.SVC(kernel="linear").fit(X, y))
    >>> ours, ours.predict([[-0.8, -1]])
    (SVC(kernel='linear'), array([1]))
    """
    cls = next((ours for theirs, ours in OURS.items() if isinstance(model, theirs)), None)
    if cls is None:
        names = ", ".join(theirs.__name__ for theirs in OURS)
        raise ParameterTypeError(
            f"from_sklearn(model={model!r:.80}): model must be a fitted {names} of sklearn.svm, got {type(model).__name__}."
        )
    check_is_fitted(model)
    check_sound(model)
    ours = cls(**{name: value for name, value in model.get_params(deep=False).items() if name in cls().get_params()})
    copy_machine(model, ours)
    if isinstance(ours, SVC | NuSVC):
        copy_classes(model, ours)
    if isinstance(ours, SVR | NuSVR):
        ours.epsilon_ = float(model.epsilon) if isinstance(ours, SVR) else UNKNOWN
    if isinstance(ours, OneClassSVM):
        ours.offset_ = np.array(model.offset_)
    return ours


def check_sound(model: Any) -> None:
    """Raise where the parts of a model do not belong together, or are not numbers."""
    name, coefficient = type(model).__name__, model._dual_coef_
    values = coefficient.data if scipy.sparse.issparse(coefficient) else np.asarray(coefficient)
    classes = len(getattr(model, "classes_", ())) or 2
    lines = classes - 1 if hasattr(model, "classes_") else 1
    pairs = classes * (classes - 1) // 2 if hasattr(model, "classes_") else 1
    vectors = len(model.support_)
    has_rows = model.kernel != "precomputed" and not callable(model.kernel)
    right = (
        coefficient.shape == (lines, vectors)
        and len(model._intercept_) == pairs
        and (not hasattr(model, "classes_") or int(np.sum(model._n_support)) == vectors)
        and (not has_rows or model.support_vectors_.shape == (vectors, model.n_features_in_))
    )
    if not right:
        raise DataError(
            f"from_sklearn: this {name} holds {vectors} support vectors, coefficients of shape {coefficient.shape} and"
            f" {len(model._intercept_)} intercepts, which do not belong together. Fit it again."
        )
    vectors_held = model.support_vectors_
    cells = vectors_held.data if scipy.sparse.issparse(vectors_held) else np.asarray(vectors_held)
    if not all(np.isfinite(part).all() for part in (values, cells, model._intercept_)):
        raise DataError(f"from_sklearn: this {name} holds NaN or infinity. Fit it again.")


def copy_machine(model: Any, ours: Any) -> None:
    """Set what does not depend on the kind of machine."""
    coefficient = model._dual_coef_
    dense = coefficient.toarray() if scipy.sparse.issparse(coefficient) else np.asarray(coefficient)
    ours._dual_coef_, ours._intercept_ = dense.astype(np.float64), np.array(model._intercept_, dtype=np.float64)
    ours._sparse = bool(model._sparse) and not callable(model.kernel)
    ours.support_, ours.shape_fit_ = np.array(model.support_, dtype=np.int32), tuple(model.shape_fit_)
    ours._n_support = np.array(
        model._n_support if hasattr(model, "classes_") else [len(model.support_)], dtype=np.int32
    )
    ours.dual_coef_, ours.intercept_ = model.dual_coef_.copy(), np.array(model.intercept_, dtype=np.float64)
    ours._gamma, ours._origin = float(model._gamma), None
    if callable(model.kernel):
        ours._kernel = Kernel("precomputed", 0.0, 0.0, 0, model.kernel)
        ours._rows_fit = model._BaseLibSVM__Xfit
        ours.support_vectors_ = np.empty((0, 0))
    else:
        ours._kernel = Kernel(model.kernel, float(model._gamma), float(model.coef0), int(model.degree))
        matrix = model.kernel == "precomputed"
        ours.support_vectors_ = np.empty((0, 0)) if matrix else model.support_vectors_.astype(np.float64)
        if model.kernel == "rbf" and not ours._sparse and len(ours.support_):
            ours._origin = ours.support_vectors_.mean(axis=0)
    machines = len(ours._intercept_)
    for name in ("dual_objective_", "duality_gap_", "kkt_violation_"):
        setattr(ours, name, np.full(machines, UNKNOWN))
    steps = np.array(model.n_iter_, dtype=np.int32)
    ours.n_iter_, ours.fit_status_ = steps if steps.ndim else int(steps), int(model.fit_status_)
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(model, name):
            setattr(ours, name, getattr(model, name))


def copy_classes(model: Any, ours: Any) -> None:
    """Set what classifiers have beside: classes, their weights, and the sigmoids of their probabilities."""
    ours.classes_, ours.class_weight_ = np.array(model.classes_), np.array(model.class_weight_, dtype=np.float64)
    ours._wants_probability, ours._platt = is_true(model.probability), None
    if len(getattr(model, "_probA", ())):
        ours._platt = np.column_stack([model._probA, model._probB])
