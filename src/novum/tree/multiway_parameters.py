"""Parameters of the notes' trees: which of them ask for the second grower, and what they mean for given columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Choice, Domain, Instance, Null, Real
from novum.engines.trees.exact import Target
from novum.exceptions import ParameterError
from novum.tree.multiway import Policy

__all__ = ["PRUNING_DOMAINS", "SCORE_DOMAINS", "cost_of", "policy_of"]

PRUNING_DOMAINS: dict[str, Domain] = {
    "branching": Choice("binary", "multiway"),
    "missing": Choice("best_side", "fractional", "fill"),
    "pruning": Choice("reduced_error") | Null(),
    "validation_fraction": Real(0.0, 1.0, open="both"),
}
SCORE_DOMAINS: dict[str, Domain] = {
    "missing": Choice("best_side", "fractional", "fill", "fill_by_class"),
    "significance": Real(0.0, 1.0) | Null(),
    "attribute_costs": Instance(Mapping) | ArrayLike() | Null(),
    "cost_form": Choice("tan_schlimmer", "nunez"),
    "cost_weight": Real(0.0, 1.0),
}


def cost_of(estimator: Any, d: int) -> NDArray | None:
    """Return the cost of every column; those that a dict leaves out cost 1."""
    given = estimator.attribute_costs
    if given is None:
        return None
    owner = type(estimator).__name__
    names = list(getattr(estimator, "feature_names_in_", range(d)))
    if isinstance(given, Mapping):
        if unknown := [key for key in given if key not in names]:
            raise ParameterError(
                f"{owner}(attribute_costs=...): {unknown[0]!r} is no column of X; there are {names}. Name the columns as X does."
            )
        cost = np.array([float(given.get(name, 1.0)) for name in names])
    else:
        cost = np.asarray(given, np.float64)
    if cost.shape != (d,):
        raise ParameterError(
            f"{owner}(attribute_costs=...) has shape {cost.shape}, but X has {d} columns; give a cost for each, or a dict by name."
        )
    least = 0.0 if estimator.cost_form == "nunez" else np.finfo(float).tiny
    if not np.isfinite(cost).all() or (cost < least).any():
        raise ParameterError(
            f"{owner}(attribute_costs=...): costs are finite and above zero (with cost_form='nunez' zero or more);"
            f" the least is {cost.min():g}."
        )
    return cost


def policy_of(estimator: Any, d: int, target: Target, sparse: bool) -> Policy | None:
    """Return the policy of the second grower; None where the first supports all parameters."""
    requested = {
        "branching": estimator.branching == "multiway",
        "missing": estimator.missing != "best_side",
        "criterion": estimator.criterion == "gain_ratio",
        "significance": estimator.significance is not None,
        "attribute_costs": estimator.attribute_costs is not None,
    }
    if not any(requested.values()):
        return None
    owner = type(estimator).__name__
    name = next(name for name, value in requested.items() if value)
    this = (
        f"{owner}({name}={getattr(estimator, name)!r})"
        if name != "attribute_costs"
        else f"{owner}(attribute_costs=...)"
    )
    if sparse:
        raise ParameterError(f"{this}: a sparse X is not supported; give an array or a frame.")
    if estimator.splitter != "best":
        raise ParameterError(f"{this}: splitter={estimator.splitter!r} is not supported; use splitter='best'.")
    if estimator.monotonic_cst is not None:
        raise ParameterError(f"{this}: monotonic_cst is not supported; use one of them.")
    if target.criterion in ("absolute_error", "poisson"):
        raise ParameterError(f"{this}: criterion={target.criterion!r} is not supported; use criterion='squared_error'.")
    outputs = len(target.n_classes)
    for one in ("significance", "missing"):
        if outputs > 1 and (
            estimator.significance is not None if one == "significance" else estimator.missing == "fill_by_class"
        ):
            raise ParameterError(
                f"{owner}({one}={getattr(estimator, one)!r}) needs one target; y has {outputs}: fit one tree per output."
            )
    return Policy(
        estimator.branching == "binary",
        estimator.missing,
        estimator.significance,
        cost_of(estimator, d),
        estimator.cost_form,
        float(estimator.cost_weight),
    )
