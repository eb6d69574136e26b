"""What the parameters of logistic regression ask for: scikit-learn's names, rules and sentences, in one place.

Every solver name leads to the same optimum by whichever algorithm suits the data. The name decides which penalties scikit-learn
would allow, whether the intercept is penalised ("liblinear"), and the first words of the warning when max_iter was too small.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.exceptions import DataError, DataWarning, ParameterError
from novum.fold.blocks import Source
from novum.runtime.warn import warn

__all__ = [
    "SOLVERS",
    "Penalty",
    "check_size",
    "check_solver",
    "class_weights",
    "gradient_tolerance",
    "not_converged",
    "penalty_of",
]

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
FINER = 0.01  # of tol: one Newton step more, which scikit-learn's own tests of "saga" tell from none

DEPRECATED = (
    "'penalty' was deprecated in version 1.8 of scikit-learn and will be removed in 1.10. Leave 'penalty' at its default and use"
    " {ratio} and {strength}: {ratio}=0 instead of penalty='l2', 1 instead of 'l1', a number between instead of 'elasticnet', and"
    " {strength}=np.inf instead of penalty=None."
)
LARGEST = 1e30  # of |x| under the name "liblinear", as in scikit-learn


class Penalty(NamedTuple):
    """(l1_ratio |theta|_1 + (1 - l1_ratio) |theta|^2 / 2) / C; none where C is infinite."""

    name: str | None  # "l1", "l2", "elasticnet" or None
    C: float
    l1_ratio: float


def penalty_of(model: Any) -> Penalty:
    """Return what penalty, C and l1_ratio of a LogisticRegression mean together."""
    owner, ratio = type(model).__name__, model.l1_ratio
    if model.penalty == "deprecated":
        if ratio is None:
            warn(
                "'l1_ratio=None' was deprecated in version 1.8 of scikit-learn. Use 0<=l1_ratio<=1 instead.",
                FutureWarning,
            )
        name = None if np.inf == model.C else penalty_name(ratio)
    else:
        name = model.penalty
        warn(DEPRECATED.format(ratio="l1_ratio", strength="C"), FutureWarning)
    check_solver(owner, model.solver, name, model.dual)
    if name != "elasticnet" and ratio is not None and 0 < ratio < 1 and model.penalty != "deprecated":
        warn(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={name}).", DataWarning)
    if (model.penalty == "l2" and ratio != 0) or (model.penalty == "l1" and ratio != 1):
        warn(
            f"Inconsistent values: penalty={model.penalty} with l1_ratio={ratio}. penalty is deprecated. Please use l1_ratio only.",
            DataWarning,
        )
    if name == "elasticnet" and ratio is None:
        raise ParameterError(
            f"l1_ratio must be specified when penalty is elasticnet. Give {owner}(l1_ratio=...) between 0 and 1."
        )
    if model.penalty is None and model.C != 1.0:
        warn("Setting penalty=None will ignore the C and l1_ratio parameters.", DataWarning)
    strength = np.inf if name is None else float(model.C)
    return Penalty(name, strength, {"l1": 1.0, "l2": 0.0, None: 0.0}.get(name, ratio))


def penalty_name(ratio: float | None) -> str:
    """Return scikit-learn's name of the penalty with this l1_ratio."""
    return "l2" if not ratio else "l1" if ratio == 1 else "elasticnet"


def check_solver(owner: str, solver: str, penalty: str | None, dual: bool) -> None:
    """Raise where scikit-learn's solver of that name would not take the penalty."""
    if solver not in ("liblinear", "saga") and penalty not in ("l2", None):
        raise ParameterError(
            f"Solver {solver} supports only 'l2' or None penalties, got {penalty} penalty. Use {owner}(solver='saga')."
        )
    if solver != "liblinear" and dual:
        raise ParameterError(f"Solver {solver} supports only dual=False, got dual={dual} in {owner}.")
    if penalty == "elasticnet" and solver != "saga":
        raise ParameterError(f"Only 'saga' solver supports elasticnet penalty, got solver={solver} in {owner}.")
    if solver == "liblinear" and penalty is None:
        raise ParameterError(
            f"C=np.inf as well as penalty=None is not supported for the liblinear solver. Use {owner}(solver='lbfgs')."
        )


def check_classes(owner: str, solver: str, classes: np.ndarray) -> None:
    """Raise for one class only, and for several under the name "liblinear"."""
    if len(classes) < 2:
        raise DataError(
            f"This solver needs samples of at least 2 classes in the data, but the data contains only one class: {classes[0]!r}."
            f" {owner} learns to tell classes apart: look at y."
        )
    if solver == "liblinear" and len(classes) > 2:
        raise ParameterError(
            "The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Either use another solver or wrap"
            f" the estimator in a OneVsRestClassifier to keep applying a one-versus-rest scheme. {owner} saw"
            f" {len(classes)} classes."
        )


def class_weights(owner: str, class_weight: Any, classes: np.ndarray, mass: np.ndarray) -> np.ndarray | None:
    """Return the weight of every class, or None for ones; "balanced" gives all that occur the same total."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        present = mass > 0
        return np.where(present, mass.sum() / (present.sum() * np.where(present, mass, 1.0)), 0.0)
    unknown = [label for label in class_weight if label not in set(classes.tolist())]
    if unknown:
        raise ParameterError(
            f"The classes, {unknown}, are not in class_weight's labels: {owner}(class_weight=...) names {unknown}, which do not"
            f" occur;"
            f" y has {classes.tolist()}."
        )
    return np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])


def gradient_tolerance(solver: str, tol: float) -> float:
    """Return how large the gradient may stay where scikit-learn's solver of that name would stop.

    Its stochastic ones look at the coefficients, which at the same `tol` are known to more digits.
    """
    return tol * FINER if solver in ("sag", "saga") else tol


def not_converged(solver: str, n_iter: int, norm: float, tol: float) -> str:
    """Return the warning for iterations that ended too early, with scikit-learn's first words for the solver named."""
    first = {
        "lbfgs": f"lbfgs failed to converge after {n_iter} iteration(s).",
        "newton-cg": "newton-cg failed to converge.",
        "newton-cholesky": f"Newton solver did not converge after {n_iter} iterations.",
        "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    }.get(solver, "The max_iter was reached which means the coef_ did not converge.")
    return f"{first} The gradient is still {norm:.3g}, tol={tol:g}. Increase the number of iterations (max_iter) or scale the data."


def check_size(source: Source) -> None:
    """Raise scikit-learn's error for values that its liblinear cannot take."""
    tiles: Any = getattr(source, "tiles", None)
    X = getattr(tiles, "X", None)
    if X is not None and X.shape[0] and (X.data if scipy.sparse.issparse(X) else X).size and abs(X).max() > LARGEST:
        raise DataError(
            "Using the 'liblinear' solver while X contains a maximum value > 1e30 results in a frozen fit. Please choose another"
            " solver or rescale the input X."
        )
