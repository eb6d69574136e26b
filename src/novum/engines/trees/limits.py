"""Parameters of trees as numbers of rows and columns: what scikit-learn allows to be given as shares or words."""

import numbers
from math import ceil, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Int, Null, RandomState, Real, Share
from novum.engines.trees.exact import Rules
from novum.exceptions import ParameterError

__all__ = ["COMMON_DOMAINS", "columns_tried", "rules_of"]

NO_LIMIT = 2**31 - 1  # of the depth


COMMON_DOMAINS: dict[str, Domain] = {
    "splitter": Choice("best", "random"),
    "max_depth": Int(1) | Null(),
    "min_samples_split": Int(2) | Share(numbers.Real, 0.0, 1.0, "low"),
    "min_samples_leaf": Int(1) | Share(numbers.Real, 0.0, 1.0, "both"),
    "min_weight_fraction_leaf": Real(0.0, 0.5),
    "max_features": Int(1) | Share(numbers.Real, 0.0, 1.0, "low") | Choice("sqrt", "log2") | Null(),
    "random_state": RandomState(),
    "max_leaf_nodes": Int(2) | Null(),
    "min_impurity_decrease": Real(0.0),
    "ccp_alpha": Real(0.0),
    "monotonic_cst": ArrayLike() | Null(),
    "categorical_features": Choice("from_dtype") | ArrayLike() | Null(),
}


def columns_tried(max_features: Any, d: int) -> int:
    """Return how many of d columns are tried at a node."""
    if max_features is None:
        return d
    if isinstance(max_features, str):
        return max(1, int(sqrt(d) if max_features == "sqrt" else log2(d)))
    if isinstance(max_features, numbers.Integral):
        return int(max_features)
    return max(1, int(max_features * d))


def signs_of(estimator: Any, d: int, categorical: list[int], n_outputs: int, n_classes: int) -> tuple[int, ...]:
    """Return the monotone constraints as the grower reads them: of two classes, on the share of the first."""
    if estimator.monotonic_cst is None:
        return ()
    owner = type(estimator).__name__
    if n_outputs > 1:
        raise ParameterError(
            f"Monotonicity constraints are not supported with multiple outputs. {owner}(monotonic_cst=...) was given"
            f" {n_outputs}: fit one tree per output."
        )
    signs = np.asarray(estimator.monotonic_cst)
    if signs.ndim != 1 or len(signs) != d:
        raise ParameterError(
            f"monotonic_cst has shape {len(np.atleast_1d(signs))} but the input data X has {d} features. {owner} needs one sign"
            " for every column."
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ParameterError(
            f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}. Give {owner} the direction of"
            " every column, 0 for none."
        )
    if n_classes > 2:
        raise ParameterError(
            "Monotonicity constraints are not supported with multiclass classification. "
            f"{owner}(monotonic_cst=...) was given {n_classes} classes: fit one class against the rest."
        )
    if bound := [j for j in categorical if signs[j]]:
        raise ParameterError(
            f"{owner}(monotonic_cst=...): categories have no order, so columns {bound} cannot be monotone; give 0 for them."
        )
    return tuple(int(-sign if n_classes else sign) for sign in signs)


def rules_of(
    estimator: Any,
    shape: tuple[int, int],
    weight: NDArray | None,
    categorical: list[int],
    n_outputs: int,
    n_classes: int,
) -> Rules:
    """Return the rules of an estimator for data of this shape; `n_classes` is 0 for a regression."""
    n, d = shape
    tried = min(d, columns_tried(estimator.max_features, d))
    leaf, split = estimator.min_samples_leaf, estimator.min_samples_split
    leaf = int(leaf) if isinstance(leaf, numbers.Integral) else ceil(leaf * n)
    split = int(split) if isinstance(split, numbers.Integral) else max(2, ceil(split * n))
    total = n if weight is None else float(weight.sum())
    return Rules(
        max_features=tried,
        random=estimator.splitter == "random",
        max_depth=NO_LIMIT if estimator.max_depth is None else int(min(estimator.max_depth, NO_LIMIT)),
        min_samples_split=max(split, 2 * leaf),
        min_samples_leaf=leaf,
        min_weight_leaf=estimator.min_weight_fraction_leaf * total,
        max_leaf_nodes=0 if estimator.max_leaf_nodes is None else int(estimator.max_leaf_nodes),
        min_impurity_decrease=float(estimator.min_impurity_decrease),
        monotone=signs_of(estimator, d, categorical, n_outputs, n_classes),
    )
